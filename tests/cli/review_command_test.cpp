#include <doctest/doctest.h>

#include <fstream>

#include "cli/program.hpp"
#include "document/text_format.hpp"

using gpushape::test::run_line;

TEST_SUITE("cli") {
  TEST_CASE("a rules file makes findings graver, lighter, or leaves them out") {
    const gpushape::test::TemporaryFolder folder;
    const std::string line = "review tests/cases/review/VC-11/fires.yaml --rule VC-11 --rules ";
    const auto rules = [&folder](const std::string& name, const std::string& severity) {
      return folder.file(name, "apiVersion: gpushape.dev/v1\nkind: Rules\nseverities: {VC-11: " +
                                   severity + "}\n");
    };
    const std::string note = rules("note.yaml", "note");
    const std::string off = rules("off.yaml", "off");
    CHECK(run_line("review tests/cases/review/VC-11/fires.yaml --rule VC-11").status == 1);
    const auto lighter = run_line(line + note);
    CHECK(lighter.status == 0);  // --fail-on warning
    CHECK(lighter.out.contains("note[VC-11]"));
    CHECK(run_line(line + note + " --fail-on note").status == 1);
    const auto without = run_line(line + off + " --fail-on note");
    CHECK(without.status == 0);
    CHECK_FALSE(without.out.contains("VC-11]"));
    // The last file has the last word.
    CHECK(run_line(line + off + " --rules " + note).out.contains("note[VC-11]"));
    CHECK(run_line(line + rules("wrong.yaml", "loud")).status == 2);
  }

  TEST_CASE("--as-of tells what is past its review") {
    const std::string line = "review tests/cases/review/LD-03/fires.yaml --rule LD-03";
    CHECK_FALSE(run_line(line).out.contains("[LD-03]"));
    CHECK(run_line(line + " --as-of 2999-01-01").out.contains("[LD-03]"));
  }

  TEST_CASE("--usage tells what a manifest's GPUs do") {
    const std::string line = "review tests/cases/review/RV-18/fires.yaml --rule RV-01 --rule RV-18";
    CHECK_FALSE(run_line(line).out.contains("[RV-01]"));
    const auto measured = run_line(line + " --usage examples/evidence/idle-gpu.json");
    CHECK(measured.status == 1);
    // 21 days; the mean of 504 samples is 3.76 % (python3: sum(x) / 504).
    CHECK(measured.out.contains("computing 4 % of 21 days"));
    CHECK(measured.out.contains("[RV-18]"));
    CHECK(run_line(line + " --usage README.md").status == 2);
    // A threshold of the user's own.
    const gpushape::test::TemporaryFolder folder;
    const std::string rules =
        folder.file("rules.yaml",
                    "apiVersion: gpushape.dev/v1\nkind: Rules\nthresholds: {idleCompute: 0.01}\n");
    CHECK_FALSE(run_line(line + " --usage examples/evidence/idle-gpu.json --rules " + rules)
                    .out.contains("[RV-01]"));
  }

  TEST_CASE("--evidence puts measured starts in place of predictions") {
    const std::string line = "review tests/cases/review/ME-01/quiet.yaml";
    CHECK(run_line(line + " --evidence examples/logs/evidence.yaml").status == 0);
    CHECK(run_line(line + " --evidence examples/evidence/idle-gpu.json").status == 2);
  }

  TEST_CASE("a broken cluster or workload among the manifests is bad input") {
    const gpushape::test::TemporaryFolder folder;
    const std::string file = folder.file(
        "cluster.yaml", "apiVersion: gpushape.dev/v1\nkind: Cluster\nname: lab\nhosts: 3\n");
    CHECK(run_line("review " + file).status == 2);
  }

  TEST_CASE("a broken document hides no finding of the others in its file") {
    const gpushape::test::TemporaryFolder folder;
    const std::string pod =
        "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n  - name: a\n"
        "    image: vllm/vllm-openai:v0.15.0\n    args: [--model=Qwen/Qwen3-8B, "
        "--tensor-parallel-size=2]\n    resources: {limits: {nvidia.com/gpu: 1}}\n";
    const std::string file = folder.file(
        "several.yaml", "kind: ConfigMap\n  data: [\n---\n" + pod + "---\na: {{ x }}\n");
    const auto reviewed = run_line("review --rule MF-01 " + file);
    CHECK(reviewed.status == 2);
    CHECK(reviewed.out.contains("[MF-01]"));
    CHECK(reviewed.out.contains("several.yaml:11:"));
    CHECK(reviewed.err.contains("several.yaml:2:"));
    CHECK(reviewed.err.contains("several.yaml:14:"));
    CHECK(reviewed.err.contains("helm template"));
  }

  TEST_CASE("what advise was told of a workload stands in its manifests, and review has no fault") {
    const gpushape::test::TemporaryFolder folder;
    const std::string facts =
        "advise llama-3.1-8b-instruct --context 8k --concurrency 16 --gpu h100-sxm-80 -o vm-class "
        "-o resource-claim-template --name told --output-dir " +
        folder.path().string();
    REQUIRE(run_line(facts + "/all --isolation hard --latency-slo strict --change-rate high "
                             "--needs-ha --needs-live-migration --tolerated-pause 60 --kv-offload "
                             "64GiB")
                .status == 0);
    const std::string told =
        gpushape::document::read_file(folder.path().string() + "/all/vm-class.yaml").value();
    for (const char* line :
         {"gpushape.dev/isolation: hard", "gpushape.dev/latency-slo: strict",
          "gpushape.dev/change-rate: high", "gpushape.dev/tolerated-pause: \"60\"",
          "gpushape.dev/host-tier: 64 GiB of cache", "gpushape.dev/needs-ha: \"true\"",
          "gpushape.dev/needs-live-migration: \"true\""}) {
      CAPTURE(line);
      CHECK(told.contains(line));
    }
    const auto reviewed = run_line("review --fail-on note " + folder.path().string() + "/all");
    CAPTURE(reviewed.out);
    CHECK(reviewed.status == 0);

    REQUIRE(run_line(facts + "/plain").status == 0);
    const std::string plain =
        gpushape::document::read_file(folder.path().string() + "/plain/vm-class.yaml").value();
    for (const char* name : {"isolation", "latency-slo", "change-rate", "tolerated-pause",
                             "host-tier", "needs-ha", "needs-live-migration"}) {
      CAPTURE(name);
      CHECK_FALSE(plain.contains(std::string("gpushape.dev/") + name + ":"));
    }
  }

  TEST_CASE("a shape that fits at the expected value alone says so to whoever reviews it") {
    const gpushape::test::TemporaryFolder folder;
    REQUIRE(run_line("advise openai/gpt-oss-120b --gpu l4 --context 4k --concurrency 16 "
                     "--engine-version 0.16 --evidence-level E2 --spread 1.2 --platform kubernetes "
                     "-o pod --output-dir " +
                     folder.path().string())
                .status == 1);
    const std::string file = folder.path().string() + "/pod.yaml";
    const std::string text = gpushape::document::read_file(file).value();
    CHECK(text.contains("gpushape.dev/fits-at: expected"));
    CHECK(run_line("review --rule ME-02 --fail-on note " + file).status == 0);
    // Without the word the finding stands.
    std::string bare = text;
    for (std::size_t at = bare.find("    gpushape.dev/fits-at"); at != std::string::npos;
         at = bare.find("    gpushape.dev/fits-at")) {
      bare.erase(at, bare.find('\n', at) - at + 1);
    }
    std::ofstream(file) << bare;
    CHECK(run_line("review --rule ME-02 --fail-on note " + file).status == 1);
  }

  TEST_CASE("a notebook that advise gave an end has one for review") {
    const gpushape::test::TemporaryFolder folder;
    REQUIRE(run_line("advise --role notebook --memory-ceiling 8GiB --gpu h100-sxm-80 --platform "
                     "kubernetes -o pod --lifetime 8h --output-dir " +
                     folder.path().string() + "/end")
                .status == 0);
    CHECK(run_line("review --rule RV-19 " + folder.path().string() + "/end").status == 0);
  }

  TEST_CASE("explain shows a rule of one ID from both sides") {
    const auto shown = run_line("explain MG-04");
    CHECK(shown.status == 0);
    CHECK(shown.out.contains("No tensor parallel without links"));
    CHECK(shown.out.contains("Tensor parallelism runs over links"));
  }
}
