#include "profiles/device_file.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "document/reader.hpp"
#include "profiles/memory_rules.hpp"
#include "profiles/profile_rows.hpp"

namespace gpushape::profiles {
namespace {

using document::Reader;

// No device comes near these; they keep absurd files from costing time or memory.
constexpr document::IntegerBounds kGib = {.least = 1, .most = 65'536};
constexpr document::IntegerBounds kMib = {.least = 1, .most = 65'536LL * 1024};
constexpr document::IntegerBounds kCount = {.least = 1, .most = 1'000'000};
constexpr document::NumberBounds kRate = {.least = 0, .most = 1e9};
constexpr document::NumberBounds kVisibleGib = {.least = 0.001, .most = 65'536};

class DeviceReader {
 public:
  DeviceReader(const document::Document& document, const SourceTable& common)
      : reader_(document.root, *document.source, diagnostics_, "device"),
        sources_(reader_, &common) {}

  Result<domain::Device> read() {
    device_.id = reader_.required_text("id");
    device_.name = reader_.required_text("name");
    device_.aliases = reader_.texts("aliases");
    device_.product_names = reader_.texts("productNames");
    device_.vendor = reader_.required_text("vendor");
    device_.architecture = reader_.required_text("architecture");
    device_.form_factor = reader_.text("formFactor").value_or("");
    device_.notes = reader_.texts("notes");
    if (auto pci = reader_.mapping("pci")) read_pci(*pci);
    if (auto memory = reader_.required_mapping("memory")) read_memory(*memory);
    if (auto compute = reader_.mapping("compute")) read_compute(*compute);
    if (auto nvlink = reader_.mapping("nvlink")) read_nvlink(*nvlink);
    if (auto board = reader_.mapping("board")) read_board(*board);
    read_profiles();
    reader_.finish();
    if (!diagnostics_.empty()) return failure(std::move(diagnostics_));
    return std::move(device_);
  }

 private:
  void read_pci(Reader& pci) {
    device_.pci_vendor = pci.required_text("vendor");
    device_.pci_devices = pci.texts("devices");
    note_source("pci", sources_.text_of(pci, "source"));
    pci.finish();
  }

  void read_memory(Reader& memory) {
    device_.nominal_gb = memory.required_integer("nominalGb", kGib);
    if (const auto nvml = memory.integer("nvmlMib", kMib)) device_.nvml_bytes = mib(*nvml);
    device_.high_bandwidth_memory = memory.boolean("highBandwidth").value_or(false);
    device_.error_correcting_outside_memory = memory.boolean("eccTakesMemory").value_or(false);
    device_.memory_gigabytes_per_second = memory.number("gigabytesPerSecond", kRate);
    const auto visible = read_range(memory, "visibleGib");
    if (const auto wsl = memory.number("underWslGib", kVisibleGib))
      device_.under_wsl_bytes = gib_of(*wsl);
    device_.free_at_start = read_range(memory, "freeAtStartGib");
    read_sources(memory, "memory");
    memory.finish();
    if (visible) {
      device_.visible_bytes = *visible;
      device_.visible_source = source_of("memory.visibleGib");
    } else if (device_.nvml_bytes) {
      device_.visible_bytes = visible_of_nvml(*device_.nvml_bytes);
      device_.visible_source = kVisibleOfNvmlSource;
    } else if (device_.nominal_gb > 0) {
      device_.visible_bytes =
          visible_of_nominal(device_.nominal_gb, device_.error_correcting_outside_memory);
      device_.visible_source = kVisibleOfNominalSource;
    }
  }

  static std::optional<domain::Range> read_range(Reader& memory, const char* field) {
    auto given = memory.mapping(field);
    if (!given) return std::nullopt;
    const domain::Range range = {gib_of(given->required_number("low", kVisibleGib)),
                                 gib_of(given->required_number("expected", kVisibleGib)),
                                 gib_of(given->required_number("high", kVisibleGib))};
    given->finish();
    if (range.low > range.expected || range.expected > range.high) {
      memory.complain(field, std::string(field) + " goes from low over expected to high", "");
    }
    return range;
  }

  void read_compute(Reader& compute) {
    device_.compute_capability = compute.text("capability").value_or("");
    device_.multiprocessors = compute.integer("multiprocessors", kCount);
    for (const std::string& type : compute.texts("types")) read_type(compute, type);
    if (auto peaks = compute.mapping("peakTflops")) {
      device_.tensor_peaks = {.fp16 = peaks->number("fp16", kRate),
                              .bf16 = peaks->number("bf16", kRate),
                              .fp8 = peaks->number("fp8", kRate),
                              .fp4 = peaks->number("fp4", kRate),
                              .int8 = peaks->number("int8", kRate)};
      peaks->finish();
    }
    read_sources(compute, "compute");
    compute.finish();
  }

  void read_type(Reader& compute, const std::string& type) {
    const std::array<std::pair<std::string_view, bool*>, 4> types = {
        {{"bf16", &device_.supports_bf16},
         {"fp8", &device_.supports_fp8},
         {"fp4", &device_.supports_fp4},
         {"int8", &device_.supports_int8}}};
    for (const auto& [name, flag] : types) {
      if (name == type) {
        *flag = true;
        return;
      }
    }
    compute.complain("types", "'" + type + "' is no tensor type",
                     "expected bf16, fp8, fp4 or int8");
  }

  void read_nvlink(Reader& nvlink) {
    device_.nvlink.kind = nvlink.required_text("kind");
    device_.nvlink.generation =
        static_cast<int>(nvlink.integer("generation", {.least = 1, .most = 99}).value_or(0));
    device_.nvlink.gigabytes_per_second = nvlink.number("gigabytesPerSecond", kRate);
    device_.nvlink.max_domain =
        static_cast<int>(nvlink.integer("maxDomain", {.least = 1, .most = 10'000}).value_or(1));
    note_source("nvlink", sources_.text_of(nvlink, "source"));
    nvlink.finish();
  }

  void read_board(Reader& board) {
    device_.gpus_per_board = board.integer("gpus", {.least = 1, .most = 64}).value_or(1);
    device_.watts = board.integer("watts", {.least = 1, .most = 100'000});
    device_.mmio_gib = board.integer("mmioGib", kGib);
    device_.bar1_gib = board.integer("bar1Gib", kGib);
    read_sources(board, "board");
    board.finish();
  }

  void read_profiles() {
    if (auto time_sliced = reader_.mapping("timeSliced")) {
      note_source("timeSliced", sources_.text_of(*time_sliced, "source"));
      read_time_sliced(*time_sliced, device_);
    }
    if (auto mig = reader_.mapping("mig")) {
      note_source("mig", sources_.text_of(*mig, "source"));
      read_mig(*mig, device_);
    }
    if (auto backed = reader_.mapping("migBacked")) {
      note_source("migBacked", sources_.text_of(*backed, "source"));
      read_mig_backed(*backed, device_);
    }
    if (auto partitions = reader_.mapping("partitions")) {
      note_source("partitions", sources_.text_of(*partitions, "source"));
      read_gpu_partitions(*partitions, device_);
    }
  }

  /// A group's `source:`: a mapping from its fields to what they rest on.
  void read_sources(Reader& group, const std::string& name) {
    auto sources = group.mapping("source");
    if (!sources) return;
    for (const document::Node::Entry& entry : sources->self().entries()) {
      if (group.self().find(entry.name) == nullptr) {
        sources->complain(
            entry.name,
            "a source for " + name + "." + entry.name + ", which the file does not give", "");
      }
      note_source(name + "." + entry.name, sources_.text_of(*sources, entry.name));
    }
    sources->finish();
  }

  void note_source(std::string fact, std::string source) {
    if (source.empty()) return;
    device_.fact_sources.push_back({std::move(fact), std::move(source)});
  }

  [[nodiscard]] std::string source_of(std::string_view fact) const {
    const auto found = std::ranges::find(device_.fact_sources, fact, &domain::FactSource::fact);
    return found == device_.fact_sources.end() ? std::string() : found->source;
  }

  Diagnostics diagnostics_;
  Reader reader_;
  SourceTable sources_;
  domain::Device device_;
};

}  // namespace

Result<domain::Device> read_device(const document::Document& document, const SourceTable& sources) {
  return DeviceReader(document, sources).read();
}

}  // namespace gpushape::profiles
