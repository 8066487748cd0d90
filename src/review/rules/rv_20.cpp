// RV-20: isolation covers nodes, network and storage, on every site (vCluster, How to Evaluate GPU
// Infrastructure: Buyer Evaluation Checklist, isolation and longevity). Shared nodes are RV-15's.
#include <fmt/format.h>

#include "review/rules/functions.hpp"
#include "review/rules/tenancy.hpp"

namespace gpushape::review::rules_of {

void rv_20(const Deployment& deployment, Report& report) {
  using domain::PlatformFacts;
  const auto shared = [&](std::string_view field,
                          std::optional<domain::Separation> PlatformFacts::* fact) {
    each_platform(
        deployment, report, field,
        [fact](const PlatformFacts& facts) { return facts.*fact == domain::Separation::Shared; },
        [field](const PlatformFacts& facts) {
          return Remark{.message = fmt::format("{} share their {}", teams_text(facts), field)};
        });
  };
  shared("network", &PlatformFacts::network);
  shared("storage", &PlatformFacts::storage);
  const auto differs = [&](std::string_view field, std::optional<bool> PlatformFacts::* fact,
                           std::string_view what) {
    each_platform(
        deployment, report, field,
        [fact](const PlatformFacts& facts) { return facts.*fact == false; },
        [what](const PlatformFacts&) {
          return Remark{.message = fmt::format("{} from site to site", what)};
        });
  };
  differs("sameOnAllSites", &PlatformFacts::is_same_everywhere, "the platform differs");
  differs("sameIsolationOnAllSites", &PlatformFacts::isolation_is_same_everywhere,
          "tenancy and isolation differ");
}

}  // namespace gpushape::review::rules_of
