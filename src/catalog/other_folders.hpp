// Folders that people name for a model and that hold something else: a cache with snapshots below
// it, an adapter, an image generator, a publisher's own format.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace gpushape::catalog {

/// The snapshot of a folder of the Hub's cache ("models--OWNER--NAME"): that of refs/main, or the
/// only one. Nothing where it has none, or several of which none is preferred.
std::optional<std::filesystem::path> snapshot_in_cache(const std::filesystem::path& folder);

/// What a folder without a config.json holds instead, and what to give; empty where it is not told.
std::string help_for_folder(const std::filesystem::path& folder);

}  // namespace gpushape::catalog
