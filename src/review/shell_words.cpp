#include "review/shell_words.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "document/input_text.hpp"

namespace gpushape::review {

using document::Position;

namespace {

// A script that starts more than this is none that starts an engine; ours.
constexpr std::size_t kMostCommands = 2000;
constexpr std::size_t kMostWordBytes = 1U << 20U;

// Words that stand in front of a command and are none.
constexpr auto kPrefixes =
    std::to_array<std::string_view>({"exec", "then", "else", "do", "if", "elif", "while", "until",
                                     "!", "{", "time", "nohup", "command", "sudo", "("});

bool is_name_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

const ShellVariable* find_variable(const std::vector<ShellVariable>& variables,
                                   std::string_view name) {
  for (auto row = variables.rbegin(); row != variables.rend(); ++row) {
    if (row->name == name) return &*row;
  }
  return nullptr;
}

class ShellReader {
 public:
  ShellReader(std::string_view text, const PlaceInText& place, std::vector<ShellVariable> variables)
      : text_(text), place_(place), variables_(std::move(variables)) {}

  std::vector<ShellCommand> read() {
    while (at_ < text_.size() && commands_.size() < kMostCommands) step();
    end_command();
    return std::move(commands_);
  }

 private:
  void step() {
    const char c = text_[at_];
    if (c == '\\' && is_line_end(at_ + 1)) {
      at_ = std::min(text_.find('\n', at_), text_.size() - 1) + 1;
      if (has_word_) end_word();
    } else if (c == ' ' || c == '\t' || c == '\r') {
      end_word();
      ++at_;
    } else if (c == '\n' || c == ';' || c == '|' || c == '&') {
      end_redirection_or_command(c);
    } else if (c == '#' && !has_word_) {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (c == '(' || c == ')') {
      end_command();
      ++at_;
    } else if (c == '>' || c == '<') {
      read_redirection();
    } else {
      begin_word();
      read_piece();
    }
  }

  [[nodiscard]] bool is_line_end(std::size_t at) const {
    return at < text_.size() && (text_[at] == '\n' || text_[at] == '\r');
  }

  void end_redirection_or_command(char c) {
    // "2>&1": the redirection ate it; here & parts commands.
    static_cast<void>(c);
    end_command();
    ++at_;
  }

  /// A redirection and what it goes to are no words.
  void read_redirection() {
    if (has_word_ && std::ranges::all_of(word_.text, [](char c) { return c >= '0' && c <= '9'; })) {
      word_ = {};
      has_word_ = false;
    }
    end_word();
    const bool is_document =
        text_.substr(at_).starts_with("<<") && !text_.substr(at_).starts_with("<<<");
    while (at_ < text_.size() && std::string_view("<>&|-").contains(text_[at_])) ++at_;
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
    const std::size_t begin = at_;
    while (at_ < text_.size() && !std::string_view(" \t\r\n;|&").contains(text_[at_])) ++at_;
    if (is_document) skip_here_document(text_.substr(begin, at_ - begin));
  }

  /// The lines up to the one that holds the mark alone.
  void skip_here_document(std::string_view mark) {
    if (mark.size() >= 2 && (mark.front() == '\'' || mark.front() == '"')) {
      mark = mark.substr(1, mark.size() - 2);
    }
    if (mark.empty()) return;
    std::size_t line = text_.find('\n', at_);
    while (line != std::string_view::npos) {
      const std::size_t next = text_.find('\n', line + 1);
      std::string_view content = text_.substr(
          line + 1, next == std::string_view::npos ? std::string_view::npos : next - line - 1);
      const std::size_t first = std::min(content.find_first_not_of(" \t"), content.size());
      content.remove_prefix(first);
      if (content == mark) break;
      line = next;
    }
    end_command();
    at_ = line == std::string_view::npos ? text_.size()
                                         : std::min(text_.find('\n', line + 1), text_.size());
  }

  void begin_word() {
    if (has_word_) return;
    has_word_ = true;
    begin_ = at_;
  }

  void append(char c) {
    if (word_.text.size() < kMostWordBytes) word_.text += c;
  }
  void append(std::string_view text) {
    if (word_.text.size() + text.size() < kMostWordBytes) word_.text += text;
  }

  void read_piece() {
    const char c = text_[at_];
    if (c == '\'') {
      const std::size_t close = std::min(text_.find('\'', at_ + 1), text_.size());
      append(text_.substr(at_ + 1, close - at_ - 1));
      at_ = std::min(close + 1, text_.size());
    } else if (c == '"') {
      ++at_;
      while (at_ < text_.size() && text_[at_] != '"') read_quoted();
      at_ = std::min(at_ + 1, text_.size());
    } else if (c == '\\' && at_ + 1 < text_.size()) {
      append(text_[at_ + 1]);
      at_ += 2;
    } else if (c == '$') {
      read_variable();
    } else {
      append(c);
      ++at_;
    }
  }

  void read_quoted() {
    const char c = text_[at_];
    if (c == '\\' && at_ + 1 < text_.size()) {
      if (!std::string_view("\"\\$`\n").contains(text_[at_ + 1])) append(c);
      if (text_[at_ + 1] != '\n') append(text_[at_ + 1]);
      at_ += 2;
    } else if (c == '$') {
      read_variable();
    } else {
      append(c);
      ++at_;
    }
  }

  /// $NAME, ${NAME}, ${NAME:-default}, $(NAME); anything else stays as written.
  void read_variable() {
    std::size_t begin = at_ + 1;
    const char open = begin < text_.size() ? text_[begin] : '\0';
    if (open == '{' || open == '(') {
      const std::size_t close = text_.find(open == '{' ? '}' : ')', begin);
      if (close == std::string_view::npos) {
        append(text_[at_++]);
        return;
      }
      read_bracketed(text_.substr(begin + 1, close - begin - 1),
                     text_.substr(at_, close - at_ + 1));
      at_ = close + 1;
      return;
    }
    std::size_t end = begin;
    while (end < text_.size() && is_name_letter(text_[end])) ++end;
    if (end == begin) {
      append(text_[at_++]);
      return;
    }
    const ShellVariable* variable = find_variable(variables_, text_.substr(begin, end - begin));
    append(variable != nullptr && !variable->value.empty() ? std::string_view(variable->value)
                                                           : text_.substr(at_, end - at_));
    at_ = end;
  }

  void read_bracketed(std::string_view inside, std::string_view whole) {
    const std::size_t name_end =
        static_cast<std::size_t>(std::ranges::find_if_not(inside, is_name_letter) - inside.begin());
    const std::string_view name = inside.substr(0, name_end);
    const std::string_view rest = inside.substr(name_end);
    const ShellVariable* variable = find_variable(variables_, name);
    const bool is_known = variable != nullptr && !variable->value.empty();
    if (!name.empty() && is_known &&
        (rest.empty() || rest.starts_with(":-") || rest.starts_with('-'))) {
      append(variable->value);
    } else if (!name.empty() && rest.starts_with(":-")) {
      append(rest.substr(2));
    } else {
      append(whole);
    }
  }

  void end_word() {
    if (!has_word_) return;
    word_.position = place_(begin_, at_ - begin_);
    words_.push_back(std::exchange(word_, {}));
    has_word_ = false;
  }

  void end_command() {
    end_word();
    Command words = std::exchange(words_, {});
    std::size_t first = 0;
    while (first < words.size() &&
           (take_assignment(words[first].text) || is_prefix(words, first))) {
      ++first;
    }
    words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(first));
    if (!words.empty()) commands_.push_back({std::move(words), variables_});
  }

  static bool is_prefix(const Command& words, std::size_t i) {
    return std::ranges::find(kPrefixes, words[i].text) != kPrefixes.end();
  }

  bool take_assignment(std::string_view word) {
    if (word == "export" || word == "local" || word == "env" || word == "readonly") return true;
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos || equals == 0) return false;
    const std::string_view name = word.substr(0, equals);
    if (!std::ranges::all_of(name, is_name_letter)) return false;
    variables_.push_back({std::string(name), std::string(word.substr(equals + 1))});
    return true;
  }

  std::string_view text_;
  const PlaceInText& place_;
  std::vector<ShellVariable> variables_;
  std::size_t at_ = 0;
  std::size_t begin_ = 0;
  bool has_word_ = false;
  Word word_;
  Command words_;
  std::vector<ShellCommand> commands_;
};

/// The line of `source` that begins at or behind a number, without a copy of the others.
std::string_view line_of(std::string_view text, int number) {
  std::size_t begin = 0;
  for (int line = 1; line < number; ++line) {
    const std::size_t end = text.find('\n', begin);
    if (end == std::string_view::npos) return {};
    begin = end + 1;
  }
  return text.substr(begin, text.find('\n', begin) - begin);
}

}  // namespace

std::vector<ShellCommand> shell_commands(std::string_view text, const PlaceInText& place,
                                         std::vector<ShellVariable> variables) {
  return ShellReader(text, place, std::move(variables)).read();
}

PlaceInText place_in_scalar(const document::Document& document, const document::Node& node) {
  const std::string_view file = document.source->text;
  const Position start = node.position();
  const std::string_view first = line_of(file, start.line);
  const std::size_t column = static_cast<std::size_t>(std::max(start.column, 1)) - 1;
  const char mark = column < first.size() ? first[column] : '\0';
  const std::string_view text = node.text();
  if (mark == '|') {
    return [=](std::size_t offset, std::size_t length) {
      const std::string_view before = text.substr(0, std::min(offset, text.size()));
      const auto row = static_cast<int>(std::ranges::count(before, '\n'));
      const std::size_t in_line =
          offset - (before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1);
      const int number = start.line + 1 + row;
      const std::string_view written = line_of(file, number);
      const std::size_t begin = offset - in_line;
      const std::string_view said = text.substr(begin, text.find('\n', begin) - begin);
      const std::size_t indent = written.size() >= said.size() ? written.find(said) : 0;
      if (indent == std::string_view::npos) return start;
      const std::size_t most = said.size() - std::min(in_line, said.size());
      return Position{.line = number,
                      .column = static_cast<int>(indent + in_line) + 1,
                      .length = static_cast<int>(std::max<std::size_t>(std::min(length, most), 1))};
    };
  }
  const bool is_quoted = mark == '"' || mark == '\'';
  const std::string_view written =
      first.substr(std::min(column + (is_quoted ? 1 : 0), first.size()));
  if (mark == '>' || !written.starts_with(text)) {
    return [start](std::size_t, std::size_t) { return start; };
  }
  return [start, is_quoted](std::size_t offset, std::size_t length) {
    return Position{.line = start.line,
                    .column = start.column + (is_quoted ? 1 : 0) + static_cast<int>(offset),
                    .length = static_cast<int>(std::max<std::size_t>(length, 1))};
  };
}

PlaceInText place_in_file(std::string_view text) {
  return [text](std::size_t offset, std::size_t length) {
    Position position = document::position_at(text, offset);
    const std::string_view rest = text.substr(std::min(offset, text.size()));
    const std::size_t most = std::min(rest.find('\n'), rest.size());
    position.length = static_cast<int>(std::max<std::size_t>(std::min(length, most), 1));
    return position;
  };
}

std::string with_variables(std::string_view text, const std::vector<ShellVariable>& variables) {
  std::string filled;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t close =
        text.substr(at).starts_with("$(") ? text.find(')', at) : std::string_view::npos;
    const ShellVariable* variable =
        close == std::string_view::npos
            ? nullptr
            : find_variable(variables, text.substr(at + 2, close - at - 2));
    if (variable == nullptr || variable->value.empty() || filled.size() > kMostWordBytes) {
      filled += text[at++];
      continue;
    }
    filled += variable->value;
    at = close + 1;
  }
  return filled;
}

}  // namespace gpushape::review
