// openb FOLDER [SEEDS [LIST…]]: the experiment of "Beware of Fragmentation" (Q. Weng et al., USENIX
// ATC 2023) on the task lists of a folder: the share of GPU capacity that each policy allocates
// when 100 % and 130 % of the capacity have arrived, no departures; mean over the seeds 1 to SEEDS.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "document/text_format.hpp"
#include "inventory/traces.hpp"
#include "simulate/task_replay.hpp"

namespace {

using namespace gpushape;

constexpr std::string_view kNodes = "openb_node_list_gpu_node.csv";
constexpr std::string_view kPrefix = "openb_pod_list_";
constexpr std::array kArrivals = {1.0, 1.3};

struct Means {
  std::array<double, kArrivals.size()> allocated{};
};

Means means_of(const std::vector<domain::SharedNode>& nodes,
               const std::vector<domain::SharedTask>& tasks, const place::SharedPolicyRow& policy,
               int seeds) {
  Means means;
  place::SharedPool pool(nodes, tasks, policy);
  for (int seed = 1; seed <= seeds; ++seed) {
    const auto points =
        simulate::replay_tasks(pool, tasks.size(), static_cast<std::uint64_t>(seed), kArrivals);
    for (std::size_t i = 0; i < points.size(); ++i) {
      means.allocated[i] += 100 * points[i].allocated / seeds;
    }
  }
  return means;
}

std::vector<std::filesystem::path> task_lists(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> lists;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().filename().string().starts_with(kPrefix)) lists.push_back(entry.path());
  }
  std::ranges::sort(lists);
  return lists;
}

int refuse(const Diagnostics& diagnostics) {
  fmt::print(stderr, "{}", to_text(diagnostics));
  return 2;
}

}  // namespace

int main(int count, char** given) {
  const std::vector<std::string> arguments(given + 1, given + count);
  if (arguments.empty()) {
    fmt::print(stderr, "usage: openb FOLDER [SEEDS [LIST…]]\n");
    return 2;
  }
  const std::filesystem::path folder = arguments.front();
  int seeds = 10;
  if (arguments.size() > 1) {
    std::from_chars(arguments[1].data(), arguments[1].data() + arguments[1].size(), seeds);
  }
  const std::string node_file = (folder / kNodes).string();
  const auto node_text = document::read_file(node_file);
  if (!node_text) return refuse(node_text.error());
  const auto nodes = inventory::read_node_list(*node_text, node_file);
  if (!nodes) return refuse(nodes.error());

  fmt::print("{:<12}", "list");
  for (const auto& policy : place::shared_policies()) fmt::print(" {:>17}", policy.name);
  fmt::print("   (at 100 % / 130 %, {} seeds)\n", seeds);
  std::vector<Means> sums(place::shared_policies().size());
  int rows = 0;
  const auto begin = std::chrono::steady_clock::now();
  for (const auto& list : task_lists(folder)) {
    const std::string name = list.stem().string().substr(kPrefix.size());
    const auto wanted = std::ranges::find(arguments, name);
    if (arguments.size() > 2 && wanted == arguments.end()) continue;
    const auto text = document::read_file(list.string());
    if (!text) return refuse(text.error());
    const auto trace = inventory::read_trace(*text, list.string());
    if (!trace) return refuse(trace.error());
    const auto* tasks = std::get_if<std::vector<domain::SharedTask>>(&*trace);
    if (tasks == nullptr) continue;
    fmt::print("{:<12}", name);
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const Means means = means_of(*nodes, *tasks, place::shared_policies()[i], seeds);
      for (std::size_t k = 0; k < kArrivals.size(); ++k) {
        sums[i].allocated[k] += means.allocated[k];
      }
      fmt::print(" {:>8.2f} {:>8.2f}", means.allocated[0], means.allocated[1]);
      std::fflush(stdout);
    }
    fmt::print("\n");
    ++rows;
  }
  fmt::print("{:<12}", "mean");
  for (const Means& sum : sums) {
    fmt::print(" {:>8.2f} {:>8.2f}", sum.allocated[0] / std::max(rows, 1),
               sum.allocated[1] / std::max(rows, 1));
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  fmt::print("\n{:.1f} s\n", took.count());
  return 0;
}
