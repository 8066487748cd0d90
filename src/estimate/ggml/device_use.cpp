#include "estimate/ggml/device_use.hpp"

#include <algorithm>
#include <utility>

namespace gpushape::estimate::ggml {
namespace {

/// Goes through a schedule; each tensor has a block as long as somebody needs it.
class Tenancy {
 public:
  explicit Tenancy(const Schedule& schedule)
      : schedule_(schedule),
        states_(schedule.tensors.size()),
        devices_(static_cast<std::size_t>(schedule.devices)) {}

  std::vector<DeviceUse> run() {
    for (const Id id : schedule_.first) place(id);
    for (const Step& step : schedule_.steps) count_users(step);
    for (const Step& step : schedule_.steps) go(step);
    return std::move(devices_);
  }

 private:
  struct State {
    std::int32_t block = 0;
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
    return has_own_buffer(kind) || kind == Kind::View || kind == Kind::Write;
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

  // Extents that a step happens to make equal are no reason: sources that can be taken over have
  // either the result's own extents or fewer dimensions that follow the step.
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
      state(id).block = old.block;
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
    state(id).block = device(id).blocks++;
    note_use(id, true);
  }

  void free(Id id) {
    if (is_kept(id)) return;
    note_use(id, false);
    state(id).is_placed = false;
  }

  void note_use(Id id, bool is_taken) {
    const Extent bytes = tensor(id).bytes();
    if (bytes == Extent(0)) return;  // takes nothing, and leaves what is free as it is
    DeviceUse& here = device(id);
    const auto known = std::ranges::find(here.sizes, bytes);
    const auto size = static_cast<std::int32_t>(known - here.sizes.begin());
    if (known == here.sizes.end()) here.sizes.push_back(bytes);
    here.uses.push_back({.block = state(id).block, .size = size, .is_taken = is_taken});
  }
  DeviceUse& device(Id id) { return devices_[static_cast<std::size_t>(state(id).device)]; }

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

  void go(const Step& step) {
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
  std::vector<DeviceUse> devices_;
};

}  // namespace

std::vector<DeviceUse> device_uses(const Schedule& schedule) { return Tenancy(schedule).run(); }

}  // namespace gpushape::estimate::ggml
