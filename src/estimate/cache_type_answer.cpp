#include "estimate/cache_type_answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "estimate/plan_parts.hpp"

namespace gpushape::estimate {
namespace {

using domain::CacheTypeFor;
using domain::EngineCacheType;
using domain::EngineVersion;
using domain::KvCacheType;

enum class Standing { Lacking, Open, Taken };

Standing standing_of(const EngineCacheType& row, EngineVersion version) {
  if (row.since && version >= *row.since) return Standing::Taken;
  if (row.after && version <= *row.after) return Standing::Lacking;
  return row.since || row.after ? Standing::Open : Standing::Taken;
}

bool keeps_latents(const domain::Model& model) {
  return std::ranges::any_of(model.layers, [](const domain::LayerRun& run) {
    const domain::LayerKind kind = run.layer.attention.kind;
    return kind == domain::LayerKind::Latent || kind == domain::LayerKind::Compressed;
  });
}

bool is_for(const EngineCacheType& row, const Request& request) {
  switch (row.models) {
    case CacheTypeFor::Dtype:
      return row.type == cache_type_of(dtype_of(request));
    case CacheTypeFor::Latents:
      return keeps_latents(*request.model);
    case CacheTypeFor::All:
      break;
  }
  return true;
}

/// Of the rows of the type that is asked for, the one that speaks for it most.
struct Answer {
  Standing standing = Standing::Lacking;
  const EngineCacheType* row = nullptr;
  bool is_of_other_models = false;  ///< the release has it, and not for this model
};

Answer answer_of(const Request& request, KvCacheType type, EngineVersion version) {
  Answer answer;
  for (const EngineCacheType& row : request.engine->cache_types) {
    const Standing standing = standing_of(row, version);
    if (row.type != type || standing == Standing::Lacking) continue;
    if (!is_for(row, request)) {
      answer.is_of_other_models |= row.models == CacheTypeFor::Latents;
    } else if (standing > answer.standing) {
      answer = {.standing = standing, .row = &row};
    }
  }
  return answer;
}

/// Nothing where no question is asked: `auto`, what the checkpoint says of itself, an engine
/// without rows.
std::optional<Answer> answer_to(const Request& request) {
  const KvCacheType type = request.workload->kv_cache_type.value;
  if (type == KvCacheType::Auto || request.engine->cache_types.empty()) return std::nullopt;
  if (request.model->checkpoint_kv_cache == type) return std::nullopt;
  return answer_of(request, type, choose_version(request).version.value);
}

std::string types_of(const Request& request, EngineVersion version) {
  std::vector<std::string_view> names = {name_of(KvCacheType::Auto)};
  for (const EngineCacheType& row : request.engine->cache_types) {
    const std::string_view name = name_of(row.type);
    const bool is_had = standing_of(row, version) != Standing::Lacking && is_for(row, request);
    if (is_had && std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

Diagnostics complaints_about_cache_type(const Request& request) {
  const std::optional<Answer> answer = answer_to(request);
  if (!answer || answer->standing != Standing::Lacking) return {};
  const EngineVersion version = choose_version(request).version.value;
  const std::string_view type = name_of(request.workload->kv_cache_type.value);
  const std::string message =
      answer->is_of_other_models
          ? fmt::format("{} is a KV cache of latents, and {} keeps none", type, request.model->id)
          : fmt::format("{} {} has no KV cache type {}", request.engine->name, to_text(version),
                        type);
  return {complaint(message, fmt::format("use one of {}", types_of(request, version)))};
}

std::string note_of_cache_type(const Request& request) {
  const std::optional<Answer> answer = answer_to(request);
  if (!answer || answer->row == nullptr) return {};
  const EngineCacheType& row = *answer->row;
  if (answer->standing == Standing::Taken) return row.note;
  std::string note =
      fmt::format("whether {} {} has the KV cache type {} is not known:", request.engine->name,
                  to_text(choose_version(request).version.value), name_of(row.type));
  if (row.after) note += fmt::format(" {} has not", to_text(*row.after));
  if (row.after && row.since) note += ',';
  if (row.since) note += fmt::format(" {} has", to_text(*row.since));
  return note;
}

}  // namespace gpushape::estimate
