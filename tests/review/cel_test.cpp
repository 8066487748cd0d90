// Selectors are held against the answers that Kubernetes gives: a list of expressions with the
// answers of its own environment (where GPUSHAPE_SHARED names the folder), and rows of ours after
// the language definition.
#include <doctest/doctest.h>

#include <chrono>
#include <cstdlib>
#include <map>
#include <string>

#include "document/quantity.hpp"
#include "document/text_format.hpp"
#include "profiles/profiles.hpp"
#include "review/cel/selector.hpp"
#include "review/published.hpp"

using namespace gpushape;
using review::cel::PublishedDevice;
using review::cel::Selector;
using review::cel::Verdict;
namespace cel = review::cel;

namespace {

cel::Value attribute_of(const document::Node& node) {
  const document::Node::Entry& entry = node.entries().at(0);
  const auto one = [](std::string_view kind, const document::Node& value) {
    if (kind.starts_with("string")) return cel::string(value.text());
    if (kind.starts_with("version")) return cel::semver(value.text());
    if (kind.starts_with("bool")) return cel::boolean(value.boolean());
    return cel::integer(value.integer());
  };
  if (!entry.value.is(document::Node::Kind::Sequence)) return one(entry.name, entry.value);
  cel::Items items;
  for (const document::Node& item : entry.value.items()) items.push_back(one(entry.name, item));
  return cel::list(std::move(items));
}

PublishedDevice device_of(const document::Node& node) {
  PublishedDevice device("sample", node.find("driver")->text());
  if (const auto* attributes = node.find("attributes")) {
    for (const auto& [name, position, value] : attributes->entries()) {
      device.attribute(name, attribute_of(value));
    }
  }
  if (const auto* capacity = node.find("capacity")) {
    for (const auto& [name, position, value] : capacity->entries()) {
      device.capacity(name,
                      cel::quantity(document::quantity_of(value.find("value")->text()).value()));
    }
  }
  const auto* many = node.find("allowMultipleAllocations");
  if (many != nullptr && many->boolean()) device.allow_multiple_allocations();
  return device;
}

PublishedDevice hopper() {
  PublishedDevice device("sample", "gpu.nvidia.com");
  device.attribute("productName", cel::string("NVIDIA H100 80GB HBM3"));
  device.attribute("slots", cel::integer(7));
  device.attribute("uuid", cel::unknown());
  device.attribute("driverVersion", cel::semver("580.95.5"));
  device.capacity("memory", cel::quantity(81559.0 * 1024 * 1024));
  return device;
}

std::string verdict_of(std::string_view expression, const PublishedDevice& device = hopper()) {
  const auto selector = Selector::compile(expression);
  if (!selector) return "compile error";
  switch (selector->matches(device).verdict) {
    case Verdict::Yes:
      return "true";
    case Verdict::No:
      return "false";
    case Verdict::Unknown:
      return "unknown";
    case Verdict::Error:
      return "run-time error";
  }
  return "";
}

std::string nested(std::string_view open, std::string_view middle, std::string_view close,
                   int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += open;
  text += middle;
  for (int i = 0; i < times; ++i) text += close;
  return text;
}

}  // namespace

TEST_SUITE("review") {
  TEST_CASE("selectors give the answers that Kubernetes gives") {
    const char* const shared = std::getenv("GPUSHAPE_SHARED");
    if (shared == nullptr) {
      MESSAGE("skipped: GPUSHAPE_SHARED is not set");
      return;
    }
    const std::string file = std::string(shared) + "/validators/test/cel.json";
    const auto text = document::read_file(file);
    REQUIRE(text);
    const auto read = document::read_json(*text, file);
    REQUIRE(read);
    std::map<std::string, PublishedDevice> devices;
    for (const auto& [name, position, value] : read->root.find("devices")->entries()) {
      devices.emplace(name, device_of(value));
    }
    int rows = 0;
    for (const document::Node& row : read->root.find("cases")->items()) {
      const std::string& expression = row.find("expr")->text();
      CAPTURE(expression);
      const document::Node& want = *row.find("want");
      const std::string wanted = want.is(document::Node::Kind::Boolean)
                                     ? (want.boolean() ? "true" : "false")
                                     : want.text();
      const auto* device = row.find("device");
      CHECK(verdict_of(expression, devices.at(device != nullptr ? device->text() : "default")) ==
            wanted);
      ++rows;
    }
    CHECK(rows >= 55);
  }

  // https://github.com/google/cel-spec/blob/master/doc/langdef.md
  TEST_CASE("selectors follow the language definition") {
    struct Row {
      const char* expression;
      const char* wanted;
    };
    for (const Row& row : std::initializer_list<Row>{
             {"!!true", "true"},
             {"1 + 2 * 3 == 7 && 7 % 4 == 3 && 7 / 2 == 3", "true"},
             {"-(-9223372036854775807 - 1) > 0", "run-time error"},
             {"1 / 0 == 1", "run-time error"},
             {"1 == 1.0", "true"},
             {"1u < 2", "true"},
             {"0x1F == 31", "true"},
             {"1.5e3 == 1500.0", "true"},
             {".5 < 1", "true"},
             {"'a' < 'b'", "true"},
             {"'a' < 1", "compile error"},
             {"'a' + 1 == 'a1'", "compile error"},
             {"'\\x41\\u0042\\103' == 'ABC'", "true"},
             {"r'\\d' == '\\\\d'", "true"},
             {"'''it's''' == \"it's\"", "true"},
             {"'open", "compile error"},
             {"true ? true : false", "true"},
             {"'x' ? true : false", "compile error"},
             {"1 in [1, 2] && !(3 in [1, 2])", "true"},
             {"{'a': 1}['a'] == 1 && 'a' in {'a': 1}", "true"},
             {"{'a': 1}.b == 1", "run-time error"},
             {"[1, 2][2] == 1", "run-time error"},
             {"[1, 2].map(x, x * 2) == [2, 4]", "true"},
             {"[1, 2, 3].filter(x, x > 1).size() == 2", "true"},
             {"[1, 2].all(x, x > 0) && [1, 2].exists_one(x, x == 1)", "true"},
             {"[1, 2].all(x)", "compile error"},
             {"has(device.driver)", "true"},
             {"has(device.driver == 'x')", "compile error"},
             {"size('Grüße') == 5", "true"},
             {"'a,b'.split(',') == ['a', 'b']", "true"},
             {"sets.contains(['a', 'b'], ['b'])", "true"},
             {"optional.of(1).orValue(2) == 1 && optional.none().orValue(2) == 2", "true"},
             {"'x'.matches('(?=x)')", "run-time error"},
             {"nosuch(1)", "compile error"},
             {"'a'.compareTo('b') == 0", "compile error"},
             {"true // and a comment", "true"},
             {"a.b", "compile error"},
             {"", "compile error"},
             {"true true", "compile error"},
             // What nobody can say offline decides nothing by itself.
             {"device.attributes['gpu.nvidia.com'].uuid == 'GPU-1'", "unknown"},
             {"device.attributes['gpu.nvidia.com'].uuid == 'GPU-1' && false", "false"},
             {"device.attributes['gpu.nvidia.com'].uuid == 'GPU-1' || true", "true"},
             {"'uuid' in device.attributes['gpu.nvidia.com']", "true"},
             {"isURL('https://a')", "unknown"},
         }) {
      CAPTURE(row.expression);
      CHECK(verdict_of(row.expression) == row.wanted);
    }
  }

  TEST_CASE("an expression cannot cost more than the API server would let it") {
    CHECK(verdict_of(nested("(", "true", ")", 5000)) == "compile error");
    CHECK(verdict_of(nested("!", "true", "", 10000)) == "true");
    CHECK(verdict_of(nested("[", "1", "]", 2000) + " == []") == "compile error");
    CHECK(verdict_of(nested("1+", "1", "", 5000) + "==1") == "compile error");
    CHECK(verdict_of(std::string(20000, ' ')) == "compile error");
    CHECK(verdict_of(nested("true && ", "true", "", 1000)) == "true");
    std::string numbers = "1";
    for (int i = 0; i < 300; ++i) numbers += ",1";
    const std::string range = "[" + numbers + "]";
    const std::string loops = range + ".all(a, " + range + ".all(b, " + range + ".all(c, " + range +
                              ".all(d, a+b+c+d>0))))";
    CHECK(verdict_of(loops) == "run-time error");
    std::string doubling = "s0";
    for (int i = 40; i > 0; --i) {
      const std::string last = "s" + std::to_string(i - 1);
      doubling =
          "cel.bind(s" + std::to_string(i - 1) + ", " +
          (i == 1 ? "'xxxxxxxx'" : "s" + std::to_string(i - 2) + " + s" + std::to_string(i - 2)) +
          ", " + (i == 40 ? last + " == ''" : doubling) + ")";
    }
    CHECK(verdict_of(doubling) == "run-time error");
  }

  TEST_CASE("no bytes make the compiler fall") {
    const std::string seed =
        "device.attributes['gpu.nvidia.com'].?a.orValue(1) == {'x': [1u, 0x2]}";
    for (std::size_t cut = 0; cut < seed.size(); ++cut) {
      CAPTURE(cut);
      verdict_of(seed.substr(0, cut));
      verdict_of(seed.substr(cut));
      std::string other = seed;
      other[cut] = static_cast<char>(0x80 + cut);
      verdict_of(other);
      other[cut] = '\0';
      verdict_of(other);
    }
  }

  TEST_CASE("what an expression reads is listed with its guards") {
    const auto selector = Selector::compile(
        "'a' in device.attributes['x.io'] && device.attributes['x.io'].a == 1 &&"
        "device.capacity['x.io']['memory'].compareTo(quantity('1Gi')) > 0 &&"
        "cel.bind(v, device.attributes['y.io'], v.b == 1)");
    REQUIRE(selector);
    REQUIRE(selector->reads().size() == 3);
    CHECK(selector->reads()[0].name == "a");
    CHECK(selector->reads()[0].is_guarded);
    CHECK(selector->reads()[1].is_capacity);
    CHECK_FALSE(selector->reads()[1].is_guarded);
    CHECK(selector->reads()[2].domain == "y.io");
  }

  // EKS 1.35 with eight H100, VKS 3.7 with A100-10C, OpenShift with T4: published ResourceSlices.
  TEST_CASE("devices are published as real nodes publish them") {
    const auto tables = profiles::Profiles::open().value().all().value();
    const auto gpus = review::published_gpus(tables);
    struct Row {
      const char* name;
      const char* expression;
    };
    const std::string attributes = "device.attributes['gpu.nvidia.com']";
    for (const Row& row : std::initializer_list<Row>{
             {"h100-sxm-80",
              "productName == 'NVIDIA H100 80GB HBM3' && architecture == 'Hopper' && brand == "
              "'Nvidia'|81559Mi"},
             {"h200-sxm-141", "productName == 'NVIDIA H200' && architecture == 'Hopper'|143771Mi"},
             {"grid_a100-10c (vGPU)",
              "productName == 'GRID A100-10C' && brand == 'NvidiaVCS' && architecture == "
              "'Ampere'|10Gi"},
             {"t4", "productName == 'Tesla T4' && architecture == 'Turing'|15Gi"},
             {"a100-sxm4-40 1g.5gb", "profile == '1g.5gb'|4864Mi"},
         }) {
      CAPTURE(row.name);
      const std::string text = row.expression;
      const std::size_t bar = text.find('|');
      std::string test = "cel.bind(a, " + attributes + ", a." + text.substr(0, bar) + ")";
      for (std::size_t at = 0; (at = test.find("&& ", at)) != std::string::npos; at += 5) {
        test.insert(at + 3, "a.");
      }
      test += " && device.capacity['gpu.nvidia.com'].memory == quantity('" + text.substr(bar + 1) +
              "')";
      CAPTURE(test);
      bool found = false;
      for (const auto& gpu : gpus) {
        if (gpu.device.name() != row.name) continue;
        found = found || verdict_of(test, gpu.device) == "true";
      }
      CHECK(found);
    }
  }
}
