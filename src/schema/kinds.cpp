#include "schema/kinds.hpp"

#include <algorithm>
#include <array>

namespace gpushape::schema {

namespace {

constexpr auto kKinds = std::to_array<KindRow>({
    {"Workload", "what is to run, and every declared fact that decides the shape",
     "workload.schema.json"},
    {"Estimate", "the memory of one GPU, term by term", "estimate.schema.json"},
    {"Advice", "ranked shapes with reasons, and what refuses the others", "advice.schema.json"},
    {"ResourceContract", "a shape with the CPU, memory and NUMA guarantees that go with it",
     "resource-contract.schema.json"},
    {"Model", "a model of the catalog, layer by layer", "model.schema.json"},
    {"EstimateComparison", "two estimates of one workload: what an upgrade changes",
     "estimate-comparison.schema.json"},
    {"SweepRow", "one combination of a sweep: its estimate, flat", "sweep-row.schema.json"},
    {"Calibration", "predictions beside what engines printed, term by term",
     "calibration.schema.json"},
    {"Evidence", "measured terms that stand in place of predictions", "evidence.schema.json"},
    {"Device", "a GPU with its profile table", "device.schema.json"},
    {"ProfileFit", "whether a set of profiles is legal on one GPU, and where each lies",
     "profile-fit.schema.json"},
    {"ProfileImport", "what nvidia-smi printed, beside the profile tables",
     "profile-import.schema.json"},
    {"ProfilePlan", "which few profile sizes serve a mix, and on how many GPUs",
     "profile-plan.schema.json"},
    {"HostPlan", "the fewest hosts for a mix, and the mode of each GPU", "host-plan.schema.json"},
    {"Host", "a server model as the VM contract needs it", "host.schema.json"},
    {"Cluster", "hosts, GPUs, links and what runs there at one moment", "cluster.schema.json"},
    {"Placement", "where contracts land, why, and what that costs later requests",
     "placement.schema.json"},
    {"Fragmentation", "idle GPU capacity that the next requests cannot use",
     "fragmentation.schema.json"},
    {"Usage", "what of the GPUs is allocated and what is used", "usage.schema.json"},
    {"Failover", "whether the VMs of each host can restart elsewhere", "failover.schema.json"},
    {"DefragmentPlan", "the fewest moves that make a contract placeable",
     "defragment-plan.schema.json"},
    {"InventoryCheck", "what contradicts itself in an inventory", "inventory-check.schema.json"},
    {"Review", "what a review of manifests found, and what had to be assumed",
     "review.schema.json"},
    {"Platform", "what manifests cannot say: who shares what, and how it is run",
     "platform.schema.json"},
    {"Rules", "thresholds, constants of the VM contract and severities that --rules sets",
     "rules.schema.json"},
    {"Prices", "what GPUs cost by the hour, for --prices", "prices.schema.json"},
    {"RuleBook", "the rules of advice and review, with the numbers that take part",
     "rule-book.schema.json"},
    {"Simulation", "a trace replayed under several policies", "simulation.schema.json"},
});

}  // namespace

std::span<const KindRow> kinds() { return kKinds; }

std::optional<std::string_view> schema_text(std::string_view kind) {
  const auto row = std::ranges::find(kKinds, kind, &KindRow::kind);
  if (row == kKinds.end()) return std::nullopt;
  const auto file = std::ranges::find(embedded_schemas(), row->file, &EmbeddedText::name);
  if (file == embedded_schemas().end()) return std::nullopt;
  return file->text;
}

}  // namespace gpushape::schema
