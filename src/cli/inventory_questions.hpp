// A question about one cluster, and the functions that answer it: one file a group of words, one
// row each in inventory.cpp.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "cli/cluster_files.hpp"
#include "cli/commands.hpp"
#include "cli/listing.hpp"
#include "domain/usage.hpp"
#include "inventory/cluster_file.hpp"
#include "render/words.hpp"
#include "schema/kinds.hpp"

namespace gpushape::cli {

struct Question {
  const LoadedCluster& loaded;
  const Invocation& invocation;
  const Terminal& terminal;
  std::string format;

  [[nodiscard]] render::Page page() const {
    return render::Page(style_for(terminal, invocation.color, invocation.verbosity));
  }
  [[nodiscard]] bool is_text() const { return format == "text"; }
};

/// The head of an answer as a document.
document::Node new_document(std::string_view kind, const domain::Cluster& cluster);
/// Two decimals.
std::string figure(double value);

/// Prints the Cluster that the files of `paths` make, and what it leaves out.
int import_inventory(const std::vector<std::string>& paths, const Invocation& invocation,
                     const Terminal& terminal);

/// Of files with Prometheus' answers for the metrics of the DCGM exporter.
Result<std::vector<domain::UsageSeries>> read_usage_series(const std::vector<std::string>& files);

namespace questions {

int show(const Question& question);
int check(const Question& question);
int fragmentation(const Question& question);
int usage(const Question& question);
int failover(const Question& question);
int defragment(const Question& question);

}  // namespace questions
}  // namespace gpushape::cli
