// What the rules may look at, and nothing else: the declared facts of a workload (consumption-
// rules.md, section 2) beside what one device makes of them. One Facts per device asked for; every
// figure is of one device or share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "advise/thresholds.hpp"
#include "base/bytes.hpp"
#include "domain/device.hpp"
#include "domain/model.hpp"
#include "domain/traffic.hpp"
#include "domain/workload.hpp"

namespace gpushape::advise {

/// How a fraction is cut: by time or by hardware.
enum class FractionMode { TimeSliced, Mig };

struct Facts {
  // Declared, or their defaults.
  domain::Platform platform = domain::Platform::Vsphere;
  domain::Role role = domain::Role::Llm;
  domain::Isolation isolation = domain::Isolation::None;
  domain::LatencySlo latency_slo = domain::LatencySlo::None;
  domain::ChangeRate change_rate = domain::ChangeRate::High;
  domain::Evidence evidence = domain::Evidence::E0;
  std::int64_t tenants = 1;
  std::int64_t replicas = 1;
  bool is_mixture_of_experts = false;
  bool is_durable = false;  ///< sessions hold their cache for the life of a task
  bool needs_live_migration = false;
  bool needs_ha = false;
  bool is_appliance = false;
  bool image_supports_mig = true;
  std::optional<domain::ConsumptionModel> asked_model;
  std::optional<domain::Technology> asked_technology;
  std::optional<double> compute_share;  ///< measured

  // Predictability.
  std::optional<double> spread;  ///< dynamic P99 / P50 of the joint in-flight set
  bool is_predictable = false;
  std::string why_unpredictable;  ///< empty where it is predictable

  // Measured.
  std::optional<double> measured_days;        ///< telemetry of the engine
  std::optional<double> pool_use;             ///< P99, of the cache pool that was measured
  std::int64_t pool_tokens = 0;               ///< of that pool; 0: not known
  std::optional<Bytes> measured_share_bytes;  ///< usable, of the profile that it ran on
  std::string measured_share_says;            ///< how that is known, or why not
  std::int64_t preemptions = 0;               ///< in the time that was measured
  std::string changed_setting;                ///< EV-04: what differs from then; empty: nothing
  std::string changed_weights;                ///< EV-05: the same of the weights alone
  std::optional<double> usage_days;           ///< telemetry of the device
  std::optional<Bytes> peak_bytes;            ///< most memory that was used of a whole device
  std::optional<double> pause_seconds;        ///< estimated, of a live migration
  std::optional<double> tolerated_pause_seconds;
  double link_gigabits_per_second = 0;  ///< over which it migrates

  // Memory of the workload on this device.
  bool load_is_known = true;  ///< context and concurrency, or a demand in their place
  std::optional<Bytes> static_bytes;
  std::optional<Bytes> dynamic_bytes;  ///< P99, or the deterministic ceiling
  bool dynamic_is_ceiling = false;     ///< concurrency x context: no percentile is known
  std::optional<Bytes> ceiling_bytes;  ///< declared, or fixed by the role's nature
  std::optional<Bytes> need_bytes;     ///< static + dynamic + guard, or the ceiling

  // The device.
  std::string device;
  Bytes device_bytes;            ///< usable, whole
  Bytes physical_bytes;          ///< memory of the GPU itself, whatever the hypervisor keeps
  Bytes largest_fraction_bytes;  ///< usable, of the largest profile that leaves it shareable
  std::string largest_fraction;  ///< its short name; empty where there is no fraction
  std::string why_no_fraction;   ///< where there is none
  std::int64_t mig_instances = 0;
  std::optional<Bytes> time_sliced_bytes;  ///< usable, of the smallest nesting profile that holds
                                           ///< the need
  std::optional<Bytes> mig_bytes;          ///< the same of MIG

  bool has_time_sliced = true;  ///< fractions that take turns: vGPUs, or shares by software

  std::optional<FractionMode> fraction_mode;  ///< of the fraction that is looked at, if one is
  bool is_software_share = false;             ///< the fraction is one that software keeps

  // Several devices.
  std::string why_not_one;  ///< what keeps one instance off a whole device; empty where it fits
  std::int64_t gpus_needed = 1;  ///< for one instance; 0: more than the device's largest group
  bool layout_is_asked = false;  ///< --tp, --pp or --dp decided `gpus_needed`
  std::int64_t link_domain_size = 1;
  std::int64_t attention_heads = 0;  ///< 0 where no model is known
  std::int64_t experts = 0;          ///< most of one layer; 0 for a dense model
  std::int64_t cache_heads = 0;      ///< heads of the cache that ranks can share; 1: a latent cache
  std::string group;                 ///< device group that one selection asks for; empty: none
  std::string interconnect;
  Bytes need_of_each_bytes;           ///< of one device of the group
  std::int64_t tensor = 0;            ///< GPUs of the group that share each layer; 0: not said
  std::int64_t data = 1;              ///< engine cores of the group, each with its sequences
  std::int64_t nodes = 1;             ///< hosts that the group stands in
  std::string narrower_quantization;  ///< MG-03: with which fewer GPUs fit a link domain; or empty
  std::int64_t narrower_gpus = 0;     ///< MG-03: how many
  std::int64_t copies = 1;            ///< MG-05: replicas that carry the load
  std::int64_t gpus_of_a_copy = 1;    ///< MG-05
  std::int64_t sequences_in_one = 0;  ///< MG-05: in flight in one such copy

  bool operator==(const Facts&) const = default;
};

/// The declared part of the facts. `model` supplies the role and the heads where the workload is
/// silent.
Facts declared_facts(const domain::Workload& workload, const domain::Model* model,
                     const Thresholds& thresholds);

/// What the traffic makes of the spread, where nobody stated one: P99 over P50 of what the
/// sequences in flight hold.
void take_spread(const domain::Workload& workload, const domain::CacheDemand& traffic,
                 const Thresholds& thresholds, Facts& facts);

/// The platform has virtual machines, and with them vGPU profiles and DirectPath I/O.
bool has_hypervisor(domain::Platform platform);
/// Passthrough was asked for, as a model, as a technology or by an appliance.
bool passthrough_is_asked(const Facts& facts);
/// The first clause of CM-03 that fails; empty where passthrough is right.
std::string passthrough_obstacle(const Facts& facts);
/// Embedding, reranking, small classifiers, CI and notebooks: a fixed footprint, bursts (CM-10).
bool has_small_footprint(domain::Role role);
/// What one instance may take of a device before it becomes several (CM-02): the threshold's part
/// of the GPU's own memory, and no more than its whole-device shape offers.
Bytes most_of_device(const Facts& facts, const Thresholds& thresholds);
/// The same in words, with what decided it.
std::string most_of_device_text(const Facts& facts, const Thresholds& thresholds);
/// Part of the dynamic memory that is kept free beside it.
const Threshold& guard_of(const Facts& facts, const Thresholds& thresholds);

}  // namespace gpushape::advise
