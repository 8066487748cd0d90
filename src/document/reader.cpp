#include "document/reader.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "document/number_text.hpp"
#include "document/unicode.hpp"

namespace gpushape::document {
namespace {

// Enough to mend a file by; a hostile one could ask for millions.
constexpr std::size_t kMostComplaints = 100;

constexpr std::size_t kLongestShown = 60;

std::string shown(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = character_length(text, i);
    if (result.size() + length > kLongestShown) return result + "...";
    result += length == 0 ? "?" : text.substr(i, length);
    i += length == 0 ? 1 : length;
  }
  return result;
}

std::string with_article(const Node& node) {
  switch (node.kind()) {
    case Node::Kind::Null:
      return "null";
    case Node::Kind::Boolean:
      return node.boolean() ? "the boolean true" : "the boolean false";
    case Node::Kind::Integer:
      return "the integer " + std::to_string(node.integer());
    case Node::Kind::Number:
      if (std::isnan(node.number())) return "not a number (NaN)";
      if (std::isinf(node.number())) return "an infinite number";
      return "the number " + number_text(node.number());
    case Node::Kind::String:
      return "the string \"" + shown(node.text()) + "\"";
    case Node::Kind::Sequence:
      return "a sequence";
    case Node::Kind::Mapping:
      return "a mapping";
  }
  return {};
}

// 8192, 8192.0 and 8e3 alike; every double below 2^63 with no fraction is an exact integer.
std::optional<std::int64_t> integral(const Node& node) {
  if (node.is(Node::Kind::Integer)) return node.integer();
  constexpr double kBeyond = 9223372036854775808.0;  // 2^63
  const double value = node.number();
  const bool fits = value >= -kBeyond && value < kBeyond;  // never for NaN
  if (!node.is(Node::Kind::Number) || !fits || value != std::floor(value)) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

bool is_huge(const Node& node) {
  return node.is(Node::Kind::Number) && std::isfinite(node.number()) &&
         std::abs(node.number()) >= 9223372036854775808.0;
}

template <class T, class Text>
std::optional<std::string> outside(T value, T least, T most, Text text) {
  if (value < least) return text(value) + " is below the least value " + text(least);
  if (value > most) return text(value) + " is above the greatest value " + text(most);
  return std::nullopt;
}

std::string integer_text(std::int64_t value) { return std::to_string(value); }

}  // namespace

Reader::Reader(const Node& node, const Source& source, Diagnostics& diagnostics, std::string what)
    : node_(&node), source_(&source), diagnostics_(&diagnostics), what_(std::move(what)) {
  if (!node.is(Node::Kind::Mapping)) {
    complain(what_ + ": expected a mapping, found " + with_article(node));
  }
}

const Node* Reader::find(std::string_view name) {
  known_.emplace_back(name);
  return node_->find(name);
}

bool Reader::is_known(std::string_view name) const {
  return std::ranges::find(known_, name) != known_.end();
}

bool Reader::has(std::string_view name) { return find(name) != nullptr; }

const Node* Reader::node(std::string_view name) { return find(name); }

std::optional<std::string> Reader::text(std::string_view name) {
  const Node* const found = find(name);
  if (found == nullptr) return std::nullopt;
  if (found->is(Node::Kind::String)) return found->text();
  complain_of_kind(name, *found, "a string");
  return std::nullopt;
}

std::optional<std::string> Reader::filled_text(std::string_view name) {
  std::optional<std::string> found = text(name);
  if (!found || !found->empty()) return found;
  complain(name, "the field '" + std::string(name) + "' is an empty text",
           "write a value, or leave the field out");
  return std::nullopt;
}

std::optional<std::int64_t> Reader::integer(std::string_view name, IntegerBounds bounds) {
  const Node* const found = find(name);
  return found == nullptr ? std::nullopt : integer_of(name, *found, bounds);
}

std::optional<std::int64_t> Reader::integer_of(std::string_view name, const Node& node,
                                               IntegerBounds bounds) {
  const std::optional<std::int64_t> value = integral(node);
  if (!value && is_huge(node)) {
    complain_at(node, std::string(name) + ": " + number_text(node.number()) +
                          " is far beyond any value that makes sense here");
    return std::nullopt;
  }
  if (!value) {
    complain_of_kind(name, node, "an integer");
    return std::nullopt;
  }
  if (const auto fault = outside(*value, bounds.least, bounds.most, integer_text)) {
    complain_at(node, std::string(name) + ": " + *fault);
    return std::nullopt;
  }
  return value;
}

std::optional<double> Reader::number(std::string_view name, NumberBounds bounds) {
  const Node* const found = find(name);
  if (found == nullptr) return std::nullopt;
  if (!found->is_number() || !std::isfinite(found->number())) {
    complain_of_kind(name, *found, "a number");
    return std::nullopt;
  }
  const auto text = [](double value) {
    return integral(Node(value)) ? std::to_string(*integral(Node(value))) : number_text(value);
  };
  if (const auto fault = outside(found->number(), bounds.least, bounds.most, text)) {
    complain_at(*found, std::string(name) + ": " + *fault);
    return std::nullopt;
  }
  return found->number();
}

std::optional<bool> Reader::boolean(std::string_view name) {
  const Node* const found = find(name);
  if (found == nullptr) return std::nullopt;
  if (found->is(Node::Kind::Boolean)) return found->boolean();
  complain_of_kind(name, *found, "true or false");
  return std::nullopt;
}

std::optional<Bytes> Reader::bytes(std::string_view name) {
  const std::optional<std::int64_t> count = integer(name, {.least = 0});
  return count ? std::optional(Bytes(*count)) : std::nullopt;
}

std::vector<std::string> Reader::texts(std::string_view name) {
  std::vector<std::string> result;
  for (const Node& item : sequence(name)) {
    if (item.is(Node::Kind::String)) {
      result.push_back(item.text());
    } else {
      complain_of_kind(name, item, "a string");
    }
  }
  return result;
}

std::vector<std::int64_t> Reader::integers(std::string_view name, IntegerBounds bounds) {
  std::vector<std::int64_t> result;
  for (const Node& item : sequence(name)) {
    if (const auto value = integer_of(name, item, bounds)) result.push_back(*value);
  }
  return result;
}

std::optional<Reader> Reader::mapping(std::string_view name) {
  const Node* const found = find(name);
  if (found == nullptr) return std::nullopt;
  if (!found->is(Node::Kind::Mapping)) {
    complain_of_kind(name, *found, "a mapping");
    return std::nullopt;
  }
  return Reader(*found, *source_, *diagnostics_, what_ + "." + std::string(name));
}

std::vector<Reader> Reader::mappings(std::string_view name) {
  std::vector<Reader> result;
  const std::string what = what_ + "." + std::string(name);
  for (const Node& item : sequence(name)) {
    if (item.is(Node::Kind::Mapping)) {
      result.emplace_back(item, *source_, *diagnostics_, what);
    } else {
      complain_of_kind(name, item, "a mapping");
    }
  }
  return result;
}

const std::vector<Node>& Reader::sequence(std::string_view name) {
  static const std::vector<Node> kNone;
  const Node* const found = find(name);
  if (found == nullptr) return kNone;
  if (!found->is(Node::Kind::Sequence)) complain_of_kind(name, *found, "a sequence");
  return found->items();
}

std::string Reader::required_text(std::string_view name) {
  if (!require(name, "a string")) return {};
  return text(name).value_or("");
}

std::int64_t Reader::required_integer(std::string_view name, IntegerBounds bounds) {
  if (!require(name, "an integer")) return 0;
  return integer(name, bounds).value_or(0);
}

double Reader::required_number(std::string_view name, NumberBounds bounds) {
  if (!require(name, "a number")) return 0;
  return number(name, bounds).value_or(0);
}

bool Reader::required_boolean(std::string_view name) {
  if (!require(name, "true or false")) return false;
  return boolean(name).value_or(false);
}

Bytes Reader::required_bytes(std::string_view name) {
  if (!require(name, "a number of bytes")) return {};
  return bytes(name).value_or(Bytes());
}

std::optional<Reader> Reader::required_mapping(std::string_view name) {
  if (!require(name, "a mapping")) return std::nullopt;
  return mapping(name);
}

bool Reader::require(std::string_view name, std::string_view expected) {
  if (node_->find(name) != nullptr) return true;
  known_.emplace_back(name);
  // A node that is no mapping was complained of once, for all its fields.
  if (node_->is(Node::Kind::Mapping)) complain_of_absence(name, expected);
  return false;
}

void Reader::complain(std::string message, std::string help) {
  complain_at(*node_, std::move(message), std::move(help));
}

void Reader::complain(std::string_view field, std::string message, std::string help) {
  const Node* const found = node_->find(field);
  complain_at(found != nullptr ? *found : *node_, std::move(message), std::move(help));
}

void Reader::complain_at(const Node& node, std::string message, std::string help) {
  complain_at(node.position(), std::move(message), std::move(help));
}

void Reader::complain_at(Position position, std::string message, std::string help) {
  if (diagnostics_->size() >= kMostComplaints) return;
  diagnostics_->push_back(source_->diagnostic(position, std::move(message), std::move(help)));
}

void Reader::complain_of_kind(std::string_view field, const Node& node, std::string_view expected) {
  std::string help;
  if (expected == "a string" && (node.is_number() || node.is(Node::Kind::Boolean))) {
    help = "put it in quotes";
  }
  complain_at(
      node,
      std::string(field) + ": expected " + std::string(expected) + ", found " + with_article(node),
      std::move(help));
}

void Reader::complain_of_absence(std::string_view field, std::string_view expected) {
  complain_at(*node_, what_ + ": field \"" + std::string(field) + "\" is missing",
              "add it, with " + std::string(expected));
}

void Reader::complain_of_choice(std::string_view field, const std::string& word,
                                const std::vector<std::string>& names) {
  std::string all = "one of ";
  for (const std::string& name : names) all += (&name == &names.front() ? "" : ", ") + name;
  complain(field, std::string(field) + ": \"" + shown(word) + "\" is not known",
           suggestion(word, names, all));
}

void Reader::finish() {
  std::vector<const Node::Entry*> sorted;
  for (const Node::Entry& entry : node_->entries()) {
    sorted.push_back(&entry);
    if (std::ranges::find(known_, entry.name) != known_.end()) continue;
    complain_at(entry.position, what_ + ": field \"" + shown(entry.name) + "\" is not known",
                suggestion(entry.name, known_));
  }
  std::ranges::stable_sort(
      sorted, {}, [](const Node::Entry* entry) -> const std::string& { return entry->name; });
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i]->name != sorted[i - 1]->name) continue;
    complain_at(sorted[i]->position,
                what_ + ": field \"" + shown(sorted[i]->name) + "\" is given twice",
                "it stands in line " + std::to_string(sorted[i - 1]->position.line) + " already");
  }
}

std::string Reader::place_of(std::string_view field) const {
  const Node* const found = node_->find(field);
  const Position position = found != nullptr ? found->position() : node_->position();
  return position.line > 0 ? source_->file + ":" + std::to_string(position.line) : source_->file;
}

}  // namespace gpushape::document
