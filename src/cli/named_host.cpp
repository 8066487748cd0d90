#include "cli/named_host.hpp"

#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "cli/document_files.hpp"
#include "inventory/embedded_hosts.hpp"
#include "inventory/sources.hpp"

namespace gpushape::cli {
namespace {

bool is_file(const std::string& given) {
  std::error_code ignored;
  return given == "-" || given.find('/') != std::string::npos ||
         std::filesystem::exists(given, ignored);
}

Diagnostics use_ids(domain::Host& host, const profiles::Profiles& profiles) {
  std::string last_name;
  std::string last_id;
  for (domain::HostGpu& gpu : host.gpus) {
    if (gpu.device != last_name) {
      const Result<domain::Device> device = profiles.find(gpu.device);
      if (!device) return device.error();
      last_name = gpu.device;
      last_id = device->id;
    }
    gpu.device = last_id;
  }
  return {};
}

}  // namespace

Result<domain::Host> named_host(const std::string& given, const profiles::Profiles& profiles,
                                const std::string& gpu) {
  // A wish such as "4xl40s" or "any" says nothing of the server.
  const std::optional<document::Document> instance = inventory::named_host(given);
  if (!is_file(given) && !instance) {
    const bool is_device = !gpu.empty() && profiles.find(gpu).has_value();
    return profiles.server(given, is_device ? gpu : std::string());
  }
  const Result<std::vector<document::Document>> documents =
      instance ? std::vector{*instance} : read_documents(given);
  if (!documents) return std::unexpected(documents.error());
  Result<domain::Host> host = inventory::read_server(documents->front());
  if (!host) return host;
  if (Diagnostics faults = use_ids(*host, profiles); !faults.empty()) {
    return failure(std::move(faults));
  }
  return host;
}

}  // namespace gpushape::cli
