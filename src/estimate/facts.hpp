// The constants of an engine that hold for one version under given conditions.
//
// A constant's `when` is a list of comparisons joined by commas ("tp>=2,cc>=9"); all of them must
// hold. Of several rows of one name, the one with the most comparisons is taken, and of those the
// latest. Figures with a unit of memory come out in bytes.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "domain/engine.hpp"
#include "estimate/spread.hpp"

namespace gpushape::estimate {

/// What a `when` may ask about. Truths are 1 and 0.
struct Conditions {
  double tensor_parallel = 1;
  double pipeline_parallel = 1;
  double sequences = 0;           ///< rows of one sampler call
  double compute_capability = 0;  ///< 9.0; 0 where no GPU is given
  double device_gib = 0;          ///< of the device that NVML finds by index
  double gpu_given = 0;
  double is_a100 = 0;
  double is_amd = 0;
  double is_quantized = 0;
  double linear_bits = 16;  ///< of one stored weight of a linear layer
  double is_mxfp4 = 0;
  double is_nvfp4 = 0;
  double has_recurrent = 0;
  double is_encoder_decoder = 0;
  double has_latents = 0;  ///< latent attention
  double has_indexer = 0;
  double has_towers = 0;
  double has_sinks = 0;  ///< attention layers with a learned value per head
  double has_narrow_values = 0;
  double is_library = 0;  ///< started from a program, not as a server
};

struct ConditionRow {
  std::string_view name;
  double Conditions::* value;
  std::string_view description;
};

inline constexpr auto kConditions = std::to_array<ConditionRow>({
    {"tp", &Conditions::tensor_parallel, "tensor parallel size"},
    {"pp", &Conditions::pipeline_parallel, "pipeline parallel size"},
    {"sequences", &Conditions::sequences, "sequences of one sampler call"},
    {"cc", &Conditions::compute_capability, "CUDA compute capability; 0 without a GPU"},
    {"deviceGib", &Conditions::device_gib, "memory of the device that NVML finds by index, GiB"},
    {"gpu", &Conditions::gpu_given, "1 when a GPU is given"},
    {"a100", &Conditions::is_a100, "1 when the device's name holds \"a100\""},
    {"amd", &Conditions::is_amd, "1 on AMD devices"},
    {"quantized", &Conditions::is_quantized, "1 when linear layers hold less than 16 bits"},
    {"linearBits", &Conditions::linear_bits, "bits of one stored weight of a linear layer"},
    {"mxfp4", &Conditions::is_mxfp4, "1 when linear layers are stored as MXFP4"},
    {"nvfp4", &Conditions::is_nvfp4, "1 when linear layers are stored as NVFP4"},
    {"recurrent", &Conditions::has_recurrent, "1 when layers keep a recurrent state"},
    {"encoderDecoder", &Conditions::is_encoder_decoder,
     "1 when a decoder attends to an encoder's output"},
    {"latent", &Conditions::has_latents, "1 when attention keeps latents (DeepSeek)"},
    {"indexer", &Conditions::has_indexer, "1 when an indexer chooses the tokens attended to"},
    {"towers", &Conditions::has_towers, "1 when the model takes images or sound"},
    {"sinks", &Conditions::has_sinks, "1 when attention has sinks (gpt-oss)"},
    {"narrowValues", &Conditions::has_narrow_values,
     "1 when values are narrower than keys (MiMo-V2)"},
    {"library", &Conditions::is_library, "1 when the engine is started from a program"},
});

/// Whether all comparisons of `when` hold. A comparison that cannot be read does not hold.
bool holds(std::string_view when, const Conditions& conditions);
/// Complaints about comparisons in `engine` that cannot be read.
Diagnostics unreadable_conditions(const domain::Engine& engine);

/// The constants that hold, found by name in constant time: an estimate asks for some sixty.
class Facts {
 public:
  Facts() = default;
  /// Keeps a reference to `engine`.
  Facts(const domain::Engine& engine, domain::EngineVersion version, const Conditions& conditions);

  /// nullptr where no row holds.
  [[nodiscard]] const domain::EngineConstant* find(std::string_view name) const;
  /// In bytes where the unit is one of memory. 0 where no row holds.
  [[nodiscard]] Spread value(std::string_view name) const;
  [[nodiscard]] double expected(std::string_view name) const { return value(name).expected; }
  [[nodiscard]] std::string source(std::string_view name) const;

  [[nodiscard]] const Conditions& conditions() const { return conditions_; }
  void set_sequences(double sequences);
  /// How often other constants came to hold.
  [[nodiscard]] int changes() const { return changes_; }

 private:
  struct Slot {
    const domain::EngineConstant* constant = nullptr;
    int rank = 0;
  };
  void collect();
  [[nodiscard]] std::size_t slot_of(std::string_view name) const;

  const domain::Engine* engine_ = nullptr;
  domain::EngineVersion version_;
  Conditions conditions_;
  int changes_ = 0;
  std::vector<Slot> slots_;  ///< open addressing, a power of two, at most half full
  std::vector<const domain::EngineConstant*> by_sequences_;  ///< whose `when` asks for sequences
};

}  // namespace gpushape::estimate
