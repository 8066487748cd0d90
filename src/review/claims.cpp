#include "review/claims.hpp"

#include <algorithm>
#include <array>

#include "review/readers/pod_parts.hpp"

namespace gpushape::review {

using document::Node;

namespace {

constexpr std::string_view kResourceGroup = "resource.k8s.io/";

struct MeaningRow {
  std::string_view name;
  ClassMeaning meaning;
};
// NVIDIA dra-driver-nvidia-gpu, deployments/helm: the classes it installs; AMD's
// k8s-gpu-dra-driver.
constexpr auto kClasses = std::to_array<MeaningRow>({
    {"gpu.nvidia.com", ClassMeaning::WholeGpu},
    {"mig.nvidia.com", ClassMeaning::MigInstance},
    {"vfio.gpu.nvidia.com", ClassMeaning::Passthrough},
    {"compute-domain-daemon.nvidia.com", ClassMeaning::ComputeDomain},
    {"compute-domain-default-channel.nvidia.com", ClassMeaning::ComputeDomain},
    {"imex.nvidia.com", ClassMeaning::ComputeDomain},  // before there were compute domains
    {"gpu.amd.com", ClassMeaning::WholeGpu},
});

std::vector<std::string> texts_of(const Node* list) {
  std::vector<std::string> texts;
  if (list == nullptr) return texts;
  for (const Node& item : list->items()) texts.push_back(word_of(item));
  return texts;
}

std::vector<Located<std::string>> selectors_of(const Node& request) {
  std::vector<Located<std::string>> found;
  const Node* list = request.find("selectors");
  if (list == nullptr) return found;
  for (const Node& selector : list->items()) {
    if (const auto expression = text_at(selector, {"cel", "expression"})) {
      found.push_back(*expression);
    }
  }
  return found;
}

/// The fields that a request, an alternative and the flat form share.
void read_device_fields(const Node& fields, ClaimRequest& request) {
  request.device_class = text_at(fields, {"deviceClassName"});
  request.selectors = selectors_of(fields);
  request.takes_all = word_at(fields, {"allocationMode"}) == "All";
  if (const auto count = integer_at(fields, {"count"})) {
    request.count = std::clamp<std::int64_t>(count->value, 0, 1'000'000);
    request.count_node = count->node;
  }
  request.admin_access = flag_at(fields, {"adminAccess"});
  request.tolerations = fields.find("tolerations");
  request.capacity = amounts_of(at(fields, {"capacity", "requests"}));
}

ClaimRequest read_request(const Node& node) {
  ClaimRequest request;
  request.node = &node;
  request.name = word_at(node, {"name"});
  request.exactly = node.find("exactly");
  request.first_available = node.find("firstAvailable");
  if (request.exactly != nullptr) {
    read_device_fields(*request.exactly, request);
  } else if (request.first_available != nullptr) {
    for (const Node& each : request.first_available->items()) {
      ClaimRequest alternative;
      alternative.node = &each;
      alternative.name = word_at(each, {"name"});
      read_device_fields(each, alternative);
      request.alternatives.push_back(std::move(alternative));
    }
  } else if (node.find("deviceClassName") != nullptr) {
    request.is_flat = true;
    read_device_fields(node, request);
  }
  return request;
}

}  // namespace

const Node& Claim::place() const {
  const Node* named = at(*root, {"metadata", "name"});
  return named == nullptr ? *root : *named;
}

void read_claim_devices(const Node& devices, Claim& claim) {
  if (const Node* requests = devices.find("requests")) {
    for (const Node& each : requests->items()) claim.requests.push_back(read_request(each));
  }
  if (const Node* constraints = devices.find("constraints")) {
    for (const Node& each : constraints->items()) {
      claim.constraints.push_back({&each, texts_of(each.find("requests")),
                                   text_at(each, {"matchAttribute"}),
                                   text_at(each, {"distinctAttribute"})});
    }
  }
  const Node* configs = devices.find("config");
  if (configs == nullptr) return;
  for (const Node& each : configs->items()) {
    ClaimConfig config;
    config.node = &each;
    config.requests = texts_of(each.find("requests"));
    config.driver = word_at(each, {"opaque", "driver"});
    config.parameters = at(each, {"opaque", "parameters"});
    if (config.parameters != nullptr) {
      config.kind = word_at(*config.parameters, {"kind"});
      config.strategy = text_at(*config.parameters, {"sharing", "strategy"});
    }
    claim.configs.push_back(std::move(config));
  }
}

std::optional<Claim> read_claim(const document::Document& document, const Node& root) {
  const std::string api = word_at(root, {"apiVersion"});
  const std::string kind = word_at(root, {"kind"});
  if (!api.starts_with(kResourceGroup)) return std::nullopt;
  if (kind != "ResourceClaim" && kind != "ResourceClaimTemplate") return std::nullopt;
  Claim claim;
  claim.document = &document;
  claim.root = &root;
  claim.is_template = kind == "ResourceClaimTemplate";
  claim.version = api.substr(kResourceGroup.size());
  claim.name = word_at(root, {"metadata", "name"});
  claim.name_space = word_at(root, {"metadata", "namespace"});
  const Node* inner = claim.is_template ? root.find("spec") : &root;
  claim.labels = named_texts(at(inner, {"metadata", "labels"}));
  claim.annotations = named_texts(at(inner, {"metadata", "annotations"}));
  if (const Node* devices = at(inner, {"spec", "devices"})) read_claim_devices(*devices, claim);
  return claim;
}

std::optional<DeviceClass> read_device_class(const document::Document& document, const Node& root) {
  const std::string api = word_at(root, {"apiVersion"});
  if (!api.starts_with(kResourceGroup) || word_at(root, {"kind"}) != "DeviceClass") {
    return std::nullopt;
  }
  DeviceClass found;
  found.document = &document;
  found.root = &root;
  found.version = api.substr(kResourceGroup.size());
  found.name = word_at(root, {"metadata", "name"});
  if (const Node* spec = root.find("spec")) found.selectors = selectors_of(*spec);
  found.extended_resource = text_at(root, {"spec", "extendedResourceName"});
  return found;
}

ClassMeaning meaning_of_class(std::string_view device_class) {
  const auto row = std::ranges::find(kClasses, device_class, &MeaningRow::name);
  return row == kClasses.end() ? ClassMeaning::Unknown : row->meaning;
}

}  // namespace gpushape::review
