#include "place/chooser.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "place/host_filters.hpp"

namespace gpushape::place {

namespace {

constexpr std::uint32_t kNobody = std::numeric_limits<std::uint32_t>::max();

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
      leaves_(std::bit_ceil(std::max<std::size_t>(snapshot_.size(), 1))),
      last_change_(snapshot_.size()) {}

std::optional<Choice> Chooser::choose(const Request& request) {
  Ranking& ranking = ranking_of(request);
  refresh(ranking);
  const std::uint32_t best = ranking.winners[1];
  if (best == kNobody) return std::nullopt;
  const HostChoice& choice = *ranking.choices[best];
  return Choice{.host = best, .option = choice.option, .key = choice.key};
}

void Chooser::place(const std::string& vm, const Request& request, const Choice& choice) {
  snapshot_.place(vm, request, choice.host, choice.option);
  note_change(choice.host);
}

bool Chooser::remove(const std::string& vm) {
  const auto placed = snapshot_.vms().find(vm);
  if (placed == snapshot_.vms().end()) return false;
  const std::size_t host = placed->second.host;
  snapshot_.remove(vm);
  note_change(host);
  return true;
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
  const auto [row, is_new] = rankings_.try_emplace(
      RequestKey{request.shape, request.gpus, request.needs_links, request.millicores,
                 request.reserved_mhz, request.memory, request.asked.numa_nodes,
                 request.asked.datastores, request.asked.networks, request.asked.tenant});
  Ranking& ranking = row->second;
  if (!is_new) return ranking;
  ranking.request = request;
  ranking.choices.resize(snapshot_.size());
  ranking.winners.assign(2 * leaves_, kNobody);
  for (std::size_t host = 0; host < snapshot_.size(); ++host) {
    ask(ranking, host);
    if (ranking.choices[host]) {
      ranking.winners[leaves_ + host] = static_cast<std::uint32_t>(host);
    }
  }
  for (std::size_t node = leaves_ - 1; node > 0; --node) {
    ranking.winners[node] =
        winner(ranking, ranking.winners[2 * node], ranking.winners[2 * node + 1]);
  }
  ranking.seen = changes_.size();
  return ranking;
}

void Chooser::ask(Ranking& ranking, std::size_t host) {
  if (refusal_of(snapshot_, host, ranking.request)) {
    ranking.choices[host].reset();
    return;
  }
  ranking.choices[host] = policy_.best_on_host({.snapshot = snapshot_,
                                                .host = host,
                                                .request = ranking.request,
                                                .distribution = distribution_,
                                                .weights = weights_});
}

std::uint32_t Chooser::winner(const Ranking& ranking, std::uint32_t a, std::uint32_t b) {
  if (a == kNobody || b == kNobody) return a == kNobody ? b : a;
  // `a` stands left of `b`: the first of equal ones wins.
  return ranking.choices[b]->key > ranking.choices[a]->key ? b : a;
}

void Chooser::replay_matches(Ranking& ranking, std::size_t host) const {
  std::size_t node = leaves_ + host;
  ranking.winners[node] = ranking.choices[host] ? static_cast<std::uint32_t>(host) : kNobody;
  for (node /= 2; node > 0; node /= 2) {
    ranking.winners[node] =
        winner(ranking, ranking.winners[2 * node], ranking.winners[2 * node + 1]);
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

void Chooser::note_change(std::size_t host) {
  last_change_[host] = changes_.size();
  changes_.push_back(host);
}

}  // namespace gpushape::place
