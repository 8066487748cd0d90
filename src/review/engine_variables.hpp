// Settings that engines read from the environment where their command line is silent.
#pragma once

#include "review/engine_call.hpp"
#include "review/pod_request.hpp"

namespace gpushape::review {

/// Adds them to the call that starts the container's engine.
void read_engine_variables(const Container& container, EngineCall& call);

/// What a NIM of NVIDIA is told by its variables alone; nothing where they say nothing of its
/// layout.
std::optional<EngineCall> read_nim_call(const Container& container);

}  // namespace gpushape::review
