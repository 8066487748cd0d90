// The words of gpushape catalog, one file each.
#pragma once

#include "catalog/catalog.hpp"
#include "cli/commands.hpp"

namespace gpushape::cli {

int list_catalog(const Invocation& invocation, const Terminal& terminal);
int show_model(const Invocation& invocation, const Terminal& terminal);
int check_catalog(const Invocation& invocation, const Terminal& terminal);
int import_model(const Invocation& invocation, const Terminal& terminal);

}  // namespace gpushape::cli
