// KB-03: a selector compiles. The API server refuses the claim else (resource.k8s.io validation,
// k8s.io/dynamic-resource-allocation/cel).
#include <fmt/format.h>

#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

namespace {

void check_compiles(const document::Document& document, const Located<std::string>& expression,
                    std::string_view what, Report& report) {
  const auto selector = cel::Selector::compile(expression.value);
  if (selector) return;
  const std::string_view text = expression.value;
  const std::string_view rest = text.substr(std::min(selector.error().offset, text.size()));
  report.add(document, *expression.node,
             {.message = fmt::format("the selector of {} does not compile{}: {}", what,
                                     rest.empty() || rest.size() == text.size()
                                         ? std::string()
                                         : fmt::format(" at '{}'", rest.substr(0, 30)),
                                     selector.error().message)});
}

}  // namespace

void kb_03(const Deployment& deployment, Report& report) {
  each_request(deployment, [&](const Claim& claim, const ClaimRequest& request) {
    for (const Located<std::string>& expression : request.selectors) {
      check_compiles(*claim.document, expression, fmt::format("request '{}'", request.name),
                     report);
    }
  });
  for (const DeviceClass& row : deployment.device_classes) {
    for (const Located<std::string>& expression : row.selectors) {
      check_compiles(*row.document, expression, fmt::format("DeviceClass {}", row.name), report);
    }
  }
}

}  // namespace gpushape::review::rules_of
