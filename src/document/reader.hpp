// Typed fields from a mapping, with every complaint collected and leftovers named.
//
//   Reader reader(node, source, diagnostics, "device");
//   device.id = reader.required_text("id");
//   device.tdp = reader.integer("tdpWatts", {.least = 1, .most = 10'000});
//   if (auto mig = reader.mapping("mig")) { … mig->finish(); }
//   reader.finish();   // names unknown and duplicate fields, with the nearest known name
//
// A getter marks its field as known, whether present or not. Getters return nullopt (required_…: a
// default value) after a complaint, so that reading goes on and all faults come out at once.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/edit_distance.hpp"
#include "base/name_table.hpp"
#include "base/result.hpp"
#include "document/node.hpp"

namespace gpushape::document {

struct IntegerBounds {
  std::int64_t least = std::numeric_limits<std::int64_t>::min();
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
};
struct NumberBounds {
  double least = -std::numeric_limits<double>::max();
  double most = std::numeric_limits<double>::max();
};

class Reader {
 public:
  /// `what` names the mapping in messages ("device", "spec.hardware"). A node that is no mapping is
  /// complained of, and every field is then absent.
  Reader(const Node& node, const Source& source, Diagnostics& diagnostics, std::string what);

  [[nodiscard]] bool has(std::string_view name);
  /// Whether a getter has asked for the field, present or not.
  [[nodiscard]] bool is_known(std::string_view name) const;
  std::optional<std::string> text(std::string_view name);
  std::optional<std::string> filled_text(
      std::string_view name);  ///< an empty text is complained of
  std::optional<std::int64_t> integer(std::string_view name, IntegerBounds bounds = {});
  std::optional<double> number(std::string_view name, NumberBounds bounds = {});
  std::optional<bool> boolean(std::string_view name);
  std::optional<Bytes> bytes(std::string_view name);      ///< a non-negative integer
  std::vector<std::string> texts(std::string_view name);  ///< a sequence of strings; absent: empty
  std::vector<std::int64_t> integers(std::string_view name, IntegerBounds bounds = {});
  std::optional<Reader> mapping(std::string_view name);
  std::vector<Reader> mappings(std::string_view name);  ///< a sequence of mappings; absent: empty
  const Node* node(std::string_view name);              ///< as it is, whatever its kind

  std::string required_text(std::string_view name);
  std::int64_t required_integer(std::string_view name, IntegerBounds bounds = {});
  double required_number(std::string_view name, NumberBounds bounds = {});
  bool required_boolean(std::string_view name);
  Bytes required_bytes(std::string_view name);
  std::optional<Reader> required_mapping(std::string_view name);

  /// One of an enum's names; a wrong one is answered with the nearest.
  template <class E>
  std::optional<E> choice(std::string_view name) {
    const std::optional<std::string> word = text(name);
    if (!word) return std::nullopt;
    if (const std::optional<E> value = value_of<E>(*word)) return value;
    complain_of_choice(name, *word, all_names<E>());
    return std::nullopt;
  }

  /// A complaint about the mapping itself, or about one of its fields (its value's place). The
  /// message is complete: it names the field.
  void complain(std::string message, std::string help = {});
  void complain(std::string_view field, std::string message, std::string help = {});

  /// Unknown and duplicate fields are complaints. Call once, after all getters.
  void finish();

  [[nodiscard]] const Node& self() const { return *node_; }
  [[nodiscard]] const Source& source() const { return *source_; }
  [[nodiscard]] Diagnostics& diagnostics() { return *diagnostics_; }
  [[nodiscard]] const std::string& what() const { return what_; }
  /// "workload.yaml:7": for a Fact's `from`.
  [[nodiscard]] std::string place_of(std::string_view field) const;

 private:
  const Node* find(std::string_view name);
  const std::vector<Node>& sequence(std::string_view name);
  std::optional<std::int64_t> integer_of(std::string_view name, const Node& node,
                                         IntegerBounds bounds);
  /// False, with a complaint, where the field is absent.
  bool require(std::string_view name, std::string_view expected);
  void complain_at(const Node& node, std::string message, std::string help = {});
  void complain_at(Position position, std::string message, std::string help = {});
  void complain_of_choice(std::string_view field, const std::string& word,
                          const std::vector<std::string>& names);
  void complain_of_kind(std::string_view field, const Node& node, std::string_view expected);
  void complain_of_absence(std::string_view field, std::string_view expected);

  const Node* node_;
  const Source* source_;
  Diagnostics* diagnostics_;
  std::string what_;
  std::vector<std::string> known_;
};

}  // namespace gpushape::document
