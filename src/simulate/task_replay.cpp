#include "simulate/task_replay.hpp"

#include <algorithm>
#include <numeric>

#include "simulate/random.hpp"

namespace gpushape::simulate {

namespace {

/// Ours: tasks that ask for no GPU bring the demand no nearer; a list of such alone must end.
constexpr std::size_t kMostArrivals = 10'000'000;

bool asks_for_gpus(const place::SharedPool& pool, std::size_t tasks) {
  for (std::size_t task = 0; task < tasks; ++task) {
    if (pool.kind(pool.kind_of(task)).total_milli() > 0) return true;
  }
  return false;
}

}  // namespace

std::vector<TaskReplayPoint> replay_tasks(place::SharedPool& pool, std::size_t tasks,
                                          std::uint64_t seed, std::span<const double> arrivals) {
  std::vector<TaskReplayPoint> points;
  pool.reset();
  const auto capacity = static_cast<double>(pool.capacity_milli());
  if (capacity <= 0 || !asks_for_gpus(pool, tasks)) return points;
  std::vector<std::size_t> order(tasks);
  std::iota(order.begin(), order.end(), std::size_t{0});
  Random random(seed);
  random.shuffle(std::span(order));

  TaskReplayPoint now;
  std::int64_t demand = 0;
  for (std::size_t i = 0; i < kMostArrivals; ++i) {
    const std::size_t task = i < order.size() ? order[i] : random.below(tasks);
    const std::size_t kind = pool.kind_of(task);
    const std::int64_t milli = pool.kind(kind).total_milli();
    now.arrived = static_cast<double>(demand) / capacity;
    now.allocated = static_cast<double>(pool.allocated_milli()) / capacity;
    while (points.size() < arrivals.size() &&
           static_cast<double>(demand + milli) > arrivals[points.size()] * capacity) {
      points.push_back(now);
    }
    if (points.size() == arrivals.size()) return points;
    demand += milli;
    ++(pool.place(kind, random.next()) ? now.placed : now.rejected);
  }
  return points;
}

std::vector<TaskReplayPoint> replay_tasks(std::span<const domain::SharedNode> nodes,
                                          std::span<const domain::SharedTask> tasks,
                                          const place::SharedPolicyRow& policy, std::uint64_t seed,
                                          std::span<const double> arrivals) {
  place::SharedPool pool(nodes, tasks, policy);
  return replay_tasks(pool, tasks.size(), seed, arrivals);
}

}  // namespace gpushape::simulate
