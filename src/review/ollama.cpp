#include "review/ollama.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "review/engine_starts.hpp"
#include "review/engine_variables.hpp"

namespace gpushape::review {

namespace {

constexpr std::string_view kOllama = "ollama";

/// The image's repository ends in "ollama", as ollama/ollama does.
bool is_ollama_image(const Container& container) {
  if (!container.image) return false;
  std::string_view image = container.image->value;
  image = base_name(image.substr(0, image.find('@')));
  return image.substr(0, image.find(':')) == kOllama;
}

/// Where "ollama VERB" stands; the number of words where it does not.
std::size_t place_of_verb(const Command& command, std::string_view verb) {
  for (std::size_t at = 0; at + 1 < command.size(); ++at) {
    if (base_name(command[at].text) == kOllama && command[at + 1].text == verb) return at;
  }
  return command.size();
}

bool has_verb(const std::vector<Command>& commands, std::string_view verb) {
  return std::ranges::any_of(commands, [verb](const Command& command) {
    return place_of_verb(command, verb) < command.size();
  });
}

bool is_server(const Container& container) {
  if (container.is_init) return false;
  if (has_verb(container.commands, "serve")) return true;
  if (!is_ollama_image(container) || container.has_command) return false;
  // The entrypoint is ollama itself, and its words are `serve` by default.
  return container.commands.empty() ||
         std::ranges::none_of(container.commands, [](const Command& words) {
           return !words.empty() && (words.front().text == "pull" || words.front().text == "run");
         });
}

/// {"name": "llama3.2"} of a request to /api/pull or /api/generate.
std::string_view name_in_json(std::string_view text) {
  for (const std::string_view key : {"\"name\"", "\"model\""}) {
    const std::size_t at = text.find(key);
    if (at == std::string_view::npos) continue;
    const std::size_t open = text.find('"', at + key.size());
    const std::size_t close = open == std::string_view::npos ? open : text.find('"', open + 1);
    if (close != std::string_view::npos) return text.substr(open + 1, close - open - 1);
  }
  return {};
}

Word named_in_request(const Command& command) {
  const bool is_request = std::ranges::any_of(command, [](const Word& word) {
    return word.text.contains("/api/pull") || word.text.contains("/api/generate");
  });
  if (!is_request) return {};
  for (const Word& word : command) {
    const std::string_view name = name_in_json(word.text);
    if (!name.empty()) return {std::string(name), word.position, word.is_field};
  }
  return {};
}

Word behind_verb(const Command& command, std::size_t verb) {
  for (std::size_t at = verb + 1; at < command.size(); ++at) {
    if (!command[at].text.starts_with('-')) return command[at];
  }
  return {};
}

bool is_known_name(const Word& word) {
  return !word.text.empty() && word.text.find_first_of("${}()<>*") == std::string::npos;
}

/// A model, and whether it is loaded rather than only fetched.
struct PulledModel {
  Word name;
  bool is_run = false;
};

void take_models(const std::vector<Command>& commands, bool is_entrypoint,
                 std::vector<PulledModel>& models) {
  for (const Command& command : commands) {
    // The arguments of an image whose entrypoint is ollama: `pull llama3.2`.
    const bool is_bare = is_entrypoint && command.size() > 1 &&
                         (command[0].text == "run" || command[0].text == "pull");
    const Word name = is_bare ? behind_verb(command, 0) : ollama_model_of(command);
    if (!is_known_name(name)) continue;
    const bool is_run =
        (is_bare && command[0].text == "run") || place_of_verb(command, "run") < command.size();
    models.push_back({name, is_run});
  }
}

void take_models(const Container& container, std::vector<PulledModel>& models) {
  take_models(container.commands, is_ollama_image(container) && !container.has_command, models);
  take_models(container.hooks, false, models);
}

/// The first that is loaded, else the first that is fetched.
const PulledModel* served_model(const std::vector<PulledModel>& models) {
  const auto run = std::ranges::find(models, true, &PulledModel::is_run);
  if (run != models.end()) return &*run;
  return models.empty() ? nullptr : &models.front();
}

EngineCall ollama_call(const Container& server, const std::vector<PulledModel>& models) {
  EngineCall call;
  call.engine = kOllama;
  call.is_wrapped = true;
  call.is_split_elsewhere = true;
  if (server.image) call.version = own_version_of_image(server.image->value);
  call.position = server.node == nullptr ? document::Position{} : server.node->position();
  for (const Command& command : server.commands) {
    if (!command.empty()) call.position = command.front().position;
    if (place_of_verb(command, "serve") < command.size()) break;
  }
  if (const PulledModel* model = served_model(models)) {
    call.model = model->name.text;
    call.model_position = model->name.position;
    call.settings.push_back({.setting = "model",
                             .flag = model->is_run ? "ollama run" : "ollama pull",
                             .value = model->name.text,
                             .position = model->name.position,
                             .value_position = model->name.position,
                             .is_field = model->name.is_field});
  }
  read_engine_variables(server, call);
  return call;
}

/// Who pulls through the network, for the only server of a compose file.
std::vector<PulledModel> models_of_neighbours(const Deployment& deployment, const PodRequest& pod) {
  std::vector<PulledModel> models;
  if (pod.source != PodSource::Compose) return models;
  for (const PodRequest& other : deployment.pods) {
    if (other.document != pod.document) continue;
    for (const Container& container : other.containers) {
      if (&other != &pod && is_server(container)) return {};
      take_models(container, models);
    }
  }
  return models;
}

}  // namespace

Word ollama_model_of(const Command& command) {
  for (const std::string_view verb : {"run", "pull"}) {
    const std::size_t at = place_of_verb(command, verb);
    if (at < command.size()) return behind_verb(command, at + 1);
  }
  return named_in_request(command);
}

void read_ollama_calls(Deployment& deployment) {
  for (PodRequest& pod : deployment.pods) {
    const auto server = std::ranges::find_if(pod.containers, is_server);
    if (server == pod.containers.end() || server->engine) continue;
    std::vector<PulledModel> models;
    for (const Container& container : pod.containers) take_models(container, models);
    if (models.empty()) models = models_of_neighbours(deployment, pod);
    server->engine = ollama_call(*server, models);
  }
}

}  // namespace gpushape::review
