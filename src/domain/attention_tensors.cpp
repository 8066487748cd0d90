// What one attention holds. Sources: the classes of transformers (LlamaAttention and its kin),
// "DeepSeek-V2" (arXiv 2405.04434) for latents, DeepSeek's published inference code for the indexer
// and for compressed attention; what lies in one allocation is as vLLM's layers create it.
#include "domain/tensor_list.hpp"

namespace gpushape::domain {
namespace {

struct Names {
  std::string_view q, k, v, o, q_bias, k_bias, v_bias, o_bias;
};
constexpr Names kSelf{.q = "self_attn.q_proj",
                      .k = "self_attn.k_proj",
                      .v = "self_attn.v_proj",
                      .o = "self_attn.o_proj",
                      .q_bias = "self_attn.q_proj.bias",
                      .k_bias = "self_attn.k_proj.bias",
                      .v_bias = "self_attn.v_proj.bias",
                      .o_bias = "self_attn.o_proj.bias"};
constexpr Names kCross{.q = "encoder_attn.q_proj",
                       .k = "encoder_attn.k_proj",
                       .v = "encoder_attn.v_proj",
                       .o = "encoder_attn.out_proj",
                       .q_bias = "encoder_attn.q_proj.bias",
                       .k_bias = "encoder_attn.k_proj.bias",
                       .v_bias = "encoder_attn.v_proj.bias",
                       .o_bias = "encoder_attn.out_proj.bias"};

constexpr auto kPart = TensorPart::Attention;

// One matrix of each of so many experts.
void add_expert_matrix(TensorList& list, std::string_view name, std::int64_t experts,
                       std::int64_t rows, std::int64_t columns) {
  Tensor& added = list.matrix(name, kPart, rows, columns, Split::Experts);
  added.copies = experts;
  added.expert_split = Split::Rows;
  added.is_linear = true;
}

// JetMoE: a token's experts share its keys and values, and each has as many queries as there are
// KV heads. Source: JetMoeMoA and JetMoeAttention of transformers.
void add_query_experts(TensorList& list, const Attention& attention, std::int64_t hidden_size) {
  const std::int64_t key = attention.kv_heads * attention.head_dim;
  list.linear("self_attention.kv_proj", kPart, 2 * key, hidden_size, Split::KvRows).heads =
      2 * attention.kv_heads;
  list.matrix("self_attention.experts.router", TensorPart::Router, attention.query_experts,
              hidden_size, Split::None);
  add_expert_matrix(list, "self_attention.experts.input_linear", attention.query_experts, key,
                    hidden_size);
  add_expert_matrix(list, "self_attention.experts.output_linear", attention.query_experts,
                    hidden_size, key);
  list.vector("self_attention.experts.bias", kPart, hidden_size);
}

void add_head_norms(TensorList& list, const Attention& attention) {
  if (attention.head_norm == HeadNorm::None) return;
  const bool is_each = attention.head_norm == HeadNorm::Each;
  list.vector("self_attn.q_norm", TensorPart::Norm,
              attention.head_dim * (is_each ? attention.heads : 1));
  list.vector("self_attn.k_norm", TensorPart::Norm,
              attention.head_dim * (is_each ? attention.kv_heads : 1));
}

// MiniMax M3: the indexer of multi-head attention chooses blocks of tokens.
void add_block_indexer(TensorList& list, const Indexer& indexer, std::int64_t hidden_size) {
  if (indexer.is_shared) return;
  list.linear("self_attn.index_q_proj", kPart, indexer.heads * indexer.head_dim, hidden_size,
              Split::KvRows)
      .heads = indexer.heads;
  list.linear("self_attn.index_k_proj", kPart, indexer.head_dim, hidden_size, Split::None);
  list.vector("self_attn.index_q_norm", TensorPart::Norm, indexer.head_dim);
  list.vector("self_attn.index_k_norm", TensorPart::Norm, indexer.head_dim);
}

void add_multi_head(TensorList& list, const Attention& attention, std::int64_t hidden_size,
                    bool is_cross) {
  const Names& names = is_cross ? kCross : kSelf;
  const std::string_view fused = is_cross ? "cross_qkv" : "qkv";
  const std::string_view fused_bias = is_cross ? "cross_qkv_bias" : "qkv_bias";
  const bool gates_values = attention.output_gate == OutputGate::Value;
  const std::int64_t query = attention.heads * attention.head_dim +
                             (gates_values ? attention.heads * attention.value_head_dim : 0);
  const std::int64_t key = attention.kv_heads * attention.head_dim;
  const std::int64_t value = attention.kv_heads * attention.value_head_dim;
  if (attention.query_rank > 0) {
    // Step3: what is narrow is one matrix, and no rank holds less than all of it.
    list.linear("self_attn.q_down_proj", kPart, attention.query_rank, hidden_size, Split::None,
                fused);
    list.vector("self_attn.inter_norm", TensorPart::Norm, attention.query_rank);
    list.linear(names.q, kPart, query, attention.query_rank, Split::Rows);
  } else {
    list.linear(names.q, kPart, query, hidden_size, Split::Rows, fused);
  }
  list.linear(names.k, kPart, key, hidden_size, Split::KvRows, fused).heads = attention.kv_heads;
  if (!attention.value_is_key)
    list.linear(names.v, kPart, value, hidden_size, Split::KvRows, fused).heads =
        attention.kv_heads;
  if (attention.qkv_bias) {
    list.vector(names.q_bias, kPart, query, Split::Rows, fused_bias);
    if (attention.key_has_bias)
      list.vector(names.k_bias, kPart, key, Split::KvRows, fused_bias).heads = attention.kv_heads;
    if (!attention.value_is_key)
      list.vector(names.v_bias, kPart, value, Split::KvRows, fused_bias).heads = attention.kv_heads;
  }
  list.linear(names.o, kPart, hidden_size, attention.heads * attention.value_head_dim,
              Split::Columns);
  if (attention.output_bias) list.vector(names.o_bias, kPart, hidden_size);
  add_head_norms(list, attention);
  if (attention.indexer) add_block_indexer(list, *attention.indexer, hidden_size);
}

// The indexer reads the query's latent where there is one. Its key is cached, one for all heads,
// so no rank holds less than all of it.
void add_indexer(TensorList& list, const Attention& attention, std::int64_t hidden_size) {
  const Indexer& indexer = *attention.indexer;
  if (indexer.is_shared) return;
  const std::int64_t query_rank = attention.latent && attention.latent->query_rank > 0
                                      ? attention.latent->query_rank
                                      : hidden_size;
  list.linear("self_attn.indexer.wq_b", kPart, indexer.heads * indexer.head_dim, query_rank,
              Split::None);
  if (attention.kind == LayerKind::Compressed) {
    list.matrix("self_attn.indexer.weights_proj", kPart, indexer.heads, hidden_size, Split::None);
    return;
  }
  list.linear("self_attn.indexer.wk", kPart, indexer.head_dim, hidden_size, Split::None);
  list.vector("self_attn.indexer.k_norm", TensorPart::Norm, indexer.head_dim);
  list.vector("self_attn.indexer.k_norm.bias", TensorPart::Norm, indexer.head_dim);
  list.matrix("self_attn.indexer.weights_proj", kPart, indexer.heads, hidden_size, Split::None);
}

void add_latent(TensorList& list, const Attention& attention, std::int64_t hidden_size) {
  const Latent& latent = *attention.latent;
  const std::int64_t query = attention.heads * attention.head_dim;
  const std::int64_t unrotated = attention.head_dim - latent.rope_dim;
  const std::string_view fused = latent.query_rank > 0 ? "qkv_a" : "";
  if (latent.query_rank > 0)
    list.linear("self_attn.q_a_proj", kPart, latent.query_rank, hidden_size, Split::None, fused);
  list.linear("self_attn.kv_a_proj_with_mqa", kPart, latent.kv_rank + latent.rope_dim, hidden_size,
              Split::None, fused);
  if (attention.qkv_bias) {
    if (latent.query_rank > 0)
      list.vector("self_attn.q_a_proj.bias", kPart, latent.query_rank, Split::None, "qkv_a_bias");
    list.vector("self_attn.kv_a_proj_with_mqa.bias", kPart, latent.kv_rank + latent.rope_dim,
                Split::None, latent.query_rank > 0 ? "qkv_a_bias" : "");
  }
  if (latent.query_rank > 0) {
    list.vector("self_attn.q_a_layernorm", TensorPart::Norm, latent.query_rank);
    list.linear("self_attn.q_b_proj", kPart, query, latent.query_rank, Split::Rows);
  } else {
    list.linear("self_attn.q_proj", kPart, query, hidden_size, Split::Rows);
  }
  list.vector("self_attn.kv_a_layernorm", TensorPart::Norm, latent.kv_rank);
  list.linear("self_attn.kv_b_proj", kPart,
              attention.heads * (unrotated + attention.value_head_dim), latent.kv_rank,
              Split::Rows);
  list.linear("self_attn.o_proj", kPart, hidden_size, attention.heads * attention.value_head_dim,
              Split::Columns);
  if (attention.output_bias) list.vector("self_attn.o_proj.bias", kPart, hidden_size);
  if (attention.indexer) add_indexer(list, attention, hidden_size);
}

// A compressor turns `ratio` tokens into one entry of `width` values. Entries of four tokens
// overlap with their neighbours, which doubles its projections.
struct CompressorNames {
  std::string_view position, kv, gate, norm, fused;
};
constexpr CompressorNames kMain{.position = "self_attn.compressor.ape",
                                .kv = "self_attn.compressor.wkv",
                                .gate = "self_attn.compressor.wgate",
                                .norm = "self_attn.compressor.norm",
                                .fused = "compressor"};
constexpr CompressorNames kOfIndexer{.position = "self_attn.indexer.compressor.ape",
                                     .kv = "self_attn.indexer.compressor.wkv",
                                     .gate = "self_attn.indexer.compressor.wgate",
                                     .norm = "self_attn.indexer.compressor.norm",
                                     .fused = "indexer_compressor"};
constexpr std::int64_t kOverlappingRatio = 4;

// Whole groups are pooled by gates; a group of one token needs none.
void add_pooling(TensorList& list, const Compression& compression, std::int64_t width,
                 std::int64_t hidden_size) {
  const std::string_view fused = compression.ratio > 1 ? kMain.fused : "";
  list.matrix(kMain.kv, kPart, width, hidden_size, Split::None, fused);
  if (compression.ratio > 1) list.matrix(kMain.gate, kPart, width, hidden_size, Split::None, fused);
  list.vector(kMain.norm, TensorPart::Norm, width);
}

void add_keys_of_entries(TensorList& list, const Attention& attention) {
  const Indexer& indexer = *attention.indexer;
  if (indexer.borrows_keys) return;
  list.matrix("self_attn.indexer.wk", kPart, indexer.head_dim, attention.head_dim, Split::None);
  list.vector("self_attn.indexer.k_norm", TensorPart::Norm, indexer.head_dim);
}

void add_compressor(TensorList& list, const CompressorNames& names, std::int64_t ratio,
                    std::int64_t width, std::int64_t hidden_size) {
  const std::int64_t rows = ratio == kOverlappingRatio ? 2 * width : width;
  list.matrix(names.position, kPart, ratio, rows, Split::None).is_float32 = true;
  list.matrix(names.kv, kPart, rows, hidden_size, Split::None, names.fused);
  list.matrix(names.gate, kPart, rows, hidden_size, Split::None, names.fused);
  list.vector(names.norm, TensorPart::Norm, width);
}

void add_compressed(TensorList& list, const Attention& attention, std::int64_t hidden_size) {
  const Compression& compression = *attention.compression;
  const std::int64_t query_rank = attention.latent ? attention.latent->query_rank : 0;
  const std::int64_t query = attention.heads * attention.head_dim;
  if (query_rank > 0)
    list.linear("self_attn.wq_a", kPart, query_rank, hidden_size, Split::None, "qkv_a");
  list.linear("self_attn.wkv", kPart, attention.head_dim, hidden_size, Split::None,
              query_rank > 0 ? "qkv_a" : "");
  if (query_rank > 0) {
    list.vector("self_attn.q_norm", TensorPart::Norm, query_rank);
    list.linear("self_attn.wq_b", kPart, query, query_rank, Split::Rows);
  } else {
    list.linear("self_attn.wq", kPart, query, hidden_size, Split::Rows);
  }
  list.vector("self_attn.kv_norm", TensorPart::Norm, attention.head_dim);
  if (compression.output_rank > 0 && compression.output_groups > 0) {
    const std::int64_t rank = compression.output_rank * compression.output_groups;
    list.linear("self_attn.wo_a", kPart, rank, query / compression.output_groups, Split::Rows);
    list.linear("self_attn.wo_b", kPart, hidden_size, rank, Split::Columns);
  } else {
    list.linear("self_attn.wo", kPart, hidden_size, query, Split::Columns);
  }
  const bool has_indexer = attention.indexer && !attention.indexer->is_shared;
  if (compression.pools_groups) {
    if (has_indexer) {
      add_indexer(list, attention, hidden_size);
      add_keys_of_entries(list, attention);
    }
    if (compression.ratio > 0 && !compression.is_shared)
      add_pooling(list, compression, attention.head_dim, hidden_size);
    return;
  }
  if (compression.ratio > 0)
    add_compressor(list, kMain, compression.ratio, attention.head_dim, hidden_size);
  if (has_indexer) {
    add_indexer(list, attention, hidden_size);
    add_compressor(list, kOfIndexer, compression.ratio, attention.indexer->head_dim, hidden_size);
  }
}

}  // namespace

void add_attention(TensorList& list, const Attention& attention, std::int64_t hidden_size,
                   bool is_cross) {
  if (attention.heads == 0 || attention.borrows_weights) return;
  if (attention.compression) {
    add_compressed(list, attention, hidden_size);
  } else if (attention.latent) {
    add_latent(list, attention, hidden_size);
  } else if (attention.query_experts > 0) {
    add_query_experts(list, attention, hidden_size);
  } else {
    add_multi_head(list, attention, hidden_size, is_cross);
  }
  // Multi-head attention has its gate in q_proj; latent attention in a projection of its own.
  if (attention.output_gate == OutputGate::Value && attention.latent)
    list.linear("self_attn.g_proj", kPart, attention.heads * attention.value_head_dim, hidden_size,
                Split::Rows);
  if (attention.output_gate == OutputGate::Head)
    list.linear("self_attn.g_proj", kPart, attention.heads, hidden_size, Split::Rows);
  if (attention.has_sinks)
    list.vector("self_attn.sinks", kPart, attention.heads, Split::Rows).is_float32 =
        attention.compression.has_value();
}

}  // namespace gpushape::domain
