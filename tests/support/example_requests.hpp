// Contract requests as the worked examples have them where they do not say.
#pragma once

#include <algorithm>
#include <string_view>
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

/// Whether a note of that id has those words.
inline bool has_note(const domain::ResourceContract& contract, std::string_view id,
                     std::string_view part = {}) {
  return std::ranges::any_of(contract.notes, [&](const domain::ContractNote& note) {
    return note.id == id && note.says.find(part) != std::string::npos;
  });
}

}  // namespace gpushape::example
