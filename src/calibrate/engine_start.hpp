// One start of a real engine on a real GPU, as somebody published it: what was asked for and what
// the engine printed. A field that the source does not state is absent. Made from lines of JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "domain/engine.hpp"
#include "domain/workload.hpp"

namespace gpushape::calibrate {

inline constexpr std::string_view kAmd = "amd";

struct EngineStart {
  std::string id;
  std::string source;  ///< public address
  std::string engine;
  std::string engine_version;  ///< as stated
  std::string date;            ///< "2025-09-28", of the source
  std::string model;
  /// What clients call the model; at times its name, where `model` is none.
  std::string served_name;
  std::string architecture;  ///< the class that the engine took, where the log says so
  std::string gpu;           ///< label, "A100-80GB"
  std::string vendor;        ///< "amd" where the log says so; empty where the GPU's name tells it
  std::string compute_capability;  ///< "9.0", where kernels say it that run on no other
  std::optional<double> gpu_total_gib;
  std::int64_t tensor_parallel = 1;
  bool is_parallelism_stated = true;
  std::optional<std::int64_t> gpus;  ///< of all engines of the start
  std::int64_t pipeline_parallel = 1;
  std::int64_t data_parallel = 1;
  std::int64_t expert_parallel = 1;
  std::optional<std::int64_t> context_parallel;  ///< of vLLM's decoding
  std::optional<std::int64_t> context_tokens;
  std::optional<std::int64_t> max_num_seqs;
  bool has_default_sequences = false;  ///< known to be started without max_num_seqs
  std::optional<std::int64_t> max_num_batched_tokens;
  std::optional<bool> chunks_prompts;  ///< as the engine settled it
  std::optional<double> utilization;
  bool enforce_eager = false;
  std::vector<std::int64_t> graph_batches;  ///< of vLLM: that it captures, ascending; empty: unsaid
  bool is_first_generation = false;       ///< of vLLM's engine ("V0"), which ran beside the second
  bool is_second_generation = false;      ///< "V1", which has to be asked for before 0.8
  bool prints_early_lines = false;        ///< of vLLM: as releases to 0.7.3 do
  bool is_server = false;                 ///< of llama.cpp: its own, not a program with its library
  std::optional<bool> compiles;           ///< its graphs: a cache of an earlier start has none
  std::optional<bool> has_second_runner;  ///< of vLLM's model runners
  std::optional<bool> samples_with_flashinfer;  ///< vLLM; empty where nothing says it
  std::string attention_backend;                ///< of vLLM: "FLASHINFER"
  bool unfolds_latents = false;                 ///< vLLM, where it was told (VLLM_MLA_DISABLE)
  std::string expert_backend;                   ///< of vLLM, where it was told: "marlin"
  bool has_throughput_mode = false;             ///< vLLM's --performance-mode throughput
  bool is_synchronous = false;     ///< one step at a time: without asynchronous scheduling
  bool is_library = false;         ///< started from a program, not as a server
  bool is_by_unsloth = false;      ///< of records: started for training
  bool may_be_by_unsloth = false;  ///< it is like Unsloth's starts, and nothing says it
  bool is_under_wsl = false;       ///< Windows draws on the same GPU
  std::optional<std::int64_t> block_tokens;
  std::string dtype;         ///< "auto" or empty: the checkpoint's
  std::string quantization;  ///< asked for on the command line, or the checkpoint's
  std::string kv_cache_type;
  std::string value_cache_type;  ///< of llama.cpp, where it is another than that of the keys
  std::optional<double> checkpoint_gib;  ///< of the model's files, where the engine prints it
  /// Of bitsandbytes: modules that stay in 16 bits, as the engine lists them.
  std::optional<std::vector<std::string>> kept_modules;
  /// Tables of n-grams lie in host memory or on disk, or they do not; empty where nothing says it.
  std::optional<bool> has_tables_elsewhere;
  bool has_adapters = false;
  std::optional<std::int64_t> adapter_rank;
  std::optional<std::int64_t> adapters;      ///< that slots are kept for
  std::optional<std::int64_t> draft_tokens;  ///< of the model's own prediction layers
  bool speaks_of_drafts = false;             ///< they are asked, for however many tokens
  /// A model of its own that proposes tokens; its facts are filled in by whoever looks it up.
  std::optional<domain::DraftModel> draft_model;
  std::string draft_method;                    ///< "eagle3", "dflash" …, as the start names it
  std::optional<double> draft_checkpoint_gib;  ///< of the draft's files, where it is printed
  bool draft_has_own_head = false;             ///< the start says so
  // A tower is left out where nothing that it encodes is let in.
  bool takes_no_images = false;
  bool takes_no_videos = false;
  std::optional<double> offload_gib;   ///< of weights to the host, of one GPU
  bool keeps_towers_whole = false;     ///< ranks share images, not the towers' layers
  std::optional<bool> prefix_caching;  ///< as the engine settled it
  bool keeps_one_table = false;        ///< vLLM: layers with windows hold every token, too
  // Of SGLang, where they are given: tokens that layers with a window hold against the others', and
  // states against keys and values.
  std::optional<double> window_share;
  std::optional<double> state_share;
  std::optional<double> state_slots;   ///< all states, whatever share they are
  std::optional<int> state_bits;       ///< of one value of recurrent states, where it was told
  bool has_other_sizes = false;        ///< the model was told other sizes than its config has
  std::vector<std::string> arguments;  ///< of vLLM: names of what it was told, where it lists them
  std::string notes;
  bool is_complete = true;  ///< the engine started
  // What it printed, GiB of one GPU.
  std::optional<double> weights_gib;
  std::optional<double> pool_gib;
  std::optional<double> activation_gib;
  bool peak_holds_graphs = false;  ///< it has the graphs' estimate in it, which is not stated
  std::optional<double> non_torch_gib;
  std::optional<double> graphs_gib;
  std::optional<std::int64_t> pool_tokens;
  std::optional<std::int64_t> pool_blocks;
  std::optional<double> free_gib;  ///< SGLang's: before it loads, of the rank with least
  std::optional<double> free_behind_pool_gib;  ///< SGLang's: once its pool stands
  /// Tokens that the pool was told to hold at most: then its size says nothing.
  std::optional<std::int64_t> most_tokens;
  std::optional<std::int64_t> told_pool_bytes;  ///< vLLM's --kv-cache-memory-bytes
  /// vLLM's --num-gpu-blocks-override: the cache has so many, whatever fits.
  std::optional<std::int64_t> told_blocks;

  // Of llama.cpp and Ollama, whose buffers are planned: sums over the GPUs.
  std::optional<std::int64_t> gpu_layers;  ///< on GPUs, the head counted as one
  std::optional<double> file_gib;          ///< of the file that was loaded
  std::optional<bool> flash_attention;     ///< empty: as the build chooses
  bool has_whole_windows = false;          ///< layers with a window keep every token
  bool states_slots = true;                ///< of the record: how many share the cells
  std::optional<double> cache_gib;
  std::optional<double> state_gib;    ///< SGLang's, too: beside its pool, of one GPU
  std::optional<double> compute_gib;  ///< where there is one GPU

  bool operator==(const EngineStart&) const = default;
};

/// Names the model that proposes tokens; nothing where it is the large model itself, whose own
/// layers predict, or no model ("ngram").
void name_draft(EngineStart& start, std::string name);

/// Engines whose buffers are known before they start: llama.cpp and what runs it.
bool plans_buffers(std::string_view engine);
/// Whether a buffer of theirs lies with the host: "CPU_Mapped", "CUDA_Host", "AMX".
bool is_host_device(std::string_view device);

/// From JSON lines: one object each; fields that are not of this list are passed over, because the
/// records belong to others. A line that is no object, or has no model, is complained of.
Result<std::vector<EngineStart>> read_engine_starts(std::string_view text, const std::string& file);

/// SGLang and TensorRT-LLM count the ranks of attention that is shared by data as those of tensor
/// parallelism, too, and all of them share the experts: ours are counted once.
void share_attention(EngineStart& start);

/// The release that a stated version belongs to: "v0.10.1.1" and "0.8.5.post1" are 0.10.1 and
/// 0.8.5. Nothing for a build that names none ("vdev", "v0.1.dev18496").
std::optional<domain::EngineVersion> release_of(std::string_view stated);

/// vLLM's first release with a second runner beside the first, for some models.
inline constexpr domain::EngineVersion kSecondRunner{0, 22, 0};

/// Tokens of a block where its size is not printed. Source: vLLM config/cache.py, default of
/// block_size on CUDA.
inline constexpr std::int64_t kUsualBlock = 16;

/// Tokens of the printed blocks.
std::optional<std::int64_t> tokens_of_blocks(const EngineStart& start);

}  // namespace gpushape::calibrate
