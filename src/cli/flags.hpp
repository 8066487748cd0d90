// Every flag, once: its row is what the parser, the help, the manual page and the completions read.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "cli/invocation.hpp"
#include "cli/values.hpp"

namespace gpushape::cli {

enum class FlagGroup {
  Workload,
  Training,
  Demand,
  Facts,
  Engine,
  Hardware,
  Contract,
  Output,
  Configuration
};

/// Commands that take a flag, one bit each.
inline constexpr unsigned kAdvise = 1U;
inline constexpr unsigned kEstimate = 2U;
inline constexpr unsigned kCatalog = 4U;
inline constexpr unsigned kProfiles = 8U;
inline constexpr unsigned kSchema = 16U;
inline constexpr unsigned kReview = 32U;
inline constexpr unsigned kPlace = 64U;
inline constexpr unsigned kInventory = 128U;
inline constexpr unsigned kSimulate = 256U;
inline constexpr unsigned kCalibrate = 512U;
inline constexpr unsigned kSweep = 1024U;
inline constexpr unsigned kPlan = 1U << 19U;
inline constexpr unsigned kGenerate = 1U << 20U;
inline constexpr unsigned kRules = 2048U;
inline constexpr unsigned kExplain = 4096U;
inline constexpr unsigned kOnClusters = kPlace | kInventory | kSimulate;
inline constexpr unsigned kSizing = kAdvise | kEstimate;
inline constexpr unsigned kLookup = kCatalog | kProfiles;
inline constexpr unsigned kAll =
    kSizing | kLookup | kSchema | kReview | kOnClusters | kCalibrate | kSweep | kPlan | kRules |
    kExplain;

struct FlagRow {
  std::string_view name;   ///< "--context"
  std::string_view brief;  ///< "-o"; empty for none
  std::string_view value;  ///< word in the help, "TOKENS"; empty for a switch
  FlagGroup group;
  unsigned takers;
  std::string_view description;
  std::vector<std::string> (*choices)();  ///< the words it takes; nullptr where it takes any
  Diagnostics (*apply)(Invocation&, const Given&);
};

/// In display order.
std::span<const FlagRow> flags();

struct FlagGroupRow {
  FlagGroup group;
  std::string_view title;
};
/// In display order.
std::span<const FlagGroupRow> flag_groups();

/// Sets what the flags of a command line say. The arguments are those behind the command. Unknown
/// flags and missing values are Diagnostics. `applied` is where flags win over files: call
/// parse_syntax first, read the files, then apply.
struct ParsedFlags {
  std::vector<std::pair<const FlagRow*, std::string>> given;  ///< in the order of the table
  std::vector<std::string> positionals;
  bool wants_help = false;
};
Result<ParsedFlags> parse_syntax(std::string_view command, unsigned taker,
                                 const std::vector<std::string>& arguments);
Diagnostics apply(const ParsedFlags& parsed, Invocation& invocation);

/// The option part of a command's help.
std::string flag_help(unsigned taker);

}  // namespace gpushape::cli
