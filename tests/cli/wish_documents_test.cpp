// What several wishes come to as documents: one pod, or one document for every layout.
#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include "cli/program.hpp"

using gpushape::test::Outcome;
using gpushape::test::run_line;

namespace {

std::size_t times(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
    ++count;
  return count;
}

// 70 GB of weights: two GPUs of 80 GB, or one of 141.
const std::string kTwoLayouts =
    "advise llama-3.3-70b-instruct --quant fp8 --context 8k --concurrency 16 "
    "--gpu h100-sxm-80,h200-sxm-141 --platform kubernetes ";
const std::string kOneLayout =
    "advise llama-3.1-8b-instruct --context 8k --concurrency 16 --gpu h100-sxm-80,l40s "
    "--platform kubernetes ";

}  // namespace

TEST_SUITE("cli") {
  TEST_CASE("a wish that needs another layout becomes a document of its own") {
    const Outcome outcome = run_line(kTwoLayouts + "-o deployment");
    CHECK(outcome.status == 0);
    CHECK(times(outcome.out, "kind: Deployment") == 2);
    CHECK(times(outcome.out, "--tensor-parallel-size=2") == 1);
    CHECK(outcome.err.find("2 documents stand for one another") != std::string::npos);
    // A claim beside it goes with its document.
    const Outcome claims = run_line(kTwoLayouts + "-o resource-claim-template -o deployment");
    CHECK(times(claims.out, "kind: ResourceClaimTemplate") == 2);
    CHECK(times(claims.out, "kind: Deployment") == 2);
    CHECK(times(claims.out, "firstAvailable") == 0);
  }

  TEST_CASE("in a folder it has a file of its own") {
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / "gpushape-wish-documents";
    std::filesystem::remove_all(folder);
    const Outcome outcome =
        run_line(kTwoLayouts + "-o deployment -o llm-d-values --output-dir " + folder.string());
    CHECK(outcome.status == 0);
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      files += entry.is_regular_file() ? 1 : 0;
    CHECK(files == 4);
    CHECK(std::filesystem::exists(folder / "deployment.yaml"));
    std::filesystem::remove_all(folder);
  }

  TEST_CASE("wishes of one layout share a pod, and the text says which of them decided") {
    const Outcome text = run_line(kOneLayout);
    CHECK(text.out.find("What the wishes are deployed as") != std::string::npos);
    CHECK(text.out.find("decided by l40s") != std::string::npos);
    const Outcome claim = run_line(kOneLayout + "-o resource-claim -o pod");
    CHECK(times(claim.out, "kind: Pod") == 1);
    CHECK(times(claim.out, "firstAvailable") == 1);
    // Without a claim the pod takes either product.
    const Outcome pod = run_line(kOneLayout + "-o pod");
    CHECK(times(pod.out, "kind: Pod") == 1);
    CHECK(pod.out.find("NVIDIA-L40S") != std::string::npos);
    CHECK(pod.out.find("NVIDIA-H100-80GB-HBM3") != std::string::npos);
  }

  TEST_CASE("a wish that is picked stands alone") {
    const Outcome picked = run_line(kTwoLayouts + "-o deployment --pick 1");
    CHECK(times(picked.out, "kind: Deployment") == 1);
  }
}
