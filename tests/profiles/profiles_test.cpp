// Finding devices, boards and servers by name; built in and overlaid.
#include "profiles/profiles.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "profiles/check_device.hpp"
#include "support/built_in_profiles.hpp"

namespace gpushape::profiles {
namespace {

const std::vector<domain::Device>& all_devices() {
  static const std::vector<domain::Device> devices = [] {
    Result<std::vector<domain::Device>> all = example::built_in_profiles().all();
    if (!all) MESSAGE(to_text(all.error()));
    REQUIRE(all.has_value());
    return *all;
  }();
  return devices;
}

std::string text_of(const Diagnostics& diagnostics) { return to_text(diagnostics); }

/// A folder of YAML files for one test.
class Folder {
 public:
  explicit Folder(const std::string& name)
      : path_(std::filesystem::temp_directory_path() / ("gpushape_profiles_" + name)) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path_); }

  void write(const std::string& name, const std::string& text) const {
    const std::filesystem::path file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

constexpr std::string_view kSmallDevice = R"(
id: toy-16
name: Toy 16
aliases: [toy]
vendor: toys
architecture: plain
memory:
  nominalGb: 16
  source: {nominalGb: ["ours: made up for a test"]}
)";

}  // namespace

TEST_SUITE("profiles") {
  TEST_CASE("every built-in device is sane") {
    CHECK(all_devices().size() ==
          94);  // 76 of the collection, 16 GeForce cards, two with unified memory
    for (const domain::Device& device : all_devices()) {
      CAPTURE(device.id);
      const Diagnostics faults = check_device(device);
      CHECK_MESSAGE(faults.empty(), text_of(faults));
    }
  }

  TEST_CASE("a device is found by id, alias and product name, however it is spelled") {
    struct Row {
      std::string name;
      std::string id;
    };
    const std::vector<Row> rows = {
        {"AMD Instinct MI300X OAM", "mi300x"},  // as rocm-smi prints it
        {"AMD MI300X", "mi300x"},
        {"h100-sxm-80", "h100-sxm-80"},
        {"H100", "h100-sxm-80"},
        {"H100-80", "h100-sxm-80"},
        {"h100 sxm", "h100-sxm-80"},
        {"A100-80GB", "a100-sxm4-80"},
        {"a100_pcie_80", "a100-pcie-80"},
        {"L40S", "l40s"},
        {"l40", "l40"},
        {"NVIDIA H100 80GB HBM3", "h100-sxm-80"},
        {"NVIDIA H100", "h100-sxm-80"},  // the driver also calls the 94 GB board so
        {"Tesla T4", "t4"},
        {"NVIDIA-A100-SXM4-80GB", "a100-sxm4-80"},
        {"nvidia l4", "l4"},
    };
    for (const Row& row : rows) {
      CAPTURE(row.name);
      const Result<domain::Device> device = example::built_in_profiles().find(row.name);
      REQUIRE(device.has_value());
      CHECK(device->id == row.id);
    }
  }

  TEST_CASE("a name that several devices share is answered with their ids") {
    const Result<domain::Device> a100 = example::built_in_profiles().find("A100");
    REQUIRE_FALSE(a100.has_value());
    CHECK(a100.error().front().message ==
          "'A100' may be any of a100-pcie-40, a100-pcie-80, a100-sxm4-40 and a100-sxm4-80");
    CHECK(a100.error().front().help == "name one of them");
  }

  TEST_CASE("an unknown name is answered with the nearest names") {
    const Result<domain::Device> typo = example::built_in_profiles().find("h100-smx-80");
    REQUIRE_FALSE(typo.has_value());
    CHECK(typo.error().front().message == "no GPU is called 'h100-smx-80'");
    CHECK(typo.error().front().help.contains("'h100-sxm-80'"));
    CHECK_FALSE(example::built_in_profiles().find("").has_value());
    CHECK_FALSE(example::built_in_profiles().find("--").has_value());
  }

  TEST_CASE("ids are sorted, unique, and the order of all devices") {
    const std::vector<std::string> ids = example::built_in_profiles().devices();
    CHECK(std::ranges::is_sorted(ids));
    CHECK(std::ranges::adjacent_find(ids) == ids.end());
    REQUIRE(ids.size() == all_devices().size());
    for (std::size_t i = 0; i < ids.size(); ++i) CHECK(ids[i] == all_devices()[i].id);
  }

  TEST_CASE("an alias belongs to one device, unless it is short for several") {
    // What people say for a family: answered with the members.
    const std::vector<std::string> shared = {"a100",      "a100-40", "a100-pcie", "a100-sxm",
                                             "a100-sxm4", "a800",    "rtx-6000",  "v100",
                                             "v100-16",   "v100-32", "v100-pcie", "v100-sxm2"};
    std::map<std::string, std::vector<std::string>> owners;
    for (const domain::Device& device : all_devices()) {
      for (const std::string& alias : device.aliases) owners[alias].push_back(device.id);
    }
    for (const auto& [alias, ids] : owners) {
      CAPTURE(alias);
      const bool may_be_shared = std::ranges::find(shared, alias) != shared.end();
      CHECK((ids.size() > 1) == may_be_shared);
    }
  }

  TEST_CASE("a device comes with its boards, the one with most GPUs first") {
    const domain::Device h100 = example::built_in_profiles().find("h100-sxm-80").value();
    REQUIRE(h100.boards.size() == 2);
    CHECK(h100.boards.front().id == "hgx-h100-8");
    CHECK(h100.boards.front().gpus == 8);
    CHECK(h100.boards.front().link_domains.front().gpus.size() == 8);
    CHECK(h100.boards.front().partition_sizes == std::vector<int>{1, 2, 4, 8});
    CHECK(h100.boards.front().device_group_sizes == std::vector<int>{2, 4, 8});
    const domain::Device l40s = example::built_in_profiles().find("l40s").value();
    REQUIRE(l40s.boards.size() == 1);
    CHECK(l40s.boards.front().interconnect == "pcie");
    CHECK(l40s.boards.front().link_domains.empty());
    const domain::Device a100 = example::built_in_profiles().find("a100-pcie-80").value();
    CHECK(a100.boards.front().link_domains.size() == 2);
    CHECK(a100.boards.front().partition_sizes == std::vector<int>{1, 2});
  }

  TEST_CASE("every device that stands on a server board has a usual server") {
    std::size_t without = 0;
    for (const domain::Device& device : all_devices()) {
      CAPTURE(device.id);
      if (device.boards.empty()) {
        ++without;
        continue;
      }
      const Result<domain::Host> host = example::built_in_profiles().usual_server(device);
      REQUIRE(host.has_value());
      CHECK_FALSE(host->gpus.empty());
      CHECK(host->source.starts_with("the usual server of " + device.id + ": "));
      for (const domain::HostGpu& gpu : host->gpus) {
        CHECK(gpu.device == device.id);
        CHECK(gpu.numa_node < host->sockets * host->numa_nodes_per_socket);
      }
    }
    // Nineteen GeForce cards, two machines with unified memory, Rubin, MI210, three of Intel.
    CHECK(without == 26);
  }

  TEST_CASE("the usual server of an H100 SXM is a DGX H100") {
    // DGX H100/H200 user guide: 2 x Xeon 8480C, 56 cores each at 2.0 GHz, 2 TB, eight GPUs.
    const domain::Host host = example::built_in_profiles()
                                  .usual_server(example::built_in_profiles().find("h100").value())
                                  .value();
    CHECK(host.name == "NVIDIA DGX H100");
    CHECK(host.sockets == 2);
    CHECK(host.cores_per_socket == 56);
    CHECK(host.base_mhz == 2000);
    CHECK(host.memory_bytes == gib(2048));
    REQUIRE(host.gpus.size() == 8);
    CHECK(host.gpus[3].numa_node == 0);
    CHECK(host.gpus[4].numa_node == 1);
    CHECK(host.gpus[0].link_domain == host.gpus[7].link_domain);
  }

  TEST_CASE("pairs are linked two by two, and a plain PCIe server not at all") {
    const domain::Host pairs =
        example::built_in_profiles()
            .usual_server(example::built_in_profiles().find("h100-nvl").value())
            .value();
    REQUIRE(pairs.gpus.size() == 4);
    CHECK(pairs.gpus[0].link_domain == pairs.gpus[1].link_domain);
    CHECK(pairs.gpus[1].link_domain != pairs.gpus[2].link_domain);
    const domain::Host plain = example::built_in_profiles()
                                   .usual_server(example::built_in_profiles().find("l40s").value())
                                   .value();
    CHECK(std::ranges::all_of(plain.gpus,
                              [](const domain::HostGpu& gpu) { return gpu.link_domain == -1; }));
  }

  TEST_CASE("a user's folder adds devices and wins over built-in ones") {
    const Folder folder("overlay");
    folder.write("toys/toy-16.yaml", std::string(kSmallDevice));
    folder.write("l40s.yaml",
                 "id: l40s\nname: My L40S\nvendor: nvidia\narchitecture: ada\nmemory: {nominalGb: "
                 "48, source: {nominalGb: \"ours: a test\"}}\n");
    folder.write("boards/toy-board.yaml",
                 "id: toy-board\ngpus: 2\ninterconnect: string\nlinkDomains: [[0, 1]]\ndevices: "
                 "[toy-16]\nsource: [\"ours: a test\"]\n");
    folder.write("servers/toy-server.yaml",
                 "id: toy-server\nname: Toy server\ngpus: 2\nsockets: 1\ncoresPerSocket: 4\n"
                 "baseMhz: 1000\nmemoryGib: 32\ndevices: [toy-16]\nsource: [\"ours: a test\"]\n");
    const Result<Profiles> profiles = Profiles::open(folder.path());
    if (!profiles) FAIL(text_of(profiles.error()));
    CHECK(profiles->find("Toy")->id == "toy-16");
    CHECK(profiles->find("l40s")->name == "My L40S");
    CHECK(profiles->find("l40s")->profiles.empty());
    CHECK(profiles->find("l4")->name == "NVIDIA L4");
    CHECK(profiles->devices().size() == example::built_in_profiles().devices().size() + 1);
    CHECK(profiles->find("toy-16")->boards.front().id == "toy-board");
    const domain::Host host = profiles->usual_server(profiles->find("toy-16").value()).value();
    CHECK(host.name == "Toy server");
    CHECK(host.gpus.at(1).link_domain == 0);
  }

  TEST_CASE("a device without a server says how to name one") {
    const Folder folder("no_server");
    folder.write("toy-16.yaml", std::string(kSmallDevice));
    const Profiles profiles = Profiles::open(folder.path()).value();
    const Result<domain::Host> host = profiles.usual_server(profiles.find("toy").value());
    REQUIRE_FALSE(host.has_value());
    CHECK(host.error().front().message == "no usual server is known for toy-16");
    CHECK(host.error().front().help == "name the host with --host");
  }

  TEST_CASE("all faults of a user's folder come out at once, with their places") {
    const Folder folder("faults");
    folder.write("a.yaml", "id: a\nname: A\nvendor: x\narchitecture: y\nmemory: {nominalGb: 0}\n");
    folder.write("b.yaml", std::string(kSmallDevice) + "colour: red\n");
    folder.write("c.yaml", "id: toy-16\n\tname: broken\n");
    const Result<Profiles> profiles = Profiles::open(folder.path());
    REQUIRE_FALSE(profiles.has_value());
    const std::string text = text_of(profiles.error());
    CHECK(text.contains("a.yaml:5"));
    CHECK(text.contains("colour"));
    CHECK(text.contains("b.yaml:10"));
    CHECK(text.contains("c.yaml:2"));
  }

  TEST_CASE("an id that stands in two files, and a folder that is none, are refused") {
    const Folder folder("twice");
    folder.write("a.yaml", std::string(kSmallDevice));
    folder.write("b.yaml", std::string(kSmallDevice));
    const Result<Profiles> twice = Profiles::open(folder.path());
    REQUIRE_FALSE(twice.has_value());
    CHECK(text_of(twice.error()).contains("'toy-16' stands in a.yaml as well"));
    const Result<Profiles> none = Profiles::open(folder.path() + "/a.yaml");
    REQUIRE_FALSE(none.has_value());
    CHECK(none.error().front().message.ends_with("is no folder"));
  }

  TEST_CASE("an empty folder changes nothing") {
    const Folder folder("empty");
    CHECK(Profiles::open(folder.path())->devices() == example::built_in_profiles().devices());
  }
}

}  // namespace gpushape::profiles
