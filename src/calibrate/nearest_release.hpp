// The release that a start is nearest to, where its version is no release or is not stated.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "calibrate/engine_log.hpp"
#include "calibrate/engine_start.hpp"
#include "domain/engine.hpp"

namespace gpushape::calibrate {

struct NearestRelease {
  domain::EngineVersion version;
  bool is_stated = false;  ///< the start names it
  std::string from;        ///< "the month 2026-06"; empty where it is stated
};

/// The stated release. The second generation of vLLM before 0.8 is taken for that of 0.8: what is
/// known of those releases is of the first.
std::optional<domain::EngineVersion> accounted_release(const EngineStart& start);

/// How many of an engine's known releases.
struct Neighbours {
  std::ptrdiff_t before = 0;
  std::ptrdiff_t behind = 0;
};
inline constexpr Neighbours kAllReleases = {.before = std::numeric_limits<std::ptrdiff_t>::max(),
                                            .behind = std::numeric_limits<std::ptrdiff_t>::max()};

/// `version`, and behind it those that differ from the one before, known or with facts of their
/// own, from the first of the neighbours to the last. Ascending, each once.
std::vector<domain::EngineVersion> releases_around(domain::EngineVersion version,
                                                   const domain::Engine& engine,
                                                   Neighbours neighbours);

/// A build between releases has the accounting of the one before it, or of the next.
bool is_between_releases(const EngineStart& start);

/// Those that such a build on the way to `version` may be like: the one before, and what it
/// becomes. "0.6.3.dev114" is 114 commits behind 0.6.2 and became 0.6.3; nothing came of 0.6.7, and
/// "0.22.1rc1.dev357" is of main, which becomes 0.23. Source: setuptools-scm (guess-next-dev),
/// https://github.com/vllm-project/vllm/tags. `version` first.
std::vector<domain::EngineVersion> releases_of_build(const EngineStart& start,
                                                     domain::EngineVersion version,
                                                     const domain::Engine& engine);

/// What the version says behind its "+", where that names more than a commit, a day and what it was
/// built with: "infernal.invocation.r2", "glmkimirebase20260514". Such a build is somebody's own,
/// and its kernels and accounting are of no release. Empty for the others.
std::string_view own_build(std::string_view engine_version);

/// From the stated version, else from the commits that it counts, else from a month in it ("June
/// 2026"), else from the start's date.
std::optional<NearestRelease> nearest_release(const EngineStart& start);

/// As above; a build between releases that counts as the next one does is taken for that. Fails
/// where the log's version tells none.
Result<NearestRelease> release_for(const EngineLog& log);

}  // namespace gpushape::calibrate
