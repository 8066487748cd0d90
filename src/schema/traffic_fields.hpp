// The traffic of a Workload in its document form.
#pragma once

#include "document/reader.hpp"
#include "domain/traffic.hpp"

namespace gpushape::schema {

void write_traffic(const domain::Traffic& traffic, document::Node& node);
void read_traffic(document::Reader& reader, domain::Traffic& traffic);

}  // namespace gpushape::schema
