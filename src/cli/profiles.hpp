// Questions about the GPU profile tables, one function each.
#pragma once

#include "cli/commands.hpp"
#include "profiles/profiles.hpp"

namespace gpushape::cli {

int show_device(const profiles::Profiles& profiles, const Invocation& invocation,
                const Terminal& terminal);
int check_profiles(const profiles::Profiles& profiles, const Invocation& invocation,
                   const Terminal& terminal);
/// What nvidia-smi prints of real GPUs as an overlay entry, and what of it the tables do not say.
int import_profiles(const profiles::Profiles& profiles, const Invocation& invocation,
                    const Terminal& terminal);
/// The few sizes, the mode and the layout of GPUs that serve a mix. kAnswerIsNo where none does.
int plan_sizes(const profiles::Profiles& profiles, const Invocation& invocation,
               const Terminal& terminal);
/// Is a set of profiles legal on one GPU? kAnswerIsNo where it is not.
int fit_set(const profiles::Profiles& profiles, const Invocation& invocation,
            const Terminal& terminal);

}  // namespace gpushape::cli
