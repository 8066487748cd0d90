#include "review/engine_starts.hpp"

#include <algorithm>
#include <array>

namespace gpushape::review {

namespace {

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
    {"text-generation-inference", "text-generation-launcher", "", false, false},
    // triton-inference-server/tensorrtllm_backend, scripts/launch_triton_server.py.
    {"triton", "launch_triton_server.py", "", false, true},
    {"triton", "tritonserver", "", false, true},
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
    {"text-generation-inference", "text-generation-inference", ""},
    {"text-generation-inference", "huggingface-text-generation-inference", ""},  // Google's
});

/// Repositories whose tags are the engine's own versions; a chart's or a platform's image counts
/// for itself.
constexpr auto kVersioned = std::to_array<std::string_view>(
    {"vllm-openai", "vllm", "sglang", "llama.cpp", "release", "ollama"});

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
  const std::string_view last = slash == std::string_view::npos ? image : image.substr(slash + 1);
  const std::size_t colon = last.find(':');
  return {last.substr(0, colon), colon == std::string_view::npos ? "" : last.substr(colon + 1)};
}

bool is_program(const ProgramRow& row, const Command& command, std::size_t at) {
  const std::string& word = command[at].text;
  const bool is_named = row.word.ends_with(".py") ? word.ends_with(row.word)
                                                  : word == row.word || base_name(word) == row.word;
  if (!is_named) return false;
  // A module follows -m.
  if (row.word.contains('.') && !row.word.contains('/') && !row.word.ends_with(".py")) {
    return at > 0 && command[at - 1].text == "-m";
  }
  return row.second.empty() || (at + 1 < command.size() && command[at + 1].text == row.second);
}

const ImageRow* image_row(std::string_view image) {
  const ImageName name = parts_of_image(image);
  for (const ImageRow& row : kImages) {
    if (name.repository.starts_with(row.name) && name.tag.starts_with(row.tag)) return &row;
  }
  return nullptr;
}

/// Builds of vLLM by others (opendatahub, Red Hat's rhaiis) keep its entrypoint: an image with vllm
/// in its name, and words that are nothing but flags, a model among them.
bool is_vllm_by_words(std::string_view image, const Command& words) {
  const std::string_view name = parts_of_image(image).repository;
  if (words.empty() || !name.contains("vllm")) return false;
  for (const std::string_view other : {"cpu", "tpu", "neuron", "ascend", "gaudi", "hpu"}) {
    if (name.contains(other)) return false;  // nothing here describes those
  }
  return words.front().text.starts_with("--") && std::ranges::any_of(words, [](const Word& word) {
           return word.text == "--model" || word.text.starts_with("--model=");
         });
}

}  // namespace

std::string_view base_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::optional<EngineStart> start_of(const Command& command) {
  for (std::size_t at = 0; at < command.size(); ++at) {
    for (const ProgramRow& row : kPrograms) {
      if (!is_program(row, command, at)) continue;
      std::size_t arguments = at + (row.second.empty() ? 1 : 2);
      // Newer releases have subcommands: trtllm-serve serve MODEL.
      if (row.word == "trtllm-serve" && arguments < command.size() &&
          command[arguments].text == "serve") {
        ++arguments;
      }
      return EngineStart{&row, arguments};
    }
  }
  return std::nullopt;
}

std::string_view engine_of_image(std::string_view image, const Command& words) {
  if (const ImageRow* row = image_row(image)) return row->engine;
  return is_vllm_by_words(image, words) ? "vllm" : std::string_view();
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

std::optional<domain::EngineVersion> own_version_of_image(std::string_view image) {
  const std::string_view repository = parts_of_image(image).repository;
  const bool is_own = std::ranges::any_of(
      kVersioned, [&](std::string_view name) { return repository.starts_with(name); });
  if (!is_own || repository.contains("runtime")) return std::nullopt;
  return version_of_image(image);
}

}  // namespace gpushape::review
