#include "render/memory_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <variant>

#include "render/text_width.hpp"
#include "render/traffic_view.hpp"
#include "render/words.hpp"
#include "schema/estimate_fields.hpp"

namespace gpushape::render {

using domain::Estimate;
using domain::Part;
using domain::Range;

namespace {

/// In flight on the GPUs that are shown.
std::int64_t sequences_of(const domain::Estimate& estimate) {
  return estimate.concurrency_of_rank.value_or(estimate.concurrency ? estimate.concurrency->value
                                                                    : 0);
}

constexpr std::size_t kLegendIndent = 3;
constexpr std::size_t kTermLabelWidth = 7;
constexpr std::size_t kCapacityLabelWidth = 14;
constexpr std::size_t kHostLabelWidth = 17;

/// One stretch of the bar: parts that a reader sees as one.
struct Stretch {
  std::string_view name;
  std::string_view fill;   ///< one column
  std::string_view ascii;  ///< the same outside UTF-8
  Tone tone = Tone::Plain;
  Bytes bytes;
};

/// Terms that a reader wants to see beside the other ones of their part.
struct OwnRow {
  std::string_view term;
  Part part;
  std::string_view name;
};
constexpr auto kOwnRows = std::to_array<OwnRow>({
    {"towers", Part::Weights, "encoders and projectors"},
    {"stepBuffers", Part::Weights, "buffers of a step"},
    {"imageCache", Part::KvCache, "KV cache of the images"},
});

Range plain_sum(const Range& a, const Range& b) {
  return {.low = a.low + b.low, .expected = a.expected + b.expected, .high = a.high + b.high};
}

/// What the terms of a part that have no row of their own come to.
Range rest_of(const Estimate& estimate, Part part) {
  Range sum;
  for (const domain::Term& term : estimate.terms) {
    const bool has_row = std::ranges::find(kOwnRows, term.name, &OwnRow::term) != kOwnRows.end();
    if (term.part == part && !has_row) sum = plain_sum(sum, term.bytes);
  }
  return sum;
}

/// Of the context; images have a row of their own.
std::int64_t text_tokens(const Estimate& estimate) {
  const std::int64_t context = estimate.context_tokens->value;
  for (const domain::Term& term : estimate.terms) {
    const auto images = std::ranges::find(term.inputs, "imageTokens", &domain::Input::name);
    if (images != term.inputs.end()) return context - std::get<std::int64_t>(images->value);
  }
  return context;
}

std::string row_name(const Estimate& estimate, Part part) {
  switch (part) {
    case Part::Weights:
      return estimate.model_id.empty() ? "static, as declared" : "weights";
    case Part::Adapters:
      return "adapters";
    case Part::Draft:
      return "draft model";
    case Part::Gradients:
      return "gradients";
    case Part::Optimizer:
      return "optimizer states";
    case Part::KvCache:
      if (estimate.model_id.empty()) return "dynamic, as declared";
      if (!estimate.concurrency || !estimate.context_tokens) return "KV cache";
      if (estimate.traffic && estimate.traffic->service_level < 1) {
        return fmt::format("KV cache, {} in flight at {}", grouped(sequences_of(estimate)),
                           level_text(estimate.traffic->service_level));
      }
      return fmt::format("KV cache, {} x {} tokens", grouped(sequences_of(estimate)),
                         grouped(text_tokens(estimate)));
    case Part::State:
      return "recurrent state";
    case Part::Activation:
      return "activation peak";
    case Part::Graphs:
      return "CUDA graphs";
    case Part::Context:
      return "CUDA context and buffers";
    case Part::Communication:
      return "communication buffers";
  }
  return {};
}

std::vector<std::string> range_cells(std::string name, const Range& range) {
  return {std::move(name), gib_text(range.low), gib_text(range.expected), gib_text(range.high)};
}

std::array<Stretch, 5> stretches(const Estimate& estimate) {
  const auto sum = [&](std::initializer_list<Part> parts) {
    Bytes total;
    for (const Part part : parts) total += part_bytes(estimate, part).expected;
    return total;
  };
  return {{{"weights", "█", "#", Tone::Weights, sum({Part::Weights, Part::Adapters, Part::Draft})},
           {"gradients and optimizer", "▓", "=", Tone::KvCache,
            sum({Part::Gradients, Part::Optimizer})},
           {"KV cache", "▓", "=", Tone::KvCache, sum({Part::KvCache, Part::State})},
           {"activation", "▒", "+", Tone::Activation, sum({Part::Activation})},
           {"runtime", "░", "%", Tone::Runtime,
            sum({Part::Graphs, Part::Context, Part::Communication})}}};
}

/// Cells for each amount out of `cells` for `total`, by rounded running sums: nothing that is there
/// vanishes while there is room, and nothing runs over.
std::vector<std::size_t> cells_of(const std::vector<Bytes>& amounts, Bytes total,
                                  std::size_t cells) {
  std::vector<std::size_t> result;
  std::size_t used = 0;
  Bytes sum;
  for (const Bytes amount : amounts) {
    sum += std::max(amount, Bytes(0));
    const double share = static_cast<double>(sum.count()) / static_cast<double>(total.count());
    auto end = static_cast<std::size_t>(std::lround(share * static_cast<double>(cells)));
    if (amount > Bytes(0)) end = std::max(end, used + 1);
    end = std::clamp(end, used, cells);
    result.push_back(end - used);
    used = end;
  }
  return result;
}

void show_legend(Page& page, const std::vector<std::string>& items) {
  std::string line(kLegendIndent, ' ');
  for (const std::string& item : items) {
    if (display_width(line) + display_width(item) > page.width()) {
      page.raw(line);
      line.assign(kLegendIndent, ' ');
    }
    line += item + "   ";
  }
  page.raw(line);
}

void show_bar(Page& page, const Estimate& estimate) {
  const auto parts = stretches(estimate);
  std::vector<Bytes> amounts;
  Bytes need;
  for (const Stretch& part : parts) {
    amounts.push_back(part.bytes);
    need += part.bytes;
  }
  const Bytes visible =
      estimate.capacity ? std::max(estimate.capacity->visible_bytes.expected, Bytes(0)) : need;
  const Bytes total = std::max(need, visible);
  if (total <= Bytes(0)) return;
  const bool has_unicode = page.style().has_unicode;
  const std::string total_text = fmt::format("{} GiB", gib_text(total));
  const std::size_t width = page.width() - 8 - std::max<std::size_t>(total_text.size(), 10);
  const std::vector<std::size_t> cells = cells_of(amounts, total, width);
  std::string bar;
  std::vector<std::string> legend;
  for (std::size_t index = 0; index < parts.size(); ++index) {
    const Stretch& part = parts.at(index);
    const std::string_view fill = has_unicode ? part.fill : part.ascii;
    std::string stretch;
    for (std::size_t cell = 0; cell < cells[index]; ++cell) stretch += fill;
    bar += page.paint(stretch, part.tone);
    if (part.bytes <= Bytes(0)) continue;
    legend.push_back(
        fmt::format("{} {} {}", page.paint(fill, part.tone), part.name, gib_text(part.bytes)));
  }
  const std::size_t used = std::accumulate(cells.begin(), cells.end(), std::size_t{0});
  const std::string_view space = has_unicode ? "·" : ".";
  for (std::size_t cell = used; cell < width; ++cell) bar += space;
  if (visible > need) {
    legend.push_back(fmt::format("{} free {}", space, gib_text(visible - need)));
  }
  page.blank();
  page.raw(fmt::format("  [{}] {}", bar, total_text));
  if (need > visible) {
    const auto end =
        static_cast<std::size_t>(static_cast<double>(visible.count()) /
                                 static_cast<double>(total.count()) * static_cast<double>(width));
    const std::string mark = fmt::format("^ {} GiB are there", gib_text(visible));
    // To the left of the caret where there is no room to its right.
    if (3 + end + mark.size() <= page.width()) {
      page.raw(fmt::format("  {}{}", std::string(end + 1, ' '), mark));
    } else {
      page.raw(pad_left(fmt::format("{} GiB are there ^", gib_text(visible)), end + 4));
    }
  }
  show_legend(page, legend);
}

std::string input_text(const domain::Input& input) {
  return std::visit(
      [&](const auto& value) {
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::int64_t>) {
          return fmt::format("{} = {}", input.name, grouped(value));
        } else {
          return fmt::format("{} = {}", input.name, value);
        }
      },
      input.value);
}

void show_terms(Page& page, const Estimate& estimate) {
  page.heading("Every term, with formula, inputs (sizes in bytes) and source");
  for (const domain::Term& term : estimate.terms) {
    const Range& bytes = term.bytes;
    page.blank();
    page.paragraph(
        fmt::format("{}: {} GiB ({} to {}), counted as {}", term.name, gib_text(bytes.expected),
                    gib_text(bytes.low), gib_text(bytes.high), words_of(name_of(term.part))),
        2, Tone::Strong);
    page.labelled("formula", kTermLabelWidth, term.formula, 4);
    std::string inputs;
    for (const domain::Input& input : term.inputs) {
      inputs += fmt::format("{}{}", inputs.empty() ? "" : ", ", input_text(input));
    }
    if (!inputs.empty()) page.labelled("inputs", kTermLabelWidth, inputs, 4);
    page.labelled("source", kTermLabelWidth, term.source, 4);
  }
}

/// What a tier of the cache holds.
std::string host_words(const domain::Term& term) {
  const auto tokens = std::ranges::find(term.inputs, "tokens", &domain::Input::name);
  if (tokens == term.inputs.end()) return ", of all GPUs";
  return fmt::format(", {} tokens that later requests may find",
                     grouped(std::get<std::int64_t>(tokens->value)));
}

std::string fits_text(domain::FitsAt fits_at) {
  switch (fits_at) {
    case domain::FitsAt::High:
      return "yes, also at the high end of the range";
    case domain::FitsAt::Expected:
      return "at the expected value, not at the high end of the range";
    case domain::FitsAt::None:
      return "no";
  }
  return {};
}

Tone fits_tone(domain::FitsAt fits_at) {
  if (fits_at == domain::FitsAt::None) return Tone::Bad;
  return fits_at == domain::FitsAt::High ? Tone::Good : Tone::Plain;
}

}  // namespace

void show_memory(Page& page, const Estimate& estimate) {
  const bool is_complete = schema::demand_is_known(estimate);
  const auto& split = estimate.parallelism;
  std::string heading = "Memory of one GPU";
  if (split.tensor * split.pipeline * split.data > 1) {
    const std::string copies = split.data > 1 ? fmt::format("data {}, ", split.data) : "";
    heading = fmt::format("Memory of one GPU of {} ({}tensor {}, pipeline {})",
                          split.tensor * split.pipeline * split.data, copies, split.tensor,
                          split.pipeline);
  }
  page.heading(heading);
  Table table;
  table.columns = {{"GiB", Align::Left},
                   {"low", Align::Right},
                   {"expected", Align::Right},
                   {"high", Align::Right}};
  for (const auto& row : kNames<Part>) {
    const Range range = rest_of(estimate, row.value);
    if (range.high > Bytes(0))
      table.rows.push_back(range_cells(row_name(estimate, row.value), range));
    for (const domain::Term& term : estimate.terms) {
      const auto own = std::ranges::find(kOwnRows, term.name, &OwnRow::term);
      if (own != kOwnRows.end() && own->part == row.value)
        table.rows.push_back(range_cells(std::string(own->name), term.bytes));
    }
  }
  table.ruled = {table.rows.size()};
  table.rows.push_back(
      range_cells(is_complete ? "total" : "total without KV cache", estimate.total_bytes));
  page.table(table);
  show_bar(page, estimate);
  if (!estimate.model_id.empty() && !domain::is_training(estimate)) {
    page.blank();
    page.paragraph(estimate.kv_bytes_per_token > Bytes(0)
                       ? fmt::format("Each token in flight keeps {} of KV cache on each GPU.",
                                     size_text(estimate.kv_bytes_per_token))
                       : "Tokens in flight keep no KV cache.",
                   2);
  }
  if (estimate.host_bytes > Bytes(0)) {
    page.blank();
    page.paragraph(
        fmt::format("{} lie in pinned host memory instead.", size_text(estimate.host_bytes)), 2);
    for (const domain::Term& term : estimate.host_terms) {
      page.labelled(words_of(term.name), kHostLabelWidth,
                    fmt::format("{}{}", size_text(term.bytes.expected), host_words(term)));
    }
  }
  for (const std::string& note : estimate.notes) page.labelled("note", 4, note);
  if (page.style().verbosity > 0) show_terms(page, estimate);
}

std::string place_name(const domain::Capacity& capacity) {
  if (capacity.gpu.empty()) return fmt::format("{} GiB", gib_text(capacity.visible_bytes.expected));
  if (capacity.profile.empty()) return capacity.gpu;
  return fmt::format("{} of {}", capacity.profile, capacity.gpu);
}

void show_capacity(Page& page, const Estimate& estimate) {
  if (!estimate.capacity) return;
  const domain::Capacity& capacity = *estimate.capacity;
  page.heading(fmt::format("What {} holds", place_name(capacity)));
  const auto show = [&](std::string_view label, const std::string& text, Tone tone = Tone::Plain) {
    page.labelled(label, kCapacityLabelWidth, text, 2, tone);
  };
  show("visible", fmt::format("{} GiB, as the CUDA runtime reports it",
                              gib_text(capacity.visible_bytes.expected)));
  if (domain::is_training(estimate)) {
    show("needed",
         fmt::format("{} GiB ({} to {})", gib_text(estimate.total_bytes.expected),
                     gib_text(estimate.total_bytes.low), gib_text(estimate.total_bytes.high)));
    show("fits", fits_text(capacity.fits_at), fits_tone(capacity.fits_at));
    return;
  }
  show("KV pool",
       fmt::format("{} GiB ({} to {}){}", gib_text(capacity.kv_pool_bytes.expected),
                   gib_text(capacity.kv_pool_bytes.low), gib_text(capacity.kv_pool_bytes.high),
                   estimate.settings.gpu_memory_utilization.value > 0
                       ? fmt::format(" at utilization {}", capacity.utilization)
                       : std::string()));
  if (page.style().verbosity > 0) {
    if (!capacity.kv_pool_formula.empty()) show("  formula", capacity.kv_pool_formula);
    if (!capacity.kv_pool_source.empty()) show("  source", capacity.kv_pool_source);
  }
  if (estimate.kv_bytes_per_token > Bytes(0) || capacity.kv_pool_tokens > 0) {
    show("tokens", fmt::format("{}, as {} {} would report it", grouped(capacity.kv_pool_tokens),
                               estimate.engine.value, to_text(estimate.settings.version.value)));
  }
  if (estimate.context_tokens && capacity.max_concurrency_at_context > 0) {
    const std::string wanted = estimate.concurrency
                                   ? fmt::format("; {} wanted", grouped(sequences_of(estimate)))
                                   : std::string();
    show("concurrency", fmt::format("{} sequences of {} tokens{}",
                                    plain_number(capacity.max_concurrency_at_context),
                                    grouped(estimate.context_tokens->value), wanted));
  }
  if (schema::demand_is_known(estimate)) {
    show("fits", fits_text(capacity.fits_at), fits_tone(capacity.fits_at));
  }
}

}  // namespace gpushape::render
