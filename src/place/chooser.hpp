// Decisions in a row on one cluster: remembers what every host answered to every kind of request
// and asks again only the hosts that changed since. The answers are those of `choose`.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
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
  /// A host in a tournament, with its key beside it so that a match looks at one place alone.
  struct Player {
    PolicyKey key = 0;  ///< kRefused where the host does not take the request
    std::uint32_t host = 0;

    bool operator==(const Player&) const = default;
  };
  /// A tournament of hosts: the winner of the whole stands at the root.
  struct Ranking {
    Request request;
    std::vector<Option> options;  ///< by host
    std::vector<Player> players;  ///< a heap-shaped tree, the hosts its leaves
    std::size_t seen = 0;         ///< changes that it knows of
  };

  Ranking& ranking_of(const Request& request);
  [[nodiscard]] std::unique_ptr<Ranking> first_ranking(const Request& request);
  /// Asks the host, and writes its answer to its leaf.
  void ask(Ranking& ranking, std::size_t host);
  [[nodiscard]] const HostSums* sums_of(std::size_t host);
  void replay_matches(Ranking& ranking, std::size_t host) const;
  void refresh(Ranking& ranking);
  void note_change(std::size_t host);
  void forget_changes();

  Snapshot snapshot_;
  Distribution distribution_;
  const PolicyRow& policy_;
  const GoodnessWeights& weights_;
  std::unique_ptr<Offers> offers_;
  std::vector<HostSums> sums_;      ///< by host, where the policy weighs the distribution
  std::vector<bool> sums_are_new_;  ///< by host
  std::size_t leaves_ = 1;
  /// By a hash of the request's figures.
  std::unordered_map<std::uint64_t, std::vector<std::unique_ptr<Ranking>>> rankings_;
  std::vector<Ranking*> all_rankings_;
  std::vector<std::size_t> changes_;      ///< hosts in the order in which they changed
  std::vector<std::size_t> last_change_;  ///< of each host, among `changes_`
  std::vector<Fragmentation> by_host_;
  Fragmentation total_;
  std::size_t fragmentation_seen_ = 0;
};

}  // namespace gpushape::place
