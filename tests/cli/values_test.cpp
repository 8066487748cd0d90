#include "cli/values.hpp"

#include <doctest/doctest.h>

using namespace gpushape;  // NOLINT(google-build-using-namespace)

TEST_SUITE("cli") {
  TEST_CASE("tokens count k by 1 024, an engine's numbers by its own rule") {
    CHECK(cli::parse_tokens({"--context", "8192"}) == 8192);
    CHECK(cli::parse_tokens({"--context", "32k"}) == 32768);
    CHECK(cli::parse_tokens({"--context", "32K"}) == 32768);
    CHECK(cli::parse_tokens({"--context", "1m"}) == 1048576);
    // vLLM's argument parser: lower case decimal, upper case binary.
    CHECK(cli::parse_engine_count({"--max-num-batched-tokens", "32k"}, 1 << 20) == 32000);
    CHECK(cli::parse_engine_count({"--max-num-batched-tokens", "32K"}, 1 << 20) == 32768);
  }

  TEST_CASE("bytes take binary and decimal units") {
    CHECK(cli::parse_bytes({"--kv-offload", "300GiB"}) == gib(300));
    CHECK(cli::parse_bytes({"--kv-offload", "1GB"}) == Bytes(1'000'000'000));
    CHECK(cli::parse_bytes({"--kv-offload", "0"}) == Bytes(0));
    CHECK(cli::parse_engine_bytes({"--kv-cache-memory-bytes", "2g"}) == Bytes(2'000'000'000));
    CHECK(cli::parse_engine_bytes({"--kv-cache-memory-bytes", "2G"}) == gib(2));
    CHECK(cli::parse_engine_bytes({"--kv-cache-memory-bytes", "2GiB"}) == gib(2));
  }

  TEST_CASE("what is no number of the kind is refused with the flag's name") {
    for (const char* text : {"", "k", "8.5k", "-1", "0", "1e3", "0x10", "9999999999999999999999",
                             "999999999999m", "8 k", "8kk"}) {
      CAPTURE(text);
      const Result<std::int64_t> tokens = cli::parse_tokens({"--context", text});
      REQUIRE_FALSE(tokens.has_value());
      CHECK(tokens.error().front().message.starts_with("--context"));
    }
    for (const char* text : {"", "nan", "inf", "1.5", "0", "-0.5", "0.9x", "1e400"}) {
      CAPTURE(text);
      CHECK_FALSE(cli::parse_number({"--gpu-memory-utilization", text}, 0, 1).has_value());
    }
    CHECK(cli::parse_number({"--gpu-memory-utilization", "0.95"}, 0, 1) == 0.95);
    CHECK(cli::parse_number({"--gpu-memory-utilization", "1"}, 0, 1) == 1.0);
  }

  TEST_CASE("a version may carry a pre-release or a local part") {
    using domain::EngineVersion;
    const auto version = [](const char* text) {
      return cli::parse_version({"--engine-version", text});
    };
    CHECK(version("0.19") == EngineVersion{0, 19, 0});
    CHECK(version("v0.19.1") == EngineVersion{0, 19, 1});
    CHECK(version("0.20.0rc1") == EngineVersion{0, 20, 0});
    CHECK(version("0.6.3.post1") == EngineVersion{0, 6, 3});
    CHECK(version("0.11.1+cu129") == EngineVersion{0, 11, 1});
    CHECK(version("v0.10.1.1") == EngineVersion{0, 10, 1});
    CHECK_FALSE(version("0.1.dev18496+gd4e0675a7").has_value());
    CHECK_FALSE(version("0.1.2.3.4").has_value());
    CHECK_FALSE(version("newest").has_value());
    CHECK_FALSE(version("").has_value());
    CHECK_FALSE(version("rc1").has_value());
  }
}
