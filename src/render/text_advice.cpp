#include <fmt/format.h>

#include <algorithm>

#include "render/facts_view.hpp"
#include "render/memory_view.hpp"
#include "render/neighbours_view.hpp"
#include "render/rejected_view.hpp"
#include "render/shape_view.hpp"
#include "render/text.hpp"
#include "render/title.hpp"
#include "render/traffic_view.hpp"
#include "render/verdict_lines.hpp"
#include "render/words.hpp"

namespace gpushape::render {

using domain::Advice;

namespace {

constexpr std::size_t kLabelWidth = 17;
constexpr std::size_t kShownPotentials = 12;  // ours: what fits half a screen; -v lists all

void show_potentials(Page& page, const Advice& advice) {
  if (advice.potentials.empty()) return;
  page.heading("What each GPU could hold beside the weights");
  Table table;
  table.columns = {{"GPU", Align::Left},
                   {"free GiB", Align::Right},
                   {"tokens", Align::Right},
                   {"sequences", Align::Right},
                   {"of tokens", Align::Right}};
  std::string too_small;
  std::size_t hidden = 0;
  const bool shows_all = page.style().verbosity > 0;
  for (const domain::Potential& potential : advice.potentials) {
    const std::string name = potential.count > 1
                                 ? fmt::format("{} x {}", potential.count, potential.device)
                                 : potential.device;
    if (!potential.fits) {
      too_small += fmt::format("{}{}", too_small.empty() ? "" : ", ", name);
      continue;
    }
    if (!shows_all && table.rows.size() == kShownPotentials) {
      ++hidden;
      continue;
    }
    table.rows.push_back({name, gib_text(potential.free_bytes), grouped(potential.tokens),
                          potential.context_tokens > 0 ? grouped(potential.sequences) : "-",
                          potential.context_tokens > 0 ? grouped(potential.context_tokens) : "-"});
  }
  if (!table.rows.empty()) page.table(table);
  if (hidden > 0) page.paragraph(fmt::format("and {} more; -v lists them", hidden), 2, Tone::Faint);
  if (!too_small.empty()) page.labelled("too small", 9, too_small);
  if (!shows_all) return;
  for (const domain::Potential& potential : advice.potentials) {
    if (!potential.says.empty()) page.paragraph(potential.says, 2);
  }
}

void show_asks(Page& page, const Advice& advice) {
  if (advice.asks.empty()) return;
  page.heading("What is asked for");
  for (const domain::Ask& ask : advice.asks) {
    const std::string label = ask.flag.empty() ? words_of(ask.fact) : ask.flag;
    page.labelled(label, kLabelWidth, ask.why);
  }
}

/// What one pod is given for several wishes, and which wishes stand apart.
void show_documents(Page& page, const Advice& advice) {
  if (advice.documents.size() < 2 &&
      (advice.documents.empty() || advice.documents.front().joint.empty())) {
    return;
  }
  page.heading("What the wishes are deployed as");
  std::size_t number = 0;
  for (const domain::WishDocument& document : advice.documents) {
    std::string names;
    for (const domain::RankedShape& ranked : document.shapes) {
      names += fmt::format("{}{}{}", names.empty() ? "" : ", else ",
                           ranked.replicas > 1 ? fmt::format("{} x ", ranked.replicas) : "",
                           shape_name(ranked.shape));
    }
    page.labelled(fmt::format("document {}", ++number), kLabelWidth, names);
    if (!document.why_apart.empty()) page.labelled("", kLabelWidth, document.why_apart);
    for (const domain::JointValue& joint : document.joint) {
      page.labelled(joint.what, kLabelWidth, fmt::format("{}: {}", joint.value, joint.says));
    }
  }
}

void show_flip(Page& page, const Advice& advice) {
  if (!advice.flip) return;
  const domain::Flip& flip = *advice.flip;
  page.heading("What would change the answer");
  page.labelled(flip.rule, kLabelWidth, flip.change.empty() ? words_of(flip.fact) : flip.change);
  const std::string replicas =
      flip.replicas > 1 ? fmt::format("{} replicas of ", flip.replicas) : std::string();
  const std::string then = flip.runner_up
                               ? fmt::format("{}{}, {}", replicas, shape_name(*flip.runner_up),
                                             name_of(flip.runner_up->consumption_model))
                               : flip.outcome;
  if (!then.empty()) page.labelled("answer then", kLabelWidth, then);
}

void show_findings(Page& page, const Advice& advice) {
  if (advice.findings.empty()) return;
  page.heading("Findings");
  for (const domain::Reason& finding : advice.findings) {
    page.labelled(finding.rule, kLabelWidth, finding.says);
  }
}

/// What the memory of the answer looks like: of the first shape, or of the workload alone.
const domain::Estimate* shown_estimate(const Advice& advice) {
  if (!advice.shapes.empty() && advice.shapes.front().estimate) {
    return &*advice.shapes.front().estimate;
  }
  return advice.estimate ? &*advice.estimate : nullptr;
}

void show_answer(Page& page, const Advice& advice) {
  const domain::Estimate* estimate = shown_estimate(advice);
  if (estimate != nullptr) show_title(page, *estimate);
  show_facts(page, advice.assumptions);
  if (estimate != nullptr) {
    show_memory(page, *estimate);
    show_traffic(page, *estimate);
    show_capacity(page, *estimate);
    if (advice.estimate) show_solution(page, *advice.estimate);
  }
  show_potentials(page, advice);
  if (!advice.shapes.empty()) {
    const domain::RankedShape& first = advice.shapes.front();
    show_shape(page, first, advice);
    show_neighbours(page, advice);
    show_contract(page, first.contract, advice);
    show_other_shapes(page, std::span(advice.shapes).subspan(1));
  }
  show_documents(page, advice);
  show_rejected(page, advice.rejected);
  show_flip(page, advice);
  show_findings(page, advice);
  show_asks(page, advice);
}

}  // namespace

std::string advice_text(const Advice& advice, const Style& style) {
  Page page(style);
  if (style.verbosity >= 0) {
    show_answer(page, advice);
    page.blank();
  }
  show_verdict(page, advice);
  if (style.verbosity >= 0) show_next(page, advice);
  return page.text();
}

}  // namespace gpushape::render
