// What must hold of every estimate, over drawn models and workloads.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>

#include "estimate/estimate_memory.hpp"
#include "estimate/pipeline.hpp"
#include "estimate/samples.hpp"

using namespace gpushape;
using domain::Estimate;
using example::flag;

namespace {

template <class T>
T one_of(std::initializer_list<T> values) {
  return *rc::gen::elementOf(std::vector<T>(values));
}

/// A second kind of layer beside the first, or another kind in its place.
void vary_layers(domain::Model& model, int kind) {
  domain::LayerRun& first = model.layers.front();
  domain::LayerRun other = first;
  other.count = *rc::gen::inRange<std::int64_t>(1, 60);
  const auto heads = one_of<std::int64_t>({8, 16, 32});
  switch (kind) {
    case 0:
      other.layer.attention.kind = domain::LayerKind::Sliding;
      other.layer.attention.window_tokens = *rc::gen::inRange<std::int64_t>(1, 8192);
      break;
    case 1:
      other.layer.attention.kind = domain::LayerKind::Chunked;
      other.layer.attention.window_tokens = *rc::gen::inRange<std::int64_t>(1, 8192);
      break;
    case 2:
      first.layer.attention.kind = domain::LayerKind::Latent;
      first.layer.attention.latent = domain::Latent{
          .query_rank = one_of<std::int64_t>({0, 1536}), .kv_rank = 512, .rope_dim = 64};
      first.layer.attention.head_dim = 192;
      first.layer.feed_forward.experts = domain::Experts{
          .count = one_of<std::int64_t>({8, 64}), .active = 2, .width = 256, .shared_width = 512};
      return;
    case 3:
      other.layer.attention = {.kind = domain::LayerKind::Recurrent};
      other.layer.recurrent = domain::Recurrent{.kind = domain::RecurrentKind::GatedDelta,
                                                .key_heads = heads,
                                                .key_dim = 128,
                                                .value_heads = 2 * heads,
                                                .value_dim = 128,
                                                .convolution = 4};
      break;
    case 4:
      other.layer.attention = {.kind = domain::LayerKind::Recurrent};
      other.layer.recurrent = domain::Recurrent{.kind = domain::RecurrentKind::Mamba2,
                                                .value_heads = heads,
                                                .value_dim = 64,
                                                .groups = 8,
                                                .state = 128,
                                                .convolution = 4};
      break;
    case 5:
      other.layer.attention.shares_cache = true;
      break;
    case 6:
      first.layer.cross_attention = first.layer.attention;
      first.layer.cross_attention->kind = domain::LayerKind::Cross;
      first.layer.cross_attention->encoder_tokens = 1500;
      return;
    default:
      return;
  }
  model.layers.push_back(other);
}

bool has_states(const domain::Model& model) {
  return std::ranges::any_of(
      model.layers, [](const domain::LayerRun& run) { return run.layer.recurrent.has_value(); });
}

domain::Model drawn_model() {
  const auto kv_heads = one_of<std::int64_t>({2, 4, 8});
  const std::int64_t heads = kv_heads * one_of<std::int64_t>({1, 2, 4, 8});
  domain::Model model = example::model({.id = "drawn",
                                        .layers = *rc::gen::inRange<std::int64_t>(1, 90),
                                        .hidden = 64 * *rc::gen::inRange<std::int64_t>(4, 200),
                                        .heads = heads,
                                        .kv_heads = kv_heads,
                                        .head_dim = one_of<std::int64_t>({64, 80, 128}),
                                        .width = 64 * *rc::gen::inRange<std::int64_t>(8, 500),
                                        .vocabulary = *rc::gen::inRange<std::int64_t>(1000, 260000),
                                        .context = 131072,
                                        .tied = *rc::gen::arbitrary<bool>(),
                                        .qkv_bias = *rc::gen::arbitrary<bool>(),
                                        .query_key_norm = *rc::gen::arbitrary<bool>()});
  vary_layers(model, *rc::gen::inRange(0, 8));
  return model;
}

domain::Workload drawn_workload(const domain::Model& model) {
  domain::Workload workload = example::workload(*rc::gen::inRange<std::int64_t>(1, 65536),
                                                *rc::gen::inRange<std::int64_t>(1, 4096));
  workload.engine.tensor = flag(one_of<std::int64_t>({1, 2}));
  workload.engine.pipeline =
      flag(std::min<std::int64_t>(estimate::layer_count(model), one_of<std::int64_t>({1, 2, 4})));
  if (*rc::gen::arbitrary<bool>()) {
    workload.quantization = flag(one_of({domain::Quantization::Fp8, domain::Quantization::Int4,
                                         domain::Quantization::Int8, domain::Quantization::Nvfp4}));
  }
  return workload;
}

Estimate estimated(const domain::Model& model, const domain::Workload& workload) {
  const Result<Estimate> estimate =
      estimate::estimate_memory(model, workload, example::kVllm, example::h100());
  if (!estimate) RC_FAIL(to_text(estimate.error()));
  return *estimate;
}

}  // namespace

TEST_SUITE("estimate") {
  TEST_CASE("terms sum to parts, parts to the total, and bounds stay in order") {
    CHECK(rc::check([] {
      const domain::Model model = drawn_model();
      const Estimate estimate = estimated(model, drawn_workload(model));
      Bytes of_terms;
      for (const domain::Term& term : estimate.terms) {
        of_terms += term.bytes.expected;
        RC_ASSERT(term.bytes.low <= term.bytes.expected);
        RC_ASSERT(term.bytes.expected <= term.bytes.high);
      }
      Bytes of_parts;
      Bytes low;
      Bytes high;
      for (const auto& row : kNames<domain::Part>) {
        const domain::Range part = domain::part_bytes(estimate, row.value);
        of_parts += part.expected;
        low += part.low;
        high += part.high;
      }
      RC_ASSERT(of_terms == of_parts);
      RC_ASSERT(estimate.total_bytes.expected == of_parts);
      // Never wider than if every term erred to the same side (a byte of rounding a term).
      const Bytes rounding(static_cast<std::int64_t>(estimate.terms.size()));
      RC_ASSERT(estimate.total_bytes.low >= low - rounding);
      RC_ASSERT(estimate.total_bytes.high <= high + rounding);
    }));
  }

  TEST_CASE("more context, concurrency or wider KV never lowers the estimate") {
    CHECK(rc::check([] {
      const domain::Model model = drawn_model();
      domain::Workload workload = drawn_workload(model);
      const Bytes before = estimated(model, workload).total_bytes.expected;
      switch (*rc::gen::inRange(0, 3)) {
        case 0:
          // Batch settings stay: a longer context may only add to the cache.
          workload.engine.max_num_batched_tokens =
              flag(estimated(model, workload).settings.max_num_batched_tokens.value);
          workload.context_tokens->value += *rc::gen::inRange<std::int64_t>(0, 65536);
          break;
        case 1:
          workload.concurrency->value += *rc::gen::inRange<std::int64_t>(0, 4096);
          break;
        default:
          // Wider values make coarser blocks beside states, which may waste less.
          RC_PRE(!has_states(model));
          workload.kv_cache_type.value = domain::KvCacheType::Fp32;
      }
      RC_ASSERT(estimated(model, workload).total_bytes.expected >= before);
    }));
  }

  TEST_CASE("more tensor parallelism never raises the weights of a GPU") {
    CHECK(rc::check([] {
      const domain::Model model = drawn_model();
      domain::Workload workload = drawn_workload(model);
      workload.engine.pipeline->value = 1;  // else the two may speak of different stages
      workload.engine.tensor->value = 1;
      const Bytes one = domain::part_bytes(estimated(model, workload), domain::Part::Weights).high;
      workload.engine.tensor->value = 2;
      const Bytes two = domain::part_bytes(estimated(model, workload), domain::Part::Weights).high;
      RC_ASSERT(two <= one);
    }));
  }

  TEST_CASE("the GPUs of an instance hold what one would hold, and copies") {
    CHECK(rc::check([] {
      const domain::Model model = drawn_model();
      domain::Workload workload = drawn_workload(model);
      workload.engine.tensor->value = 2;
      const std::optional<domain::AllGpus> all = estimated(model, workload).all_gpus;
      RC_ASSERT(all.has_value());
      RC_ASSERT(all->gpus == 2 * workload.engine.pipeline->value);
      RC_ASSERT(all->copies >= Bytes(0));
      RC_ASSERT(all->copies < all->weights);
      RC_ASSERT(all->weights < all->total);
    }));
  }

  TEST_CASE("the same input gives the same estimate") {
    CHECK(rc::check([] {
      const domain::Model model = drawn_model();
      const domain::Workload workload = drawn_workload(model);
      RC_ASSERT(estimated(model, workload) == estimated(model, workload));
    }));
  }
}
