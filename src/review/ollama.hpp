// Ollama takes no flags: what it serves is what somebody pulls or runs, in the container's own
// commands, in a hook or in a container beside it; how, it reads from its environment.
#pragma once

#include "review/deployment.hpp"

namespace gpushape::review {

/// The calls of all containers that start Ollama.
void read_ollama_calls(Deployment& deployment);

/// The name that somebody pulls or runs by that command: "llama3.1:8b"; empty: none.
Word ollama_model_of(const Command& command);

}  // namespace gpushape::review
