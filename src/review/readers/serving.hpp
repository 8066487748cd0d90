// What serving kinds and charts have in common: they start an engine by fields of their own, which
// become the words that the engine would be started with.
#pragma once

#include <span>
#include <string_view>

#include "review/deployment.hpp"
#include "review/readers/pod_parts.hpp"

namespace gpushape::review {

constexpr std::int64_t kMostServingReplicas = 1'000'000;  // ours: what no file means

/// A field and the flag it stands for.
struct FieldFlag {
  std::string_view field;
  std::string_view flag;
};

/// The number below `path` of `holder`, within bounds.
void take_serving_replicas(const document::Node& holder, Path path, PodRequest& pod);
/// nullptr where no container has that name.
Container* find_container(PodRequest& pod, std::string_view name);
/// The container's own words behind those of the fields; a command of its own replaces what the
/// kind would start.
void put_command(const document::Document& document, Command words, Container& container);

/// The words that name KServe's mounted model, by the name or address that it came under.
void name_mounted_model(std::string_view name, Container& container);

/// "vllm serve MODEL" as words of fields; `model` may be nullptr, and an hf:// in front is taken
/// off.
Command begin_command(std::string_view engine, const document::Node* model,
                      const document::Node& place);
/// The fields that are there, as "--flag=value"; a switch is written where it is true.
void add_fields(const document::Node* holder, std::span<const FieldFlag> flags, Command& words);
/// The words of the environment variables that engines and operators append to their command line.
void add_environment(const document::Document& document, const Container& container,
                     Command& words);
/// A memory volume at /dev/shm that the kind makes itself; `bytes` may stand nowhere.
void add_shared_memory(const document::Node& place, std::optional<Located<double>> bytes,
                       PodRequest& pod);

}  // namespace gpushape::review
