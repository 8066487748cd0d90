// The consumption rules: from a workload and the GPUs asked for to ranked shapes with reasons.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "advise/contract_constants.hpp"
#include "advise/thresholds.hpp"
#include "base/result.hpp"
#include "domain/advice.hpp"
#include "domain/device.hpp"
#include "domain/engine.hpp"
#include "domain/host.hpp"
#include "domain/model.hpp"
#include "domain/telemetry.hpp"
#include "domain/workload.hpp"
#include "estimate/facts.hpp"

namespace gpushape::advise {

/// One wish of the list, resolved. An `any` expands to every device of the table with the same
/// `rank` and is_any.
struct Wish {
  domain::Device device;
  std::int64_t most = 8;    ///< "4xl40s": up to four
  bool is_counted = false;  ///< the user wrote the count
  int rank = 0;             ///< place in the list; earlier is preferred
  bool is_any = false;
  domain::Host host;          ///< the user's, or the usual server of the device's board
  bool is_usual_host = true;  ///< nobody named a host
};

struct AdviceRequest {
  domain::Workload workload;
  std::optional<domain::Model> model;    ///< absent where the workload declares its demand
  std::optional<domain::Engine> engine;  ///< goes with the model
  std::vector<Wish> wishes;
  std::optional<std::string> profile;  ///< only this one ("40C", "3g.40gb" or a full type name)
  Thresholds thresholds;
  ContractConstants constants;

  // Measured.
  std::optional<domain::EngineTelemetry> telemetry;
  std::optional<domain::DeviceTelemetry> usage;
  std::string
      measured_on;  ///< profile of the first wish that the telemetry ran on; empty: all of it
  std::int64_t measured_pool_tokens = 0;  ///< worked out from the telemetry
};

Result<domain::Advice> advise(const AdviceRequest& asked);

}  // namespace gpushape::advise
