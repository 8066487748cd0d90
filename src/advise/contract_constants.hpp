// Every number that the VM contract rests on, with its name, its kind and where it comes from, so
// that the answer can say which of them decided a value. Defaults are those of vm-contract.md,
// section 2.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpushape::advise {

/// Where a constant stands: published by someone, or chosen by this project.
enum class ConstantKind { Sourced, ProjectDefault };

struct ContractConstant {
  std::string_view key;   ///< as a rules file spells it
  std::string_view name;  ///< in words, as notes print it
  double value = 0;
  std::string_view unit;
  ConstantKind kind = ConstantKind::ProjectDefault;
  std::string_view source;
  double least = 0;  ///< what a rules file may set it to
  double most = 4096;
  bool is_whole = true;   ///< counted: fractions make no sense
  std::string from = {};  ///< the place in a rules file that set it; empty: the default

  [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(value); }

  bool operator==(const ContractConstant&) const = default;
};

struct ContractConstants {
  // The host's own share.
  ContractConstant hypervisor_cores{"hypervisorCores",
                                    "cores kept for the hypervisor, of each socket",
                                    2,
                                    "cores",
                                    ConstantKind::ProjectDefault,
                                    "chosen by this project"};
  ContractConstant usable_memory{"usableMemory",
                                 "host memory that VMs may have",
                                 94,
                                 "%",
                                 ConstantKind::ProjectDefault,
                                 "chosen by this project",
                                 1,
                                 100};

  // Step 1: vCPU.
  ContractConstant system_vcpus{
      "systemVcpus", "operating system and agents", 2,
      "vCPU",        ConstantKind::ProjectDefault,  "driver, kubelet, exporter"};
  ContractConstant whole_device_floor{
      "wholeDeviceFloor",    "least for a language model on a whole device",  8, "vCPU",
      ConstantKind::Sourced, "NVIDIA NIM for LLMs: x86 with at least 8 cores"};
  ContractConstant fraction_floor{
      "fractionFloor", "least for a fraction",       4,
      "vCPU",          ConstantKind::ProjectDefault, "cloud shapes start at 4 vCPU per GPU"};
  ContractConstant cores_per_gpu{"coresPerGpu",
                                 "recommended cores per GPU",
                                 6,
                                 "vCPU",
                                 ConstantKind::Sourced,
                                 "NVIDIA-Certified Systems configuration guide, inference, read in "
                                 "quotation"};
  ContractConstant sequences_per_vcpu{
      "sequencesPerVcpu",
      "sequences in flight that one vCPU tokenizes",
      64,
      "sequences",
      ConstantKind::ProjectDefault,
      "vLLM's API server is bound by CPU; arXiv 2603.22774 measures its effect",
      1};
  ContractConstant media_vcpus{
      "mediaVcpus",          "media loading, for each API server",          8, "vCPU",
      ConstantKind::Sourced, "vLLM: 8 media-loading threads per API server"};
  ContractConstant notebook_vcpus{
      "notebookVcpus", "notebook on half a device or more", 8,
      "vCPU",          ConstantKind::ProjectDefault,        "chosen by this project"};
  ContractConstant training_vcpus{"trainingVcpus",
                                  "training, for each GPU",
                                  12,
                                  "vCPU",
                                  ConstantKind::Sourced,
                                  "AWS p5: 96 cores / 8 GPUs; DGX H100: 112 / 8 = 14"};
  ContractConstant performance_factor{"performanceFactor",
                                      "performance tier",
                                      1.5,
                                      "times the recommended vCPU",
                                      ConstantKind::ProjectDefault,
                                      "chosen by this project",
                                      1,
                                      16,
                                      false};
  ContractConstant overcommit_guaranteed{
      "overcommitGuaranteed",       "overcommit of qos guaranteed", 1, "vCPU per core",
      ConstantKind::ProjectDefault, "chosen by this project",       1};
  ContractConstant overcommit_engine{
      "overcommitEngine",           "overcommit of qos engine", 2, "vCPU per core",
      ConstantKind::ProjectDefault, "chosen by this project",   1};
  ContractConstant overcommit_best_effort{
      "overcommitBestEffort",       "overcommit of qos best-effort", 4, "vCPU per core",
      ConstantKind::ProjectDefault, "chosen by this project",        1};

  // Step 2: memory.
  ContractConstant system_memory{"systemMemory",
                                 "operating system",
                                 8,
                                 "GiB",
                                 ConstantKind::Sourced,
                                 "NVIDIA NIM: 5-10 GB for the operating system",
                                 0,
                                 4096,
                                 false};
  ContractConstant server_memory{"serverMemory",
                                 "each API server and each data-parallel engine",
                                 2,
                                 "GiB",
                                 ConstantKind::ProjectDefault,
                                 "vLLM: Python and caches of the front end",
                                 0,
                                 4096,
                                 false};
  ContractConstant worker_memory{"workerMemory",
                                 "each GPU worker",
                                 4,
                                 "GiB",
                                 ConstantKind::ProjectDefault,
                                 "vLLM: CUDA context, Python and a 4 GiB multimodal cache",
                                 0,
                                 4096,
                                 false};
  ContractConstant loader_memory{"loaderMemory",
                                 "each data-loader worker",
                                 1.5,
                                 "GiB",
                                 ConstantKind::ProjectDefault,
                                 "chosen by this project",
                                 0,
                                 4096,
                                 false};
  ContractConstant shared_memory_one{"sharedMemoryOne",
                                     "shared memory with one GPU",
                                     2,
                                     "GiB",
                                     ConstantKind::Sourced,
                                     "vLLM, Deploying with Kubernetes: 2 GiB",
                                     0,
                                     4096,
                                     false};
  ContractConstant shared_memory_linked{"sharedMemoryLinked",
                                        "shared memory with several linked GPUs",
                                        8,
                                        "GiB",
                                        ConstantKind::ProjectDefault,
                                        "chosen by this project",
                                        0,
                                        4096,
                                        false};
  ContractConstant shared_memory_unlinked{"sharedMemoryUnlinked",
                                          "shared memory with several GPUs without NVLink",
                                          16,
                                          "GiB",
                                          ConstantKind::Sourced,
                                          "NVIDIA NIM: 16 GB for multi-GPU without NVLink",
                                          0,
                                          4096,
                                          false};
  ContractConstant unknown_shard{"unknownShard",
                                 "largest shard of an unknown checkpoint",
                                 5,
                                 "GiB",
                                 ConstantKind::ProjectDefault,
                                 "Hugging Face writes shards of up to 5 GB",
                                 0,
                                 4096,
                                 false};
  ContractConstant ratio_llm{"ratioLlm",
                             "host memory to GPU memory, language model",
                             1.5,
                             "",
                             ConstantKind::ProjectDefault,
                             "NVIDIA-Certified: 1.5 to 2; cloud shapes 0.67 to 4.0",
                             0,
                             64,
                             false};
  ContractConstant ratio_embed{"ratioEmbed",
                               "host memory to GPU memory, embeddings",
                               1.0,
                               "",
                               ConstantKind::ProjectDefault,
                               "cloud shapes 0.67 to 4.0",
                               0,
                               64,
                               false};
  ContractConstant ratio_notebook{"ratioNotebook",
                                  "host memory to GPU memory, notebook",
                                  2.0,
                                  "",
                                  ConstantKind::ProjectDefault,
                                  "NVIDIA-Certified: 2",
                                  0,
                                  64,
                                  false};
  ContractConstant ratio_train{"ratioTrain",
                               "host memory to GPU memory, training",
                               2.0,
                               "",
                               ConstantKind::ProjectDefault,
                               "NVIDIA-Certified: 2",
                               0,
                               64,
                               false};
  ContractConstant notebook_least_memory{"notebookLeastMemory",
                                         "least for a notebook",
                                         16,
                                         "GiB",
                                         ConstantKind::ProjectDefault,
                                         "chosen by this project",
                                         0,
                                         4096,
                                         false};
  ContractConstant notebook_memory{"notebookMemory",
                                   "notebook, recommended",
                                   32,
                                   "GiB",
                                   ConstantKind::ProjectDefault,
                                   "chosen by this project",
                                   0,
                                   4096,
                                   false};

  // Step 4: memory-mapped I/O.
  ContractConstant mmio_floor{"mmioFloor", "least 64-bit MMIO space", 64,
                              "GiB",       ConstantKind::Sourced,     "Broadcom KB 323402"};
  ContractConstant mmio_factor{"mmioFactor",
                               "MMIO space to device memory, each a power of two",
                               2,
                               "",
                               ConstantKind::Sourced,
                               "Broadcom KB 323402",
                               1,
                               16};

  // Step 7: pause of a live migration.
  ContractConstant pause_base{"pauseBase",
                              "pause without any memory to move",
                              1.5,
                              "s",
                              ConstantKind::ProjectDefault,
                              "fitted to the vSphere 7 table of V100 profiles at 10 Gb/s",
                              0,
                              3600,
                              false};
  ContractConstant link_efficiency{"linkEfficiency",
                                   "share of the vMotion link that carries memory",
                                   0.65,
                                   "",
                                   ConstantKind::ProjectDefault,
                                   "fitted to the vSphere 7 table of V100 profiles at 10 Gb/s",
                                   0.01,
                                   1,
                                   false};
  ContractConstant migration_ceiling{"migrationCeiling",
                                     "most that a migration moves",
                                     80,
                                     "Gb/s",
                                     ConstantKind::Sourced,
                                     "vSphere 8.0 U1",
                                     0.1,
                                     1000,
                                     false};

  // Beside the VM: its disk, and a pod on a node.
  ContractConstant disk_reserve{"diskReserve",
                                "beside the weights on disk, for a download's temporary files",
                                20,
                                "%",
                                ConstantKind::ProjectDefault,
                                "Hugging Face writes a file aside and moves it",
                                0,
                                1000};
  ContractConstant node_cpus{"nodeCpus",
                             "kept of a pod for the node's own services",
                             1,
                             "CPU",
                             ConstantKind::ProjectDefault,
                             "chosen by this project",
                             0,
                             64};
  ContractConstant node_memory{"nodeMemory",
                               "least memory kept of a pod for the node's own services",
                               2,
                               "GiB",
                               ConstantKind::ProjectDefault,
                               "chosen by this project",
                               0,
                               64,
                               false};
  ContractConstant node_memory_part{"nodeMemoryPart",
                                    "part of its memory that is kept of a pod",
                                    5,
                                    "%",
                                    ConstantKind::ProjectDefault,
                                    "chosen by this project",
                                    1,
                                    50,
                                    false};

  /// In the order above.
  [[nodiscard]] std::vector<const ContractConstant*> all() const;
  /// By the name that a rules file uses; nullptr where there is none.
  [[nodiscard]] ContractConstant* find(std::string_view key);

  bool operator==(const ContractConstants&) const = default;
};

}  // namespace gpushape::advise
