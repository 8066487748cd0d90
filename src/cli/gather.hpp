// From a command line to values: reads the files it names, looks up model, engine, devices and
// host.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "advise/advise.hpp"
#include "base/result.hpp"
#include "catalog/catalog.hpp"
#include "cli/cluster_files.hpp"
#include "cli/flags.hpp"
#include "cli/invocation.hpp"
#include "profiles/profiles.hpp"

namespace gpushape::cli {

struct Gathered {
  domain::Workload workload;
  std::optional<domain::Model> model;
  std::optional<domain::Engine> engine;
  std::optional<LoadedCluster> clusters;  ///< --cluster
  std::vector<advise::Wish> wishes;       ///< in the order of the list; every device of an `any`
};

/// The workload of the -f files with the flags over it, and what was measured; nothing is looked
/// up. The invocation holds the other flags afterwards.
Result<domain::Workload> gather_workload(const ParsedFlags& parsed, Invocation& invocation);

/// Looks the draft model up, where one is named.
Diagnostics take_draft(domain::Workload& workload, const catalog::Catalog& catalog);
/// The trace is read, and what follows from the traffic is worked out once. Without a model no
/// context is cut to what it takes.
Result<domain::Workload> take_traffic(const domain::Workload& workload, const domain::Model* model);

/// Files first, then the flags over them; then the names are looked up. All faults of one stage
/// come together. `platform` is what the targets imply where nobody said.
Result<Gathered> gather(const ParsedFlags& parsed, Invocation& invocation);

/// The same for an invocation whose workload is known already.
Result<Gathered> gather_for(Invocation& invocation);

/// What advice is asked for by what was gathered; thresholds and measurements are the caller's.
advise::AdviceRequest advice_request(const Gathered& gathered);

}  // namespace gpushape::cli
