// Manifests from advice: one file and one row per target. A target decides nothing: every number is
// the contract's.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "document/node.hpp"
#include "domain/advice.hpp"
#include "domain/device.hpp"
#include "domain/engine_command.hpp"
#include "domain/workload.hpp"

namespace gpushape::emit {

struct Label {
  std::string key;
  std::string value;

  bool operator==(const Label&) const = default;
};

/// What an emitter is given: the answer, the shapes picked from it (one a wish, in order), and how
/// to write.
struct EmitRequest {
  const domain::Advice* advice = nullptr;
  std::vector<const domain::RankedShape*> picked;  ///< at least one
  std::vector<domain::Device> devices;             ///< every device that a picked shape names
  /// One a picked shape, where it is one document of several that are written together.
  std::vector<std::string> names;
  bool is_further = false;          ///< another document of such a set than the first
  std::string name;                 ///< metadata.name; empty: derived
  std::string name_space;           ///< metadata.namespace; empty: none
  std::string kubernetes = "1.36";  ///< "1.32" … "1.36"
  std::string
      vm_operator;  ///< release, "8.0.3" … "9.1.0"; empty: what every release from 8.0.3 on accepts
  bool has_comments = true;
  std::string command;  ///< the command line that made it, for the last comment
  const domain::Workload* workload = nullptr;  ///< as the user gave it; for the target `workload`
  std::vector<Label> labels;                   ///< metadata.labels
  std::optional<std::chrono::sys_days> as_of;  ///< makes a calendar date of "review after N days"
  const domain::EngineCommand* engine_command = nullptr;  ///< of the engine that was sized for
  std::vector<std::string> targets;  ///< all that are written together, and have to agree
  std::optional<std::int64_t> lifetime_seconds;  ///< after which the workload ends
  std::string nic_class;  ///< DeviceClass of RDMA cards that claims put beside GPUs; empty: none
};

/// Whether that target is written, too.
bool is_written(const EmitRequest& request, std::string_view target);

/// What a target made.
struct Emitted {
  std::vector<document::Node> documents;  ///< in order
  std::vector<std::string> notes;  ///< what a document could not say, one line each, for stderr
  std::string text;                ///< in place of documents where the target's form is no tree
};

/// A target that cannot express a shape says why, and names one that can.
using EmitFunction = Result<Emitted> (*)(const EmitRequest&);

struct TargetRow {
  std::string_view name;         ///< "vm-class"
  std::string_view description;  ///< one line
  EmitFunction emit;
  /// What asking for this target says of the platform; a VM class beside a claim means VKS.
  std::optional<domain::Platform> platform = std::nullopt;
  std::string_view options = {};        ///< flags beside the common ones that it heeds, by spaces
  bool holds_engine = false;            ///< its documents start an engine
  std::string_view extension = "yaml";  ///< of its file; what is no YAML stands in one of its own
  bool is_claim = false;                ///< what one pod asks for, without the pod
};

/// Its documents are of one pod: another layout is another document.
constexpr bool is_of_one_pod(const TargetRow& row) { return row.holds_engine || row.is_claim; }

/// nullptr where no target is called that.
const TargetRow* find_target(std::string_view name);

/// In display order.
std::span<const TargetRow> targets();

}  // namespace gpushape::emit
