// A start-up log beside its estimate, for people.
#include <fmt/format.h>

#include <algorithm>

#include "render/page.hpp"
#include "render/text.hpp"
#include "render/words.hpp"

namespace gpushape::render {

using domain::CalibratedTerm;
using domain::Calibration;

namespace {

std::string difference_text(const CalibratedTerm& term) {
  if (!term.measured) return "-";
  const Bytes difference = term.measured->expected - term.predicted.expected;
  return fmt::format("{:+.2f}", difference.gib());
}

std::string percent_text(const CalibratedTerm& term) {
  if (!term.measured || term.measured->expected <= Bytes(0)) return "-";
  const Bytes difference = term.predicted.expected - term.measured->expected;
  return fmt::format("{:+.1f} %", 100 * difference.gib() / term.measured->expected.gib());
}

std::string ranks_text(const CalibratedTerm& term) {
  const auto [least, most] = std::ranges::minmax(term.ranks);
  if (least == most) return {};
  return fmt::format("{}: {:.2f} to {:.2f} GiB over {} ranks", term.name, least.gib(), most.gib(),
                     term.ranks.size());
}

void show_terms(Page& page, const Calibration& calibration) {
  Table table;
  table.columns = {{"GiB of one GPU"},
                   {"predicted", Align::Right},
                   {"range", Align::Right},
                   {"measured", Align::Right},
                   {"difference", Align::Right},
                   {"error", Align::Right},
                   {""}};
  for (const CalibratedTerm& term : calibration.terms) {
    table.rows.push_back(
        {term.name, fmt::format("{:.2f}", term.predicted.expected.gib()),
         fmt::format("{:.2f} .. {:.2f}", term.predicted.low.gib(), term.predicted.high.gib()),
         term.measured ? fmt::format("{:.2f}", term.measured->expected.gib()) : std::string("-"),
         difference_text(term), percent_text(term), term.is_off ? "off" : ""});
  }
  page.table(table);
  for (const CalibratedTerm& term : calibration.terms) {
    if (term.ranks.empty()) continue;
    if (const std::string ranks = ranks_text(term); !ranks.empty()) page.paragraph(ranks, 2);
  }
}

void show_tokens(Page& page, const Calibration& calibration) {
  if (!calibration.tokens) return;
  const domain::CalibratedTokens& tokens = *calibration.tokens;
  const bool holds = tokens.least <= tokens.printed && tokens.printed <= tokens.most;
  page.paragraph(
      fmt::format("tokens: {} printed, {} to {} for the printed pool{}", grouped(tokens.printed),
                  grouped(tokens.least), grouped(tokens.most), holds ? "" : ": off"),
      2);
}

void show_one(Page& page, const Calibration& calibration) {
  const bool is_quiet = page.style().verbosity < 0;
  if (!is_quiet) {
    page.heading(calibration.log);
    for (const domain::CalibratedSetting& setting : calibration.settings) {
      page.labelled(setting.name, 20, fmt::format("{}  ({})", setting.value, setting.from));
    }
    page.blank();
    show_terms(page, calibration);
    show_tokens(page, calibration);
    page.blank();
    for (const CalibratedTerm& term : calibration.terms) {
      for (const std::string& cause : term.causes)
        page.labelled(term.name, 11, cause, 2, Tone::Bad);
    }
    for (const std::string& note : calibration.notes) page.labelled("note", 11, note);
    for (const std::string& asked : calibration.asks) page.labelled("asked for", 11, asked);
    page.blank();
  }
  page.labelled("Verdict", 7, calibration.verdict, 0,
                calibration.agrees() ? Tone::Good : Tone::Bad);
  page.blank();
}

}  // namespace

std::string calibration_text(const std::vector<Calibration>& calibrations, const Style& style) {
  Page page(style);
  for (const Calibration& calibration : calibrations) show_one(page, calibration);
  return page.text();
}

}  // namespace gpushape::render
