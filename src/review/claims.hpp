// Dynamic Resource Allocation as rules read it: claims, their requests, device classes. All served
// versions of resource.k8s.io come out in one form; what tells them apart is kept.
//
// Source: Kubernetes, resource.k8s.io v1 to v1beta1; NVIDIA's DRA driver, resource.nvidia.com.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "review/fields.hpp"

namespace gpushape::review {

/// `resources`, `capacity.requests`: one amount of something.
struct ResourceAmount {
  std::string name;                      ///< "nvidia.com/gpu"
  std::optional<double> amount;          ///< base units; empty where it is no quantity
  const document::Node* node = nullptr;  ///< of the amount
  document::Position name_position;
};

/// One request for devices, or one alternative of `firstAvailable`.
struct ClaimRequest {
  const document::Node* node = nullptr;
  std::string name;
  std::optional<Located<std::string>> device_class;
  std::vector<Located<std::string>> selectors;  ///< CEL expressions
  bool takes_all = false;                       ///< allocationMode All
  std::int64_t count = 1;
  const document::Node* count_node = nullptr;
  std::vector<ResourceAmount> capacity;  ///< capacity.requests
  bool is_flat = false;                  ///< the v1beta1 form: deviceClassName beside the name
  std::optional<Located<bool>> admin_access;
  const document::Node* tolerations = nullptr;
  const document::Node* exactly = nullptr;          ///< the field; nullptr where there is none
  const document::Node* first_available = nullptr;  ///< the field; nullptr where there is none
  std::vector<ClaimRequest> alternatives;           ///< of firstAvailable, in order
};

struct ClaimConstraint {
  const document::Node* node = nullptr;
  std::vector<std::string> requests;  ///< empty: all
  std::optional<Located<std::string>> match_attribute;
  std::optional<Located<std::string>> distinct_attribute;
};

struct ClaimConfig {
  const document::Node* node = nullptr;
  std::vector<std::string> requests;             ///< empty: all
  std::string driver;                            ///< "gpu.nvidia.com"
  const document::Node* parameters = nullptr;    ///< opaque; may be nullptr
  std::string kind;                              ///< "MigDeviceConfig"; empty where it has none
  std::optional<Located<std::string>> strategy;  ///< sharing.strategy: "TimeSlicing", "MPS"
};

/// A ResourceClaim or a ResourceClaimTemplate.
struct Claim {
  const document::Document* document = nullptr;
  const document::Node* root = nullptr;
  bool is_template = false;
  std::string version;  ///< "v1", "v1beta1"
  std::string name;
  std::string name_space;
  std::vector<ClaimRequest> requests;
  std::vector<ClaimConstraint> constraints;
  std::vector<ClaimConfig> configs;
  std::vector<NamedText> labels;       ///< of the claims
  std::vector<NamedText> annotations;  ///< of the claims

  /// Where a finding about the whole points: its name, or the document.
  [[nodiscard]] const document::Node& place() const;
};

struct DeviceClass {
  const document::Document* document = nullptr;
  const document::Node* root = nullptr;
  std::string version;
  std::string name;
  std::vector<Located<std::string>> selectors;
  std::optional<Located<std::string>> extended_resource;  ///< spec.extendedResourceName
};

/// Nothing where `root` is of another kind.
std::optional<Claim> read_claim(const document::Document& document, const document::Node& root);
std::optional<DeviceClass> read_device_class(const document::Document& document,
                                             const document::Node& root);
/// A `devices` block, wherever a serving kind carries one.
void read_claim_devices(const document::Node& devices, Claim& claim);

/// The classes that NVIDIA's and AMD's drivers install, by what their devices are.
enum class ClassMeaning { WholeGpu, MigInstance, Passthrough, ComputeDomain, Unknown };
ClassMeaning meaning_of_class(std::string_view device_class);

}  // namespace gpushape::review
