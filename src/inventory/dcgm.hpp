// GPU telemetry from Prometheus' answers (query or query_range) for the metrics of the DCGM
// exporter: DCGM_FI_PROF_GR_ENGINE_ACTIVE, DCGM_FI_DEV_GPU_UTIL, DCGM_FI_DEV_FB_USED. Other metrics
// of the answer are passed over.
#pragma once

#include <vector>

#include "base/result.hpp"
#include "document/node.hpp"
#include "domain/usage.hpp"

namespace gpushape::inventory {

Result<std::vector<domain::UsageSeries>> read_usage(const document::Document& document);

}  // namespace gpushape::inventory
