// The tables of devices and profiles that are built in, opened once a program.
#pragma once

#include "profiles/profiles.hpp"

namespace gpushape::example {

inline const profiles::Profiles& built_in_profiles() {
  static const profiles::Profiles kProfiles = profiles::Profiles::open().value();
  return kProfiles;
}

}  // namespace gpushape::example
