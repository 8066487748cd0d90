// Running an expression. An error or an unknown value passes upwards until && or || decides without
// it (CEL language definition, Logical Operators).
#include "review/cel/evaluate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "review/cel/functions.hpp"

namespace gpushape::review::cel {

namespace {

/// resource.k8s.io/v1 types.go, CELSelectorExpressionMaxCost; a node visited counts as one.
constexpr std::int64_t kMostSteps = 1'000'000;
constexpr std::size_t kLongestText = 64 * 1024;
constexpr std::size_t kLongestList = 10'000;

bool is_absent(const Value& value) {
  return value.kind == Kind::Error || value.kind == Kind::Unknown;
}

bool is_whole(const Value& value) { return value.kind == Kind::Int || value.kind == Kind::Uint; }
bool is_counted(const Value& value) { return is_whole(value) || value.kind == Kind::Double; }
double worth(const Value& value) {
  return value.kind == Kind::Double ? value.real : static_cast<double>(value.number);
}

Value field_of(const Value& of, const std::string& name) {
  if (of.kind == Kind::Map || of.kind == Kind::Device) {
    const auto found = of.fields->find(name);
    if (found != of.fields->end()) return found->second;
    if (of.is_open) return map({});
  }
  return error(fmt::format("no such key: {}", name));
}

Value whole_sum(char sign, std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  bool overflows = false;
  switch (sign) {
    case '+':
      overflows = __builtin_add_overflow(a, b, &out);
      break;
    case '-':
      overflows = __builtin_sub_overflow(a, b, &out);
      break;
    case '*':
      overflows = __builtin_mul_overflow(a, b, &out);
      break;
    default:
      if (b == 0) return error("division by zero");
      if (b == -1) return sign == '/' ? whole_sum('-', 0, a) : integer(0);
      out = sign == '/' ? a / b : a % b;
  }
  return overflows ? error("integer overflow") : integer(out);
}

Value real_sum(const Expression& e, double a, double b) {
  switch (e.name.front()) {
    case '+':
      return real(a + b);
    case '-':
      return real(a - b);
    case '*':
      return real(a * b);
    case '/':
      return real(a / b);
    default:
      return error("no such overload");
  }
}

class Run {
 public:
  explicit Run(const Value& device) : device_(device) {}

  Value of(const Expression& e) {
    if (++steps_ > kMostSteps) return error("actual cost limit exceeded");
    switch (e.op) {
      case Op::Literal:
        return e.literal;
      case Op::Name:
        return name(e);
      case Op::Select:
        return select(e);
      case Op::OptionalSelect:
      case Op::OptionalIndex:
        return optional(e);
      case Op::Index:
        return index(e);
      case Op::Call:
        return call(e);
      case Op::List:
        return list_of(e);
      case Op::Map:
        return map_of(e);
      case Op::Not:
      case Op::Negate:
        return negate(e);
      case Op::And:
        return decide(e, false);
      case Op::Or:
        return decide(e, true);
      case Op::Choose:
        return choose(e);
      case Op::Compare:
        return compare(e);
      case Op::Arithmetic:
        return arithmetic(e);
      case Op::Has:
        return has(e);
      case Op::Macro:
        return macro(e);
      case Op::Bind:
        return bind(e);
    }
    return unknown();
  }

 private:
  Value name(const Expression& e) {
    for (auto variable = variables_.rbegin(); variable != variables_.rend(); ++variable) {
      if (variable->first == e.name) return variable->second;
    }
    return e.name == "device" ? device_ : unknown();
  }

  Value select(const Expression& e) {
    const Value of_what = of(e.children[0]);
    if (is_absent(of_what)) return of_what;
    if (of_what.kind == Kind::Optional) return inside(of_what, e.name);
    return field_of(of_what, e.name);
  }

  // A selection behind .? stays optional.
  static Value inside(const Value& optional, const std::string& name) {
    if (optional.items->empty()) return optional;
    Value found = field_of(optional.items->front(), name);
    if (found.kind == Kind::Error) return optional_none();
    return found.kind == Kind::Unknown ? found : optional_of(std::move(found));
  }

  Value optional(const Expression& e) {
    const Value of_what = of(e.children[0]);
    if (is_absent(of_what)) return of_what;
    Value key = e.op == Op::OptionalSelect ? string(e.name) : of(e.children[1]);
    if (is_absent(key)) return key;
    if (of_what.kind == Kind::Optional) return inside(of_what, key.text);
    return inside(optional_of(of_what), key.text);
  }

  Value index(const Expression& e) {
    const Value of_what = of(e.children[0]);
    if (is_absent(of_what)) return of_what;
    const Value key = of(e.children[1]);
    if (is_absent(key)) return key;
    if (of_what.kind == Kind::Optional) return inside(of_what, key.text);
    if (of_what.kind == Kind::List) {
      if (!is_whole(key)) return error("no such overload");
      if (key.number < 0 || key.number >= static_cast<std::int64_t>(of_what.items->size())) {
        return error(fmt::format("index out of bounds: {}", key.number));
      }
      return (*of_what.items)[static_cast<std::size_t>(key.number)];
    }
    if (key.kind != Kind::String) return error("no such key");
    return field_of(of_what, key.text);
  }

  Value call(const Expression& e) {
    Items arguments;
    std::vector<Kind> kinds;
    bool any_unknown = false;
    for (const Expression& child : e.children) {
      Value value = of(child);
      if (value.kind == Kind::Error) return value;
      any_unknown = any_unknown || value.kind == Kind::Unknown;
      kinds.push_back(value.kind);
      if (value.items) steps_ += static_cast<std::int64_t>(value.items->size());
      steps_ += static_cast<std::int64_t>(value.text.size() / 8);
      arguments.push_back(std::move(value));
    }
    if (any_unknown) return unknown();
    const Overload* row = find_overload(e.name, e.has_receiver, kinds);
    if (row != nullptr) return row->call(arguments);
    return is_beyond(e.name) ? unknown() : error("no such overload");
  }

  Value list_of(const Expression& e) {
    Items items;
    for (const Expression& child : e.children) {
      Value value = of(child);
      if (is_absent(value)) return value;
      items.push_back(std::move(value));
    }
    return list(std::move(items));
  }

  Value map_of(const Expression& e) {
    Fields fields;
    for (std::size_t i = 0; i + 1 < e.children.size(); i += 2) {
      Value key = of(e.children[i]);
      if (is_absent(key)) return key;
      Value value = of(e.children[i + 1]);
      if (is_absent(value)) return value;
      if (key.kind != Kind::String) return unknown();  // no selector has been seen to need it
      if (!fields.emplace(key.text, std::move(value)).second) {
        return error("insert failed: duplicate key");
      }
    }
    return map(std::move(fields));
  }

  Value negate(const Expression& e) {
    Value value = of(e.children[0]);
    if (is_absent(value)) return value;
    if (e.op == Op::Not && value.kind == Kind::Bool) return boolean(!value.truth);
    if (e.op == Op::Negate && value.kind == Kind::Int) return whole_sum('-', 0, value.number);
    if (e.op == Op::Negate && value.kind == Kind::Double) return real(-value.real);
    return error("no such overload");
  }

  /// && ends at the first false and || at the first true, wherever it stands.
  Value decide(const Expression& e, bool ends_at) {
    std::optional<Value> absent;
    for (const Expression& child : e.children) {
      Value value = of(child);
      if (value.kind == Kind::Bool && value.truth == ends_at) return value;
      if (value.kind == Kind::Bool) continue;
      if (!is_absent(value)) value = error("no such overload");
      if (!absent || value.kind == Kind::Unknown) absent = std::move(value);
    }
    return absent ? *absent : boolean(!ends_at);
  }

  Value choose(const Expression& e) {
    const Value condition = of(e.children[0]);
    if (is_absent(condition)) return condition;
    if (condition.kind != Kind::Bool) return error("no such overload");
    return of(e.children[condition.truth ? 1 : 2]);
  }

  Value compare(const Expression& e) {
    const Value a = of(e.children[0]);
    if (a.kind == Kind::Error) return a;
    const Value b = of(e.children[1]);
    if (b.kind == Kind::Error) return b;
    if (e.name == "in") return is_in(a, b);
    if (is_absent(a) || is_absent(b)) return unknown();
    if (a.items) steps_ += static_cast<std::int64_t>(a.items->size());
    if (e.name == "==") return boolean(equal(a, b));
    if (e.name == "!=") return boolean(!equal(a, b));
    const auto order = ordered(a, b);
    if (!order) return error("no such overload");
    if (e.name == "<") return boolean(*order < 0);
    if (e.name == "<=") return boolean(*order <= 0);
    if (e.name == ">") return boolean(*order > 0);
    return boolean(*order >= 0);
  }

  static std::optional<int> ordered(const Value& a, const Value& b) {
    if (a.kind == Kind::String && b.kind == Kind::String) return a.text.compare(b.text);
    if (a.kind == Kind::Bool && b.kind == Kind::Bool) return int{a.truth} - int{b.truth};
    if (!is_counted(a) || !is_counted(b)) return std::nullopt;
    if (is_whole(a) && is_whole(b)) return a.number < b.number ? -1 : a.number > b.number ? 1 : 0;
    return worth(a) < worth(b) ? -1 : worth(a) > worth(b) ? 1 : 0;
  }

  Value is_in(const Value& a, const Value& b) {
    if (b.kind == Kind::Unknown || a.kind == Kind::Unknown) return unknown();
    if (b.kind == Kind::List) {
      steps_ += static_cast<std::int64_t>(b.items->size());
      return boolean(
          std::ranges::any_of(*b.items, [&](const Value& item) { return equal(item, a); }));
    }
    if (b.kind == Kind::Map) return boolean(a.kind == Kind::String && b.fields->contains(a.text));
    return error("no such overload");
  }

  Value arithmetic(const Expression& e) {
    Value a = of(e.children[0]);
    if (a.kind == Kind::Error) return a;
    Value b = of(e.children[1]);
    if (b.kind == Kind::Error) return b;
    if (is_absent(a) || is_absent(b)) return unknown();
    if (a.kind == Kind::Int && b.kind == Kind::Int)
      return whole_sum(e.name.front(), a.number, b.number);
    if (a.kind == Kind::Uint && b.kind == Kind::Uint) {
      Value out = whole_sum(e.name.front(), a.number, b.number);
      if (out.kind == Kind::Int) out.kind = Kind::Uint;
      return out;
    }
    if (a.kind == Kind::Double && b.kind == Kind::Double) return real_sum(e, a.real, b.real);
    if (e.name == "+" && a.kind == Kind::String && b.kind == Kind::String) {
      if (a.text.size() + b.text.size() > kLongestText) return error("string is too long");
      return string(a.text + b.text);
    }
    if (e.name == "+" && a.kind == Kind::List && b.kind == Kind::List) {
      if (a.items->size() + b.items->size() > kLongestList) return error("list is too long");
      Items all = *a.items;
      all.insert(all.end(), b.items->begin(), b.items->end());
      steps_ += static_cast<std::int64_t>(all.size());
      return list(std::move(all));
    }
    return error("no such overload");
  }

  Value has(const Expression& e) {
    const Expression& selection = e.children[0];
    const Value of_what = of(selection.children[0]);
    if (is_absent(of_what)) return of_what;
    if (of_what.kind != Kind::Map && of_what.kind != Kind::Device) return error("no such overload");
    return boolean(of_what.fields->contains(selection.name));
  }

  Value macro(const Expression& e) {
    const Value range = of(e.children[0]);
    if (is_absent(range)) return range;
    Items items;
    if (range.kind == Kind::List || range.kind == Kind::Optional) {
      items = *range.items;
    } else if (range.kind == Kind::Map) {
      for (const auto& [key, value] : *range.fields) items.push_back(string(key));
    } else {
      return error("no such overload");
    }
    variables_.emplace_back(e.variable, Value());
    Value result = over(e, items);
    variables_.pop_back();
    if (e.name != "optMap" || is_absent(result)) return result;
    return result.items->empty() ? optional_none() : optional_of(result.items->front());
  }

  Value over(const Expression& e, Items& items) {
    std::optional<Value> absent;
    Items kept;
    std::int64_t hits = 0;
    for (Value& item : items) {
      if (steps_ > kMostSteps) return error("actual cost limit exceeded");
      variables_.back().second = item;
      Value answer = of(e.children[1]);
      if (e.name == "all" || e.name == "exists") {
        if (answer.kind == Kind::Bool && answer.truth == (e.name == "exists")) return answer;
        if (answer.kind == Kind::Bool) continue;
        if (!is_absent(answer)) answer = error("no such overload");
        if (!absent || answer.kind == Kind::Unknown) absent = std::move(answer);
        continue;
      }
      if (is_absent(answer)) return answer;
      if (e.name == "map" || e.name == "optMap") {
        if (e.children.size() > 2) {
          if (answer.kind != Kind::Bool) return error("no such overload");
          if (!answer.truth) continue;
          answer = of(e.children[2]);
          if (is_absent(answer)) return answer;
        }
        kept.push_back(std::move(answer));
        continue;
      }
      if (answer.kind != Kind::Bool) return error("no such overload");
      if (!answer.truth) continue;
      ++hits;
      if (e.name == "filter") kept.push_back(item);
    }
    if (e.name == "exists_one") return boolean(hits == 1);
    if (e.name == "all" || e.name == "exists") return absent ? *absent : boolean(e.name == "all");
    return list(std::move(kept));
  }

  Value bind(const Expression& e) {
    Value value = of(e.children[0]);  // an error waits until it is used
    variables_.emplace_back(e.variable, std::move(value));
    Value result = of(e.children[1]);
    variables_.pop_back();
    return result;
  }

  const Value& device_;
  std::vector<std::pair<std::string, Value>> variables_;
  std::int64_t steps_ = 0;
};

}  // namespace

Value evaluate(const Expression& expression, const Value& device) {
  return Run(device).of(expression);
}

}  // namespace gpushape::review::cel
