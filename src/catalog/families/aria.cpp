// Aria (arXiv 2410.05993): a mixture of which each expert is as wide as `intermediate_size`, and
// Idefics' image encoder, to whose patches the projector's queries attend. Sources: vLLM
// model_executor/models/aria.py, AriaCrossAttention of transformers.
#include <algorithm>

#include "catalog/families/composite.hpp"
#include "catalog/families/decoder.hpp"
#include "catalog/families/experts.hpp"
#include "catalog/families/image_parts.hpp"
#include "catalog/families/readers.hpp"
#include "catalog/families/tower_blocks.hpp"

namespace gpushape::catalog {
namespace {

constexpr std::int64_t kQueries = 256;  // of 4900 patches

// The most queries that any number of patches is given.
std::int64_t read_queries(const Fields& root) {
  auto reader = root.mapping("projector_patch_to_query_dict");
  if (!reader) return kQueries;
  const Fields counts(*reader);
  std::int64_t most = 0;
  for (const document::Node::Entry& entry : counts.reader().self().entries())
    most = std::max(most, counts.integer(entry.name, kImageCount).value_or(0));
  return most > 0 ? most : kQueries;
}

// Queries, three matrices without biases before an attention that has its own, one behind it,
// three norms, and a network without biases.
std::int64_t projector_values(std::int64_t hidden, std::int64_t queries, std::int64_t out) {
  const std::int64_t attention =
      3 * hidden * hidden + 4 * linear_values(hidden, hidden) + linear_values(hidden, hidden);
  return queries * hidden + attention + 6 * hidden + hidden * out + out * out;
}

}  // namespace

void read_aria(ConfigParts& parts) {
  read_mixture(parts, {.width_is_intermediate = true, .counts_shared = true});
}

void add_aria_vision(ConfigParts& parts) {
  auto reader = parts.root().mapping("vision_config");
  if (!reader) return;
  const Fields vision(*reader);
  domain::Tower tower =
      read_sizes(vision, {.hidden_size = 1152, .layers = 27, .heads = 16, .width = 4304});
  const Patches patches = read_patches(vision, 980, 14);
  const std::int64_t queries = read_queries(parts.root());
  tower.inner_tokens = patches.side * patches.side;
  tower.parameters = siglip_values(tower, patches.patch, tower.inner_tokens) +
                     projector_values(tower.hidden_size, queries, parts.model().hidden_size);
  tower.output_tokens = queries;
  tower.input_values = kColours * patches.image * patches.image;
  add_tower(parts, tower);
}

}  // namespace gpushape::catalog
