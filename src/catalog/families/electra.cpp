// ELECTRA (arXiv 2003.10555): BERT without a pooler, whose small ones embed narrower than they are.
// Source: ElectraConfig and modeling_electra of transformers.
#include "catalog/families/decoder.hpp"
#include "catalog/families/encoder_parts.hpp"
#include "catalog/families/readers.hpp"

namespace gpushape::catalog {

void read_electra(ConfigParts& parts) {
  domain::Model& model = parts.model();
  const std::int64_t narrow = parts.size_or({"embedding_size"}, "", kHiddenSize, 128);
  read_encoder(parts, {.embedding_width = narrow});
  const std::int64_t hidden = model.hidden_size;
  if (narrow != hidden) add_linear(model.extra, "embeddings_project", hidden, narrow);
  add_electra_head(parts, narrow);
  model.has_head = false;
}

}  // namespace gpushape::catalog
