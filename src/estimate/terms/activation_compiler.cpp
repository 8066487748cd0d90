// What the compiler takes while it measures fused kernels in a start that finds no compiled graphs:
// inputs of its own as large as the model's. The largest are the tables that tokens are looked up
// in, and those are inputs of a graph that takes tokens, not of one that takes the embeddings which
// text and images make together.
//
//   compiler = compilerCopies x tables + compilerBuffers
//
// Sources: https://github.com/local-inference-lab/rtx6kpro/pull/87, where Inductor's measurements
// copy a whole table; PyTorch torch/_inductor, benchmark_combo_kernel, whose get_args makes every
// input anew; https://github.com/vllm-project/vllm/pull/54209 and /issues/54383 on cold caches.
#include "domain/model.hpp"
#include "estimate/terms/activation.hpp"

namespace gpushape::estimate::terms {
namespace {

/// vLLM compiles encoders from the first layer on, behind the tables:
/// model_executor/models/bert.py.
bool is_encoder(const domain::Model& model) {
  return std::ranges::all_of(model.layers, [](const domain::LayerRun& run) {
    return run.layer.attention.kind == domain::LayerKind::None && run.layer.attention.heads > 0;
  });
}

/// Text alone: images and sound reach the layers as embeddings, from a tower or without one.
bool reads_tokens(const Plan& plan) {
  const domain::Model& model = *plan.model;
  if (!model.towers.empty()) return !plan.weights.loads_towers;
  return model.role != domain::Role::Vision && model.role != domain::Role::Speech;
}

}  // namespace

double token_tables(const Step& step) {
  const Plan& plan = *step.situation->plan;
  const domain::Model& model = *plan.model;
  if (plan.enforce_eager || !reads_tokens(plan) || is_encoder(model)) return 0;
  if (!step.situation->stage.has_embedding) return 0;
  double values = step.vocabulary * static_cast<double>(domain::embedding_columns(model));
  for (const domain::ExtraTensor& tensor : model.extra) {
    const bool is_table = tensor.is_dealt_out && !tensor.is_linear && tensor.columns > 0;
    if (is_table) values += static_cast<double>(tensor.rows * tensor.columns);
  }
  return values * step.dtype / step.ranks;
}

Spread compiler_peak(const Step& step) {
  const Facts& facts = step.situation->plan->facts;
  const Spread copies = facts.value("compilerCopies");
  const double tables = token_tables(step);
  if (tables <= 0 || copies == Spread{}) return {};
  return copies * tables + facts.value("compilerBuffers");
}

void explain_compiler(const Step& step, domain::Term& term) {
  const Facts& facts = step.situation->plan->facts;
  term.formula = "compilerCopies x tokenTables + compilerBuffers";
  term.inputs = {{"compilerCopies", facts.expected("compilerCopies")},
                 {"tokenTables", whole(token_tables(step))},
                 {"compilerBuffers", whole(facts.expected("compilerBuffers"))}};
  term.source = facts.source("compilerCopies");
}

}  // namespace gpushape::estimate::terms
