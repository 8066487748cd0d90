#include "review/review.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "review/checklist.hpp"
#include "review/deployment.hpp"
#include "review/ignores.hpp"
#include "review/rules.hpp"

namespace gpushape::review {

namespace {

/// "VC-03", or "VC" for all of them.
bool is_among(std::string_view id, const std::vector<std::string>& words) {
  return std::ranges::any_of(words, [id](const std::string& word) {
    return id == word || (id.starts_with(word) && id.substr(word.size()).starts_with('-'));
  });
}

std::string gpu_text(const GrantedGpu& gpu) {
  std::string text = gpu.device->id;
  if (gpu.profile != nullptr) text += " " + gpu.profile->short_name;
  if (gpu.limit) text += fmt::format(" (a share of {:.1f} GiB)", gpu.limit->gib());
  return text;
}

/// Pods that start an engine, or say which model they are for.
std::vector<domain::UnderstoodWorkload> understood(const Deployment& deployment) {
  std::vector<domain::UnderstoodWorkload> rows;
  for (const PodRequest& pod : deployment.pods) {
    const bool is_stated = pod.annotation("gpushape.dev/model") != nullptr;
    if (pod.engine_container() == nullptr && !(is_stated && !pod.gpus.empty())) continue;
    const Sizing& sizing = deployment.sizing(pod);
    domain::UnderstoodWorkload row;
    row.object = pod.title();
    row.place = pod.document->source->span(pod.place().position());
    if (sizing.container != nullptr) {
      const EngineCall& call = *sizing.container->engine;
      row.engine = call.engine + (call.version ? " " + domain::to_text(*call.version) : "");
    }
    if (sizing.model) row.model = sizing.model->id;
    if (!sizing.gpus.empty()) row.gpu = gpu_text(sizing.gpus.front());
    if (sizing.gpu_count > 0) row.gpus = sizing.gpu_count;
    if (sizing.estimate) {
      row.need_bytes = sizing.estimate->total_bytes.high;
      if (sizing.estimate->capacity) {
        row.visible_bytes = sizing.estimate->capacity->visible_bytes.expected;
        row.fits_at = std::string(name_of(sizing.estimate->capacity->fits_at));
      }
    }
    row.gap = sizing.gap;
    for (const domain::Assumption& each : sizing.assumptions) {
      row.assumptions.push_back({each.fact, each.value, each.from, each.flag});
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<domain::KindCount> unknown_kinds(const Deployment& deployment) {
  std::map<std::string, std::int64_t> counts;
  for (const Object& object : deployment.objects) {
    if (object.has_reader) continue;
    ++counts[object.kind.empty() ? "no kind" : object.kind];
  }
  std::vector<domain::KindCount> rows;
  for (const auto& [kind, count] : counts) rows.push_back({kind, count});
  return rows;
}

}  // namespace

bool is_chosen(std::string_view id, const ReviewRequest& request) {
  return (request.only.empty() || is_among(id, request.only)) && !is_among(id, request.skipped);
}

domain::Review review_documents(const ReviewRequest& request) {
  const Deployment deployment = read_deployment(request);
  Report report;
  for (const RuleRow& rule : rules()) {
    if (!is_chosen(rule.id, request)) continue;
    report.begin(rule);
    rule.function(deployment, report);
  }
  domain::Review review;
  review.documents = static_cast<std::int64_t>(request.documents.size());
  review.findings = std::move(report).take(request.documents);
  const std::vector<Ignore> ignores = read_ignores(request.documents);
  review.ignored = static_cast<std::int64_t>(
      std::erase_if(review.findings, [&ignores](const domain::Finding& finding) {
        return std::ranges::any_of(ignores,
                                   [&](const Ignore& ignore) { return answers(ignore, finding); });
      }));
  review.workloads = understood(deployment);
  review.unknown_kinds = unknown_kinds(deployment);
  review.faults = deployment.faults;
  if (request.wants_checklist) review.checklist = answer_checklist(deployment, review.findings);
  return review;
}

std::vector<domain::Finding> review(const ReviewRequest& request) {
  return review_documents(request).findings;
}

}  // namespace gpushape::review
