// Device files that are not right: each fault is named, with its place.
#include "profiles/device_file.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "document/text_format.hpp"
#include "profiles/board_file.hpp"
#include "profiles/check_device.hpp"

namespace gpushape::profiles {
namespace {

document::Document document_of(const std::string& text) {
  Result<std::vector<document::Document>> documents = document::read_yaml(text, "toy.yaml");
  if (!documents) FAIL(to_text(documents.error()));
  return documents->front();
}

SourceTable no_sources() {
  static const document::Document empty = document_of("{}");
  Diagnostics diagnostics;
  document::Reader reader(empty.root, *empty.source, diagnostics, "none");
  return SourceTable(reader);
}

Result<domain::Device> read(const std::string& text) {
  return read_device(document_of(text), no_sources());
}

std::string faults(const std::string& text) {
  const Result<domain::Device> device = read(text);
  return device ? std::string() : to_text(device.error());
}

/// A sane device of 16 GB with two sizes and two instances; `replace` puts another text in it.
std::string toy(const std::string& from = {}, const std::string& to = {}) {
  std::string text = R"(id: toy-16
name: Toy 16
vendor: toys
architecture: plain
memory:
  nominalGb: 16
  nvmlMib: 16000
  source: {nominalGb: a-log, nvmlMib: a-log}
compute:
  multiprocessors: 8
  types: [bf16]
  source: {multiprocessors: a-log}
nvlink: {kind: none, source: a-log}
timeSliced:
  typePrefix: TOY
  mixedSize: true
  regionGib: 16
  source: a-log
  profiles:
  - {name: toy-16c, type: TOY-16C, gib: 16, frameBufferMib: 16384, max: 1, maxMixed: 1,
     fullSize: true, starts: [0]}
  - {name: toy-8c, type: TOY-8C, gib: 8, frameBufferMib: 8192, max: 2, maxMixed: 2, starts: [0, 8]}
mig:
  computeSlices: 2
  memorySlices: 2
  maxInstances: 2
  source: a-log
  profiles:
  - {name: 1g.8gb, id: 1, compute: 1, memory: 1, memoryMib: 7900, multiprocessors: 4, max: 2,
     starts: [0, 1]}
migBacked:
  typePrefix: TOY
  source: a-log
  profiles:
  - {name: toy-1-8c, type: TOY-1-8C, gib: 8, frameBufferMib: 8192, max: 2, instance: 1g.8gb}
sources:
  a-log: made up for a test
)";
  if (from.empty()) return text;
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

/// What check_device says of the toy after a replacement.
std::string check(const std::string& from, const std::string& to) {
  const Result<domain::Device> device = read(toy(from, to));
  if (!device) return "not read: " + to_text(device.error());
  return to_text(check_device(*device));
}

}  // namespace

TEST_SUITE("profiles") {
  TEST_CASE("the toy device is read whole, and sane") {
    const Result<domain::Device> device = read(toy());
    if (!device) FAIL(to_text(device.error()));
    CHECK(check_device(*device).empty());
    CHECK(device->nvml_bytes == mib(16000));
    REQUIRE(device->profiles.size() == 4);
    CHECK(device->profiles[0].technology == domain::Technology::FullVgpu);
    CHECK(device->profiles[1].short_name == "8C");
    CHECK(device->profiles[2].technology == domain::Technology::Mig);
    CHECK(device->profiles[2].nominal_gib == 8);
    CHECK(device->profiles[3].short_name == "1-8C");
    CHECK(device->profiles[3].memory_slices == 1);
    CHECK(device->fact_sources.front().fact == "memory.nominalGb");
    CHECK(device->fact_sources.front().source == "made up for a test");
  }

  TEST_CASE("a fault in a device file is named with its place") {
    struct Row {
      std::string from;
      std::string to;
      std::string says;
      std::string place;
    };
    const std::vector<Row> rows = {
        {"id: toy-16\n", "", "id", "toy.yaml:1"},
        {"nominalGb: 16", "nominalGb: 0", "nominalGb", "toy.yaml:6:14"},
        {"nominalGb: 16", "nominalGb: -3", "nominalGb", "toy.yaml:6"},
        {"nominalGb: 16", "nominalGb: 1e30", "nominalGb", "toy.yaml:6"},
        {"nominalGb: 16", "nominalGb: .nan", "nominalGb", "toy.yaml:6"},
        {"nominalGb: 16", "nominalGb: many", "nominalGb", "toy.yaml:6"},
        {"nvmlMib: 16000", "nvmlMB: 16000", "nvmlMB", "toy.yaml:7"},
        {"types: [bf16]", "types: [bf17]", "'bf17' is no tensor type", "toy.yaml:11"},
        {"nvmlMib: 16000", "nvmlMib: 16000\n  visibleGib: {low: 15, expected: 14, high: 16}",
         "from low over expected to high", "toy.yaml:8"},
        {"max: 2, maxMixed: 2, starts: [0, 8]", "max: 0, maxMixed: 2, starts: [0, 8]", "max",
         "toy.yaml:22"},
        {"starts: [0, 8]", "starts: [0, x]", "starts", "toy.yaml:22"},
        {"instance: 1g.8gb", "instance: 1g.9gb", "no MIG profile '1g.9gb'", "toy.yaml:35"},
        {"nvmlMib: a-log", "nvmlMib: b-log", "no source is called 'b-log'", "toy.yaml:8"},
        {"nvmlMib: a-log", "watts: a-log", "a source for memory.watts", "toy.yaml:8"},
        {"a-log: made up for a test", "a-log: 3", "source 'a-log' has no text", "toy.yaml:37"},
    };
    for (const Row& row : rows) {
      CAPTURE(row.to);
      const std::string text = faults(toy(row.from, row.to));
      CAPTURE(text);
      CHECK(text.contains(row.says));
      CHECK(text.contains(row.place));
    }
  }

  TEST_CASE("a name that is nearly right is suggested") {
    CHECK(faults(toy("instance: 1g.8gb", "instance: 1g.9gb")).contains("'1g.8gb'"));
    CHECK(faults(toy("nvmlMib: a-log", "nvmlMib: b-log")).contains("'a-log'"));
  }

  TEST_CASE("a vGPU that its reservation would eat is refused") {
    // 16 MiB fixed and a share of 128 MiB for one per GPU are more than 20 MiB.
    CHECK(faults(toy("frameBufferMib: 16384, max: 1", "frameBufferMib: 20, max: 1"))
              .contains("nothing left beside its reservation"));
  }

  TEST_CASE("a table that no geometry allows is not sane") {
    struct Row {
      std::string from;
      std::string to;
      std::string says;
    };
    const std::vector<Row> rows = {
        {"starts: [0, 8]", "starts: [0, 9]", "start 9 with size 8 ends after 16"},
        {"starts: [0, 8]", "starts: [0, 4]", "its mixed-size placements overlap"},
        {"starts: [0, 8]", "starts: [0]", "its placements hold 1, the table says 2"},
        {"maxMixed: 2, starts", "maxMixed: 3, starts",
         "more of it in mixed-size than in same-size"},
        {"frameBufferMib: 8192, max: 2, maxMixed", "frameBufferMib: 8192, max: 3, maxMixed",
         "all shares together exceed the frame buffer"},
        {"fullSize: true, ", "", "0 full-size vGPU types"},
        {"type: TOY-8C", "type: TOY-16C", "two profiles are '16C' for short"},
        {"name: toy-8c", "name: toy-16c", "'toy-16c' stands there twice"},
        {"memoryMib: 7900", "memoryMib: 8100", "all instances together exceed the device"},
        {"multiprocessors: 4", "multiprocessors: 5", "exceed the multiprocessors"},
        {"max: 2,\n     starts: [0, 1]", "max: 3,\n     starts: [0, 1]",
         "exceed the compute slices"},
        {"starts: [0, 1]", "starts: [0, 2]", "start 2 with size 1 ends after 2"},
        {"nvmlMib: a-log", "", "memory.nvmlMib has no source"},
        {"nvmlMib: 16000", "nvmlMib: 18000", "nvmlMib is more than nominalGb"},
        {"kind: none, source: a-log", "kind: none", "nvlink has no source"},
    };
    for (const Row& row : rows) {
      CAPTURE(row.to);
      const std::string text = check(row.from, row.to);
      CAPTURE(text);
      CHECK(text.contains(row.says));
    }
  }

  TEST_CASE("a board names each position at most once") {
    const auto board = [](const std::string& domains) {
      return read_board(
          document_of("id: b\ngpus: 4\ninterconnect: x\nlinkDomains: " + domains + "\n"),
          no_sources());
    };
    CHECK(board("[[0, 1], [2, 3]]")->link_domains.size() == 2);
    CHECK(board("[]")->link_domains.empty());
    for (const char* wrong : {"[[0, 4]]", "[[0, 1], [1, 2]]", "[[-1]]", "[[a]]"}) {
      CAPTURE(wrong);
      const Result<domain::Board> refused = board(wrong);
      REQUIRE_FALSE(refused.has_value());
      CHECK(to_text(refused.error()).contains("each position of the board, 0 to 3"));
    }
  }

  TEST_CASE("a server spreads an odd number of GPUs over its sockets in order") {
    const Result<Server> server =
        read_server(document_of("id: s\nname: S\ngpus: 3\nsockets: 2\ncoresPerSocket: 8\n"
                                "baseMhz: 2000\nmemoryGib: 64\nnumaNodesPerSocket: 4\n"),
                    no_sources());
    if (!server) FAIL(to_text(server.error()));
    domain::Device device;
    device.id = "toy-16";
    const domain::Host host = host_with(*server, device);
    REQUIRE(host.gpus.size() == 3);
    CHECK(host.gpus[1].numa_node == 0);
    CHECK(host.gpus[2].numa_node == 4);  // the first node of the second socket
    CHECK(host.gpus[2].link_domain == -1);
    CHECK_FALSE(read_server(document_of("id: s\nname: S\ngpus: 3\nsockets: 0\ncoresPerSocket: 8\n"
                                        "baseMhz: 2000\nmemoryGib: 64\n"),
                            no_sources())
                    .has_value());
  }
}

}  // namespace gpushape::profiles
