#include "review/cel/text_functions.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <utility>

#include "document/quantity.hpp"
#include "domain/module_regex.hpp"

namespace gpushape::review::cel {

namespace {

constexpr std::size_t kMostText = 64 * 1024;

}  // namespace

std::string lowered(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

Value found_by(const std::string& text, std::string_view pattern) {
  const bool any_case = pattern.starts_with("(?i)") || pattern.starts_with("^(?i)");
  std::string whole(pattern);
  std::string subject = text;
  if (any_case) {
    whole.erase(whole.find("(?i)"), 4);
    for (std::size_t i = 0; i < whole.size(); ++i) {
      if (whole[i] == '\\') {
        ++i;  // \D is not \d
      } else if (whole[i] >= 'A' && whole[i] <= 'Z') {
        whole[i] = static_cast<char>(whole[i] - 'A' + 'a');
      }
    }
    subject = lowered(std::move(subject));
  }
  if (whole.contains("(?=") || whole.contains("(?!") || whole.contains("(?<")) {
    return error(
        fmt::format("error parsing regexp: invalid or unsupported Perl syntax in '{}'", pattern));
  }
  const domain::ModuleRegex regex(".*(?:" + whole + ")");
  if (regex.fault()) return unknown();  // RE2 knows more than ours
  return boolean(regex.matches(subject));
}

Value converted_quantity(const std::string& text) {
  const auto base = document::quantity_of(text);
  if (!base) {
    return error(
        "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)"
        "$'");
  }
  return quantity(*base);
}

Value converted_semver(const std::string& text, bool normalize) {
  std::string version = parse_semver(text, normalize);
  if (version.empty()) return error(fmt::format("invalid semantic version '{}'", text));
  return semver(std::move(version));
}

Value replaced(Arguments a) {
  std::string out;
  const std::string& from = a[1].text;
  if (from.empty()) return a[0];
  std::size_t at = 0;
  for (std::size_t hit = 0; (hit = a[0].text.find(from, at)) != std::string::npos;) {
    out.append(a[0].text, at, hit - at).append(a[2].text);
    at = hit + from.size();
    if (out.size() > kMostText) return error("string is too long");
  }
  return string(out.append(a[0].text, at));
}

Value split_of(Arguments a) {
  Items parts;
  const std::string& text = a[0].text;
  const std::string& separator = a[1].text;
  if (separator.empty()) {
    for (const char c : text) parts.push_back(string(std::string(1, c)));
    return list(std::move(parts));
  }
  std::size_t at = 0;
  for (std::size_t hit = 0; (hit = text.find(separator, at)) != std::string::npos;
       at = hit + separator.size()) {
    parts.push_back(string(text.substr(at, hit - at)));
  }
  parts.push_back(string(text.substr(at)));
  return list(std::move(parts));
}

Value substring_of(Arguments a) {
  const auto length = static_cast<std::int64_t>(a[0].text.size());
  const std::int64_t from = a[1].number;
  const std::int64_t to = a.size() > 2 ? a[2].number : length;
  if (from < 0 || to > length || from > to) return error("index out of range");
  return string(
      a[0].text.substr(static_cast<std::size_t>(from), static_cast<std::size_t>(to - from)));
}

Value trimmed(Arguments a) {
  const std::string& text = a[0].text;
  const std::size_t from = text.find_first_not_of(" \t\r\n");
  if (from == std::string::npos) return string("");
  return string(text.substr(from, text.find_last_not_of(" \t\r\n") - from + 1));
}

Value joined(Arguments a) {
  std::string out;
  for (const Value& item : *a[0].items) {
    if (item.kind != Kind::String) return error("no such overload");
    if (&item != a[0].items->data() && a.size() > 1) out += a[1].text;
    out += item.text;
    if (out.size() > kMostText) return error("string is too long");
  }
  return string(std::move(out));
}

}  // namespace gpushape::review::cel
