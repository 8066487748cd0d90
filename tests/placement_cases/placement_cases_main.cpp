// placement-cases FILE…: holds the placement core against files of cases with exact answers.
//
// Prints each difference and "N passed, N failed, N skipped"; exit status 1 on a difference, 2
// where a file cannot be read. The GPU geometry is that of a catalog.json among the files or beside
// the first of them; without one, that of the built-in profile tables. A catalog that is named is
// itself held against the tables.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "answers.hpp"
#include "base/diagnostic.hpp"
#include "case_input.hpp"
#include "document/text_format.hpp"
#include "profiles/profiles.hpp"

namespace {

using gpushape::Diagnostics;
using gpushape::Result;
using gpushape::document::Document;
using gpushape::document::Node;
using gpushape::place::DeviceGeometry;
using gpushape::place::ProfileGeometry;
using placement_cases::at;

constexpr double kTolerance = 1e-6;
constexpr int kBadInput = 2;

Result<Document> read(const std::string& file) {
  const auto text = gpushape::document::read_file(file);
  if (!text) return std::unexpected(text.error());
  return gpushape::document::read_json(*text, file);
}

std::string short_json(const Node& node) {
  std::string text = gpushape::document::write_json(node);
  std::erase(text, '\n');
  constexpr std::size_t kMost = 160;
  return text.size() > kMost ? text.substr(0, kMost) + "…" : text;
}

/// Every place where the two trees differ; the order of a mapping's entries does not count.
void compare(const Node& expected, const Node& found, const std::string& path,
             std::vector<std::string>& differences) {
  const auto differ = [&] {
    differences.push_back(
        fmt::format("{}: expected {}, found {}", path, short_json(expected), short_json(found)));
  };
  if (expected.is_number() && found.is_number()) {
    if (!(std::abs(expected.number() - found.number()) <= kTolerance)) differ();
    return;
  }
  if (expected.kind() != found.kind()) return differ();
  if (expected.is(Node::Kind::Sequence)) {
    if (expected.items().size() != found.items().size()) return differ();
    for (std::size_t i = 0; i < expected.items().size(); ++i) {
      compare(expected.items()[i], found.items()[i], fmt::format("{}[{}]", path, i), differences);
    }
    return;
  }
  if (!expected.is(Node::Kind::Mapping)) {
    if (!(expected == found)) differ();
    return;
  }
  for (const Node::Entry& entry : expected.entries()) {
    const std::string place = path.empty() ? entry.name : path + "." + entry.name;
    if (const Node* const other = found.find(entry.name)) {
      compare(entry.value, *other, place, differences);
    } else {
      differences.push_back(fmt::format("{}: not answered", place));
    }
  }
  for (const Node::Entry& entry : found.entries()) {
    if (expected.find(entry.name) == nullptr) {
      differences.push_back(fmt::format("{}.{}: not expected", path, entry.name));
    }
  }
}

/// Devices as the case files name them, and their ids in our tables.
struct NamedDevice {
  std::string_view model;
  std::string_view id;
};
constexpr auto kModels = std::to_array<NamedDevice>({
    {"H100-80", "h100-sxm-80"},
    {"A100-80", "a100-sxm4-80"},
    {"A100-40", "a100-sxm4-40"},
    {"H100-94", "h100-nvl-94"},
    {"H200-141", "h200-sxm-141"},
    {"B200-180", "b200-sxm-180"},
    {"A30-24", "a30"},
    {"L40S-48", "l40s"},
    {"L4-24", "l4"},
    {"RTXPRO6000-96", "rtx-pro-6000-se"},
});

std::optional<DeviceGeometry> own_geometry(const gpushape::profiles::Profiles& profiles,
                                           const std::string& model) {
  const auto row = std::ranges::find(kModels, model, &NamedDevice::model);
  const auto device = profiles.find(row == kModels.end() ? std::string_view(model) : row->id);
  if (!device) return std::nullopt;
  DeviceGeometry geometry = gpushape::place::geometry_of(*device);
  geometry.id = model;
  return geometry;
}

std::vector<DeviceGeometry> own_geometries(const gpushape::profiles::Profiles& profiles) {
  std::vector<DeviceGeometry> all;
  for (const NamedDevice& named : kModels) {
    if (auto geometry = own_geometry(profiles, std::string(named.model))) {
      all.push_back(std::move(*geometry));
    }
  }
  return all;
}

/// Profiles of the catalog that our tables place otherwise.
std::vector<std::string> differences_of(const DeviceGeometry& theirs, const DeviceGeometry& ours) {
  std::vector<std::string> differences;
  if (theirs.memory_gb != ours.memory_gb || theirs.mig_slices != ours.mig_slices) {
    differences.emplace_back("the axes differ");
  }
  for (const ProfileGeometry& profile : theirs.profiles) {
    const int index = ours.find(profile.use, profile.name);
    if (index < 0) {
      differences.push_back(fmt::format("{}: not in the table", profile.name));
      continue;
    }
    const ProfileGeometry& own = ours.profiles[static_cast<std::size_t>(index)];
    if (own.size != profile.size || own.starts != profile.starts || own.max != profile.max ||
        own.compute != profile.compute) {
      differences.push_back(fmt::format("{}: other placements", profile.name));
    }
  }
  return differences;
}

struct Tally {
  int passed = 0;
  int failed = 0;

  void count(const std::string& name, const std::vector<std::string>& differences) {
    ++(differences.empty() ? passed : failed);
    for (const std::string& difference : differences) fmt::print("{}: {}\n", name, difference);
  }
};

void check_catalog(const std::vector<DeviceGeometry>& catalog,
                   const gpushape::profiles::Profiles& profiles, Tally& tally) {
  for (const DeviceGeometry& theirs : catalog) {
    const auto ours = own_geometry(profiles, theirs.id);
    tally.count("catalog " + theirs.id,
                ours ? differences_of(theirs, *ours) : std::vector<std::string>{"no such device"});
  }
}

void check_cases(const Node& root, const std::vector<DeviceGeometry>& devices, Tally& tally) {
  for (const Node& one_case : at(root, "cases").items()) {
    std::vector<std::string> differences;
    const Node found = placement_cases::answer(one_case, devices);
    compare(at(one_case, "expect"), found, "", differences);
    tally.count(at(one_case, "id").text(), differences);
  }
}

int refuse(const Diagnostics& diagnostics) {
  fmt::print(stderr, "{}", gpushape::to_text(diagnostics));
  return kBadInput;
}

}  // namespace

int main(int count, char** arguments) {
  const std::vector<std::string> files(arguments + 1, arguments + count);
  if (files.empty()) {
    fmt::print(stderr, "usage: placement-cases FILE…\n");
    return kBadInput;
  }
  const auto profiles = gpushape::profiles::Profiles::open();
  if (!profiles) return refuse(profiles.error());
  std::vector<Document> documents;
  std::vector<DeviceGeometry> devices = own_geometries(*profiles);
  Tally tally;
  for (const std::string& file : files) {
    auto document = read(file);
    if (!document) return refuse(document.error());
    if (document->root.find("cases") == nullptr) {
      devices = placement_cases::read_catalog(document->root);
      check_catalog(devices, *profiles, tally);
    } else {
      documents.push_back(std::move(*document));
    }
  }
  const auto beside = std::filesystem::path(files.front()).parent_path() / "catalog.json";
  if (tally.passed + tally.failed == 0 && std::filesystem::exists(beside)) {
    const auto document = read(beside.string());
    if (!document) return refuse(document.error());
    devices = placement_cases::read_catalog(document->root);
  }
  for (const Document& document : documents) check_cases(document.root, devices, tally);
  fmt::print("{} passed, {} failed\n", tally.passed, tally.failed);
  return tally.failed == 0 ? 0 : 1;
}
