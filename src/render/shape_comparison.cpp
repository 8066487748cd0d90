#include "render/shape_comparison.hpp"

#include <fmt/format.h>

#include "render/engine_flags.hpp"
#include "render/page.hpp"
#include "render/shape_view.hpp"
#include "render/words.hpp"

namespace gpushape::render {

using domain::RankedShape;

namespace {

struct ComparedLine {
  std::string_view label;
  std::string (*value)(const RankedShape&);
};

std::string compared_fit(const RankedShape& ranked) {
  if (ranked.fits) return "yes, at the high end";
  return ranked.fits_at == domain::FitsAt::Expected ? "at the expected value only" : "no";
}

std::string optional_count(const std::optional<std::int64_t>& count) {
  return count ? grouped(*count) : "-";
}

constexpr auto kComparedLines = std::to_array<ComparedLine>({
    {"consumption model",
     [](const RankedShape& r) { return std::string(name_of(r.shape.consumption_model)); }},
    {"technology", [](const RankedShape& r) { return std::string(name_of(r.shape.technology)); }},
    {"GPUs", [](const RankedShape& r) { return grouped(r.shape.count * r.replicas); }},
    {"replicas", [](const RankedShape& r) { return grouped(r.replicas); }},
    {"links", [](const RankedShape& r) { return r.shape.interconnect; }},
    {"to a device", [](const RankedShape& r) { return grouped(r.per_device); }},
    {"compute share", [](const RankedShape& r) { return percent(r.shape.compute_share); }},
    {"usable", [](const RankedShape& r) { return size_text(r.shape.memory_bytes); }},
    {"needed", [](const RankedShape& r) { return size_text(r.need_bytes); }},
    {"fits", compared_fit},
    {"headroom", [](const RankedShape& r) { return size_text(r.headroom_bytes); }},
    {"stranded", [](const RankedShape& r) { return size_text(r.stranded_bytes); }},
    {"sequences at most",
     [](const RankedShape& r) {
       return r.max_concurrency ? plain_number(*r.max_concurrency) : std::string("-");
     }},
    {"max-num-seqs", [](const RankedShape& r) { return optional_count(r.max_num_seqs); }},
    {"batched tokens",
     [](const RankedShape& r) { return optional_count(r.max_num_batched_tokens); }},
    {"utilization",
     [](const RankedShape& r) {
       return r.gpu_memory_utilization ? fmt::format("{}", *r.gpu_memory_utilization)
                                       : std::string("-");
     }},
    {"vCPU", [](const RankedShape& r) { return grouped(r.contract.vcpus); }},
    {"RAM", [](const RankedShape& r) { return size_text(r.contract.memory_bytes); }},
    {"reserved MHz", [](const RankedShape& r) { return grouped(r.contract.cpu_reservation_mhz); }},
    {"NUMA nodes",
     [](const RankedShape& r) { return grouped(r.contract.numa ? r.contract.numa->nodes : 1); }},
    {"migration pause",
     [](const RankedShape& r) {
       return r.contract.pause_seconds ? plain_number(*r.contract.pause_seconds) + " s"
                                       : std::string("-");
     }},
    {"on one host", [](const RankedShape& r) { return density_text(r.contract.density); }},
    {"an hour",
     [](const RankedShape& r) {
       return r.cost ? fmt::format("{:.2f} {}", r.cost->per_hour, r.cost->currency)
                     : std::string("-");
     }},
    {"a million tokens",
     [](const RankedShape& r) {
       return r.cost && r.cost->per_million_tokens
                  ? fmt::format("{:.2f} {}", *r.cost->per_million_tokens, r.cost->currency)
                  : std::string("-");
     }},
    {"rule",
     [](const RankedShape& r) {
       return r.reasons.empty() ? std::string() : r.reasons.front().rule;
     }},
    {"because",
     [](const RankedShape& r) {
       return r.reasons.empty() ? std::string() : r.reasons.front().says;
     }},
    {"changing it", [](const RankedShape& r) { return r.to_change; }},
});

}  // namespace

std::string compare_shapes(const domain::Advice& advice, std::size_t first, std::size_t second,
                           const Style& style) {
  const RankedShape& a = advice.shapes[first];
  const RankedShape& b = advice.shapes[second];
  Page page(style);
  Table table;
  table.columns = {{"", Align::Left},
                   {fmt::format("{}: {}", first + 1, shape_name(a.shape)), Align::Left},
                   {fmt::format("{}: {}", second + 1, shape_name(b.shape)), Align::Left}};
  for (const ComparedLine& line : kComparedLines) {
    const std::string left = line.value(a);
    const std::string right = line.value(b);
    if (left == right && (left == "-" || left.empty())) continue;
    table.rows.push_back({std::string(line.label), left, left == right ? "=" : right});
  }
  page.table(table, 0);
  return page.text();
}

}  // namespace gpushape::render
