// Recorded requests: how long prompts and answers were, and when they came. One row a request,
// as CSV under a line of heads or as JSON lines.
//
// Columns go by the names that published traces give them, whatever their case: the Azure LLM
// inference traces (TIMESTAMP, ContextTokens, GeneratedTokens), Mooncake's (timestamp,
// input_length, output_length), BurstGPT's (Timestamp, Request tokens, Response tokens), and what
// serving engines and load generators call them (prompt_tokens, completion_tokens …). Times are
// ISO 8601, or numbers: a head that ends in _ms, _us, _ns or _s says of what; without one, numbers
// that only a date explains are seconds, ms, µs or ns since 1970 by their size, Mooncake's are
// milliseconds, all others seconds.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "domain/traffic.hpp"

namespace gpushape::inventory {

/// In the order of arrival, times counted from the first. A trace without requests, and rows
/// without one of the two lengths, are Diagnostics with their line.
Result<domain::TokenTrace> read_token_trace(std::string_view text, std::string file);

}  // namespace gpushape::inventory
