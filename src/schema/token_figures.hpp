// The length of prompts or answers as people write it: "900", "p50=900,p95=3200",
// "mean=1155,sd=1110".
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "domain/traffic.hpp"

namespace gpushape::schema {

/// A number of tokens, or figures separated by commas: `mean`, `sd`, `min`, `max` and percentiles
/// (`p50`, `p99.9`). Numbers take k and m as every token count does. What contradicts itself, or is
/// too little to tell a sum by, is a Diagnostic that begins with `what`.
Result<domain::TokenFigures> parse_token_figures(std::string_view text, std::string_view what);

/// Puts one figure under its name; a Diagnostic where there is no such name or the number is out of
/// bounds.
Diagnostics set_token_figure(domain::TokenFigures& figures, std::string_view name, double tokens,
                             std::string_view what);
/// What all figures together say is checked, and percentiles come into their order.
Diagnostics finish_token_figures(domain::TokenFigures& figures, std::string_view what);

/// The percentile as the figures' names spell it: "p50", "p99.9".
std::string percentile_name(double rank);

/// A service level as people write it: "p99", "99", "0.99", "99.9%"; from a half to 0.9999.
Result<double> parse_service_level(std::string_view text, std::string_view what);

}  // namespace gpushape::schema
