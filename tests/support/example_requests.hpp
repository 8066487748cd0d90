// Contract requests as the worked examples have them where they do not say.
#pragma once

#include <utility>

#include "advise/contract.hpp"

namespace gpushape::example {

constexpr Bytes gigabytes(std::int64_t n) { return Bytes(n * 1'000'000'000); }

/// 32 in flight, loader mmap, shards of 5 GiB, qos engine, tier recommended.
inline advise::ContractRequest request(domain::Device device, domain::Shape shape) {
  advise::ContractRequest made;
  made.device = std::move(device);
  made.shape = std::move(shape);
  made.shard_bytes = gib(5);
  return made;
}

inline advise::ContractRequest with_qos(advise::ContractRequest made, domain::Qos qos) {
  made.wishes.qos.value = qos;
  return made;
}

}  // namespace gpushape::example
