// Every number that the VM contract rests on, with its name, its kind and where it comes from, so
// that the answer can say which of them decided a value. Defaults are those of vm-contract.md,
// section 2.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace gpushape::advise {

/// Where a constant stands: published by someone, or chosen by this project.
enum class ConstantKind { Sourced, ProjectDefault };

struct ContractConstant {
  std::string_view name;  ///< in words, as notes print it
  double value = 0;
  std::string_view unit;
  ConstantKind kind = ConstantKind::ProjectDefault;
  std::string_view source;

  [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(value); }

  bool operator==(const ContractConstant&) const = default;
};

struct ContractConstants {
  // The host's own share.
  ContractConstant hypervisor_cores{"cores kept for the hypervisor, of each socket", 2, "cores",
                                    ConstantKind::ProjectDefault, "chosen by this project"};
  ContractConstant usable_memory{"host memory that VMs may have", 94, "%",
                                 ConstantKind::ProjectDefault, "chosen by this project"};

  // Step 1: vCPU.
  ContractConstant system_vcpus{"operating system and agents", 2, "vCPU",
                                ConstantKind::ProjectDefault, "driver, kubelet, exporter"};
  ContractConstant whole_device_floor{"least for a language model on a whole device", 8, "vCPU",
                                      ConstantKind::Sourced,
                                      "NVIDIA NIM for LLMs: x86 with at least 8 cores"};
  ContractConstant fraction_floor{"least for a fraction", 4, "vCPU", ConstantKind::ProjectDefault,
                                  "cloud shapes start at 4 vCPU per GPU"};
  ContractConstant cores_per_gpu{"recommended cores per GPU", 6, "vCPU", ConstantKind::Sourced,
                                 "NVIDIA-Certified Systems configuration guide, inference, read in "
                                 "quotation"};
  ContractConstant sequences_per_vcpu{
      "sequences in flight that one vCPU tokenizes", 64, "sequences", ConstantKind::ProjectDefault,
      "vLLM's API server is bound by CPU; arXiv 2603.22774 measures its effect"};
  ContractConstant media_vcpus{"media loading, for each API server", 8, "vCPU",
                               ConstantKind::Sourced,
                               "vLLM: 8 media-loading threads per API server"};
  ContractConstant notebook_vcpus{"notebook on half a device or more", 8, "vCPU",
                                  ConstantKind::ProjectDefault, "chosen by this project"};
  ContractConstant training_vcpus{"training, for each GPU", 12, "vCPU", ConstantKind::Sourced,
                                  "AWS p5: 96 cores / 8 GPUs; DGX H100: 112 / 8 = 14"};
  ContractConstant performance_factor{"performance tier", 1.5, "times the recommended vCPU",
                                      ConstantKind::ProjectDefault, "chosen by this project"};
  ContractConstant overcommit_guaranteed{"overcommit of qos guaranteed", 1, "vCPU per core",
                                         ConstantKind::ProjectDefault, "chosen by this project"};
  ContractConstant overcommit_engine{"overcommit of qos engine", 2, "vCPU per core",
                                     ConstantKind::ProjectDefault, "chosen by this project"};
  ContractConstant overcommit_best_effort{"overcommit of qos best-effort", 4, "vCPU per core",
                                          ConstantKind::ProjectDefault, "chosen by this project"};

  // Step 2: memory.
  ContractConstant system_memory{"operating system", 8, "GiB", ConstantKind::Sourced,
                                 "NVIDIA NIM: 5-10 GB for the operating system"};
  ContractConstant server_memory{"each API server and each data-parallel engine", 2, "GiB",
                                 ConstantKind::ProjectDefault,
                                 "vLLM: Python and caches of the front end"};
  ContractConstant worker_memory{"each GPU worker", 4, "GiB", ConstantKind::ProjectDefault,
                                 "vLLM: CUDA context, Python and a 4 GiB multimodal cache"};
  ContractConstant loader_memory{"each data-loader worker", 1.5, "GiB",
                                 ConstantKind::ProjectDefault, "chosen by this project"};
  ContractConstant shared_memory_one{"shared memory with one GPU", 2, "GiB", ConstantKind::Sourced,
                                     "vLLM, Deploying with Kubernetes: 2 GiB"};
  ContractConstant shared_memory_linked{"shared memory with several linked GPUs", 8, "GiB",
                                        ConstantKind::ProjectDefault, "chosen by this project"};
  ContractConstant shared_memory_unlinked{"shared memory with several GPUs without NVLink", 16,
                                          "GiB", ConstantKind::Sourced,
                                          "NVIDIA NIM: 16 GB for multi-GPU without NVLink"};
  ContractConstant unknown_shard{"largest shard of an unknown checkpoint", 5, "GiB",
                                 ConstantKind::ProjectDefault,
                                 "Hugging Face writes shards of up to 5 GB"};
  ContractConstant ratio_llm{"host memory to GPU memory, language model", 1.5, "",
                             ConstantKind::ProjectDefault,
                             "NVIDIA-Certified: 1.5 to 2; cloud shapes 0.67 to 4.0"};
  ContractConstant ratio_embed{"host memory to GPU memory, embeddings", 1.0, "",
                               ConstantKind::ProjectDefault, "cloud shapes 0.67 to 4.0"};
  ContractConstant ratio_notebook{"host memory to GPU memory, notebook", 2.0, "",
                                  ConstantKind::ProjectDefault, "NVIDIA-Certified: 2"};
  ContractConstant ratio_train{"host memory to GPU memory, training", 2.0, "",
                               ConstantKind::ProjectDefault, "NVIDIA-Certified: 2"};
  ContractConstant notebook_least_memory{"least for a notebook", 16, "GiB",
                                         ConstantKind::ProjectDefault, "chosen by this project"};
  ContractConstant notebook_memory{"notebook, recommended", 32, "GiB", ConstantKind::ProjectDefault,
                                   "chosen by this project"};

  // Step 4: memory-mapped I/O.
  ContractConstant mmio_floor{"least 64-bit MMIO space", 64, "GiB", ConstantKind::Sourced,
                              "Broadcom KB 323402"};
  ContractConstant mmio_factor{"MMIO space to device memory, each a power of two", 2, "",
                               ConstantKind::Sourced, "Broadcom KB 323402"};

  // Step 7: pause of a live migration.
  ContractConstant pause_base{"pause without any memory to move", 1.5, "s",
                              ConstantKind::ProjectDefault,
                              "fitted to the vSphere 7 table of V100 profiles at 10 Gb/s"};
  ContractConstant link_efficiency{"share of the vMotion link that carries memory", 0.65, "",
                                   ConstantKind::ProjectDefault,
                                   "fitted to the vSphere 7 table of V100 profiles at 10 Gb/s"};
  ContractConstant migration_ceiling{"most that a migration moves", 80, "Gb/s",
                                     ConstantKind::Sourced, "vSphere 8.0 U1"};

  /// In the order above.
  [[nodiscard]] std::vector<const ContractConstant*> all() const;

  bool operator==(const ContractConstants&) const = default;
};

}  // namespace gpushape::advise
