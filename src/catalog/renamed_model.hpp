// The model of an entry under the name that was asked for: as it is, with a longer context, as a
// fine-tune, or in the precision that the name tells.
#pragma once

#include <string_view>

#include "catalog/repository_name.hpp"
#include "domain/model.hpp"

namespace gpushape::catalog {

/// `base` under the name that was asked for; a note says how it was read.
domain::Model renamed(domain::Model base, std::string_view repository);

/// `base`, under the name that was asked for, with the context that shorter_name speaks of.
domain::Model lengthened(domain::Model base, std::string_view repository);

/// `base` under the name of a fine-tune; a note says how it was read.
domain::Model tuned(domain::Model base, std::string_view repository);

/// `base` in the precision of the suffix, under the name that was asked for; a note says how it was
/// read.
domain::Model requantized(domain::Model base, std::string_view repository,
                          const RepositorySuffix& suffix);

}  // namespace gpushape::catalog
