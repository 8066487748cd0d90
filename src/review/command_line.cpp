#include "review/command_line.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "catalog/catalog.hpp"
#include "review/engine_starts.hpp"
#include "review/engine_variables.hpp"

namespace gpushape::review {

namespace {

document::Position part_of(document::Position position, std::size_t skipped) {
  if (position.column > 0) position.column += static_cast<int>(skipped);
  position.length = std::max(1, position.length - static_cast<int>(skipped));
  return position;
}

/// "-1" and "-0.5" are values.
bool is_flag(std::string_view word) {
  if (word.size() < 2 || word.front() != '-') return false;
  const bool is_number = (word[1] >= '0' && word[1] <= '9') || word[1] == '.';
  return !is_number;
}

std::string dashed(std::string flag) {
  std::ranges::replace(flag, '_', '-');
  return flag;
}

class CallReader {
 public:
  CallReader(const EngineWords& words, EngineCall& call) : words_(words), call_(call) {}

  void read(const Command& command, std::size_t from, bool has_positional_model,
            std::string_view model_flag = {}) {
    model_flag_ = model_flag;
    for (std::size_t at = from; at < command.size(); ++at) {
      const Word& word = command[at];
      if (!is_flag(word.text)) {
        if (!has_positional_model || !call_.model.empty()) continue;
        add({.setting = "model",
             .flag = {},
             .value = word.text,
             .position = word.position,
             .value_position = word.position,
             .is_field = word.is_field});
        continue;
      }
      at += read_flag(command, at);
    }
  }

 private:
  /// How many words beside the flag's own were taken.
  std::size_t read_flag(const Command& command, std::size_t at) {
    const Word& word = command[at];
    const std::size_t equals = word.text.find('=');
    const std::string flag = word.text.substr(0, equals);
    auto canonical = words_.canonical(flag);
    if (!model_flag_.empty() && dashed(flag) == model_flag_) canonical = "--model";
    EngineSetting setting{.setting = std::string(canonical ? words_.setting_of(*canonical) : ""),
                          .flag = flag,
                          .value = {},
                          .position = word.position,
                          .value_position = word.position,
                          .is_field = word.is_field};
    std::size_t taken = 0;
    if (equals != std::string::npos) {
      setting.value = word.text.substr(equals + 1);
      if (!word.is_field) setting.value_position = part_of(word.position, equals + 1);
    } else if (at + 1 < command.size() && !is_flag(command[at + 1].text) &&
               !command[at + 1].is_field && !(canonical && words_.is_switch(*canonical))) {
      setting.value = command[at + 1].text;
      setting.value_position = command[at + 1].position;
      taken = 1;
    }
    add(std::move(setting));
    return taken;
  }

  void add(EngineSetting setting) {
    const bool names_model =
        setting.setting == "model" || setting.setting == "file" || setting.setting == "repository";
    if (names_model && !setting.value.empty()) {
      call_.model = setting.value;
      call_.model_position = setting.value_position;
    }
    call_.settings.push_back(std::move(setting));
  }

  const EngineWords& words_;
  EngineCall& call_;
  std::string_view model_flag_;
};

EngineWords load_words(std::string_view engine) {
  return {catalog::Catalog::engine_command(engine).value_or(domain::EngineCommand{}),
          catalog::Catalog::engine_arguments(engine).value_or(domain::EngineArguments{})};
}

bool has_name(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

std::vector<std::string> EngineWords::names() const {
  std::vector<std::string> all = arguments.values;
  all.insert(all.end(), arguments.switches.begin(), arguments.switches.end());
  for (const domain::EngineFlagName& flag : command.flags) {
    if (!flag.flag.empty() && !has_name(all, flag.flag)) all.push_back(flag.flag);
  }
  return all;
}

std::optional<std::string> EngineWords::canonical(std::string_view flag) const {
  std::string name(flag);
  for (const domain::ArgumentSpelling& row : arguments.spellings) {
    if (row.spelling == name) return row.flag;
  }
  if (!name.starts_with("--")) {
    return has_name(arguments.switches, name) ? std::optional(name) : std::nullopt;
  }
  if (arguments.has_keys) name = name.substr(0, name.find('.'));
  if (arguments.reads_underscores) std::ranges::replace(name, '_', '-');
  const std::vector<std::string> all = names();
  if (has_name(all, name)) return name;
  if (arguments.has_negations && name.starts_with("--no-")) {
    const std::string positive = "--" + name.substr(5);
    if (has_name(arguments.switches, positive)) return name;
  }
  if (!arguments.takes_prefixes) return std::nullopt;
  std::optional<std::string> found;
  for (const std::string& candidate : all) {
    if (!candidate.starts_with(name)) continue;
    if (found) return std::nullopt;
    found = candidate;
  }
  return found;
}

std::string_view EngineWords::setting_of(std::string_view canonical_flag) const {
  // What a flag says to a reader goes before what it is written for ("every layer").
  for (const domain::ArgumentSetting& row : arguments.settings) {
    if (row.flag == canonical_flag) return row.setting;
  }
  for (const domain::EngineFlagName& flag : command.flags) {
    if (flag.flag == canonical_flag && !flag.flag.empty()) return flag.setting;
  }
  return {};
}

bool EngineWords::is_switch(std::string_view canonical_flag) const {
  return has_name(arguments.switches, canonical_flag) || canonical_flag.starts_with("--no-");
}

const domain::RetiredArgument* EngineWords::retired(std::string_view flag) const {
  std::string name(flag);
  if (arguments.reads_underscores) std::ranges::replace(name, '_', '-');
  const auto row = std::ranges::find(arguments.retired, name, &domain::RetiredArgument::flag);
  return row == arguments.retired.end() ? nullptr : &*row;
}

const EngineWords* engine_words(std::string_view engine) {
  static const std::array<std::pair<std::string_view, EngineWords>, 6> kWords = {
      std::pair("vllm", load_words("vllm")),
      std::pair("sglang", load_words("sglang")),
      std::pair("tensorrt-llm", load_words("tensorrt-llm")),
      std::pair("llama.cpp", load_words("llama.cpp")),
      std::pair("text-generation-inference", load_words("text-generation-inference")),
      std::pair("triton", load_words("triton"))};
  for (const auto& [name, words] : kWords) {
    if (name == engine) return &words;
  }
  return nullptr;
}

namespace {

EngineCall begin_call(std::string_view engine, std::string_view image, const Command& command) {
  EngineCall call;
  call.engine = engine;
  call.version = own_version_of_image(image);
  if (!command.empty()) call.position = command.front().position;
  return call;
}

/// Flags that name a file with further settings, the layout perhaps among them.
constexpr auto kFileFlags = std::to_array<std::string_view>(
    {"--config", "--extra-llm-api-options", "--config-file", "--extra-engine-args"});

std::string settings_file_of(const EngineCall& call) {
  for (const EngineSetting& row : call.settings) {
    if (std::ranges::find(kFileFlags, dashed(row.flag)) != kFileFlags.end()) return row.flag;
  }
  return {};
}

/// Nothing on the line says how it is split, and something else does.
bool is_split_elsewhere(const EngineCall& call) {
  if (call.find("tensor") != nullptr || call.find("pipeline") != nullptr) return false;
  if (call.engine == "triton") return true;  // each model of the repository has its own
  if (call.engine == "text-generation-inference") {
    const EngineSetting* sharded = call.find("isSharded");  // by default over all that it sees
    return sharded == nullptr || sharded->value != "false";
  }
  return !call.settings_file.empty();
}

void settle_files(EngineCall& call) {
  call.settings_file = settings_file_of(call);
  call.is_split_elsewhere = is_split_elsewhere(call);
}

}  // namespace

std::optional<EngineCall> read_engine_call(std::span<const Command> commands,
                                           std::string_view image, bool has_command) {
  for (const Command& command : commands) {
    const auto start = start_of(command);
    if (!start) continue;
    const ProgramRow& program = *start->program;
    EngineCall call = begin_call(program.engine, image, command);
    call.is_wrapped = program.is_wrapper;
    CallReader(*engine_words(call.engine), call)
        .read(command, start->arguments, program.has_positional_model, program.model_flag);
    settle_files(call);
    return call;
  }
  const Command words = commands.empty() ? Command() : commands.front();
  const std::string_view engine = has_command ? std::string_view() : engine_of_image(image, words);
  if (engine.empty()) return std::nullopt;
  EngineCall call = begin_call(engine, image, words);
  // vllm-openai starts `vllm serve`, and the older api_server before: both take --model.
  CallReader(*engine_words(engine), call).read(words, 0, engine == "vllm");
  settle_files(call);
  return call;
}

std::optional<EngineCall> read_engine_call(const Container& container) {
  auto call =
      read_engine_call(container.commands, container.image ? container.image->value : std::string(),
                       container.has_command);
  if (!call) return call;
  read_engine_variables(container, *call);
  settle_files(*call);
  return call;
}

}  // namespace gpushape::review
