// A pool of nodes whose GPUs are shared in thousandths: the form of published task traces.
//
// Nodes in equal states are one class, and every (state, kind of task) is scored once: a decision
// looks at the classes, not at the nodes, and does not depend on their names or order.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "domain/trace.hpp"

namespace gpushape::place {

/// Tasks that ask for the same. Models are bits of SharedPool::models().
struct TaskKind {
  std::int64_t millicores = 0;
  std::int64_t memory = 0;  ///< bytes
  int gpus = 0;
  std::int64_t gpu_milli = 0;
  std::uint64_t models = 0;  ///< 0: any

  [[nodiscard]] std::int64_t total_milli() const { return gpus * gpu_milli; }
  auto operator<=>(const TaskKind&) const = default;
};

/// Free thousandths of each GPU of a node, ascending.
class FreeMilli {
 public:
  FreeMilli() = default;
  explicit FreeMilli(int gpus) : size_(static_cast<std::int16_t>(gpus)) {
    for (std::int16_t& free : *this) free = static_cast<std::int16_t>(domain::kMilliPerGpu);
  }
  [[nodiscard]] std::int16_t* begin() { return values_.data(); }
  [[nodiscard]] std::int16_t* end() { return values_.data() + size_; }
  [[nodiscard]] const std::int16_t* begin() const { return values_.data(); }
  [[nodiscard]] const std::int16_t* end() const { return values_.data() + size_; }
  [[nodiscard]] int size() const { return size_; }
  auto operator<=>(const FreeMilli&) const = default;

 private:
  std::int16_t size_ = 0;
  std::array<std::int16_t, domain::kMostSharedGpus> values_{};
};

struct NodeState {
  int model = 0;
  std::int64_t free_millicores = 0;
  std::int64_t free_memory = 0;
  FreeMilli free_milli;
  std::vector<std::int64_t> request_sizes;  ///< kinds of GPU request on the node, where tracked

  [[nodiscard]] std::int64_t idle_milli() const;
  auto operator<=>(const NodeState&) const = default;
};

bool fits(const NodeState& node, const TaskKind& kind);

struct WeighedKind {
  double probability = 0;
  TaskKind kind;
};

/// What policies may look at beside one node.
struct SharedContext {
  std::vector<WeighedKind> kinds;    ///< the distribution of tasks
  std::int64_t most_millicores = 1;  ///< of any node
  std::int64_t most_milli = 1;       ///< GPU thousandths of any node
  double millicores_per_milli = 0;   ///< of the expected GPU task
};

struct SharedOption {
  const NodeState& before;
  const NodeState& after;
  const TaskKind& kind;
  std::int64_t level = 0;  ///< free thousandths of the GPU that a shared task takes; 0: several
  double loss = 0;         ///< rise of the policy's loss
};

/// A score of one option; larger is better.
struct SharedPolicyRow {
  std::string_view name;
  std::string_view description;
  double (*score)(const SharedOption&, const SharedContext&);
  /// What a node's state loses, of which `score` is given the rise; nullptr: none.
  double (*loss)(const NodeState&, const SharedContext&) = nullptr;
  bool draws_ties = true;     ///< among nodes of the same score one is drawn
  bool tracks_sizes = false;  ///< looks at NodeState::request_sizes
  bool is_random = false;     ///< the node is drawn; `score` chooses the GPU
  bool has_prices = false;    ///< scarce models cost those who could go elsewhere
};

/// In display order.
std::span<const SharedPolicyRow> shared_policies();
const SharedPolicyRow* find_shared_policy(std::string_view name);

class SharedPool {
 public:
  SharedPool(std::span<const domain::SharedNode> nodes, std::span<const domain::SharedTask> tasks,
             const SharedPolicyRow& policy);

  /// Which kind the task at that position is.
  [[nodiscard]] std::size_t kind_of(std::size_t task) const { return kind_of_task_[task]; }
  [[nodiscard]] const TaskKind& kind(std::size_t kind) const { return context_.kinds[kind].kind; }
  [[nodiscard]] std::int64_t capacity_milli() const { return capacity_milli_; }
  [[nodiscard]] std::int64_t allocated_milli() const { return allocated_milli_; }

  /// Back to the empty pool; what was learned of states stays.
  void reset();
  /// False where no node takes it. `draw` decides among nodes that the policy holds equal.
  bool place(std::size_t kind, std::uint64_t draw);

 private:
  using StateIndex = std::uint32_t;
  struct Scored {
    double score = 0;
    std::int16_t level = 0;  ///< free thousandths of the chosen GPU
    bool is_known = false;
    bool fits = false;
  };

  StateIndex intern(const NodeState& state);
  [[nodiscard]] std::uint64_t models_of(const std::vector<std::string>& names) const;
  [[nodiscard]] Scored score(const NodeState& from, const TaskKind& kind) const;
  const Scored& scored(StateIndex from, std::size_t kind);
  [[nodiscard]] std::optional<StateIndex> best_state(std::size_t kind, std::uint64_t draw);
  [[nodiscard]] StateIndex drawn(std::vector<StateIndex> states, std::uint64_t draw) const;
  void refresh_prices();

  const SharedPolicyRow& policy_;
  std::vector<std::pair<NodeState, std::int64_t>> first_;  ///< the empty pool, by state
  SharedContext context_;
  std::vector<std::string> models_;
  std::vector<std::size_t> kind_of_task_;
  std::vector<NodeState> states_;
  std::map<NodeState, StateIndex> ids_;
  std::vector<std::int64_t> nodes_in_;     ///< by state
  std::vector<StateIndex> live_;           ///< states with nodes in them
  std::vector<std::vector<Scored>> memo_;  ///< by kind, by state
  std::vector<double> free_by_model_;
  std::vector<double> price_by_model_;
  int decisions_until_prices_ = 0;
  std::int64_t capacity_milli_ = 0;
  std::int64_t allocated_milli_ = 0;
};

}  // namespace gpushape::place
