// Any bytes leave the catalog's readers standing: taken as a config.json, as a quantization side
// file beside it, as a catalog entry and as an engine entry. What is accepted must hold together.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "catalog/config.hpp"
#include "catalog/engine_entry.hpp"
#include "catalog/limits.hpp"
#include "catalog/model_entry.hpp"
#include "document/text_format.hpp"
#include "domain/parameter_counts.hpp"
#include "domain/tensors.hpp"

namespace {

void hold(const gpushape::Result<gpushape::domain::Model>& model) {
  if (!model) {
    if (model.error().empty()) std::abort();  // a refusal says why
    return;
  }
  const std::int64_t total = gpushape::domain::count_parameters(*model);
  if (total <= 0 || total > gpushape::catalog::kMostParameters) std::abort();
  if (model->parameters.total < total || model->layers.empty()) std::abort();
  gpushape::domain::Model again = *model;  // totals have scales and further tokens' layers besides
  gpushape::domain::count_all_parameters(again);
  if (again.parameters.total != model->parameters.total) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto document = gpushape::document::read_json(text, "config.json")) {
    hold(gpushape::catalog::read_config(*document, "fuzz"));
    hold(gpushape::catalog::read_config(*document, "fuzz", &*document));
  }
  if (const auto documents = gpushape::document::read_yaml(text, "entry.yaml")) {
    for (const auto& document : *documents) {
      hold(gpushape::catalog::read_model(document, "overlay"));
      static_cast<void>(gpushape::catalog::read_engine(document));
    }
  }
  return 0;
}
