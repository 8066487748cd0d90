#include "schema/traffic_fields.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <utility>

#include "schema/limits.hpp"
#include "schema/token_count.hpp"
#include "schema/token_figures.hpp"

namespace gpushape::schema {

using document::Node;
using document::Reader;
using domain::Fact;
using domain::Origin;
using domain::TokenFigures;
using domain::Traffic;

namespace {

constexpr document::NumberBounds kRateBounds{.least = 0, .most = 1'000'000};

/// A whole number of tokens as an integer, another one with its decimals.
Node tokens_node(double tokens) {
  if (tokens == std::floor(tokens)) return static_cast<std::int64_t>(tokens);
  return tokens;
}

Node figures_node(const TokenFigures& figures) {
  if (figures.mean && figures.deviation == 0.0 && figures.percentiles.empty())
    return tokens_node(*figures.mean);
  Node node = Node::mapping();
  if (figures.mean) node.set("mean", tokens_node(*figures.mean));
  if (figures.deviation) node.set("sd", tokens_node(*figures.deviation));
  for (const domain::Percentile& percentile : figures.percentiles)
    node.set(percentile_name(percentile.rank), tokens_node(percentile.tokens));
  return node;
}

template <class T>
void set_stated_traffic(Node& node, std::string name, const Fact<T>& fact) {
  if (fact.origin != Origin::Default) node.set(std::move(name), fact.value);
}
template <class T>
void set_stated_traffic(Node& node, std::string name, const std::optional<Fact<T>>& fact) {
  if (fact) set_stated_traffic(node, std::move(name), *fact);
}

void set_figures(Node& node, std::string name, const std::optional<Fact<TokenFigures>>& fact) {
  if (fact) node.set(std::move(name), figures_node(fact->value));
}

void complain_all(Reader& reader, std::string_view field, const Diagnostics& faults) {
  for (const Diagnostic& fault : faults) reader.complain(field, fault.message, fault.help);
}

void read_figures(Reader& reader, std::string_view field, std::optional<Fact<TokenFigures>>& fact) {
  const Node* const node = reader.node(field);
  if (node == nullptr) return;
  Result<TokenFigures> figures = TokenFigures{};
  if (node->is(Node::Kind::Mapping)) {
    Diagnostics faults;
    for (const Node::Entry& entry : node->entries()) {
      const std::optional<double> tokens = entry.value.is_number()
                                               ? std::optional(entry.value.number())
                                               : entry.value.is(Node::Kind::String)
                                               ? [&]() -> std::optional<double> {
        const auto count = token_count(entry.value.text());
        return count ? std::optional(static_cast<double>(*count)) : std::nullopt;
      }()
          : std::nullopt;
      if (!tokens) {
        faults.push_back(
            complaint(fmt::format("{}: {} is no number of tokens", field, entry.name)));
        continue;
      }
      for (Diagnostic& fault : set_token_figure(*figures, entry.name, *tokens, field))
        faults.push_back(std::move(fault));
    }
    if (faults.empty()) faults = finish_token_figures(*figures, field);
    if (!faults.empty()) return complain_all(reader, field, faults);
  } else {
    const std::string text = node->is(Node::Kind::String) ? node->text()
                             : node->is_number()          ? fmt::format("{}", node->number())
                                                          : std::string("that");
    figures = parse_token_figures(text, field);
    if (!figures) return complain_all(reader, field, figures.error());
  }
  fact = Fact<TokenFigures>{*std::move(figures), Origin::File, reader.place_of(field)};
}

template <class Target, class T>
void take_traffic(Target& fact, const Reader& reader, std::string_view field,
                  std::optional<T> value) {
  if (value) fact = Fact<T>{std::move(*value), Origin::File, reader.place_of(field)};
}

/// Above 0.
std::optional<double> read_positive(Reader& reader, std::string_view field,
                                    document::NumberBounds bounds) {
  const std::optional<double> number = reader.number(field, bounds);
  if (!number || *number > 0) return number;
  reader.complain(field, fmt::format("{} is 0, which is no traffic", field),
                  fmt::format("write a number above 0, or leave {} out", field));
  return std::nullopt;
}

void read_level(Reader& reader, Fact<double>& fact) {
  constexpr std::string_view kField = "serviceLevel";
  const Node* const node = reader.node(kField);
  if (node == nullptr) return;
  const std::string text = node->is(Node::Kind::String) ? node->text()
                           : node->is_number()          ? fmt::format("{}", node->number())
                                                        : std::string("that");
  const Result<double> level = parse_service_level(text, kField);
  if (!level) return complain_all(reader, kField, level.error());
  fact = {*level, Origin::File, reader.place_of(kField)};
}

}  // namespace

void write_traffic(const Traffic& traffic, Node& node) {
  set_figures(node, "inputTokens", traffic.input_tokens);
  set_figures(node, "outputTokens", traffic.output_tokens);
  set_stated_traffic(node, "tokenTrace", traffic.trace_file);
  set_stated_traffic(node, "requestRate", traffic.request_rate);
  set_stated_traffic(node, "requestSeconds", traffic.request_seconds);
  set_stated_traffic(node, "commonPrefixTokens", traffic.common_prefix_tokens);
  set_stated_traffic(node, "serviceLevel", traffic.service_level);
  set_stated_traffic(node, "tokenSeconds", traffic.token_seconds);
}

void read_traffic(Reader& reader, Traffic& traffic) {
  read_figures(reader, "inputTokens", traffic.input_tokens);
  read_figures(reader, "outputTokens", traffic.output_tokens);
  take_traffic(traffic.trace_file, reader, "tokenTrace", reader.filled_text("tokenTrace"));
  take_traffic(traffic.request_rate, reader, "requestRate",
               read_positive(reader, "requestRate", kRateBounds));
  take_traffic(traffic.request_seconds, reader, "requestSeconds",
               read_positive(reader, "requestSeconds", kSecondsBounds));
  take_traffic(traffic.common_prefix_tokens, reader, "commonPrefixTokens",
               reader.integer("commonPrefixTokens", kTokensBounds));
  read_level(reader, traffic.service_level);
  take_traffic(traffic.token_seconds, reader, "tokenSeconds",
               read_positive(reader, "tokenSeconds", kSecondsBounds));
}

}  // namespace gpushape::schema
