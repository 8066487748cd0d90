// Documents under review: what was understood of them, and what the rules say.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "document/text_format.hpp"
#include "review/deployment.hpp"
#include "review/read_input.hpp"
#include "review/review.hpp"
#include "support/built_in_catalog.hpp"
#include "support/built_in_profiles.hpp"

namespace gpushape::example {

inline const std::vector<domain::Device>& reviewed_devices() {
  static const std::vector<domain::Device> kDevices = built_in_profiles().all().value();
  return kDevices;
}

class Reviewed {
 public:
  explicit Reviewed(const std::string& text, const char* file = "deploy.yaml") { add(text, file); }

  Reviewed(const Reviewed&) = delete;  // the deployment points into the documents
  Reviewed& operator=(const Reviewed&) = delete;

  void add(const std::string& text, const char* file) {
    auto read = review::read_input(text, file);
    REQUIRE(read);
    for (document::Document& document : *read) documents_.push_back(std::move(document));
    request_.documents = documents_;
    request_.devices = reviewed_devices();
    request_.catalog = &built_in_catalog();
    deployment = review::read_deployment(request_);
  }

  [[nodiscard]] const review::PodRequest& pod(std::size_t at = 0) const {
    REQUIRE(at < deployment.pods.size());
    return deployment.pods[at];
  }
  [[nodiscard]] const review::EngineCall& call(std::size_t at = 0) const {
    const review::Container* container = pod(at).engine_container();
    REQUIRE(container != nullptr);
    return *container->engine;
  }
  [[nodiscard]] std::string value(std::string_view setting, std::size_t at = 0) const {
    const review::EngineSetting* row = call(at).find(setting);
    return row == nullptr ? std::string() : row->value;
  }
  [[nodiscard]] const review::Sizing& sizing(std::size_t at = 0) const {
    return deployment.sizing(pod(at));
  }
  [[nodiscard]] std::string model(std::size_t at = 0) const {
    const review::Sizing& found = sizing(at);
    return found.model ? found.model->id : std::string();
  }
  /// Whether that fact had to be assumed.
  [[nodiscard]] bool assumes(std::string_view fact, std::size_t at = 0) const {
    return std::ranges::any_of(sizing(at).assumptions,
                               [&](const domain::Assumption& row) { return row.fact == fact; });
  }
  /// "MF-01 12:7" for every finding, in order.
  [[nodiscard]] std::vector<std::string> findings() const {
    std::vector<std::string> rows;
    for (const domain::Finding& finding : review::review(request_)) {
      rows.push_back(std::string(finding.rule) + " " + std::to_string(finding.place.line) + ":" +
                     std::to_string(finding.place.column));
    }
    return rows;
  }
  /// The first finding of that rule; empty: there is none.
  [[nodiscard]] std::string place_of(std::string_view rule) const {
    for (const std::string& row : findings()) {
      if (row.starts_with(rule)) return row.substr(rule.size() + 1);
    }
    return {};
  }
  [[nodiscard]] std::size_t unknown_kinds() const {
    return review::review_documents(request_).unknown_kinds.size();
  }

  review::Deployment deployment;

 private:
  std::vector<document::Document> documents_;
  review::ReviewRequest request_;
};

/// A review that is told of a workload beside the text.
inline review::ReviewRequest told_of(const domain::Workload* workload) {
  review::ReviewRequest request;
  request.workload = workload;
  return request;
}

/// Findings of that rule alone; `request` says what is told beside the text, "manifest.yaml".
inline std::vector<domain::Finding> found_by(const std::string& rule, const std::string& text,
                                             review::ReviewRequest request = {}) {
  const auto documents = document::read_any(text, "manifest.yaml");
  REQUIRE(documents);
  request.documents = *documents;
  request.devices = reviewed_devices();
  request.catalog = &built_in_catalog();
  request.only = {rule};
  return review::review(request);
}

}  // namespace gpushape::example
