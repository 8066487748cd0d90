// SARIF 2.1.0, as code scanning reads it. Source: OASIS, Static Analysis Results Interchange
// Format, sarif-schema-2.1.0.json.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "document/text_format.hpp"
#include "render/review_formats.hpp"
#include "review/rules.hpp"

namespace gpushape::render {

using document::Node;
using domain::Finding;

namespace {

Node text_node(std::string_view text) {
  Node node = Node::mapping();
  node.set("text", text);
  return node;
}

/// A path as a URI reference: what is no letter of a path is written by its number.
std::string uri_of(std::string_view path) {
  std::string uri;
  for (const char letter : path) {
    const bool is_plain = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                          (letter >= '0' && letter <= '9') ||
                          std::string_view("-._~/").contains(letter);
    uri += is_plain ? std::string(1, letter)
                    : fmt::format("%{:02X}", static_cast<unsigned char>(letter));
  }
  return uri;
}

/// Columns of ours are bytes; these count characters. The excerpt is the line, or a window of it.
int column_in_characters(const Finding& finding, int column) {
  if (finding.excerpt_column != 1 || finding.excerpt.empty()) return column;
  const auto bytes =
      std::min(static_cast<std::size_t>(std::max(column, 1)) - 1, finding.excerpt.size());
  const std::string_view before = std::string_view(finding.excerpt).substr(0, bytes);
  return 1 + static_cast<int>(std::ranges::count_if(before, [](char letter) {
           return (static_cast<unsigned char>(letter) & 0xC0U) != 0x80U;
         }));
}

Node artifact_node(const std::string& file) {
  Node node = Node::mapping();
  node.set("uri", uri_of(file == "-" ? "stdin" : file));
  return node;
}

Node location_node(const Finding& finding) {
  Node physical = Node::mapping();
  physical.set("artifactLocation", artifact_node(finding.place.file));
  if (finding.place.line > 0) {
    Node region = Node::mapping();
    region.set("startLine", finding.place.line);
    region.set("startColumn", column_in_characters(finding, finding.place.column));
    region.set("endColumn",
               std::max(column_in_characters(finding, finding.place.column + finding.place.length),
                        column_in_characters(finding, finding.place.column) + 1));
    if (!finding.excerpt.empty()) region.set("snippet", text_node(finding.excerpt));
    physical.set("region", std::move(region));
  }
  Node location = Node::mapping();
  location.set("physicalLocation", std::move(physical));
  if (!finding.object.empty()) {
    Node logical = Node::mapping();
    logical.set("name", finding.object);
    if (!finding.path.empty()) {
      logical.set("fullyQualifiedName", fmt::format("{}: {}", finding.object, finding.path));
    }
    Node logicals = Node::sequence();
    logicals.add(std::move(logical));
    location.set("logicalLocations", std::move(logicals));
  }
  return location;
}

Node fix_node(const Finding& finding) {
  Node replacements = Node::sequence();
  for (const domain::TextEdit& edit : finding.edits) {
    Node region = Node::mapping();
    region.set("startLine", edit.line);
    region.set("startColumn", edit.column);
    region.set("endColumn", edit.column + edit.length);
    Node one = Node::mapping();
    one.set("deletedRegion", std::move(region));
    one.set("insertedContent", text_node(edit.text));
    replacements.add(std::move(one));
  }
  Node change = Node::mapping();
  change.set("artifactLocation", artifact_node(finding.place.file));
  change.set("replacements", std::move(replacements));
  Node changes = Node::sequence();
  changes.add(std::move(change));
  Node fix = Node::mapping();
  fix.set("description", text_node(finding.fix));
  fix.set("artifactChanges", std::move(changes));
  Node fixes = Node::sequence();
  fixes.add(std::move(fix));
  return fixes;
}

/// What stays the same when lines move: FNV-1a over rule, file, object and path.
std::string fingerprint(const Finding& finding) {
  std::uint64_t hash = 14695981039346656037U;
  for (const std::string* part :
       {&finding.rule, &finding.place.file, &finding.object, &finding.path}) {
    for (const char letter : *part + '\n') {
      hash = (hash ^ static_cast<unsigned char>(letter)) * 1099511628211U;
    }
  }
  return fmt::format("{:016x}", hash);
}

Node rule_node(const review::RuleRow& rule) {
  Node node = Node::mapping();
  node.set("id", rule.id);
  node.set("shortDescription", text_node(rule.title));
  node.set("fullDescription", text_node(rule.why));
  node.set("help", text_node(fmt::format("{}\n\nSource: {}", rule.fix, rule.source)));
  Node configuration = Node::mapping();
  configuration.set("level", name_of(rule.severity));
  node.set("defaultConfiguration", std::move(configuration));
  return node;
}

Node result_node(const Finding& finding, std::size_t index, std::int64_t repeat) {
  Node result = Node::mapping();
  result.set("ruleId", finding.rule);
  if (index < review::rules().size()) result.set("ruleIndex", static_cast<std::int64_t>(index));
  result.set("level", name_of(finding.severity));
  std::string message = finding.message;
  if (!finding.why.empty()) message += ". Why: " + finding.why;
  if (!finding.fix.empty()) message += ". Help: " + finding.fix;
  result.set("message", text_node(message));
  Node locations = Node::sequence();
  locations.add(location_node(finding));
  result.set("locations", std::move(locations));
  Node prints = Node::mapping();
  prints.set("gpushape/v1", fmt::format("{}:{}", fingerprint(finding), repeat));
  result.set("partialFingerprints", std::move(prints));
  if (!finding.edits.empty()) result.set("fixes", fix_node(finding));
  return result;
}

Node invocation_node(const domain::Review& review) {
  Node invocation = Node::mapping();
  invocation.set("executionSuccessful", review.faults.empty());
  Node notifications = Node::sequence();
  for (const Diagnostic& fault : review.faults) {
    Node one = Node::mapping();
    one.set("level", "error");
    one.set("message", text_node(fault.message));
    if (!fault.span.file.empty() && fault.span.line > 0) {
      Node region = Node::mapping();
      region.set("startLine", fault.span.line);
      Node physical = Node::mapping();
      physical.set("artifactLocation", artifact_node(fault.span.file));
      physical.set("region", std::move(region));
      Node location = Node::mapping();
      location.set("physicalLocation", std::move(physical));
      Node locations = Node::sequence();
      locations.add(std::move(location));
      one.set("locations", std::move(locations));
    }
    notifications.add(std::move(one));
  }
  if (!notifications.items().empty()) {
    invocation.set("toolExecutionNotifications", std::move(notifications));
  }
  return invocation;
}

}  // namespace

std::string review_sarif(const domain::Review& review, const Style& /*style*/) {
  Node rules = Node::sequence();
  for (const review::RuleRow& rule : review::rules()) rules.add(rule_node(rule));
  Node driver = Node::mapping();
  driver.set("name", "gpushape");
  driver.set("rules", std::move(rules));
  Node tool = Node::mapping();
  tool.set("driver", std::move(driver));
  Node results = Node::sequence();
  std::map<std::string, std::int64_t> repeats;
  for (const Finding& finding : review.findings) {
    const auto rows = review::rules();
    const auto row = std::ranges::find(rows, finding.rule, &review::RuleRow::id);
    results.add(result_node(finding, static_cast<std::size_t>(row - rows.begin()),
                            ++repeats[fingerprint(finding)]));
  }
  Node run = Node::mapping();
  run.set("tool", std::move(tool));
  run.set("columnKind", "unicodeCodePoints");
  Node invocations = Node::sequence();
  invocations.add(invocation_node(review));
  run.set("invocations", std::move(invocations));
  run.set("results", std::move(results));
  Node runs = Node::sequence();
  runs.add(std::move(run));
  Node root = Node::mapping();
  root.set("$schema",
           "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/"
           "sarif-schema-2.1.0.json");
  root.set("version", "2.1.0");
  root.set("runs", std::move(runs));
  return document::write_json(root);
}

}  // namespace gpushape::render
