// LD-03: evidence is younger than its review date. RV-03: a full GPU was taken for want of
// knowledge, and the time to know has come (F. Denneman, GPU Consumption Models as the First
// Architectural Choice, Full GPUs). Dates count with --as-of alone.
#include <fmt/format.h>

#include <charconv>
#include <chrono>

#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

namespace {

/// "2026-11-21"
std::optional<std::chrono::sys_days> day_of(std::string_view text) {
  if (text.size() < 10 || text[4] != '-' || text[7] != '-') return std::nullopt;
  int year = 0;
  unsigned month = 0;
  unsigned day = 0;
  const auto read = [&](std::size_t at, std::size_t length, auto& value) {
    const char* const first = text.data() + at;
    return std::from_chars(first, first + length, value).ptr == first + length;
  };
  if (!read(0, 4, year) || !read(5, 2, month) || !read(8, 2, day)) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(month),
                                         std::chrono::day(day)};
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date);
}

}  // namespace

void ld_03(const Deployment& deployment, Report& report) {
  const auto& today = deployment.request->as_of;
  if (!today) return;
  for (const Object& object : deployment.objects) {
    const document::Node* annotation =
        at(*object.root, {"metadata", "annotations", "gpushape.dev/review-after"});
    if (annotation == nullptr) continue;
    const auto due = day_of(annotation->text());
    if (!due || *due >= *today) continue;
    const auto late = (*today - *due).count();
    report.add(*object.document, *annotation,
               {.message = fmt::format("the evidence behind {} was to be reviewed {} day{} ago",
                                       object.title(), late, late == 1 ? "" : "s")});
  }
}

}  // namespace gpushape::review::rules_of
