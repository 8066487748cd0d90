// Compressed attention (DeepSeek-V4) before its output is projected: the queries, the output that
// the kernel writes into, and both padded to the heads that it takes; the indexer's queries in 16
// bits and in 8; and what stands beside the layer, the residual's streams.
//
//   attention = T (headDim (q + padded) + 3/2 indexerHeads indexerDim + residualStreams streams h
//               + forwardHidden h) dtypeBytes
//
// with q the rank's heads, twice where they are padded: queries are made, and then padded. Kernels
// take 64 heads, or 128 where a rank has more than 64. With the experts' workspace,
// DeepSeek-V4-Flash by 0.26.0 peaks at 2.99 GiB in steps of 8,192 tokens on one B300
// (https://github.com/johnpfeiffer/source.johnpfeiffer.github.io). Source: vLLM
// models/deepseek_v4/attention.py (o_padded, padded_heads; a profile pads the queries, too).
#include <algorithm>

#include "estimate/terms/activation.hpp"

namespace gpushape::estimate::terms {
namespace {

constexpr double kInTwoFormats = 1.5;  ///< 16 bits and 8, in values of 16

/// Values of one token on this rank.
struct CompressedParts {
  double attention = 0;
  double indexer = 0;
};

double kernel_heads(double heads, double unit) {
  if (heads <= unit) return unit;
  return std::max(heads, 2 * unit);
}

CompressedParts parts_of(const domain::Layer& layer, const Step& step) {
  CompressedParts parts;
  const domain::Attention& attention = layer.attention;
  if (attention.kind != domain::LayerKind::Compressed) return parts;
  const double heads = static_cast<double>(attention.heads) / step.ranks;
  const double padded =
      kernel_heads(heads, step.situation->plan->facts.expected("attentionHeadUnit"));
  const double queries = heads + (padded > heads ? padded : 0);
  parts.attention = static_cast<double>(attention.head_dim) * (queries + padded);
  if (attention.indexer) {
    parts.indexer = kInTwoFormats * static_cast<double>(attention.indexer->heads) *
                    static_cast<double>(attention.indexer->head_dim);
  }
  return parts;
}

CompressedParts widest_attention(const Step& step) {
  CompressedParts widest;
  each_run(*step.situation->plan->model, step.situation->stage,
           [&](const domain::Layer& layer, std::int64_t) {
             const CompressedParts parts = parts_of(layer, step);
             if (parts.attention + parts.indexer > widest.attention + widest.indexer)
               widest = parts;
           });
  return widest;
}

}  // namespace

// Engines whose kernels are not known have no `attentionHeadUnit`.
Spread compressed_peak(const Step& step) {
  if (step.situation->plan->facts.find("attentionHeadUnit") == nullptr) return {};
  const CompressedParts parts = widest_attention(step);
  if (parts.attention <= 0) return {};
  return certain(step.tokens * (parts.attention + parts.indexer) * step.dtype) +
         hidden_tensors(step);
}

void explain_compressed(const Step& step, domain::Term& term) {
  const CompressedParts parts = widest_attention(step);
  term.formula = "batchedTokens x (attentionValues + indexerValues) x dtypeBytes";
  term.inputs = {{"batchedTokens", whole(step.tokens)},
                 {"attentionValues", whole(parts.attention)},
                 {"indexerValues", whole(parts.indexer)},
                 {"dtypeBytes", whole(step.dtype)}};
  explain_hidden_tensors(step, term);
  term.source = step.situation->plan->facts.source("attentionHeadUnit");
}

}  // namespace gpushape::estimate::terms
