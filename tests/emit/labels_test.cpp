#include "emit/labels.hpp"

#include <doctest/doctest.h>

#include <string>

#include "emit/emit_cases.hpp"
#include "emit/manifest.hpp"

using namespace gpushape;
namespace cases = emit::cases;

namespace {

std::vector<std::string> names_of(std::vector<domain::RankedShape> shapes, std::string name = {}) {
  const cases::Case from =
      cases::make("x", "vm-class", domain::Platform::Vsphere, std::move(shapes));
  emit::EmitRequest request = from.request();
  request.name = std::move(name);
  return emit::document_names(request);
}

}  // namespace

TEST_SUITE("emit") {
  // RFC 1123: lower-case letters, digits and '-', an alphanumeric at both ends, at most 63.
  TEST_CASE("a DNS label is recognised") {
    for (const char* good : {"a", "7b", "h100-sxm-80", "0"}) CHECK(emit::is_label(good));
    for (const char* bad : {"", "-a", "a-", "A", "a.b", "a_b", "ä"})
      CHECK_FALSE(emit::is_label(bad));
    CHECK(emit::is_label(std::string(63, 'a')));
    CHECK_FALSE(emit::is_label(std::string(64, 'a')));
  }

  TEST_CASE("keys and values of labels are recognised") {
    for (const char* good : {"team", "gpushape.dev/model", "a.b/C_d"}) {
      CAPTURE(good);
      CHECK(emit::is_qualified_name(good));
    }
    for (const char* bad : {"", "/a", "a/", "A.b/c", "a/b/c", "-a", "a b"}) {
      CAPTURE(bad);
      CHECK_FALSE(emit::is_qualified_name(bad));
    }
    for (const char* good : {"", "1", "Team_A.b-c"}) CHECK(emit::is_label_value(good));
    for (const char* bad : {" ", "a/b", "-a", "a-"}) CHECK_FALSE(emit::is_label_value(bad));
  }

  TEST_CASE("any text becomes the nearest label") {
    CHECK(emit::label_of("Llama-3.1-8B-Instruct") == "llama-3-1-8b-instruct");
    CHECK(emit::label_of("__Qwen 2.5__") == "qwen-2-5");
    CHECK(emit::label_of("--") == "");
    CHECK(emit::label_of("模型") == "");
  }

  TEST_CASE("long names are cut, and stay different") {
    const std::string one = emit::fitted_label(std::string(80, 'a'));
    const std::string other = emit::fitted_label(std::string(81, 'a'));
    CHECK(emit::is_label(one));
    CHECK(one.size() == 63);
    CHECK(one != other);
    CHECK(emit::fitted_label("short") == "short");
  }

  TEST_CASE("a document is named after model, quantization and shape") {
    CHECK(names_of({cases::tensor_pair()}) ==
          std::vector<std::string>{"llama-3-3-70b-instruct-fp8-2x-h100xm-80c"});
    CHECK(names_of({cases::passthrough_a30()}) ==
          std::vector<std::string>{"mistral-7b-instruct-v0-3-bf16-a30-passthrough"});
  }

  TEST_CASE("a model read from a file is named after its folder") {
    domain::RankedShape picked = cases::full_l40s();
    picked.contract.model = "./models/My-Model/config.json";
    CHECK(names_of({picked}) == std::vector<std::string>{"my-model-bf16-l40s-48c"});
    picked.contract.model = "./config.json";
    CHECK(names_of({picked}) == std::vector<std::string>{"model-bf16-l40s-48c"});
    picked.contract.model.clear();
    CHECK(names_of({picked}) == std::vector<std::string>{"workload-l40s-48c"});
  }

  TEST_CASE("names of several documents are distinct") {
    CHECK(names_of({cases::full_h200(), cases::tensor_pair()}, "llm") ==
          std::vector<std::string>{"llm-h200x-141c", "llm-2x-h100xm-80c"});
    CHECK(names_of({cases::full_h200(), cases::full_h200()}, "llm") ==
          std::vector<std::string>{"llm-h200x-141c", "llm-h200x-141c-2"});
    CHECK(names_of({cases::full_h200()}, "llm") == std::vector<std::string>{"llm"});
  }

  TEST_CASE("names that Kubernetes refuses are refused, with the nearest that it takes") {
    const cases::Case from =
        cases::make("x", "vm-class", domain::Platform::Vsphere, {cases::full_l40s()});
    emit::EmitRequest request = from.request();
    request.name = "My Class";
    request.name_space = "ai_team";
    request.labels = {{"bad key", "v"}, {"team", "a b"}};
    const Diagnostics diagnostics = emit::check_names(request);
    REQUIRE(diagnostics.size() == 4);
    CHECK(diagnostics[0].help == "use 'my-class'");
    CHECK(diagnostics[1].help == "use 'ai-team'");
    request = from.request();
    request.labels = {{"team", "ai"}};
    CHECK(emit::check_names(request).empty());
  }

  TEST_CASE("a review date is a number of days until a date is given to count from") {
    const cases::Case from =
        cases::make("x", "vm-class", domain::Platform::Vsphere, {cases::full_l40s()});
    emit::EmitRequest request = from.request();
    const auto review_after = [&request] {
      const document::Node node = emit::metadata(request, "x", *request.picked[0]);
      return node.find("annotations")->find("gpushape.dev/review-after")->text();
    };
    CHECK(review_after() == "14d");
    using namespace std::chrono;
    request.as_of = sys_days(year(2028) / February / 20);  // a leap year: 20 + 14 = 34 = 5 March
    CHECK(review_after() == "2028-03-05");
  }

  TEST_CASE("quantities round to the safe side") {
    CHECK(emit::quantity_at_least(gib(240)) == "240Gi");
    CHECK(emit::quantity_at_least(gib(1) + Bytes(1)) == "1025Mi");
    CHECK(emit::quantity_at_most(mib(81559)) == "79Gi");
  }
}
