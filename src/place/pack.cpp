#include "place/pack.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace gpushape::place {
namespace {

std::int64_t divided_up(std::int64_t a, std::int64_t b) { return b == 0 ? 0 : (a + b - 1) / b; }

/// Finds places for the contents of one device, sizes in their order (largest first), equal shares
/// at ascending starts.
class Layout {
 public:
  Layout(const std::vector<PackedSize>& sizes, const Contents& contents, int length)
      : sizes_(sizes),
        contents_(contents),
        starts_(sizes.size()),
        taken_(static_cast<std::size_t>(length), false) {}

  bool run() { return lay(0, 0); }
  [[nodiscard]] std::vector<std::vector<int>> starts() && { return std::move(starts_); }

 private:
  bool lay(std::size_t size, std::size_t from) {
    if (size == sizes_.size()) return true;
    const PackedSize& one = sizes_[size];
    if (std::cmp_equal(starts_[size].size(), contents_[size])) return lay(size + 1, 0);
    for (std::size_t i = from; i < one.starts.size(); ++i) {
      const auto first = taken_.begin() + one.starts[i];
      if (one.starts[i] + one.size > static_cast<int>(taken_.size())) continue;
      if (std::find(first, first + one.size, true) != first + one.size) continue;
      std::fill(first, first + one.size, true);
      starts_[size].push_back(one.starts[i]);
      if (lay(size, i + 1)) return true;
      starts_[size].pop_back();
      std::fill(first, first + one.size, false);
    }
    return false;
  }

  const std::vector<PackedSize>& sizes_;
  const Contents& contents_;
  std::vector<std::vector<int>> starts_;
  std::vector<bool> taken_;
};

/// Branch and bound: the first size that is left goes into some device; every maximal content of
/// that device with it is tried.
class Packer {
 public:
  Packer(const std::vector<PackedSize>& sizes, int length, int compute, std::int64_t most_steps)
      : sizes_(sizes), length_(length), compute_(compute), most_steps_(most_steps) {}

  Packing run() {
    Contents left;
    for (const PackedSize& size : sizes_) left.push_back(size.copies);
    Packing packing;
    packing.least = bound(left);
    best_ = greedy(left);
    if (std::cmp_greater(best_.size(), packing.least)) search(left);
    packing.is_proven = std::cmp_equal(best_.size(), packing.least) || steps_ <= most_steps_;
    if (steps_ <= most_steps_) packing.least = static_cast<std::int64_t>(best_.size());
    packing.devices = best_;
    return packing;
  }

 private:
  /// Of memory, of compute, and of each size alone; and how many are larger than half a device.
  [[nodiscard]] std::int64_t bound(const Contents& left) const {
    std::int64_t memory = 0;
    std::int64_t compute = 0;
    std::int64_t large = 0;
    std::int64_t most = 0;
    for (std::size_t i = 0; i < sizes_.size(); ++i) {
      memory += left[i] * sizes_[i].size;
      compute += left[i] * sizes_[i].compute;
      if (sizes_[i].size * 2 > length_) large += left[i];
      most = std::max(most, divided_up(left[i], sizes_[i].most));
    }
    most = std::max({most, divided_up(memory, length_), large});
    return compute_ > 0 ? std::max(most, divided_up(compute, compute_)) : most;
  }

  bool holds(const Contents& contents) {
    std::int64_t memory = 0;
    std::int64_t compute = 0;
    for (std::size_t i = 0; i < sizes_.size(); ++i) {
      if (contents[i] > sizes_[i].most) return false;
      memory += contents[i] * sizes_[i].size;
      compute += contents[i] * sizes_[i].compute;
    }
    if (memory > length_ || (compute_ > 0 && compute > compute_)) return false;
    const auto known = holds_.find(contents);
    if (known != holds_.end()) return known->second;
    const bool answer = Layout(sizes_, contents, length_).run();
    holds_.emplace(contents, answer);
    return answer;
  }

  /// Largest first, as many as fit.
  std::vector<Contents> greedy(Contents left) {
    std::vector<Contents> devices;
    while (std::ranges::any_of(left, [](std::int64_t n) { return n > 0; })) {
      Contents contents(sizes_.size(), 0);
      for (std::size_t i = 0; i < sizes_.size(); ++i) {
        while (contents[i] < left[i]) {
          ++contents[i];
          if (holds(contents)) continue;
          --contents[i];
          break;
        }
      }
      for (std::size_t i = 0; i < sizes_.size(); ++i) left[i] -= contents[i];
      devices.push_back(std::move(contents));
    }
    return devices;
  }

  void search(const Contents& left) {
    if (++steps_ > most_steps_) return;
    const auto first = std::ranges::find_if(left, [](std::int64_t n) { return n > 0; });
    if (first == left.end()) {
      if (chosen_.size() < best_.size()) best_ = chosen_;
      return;
    }
    const auto used = static_cast<std::int64_t>(chosen_.size());
    if (used + bound(left) >= static_cast<std::int64_t>(best_.size())) return;
    // Another way to the same rest with as few devices was looked at.
    const auto [seen, is_new] = seen_.try_emplace(left, used);
    if (!is_new && seen->second <= used) return;
    seen->second = used;
    Contents contents(sizes_.size(), 0);
    const auto at = static_cast<std::size_t>(first - left.begin());
    contents[at] = 1;
    fill(left, contents, at);
  }

  /// Every maximal content of one device that holds `contents`, adding sizes from `at` on.
  void fill(const Contents& left, Contents& contents, std::size_t at) {
    if (steps_ > most_steps_) return;
    if (at == sizes_.size()) {
      if (!is_maximal(left, contents)) return;
      ++steps_;
      Contents rest = left;
      for (std::size_t i = 0; i < rest.size(); ++i) rest[i] -= contents[i];
      chosen_.push_back(contents);
      search(rest);
      chosen_.pop_back();
      return;
    }
    const std::int64_t before = contents[at];
    while (contents[at] < left[at]) {
      ++contents[at];
      if (holds(contents)) continue;
      --contents[at];
      break;
    }
    const std::int64_t least = before;
    for (; contents[at] >= least; --contents[at]) fill(left, contents, at + 1);
    contents[at] = before;
  }

  bool is_maximal(const Contents& left, Contents& contents) {
    for (std::size_t i = 0; i < sizes_.size(); ++i) {
      if (contents[i] == left[i]) continue;
      ++contents[i];
      const bool fits = holds(contents);
      --contents[i];
      if (fits) return false;
    }
    return true;
  }

  const std::vector<PackedSize>& sizes_;
  int length_;
  int compute_;
  std::int64_t most_steps_;
  std::int64_t steps_ = 0;
  std::map<Contents, bool> holds_;
  std::map<Contents, std::int64_t> seen_;
  std::vector<Contents> chosen_;
  std::vector<Contents> best_;
};

}  // namespace

Packing pack(const std::vector<PackedSize>& sizes, int length, int compute,
             std::int64_t most_steps) {
  return Packer(sizes, length, compute, most_steps).run();
}

std::vector<std::vector<int>> lay_out(const std::vector<PackedSize>& sizes,
                                      const Contents& contents, int length) {
  Layout layout(sizes, contents, length);
  if (!layout.run()) return {};
  return std::move(layout).starts();
}

}  // namespace gpushape::place
