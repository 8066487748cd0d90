// Every command, once: its row is what dispatch and help read.
#pragma once

#include <span>
#include <string_view>

#include "cli/flags.hpp"
#include "cli/terminal.hpp"

namespace gpushape::cli {

inline constexpr int kDone = 0;
inline constexpr int kAnswerIsNo = 1;
inline constexpr int kBadInput = 2;
inline constexpr int kOurFault = 3;

struct CommandRow {
  std::string_view name;
  std::string_view synopsis;     ///< what stands behind the name
  std::string_view description;  ///< one line
  std::string_view examples;     ///< three lines
  unsigned taker;                ///< its bit in FlagRow::takers
  int (*run)(const ParsedFlags&, Invocation&, const Terminal&);
};

/// In display order.
std::span<const CommandRow> commands();

int run_advise(const ParsedFlags& parsed, Invocation& invocation, const Terminal& terminal);
int run_estimate(const ParsedFlags& parsed, Invocation& invocation, const Terminal& terminal);
int run_sweep(const ParsedFlags& parsed, Invocation& invocation, const Terminal& terminal);
int run_catalog(const ParsedFlags& parsed, Invocation& invocation, const Terminal& terminal);
int run_profiles(const ParsedFlags& parsed, Invocation& invocation, const Terminal& terminal);
int run_plan(const ParsedFlags& parsed, Invocation& invocation, const Terminal& terminal);
int run_place(const ParsedFlags& parsed, Invocation& invocation, const Terminal& terminal);
int run_inventory(const ParsedFlags& parsed, Invocation& invocation, const Terminal& terminal);
int run_simulate(const ParsedFlags& parsed, Invocation& invocation, const Terminal& terminal);
int run_review(const ParsedFlags& parsed, Invocation& invocation, const Terminal& terminal);
int run_calibrate(const ParsedFlags& parsed, Invocation& invocation, const Terminal& terminal);
int run_generate(const ParsedFlags& parsed, Invocation& invocation, const Terminal& terminal);
int run_rules(const ParsedFlags& parsed, Invocation& invocation, const Terminal& terminal);
int run_explain(const ParsedFlags& parsed, Invocation& invocation, const Terminal& terminal);
int run_schema(const ParsedFlags& parsed, Invocation& invocation, const Terminal& terminal);

/// Prints the complaints to the error stream; kBadInput.
int refuse(const Diagnostics& diagnostics, const Terminal& terminal);

}  // namespace gpushape::cli
