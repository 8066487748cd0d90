#include "render/verdict_lines.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "render/text_width.hpp"
#include "render/words.hpp"

namespace gpushape::render {

using domain::Advice;
using domain::Platform;

namespace {

constexpr std::size_t kVerdictLabelWidth = 8;

std::string joined_asks(const Advice& advice, std::string_view separator) {
  std::string asks;
  for (const domain::Ask& ask : advice.asks) {
    const std::string name = ask.flag.empty() ? words_of(ask.fact) : ask.flag;
    asks += fmt::format("{}{}", asks.empty() ? "" : separator, name);
  }
  return asks;
}

/// What is to be said against a shape that the answer names all the same.
std::string_view reservation_of(domain::FitsAt fits_at) {
  switch (fits_at) {
    case domain::FitsAt::High:
      return "";
    case domain::FitsAt::Expected:
      return "; fits at the expected value only";
    case domain::FitsAt::None:
      break;
  }
  return "; does not fit";
}

std::string answer_text(const Advice& advice) {
  if (advice.shapes.empty()) {
    return advice.asks.empty() ? "nothing fits: every shape is refused"
                               : "no shape yet: too little is known to choose one";
  }
  const domain::RankedShape& first = advice.shapes.front();
  const std::string rule =
      first.reasons.empty() ? std::string() : fmt::format(" ({})", first.reasons.front().rule);
  const std::string replicas =
      first.replicas > 1 ? fmt::format("{} replicas of ", first.replicas) : std::string();
  const std::string weights = first.quantization
                                  ? fmt::format(" with {} weights", name_of(*first.quantization))
                                  : std::string();
  return fmt::format("{}{}{}, {}{}{}", replicas, shape_name(first.shape), weights,
                     name_of(first.shape.consumption_model), rule, reservation_of(first.fits_at));
}

std::string support_text(const Advice& advice) {
  if (!advice.shapes.empty()) {
    const domain::ResourceContract& contract = advice.shapes.front().contract;
    return fmt::format("{} vCPU, {} RAM reserved, headroom {}", contract.vcpus,
                       size_text(contract.memory_reservation_bytes),
                       size_text(advice.shapes.front().headroom_bytes));
  }
  if (!advice.asks.empty()) return joined_asks(advice, ", ");
  if (advice.rejected.empty()) return "no shape was there to look at";
  const domain::RejectedShape& first = advice.rejected.front();
  return fmt::format("{}: {}", shape_name(first.shape), first.reason.says);
}

std::string basis_text(const Advice& advice) {
  const auto defaults =
      std::ranges::count(advice.assumptions, domain::Origin::Default, &domain::Assumption::origin);
  std::string text =
      fmt::format("evidence {}, {} assumed", name_of(advice.evidence), counted(defaults, "fact"));
  if (advice.review_after_days) {
    text += advice.review_date.empty()
                ? fmt::format(", review after {}", counted(*advice.review_after_days, "day"))
                : fmt::format(", review on {}", advice.review_date);
  }
  return text;
}

struct Line {
  std::string_view label;
  std::string text;
};

std::vector<Line> lines_of(const Advice& advice) {
  std::string_view support = "because";
  if (!advice.asks.empty()) support = "asked";
  if (!advice.shapes.empty()) support = "with";
  return {{"Verdict", answer_text(advice)},
          {support, support_text(advice)},
          {"basis", basis_text(advice)}};
}

struct NextTarget {
  std::string_view name;
  std::string_view writes;
};

/// The target that writes the first shape for this platform.
NextTarget target_of(const Advice& advice) {
  const bool is_vm = advice.platform == Platform::Vsphere || advice.platform == Platform::Vks;
  if (is_vm) return {"vm-class", "the VM class"};
  if (advice.platform == Platform::BareMetal) return {"contract", "the contract"};
  const domain::Technology technology = advice.shapes.front().shape.technology;
  const bool is_share =
      technology == domain::Technology::SoftwareShare || technology == domain::Technology::Mps;
  if (is_share) return {"hami", "the deployment under HAMi"};
  return {"resource-claim", "the ResourceClaim"};
}

}  // namespace

void show_verdict(Page& page, const Advice& advice) {
  const Tone tone = advice.shapes.empty() ? Tone::Bad : Tone::Good;
  bool is_first = true;
  for (const Line& line : lines_of(advice)) {
    page.labelled(line.label, kVerdictLabelWidth, line.text, 0, is_first ? tone : Tone::Plain);
    is_first = false;
  }
}

void show_next(Page& page, const Advice& advice) {
  if (advice.shapes.empty() && advice.asks.empty()) return;
  const std::string& command = page.style().command;
  std::string added;
  std::string what;
  if (advice.shapes.empty()) {
    for (const domain::Ask& ask : advice.asks) {
      added += fmt::format("{}{} N", added.empty() ? "" : " ",
                           ask.flag.empty() ? words_of(ask.fact) : ask.flag);
    }
    what = "chooses a shape";
  } else {
    const NextTarget target = target_of(advice);
    added = fmt::format("-o {}", target.name);
    what = fmt::format("writes {}", target.writes);
  }
  if (command.empty()) {
    page.labelled("Next", kVerdictLabelWidth, fmt::format("the same with {} {}", added, what), 0);
    return;
  }
  page.labelled("Next", kVerdictLabelWidth, fmt::format("{} {}  {}", command, added, what), 0);
}

std::string verdict(const Advice& advice, const Style& style) {
  // A line of its own each, cut rather than wrapped: there are three of them, whatever they say.
  Page page(style);
  for (const Line& line : lines_of(advice)) {
    std::vector<std::string> rows =
        wrap(page.clean(fmt::format("{}: {}", line.label, line.text)), page.width() - 4);
    if (rows.size() > 1) rows.front() += " ...";
    page.raw(rows.front());
  }
  return page.text();
}

}  // namespace gpushape::render
