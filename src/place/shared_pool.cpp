#include "place/shared_pool.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace gpushape::place {

namespace {

/// Of a node whose memory no list tells.
constexpr Bytes kUnbounded = gib(1'048'576);

/// How much a scarce model costs a task, in thousandths of a GPU for each that it takes there, and
/// the scarcity from which on it costs. Ours: chosen on the published task lists, where anything
/// from 0.2 to 1 for the threshold gives more than no price at all.
constexpr double kPriceWeight = 1.0;
constexpr double kScarceFrom = 0.5;
constexpr double kMostScarcity = 3.0;
constexpr int kDecisionsBetweenPrices = 20;
constexpr std::size_t kMostModels = 63;
/// States that are kept from one replay to the next; beyond it they are learned anew.
constexpr std::size_t kMostRemembered = 100'000;

/// The GPUs with least left that still serve, as every packing does with tasks of several GPUs.
void take_tightest(NodeState& node, const TaskKind& kind) {
  int wanted = kind.gpus;
  for (std::int16_t& free : node.free_milli) {
    if (wanted == 0) break;
    if (free < kind.gpu_milli) continue;
    free = static_cast<std::int16_t>(free - kind.gpu_milli);
    --wanted;
  }
}

NodeState after(const NodeState& node, const TaskKind& kind, std::int64_t level,
                bool tracks_sizes) {
  NodeState next = node;
  next.free_millicores -= kind.millicores;
  next.free_memory -= kind.memory;
  if (kind.gpus == 1) {
    std::int16_t& free = *std::ranges::find(next.free_milli, level);
    free = static_cast<std::int16_t>(free - kind.gpu_milli);
  } else if (kind.gpus > 1) {
    take_tightest(next, kind);
  }
  std::ranges::sort(next.free_milli);
  if (tracks_sizes && kind.gpus > 0) {
    const auto place = std::ranges::lower_bound(next.request_sizes, kind.total_milli());
    if (place == next.request_sizes.end() || *place != kind.total_milli()) {
      next.request_sizes.insert(place, kind.total_milli());
    }
  }
  return next;
}

}  // namespace

std::int64_t NodeState::idle_milli() const {
  return std::accumulate(free_milli.begin(), free_milli.end(), std::int64_t{0});
}

bool fits(const NodeState& node, const TaskKind& kind) {
  if (node.free_millicores < kind.millicores || node.free_memory < kind.memory) return false;
  if (kind.gpus == 0) return true;
  if (kind.models != 0 && (kind.models >> static_cast<unsigned>(node.model) & 1U) == 0) {
    return false;
  }
  // Ascending: the GPU that must serve as the last one decides.
  return node.free_milli.size() >= kind.gpus &&
         *(node.free_milli.end() - kind.gpus) >= kind.gpu_milli;
}

SharedPool::SharedPool(std::span<const domain::SharedNode> nodes,
                       std::span<const domain::SharedTask> tasks, const SharedPolicyRow& policy)
    : policy_(policy) {
  for (const domain::SharedNode& node : nodes) {
    if (std::ranges::find(models_, node.model) == models_.end()) models_.push_back(node.model);
  }
  std::ranges::sort(models_);
  if (models_.size() > kMostModels) models_.resize(kMostModels);
  std::map<NodeState, std::int64_t> empty;
  for (const domain::SharedNode& node : nodes) {
    const auto model = std::ranges::find(models_, node.model) - models_.begin();
    const NodeState state{.model = static_cast<int>(model),
                          .free_millicores = node.millicores,
                          .free_memory = node.memory_bytes.value_or(kUnbounded).count(),
                          .free_milli = FreeMilli(node.gpus),
                          .request_sizes = {}};
    const std::int64_t milli = node.gpus * domain::kMilliPerGpu;
    context_.most_millicores = std::max(context_.most_millicores, node.millicores);
    context_.most_milli = std::max(context_.most_milli, milli);
    capacity_milli_ += milli;
    ++empty[state];
  }
  first_.assign(empty.begin(), empty.end());
  std::map<TaskKind, std::size_t> kinds;
  double millicores = 0;
  double milli = 0;
  for (const domain::SharedTask& task : tasks) {
    const TaskKind kind{.millicores = task.millicores,
                        .memory = task.memory_bytes.count(),
                        .gpus = task.gpus,
                        .gpu_milli = task.gpus == 0 ? 0 : task.gpu_milli,
                        .models = models_of(task.models)};
    const auto [row, is_new] = kinds.try_emplace(kind, context_.kinds.size());
    if (is_new) context_.kinds.push_back({.probability = 0, .kind = kind});
    context_.kinds[row->second].probability += 1.0 / static_cast<double>(tasks.size());
    kind_of_task_.push_back(row->second);
    if (kind.gpus == 0) continue;
    millicores += static_cast<double>(kind.millicores);
    milli += static_cast<double>(kind.total_milli());
  }
  context_.millicores_per_milli = milli > 0 ? millicores / milli : 0;
  reset();
}

void SharedPool::reset() {
  if (states_.size() > kMostRemembered || memo_.empty()) {
    states_.clear();
    ids_.clear();
    nodes_in_.clear();
    memo_.assign(context_.kinds.size(), {});
  }
  std::ranges::fill(nodes_in_, 0);
  live_.clear();
  free_by_model_.assign(models_.size(), 0);
  price_by_model_.assign(models_.size(), 0);
  decisions_until_prices_ = 0;
  allocated_milli_ = 0;
  for (const auto& [state, count] : first_) {
    const StateIndex index = intern(state);
    nodes_in_[index] = count;
    live_.push_back(index);
    free_by_model_[static_cast<std::size_t>(state.model)] +=
        static_cast<double>(state.idle_milli() * count);
  }
}

std::uint64_t SharedPool::models_of(const std::vector<std::string>& names) const {
  if (names.empty()) return 0;
  std::uint64_t set = 0;
  for (const std::string& name : names) {
    const auto found = std::ranges::find(models_, name);
    if (found != models_.end()) set |= std::uint64_t{1} << (found - models_.begin());
  }
  // Only models that the pool lacks: no node serves, which a bit beyond all models says.
  return set == 0 ? std::uint64_t{1} << models_.size() : set;
}

SharedPool::StateIndex SharedPool::intern(const NodeState& state) {
  const auto [row, is_new] = ids_.try_emplace(state, static_cast<StateIndex>(states_.size()));
  if (is_new) {
    states_.push_back(state);
    nodes_in_.push_back(0);
  }
  return row->second;
}

SharedPool::Scored SharedPool::score(const NodeState& from, const TaskKind& kind) const {
  Scored best{.score = 0, .level = 0, .is_known = true, .fits = false};
  if (!fits(from, kind)) return best;
  const double loss = policy_.loss == nullptr ? 0 : policy_.loss(from, context_);
  std::int64_t last = -1;
  const auto look_at = [&](std::int64_t level) {
    const NodeState next = after(from, kind, level, policy_.tracks_sizes);
    const double rise = policy_.loss == nullptr ? 0 : policy_.loss(next, context_) - loss;
    const double score = policy_.score(
        {.before = from, .after = next, .kind = kind, .level = level, .loss = rise}, context_);
    if (best.fits && score <= best.score) return;
    best.score = score;
    best.level = static_cast<std::int16_t>(level);
    best.fits = true;
  };
  if (kind.gpus != 1) {
    look_at(0);
    return best;
  }
  for (const std::int16_t free : from.free_milli) {
    if (free < kind.gpu_milli || free == last) continue;
    last = free;
    look_at(free);
  }
  return best;
}

const SharedPool::Scored& SharedPool::scored(StateIndex from, std::size_t kind) {
  std::vector<Scored>& row = memo_[kind];
  if (row.size() <= from) row.resize(states_.size());
  if (!row[from].is_known) row[from] = score(states_[from], context_.kinds[kind].kind);
  return row[from];
}

std::optional<SharedPool::StateIndex> SharedPool::best_state(std::size_t kind, std::uint64_t draw) {
  const auto milli = static_cast<double>(context_.kinds[kind].kind.total_milli());
  std::vector<StateIndex> best;
  double best_score = 0;
  for (const StateIndex state : live_) {
    const Scored& row = scored(state, kind);
    if (!row.fits) continue;
    double score = policy_.is_random ? 0 : row.score;
    if (policy_.has_prices) {
      score -=
          kPriceWeight * milli * price_by_model_[static_cast<std::size_t>(states_[state].model)];
    }
    if (!best.empty() && score < best_score) continue;
    if (!best.empty() && score > best_score) best.clear();
    best.push_back(state);
    best_score = score;
  }
  if (best.empty()) return std::nullopt;
  if (best.size() == 1) return best.front();
  // Of equal scores a drawn node, or the smallest state: no name and no order decides.
  const auto by_state = [&](StateIndex a, StateIndex b) { return states_[a] < states_[b]; };
  if (!policy_.draws_ties) return *std::ranges::min_element(best, by_state);
  std::ranges::sort(best, by_state);
  return drawn(std::move(best), draw);
}

SharedPool::StateIndex SharedPool::drawn(std::vector<StateIndex> states, std::uint64_t draw) const {
  std::int64_t nodes = 0;
  for (const StateIndex state : states) nodes += nodes_in_[state];
  auto place = static_cast<std::int64_t>(draw % static_cast<std::uint64_t>(nodes));
  for (const StateIndex state : states) {
    if (place < nodes_in_[state]) return state;
    place -= nodes_in_[state];
  }
  return states.back();
}

/// A model's price: the GPU demand to come that names it, over what is free of it. Demand to come
/// is taken as large as all that is free, in the proportions of the distribution.
void SharedPool::refresh_prices() {
  const double all_free = std::accumulate(free_by_model_.begin(), free_by_model_.end(), 0.0);
  double all_demand = 0;
  for (const WeighedKind& row : context_.kinds) {
    all_demand += row.probability * static_cast<double>(row.kind.total_milli());
  }
  std::vector<double> named(models_.size());
  for (const WeighedKind& row : context_.kinds) {
    if (row.kind.models == 0 || row.kind.gpus == 0) continue;
    double eligible = 0;
    for (std::size_t model = 0; model < models_.size(); ++model) {
      if ((row.kind.models >> model & 1U) != 0) eligible += free_by_model_[model];
    }
    if (eligible <= 0 || all_demand <= 0) continue;
    const double demand =
        row.probability * static_cast<double>(row.kind.total_milli()) / all_demand * all_free;
    for (std::size_t model = 0; model < models_.size(); ++model) {
      if ((row.kind.models >> model & 1U) == 0) continue;
      named[model] += demand * free_by_model_[model] / eligible;
    }
  }
  for (std::size_t model = 0; model < models_.size(); ++model) {
    const double scarcity = named[model] / (free_by_model_[model] + 1);
    price_by_model_[model] = std::clamp(scarcity - kScarceFrom, 0.0, kMostScarcity);
  }
}

bool SharedPool::place(std::size_t kind, std::uint64_t draw) {
  if (policy_.has_prices && decisions_until_prices_-- <= 0) {
    refresh_prices();
    decisions_until_prices_ = kDecisionsBetweenPrices;
  }
  const auto from = best_state(kind, draw);
  if (!from) return false;
  const StateIndex to = intern(after(states_[*from], context_.kinds[kind].kind,
                                     scored(*from, kind).level, policy_.tracks_sizes));
  if (--nodes_in_[*from] == 0) std::erase(live_, *from);
  if (nodes_in_[to]++ == 0) live_.push_back(to);
  const std::int64_t milli = context_.kinds[kind].kind.total_milli();
  allocated_milli_ += milli;
  free_by_model_[static_cast<std::size_t>(states_[to].model)] -= static_cast<double>(milli);
  return true;
}

}  // namespace gpushape::place
