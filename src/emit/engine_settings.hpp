// What each setting of an engine is set to, and why: the names that catalog/engines/flags gives to
// flags and to keys of configuration files stand for these.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "emit/targets.hpp"

namespace gpushape::emit {

struct Setting {
  std::string value;  ///< empty for a switch
  std::string why;
};

struct Sized {
  const EmitRequest& request;
  const domain::RankedShape& picked;
  const domain::EngineCommand& command;
};

/// Nothing where the flag is left out. Refused where the engine has no word for what was sized.
Result<std::optional<Setting>> setting_of(const Sized& sized, const domain::EngineFlagName& flag);

/// What was sized and no flag of this engine says, a line each.
std::vector<std::string> untold_settings(const Sized& sized);

}  // namespace gpushape::emit
