// Towers whose blocks no config describes: counted as what the Hub counts of a published checkpoint
// beyond its text part.
#include <string>

#include "catalog/families/composite.hpp"
#include "catalog/families/config_parts.hpp"

namespace gpushape::catalog {
namespace {

struct Counted {
  std::int64_t parameters = 0;
  std::int64_t inner_tokens = 0;
  std::int64_t output_tokens = 0;
  const char* of = "";  ///< the checkpoint
};

void add_counted(const ConfigParts& parts, const Counted& counted) {
  domain::Tower tower;
  tower.parameters = counted.parameters;
  tower.inner_tokens = counted.inner_tokens;
  tower.output_tokens = counted.output_tokens;
  parts.model().towers.push_back(tower);
  parts.from_family("towers");
  parts.model().notes.push_back(std::string("the towers are counted as the Hub counts those of ") +
                                counted.of);
}

}  // namespace

// Step3-VL: the Perception Encoder of 1.8 billion parameters.
void add_perception_encoder(ConfigParts& parts) {
  // 10 171 750 144 on the Hub, 8 190 735 360 in the text part.
  add_counted(parts, {.parameters = 1'981'014'784, .of = "stepfun-ai/Step3-VL-10B"});
}

// Phi-4-multimodal: SigLIP, a conformer of sound, and the adapters that switch with the input.
void add_phi4_towers(ConfigParts& parts) {
  // 5 574 460 384 on the Hub, 3 836 021 760 in the text part.
  add_counted(parts, {.parameters = 1'738'438'624, .of = "microsoft/Phi-4-multimodal-instruct"});
}

}  // namespace gpushape::catalog
