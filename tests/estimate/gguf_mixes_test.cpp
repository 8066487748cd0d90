// Files of mixed types beside the sizes that their publishers list.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "estimate/ggml/quantize_mix.hpp"
#include "support/llama_cpp_plans.hpp"

using namespace gpushape;
using example::bytes_of;
using example::mib_of;
using example::planned;

TEST_SUITE("estimate") {
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

  // https://github.com/ggml-org/llama.cpp/pull/5060: Q2_K of Llama-2-70B had 27.11 GiB before
  // January 2024 and has 23.71 since; a name does not tell which. Other mixes stayed.
  TEST_CASE("files in Q2_K from before January 2024 lie in range") {
    const auto weights = [](const char* type) {
      const auto estimate = planned({.model = "meta-llama/Llama-2-70b-hf", .file_type = type});
      REQUIRE(estimate.has_value());
      return std::ranges::find(estimate->terms, std::string("weights"), &domain::Term::name)->bytes;
    };
    const domain::Range old = weights("q2_k");
    CHECK(old.expected.gib() == doctest::Approx(23.71).epsilon(0.001));
    CHECK(old.high.gib() >= 27.11);
    const domain::Range other = weights("q4_k_m");
    CHECK(other.high.gib() < 1.01 * other.expected.gib());
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
}
