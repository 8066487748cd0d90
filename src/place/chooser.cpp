#include "place/chooser.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "place/host_filters.hpp"

namespace gpushape::place {

namespace {

constexpr PolicyKey kRefused = std::numeric_limits<PolicyKey>::min();

/// Ours, measured: with so few kinds of request a changed host is asked for all of them at once,
/// while its rows are at hand; with more, each kind waits until it is asked for.
constexpr std::size_t kMostAskedAtOnce = 32;

/// Ours: changes that are remembered before those that everyone has seen are forgotten.
constexpr std::size_t kMostChanges = 4096;

std::uint64_t hash_of(const Request& request) {
  std::uint64_t hash = request.shape;
  for (const std::int64_t figure :
       {static_cast<std::int64_t>(request.gpus), request.millicores, request.reserved_mhz,
        request.memory, request.asked.numa_nodes, static_cast<std::int64_t>(request.group)}) {
    hash = (hash ^ static_cast<std::uint64_t>(figure)) * 0x9e3779b97f4a7c15ULL;  // Fibonacci
    hash ^= hash >> 32U;
  }
  return hash;
}

/// Hosts answer both alike.
bool ask_the_same(const Request& a, const Request& b) {
  return a.shape == b.shape && a.gpus == b.gpus && a.needs_links == b.needs_links &&
         a.millicores == b.millicores && a.reserved_mhz == b.reserved_mhz && a.memory == b.memory &&
         a.asked.numa_nodes == b.asked.numa_nodes && a.asked.datastores == b.asked.datastores &&
         a.asked.networks == b.asked.networks && a.asked.tenant == b.asked.tenant &&
         a.group == b.group && a.asked.most_per_host == b.asked.most_per_host &&
         a.asked.pci_addresses == b.asked.pci_addresses;
}

/// Of two that stand side by side in a tournament: the first of equal ones wins.
template <class Player>
const Player& winner(const Player* pair) {
  return pair[1].key > pair[0].key ? pair[1] : pair[0];
}

Fragmentation& operator-=(Fragmentation& total, const Fragmentation& part) {
  total.idle -= part.idle;
  total.touch -= part.touch;
  total.fill -= part.fill;
  for (std::size_t i = 0; i < part.shapes.size(); ++i) {
    total.shapes[i].slots -= part.shapes[i].slots;
    total.shapes[i].touch -= part.shapes[i].touch;
    total.shapes[i].fill -= part.shapes[i].fill;
  }
  return total;
}

}  // namespace

Chooser::Chooser(Snapshot snapshot, Distribution distribution, const PolicyRow& policy,
                 const GoodnessWeights& weights)
    : snapshot_(std::move(snapshot)),
      distribution_(std::move(distribution)),
      policy_(policy),
      weights_(weights),
      offers_(std::make_unique<Offers>(snapshot_.states(), distribution_)),
      sums_(policy.weighs_distribution ? snapshot_.size() : 0),
      sums_are_new_(sums_.size()),
      leaves_(std::bit_ceil(std::max<std::size_t>(snapshot_.size(), 1))),
      last_change_(snapshot_.size()) {}

std::optional<Choice> Chooser::choose(const Request& request) {
  Ranking& ranking = ranking_of(request);
  refresh(ranking);
  const Player& best = ranking.players[1];
  if (best.key == kRefused) return std::nullopt;
  return Choice{.host = best.host, .option = ranking.options[best.host], .key = best.key};
}

void Chooser::place(const std::string& vm, const Request& request, const Choice& choice) {
  snapshot_.place(vm, request, choice.host, choice.option);
  note_change(choice.host);
}

bool Chooser::remove(const std::string& vm) {
  const auto host = snapshot_.remove(vm);
  if (host) note_change(*host);
  return host.has_value();
}

const Fragmentation& Chooser::fragmentation() {
  const auto of_host = [&](std::size_t host) {
    return fragmentation_of(snapshot_.states(), view_of(snapshot_.row(host)), distribution_);
  };
  if (by_host_.empty()) {
    total_.shapes.resize(distribution_.size());
    for (std::size_t host = 0; host < snapshot_.size(); ++host) {
      by_host_.push_back(of_host(host));
      total_ += by_host_.back();
    }
    fragmentation_seen_ = changes_.size();
  }
  for (; fragmentation_seen_ < changes_.size(); ++fragmentation_seen_) {
    Fragmentation& own = by_host_[changes_[fragmentation_seen_]];
    total_ -= own;
    own = of_host(changes_[fragmentation_seen_]);
    total_ += own;
  }
  return total_;
}

Chooser::Ranking& Chooser::ranking_of(const Request& request) {
  auto& alike = rankings_[hash_of(request)];
  for (const auto& ranking : alike) {
    if (ask_the_same(ranking->request, request)) return *ranking;
  }
  alike.push_back(first_ranking(request));
  all_rankings_.push_back(alike.back().get());
  return *alike.back();
}

std::unique_ptr<Chooser::Ranking> Chooser::first_ranking(const Request& request) {
  auto ranking = std::make_unique<Ranking>();
  ranking->request = request;
  ranking->options.resize(snapshot_.size());
  ranking->players.resize(2 * leaves_, {.key = kRefused});
  for (std::size_t host = 0; host < snapshot_.size(); ++host) ask(*ranking, host);
  for (std::size_t node = leaves_ - 1; node > 0; --node) {
    ranking->players[node] = winner(&ranking->players[2 * node]);
  }
  ranking->seen = changes_.size();
  return ranking;
}

const HostSums* Chooser::sums_of(std::size_t host) {
  if (sums_.empty()) return nullptr;
  if (!sums_are_new_[host]) {
    sum_up(*offers_, snapshot_.row(host), sums_[host]);
    sums_are_new_[host] = true;
  }
  return &sums_[host];
}

void Chooser::ask(Ranking& ranking, std::size_t host) {
  Player& player = ranking.players[leaves_ + host];
  player = {.key = kRefused, .host = static_cast<std::uint32_t>(host)};
  const GpuSet serving = serving_gpus(snapshot_, host, ranking.request);
  if (serving == 0) return;
  const HostChoice choice = policy_.best_on_host({.snapshot = snapshot_,
                                                  .host = host,
                                                  .request = ranking.request,
                                                  .distribution = distribution_,
                                                  .weights = weights_,
                                                  .offers = *offers_,
                                                  .serving = serving,
                                                  .sums = sums_of(host)});
  player.key = choice.key;
  ranking.options[host] = choice.option;
}

void Chooser::replay_matches(Ranking& ranking, std::size_t host) const {
  for (std::size_t node = (leaves_ + host) / 2; node > 0; node /= 2) {
    const Player best = winner(&ranking.players[2 * node]);
    // The same one goes on from here, with the same key: nothing changes further up.
    if (best == ranking.players[node]) return;
    ranking.players[node] = best;
  }
}

void Chooser::refresh(Ranking& ranking) {
  for (; ranking.seen < changes_.size(); ++ranking.seen) {
    const std::size_t host = changes_[ranking.seen];
    if (last_change_[host] != ranking.seen) continue;  // it comes again
    ask(ranking, host);
    replay_matches(ranking, host);
  }
}

void Chooser::forget_changes() {
  const auto has_seen_all = [&](const Ranking* ranking) {
    return ranking->seen == changes_.size();
  };
  const bool is_summed = by_host_.empty() || fragmentation_seen_ == changes_.size();
  if (!is_summed || !std::ranges::all_of(all_rankings_, has_seen_all)) return;
  changes_.clear();
  fragmentation_seen_ = 0;
  for (Ranking* ranking : all_rankings_) ranking->seen = 0;
}

void Chooser::note_change(std::size_t host) {
  if (changes_.size() >= kMostChanges) forget_changes();
  last_change_[host] = changes_.size();
  changes_.push_back(host);
  if (!sums_.empty()) sums_are_new_[host] = false;
  if (all_rankings_.size() > kMostAskedAtOnce) return;
  for (Ranking* ranking : all_rankings_) refresh(*ranking);
}

}  // namespace gpushape::place
