// Decisions in a row on one cluster: remembers what every host answered to every kind of request
// and asks again only the hosts that changed since. The answers are those of `choose`.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "place/fragmentation.hpp"
#include "place/policies.hpp"
#include "place/snapshot.hpp"

namespace gpushape::place {

class Chooser {
 public:
  Chooser(Snapshot snapshot, Distribution distribution, const PolicyRow& policy,
          const GoodnessWeights& weights = goodness_presets().front());

  std::optional<Choice> choose(const Request& request);
  void place(const std::string& vm, const Request& request, const Choice& choice);
  /// False where no VM of that name is placed.
  bool remove(const std::string& vm);

  [[nodiscard]] const Snapshot& snapshot() const { return snapshot_; }
  /// Of the whole cluster, kept up to date.
  [[nodiscard]] const Fragmentation& fragmentation();

 private:
  /// A tournament of hosts: the winner of the whole stands at the root.
  struct Ranking {
    Request request;
    std::vector<std::optional<HostChoice>> choices;  ///< by host; absent: refused
    std::vector<std::uint32_t> winners;              ///< a heap-shaped tree over the hosts
    std::size_t seen = 0;                            ///< changes that it knows of
  };
  using RequestKey =
      std::tuple<ShapeId, int, bool, std::int64_t, std::int64_t, std::int64_t, std::int64_t,
                 std::vector<std::string>, std::vector<std::string>, std::string>;

  Ranking& ranking_of(const Request& request);
  void ask(Ranking& ranking, std::size_t host);
  void replay_matches(Ranking& ranking, std::size_t host) const;
  [[nodiscard]] static std::uint32_t winner(const Ranking& ranking, std::uint32_t a,
                                            std::uint32_t b);
  void refresh(Ranking& ranking);
  void note_change(std::size_t host);

  Snapshot snapshot_;
  Distribution distribution_;
  const PolicyRow& policy_;
  const GoodnessWeights& weights_;
  std::size_t leaves_ = 1;
  std::map<RequestKey, Ranking> rankings_;
  std::vector<std::size_t> changes_;      ///< hosts in the order in which they changed
  std::vector<std::size_t> last_change_;  ///< of each host, among `changes_`
  std::vector<Fragmentation> by_host_;
  Fragmentation total_;
  std::size_t fragmentation_seen_ = 0;
};

}  // namespace gpushape::place
