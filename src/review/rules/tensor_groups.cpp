#include "review/rules/tensor_groups.hpp"

#include <algorithm>
#include <cmath>

#include "review/noted_contracts.hpp"
#include "review/rules/fleet.hpp"

namespace gpushape::review {

namespace {

bool is_whole(const GrantedGpu& gpu) {
  return !gpu.limit && (gpu.profile == nullptr || gpu.profile->is_full_size);
}

/// Engines whose tensor parallelism is a copy over so many GPUs; llama.cpp splits as it likes.
bool splits_evenly(const domain::EngineSettings& engine) {
  const auto is_one = [](const std::optional<domain::Fact<std::int64_t>>& size) {
    return !size || size->value == 1;
  };
  return engine.engine.value != "llama.cpp" && is_one(engine.pipeline) && is_one(engine.data) &&
         is_one(engine.context_parallel);
}

std::optional<std::int64_t> wanted_of(const domain::Workload& workload) {
  const auto& declared = workload.concurrency;
  if (declared && declared->origin != domain::Origin::Default) return declared->value;
  const auto& admitted = workload.engine.max_num_seqs;
  return admitted ? std::optional(admitted->value) : std::nullopt;
}

std::optional<TensorGroup> group_of(const Sizing& sizing, std::int64_t gpus) {
  if (!sizing.model || sizing.gpus.empty() || gpus < 2) return std::nullopt;
  if (!is_whole(sizing.gpus.front()) || !splits_evenly(sizing.workload.engine)) return std::nullopt;
  TensorGroup group{&sizing, gpus, attention_heads_of(*sizing.model), sizing.workload,
                    wanted_of(sizing.workload)};
  if (group.heads <= 0) return std::nullopt;
  return group;
}

}  // namespace

bool TensorGroup::could_be(std::int64_t fewer) const { return fewer < gpus && heads % fewer == 0; }

domain::Workload TensorGroup::on(std::int64_t fewer, std::int64_t sequences) const {
  domain::Workload changed = workload;
  domain::EngineSettings& engine = changed.engine;
  engine.tensor = domain::Fact<std::int64_t>{fewer, domain::Origin::Computed, "another layout"};
  if (engine.expert) engine.expert->value = std::min(engine.expert->value, fewer);
  changed.concurrency =
      domain::Fact<std::int64_t>{sequences, domain::Origin::Computed, "another layout"};
  return changed;
}

std::optional<TensorGroup> tensor_group(const SizedPod& sized) {
  const auto ranks = ranks_of(*sized.call);
  if (!ranks || ranks->total() != ranks->tensor) return std::nullopt;
  const auto noted = noted_contract(*sized.pod);
  if (noted && noted->shape.parallelism.tensor == ranks->tensor) return std::nullopt;
  auto group = group_of(*sized.sizing, ranks->tensor);
  // What the group itself does not hold waits there as well.
  if (group && group->wanted) {
    group->wanted = std::clamp<std::int64_t>(sequences_held(*sized.capacity), 1, *group->wanted);
  }
  return group;
}

std::optional<TensorGroup> tensor_group(const Deployment& deployment, const VmClass& vm) {
  if (product_of(vm) == nullptr || !vm.annotation(kContractNote).empty()) return std::nullopt;
  const Sizing& sizing = deployment.sizings->of(vm);
  const auto& tensor = sizing.workload.engine.tensor;
  const std::int64_t gpus = gpus_of(vm);
  // Fewer ranks than GPUs are replicas within the VM.
  if (tensor && tensor->value != gpus) return std::nullopt;
  return group_of(sizing, gpus);
}

std::int64_t sequences_held(const domain::Capacity& capacity) {
  return static_cast<std::int64_t>(std::floor(capacity.max_concurrency_at_context));
}

std::int64_t least_sequences(const domain::Capacity& capacity) {
  const auto expected = static_cast<double>(capacity.kv_pool_bytes.expected.count());
  const auto low = static_cast<double>(capacity.kv_pool_bytes.low.count());
  if (expected <= 0 || low <= 0) return 0;
  return static_cast<std::int64_t>(
      std::floor(capacity.max_concurrency_at_context * std::min(low / expected, 1.0)));
}

}  // namespace gpushape::review
