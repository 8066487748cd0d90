#include "estimate/ggml/graph.hpp"

#include <algorithm>
#include <utility>

namespace gpushape::estimate::ggml {

Graph::Graph(int devices) : devices_(devices) {
  // Ours: layers alike stand a few times only, so that most decoders have 100 to 300 tensors on
  // each of their devices; memory for many more would be asked of the system for every graph.
  constexpr std::size_t kUsualSize = 512;
  tensors_.reserve(kUsualSize);
  is_visited_.reserve(kUsualSize);
  nodes_.reserve(kUsualSize);
}

Id Graph::add(Tensor tensor, std::initializer_list<Id> sources) {
  tensor.device = static_cast<std::int16_t>(device_);
  for (const Id source : sources) {
    if (source == kNoTensor) continue;
    tensor.sources.at(static_cast<std::size_t>(tensor.source_count++)) = source;
  }
  tensors_.push_back(tensor);
  is_visited_.push_back(false);
  return static_cast<Id>(tensors_.size() - 1);
}

Id Graph::external() {
  if (external_ == kNoTensor) external_ = add({.kind = Kind::External}, {});
  return external_;
}

Id Graph::stored(Kind kind, const Extent& bytes) {
  const Id id = add({.kind = kind, .shape = {bytes}, .value_bytes = 1}, {});
  tensors_.back().device = static_cast<std::int16_t>(host());
  return id;
}

Id Graph::weight(const Extent& values) {
  if (!is_away()) return external();
  std::int64_t bytes = 0;
  for (const StoredWeight& one : *away_) {
    if (one.values == values.count) bytes = std::max(bytes, one.bytes);
  }
  if (bytes == 0) bytes = values.count * kFloat;
  return stored(Kind::Weight, Extent(bytes));
}

Id Graph::cache(const Extent& bytes) { return is_away() ? stored(Kind::Cache, bytes) : external(); }

Id Graph::input(const Shape& shape, std::int64_t value_bytes) {
  const Id id = add({.kind = Kind::Input, .shape = shape, .value_bytes = value_bytes}, {});
  tensors_.back().device = static_cast<std::int16_t>(host());
  return id;
}

Id Graph::compute(const Shape& shape, std::initializer_list<Id> sources, std::int64_t bytes) {
  return add({.kind = Kind::Computed, .shape = shape, .value_bytes = bytes}, sources);
}

Id Graph::in_place(std::initializer_list<Id> sources) {
  const Tensor& first = at(*sources.begin());
  return add({.kind = Kind::InPlace, .shape = first.shape, .value_bytes = first.value_bytes},
             sources);
}

Id Graph::view(Id source, const Shape& shape, bool is_contiguous) {
  const Tensor& of = at(source);
  const bool is_whole = of.kind != Kind::View && of.kind != Kind::Write;
  const Id root = is_whole ? source : of.root;
  return add({.kind = Kind::View,
              .is_contiguous = is_contiguous,
              .root = root,
              .shape = shape,
              .value_bytes = of.value_bytes},
             {source});
}

Id Graph::write(Id cache, Id values, Id rows) {
  return add({.kind = Kind::Write, .root = cache}, {values, rows, cache});
}

void Graph::expand(Id tensor) {
  // Depth first, sources from the first to the last, without recursion.
  auto& path = path_;
  path.clear();
  const auto enter = [&](Id id) {
    const auto at = static_cast<std::size_t>(id);
    if (is_visited_[at]) return;
    is_visited_[at] = true;
    path.emplace_back(id, std::int8_t{0});
  };
  enter(tensor);
  while (!path.empty()) {
    auto& [id, next] = path.back();
    const Tensor& here = at(id);
    if (next < here.source_count) {
      enter(here.sources.at(static_cast<std::size_t>(next++)));
      continue;
    }
    if (here.kind == Kind::Input) {
      inputs_.push_back(id);
    } else if (!has_own_buffer(here.kind)) {
      nodes_.push_back(id);
    }
    path.pop_back();
  }
}

}  // namespace gpushape::estimate::ggml
