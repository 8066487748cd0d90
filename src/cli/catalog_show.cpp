// gpushape catalog show: one model, layer by layer.
#include "cli/catalog.hpp"
#include "cli/listing.hpp"
#include "cli/output.hpp"
#include "document/text_format.hpp"
#include "render/model_view.hpp"
#include "schema/kinds.hpp"

namespace gpushape::cli {

int show_model(const Invocation& invocation, const Terminal& terminal) {
  const Result<std::string> format = listing_format(invocation);
  if (!format) return refuse(format.error(), terminal);
  if (invocation.workload.quantization) {
    return refuse({complaint("catalog show: an entry is shown as it is stored, without --quant",
                             "gpushape estimate shows the model in another precision")},
                  terminal);
  }
  const Result<catalog::Catalog> catalog = catalog::Catalog::open(invocation.catalog_folder);
  if (!catalog) return refuse(catalog.error(), terminal);
  const Result<domain::Model> model = catalog->find_typed(invocation.positionals[1]);
  if (!model) return refuse(model.error(), terminal);
  Piece piece{"model", "txt", ""};
  if (*format == "text") {
    piece.text =
        render::model_text(*model, style_for(terminal, invocation.color, invocation.verbosity));
  } else {
    piece.extension = *format;
    const document::Node node = schema::to_node(*model);
    piece.text = *format == "json" ? document::write_json(node) : document::write_yaml(node);
  }
  const auto written = write_pieces({piece}, invocation, terminal);
  return written ? kDone : refuse(written.error(), terminal);
}

}  // namespace gpushape::cli
