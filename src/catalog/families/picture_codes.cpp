// Families that write pictures as words: Chameleon (arXiv 2405.09818), Emu3 (arXiv 2409.18869) and
// Janus (arXiv 2410.13848), whose words of pictures are no part of the vocabulary. Beside the
// decoder stands the convolutional codec that looks the words up; those of Emu3 and Janus paint
// pictures from them, too. Sources: ChameleonVQVAE of vLLM model_executor/models/chameleon.py,
// Emu3VQVAE and modeling_janus.py of transformers, and modeling_vlm.py of deepseek-ai/Janus.
#include <algorithm>
#include <vector>

#include "catalog/families/composite.hpp"
#include "catalog/families/config_parts.hpp"
#include "catalog/families/decoder.hpp"
#include "catalog/families/image_parts.hpp"
#include "catalog/families/readers.hpp"
#include "catalog/families/tower_blocks.hpp"

namespace gpushape::catalog {
namespace {

constexpr document::IntegerBounds kChannels{.least = 1, .most = 100'000};
constexpr document::IntegerBounds kFactor{.least = 1, .most = 1'000};

/// A convolution with bias, of so many pixels (and frames).
constexpr std::int64_t convolution(std::int64_t inputs, std::int64_t outputs, std::int64_t pixels) {
  return linear_values(inputs * pixels, outputs);
}

constexpr std::int64_t kSquare = 9;  // pixels of three by three

/// What steers the norms of a decoding half: channels of a code; 0 for plain norms.
using Steering = std::int64_t;

std::int64_t norm_values(std::int64_t channels, Steering steering) {
  return 2 * channels + (steering > 0 ? 2 * convolution(steering, channels, 1) : 0);
}

std::int64_t residual_values(std::int64_t inputs, std::int64_t outputs, Steering steering) {
  return norm_values(inputs, steering) + convolution(inputs, outputs, kSquare) +
         norm_values(outputs, steering) + convolution(outputs, outputs, kSquare) +
         (inputs == outputs ? 0 : convolution(inputs, outputs, 1));
}

std::int64_t attention_values(std::int64_t channels, Steering steering) {
  return norm_values(channels, steering) + 4 * convolution(channels, channels, 1);
}

std::int64_t middle_values(std::int64_t channels, Steering steering) {
  return 2 * residual_values(channels, channels, steering) + attention_values(channels, steering);
}

struct Codec {
  std::int64_t base = 0;
  std::vector<std::int64_t> factors = {};  ///< of the base's channels, level by level
  std::vector<bool> attends = {};          ///< of each level
  std::int64_t blocks = 0;                 ///< of a level
  std::int64_t latent = 0;
  std::int64_t code = 0;   ///< channels of a code
  std::int64_t codes = 0;  ///< rows of the table
};

Codec read_codec(const Fields& fields, const Codec& otherwise) {
  Codec codec;
  codec.base = fields.integer("base_channels", kChannels).value_or(otherwise.base);
  codec.factors = fields.reader().integers("channel_multiplier", kFactor);
  if (codec.factors.empty()) codec.factors = otherwise.factors;
  codec.attends.assign(codec.factors.size(), false);
  codec.blocks = fields.integer("num_res_blocks", kLayers).value_or(otherwise.blocks);
  codec.latent = fields.integer("latent_channels", kChannels).value_or(otherwise.latent);
  codec.code = fields.integer("embed_dim", kChannels).value_or(otherwise.code);
  return codec;
}

// From pixels to latent channels: each level but the last halves the picture.
std::int64_t encoder_values(const Codec& codec) {
  std::int64_t channels = codec.base;
  std::int64_t values = convolution(kColours, channels, kSquare);
  for (std::size_t level = 0; level < codec.factors.size(); ++level) {
    const std::int64_t outputs = codec.base * codec.factors[level];
    for (std::int64_t block = 0; block < codec.blocks; ++block) {
      values += residual_values(channels, outputs, 0);
      if (codec.attends[level]) values += attention_values(outputs, 0);
      channels = outputs;
    }
    if (level + 1 < codec.factors.size()) values += convolution(channels, channels, kSquare);
  }
  return values + middle_values(channels, 0) + norm_values(channels, 0) +
         convolution(channels, codec.latent, kSquare);
}

// And back, with a block more in each level and norms that the code may steer.
std::int64_t painter_values(const Codec& codec, Steering steering) {
  std::int64_t channels = codec.base * codec.factors.back();
  std::int64_t values =
      convolution(codec.latent, channels, kSquare) + middle_values(channels, steering);
  for (std::size_t level = codec.factors.size(); level-- > 0;) {
    const std::int64_t outputs = codec.base * codec.factors[level];
    for (std::int64_t block = 0; block <= codec.blocks; ++block) {
      values += residual_values(channels, outputs, steering);
      if (codec.attends[level]) values += attention_values(outputs, steering);
      channels = outputs;
    }
    if (level > 0) values += convolution(channels, channels, kSquare);
  }
  return values + norm_values(channels, steering) + convolution(channels, kColours, kSquare);
}

// Blocks over time on both sides, and convolutions that halve and double the number of frames. The
// means and variances that their batch norms keep are no parameters.
std::int64_t time_values(const Codec& codec, std::int64_t halvings) {
  constexpr std::int64_t kCube = 27;
  constexpr std::int64_t kHalvingPixels = 36;
  const std::int64_t block = 4 * codec.latent + 2 * convolution(codec.latent, codec.latent, kCube);
  return 2 * codec.blocks * block +
         halvings * (convolution(codec.latent, codec.latent, kCube) +
                     convolution(codec.latent, codec.latent, kHalvingPixels));
}

// The table, and what stands on both sides of it.
std::int64_t table_values(const Codec& codec, std::int64_t pixels) {
  return codec.codes * codec.code + convolution(codec.latent, codec.code, pixels) +
         convolution(codec.code, codec.latent, pixels);
}

std::int64_t log2_of(std::int64_t number) {
  std::int64_t exponent = 0;
  while (number > 1) {
    number /= 2;
    ++exponent;
  }
  return exponent;
}

}  // namespace

// Norms of queries and keys have weights and biases for each head.
void read_chameleon(ConfigParts& parts) {
  read_outer(parts);
  domain::Layer layer = read_layer(parts);
  const domain::Attention& attention = layer.attention;
  layer.extra.push_back(
      {.name = "self_attn.q_norm.bias", .rows = attention.heads * attention.head_dim});
  layer.extra.push_back(
      {.name = "self_attn.k_norm.bias", .rows = attention.kv_heads * attention.head_dim});
  add_sliding_layers(parts, layer);
}

void add_chameleon_codes(ConfigParts& parts) {
  auto reader = parts.root().mapping("vq_config");
  if (!reader) return;
  const Fields fields(*reader);
  Codec codec = read_codec(
      fields, {.base = 128, .factors = {1, 1, 2, 2, 4}, .blocks = 2, .latent = 256, .code = 256});
  codec.codes = fields.integer("num_embeddings", kVocabulary).value_or(8192);
  const std::int64_t image = fields.integer("resolution", kImageEdge).value_or(512);
  const std::vector<std::int64_t> attending =
      fields.given("attn_resolutions") ? fields.reader().integers("attn_resolutions", kImageEdge)
                                       : std::vector<std::int64_t>{};
  for (std::size_t level = 0; level < codec.attends.size(); ++level)
    codec.attends[level] = std::ranges::find(attending, image >> level) != attending.end();
  domain::Tower tower;
  tower.parameters = encoder_values(codec) + table_values(codec, 1);
  const std::int64_t side =
      std::max<std::int64_t>(1, image >> static_cast<std::int64_t>(codec.factors.size() - 1));
  tower.output_tokens = side * side;
  tower.input_values = kColours * image * image;
  add_tower(parts, tower);
}

void add_emu3_codes(ConfigParts& parts) {
  auto reader = parts.root().mapping("vq_config");
  if (!reader) return;
  const Fields fields(*reader);
  Codec codec = read_codec(
      fields, {.base = 256, .factors = {1, 2, 2, 4}, .blocks = 2, .latent = 4, .code = 4});
  codec.codes = fields.integer("codebook_size", kVocabulary).value_or(32768);
  const std::vector<std::int64_t> attending =
      fields.given("attn_resolutions")
          ? fields.reader().integers("attn_resolutions", {.least = 0, .most = kLayers.most})
          : std::vector<std::int64_t>{3};
  for (std::size_t level = 0; level < codec.attends.size(); ++level)
    codec.attends[level] =
        std::ranges::find(attending, static_cast<std::int64_t>(level)) != attending.end();
  const std::int64_t frames = fields.integer("temporal_downsample_factor", kFactor).value_or(4);
  constexpr std::int64_t kThreeFrames = 3;
  domain::Tower tower;
  tower.parameters = encoder_values(codec) + painter_values(codec, codec.code) +
                     time_values(codec, log2_of(frames)) + table_values(codec, kThreeFrames);
  add_tower(parts, tower);
}

namespace {

constexpr std::int64_t kJanusPixels = 384;

// What it paints with: the codec, an embedding of its words with matrices to the decoder's width,
// and a head of its own.
domain::Tower janus_painter(const Codec& codec, std::int64_t out) {
  domain::Tower tower;
  const std::int64_t aligner = linear_values(codec.code, out) + linear_values(out, out);
  const std::int64_t head = linear_values(out, out) + linear_values(out, codec.codes);
  tower.parameters = encoder_values(codec) + painter_values(codec, 0) + table_values(codec, 1) +
                     codec.codes * codec.code + aligner + head;
  const std::int64_t side = kJanusPixels >> static_cast<std::int64_t>(codec.factors.size() - 1);
  tower.output_tokens = side * side;
  return tower;
}

Codec janus_codec(const Fields& fields) {
  Codec codec = read_codec(
      fields, {.base = 128, .factors = {1, 1, 2, 2, 4}, .blocks = 2, .latent = 256, .code = 8});
  codec.codes = fields.integer("num_embeddings", kVocabulary).value_or(16384);
  codec.attends.back() = true;
  return codec;
}

// SigLIP's large one, and two matrices to the decoder's width.
constexpr domain::Tower kSiglipLarge{.hidden_size = 1024, .layers = 24, .heads = 16, .width = 4096};

domain::Tower janus_eye(domain::Tower tower, const Patches& patches, std::int64_t out) {
  tower.inner_tokens = patches.side * patches.side;
  tower.output_tokens = tower.inner_tokens;
  tower.parameters = siglip_values(tower, patches.patch, tower.inner_tokens) +
                     linear_values(tower.hidden_size, out) + linear_values(out, out);
  tower.input_values = kColours * patches.image * patches.image;
  return tower;
}

}  // namespace

void add_janus(ConfigParts& parts) {
  const std::int64_t out = parts.model().hidden_size;
  if (auto reader = parts.root().mapping("vision_config")) {
    const Fields vision(*reader);
    domain::Tower tower = read_sizes(vision, kSiglipLarge);
    const double ratio = vision.number("mlp_ratio", {.least = 0.01, .most = 100}).value_or(4);
    tower.width = static_cast<std::int64_t>(ratio * static_cast<double>(tower.hidden_size));
    add_tower(parts, janus_eye(tower, read_patches(vision, kJanusPixels, 16), out));
  }
  if (auto reader = parts.root().mapping("vq_config"))
    add_tower(parts, janus_painter(janus_codec(Fields(*reader)), out));
}

// The publisher's form names the encoder, and its class holds SigLIP's pooling head as well.
void add_multi_modality(ConfigParts& parts) {
  const std::int64_t out = parts.model().hidden_size;
  for (const char* field : {"aligner_config", "gen_aligner_config", "gen_head_config"})
    static_cast<void>(parts.root().given(field));
  auto vision = parts.root().mapping("vision_config");
  auto params = vision ? Fields(*vision).mapping("params") : std::nullopt;
  if (params) {
    const Fields fields(*params);
    if (fields.text("model_name").value_or("") != "siglip_large_patch16_384") {
      fields.complain("model_name", "only siglip_large_patch16_384 is understood");
      return;
    }
    constexpr std::int64_t kPatch = 16;
    constexpr std::int64_t kSide = kJanusPixels / kPatch;
    domain::Tower tower = janus_eye(kSiglipLarge, {kJanusPixels, kPatch, kSide}, out);
    tower.parameters += siglip_head_values(tower);
    add_tower(parts, tower);
  }
  auto codes = parts.root().mapping("gen_vision_config");
  auto sizes = codes ? Fields(*codes).mapping("params") : std::nullopt;
  if (sizes) add_tower(parts, janus_painter(janus_codec(Fields(*sizes)), out));
}

}  // namespace gpushape::catalog
