#include "render/title.hpp"

#include <fmt/format.h>

#include "render/words.hpp"

namespace gpushape::render {

void show_slip(Page& page, const std::string& asked_as) {
  if (asked_as.empty()) return;
  page.paragraph(fmt::format("No model is named '{}': read as a slip of the keyboard", asked_as));
}

void show_title(Page& page, const domain::Estimate& estimate) {
  if (estimate.model_id.empty()) {
    page.paragraph("A workload without a model, by its declared demand", 0, Tone::Strong);
    return;
  }
  page.paragraph(estimate.model_id, 0, Tone::Strong);
  const domain::ParameterCounts& parameters = estimate.parameters;
  std::string line;
  if (parameters.total > 0) line = parameters_text(parameters.total) + " parameters";
  const bool is_mixture = parameters_text(parameters.active) != parameters_text(parameters.total);
  if (parameters.active > 0 && is_mixture) {
    line += fmt::format(", {} active for one token", parameters_text(parameters.active));
  }
  if (!estimate.model_source.empty()) {
    line += fmt::format("{}from {}", line.empty() ? "" : ", ",
                        estimate.model_source == "catalog" ? "the catalog" : estimate.model_source);
  }
  if (!line.empty()) page.paragraph(line);
  if (!estimate.model_base.empty())
    page.paragraph(fmt::format("No entry of its own: read as {}", estimate.model_base));
  show_slip(page, estimate.model_asked_as);
}

}  // namespace gpushape::render
