// NVIDIA's hybrids (Nemotron-H, Nemotron 3) and the models of its architecture search (DeciLM,
// Nemotron-NAS). Sources: modeling_nemotron_h.py and modeling_decilm.py of the repositories.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "catalog/families/decoder.hpp"
#include "catalog/families/experts.hpp"
#include "catalog/families/readers.hpp"
#include "catalog/families/state.hpp"

namespace gpushape::catalog {
namespace {

constexpr document::IntegerBounds kFewBlocks{.least = 0, .most = 100};

// Words and letters of one layer each.
enum class Block { Mamba, Attention, Dense, Mixture };
struct BlockName {
  char letter;
  std::string_view word;
  Block block;
};
constexpr auto kBlocks = std::to_array<BlockName>({
    {'M', "mamba", Block::Mamba},
    {'*', "attention", Block::Attention},
    {'-', "mlp", Block::Dense},
    {'E', "moe", Block::Mixture},
});

std::vector<Block> read_blocks(const ConfigParts& parts, std::string_view pattern,
                               std::string_view list) {
  std::vector<Block> blocks;
  const auto add = [&](std::string_view field, const auto& found, std::string_view name) {
    if (found != kBlocks.end()) return blocks.push_back(found->block);
    parts.fields().complain(field, fmt::format("layer type '{}' is not understood", name),
                            "known are M, *, - and E, or mamba, attention, mlp and moe");
  };
  if (parts.fields().given(pattern)) {
    const std::string letters = parts.fields().text(pattern).value_or("");
    for (const char& letter : letters)
      add(pattern, std::ranges::find(kBlocks, letter, &BlockName::letter),
          std::string_view(&letter, 1));
    return blocks;
  }
  for (const std::string& word : parts.fields().texts(list))
    add(list, std::ranges::find(kBlocks, word, &BlockName::word), word);
  return blocks;
}

domain::Recurrent read_mixer(const ConfigParts& parts) {
  domain::Recurrent mixer;
  mixer.kind = domain::RecurrentKind::Mamba2;
  mixer.value_heads = parts.size({"mamba_num_heads"}, "recurrent", kHeads);
  mixer.value_dim = parts.size({"mamba_head_dim"}, "", kHeadDim);
  mixer.groups = parts.size({"n_groups"}, "", kHeads);
  mixer.state = parts.size({"ssm_state_size", "mamba_d_state"}, "", kState);
  mixer.convolution = parts.size_or({"conv_kernel"}, "", kKernel, 4);
  mixer.convolution_bias = parts.flag("use_conv_bias", "", true);
  mixer.projection_bias = parts.flag("use_bias", "", false);
  mixer.has_norm = true;
  mixer.state_bits = state_bits(parts);
  mixer.chunk = chunk_of(parts);
  return mixer;
}

/// A layer of the models that NVIDIA's Puzzle searched: its block, and what it says otherwise than
/// the config as a whole.
struct PuzzleBlock {
  Block block = Block::Mamba;
  std::int64_t experts = 0;  ///< 0 for the config's own
  std::int64_t active = 0;
  std::int64_t width = 0;
};

std::vector<PuzzleBlock> read_puzzle_blocks(const ConfigParts& parts, std::string_view field) {
  std::vector<PuzzleBlock> blocks;
  if (!parts.fields().given(field)) return blocks;
  for (document::Reader& reader : parts.fields().reader().mappings(field)) {
    const Fields fields(reader);
    const std::string word = fields.text("block_type").value_or("");
    const auto found = std::ranges::find(kBlocks, word, &BlockName::word);
    if (found == kBlocks.end()) {
      fields.complain("block_type", fmt::format("block type '{}' is not understood", word),
                      "known are mamba, attention, mlp and moe");
      continue;
    }
    blocks.push_back({.block = found->block,
                      .experts = fields.integer("n_routed_experts", kExperts).value_or(0),
                      .active = fields.integer("num_experts_per_tok", kExperts).value_or(0),
                      .width = fields.integer("moe_intermediate_size", kWidth).value_or(0)});
  }
  return blocks;
}

domain::Experts read_nemotron_experts(const ConfigParts& parts, const PuzzleBlock& block = {}) {
  domain::Experts experts = read_experts(parts, {.has_shared_width = true,
                                                 .correction_bias = true,
                                                 .is_gated = false,
                                                 .count = block.experts,
                                                 .active = block.active,
                                                 .width = block.width});
  if (block.experts > 0) experts.count = block.experts;
  if (block.active > 0) experts.active = block.active;
  if (block.width > 0) experts.width = block.width;
  const auto shared = parts.fields().integer("n_shared_experts", {.least = 0, .most = 1'000});
  experts.shared_width *= shared.value_or(1);
  experts.latent_width =
      parts.size_if({"moe_latent_size"}, "expertLatent", kHiddenSize).value_or(0);
  return experts;
}

std::vector<domain::LayerRun> layers_of(const ConfigParts& parts,
                                        const std::vector<Block>& blocks) {
  std::vector<domain::LayerRun> runs;
  const auto has = [&](Block block) { return std::ranges::find(blocks, block) != blocks.end(); };
  domain::Layer empty;
  empty.attention.kind = domain::LayerKind::None;
  empty.norms = 1;
  domain::Layer mamba = empty;
  domain::Layer attention = empty;
  domain::Layer dense = empty;
  domain::Layer mixture = empty;
  if (has(Block::Mamba)) {
    mamba = recurrent_layer(read_mixer(parts));
    mamba.norms = 1;
  }
  if (has(Block::Attention)) attention.attention = read_attention(parts);
  if (has(Block::Dense)) dense.feed_forward = read_feed_forward(parts);
  if (has(Block::Mixture)) mixture.feed_forward.experts = read_nemotron_experts(parts);
  for (const Block block : blocks) {
    switch (block) {
      case Block::Mamba:
        add_layer(runs, mamba);
        break;
      case Block::Attention:
        add_layer(runs, attention);
        break;
      case Block::Dense:
        add_layer(runs, dense);
        break;
      case Block::Mixture:
        add_layer(runs, mixture);
        break;
    }
  }
  return runs;
}

std::vector<domain::LayerRun> puzzle_layers(const ConfigParts& parts,
                                            const std::vector<PuzzleBlock>& blocks) {
  std::vector<domain::LayerRun> runs;
  for (const PuzzleBlock& block : blocks) {
    if (block.block != Block::Mixture) {
      add_layer(runs, layers_of(parts, {block.block}).front().layer);
      continue;
    }
    domain::Layer mixture;
    mixture.attention.kind = domain::LayerKind::None;
    mixture.norms = 1;
    mixture.feed_forward.experts = read_nemotron_experts(parts, block);
    add_layer(runs, mixture);
  }
  return runs;
}

domain::MultiTokenPrediction further_tokens(std::vector<domain::LayerRun> layers,
                                            std::int64_t count, std::int64_t hidden_size) {
  domain::MultiTokenPrediction prediction;
  prediction.layers = std::move(layers);
  for (domain::LayerRun& run : prediction.layers) run.count *= count;
  prediction.extra = {
      {.name = "eh_proj", .rows = hidden_size, .columns = 2 * hidden_size, .is_linear = true},
      {.name = "enorm", .rows = hidden_size},
      {.name = "hnorm", .rows = hidden_size},
      {.name = "final_layernorm", .rows = hidden_size}};
  return prediction;
}

}  // namespace

// Puzzle's widths and active experts differ from layer to layer. Source: vLLM
// model_executor/models/nemotron_h.py (NemotronHPuzzleForCausalLM).
void read_nemotron_h_puzzle(ConfigParts& parts) {
  read_outer(parts);
  domain::Model& model = parts.model();
  model.rope = {};
  const std::vector<PuzzleBlock> blocks = read_puzzle_blocks(parts, "block_configs");
  if (blocks.empty()) {
    parts.fields().complain("block_configs", "block_configs lists no layers",
                            "block_configs must say what every layer is");
    return;
  }
  // The same said a second time.
  static_cast<void>(parts.fields().given("layers_block_type"));
  static_cast<void>(parts.fields().given("hybrid_override_pattern"));
  parts.from_config("layers");
  model.layers = puzzle_layers(parts, blocks);
  const std::int64_t further =
      parts.fields().integer("num_nextn_predict_layers", kFewBlocks).value_or(0);
  const std::vector<PuzzleBlock> further_blocks = read_puzzle_blocks(parts, "mtp_block_configs");
  if (further == 0 || further_blocks.empty()) return;
  model.multi_token_prediction =
      further_tokens(puzzle_layers(parts, further_blocks), further, model.hidden_size);
  parts.from_config("multiTokenPrediction");
}

void read_nemotron_h(ConfigParts& parts) {
  read_outer(parts);
  domain::Model& model = parts.model();
  model.rope = {};  // its attention has no positions
  const std::vector<Block> blocks =
      read_blocks(parts, "hybrid_override_pattern", "layers_block_type");
  const auto count =
      parts.fields().integer("num_hidden_layers", {.least = 1, .most = kLayers.most});
  if (blocks.empty() || (count && static_cast<std::size_t>(*count) != blocks.size())) {
    parts.fields().complain(
        "hybrid_override_pattern",
        fmt::format("hybrid_override_pattern lists {} layers of {}", blocks.size(),
                    count.value_or(0)),
        "hybrid_override_pattern or layers_block_type must say what every layer is");
    return;
  }
  parts.from_config("layers");
  model.layers = layers_of(parts, blocks);
  const std::int64_t further =
      parts.fields().integer("num_nextn_predict_layers", kFewBlocks).value_or(0);
  const std::vector<Block> further_blocks =
      read_blocks(parts, "mtp_hybrid_override_pattern", "mtp_layers_block_type");
  if (further == 0 || further_blocks.empty()) return;
  model.multi_token_prediction =
      further_tokens(layers_of(parts, further_blocks), further, model.hidden_size);
  parts.from_config("multiTokenPrediction");
}

namespace {

// Of `ffn_mult`: two thirds of so many hidden sizes, and up to a multiple of 256.
std::int64_t network_width(double multiple, std::int64_t hidden_size) {
  const auto width = static_cast<std::int64_t>(2 * multiple * static_cast<double>(hidden_size) / 3);
  return (width + 255) / 256 * 256;
}

void read_block_attention(document::Reader& reader, const ConfigParts& parts, std::int64_t heads,
                          domain::Layer& layer) {
  const Fields fields(reader);
  layer.attention.kind = domain::LayerKind::None;
  if (fields.boolean("no_op").value_or(false)) {
    layer.norms -= 1;
    return;
  }
  if (fields.boolean("replace_with_linear").value_or(false)) {
    layer.extra.push_back({.name = "self_attn.linear_attn",
                           .rows = parts.model().hidden_size,
                           .columns = parts.model().hidden_size,
                           .is_linear = true});
    return;
  }
  for (const char* field : {"sparsify", "unshifted_sink", "num_sink_tokens"}) {
    const document::Node* node = fields.node(field);
    if (node != nullptr && (!node->is(document::Node::Kind::Boolean) || node->boolean()))
      fields.complain(field, fmt::format("'{}' in an attention block is not understood", field));
  }
  domain::Attention& attention = layer.attention;
  attention.kind = domain::LayerKind::Full;
  attention.heads = heads;
  attention.kv_heads =
      std::max<std::int64_t>(1, heads / fields.required_integer("n_heads_in_group", kHeads));
  attention.head_dim = std::max<std::int64_t>(1, parts.model().hidden_size / heads);
  attention.value_head_dim = attention.head_dim;
  if (const auto window = fields.integer("window_length", kContextTokens))
    layer = sliding(layer, *window);
}

void read_block_network(document::Reader& reader, const ConfigParts& parts, domain::Layer& layer) {
  const Fields fields(reader);
  const std::int64_t hidden_size = parts.model().hidden_size;
  if (fields.boolean("no_op").value_or(false)) {
    layer.norms -= 1;
  } else if (fields.boolean("replace_with_linear").value_or(false)) {
    layer.extra.push_back(
        {.name = "mlp.linear_mlp", .rows = hidden_size, .columns = hidden_size, .is_linear = true});
  } else if (const auto width = fields.integer("intermediate_size", kWidth)) {
    layer.feed_forward.width = *width;
  } else if (const auto multiple = fields.number("ffn_mult", {.least = 0.001, .most = 1'000})) {
    layer.feed_forward.width = network_width(*multiple, hidden_size);
  } else {
    reader.complain(std::string("a block's ffn has neither ffn_mult nor intermediate_size"));
  }
}

}  // namespace

void read_nemotron_nas(ConfigParts& parts) {
  read_outer(parts);
  const std::int64_t count = read_layer_count(parts);
  const std::int64_t heads = parts.size({"num_attention_heads"}, "attentionHeads", kHeads);
  std::vector<document::Reader> blocks = parts.fields().given("block_configs")
                                             ? parts.fields().reader().mappings("block_configs")
                                             : std::vector<document::Reader>{};
  if (blocks.size() != static_cast<std::size_t>(count)) {
    parts.fields().complain(
        "block_configs", fmt::format("block_configs lists {} layers of {}", blocks.size(), count));
    return;
  }
  for (const char* fact : {"kvHeads", "feedForwardWidth"}) parts.from_config(fact);
  for (document::Reader& block : blocks) {
    const Fields fields(block);
    domain::Layer layer;
    if (auto attention = block.required_mapping("attention"))
      read_block_attention(*attention, parts, heads, layer);
    if (auto network = block.required_mapping("ffn")) read_block_network(*network, parts, layer);
    add_layer(parts, layer);
  }
  read_rotary_dim(parts, std::max<std::int64_t>(1, parts.model().hidden_size / heads));
}

}  // namespace gpushape::catalog
