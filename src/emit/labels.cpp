#include "emit/labels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace gpushape::emit {

namespace {

constexpr std::size_t kMostOfLabel = 63;       // RFC 1035, 2.3.4
constexpr std::size_t kMostOfSubdomain = 253;  // of a prefix, apimachinery's DNS1123Subdomain

bool is_lower_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }
bool is_letter_or_digit(char c) { return is_lower_or_digit(c) || (c >= 'A' && c <= 'Z'); }
bool is_name_character(char c) { return is_letter_or_digit(c) || c == '-' || c == '_' || c == '.'; }

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= kMostOfLabel && is_letter_or_digit(text.front()) &&
         is_letter_or_digit(text.back()) && std::ranges::all_of(text, is_name_character);
}

bool is_subdomain(std::string_view text) {
  if (text.empty() || text.size() > kMostOfSubdomain) return false;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find('.', start), text.size());
    if (!is_label(text.substr(start, end - start))) return false;
    start = end + 1;
  }
  return true;
}

/// FNV-1a, 32 bits (Fowler, Noll, Vo): stable between runs and machines.
std::uint32_t hash_of(std::string_view text) {
  std::uint32_t hash = 2166136261U;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 16777619U;
  }
  return hash;
}

}  // namespace

bool is_label(std::string_view text) {
  const auto is_allowed = [](char c) { return is_lower_or_digit(c) || c == '-'; };
  return !text.empty() && text.size() <= kMostOfLabel && is_lower_or_digit(text.front()) &&
         is_lower_or_digit(text.back()) && std::ranges::all_of(text, is_allowed);
}

bool is_qualified_name(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return is_name(text);
  return is_subdomain(text.substr(0, slash)) && is_name(text.substr(slash + 1));
}

bool is_label_value(std::string_view text) { return text.empty() || is_name(text); }

std::string label_of(std::string_view text) {
  std::string label;
  for (const char c : text) {
    const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    if (is_lower_or_digit(lower)) {
      label += lower;
    } else if (!label.empty() && label.back() != '-') {
      label += '-';
    }
  }
  while (label.ends_with('-')) label.pop_back();
  return fitted_label(label);
}

std::string fitted_label(const std::string& label) {
  if (label.size() <= kMostOfLabel) return label;
  const std::string hash = fmt::format("{:08x}", hash_of(label));
  std::string head = label.substr(0, kMostOfLabel - hash.size() - 1);
  while (head.ends_with('-')) head.pop_back();
  return head + "-" + hash;
}

}  // namespace gpushape::emit
