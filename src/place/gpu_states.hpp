// Every state that a GPU of the cluster has been in, once each, and what each means for every kind
// of request: an inventory of a thousand GPUs is in a few dozen states, so that a question about a
// GPU is asked once and then looked up.
//
// Grows as states and shapes appear and never forgets; copies of a Snapshot share one. Not for use
// from several threads at once.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "domain/cluster.hpp"
#include "domain/placement.hpp"
#include "place/geometry.hpp"

namespace gpushape::place {

using StateId = std::uint32_t;
using ShapeId = std::uint32_t;

/// A share that is taken: its profile in DeviceGeometry::profiles, -1 for passthrough or a profile
/// that the table lacks.
struct TakenShare {
  int profile = -1;
  int start = 0;
  int size = 0;

  auto operator<=>(const TakenShare&) const = default;
};

struct GpuState {
  int device = 0;        ///< position among the geometries
  unsigned allowed = 0;  ///< a bit for each GpuMode
  std::string label;
  bool has_failed = false;
  std::optional<domain::GpuMode> mode;  ///< absent while empty
  int profile = -1;                     ///< same-size mode: the profile it is locked to
  std::vector<TakenShare> taken;        ///< sorted

  [[nodiscard]] bool is_empty() const { return taken.empty(); }
  [[nodiscard]] bool allows(domain::GpuMode wanted) const {
    return (allowed >> static_cast<unsigned>(wanted) & 1U) != 0;
  }

  auto operator<=>(const GpuState&) const = default;
};

unsigned mode_bit(domain::GpuMode mode);

/// The GPU side of a request: what one GPU can be asked.
struct GpuShape {
  domain::GpuUse use = domain::GpuUse::TimeSliced;
  std::string profile;
  std::vector<std::string> devices;
  std::optional<std::string> label;

  auto operator<=>(const GpuShape&) const = default;
};

/// What a state answers to a shape.
struct GpuFit {
  std::optional<domain::Refusal> refusal;  ///< absent: it serves
  std::vector<int> starts;                 ///< free starts, ascending; whole and same-size: 0
  int slots = 0;                           ///< how many more copies fit
  double share = 0;                        ///< of the device, by one copy
  bool is_whole = false;                   ///< the shape takes the whole device

  [[nodiscard]] bool serves() const { return !refusal.has_value(); }
};

class GpuStates {
 public:
  explicit GpuStates(std::vector<DeviceGeometry> devices);

  [[nodiscard]] const std::vector<DeviceGeometry>& devices() const { return devices_; }
  /// Position of a device; the geometry of one that is not in the table is empty and serves
  /// passthrough alone.
  int device(const std::string& id);

  StateId intern(GpuState state);
  ShapeId intern(const GpuShape& shape);

  [[nodiscard]] const GpuState& state(StateId id) const { return states_[id].state; }
  [[nodiscard]] const GpuShape& shape(ShapeId id) const { return shapes_[id]; }
  [[nodiscard]] const DeviceGeometry& geometry(StateId id) const {
    return devices_[static_cast<std::size_t>(states_[id].state.device)];
  }
  /// Free share of the device, 0 to 1.
  [[nodiscard]] double idle(StateId id) const { return facts_[id].idle; }
  [[nodiscard]] bool is_empty(StateId id) const { return facts_[id].allocations == 0; }
  /// Neither taken nor failed.
  [[nodiscard]] bool is_free(StateId id) const { return is_empty(id) && !facts_[id].has_failed; }
  [[nodiscard]] bool has_failed(StateId id) const { return facts_[id].has_failed; }
  [[nodiscard]] int allocations(StateId id) const { return facts_[id].allocations; }
  [[nodiscard]] int device_of(StateId id) const { return facts_[id].device; }
  /// Time-sliced profiles are counted, not laid out: in same-size mode, or empty and allowed it.
  [[nodiscard]] bool is_same_size(StateId id) const { return facts_[id].is_same_size; }
  [[nodiscard]] std::size_t size() const { return states_.size(); }

  const GpuFit& fit(StateId id, ShapeId shape);
  /// GpuFit::slots; 0 exactly where the state does not serve.
  int slots(StateId id, ShapeId shape) {
    const std::int16_t known = slots_[id * slots_stride_ + shape];
    return known >= 0 ? known : learn_slots(id, shape);
  }
  /// GpuFit::is_whole of a state that serves.
  [[nodiscard]] bool is_whole(StateId id, ShapeId shape) const {
    return takes_whole_[id * slots_stride_ + shape] != 0;
  }
  /// The state after one more copy at `start`; the GPU serves the shape and the start is free.
  StateId after(StateId id, ShapeId shape, int start);
  /// The state after a share of that shape, at that start, is given back.
  StateId without(StateId id, ShapeId shape, int start);

 private:
  struct Move {
    ShapeId shape = 0;
    int start = 0;
    StateId to = 0;
  };
  struct Entry {
    GpuState state;
    std::vector<std::optional<GpuFit>> fits;  ///< by shape
    std::vector<Move> moves;
    std::vector<Move> moves_back;
  };
  /// What every decision looks at, kept apart from what is asked once.
  struct Facts {
    double idle = 0;
    std::int16_t device = 0;
    std::int16_t allocations = 0;
    bool has_failed = false;
    bool is_same_size = false;
  };
  int learn_slots(StateId id, ShapeId shape);
  void widen_slots();

  [[nodiscard]] GpuFit fit_of(const GpuState& state, const GpuShape& shape) const;
  [[nodiscard]] double idle_of(const GpuState& state) const;

  std::vector<DeviceGeometry> devices_;
  std::vector<Entry> states_;
  std::vector<Facts> facts_;               ///< by state
  std::vector<std::int16_t> slots_;        ///< a row of shapes for each state; -1: not asked yet
  std::vector<std::uint8_t> takes_whole_;  ///< beside `slots_`, once asked
  std::size_t slots_stride_ = 8;
  std::map<GpuState, StateId> ids_;
  std::vector<GpuShape> shapes_;
  std::map<GpuShape, ShapeId> shape_ids_;
};

}  // namespace gpushape::place
