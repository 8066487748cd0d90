// Decisions per second of the placement core with the full rule set: modes, starts, MIG geometry,
// link domains, CPU and memory. HGX hosts at four fifths of their capacity; every decision places a
// VM and every placed VM lets an older one go. Counters: decisions a second, the 99th percentile in
// microseconds, and the peak memory of the process so far, which is that of a row where it runs
// alone (--benchmark_filter). A what-if asks for the best place of all thirteen shapes after a
// decision; the decision before it is not part of its time.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "place/chooser.hpp"
#include "profiles/profiles.hpp"
#include "simulate/random.hpp"

namespace {

using namespace gpushape;
using Clock = std::chrono::steady_clock;

domain::PlacementRequest request(domain::GpuUse use, std::string profile, std::int64_t gpus,
                                 std::int64_t cores, std::int64_t memory_gib) {
  domain::PlacementRequest made;
  made.use = use;
  made.profile = std::move(profile);
  made.gpus = gpus;
  made.needs_links = gpus > 1;
  made.millicores = cores * domain::kMillicoresPerCore;
  made.memory_bytes = gib(memory_gib);
  return made;
}

/// The mix of the published lifecycle traces: time-sliced, MIG, groups over NVLink, passthrough.
std::vector<std::pair<double, domain::PlacementRequest>> shapes() {
  using enum domain::GpuUse;
  return {{0.12, request(TimeSliced, "8C", 1, 4, 32)},
          {0.12, request(TimeSliced, "10C", 1, 4, 32)},
          {0.14, request(TimeSliced, "20C", 1, 6, 64)},
          {0.12, request(TimeSliced, "40C", 1, 8, 128)},
          {0.08, request(TimeSliced, "80C", 1, 12, 192)},
          {0.04, request(TimeSliced, "80C", 2, 24, 384)},
          {0.02, request(TimeSliced, "80C", 4, 48, 768)},
          {0.01, request(TimeSliced, "80C", 8, 96, 1536)},
          {0.10, request(Mig, "1g.10gb", 1, 2, 16)},
          {0.08, request(Mig, "2g.20gb", 1, 4, 32)},
          {0.08, request(Mig, "3g.40gb", 1, 6, 64)},
          {0.04, request(Mig, "4g.40gb", 1, 8, 64)},
          {0.05, request(Passthrough, "", 1, 12, 192)}};
}

domain::Cluster hgx_hosts(std::int64_t gpus) {
  domain::Cluster cluster;
  for (std::int64_t i = 0; i < gpus / 8; ++i) {
    domain::ClusterHost host;
    host.name = "hgx-" + std::to_string(i);
    host.millicores = 224'000;
    host.memory_bytes = gib(2048);
    host.link_domains = {{.gpus = {0, 1, 2, 3, 4, 5, 6, 7}},
                         {.gpus = {0, 1, 2, 3}},
                         {.gpus = {4, 5, 6, 7}},
                         {.gpus = {0, 2}},
                         {.gpus = {1, 3}},
                         {.gpus = {4, 6}},
                         {.gpus = {5, 7}}};
    for (int g = 0; g < 8; ++g) {
      domain::Gpu gpu;
      gpu.device = "h100-sxm-80";
      gpu.allowed_modes = {i % 2 == 0 ? domain::GpuMode::SameSize : domain::GpuMode::MixedSize,
                           domain::GpuMode::Mig, domain::GpuMode::Passthrough};
      host.gpus.push_back(std::move(gpu));
    }
    cluster.hosts.push_back(std::move(host));
  }
  return cluster;
}

class Churn {
 public:
  Churn(std::int64_t gpus, const place::PolicyRow& policy)
      : Churn(gpus, snapshot_of(gpus), policy) {}

  Churn(std::int64_t gpus, const place::Snapshot& empty, const place::PolicyRow& policy)
      : chooser_(empty, empty.compile(shapes()), policy), random_(1) {
    for (const place::WeighedRequest& row : empty.compile(shapes())) {
      requests_.push_back(row.request);
    }
    const double target = 0.2 * static_cast<double>(gpus);
    for (int step = 0; chooser_.fragmentation().idle > target && step < 100 * gpus; ++step) {
      arrive();
    }
  }

  void arrive() {
    const place::Request& wanted = draw();
    if (const auto choice = chooser_.choose(wanted)) {
      std::string name = std::to_string(next_++);
      chooser_.place(name, wanted, *choice);
      running_.push_back(std::move(name));
    }
  }

  /// One decision, and departures in a random order so that the load stays.
  void turn() {
    const std::size_t before = running_.size();
    arrive();
    if (running_.size() == before || running_.size() < 2) return;
    const std::size_t gone = random_.below(running_.size());
    std::swap(running_[gone], running_.back());
    chooser_.remove(running_.back());
    running_.pop_back();
  }

  /// The best place of every shape from here.
  int what_if() {
    int placeable = 0;
    for (const place::Request& wanted : requests_) {
      placeable += chooser_.choose(wanted) ? 1 : 0;
    }
    return placeable;
  }

 private:
  static place::Snapshot snapshot_of(std::int64_t gpus) {
    const auto profiles = profiles::Profiles::open();
    const std::vector<domain::Device> devices = {*profiles->find("h100-sxm-80")};
    return {hgx_hosts(gpus), std::span<const domain::Device>(devices)};
  }

  const place::Request& draw() {
    constexpr std::uint64_t kHundred = 100;
    auto left = static_cast<double>(random_.below(kHundred)) / static_cast<double>(kHundred);
    const auto rows = shapes_;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      left -= rows[i];
      if (left < 0) return requests_[i];
    }
    return requests_.front();
  }

  place::Chooser chooser_;
  simulate::Random random_;
  std::vector<place::Request> requests_;
  std::vector<std::string> running_;
  std::vector<double> shapes_ = [] {
    std::vector<double> weights;
    for (const auto& row : shapes()) weights.push_back(row.first);
    return weights;
  }();
  std::int64_t next_ = 0;
};

double percentile_99(std::vector<double>& micros) {
  if (micros.empty()) return 0;
  const auto at = micros.begin() + static_cast<std::ptrdiff_t>(micros.size() * 99 / 100);
  std::ranges::nth_element(micros, at);
  return *at;
}

double peak_mib() {
  constexpr double kKibPerMib = 1024;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / kKibPerMib;
}

template <class Prepare, class Step>
void run(benchmark::State& state, const place::PolicyRow& policy, const Prepare& prepare,
         const Step& step) {
  Churn churn(state.range(0), policy);
  for (int i = 0; i < 2000; ++i) churn.turn();  // every shape has been asked
  std::vector<double> micros;
  for (auto unused : state) {
    static_cast<void>(unused);
    prepare(churn);
    const auto begin = Clock::now();
    step(churn);
    const std::chrono::duration<double> seconds = Clock::now() - begin;
    state.SetIterationTime(seconds.count());
    micros.push_back(std::chrono::duration<double, std::micro>(seconds).count());
  }
  state.counters["peak_mib"] = peak_mib();
  state.counters["per_second"] =
      benchmark::Counter(static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
  state.counters["p99_us"] = percentile_99(micros);
}

void decisions(benchmark::State& state, const place::PolicyRow& policy) {
  run(state, policy, [](Churn&) {}, [](Churn& churn) { churn.turn(); });
}

void what_ifs(benchmark::State& state, const place::PolicyRow& policy) {
  run(
      state, policy, [](Churn& churn) { churn.turn(); },
      [](Churn& churn) { benchmark::DoNotOptimize(churn.what_if()); });
}

void decisions_and_what_ifs(benchmark::State& state, const place::PolicyRow& policy) {
  run(
      state, policy, [](Churn&) {},
      [](Churn& churn) {
        churn.turn();
        benchmark::DoNotOptimize(churn.what_if());
      });
}

}  // namespace

int main(int count, char** arguments) {
  for (const place::PolicyRow& policy : place::policies()) {
    for (const auto& [name, function] :
         {std::pair("decision/", &decisions), std::pair("what_if/", &what_ifs),
          std::pair("decision_and_what_if/", &decisions_and_what_ifs)}) {
      benchmark::RegisterBenchmark(
          (name + std::string(policy.name)).c_str(),
          [&policy, function](benchmark::State& state) { function(state, policy); })
          ->Arg(1'000)
          ->Arg(10'000)
          ->Arg(100'000)
          ->MinTime(0.3)
          ->UseManualTime()
          ->Unit(benchmark::kMicrosecond);
    }
  }
  benchmark::Initialize(&count, arguments);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
