// What nvidia-smi prints, beside the tables. The figures of the listings are those of public
// documentation (NVIDIA MIG user guide; a driver of the R450 branch prints 9.50 GiB for 1g.10gb and
// 79.00 for 7g.80gb, later ones 9.62 and 78.50), in a form of our own.
#include "profiles/import.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <string>
#include <vector>

#include "document/text_format.hpp"
#include "profiles/device_file.hpp"
#include "profiles/printed.hpp"

namespace gpushape::profiles {
namespace {

const Profiles& tables() {
  static const Profiles profiles = Profiles::open().value();
  return profiles;
}

std::string lgip_row(const std::string& name, int id, const std::string& count,
                     const std::string& gib, int cores) {
  return "|   0  MIG " + name + "   " + std::to_string(id) + "     " + count + "        " + gib +
         "       No     " + std::to_string(cores) + "     0     0   |\n";
}

std::string old_a100_listing() {
  return "| GPU   Name               ID    Instances   Memory     P2P    SM    DEC   ENC  |\n"
         "|                                Free/Total   GiB              CE    JPEG  OFA  |\n" +
         lgip_row("1g.10gb", 19, "7/7", "9.50", 14) + lgip_row("2g.20gb", 14, "3/3", "19.50", 28) +
         lgip_row("3g.40gb", 9, "2/2", "39.25", 42) + lgip_row("4g.40gb", 5, "1/1", "39.25", 56) +
         lgip_row("7g.80gb", 0, "1/1", "79.00", 98);
}

constexpr const char* kPlaces =
    "GPU  0 Profile ID 19 Placements: {0,1,2,3,4,5,6}:1\n"
    "GPU  0 Profile ID 14 Placements: {0,2,4}:2\n"
    "GPU  0 Profile ID  9 Placements: {0,4}:4\n"
    "GPU  0 Profile ID  5 Placement : {0}:4\n"
    "GPU  0 Profile ID  0 Placement : {0}:8\n";

std::string smi(const std::string& product, const std::string& pci, const std::string& total) {
  return "<?xml version=\"1.0\" ?>\n<nvidia_smi_log>\n"
         "<driver_version>570.86.15</driver_version>\n<gpu id=\"00000000:07:00.0\">\n"
         "<product_name>" +
         product + "</product_name>\n<product_architecture>Ampere</product_architecture>\n" +
         "<pci><pci_device_id>" + pci + "</pci_device_id></pci>\n<fb_memory_usage><total>" + total +
         " MiB</total></fb_memory_usage>\n</gpu>\n</nvidia_smi_log>\n";
}

Result<std::vector<ImportedDevice>> import_of(const std::vector<ImportText>& texts,
                                              const std::string& gpu = {}) {
  return import_printed(texts, tables(), gpu);
}

bool says(const ImportedDevice& device, RemarkKind kind, const std::string& text) {
  return std::ranges::any_of(device.remarks, [&](const ImportRemark& remark) {
    return remark.kind == kind && remark.says.find(text) != std::string::npos;
  });
}

domain::Device device_of(const ImportedDevice& imported) {
  const std::string text = document::write_yaml(imported.entry);
  const auto documents = document::read_yaml(text, "entry.yaml");
  REQUIRE(documents.has_value());
  Result<domain::Device> device = read_device(documents->front(), built_in_sources());
  if (!device) MESSAGE(to_text(device.error()));
  REQUIRE(device.has_value());
  return *device;
}

const domain::Profile* row(const domain::Device& device, const std::string& name) {
  const auto found = std::ranges::find(device.profiles, name, &domain::Profile::name);
  return found == device.profiles.end() ? nullptr : &*found;
}

TEST_SUITE("profiles") {
  TEST_CASE("an older driver's MIG sizes differ from the table, and the entry has them") {
    const auto devices =
        import_of({{"lgip.txt", old_a100_listing()}, {"lgipp.txt", kPlaces}}, "a100-sxm4-80");
    REQUIRE(devices.has_value());
    REQUIRE(devices->size() == 1);
    const ImportedDevice& a100 = devices->front();
    CHECK(a100.id == "a100-sxm4-80");
    CHECK(a100.has_changed);
    // 9.50 GiB are 9728 MiB, 79.00 are 80896.
    CHECK(says(a100, RemarkKind::Differs, "1g.10gb: memory 9728 MiB; the table has 9856"));
    CHECK(says(a100, RemarkKind::Differs, "7g.80gb: memory 80896 MiB; the table has 80384"));
    CHECK(says(a100, RemarkKind::Absent, "1g.20gb is not printed"));
    const auto differs = std::ranges::find(a100.remarks, RemarkKind::Differs, &ImportRemark::kind);
    CHECK(differs->printed.file == "lgip.txt");
    CHECK(differs->printed.line == 3);
    CHECK(differs->table.starts_with("profiles/nvidia/a100-sxm4-80.yaml:"));
    const domain::Device device = device_of(a100);
    CHECK(row(device, "1g.10gb")->frame_buffer_bytes == mib(9728));
    CHECK(row(device, "2g.20gb")->frame_buffer_bytes == mib(19968));  // 19.50 GiB, as the table
    CHECK(row(device, "3g.40gb")->placement_ids == std::vector<std::int64_t>{0, 4});
  }

  TEST_CASE("a listing goes to the GPU that the XML names by index") {
    const auto devices =
        import_of({{"lgip.txt", old_a100_listing()},
                   {"smi.xml", smi("NVIDIA A100 80GB PCIe", "20B510DE", "81920")}});
    REQUIRE(devices.has_value());
    CHECK(devices->front().id == "a100-pcie-80");
    CHECK(says(devices->front(), RemarkKind::Differs, "1g.10gb: memory"));
  }

  TEST_CASE("a listing that may be of several GPUs asks for its name") {
    const std::string listing = lgip_row("1g.10gb", 19, "7/7", "9.62", 14);
    const auto devices = import_of({{"lgip.txt", listing}});
    REQUIRE(!devices.has_value());
    CHECK(devices.error().front().message.find("may be any of") != std::string::npos);
    CHECK(devices.error().front().message.find("a100-sxm4-80") != std::string::npos);
    CHECK(devices.error().front().help.find("--gpu") != std::string::npos);
  }

  TEST_CASE("what agrees needs no entry") {
    const auto devices =
        import_of({{"smi.xml", smi("NVIDIA A100-SXM4-80GB", "20B210DE", "81920")}});
    REQUIRE(devices.has_value());
    CHECK(!devices->front().has_changed);
    CHECK(devices->front().agreeing == 2);  // name and total
  }

  TEST_CASE("a driver's total below what the table lets a process see takes that along") {
    const auto devices =
        import_of({{"smi.xml", smi("NVIDIA A100-SXM4-80GB", "20B210DE", "81000")}});
    REQUIRE(devices.has_value());
    CHECK(says(devices->front(), RemarkKind::Differs, "81000 MiB; the table has 81920"));
    CHECK(device_of(devices->front()).nvml_bytes == mib(81000));
  }

  TEST_CASE("a GPU that no table knows gets an entry of what is printed") {
    const auto devices = import_of({{"smi.xml", smi("NVIDIA Toy-96GB", "FFFF10DE", "97000")},
                                    {"lgip.txt", old_a100_listing()},
                                    {"lgipp.txt", kPlaces}});
    REQUIRE(devices.has_value());
    const ImportedDevice& toy = devices->front();
    CHECK(toy.id == "toy-96gb");
    CHECK(!toy.is_known);
    const domain::Device device = device_of(toy);
    CHECK(device.nominal_gb == 96);
    CHECK(device.mig_compute_slices == 7);
    CHECK(device.mig_memory_slices == 8);
    CHECK(device.mig_max_instances == 7);
    REQUIRE(row(device, "4g.40gb") != nullptr);
    CHECK(row(device, "4g.40gb")->compute_slices == 4);
    CHECK(row(device, "4g.40gb")->memory_slices == 4);
  }

  TEST_CASE("vGPU types are told apart by class, and a new one becomes a row") {
    const auto type = [](const std::string& name, const std::string& of, const std::string& most,
                         const std::string& mib) {
      return "    vGPU Type ID                          : 0x5ee\n"
             "        Name                              : NVIDIA " +
             name + "\n        Class                             : " + of +
             "\n        GPU Instance Profile ID           : N/A\n"
             "        Max Instances                     : " +
             most + "\n        Max Instances Per VM              : 16\n" +
             "        FB Memory                         : " + mib + " MiB\n";
    };
    const auto devices = import_of(
        {{"vgpu.txt", "GPU 00000000:8C:00.0\n" + type("L40S-48C", "Compute", "1", "49152") +
                          type("L40S-2Q", "Quadro", "24", "2048") +
                          type("L40S-3C", "Compute", "16", "3072")}},
        "l40s");
    REQUIRE(devices.has_value());
    const ImportedDevice& l40s = devices->front();
    CHECK(says(l40s, RemarkKind::LeftOut, "1 vGPU types that are not of the class Compute"));
    CHECK(says(l40s, RemarkKind::New, "L40S-3C"));
    CHECK(l40s.agreeing == 2);
    const domain::Device read = device_of(l40s);
    const domain::Profile* three = row(read, "nvidia_l40s-3c");
    REQUIRE(three != nullptr);
    CHECK(three->frame_buffer_bytes == mib(3072));
    CHECK(three->max_per_gpu == 16);
    CHECK(three->short_name == "3C");
  }

  TEST_CASE("faults of a listing have their place") {
    const auto row_fault =
        read_printed_listing("\n|   0  MIG 1g.10gb 19 7/x 9.5 No 14 0 0 |\n", "a");
    REQUIRE(!row_fault.has_value());
    CHECK(row_fault.error().front().span.line == 2);
    const auto places = read_printed_listing("GPU  0 Profile ID 19 Placements: {0,1:1\n", "a");
    REQUIRE(!places.has_value());
    CHECK(places.error().front().message == "these placements cannot be read");
    CHECK(!read_printed_listing("hello\n", "a").has_value());
    CHECK(!read_printed_xml("<nvidia_smi_log></nvidia_smi_log>", "a").has_value());
  }

  TEST_CASE("any bytes leave the readers standing") {
    const std::vector<std::string> words = {"| ",
                                            "0 ",
                                            "MIG ",
                                            "1g.10gb ",
                                            "19 ",
                                            "7/7 ",
                                            "9.50 ",
                                            "No ",
                                            "14 ",
                                            "GPU ",
                                            "Profile ",
                                            "ID ",
                                            "{0,1",
                                            "}:",
                                            "9",
                                            "\n",
                                            " : ",
                                            "vGPU Type ID : 0x1\n",
                                            "Name : NVIDIA X-4C\n",
                                            "99999999999999999999 ",
                                            "\xff"};
    CHECK(rc::check("nvidia-smi listings", [&] {
      std::string text;
      for (const auto& word :
           *rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(words))) {
        text += word;
      }
      const auto devices = import_of({{"any.txt", text}}, "h100");
      RC_ASSERT(devices.has_value() || !devices.error().empty());
    }));
  }
}

}  // namespace
}  // namespace gpushape::profiles
