// What `nvidia-smi -q -x` prints of one host: products, PCI addresses, UUIDs, MIG mode and who runs
// there. Source of the element names: nvsmi_device_v12.dtd, v13.
//
// MIG instances come without profile and start, so only those that a process runs in are told, by
// their memory; a host with vGPUs does not name their profiles, and its busy GPUs are left to the
// vSphere export.
#include <fmt/format.h>

#include <charconv>
#include <map>

#include "document/xml.hpp"
#include "inventory/import.hpp"

namespace gpushape::inventory {

using document::XmlElement;
using domain::GpuMode;

namespace {

constexpr std::size_t kMostGpus = 64;  // limits are ours
constexpr std::size_t kMostProcesses = 100'000;

/// "40448 MiB"; absent for "N/A".
std::optional<Bytes> mebibytes(const std::string& text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  constexpr std::int64_t kMost = std::int64_t{1} << 40;
  if (error != std::errc() || value < 0 || value > kMost) return std::nullopt;
  if (std::string_view(end, text.data() + text.size()) != " MiB") return std::nullopt;
  return mib(value);
}

std::optional<std::int64_t> whole_in_smi(const std::string& text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_whole = error == std::errc() && end == text.data() + text.size() && value >= 0;
  return is_whole ? std::optional(value) : std::nullopt;
}

struct Process {
  std::string instance;  ///< MIG GPU instance; "N/A" without
  std::string name;
  std::optional<Bytes> memory;
  SourceSpan span;
};

class SmiReader {
 public:
  SmiReader(const ImportFile& file, const document::XmlDocument& document, Seen& seen)
      : file_(file), document_(document), seen_(seen) {}

  Diagnostics run() {
    SeenHost host;
    host.name = file_.host;
    host.gpus_are_complete = true;
    host.span = span(document_.root);
    for (const XmlElement& gpu : document_.root.children) {
      if (gpu.name != "gpu") continue;
      if (host.gpus.size() == kMostGpus) {
        complain(gpu, fmt::format("more than {} GPUs", kMostGpus));
        break;
      }
      host.gpus.push_back(read_gpu(gpu, host.gpus.size()));
    }
    if (host.gpus.empty() && faults_.empty()) complain(document_.root, "lists no GPU");
    seen_.hosts.push_back(std::move(host));
    return std::move(faults_);
  }

 private:
  [[nodiscard]] SourceSpan span(const XmlElement& element) const {
    return document_.source->span(element.position);
  }
  void complain(const XmlElement& element, std::string message) {
    faults_.push_back(document_.source->diagnostic(element.position, std::move(message)));
  }

  SeenGpu read_gpu(const XmlElement& element, std::size_t number) {
    SeenGpu gpu;
    gpu.name = fmt::format("GPU{}", number);
    gpu.span = span(element);
    gpu.product = element.text_at("product_name");
    gpu.uuid = element.text_at("uuid");
    const std::string& address = element.text_at("pci/pci_bus_id");
    gpu.pci_address = pci_address_of(address.empty() ? element.attribute("id") : address);
    if (gpu.product.empty()) complain(element, "a GPU without product_name");
    if (gpu.pci_address.empty()) complain(element, "a GPU without a PCI address");
    const std::string& rows = element.text_at("remapped_rows/remapped_row_failure");
    const std::string& action = element.text_at("gpu_recovery_action");
    gpu.has_failed = rows == "Yes" || (!action.empty() && action != "None" && action != "N/A");
    const bool is_mig = element.text_at("mig_mode/current_mig") == "Enabled";
    const std::string& virtualization =
        element.text_at("gpu_virtualization_mode/virtualization_mode");
    const bool holds_vgpus = virtualization == "Host VGPU";
    if (virtualization == "VGPU") {
      gpu.kept_out = fmt::format("'{}' is a vGPU: its device is on the server below", gpu.product);
    } else if (holds_vgpus) {
      const bool is_mixed =
          element.text_at("gpu_virtualization_mode/vgpu_heterogeneous_mode") == "Enabled";
      gpu.modes = {is_mixed ? GpuMode::MixedSize : GpuMode::SameSize};
      if (is_mig) gpu.modes = {GpuMode::Mig};
    } else {
      gpu.modes = {is_mig ? GpuMode::Mig : GpuMode::Passthrough};
    }
    read_processes(element, gpu, is_mig, holds_vgpus);
    return gpu;
  }

  void read_processes(const XmlElement& element, SeenGpu& gpu, bool is_mig, bool holds_vgpus) {
    const XmlElement* const list = element.find("processes");
    std::vector<Process> processes;
    for (const XmlElement& row : list == nullptr ? std::vector<XmlElement>() : list->children) {
      const std::string& type = row.text_at("type");
      // A process that only draws holds nothing that matters to placement.
      if (row.name != "process_info" || type.find('C') == std::string::npos) continue;
      if (++processes_ > kMostProcesses) return;
      processes.push_back(
          {.instance = row.text_at("gpu_instance_id"),
           .name = fmt::format("{} (pid {} on {})", base_name(row.text_at("process_name")),
                               row.text_at("pid"), file_.host),
           .memory = mebibytes(row.text_at("used_memory")),
           .span = span(row)});
    }
    if (processes.empty()) return;
    if (holds_vgpus) {
      gpu.kept_out =
          "it holds vGPUs, whose profiles nvidia-smi does not name; import the vSphere export";
    } else if (is_mig) {
      hold_instances(element, gpu, processes);
    } else {
      hold_whole(gpu, processes);
    }
  }

  static std::string base_name(const std::string& path) {
    const std::size_t slash = path.find_last_of('/');
    std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
    return name.empty() ? std::string("process") : name;
  }

  /// One process has the device; several share it.
  void hold_whole(const SeenGpu& gpu, const std::vector<Process>& processes) {
    for (const Process& process : processes) {
      SeenHolding holding{.gpu = gpu.pci_address};
      if (processes.size() > 1) {
        holding.share = domain::SoftwareShare{
            .holder = process.name, .team = {}, .memory_bytes = process.memory, .fraction = {}};
      }
      seen_.workloads.push_back(workload(process, std::move(holding)));
    }
  }

  /// The processes of one instance are one holder of it.
  void hold_instances(const XmlElement& element, const SeenGpu& gpu,
                      const std::vector<Process>& processes) {
    struct Instance {
      Bytes memory;
      std::optional<std::int64_t> multiprocessors;
    };
    std::map<std::string, Instance> sizes;
    if (const XmlElement* const devices = element.find("mig_devices")) {
      for (const XmlElement& device : devices->children) {
        const auto total = mebibytes(device.text_at("fb_memory_usage/total"));
        if (!total) continue;
        const auto cores =
            whole_in_smi(device.text_at("device_attributes/shared/multiprocessor_count"));
        sizes.emplace(device.text_at("gpu_instance_id"), Instance{*total, cores});
      }
    }
    std::map<std::string, const Process*> holders;
    for (const Process& process : processes) holders.emplace(process.instance, &process);
    for (const auto& [instance, process] : holders) {
      const auto size = sizes.find(instance);
      if (size == sizes.end()) {
        seen_.note(fmt::format("left out: {} runs in MIG instance {}, which is not listed",
                               process->name, instance),
                   process->span);
        continue;
      }
      seen_.workloads.push_back(
          workload(*process, {.gpu = gpu.pci_address,
                              .use = domain::GpuUse::Mig,
                              .memory = size->second.memory,
                              .multiprocessors = size->second.multiprocessors}));
    }
  }

  static SeenWorkload workload(const Process& process, SeenHolding holding) {
    SeenWorkload workload;
    workload.name = process.name;
    workload.can_move = false;
    workload.span = process.span;
    workload.holdings.push_back(std::move(holding));
    return workload;
  }

  const ImportFile& file_;
  const document::XmlDocument& document_;
  Seen& seen_;
  Diagnostics faults_;
  std::size_t processes_ = 0;
};

}  // namespace

bool is_nvidia_smi(std::string_view text) {
  return text.substr(0, 4096).find("<nvidia_smi_log") != std::string_view::npos;
}

Diagnostics read_nvidia_smi(const ImportFile& file, Seen& seen) {
  const Result<document::XmlDocument> document = document::read_xml(file.text, file.name);
  if (!document) return document.error();
  if (document->root.name != "nvidia_smi_log") {
    return {document->source->diagnostic(document->root.position,
                                         "this is not what nvidia-smi -q -x prints")};
  }
  const std::size_t first = seen.workloads.size();
  Diagnostics faults = SmiReader(file, *document, seen).run();
  for (std::size_t i = first; i < seen.workloads.size(); ++i) seen.workloads[i].host = file.host;
  return faults;
}

}  // namespace gpushape::inventory
