// A model of the built-in catalog that proposes tokens for another one.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <memory>
#include <string>

#include "domain/workload.hpp"
#include "support/built_in_catalog.hpp"

namespace gpushape::example {

/// `workload` with the draft of that id; `tokens` in one step, 0 for what the engine takes.
inline domain::Workload drafting(domain::Workload workload, const std::string& id,
                                 std::int64_t tokens) {
  Result<domain::Model> draft = built_in_catalog().find(id);
  REQUIRE(draft);
  workload.engine.draft_model =
      domain::DraftModel{.name = {id, domain::Origin::Flag, "--draft-model"},
                         .model = std::make_shared<const domain::Model>(*std::move(draft))};
  if (tokens > 0)
    workload.engine.draft_tokens =
        domain::Fact<std::int64_t>{tokens, domain::Origin::Flag, "--draft-tokens"};
  return workload;
}

}  // namespace gpushape::example
