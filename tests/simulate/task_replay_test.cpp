#include "simulate/task_replay.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "document/text_format.hpp"
#include "inventory/traces.hpp"

using namespace gpushape;

namespace {

domain::SharedNode node(std::string name, std::string model, int gpus) {
  return {.name = std::move(name),
          .model = std::move(model),
          .millicores = 64'000,
          .memory_bytes = gib(256),
          .gpus = gpus};
}

domain::SharedTask task(int gpus, std::int64_t milli, std::vector<std::string> models = {}) {
  return {.name = {},
          .millicores = 4'000,
          .memory_bytes = gib(8),
          .gpus = gpus,
          .gpu_milli = milli,
          .models = std::move(models)};
}

constexpr std::array kHalfAndAll = {0.5, 1.0};

}  // namespace

TEST_SUITE("simulate") {
  TEST_CASE("demand arrives until it would pass the share of the capacity") {
    // 8 GPUs, tasks of one whole GPU: 4 have arrived at 50 %, 8 at 100 %, and all fit.
    const std::vector<domain::SharedNode> nodes = {node("a", "T4", 4), node("b", "T4", 4)};
    const std::vector<domain::SharedTask> tasks = {task(1, 1000)};
    for (const place::SharedPolicyRow& policy : place::shared_policies()) {
      CAPTURE(policy.name);
      const auto points = simulate::replay_tasks(nodes, tasks, policy, 7, kHalfAndAll);
      REQUIRE(points.size() == 2);
      CHECK(points[0].allocated == doctest::Approx(0.5));
      CHECK(points[0].placed == 4);
      CHECK(points[1].allocated == doctest::Approx(1.0));
      CHECK(points[1].rejected == 0);
    }
  }

  TEST_CASE("what is allocated depends on neither names nor order of the nodes") {
    std::vector<domain::SharedNode> nodes;
    for (int i = 0; i < 20; ++i) {
      nodes.push_back(node("n" + std::to_string(i), i % 3 == 0 ? "T4" : "V100", 1 + i % 4));
    }
    const std::vector<domain::SharedTask> tasks = {
        task(1, 460), task(1, 300, {"T4"}), task(2, 1000), task(0, 0), task(1, 1000, {"V100"})};
    std::vector<domain::SharedNode> turned = nodes;
    std::ranges::reverse(turned);
    for (domain::SharedNode& other : turned) other.name = "x" + other.name;
    for (const place::SharedPolicyRow& policy : place::shared_policies()) {
      CAPTURE(policy.name);
      const auto one = simulate::replay_tasks(nodes, tasks, policy, 3, kHalfAndAll);
      const auto other = simulate::replay_tasks(turned, tasks, policy, 3, kHalfAndAll);
      REQUIRE(one.size() == other.size());
      for (std::size_t i = 0; i < one.size(); ++i) {
        CHECK(one[i].allocated == other[i].allocated);
        CHECK(one[i].placed == other[i].placed);
      }
    }
  }

  TEST_CASE("a task that names only models the pool lacks is rejected") {
    const std::vector<domain::SharedNode> nodes = {node("a", "T4", 4)};
    const std::vector<domain::SharedTask> tasks = {task(1, 1000, {"H100"})};
    const auto points = simulate::replay_tasks(nodes, tasks, *place::find_shared_policy("best-fit"),
                                               1, kHalfAndAll);
    REQUIRE(points.size() == 2);
    CHECK(points[1].placed == 0);
    CHECK(points[1].rejected == 4);
  }

  TEST_CASE("a pool without GPUs, or tasks that ask for none, have no answer") {
    const auto& policy = place::shared_policies().front();
    CHECK(simulate::replay_tasks({}, std::vector{task(1, 500)}, policy, 1, kHalfAndAll).empty());
    CHECK(simulate::replay_tasks(std::vector{node("a", "T4", 2)}, std::vector{task(0, 0)}, policy,
                                 1, kHalfAndAll)
              .empty());
  }

  TEST_CASE("ours allocates more than best-fit and the published descent on a published list") {
    const char* const shared = std::getenv("GPUSHAPE_SHARED");
    if (shared == nullptr) {
      MESSAGE("skipped: GPUSHAPE_SHARED names no folder");
      return;
    }
    const std::string folder = std::string(shared) + "/data/traces/openb/";
    const auto node_text = document::read_file(folder + "openb_node_list_gpu_node.csv");
    REQUIRE(node_text.has_value());
    const auto nodes = inventory::read_node_list(*node_text, "nodes");
    REQUIRE(nodes.has_value());
    const auto task_text = document::read_file(folder + "openb_pod_list_gpuspec33.csv");
    REQUIRE(task_text.has_value());
    const auto trace = inventory::read_trace(*task_text, "tasks");
    REQUIRE(trace.has_value());
    const auto& tasks = std::get<std::vector<domain::SharedTask>>(*trace);
    const auto allocated = [&](std::string_view policy) {
      return simulate::replay_tasks(*nodes, tasks, *place::find_shared_policy(policy), 1,
                                    kHalfAndAll)
          .back()
          .allocated;
    };
    const double ours = allocated("expected-loss");
    CHECK(ours > allocated("best-fit"));
    CHECK(ours > 0.90);
  }
}
