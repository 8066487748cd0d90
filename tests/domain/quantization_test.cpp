#include "domain/quantization.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "domain/model.hpp"
#include "domain/weight_scheme.hpp"

using gpushape::domain::Quantization;
using gpushape::domain::ScaleGranularity;
using gpushape::domain::WeightFormat;

TEST_SUITE("domain") {
  TEST_CASE("every quantization has one row of sizes, with a source") {
    CHECK(gpushape::domain::kWeightSchemes.size() == gpushape::kNames<Quantization>.size());
    for (const auto& name : gpushape::kNames<Quantization>) {
      CAPTURE(name.name);
      const auto& scheme = gpushape::domain::scheme(name.value);
      CHECK(scheme.quantization == name.value);
      CHECK_FALSE(scheme.source.empty());
      CHECK((scheme.granularity == ScaleGranularity::None) == (scheme.scale_bits == 0));
    }
  }

  TEST_CASE("group schemes cost the bits per weight of their formats") {
    struct Row {
      Quantization quantization;
      double bits;
    };
    const std::vector<Row> rows = {
        {Quantization::Bf16, 16},
        {Quantization::Int4, 4 + 16.0 / 128},                           // 4.125
        {Quantization::Awq, 4 + 16.0 / 128 + 4.0 / 128},                // 4.156
        {Quantization::Mxfp4, 4 + 8.0 / 32},                            // 4.25
        {Quantization::Nvfp4, 4 + 8.0 / 16},                            // 4.5
        {Quantization::BnbNf4, 4 + 32.0 / 64},                          // 4.5
        {Quantization::BnbNf4Double, 4 + 8.0 / 64 + 32.0 / (64 * 256)}  // 4.127
    };
    for (const Row& row : rows) {
      CAPTURE(gpushape::name_of(row.quantization));
      CHECK(bits_per_weight(scheme(row.quantization)) == doctest::Approx(row.bits).epsilon(1e-9));
    }
  }

  TEST_CASE("a checkpoint's own group size and zero points replace those of the scheme") {
    const auto with = [](Quantization linear, int group) {
      WeightFormat format;
      format.linear = linear;
      format.group = group;
      return format;
    };
    CHECK(scheme_of(with(Quantization::Int4, 0)) == scheme(Quantization::Int4));
    WeightFormat asymmetric = with(Quantization::Int4, 32);
    asymmetric.zero_points = true;
    CHECK(bits_per_weight(scheme_of(asymmetric)) == doctest::Approx(4 + 16.0 / 32 + 4.0 / 32));
    CHECK(scheme_of(with(Quantization::Int4, gpushape::domain::kWholeRow)).granularity ==
          ScaleGranularity::Channel);
    CHECK(scheme_of(with(Quantization::Int8, 128)).granularity == ScaleGranularity::Group);
    CHECK(scheme_of(with(Quantization::Fp8Block, 64)).granularity == ScaleGranularity::Block);
    CHECK(scheme_of(with(Quantization::Fp8Block, 64)).group == 64);
  }
}
