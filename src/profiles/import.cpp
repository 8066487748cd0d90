#include "profiles/import.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "domain/profile_memory.hpp"
#include "profiles/import_entry.hpp"
#include "profiles/printed.hpp"

namespace gpushape::profiles {
namespace {

using domain::Device;
using domain::Profile;
using domain::Technology;

bool has_product(const Device& device, const std::string& product) {
  return std::ranges::find(device.product_names, product) != device.product_names.end();
}

bool has_instance(const Device& device, const PrintedInstance& printed) {
  return std::ranges::any_of(device.profiles, [&](const Profile& profile) {
    return profile.technology == Technology::Mig && domain::is_named(profile, printed.name) &&
           (!profile.multiprocessors || *profile.multiprocessors == printed.multiprocessors) &&
           is_printed_size(profile.frame_buffer_bytes, printed.gib);
  });
}

bool has_type(const Device& device, const PrintedType& printed) {
  return std::ranges::any_of(device.profiles, [&](const Profile& profile) {
    return profile.technology != Technology::Mig && profile.type == printed.type;
  });
}

class Import {
 public:
  Import(const Profiles& tables, std::vector<Device> devices)
      : tables_(tables), devices_(std::move(devices)) {}

  Result<std::vector<ImportedDevice>> run(std::vector<PrintedGpu> gpus, const std::string& named) {
    std::optional<Device> given;
    if (!named.empty()) {
      Result<Device> found = tables_.find(named);
      if (!found) return std::unexpected(found.error());
      given = *std::move(found);
    }
    for (const PrintedGpu& gpu : gpus) {
      if (const Diagnostics faults = take(gpu, gpus, given); !faults.empty()) {
        return failure(faults);
      }
    }
    std::vector<ImportedDevice> imported;
    for (auto& [id, entry] : entries_) {
      Result<ImportedDevice> device = entry.finish();
      if (!device) return std::unexpected(device.error());
      imported.push_back(*std::move(device));
    }
    return imported;
  }

 private:
  Diagnostics take(const PrintedGpu& gpu, const std::vector<PrintedGpu>& all,
                   const std::optional<Device>& given) {
    const PrintedGpu* named = gpu.product.empty() ? product_of(gpu, all) : &gpu;
    if (named != nullptr && named->is_guest) {
      const Device* parent = parent_of(named->product);
      if (parent == nullptr) {
        return {fault(gpu, fmt::format("'{}' is a vGPU of no GPU that is known", named->product),
                      "import what the host below prints")};
      }
      entry_of(*parent).take_guest(*named);
      return {};
    }
    const Device* device = nullptr;
    if (given) {
      device = &*given;
    } else if (named != nullptr) {
      Result<const Device*> found = device_of(*named);
      if (!found) return found.error();
      device = *found;
    } else {
      Result<const Device*> found = device_of_rows(gpu);
      if (!found) return found.error();
      device = *found;
    }
    EntryOf& entry = device != nullptr ? entry_of(*device) : new_entry(*named);
    entry.take(gpu, named == nullptr ? std::string() : named->driver);
    return {};
  }

  static Diagnostic fault(const PrintedGpu& gpu, std::string message, std::string help) {
    return {.message = std::move(message),
            .span = gpu.span,
            .excerpt = {},
            .label = {},
            .help = std::move(help)};
  }

  /// The GPU of -q -x that a listing means by index or address.
  static const PrintedGpu* product_of(const PrintedGpu& listed,
                                      const std::vector<PrintedGpu>& all) {
    std::set<std::string> files;
    const PrintedGpu* found = nullptr;
    for (const PrintedGpu& gpu : all) {
      if (gpu.product.empty()) continue;
      files.insert(gpu.file);
      const bool is_same =
          listed.index >= 0 ? gpu.index == listed.index : gpu.address == listed.address;
      if (is_same) found = &gpu;
    }
    return files.size() == 1 ? found : nullptr;  // two hosts count from 0 both
  }

  /// nullptr for a GPU that no table knows.
  Result<const Device*> device_of(const PrintedGpu& gpu) {
    std::vector<const Device*> candidates;
    for (const Device& device : devices_) {
      if (has_product(device, gpu.product)) candidates.push_back(&device);
    }
    if (candidates.size() != 1) {
      std::vector<const Device*> of_chip;
      for (const Device& device : devices_) {
        if (gpu.pci_device.empty()) break;
        if (std::ranges::find(device.pci_devices, gpu.pci_device) == device.pci_devices.end()) {
          continue;
        }
        const bool is_possible =
            candidates.empty() || std::ranges::find(candidates, &device) != candidates.end();
        if (is_possible) of_chip.push_back(&device);
      }
      if (!of_chip.empty()) candidates = std::move(of_chip);
    }
    if (candidates.size() > 1) {
      return failure(fault(gpu,
                           fmt::format("'{}' may be any of {}", gpu.product, ids_of(candidates)),
                           "name one of them with --gpu"));
    }
    return candidates.empty() ? nullptr : candidates.front();
  }

  static std::string ids_of(const std::vector<const Device*>& devices) {
    std::vector<std::string> ids;
    ids.reserve(devices.size());
    for (const Device* device : devices) ids.push_back(device->id);
    return fmt::format("{}", fmt::join(ids, ", "));
  }

  /// The device whose table has every listed row.
  Result<const Device*> device_of_rows(const PrintedGpu& gpu) {
    std::vector<const Device*> candidates;
    for (const Device& device : devices_) {
      const bool has_instances = std::ranges::all_of(
          gpu.instances,
          [&](const PrintedInstance& instance) { return has_instance(device, instance); });
      const bool has_types = std::ranges::all_of(gpu.types, [&](const PrintedType& type) {
        return !type.is_compute || has_type(device, type);
      });
      const bool says_something =
          !gpu.instances.empty() || std::ranges::any_of(gpu.types, &PrintedType::is_compute);
      if (says_something && has_instances && has_types) candidates.push_back(&device);
    }
    const std::string who =
        gpu.index >= 0 ? fmt::format("GPU {}", gpu.index) : fmt::format("GPU {}", gpu.address);
    constexpr const char* kHelp =
        "name it with --gpu, or give nvidia-smi -q -x of the host as well";
    if (candidates.empty()) {
      return failure(
          fault(gpu, fmt::format("{}: the listing does not say which GPU it is", who), kHelp));
    }
    if (candidates.size() > 1) {
      return failure(
          fault(gpu, fmt::format("{} may be any of {}", who, ids_of(candidates)), kHelp));
    }
    return candidates.front();
  }

  /// The device that a guest's vGPU is of: "GRID A100X-20C".
  const Device* parent_of(const std::string& product) const {
    const std::size_t blank = product.find(' ');
    const std::string type = blank == std::string::npos ? product : product.substr(blank + 1);
    for (const Device& device : devices_) {
      for (const Profile& profile : device.profiles) {
        if (profile.technology != Technology::Mig && profile.type == type) return &device;
      }
    }
    return nullptr;
  }

  EntryOf& entry_of(const Device& device) {
    const auto known = entries_.find(device.id);
    if (known != entries_.end()) return known->second;
    return entries_.emplace(device.id, EntryOf(device, *tables_.document_of(device.id)))
        .first->second;
  }

  EntryOf& new_entry(const PrintedGpu& gpu) {
    EntryOf entry(gpu);
    const std::string id = entry.id();
    const auto known = entries_.find(id);
    if (known != entries_.end()) return known->second;
    return entries_.emplace(id, std::move(entry)).first->second;
  }

  const Profiles& tables_;
  std::vector<Device> devices_;
  std::map<std::string, EntryOf> entries_;
};

template <class T>
void append(std::vector<T>& all, const std::vector<T>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

/// Sizes and places of one GPU often come in two files.
std::vector<PrintedGpu> joined_listings(const std::vector<PrintedGpu>& gpus) {
  std::vector<PrintedGpu> joined;
  for (const PrintedGpu& gpu : gpus) {
    const auto same = std::ranges::find_if(joined, [&](const PrintedGpu& other) {
      return gpu.product.empty() && other.product.empty() && gpu.index == other.index &&
             gpu.address == other.address;
    });
    if (same == joined.end()) {
      joined.push_back(gpu);
      continue;
    }
    append(same->instances, gpu.instances);
    append(same->places, gpu.places);
    append(same->types, gpu.types);
  }
  return joined;
}

}  // namespace

Result<std::vector<ImportedDevice>> import_printed(const std::vector<ImportText>& texts,
                                                   const Profiles& tables, const std::string& gpu) {
  Diagnostics faults;
  std::vector<PrintedGpu> printed_gpus;
  for (const ImportText& text : texts) {
    const bool is_xml =
        std::string_view(text.text).substr(0, 4096).find("<nvidia_smi_log") != std::string::npos ||
        text.text.starts_with("<?xml");
    Result<std::vector<PrintedGpu>> printed = is_xml ? read_printed_xml(text.text, text.name)
                                                     : read_printed_listing(text.text, text.name);
    if (!printed) {
      faults.insert(faults.end(), printed.error().begin(), printed.error().end());
      continue;
    }
    append(printed_gpus, *printed);
  }
  if (!faults.empty()) return failure(std::move(faults));
  Result<std::vector<Device>> devices = tables.all();
  if (!devices) return std::unexpected(devices.error());
  std::vector<PrintedGpu> gpus = joined_listings(printed_gpus);
  // Products first: a listing may come before the XML that names its GPU.
  std::ranges::stable_partition(gpus, [](const PrintedGpu& one) { return !one.product.empty(); });
  return Import(tables, *std::move(devices)).run(std::move(gpus), gpu);
}

}  // namespace gpushape::profiles
