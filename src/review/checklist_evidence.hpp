// What answers a question of the checklist: a finding of a rule, a field of the Platform document,
// or a document of the deployment that shows it, each with its words and its place.
#pragma once

#include <fmt/format.h>

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "domain/review.hpp"
#include "review/deployment.hpp"

namespace gpushape::review {

/// An answer without its question; nothing where nobody tells.
struct Told {
  bool is_yes = false;
  std::string because;
  SourceSpan place;
};
using MaybeTold = std::optional<Told>;

/// What is known of a deployment.
class ChecklistEvidence {
 public:
  ChecklistEvidence(const Deployment& deployment, std::span<const domain::Finding> findings)
      : deployment_(deployment), findings_(findings) {}

  [[nodiscard]] const Deployment& all() const { return deployment_; }

  /// The first finding of one of these rules: a no.
  [[nodiscard]] MaybeTold found(std::initializer_list<std::string_view> rules) const;

  /// What the Platform document says of a field.
  template <class Field, class Test>
  [[nodiscard]] MaybeTold stated(std::string_view name, Field field, Test is_yes) const {
    for (const auto& [platform, root, facts] : deployment_.platforms) {
      const auto& value = facts.*field;
      if (!value) continue;
      return Told{is_yes(*value), fmt::format("{} of the Platform document", name), facts.place};
    }
    return std::nullopt;
  }

  [[nodiscard]] MaybeTold stated(std::string_view name,
                                 std::optional<bool> domain::PlatformFacts::* field) const {
    return stated(name, field, [](bool value) { return value; });
  }

  /// A tenant's cluster, one with nodes of its own where that is needed: a yes.
  [[nodiscard]] MaybeTold tenant_cluster(bool needs_nodes, std::string because) const;

  [[nodiscard]] static Told yes(const document::Document& document, const document::Node& node,
                                std::string because) {
    return {true, std::move(because), document.source->span(node.position())};
  }
  [[nodiscard]] static Told no(const document::Document& document, const document::Node& node,
                               std::string because) {
    return {false, std::move(because), document.source->span(node.position())};
  }

 private:
  const Deployment& deployment_;
  std::span<const domain::Finding> findings_;
};

/// The first that is told.
MaybeTold first_of(std::initializer_list<MaybeTold> told);

}  // namespace gpushape::review
