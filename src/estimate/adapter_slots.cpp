#include "estimate/adapter_slots.hpp"

#include <algorithm>
#include <vector>

#include "estimate/caching_allocator.hpp"
#include "estimate/division.hpp"
#include "estimate/rank_tensors.hpp"

namespace gpushape::estimate {
namespace {

using domain::AdapterModules;
using domain::TensorPart;

bool is_attention(const domain::Tensor& tensor) { return tensor.part == TensorPart::Attention; }
bool is_query_or_value(const domain::Tensor& tensor) {
  return tensor.name.contains("q_proj") || tensor.name.contains("v_proj") ||
         tensor.name.contains("q_b_proj");
}

/// Every slot's pair of matrices for one tensor; experts have a pair each.
void append_pair(const RankTensor& share, const AdapterSlots& slots, std::int64_t dtype_bytes,
                 std::vector<std::int64_t>& bytes) {
  const std::int64_t width = slots.count * slots.rank * share.copies * dtype_bytes;
  bytes.push_back(width * share.columns);
  bytes.push_back(width * share.rows);
}

void append_layer(const domain::Layer& layer, const domain::Model& model,
                  const WeightsLayout& layout, const AdapterSlots& slots,
                  std::vector<std::int64_t>& bytes) {
  for (const domain::Tensor& tensor : tensors_of(layer, model)) {
    if (takes_adapter(tensor, slots.modules, slots.has_experts))
      append_pair(on_rank(tensor, model, layout), slots, layout.dtype_bytes, bytes);
  }
}

/// The embedding's A is a table of all tokens, which no rank shares; so are the head's outputs.
/// Rows that slots may add stand in both tables and once more in a copy for each slot.
void append_vocabulary(const domain::Model& model, const WeightsLayout& layout, const Stage& stage,
                       const AdapterSlots& slots, std::vector<std::int64_t>& bytes) {
  const std::int64_t dtype = layout.dtype_bytes;
  const std::int64_t wide = slots.count * slots.rank * dtype;
  const std::int64_t added = slots.count * slots.extra_tokens * model.hidden_size * dtype;
  const std::int64_t tokens = model.vocabulary + slots.extra_tokens;
  if (stage.has_embedding) {
    bytes.push_back(added / std::max<std::int64_t>(1, layout.tensor_parallel));  // of the table
    bytes.push_back(added);
    bytes.push_back(wide * tokens);
    bytes.push_back(wide * model.hidden_size);
  }
  if (stage.has_head && model.has_head) {
    if (!model.tied_embeddings)
      bytes.push_back(added / std::max<std::int64_t>(1, layout.tensor_parallel));
    bytes.push_back(added);
    bytes.push_back(wide * model.hidden_size);
    bytes.push_back(wide * divide_up(tokens, slots.vocabulary_unit) * slots.vocabulary_unit);
    if (slots.has_head_table) {
      bytes.push_back(wide * tokens);
      bytes.push_back(wide * model.hidden_size);
    }
  }
}

}  // namespace

bool takes_adapter(const domain::Tensor& tensor, AdapterModules modules, bool has_experts) {
  if (!tensor.is_linear || tensor.columns <= 0) return false;
  if (tensor.split == domain::Split::Experts && !has_experts) return false;
  switch (modules) {
    case AdapterModules::All:
      return true;
    case AdapterModules::Attention:
      return is_attention(tensor);
    case AdapterModules::QueryValue:
      return is_attention(tensor) && is_query_or_value(tensor);
    case AdapterModules::FeedForward:
      return !is_attention(tensor);
  }
  return false;
}

std::int64_t tables_of_slot(const domain::Model& model, const Stage& stage,
                            const AdapterSlots& slots) {
  if (!slots.has_vocabulary) return 0;
  const std::int64_t of_head = slots.has_head_table ? 2 : 1;
  return (stage.has_embedding ? 1 : 0) + (stage.has_head && model.has_head ? of_head : 0);
}

AdapterBytes adapter_bytes(const domain::Model& model, const WeightsLayout& layout,
                           const Stage& stage, const AdapterSlots& slots) {
  AdapterBytes result;
  if (slots.count <= 0) return result;
  CachingAllocator allocator(layout.unsplit_share);
  std::vector<std::int64_t> bytes;
  const auto add = [&](std::int64_t times) {
    std::erase(bytes, 0);
    const CachingAllocator::Batch batch = CachingAllocator::batch_of(bytes);
    allocator.allocate(batch, std::span(bytes).first(batch.large), times);
    result.tensors += Bytes(batch.bytes) * times;
    bytes.clear();
  };
  each_run(model, stage, [&](const domain::Layer& layer, std::int64_t layers) {
    append_layer(layer, model, layout, slots, bytes);
    add(layers);
  });
  if (slots.has_vocabulary) {
    append_vocabulary(model, layout, stage, slots, bytes);
    add(1);
  }
  result.values = result.tensors.count() / std::max<std::int64_t>(1, layout.dtype_bytes);
  result.allocated = allocator.allocated();
  return result;
}

}  // namespace gpushape::estimate
