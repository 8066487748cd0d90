#include "inventory/token_trace.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>

#include "document/text_format.hpp"
#include "inventory/time_text.hpp"

using namespace gpushape;
using doctest::Approx;
using inventory::read_token_trace;

namespace {

domain::TokenTrace trace_of(std::string_view text) {
  const auto trace = read_token_trace(text, "trace");
  REQUIRE_MESSAGE(trace.has_value(), to_text(trace ? Diagnostics{} : trace.error()));
  return *trace;
}

std::string refusal(std::string_view text) {
  const auto trace = read_token_trace(text, "trace");
  return trace ? std::string() : to_text(trace.error());
}

}  // namespace

TEST_SUITE("inventory") {
  TEST_CASE("a trace in the form of Azure's") {
    const auto trace = trace_of(
        "TIMESTAMP,ContextTokens,GeneratedTokens\r\n"
        "2023-11-16 18:15:46.6805900,374,44\r\n"
        "2023-11-16 18:15:50.9951690,396,109\r\n");
    REQUIRE(trace.requests.size() == 2);
    CHECK(trace.has_times);
    CHECK(trace.requests[0].input_tokens == 374);
    CHECK(trace.requests[1].output_tokens == 109);
    CHECK(trace.requests[1].seconds == Approx(4.314579).epsilon(1e-6));
  }

  TEST_CASE("a trace in the form of Mooncake's, whose times are milliseconds") {
    const auto trace = trace_of(
        "{\"timestamp\": 27482, \"input_length\": 6955, \"output_length\": 52, \"hash_ids\": "
        "[46]}\n"
        "{\"timestamp\": 30535, \"input_length\": 6472, \"output_length\": 26, \"hash_ids\": "
        "[46]}\n");
    REQUIRE(trace.requests.size() == 2);
    CHECK(trace.requests[0].input_tokens == 6955);
    CHECK(trace.requests[1].seconds == Approx(3.053));
  }

  TEST_CASE("times say what they are, or are told by their size") {
    CHECK(trace_of("timestamp_ms,input_tokens,output_tokens\n0,1,1\n1500,1,1\n")
              .requests[1]
              .seconds == Approx(1.5));
    CHECK(
        trace_of("Timestamp,Model,Request tokens,Response tokens\n5,ChatGPT,472,18\n45,GPT-4,9,2\n")
            .requests[1]
            .seconds == Approx(40));
    CHECK(trace_of("time,prompt_tokens,completion_tokens\n1700000000000,1,1\n1700000002500,1,1\n")
              .requests[1]
              .seconds == Approx(2.5));
  }

  TEST_CASE("a trace without times, and one whose rows are in no order") {
    CHECK_FALSE(trace_of("input_tokens,output_tokens\n10,2\n").has_times);
    const auto trace = trace_of("time_s,input_tokens,output_tokens\n9,1,1\n4,2,1\n");
    CHECK(trace.requests[0].input_tokens == 2);
    CHECK(trace.requests[1].seconds == Approx(5));
  }

  TEST_CASE("dates are read with and without fraction and offset") {
    CHECK(inventory::seconds_of_date("1970-01-02T00:00:01Z") == Approx(86'401));
    CHECK(inventory::seconds_of_date("1970-01-01 01:00:00.5+01:00") == Approx(0.5));
    CHECK(inventory::seconds_of_date("2024-05-10 00:00:00.009930+00:00") ==
          Approx(1'715'299'200.00993));
    CHECK_FALSE(inventory::seconds_of_date("2024-13-10 00:00:00"));
    CHECK_FALSE(inventory::seconds_of_date("yesterday"));
  }

  TEST_CASE("what is wrong with a trace is told with its place") {
    CHECK(refusal("time,prompt\n1,2\n").contains("no column of prompt tokens"));
    CHECK(refusal("input_tokens,output_tokens\n10,-2\n").contains("trace:2:4"));
    CHECK(refusal("input_tokens,output_tokens\n10\n").contains("1 cells"));
    CHECK(refusal("input_tokens,output_tokens\n").contains("no request"));
    CHECK(refusal("{\"input_length\": 1}\n").contains("no column of answer tokens"));
    CHECK(refusal("TIMESTAMP,ContextTokens,GeneratedTokens\nnoon,1,1\n").contains("is no time"));
  }

  TEST_CASE("no text makes the reader crash") {
    const std::string whole =
        "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46.68,374,44\n{\"a\":1}\n\"\n";
    for (std::size_t length = 0; length <= whole.size(); ++length)
      CHECK_NOTHROW(static_cast<void>(read_token_trace(whole.substr(0, length), "trace")));
  }
}
