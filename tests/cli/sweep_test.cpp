// The sweep command's lists, its order on several threads, and what it answers to bad input.
#include <doctest/doctest.h>

#include <stdexcept>

#include "cli/ordered_text.hpp"
#include "cli/program.hpp"
#include "cli/sweep_lists.hpp"
#include "document/text_format.hpp"
#include "render/sweep_rows.hpp"
#include "schema/kinds.hpp"

using namespace gpushape;
using cli::Given;
using test::run_line;

namespace {

std::vector<std::int64_t> counts(const std::string& text) {
  std::vector<std::int64_t> list;
  const Diagnostics faults = cli::add_counts(list, {"--context", text}, cli::parse_tokens);
  CHECK(faults.empty());
  return list;
}

std::string refusal(const std::string& text) {
  std::vector<std::int64_t> list;
  return to_text(cli::add_counts(list, {"--context", text}, cli::parse_tokens));
}

std::size_t lines_in(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

}  // namespace

TEST_SUITE("cli") {
  TEST_CASE("counts come one by one, doubled and in steps") {
    CHECK(counts("8k") == std::vector<std::int64_t>{8192});
    CHECK(counts("1,5,3") == std::vector<std::int64_t>{1, 5, 3});
    CHECK(counts("2k..16k") == std::vector<std::int64_t>{2048, 4096, 8192, 16384});
    CHECK(counts("3..13") == std::vector<std::int64_t>{3, 6, 12});
    CHECK(counts("8..24+8,100") == std::vector<std::int64_t>{8, 16, 24, 100});
    CHECK(counts("7..7") == std::vector<std::int64_t>{7});
  }

  TEST_CASE("lists that cannot be read say so") {
    CHECK(refusal("").contains("the list is empty"));
    CHECK(refusal("8k..2k").contains("8k..2k ends before it begins"));
    CHECK(refusal("2k..x").contains("'x' is not a number of tokens"));
    CHECK(refusal("1..1m+1").contains("more than 100000 elements"));
  }

  TEST_CASE("shards count from 1") {
    const Result<cli::Shard> shard = cli::parse_shard({"--shard", "3/8"});
    REQUIRE(shard.has_value());
    CHECK(shard->number == 3);
    CHECK(shard->count == 8);
    for (const char* text : {"0/8", "9/8", "3", "3/", "/8", "3/0", "-1/8"}) {
      CAPTURE(text);
      CHECK_FALSE(cli::parse_shard({"--shard", text}).has_value());
    }
  }

  TEST_CASE("text that threads make comes out in order, and a fault of theirs, too") {
    constexpr std::int64_t kPieces = 1000;
    for (const std::size_t threads : {1U, 2U, 5U}) {
      std::int64_t next = 0;
      bool is_right = true;
      cli::make_in_order(
          kPieces, threads,
          [] {
            return [](std::int64_t piece, std::string& text) { text += std::to_string(piece); };
          },
          [&](std::int64_t piece, const std::string& text) {
            is_right = is_right && piece == next && text == std::to_string(piece);
            ++next;
            return true;
          });
      CHECK(is_right);
      CHECK(next == kPieces);
      const auto fails = [&] {
        cli::make_in_order(
            kPieces, threads,
            [] {
              return [](std::int64_t piece, std::string&) {
                if (piece == 20) throw std::runtime_error("piece 20");
              };
            },
            [](std::int64_t, const std::string&) { return true; });
      };
      CHECK_THROWS_WITH(fails(), "piece 20");
      std::int64_t taken = 0;
      cli::make_in_order(
          kPieces, threads, [] { return [](std::int64_t, std::string&) {}; },
          [&](std::int64_t, const std::string&) { return ++taken < 7; });
      CHECK(taken == 7);
    }
  }

  TEST_CASE("the columns of a sweep are the fields of its rows' schema") {
    const Result<document::Document> schema =
        document::read_json(*schema::schema_text("SweepRow"), "schema");
    REQUIRE(schema.has_value());
    const document::Node* fields = schema->root.find("properties");
    REQUIRE(fields != nullptr);
    std::vector<std::string> named;
    for (const document::Node::Entry& entry : fields->entries()) named.push_back(entry.name);
    std::vector<std::string> columns = {"apiVersion", "kind"};
    for (const render::SweepTextColumn& column : render::sweep_text_columns())
      columns.emplace_back(column.name);
    for (const render::SweepFigureColumn& column : render::sweep_figure_columns())
      columns.emplace_back(column.name);
    columns.emplace_back("fitsAt");
    columns.emplace_back("reason");
    CHECK(named == columns);
  }

  TEST_CASE("a sweep says the number of its rows, and shards share them") {
    const std::string grid =
        "sweep qwen3-0.6b qwen3-4b --quant stored,fp8 --tp 1,2,3 --context 1k..8k "
        "--concurrency 1,2,3 --gpu l4,h100 --count";
    CHECK(run_line(grid).out == "288\n");
    CHECK(run_line(grid + " --shard 2/5").out == "58\n");
    CHECK(run_line(grid + " --shard 5/5").out == "57\n");
  }

  TEST_CASE("a workload file says what does not vary") {
    const test::Outcome outcome =
        run_line("sweep -f examples/workloads/chat-measured.yaml --tp 1,2 --gpu none");
    CHECK(outcome.status == 0);
    CHECK(lines_in(outcome.out) == 3);
    CHECK(outcome.out.contains("\nmeta-llama/Llama-3.1-8B-Instruct,"));
    CHECK(outcome.out.contains(",8192,16,"));
  }

  TEST_CASE("patterns stand for the models of the catalog, each once") {
    const test::Outcome outcome =
        run_line("sweep 'Qwen3-0.?b' qwen3-0.6b,Qwen/Qwen3-0.6B --gpu none");
    CHECK(outcome.status == 0);
    CHECK(lines_in(outcome.out) == 2);
    CHECK(run_line("sweep 'qwenn*'").err.contains("named like 'qwenn*'"));
    CHECK(run_line("sweep 'qwenn*'").status == 2);
  }

  TEST_CASE("what cannot be is a row, what cannot be read ends a sweep") {
    const test::Outcome row = run_line("sweep qwen3-0.6b --tp 3 --context 8k --gpu l4");
    CHECK(row.status == 0);
    CHECK(row.out.contains("tensor parallel size 3 does not divide"));
    for (const char* line : {"sweep", "sweep qwen3-0.6x", "sweep qwen3-0.6b --quant fp9",
                             "sweep qwen3-0.6b --gpu h1000", "sweep qwen3-0.6b --engine vlmm",
                             "sweep qwen3-0.6b -o yaml", "sweep qwen3-0.6b --shard 0/8",
                             "sweep qwen3-0.6b --context 0"}) {
      CAPTURE(line);
      const test::Outcome outcome = run_line(line);
      CHECK(outcome.status == 2);
      CHECK(outcome.out.empty());
      CHECK(outcome.err.starts_with("error: "));
    }
  }
}
