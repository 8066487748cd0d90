// Every target on every kind of shape: it writes documents that are the same the next time, or it
// refuses with the reason and the name of a target that can.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "document/text_format.hpp"
#include "emit/emitted_documents.hpp"

using namespace gpushape;
using namespace emit::cases;

namespace {

namespace cases = emit::cases;

struct Placed {
  Platform platform;
  RankedShape picked;
};

std::vector<Placed> every_kind_of_shape() {
  using enum Platform;
  const auto engine = [](RankedShape shape) {
    return cases::served(std::move(shape), 16'000'000'000);
  };
  return {
      {Vsphere, engine(cases::fraction_20c())},
      {Vsphere, engine(cases::full_l40s())},
      {Vsphere, engine(cases::tensor_pair())},
      {Vsphere, engine(cases::eight_on_two_nodes())},
      {Vsphere, engine(cases::mig_backed())},
      {Vsphere, engine(cases::passthrough_a30())},
      {Vks, engine(cases::full_h200())},
      {Kubernetes, cases::mig_instance()},
      {Kubernetes, cases::software_share()},
      {Kubernetes, engine(cases::whole("h100-sxm-80", 2))},
      {Kubernetes, cases::two_nodes()},
  };
}

bool is_word_at(const std::string& text, std::size_t at, std::size_t length) {
  const auto is_part = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  };
  return (at == 0 || !is_part(text[at - 1])) &&
         (at + length >= text.size() || !is_part(text[at + length]));
}

std::vector<std::string> targets_named_in(const std::string& text) {
  std::vector<std::string> named;
  for (const emit::TargetRow& row : emit::targets()) {
    for (std::size_t at = text.find(row.name); at != std::string::npos;
         at = text.find(row.name, at + 1)) {
      if (!is_word_at(text, at, row.name.size())) continue;
      named.emplace_back(row.name);
      break;
    }
  }
  return named;
}

std::string one_text(const emit::Emitted& emitted) {
  return emitted.text + document::write_yaml(emitted.documents);
}

}  // namespace

TEST_SUITE("emit") {
  TEST_CASE("a target writes a shape, or names one that writes it") {
    for (const Placed& placed : every_kind_of_shape()) {
      for (const emit::TargetRow& row : emit::targets()) {
        if (row.name == "workload") continue;  // the question, not the answer
        Case from = make("x", std::string(row.name), placed.platform, {placed.picked});
        CAPTURE(row.name);
        CAPTURE(placed.picked.shape.device);
        CAPTURE(name_of(placed.picked.shape.technology));
        CAPTURE(placed.picked.shape.nodes);
        const Result<emit::Emitted> result = emitted(from);
        if (result) {
          CHECK((!result->documents.empty() || !result->text.empty()));
          const Result<emit::Emitted> again = emitted(from);
          REQUIRE(again);
          CHECK(one_text(*result) == one_text(*again));
          continue;
        }
        for (const Diagnostic& fault : result.error()) {
          CAPTURE(fault.message);
          CAPTURE(fault.help);
          const std::vector<std::string> named = targets_named_in(fault.help);
          if (named.empty()) {
            CHECK(fault.help.find("--") != std::string::npos);  // what else to ask for
            continue;
          }
          CHECK(std::ranges::any_of(named, [&](const std::string& target) {
            from.target = target;
            from.beside.clear();
            return emitted(from).has_value();
          }));
        }
      }
    }
  }

  TEST_CASE("without comments there are none, and with them the last line is the command") {
    for (const Placed& placed : every_kind_of_shape()) {
      for (const emit::TargetRow& row : emit::targets()) {
        if (row.name == "workload") continue;
        const Case from = make("x", std::string(row.name), placed.platform, {placed.picked});
        emit::EmitRequest request = from.request();
        CAPTURE(row.name);
        const Result<emit::Emitted> commented = row.emit(request);
        if (!commented) continue;
        if (row.extension != "json") {
          const std::string text = commented->text.empty()
                                       ? document::write_yaml(commented->documents)
                                       : commented->text;
          CHECK(text.ends_with("# " + request.command + "\n"));
        }
        request.has_comments = false;
        const Result<emit::Emitted> bare = row.emit(request);
        REQUIRE(bare);
        const std::string text =
            bare->text.empty() ? document::write_yaml(bare->documents) : bare->text;
        CHECK(text.find("\n#") == std::string::npos);
        CHECK(text.find(" # ") == std::string::npos);
        CHECK_FALSE(text.starts_with("#"));
      }
    }
  }
}
