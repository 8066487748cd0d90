// The answer of the main job: ranked shapes with reasons, refused shapes with the one fact that
// refuses each, what was assumed, and what would change the answer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "domain/contract.hpp"
#include "domain/estimate.hpp"
#include "domain/prices.hpp"
#include "domain/shape.hpp"

namespace gpushape::domain {

/// One rule that took part, in words that carry the values. What refuses a shape outside the rule
/// book stands under a plain word: "fit" (memory), "profile" (choice of the size), "layout",
/// "capability", "platform", "asked".
struct Reason {
  std::string rule;  ///< "CM-06", or one of those words
  std::string says;

  bool operator==(const Reason&) const = default;
};

struct RankedShape {
  Shape shape;
  int wish = 0;  ///< place in the wish list; equal for every device of an `any`
  bool fits = false;
  FitsAt fits_at = FitsAt::None;
  Bytes need_bytes;  ///< what the rules compared
  Bytes
      headroom_bytes;  ///< of one device or share, at the high end; negative where it does not fit
  Bytes stranded_bytes;  ///< that no other profile of the catalog can use once this one is placed
  std::optional<double> max_concurrency;
  std::optional<std::int64_t> max_num_seqs;  ///< chosen for the workload
  std::optional<std::int64_t> max_num_batched_tokens;
  std::optional<double> gpu_memory_utilization;
  std::vector<Reason> reasons;
  std::string to_change;  ///< what changing it later takes
  ResourceContract contract;
  std::optional<Estimate> estimate;  ///< for this shape
  std::int64_t replicas = 1;         ///< copies that carry the load together, each of this shape
  std::optional<std::int64_t> concurrency;  ///< sequences in flight of one replica
  std::int64_t per_device = 1;  ///< how many of this profile one device holds; 1 for whole devices
  std::optional<Bytes> kv_cache_memory_bytes;  ///< the pool of one GPU where the workload gives it
  std::optional<Cost> cost = {};               ///< where prices are known
  /// MG-03: of its weights, where they are narrower than what was asked for.
  std::optional<Quantization> quantization = {};

  bool operator==(const RankedShape&) const = default;
};

/// What one size of the table does to its device: the size that is recommended, or one beside it.
struct Neighbour {
  std::string profile;  ///< short name; "whole" for the device itself
  bool is_chosen = false;
  Bytes memory_bytes;               ///< usable
  GpuMode mode = GpuMode::Mig;      ///< that the device is in then
  std::int64_t per_device = 1;      ///< of this size alone
  Bytes stranded_bytes;             ///< that no other size of the catalog can use beside one of it
  std::vector<std::string> beside;  ///< sizes of which one still lies on the device with it
  std::string refusal;              ///< why it does not hold the workload; empty where it does

  bool operator==(const Neighbour&) const = default;
};

/// One value that a pod has only once, whichever of its wishes it is given.
struct JointValue {
  std::string what;            ///< "vCPU", "--gpu-memory-utilization"
  std::string value;           ///< as it is shown
  std::size_t decided_by = 0;  ///< place in WishDocument::shapes
  std::string says;            ///< what the others would have had

  bool operator==(const JointValue&) const = default;
};

/// What is deployed as one: the wishes that one pod serves, whichever of them it is given. A wish
/// that needs another layout, or other flags, stands in a document of its own.
struct WishDocument {
  std::vector<RankedShape> shapes;  ///< one a wish, in their order, with what the pod has once
  std::vector<std::size_t> places;  ///< of the same in Advice::shapes
  std::vector<JointValue> joint;    ///< where there are several shapes
  std::string why_apart;            ///< what keeps it out of the document before it; empty: first

  bool operator==(const WishDocument&) const = default;
};

struct RejectedShape {
  Shape shape;
  Reason reason;

  bool operator==(const RejectedShape&) const = default;
};

/// A fact that nobody declared, or that follows from one, as the answer lists it.
struct Assumption {
  std::string fact;   ///< "isolation"
  std::string value;  ///< "none"
  Origin origin = Origin::Default;
  std::string from;  ///< "default", "from --isolation" …
  std::string flag;  ///< how to state it

  bool operator==(const Assumption&) const = default;
};

/// A question whose answer a shape needs (CM-01).
struct Ask {
  std::string fact;
  std::string why;
  std::string flag;

  bool operator==(const Ask&) const = default;
};

struct Flip {
  std::optional<Shape> runner_up;
  std::string rule;
  std::string fact;    ///< the single fact that would change the answer
  std::string change;  ///< "evidence E2 with a spread of at most 1.5 and a need of at most 22.4 GB"
  std::string outcome;        ///< what the answer would be
  std::int64_t replicas = 1;  ///< copies of the runner-up that carry the load together

  bool operator==(const Flip&) const = default;
};

/// What a device holds beside the weights: all that can be said of it before context and
/// concurrency are known (CM-01).
struct Potential {
  std::string device;
  int wish = 0;
  std::int64_t count = 1;  ///< devices that share one copy of the weights
  Bytes free_bytes;        ///< of one device, left for the cache
  std::int64_t tokens = 0;
  std::int64_t context_tokens = 0;  ///< of one sequence
  std::int64_t sequences = 0;
  bool fits = false;  ///< the weights do
  std::string says;

  bool operator==(const Potential&) const = default;
};

struct Advice {
  std::optional<Estimate> estimate;  ///< what the advice rests on
  std::vector<RankedShape> shapes;   ///< best first
  std::vector<RejectedShape> rejected;
  std::vector<Assumption> assumptions;
  std::vector<Ask> asks;
  std::vector<Reason> findings;
  std::optional<Flip> flip;
  Evidence evidence = Evidence::E0;
  std::optional<std::int64_t> review_after_days;
  std::string review_date;  ///< "2026-11-28"; only where somebody said what day it is
  Platform platform = Platform::Vsphere;
  /// Of the first shape's device, largest first; empty where it is never shared.
  std::vector<Neighbour> neighbours;
  /// Where pods are deployed and several wishes have an answer; in the order of the wishes.
  std::vector<WishDocument> documents;
  std::vector<Potential>
      potentials;  ///< in the order of the wishes; only where `asks` is not empty

  bool operator==(const Advice&) const = default;
};

}  // namespace gpushape::domain
