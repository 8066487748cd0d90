#include "advise/contract_constants.hpp"

namespace gpushape::advise {

std::vector<const ContractConstant*> ContractConstants::all() const {
  return {&hypervisor_cores,
          &usable_memory,
          &system_vcpus,
          &whole_device_floor,
          &fraction_floor,
          &cores_per_gpu,
          &sequences_per_vcpu,
          &media_vcpus,
          &notebook_vcpus,
          &training_vcpus,
          &performance_factor,
          &overcommit_guaranteed,
          &overcommit_engine,
          &overcommit_best_effort,
          &system_memory,
          &server_memory,
          &worker_memory,
          &loader_memory,
          &shared_memory_one,
          &shared_memory_linked,
          &shared_memory_unlinked,
          &unknown_shard,
          &ratio_llm,
          &ratio_embed,
          &ratio_notebook,
          &ratio_train,
          &notebook_least_memory,
          &notebook_memory,
          &mmio_floor,
          &mmio_factor,
          &pause_base,
          &link_efficiency,
          &migration_ceiling,
          &disk_reserve,
          &node_cpus,
          &node_memory,
          &node_memory_part};
}

ContractConstant* ContractConstants::find(std::string_view key) {
  for (const ContractConstant* constant : all()) {
    if (constant->key == key) return const_cast<ContractConstant*>(constant);  // of this object
  }
  return nullptr;
}

}  // namespace gpushape::advise
