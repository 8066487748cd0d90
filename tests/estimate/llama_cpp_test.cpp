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
#include <span>
#include <string>
#include <vector>

#include "catalog/catalog.hpp"
#include "catalog/quantization_names.hpp"
#include "domain/profile_memory.hpp"
#include "estimate/estimate_memory.hpp"
#include "estimate/ggml/decoder_graph.hpp"
#include "estimate/ggml/file_weights.hpp"
#include "estimate/ggml/graph_memory.hpp"
#include "estimate/ggml/quantize_mix.hpp"
#include "support/built_in_catalog.hpp"

using namespace gpushape;

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

template <class T>
domain::Fact<T> given(T value) {
  return {std::move(value), domain::Origin::Flag, "the test"};
}

struct LlamaCase {
  std::string model;
  std::string file_type;
  std::string cache_type = "fp16";
  std::int64_t context = 4096;
  std::int64_t slots = 1;
  std::string version = "0.5";
  std::int64_t gpus = 0;
  std::int64_t gpu_layers = 10'000;
};

Result<domain::Estimate> planned(const LlamaCase& asked) {
  const domain::Model model = *example::built_in_catalog().find(asked.model);
  const domain::Engine engine = *example::built_in_catalog().engine("llama.cpp");
  domain::Workload workload;
  workload.engine.engine = given(std::string("llama.cpp"));
  workload.engine.version = given(*domain::engine_version(asked.version));
  if (!asked.file_type.empty())
    workload.quantization = given(*catalog::parse_quantization(asked.file_type));
  workload.kv_cache_type = given(*catalog::parse_kv_cache_type(asked.cache_type));
  workload.context_tokens = given(asked.context);
  workload.concurrency = given(asked.slots);
  if (asked.gpus > 0) workload.engine.gpu_layers = given(asked.gpu_layers);
  if (asked.gpus > 1) workload.engine.pipeline = given(asked.gpus);
  std::optional<domain::VisibleMemory> gpu;
  if (asked.gpus > 0) gpu.emplace().bytes = domain::exactly(gib(48));
  return estimate::estimate_memory(model, workload, engine, gpu);
}

std::int64_t bytes_of(const domain::Estimate& estimate, std::string_view term) {
  for (const domain::Term& one : estimate.terms) {
    if (one.name == term) return one.bytes.expected.count();
  }
  return 0;
}

/// As logs print: MiB with two decimals.
double mib_of(const domain::Estimate& estimate, std::string_view term) {
  return static_cast<double>(bytes_of(estimate, term)) / (1024.0 * 1024.0);
}

// Buffers that logs print, MiB.
struct LoggedRow {
  const char* source;
  LlamaCase asked;
  double weights;
  double cache;
  double compute;
};

void check_buffers(std::span<const LoggedRow> rows) {
  for (const LoggedRow& row : rows) {
    CAPTURE(row.source);
    const auto estimate = planned(row.asked);
    REQUIRE(estimate.has_value());
    CHECK(mib_of(*estimate, "weights") == doctest::Approx(row.weights).epsilon(3e-6));
    CHECK(mib_of(*estimate, "kvCache") == doctest::Approx(row.cache).epsilon(3e-6));
    CHECK(mib_of(*estimate, "computeBuffer") == doctest::Approx(row.compute).epsilon(2e-5));
  }
}

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

  TEST_CASE("the file of the encoder stands on the first GPU where images are sent") {
    const domain::Model model = *example::built_in_catalog().find("google/gemma-3-27b-it");
    const domain::Engine engine = *example::built_in_catalog().engine("llama.cpp");
    domain::Workload workload;
    workload.engine.engine = given(std::string("llama.cpp"));
    const auto estimated = [&] {
      return estimate::estimate_memory(model, workload, engine, std::nullopt);
    };
    const auto text = estimated();
    REQUIRE(text.has_value());
    CHECK(bytes_of(*text, "towers") == 0);
    workload.images = given(std::int64_t{1});
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
    workload.engine.engine = given(std::string("llama.cpp"));
    workload.engine.version = given(*domain::engine_version("0.5"));
    workload.quantization = given(domain::Quantization::Fp16);
    workload.context_tokens = given<std::int64_t>(4096);
    workload.concurrency = given<std::int64_t>(1);
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
    workload.engine.server = given(true);
    CHECK(compute() == doctest::Approx(30.01).epsilon(0.001));
    workload.engine.version = given(*domain::engine_version("b9010"));
    CHECK(compute() > 250);
  }

  TEST_CASE("buffers of one GPU are those that public logs print") {
    const auto rows = std::to_array<LoggedRow>({
        {"github.com/Kelsidavis/rusteze llama.log",
         {"Qwen/Qwen2.5-7B-Instruct", "q8_0", "fp16", 32768, 1, "b6400", 1},
         7165.44,
         1792.00,
         382.01},
        {"github.com/madcamp-2025w-week4/FSD llama-server.log",
         {"Qwen/Qwen2.5-14B", "q4_k_m", "fp16", 32768, 1, "b8000", 1},
         8148.38,
         6144.00,
         307.00},
        {"ggml-org/llama.cpp issue 5592",
         {"meta-llama/Llama-2-13b-chat-hf", "fp16", "fp16", 40960, 1, "b2500", 1},
         24514.08,
         32000.00,
         3320.00},
        {"ggml-org/llama.cpp issue 9436",
         {"mistralai/Mistral-7B-v0.1", "q4_k_m", "fp16", 8192, 1, "b3500", 1},
         4095.05,
         1024.00,
         560.00},
        {"github.com/deepyes02/yeti-ai llama_server.log, which prints LLAMA_SET_ROWS=0",
         {"mistralai/Mistral-Nemo-Instruct-2407", "q5_k_m", "fp16", 4096, 1, "b6050", 1},
         7875.80,
         640.00,
         312.00},
    });
    check_buffers(rows);
  }

  // https://ozeki.chat/p_8590-understanding-ai-model-files.html, bartowski's files of
  // Llama-3.1-70B: sizes in GB; the larger letter has embedding and head in Q8_0. Tokens' names are
  // the rest.
  TEST_CASE("mixes that publishers call by a larger letter have wider ends") {
    struct File {
      const char* type;
      double gigabytes;
    };
    const auto files = std::to_array<File>({{"q3_k_l", 37.14},
                                            {"q3_k_xl", 38.06},
                                            {"q4_k_m", 42.52},
                                            {"q4_k_l", 43.30},
                                            {"q5_k_m", 49.95},
                                            {"q5_k_l", 50.60}});
    for (const File& file : files) {
      CAPTURE(file.type);
      const auto estimate =
          planned({.model = "meta-llama/Llama-3.1-70B-Instruct", .file_type = file.type});
      REQUIRE(estimate.has_value());
      const double gigabytes = static_cast<double>(bytes_of(*estimate, "weights")) / 1e9;
      CHECK(gigabytes == doctest::Approx(file.gigabytes).epsilon(0.0005));
    }
  }

  // Listings of unsloth/Qwen3-14B-GGUF and unsloth/Qwen3-Coder-30B-A3B-Instruct-GGUF: bytes of
  // files.
  TEST_CASE("recipes by model lie in the range that their name leaves open") {
    struct File {
      const char* model;
      const char* type;
      std::int64_t bytes;
    };
    const auto files = std::to_array<File>({
        {"Qwen/Qwen3-14B", "UD-IQ1_M", 4'064'814'464},
        {"Qwen/Qwen3-14B", "UD-IQ1_S", 3'827'369'344},
        {"Qwen/Qwen3-14B", "UD-IQ2_M", 5'425'956'224},
        {"Qwen/Qwen3-14B", "UD-IQ2_XXS", 4'470'113'664},
        {"Qwen/Qwen3-14B", "UD-IQ3_XXS", 6'013'732'224},
        {"Qwen/Qwen3-14B", "UD-Q2_K_XL", 6'067'584'384},
        {"Qwen/Qwen3-14B", "UD-Q3_K_XL", 7'593'917'824},
        {"Qwen/Qwen3-14B", "UD-Q4_K_XL", 9'159'818'624},
        {"Qwen/Qwen3-14B", "UD-Q5_K_XL", 10'546'437'504},
        {"Qwen/Qwen3-14B", "UD-Q6_K_XL", 13'285'990'784},
        {"Qwen/Qwen3-14B", "UD-Q8_K_XL", 18'754'560'384},
        {"Qwen/Qwen3-Coder-30B-A3B-Instruct", "UD-IQ1_M", 9'627'540'640},
        {"Qwen/Qwen3-Coder-30B-A3B-Instruct", "UD-IQ1_S", 8'914'328'736},
        {"Qwen/Qwen3-Coder-30B-A3B-Instruct", "UD-IQ2_M", 10'837'007'520},
        {"Qwen/Qwen3-Coder-30B-A3B-Instruct", "UD-IQ2_XXS", 10'333'691'040},
        {"Qwen/Qwen3-Coder-30B-A3B-Instruct", "UD-IQ3_XXS", 12'848'766'112},
        {"Qwen/Qwen3-Coder-30B-A3B-Instruct", "UD-Q2_K_XL", 11'788'590'240},
        {"Qwen/Qwen3-Coder-30B-A3B-Instruct", "UD-Q3_K_XL", 13'806'312'608},
        {"Qwen/Qwen3-Coder-30B-A3B-Instruct", "UD-Q4_K_XL", 17'665'334'432},
        {"Qwen/Qwen3-Coder-30B-A3B-Instruct", "UD-Q5_K_XL", 21'740'305'568},
        {"Qwen/Qwen3-Coder-30B-A3B-Instruct", "UD-Q6_K_XL", 26'340'328'608},
        {"Qwen/Qwen3-Coder-30B-A3B-Instruct", "UD-Q8_K_XL", 35'989'947'552},
        {"Qwen/Qwen3-Coder-30B-A3B-Instruct", "UD-TQ1_0", 8'005'213'344},
    });
    for (const File& file : files) {
      CAPTURE(file.model);
      CAPTURE(file.type);
      const auto estimate = planned({.model = file.model, .file_type = file.type});
      REQUIRE(estimate.has_value());
      const domain::Range weights = domain::part_bytes(*estimate, domain::Part::Weights);
      CHECK(weights.low.count() < file.bytes);
      CHECK(weights.high.count() > file.bytes);
      CHECK(std::ranges::any_of(estimate->notes, [](const std::string& note) {
        return note.contains("is a recipe of its own for each model");
      }));
    }
  }

  // Listings of the same repositories: 8,135,040,384 and 16,378,076,320 bytes, 6 to 8 million of
  // them for the tokenizer. Q5_K for the first eighth of the layers would be 0.9 % more.
  TEST_CASE("types of four bits are those of publishers, made with an importance matrix") {
    const auto gigabytes = [](const char* model) {
      const auto estimate = planned({.model = model, .file_type = "iq4_xs"});
      REQUIRE(estimate.has_value());
      return static_cast<double>(bytes_of(*estimate, "weights")) / 1e9;
    };
    CHECK(gigabytes("Qwen/Qwen3-14B") == doctest::Approx(8.135 - 0.007).epsilon(0.004));
    CHECK(gigabytes("Qwen/Qwen3-Coder-30B-A3B-Instruct") ==
          doctest::Approx(16.378 - 0.007).epsilon(0.004));
  }

  // unsloth/gpt-oss-20b-GGUF: 10.7, 10.8, 10.9, 11.2, 11.3 GiB.
  TEST_CASE("experts that were trained in MXFP4 stay so in every mix") {
    struct File {
      const char* type;
      double gibibytes;
    };
    const auto files = std::to_array<File>(
        {{"q2_k", 10.7}, {"q4_k_m", 10.8}, {"q5_k_m", 10.9}, {"q6_k", 11.2}, {"q8_0", 11.3}});
    for (const File& file : files) {
      CAPTURE(file.type);
      const auto estimate = planned({.model = "openai/gpt-oss-20b", .file_type = file.type});
      REQUIRE(estimate.has_value());
      const double gibibytes = mib_of(*estimate, "weights") / 1024;
      CHECK(gibibytes == doctest::Approx(file.gibibytes).epsilon(0.006));
    }
  }

  // A file that is called Qwen_Qwen3.5-9B-Q4_K_M.gguf: 5,060.88 MiB on the GPU. With a header at
  // hand nothing is open.
  TEST_CASE("the name of a mix leaves open what publishers keep of layers with a state") {
    const auto weights_of = [](const char* model) {
      const auto estimate = planned({model, "q4_k_m", "q8_0", 262144, 2, "b9010", 1});
      REQUIRE(estimate.has_value());
      return domain::part_bytes(*estimate, domain::Part::Weights);
    };
    constexpr double kPrinted = 5060.88 / 1024;
    const domain::Range hybrid = weights_of("Qwen/Qwen3.5-9B");
    CHECK(hybrid.low.gib() < kPrinted);
    CHECK(hybrid.high.gib() > kPrinted);
    const domain::Range plain = weights_of("Qwen/Qwen3-8B");
    CHECK(plain.high.gib() / plain.low.gib() < 1.01);
  }

  // The first GPU computes with the layers of the host, and has copies of their weights and caches
  // for a while.
  TEST_CASE("a GPU with a part of the layers, or none, has the compute buffer that logs print") {
    const auto rows = std::to_array<LoggedRow>({
        {"github.com/Dahaka52/Nira-AI logs/llama_server.log",
         {"mistralai/Mistral-Nemo-Instruct-2407", "q4_k_m", "q8_0", 8192, 1, "b8133", 1, 40},
         6597.68,
         663.00,
         266.00},
        {"github.com/DzKriMo/Aigis llama-server.log",
         {"Qwen/Qwen2.5-3B-Instruct", "q4_k_m", "fp16", 2048, 1, "b8179", 1, 35},
         1740.74,
         68.00,
         300.75},
        {"github.com/Yudeg1128/Alpy llama_server.log",
         {"Qwen/Qwen3-4B", "q6_k", "fp16", 4096, 1, "b5285", 1, 0},
         0,
         0,
         606.03},
        {"github.com/bgpr/armage llama_server.log",
         {"meta-llama/Llama-3.2-1B-Instruct", "q4_k_m", "fp16", 131072, 1, "b8319", 1, 0},
         0,
         0,
         658.25},
    });
    check_buffers(rows);
  }

  // llama.cpp src/llama-model.cpp, i_gpu_start. DeepSeek-R1-0528-Qwen3-8B in Q8_0 with 19 of 37,
  // July 2025: "offloading 19 repeating layers to GPU", 3715.11 MiB and 9728.00 of cache.
  TEST_CASE("the head went to a GPU last, and goes first since") {
    LlamaCase asked{"Qwen/Qwen3-8B", "q8_0", "fp16", 131072, 1, "b5950", 1, 19};
    const auto before = planned(asked);
    REQUIRE(before.has_value());
    CHECK(mib_of(*before, "weights") == doctest::Approx(3715.11).epsilon(3e-6));
    CHECK(mib_of(*before, "kvCache") == doctest::Approx(9728.00).epsilon(3e-6));
    asked.version = "b8133";
    const auto since = planned(asked);
    REQUIRE(since.has_value());
    CHECK(mib_of(*since, "kvCache") == doctest::Approx(9216.00).epsilon(3e-6));
    asked.gpu_layers = 37;
    asked.version = "b5950";
    const auto all = planned(asked);
    REQUIRE(all.has_value());
    CHECK(mib_of(*all, "kvCache") == doctest::Approx(18432.00).epsilon(3e-6));
  }

  TEST_CASE("two GPUs share layers, and copies of what passes between them") {
    // ggml-org/llama.cpp issue 8117: CUDA0 20038.81 + CUDA1 19940.67 MiB of weights, CUDA0 1312.00
    // of cache and 1216.01 of compute buffer.
    const auto llama =
        planned({"meta-llama/Meta-Llama-3-70B", "q4_k_m", "fp16", 8192, 1, "b3000", 2});
    REQUIRE(llama.has_value());
    REQUIRE(llama->all_gpus.has_value());
    CHECK(llama->all_gpus->weights.gib() * 1024 ==
          doctest::Approx(20038.81 + 19940.67).epsilon(3e-6));
    CHECK(mib_of(*llama, "kvCache") == doctest::Approx(1312.00).epsilon(3e-6));
    CHECK(mib_of(*llama, "computeBuffer") == doctest::Approx(1216.01).epsilon(2e-5));
    // ggml-org/llama.cpp issue 8490: CUDA0 2484.45 + CUDA1 3003.94 MiB, the second with the tied
    // head: 320.00 of cache, 567.02 of compute buffer.
    const auto gemma = planned({"google/gemma-2-9b-it", "q4_k_m", "fp16", 2048, 1, "b3500", 2});
    REQUIRE(gemma.has_value());
    CHECK(mib_of(*gemma, "weights") == doctest::Approx(3003.94).epsilon(3e-6));
    CHECK(mib_of(*gemma, "kvCache") == doctest::Approx(320.00).epsilon(3e-6));
    CHECK(mib_of(*gemma, "computeBuffer") == doctest::Approx(567.02).epsilon(2e-5));
  }

  TEST_CASE("states and windows have cells of their own") {
    // strix-halo-guide, qwen36-35b-a3b of b9010: 8 slots of 4,096: KV 640.00 and RS 502.50 MiB.
    const auto hybrid = planned({"Qwen/Qwen3.6-35B-A3B", "q4_k_m", "fp16", 4096, 8, "b9010", 1});
    REQUIRE(hybrid.has_value());
    CHECK(mib_of(*hybrid, "kvCache") == doctest::Approx(640.00).epsilon(3e-6));
    CHECK(mib_of(*hybrid, "state") == doctest::Approx(502.5).epsilon(1e-5));
    // gpt-oss-120b with 2 slots of 65,536: 18 layers hold 65,536 cells a slot (4608 MiB), 18 with
    // their window 128 + 512 padded to 256: 768 cells, 18 x 2 x 8 x 64 x 2 x 2 B x 768 = 54 MiB.
    const auto windows = planned({"openai/gpt-oss-120b", "", "fp16", 65536, 2, "b9010", 1});
    REQUIRE(windows.has_value());
    CHECK(mib_of(*windows, "kvCache") == doctest::Approx(4608.0 + 54.0).epsilon(3e-6));
    // github.com/ghghang2/v1.3 llama_server.log, gpt-oss-20b: 1536.00 and 18.00 MiB of cache.
    const auto small = planned({"openai/gpt-oss-20b", "", "fp16", 65536, 1, "b7772", 1});
    REQUIRE(small.has_value());
    CHECK(mib_of(*small, "kvCache") == doctest::Approx(1536.0 + 18.0).epsilon(3e-6));
    CHECK(mib_of(*small, "computeBuffer") == doctest::Approx(398.38).epsilon(2e-5));
    // github.com/ghghang2/v1.6 llama_server.log, 2 slots of 16,384: experts beside a network.
    const auto beside =
        planned({"google/gemma-4-26B-A4B-it", "q8_0", "fp16", 16384, 2, "b8854", 1});
    REQUIRE(beside.has_value());
    CHECK(mib_of(*beside, "kvCache") == doctest::Approx(640.0 + 600.0).epsilon(3e-6));
    CHECK(mib_of(*beside, "computeBuffer") == doctest::Approx(532.62).epsilon(2e-5));
    // A layer of the host: 2 x 704 x 2,816 x 128 values at 4.5 bits are copied, 272.25 MiB, and are
    // gone when the logits take their 512.
    const auto split =
        planned({"google/gemma-4-26B-A4B-it", "q4_k_m", "fp16", 16384, 2, "b8854", 1, 20});
    REQUIRE(split.has_value());
    CHECK(mib_of(*split, "computeBuffer") == doctest::Approx(532.62).epsilon(2e-5));
  }

  TEST_CASE("rows that no block divides take smaller blocks") {
    using domain::Quantization;
    const estimate::ggml::MixedModel model{.layers = 24, .value_layers = 24};
    const auto type = [&](Quantization mix, std::int64_t columns) {
      return estimate::ggml::type_in_mix(mix, estimate::ggml::Duty::Query, {.columns = columns},
                                         model);
    };
    // llama.cpp src/llama-quant.cpp, tensor_type_fallback.
    CHECK(type(Quantization::MixQ4KM, 4096) == Quantization::Q4K);
    CHECK(type(Quantization::MixQ4KM, 896) == Quantization::Q5_0);
    CHECK(type(Quantization::Q6K, 896) == Quantization::Q8_0);
    CHECK(type(Quantization::Iq4Xs, 896) == Quantization::Iq4Nl);
    CHECK(type(Quantization::MixQ4KM, 100) == Quantization::Fp16);
    // Experts in MXFP4 (4.25 bits) are made smaller, never larger, nor cut into blocks that their
    // rows do not fill.
    const auto expert = [&](Quantization mix, std::int64_t columns) {
      return estimate::ggml::type_in_mix(
          mix, estimate::ggml::Duty::Up,
          {.columns = columns, .is_expert = true, .is_mxfp4_expert = true}, model);
    };
    CHECK(expert(Quantization::Q8_0, 4096) == Quantization::Mxfp4);
    CHECK(expert(Quantization::Bf16, 4096) == Quantization::Mxfp4);
    CHECK(expert(Quantization::MixQ3KS, 4096) == Quantization::Q3K);
    CHECK(expert(Quantization::MixQ3KS, 2880) == Quantization::Mxfp4);
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

  // Their rounds differ from one to the next with these sizes; a graph of all layers is the truth.
  TEST_CASE("parallel blocks keep all their layers, and so their buffers") {
    for (const char* name : {"CohereLabs/aya-23-8B", "microsoft/phi-1_5", "EleutherAI/gpt-j-6b"}) {
      CAPTURE(name);
      const domain::Model model = *example::built_in_catalog().find(name);
      std::size_t layers = 0;
      for (const domain::LayerRun& run : model.layers)
        layers += static_cast<std::size_t>(run.count);
      for (const bool flash : {false, true}) {
        estimate::ggml::DecoderGraph plan;
        plan.device_of_layer.assign(layers + 1, 0);
        plan.habits.flash_attention = flash;
        const estimate::ggml::StepSizes sizes{
            .cells = 4096, .window_cells = 1024, .sequences = flash ? 1 : 4};
        const auto graph = estimate::ggml::decoder_graph(model, plan);
        plan.leaves_out_repeats = false;
        const auto whole = estimate::ggml::decoder_graph(model, plan);
        CHECK(estimate::ggml::GraphMemory(graph, 1).buffer_bytes(sizes) ==
              estimate::ggml::GraphMemory(whole, 1).buffer_bytes(sizes));
      }
    }
  }

  TEST_CASE("layers that repeat are left out of the graph, and no buffer changes") {
    // Every model of the catalog, each with other sizes, cache type, kernels and devices.
    const std::vector<std::string> names = example::built_in_catalog().models();
    std::size_t left_out = 0;
    for (std::size_t i = 0; i < names.size(); ++i) {
      CAPTURE(names[i]);
      const domain::Model model = *example::built_in_catalog().find(names[i]);
      std::int64_t layers = 0;
      for (const domain::LayerRun& run : model.layers) layers += run.count;
      estimate::ggml::DecoderGraph plan;
      plan.devices = i % 3 == 0 ? 1 : static_cast<int>(i % 3) + 1;  // the host, and one or two GPUs
      const int gpus = plan.devices - 1;
      for (std::int64_t layer = 0; layer <= layers; ++layer)
        plan.device_of_layer.push_back(gpus > 0 ? static_cast<int>(layer * gpus / (layers + 1))
                                                : 0);
      const estimate::ggml::StepSizes sizes{.cells = i % 2 == 0 ? 4096 : 65536,
                                            .window_cells = 1024,
                                            .sequences = i % 5 == 0 ? 4 : 1};
      plan.habits.flash_attention = i % 4 != 0;
      plan.key_type = plan.value_type =
          i % 4 == 1 ? domain::KvCacheType::Q8_0 : domain::KvCacheType::Fp16;
      const auto shortened = estimate::ggml::decoder_graph(model, plan);
      plan.leaves_out_repeats = false;
      const auto whole = estimate::ggml::decoder_graph(model, plan);
      const int copies = gpus > 1 ? 4 : 1;
      CHECK(estimate::ggml::GraphMemory(shortened, copies).buffer_bytes(sizes) ==
            estimate::ggml::GraphMemory(whole, copies).buffer_bytes(sizes));
      left_out += shortened.size() * 2 < whole.size() ? 1 : 0;
    }
    CHECK(left_out * 2 > names.size());
  }
}
