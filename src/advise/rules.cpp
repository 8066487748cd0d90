#include "advise/rules.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "advise/rules/functions.hpp"

namespace gpushape::advise {

namespace {

constexpr auto kRules = std::to_array<RuleRow>({
    {"CM-01", "A shape needs a need",
     "the need cannot be computed (unknown model, precision, context or concurrency)",
     "no shape: ask",
     "A shape chosen without request patterns is a guess about scarcity, and the biggest size is "
     "the habitual guess",
     "P2 GPU consumption follows request patterns 1-2", "",
     "advise llama-3.1-8b-instruct --gpu h100-sxm-80", rules_of::cm_01},
    {"CM-02", "More than one device",
     "need > device x wholeDevice, or one instance needs several GPUs", "multi-gpu",
     "The group and its links are the unit of placement, no longer the GPU",
     "P2 When a workload spans GPUs 1, 3", "wholeDevice",
     "advise llama-3.3-70b-instruct --quant fp8 --context 8k --concurrency 64 --gpu h100-sxm-80",
     rules_of::cm_02},
    {"CM-03", "An appliance may be passed through",
     "appliance, predictable, change rate low, no live migration",
     "passthrough; a whole device where there are no virtual machines",
     "Passthrough trades adaptability for certainty and takes the shape as known ahead of time",
     "P2 Passthrough and exclusivity 3, 4, 6; P4 What AI workloads actually ask 2", "highestSpread",
     "advise -f examples/workloads/appliance.yaml --gpu h100-sxm-80", rules_of::cm_03},
    {"CM-04", "Passthrough without its conditions",
     "passthrough is asked for and a clause of CM-03 fails", "full, with a finding",
     "Changing a passthrough shape stops the workload and reconfigures the host; a profile change "
     "is a reboot",
     "P2 Passthrough and exclusivity 3", "highestSpread",
     "advise llama-3.1-8b-instruct --context 8k --concurrency 16 --gpu h100-sxm-80 --technology "
     "passthrough",
     rules_of::cm_04},
    {"CM-05", "The static part fills more than a fraction", "static > largest fraction", "full",
     "No fraction lies between one half and the whole device; the static part alone decides",
     "P2 Full GPUs as a necessity 2", "",
     "advise qwen2.5-32b-instruct --context 8k --concurrency 2 --gpu h100-sxm-80", rules_of::cm_05},
    {"CM-06", "Unknown behaviour gets a whole device",
     "not predictable: evidence E0, spread > highestSpread, or spread not known",
     "full, with a review date",
     "A full GPU absorbs uncertainty while the true behaviour of the workload shows",
     "P2 Full GPUs as a necessity 4", "highestSpread reviewDays",
     "advise llama-3.1-8b-instruct --context 8k --concurrency 16 --gpu h100-sxm-80",
     rules_of::cm_06},
    {"CM-07", "Spiky workloads need evidence before they share",
     "mixture of experts or durable sessions, and evidence < E2", "full, with a review date",
     "Spikes arrive before the first token and sessions differ in size; a shared device leaves "
     "little margin",
     "M2 The practical takeaway; M3 KV cache memory and session concurrency",
     "evidenceDays reviewDays",
     "advise llama-3.1-8b-instruct --context 8k --concurrency 16 --gpu h100-sxm-80 --session "
     "durable --evidence-level E1 --spread 1.2",
     rules_of::cm_07},
    {"CM-08", "The need outgrows every fraction", "need > largest fraction", "full",
     "The dynamic part closes the gap that the static part left", "P2 Full GPUs as a necessity 2",
     "guard spikyGuard",
     "advise llama-3.1-8b-instruct --context 8k --concurrency 32 --gpu h100-sxm-80 "
     "--evidence-level E2 --spread 1.2",
     rules_of::cm_08},
    {"CM-09", "A fraction for what is understood", "predictable, and need <= largest fraction",
     "fractional", "Fractions match how workloads behave once their behaviour is understood",
     "P2 Fractional GPUs are not a compromise 3-4", "highestSpread guard spikyGuard",
     "advise -f examples/workloads/chat-measured.yaml --gpu h100-sxm-80", rules_of::cm_09},
    {"CM-10", "Small fixed footprints share from the start",
     "embedding, reranking, small classifier, CI or notebook with a ceiling <= largest fraction",
     "fractional, even at evidence E0",
     "Small fixed footprint, bursts, throughput first: isolated memory matters, ownership does not",
     "P2 Fractional GPUs are not a compromise 1; P4 What AI workloads actually ask 3", "guard",
     "advise --role notebook --memory-ceiling 8GiB --gpu h100-sxm-80", rules_of::cm_10},
    {"EV-01", "Telemetry lets a whole device go",
     "evidence E2 by telemetry, spread <= highestSpread, and need <= largest fraction",
     "full becomes a fraction",
     "The static part was known from the start; the dynamic part is now known too",
     "P2 Full GPUs as a necessity 4", "evidenceDays highestSpread guard spikyGuard",
     "advise llama-3.1-8b-instruct --quant fp8 --context 8k --gpu h100-sxm-80 --evidence "
     "examples/evidence/quiet-chat.json",
     rules_of::ev_01},
    {"EV-02", "A share that was full grows",
     "preemptions, or P99 of the pool's use > fullUse for fullUseDays",
     "the next larger profile, then the whole device",
     "A virtual GPU keeps its frame buffer fixed: it cannot borrow",
     "P2 Why GPU contention is different 2; P3 GPU Mode 3", "fullUse fullUseDays",
     "advise llama-3.1-8b-instruct --quant fp8 --context 8k --gpu h100-sxm-80 --evidence "
     "examples/evidence/full-chat.json",
     rules_of::ev_02},
    {"EV-03", "An idle whole device becomes a fraction",
     "peak memory < idleMemory and compute < idleCompute of a whole device for idleDays",
     "full becomes a fraction, with finding RV-01",
     "Allocated is not used: most of such a device serves nobody",
     "The GPU Utilization Problem; P2 Full GPUs as a necessity 3",
     "idleMemory idleCompute idleDays",
     "advise --role notebook --gpu h100-sxm-80 --usage examples/evidence/idle-gpu.json",
     rules_of::ev_03},
    {"EV-04", "Other settings, other behaviour",
     "precision of the cache, context limit or batching differ from what was measured",
     "the dynamic part is computed anew, at evidence E0",
     "New serving parameters change the profile of the dynamic memory",
     "P2 Passthrough and exclusivity 4", "",
     "advise llama-3.1-8b-instruct --quant fp8 --kv-cache-dtype fp8 --context 8k --gpu h100-sxm-80 "
     "--evidence examples/evidence/quiet-chat.json",
     rules_of::ev_04},
    {"EV-05", "Quantized weights keep the evidence",
     "only the precision of the weights differs from what was measured",
     "the static part is computed anew, the dynamic part stays",
     "The precision of the cache is a choice of the runtime, not a property of the weights",
     "M1 Quantization impact", "",
     "advise llama-3.1-8b-instruct --quant fp8 --context 8k --gpu h100-sxm-80 --evidence "
     "examples/evidence/quiet-chat.json --evidence examples/logs/evidence.yaml",
     rules_of::ev_05},
    {"MD-01", "Tenants that do not trust each other", "isolation hard, or several tenants", "mig",
     "Hardware instances have their own memory path, faults and quality of service",
     "P3 GPU Mode 4; P8 introduction; NVIDIA AI Enterprise, vGPU for Compute", "",
     "advise bge-m3 --context 512 --concurrency 32 --gpu h100-sxm-80 --tenants 3", rules_of::md_01},
    {"MD-02", "A strict latency target on a shared device", "latency target strict", "mig",
     "Time-sliced tenants are served in turn: with slices of 2 ms the worst wait of eight is 14 ms",
     "NVIDIA, Choosing a vGPU Mode for Inference; Fractional and Full GPUs", "",
     "advise bge-m3 --context 512 --concurrency 32 --gpu h100-sxm-80 --latency-slo strict",
     rules_of::md_02},
    {"MD-03", "Many, odd or bursty",
     "more instances than MIG offers, sizes that match no slice, or bursts", "time-sliced",
     "MIG stops at its instances and lends no idle slice; a time-sliced VM gets the whole device "
     "while others idle",
     "P8; Fractional and Full GPUs", "sizeMismatch",
     "advise --role notebook --memory-ceiling 8GiB --gpu h100-sxm-80", rules_of::md_03},
    {"MD-04", "Peer traffic needs full frame buffers", "several devices", "time-sliced, full size",
     "MIG and fractions have no NVLink",
     "P11 Discovery, Dynamic partitioning; NVIDIA, Peer-To-Peer CUDA Transfers", "",
     "advise llama-3.3-70b-instruct --quant fp8 --context 8k --concurrency 64 --gpu h100-sxm-80",
     rules_of::md_04},
    {"MD-05", "Images without MIG support", "the serving image does not support MIG", "time-sliced",
     "Support differs from release to release of a serving image",
     "NVIDIA NIM for LLMs, 1.12 and later", "",
     "advise --role notebook --memory-ceiling 8GiB --gpu h100-sxm-80 --no-mig-image",
     rules_of::md_05},
    {"MD-06", "The first workload fixes the mode", "a fraction", "note",
     "Mode, and in same-size mode the profile, stay until the device is empty",
     "P3 Allocation Shapes Device Topology 1-2; P4 Same Size", "",
     "advise --role notebook --memory-ceiling 8GiB --gpu h100-sxm-80", rules_of::md_06},
    {"MG-01", "Two, four or eight", "one instance needs several GPUs",
     "smallest of 2, 4 and 8 that fits and divides the attention heads",
     "Fabric partitions hold 1, 2, 4 or 8 GPUs; three or six strand the rest",
     "P11 Partition Boundaries", "wholeDevice",
     "advise llama-3.3-70b-instruct --quant fp8 --context 8k --concurrency 64 --gpu h100-sxm-80",
     rules_of::mg_01},
    {"MG-02", "Links are part of the contract", "GPUs of an instance <= link domain",
     "device group", "One selection carries the geometry",
     "P2 When a workload spans GPUs 1; P11 Device Groups", "",
     "advise llama-3.3-70b-instruct --quant fp8 --context 8k --concurrency 64 --gpu h100-sxm-80",
     rules_of::mg_02},
    {"MG-03", "Narrower weights inside one link domain",
     "GPUs of an instance > link domain, and with quantized weights fewer fit inside it",
     "the smaller layout is recommended",
     "Crossing pairs goes over PCIe, the CPU and the sockets' link; the slowest link sets the pace",
     "P10 Two NVLink pairs", "",
     "advise llama-3.3-70b-instruct --context 8k --concurrency 8 --gpu a100-pcie-80 --host "
     "examples/hosts/h3.yaml",
     rules_of::mg_03},
    {"MG-04", "No tensor parallel without links", "GPUs of an instance > link domain", "finding",
     "vGPU has peer traffic over NVLink only; over PCIe the slowest link sets the pace",
     "NVIDIA, Peer-To-Peer CUDA Transfers; P10 PCIe connected GPUs", "",
     "advise llama-3.3-70b-instruct --quant fp8 --context 8k --concurrency 16 --gpu l40s "
     "--platform kubernetes",
     rules_of::mg_04},
    {"MG-05", "Replicas for concurrency",
     "one copy fits fewer GPUs than the load needs, and replicas take fewer in all", "replicas",
     "Several GPUs make a larger bin, replicas make more bins", "M3 Designing for durable sessions",
     "", "advise llama-3.1-8b-instruct --context 32k --concurrency 64 --gpu h100-sxm-80",
     rules_of::mg_05},
    {"MG-06", "Groups take whole devices", "one instance needs several GPUs",
     "note: no device of the group in MIG mode or shared with fractions",
     "Multi-GPU needs whole time-sliced devices", "P4 MIG; NVIDIA, NVSwitch", "",
     "advise llama-3.3-70b-instruct --quant fp8 --context 8k --concurrency 64 --gpu h100-sxm-80",
     rules_of::mg_06},
    {"LC-01", "Live migration needs a vGPU", "live migration needed", "never passthrough",
     "vGPU carries vMotion, suspend and snapshot; passthrough does not",
     "P2 Full GPUs 5; Fractional and Full GPUs", "",
     "advise llama-3.1-8b-instruct --context 8k --concurrency 16 --gpu h100-sxm-80 "
     "--needs-live-migration",
     rules_of::lc_01},
    {"LC-02", "High availability needs dynamic binding", "high availability and passthrough",
     "Dynamic DirectPath I/O with a hardware label",
     "A static address can restart on one pair of host and device only",
     "P3 From Static Device Binding 2-5", "",
     "advise -f examples/workloads/appliance.yaml --gpu h100-sxm-80 --needs-ha", rules_of::lc_02},
    {"LC-03", "A restart needs room elsewhere", "high availability needed",
     "whether another host has a matching device, group or slot",
     "Only hosts that offer the declared device, mode and geometry are eligible",
     "P3 From Resource Declaration 2; P11 Cluster and Host Placement", "",
     "advise llama-3.1-8b-instruct --context 8k --concurrency 16 --gpu h100-sxm-80 --needs-ha",
     rules_of::lc_03},
    {"LC-04", "The pause of a live migration", "estimated pause > tolerated pause", "finding",
     "The pause grows with the GPU memory that moves; releases before VCF 9 move all of it",
     "Enhanced vMotion for vGPU VMs in VCF 9.0", "",
     "advise llama-3.1-8b-instruct --context 8k --concurrency 16 --gpu h100-sxm-80 "
     "--needs-live-migration --tolerated-pause 5",
     rules_of::lc_04},
});

// The order in which they decide: the document's own, with CM-10 before CM-06 (section 3).
constexpr auto kShapeOrder = std::to_array<std::string_view>(
    {"CM-01", "CM-02", "CM-03", "CM-04", "CM-05", "CM-10", "CM-06", "CM-07", "CM-08", "CM-09"});
constexpr auto kModeOrder = std::to_array<std::string_view>({"MD-01", "MD-02", "MD-03", "MD-05"});

}  // namespace

std::span<const RuleRow> rules() { return kRules; }

const RuleRow& rule(std::string_view id) {
  const auto* found = std::ranges::find(kRules, id, &RuleRow::id);
  if (found == kRules.end()) throw std::logic_error("no such rule: " + std::string(id));
  return *found;
}

std::vector<Fired> fired_rules(std::span<const std::string_view> ids, const Facts& facts,
                               const Thresholds& thresholds) {
  std::vector<Fired> fired;
  for (const std::string_view id : ids) {
    if (auto verdict = rule(id).function(facts, thresholds)) {
      fired.push_back({id, *std::move(verdict)});
    }
  }
  return fired;
}

std::vector<Fired> fired_shape_rules(const Facts& facts, const Thresholds& thresholds) {
  return fired_rules(kShapeOrder, facts, thresholds);
}

std::vector<Fired> fired_mode_rules(const Facts& facts, const Thresholds& thresholds) {
  return fired_rules(kModeOrder, facts, thresholds);
}

domain::Reason to_reason(const Fired& fired) {
  return {.rule = std::string(fired.id), .says = fired.verdict.says};
}

}  // namespace gpushape::advise
