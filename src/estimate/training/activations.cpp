#include "estimate/training/activations.hpp"

#include <algorithm>

namespace gpushape::estimate {
namespace {

using domain::AdapterModules;
using domain::Attention;
using domain::Checkpointing;
using domain::Layer;
using domain::TrainingMethod;

double number(std::int64_t count) { return static_cast<double>(count); }

/// Bytes that every rank of tensor parallelism has, and that they share.
struct ActivationSplit {
  Spread copied;
  Spread shared;
};

struct Widths {
  double query = 0;
  double key = 0;
  double value = 0;
  double output = 0;
  double latent = 0;
};

Widths widths_of(const Attention& attention) {
  Widths widths;
  const double heads = number(attention.heads);
  widths.query = heads * number(attention.head_dim);
  widths.output = heads * number(attention.value_head_dim);
  if (attention.latent) {
    // Training unfolds keys and values; the latents are kept beside them.
    widths.key = widths.query;
    widths.value = widths.output;
    widths.latent = number(attention.latent->query_rank) + 2 * number(attention.latent->kv_rank);
    return widths;
  }
  widths.key = number(attention.kv_heads) * number(attention.head_dim);
  widths.value = number(attention.kv_heads) * number(attention.value_head_dim);
  return widths;
}

/// Share of the inputs of frozen layers that is kept: none, but for kernels of packed weights that
/// keep them all the same.
double frozen_share(const ActivationBasis& basis) {
  return basis.training->method == TrainingMethod::Qlora ? basis.facts->expected("packedInputs")
                                                         : 0;
}
/// Of the inputs of attention's layers, and of the feed-forward network's.
double attention_share(const ActivationBasis& basis) {
  const bool is_trained = basis.training->method == TrainingMethod::Full ||
                          basis.adapters.modules != AdapterModules::FeedForward;
  return is_trained ? 1 : frozen_share(basis);
}
double feed_forward_share(const ActivationBasis& basis) {
  const bool is_trained = basis.training->method == TrainingMethod::Full ||
                          basis.adapters.modules == AdapterModules::All ||
                          basis.adapters.modules == AdapterModules::FeedForward;
  return is_trained ? 1 : frozen_share(basis);
}

void add_attention(const ActivationBasis& basis, const Attention& attention,
                   ActivationSplit& split) {
  if (attention.heads <= 0) return;
  const TrainingPlan& training = *basis.training;
  const double d = number(training.activation_bytes());
  const Widths widths = widths_of(attention);
  split.copied += certain(attention_share(basis) * d * number(basis.model->hidden_size));
  split.copied += certain(d * widths.latent);
  split.shared += certain(d * (widths.query + widths.key + widths.value + widths.output));
  constexpr double kNormBytes = 4;  // in 32 bits, as other norms
  if (attention.head_norm != domain::HeadNorm::None)
    split.shared += certain(kNormBytes * (widths.query + widths.key));
  if (training.flash_attention) return;
  const double window = attention.window_tokens > 0
                            ? std::min(number(attention.window_tokens), number(training.sequence))
                            : number(training.sequence);
  split.shared += basis.facts->value("scoreBytes") * (number(attention.heads) * window);
  // Grouped heads are unfolded for the plain kernel.
  split.shared += certain(d * (widths.query - widths.key + widths.output - widths.value));
}

/// Projections, the convolution's output and the gates of a mixer with a state; the states at
/// chunks' borders are small beside them.
void add_recurrent(const ActivationBasis& basis, const domain::Recurrent& mixer,
                   ActivationSplit& split) {
  const double d = number(basis.training->activation_bytes());
  const double values =
      mixer.inner > 0 ? number(mixer.inner) : number(mixer.value_heads) * number(mixer.value_dim);
  const double beside = std::max(2 * number(mixer.key_heads) * number(mixer.key_dim),
                                 2 * number(mixer.groups) * number(mixer.state));
  split.copied += certain(d * number(basis.model->hidden_size));
  split.shared += certain(d * (6 * values + 3 * beside));
}

double network_values(const ActivationBasis& basis, double width, bool is_gated) {
  return ((is_gated ? 3 : 1) + feed_forward_share(basis)) * width;
}

void add_feed_forward(const ActivationBasis& basis, const domain::FeedForward& network,
                      ActivationSplit& split) {
  const double d = number(basis.training->activation_bytes());
  const double hidden = number(basis.model->hidden_size);
  split.copied += certain(feed_forward_share(basis) * d * hidden);
  if (network.width > 0)
    split.shared += certain(d * network_values(basis, number(network.width), network.gated));
  if (!network.experts) return;
  const domain::Experts& experts = *network.experts;
  const double routed = number(experts.active);
  const double inner =
      experts.latent_width > 0 ? number(experts.latent_width) : hidden;  // of experts' input
  // Each token is copied to its experts, and what comes back is weighted.
  const double ends = (1 + feed_forward_share(basis)) * inner;
  split.shared +=
      certain(d * routed * (network_values(basis, number(experts.width), experts.is_gated) + ends));
  split.shared +=
      certain(d * network_values(basis, number(experts.shared_width), experts.is_gated));
  constexpr double kRouterBytes = 8;  // logits and weights in 32 bits
  split.copied += certain(kRouterBytes * number(experts.count));
}

/// Copies that adapters make of their inputs (their own type, dropout), and their narrow results.
Spread adapter_copies(const ActivationBasis& basis) {
  if (!basis.training->has_adapters()) return {};
  return basis.facts->value("adapterInputBytes") * (basis.adapter_inputs / basis.tensor_parallel);
}

Spread on_rank(const ActivationBasis& basis, const ActivationSplit& split) {
  const double sharers = basis.training->sequence_parallel ? basis.tensor_parallel : 1;
  return split.copied * (1 / sharers) + split.shared * (1 / basis.tensor_parallel);
}

/// Results of matrix products: half of them are kept by the policy that keeps every second.
Spread kept_selected(const ActivationBasis& basis, const Layer& layer) {
  const double d = number(basis.training->activation_bytes());
  const double hidden = number(basis.model->hidden_size);
  ActivationSplit split;
  split.copied = certain(d * hidden);
  const Spread share = basis.facts->value("selectiveShare");
  if (layer.attention.heads > 0) {
    const Widths widths = widths_of(layer.attention);
    split.shared += certain(d * widths.output);
    split.shared += share * (d * (widths.query + widths.key + widths.value));
    split.copied += share * (d * hidden);
  }
  if (layer.recurrent) add_recurrent(basis, *layer.recurrent, split);
  const domain::FeedForward& network = layer.feed_forward;
  double products = (network.gated ? 2 : 1) * number(network.width);
  if (network.experts) {
    const domain::Experts& experts = *network.experts;
    const double first = (experts.is_gated ? 2 : 1);
    products += number(experts.active) * (first * number(experts.width) + hidden) +
                first * number(experts.shared_width);
  }
  split.shared += share * (d * products);
  split.copied += share * (d * hidden);
  return on_rank(basis, split);
}

}  // namespace

Spread kept_whole(const ActivationBasis& basis, const Layer& layer) {
  const double hidden = number(basis.model->hidden_size);
  ActivationSplit split;
  const Spread norm = layer.norm_bias ? certain(number(basis.training->activation_bytes()))
                                      : basis.facts->value("normBytes");
  split.copied += norm * (number(layer.norms) * hidden);
  add_attention(basis, layer.attention, split);
  if (layer.cross_attention) add_attention(basis, *layer.cross_attention, split);
  if (layer.recurrent) add_recurrent(basis, *layer.recurrent, split);
  add_feed_forward(basis, layer.feed_forward, split);
  return on_rank(basis, split) + adapter_copies(basis);
}

Spread kept(const ActivationBasis& basis, const Layer& layer) {
  switch (basis.training->checkpointing) {
    case Checkpointing::None:
      return kept_whole(basis, layer);
    case Checkpointing::Selective:
      return kept_selected(basis, layer);
    case Checkpointing::Full:
      break;
  }
  ActivationSplit split;
  split.copied =
      certain(number(basis.training->activation_bytes()) * number(basis.model->hidden_size));
  return on_rank(basis, split);
}

double working(const ActivationBasis& basis, const Layer& layer) {
  const double d = number(basis.training->activation_bytes());
  const domain::FeedForward& network = layer.feed_forward;
  double widest = number(network.width);
  if (network.experts)
    widest = std::max(widest, number(network.experts->active) * number(network.experts->width));
  return d * (2 * widest / basis.tensor_parallel + 2 * number(basis.model->hidden_size));
}

}  // namespace gpushape::estimate
