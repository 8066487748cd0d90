#include "document/scalar.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <limits>

using gpushape::document::is_safe_unquoted;
using gpushape::document::Node;
using gpushape::document::resolve_plain;
using gpushape::document::to_double;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct ScalarRow {
  std::string_view text;
  Node value;
};

}  // namespace

TEST_SUITE("document") {
  // Expected values by the rules of resolve.go in sigs.k8s.io/yaml/goyaml.v2: its word table, then
  // strconv.ParseInt(base 0), then its pattern for decimals.
  TEST_CASE("a scalar without quotes means what Kubernetes takes it for") {
    const auto rows = std::to_array<ScalarRow>({
        {"", Node()},
        {"~", Node()},
        {"null", Node()},
        {"Null", Node()},
        {"nULL", "nULL"},
        {"true", true},
        {"True", true},
        {"tRUE", "tRUE"},
        {"yes", true},
        {"Y", true},
        {"on", true},
        {"n", false},
        {"No", false},
        {"OFF", false},
        {"0", 0},
        {"-0", 0},
        {"+12", 12},
        {"1_000", 1000},
        {"0777", 511},  // 7*64 + 7*8 + 7
        {"0o17", 15},
        {"0x1F", 31},
        {"-0x10", -16},
        {"0b101", 5},
        {"08", 8.0},  // no octal number, so the pattern for decimals takes it
        {"9223372036854775807", std::numeric_limits<std::int64_t>::max()},
        {"-9223372036854775808", std::numeric_limits<std::int64_t>::min()},
        {"9223372036854775808", 9223372036854775808.0},
        {"0x10000000000000000", 18446744073709551616.0},  // 2^64
        {"1.0", 1.0},
        {"1.", 1.0},
        {".5", 0.5},
        {"-.5", -0.5},
        {"1e3", 1000.0},
        {"1.5E-3", 0.0015},
        {"1e400", kInfinity},
        {"-1e400", -kInfinity},
        {"1e-400", 0.0},
        {".inf", kInfinity},
        {"-.INF", -kInfinity},
        {".NaN", std::nan("")},
        {"inf", "inf"},
        {"NaN", "NaN"},
        {".", "."},
        {"-", "-"},
        {"+", "+"},
        {"1e", "1e"},
        {"0x", "0x"},
        {"0xg", "0xg"},
        {"0b2", "0b2"},
        {"1.2.3", "1.2.3"},
        {"--1", "--1"},
        {"+-1", "+-1"},
        {"190:20:30", "190:20:30"},  // base 60 of YAML 1.1 is a string to Kubernetes
        {"2001-12-14", "2001-12-14"},
        {"12Gi", "12Gi"},
        {"h100", "h100"},
    });
    for (const ScalarRow& row : rows) {
      CAPTURE(row.text);
      const Node value = resolve_plain(row.text);
      CHECK(value.kind() == row.value.kind());
      CHECK(value == row.value);
    }
  }

  TEST_CASE(
      "a decimal beyond the range of a double is infinite or zero by the place of its digits") {
    const std::string zeros(400, '0');
    CHECK(to_double("1" + zeros) == kInfinity);
    CHECK(to_double("-1" + zeros + ".0") == -kInfinity);
    CHECK(to_double("0." + zeros + "1") == 0.0);
    CHECK(std::signbit(to_double("-0." + zeros + "1")));
    CHECK(to_double("1e99999999999999999999") == kInfinity);
    CHECK(to_double("1e-99999999999999999999") == 0.0);
    // 10^-401 times 10^402
    CHECK(to_double("0." + zeros + "1e402") == doctest::Approx(10.0));
  }

  TEST_CASE("a string that any reader could take for something else is not safe without quotes") {
    for (const std::string_view text : {"",
                                        "yes",
                                        "No",
                                        "y",
                                        "on",
                                        "TRUE",
                                        "null",
                                        "~",
                                        "1",
                                        "-1",
                                        "0777",
                                        "0o7",
                                        "0x1f",
                                        "1e3",
                                        "1_000",
                                        "1.5",
                                        ".5",
                                        ".inf",
                                        "-.Inf",
                                        ".nan",
                                        "+.inf",
                                        "12:30:45",
                                        "1:30",
                                        "2001-12-14",
                                        "2001-12-14T21:59:43Z",
                                        "2001-12-14 21:59:43.10 -5",
                                        "<<",
                                        "=",
                                        " a",
                                        "a ",
                                        "a: b",
                                        "a:",
                                        "a #b",
                                        "#a",
                                        "- a",
                                        "-",
                                        "---",
                                        "...",
                                        "? a",
                                        "[a]",
                                        "{a}",
                                        "&a",
                                        "*a",
                                        "!a",
                                        "|",
                                        ">",
                                        "'a'",
                                        "\"a\"",
                                        "%a",
                                        "@a",
                                        "`a",
                                        ", a",
                                        "a\nb",
                                        "a\tb",
                                        "a\x7f",
                                        "a\xc2\x85",
                                        "\xe2\x80\xa8",
                                        "\xef\xbb\xbf-a",
                                        "a\xff"}) {
      CAPTURE(text);
      CHECK_FALSE(is_safe_unquoted(text));
    }
  }

  TEST_CASE("ordinary words stand without quotes") {
    for (const std::string_view text :
         {"llama", "meta-llama/Llama-3.1-8B", "a:b", "nvidia.com/gpu", "h100-sxm-80", "3g.40gb",
          "40C", "12Gi", "a#b", "it's", "a, b", "yesterday", "nothing", "v1.2.3",
          "\xc3\xa9t\xc3\xa9", "/dev/shm", "10 GPUs", "infinity"}) {
      CAPTURE(text);
      CHECK(is_safe_unquoted(text));
    }
  }
}
