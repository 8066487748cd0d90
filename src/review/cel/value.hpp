// Values and types of CEL as far as device selectors need them.
//
// Two kinds stand for no value: Error (what a missing attribute gives) and Unknown (published, but
// nobody can say offline with what value: a serial number, a bus address). Sources: the CEL
// language definition (https://github.com/google/cel-spec/blob/master/doc/langdef.md) and the
// libraries that Kubernetes adds (https://kubernetes.io/docs/reference/using-api/cel/).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gpushape::review::cel {

enum class Kind : std::uint8_t {
  Null,
  Bool,
  Int,
  Uint,
  Double,
  String,
  Quantity,
  Semver,
  List,
  Map,
  Optional,
  Device,
  Dyn,      ///< of types alone: known when it runs
  Unknown,  ///< of values alone
  Error,    ///< of values alone
};

/// "string", "map" …, as the API server's messages say.
std::string_view name_of(Kind kind);

/// What an expression gives before it runs. `element` and `inner` tell of maps and lists.
struct Type {
  Kind kind = Kind::Dyn;
  Kind element = Kind::Dyn;
  Kind inner = Kind::Dyn;
};

struct Value;
using Items = std::vector<Value>;
using Fields = std::map<std::string, Value, std::less<>>;

struct Value {
  Kind kind = Kind::Null;
  bool truth = false;
  bool is_open = false;                    ///< of a Map: a name that is missing gives an empty map
  std::int64_t number = 0;                 ///< Int, Uint
  double real = 0;                         ///< Double, Quantity in its base unit
  std::string text{};                      ///< String, Semver; of an Error: what is wrong
  std::shared_ptr<const Items> items{};    ///< List; Optional with none or one
  std::shared_ptr<const Fields> fields{};  ///< Map, Device
};

inline Value unknown() { return {.kind = Kind::Unknown}; }
inline Value error(std::string text) { return {.kind = Kind::Error, .text = std::move(text)}; }
inline Value boolean(bool truth) { return {.kind = Kind::Bool, .truth = truth}; }
inline Value integer(std::int64_t number) { return {.kind = Kind::Int, .number = number}; }
inline Value real(double number) { return {.kind = Kind::Double, .real = number}; }
inline Value string(std::string text) { return {.kind = Kind::String, .text = std::move(text)}; }
inline Value quantity(double base) { return {.kind = Kind::Quantity, .real = base}; }
inline Value semver(std::string text) { return {.kind = Kind::Semver, .text = std::move(text)}; }
inline Value list(Items items) {
  return {.kind = Kind::List, .items = std::make_shared<const Items>(std::move(items))};
}
inline Value map(Fields fields, bool is_open = false) {
  return {.kind = Kind::Map,
          .is_open = is_open,
          .fields = std::make_shared<const Fields>(std::move(fields))};
}
inline Value optional_none() {
  return {.kind = Kind::Optional, .items = std::make_shared<const Items>()};
}
inline Value optional_of(Value value) {
  Value optional = list({std::move(value)});
  optional.kind = Kind::Optional;
  return optional;
}

/// Equality of CEL: values of different kinds differ, numbers compare across kinds.
bool equal(const Value& a, const Value& b);
/// Below, at or above 0; of two semantic versions (https://semver.org, section 11).
int compare_semver(std::string_view a, std::string_view b);
/// "9.0.0"; with `normalize` also "v9", "9.00". Empty where it is none.
std::string parse_semver(std::string_view text, bool normalize);

}  // namespace gpushape::review::cel
