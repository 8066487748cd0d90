// Types before running: what the API server refuses when a claim is written.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "review/cel/functions.hpp"
#include "review/cel/selector.hpp"

namespace gpushape::review::cel {

namespace {

using Checked = std::expected<Type, Fault>;

std::unexpected<Fault> fault(const Expression& at, std::string message) {
  return std::unexpected(Fault{std::move(message), at.offset});
}

bool is_numeric(Kind kind) {
  return kind == Kind::Int || kind == Kind::Uint || kind == Kind::Double;
}

class Checker {
 public:
  Checked check(const Expression& e) {
    switch (e.op) {
      case Op::Literal:
        return Type{e.literal.kind};
      case Op::Name:
        return name(e);
      case Op::Select:
      case Op::OptionalSelect:
        return select(e);
      case Op::Index:
      case Op::OptionalIndex:
        return index(e);
      case Op::Call:
        return call(e);
      case Op::List:
        return list(e);
      case Op::Not:
      case Op::And:
      case Op::Or:
        return logic(e);
      case Op::Choose:
        return choose(e);
      case Op::Compare:
        return compare(e);
      case Op::Negate:
      case Op::Arithmetic:
        return arithmetic(e);
      case Op::Has:
        if (Checked of = select(e.children[0]); !of) return of;
        return Type{Kind::Bool};
      case Op::Macro:
        return macro(e);
      case Op::Bind:
        return bind(e);
      case Op::Map:
        for (const Expression& child : e.children) {
          if (Checked type = check(child); !type) return type;
        }
        return Type{Kind::Map};
    }
    return Type{};
  }

 private:
  Checked name(const Expression& e) {
    const auto found = std::ranges::find(variables_.rbegin(), variables_.rend(), e.name,
                                         &std::pair<std::string, Type>::first);
    if (found != variables_.rend()) return found->second;
    if (e.name == "device") return Type{Kind::Device};
    for (const std::string_view type :
         {"bool", "int", "string", "double", "list", "map", "bytes"}) {
      if (e.name == type) return Type{};
    }
    return fault(e, fmt::format("undeclared reference to '{}'", e.name));
  }

  static std::optional<Type> field_of_device(std::string_view name) {
    if (name == "driver") return Type{Kind::String};
    if (name == "allowMultipleAllocations") return Type{Kind::Bool};
    if (name == "attributes") return Type{Kind::Map, Kind::Map, Kind::Dyn};
    if (name == "capacity") return Type{Kind::Map, Kind::Map, Kind::Quantity};
    return std::nullopt;
  }

  /// Of a map, what stands behind a name.
  static Type behind(const Type& map) {
    if (map.element == Kind::Map) return {Kind::Map, map.inner, Kind::Dyn};
    return {map.element};
  }

  Checked select(const Expression& e) {
    const Checked of = check(e.children[0]);
    if (!of) return of;
    const bool is_optional = e.op == Op::OptionalSelect;
    switch (of->kind) {
      case Kind::Device:
        if (const auto field = field_of_device(e.name)) return *field;
        return fault(e, fmt::format("undefined field '{}'", e.name));
      case Kind::Map:
        return is_optional ? Type{Kind::Optional} : behind(*of);
      case Kind::Dyn:
      case Kind::Optional:
        return is_optional ? Type{Kind::Optional} : *of;
      default:
        return fault(e,
                     fmt::format("type '{}' does not support field selection", name_of(of->kind)));
    }
  }

  Checked index(const Expression& e) {
    const Checked of = check(e.children[0]);
    if (!of) return of;
    const Checked key = check(e.children[1]);
    if (!key) return key;
    const bool is_list = of->kind == Kind::List;
    if (of->kind != Kind::Map && !is_list && of->kind != Kind::Dyn && of->kind != Kind::Optional) {
      return fault(e, fmt::format("found no matching overload for '_[_]' applied to '({}, {})'",
                                  name_of(of->kind), name_of(key->kind)));
    }
    if (is_list && key->kind != Kind::Dyn && !is_numeric(key->kind)) {
      return fault(e, fmt::format("a list takes no index of type '{}'", name_of(key->kind)));
    }
    if (e.op == Op::OptionalIndex) return Type{Kind::Optional};
    if (is_list) return Type{of->element};
    return of->kind == Kind::Map ? Checked(behind(*of)) : of;
  }

  Checked call(const Expression& e) {
    std::vector<Kind> kinds;
    for (const Expression& child : e.children) {
      const Checked type = check(child);
      if (!type) return type;
      kinds.push_back(type->kind);
    }
    if (kinds.size() > kMostParameters && is_function(e.name)) {
      return fault(e, fmt::format("too many arguments of '{}'", e.name));
    }
    if (const Overload* row = find_overload(e.name, e.has_receiver, kinds)) {
      return Type{is_certain(*row, kinds) ? row->result : Kind::Dyn};
    }
    if (is_beyond(e.name)) return Type{};
    if (!is_function(e.name)) return fault(e, fmt::format("undeclared reference to '{}'", e.name));
    std::string list;
    for (const Kind kind : kinds)
      fmt::format_to(std::back_inserter(list), "{}{}", list.empty() ? "" : ", ", name_of(kind));
    return fault(
        e, fmt::format("found no matching overload for '{}' applied to '({})'", e.name, list));
  }

  /// Whether no other overload could be meant when it runs: all of a name give the same mostly.
  static bool is_certain(const Overload& row, const std::vector<Kind>& kinds) {
    for (const Overload& other : overloads()) {
      if (&other == &row || other.name != row.name || other.result == row.result) continue;
      if (other.parameters == kinds.size()) return false;
    }
    return true;
  }

  Checked list(const Expression& e) {
    std::optional<Kind> element;
    for (const Expression& child : e.children) {
      const Checked type = check(child);
      if (!type) return type;
      if (element && *element != type->kind) element = Kind::Dyn;
      if (!element) element = type->kind;
    }
    return Type{Kind::List, element.value_or(Kind::Dyn)};
  }

  Checked logic(const Expression& e) {
    for (const Expression& child : e.children) {
      const Checked type = check(child);
      if (!type) return type;
      if (type->kind != Kind::Bool && type->kind != Kind::Dyn) {
        return fault(child,
                     fmt::format("expected type 'bool' but found '{}'", name_of(type->kind)));
      }
    }
    return Type{Kind::Bool};
  }

  Checked choose(const Expression& e) {
    const Checked condition = check(e.children[0]);
    if (!condition) return condition;
    if (condition->kind != Kind::Bool && condition->kind != Kind::Dyn) {
      return fault(e, fmt::format("expected type 'bool' but found '{}'", name_of(condition->kind)));
    }
    const Checked yes = check(e.children[1]);
    if (!yes) return yes;
    const Checked no = check(e.children[2]);
    if (!no) return no;
    return yes->kind == no->kind ? yes : Checked(Type{});
  }

  static bool may_be_equal(const Type& a, const Type& b) {
    return a.kind == b.kind || a.kind == Kind::Dyn || b.kind == Kind::Dyn || a.kind == Kind::Null ||
           b.kind == Kind::Null || (is_numeric(a.kind) && is_numeric(b.kind));
  }

  Checked compare(const Expression& e) {
    const Checked a = check(e.children[0]);
    if (!a) return a;
    const Checked b = check(e.children[1]);
    if (!b) return b;
    const bool is_plain = a->kind == Kind::Dyn || b->kind == Kind::Dyn;
    bool is_right = false;
    if (e.name == "in") {
      is_right = b->kind == Kind::List || b->kind == Kind::Map || b->kind == Kind::Dyn;
      if (b->kind == Kind::List) is_right = may_be_equal(*a, {b->element});
      if (b->kind == Kind::Map && b->element != Kind::Dyn)
        is_right = may_be_equal(*a, {Kind::String});
    } else if (e.name == "==" || e.name == "!=") {
      is_right = may_be_equal(*a, *b);
    } else {
      is_right = is_plain || (is_numeric(a->kind) && is_numeric(b->kind)) ||
                 (a->kind == b->kind && (a->kind == Kind::String || a->kind == Kind::Bool));
    }
    if (is_right) return Type{Kind::Bool};
    return fault(e, fmt::format("found no matching overload for '_{}_' applied to '({}, {})'",
                                e.name, name_of(a->kind), name_of(b->kind)));
  }

  Checked arithmetic(const Expression& e) {
    std::optional<Kind> kind;
    for (const Expression& child : e.children) {
      const Checked type = check(child);
      if (!type) return type;
      const bool is_joined =
          e.name == "+" && (type->kind == Kind::String || type->kind == Kind::List);
      if (type->kind != Kind::Dyn && !is_numeric(type->kind) && !is_joined) {
        return fault(e, fmt::format("found no matching overload for '_{}_' applied to '{}'",
                                    e.name.empty() ? "-" : e.name, name_of(type->kind)));
      }
      if (kind && *kind != type->kind && *kind != Kind::Dyn && type->kind != Kind::Dyn) {
        return fault(e, fmt::format("found no matching overload for '_{}_' applied to '({}, {})'",
                                    e.name, name_of(*kind), name_of(type->kind)));
      }
      if (!kind || *kind == Kind::Dyn) kind = type->kind;
    }
    return Type{kind.value_or(Kind::Dyn)};
  }

  Checked macro(const Expression& e) {
    const Checked range = check(e.children[0]);
    if (!range) return range;
    if (range->kind != Kind::List && range->kind != Kind::Map && range->kind != Kind::Dyn &&
        range->kind != Kind::Optional) {
      return fault(e, fmt::format("expression of type '{}' cannot be range of a comprehension",
                                  name_of(range->kind)));
    }
    variables_.emplace_back(e.variable, range->kind == Kind::List  ? Type{range->element}
                                        : range->kind == Kind::Map ? Type{Kind::String}
                                                                   : Type{});
    Checked body = Type{};
    for (std::size_t i = 1; i < e.children.size() && body; ++i) body = check(e.children[i]);
    variables_.pop_back();
    if (!body) return body;
    const bool maps = e.name == "map" || e.name == "filter";
    if (e.name == "optMap") return Type{Kind::Optional};
    if (e.name != "map" && body->kind != Kind::Bool && body->kind != Kind::Dyn) {
      return fault(e, fmt::format("expected type 'bool' but found '{}'", name_of(body->kind)));
    }
    if (maps) return Type{Kind::List, e.name == "map" ? body->kind : range->element};
    return Type{Kind::Bool};
  }

  Checked bind(const Expression& e) {
    const Checked value = check(e.children[0]);
    if (!value) return value;
    variables_.emplace_back(e.variable, *value);
    Checked body = check(e.children[1]);
    variables_.pop_back();
    return body;
  }

  std::vector<std::pair<std::string, Type>> variables_;
};

}  // namespace

std::expected<Type, Fault> check(const Expression& expression) {
  return Checker().check(expression);
}

}  // namespace gpushape::review::cel
