// Sources: k8s.io/apiserver/pkg/cel/library (quantity.go, semverlib.go, lists.go, regex.go),
// cel-go/ext (strings.go, sets.go), k8s.io/dynamic-resource-allocation/cel (includes).
#include "review/cel/functions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include "document/quantity.hpp"
#include "review/cel/text_functions.hpp"

namespace gpushape::review::cel {

namespace {

/// k8s.io/dynamic-resource-allocation/cel: lists longer than this are refused by includes().
constexpr std::size_t kMostIncluded = 48;

double sign_of(const Value& a, const Value& b) {
  return a.real < b.real ? -1 : a.real > b.real ? 1 : 0;
}

Value compare_of(double sign) { return integer(sign < 0 ? -1 : sign > 0 ? 1 : 0); }

std::int64_t version_part(const Value& version, int part) {
  std::string_view rest = version.text;
  for (; part > 0; --part) rest.remove_prefix(rest.find('.') + 1);
  std::int64_t number = 0;
  std::from_chars(rest.data(), rest.data() + rest.size(), number);
  return number;
}

bool contains(const Items& items, const Value& wanted) {
  return std::ranges::any_of(items, [&](const Value& item) { return equal(item, wanted); });
}
bool contains_all(const Items& items, const Items& wanted) {
  return std::ranges::all_of(wanted, [&](const Value& item) { return contains(items, item); });
}

Value includes_of(Arguments a) {
  if (a[0].kind != Kind::List) return boolean(equal(a[0], a[1]));
  if (a[0].items->size() > kMostIncluded) {
    return error("'includes' function cannot be applied to lists longer than 48 values");
  }
  return boolean(contains(*a[0].items, a[1]));
}

Value index_in(Arguments a) {
  const auto at = std::ranges::find_if(*a[0].items, [&](const Value& v) { return equal(v, a[1]); });
  return integer(at == a[0].items->end() ? -1 : at - a[0].items->begin());
}

Value extreme(Arguments a, bool wants_most) {
  const Items& items = *a[0].items;
  if (items.empty()) return error("min/max called on empty list");
  const Value* best = nullptr;
  for (const Value& item : items) {
    if (item.kind != Kind::Int && item.kind != Kind::Double) return unknown();
    const auto worth = [](const Value& v) {
      return v.kind == Kind::Int ? static_cast<double>(v.number) : v.real;
    };
    if (best == nullptr || (wants_most ? worth(item) > worth(*best) : worth(item) < worth(*best))) {
      best = &item;
    }
  }
  return *best;
}

Value size_of(Arguments a) {
  const Value& of = a[0];
  if (of.kind == Kind::String) {
    return integer(std::ranges::count_if(
        of.text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
  }
  if (of.kind == Kind::List) return integer(static_cast<std::int64_t>(of.items->size()));
  if (of.kind == Kind::Map) return integer(static_cast<std::int64_t>(of.fields->size()));
  return error("no such overload");
}

Value as_integer(Arguments a) {
  const Value& of = a[0];
  constexpr double kLargest = 9.2e18;
  if (of.kind == Kind::Int || of.kind == Kind::Uint) return integer(of.number);
  if (of.kind == Kind::Quantity && (std::floor(of.real) != of.real || std::abs(of.real) > kLargest))
    return error("cannot convert value to integer");
  if (of.kind == Kind::Double || of.kind == Kind::Quantity) {
    if (!(std::abs(of.real) < kLargest)) return error("integer overflow");
    return integer(static_cast<std::int64_t>(of.real));
  }
  std::int64_t number = 0;
  const char* const end = of.text.data() + of.text.size();
  const auto [rest, code] = std::from_chars(of.text.data(), end, number);
  if (of.kind != Kind::String || code != std::errc() || rest != end) {
    return error("type conversion error");
  }
  return integer(number);
}

Value as_real(Arguments a) {
  const Value& of = a[0];
  if (of.kind == Kind::Int || of.kind == Kind::Uint) return real(static_cast<double>(of.number));
  if (of.kind == Kind::Double || of.kind == Kind::Quantity) return real(of.real);
  double number = 0;
  const char* const end = of.text.data() + of.text.size();
  const auto [rest, code] = std::from_chars(of.text.data(), end, number);
  if (of.kind != Kind::String || code != std::errc() || rest != end) {
    return error("type conversion error");
  }
  return real(number);
}

Value as_text(Arguments a) {
  switch (a[0].kind) {
    case Kind::String:
    case Kind::Semver:
      return string(a[0].text);
    case Kind::Bool:
      return string(a[0].truth ? "true" : "false");
    case Kind::Int:
    case Kind::Uint:
      return string(std::to_string(a[0].number));
    case Kind::Double:
      return string(fmt::format("{}", a[0].real));
    default:
      return error("type conversion error");
  }
}

Value optional_value(Arguments a) {
  if (a[0].items->empty()) return error("optional.none() dereference");
  return a[0].items->front();
}

constexpr Kind S = Kind::String;
constexpr Kind I = Kind::Int;
constexpr Kind B = Kind::Bool;
constexpr Kind Q = Kind::Quantity;
constexpr Kind V = Kind::Semver;
constexpr Kind L = Kind::List;
constexpr Kind O = Kind::Optional;
constexpr Kind D = Kind::Dyn;

constexpr bool kMethod = true;
constexpr bool kPlain = false;

// Name, called on its first parameter, parameters, result.
constexpr auto kOverloads = std::to_array<Overload>({
    {"quantity", kPlain, 1, {S}, Q, [](Arguments a) { return converted_quantity(a[0].text); }},
    {"isQuantity",
     kPlain,
     1,
     {S},
     B,
     [](Arguments a) { return boolean(document::quantity_of(a[0].text).has_value()); }},
    {"isGreaterThan",
     kMethod,
     2,
     {Q, Q},
     B,
     [](Arguments a) { return boolean(sign_of(a[0], a[1]) > 0); }},
    {"isLessThan",
     kMethod,
     2,
     {Q, Q},
     B,
     [](Arguments a) { return boolean(sign_of(a[0], a[1]) < 0); }},
    {"compareTo",
     kMethod,
     2,
     {Q, Q},
     I,
     [](Arguments a) { return compare_of(sign_of(a[0], a[1])); }},
    {"add", kMethod, 2, {Q, Q}, Q, [](Arguments a) { return quantity(a[0].real + a[1].real); }},
    {"add",
     kMethod,
     2,
     {Q, I},
     Q,
     [](Arguments a) { return quantity(a[0].real + static_cast<double>(a[1].number)); }},
    {"sub", kMethod, 2, {Q, Q}, Q, [](Arguments a) { return quantity(a[0].real - a[1].real); }},
    {"sub",
     kMethod,
     2,
     {Q, I},
     Q,
     [](Arguments a) { return quantity(a[0].real - static_cast<double>(a[1].number)); }},
    {"sign", kMethod, 1, {Q}, I, [](Arguments a) { return compare_of(a[0].real); }},
    {"isInteger",
     kMethod,
     1,
     {Q},
     B,
     [](Arguments a) { return boolean(std::floor(a[0].real) == a[0].real); }},
    {"asInteger", kMethod, 1, {Q}, I, as_integer},
    {"asApproximateFloat", kMethod, 1, {Q}, Kind::Double, as_real},
    {"semver", kPlain, 1, {S}, V, [](Arguments a) { return converted_semver(a[0].text, false); }},
    {"semver",
     kPlain,
     2,
     {S, B},
     V,
     [](Arguments a) { return converted_semver(a[0].text, a[1].truth); }},
    {"isSemver",
     kPlain,
     1,
     {S},
     B,
     [](Arguments a) { return boolean(!parse_semver(a[0].text, false).empty()); }},
    {"isSemver",
     kPlain,
     2,
     {S, B},
     B,
     [](Arguments a) { return boolean(!parse_semver(a[0].text, a[1].truth).empty()); }},
    {"isGreaterThan",
     kMethod,
     2,
     {V, V},
     B,
     [](Arguments a) { return boolean(compare_semver(a[0].text, a[1].text) > 0); }},
    {"isLessThan",
     kMethod,
     2,
     {V, V},
     B,
     [](Arguments a) { return boolean(compare_semver(a[0].text, a[1].text) < 0); }},
    {"compareTo",
     kMethod,
     2,
     {V, V},
     I,
     [](Arguments a) { return compare_of(compare_semver(a[0].text, a[1].text)); }},
    {"major", kMethod, 1, {V}, I, [](Arguments a) { return integer(version_part(a[0], 0)); }},
    {"minor", kMethod, 1, {V}, I, [](Arguments a) { return integer(version_part(a[0], 1)); }},
    {"patch", kMethod, 1, {V}, I, [](Arguments a) { return integer(version_part(a[0], 2)); }},
    {"contains",
     kMethod,
     2,
     {S, S},
     B,
     [](Arguments a) { return boolean(a[0].text.contains(a[1].text)); }},
    {"startsWith",
     kMethod,
     2,
     {S, S},
     B,
     [](Arguments a) { return boolean(a[0].text.starts_with(a[1].text)); }},
    {"endsWith",
     kMethod,
     2,
     {S, S},
     B,
     [](Arguments a) { return boolean(a[0].text.ends_with(a[1].text)); }},
    {"matches",
     kMethod,
     2,
     {S, S},
     B,
     [](Arguments a) { return found_by(a[0].text, a[1].text); }},
    {"matches", kPlain, 2, {S, S}, B, [](Arguments a) { return found_by(a[0].text, a[1].text); }},
    {"lowerAscii", kMethod, 1, {S}, S, [](Arguments a) { return string(lowered(a[0].text)); }},
    {"upperAscii",
     kMethod,
     1,
     {S},
     S,
     [](Arguments a) {
       std::string text = a[0].text;
       for (char& c : text) {
         if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
       }
       return string(std::move(text));
     }},
    {"replace", kMethod, 3, {S, S, S}, S, replaced},
    {"split", kMethod, 2, {S, S}, L, split_of},
    {"substring", kMethod, 2, {S, I}, S, substring_of},
    {"substring", kMethod, 3, {S, I, I}, S, substring_of},
    {"trim", kMethod, 1, {S}, S, trimmed},
    {"indexOf",
     kMethod,
     2,
     {S, S},
     I,
     [](Arguments a) {
       const std::size_t at = a[0].text.find(a[1].text);
       return integer(at == std::string::npos ? -1 : static_cast<std::int64_t>(at));
     }},
    {"indexOf", kMethod, 2, {L, D}, I, index_in},
    {"join", kMethod, 1, {L}, S, joined},
    {"join", kMethod, 2, {L, S}, S, joined},
    {"min", kMethod, 1, {L}, D, [](Arguments a) { return extreme(a, false); }},
    {"max", kMethod, 1, {L}, D, [](Arguments a) { return extreme(a, true); }},
    {"includes", kMethod, 2, {L, D}, B, includes_of},
    {"includes", kMethod, 2, {D, D}, B, includes_of},
    {"size", kPlain, 1, {D}, I, size_of},
    {"size", kMethod, 1, {D}, I, size_of},
    {"int", kPlain, 1, {D}, I, as_integer},
    {"double", kPlain, 1, {D}, Kind::Double, as_real},
    {"string", kPlain, 1, {D}, S, as_text},
    {"dyn", kPlain, 1, {D}, D, [](Arguments a) { return a[0]; }},
    {"sets.contains",
     kPlain,
     2,
     {L, L},
     B,
     [](Arguments a) { return boolean(contains_all(*a[0].items, *a[1].items)); }},
    {"sets.intersects",
     kPlain,
     2,
     {L, L},
     B,
     [](Arguments a) {
       return boolean(std::ranges::any_of(
           *a[1].items, [&](const Value& item) { return contains(*a[0].items, item); }));
     }},
    {"sets.equivalent",
     kPlain,
     2,
     {L, L},
     B,
     [](Arguments a) {
       return boolean(contains_all(*a[0].items, *a[1].items) &&
                      contains_all(*a[1].items, *a[0].items));
     }},
    {"optional.of", kPlain, 1, {D}, O, [](Arguments a) { return optional_of(a[0]); }},
    {"optional.none", kPlain, 0, {}, O, [](Arguments) { return optional_none(); }},
    {"orValue",
     kMethod,
     2,
     {O, D},
     D,
     [](Arguments a) { return a[0].items->empty() ? a[1] : a[0].items->front(); }},
    {"or",
     kMethod,
     2,
     {O, O},
     O,
     [](Arguments a) { return a[0].items->empty() ? a[1] : a[0]; }},
    {"hasValue", kMethod, 1, {O}, B, [](Arguments a) { return boolean(!a[0].items->empty()); }},
    {"value", kMethod, 1, {O}, D, optional_value},
});

/// Of the libraries that Kubernetes declares (k8s.io/apiserver/pkg/cel/environment/base.go).
constexpr auto kBeyond = std::to_array<std::string_view>(
    {"url",        "isURL",       "getScheme",     "getHost",       "ip",
     "isIP",       "cidr",        "isCIDR",        "family",        "format",
     "find",       "findAll",     "charAt",        "reverse",       "lastIndexOf",
     "timestamp",  "duration",    "isSorted",      "sum",           "slice",
     "flatten",    "sort",        "distinct",      "base64.encode", "base64.decode",
     "type",       "bool",        "uint",          "bytes",         "optional.ofNonZeroValue",
     "optFlatMap", "getFullYear", "getHours",      "getSeconds",    "math.greatest",
     "math.least", "math.abs",    "math.ceil",     "math.floor",    "math.round",
     "math.trunc", "math.sign",   "strings.quote", "lists.range",   "first",
     "last",       "validate"});

bool takes(const Overload& row, std::span<const Kind> kinds) {
  if (row.parameters != kinds.size()) return false;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (row.kinds[i] != kinds[i] && row.kinds[i] != Kind::Dyn && kinds[i] != Kind::Dyn) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::span<const Overload> overloads() { return kOverloads; }

const Overload* find_overload(std::string_view name, bool has_receiver,
                              std::span<const Kind> kinds) {
  for (const Overload& row : kOverloads) {
    if (row.name == name && row.has_receiver == has_receiver && takes(row, kinds)) return &row;
  }
  return nullptr;
}

bool is_function(std::string_view name) {
  return std::ranges::find(kOverloads, name, &Overload::name) != kOverloads.end();
}

bool is_beyond(std::string_view name) { return std::ranges::find(kBeyond, name) != kBeyond.end(); }

}  // namespace gpushape::review::cel
