#include "review/command_line.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "catalog/catalog.hpp"

namespace gpushape::review {

namespace {

struct ProgramRow {
  std::string_view engine;
  std::string_view word;    ///< the program's name, or the Python module
  std::string_view second;  ///< the word behind it that must follow; empty: none
  bool has_positional_model = false;
  bool is_wrapper = false;
  std::string_view model_flag = {};  ///< a wrapper's own word for the model
};

/// How engines are started, by the words in front of their flags.
constexpr auto kPrograms = std::to_array<ProgramRow>({
    {"vllm", "vllm", "serve", true, false},
    {"vllm", "vllm.entrypoints.openai.api_server", "", false, false},
    {"vllm", "vllm.entrypoints.api_server", "", false, false},
    {"vllm", "vllm/entrypoints/openai/api_server.py", "", false, false},
    {"vllm", "dynamo.vllm", "", false, true},
    // kserve/kserve python/huggingfaceserver: vLLM where it has the model, else transformers.
    {"vllm", "huggingfaceserver", "", true, true, "--model-id"},
    {"sglang", "sglang.launch_server", "", false, false},
    {"sglang", "sglang", "serve", false, false},
    {"sglang", "dynamo.sglang", "", false, true},
    {"tensorrt-llm", "trtllm-serve", "", true, false},
    {"tensorrt-llm", "dynamo.trtllm", "", false, true},
    {"llama.cpp", "llama-server", "", false, false},
});

struct ImageRow {
  std::string_view engine;
  std::string_view name;  ///< what the repository's last part begins with
  std::string_view tag;   ///< what the tag must begin with
};

/// Images whose entrypoint is the server.
constexpr auto kImages = std::to_array<ImageRow>({
    {"vllm", "vllm-openai", ""},
    {"llama.cpp", "llama.cpp", "server"},
});

/// Repositories whose tags are the engine's own versions; a chart's or a platform's image counts
/// for itself.
constexpr auto kVersioned =
    std::to_array<std::string_view>({"vllm-openai", "vllm", "sglang", "llama.cpp", "release"});

/// Tags that count something else: LMCache's image of vLLM has LMCache's version, and NVIDIA's
/// containers have a month ("26.02-py3").
bool has_foreign_tag(std::string_view image) {
  return image.contains("lmcache/") || (image.contains("nvcr.io/") && image.contains("-py3"));
}

struct ImageName {
  std::string_view repository;  ///< its last part
  std::string_view tag;
};

ImageName parts_of_image(std::string_view image) {
  image = image.substr(0, image.find('@'));
  const std::size_t slash = image.rfind('/');
  std::string_view last = slash == std::string_view::npos ? image : image.substr(slash + 1);
  const std::size_t colon = last.find(':');
  return {last.substr(0, colon), colon == std::string_view::npos ? "" : last.substr(colon + 1)};
}

std::string_view base_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

struct VariableRow {
  std::string_view variable;
  std::string_view setting;
};

/// llama.cpp tools/server/README.md, "(env: …)"
constexpr auto kLlamaVariables = std::to_array<VariableRow>({
    {"LLAMA_ARG_MODEL", "file"},
    {"LLAMA_ARG_HF_REPO", "repository"},
    {"LLAMA_ARG_CTX_SIZE", "sharedContextTokens"},
    {"LLAMA_ARG_N_PARALLEL", "maxNumSeqs"},
    {"LLAMA_ARG_UBATCH", "maxNumBatchedTokens"},
    {"LLAMA_ARG_N_GPU_LAYERS", "layersOnGpu"},
    {"LLAMA_ARG_CACHE_TYPE_K", "kvCacheType"},
    {"LLAMA_ARG_CACHE_TYPE_V", "kvCacheType"},
    {"LLAMA_ARG_SPLIT_MODE", "layersOverGpus"},
    {"LLAMA_ARG_MMPROJ", "projector"},
});

struct Start {
  const ProgramRow* program = nullptr;
  std::size_t arguments = 0;  ///< where they begin
};

bool is_program(const ProgramRow& row, const Command& command, std::size_t at) {
  const std::string& word = command[at].text;
  const bool is_named = row.word.ends_with(".py") ? word.ends_with(row.word)
                                                  : word == row.word || base_name(word) == row.word;
  if (!is_named) return false;
  if (row.word.contains('.') && !row.word.contains('/')) {  // a module follows -m
    return at > 0 && command[at - 1].text == "-m";
  }
  return row.second.empty() || (at + 1 < command.size() && command[at + 1].text == row.second);
}

std::optional<Start> start_of(const Command& command) {
  for (std::size_t at = 0; at < command.size(); ++at) {
    for (const ProgramRow& row : kPrograms) {
      if (!is_program(row, command, at)) continue;
      std::size_t arguments = at + (row.second.empty() ? 1 : 2);
      // Newer releases have subcommands: trtllm-serve serve MODEL.
      if (row.word == "trtllm-serve" && arguments < command.size() &&
          command[arguments].text == "serve") {
        ++arguments;
      }
      return Start{&row, arguments};
    }
  }
  return std::nullopt;
}

const ImageRow* image_row(std::string_view image) {
  const ImageName name = parts_of_image(image);
  for (const ImageRow& row : kImages) {
    if (name.repository.starts_with(row.name) && name.tag.starts_with(row.tag)) return &row;
  }
  return nullptr;
}

document::Position part_of(document::Position position, std::size_t skipped) {
  if (position.column > 0) position.column += static_cast<int>(skipped);
  position.length = std::max(1, position.length - static_cast<int>(skipped));
  return position;
}

/// "-1" and "-0.5" are values.
bool is_flag(std::string_view word) {
  return word.size() > 1 && word.front() == '-' && !(word[1] >= '0' && word[1] <= '9') &&
         word[1] != '.';
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
  for (const domain::EngineFlagName& flag : command.flags) {
    if (flag.flag == canonical_flag && !flag.flag.empty()) return flag.setting;
  }
  for (const domain::ArgumentSetting& row : arguments.settings) {
    if (row.flag == canonical_flag) return row.setting;
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
  static const std::array<std::pair<std::string_view, EngineWords>, 4> kWords = {
      std::pair("vllm", load_words("vllm")), std::pair("sglang", load_words("sglang")),
      std::pair("tensorrt-llm", load_words("tensorrt-llm")),
      std::pair("llama.cpp", load_words("llama.cpp"))};
  for (const auto& [name, words] : kWords) {
    if (name == engine) return &words;
  }
  return nullptr;
}

std::optional<domain::EngineVersion> version_of_image(std::string_view image) {
  if (has_foreign_tag(image)) return std::nullopt;
  const std::string_view tag = parts_of_image(image).tag;
  // A part of the tag: "server-cuda-b5000", "v0.11.0-cu129", "0.8.5.post1".
  for (std::size_t from = 0; from < tag.size();) {
    const std::size_t end = std::min(tag.find_first_of("-_", from), tag.size());
    std::string_view part = tag.substr(from, end - from);
    std::size_t dots = 0;
    for (std::size_t i = 0; i < part.size(); ++i) {
      if (part[i] == '.' && ++dots == 3) part = part.substr(0, i);
    }
    if (const std::size_t letters = part.find_first_of("abcrp", 1);
        letters != std::string_view::npos && part.find('.') < letters) {
      part = part.substr(0, letters);  // "1.2.0rc1"
    }
    const bool is_one = part.contains('.') || part.starts_with('b');
    if (is_one && !part.starts_with("cu")) {
      if (const auto version = domain::engine_version(part)) return version;
    }
    from = end + 1;
  }
  return std::nullopt;
}

std::optional<EngineCall> read_engine_call(std::span<const Command> commands,
                                           std::string_view image, bool has_command) {
  EngineCall call;
  const auto begin = [&](std::string_view engine, const Command& command) {
    call.engine = engine;
    const std::string_view repository = parts_of_image(image).repository;
    const bool is_own = std::ranges::any_of(
        kVersioned, [&](std::string_view name) { return repository.starts_with(name); });
    if (is_own && !repository.contains("runtime")) call.version = version_of_image(image);
    if (!command.empty()) call.position = command.front().position;
    return CallReader(*engine_words(engine), call);
  };
  for (const Command& command : commands) {
    const auto start = start_of(command);
    if (!start) continue;
    call.is_wrapped = start->program->is_wrapper;
    begin(start->program->engine, command)
        .read(command, start->arguments, start->program->has_positional_model,
              start->program->model_flag);
    return call;
  }
  const ImageRow* row = has_command ? nullptr : image_row(image);
  if (row == nullptr) return std::nullopt;
  if (commands.empty()) {
    begin(row->engine, {});
    return call;
  }
  // vllm-openai starts `vllm serve`, and the older api_server before: both take --model.
  begin(row->engine, commands.front()).read(commands.front(), 0, row->engine == "vllm");
  return call;
}

std::optional<EngineCall> read_engine_call(const Container& container) {
  auto call =
      read_engine_call(container.commands, container.image ? container.image->value : std::string(),
                       container.has_command);
  if (!call || call->engine != "llama.cpp") return call;
  for (const VariableRow& row : kLlamaVariables) {
    const EnvironmentVariable* variable = container.variable(row.variable);
    if (variable == nullptr || variable->is_reference || variable->node == nullptr) continue;
    if (call->find(row.setting) != nullptr) continue;
    const document::Position place = variable->node->position();
    call->settings.push_back({.setting = std::string(row.setting),
                              .flag = std::string(row.variable),
                              .value = variable->value,
                              .position = place,
                              .value_position = place});
    if (call->model.empty() && (row.setting == "file" || row.setting == "repository")) {
      call->model = variable->value;
      call->model_position = place;
    }
  }
  return call;
}

}  // namespace gpushape::review
