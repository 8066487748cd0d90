// What traffic asks of the cache, and the answer to an inverse question, in their document form.
#include <cmath>
#include <variant>

#include "schema/estimate_fields.hpp"
#include "schema/fields.hpp"

namespace gpushape::schema {

using document::Node;
using domain::CacheDemand;

namespace {

void set_tokens(Node& node, std::string name, double tokens) {
  node.set(std::move(name), static_cast<std::int64_t>(std::llround(tokens)));
}

// Digits that mean something: the quantiles are no better than that.
constexpr double kRatioDigits = 1e4;
constexpr double kChanceDigits = 1e6;

void set_rounded(Node& node, std::string name, const std::optional<double>& number, double digits) {
  if (number) set_number(node, std::move(name), std::round(*number * digits) / digits);
}

Node replay_node(const domain::Replay& replay) {
  Node in_flight = Node::mapping();
  set_rounded(in_flight, "mean", replay.mean_in_flight, kRatioDigits);
  in_flight.set("p99", replay.p99_in_flight);
  in_flight.set("peak", replay.peak_in_flight);
  Node tokens = Node::mapping();
  set_tokens(tokens, "mean", replay.mean_tokens);
  set_tokens(tokens, "p50", replay.p50_tokens);
  set_tokens(tokens, "p99", replay.p99_tokens);
  set_tokens(tokens, "peak", replay.peak_tokens);
  Node node = Node::mapping();
  node.set("tokenSeconds", replay.token_seconds);
  node.set("inFlight", std::move(in_flight));
  node.set("residentTokens", std::move(tokens));
  return node;
}

Node of_one_node(const CacheDemand& demand) {
  Node node = Node::mapping();
  set_tokens(node, "mean", demand.mean_tokens);
  set_tokens(node, "sd", demand.deviation_tokens);
  set_tokens(node, "p50", demand.p50_tokens);
  set_tokens(node, "p95", demand.p95_tokens);
  set_tokens(node, "p99", demand.p99_tokens);
  if (demand.longest_tokens) set_tokens(node, "longest", *demand.longest_tokens);
  return node;
}

}  // namespace

Node traffic_node(const CacheDemand& demand) {
  Node tokens = Node::mapping();
  set_tokens(tokens, "p50", demand.together_p50_tokens);
  set_tokens(tokens, "p99", demand.together_p99_tokens);
  set_tokens(tokens, "atServiceLevel", demand.together_level_tokens);
  set_tokens(tokens, "worstCase", demand.together_worst_tokens);
  Node bytes = Node::mapping();
  bytes.set("p50", demand.p50_bytes);
  bytes.set("p99", demand.p99_bytes);
  bytes.set("atServiceLevel", demand.level_bytes);
  if (demand.worst_bytes) bytes.set("worstCase", *demand.worst_bytes);

  Node node = Node::mapping();
  node.set("concurrency", demand.sequences);
  node.set("serviceLevel", demand.service_level);
  set_choice(node, "lengths", demand.basis);
  set_text(node, "from", demand.from);
  node.set("sizedByReplay", demand.is_sized_by_replay);
  node.set("tokensOfOne", of_one_node(demand));
  node.set("tokensInFlight", std::move(tokens));
  node.set("kvCacheBytes", std::move(bytes));
  set_rounded(node, "spread", demand.spread, kRatioDigits);
  set_rounded(node, "shareAboveContext", demand.cut_share, kChanceDigits);
  if (demand.common_prefix_tokens > 0) {
    node.set("commonPrefixTokens", demand.common_prefix_tokens);
    node.set("commonPrefixBytes", demand.shared_bytes);
  }
  set_rounded(node, "preemptionChance", demand.shortage, kChanceDigits);
  set_rounded(node, "preemptionChanceAtLow", demand.shortage_at_low, kChanceDigits);
  if (demand.replay) node.set("replay", replay_node(*demand.replay));
  return node;
}

Node solution_node(const domain::Solution& solution) {
  Node node = Node::mapping();
  set_choice(node, "variable", solution.variable);
  if (solution.value)
    std::visit([&](const auto& value) { node.set("value", value); }, *solution.value);
  node.set("bindingTerm", solution.binding_term);
  set_text(node, "says", solution.says);
  return node;
}

}  // namespace gpushape::schema
