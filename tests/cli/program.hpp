// The whole program in one call, as a user would see it.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "cli/run.hpp"

namespace gpushape::test {

struct Outcome {
  int status = 0;
  std::string out;
  std::string err;
};

/// Runs with the project's root as the working folder, no terminal and a UTF-8 locale.
inline Outcome run_program(const std::vector<std::string>& arguments) {
  std::filesystem::current_path(GPUSHAPE_SOURCE_DIR);
  std::ostringstream out;
  std::ostringstream err;
  const cli::Terminal terminal{.out = out,
                               .err = err,
                               .is_out_terminal = false,
                               .is_err_terminal = false,
                               .no_color = "",
                               .term = "xterm",
                               .locale = "C.UTF-8"};
  Outcome outcome;
  outcome.status = cli::run(arguments, terminal);
  outcome.out = out.str();
  outcome.err = err.str();
  return outcome;
}

/// Words as a shell splits them: blanks separate, single and double quotes hold together.
inline std::vector<std::string> shell_words(std::string_view line) {
  std::vector<std::string> words;
  std::string word;
  bool is_open = false;
  char quote = 0;
  for (const char letter : line) {
    if (quote != 0) {
      if (letter == quote) {
        quote = 0;
      } else {
        word += letter;
      }
    } else if (letter == '\'' || letter == '"') {
      quote = letter;
      is_open = true;
    } else if (letter == ' ' || letter == '\n') {
      if (is_open) words.push_back(word);
      word.clear();
      is_open = false;
    } else {
      word += letter;
      is_open = true;
    }
  }
  if (is_open) words.push_back(word);
  return words;
}

inline Outcome run_line(std::string_view line) { return run_program(shell_words(line)); }

inline std::string read_text(const std::filesystem::path& path) {
  const std::ifstream input(path, std::ios::binary);
  std::ostringstream text;
  text << input.rdbuf();
  return text.str();
}

/// A folder of its own that goes with the test.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "gpushape-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::string file(const std::string& name, std::string_view text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    return (path_ / name).string();
  }

 private:
  std::filesystem::path path_;
};

}  // namespace gpushape::test
