// The conditions that a constant of an engine holds under.
//
// A `when` is a list of comparisons joined by commas ("tp>=2,cc>=9"); all of them must hold.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/diagnostic.hpp"

namespace gpushape::domain {

struct Engine;

/// What a `when` may ask about. Truths are 1 and 0.
struct Conditions {
  /// Of a truth that is known of few starts: neither 1 nor 0.
  static constexpr double kNotTold = -1;

  double tensor_parallel = 1;
  double pipeline_parallel = 1;
  double expert_groups = 1;
  double sequences = 0;           ///< rows of one sampler call
  double compute_capability = 0;  ///< 9.0; 0 where no GPU is given
  double device_gib = 0;          ///< of the device that NVML finds by index
  double gpu_given = 0;
  double is_a100 = 0;
  double is_h100 = 0;  ///< or H200
  double is_amd = 0;
  double is_quantized = 0;
  double is_mix_named = 0;     ///< there is no GGUF file, only the name of its mix
  double is_recipe_named = 0;  ///< a publisher's recipe by model ("ud-q4_k_xl")
  double mix_bits = 16;        ///< of one weight of most tensors of the mix that is named
  double linear_bits = 16;     ///< of one stored weight of a linear layer
  double has_block_scales = 0;
  double scale_group = 0;  ///< inputs of a linear layer that share a scale
  double is_fp8 = 0;
  double is_mxfp4 = 0;
  double has_mxfp4_experts = 0;  ///< beside linear layers of another type
  double is_nvfp4 = 0;
  double has_static_scales = 0;  ///< of activations, in the checkpoint
  double has_recurrent = 0;
  double is_encoder_decoder = 0;
  double has_latents = 0;  ///< latent attention
  double has_indexer = 0;
  double has_compressed = 0;
  double has_towers = 0;
  double has_tied_embeddings = 0;
  double has_mistral_format = 0;
  double has_sinks = 0;  ///< attention layers with a learned value per head
  double has_narrow_values = 0;
  double has_experts = 0;
  double has_gated_experts = 0;
  double has_shared_experts = 0;
  double active_experts = 0;  ///< of one token, the most of any layer
  double scales_residuals = 0;
  double has_whole_items = 0;
  double has_flashinfer = 0;  ///< kernels of attention, not of sampling
  double is_first_generation = 0;
  double has_second_runner = 0;
  double samples_with_flashinfer = kNotTold;
  double compiles = kNotTold;
  double is_server = 0;
  double is_library = 0;  ///< started from a program, not as a server
};

struct ConditionRow {
  std::string_view name;
  double Conditions::*value;
  std::string_view description;
};

inline constexpr auto kConditions = std::to_array<ConditionRow>({
    {"tp", &Conditions::tensor_parallel, "tensor parallel size"},
    {"pp", &Conditions::pipeline_parallel, "pipeline parallel size"},
    {"expertGroups", &Conditions::expert_groups,
     "engines that are parallel by data and deal out their experts together; 1 for one"},
    {"sequences", &Conditions::sequences, "sequences of one sampler call"},
    {"cc", &Conditions::compute_capability, "CUDA compute capability; 0 without a GPU"},
    {"deviceGib", &Conditions::device_gib, "memory of the device that NVML finds by index, GiB"},
    {"gpu", &Conditions::gpu_given, "1 when a GPU is given"},
    {"a100", &Conditions::is_a100, "1 when the device's name holds \"a100\""},
    {"h100", &Conditions::is_h100, "1 when the device's name holds h100 or h200"},
    {"amd", &Conditions::is_amd, "1 on AMD devices"},
    {"quantized", &Conditions::is_quantized, "1 when linear layers hold less than 16 bits"},
    {"mixNamed", &Conditions::is_mix_named,
     "1 when there is no GGUF file, only the name of its mix (Q4_K_M)"},
    {"recipe", &Conditions::is_recipe_named,
     "1 when the mix is a publisher's recipe by model (UD-Q4_K_XL)"},
    {"mixBits", &Conditions::mix_bits,
     "bits of one weight of most tensors of the mix, scales included"},
    {"linearBits", &Conditions::linear_bits, "bits of one stored weight of a linear layer"},
    {"blockScales", &Conditions::has_block_scales,
     "1 when a square block of a linear layer's weights has one scale"},
    {"scaleGroup", &Conditions::scale_group,
     "inputs of a linear layer that share a scale; 0 without groups"},
    {"fp8", &Conditions::is_fp8, "1 when linear layers are stored as FP8"},
    {"mxfp4", &Conditions::is_mxfp4, "1 when linear layers are stored as MXFP4"},
    {"mxfp4Experts", &Conditions::has_mxfp4_experts,
     "1 when experts are stored as MXFP4, and other linear layers are not"},
    {"nvfp4", &Conditions::is_nvfp4, "1 when linear layers are stored as NVFP4"},
    {"staticScales", &Conditions::has_static_scales,
     "1 when the checkpoint holds scales of activations (ModelOpt)"},
    {"recurrent", &Conditions::has_recurrent, "1 when layers keep a recurrent state"},
    {"encoderDecoder", &Conditions::is_encoder_decoder,
     "1 when a decoder attends to an encoder's output"},
    {"latent", &Conditions::has_latents, "1 when attention keeps latents (DeepSeek)"},
    {"indexer", &Conditions::has_indexer, "1 when an indexer chooses the tokens attended to"},
    {"compressed", &Conditions::has_compressed,
     "1 when attention compresses what it keeps (DeepSeek-V4)"},
    {"towers", &Conditions::has_towers, "1 when the model takes images or sound"},
    {"tied", &Conditions::has_tied_embeddings, "1 when the head is the embedding"},
    {"mistralFormat", &Conditions::has_mistral_format,
     "1 when the repository has Mistral's own files, too"},
    {"sinks", &Conditions::has_sinks, "1 when attention has sinks (gpt-oss)"},
    {"narrowValues", &Conditions::has_narrow_values,
     "1 when values are narrower than keys (MiMo-V2)"},
    {"experts", &Conditions::has_experts, "1 when layers have routed experts"},
    {"gatedExperts", &Conditions::has_gated_experts, "1 when routed experts have a gate"},
    {"sharedExperts", &Conditions::has_shared_experts,
     "1 when every token takes an expert beside the routed ones"},
    {"activeExperts", &Conditions::active_experts, "routed experts of one token; 0 without any"},
    {"scaledResiduals", &Conditions::scales_residuals,
     "1 when layers scale what they add to the residual (Granite)"},
    {"wholeItems", &Conditions::has_whole_items,
     "1 when a step must hold an image or a video whole (Gemma 4)"},
    {"flashinfer", &Conditions::has_flashinfer, "1 when vLLM attends with FlashInfer's kernels"},
    {"flashinferSampler", &Conditions::samples_with_flashinfer,
     "1 when vLLM is known to sample with FlashInfer's kernels, 0 when it is known not to"},
    {"v0", &Conditions::is_first_generation, "1 when vLLM is told to run its first engine"},
    {"runner2", &Conditions::has_second_runner, "1 when vLLM's second model runner runs the model"},
    {"server", &Conditions::is_server,
     "1 when it is known that llama.cpp runs as its server, not under another program"},
    {"compiles", &Conditions::compiles,
     "1 when the start is known to compile its graphs, 0 when it is known not to"},
    {"library", &Conditions::is_library, "1 when the engine is started from a program"},
});

/// Of one `when`.
inline constexpr std::size_t kMostComparisons = 6;

/// A `when`, read once and asked often.
class When {
 public:
  explicit When(std::string_view text);

  [[nodiscard]] bool is_readable() const { return is_readable_; }
  /// How many comparisons there are.
  [[nodiscard]] std::size_t count() const { return count_; }
  /// Whether all comparisons hold. One that cannot be read does not.
  [[nodiscard]] bool holds(const Conditions& conditions) const {
    for (const Comparison& comparison : comparisons()) {
      if (!comparison.is_met(conditions.*comparison.value)) return false;
    }
    return is_readable_;
  }
  [[nodiscard]] bool asks_for(double Conditions::*value) const;

 private:
  enum class Sign : std::uint8_t { Equal, AtLeast, Below };
  struct Comparison {
    double Conditions::*value = nullptr;
    Sign sign = Sign::Equal;
    double bound = 0;

    [[nodiscard]] bool is_met(double asked) const {
      if (sign == Sign::Equal) return asked == bound;
      return sign == Sign::Below ? asked < bound : asked >= bound;
    }
  };
  static std::optional<Comparison> read(std::string_view text);

  [[nodiscard]] std::span<const Comparison> comparisons() const {
    return std::span(comparisons_).first(count_);
  }

  std::array<Comparison, kMostComparisons> comparisons_;
  std::size_t count_ = 0;
  bool is_readable_ = true;
};

/// Whether all comparisons of `when` hold.
bool holds(std::string_view when, const Conditions& conditions);
/// Complaints about comparisons in `engine` that cannot be read.
Diagnostics unreadable_conditions(const Engine& engine);

}  // namespace gpushape::domain
