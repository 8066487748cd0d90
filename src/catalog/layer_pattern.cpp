// The text form of a sequence of layers: names, counts in front of them, brackets around what
// repeats.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

#include "base/edit_distance.hpp"
#include "catalog/entry_layer.hpp"

namespace gpushape::catalog {
namespace {

constexpr int kMostBrackets = 8;
// Longest block that is tried for a repetition. Published patterns repeat after 2 to 13 runs; a
// bound keeps work on hostile input linear.
constexpr std::size_t kLongestBlock = 32;

void append(std::vector<TypeRun>& runs, TypeRun run) {
  if (run.count == 0) return;
  if (runs.empty() || runs.back().type != run.type) {
    runs.push_back(run);
  } else {
    runs.back().count += run.count;
  }
}

class PatternReader {
 public:
  PatternReader(std::string_view text, std::span<const LayerType> types)
      : text_(text), types_(types) {}

  Result<std::vector<TypeRun>> read() {
    std::vector<TypeRun> runs = read_list(0);
    skip_blanks();
    if (fault_.message.empty() && at_ != text_.size()) complain("a comma is expected");
    if (!fault_.message.empty()) return failure(fault_);
    return runs;
  }

 private:
  // What is read comes to so many layers: more than a model has is a fault, and never expanded.
  struct Block {
    std::vector<TypeRun> runs;
    std::int64_t layers = 0;
  };

  std::vector<TypeRun> read_list(int depth) { return read_block(depth).runs; }

  Block read_block(int depth) {
    Block block;
    do {
      const std::int64_t times = read_times();
      Block item = read_item(depth);
      if (!fault_.message.empty()) return {};
      if (item.layers > kLayers.most / times || block.layers + times * item.layers > kLayers.most) {
        complain(fmt::format("more than {} layers", kLayers.most));
        return {};
      }
      block.layers += times * item.layers;
      if (item.runs.size() == 1) {
        append(block.runs, {item.runs.front().type, item.runs.front().count * times});
        continue;
      }
      for (std::int64_t i = 0; i < times; ++i) {
        for (const TypeRun& run : item.runs) append(block.runs, run);
      }
    } while (take(','));
    return block;
  }

  Block read_item(int depth) {
    if (take('(')) {
      if (depth == kMostBrackets) {
        complain("too many brackets");
        return {};
      }
      Block block = read_block(depth + 1);
      if (fault_.message.empty() && !take(')')) complain("a closing bracket is expected");
      return block;
    }
    const std::string_view name = read_word();
    if (name.empty()) {
      complain("the name of a layer type is expected");
      return {};
    }
    const auto found = std::ranges::find(types_, name, &LayerType::name);
    if (found == types_.end()) {
      std::vector<std::string> names;
      for (const LayerType& type : types_) names.push_back(type.name);
      fault_ = complaint(fmt::format("'{}' is no layer type of this entry", name.substr(0, 80)),
                         suggestion(name, names, "layerTypes names them"));
      return {};
    }
    return {{{static_cast<std::size_t>(found - types_.begin()), 1}}, 1};
  }

  // "12 x", or nothing.
  std::int64_t read_times() {
    const std::size_t start = at_;
    const std::string_view word = read_word();
    const bool is_number = !word.empty() && std::ranges::all_of(word, [](unsigned char letter) {
      return std::isdigit(letter) != 0;
    });
    if (!is_number || read_word() != "x") {
      at_ = start;
      return 1;
    }
    std::int64_t times = 0;
    const auto [rest, error] = std::from_chars(word.data(), word.data() + word.size(), times);
    if (error == std::errc() && times >= 1 && times <= kLayers.most) return times;
    complain(fmt::format("'{}' is no count from 1 to {}", word.substr(0, 80), kLayers.most));
    return 1;
  }

  std::string_view read_word() {
    skip_blanks();
    const std::size_t start = at_;
    while (at_ < text_.size() && !std::string_view(" ,()").contains(text_[at_])) ++at_;
    return text_.substr(start, at_ - start);
  }

  bool take(char letter) {
    skip_blanks();
    if (at_ == text_.size() || text_[at_] != letter) return false;
    ++at_;
    return true;
  }

  void skip_blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  void complain(const std::string& what) {
    if (!fault_.message.empty()) return;
    fault_ = complaint(
        fmt::format("layers: {} at '{}'", what,
                    at_ < text_.size() ? text_.substr(at_, 20) : std::string_view("the end")),
        "write for example: 10 x (5 x local, global), 2 x local");
  }

  std::string_view text_;
  std::span<const LayerType> types_;
  std::size_t at_ = 0;
  Diagnostic fault_;
};

struct Repetition {
  std::size_t length = 1;
  std::size_t times = 1;

  [[nodiscard]] std::size_t saved() const { return (times - 1) * length; }
};

Repetition best_repetition(std::span<const TypeRun> runs) {
  Repetition best;
  for (std::size_t length = 2; length <= std::min(kLongestBlock, runs.size() / 2); ++length) {
    Repetition found{.length = length, .times = 1};
    const std::span<const TypeRun> block = runs.first(length);
    while (runs.size() >= (found.times + 1) * length &&
           std::ranges::equal(block, runs.subspan(found.times * length, length)))
      ++found.times;
    if (found.times > 1 && found.saved() > best.saved()) best = found;
  }
  return best;
}

}  // namespace

Result<std::vector<TypeRun>> parse_layer_pattern(std::string_view text,
                                                 std::span<const LayerType> types) {
  return PatternReader(text, types).read();
}

std::string layer_pattern(std::span<const TypeRun> runs, std::span<const LayerType> types) {
  std::string text;
  while (!runs.empty()) {
    if (!text.empty()) text += ", ";
    const Repetition found = best_repetition(runs);
    if (found.times > 1) {
      text += fmt::format("{} x ({})", found.times, layer_pattern(runs.first(found.length), types));
      runs = runs.subspan(found.length * found.times);
      continue;
    }
    const TypeRun& run = runs.front();
    text += run.count == 1 ? types[run.type].name
                           : fmt::format("{} x {}", run.count, types[run.type].name);
    runs = runs.subspan(1);
  }
  return text;
}

}  // namespace gpushape::catalog
