#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

#include "document/xml.hpp"
#include "profiles/printed.hpp"

namespace gpushape::profiles {
namespace {

using document::XmlElement;

// Ours: no host has more.
constexpr std::size_t kMostPrintedGpus = 64;
constexpr std::size_t kMostPrintedSlices = 64;
constexpr std::int64_t kMostMib = 65'536LL * 1024;
constexpr double kMostWatts = 100'000;

/// The number in front of a unit, "81559 MiB" or "700.00 W"; absent for "N/A" and absurd figures.
std::optional<std::int64_t> figure(const std::string& text, std::string_view unit, double most) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || !(value > 0) || value > most) return std::nullopt;
  if (std::string_view(end, text.data() + text.size()) != unit) return std::nullopt;
  return static_cast<std::int64_t>(std::llround(value));
}

std::optional<std::int64_t> mebibytes(const std::string& text) {
  return figure(text, " MiB", static_cast<double>(kMostMib));
}

std::string lower_case(std::string text) {
  for (char& letter : text) {
    letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  return text;
}

/// "20B210DE": device, then vendor.
std::string pci_device_of(const std::string& id) {
  std::string text = lower_case(id);
  if (text.starts_with("0x")) text.erase(0, 2);
  return text.size() == 8 ? text.substr(0, 4) : std::string();
}

class PrintedXml {
 public:
  PrintedXml(const document::XmlDocument& document, const std::string& file)
      : document_(document), file_(file) {}

  PrintedGpu gpu(const XmlElement& element, int index) const {
    PrintedGpu gpu;
    gpu.file = file_;
    gpu.index = index;
    gpu.span = span(element);
    gpu.address = element.text_at("pci/pci_bus_id");
    if (gpu.address.empty()) gpu.address = element.attribute("id");
    gpu.product = element.text_at("product_name");
    gpu.architecture = lower_case(element.text_at("product_architecture"));
    gpu.driver = document_.root.text_at("driver_version");
    gpu.pci_device = pci_device_of(element.text_at("pci/pci_device_id"));
    gpu.is_guest = element.text_at("gpu_virtualization_mode/virtualization_mode") == "VGPU";
    gpu.is_divided = element.text_at("mig_mode/current_mig") == "Enabled";
    gpu.total_mib = mebibytes(element.text_at("fb_memory_usage/total"));
    gpu.total_span = gpu.span;
    if (const XmlElement* memory = element.find("fb_memory_usage")) {
      if (const XmlElement* total = memory->find("total")) gpu.total_span = span(*total);
    }
    gpu.bar1_mib = mebibytes(element.text_at("bar1_memory_usage/total"));
    // Drivers before R535 say power_readings.
    for (const char* group : {"gpu_power_readings", "power_readings"}) {
      if (gpu.watts) break;
      gpu.watts =
          figure(element.text_at(std::string(group) + "/default_power_limit"), " W", kMostWatts);
    }
    read_slices(element, gpu);
    return gpu;
  }

 private:
  void read_slices(const XmlElement& element, PrintedGpu& gpu) const {
    const XmlElement* devices = element.find("mig_devices");
    if (devices == nullptr) return;
    for (const XmlElement& device : devices->children) {
      if (device.name != "mig_device" || gpu.slices.size() == kMostPrintedSlices) continue;
      const auto total = mebibytes(device.text_at("fb_memory_usage/total"));
      const std::string& cores = device.text_at("device_attributes/shared/multiprocessor_count");
      const auto count = figure(cores, "", static_cast<double>(kMostMib));
      if (total && count) gpu.slices.push_back({*total, *count, span(device)});
    }
  }

  [[nodiscard]] SourceSpan span(const XmlElement& element) const {
    return document_.source->span(element.position);
  }

  const document::XmlDocument& document_;
  const std::string& file_;
};

}  // namespace

Result<std::vector<PrintedGpu>> read_printed_xml(std::string_view text, const std::string& file) {
  const Result<document::XmlDocument> document = document::read_xml(text, file);
  if (!document) return std::unexpected(document.error());
  const XmlElement& root = document->root;
  if (root.name != "nvidia_smi_log") {
    return failure(document->source->diagnostic(
        root.position, "this is not what nvidia-smi -q -x prints: its root is " + root.name));
  }
  const PrintedXml reader(*document, file);
  std::vector<PrintedGpu> gpus;
  for (const XmlElement& element : root.children) {
    if (element.name != "gpu") continue;
    if (gpus.size() == kMostPrintedGpus) {
      return failure(document->source->diagnostic(
          element.position,
          "more than " + std::to_string(kMostPrintedGpus) + " GPUs of one host are not believed"));
    }
    gpus.push_back(reader.gpu(element, static_cast<int>(gpus.size())));
    if (gpus.back().product.empty()) {
      return failure(
          document->source->diagnostic(element.position, "a GPU without a product_name"));
    }
  }
  if (gpus.empty()) {
    return failure(document->source->diagnostic(root.position, "it lists no GPU"));
  }
  return gpus;
}

}  // namespace gpushape::profiles
