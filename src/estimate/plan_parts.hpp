// Parts of a plan that engines share: the version whose facts hold, what a `when` asks about, and
// what follows from the request whatever the engine. An engine's own file takes its defaults from
// there on.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "domain/engine.hpp"
#include "domain/fact.hpp"
#include "estimate/plan.hpp"

namespace gpushape::estimate {

struct VersionChoice {
  domain::Fact<domain::EngineVersion> version;
  domain::EngineVersion facts_of;
  std::string note;  ///< empty where there are facts of the version itself
};

/// The version asked for, or the newest that there are facts of; where there are none of the one
/// asked for, those of the nearest older one.
VersionChoice choose_version(const Request& request);

/// What is known of the request before defaults are taken; the weights' conditions are not.
Conditions conditions_of(const Request& request);
/// How the linear layers are stored.
void take_weights(const WeightsChoice& weights, Conditions& conditions);

/// What follows for the weights from how the engine is started: for text alone, and whether this
/// version leaves out the head of a decoder that serves as an encoder.
void take_start(const Request& request, const Facts& facts, WeightsLayout& layout);
/// Of as many adapters as are asked for and as wide, beside the modules that they name.
AdapterSlots asked_slots(const Request& request);
/// The draft model's weights, held as the large model's are where nothing else is said.
PlannedDraft planned_draft(const Request& request, const Plan& plan);
/// A draft that rotates as its target does has no table of its own: engines keep one for each rope,
/// of whichever model. Source: vLLM model_executor/layers/rotary_embedding/__init__.py, get_rope,
/// which SGLang's layers/rotary_embedding.py has, too.
void share_rotary_tables(Plan& plan);

/// A setting as it came, or what the engine takes, and `from` where.
template <class T>
domain::Fact<T> taken_setting(const std::optional<domain::Fact<T>>& asked, T taken,
                              const std::string& from) {
  return asked ? *asked : domain::Fact<T>{taken, domain::Origin::Default, from};
}
std::int64_t value_or_one(const std::optional<domain::Fact<std::int64_t>>& fact);
/// What the kernels of this version and GPU want of experts' sizes.
ExpertPadding expert_padding(const Facts& facts);
/// Of the GPU where it is given, otherwise the engine's assumption.
Spread multiprocessors_of(const Request& request, const Facts& facts);
/// What every engine takes of the load as it stands: context, concurrency, the longest request and
/// a pool that was given. For EngineRow::settle.
void take_load(const Request& request, Plan& plan);
/// What follows from the request whatever the engine: model, facts, parallelism, context and
/// concurrency, the weights' layout. Batch, utilization, cache and stages are the engine's.
ResolvedPlan begin_plan(const Request& request, const VersionChoice& version, WeightsChoice weights,
                        const Conditions& conditions);

/// The names of `needed` that the engine has no fact of, as one complaint; nothing where it has
/// all.
Diagnostics missing_facts(const Request& request, const Plan& plan, domain::EngineVersion version,
                          std::span<const NameKey> needed);

}  // namespace gpushape::estimate
