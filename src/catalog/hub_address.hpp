// Addresses of the Hugging Face Hub: people paste a model's page where its id is asked for.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gpushape::catalog {

/// The id of the repository of an address: of "https://huggingface.co/Qwen/Qwen3-8B/tree/main",
/// "Qwen/Qwen3-8B". Of the address of a .gguf file, the owner and the file's name, which tells its
/// type. Nothing where it is no such address.
std::optional<std::string> hub_repository(std::string_view address);

}  // namespace gpushape::catalog
