#include "advise/precision.hpp"

#include <algorithm>

#include "advise/device_case.hpp"

namespace gpushape::advise {

using domain::Quantization;

namespace {

bool is_wide(Quantization quantization) {
  return quantization == Quantization::Fp32 || quantization == Quantization::Bf16 ||
         quantization == Quantization::Fp16;
}

bool is_eight_bits(Quantization quantization) {
  return quantization == Quantization::Fp8 || quantization == Quantization::Fp8Channel ||
         quantization == Quantization::Fp8Block || quantization == Quantization::Int8;
}

/// vLLM, docs/features/quantization, supported hardware: w4a16 runs from compute capability 7.5 on.
bool runs_four_bits(const domain::Device& device) {
  const std::string& capability = device.compute_capability;
  return device.vendor == "nvidia" &&
         (capability == "7.5" ||
          (!capability.empty() && (capability.front() >= '8' || capability.size() > 3)));
}

}  // namespace

std::vector<Quantization> narrower_weights(std::string_view engine, Quantization now,
                                           const domain::Device& device) {
  std::vector<Quantization> narrower;
  const bool serves_checkpoints =
      engine == "vllm" || engine == "sglang" || engine == "tensorrt-llm";
  if (!serves_checkpoints) return narrower;
  if (is_wide(now) && device.supports_fp8) narrower.push_back(Quantization::Fp8);
  if ((is_wide(now) || is_eight_bits(now)) && runs_four_bits(device))
    narrower.push_back(Quantization::Int4);
  return narrower;
}

std::vector<Quantization> narrower_weights(const AdviceRequest& request,
                                           const domain::Device& device) {
  if (!request.model || !request.engine) return {};
  return narrower_weights(request.engine->name,
                          request.workload.quantization ? request.workload.quantization->value
                                                        : request.model->weights.linear,
                          device);
}

AdviceRequest with_weights(const AdviceRequest& request, Quantization quantization) {
  AdviceRequest changed = request;
  changed.workload.quantization =
      domain::Fact<Quantization>{quantization, domain::Origin::Computed, "narrower weights"};
  return changed;
}

void find_narrower_layout(DeviceCase& device_case) {
  Facts& facts = device_case.facts;
  const std::int64_t links = facts.link_domain_size;
  const bool crosses = facts.gpus_needed == 0 || facts.gpus_needed > links;
  // Of devices that nobody named only the best is spoken of, and it crosses nothing.
  if (!crosses || facts.layout_is_asked || device_case.wish.is_any || !device_case.full) return;
  for (const Quantization quantization :
       narrower_weights(device_case.request, device_case.wish.device)) {
    const AdviceRequest changed = with_weights(device_case.request, quantization);
    for (const std::int64_t gpus : {1, 2, 4, 8}) {
      if (gpus > links || gpus > device_case.wish.most) break;
      if (facts.attention_heads > 0 && facts.attention_heads % gpus != 0) continue;
      Layout layout;
      layout.gpus = gpus;
      layout.parallelism.tensor = gpus;
      Group group;
      group.candidate =
          gpus > 1 ? *group_candidate(device_case.wish, facts.platform, layout.parallelism, gpus)
                   : *device_case.full;
      const Result<Need> need =
          size_workload(changed, facts, layout, memory_of(device_case.wish, group.candidate));
      if (!need || fit_of(group.candidate, *need).at != domain::FitsAt::High) continue;
      if (known_need(*need) > most_of_device(facts, device_case.request.thresholds)) continue;
      facts.narrower_quantization = name_of(quantization);
      facts.narrower_gpus = gpus;
      group.layout = std::move(layout);
      group.need = *need;
      group.fits = true;
      group.quantization = quantization;
      device_case.narrower = std::move(group);
      return;
    }
  }
}

}  // namespace gpushape::advise
