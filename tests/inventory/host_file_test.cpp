#include "inventory/host_file.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "document/text_format.hpp"
#include "support/example_hosts.hpp"

using namespace gpushape;

namespace {

Result<domain::Host> read(const std::string& text, const std::string& file = "host.yaml") {
  auto documents = document::read_any(text, file);
  if (!documents) return failure(documents.error());
  return inventory::read_host(documents->front());
}

Result<domain::Host> read_example(const std::string& name) {
  const std::string path = GPUSHAPE_SOURCE_DIR "/examples/hosts/" + name + ".yaml";
  const auto text = document::read_file(path);
  if (!text) return failure(text.error());
  return read(*text, path);
}

/// A whole document, with one line replaced (lines count from 1) or appended after the last.
std::string with_line(int line, const std::string& text) {
  std::vector<std::string> lines = {"apiVersion: gpushape.dev/v1",
                                    "kind: Host",
                                    "name: lab",
                                    "sockets: 2",
                                    "coresPerSocket: 32",
                                    "threadsPerCore: 2",
                                    "baseMHz: 2400",
                                    "numaNodesPerSocket: 1",
                                    "memoryBytes: 549755813888",
                                    "gpus:",
                                    "  - {id: a, device: l40s, numaNode: 0}",
                                    "  - {id: b, device: l40s, numaNode: 1}",
                                    "nics:",
                                    "  - {id: nic0, gbps: 25, numaNode: 0}",
                                    "platform: {release: 8.0 U3, vmotionGbps: 25}"};
  const auto index = static_cast<std::size_t>(line) - 1;
  if (index < lines.size()) {
    lines[index] = text;
  } else {
    lines.push_back(text);
  }
  std::string document;
  for (const std::string& row : lines) document += row + "\n";
  return document;
}

struct Fault {
  std::string name;
  int line;
  std::string text;
  int column;           ///< of the complaint
  std::string message;  ///< part of it
  std::string help;     ///< part of it; empty: not looked at
};

const std::vector<Fault> kFaults = {
    {"another apiVersion", 1, "apiVersion: v1", 13, "unknown apiVersion 'v1'",
     "apiVersion: gpushape.dev/v1"},
    {"another kind", 2, "kind: Cluster", 7, "this is a 'Cluster', not a Host", "kind: Host"},
    {"an empty name", 3, "name: ''", 7, "name: a name cannot be empty", ""},
    {"no sockets", 4, "sockets: 0", 10, "sockets: 0 is below the least value 1", ""},
    {"negative cores", 5, "coresPerSocket: -32", 17, "coresPerSocket: -32 is below", ""},
    {"a count as text", 5, "coresPerSocket: many", 17, "coresPerSocket: expected an integer", ""},
    {"a misspelled field", 6, "threadPerCore: 2", 1, "field \"threadPerCore\" is not known",
     "threadsPerCore"},
    {"a field given twice", 6, "sockets: 2", 1, "field \"sockets\" is given twice", ""},
    {"a clock in GHz", 7, "baseMHz: 2.4", 10, "baseMHz: expected an integer", ""},
    {"infinitely many nodes", 8, "numaNodesPerSocket: .inf", 21, "numaNodesPerSocket: expected",
     ""},
    {"memory in GiB", 9, "memoryBytes: 512", 14, "512 bytes is no memory of a server",
     "512 GiB is 549755813888"},
    {"negative memory", 9, "memoryBytes: -1", 14, "memoryBytes: -1 is below", ""},
    {"10^30 bytes", 9, "memoryBytes: 1e30", 14, "1.0e+30 is far beyond", ""},
    {"memory that is not a number", 9, "memoryBytes: .nan", 14, "memoryBytes: expected", ""},
    {"GPUs that are no list", 10, "gpus: none\nmore:", 7, "gpus: expected a sequence", ""},
    {"a GPU without a device", 11, "  - {id: a, numaNode: 0}", 5,
     "host.gpus: field \"device\" is missing", ""},
    {"a GPU on a node that is not there", 12, "  - {id: b, device: l40s, numaNode: 2}", 37,
     "the host has 2 NUMA nodes, 0 to 1, and no node 2", ""},
    {"one id for two GPUs", 12, "  - {id: a, device: l40s, numaNode: 1}", 10,
     "the id 'a' is given twice", ""},
    {"one id for four GPUs", 12, "  - {id: b, device: l40s, numaNode: 1, count: 4}", 10,
     "one id cannot name 4 GPUs", "leave out the id or the count"},
    {"a million GPUs", 12, "  - {device: l40s, numaNode: 1, count: 1000000}", 40,
     "count: 1000000 is above the greatest value 64", ""},
    {"a NIC of no speed", 14, "  - {id: nic0, gbps: 0, numaNode: 0}", 22, "gbps: 0 is below", ""},
    {"a release that is a number", 15, "platform: {release: 8.0}", 21, "release: expected a string",
     "put it in quotes"},
    {"an unknown platform field", 15, "platform: {relase: 8.0 U3}", 12,
     "field \"relase\" is not known", "release"},
    {"an unknown field at the end", 16, "rack: 7", 1, "field \"rack\" is not known", ""},
};

}  // namespace

TEST_SUITE("inventory") {
  TEST_CASE("the example hosts are those of the worked contracts") {
    using namespace example;
    for (domain::Host expected : {h1(), h1v9(), h2(), h3(), h4(), h5(), h5b(), h6()}) {
      CAPTURE(expected.name);
      const Result<domain::Host> host = read_example(expected.name);
      if (!host) FAIL(to_text(host.error()));
      CHECK(host->source.ends_with("/examples/hosts/" + expected.name + ".yaml"));
      expected.source = host->source;
      CHECK(*host == expected);
    }
  }

  TEST_CASE("a faulty host is refused with the place of the fault") {
    REQUIRE(read(with_line(3, "name: lab")).has_value());  // the document itself is sound
    for (const Fault& fault : kFaults) {
      CAPTURE(fault.name);
      const Result<domain::Host> host = read(with_line(fault.line, fault.text));
      REQUIRE_FALSE(host.has_value());
      const Diagnostic* found = nullptr;
      for (const Diagnostic& diagnostic : host.error()) {
        if (diagnostic.message.find(fault.message) != std::string::npos) found = &diagnostic;
      }
      CAPTURE(to_text(host.error()));
      REQUIRE(found != nullptr);
      CHECK(found->span.file == "host.yaml");
      CHECK(found->span.line == fault.line);
      CHECK(found->span.column == fault.column);
      CHECK(found->help.find(fault.help) != std::string::npos);
    }
  }

  TEST_CASE("all faults of a host come out at once") {
    const Result<domain::Host> host = read("kind: Host\nname: lab\nsockets: 0\nspeed: 3\n");
    REQUIRE_FALSE(host.has_value());
    // apiVersion, coresPerSocket, baseMHz and memoryBytes are missing; sockets is 0; speed is
    // unknown
    CHECK(host.error().size() == 6);
  }

  TEST_CASE("a host that is no mapping is one complaint") {
    const Result<domain::Host> host = read("- 1\n- 2\n");
    REQUIRE_FALSE(host.has_value());
    CHECK(host.error().size() == 1);
    CHECK(host.error().front().message.find("expected a mapping") != std::string::npos);
  }

  TEST_CASE("GPUs of one row are named by their position on the host") {
    const auto host =
        read(with_line(12, "  - {device: l40s, numaNode: 1, count: 3, linkDomain: 4}"));
    REQUIRE(host.has_value());
    REQUIRE(host->gpus.size() == 4);
    CHECK(host->gpus[0].id == "a");
    CHECK(host->gpus[1].id == "gpu1");
    CHECK(host->gpus[3].id == "gpu3");
    CHECK(host->gpus[3].numa_node == 1);
    CHECK(host->gpus[3].link_domain == 4);
    CHECK(host->gpus[0].link_domain == -1);
  }

  TEST_CASE("a host has no more than 64 GPUs however many rows name them") {
    std::string rows = "  - {device: l40s, numaNode: 1, count: 64}";
    for (int i = 0; i < 100; ++i) rows += "\n  - {device: l40s, numaNode: 1, count: 64}";
    const Result<domain::Host> host = read(with_line(12, rows));
    REQUIRE_FALSE(host.has_value());
    CHECK(host.error().size() == 1);
    CHECK(host.error().front().message == "a host has at most 64 GPUs");
  }

  TEST_CASE("writing a host and reading it back gives the same host") {
    domain::Host full = example::h5();
    full.vgpus_per_vm = 16;
    full.gpus[1].pcie_switch = "switch-2";
    full.nics = {{.id = "nic0", .gigabits_per_second = 100, .numa_node = 3, .pcie_switch = "s"},
                 {.id = "nic1", .gigabits_per_second = 2.5, .numa_node = 0, .pcie_switch = ""}};
    const domain::Host bare = example::two_sockets("bare", 8, 64, 0, "", 0);
    for (domain::Host host : {full, bare, example::h1(), example::h4()}) {
      CAPTURE(host.name);
      for (const std::string& text : {document::write_yaml(inventory::to_node(host)),
                                      document::write_json(inventory::to_node(host))}) {
        CAPTURE(text);
        const Result<domain::Host> again = read(text);
        REQUIRE(again.has_value());
        host.source = again->source;
        CHECK(*again == host);
      }
    }
  }
}
