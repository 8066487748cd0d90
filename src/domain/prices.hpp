// What GPUs cost by the hour, as the user states it: no price is built in.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gpushape::domain {

struct Price {
  std::string device;     ///< device id
  std::string instance;   ///< that is rented as a whole; empty: the GPU alone has a price
  std::int64_t gpus = 1;  ///< of the instance
  double per_hour = 0;    ///< of the GPU, or of the whole instance
  std::optional<double> tokens_per_second;  ///< of one GPU under this workload, where measured

  bool operator==(const Price&) const = default;
};

struct PriceList {
  std::string currency;  ///< "USD"
  std::vector<Price> prices;
  std::string source;  ///< the file, and what it says of itself

  bool operator==(const PriceList&) const = default;
};

/// What a shape costs with all its replicas.
struct Cost {
  double per_hour = 0;
  std::optional<double> per_million_tokens;
  std::string currency;
  std::string basis;  ///< how it comes about

  bool operator==(const Cost&) const = default;
};

}  // namespace gpushape::domain
