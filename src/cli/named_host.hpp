// The server that --host names: a file of kind Host, or a server of the table.
#pragma once

#include <string>

#include "base/result.hpp"
#include "domain/host.hpp"
#include "profiles/profiles.hpp"

namespace gpushape::cli {

/// GPUs are named by their ids. A server of the table that carries several GPU models is filled
/// with `gpu`, or with the first that it is the usual server of.
Result<domain::Host> named_host(const std::string& given, const profiles::Profiles& profiles,
                                const std::string& gpu);

}  // namespace gpushape::cli
