#include "schema/platform_document.hpp"

#include <utility>

#include "document/reader.hpp"
#include "schema/header.hpp"

namespace gpushape::schema {

using document::Reader;
using domain::PlatformFacts;

namespace {

constexpr document::IntegerBounds kCounts{.least = 1, .most = 1'000'000};
constexpr document::NumberBounds kMinutes{.least = 0, .most = 10'000'000};

std::vector<domain::SafetyBasis> read_bases(Reader& reader) {
  std::vector<domain::SafetyBasis> bases;
  for (const std::string& word : reader.texts("safetyRestsOn")) {
    if (const auto basis = value_of<domain::SafetyBasis>(word)) {
      bases.push_back(*basis);
    } else {
      reader.complain(std::string_view("safetyRestsOn"),
                      "safetyRestsOn: '" + word + "' is none of " +
                          "namespaces, quotas, admission, architecture");
    }
  }
  return bases;
}

}  // namespace

Result<PlatformFacts> read_platform(const document::Document& document) {
  Diagnostics diagnostics;
  Reader reader(document.root, *document.source, diagnostics, "Platform");
  PlatformFacts facts;
  if (!read_header(reader, "Platform")) return failure(std::move(diagnostics));
  facts.place = document.source->span(document.root.position());
  facts.name = reader.filled_text("name").value_or("");
  facts.control_plane = reader.choice<domain::ControlPlane>("controlPlane");
  facts.nodes = reader.choice<domain::NodeTenancy>("nodes");
  facts.network = reader.choice<domain::Separation>("network");
  facts.storage = reader.choice<domain::Separation>("storage");
  facts.safety_rests_on = read_bases(reader);
  facts.utilization_scope = reader.choice<domain::UtilizationScope>("utilizationScope");
  facts.detects_idle = reader.boolean("idleDetection");
  facts.idle_action = reader.choice<domain::IdleAction>("idleAction");
  facts.environment_minutes = reader.number("environmentMinutes", kMinutes);
  facts.has_self_service = reader.boolean("selfService");
  facts.is_ephemeral_by_default = reader.boolean("ephemeralByDefault");
  facts.clusters = reader.integer("clusters", kCounts);
  facts.teams = reader.integer("teams", kCounts);
  facts.teams_choose_versions = reader.boolean("teamsChooseVersions");
  facts.upgrades_are_separate = reader.boolean("upgradesAreSeparate");
  facts.standards = reader.choice<domain::Standards>("standards");
  facts.is_same_everywhere = reader.boolean("sameOnAllSites");
  facts.isolation_is_same_everywhere = reader.boolean("sameIsolationOnAllSites");
  facts.assignment_policy = reader.choice<domain::AssignmentPolicy>("assignmentPolicy");
  facts.expects_restart = reader.boolean("expectsRestart");
  reader.finish();
  if (!diagnostics.empty()) return failure(std::move(diagnostics));
  return facts;
}

}  // namespace gpushape::schema
