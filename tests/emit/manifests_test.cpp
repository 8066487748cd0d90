// Holds the golden manifests against the strict offline checker that GPUSHAPE_SHARED names, and
// claims against the sample inventories, both ways. Skipped with a word where the checker cannot
// run.
#include <doctest/doctest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "document/text_format.hpp"
#include "emit/emit_cases.hpp"
#include "emit/targets.hpp"

using namespace gpushape;
namespace cases = emit::cases;
namespace fs = std::filesystem;

namespace {

constexpr int kSkipped = 77;  // check_manifests.sh

struct Checked {
  int status = -1;
  std::string output;
};

Checked check(const std::string& arguments) {
  const std::string command = std::string("bash '") + GPUSHAPE_SOURCE_DIR +
                              "/tests/emit/check_manifests.sh' " + arguments + " 2>&1";
  Checked checked;
  std::FILE* pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::array<char, 4096> buffer{};
  while (const std::size_t read = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    checked.output.append(buffer.data(), read);
  }
  checked.status = WEXITSTATUS(pclose(pipe));
  return checked;
}

bool is_skipped(const Checked& checked) {
  if (checked.status != kSkipped) return false;
  MESSAGE(checked.output);
  return true;
}

std::string golden(const std::string& pattern) {
  return std::string("'") + GPUSHAPE_SOURCE_DIR + "/tests/golden/emit/'" + pattern;
}

/// A folder of this test's own, gone when it ends.
class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / "gpushape-manifests-XXXXXX") {
    std::string name = path_.string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// The N of the first "match: gpu: class C: N of M devices match" behind `file`; -1 for none.
int matches(const std::string& output, const std::string& file) {
  const std::size_t start = output.find(file);
  const std::size_t line = output.find("match: ", start);
  const std::size_t number = output.find(".com: ", line);
  if (start == std::string::npos || line == std::string::npos || number == std::string::npos) {
    return -1;
  }
  return std::stoi(output.substr(number + std::string(".com: ").size()));
}

std::string written(const cases::Case& from, const fs::path& folder) {
  for (const emit::TargetRow& row : emit::targets()) {
    if (row.name != from.target) continue;
    const auto result = row.emit(from.request());
    REQUIRE(result);
    const fs::path file = folder / (from.name + ".yaml");
    std::ofstream(file) << document::write_yaml(result->documents);
    return "'" + file.string() + "'";
  }
  throw std::logic_error("no target " + from.target);
}

}  // namespace

TEST_SUITE("emit") {
  TEST_CASE("every vSphere release since 8.0.3 accepts the golden classes without a warning") {
    for (const char* release : {"vc-8.0.3", "vc-9.0.0", "vc-9.0.1", "vc-9.1.0"}) {
      const Checked checked =
          check(std::string("--vm-operator ") + release + " " + golden("*/vm-class.yaml"));
      if (is_skipped(checked)) return;
      CAPTURE(release);
      CAPTURE(checked.output);
      CHECK(checked.status == 0);
    }
  }

  TEST_CASE("the checker accepts every golden document that it knows") {
    std::string kinds;
    for (const char* target :
         {"pod", "deployment", "device-class", "resource-claim-template", "kserve", "nim-service",
          "dynamo", "kueue", "kai", "run-ai", "volcano", "hami", "gpu-operator", "kubevirt", "vm",
          "vks-cluster"}) {
      kinds += golden(std::string("*/") + target + ".yaml") + " ";
    }
    struct Row {
      std::string options;
      std::string files;
    };
    const std::vector<Row> rows = {
        {"", kinds},
        {"--values=llm-d-modelservice-values ", golden("*/llm-d-values.yaml")},
        {"--values=vllm-production-stack-values ", golden("*/vllm-production-stack-values.yaml")},
        {"--values=vcluster-values ", golden("*/vcluster-values.yaml")},
        {"--values=mig-parted ", golden("*/mig-parted.yaml")},
        {"--values=vgpu-device-manager ", golden("*/vgpu-device-manager.yaml")},
        {"--values=device-plugin-config ", golden("*/device-plugin-config.yaml")},
    };
    for (const Row& row : rows) {
      const Checked checked = check(row.options + row.files);
      if (is_skipped(checked)) return;
      CAPTURE(row.options);
      CAPTURE(checked.output);
      CHECK(checked.status == 0);
    }
  }

  TEST_CASE("each Kubernetes release accepts the claims that are written for it") {
    const Folder folder;
    for (const std::string release : {"1.32", "1.33", "1.34", "1.35", "1.36"}) {
      cases::Case list =
          cases::make("list", "resource-claim", domain::Platform::Kubernetes,
                      {cases::whole("h200-sxm-141"), cases::whole("h100-sxm-80", 2)});
      list.kubernetes = release;
      list.labels = {{"team", "1"}};  // a string that YAML would take for a number
      const Checked checked = check("--k8s " + release + " " + written(list, folder.path()));
      if (is_skipped(checked)) return;
      CAPTURE(release);
      CAPTURE(checked.output);
      CHECK(checked.status == 0);
    }
  }

  // How many devices of the published samples each claim means: what is on sale there, and nothing
  // of what is not. Samples: 8 H100 (EKS), 1 H200 (GKE), 2 T4 (OpenShift), 2 x A100-10C (VKS 1.36),
  // 1 x A100-40C and 3 x A100-4C (VKS 1.35), 2 H100 by VFIO, MIG placements of 2 A100-40.
  TEST_CASE("a claim means the devices of the samples that it was written for, and no others") {
    using domain::ConsumptionModel;
    using domain::Platform;
    using domain::RankedShape;
    using domain::Technology;
    struct Row {
      const char* name;
      Platform platform;
      RankedShape picked;
      int matches;
    };
    const auto on = [](Technology technology, const char* device, const char* profile) {
      return cases::ranked(cases::shape(ConsumptionModel::Fractional, technology, device, profile),
                           {6, 4, 24, 24, 0, 256}, "");
    };
    const auto vgpu = Technology::TimeSliced;
    std::vector<Row> rows = {
        {"h100", Platform::Kubernetes, cases::whole("h100-sxm-80"), 8},
        {"h200", Platform::Kubernetes, cases::whole("h200-sxm-141"), 1},
        {"t4", Platform::Kubernetes, cases::whole("t4"), 2},
        {"l40s", Platform::Kubernetes, cases::whole("l40s"), 0},
        {"a100-80", Platform::Kubernetes, cases::whole("a100-sxm4-80"), 0},
        {"h100-of-64", Platform::Kubernetes, cases::whole("h100-sxm-64"), 0},
        {"10c", Platform::Vks, on(vgpu, "a100-pcie-40", "grid_a100-10c"), 2},
        {"4c", Platform::Vks, on(vgpu, "a100-pcie-40", "grid_a100-4c"), 3},
        {"40c", Platform::Vks, on(Technology::FullVgpu, "a100-pcie-40", "grid_a100-40c"), 1},
        {"h100-20c", Platform::Vks, cases::fraction_20c(), 0},
        {"mig-3g", Platform::Kubernetes, on(Technology::Mig, "a100-sxm4-40", "3g.20gb"), 4},
        {"mig-1g", Platform::Kubernetes, on(Technology::Mig, "a100-sxm4-40", "1g.5gb"), 14},
        {"mig-h100", Platform::Kubernetes, on(Technology::Mig, "h100-sxm-80", "3g.40gb"), 0},
    };
    RankedShape vfio = cases::whole("h100-sxm-80");
    vfio.shape.technology = vfio.contract.shape.technology = Technology::Passthrough;
    rows.push_back({"vfio", Platform::Kubernetes, vfio, 2});
    const Folder folder;
    for (const Row& row : rows) {
      written(cases::make(row.name, "resource-claim", row.platform, {row.picked}), folder.path());
    }
    const Checked checked = check("--slices '" + folder.path().string() + "'");
    if (is_skipped(checked)) return;
    CAPTURE(checked.output);
    CHECK(checked.status == 0);
    for (const Row& row : rows) {
      CAPTURE(row.name);
      CHECK(matches(checked.output, std::string("/") + row.name + ".yaml") == row.matches);
    }
  }
}
