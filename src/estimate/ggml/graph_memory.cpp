#include "estimate/ggml/graph_memory.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "estimate/division.hpp"

namespace gpushape::estimate::ggml {
namespace {

/// One device's memory while a graph is laid out in it: the smallest free stretch that is large
/// enough, else the end.
class Stretches {
 public:
  explicit Stretches(std::int64_t alignment) : alignment_(alignment) {}

  std::int64_t take(std::int64_t bytes) {
    const std::int64_t size = aligned(bytes);
    std::size_t best = free_.size() - 1;
    for (std::size_t i = 0; i + 1 < free_.size(); ++i) {
      const bool is_large_enough = free_[i].size >= size;
      if (is_large_enough && (best == free_.size() - 1 || free_[i].size <= free_[best].size))
        best = i;
    }
    Stretch& stretch = free_[best];
    const std::int64_t offset = stretch.offset;
    stretch.offset += size;
    stretch.size -= size;
    if (stretch.size == 0) free_.erase(free_.begin() + static_cast<std::ptrdiff_t>(best));
    most_ = std::max(most_, offset + size);
    return offset;
  }

  void give_back(std::int64_t offset, std::int64_t bytes) {
    const std::int64_t size = aligned(bytes);
    if (size == 0) return;
    const auto next = std::ranges::find_if(
        free_, [&](const Stretch& stretch) { return stretch.offset > offset; });
    const bool joins_next = next != free_.end() && offset + size == next->offset;
    const bool joins_before =
        next != free_.begin() && std::prev(next)->offset + std::prev(next)->size == offset;
    if (joins_before && joins_next) {
      std::prev(next)->size += size + next->size;
      free_.erase(next);
    } else if (joins_before) {
      std::prev(next)->size += size;
    } else if (joins_next) {
      next->offset = offset;
      next->size += size;
    } else {
      free_.insert(next, {offset, size});
    }
  }

  [[nodiscard]] std::int64_t most() const { return most_; }

 private:
  struct Stretch {
    std::int64_t offset = 0;
    std::int64_t size = 0;
  };
  [[nodiscard]] std::int64_t aligned(std::int64_t bytes) const {
    return divide_up(bytes, alignment_) * alignment_;
  }

  static constexpr std::int64_t kEndless = std::int64_t{1} << 62U;
  std::int64_t alignment_;
  std::int64_t most_ = 0;
  std::vector<Stretch> free_ = {{0, kEndless}};
};

/// A step of the schedule: a node of the graph, or something that moves between devices.
struct Step {
  Id tensor = kNoTensor;
  bool holds_source = false;  ///< keeps `tensor` until its copy is made
  bool is_copy = false;       ///< `tensor` is the copy
};

/// The graph with the copies between its devices.
struct Schedule {
  std::vector<Tensor> tensors;
  std::vector<Step> steps;
  std::vector<Id> first;  ///< laid out before everything else
  std::vector<bool> is_kept;
};

class Scheduler {
 public:
  Scheduler(Graph graph, int copies) : graph_(std::move(graph)), copies_(copies) {
    schedule_.tensors = graph_.take_tensors();
    if (copies_ > 1) note_used_tensors();
  }

  Schedule run() {
    int device = -1;
    std::vector<Id> waiting;  // of the split that is open
    const auto close = [&] {
      for (const Id id : waiting) schedule_.steps.push_back({.tensor = id});
      waiting.clear();
    };
    for (const Id id : graph_.nodes()) {
      const bool is_view = tensor(id).kind == Kind::View;
      if (!is_view && device != -1 && tensor(id).device != device) close();
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
  std::vector<bool> is_used_;
  std::vector<Id> kept_inputs_;
  std::vector<Id> kept_copies_;
};

/// Lays the tensors of a schedule out, each as long as somebody needs it.
class Layout {
 public:
  Layout(const Schedule& schedule, int devices) : schedule_(schedule) {
    states_.resize(schedule.tensors.size());
    for (int i = 0; i + 1 < devices; ++i) stretches_.emplace_back(kDeviceAlignment);
    stretches_.emplace_back(kHostAlignment);
  }

  std::vector<std::int64_t> run() {
    for (const Id id : schedule_.first) place(id);
    for (const Step& step : schedule_.steps) count_users(step);
    for (const Step& step : schedule_.steps) lay_out(step);
    std::vector<std::int64_t> bytes;
    bytes.reserve(stretches_.size());
    for (const Stretches& stretches : stretches_) bytes.push_back(stretches.most());
    return bytes;
  }

 private:
  struct State {
    std::int64_t offset = 0;
    std::int32_t users = 0;
    std::int32_t views = 0;
    std::int16_t device = 0;
    bool is_placed = false;
  };

  [[nodiscard]] const Tensor& tensor(Id id) const {
    return schedule_.tensors[static_cast<std::size_t>(id)];
  }
  State& state(Id id) { return states_[static_cast<std::size_t>(id)]; }
  [[nodiscard]] bool has_no_memory(Id id) const {
    const Kind kind = tensor(id).kind;
    return kind == Kind::External || kind == Kind::View || kind == Kind::Write;
  }
  [[nodiscard]] bool is_kept(Id id) const {
    return schedule_.is_kept[static_cast<std::size_t>(id)];
  }

  void count_users(const Step& step) {
    if (step.holds_source) {
      ++state(step.tensor).users;
      return;
    }
    const Tensor& here = tensor(step.tensor);
    if (here.root != kNoTensor) ++state(here.root).views;
    for (std::size_t i = 0; i < static_cast<std::size_t>(here.source_count); ++i)
      ++state(here.sources.at(i)).users;
  }

  bool takes_over(Id id) {
    const Tensor& here = tensor(id);
    if (here.kind != Kind::InPlace) return false;
    for (std::size_t i = 0; i < static_cast<std::size_t>(here.source_count); ++i) {
      const Id source = here.sources.at(i);
      const Tensor& from = tensor(source);
      State& old = state(source);
      const bool is_alike = from.shape == here.shape && from.value_bytes == here.value_bytes;
      if (has_no_memory(source) || !old.is_placed || is_kept(source) || !is_alike) continue;
      if (old.users != 1 || old.views != 0) continue;
      state(id).offset = old.offset;
      state(id).device = old.device;
      old.is_placed = false;
      return true;
    }
    return false;
  }

  void place(Id id) {
    if (has_no_memory(id) || state(id).is_placed) return;
    state(id).is_placed = true;
    if (takes_over(id)) return;
    state(id).device = tensor(id).device;
    state(id).offset = memory(id).take(tensor(id).bytes());
  }
  Stretches& memory(Id id) { return stretches_[static_cast<std::size_t>(state(id).device)]; }

  void free(Id id) {
    if (is_kept(id)) return;
    memory(id).give_back(state(id).offset, tensor(id).bytes());
    state(id).is_placed = false;
  }

  /// One user less; the last one frees.
  void release(Id id) {
    State& here = state(id);
    --here.users;
    if (here.users > 0 || here.views > 0) return;
    const Id root = tensor(id).root;
    if (root == kNoTensor) {
      if (here.is_placed) free(id);
      return;
    }
    State& of_root = state(root);
    --of_root.views;
    if (of_root.views == 0 && of_root.users == 0 && of_root.is_placed) free(root);
  }

  void lay_out(const Step& step) {
    if (step.holds_source) {
      place(step.tensor);
      release(step.tensor);
      return;
    }
    const Tensor& here = tensor(step.tensor);
    for (std::size_t i = 0; i < static_cast<std::size_t>(here.source_count); ++i)
      place(here.sources.at(i));
    place(step.tensor);
    for (std::size_t i = 0; i < static_cast<std::size_t>(here.source_count); ++i)
      release(here.sources.at(i));
  }

  const Schedule& schedule_;
  std::vector<State> states_;
  std::vector<Stretches> stretches_;
};

}  // namespace

std::vector<std::int64_t> buffer_bytes(Graph graph, int copies) {
  const int devices = graph.devices();
  const Schedule schedule = Scheduler(std::move(graph), copies).run();
  return Layout(schedule, devices).run();
}

}  // namespace gpushape::estimate::ggml
