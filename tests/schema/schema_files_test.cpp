// The JSON Schemas themselves, and sample documents of every kind held against them by an
// independent validator (python3-jsonschema).
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "document/text_format.hpp"
#include "domain/quantization.hpp"
#include "schema/kinds.hpp"
#include "support/sample_answers.hpp"
#include "support/sample_measurement.hpp"

namespace {

namespace fs = std::filesystem;
using gpushape::document::Node;
using gpushape::schema::to_node;

const fs::path kSource(GPUSHAPE_SOURCE_DIR);

std::string text_of(const fs::path& path) {
  const std::ifstream input(path, std::ios::binary);
  std::ostringstream text;
  text << input.rdbuf();
  return text.str();
}

/// A folder that goes when the test ends.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "gpushape-schema-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }

  [[nodiscard]] fs::path write(const std::string& name, const std::string& text) const {
    fs::path file = path_ / name;
    std::ofstream(file, std::ios::binary) << text;
    return file;
  }

 private:
  fs::path path_;
};

/// Exit status of tests/schema/validate.py.
int validate(const std::string& schema_file, const std::vector<fs::path>& documents) {
  std::string command = "/usr/bin/python3 '" + (kSource / "tests/schema/validate.py").string() +
                        "' '" + (kSource / "src/schema" / schema_file).string() + "'";
  for (const fs::path& document : documents) command += " '" + document.string() + "'";
  return std::system(command.c_str());
}

/// A document as JSON and as YAML.
std::vector<fs::path> write_both(const TemporaryFolder& folder, const std::string& name,
                                 const Node& node) {
  return {folder.write(name + ".json", gpushape::document::write_json(node)),
          folder.write(name + ".yaml", gpushape::document::write_yaml(node))};
}

/// Every object that lists properties allows no other, and every property says what it is.
void check_described_and_closed(const Node& node, const std::string& place) {
  if (const Node* properties = node.find("properties"); properties != nullptr) {
    const Node* others = node.find("additionalProperties");
    CHECK_MESSAGE((others != nullptr && others->is(Node::Kind::Boolean) && !others->boolean()),
                  place);
    for (const Node::Entry& property : properties->entries()) {
      const bool says = property.value.find("description") != nullptr ||
                        property.value.find("$ref") != nullptr ||
                        property.value.find("const") != nullptr || property.name == "value";
      const std::string name = place + "." + property.name;
      CHECK_MESSAGE(says, name);
    }
  }
  for (const Node::Entry& entry : node.entries()) {
    if (entry.name == "then") continue;  // narrows a property that is described elsewhere
    check_described_and_closed(entry.value, place + "." + entry.name);
  }
  for (const Node& item : node.items()) check_described_and_closed(item, place);
}

}  // namespace

TEST_SUITE("schema") {
  TEST_CASE("every kind has its schema in the program, byte for byte the file of the source") {
    CHECK(gpushape::schema::kinds().size() >= 5);
    for (const auto& row : gpushape::schema::kinds()) {
      CAPTURE(row.kind);
      const auto text = gpushape::schema::schema_text(row.kind);
      REQUIRE(text.has_value());
      CHECK(*text == text_of(kSource / "src/schema" / row.file));
      CHECK_FALSE(row.description.empty());
    }
    CHECK_FALSE(gpushape::schema::schema_text("Estimates").has_value());
  }

  TEST_CASE("every schema is one by draft 2020-12, and closed wherever it lists properties") {
    for (const auto& row : gpushape::schema::kinds()) {
      CAPTURE(row.kind);
      CHECK(validate(std::string(row.file), {}) == 0);
      const auto document = gpushape::document::read_json(*gpushape::schema::schema_text(row.kind),
                                                          std::string(row.file));
      REQUIRE(document.has_value());
      check_described_and_closed(document->root, std::string(row.kind));
    }
  }

  TEST_CASE("every quantization that an answer may name is in the schemas that list them") {
    for (const std::string_view kind : {"Estimate", "Advice", "Workload"}) {
      const auto text = gpushape::schema::schema_text(kind);
      REQUIRE(text.has_value());
      for (const auto& row : gpushape::kNames<gpushape::domain::Quantization>) {
        CAPTURE(kind);
        CAPTURE(row.name);
        CHECK(text->contains("\"" + std::string(row.name) + "\""));
      }
    }
  }

  TEST_CASE("a definition that several schemas hold is the same in all of them") {
    std::map<std::string, Node> definitions;
    for (const auto& row : gpushape::schema::kinds()) {
      const auto document = gpushape::document::read_json(*gpushape::schema::schema_text(row.kind),
                                                          std::string(row.file));
      REQUIRE(document.has_value());
      Node self = document->root;
      std::erase_if(self.entries(), [](const Node::Entry& entry) {
        return entry.name.starts_with('$') || entry.name == "title";
      });
      const auto own = definitions.emplace(std::string(row.kind), self);
      CHECK_MESSAGE(own.first->second == self, row.kind);
      const Node* shared = document->root.find("$defs");
      if (shared == nullptr) continue;
      for (const Node::Entry& entry : shared->entries()) {
        CAPTURE(row.kind);
        CAPTURE(entry.name);
        CHECK(definitions.emplace(entry.name, entry.value).first->second == entry.value);
      }
    }
    CHECK(definitions.contains("shape"));
  }

  TEST_CASE("what is written passes its schema, with every field set and with the fewest") {
    namespace samples = gpushape::samples;
    const TemporaryFolder folder;
    const auto hold = [&](const std::string& schema, const std::vector<Node>& nodes) {
      std::vector<fs::path> files;
      for (const Node& node : nodes) {
        for (fs::path& file : write_both(folder, schema + std::to_string(files.size()), node)) {
          files.push_back(std::move(file));
        }
      }
      CHECK_MESSAGE(validate(schema, files) == 0, schema);
    };
    gpushape::domain::Estimate declared;
    declared.terms = {samples::term("declared", gpushape::domain::Part::Weights, 1, 1, 1)};
    hold("estimate.schema.json",
         {to_node(samples::full_estimate()), to_node(samples::staged_estimate()),
          to_node(samples::bare_estimate()), to_node(declared)});
    gpushape::domain::Advice staged = samples::full_advice();
    staged.shapes.front().estimate = samples::staged_estimate();
    hold("advice.schema.json",
         {to_node(samples::full_advice()), to_node(staged), to_node(samples::asking_advice()),
          to_node(samples::refusing_advice())});
    hold("resource-contract.schema.json",
         {to_node(samples::full_contract()), to_node(samples::bare_contract())});
    hold("workload.schema.json",
         {to_node(samples::full_workload()), to_node(gpushape::domain::Workload{})});
    hold("estimate-comparison.schema.json",
         {to_node(samples::full_comparison()),
          to_node(gpushape::domain::EstimateComparison{.before = samples::bare_estimate(),
                                                       .after = samples::bare_estimate(),
                                                       .settings = {},
                                                       .terms = {}})});
    hold("calibration.schema.json",
         {gpushape::schema::calibration_node({samples::full_calibration()})});
    hold("evidence.schema.json",
         {gpushape::schema::evidence_node(
             {samples::full_calibration().measurement, samples::full_measurement()})});
  }

  TEST_CASE("a document with a field too many, or of the wrong kind, does not pass") {
    const TemporaryFolder folder;
    Node node = to_node(gpushape::samples::full_contract());
    node.set("vcpu", 4);
    CHECK(validate("resource-contract.schema.json", write_both(folder, "more", node)) != 0);
    Node text = Node::mapping();
    text.set("apiVersion", gpushape::schema::kApiVersion);
    text.set("kind", "Workload");
    text.set("concurrency", "many");
    CHECK(validate("workload.schema.json", write_both(folder, "text", text)) != 0);
  }
}
