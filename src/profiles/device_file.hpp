// One data file, profiles/<vendor>/<device>.yaml, to one Device. Reading keeps to what the file
// says: rules fill only totals that no source gives (memory_rules.hpp), and say so.
#pragma once

#include "base/result.hpp"
#include "document/node.hpp"
#include "domain/device.hpp"
#include "profiles/source_table.hpp"

namespace gpushape::profiles {

/// Without boards: those list their devices themselves.
Result<domain::Device> read_device(const document::Document& document, const SourceTable& sources);

}  // namespace gpushape::profiles
