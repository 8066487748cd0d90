#include "render/rejected_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "render/words.hpp"

namespace gpushape::render {

using domain::RejectedShape;
using domain::Shape;

namespace {

constexpr std::size_t kRuleWidth = 10;
constexpr std::size_t kRefusalGroups = 6;  // ours: above this, one line a rule

/// Refusals that read as one: the same rule on the same device.
struct Refusals {
  const RejectedShape* first = nullptr;
  std::vector<const RejectedShape*> all;
};

std::vector<Refusals> grouped_refusals(std::span<const RejectedShape> rejected) {
  std::vector<Refusals> groups;
  for (const RejectedShape& shape : rejected) {
    const auto same = std::ranges::find_if(groups, [&](const Refusals& group) {
      return group.first->reason.rule == shape.reason.rule &&
             group.first->shape.device == shape.shape.device;
    });
    if (same == groups.end()) {
      groups.push_back({&shape, {&shape}});
    } else {
      same->all.push_back(&shape);
    }
  }
  return groups;
}

/// The groups of several devices that one rule refuses, as one.
std::vector<Refusals> by_rule(const std::vector<Refusals>& groups) {
  std::vector<Refusals> rules;
  for (const Refusals& group : groups) {
    const auto same = std::ranges::find_if(rules, [&](const Refusals& rule) {
      return rule.first->reason.rule == group.first->reason.rule;
    });
    if (same == rules.end()) {
      rules.push_back(group);
    } else {
      same->all.insert(same->all.end(), group.all.begin(), group.all.end());
    }
  }
  return rules;
}

/// One rule over many devices: how many, and one of them.
void show_summary(Page& page, const Refusals& group) {
  std::vector<std::string> devices;
  for (const RejectedShape* rejected : group.all) {
    const std::string& device = rejected->shape.device;
    if (std::ranges::find(devices, device) == devices.end()) devices.push_back(device);
  }
  const std::string count =
      fmt::format("{} of {}", counted(static_cast<std::int64_t>(group.all.size()), "shape"),
                  counted(static_cast<std::int64_t>(devices.size()), "device"));
  page.labelled(group.first->reason.rule, kRuleWidth, count);
  page.labelled("", kRuleWidth,
                fmt::format("{}: {}", shape_name(group.first->shape), group.first->reason.says));
}

std::string refused_names(const Refusals& group) {
  std::string names;
  for (const RejectedShape* rejected : group.all) {
    const Shape& shape = rejected->shape;
    std::string name = profile_name(shape);
    if (shape.count > 1) name = fmt::format("{} x {}", shape.count, name);
    names += fmt::format("{}{}", names.empty() ? "" : ", ", name);
  }
  return fmt::format("{}: {}", group.first->shape.device, names);
}

void show_refusals(Page& page, const Refusals& group) {
  const bool is_same = std::ranges::all_of(group.all, [&](const RejectedShape* rejected) {
    return rejected->reason.says == group.first->reason.says;
  });
  if (group.all.size() == 1 || is_same) {
    page.labelled(group.first->reason.rule, kRuleWidth, refused_names(group));
    page.labelled("", kRuleWidth, group.first->reason.says);
    return;
  }
  page.labelled(group.first->reason.rule, kRuleWidth, refused_names(group));
  if (page.style().verbosity > 0) {
    for (const RejectedShape* rejected : group.all) {
      page.labelled("", kRuleWidth,
                    fmt::format("{}: {}", profile_name(rejected->shape), rejected->reason.says));
    }
    return;
  }
  page.labelled("", kRuleWidth,
                fmt::format("{}: {}", profile_name(group.first->shape), group.first->reason.says));
}

}  // namespace

void show_rejected(Page& page, std::span<const RejectedShape> rejected) {
  if (rejected.empty()) return;
  page.heading("Refused, each by one fact");
  const std::vector<Refusals> groups = grouped_refusals(rejected);
  if (page.style().verbosity > 0 || groups.size() <= kRefusalGroups) {
    for (const Refusals& group : groups) show_refusals(page, group);
    return;
  }
  for (const Refusals& group : by_rule(groups)) show_summary(page, group);
  page.paragraph("-v lists every shape with its fact", 2, Tone::Faint);
}

}  // namespace gpushape::render
