// gpushape review: the rule book held against manifests that exist already.
#include "review/review.hpp"

#include <algorithm>
#include <iterator>

#include "cli/commands.hpp"
#include "cli/document_files.hpp"
#include "profiles/profiles.hpp"
#include "render/findings.hpp"

namespace gpushape::cli {

int run_review(const ParsedFlags& parsed, Invocation& invocation, const Terminal& terminal) {
  if (const Diagnostics faults = apply(parsed, invocation); !faults.empty()) {
    return refuse(faults, terminal);
  }
  if (parsed.positionals.empty()) {
    return refuse({complaint("review needs a FILE",
                             "name manifests, folders of them, or - for "
                             "standard input")},
                  terminal);
  }
  const Result<std::vector<std::string>> files = document_files(parsed.positionals);
  if (!files) return refuse(files.error(), terminal);
  const Result<profiles::Profiles> profiles = profiles::Profiles::open(invocation.profiles_folder);
  if (!profiles) return refuse(profiles.error(), terminal);
  const Result<std::vector<domain::Device>> devices = profiles->all();
  if (!devices) return refuse(devices.error(), terminal);

  // A broken file never hides the findings of the others.
  std::vector<document::Document> documents;
  Diagnostics faults;
  for (const std::string& file : *files) {
    Result<std::vector<document::Document>> read = read_documents(file);
    if (read) {
      std::ranges::move(*read, std::back_inserter(documents));
    } else {
      std::ranges::move(read.error(), std::back_inserter(faults));
    }
  }
  const std::vector<domain::Finding> findings =
      review::review({.documents = documents, .devices = *devices});
  terminal.out << render::findings_text(
      findings, style_for(terminal, invocation.color, invocation.verbosity));
  if (!faults.empty()) return refuse(faults, terminal);
  const bool is_clean = std::ranges::all_of(findings, [](const domain::Finding& finding) {
    return finding.severity == domain::Severity::Note;
  });
  return is_clean ? kDone : kAnswerIsNo;
}

}  // namespace gpushape::cli
