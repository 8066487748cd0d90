// What a device must be able to do, apart from memory: number formats of the model, and what the
// user requires.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "advise/advise.hpp"
#include "domain/advice.hpp"

namespace gpushape::advise {

/// A capability that `--require` may name.
struct CapabilityRow {
  std::string_view name;
  std::string_view description;
  bool (*is_there)(const Wish&);
};
std::span<const CapabilityRow> capabilities();

/// A row's name, or a least memory ("80gb", as the names of devices count).
bool is_capability(std::string_view word);
/// What the wish lacks of it, in words; empty where it lacks nothing.
std::string lacking(std::string_view word, const Wish& wish);

/// What the device lacks; nothing where it lacks nothing.
std::optional<domain::Reason> missing_capability(const AdviceRequest& request, const Wish& wish);

/// A format that the device holds but does not compute in (fp8 weights before Ada).
std::optional<domain::Reason> emulated_format(const AdviceRequest& request, const Wish& wish);

}  // namespace gpushape::advise
