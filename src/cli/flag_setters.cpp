#include "cli/flag_setters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "advise/capability.hpp"
#include "base/calendar.hpp"
#include "catalog/quantization_names.hpp"
#include "inventory/import.hpp"
#include "inventory/seen.hpp"
#include "place/decide.hpp"

namespace gpushape::cli {

Result<std::string> text_of(const Given& given) {
  if (given.text.empty()) return failure(fmt::format("{}: the value is empty", given.flag));
  return given.text;
}

std::vector<std::string> split_commas(const std::string& text) {
  std::vector<std::string> parts;
  std::string part;
  for (const char letter : text + ",") {
    if (letter != ',') {
      part += letter;
    } else if (!part.empty()) {
      parts.push_back(std::exchange(part, {}));
    }
  }
  return parts;
}

Diagnostics add_list(std::vector<std::string>& target, const Given& given) {
  const std::vector<std::string> parts = split_commas(given.text);
  if (parts.empty()) return {complaint(fmt::format("{}: the list is empty", given.flag))};
  std::ranges::copy(parts, std::back_inserter(target));
  return {};
}

Diagnostics set_list(std::vector<std::string>& target, const Given& given) {
  const std::vector<std::string> parts = split_commas(given.text);
  if (parts.empty()) return {complaint(fmt::format("{}: the list is empty", given.flag))};
  target = parts;
  return {};
}

Diagnostics set_requirements(std::vector<std::string>& target, const Given& given) {
  std::vector<std::string> known;
  for (const advise::CapabilityRow& row : advise::capabilities()) known.emplace_back(row.name);
  for (const std::string& word : split_commas(given.text)) {
    if (!advise::is_capability(word)) {
      return {complaint(fmt::format("{}: '{}' is not known", given.flag, word),
                        suggestion(word, known,
                                   fmt::format("expected some of {}, or a memory as 80gb",
                                               fmt::join(known, ", "))))};
    }
  }
  return set_list(target, given);
}

Diagnostics set_most_per_host(Invocation& in, const Given& given) {
  const Result<std::int64_t> count = parse_count(given, 1, kMostSequences);
  if (!count) return count.error();
  in.workload.placement.most_per_host = *count;
  return {};
}

Diagnostics set_addresses(Invocation& in, const Given& given) {
  std::vector<std::string> addresses = split_commas(given.text);
  if (addresses.empty()) return {complaint(fmt::format("{}: the list is empty", given.flag))};
  for (std::string& text : addresses) {
    std::string address = inventory::pci_address_of(text);
    if (address.empty()) {
      return {complaint(fmt::format("{}: '{}' is no PCI address", given.flag, text),
                        "write domain, bus, device and function: 0000:3b:00.0")};
    }
    text = std::move(address);
  }
  for (auto address = addresses.begin(); address != addresses.end(); ++address) {
    if (std::find(addresses.begin(), address, *address) == address) continue;
    return {complaint(fmt::format("{}: {} is named twice", given.flag, *address))};
  }
  in.workload.placement.pci_addresses = std::move(addresses);
  return {};
}

Diagnostics set_adapters(Invocation& in, const Given& given) {
  Result<domain::Adapters> adapters = parse_adapters(given);
  if (!adapters) return adapters.error();
  in.workload.adapters = *std::move(adapters);
  return {};
}

Diagnostics set_flash_attention(Invocation& in, const Given& given) {
  if (given.text == "on" || given.text == "off") {
    put(in.workload.engine.flash_attention, given.text == "on", given);
    return {};
  }
  return {complaint(fmt::format("{}: '{}' is neither on nor off", given.flag, given.text))};
}

Diagnostics set_draft(Invocation& in, const Given& given) {
  Result<std::string> name = text_of(given);
  if (!name) return name.error();
  in.workload.engine.draft_model = domain::DraftModel{
      .name = {*std::move(name), domain::Origin::Flag, std::string(given.flag)}, .model = nullptr};
  return {};
}

Diagnostics set_ceiling(Invocation& in, const Given& given) {
  const Result<Bytes> bytes = parse_bytes(given);
  if (!bytes) return bytes.error();
  if (bytes->count() == 0) return {complaint(fmt::format("{}: 0 bytes hold nothing", given.flag))};
  if (!in.workload.demand) in.workload.demand.emplace();
  in.workload.demand->ceiling_bytes = *bytes;
  in.workload.demand->from = std::string(given.flag);
  return {};
}

std::vector<std::string> kubernetes_versions() { return {"1.32", "1.33", "1.34", "1.35", "1.36"}; }
std::vector<std::string> vm_operator_releases() { return {"8.0.3", "9.0.0", "9.0.1", "9.1.0"}; }
std::vector<std::string> policy_names() {
  std::vector<std::string> names;
  for (const place::PolicyRow& row : place::policies()) names.emplace_back(row.name);
  names.emplace_back(place::kExactPolicy);
  return names;
}
std::vector<std::string> import_source_names() {
  std::vector<std::string> names;
  for (const inventory::ImportRow& row : inventory::import_sources()) names.emplace_back(row.name);
  return names;
}
std::vector<std::string> color_choices() { return {"auto", "always", "never"}; }

Diagnostics set_word(std::string& target, const Given& given,
                     const std::vector<std::string>& known) {
  if (std::ranges::find(known, given.text) == known.end()) {
    return {complaint(
        fmt::format("{}: '{}' is not known", given.flag, given.text),
        suggestion(given.text, known, fmt::format("expected one of {}", fmt::join(known, ", "))))};
  }
  target = given.text;
  return {};
}

Diagnostics add_label(Invocation& in, const Given& given) {
  const std::size_t equals = given.text.find('=');
  if (equals == std::string::npos || equals == 0) {
    return {complaint(fmt::format("{}: '{}' is no KEY=VALUE", given.flag, given.text))};
  }
  in.labels.push_back({given.text.substr(0, equals), given.text.substr(equals + 1)});
  return {};
}

Diagnostics set_lifetime(Invocation& in, const Given& given) {
  const std::optional<std::int64_t> seconds = parse_duration(given.text);
  if (!seconds) {
    return {complaint(fmt::format("{}: '{}' is no duration", given.flag, given.text),
                      "write a number and s, m, h or d: 8h, 90m, 14d")};
  }
  put(in.workload.lifetime_seconds, *seconds, given);
  return {};
}

Diagnostics set_today(Invocation& in, const Given& given) {
  in.as_of = parse_date(given.text);
  if (in.as_of) return {};
  return {complaint(fmt::format("{}: '{}' is no day", given.flag, given.text),
                    "write it as 2026-11-28")};
}

Diagnostics set_quantization(Invocation& in, const Given& given) {
  if (!catalog::is_as_stored(given.text))
    return set(in.workload.quantization, catalog::parse_quantization(given.text), given);
  in.workload.quantization.reset();
  return {};
}

Diagnostics set_color(Invocation& in, const Given& given) {
  std::string word;
  Diagnostics faults = set_word(word, given, color_choices());
  if (faults.empty()) {
    in.color = ColorChoice::Auto;
    if (word == "always") in.color = ColorChoice::Always;
    if (word == "never") in.color = ColorChoice::Never;
  }
  return faults;
}

}  // namespace gpushape::cli
