#include "estimate/engines/vllm_attention.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <string_view>

namespace gpushape::estimate::engines {
namespace {

constexpr std::array<std::int64_t, 4> kHeadSizes = {64, 128, 256, 512};

/// Every layer that attends has heads of one size that the kernels are made for: of Gemma 4, whose
/// windows have others, vLLM says "heterogeneous head dimensions", and takes Triton's
/// (model_executor/models/config.py, Gemma4Config).
bool has_its_heads(const domain::Model& model) {
  std::int64_t size = 0;
  for (const domain::LayerRun& run : model.layers) {
    const domain::Attention& attention = run.layer.attention;
    if (attention.kind == domain::LayerKind::None || attention.kind == domain::LayerKind::Recurrent)
      continue;
    if (std::ranges::find(kHeadSizes, attention.head_dim) == kHeadSizes.end()) return false;
    if (size != 0 && size != attention.head_dim) return false;
    size = attention.head_dim;
  }
  return size != 0;
}

/// Whatever the letters' case.
bool is_named_alike(std::string_view name, std::string_view upper) {
  return std::ranges::equal(name, upper, {}, [](unsigned char letter) {
    return static_cast<char>(std::toupper(letter));
  });
}

/// Source: vLLM model_executor/models/minicpm3.py, MiniCPM3Attention: keys and values of every
/// head, each as wide as a key.
bool is_run_unfolded(const domain::Model& model) { return model.family == "minicpm3"; }

/// Source: vLLM 0.12 platforms/cuda.py, get_attn_backend_cls: kernels that do not fit are refused;
/// before, latents had theirs whatever was asked for.
bool refuses_latents(const domain::EngineSettings& asked, domain::EngineVersion version) {
  constexpr domain::EngineVersion kRefuses{0, 12, 0};
  constexpr auto kWithoutLatents = std::to_array<std::string_view>(
      {"FLASH_ATTN", "FLASHINFER", "TRITON_ATTN", "FLEX_ATTENTION", "ROCM_ATTN"});
  return asked.attention_backend && version >= kRefuses &&
         std::ranges::any_of(kWithoutLatents, [&](std::string_view name) {
           return is_named_alike(asked.attention_backend->value, name);
         });
}

}  // namespace

bool attends_with_flashinfer(const Request& request, const domain::Conditions& conditions,
                             domain::KvCacheType cache_type) {
  if (const auto& asked = request.workload->engine.attention_backend)
    return is_named_alike(asked->value, "FLASHINFER");
  const bool is_other = conditions.is_amd != 0 || conditions.has_latents != 0 ||
                        conditions.has_compressed != 0 || conditions.is_encoder_decoder != 0;
  if (is_other || !has_its_heads(*request.model)) return false;
  const double capability = conditions.compute_capability;
  constexpr double kAmpere = 8;
  constexpr double kHopper = 9;
  constexpr double kBlackwell = 10;
  constexpr double kBehindBlackwell = 11;
  if (capability >= kBlackwell && capability < kBehindBlackwell) return true;
  const bool has_no_kernel_of_8_bits = capability >= kAmpere && capability != kHopper;
  return has_no_kernel_of_8_bits && conditions.has_sinks == 0 &&
         cache_type == domain::KvCacheType::Fp8;
}

std::optional<std::int64_t> unfolded_unit(const Request& request, domain::EngineVersion version,
                                          const domain::Conditions& conditions) {
  if (conditions.has_latents == 0 || conditions.has_indexer != 0) return std::nullopt;
  if (is_run_unfolded(*request.model)) return 1;
  const auto fact = [&](NameKey name) {
    return std::llround(fact_under(*request.engine, version, conditions, name));
  };
  const domain::EngineSettings& asked = request.workload->engine;
  const bool is_unfolded = asked.unfolds_latents.value || refuses_latents(asked, version) ||
                           fact("unfoldedLatents") != 0;
  if (!is_unfolded) return std::nullopt;
  return std::max<std::int64_t>(1, fact("unfoldedUnit"));
}

bool takes_blocks_first(const Request& request) {
  // AMD's own backends, the default, state no order of strides. Source: vLLM
  // v1/attention/backend.py, indexes_kv_by_block_stride.
  constexpr auto kBlocksFirst = std::to_array<std::string_view>({"TRITON_ATTN", "FLEX_ATTENTION"});
  const auto& asked = request.workload->engine.attention_backend;
  return asked && std::ranges::any_of(kBlocksFirst, [&](std::string_view name) {
           return is_named_alike(asked->value, name);
         });
}

}  // namespace gpushape::estimate::engines
