#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "cli/run.hpp"

namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): before any thread
  return value == nullptr ? std::string() : std::string(value);
}

std::string locale_variable() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    if (std::string value = variable(name); !value.empty()) return value;
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  const gpushape::cli::Terminal terminal{.out = std::cout,
                                         .err = std::cerr,
                                         .is_out_terminal = ::isatty(STDOUT_FILENO) == 1,
                                         .is_err_terminal = ::isatty(STDERR_FILENO) == 1,
                                         .no_color = variable("NO_COLOR"),
                                         .term = variable("TERM"),
                                         .locale = locale_variable()};
  const int status = gpushape::cli::run(
      std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc), terminal);
  std::cout.flush();
  return status;
}
