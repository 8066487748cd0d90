// Evidence documents as the commands take them: models, engines and GPUs under any name that the
// catalog and the profile tables know.
#pragma once

#include <vector>

#include "base/result.hpp"
#include "catalog/catalog.hpp"
#include "document/text_format.hpp"
#include "domain/measurement.hpp"
#include "profiles/profiles.hpp"

namespace gpushape::cli {

/// The measured starts of an Evidence document, each with the ids of its model, draft model, engine
/// and GPU. A name that is not known is a complaint at its place, with the nearest; of draft
/// models, which a log may name in a way of its own, it stays as it is.
Result<std::vector<domain::Measurement>> read_measured_starts(const document::Document& document,
                                                              const catalog::Catalog& catalog,
                                                              const profiles::Profiles& profiles);

}  // namespace gpushape::cli
