// llama.cpp's buffers beside what llama.cpp's own planner says, to the byte: weights of files that
// are made of one type, and cache and compute buffer for three cache types and contexts. The
// planner is that of node-llama-cpp 3.22.1 (llama.cpp 0.5), which loads no weights:
//
//   make_header_gguf.py CONFIG.json FILE.gguf --quant T --head-quant H   (T, H: F16, F16; Q8_0,
//   Q8_0; Q4_0, Q6_K, as quantize chooses the head; Q4_0, Q8_0 for Qwen2-0.5B, whose rows of 896 no
//   block of Q6_K divides)
//   node llama_cpp_planner.mjs FILE.gguf CONTEXT 1 KV_TYPE               (its "simulated")
#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "catalog/catalog.hpp"
#include "estimate/estimate_memory.hpp"
#include "estimate/samples.hpp"
#include "support/built_in_catalog.hpp"
#include "support/llama_cpp_plans.hpp"

using namespace gpushape;
using example::bytes_of;
using example::flag;
using example::LlamaCase;
using example::mib_of;
using example::planned;

namespace {

struct PlannedRow {
  const char* model;
  std::array<std::int64_t, 3> weights;                 ///< F16, Q8_0, Q4_0
  std::array<std::array<std::int64_t, 3>, 3> context;  ///< by cache type, by context
};
constexpr std::array kFileTypes = {"fp16", "q8_0", "q4_0"};
constexpr std::array kCacheTypes = {"fp16", "q8_0", "q4_0"};
constexpr std::array<std::int64_t, 3> kContexts = {2048, 8192, 131072};

constexpr auto kPlanned = std::to_array<PlannedRow>({
    {"Qwen/Qwen3-0.6B",
     {1'192'230'912, 633'495'552, 375'614'464},
     {{{550'242'304, 1'254'885'376, 15'347'746'816},
       {440'141'824, 814'483'456, 8'301'316'096},
       {381'421'568, 579'602'432, 4'543'219'712}}}},
    {"Qwen/Qwen3-8B",
     {16'382'087'168, 8'703'561'728, 4'768'792'576},
     {{{629'934'080, 1'535'903'744, 19'655'297'024},
       {488'376'320, 978'061'312, 10'603'988'992},
       {412'878'848, 676'071'424, 5'772'150'784}}}},
    {"Qwen/Qwen3-32B",
     {65'525'600'256, 34'811'744'256, 18'631'576'576},
     {{{869'009'408, 2'479'622'144, 34'699'491'328},
       {617'351'168, 1'472'989'184, 18'593'445'888},
       {483'133'440, 936'118'272, 10'003'511'296}}}},
    {"Qwen/Qwen2-0.5B",
     {988'208'640, 525'120'000, 346'206'720},
     {{{340'002'816, 415'500'288, 1'925'449'728},
       {330'041'344, 370'149'376, 1'172'310'016},
       {323'749'888, 344'983'552, 769'656'832}}}},
    {"Qwen/Qwen2.5-7B-Instruct",
     {15'231'899'648, 8'092'571'648, 4'425'437'184},
     {{{443'549'696, 795'871'232, 7'842'301'952},
       {388'499'456, 583'010'304, 4'326'426'624},
       {359'139'328, 465'569'792, 2'447'378'432}}}},
    {"Qwen/Qwen2.5-14B",
     {29'541'748'736, 15'695'630'336, 8'511'758'336},
     {{{735'053'824, 1'943'013'376, 26'102'204'416},
       {546'310'144, 1'227'978'752, 14'033'094'656},
       {445'646'848, 825'325'568, 7'590'643'712}}}},
    {"meta-llama/Llama-3.1-8B-Instruct",
     {16'061'054'976, 8'532'934'656, 4'653'375'488},
     {{{547'883'008, 1'353'189'376, 17'459'316'736},
       {422'053'888, 858'261'504, 9'414'641'664},
       {354'945'024, 589'826'048, 5'119'674'368}}}},
    {"meta-llama/Llama-3.2-1B-Instruct",
     {2'471'763'968, 1'313'251'328, 763'097'088},
     {{{338'167'808, 539'494'400, 4'566'026'240},
       {306'710'528, 417'859'584, 2'556'954'624},
       {289'933'312, 350'750'720, 1'483'212'800}}}},
    {"meta-llama/Llama-2-7b-chat-hf",
     {13'477'363'712, 7'160'348'672, 3'825'065'984},
     {{{1'177'040'896, 4'404'557'824, 68'954'896'384},
       {673'806'336, 2'382'985'216, 36'734'334'976},
       {405'370'880, 1'309'243'392, 19'554'465'792}}}},
    {"meta-llama/Llama-2-70b-hf",
     {137'955'934'208, 73'291'563'008, 38'871'482'368},
     {{{916'469'760, 2'936'027'136, 43'327'174'656},
       {601'978'880, 1'677'817'856, 23'177'820'160},
       {434'206'720, 1'006'729'216, 12'440'401'920}}}},
    {"TinyLlama/TinyLlama-1.1B-Chat-v1.0",
     {2'200'281'088, 1'169'072'128, 635'990'016},
     {{{120'064'000, 258'476'032, 3'138'402'304},
       {98'437'120, 176'162'816, 1'750'120'448},
       {86'902'784, 130'025'472, 1'011'922'944}}}},
    {"mistralai/Mistral-7B-v0.3",
     {14'496'579'584, 7'701'807'104, 4'112'531'456},
     {{{392'181'760, 1'203'779'584, 17'435'736'064},
       {266'434'560, 692'156'416, 9'374'365'696},
       {199'325'696, 423'720'960, 5'079'398'400}}}},
});

}  // namespace

TEST_SUITE("estimate") {
  TEST_CASE("files of one type are as large as llama.cpp's planner finds them") {
    for (const PlannedRow& row : kPlanned) {
      for (std::size_t i = 0; i < kFileTypes.size(); ++i) {
        CAPTURE(row.model);
        CAPTURE(kFileTypes.at(i));
        const auto estimate = planned({.model = row.model, .file_type = kFileTypes.at(i)});
        REQUIRE(estimate.has_value());
        CHECK(bytes_of(*estimate, "weights") == row.weights.at(i));
      }
    }
  }

  // A start of llama.cpp by Xinference 0.9.3: buffers of 16,854.41 and 16,892.66 MiB on two
  // GPUs, and 510.47 on the host.
  TEST_CASE("values of a qwen2 of 80 layers have five bits, though its heads share none") {
    const auto estimate = planned({.model = "Qwen/Qwen1.5-72B-Chat", .file_type = "q3_k_m"});
    REQUIRE(estimate.has_value());
    const double mib = static_cast<double>(bytes_of(*estimate, "weights")) / (1 << 20);
    CHECK(mib == doctest::Approx(16854.41 + 16892.66 + 510.47).epsilon(1e-6));
  }

  TEST_CASE("the file of the encoder stands on the first GPU where images are sent") {
    const domain::Model model = *example::built_in_catalog().find("google/gemma-3-27b-it");
    const domain::Engine engine = *example::built_in_catalog().engine("llama.cpp");
    domain::Workload workload;
    workload.engine.engine = flag(std::string("llama.cpp"));
    const auto estimated = [&] {
      return estimate::estimate_memory(model, workload, engine, std::nullopt);
    };
    const auto text = estimated();
    REQUIRE(text.has_value());
    CHECK(bytes_of(*text, "towers") == 0);
    workload.images = flag(std::int64_t{1});
    const auto images = estimated();
    REQUIRE(images.has_value());
    // 423,060,336 values of SigLIP and its projector, in 16 bits.
    CHECK(bytes_of(*images, "towers") == 423'060'336 * 2);
  }

  // Sixteen devices outgrow the memory that a graph asks for at first, at a place that differs by
  // count and model: what is planned may not depend on where.
  TEST_CASE("graphs that outgrow their first memory are planned alike") {
    for (const PlannedRow& row : kPlanned) {
      for (std::int64_t gpus = 1; gpus <= 16; ++gpus) {
        CAPTURE(row.model);
        CAPTURE(gpus);
        const LlamaCase asked{.model = row.model, .file_type = "fp16", .gpus = gpus};
        const auto once = planned(asked);
        const auto again = planned(asked);
        REQUIRE(once.has_value() == again.has_value());
        if (!once) continue;
        CHECK(bytes_of(*once, "computeBuffer") == bytes_of(*again, "computeBuffer"));
        CHECK(bytes_of(*once, "computeBuffer") > 0);
        CHECK(bytes_of(*once, "computeBuffer") < gib(64).count());
      }
    }
  }

  TEST_CASE("cache and compute buffer are what llama.cpp's planner finds, to the byte") {
    for (const PlannedRow& row : kPlanned) {
      for (std::size_t type = 0; type < kCacheTypes.size(); ++type) {
        for (std::size_t i = 0; i < kContexts.size(); ++i) {
          CAPTURE(row.model);
          CAPTURE(kCacheTypes.at(type));
          CAPTURE(kContexts.at(i));
          const auto estimate = planned({.model = row.model,
                                         .file_type = "fp16",
                                         .cache_type = kCacheTypes.at(type),
                                         .context = kContexts.at(i)});
          REQUIRE(estimate.has_value());
          CHECK(bytes_of(*estimate, "kvCache") + bytes_of(*estimate, "computeBuffer") ==
                row.context.at(type).at(i));
        }
      }
    }
  }

  // Qwen3-0.6B in F16 under a server of the summer of 2026, 4,096 cells and steps of 512 tokens:
  // 30.01 MiB, and 0.29 GiB with room for the logits of every token.
  TEST_CASE("llama.cpp's server has room for one token's logits of each slot") {
    domain::Workload workload;
    workload.engine.engine = flag(std::string("llama.cpp"));
    workload.engine.version = flag(*domain::engine_version("0.5"));
    workload.quantization = flag(domain::Quantization::Fp16);
    workload.context_tokens = flag<std::int64_t>(4096);
    workload.concurrency = flag<std::int64_t>(1);
    domain::VisibleMemory gpu;
    gpu.bytes = domain::exactly(gib(4));
    const auto compute = [&] {
      const auto estimate = estimate::estimate_memory(
          *example::built_in_catalog().find_name("Qwen/Qwen3-0.6B"), workload,
          *example::built_in_catalog().engine("llama.cpp"), gpu);
      REQUIRE(estimate);
      return mib_of(*estimate, "computeBuffer");
    };
    CHECK(compute() > 250);
    workload.engine.server = flag(true);
    CHECK(compute() == doctest::Approx(30.01).epsilon(0.001));
    workload.engine.version = flag(*domain::engine_version("b9010"));
    CHECK(compute() > 250);
  }

  TEST_CASE("what llama.cpp has not is refused with what it has") {
    const auto file = planned({.model = "Qwen/Qwen3-8B", .file_type = "awq"});
    REQUIRE_FALSE(file.has_value());
    CHECK(file.error().front().message == "llama.cpp has no file type awq");
    const auto cache =
        planned({.model = "Qwen/Qwen3-8B", .file_type = "q8_0", .cache_type = "fp8"});
    REQUIRE_FALSE(cache.has_value());
    CHECK(cache.error().front().message.ends_with("has no KV cache type fp8"));
  }
}
