// Recursive descent over the grammar of the CEL language definition.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "review/cel/expression.hpp"
#include "review/cel/scanner.hpp"

namespace gpushape::review::cel {

namespace {

/// cel-go, parser/options.go: maxRecursionDepth 250.
constexpr int kDeepest = 250;

class Parser {
 public:
  explicit Parser(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  std::expected<Expression, Fault> parse_all() {
    Expression root = expression();
    if (!fault_ && peek().kind != Token::Kind::End) fail_at(peek(), "unexpected");
    if (fault_) return std::unexpected(*fault_);
    return root;
  }

 private:
  // Nothing is read after a fault: the tokens jump to their end.
  Expression fail(std::string message, std::size_t offset) {
    if (!fault_) fault_ = Fault{std::move(message), offset};
    at_ = tokens_.size() - 1;
    return {};
  }
  Expression fail_at(const Token& token, std::string_view what) {
    if (token.kind == Token::Kind::End) {
      return fail("syntax error: the expression ends too early", token.offset);
    }
    return fail(fmt::format("syntax error: {} '{}'", what, token.text), token.offset);
  }

  [[nodiscard]] const Token& peek() const { return tokens_[at_]; }
  Token next() { return tokens_[at_ + 1 < tokens_.size() ? at_++ : at_]; }
  [[nodiscard]] bool is_sign(std::string_view sign) const {
    return peek().kind == Token::Kind::Sign && peek().text == sign;
  }
  bool take(std::string_view sign) {
    if (!is_sign(sign)) return false;
    next();
    return true;
  }
  void expect(std::string_view sign) {
    if (!take(sign)) fail_at(peek(), fmt::format("expected '{}' before", sign));
  }
  Expression node(Op op, std::size_t offset, std::vector<Expression> children,
                  std::string name = {}) {
    Expression made;
    made.op = op;
    made.offset = offset;
    made.name = std::move(name);
    for (const Expression& child : children) made.depth = std::max(made.depth, child.depth + 1);
    if (made.depth > 2 * kDeepest) return fail("expression is nested too deep", offset);
    made.children = std::move(children);
    return made;
  }
  template <class... Children>
  static std::vector<Expression> children_of(Children&&... children) {
    std::vector<Expression> all;
    all.reserve(sizeof...(children));
    (all.push_back(std::forward<Children>(children)), ...);
    return all;
  }

  Expression expression() {
    if (++depth_ > kDeepest) return fail("expression is nested too deep", peek().offset);
    Expression condition = logical(Op::Or, "||");
    if (is_sign("?")) {
      const std::size_t offset = next().offset;
      Expression yes = logical(Op::Or, "||");
      expect(":");
      Expression no = expression();
      condition = node(Op::Choose, offset,
                       children_of(std::move(condition), std::move(yes), std::move(no)));
    }
    --depth_;
    return condition;
  }

  // However many terms there are, the node is one: the tree stays flat.
  Expression logical(Op op, std::string_view sign) {
    const auto part = [&] { return op == Op::Or ? logical(Op::And, "&&") : relation(); };
    Expression first = part();
    if (!is_sign(sign)) return first;
    const std::size_t offset = peek().offset;
    std::vector<Expression> terms = children_of(std::move(first));
    while (take(sign)) terms.push_back(part());
    return node(op, offset, std::move(terms));
  }

  std::optional<std::string> any_of(std::initializer_list<std::string_view> signs) {
    for (const std::string_view sign : signs) {
      if (is_sign(sign)) return std::string(sign);
    }
    if (std::ranges::find(signs, "in") != signs.end() && peek().kind == Token::Kind::Name &&
        peek().text == "in") {
      return "in";
    }
    return std::nullopt;
  }

  /// Left to right; every step nests the tree deeper.
  template <class Part>
  Expression chain(Op op, std::initializer_list<std::string_view> signs, Part part) {
    Expression left = part();
    while (const auto sign = any_of(signs)) {
      const std::size_t offset = next().offset;
      Expression right = part();
      left = node(op, offset, children_of(std::move(left), std::move(right)), *sign);
    }
    return left;
  }
  Expression relation() {
    return chain(Op::Compare, {"==", "!=", "<=", ">=", "<", ">", "in"}, [this] { return sum(); });
  }
  Expression sum() {
    return chain(Op::Arithmetic, {"+", "-"}, [this] { return product(); });
  }
  Expression product() {
    return chain(Op::Arithmetic, {"*", "/", "%"}, [this] { return unary(); });
  }

  Expression unary() {
    for (const auto& [sign, op] : {std::pair("!", Op::Not), std::pair("-", Op::Negate)}) {
      if (!is_sign(sign)) continue;
      const std::size_t offset = next().offset;
      bool is_odd = true;
      while (take(sign)) is_odd = !is_odd;
      Expression inner = member();
      if (!is_odd) return inner;
      if (op == Op::Negate && inner.op == Op::Literal && inner.literal.kind == Kind::Int) {
        inner.literal.number = -inner.literal.number;
        return inner;
      }
      return node(op, offset, children_of(std::move(inner)));
    }
    return member();
  }

  Expression member() {
    Expression left = primary();
    while (!fault_) {
      const std::size_t offset = peek().offset;
      if (take(".")) {
        left = selection(std::move(left), offset);
      } else if (take("[")) {
        const bool is_optional = take("?");
        Expression index = expression();
        expect("]");
        left = node(is_optional ? Op::OptionalIndex : Op::Index, offset,
                    children_of(std::move(left), std::move(index)));
      } else {
        break;
      }
    }
    return left;
  }

  Expression selection(Expression left, std::size_t offset) {
    const bool is_optional = take("?");
    const Token name = next();
    if (name.kind != Token::Kind::Name) return fail_at(name, "expected a name before");
    if (is_optional || !is_sign("(")) {
      return node(is_optional ? Op::OptionalSelect : Op::Select, offset,
                  children_of(std::move(left)), name.text);
    }
    // "sets.contains(a, b)" is a function of the library `sets`.
    if (left.op == Op::Name && is_library(left.name)) {
      const std::string full = left.name + "." + name.text;
      if (full == "cel.bind") return bind(offset);
      return node(Op::Call, offset, arguments(), full);
    }
    if (is_macro(name.text)) return macro(std::move(left), name);
    std::vector<Expression> parts = children_of(std::move(left));
    for (Expression& argument : arguments()) parts.push_back(std::move(argument));
    Expression call = node(Op::Call, offset, std::move(parts), name.text);
    call.has_receiver = true;
    return call;
  }

  static bool is_library(std::string_view name) {
    constexpr std::array<std::string_view, 7> kLibraries = {"sets",   "cel",   "optional", "math",
                                                            "base64", "lists", "strings"};
    return std::ranges::find(kLibraries, name) != kLibraries.end();
  }
  static bool is_macro(std::string_view name) {
    constexpr std::array<std::string_view, 7> kMacros = {
        "all", "exists", "exists_one", "existsOne", "filter", "map", "optMap"};
    return std::ranges::find(kMacros, name) != kMacros.end();
  }

  std::vector<Expression> arguments() {
    std::vector<Expression> all;
    expect("(");
    if (take(")")) return all;
    do all.push_back(expression());
    while (take(","));
    expect(")");
    return all;
  }

  Expression bind(std::size_t offset) {
    std::vector<Expression> parts = arguments();
    if (parts.size() != 3 || parts[0].op != Op::Name) {
      return fail("cel.bind() takes a variable, its value and an expression", offset);
    }
    std::string variable = parts[0].name;
    Expression made = node(Op::Bind, offset, children_of(std::move(parts[1]), std::move(parts[2])));
    made.variable = std::move(variable);
    return made;
  }

  Expression macro(Expression range, const Token& name) {
    std::vector<Expression> parts = arguments();
    const bool is_long = name.text == "map" && parts.size() == 3;
    if ((parts.size() != 2 && !is_long) || parts[0].op != Op::Name) {
      return fail(fmt::format("{}() takes a variable and an expression", name.text), name.offset);
    }
    std::string variable = parts[0].name;
    parts[0] = std::move(range);
    Expression made = node(Op::Macro, name.offset, std::move(parts),
                           name.text == "existsOne" ? "exists_one" : name.text);
    made.variable = std::move(variable);
    return made;
  }

  Expression primary() {
    const bool is_absolute = take(".");
    const Token token = next();
    if (token.kind == Token::Kind::Value) {
      Expression literal = node(Op::Literal, token.offset, {});
      literal.literal = token.value;
      return literal;
    }
    if (token.kind == Token::Kind::Name && token.text != "in") return named(token);
    if (is_absolute || token.kind != Token::Kind::Sign) return fail_at(token, "unexpected");
    if (token.text == "(") {
      Expression inner = expression();
      expect(")");
      return inner;
    }
    if (token.text == "[") return list_of(token);
    if (token.text == "{") return map_of(token);
    return fail_at(token, "unexpected");
  }

  Expression named(const Token& token) {
    if (!is_sign("(")) return node(Op::Name, token.offset, {}, token.text);
    std::vector<Expression> parts = arguments();
    if (token.text != "has") return node(Op::Call, token.offset, std::move(parts), token.text);
    if (parts.size() != 1 || parts[0].op != Op::Select) {
      return fail("has() takes a field selection, like has(a.b)", token.offset);
    }
    return node(Op::Has, token.offset, std::move(parts));
  }

  Expression list_of(const Token& open) {
    std::vector<Expression> items;
    while (!fault_ && !take("]")) {
      take("?");
      items.push_back(expression());
      if (!is_sign("]")) expect(",");
    }
    return node(Op::List, open.offset, std::move(items));
  }

  Expression map_of(const Token& open) {
    std::vector<Expression> parts;
    while (!fault_ && !take("}")) {
      take("?");
      parts.push_back(expression());
      expect(":");
      parts.push_back(expression());
      if (!is_sign("}")) expect(",");
    }
    return node(Op::Map, open.offset, std::move(parts));
  }

  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::optional<Fault> fault_;
};

}  // namespace

std::expected<Expression, Fault> parse(std::string_view text) {
  if (text.size() > kMostLetters) {
    return std::unexpected(Fault{
        fmt::format("expression of {} bytes is longer than {}", text.size(), kMostLetters), 0});
  }
  auto tokens = scan(text);
  if (!tokens) return std::unexpected(tokens.error());
  return Parser(std::move(*tokens)).parse_all();
}

}  // namespace gpushape::review::cel
