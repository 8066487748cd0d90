// No pattern of modules, however it is nested, takes a name apart for long or crashes.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "domain/modules.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kLongest = 2'000;
  const std::string_view text(reinterpret_cast<const char*>(data),
                              size < kLongest ? size : kLongest);
  for (const std::string& pattern : {std::string(text), "re:" + std::string(text)}) {
    const bool is_faulty = gpushape::domain::fault_of_pattern(pattern).has_value();
    for (const std::string_view name :
         {"lm_head", "model.layers.31.mlp.experts.127.down_proj", ""}) {
      if (gpushape::domain::matches_module(pattern, name) && is_faulty) std::abort();
    }
    const auto collapsed = gpushape::domain::collapse_modules({pattern, pattern});
    if (collapsed.size() != 1) std::abort();
  }
  return 0;
}
