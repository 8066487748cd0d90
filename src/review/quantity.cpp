#include "review/quantity.hpp"

#include <array>
#include <charconv>
#include <string_view>

namespace gpushape::review {

namespace {

struct Suffix {
  std::string_view text;
  double factor;
};
constexpr double kKibi = 1024;
constexpr auto kSuffixes = std::to_array<Suffix>({
    {"", 1},
    {"n", 1e-9},
    {"u", 1e-6},
    {"m", 1e-3},
    {"k", 1e3},
    {"M", 1e6},
    {"G", 1e9},
    {"T", 1e12},
    {"P", 1e15},
    {"E", 1e18},
    {"Ki", kKibi},
    {"Mi", kKibi* kKibi},
    {"Gi", kKibi* kKibi* kKibi},
    {"Ti", kKibi* kKibi* kKibi* kKibi},
    {"Pi", kKibi* kKibi* kKibi* kKibi* kKibi},
    {"Ei", kKibi* kKibi* kKibi* kKibi* kKibi* kKibi},
});

std::optional<double> parse(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double number = 0;
  const char* const end = text.data() + text.size();
  // "1E" is a suffix where nothing follows, and an exponent before digits: what from_chars does.
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || text.empty() || (text.front() != '-' && text.front() > '9')) {
    return std::nullopt;
  }
  const std::string_view suffix(rest, static_cast<std::size_t>(end - rest));
  for (const Suffix& row : kSuffixes) {
    if (row.text == suffix) return number * row.factor;
  }
  return std::nullopt;
}

}  // namespace

std::optional<double> quantity_of(const document::Node& node) {
  if (node.is_number()) return node.number();
  if (node.is(document::Node::Kind::String)) return parse(node.text());
  return std::nullopt;
}

}  // namespace gpushape::review
