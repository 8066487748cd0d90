// Any bytes as a file of each inventory source, and of telemetry: complaints, never a crash.
#include <cstddef>
#include <cstdint>
#include <string>

#include "document/text_format.hpp"
#include "inventory/dcgm.hpp"
#include "inventory/import.hpp"

using namespace gpushape;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto find = [](std::string_view) -> Result<domain::Device> {
    domain::Device device;
    device.id = "gpu";
    device.nominal_gb = 80;
    return device;
  };
  for (const inventory::ImportRow& row : inventory::import_sources()) {
    static_cast<void>(inventory::import_files({{.name = "x", .text = text, .host = {}}},
                                              {.from = std::string(row.name), .name = {}}, find));
  }
  if (const auto document = document::read_json(text, "x")) {
    static_cast<void>(inventory::read_usage(*document));
  }
  return 0;
}
