// The document form of prices: kind Prices, one entry a GPU or an instance.
#include "schema/prices_document.hpp"

#include "document/reader.hpp"
#include "schema/header.hpp"

namespace gpushape::schema {

using document::Reader;

namespace {

constexpr double kLeastPrice = 1e-6;
constexpr double kMostPrice = 1e7;
constexpr double kMostTokenRate = 1e9;
constexpr std::int64_t kMostInstanceGpus = 1024;

domain::Price read_price(Reader reader) {
  domain::Price price;
  price.device = reader.required_text("gpu");
  price.instance = reader.filled_text("instance").value_or("");
  price.gpus = reader.integer("gpus", {.least = 1, .most = kMostInstanceGpus}).value_or(1);
  price.per_hour = reader.required_number("perHour", {.least = kLeastPrice, .most = kMostPrice});
  price.tokens_per_second =
      reader.number("tokensPerSecond", {.least = kLeastPrice, .most = kMostTokenRate});
  if (price.gpus > 1 && price.instance.empty())
    reader.complain("gpus", "gpus: a GPU alone is one", "name the instance that has them");
  reader.finish();
  return price;
}

}  // namespace

Result<domain::PriceList> read_prices(const document::Document& document) {
  Diagnostics diagnostics;
  Reader reader(document.root, *document.source, diagnostics, "prices");
  if (!read_header(reader, "Prices")) return failure(std::move(diagnostics));
  domain::PriceList list;
  list.currency = reader.required_text("currency");
  list.source = document.source->file;
  if (const auto source = reader.filled_text("source")) list.source += ", " + *source;
  for (const Reader& price : reader.mappings("prices")) list.prices.push_back(read_price(price));
  if (list.prices.empty() && diagnostics.empty())
    reader.complain(std::string("the list holds no price"), "write prices: with at least one");
  reader.finish();
  if (!diagnostics.empty()) return failure(std::move(diagnostics));
  return list;
}

}  // namespace gpushape::schema
