// MF-22: the engine knows its flags; it exits on any other. Lists: catalog/engines/arguments.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/edit_distance.hpp"
#include "review/command_line.hpp"
#include "review/edits.hpp"
#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

namespace {

/// A shell's or a template's business: "${EXTRA}", "{{ .Values.x }}".
bool is_plain_flag(std::string_view flag) {
  return flag.starts_with("-") && flag.find_first_of("${}()<>*\"' ") == std::string_view::npos;
}

/// Switches that another one means today, word for word (vLLM, pull request 21739).
struct RenamedSwitch {
  std::string_view old;
  std::string_view now;
};
constexpr auto kRenamedSwitches = std::to_array<RenamedSwitch>({
    {"--disable-log-requests", "--no-enable-log-requests"},
});

/// What is certain: another name for the same, or out with what nothing stands for any more.
Edits certain_change(const PodRequest& pod, const EngineCall& call, const EngineSetting& row,
                     const domain::RetiredArgument& retired) {
  if (!call.version) return {};
  for (const RenamedSwitch& renamed : kRenamedSwitches) {
    if (renamed.old == row.flag) {
      return replace_word(*pod.document, row.position, renamed.old, renamed.now);
    }
  }
  if (!retired.instead.empty()) return {};
  const std::string word = row.value.empty() ? row.flag : row.flag + "=" + row.value;
  return remove_item(*pod.document, row.position, word);
}

bool check_retired(const PodRequest& pod, const EngineCall& call, const EngineSetting& row,
                   const EngineWords& words, Report& report) {
  const domain::RetiredArgument* retired = words.retired(row.flag);
  if (retired == nullptr) return false;
  if (call.version && *call.version < retired->before) return true;
  report.add(
      *pod.document, row.position,
      {.message =
           fmt::format("{} {} does not know {} any more{}", call.engine,
                       domain::to_text(call.version.value_or(words.arguments.version)), row.flag,
                       call.version ? "" : ", and no version says which this one is"),
       .fix = retired->instead.empty() ? "remove it" : fmt::format("use {}", retired->instead),
       .severity = call.version ? domain::Severity::Error : domain::Severity::Warning,
       .edits = certain_change(pod, call, row, *retired)});
  return true;
}

void check_since(const PodRequest& pod, const EngineCall& call, const EngineSetting& row,
                 const EngineWords& words, std::string_view name, Report& report) {
  if (!call.version) return;
  for (const domain::EngineFlagName& flag : words.command.flags) {
    if (flag.flag != name || !flag.since || *flag.since <= *call.version) continue;
    report.add(*pod.document, row.position,
               {.message = fmt::format("{} {} does not know {}, which came with {}", call.engine,
                                       domain::to_text(*call.version), row.flag,
                                       domain::to_text(*flag.since)),
                .fix = fmt::format("take an image of {} {} or newer", call.engine,
                                   domain::to_text(*flag.since)),
                .severity = domain::Severity::Error});
  }
}

}  // namespace

void mf_22(const Deployment& deployment, Report& report) {
  each_engine(deployment, [&](const PodRequest& pod, const Container&, const EngineCall& call) {
    const EngineWords* words = engine_words(call.engine);
    if (words == nullptr || call.is_wrapped) return;
    const std::vector<std::string> names = words->names();
    for (const EngineSetting& row : call.settings) {
      if (row.is_field || !is_plain_flag(row.flag)) continue;
      if (check_retired(pod, call, row, *words, report)) continue;
      if (const auto name = words->canonical(row.flag)) {
        check_since(pod, call, row, *words, *name, report);
        continue;
      }
      if (!words->arguments.is_complete || !row.flag.starts_with("--")) continue;
      // What an older engine knew and a newer one may know is not listed: a likely slip alone.
      const std::vector<std::string> near = nearest_names(row.flag, names, 1);
      const bool is_slip = !near.empty() && edit_distance(row.flag, near.front()) <= 2;
      const bool is_listed_version = !call.version || *call.version == words->arguments.version;
      if (!is_slip && !is_listed_version) continue;
      report.add(*pod.document, row.position,
                 {.message = fmt::format("{} is not among the flags of {} {}", row.flag,
                                         call.engine, domain::to_text(words->arguments.version)),
                  .fix = suggestion(row.flag, names, "check `--help` of the image's version"),
                  .severity = is_slip ? domain::Severity::Error : domain::Severity::Warning});
    }
  });
}

}  // namespace gpushape::review::rules_of
