// The document form of what manifests cannot say of a platform: kind Platform.
#pragma once

#include "base/result.hpp"
#include "document/node.hpp"
#include "domain/platform_facts.hpp"

namespace gpushape::schema {

Result<domain::PlatformFacts> read_platform(const document::Document& document);

}  // namespace gpushape::schema
