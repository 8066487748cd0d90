// The rules that a whole host is held against, one row a reason, in their order: the host's state,
// then its GPUs (the rows of gpu_filters, and what several GPUs must be together), then CPU, memory
// and the rest. The first that fails is the host's reason.
#pragma once

#include <optional>
#include <span>

#include "place/gpu_filters.hpp"
#include "place/snapshot.hpp"

namespace gpushape::place {

struct FilterRow {
  domain::Refusal refusal;
  bool (*passes)(const Snapshot&, std::size_t host, const Request&);
  WantedFound (*words)(const Snapshot&, std::size_t host, const Request&);
};

/// In the order of the checks; every Refusal once.
std::span<const FilterRow> filters();

/// Why the host cannot take the request; absent: it can.
std::optional<domain::Refusal> refusal_of(const Snapshot& snapshot, std::size_t host,
                                          const Request& request);

/// Whether no row refuses the host: the same answer without its reason.
bool takes(const Snapshot& snapshot, std::size_t host, const Request& request);

/// The GPUs that serve a request on a host that takes it, those in use among them; none where a row
/// refuses the host.
GpuSet serving_gpus(const Snapshot& snapshot, std::size_t host, const Request& request);

/// The GPUs that a request may name: those at the addresses that it is bound to, or all.
GpuSet named_gpus(const HostRow& row, const Request& request);

/// The GPUs that one instance may be given: those that serve, and for several GPUs those that are
/// empty as well.
GpuSet candidates(const Snapshot& snapshot, const HostRow& row, const Request& request);

/// The link domains of exactly the wanted size that lie within `gpus`.
std::vector<GpuSet> domains_within(const HostRow& row, GpuSet gpus, int size);

/// Most options of one host that are listed; more combinations than that of equal, unlinked GPUs
/// are no different choice. Eight of sixteen are 12 870.
inline constexpr std::size_t kMostOptions = 20'000;

/// All legal placements on a host that is not refused, in ascending order.
std::vector<Option> options(const Snapshot& snapshot, const HostRow& row, const Request& request);

}  // namespace gpushape::place
