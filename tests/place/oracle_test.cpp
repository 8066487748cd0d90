// A slow, obvious solver over every tiny cluster: legality by trying every start and every set of
// GPUs against the written rules, policies by looking at every place, joint placement by trying
// every assignment.
#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "place/chooser.hpp"
#include "place/exact.hpp"
#include "place/failover.hpp"
#include "place/host_filters.hpp"
#include "place/policies.hpp"
#include "support/legal_places.hpp"
#include "support/tiny_clusters.hpp"

using namespace gpushape;
using example::cluster_with;
using example::every_gpu;
using example::every_request;
using example::for_every_cluster;
using example::legal_places;
using example::tiny_devices;
using place::Option;
using place::Request;
using place::Snapshot;

TEST_SUITE("place") {
  TEST_CASE("the filter admits exactly the places that the written rules allow") {
    std::int64_t checked = 0;
    for_every_cluster([&](const domain::Cluster& cluster) {
      const Snapshot snapshot(cluster, tiny_devices());
      for (const domain::PlacementRequest& asked : every_request()) {
        const Request request = snapshot.compile(asked);
        for (std::size_t host = 0; host < snapshot.size(); ++host) {
          std::set<std::pair<place::GpuSet, int>> found;
          if (!place::refusal_of(snapshot, host, request)) {
            for (const Option& option : place::options(snapshot, snapshot.row(host), request)) {
              found.emplace(option.gpus, option.start);
            }
          }
          if (found != legal_places(cluster.hosts[host], asked)) {
            CAPTURE(asked.profile);
            CAPTURE(asked.gpus);
            CHECK(found == legal_places(cluster.hosts[host], asked));
          }
          ++checked;
        }
      }
    });
    CHECK(checked == 15 * 15 * 15 * 10 * 2);
  }

  TEST_CASE("least fragmentation is the least over every place of every host") {
    const std::vector<domain::Gpu> gpus = every_gpu();
    const std::vector<domain::PlacementRequest> requests = every_request();
    std::vector<std::pair<double, domain::PlacementRequest>> shapes;
    for (const auto& request : requests) shapes.emplace_back(0.1, request);
    for (std::size_t i = 0; i < gpus.size(); ++i) {
      const domain::Cluster cluster =
          cluster_with({{gpus[i], gpus[(i + 3) % gpus.size()]}, {gpus[(i + 7) % gpus.size()]}});
      const Snapshot snapshot(cluster, tiny_devices());
      const place::Distribution distribution = snapshot.compile(shapes);
      for (const auto* name : {"least-fragmentation-touch", "least-fragmentation-fill"}) {
        const bool is_touch = std::string(name).ends_with("touch");
        for (const domain::PlacementRequest& asked : requests) {
          const Request request = snapshot.compile(asked);
          std::optional<double> least;
          for (std::size_t host = 0; host < cluster.hosts.size(); ++host) {
            for (const auto& [set, start] : legal_places(cluster.hosts[host], asked)) {
              Snapshot next = snapshot;
              next.place("new", request, host, {.gpus = set, .start = start});
              const auto after = place::fragmentation_of(next, distribution);
              const double value = is_touch ? after.touch : after.fill;
              if (!least || value < *least) least = value;
            }
          }
          const auto choice =
              place::choose(snapshot, request, distribution, *place::find_policy(name));
          REQUIRE(choice.has_value() == least.has_value());
          if (!choice) continue;
          Snapshot next = snapshot;
          next.place("new", request, choice->host, choice->option);
          const auto after = place::fragmentation_of(next, distribution);
          CHECK((is_touch ? after.touch : after.fill) == doctest::Approx(*least).epsilon(1e-9));
        }
      }
    }
  }

  TEST_CASE("joint placement says yes exactly where some assignment exists") {
    const std::vector<domain::Gpu> gpus = every_gpu();
    const std::vector<domain::PlacementRequest> requests = every_request();
    int yes = 0;
    int no = 0;
    for (std::size_t i = 0; i < gpus.size(); ++i) {
      for (std::size_t a = 0; a < requests.size(); ++a) {
        for (std::size_t b = a; b < requests.size(); ++b) {
          const domain::Cluster cluster =
              cluster_with({{gpus[i], gpus[(i + 4) % gpus.size()]}, {gpus[i % 2 == 0 ? 0 : 2]}});
          const Snapshot snapshot(cluster, tiny_devices());
          std::vector<domain::PlacementRequest> batch = {requests[a], requests[b]};
          if ((a + b) % 3 == 0) batch.push_back(requests[(2 * a + b) % 10]);
          // Depth first over every legal place, state after state.
          const std::function<bool(const Snapshot&, std::size_t)> exists =
              [&](const Snapshot& state, std::size_t next) {
                if (next == batch.size()) return true;
                const domain::Cluster now = state.cluster();
                for (std::size_t host = 0; host < now.hosts.size(); ++host) {
                  for (const auto& [set, start] : legal_places(now.hosts[host], batch[next])) {
                    Snapshot after = state;
                    after.place("vm" + std::to_string(next), after.compile(batch[next]), host,
                                {.gpus = set, .start = start});
                    if (exists(after, next + 1)) return true;
                  }
                }
                return false;
              };
          std::vector<place::NamedRequest> named;
          for (std::size_t k = 0; k < batch.size(); ++k) {
            named.push_back({"vm" + std::to_string(k), snapshot.compile(batch[k])});
          }
          const auto joint = place::place_all(snapshot, named);
          const bool expected = exists(snapshot, 0);
          CHECK(joint.answer == (expected ? place::Answer::Yes : place::Answer::No));
          ++(expected ? yes : no);
        }
      }
    }
    CHECK(yes > 100);
    CHECK(no > 100);
  }

  TEST_CASE("the exact search finds the best value over every joint placement") {
    const std::vector<domain::Gpu> gpus = every_gpu();
    const std::vector<domain::PlacementRequest> requests = every_request();
    std::vector<std::pair<double, domain::PlacementRequest>> shapes;
    for (const auto& request : requests) shapes.emplace_back(0.1, request);
    int left_out = 0;
    int complete = 0;
    for (std::size_t i = 0; i < gpus.size(); ++i) {
      for (std::size_t a = 0; a < requests.size(); ++a) {
        const std::vector<domain::PlacementRequest> asked = {requests[a], requests[(a + i) % 10],
                                                             requests[(3 * a + 1) % 10]};
        const Snapshot snapshot(
            cluster_with({{gpus[i], gpus[(i + 4) % gpus.size()]}, {gpus[i % 2 == 0 ? 0 : 2]}}),
            tiny_devices());
        const place::Distribution distribution = snapshot.compile(shapes);
        // The second one comes twice or not at all.
        std::vector<place::Batch> batches;
        for (std::size_t k = 0; k < asked.size(); ++k) {
          batches.push_back({snapshot.compile(asked[k]), {"vm" + std::to_string(k)}});
        }
        if (i % 2 == 0) batches[1].names.emplace_back("vm1-2");
        const auto capacity = [](const domain::PlacementRequest& request) {
          if (request.gpus > 1 || request.profile.empty()) return static_cast<double>(request.gpus);
          return (request.profile.front() - '0') / 4.0;  // of 4 GB or 4 slices
        };
        // Depth first over every choice of batches and every legal place.
        place::JointValue best{.placed = -1, .fragmentation = 0};
        const std::function<void(const Snapshot&, std::size_t, std::size_t, double)> visit =
            [&](const Snapshot& state, std::size_t batch, std::size_t instance, double placed) {
              if (batch == batches.size()) {
                const place::JointValue value{
                    .placed = placed,
                    .fragmentation = place::fragmentation_of(state, distribution).fill};
                if (place::is_better(value, best)) best = value;
                return;
              }
              if (instance == 0) visit(state, batch + 1, 0, placed);
              const bool is_last = instance + 1 == batches[batch].names.size();
              const domain::Cluster now = state.cluster();
              for (std::size_t host = 0; host < now.hosts.size(); ++host) {
                for (const auto& [set, start] : legal_places(now.hosts[host], asked[batch])) {
                  Snapshot after = state;
                  after.place(batches[batch].names[instance], batches[batch].request, host,
                              {.gpus = set, .start = start});
                  visit(after, is_last ? batch + 1 : batch, is_last ? 0 : instance + 1,
                        placed + capacity(asked[batch]));
                }
              }
            };
        visit(snapshot, 0, 0, 0);
        const place::BestJoint found = place::best_joint(snapshot, batches, distribution);
        CAPTURE(i);
        CAPTURE(a);
        REQUIRE(found.is_proven);
        CHECK(found.value.placed == doctest::Approx(best.placed));
        CHECK(found.value.fragmentation == doctest::Approx(best.fragmentation));
        CHECK(found.bound == found.value);
        // The places are what the value says of them.
        Snapshot after = snapshot;
        for (const place::Restart& place : found.places) {
          for (const place::Batch& batch : batches) {
            if (std::ranges::find(batch.names, place.vm) == batch.names.end()) continue;
            REQUIRE_FALSE(place::refusal_of(after, place.host, batch.request));
            after.place(place.vm, batch.request, place.host, place.option);
          }
        }
        CHECK(place::fragmentation_of(after, distribution).fill ==
              doctest::Approx(best.fragmentation));
        ++(best.placed < found.asked ? left_out : complete);
        // Cut short, its bound still holds.
        const place::BestJoint cut = place::best_joint(snapshot, batches, distribution, 2);
        CHECK_FALSE(place::is_better(found.value, cut.bound));
        CHECK_FALSE(place::is_better(cut.value, found.value));
        CHECK(cut.is_proven == (cut.bound == cut.value));
      }
    }
    CHECK(left_out > 20);
    CHECK(complete > 5);
  }

  TEST_CASE("remembering what hosts answered changes no decision") {
    const std::vector<domain::PlacementRequest> requests = every_request();
    std::vector<std::pair<double, domain::PlacementRequest>> shapes;
    for (const auto& request : requests) shapes.emplace_back(0.1, request);
    const std::vector<domain::Gpu> gpus = every_gpu();
    for (const place::PolicyRow& policy : place::policies()) {
      CAPTURE(policy.name);
      std::vector<std::vector<domain::Gpu>> hosts;
      for (std::size_t i = 0; i < 9; ++i) hosts.push_back({gpus[i % 4], gpus[(i + 2) % 15]});
      Snapshot snapshot(cluster_with(hosts), tiny_devices());
      const place::Distribution distribution = snapshot.compile(shapes);
      place::Chooser chooser(snapshot, distribution, policy);
      for (std::size_t step = 0; step < 200; ++step) {
        const std::string vm = "vm" + std::to_string(step);
        const Request request = snapshot.compile(requests[step * 7 % requests.size()]);
        const auto expected = place::choose(snapshot, request, distribution, policy);
        const auto found = chooser.choose(request);
        REQUIRE(expected.has_value() == found.has_value());
        if (found) {
          CHECK(found->host == expected->host);
          CHECK(found->option == expected->option);
          snapshot.place(vm, request, expected->host, expected->option);
          chooser.place(vm, request, *found);
        }
        if (step % 3 == 2) {
          const std::string gone = "vm" + std::to_string(step / 2);
          CHECK(snapshot.remove(gone).has_value() == chooser.remove(gone));
        }
      }
      const auto expected = place::fragmentation_of(snapshot, distribution);
      CHECK(chooser.fragmentation().touch == doctest::Approx(expected.touch));
      CHECK(chooser.fragmentation().fill == doctest::Approx(expected.fill));
    }
  }

  TEST_CASE("removing a VM restores what was before it") {
    for_every_cluster([&](const domain::Cluster& cluster) {
      Snapshot snapshot(cluster, tiny_devices());
      for (const domain::PlacementRequest& asked : every_request()) {
        const Request request = snapshot.compile(asked);
        const auto choice = place::choose(snapshot, request, {}, place::policies().front());
        if (!choice) continue;
        const auto before = snapshot.row(choice->host).gpus;
        const auto memory = snapshot.row(choice->host).free_memory;
        snapshot.place("new", request, choice->host, choice->option);
        snapshot.remove("new");
        const bool is_restored = snapshot.row(choice->host).gpus == before &&
                                 snapshot.row(choice->host).free_memory == memory;
        if (!is_restored) CHECK(is_restored);
      }
    });
  }
}
