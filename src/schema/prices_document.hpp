// Reads a document of kind Prices.
#pragma once

#include "base/result.hpp"
#include "document/node.hpp"
#include "domain/prices.hpp"

namespace gpushape::schema {

/// Names of devices are as written; whoever knows devices looks them up.
Result<domain::PriceList> read_prices(const document::Document& document);

}  // namespace gpushape::schema
