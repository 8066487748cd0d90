#include "calibrate/planned_start.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "calibrate/log_text.hpp"
#include "calibrate/mapped_file.hpp"
#include "calibrate/possible_starts.hpp"
#include "calibrate/prediction.hpp"
#include "calibrate/record_gpu.hpp"
#include "calibrate/record_settings.hpp"
#include "calibrate/started_model.hpp"
#include "catalog/quantization_names.hpp"
#include "estimate/estimate_memory.hpp"

namespace gpushape::calibrate {
namespace {

using document::Node;

constexpr double kMibInGib = 1024;
/// More than any model has: all layers are on GPUs where nobody says otherwise.
constexpr std::int64_t kAllLayers = 10'000;

struct Buffers {
  double mib = 0;
  std::size_t gpus = 0;
};

/// Whether the buffer could be read and counted.
bool count_buffer(std::string_view device, const Node& value, Buffers& buffers) {
  // "CUDA1..8" and the like stand for buffers that are not all given.
  if (!value.is_number() || device.contains("..")) return false;
  if (is_host_device(device)) return true;
  buffers.mib += value.number();
  ++buffers.gpus;
  return true;
}

/// A pair: "CUDA0" and MiB, as where a device has several.
bool count_pair(const Node& pair, Buffers& buffers) {
  if (!pair.is(Node::Kind::Sequence) || pair.items().size() != 2) return false;
  const Node& device = pair.items().front();
  return device.is(Node::Kind::String) && count_buffer(device.text(), pair.items().back(), buffers);
}

/// "CUDA0": MiB, in a mapping or in pairs; or one number, for one GPU.
std::optional<Buffers> gpu_buffers(const Node* devices) {
  if (devices == nullptr) return std::nullopt;
  if (devices->is_number()) return Buffers{.mib = devices->number(), .gpus = 1};
  Buffers buffers;
  bool is_whole = true;
  if (devices->is(Node::Kind::Mapping)) {
    for (const Node::Entry& entry : devices->entries())
      is_whole = is_whole && count_buffer(entry.name, entry.value, buffers);
  } else if (devices->is(Node::Kind::Sequence)) {
    for (const Node& pair : devices->items()) is_whole = is_whole && count_pair(pair, buffers);
  }
  return is_whole && buffers.gpus > 0 ? std::optional(buffers) : std::nullopt;
}

const Node* group_of(const Node& record, std::string_view of_extra, std::string_view of_devices) {
  const Node* extra = record.find("engine_extra");
  const Node* found = extra == nullptr ? nullptr : extra->find(of_extra);
  if (found != nullptr) return found;
  const Node* devices = record.find("device_buffers_mib");
  return devices == nullptr ? nullptr : devices->find(of_devices);
}

std::string text_in(const Node* parent, std::string_view name) {
  const Node* node = parent == nullptr ? nullptr : parent->find(name);
  return node != nullptr && node->is(Node::Kind::String) ? node->text() : std::string();
}

/// A record has it as a number or as a word.
std::optional<bool> flash_attention_in(const Node* extra) {
  const Node* node = extra == nullptr ? nullptr : extra->find("flash_attn");
  if (node == nullptr) return std::nullopt;
  if (node->is(Node::Kind::String)) return flash_attention_of(node->text());
  return node->is(Node::Kind::Integer) ? std::optional(node->integer() != 0) : std::nullopt;
}

/// "Qwen3-Coder-30B-A3B-Instruct Q4_K_M GGUF" and "Qwen2.5 14B Instruct" as models are named.
std::string model_words(const EngineStart& start) {
  std::string name = start.model.substr(0, start.model.find(" ("));
  for (const std::string_view ending : {" GGUF", "-GGUF"}) {
    if (name.ends_with(ending)) name.erase(name.size() - ending.size());
  }
  const std::string& type = start.quantization;
  for (const std::string& ending : {" " + type, std::string(" Q4_K - Medium")}) {
    if (ending.size() > 1 && name.ends_with(ending)) name.erase(name.size() - ending.size());
  }
  const std::size_t last = name.rfind(' ');
  if (last != std::string::npos && catalog::parse_quantization(name.substr(last + 1)))
    name.resize(last);
  std::ranges::replace(name, ' ', '-');
  return name;
}

/// Words of a record that name what no estimate covers.
struct StartObstacle {
  std::string_view word;
  std::string_view reason;
};
constexpr auto kStartObstacles = std::to_array<StartObstacle>({
    {"experts partly or fully on CPU", "weights are partly in host memory"},
    {"partial offload", "weights are partly in host memory"},
    {"layers on the GPU", "weights are partly in host memory"},
    {"experts kept on the CPU", "weights are partly in host memory"},
    {"MTP", "the file holds layers that predict further tokens"},
    {"fork", "a fork of the engine"},
    {"ik_llama", "a fork of the engine"},
    {"llamafile", "a fork of the engine"},
});

const StartObstacle* obstacle_of(const EngineStart& start) {
  const auto row = std::ranges::find_if(kStartObstacles, [&](const StartObstacle& obstacle) {
    return start.notes.contains(obstacle.word) || start.engine_version.contains(obstacle.word);
  });
  return row == kStartObstacles.end() ? nullptr : &*row;
}

/// Layers with a window keep cells for every slot.
bool estimate_has_windows(const domain::Estimate& estimate) {
  return std::ranges::any_of(estimate.terms, [](const domain::Term& term) {
    return std::ranges::find(term.inputs, "windowCells", &domain::Input::name) != term.inputs.end();
  });
}

struct MonthRow {
  std::string_view month;  ///< "2024-03"
  int build = 0;
};
/// Builds of llama.cpp that were out in the month: https://github.com/ggml-org/llama.cpp/releases.
constexpr auto kBuilds = std::to_array<MonthRow>({
    {"2023-11", 1500}, {"2024-01", 2000},  {"2024-03", 2500}, {"2024-05", 3000}, {"2024-08", 3500},
    {"2024-11", 4000}, {"2025-02", 4600},  {"2025-04", 5000}, {"2025-05", 5250}, {"2025-06", 5560},
    {"2025-07", 5800}, {"2025-08", 6060},  {"2025-09", 6350}, {"2025-10", 6650}, {"2025-11", 6920},
    {"2025-12", 7200}, {"2026-01", 7600},  {"2026-02", 7900}, {"2026-03", 8200}, {"2026-04", 8607},
    {"2026-05", 9010}, {"2026-08", 10335},
});

/// Neither a build is stated nor a day.
bool has_open_build(const EngineStart& start) {
  return !release_of(start.engine_version) && start.date.empty();
}

/// The stated release, the build of the month, or the newest that is known.
domain::EngineVersion version_of(const EngineStart& start, const domain::Engine& engine) {
  if (const auto stated = release_of(start.engine_version)) return *stated;
  domain::EngineVersion version = engine.known_versions.back();
  if (start.engine != "llama.cpp" || start.date.empty()) return version;
  for (const MonthRow& row : kBuilds) {
    if (row.month <= start.date.substr(0, row.month.size()))
      version = {.major = domain::kNumberedBuild, .minor = row.build, .patch = 0};
  }
  return version;
}

/// What cannot be compared at all, and why.
std::string why_excluded(const EngineStart& start) {
  if (const StartObstacle* obstacle = obstacle_of(start)) return std::string(obstacle->reason);
  if (start.offload_gib) return "weights are partly in host memory";
  if (start.quantization.empty()) return {};
  if (!catalog::parse_quantization(start.quantization))
    return fmt::format("'{}' is no type or mix of llama.cpp's quantize", start.quantization);
  return {};
}

/// A GPU computes although no layer lies on it: the log prints its compute buffer. Nothing is asked
/// of its size.
std::optional<domain::VisibleMemory> idle_gpu(const EngineStart& start) {
  if (start.gpu_layers != 0 || !start.compute_gib) return std::nullopt;
  domain::VisibleMemory gpu;
  gpu.bytes = domain::exactly(gib_of(*start.compute_gib));
  return gpu;
}

/// The compute buffer, of the server and of programs that use its library; of every build that
/// there are facts for where none is stated.
domain::Range compute_of_builds(const EngineStart& stated, const domain::Model& model,
                                const domain::Engine& engine) {
  EngineStart start = stated;
  const auto compute_of = [&](domain::EngineVersion version) {
    const Result<domain::Estimate> estimate = estimate::estimate_memory(
        model, workload_of(start, model, version), engine, idle_gpu(start));
    return estimate ? std::optional(term_bytes(*estimate, "computeBuffer")) : std::nullopt;
  };
  const domain::EngineVersion likely = version_of(start, engine);
  start.is_server = true;  // as most that is published
  domain::Range compute = compute_of(likely).value_or(domain::Range{});
  std::vector<domain::EngineVersion> versions = {likely};
  if (has_open_build(start)) versions = engine.known_versions;
  for (const domain::EngineVersion version : versions) {
    for (const bool is_server : {true, false}) {
      start.is_server = is_server;
      if (const auto other = compute_of(version)) compute = widened(compute, *other);
    }
  }
  return compute;
}

}  // namespace

std::string why_other_file(const EngineStart& start, const domain::Estimate& estimate) {
  if (!start.file_gib) return {};
  constexpr double kSameFile = 0.004;
  const double ours = file_gib_of(estimate);
  if (std::abs(ours - *start.file_gib) <= kSameFile * ours) return {};
  return fmt::format("the file is no {}: {:.2f} GiB, {:.2f} by llama.cpp's own mix",
                     start.quantization, *start.file_gib, ours);
}

std::string file_type_words(std::string_view text) {
  text = text.substr(0, text.find(" ("));
  constexpr std::string_view kFormat = "GGUF ";
  if (text.starts_with(kFormat)) text.remove_prefix(kFormat.size());
  const std::size_t bits = text.find(" bpw");
  if (bits != std::string_view::npos) text = text.substr(0, text.rfind(" - ", bits));
  return std::string(text);
}

std::optional<bool> flash_attention_of(std::string_view words) {
  if (words == "1" || words == "enabled") return true;
  if (words == "0" || words == "disabled") return false;
  return std::nullopt;
}

bool is_host_device(std::string_view device) {
  return device.starts_with("CPU") || device.contains("_Host") || device == "Host" ||
         device == "BLAS" || device == "AMX";  // units of the CPU
}

bool plans_buffers(std::string_view engine) { return engine == "llama.cpp" || engine == "ollama"; }

namespace {

/// Of a file whose layers are all on GPUs they hold less than half: single tensors were put
/// elsewhere (--override-tensor), or the experts were (--cpu-moe).
void take_offload(std::string_view layers, EngineStart& start) {
  constexpr double kLeast = 0.45;
  const std::size_t stroke = layers.find('/');
  const bool are_all =
      stroke != std::string_view::npos && layers.substr(0, stroke) == layers.substr(stroke + 1);
  if (!are_all || !start.weights_gib || !start.file_gib) return;
  if (*start.weights_gib < kLeast * *start.file_gib)
    start.offload_gib = *start.file_gib - *start.weights_gib;
}

/// "5890 (982e3472)", as "main: build = 5890 (982e3472)" prints it: "b5890".
void name_build(EngineStart& start) {
  const std::size_t end = start.engine_version.find(" (");
  const std::string number = start.engine_version.substr(0, end);
  const bool is_number = number.find_first_not_of("0123456789") == std::string::npos;
  if (start.engine == "llama.cpp" && end != std::string::npos && end > 0 && is_number)
    start.engine_version = "b" + number;
}

}  // namespace

void read_planned(const Node& record, EngineStart& start) {
  name_build(start);
  const QuotedBuffers quoted = read_quoted_llama(record, start);
  const Node* extra = record.find("engine_extra");
  start.quantization = file_type_words(start.quantization);
  start.pool_gib.reset();
  start.weights_gib.reset();
  start.is_parallelism_stated = true;
  start.tensor_parallel = 1;
  const auto take = [&](std::string_view of_extra, std::string_view of_devices) {
    const auto buffers = gpu_buffers(group_of(record, of_extra, of_devices));
    return buffers ? std::optional(buffers->mib / kMibInGib) : std::nullopt;
  };
  start.weights_gib = take("model_buffer_mib", "model");
  start.cache_gib = take("kv_buffer_mib", "kv");
  start.state_gib = take("rs_buffer_mib", "recurrent_state");
  const auto compute = gpu_buffers(group_of(record, "compute_buffer_mib", "compute"));
  if (compute && compute->gpus == 1 && !quoted.has_cache_with_host)
    start.compute_gib = quoted.compute_gib.value_or(compute->mib / kMibInGib);
  start.pool_gib = start.cache_gib;
  if (const auto stated = flash_attention_in(extra)) start.flash_attention = stated;
  const std::string layers = text_in(extra, "layers_offloaded");  // "33/33"
  if (const auto stated = leading_count(layers)) start.gpu_layers = stated;
  if (!start.gpu_layers) start.gpu_layers = kAllLayers;
  const std::string file = text_in(extra, "file_size");  // "8.37 GiB (4.87 BPW)"
  if (!file.empty()) start.file_gib = leading_gib(file);
  if (const Node* quantization = record.find("quantization");
      !start.file_gib && quantization != nullptr && quantization->is(Node::Kind::String)) {
    const std::string& words = quantization->text();  // "Q4_K_M (58.45 GiB, 4.30 BPW)"
    if (words.contains("GiB")) start.file_gib = leading_gib(words.substr(words.find('(')));
  }
  take_offload(layers, start);
  const Node* micro_batch = extra == nullptr ? nullptr : extra->find("n_ubatch");
  if (micro_batch != nullptr && micro_batch->is(Node::Kind::Integer))
    start.max_num_batched_tokens = micro_batch->integer();
  start.states_slots = start.max_num_seqs.has_value();
  if (!start.max_num_seqs) start.max_num_seqs = 1;
  // Cells are those of all slots, and so is the context that the program is given; where each slot
  // has cells of its own, the log counts one's.
  const bool is_of_slot = start.pool_tokens && start.context_tokens &&
                          *start.pool_tokens * *start.max_num_seqs == *start.context_tokens;
  const auto cells = start.pool_tokens && !is_of_slot ? start.pool_tokens : start.context_tokens;
  if (cells) start.context_tokens = *cells / *start.max_num_seqs;
}

Comparison compare_planned(const EngineStart& start, const catalog::Catalog& catalog,
                           const profiles::Profiles& profiles) {
  Comparison comparison;
  comparison.start = start;
  comparison.excluded = why_excluded(start);
  if (!comparison.excluded.empty()) return comparison;
  const Result<domain::Engine> engine = catalog.engine(start.engine);
  const Result<domain::Model> model = find_started_model(model_words(start), catalog);
  if (!engine || !model) {
    comparison.excluded = first_message(engine ? model.error() : engine.error());
    return comparison;
  }
  // Files of a model that is published in 4 bits keep its experts as they are (gpt-oss).
  const bool is_small = domain::scheme(model->weights.linear).weight_bits < 8;
  if (start.quantization.empty() && !is_small) {
    comparison.excluded = "the type of the file is not stated";
    return comparison;
  }
  const domain::Workload workload = workload_of(start, *model, version_of(start, *engine));
  const Result<domain::Estimate> estimate =
      estimate::estimate_memory(*model, workload, *engine, idle_gpu(start));
  if (!estimate) {
    comparison.excluded = first_message(estimate.error());
    return comparison;
  }
  const RecordGpu gpu = gpu_of(start, profiles);
  const bool is_known = !start.gpu.empty() && start.gpu != "unknown" && start.context_tokens &&
                        !has_open_build(start);
  comparison.knowledge = is_known ? Knowledge::Settings : Knowledge::Parts;
  comparison.weight_bits = domain::scheme(estimate->quantization.value).weight_bits;
  comparison.has_open_recipe = estimate->has_open_recipe;
  comparison.without_weights = why_other_file(start, *estimate);
  if (comparison.without_weights.empty())
    comparison.weights = figure(
        as_mapped(term_bytes(*estimate, "weights"), start, *model, *estimate), start.weights_gib);
  const bool has_other_type = start.kv_cache_type.empty() && start.notes.contains("FLAG kv");
  const bool has_windows = estimate_has_windows(*estimate);
  if (!start.cache_gib) {
    comparison.without_pool = "prints no cache";
  } else if (has_other_type) {
    comparison.without_pool = "the type of the cache is not stated";
  } else if (has_windows && !start.states_slots) {
    comparison.without_pool = "how many slots have windows of their own is not stated";
  } else {
    comparison.pool = figure(term_bytes(*estimate, "kvCache"), start.cache_gib);
  }
  if (!has_windows || start.states_slots)
    comparison.activation = figure(compute_of_builds(start, *model, *engine), start.compute_gib);
  return comparison;
}

}  // namespace gpushape::calibrate
