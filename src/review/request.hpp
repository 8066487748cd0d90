// What a review is given: the documents, the tables it looks things up in, and what the user says
// of the platform. Borrows all of it.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "advise/thresholds.hpp"
#include "catalog/catalog.hpp"
#include "document/node.hpp"
#include "domain/cluster.hpp"
#include "domain/device.hpp"
#include "domain/usage.hpp"
#include "domain/workload.hpp"

namespace gpushape::review {

struct ReviewRequest {
  std::span<const document::Document> documents;  ///< of all files, in the order given
  std::span<const domain::Device> devices;        ///< the profile tables
  const catalog::Catalog* catalog = nullptr;      ///< nullptr: no model is known, nothing is sized
  const domain::Workload* workload = nullptr;  ///< --workload: fills what the manifests leave open
  std::vector<std::string> gpus = {};          ///< --gpu: what the nodes have, by device id
  const domain::Cluster* cluster = nullptr;    ///< --cluster
  std::string kubernetes = {};                 ///< --k8s: "1.34"; empty: not said
  std::string vm_operator = {};                ///< --vm-operator-release; empty: not said
  std::vector<std::string> only = {};          ///< --rule: ids or their first letters; empty: all
  std::vector<std::string> skipped = {};       ///< --skip
  bool wants_checklist = false;                ///< --checklist
  std::optional<std::chrono::sys_days> as_of = std::nullopt;  ///< --as-of
  std::span<const domain::UsageSeries> usage = {};            ///< --usage: telemetry of GPUs
  advise::Thresholds thresholds = {};                         ///< as --rules sets them
};

}  // namespace gpushape::review
