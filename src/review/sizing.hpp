// What a pod needs beside what it asked for: the workload behind the manifest, its estimate, the
// GPUs it would get, and everything that had to be assumed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "domain/advice.hpp"
#include "domain/device.hpp"
#include "domain/engine.hpp"
#include "domain/estimate.hpp"
#include "domain/model.hpp"
#include "domain/workload.hpp"
#include "review/pod_request.hpp"
#include "review/request.hpp"
#include "review/vm_class.hpp"

namespace gpushape::review {

class PublishedTable;

/// The GPU that one device of the pod is, as far as the documents or the user tell.
struct GrantedGpu {
  const domain::Device* device = nullptr;    ///< nullptr: not known
  const domain::Profile* profile = nullptr;  ///< a part of it; nullptr: the whole
  std::optional<Bytes> limit;  ///< of a share that is kept by software: less than the profile
  std::string from;            ///< "node selector nvidia.com/gpu.product", "--gpu"
};

struct Sizing {
  const Container* container = nullptr;  ///< that starts the engine; nullptr: none does
  domain::Workload workload;             ///< as understood from flags, fields, annotations
  std::optional<domain::Model> model;
  std::optional<domain::Engine> engine;
  /// What one device of the pod may be, the likeliest first; several where a claim takes
  /// alternatives. Empty: not known.
  std::vector<GrantedGpu> gpus;
  double gpu_count = 0;  ///< devices or shares of one pod
  /// On the first of `gpus`, or without a device where there is none; empty: see `gap`.
  std::optional<domain::Estimate> estimate;
  std::vector<domain::Assumption> assumptions;
  std::string gap;  ///< why there is no estimate: "no model is named"; empty: there is one
};

/// Sizes pods when a rule asks, each once.
class Sizings {
 public:
  Sizings(const ReviewRequest& request, std::shared_ptr<PublishedTable> published);
  Sizings(const Sizings&) = delete;
  Sizings& operator=(const Sizings&) = delete;
  ~Sizings();

  [[nodiscard]] const Sizing& of(const PodRequest& pod);
  /// What --workload needs on the devices of a VM, which says nothing of it itself.
  [[nodiscard]] const Sizing& of(const VmClass& vm);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The estimate of `sizing` on another of its GPUs; empty where that one cannot be.
std::optional<domain::Estimate> estimate_on(const Sizing& sizing, const GrantedGpu& gpu);
/// The same on its first GPU with another layout, other weights or another demand.
std::optional<domain::Estimate> estimate_with(const Sizing& sizing,
                                              const domain::Workload& workload);

}  // namespace gpushape::review
