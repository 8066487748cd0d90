// The weights of the model that proposes tokens. It stands whole beside the last stage, shared by
// the ranks as the large model is; its layers' cache lies in the same pool, and its step is smaller
// than the large model's. A head for speculation (EAGLE) works with the large model's embedding.
// Source: vLLM v1/spec_decode (eagle.py, draft_model.py), spec_decode/spec_decode_worker.py.
#include <cstdint>
#include <string>

#include "estimate/terms.hpp"
#include "estimate/weights_layout.hpp"

namespace gpushape::estimate::terms {
namespace {

LoadedWeights weights_of(const Situation& situation) {
  const PlannedDraft& draft = situation.plan->draft;
  const bool is_head = is_draft_head(*draft.model);
  const Stage whole{.layers = layer_count(*draft.model),
                    .has_embedding = !is_head,
                    .has_head = !is_head || !draft.model->tied_embeddings};
  return load_weights(*draft.model, draft.weights, whole);
}

/// A head that proposes blocks has the matrices of keys and values of all its layers once more, in
/// one.
Bytes fused_keys(const Situation& situation) {
  const PlannedDraft& draft = situation.plan->draft;
  const bool is_fused = domain::is_block_draft(draft.model->architecture) &&
                        situation.plan->facts.expected("draftKeysFused") != 0;
  if (!is_fused) return {};
  std::int64_t rows = 0;
  for (const domain::LayerRun& run : draft.model->layers) {
    const domain::Attention& attention = run.layer.attention;
    rows += run.count * kv_heads_on_rank(attention, draft.weights.tensor_parallel) *
            (attention.head_dim + attention.value_head_dim);
  }
  return Bytes(rows * draft.model->hidden_size * draft.weights.dtype_bytes);
}

}  // namespace

bool has_draft(const Situation& situation) {
  return situation.plan->draft.model != nullptr && situation.stage.has_head;
}

Spread draft_bytes(const Situation& situation) {
  const auto bytes =
      static_cast<double>((weights_of(situation).allocated + fused_keys(situation)).count());
  const Spread known = situation.plan->facts.value("weightsRatio") * bytes;
  const auto& doubt = situation.plan->draft.model->weights.doubt;
  if (!doubt) return known;
  return scaled(known, {1 - doubt->less, 1, 1 + doubt->more});
}

void describe_draft(const Situation& situation, domain::Term& term) {
  const PlannedDraft& draft = situation.plan->draft;
  const LoadedWeights loaded = weights_of(situation);
  term.formula = "tensorBytes + rotaryBytes + allocatorBytes";
  term.inputs = {
      {"tensorBytes", loaded.tensors.count()},
      {"rotaryBytes", loaded.rotary.count()},
      {"allocatorBytes", (loaded.allocated - loaded.tensors - loaded.rotary).count()},
      {"draftModel", draft.model->id},
      {"layers", layer_count(*draft.model)},
      {"tensorParallel", draft.weights.tensor_parallel},
  };
  term.source = situation.plan->facts.source("weightsRatio");
  if (const Bytes fused = fused_keys(situation); fused > Bytes(0)) {
    term.formula += " + fusedBytes";
    term.inputs.push_back({"fusedBytes", fused.count()});
    term.source += "; " + situation.plan->facts.source("draftKeysFused");
  }
}

}  // namespace gpushape::estimate::terms
