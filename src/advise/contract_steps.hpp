// The steps of the contract, one function each, in the order of vm-contract.md, section 3. Private
// to the contract's sources and its tests: everybody else calls derive_contract.
//
// A step reads the basis, writes its fields of the contract and leaves a note for every value that
// a default, a floor or a clamp decided.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "advise/contract.hpp"
#include "place/host_capacity.hpp"

namespace gpushape::advise {

/// What the formulas tell apart.
enum class ContractRole { Llm, Embed, Notebook, Train };

/// Share of one device that an instance takes, or its count of devices; exact.
struct GpuEquivalents {
  std::int64_t numerator = 1;
  std::int64_t denominator = 1;
};

/// What several steps need, worked out once. It borrows its three sources.
struct ContractBasis {
  const ContractRequest& request;
  const domain::Host& host;
  const ContractConstants& constants;
  place::HostCapacity capacity;  ///< `c` and `m` of the formulas
  ContractRole role = ContractRole::Llm;
  bool is_multimodal = false;
  bool is_whole = false;            ///< owns whole devices
  std::int64_t gpus = 1;            ///< `N`: devices or shares, and as many GPU workers
  std::int64_t gpu_memory_gib = 0;  ///< `FB`: of all devices together, as their names say
  GpuEquivalents share;             ///< `geq`
  std::int64_t processes = 0;       ///< `procs`
  std::int64_t overcommit = 1;      ///< vCPU per core
  std::vector<int> gpu_positions;   ///< in Host::gpus
  std::vector<int> gpu_nodes;       ///< `P`: their physical NUMA nodes, ascending, each once
  bool is_linked = false;           ///< NVLink among all of them
};

ContractBasis contract_basis(const ContractRequest& request, const domain::Host& host,
                             const ContractConstants& constants);

/// Before rounding and before any clamp.
struct VcpuNeed {
  std::int64_t minimum = 0;
  std::int64_t recommended = 0;
  std::vector<const ContractConstant*> constants;  ///< that entered
};
struct MemoryNeed {
  Bytes minimum;
  Bytes recommended;
  Bytes shared;  ///< of both: shared memory of the processes
  std::vector<const ContractConstant*> constants;
};
VcpuNeed vcpu_need(const ContractBasis& basis);
MemoryNeed memory_need(const ContractBasis& basis);

void size_vcpus(const ContractBasis& basis, domain::ResourceContract& contract);      // step 1
void size_memory(const ContractBasis& basis, domain::ResourceContract& contract);     // step 2
void fit_numa_nodes(const ContractBasis& basis, domain::ResourceContract& contract);  // step 3
void size_mmio(const ContractBasis& basis, domain::ResourceContract& contract);       // step 4
void reserve_cpu(const ContractBasis& basis, domain::ResourceContract& contract);     // step 5
void count_density(const ContractBasis& basis, domain::ResourceContract& contract);   // step 6
void estimate_pause(const ContractBasis& basis, domain::ResourceContract& contract);  // step 7
void check_limits(const ContractBasis& basis, domain::ResourceContract& contract);    // section 4
/// The disk, and where there are no VMs what stands in their place.
void note_platform(const ContractBasis& basis, domain::ResourceContract& contract);
void check_lifecycle(const ContractBasis& basis, domain::ResourceContract& contract);

void note(domain::ResourceContract& contract, std::string id, std::string says);

/// "operating system and agents 2 vCPU (default), … (NVIDIA NIM …)", each once, for a note.
std::string cite(const std::vector<const ContractConstant*>& constants);

/// 240 GiB prints as "240 GiB", 240.64 as "240.6 GiB".
std::string gib_text(Bytes bytes);

constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }
constexpr std::int64_t round_up(std::int64_t a, std::int64_t unit) {
  return ceil_div(a, unit) * unit;
}

/// Rounding of vCPU: to 2 up to 16, to 4 up to 64, to 8 above.
std::int64_t round_vcpus(std::int64_t vcpus);
/// Rounding of memory: to 8 GiB up to 256, to 16 up to 512, to 32 above.
Bytes round_memory(Bytes memory);

/// Memory rounds and clamps to multiples of it.
inline constexpr Bytes kMemoryUnit = gib(8);
constexpr Bytes floor_to(Bytes a, Bytes unit) { return a / unit * unit; }

}  // namespace gpushape::advise
