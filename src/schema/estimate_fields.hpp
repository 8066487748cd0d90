// The parts of an Estimate's document form that stand elsewhere as well.
#pragma once

#include <vector>

#include "document/node.hpp"
#include "domain/advice.hpp"
#include "domain/estimate.hpp"

namespace gpushape::schema {

/// The sums by part, and the total.
document::Node per_gpu_node(const domain::Estimate& estimate);
document::Node all_gpus_node(const domain::AllGpus& all);
document::Node capacity_node(const domain::Estimate& estimate);
document::Node traffic_node(const domain::CacheDemand& demand);
document::Node solution_node(const domain::Solution& solution);
document::Node to_node(const domain::Term& term);
document::Node facts_node(const std::vector<domain::Assumption>& facts);

/// Context and concurrency are known, so that the total holds the KV cache. Otherwise it is the
/// total of everything but the KV cache.
bool demand_is_known(const domain::Estimate& estimate);

}  // namespace gpushape::schema
