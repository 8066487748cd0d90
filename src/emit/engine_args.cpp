#include "emit/engine_args.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>
#include <utility>

#include "domain/engine_command.hpp"
#include "emit/engine_settings.hpp"
#include "emit/manifest.hpp"

namespace gpushape::emit {

using document::Node;
using domain::EngineCommand;
using domain::EngineFlagName;
using domain::RankedShape;

namespace {

bool is_known_to(const EngineFlagName& flag, const std::optional<domain::EngineVersion>& version) {
  if (!version) return true;
  return (!flag.since || *flag.since <= *version) && (!flag.before || *version < *flag.before);
}

/// "v{version}" with three parts: "v0.26.0".
std::string tag_of(const EngineCommand& command, const std::string& version) {
  const auto parsed = domain::engine_version(version);
  const std::string whole =
      parsed ? fmt::format("{}.{}.{}", parsed->major, parsed->minor, parsed->patch) : version;
  std::string tag = command.tag;
  if (const std::size_t at = tag.find("{version}"); at != std::string::npos)
    tag.replace(at, std::string_view("{version}").size(), whole);
  return tag;
}

}  // namespace

bool is_local_model(std::string_view model) {
  return model.starts_with('/') || model.starts_with('.') || model.starts_with('~') ||
         model.ends_with(".json") || model.ends_with(".gguf") || model.ends_with(".safetensors") ||
         std::ranges::count(model, '/') != 1;
}

Result<EngineStart> engine_start(const EmitRequest& request, const RankedShape& picked) {
  EngineStart start;
  const domain::ResourceContract& contract = picked.contract;
  if (contract.model.empty()) return start;
  if (request.engine_command == nullptr || request.engine_command->engine != contract.engine) {
    return failure(fmt::format("no list of the flags of engine {} is kept", contract.engine),
                   "`-o contract` and `-o resource-claim` can, or ask for --engine vllm");
  }
  const Sized sized{request, picked, *request.engine_command};
  const EngineCommand& command = *request.engine_command;
  start.engine = command.engine;
  start.image = fmt::format("{}:{}", command.image, tag_of(command, contract.engine_version));
  start.command = command.command;
  start.port = command.port;
  start.health_path = command.health_path;
  const auto version = domain::engine_version(contract.engine_version);
  const auto take = [&](const std::vector<EngineFlagName>& names, std::vector<EngineFlag>& into,
                        std::string_view unset) -> Diagnostics {
    for (const EngineFlagName& flag : names) {
      Result<std::optional<Setting>> setting = setting_of(sized, flag);
      if (!setting) return std::move(setting.error());
      if (!*setting) continue;
      if (!is_known_to(flag, version)) {
        start.notes.push_back(fmt::format("{} {} does not know {}; {} is not told to it",
                                          command.engine, contract.engine_version, flag.flag,
                                          flag.setting));
        continue;
      }
      if ((*setting)->value.empty()) (*setting)->value = unset;
      into.push_back(
          {flag.setting, flag.flag, std::move((*setting)->value), std::move((*setting)->why)});
    }
    return {};
  };
  if (Diagnostics faults = take(command.flags, start.flags, ""); !faults.empty())
    return failure(std::move(faults));
  // A key that stands for a switch switches off what is on by itself.
  if (Diagnostics faults = take(command.configuration, start.configuration, "false");
      !faults.empty())
    return failure(std::move(faults));
  if (!start.configuration.empty()) {
    start.flags.push_back({"configuration", command.configuration_flag,
                           std::string(kConfigurationFile), "what has no flag stands in a file"});
  }
  const bool has_repository = std::ranges::any_of(
      start.flags, [](const EngineFlag& flag) { return flag.setting == "repository"; });
  if (has_repository) {
    start.notes.push_back(
        fmt::format("{}: --hf-repo takes a repository of GGUF files; put yours of {} in",
                    command.engine, contract.model));
  }
  std::ranges::move(untold_settings(sized), std::back_inserter(start.notes));
  return start;
}

namespace {

/// A number or a truth value as such, anything else as text.
Node scalar(const std::string& text) {
  if (text == "true" || text == "false") return Node(text == "true");
  std::int64_t number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && rest == text.data() + text.size() ? Node(number) : Node(text);
}

}  // namespace

Node configuration_of(const EngineStart& start, const Commenter& comment) {
  const auto section_of = [](const EngineFlag& row) {
    return row.name.substr(0, row.name.find('.'));
  };
  Node root = Node::mapping();
  for (const EngineFlag& first : start.configuration) {
    const std::string section = section_of(first);
    if (root.find(section) != nullptr) continue;
    Node rows = Node::mapping();
    for (const EngineFlag& row : start.configuration) {
      if (section_of(row) != section) continue;
      rows.set(row.name.substr(section.size() + 1), comment.behind(scalar(row.value), row.why));
    }
    root.set(section, std::move(rows));
  }
  return root;
}

std::vector<std::string> arguments_without(const EngineStart& start,
                                           std::initializer_list<std::string_view> settings) {
  const bool has_equals = start.engine != "llama.cpp";  // its parser reads words only
  std::vector<std::string> words;
  for (const EngineFlag& flag : start.flags) {
    if (std::ranges::find(settings, flag.setting) != settings.end()) continue;
    if (flag.name.empty()) {
      words.push_back(flag.value);
    } else if (flag.value.empty()) {
      words.push_back(flag.name);
    } else if (has_equals) {
      words.push_back(flag.name + "=" + flag.value);
    } else {
      words.push_back(flag.name);
      words.push_back(flag.value);
    }
  }
  return words;
}

std::vector<std::string> arguments_of(const EngineStart& start) {
  return arguments_without(start, {});
}

}  // namespace gpushape::emit
