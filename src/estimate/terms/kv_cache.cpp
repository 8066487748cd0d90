// The KV cache that the declared context and concurrency need: whole blocks, every request at its
// longest. Blocks that hold recurrent states are a term of their own.
#include <algorithm>
#include <cmath>

#include "estimate/terms.hpp"

namespace gpushape::estimate::terms {
namespace {

/// Of the context, what is no image; a distribution of lengths does not tell them apart.
std::int64_t text_tokens(const Situation& situation) {
  const Plan& plan = *situation.plan;
  return *plan.context_tokens - (situation.traffic ? 0 : plan.image_tokens);
}

std::int64_t blocks_of_request(const Situation& situation) {
  const std::int64_t tokens = text_tokens(situation);
  return situation.cache.held_blocks(tokens) - situation.cache.held_state_blocks(tokens);
}

/// Of one request's images, in whichever blocks of its cache they lie.
Bytes image_bytes(const Situation& situation) {
  return situation.cache.request_bytes(*situation.plan->context_tokens) -
         situation.cache.request_bytes(text_tokens(situation));
}

bool keeps_tokens(const Situation& situation) {
  return std::ranges::any_of(situation.cache.kinds,
                             [](const CacheKind& kind) { return !kind.spec.is_state; });
}

/// KV heads of the first attention that has any, on this rank.
std::int64_t kv_heads_of(const Situation& situation) {
  for (const domain::LayerRun& run : situation.plan->model->layers) {
    if (run.layer.attention.kv_heads > 0)
      return kv_heads_on_rank(run.layer.attention, situation.cache.geometry.tensor_parallel);
  }
  return 0;
}

/// Kinds in pools of their own: each holds what it needs of a request.
void describe_apart(const Situation& situation, domain::Term& term) {
  const Plan& plan = *situation.plan;
  term.formula = "requestBytes x concurrency";
  term.inputs = {
      {"requestBytes", situation.cache.request_bytes(text_tokens(situation)).count()},
      {"concurrency", *plan.concurrency},
      {"contextTokens", text_tokens(situation)},
      {"bytesPerToken", situation.cache.bytes_per_token().count()},
      {"blockTokens", situation.cache.geometry.block_tokens},
      {"layers", situation.stage.layers},
      {"kvHeads", kv_heads_of(situation)},
      {"kvCacheType", std::string(name_of(situation.cache.geometry.type))},
  };
  term.source = plan.facts.source("blockTokens");
}

/// Blocks of which kinds in pools of their own may hold a part.
double rounded(double blocks) {
  constexpr double kDigits = 1000;
  return std::round(blocks * kDigits) / kDigits;
}

/// The quantile of a sum has no closed form; its inputs say what went into it.
void describe_joint_cache(const Situation& situation, domain::Term& term) {
  const Plan& plan = *situation.plan;
  const CacheTraffic& traffic = *situation.traffic;
  const bool is_joint = traffic.joint.has_value();
  term.formula =
      is_joint
          ? "(sharedBlocks + quantile(sum over the sequences of blocksOf(length) - sharedBlocks, "
            "serviceLevel) + stepBlocks) x blockBytes"
          : "(sharedBlocks + concurrency x (blocksPerRequest - sharedBlocks)) x blockBytes";
  term.inputs = {{"concurrency", *plan.concurrency}};
  if (is_joint) {
    const domain::InFlight& in_flight = *plan.in_flight;
    term.inputs.push_back({"serviceLevel", in_flight.service_level});
    term.inputs.push_back({"lengths", std::string(name_of(in_flight.lengths.basis))});
    term.inputs.push_back({"blocks", rounded(traffic.level_blocks.expected)});
    term.inputs.push_back({"blocksAtFullContext", rounded(traffic.worst_blocks)});
    term.inputs.push_back({"stepBlocks", rounded(traffic.fixed_blocks - traffic.shared_blocks)});
  } else {
    term.inputs.push_back(
        {"blocksPerRequest", rounded(token_blocks(situation.cache, *plan.context_tokens))});
  }
  term.inputs.push_back({"sharedBlocks", rounded(traffic.shared_blocks)});
  term.inputs.push_back({"blockBytes", situation.cache.block_bytes.count()});
  term.inputs.push_back({"contextTokens", *plan.context_tokens});
  term.inputs.push_back({"blockTokens", situation.cache.least_block_tokens()});
  term.source = plan.facts.source("blockTokens");
  if (is_joint && !plan.in_flight->lengths.from.empty())
    term.source += "; lengths: " + plan.in_flight->lengths.from;
}

}  // namespace

bool kv_cache_is_asked_for(const Situation& situation) {
  return situation.plan->context_tokens.has_value() && situation.plan->concurrency.has_value() &&
         keeps_tokens(situation);
}

Spread kv_cache_bytes(const Situation& situation) {
  const Plan& plan = *situation.plan;
  if (situation.traffic)
    return situation.traffic->level_blocks *
           static_cast<double>(situation.cache.block_bytes.count());
  return certain(
      static_cast<double>(*plan.concurrency) *
      static_cast<double>(situation.cache.request_bytes(text_tokens(situation)).count()));
}

void describe_kv_cache(const Situation& situation, domain::Term& term) {
  const Plan& plan = *situation.plan;
  if (situation.traffic) return describe_joint_cache(situation, term);
  if (situation.cache.geometry.lies_apart) return describe_apart(situation, term);
  term.formula = "blocksPerRequest x concurrency x blockBytes";
  term.inputs = {
      {"blocksPerRequest", blocks_of_request(situation)},
      {"concurrency", *plan.concurrency},
      {"blockBytes", situation.cache.block_bytes.count()},
      {"contextTokens", text_tokens(situation)},
      {"blockTokens", situation.cache.least_block_tokens()},
      {"groups", situation.cache.groups()},
      {"layersPerGroup", situation.cache.group_layers},
      {"layers", situation.stage.layers},
      {"kvHeads", kv_heads_of(situation)},
      {"kvCacheType", std::string(name_of(situation.cache.geometry.type))},
  };
  term.source = plan.facts.source("blockTokens");
}

bool images_are_asked_for(const Situation& situation) {
  return situation.plan->image_tokens > 0 && !situation.traffic && kv_cache_is_asked_for(situation);
}

Spread image_cache_bytes(const Situation& situation) {
  return certain(static_cast<double>(*situation.plan->concurrency) *
                 static_cast<double>(image_bytes(situation).count()));
}

void describe_image_cache(const Situation& situation, domain::Term& term) {
  const Plan& plan = *situation.plan;
  term.formula = "imageBytesPerRequest x concurrency";
  term.inputs = {
      {"imageBytesPerRequest", image_bytes(situation).count()},
      {"concurrency", *plan.concurrency},
      {"imageTokens", plan.image_tokens},
      {"blockTokens", situation.cache.least_block_tokens()},
  };
  term.source = plan.facts.source("blockTokens");
}

}  // namespace gpushape::estimate::terms
