#include "calibrate/step_causes.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string_view>

#include "calibrate/difference_parts.hpp"

namespace gpushape::calibrate {
namespace {

struct SamplerWay {
  double bytes_per_logit;
  std::string_view words;
};
constexpr auto kSamplerWays = std::to_array<SamplerWay>({
    {8, "FlashInfer"},
    {12, "the Triton kernel"},
    {36, "the torch sort"},
});

}  // namespace

std::optional<std::string> sampler_path(const Difference& difference) {
  if (difference.term->name != "activation") return std::nullopt;
  const double logits = input(*difference.estimate, "activation", "maxNumSeqs") *
                        input(*difference.estimate, "activation", "vocabulary");
  if (logits <= 0) return std::nullopt;
  const double predicted = input(*difference.estimate, "activation", "samplerBytesPerLogit");
  const double measured = predicted + difference.gib() * kGib / logits;
  for (const SamplerWay& way : kSamplerWays) {
    constexpr double kSameBytes = 1.5;
    if (std::abs(way.bytes_per_logit - predicted) < kSameBytes ||
        std::abs(way.bytes_per_logit - measured) > kSameBytes) {
      continue;
    }
    const bool is_said = difference.log->start.samples_with_flashinfer.value_or(false) &&
                         way.words == std::string_view("FlashInfer");
    return fmt::format(
        "the sampler took {} ({:.0f} bytes a logit beside the logits, predicted {:.0f}){}",
        way.words, measured, predicted, is_said ? ", as the log says" : "");
  }
  return std::nullopt;
}

std::optional<std::string> batch_defaults(const Difference& difference) {
  if (difference.term->name != "activation" || !difference.term->measured) return std::nullopt;
  if (difference.log->start.max_num_seqs) return std::nullopt;
  const double sequences = input(*difference.estimate, "activation", "maxNumSeqs");
  const double vocabulary = input(*difference.estimate, "activation", "vocabulary");
  const double bytes = input(*difference.estimate, "activation", "samplerBytesPerLogit") +
                       input(*difference.estimate, "activation", "dtypeBytes");
  if (sequences <= 0 || vocabulary <= 0 || bytes <= 0) return std::nullopt;
  const double measured = sequences + difference.gib() * kGib / (vocabulary * bytes);
  for (const double other : {128.0, 256.0, 512.0, 1024.0}) {
    constexpr double kSameShare = 0.04;
    if (other == sequences || std::abs(measured - other) > kSameShare * other) continue;
    return fmt::format(
        "the engine took max_num_seqs {:.0f}, not the default {:.0f} of this GPU: give "
        "--max-num-seqs",
        other, sequences);
  }
  const double forward = input(*difference.estimate, "activation", "dense") / kGib;
  if (forward > 0 && std::abs(difference.term->measured->expected.gib() - forward) < kSameGib) {
    return fmt::format(
        "the peak is that of the forward pass ({:.2f} GiB), so that the sampler ran with fewer "
        "sequences than the default {:.0f}: give --max-num-seqs",
        forward, sequences);
  }
  return std::nullopt;
}

std::optional<std::string> compile_cache(const Difference& difference) {
  const bool is_about = difference.term->name == "activation" || difference.term->name == "kvPool";
  const bool took_more =
      difference.term->name == "kvPool" ? difference.gib() < 0 : difference.gib() > 0;
  if (!is_about || !took_more || difference.log->start.enforce_eager) return std::nullopt;
  // The copies lie in the peak: where that is printed, they leave no more off the pool.
  constexpr double kMostOfCopies = 1.3;
  const bool is_in_peak =
      difference.term->name == "kvPool" && other_term(difference, "activation") != nullptr;
  if (is_in_peak || std::abs(difference.gib()) > kMostOfCopies) return std::nullopt;
  if (!difference.log->has_warm_cache) {
    // What a cold cache was seen to cost; without a word of the log only the size speaks for it.
    constexpr double kMostOfCold = 0.9;
    if (difference.term->name != "kvPool" || difference.gib() < -kMostOfCold) return std::nullopt;
    return "perhaps a first start: with a cold compile cache the engine profiles with the "
           "compiler's copies of the tables that tokens are looked up in; compare a second start "
           "of the same command";
  }
  if (*difference.log->has_warm_cache) return std::nullopt;
  return "graphs were compiled in this start, which profiles with the compiler's copies of the "
         "tables that tokens are looked up in: a later start of the same command, with a warm "
         "compile cache, leaves more for the KV cache";
}

/// The encoder's pass grows with its inputs alone.
std::optional<std::string> encoder_inputs(const Difference& difference) {
  if (difference.term->name != "activation" || !difference.term->measured) return std::nullopt;
  if (input(*difference.estimate, "activation", "encoderInputs") <= 0) return std::nullopt;
  const double items = input(*difference.estimate, "activation", "encoderItems");
  const double pass = term_gib(*difference.estimate, "activation") -
                      input(*difference.estimate, "activation", "workspace") / kGib;
  if (items < 1 || pass <= 0) return std::nullopt;
  const double measured = items * (pass + difference.gib()) / pass;
  constexpr double kSameShare = 0.03;
  const double whole = std::round(measured);
  if (whole < 1 || whole == items || std::abs(measured - whole) > kSameShare * whole)
    return std::nullopt;
  return fmt::format(
      "the encoder ran on {:.0f} of the largest inputs, not on {:.0f}: give --max-num-seqs", whole,
      items);
}

}  // namespace gpushape::calibrate
