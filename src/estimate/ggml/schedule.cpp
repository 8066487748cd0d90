#include "estimate/ggml/schedule.hpp"

#include <unordered_map>
#include <utility>

namespace gpushape::estimate::ggml {
namespace {

class Scheduler {
 public:
  Scheduler(Graph graph, int copies) : graph_(std::move(graph)), copies_(copies) {
    schedule_.devices = graph_.devices();
    schedule_.tensors = graph_.take_tensors();
    if (copies_ > 1) note_used_tensors();
  }

  Schedule run() {
    int device = -1;
    std::vector<Id> waiting;  // of the split that is open
    const auto close = [&] {
      for (const Id id : waiting) schedule_.steps.push_back({.tensor = id});
      waiting.clear();
      has_copies_ = false;
    };
    for (const Id id : graph_.nodes()) {
      const bool is_view = tensor(id).kind == Kind::View;
      const bool is_moved = device != -1 && tensor(id).device != device;
      // What earlier products of the split had copies of can go.
      if (!is_view && (is_moved || (has_copies_ && fetches_weights(id)))) close();
      if (!is_view) {
        device = tensor(id).device;
        fetch_sources(id);
      }
      waiting.push_back(id);
    }
    close();
    put_first();
    return std::move(schedule_);
  }

 private:
  Tensor& tensor(Id id) { return schedule_.tensors[static_cast<std::size_t>(id)]; }

  bool is_external(Id id) {
    const Tensor& one = tensor(id);
    if (one.kind == Kind::External) return true;
    return one.root != kNoTensor && tensor(one.root).kind == Kind::External;
  }

  int device_of(Id id) {
    const Tensor& one = tensor(id);
    return one.kind == Kind::View ? tensor(one.root).device : one.device;
  }

  bool fetches_weights(Id id) {
    const Tensor& here = tensor(id);
    for (std::size_t i = 0; i < static_cast<std::size_t>(here.source_count); ++i) {
      const Tensor& source = tensor(here.sources.at(i));
      if (source.kind == Kind::Weight && source.device != here.device) return true;
    }
    return false;
  }

  void fetch_sources(Id id) {
    const int device = tensor(id).device;
    for (std::size_t i = 0; i < static_cast<std::size_t>(tensor(id).source_count); ++i) {
      const Id source = tensor(id).sources.at(i);
      if (is_external(source) || device_of(source) == device) continue;
      tensor(id).sources.at(i) = copy_of(source, device);
    }
  }

  /// The copies of a split are laid out at its beginning, whenever it needs them.
  Id copy_of(Id source, int device) {
    const std::int64_t key = static_cast<std::int64_t>(source) * graph_.devices() + device;
    const auto known = copied_.find(key);
    if (known != copied_.end()) return known->second;
    Id first = kNoTensor;
    for (int i = 0; i < copies_; ++i) {
      Tensor copy;
      copy.shape = tensor(source).shape;
      copy.value_bytes = tensor(source).value_bytes;
      copy.device = static_cast<std::int16_t>(device);
      schedule_.tensors.push_back(copy);
      const auto id = static_cast<Id>(schedule_.tensors.size() - 1);
      if (i == 0) first = id;
      if (copies_ > 1) kept_copies_.push_back(id);
    }
    copied_.emplace(key, first);
    has_copies_ = true;
    schedule_.steps.push_back({.tensor = source, .holds_source = true});
    schedule_.steps.push_back({.tensor = first, .is_copy = true});
    return first;
  }

  /// Inputs lie at the beginning; with several steps on their way, so does every copy, for good.
  void put_first() {
    std::vector<Id> unused;
    if (copies_ > 1) {
      for (const Id id : graph_.inputs()) {
        if (!is_used_[static_cast<std::size_t>(id)]) {
          unused.push_back(id);
          continue;
        }
        const Tensor input = tensor(id);
        kept_inputs_.push_back(id);
        for (int i = 1; i < copies_; ++i) {
          schedule_.tensors.push_back(input);
          kept_inputs_.push_back(static_cast<Id>(schedule_.tensors.size() - 1));
        }
      }
    }
    schedule_.is_kept.resize(schedule_.tensors.size(), false);
    for (const auto* list : {&kept_inputs_, &kept_copies_}) {
      for (const Id id : *list) {
        schedule_.is_kept[static_cast<std::size_t>(id)] = true;
        schedule_.first.push_back(id);
      }
    }
    const std::vector<Id>& others = copies_ > 1 ? unused : graph_.inputs();
    schedule_.first.insert(schedule_.first.end(), others.begin(), others.end());
  }

  /// What some node of the graph is computed from, before copies take their place.
  void note_used_tensors() {
    is_used_.assign(schedule_.tensors.size(), false);
    for (const Id id : graph_.nodes()) {
      const Tensor& node = tensor(id);
      for (std::size_t i = 0; i < static_cast<std::size_t>(node.source_count); ++i)
        is_used_[static_cast<std::size_t>(node.sources.at(i))] = true;
    }
  }

  Graph graph_;  ///< without its tensors
  int copies_;
  Schedule schedule_;
  std::unordered_map<std::int64_t, Id> copied_;
  bool has_copies_ = false;  ///< the open split
  std::vector<bool> is_used_;
  std::vector<Id> kept_inputs_;
  std::vector<Id> kept_copies_;
};

}  // namespace

Schedule scheduled(Graph graph, int copies) { return Scheduler(std::move(graph), copies).run(); }

}  // namespace gpushape::estimate::ggml
