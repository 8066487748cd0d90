#include "render/model_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "domain/parameter_parts.hpp"
#include "render/page.hpp"
#include "render/title.hpp"
#include "render/words.hpp"

namespace gpushape::render {
namespace {

using domain::LayerKind;

// Equal layers wherever they stand: 1-based numbers of the layers beside what they hold.
struct KindOfLayer {
  const domain::Layer* layer = nullptr;
  std::int64_t count = 0;
  std::string numbers;
};

std::vector<KindOfLayer> kinds_of(const std::vector<domain::LayerRun>& runs) {
  std::vector<KindOfLayer> kinds;
  std::int64_t first = 1;
  for (const domain::LayerRun& run : runs) {
    auto found = std::ranges::find_if(
        kinds, [&](const KindOfLayer& kind) { return *kind.layer == run.layer; });
    if (found == kinds.end()) found = kinds.insert(kinds.end(), {&run.layer, 0, ""});
    found->count += run.count;
    const std::string span =
        run.count == 1 ? std::to_string(first) : fmt::format("{}-{}", first, first + run.count - 1);
    found->numbers += (found->numbers.empty() ? "" : ", ") + span;
    first += run.count;
  }
  return kinds;
}

bool attends(const domain::Attention& attention) { return attention.heads > 0; }

std::string attention_words(const domain::Attention& attention) {
  std::string text = fmt::format("{} attention, {} heads of {}", name_of(attention.kind),
                                 attention.heads, attention.head_dim);
  if (attention.latent) {
    text +=
        fmt::format(", latent of {} + {}", attention.latent->kv_rank, attention.latent->rope_dim);
  } else {
    text += ", " + counted(attention.kv_heads, "KV head");
  }
  if (attention.window_tokens > 0)
    text += fmt::format(", window of {}", grouped(attention.window_tokens));
  if (attention.shares_cache) text += ", cache of an earlier layer";
  if (attention.borrows_weights) text += ", weights of a shared block";
  return text;
}

std::string layer_words(const domain::Layer& layer) {
  std::vector<std::string> parts;
  if (attends(layer.attention)) parts.push_back(attention_words(layer.attention));
  if (layer.recurrent)
    parts.emplace_back(
        kNames<domain::RecurrentKind>[static_cast<std::size_t>(layer.recurrent->kind)].description);
  if (layer.cross_attention) parts.push_back(attention_words(*layer.cross_attention));
  if (layer.feed_forward.width > 0)
    parts.push_back(fmt::format("feed-forward of {}", grouped(layer.feed_forward.width)));
  if (layer.feed_forward.experts) {
    const domain::Experts& experts = *layer.feed_forward.experts;
    std::string text = fmt::format("{} of {} experts of {}", experts.active, experts.count,
                                   grouped(experts.width));
    if (experts.shared_width > 0) text += fmt::format(", shared {}", grouped(experts.shared_width));
    parts.push_back(text);
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

void show_tensors(Page& page, const std::vector<domain::Tensor>& tensors) {
  if (tensors.empty()) return;
  Table table;
  table.columns = {{"tensor", Align::Left}, {"shape", Align::Right}, {"parameters", Align::Right}};
  for (const domain::Tensor& tensor : tensors) {
    std::string shape = tensor.columns > 0
                            ? fmt::format("{} x {}", grouped(tensor.rows), grouped(tensor.columns))
                            : grouped(tensor.rows);
    if (tensor.copies != 1) shape = fmt::format("{} x ({})", tensor.copies, shape);
    table.rows.push_back({std::string(tensor.name), shape, grouped(tensor.values())});
  }
  page.table(table);
}

std::string compressed_words(const domain::Attention& attention) {
  const domain::Compression compression = attention.compression.value_or(domain::Compression{});
  if (compression.ratio == 0) return "of its window only";
  if (compression.is_shared) return "of its window, beside the entries of an earlier layer";
  if (compression.ratio == 1) return "one entry for each token, and its window";
  return fmt::format("one entry for {} tokens, and its window", compression.ratio);
}

// Values that one layer keeps, in the checkpoint's own terms. How an engine lays them out in pages
// is the estimate's affair.
std::string cache_words(const domain::Layer& layer) {
  const domain::Attention& attention = layer.attention;
  const std::int64_t key_value =
      attention.kv_heads *
      (attention.value_is_key ? attention.head_dim : attention.head_dim + attention.value_head_dim);
  switch (attention.kind) {
    case LayerKind::Full:
    case LayerKind::Sliding:
    case LayerKind::Chunked:
      return attention.shares_cache
                 ? "none of its own"
                 : fmt::format("{} values, {} bytes in 16 bits{}", grouped(key_value),
                               grouped(2 * key_value),
                               attention.window_tokens > 0 ? ", of its window only" : "");
    case LayerKind::Latent: {
      if (!attention.latent) break;
      const std::int64_t values = attention.latent->kv_rank + attention.latent->rope_dim;
      return fmt::format(
          "{} values, {} bytes in 16 bits{}", grouped(values), grouped(2 * values),
          attention.indexer && !attention.indexer->is_shared ? ", and the indexer's" : "");
    }
    case LayerKind::Cross:
      return "one entry for each token of the encoder";
    case LayerKind::Compressed:
      return compressed_words(attention);
    case LayerKind::Recurrent:
    case LayerKind::None:
      break;
  }
  return layer.recurrent ? "none: a fixed state per sequence" : "none";
}

void show_facts(Page& page, const domain::Model& model) {
  constexpr std::size_t kLabel = 14;
  const auto line = [&](std::string_view label, const std::string& text) {
    page.labelled(label, kLabel, text);
  };
  if (!model.aliases.empty())
    line("also called", fmt::format("{}", fmt::join(model.aliases, ", ")));
  line("family", fmt::format("{} ({})", model.family, model.architecture));
  line("made for", std::string(name_of(model.role)));
  line("parameters", grouped(model.parameters.total));
  if (model.parameters.active != model.parameters.total)
    line("active", grouped(model.parameters.active));
  if (model.parameters.multi_token_prediction)
    line("multi-token", grouped(*model.parameters.multi_token_prediction));
  // Published totals count those of fp8 blocks and of gpt-oss, and no others.
  if (model.parameters.scales > 0)
    line("scales", grouped(model.parameters.scales) + " of the parameters");
  else if (domain::scheme(model.weights.linear).granularity != domain::ScaleGranularity::None)
    line("scales", "beside the parameters");
  if (model.parameters.stored.value_or(model.parameters.total) != model.parameters.total)
    line("stored", grouped(*model.parameters.stored));
  if (model.pooling_values > 0)
    line("pooling", grouped(model.pooling_values) + " behind it, beside the parameters");
  if (model.max_context_tokens > 0) line("context", grouped(model.max_context_tokens) + " tokens");
  if (model.vocabulary > 0)
    line("vocabulary",
         grouped(model.vocabulary) + (model.tied_embeddings ? ", embedding and head are one" : ""));
  std::string stored(name_of(model.weights.linear));
  if (model.weights.linear != model.weights.other)
    stored += fmt::format(", the rest {}", name_of(model.weights.other));
  for (const domain::ModuleFormat& format : model.weights.modules)
    stored += fmt::format(", {} {}", format.pattern, name_of(format.quantization));
  line("stored as", stored);
  if (!model.weights.kept.empty())
    line("kept", fmt::format("{}", fmt::join(model.weights.kept, ", ")));
  if (model.checkpoint_kv_cache) line("KV cache", std::string(name_of(*model.checkpoint_kv_cache)));
}

void show_parts(Page& page, const domain::Model& model) {
  page.heading("Where the parameters are");
  Table table;
  table.columns = {{"part", Align::Left}, {"parameters", Align::Right}, {"share", Align::Right}};
  std::int64_t total = model.parameters.scales;
  const std::vector<domain::PartCount> parts = domain::parameters_by_part(model);
  for (const domain::PartCount& part : parts) total += part.values;
  const auto add = [&](std::string_view part, std::int64_t values) {
    const double share = static_cast<double>(values) / static_cast<double>(total);
    table.rows.push_back(
        {std::string(part), grouped(values), fmt::format("{:.1f} %", 100 * share)});
  };
  for (const domain::PartCount& part : parts) add(name_of(part.part), part.values);
  if (model.parameters.scales > 0) add("scales", model.parameters.scales);
  page.table(table);
}

void show_layers(Page& page, const domain::Model& model) {
  page.heading("Layers");
  for (const KindOfLayer& kind : kinds_of(model.layers)) {
    page.blank();
    page.paragraph(fmt::format("{}: {}", counted(kind.count, "layer"), layer_words(*kind.layer)), 2,
                   Tone::Strong);
    if (kind.numbers.contains(',')) page.labelled("number", 14, kind.numbers);
    page.labelled("KV per token", 14, cache_words(*kind.layer));
    show_tensors(page, domain::tensors_of(*kind.layer, model));
  }
  page.blank();
  page.paragraph("Outside the layers", 2, Tone::Strong);
  show_tensors(page, domain::outer_tensors(model));
  for (const domain::Tower& tower : model.towers) {
    page.blank();
    page.paragraph(
        fmt::format("Tower: {}, {} parameters", name_of(tower.kind), grouped(tower.parameters)), 2,
        Tone::Strong);
    if (tower.layers > 0) {
      page.paragraph(
          fmt::format("{} of {} wide, feed-forward of {}", counted(tower.layers, "layer"),
                      grouped(tower.hidden_size), grouped(tower.width)),
          4);
    }
  }
}

// Facts under the source that they share.
void show_sources(Page& page, const domain::Model& model) {
  page.heading("Sources");
  std::vector<std::string> sources;
  for (const domain::FactSource& row : model.sources) {
    if (std::ranges::find(sources, row.source) == sources.end()) sources.push_back(row.source);
  }
  for (const std::string& source : sources) {
    std::vector<std::string> facts;
    for (const domain::FactSource& row : model.sources) {
      if (row.source == source) facts.push_back(row.fact);
    }
    page.paragraph(source, 2);
    page.paragraph(fmt::format("{}", fmt::join(facts, ", ")), 4, Tone::Faint);
  }
}

}  // namespace

std::string model_text(const domain::Model& model, const Style& style) {
  Page page(style);
  page.paragraph(fmt::format("{} · from the {}", model.id, model.origin), 0, Tone::Strong);
  if (model.base) page.paragraph(fmt::format("No entry of its own: read as {}", *model.base));
  show_slip(page, model.asked_as);
  show_facts(page, model);
  show_parts(page, model);
  show_layers(page, model);
  if (!model.notes.empty()) {
    page.heading("Notes");
    for (const std::string& note : model.notes) page.paragraph(note, 2);
  }
  show_sources(page, model);
  return page.text();
}

}  // namespace gpushape::render
