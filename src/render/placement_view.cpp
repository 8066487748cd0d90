#include "render/placement_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "render/page.hpp"
#include "render/words.hpp"

namespace gpushape::render {

using domain::Placement;
using domain::PlacementAttempt;
using domain::PlacementDecision;

namespace {

constexpr std::size_t kPlacementLabelWidth = 14;
constexpr std::size_t kMostRefused = 12;    // ours: what fits one screen; -v lists all
constexpr std::size_t kMostCandidates = 8;  // ours, as above

std::string cores_text(std::int64_t millicores) {
  return fmt::format("{:.4g} cores", static_cast<double>(millicores) / 1000);
}

std::string request_text(const PlacementAttempt& attempt) {
  const domain::PlacementRequest& request = attempt.request;
  std::string text = fmt::format("{}, {}, {}", attempt.shape, cores_text(request.millicores),
                                 size_text(request.memory_bytes));
  if (!request.devices.empty()) text += fmt::format(", on {}", fmt::join(request.devices, " or "));
  if (request.label) text += fmt::format(", label '{}'", *request.label);
  const auto add = [&](std::string_view what, const std::vector<std::string>& names) {
    if (!names.empty()) text += fmt::format(", {} {}", what, fmt::join(names, " and "));
  };
  add("bound to", request.pci_addresses);
  add("datastore", request.datastores);
  add("network", request.networks);
  if (!request.tenant.empty()) text += fmt::format(", tenant {}", request.tenant);
  if (request.most_per_host > 0) text += fmt::format(", at most {} a host", request.most_per_host);
  return text;
}

/// Hosts that one reason with the same words refuses are one row.
void show_refused(Page& page, const PlacementAttempt& attempt) {
  Table table{.columns = {{"host", Align::Left},
                          {"rule", Align::Left},
                          {"wanted", Align::Left},
                          {"found", Align::Left}},
              .rows = {},
              .ruled = {}};
  struct Group {
    std::size_t count = 0;
    std::string first;
  };
  std::vector<std::vector<std::string>> keys;
  std::vector<Group> groups;
  for (const domain::RefusedHost& host : attempt.refused) {
    std::vector<std::string> key = {std::string(name_of(host.refusal)), host.wanted, host.found};
    const auto found = std::ranges::find(keys, key);
    if (found == keys.end()) {
      keys.push_back(std::move(key));
      groups.push_back({1, host.host});
    } else {
      ++groups[static_cast<std::size_t>(found - keys.begin())].count;
    }
  }
  const std::size_t shown = page.style().verbosity > 0 ? groups.size() : kMostRefused;
  for (std::size_t i = 0; i < std::min(shown, groups.size()); ++i) {
    std::string name = groups[i].first;
    if (groups[i].count > 1) name += fmt::format(" and {} more", groups[i].count - 1);
    table.rows.push_back({name, keys[i][0], keys[i][1], keys[i][2]});
  }
  if (table.rows.empty()) return;
  page.table(table);
  if (groups.size() > shown) {
    page.paragraph(
        fmt::format("and {} more kinds of refusal: -v lists them", groups.size() - shown), 2,
        Tone::Faint);
  }
}

void show_goodness(Page& page, const PlacementAttempt& attempt, const PlacementDecision& decision) {
  if (attempt.candidates.empty()) return;
  Table table{.columns = {{"host", Align::Left}}, .rows = {}, .ruled = {}};
  for (const domain::GoodnessPart& part : attempt.candidates.front().parts) {
    table.columns.push_back({part.name, Align::Right});
  }
  table.columns.push_back({"goodness", Align::Right});
  table.columns.push_back({"stranded", Align::Right});
  std::vector<const domain::CandidateHost*> order;
  order.reserve(attempt.candidates.size());
  for (const domain::CandidateHost& host : attempt.candidates) order.push_back(&host);
  const std::string chosen = decision.chosen ? decision.chosen->host : std::string();
  std::ranges::stable_sort(order, [&](const auto* a, const auto* b) {
    return std::pair(a->host != chosen, -a->goodness) < std::pair(b->host != chosen, -b->goodness);
  });
  const std::size_t shown = page.style().verbosity > 0 ? order.size() : kMostCandidates;
  for (const domain::CandidateHost* host : order) {
    if (table.rows.size() == shown) break;
    std::vector<std::string> row = {host->host};
    for (const domain::GoodnessPart& part : host->parts) {
      row.push_back(fmt::format("{:.1f}", part.value));
    }
    row.resize(table.columns.size() - 2);
    row.push_back(fmt::format("{:.1f}", host->goodness));
    row.push_back(fmt::format("{:+.3f}", host->fragmentation_change));
    table.rows.push_back(std::move(row));
  }
  page.table(table);
  if (order.size() > shown) {
    page.paragraph(fmt::format("and {} more compatible hosts: -v lists them", order.size() - shown),
                   2, Tone::Faint);
  }
}

/// Slots before and after; without -v those that change. False where there is no row.
bool show_slots(Page& page, std::string title, const std::vector<domain::ShapeSlots>& shapes) {
  Table table{.columns = {{std::move(title), Align::Left},
                          {"before", Align::Right},
                          {"after", Align::Right},
                          {"removed", Align::Right}},
              .rows = {},
              .ruled = {}};
  for (const domain::ShapeSlots& shape : shapes) {
    if (shape.before == shape.after && page.style().verbosity <= 0) continue;
    table.rows.push_back({shape.shape, grouped(shape.before), grouped(shape.after),
                          grouped(shape.before - shape.after)});
  }
  if (table.rows.empty()) return false;
  page.table(table);
  return true;
}

void show_consequence(Page& page, const PlacementDecision& decision) {
  if (!show_slots(page, "what the choice removes", decision.slots)) {
    page.paragraph("The choice removes no slot of any expected shape.", 2);
  }
  if (!decision.profile_slots.empty()) {
    page.blank();
    show_slots(page, fmt::format("GPU slots on {}", decision.chosen->host), decision.profile_slots);
  }
  const domain::FragmentationChange& change = decision.fragmentation;
  page.paragraph(
      fmt::format(
          "Idle GPUs {:.2f} -> {:.2f}; of these out of reach for the next request: by touch "
          "{:.2f} -> {:.2f}, by fill {:.2f} -> {:.2f}.",
          change.idle_before, change.idle_after, change.touch_before, change.touch_after,
          change.fill_before, change.fill_after),
      2);
}

std::string title_of(const PlacementDecision& decision) {
  return decision.is_placed() ? fmt::format("{}: placed on {}", decision.vm, decision.chosen->host)
                              : fmt::format("{}: not placed", decision.vm);
}

/// Replicas of one contract that share their fate: a line for all of them.
void show_taken_back(Page& page, std::span<const PlacementDecision> replicas) {
  page.blank();
  page.heading(replicas.size() == 1
                   ? fmt::format("{}: not placed", replicas.front().vm)
                   : fmt::format("{} to {}: not placed", replicas.front().vm, replicas.back().vm));
  for (const std::string& note : replicas.front().notes) {
    page.labelled("note", kPlacementLabelWidth, note);
  }
}

/// How many decisions from the first on were taken back alike.
std::size_t taken_back_alike(std::span<const PlacementDecision> decisions) {
  const auto other = std::ranges::find_if(decisions, [&](const PlacementDecision& decision) {
    return !decision.is_taken_back || decision.contract != decisions.front().contract ||
           decision.notes != decisions.front().notes;
  });
  return static_cast<std::size_t>(other - decisions.begin());
}

void show_decision(Page& page, const Placement& placement, const PlacementDecision& decision) {
  page.blank();
  page.heading(title_of(decision));
  if (page.style().verbosity >= 0) {
    for (const PlacementAttempt& attempt : decision.attempts) {
      page.labelled("request", kPlacementLabelWidth, request_text(attempt));
      page.labelled("hosts", kPlacementLabelWidth,
                    fmt::format("{} considered, {} removed, {} compatible",
                                attempt.refused.size() + attempt.candidates.size(),
                                attempt.refused.size(), attempt.candidates.size()));
      page.blank();
      show_refused(page, attempt);
      if (!attempt.candidates.empty()) page.blank();
      show_goodness(page, attempt, decision);
      page.blank();
    }
  }
  if (decision.is_placed()) {
    std::string device =
        fmt::format("{} on {}", fmt::join(decision.gpu_ids, ", "), decision.chosen->host);
    if (decision.chosen->start > 0) device += fmt::format(", start {}", decision.chosen->start);
    if (!decision.mode.empty()) device += fmt::format(", {} mode", decision.mode);
    page.labelled("policy", kPlacementLabelWidth, placement.policy);
    page.labelled("device chosen", kPlacementLabelWidth, device, 2, Tone::Good);
    page.labelled("because", kPlacementLabelWidth, decision.why);
    page.blank();
    show_consequence(page, decision);
  }
  for (const domain::HappinessChange& change : decision.happiness) {
    page.labelled("happiness", kPlacementLabelWidth,
                  change.vm == decision.vm
                      ? fmt::format("{:.0f} of 100 ({})", change.after, change.fact)
                      : fmt::format("lowers {} from {:.0f} to {:.0f} ({})", change.vm,
                                    change.before, change.after, change.fact));
  }
  for (const std::string& note : decision.notes) page.labelled("note", kPlacementLabelWidth, note);
}

/// The rule that removed most hosts of the first wish.
std::string main_reason(const PlacementDecision& decision) {
  std::map<domain::Refusal, std::size_t> counts;
  for (const PlacementAttempt& attempt : decision.attempts) {
    for (const domain::RefusedHost& host : attempt.refused) ++counts[host.refusal];
  }
  if (counts.empty()) return {};
  const auto most =
      std::ranges::max_element(counts, {}, [](const auto& row) { return row.second; });
  return std::string(name_of(most->first));
}

}  // namespace

std::string placement_verdict(const Placement& placement) {
  std::string text;
  for (const PlacementDecision& decision : placement.decisions) {
    const std::string reason = main_reason(decision);
    if (decision.is_placed()) {
      text += fmt::format("{}: {} on {}\n", decision.vm, fmt::join(decision.gpu_ids, ", "),
                          decision.chosen->host);
    } else if (decision.is_taken_back || reason.empty()) {
      text += fmt::format("{}: {}\n", decision.vm,
                          decision.notes.empty() ? "taken back" : decision.notes.front());
    } else {
      text += fmt::format("{}: no host; most are removed by rule '{}'\n", decision.vm, reason);
    }
  }
  return text;
}

std::string placement_text(const Placement& placement, const Style& style) {
  Page page(style);
  if (style.verbosity >= 0) {
    page.labelled("cluster", kPlacementLabelWidth,
                  placement.cluster.empty() ? "-" : placement.cluster);
    page.labelled("policy", kPlacementLabelWidth, placement.policy);
    page.labelled("goodness", kPlacementLabelWidth, placement.goodness_preset);
    page.labelled("next requests", kPlacementLabelWidth, placement.distribution);
  }
  const std::span<const PlacementDecision> all = placement.decisions;
  for (std::size_t i = 0; i < all.size();) {
    if (const std::size_t alike = taken_back_alike(all.subspan(i)); alike > 0) {
      show_taken_back(page, all.subspan(i, alike));
      i += alike;
    } else {
      show_decision(page, placement, all[i++]);
    }
  }
  page.blank();
  const auto placed = std::ranges::count_if(placement.decisions, &PlacementDecision::is_placed);
  const auto total = static_cast<std::ptrdiff_t>(placement.decisions.size());
  page.paragraph(fmt::format("{} of {} placed.", placed, counted(total, "VM")), 0,
                 placed == total ? Tone::Good : Tone::Bad);
  return page.text();
}

}  // namespace gpushape::render
