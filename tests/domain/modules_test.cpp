#include "domain/modules.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace gpushape::domain;

namespace {

struct Case {
  const char* pattern;
  const char* module;
  bool matches;
};

void check(const std::vector<Case>& cases) {
  for (const Case& row : cases) {
    CAPTURE(row.pattern);
    CAPTURE(row.module);
    CHECK(matches_module(row.pattern, row.module) == row.matches);
  }
}

// Four layers of two experts, with a router and a dense layer in front.
Model mixture() {
  Layer dense;
  dense.attention = {.heads = 4, .kv_heads = 2, .head_dim = 8, .value_head_dim = 8};
  dense.feed_forward = {.width = 64};
  Layer routed = dense;
  routed.feed_forward = {.width = 0, .experts = Experts{.count = 2, .active = 1, .width = 16}};
  Model model;
  model.hidden_size = 32;
  model.vocabulary = 100;
  model.layers = {{.layer = dense, .count = 1}, {.layer = routed, .count = 3}};
  model.weights.linear = Quantization::Nvfp4;
  return model;
}

Quantization stored_as(const Model& model, std::string_view name, std::int64_t layer) {
  std::int64_t first = 0;
  for (const LayerRun& run : model.layers) {
    if (layer < first + run.count) {
      for (const Tensor& tensor : tensors_of(run.layer, model)) {
        if (tensor.name == name) return scheme_of(model, tensor, layer).quantization;
      }
    }
    first += run.count;
  }
  FAIL("no such tensor");
  return Quantization::Fp32;
}

}  // namespace

TEST_SUITE("domain") {
  TEST_CASE("a plain name stands for whole words and what is below them") {
    check({
        {"lm_head", "lm_head", true},
        {"lm_head", "language_model.lm_head", true},
        {"gate", "model.layers.0.block_sparse_moe.gate", true},
        {"gate", "model.layers.0.mlp.gate_proj", false},
        {"model.layers.0.self_attn", "model.layers.0.self_attn.q_proj", true},
        {"model.layers.0.self_attn", "model.layers.10.self_attn.q_proj", false},
        {"model.language_model.layers.3.mlp", "model.layers.3.mlp.up_proj", true},
        {"backbone.layers.4.mixer.in_proj", "model.layers.4.mixer.in_proj", true},
        {"vision_model.model.layers.0.self_attn.q_proj", "model.layers.0.self_attn.q_proj", false},
        {"mtp.layers.0", "model.layers.0.mlp.up_proj", false},
        {"visual", "visual.blocks.0.attn.qkv", true},
        {"", "model.layers.0.mlp.gate", false},
    });
  }

  TEST_CASE("a name with wildcards is matched from its beginning") {
    check({
        {"model.layers.0*", "model.layers.0.mlp.up_proj", true},
        {"model.layers.1.*", "model.layers.10.mlp.up_proj", false},
        {"*.mlp.shared_expert.*", "model.layers.7.mlp.shared_expert.up_proj", true},
        {"*.attn.*", "model.layers.7.self_attn.up_proj", false},
        {"model.layers.*.mlp.router", "model.layers.12.mlp.router", true},
        {"model.layers.*.mlp.router", "model.layers.12.mlp.router.extra", true},
        {"model.layers.*.mlp.router", "model.layers.12.mlp.router_extra", false},
        {"mtp*", "mtp.layers.0.mlp.gate", true},
        {"mtp*", "model.layers.0.mlp.gate", false},
        {"layers.[0-2].mlp*", "model.layers.2.mlp.up_proj", true},
        {"layers.?.mlp*", "model.layers.12.mlp.up_proj", false},
        {"*a*a*a*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
         false},
    });
  }

  TEST_CASE("numbers in braces are sets") {
    check({
        {"model.layers.{0-2,7}.mlp", "model.layers.2.mlp.up_proj", true},
        {"model.layers.{0-2,7}.mlp", "model.layers.7.mlp.up_proj", true},
        {"model.layers.{0-2,7}.mlp", "model.layers.17.mlp.up_proj", false},
        {"model.layers.{0-2,7}.mlp", "model.layers.3.mlp.up_proj", false},
        {"layers.{1}.mlp.{", "layers.1.mlp.{", true},
    });
  }

  TEST_CASE("an expression is matched from the beginning, as Python's re.match does") {
    check({
        {"re:.*self_attn.*", "model.layers.0.self_attn.q_proj", true},
        {"re:self_attn", "model.layers.0.self_attn.q_proj", false},
        {R"(re:.*mlp\.(gate|up|gate_up|down)_proj.*)", "model.layers.0.mlp.gate_proj", true},
        {R"(re:.*mlp\.(gate|up|gate_up|down)_proj.*)", "model.layers.0.mlp.experts.0.up_proj",
         false},
        {R"(re:model\.layers\.[0-9]+\.mlp\.gate$)", "model.layers.31.mlp.gate", true},
        {R"(re:model\.layers\.[0-9]+\.mlp\.gate$)", "model.layers.31.mlp.gate_proj", false},
        {R"(re:^(?!.*experts).*)", "model.layers.3.mlp.gate", true},
        {R"(re:^(?!.*experts).*)", "model.layers.3.mlp.experts.gate", false},
        {R"(re:.*layers\.\d{1,2}\..*)", "model.layers.31.x", true},
        {R"(re:.*layers\.\d{3}\..*)", "model.layers.31.x", false},
        {"re:(a|b)?c+?d*$", "bccc", true},
        {"re:[^a-c]x", "dx", true},
        {"re:[^a-c]x", "ax", false},
        {"re:(((((a*)*)*)*)*)*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false},
    });
  }

  TEST_CASE("an expression that is not understood says why and matches nothing") {
    for (const std::string pattern :
         {"re:(a", "re:a)", "re:*a", "re:[a", "re:a\\", "re:(?<n>a)", "re:\\1", "re:(a{900}){900}",
          "re:(){999999999}{999999999}x(", ""}) {
      CAPTURE(pattern);
      CHECK(fault_of_pattern(pattern));
      CHECK_FALSE(matches_module(pattern, "a"));
    }
    CHECK(fault_of_pattern("re:" + std::string(100'000, '(')));
    CHECK_FALSE(fault_of_pattern("re:.*"));
  }

  TEST_CASE("names that differ by numbers become one pattern") {
    std::vector<std::string> names = {"lm_head"};
    for (const int layer : {0, 1, 2, 5}) {
      for (int expert = 0; expert < 128; ++expert)
        names.push_back("model.layers." + std::to_string(layer) + ".mlp.experts." +
                        std::to_string(expert) + ".up_proj");
    }
    names.emplace_back("model.layers.9.mlp.gate");
    names.emplace_back("lm_head");
    names.emplace_back("re:.*0.*");
    CHECK(collapse_modules(names) ==
          std::vector<std::string>{"lm_head", "model.layers.{0-2,5}.mlp.experts.{0-127}.up_proj",
                                   "model.layers.9.mlp.gate", "re:.*0.*"});
    // Layers with other experts stay apart.
    CHECK(collapse_modules({"layers.0.experts.0", "layers.0.experts.1", "layers.1.experts.0"}) ==
          std::vector<std::string>{"layers.0.experts.{0-1}", "layers.1.experts.0"});
    CHECK(collapse_modules({"a.99999999999999999999", "a.1."}) ==
          std::vector<std::string>{"a.99999999999999999999", "a.1."});
  }

  TEST_CASE("what is kept stays in the type of the rest, layer by layer") {
    Model model = mixture();
    model.weights.kept = {"model.language_model.layers.0*", "re:.*self_attn.*",
                          "model.layers.{2}.mlp.experts"};
    resolve_modules(model);
    CHECK(stored_as(model, "mlp.up_proj", 0) == Quantization::Bf16);
    CHECK(stored_as(model, "mlp.experts.up_proj", 1) == Quantization::Nvfp4);
    CHECK(stored_as(model, "mlp.experts.up_proj", 2) == Quantization::Bf16);
    CHECK(stored_as(model, "mlp.experts.up_proj", 3) == Quantization::Nvfp4);
    CHECK(stored_as(model, "self_attn.q_proj", 3) == Quantization::Bf16);
    CHECK(stored_as(model, "input_layernorm", 3) == Quantization::Bf16);
    CHECK(next_change(model, 0, 4) == 1);
    CHECK(next_change(model, 2, 4) == 3);
    CHECK(next_change(model, 3, 4) == 4);
  }

  TEST_CASE("families' own words for a module are understood") {
    Model model = mixture();
    model.weights.kept = {"model.layers.1.block_sparse_moe.experts.0.w3",
                          "language_model.model.layers.2.feed_forward.experts",
                          "backbone.layers.3.mixer.q_proj", "*.ffn.experts.0.w2"};
    resolve_modules(model);
    CHECK(stored_as(model, "mlp.experts.up_proj", 1) == Quantization::Bf16);
    CHECK(stored_as(model, "mlp.experts.gate_proj", 1) == Quantization::Nvfp4);
    CHECK(stored_as(model, "mlp.experts.gate_proj", 2) == Quantization::Bf16);
    CHECK(stored_as(model, "self_attn.q_proj", 3) == Quantization::Bf16);
    CHECK(stored_as(model, "self_attn.q_proj", 2) == Quantization::Nvfp4);
    CHECK(stored_as(model, "mlp.experts.down_proj", 3) == Quantization::Bf16);
  }

  // Tensors of Qwen3-Next's published index: layers.0.linear_attn.*, layers.3.self_attn.*; of Kimi
  // Linear's and Nemotron-H's every mixer is called self_attn or mixer.
  TEST_CASE("linear attention beside attention is no part of it, but where both share the word") {
    Model model = mixture();
    model.weights.linear = Quantization::Fp8;
    model.layers[0].layer.attention = {};
    model.layers[0].layer.recurrent = Recurrent{.kind = RecurrentKind::GatedDelta,
                                                .key_heads = 2,
                                                .key_dim = 8,
                                                .value_heads = 4,
                                                .value_dim = 8,
                                                .convolution = 4};
    model.weights.kept = {"re:.*self_attn.*"};
    resolve_modules(model);
    CHECK(stored_as(model, "linear_attn.out_proj", 0) == Quantization::Fp8);
    CHECK(stored_as(model, "self_attn.o_proj", 1) == Quantization::Bf16);
    model.weights.kept = {"re:.*linear_attn.*"};
    resolve_modules(model);
    CHECK(stored_as(model, "linear_attn.out_proj", 0) == Quantization::Bf16);
    CHECK(stored_as(model, "self_attn.o_proj", 1) == Quantization::Fp8);

    model.layers[0].layer.recurrent->kind = RecurrentKind::Kda;
    model.weights.kept = {"re:.*self_attn.*"};
    resolve_modules(model);
    CHECK(stored_as(model, "self_attn.o_proj", 0) == Quantization::Bf16);
    model.layers[0].layer.recurrent->kind = RecurrentKind::Mamba2;
    model.weights.kept = {"backbone.layers.0.mixer*"};
    resolve_modules(model);
    CHECK(stored_as(model, "mamba.out_proj", 0) == Quantization::Bf16);
  }

  TEST_CASE("experts beside a dense network are no part of it") {
    Model model = mixture();
    for (LayerRun& run : model.layers) run.layer.feed_forward.width = 64;  // as Gemma 4 26B-A4B
    model.weights.kept = {"model.language_model.layers.{0-3}.mlp*",
                          "model.language_model.layers.{0-3}.router*"};
    resolve_modules(model);
    CHECK(stored_as(model, "mlp.up_proj", 2) == Quantization::Bf16);
    CHECK(stored_as(model, "mlp.experts.up_proj", 2) == Quantization::Nvfp4);
    model.weights.kept = {"model.language_model.layers.{0-3}.experts*"};
    resolve_modules(model);
    CHECK(stored_as(model, "mlp.up_proj", 2) == Quantization::Nvfp4);
    CHECK(stored_as(model, "mlp.experts.up_proj", 2) == Quantization::Bf16);
  }

  // hf_quant_config.json of nvidia/NVIDIA-Nemotron-3-Super-120B-A12B-NVFP4: the experts' pattern
  // speaks of those of the prediction layers, too, which exclude_modules leaves in 16 bits.
  TEST_CASE("what is kept stays whatever a format's pattern says") {
    Model model = mixture();
    model.multi_token_prediction.emplace();
    model.multi_token_prediction->layers = {{.layer = model.layers.back().layer, .count = 1}};
    model.weights.modules = {{.pattern = "*.mlp.experts.*", .quantization = Quantization::Nvfp4},
                             {.pattern = "*", .quantization = Quantization::Bf16}};
    model.weights.kept = {"mtp*"};
    resolve_modules(model);
    CHECK(stored_as(model, "mlp.experts.up_proj", 1) == Quantization::Nvfp4);
    for (const Tensor& tensor :
         tensors_of(model.multi_token_prediction->layers.front().layer, model)) {
      CAPTURE(tensor.name);
      CHECK(multi_token_scheme(model, tensor, 0).quantization == Quantization::Bf16);
    }
  }

  TEST_CASE("of mixed precision the first pattern decides") {
    Model model = mixture();
    model.weights.modules = {{.pattern = "lm_head", .quantization = Quantization::Fp8},
                             {.pattern = "model.layers.{0-1}.self_attn",
                              .quantization = Quantization::Fp8,
                              .static_activation_scales = true},
                             {.pattern = "model.layers.{1-3}.mlp.experts.{0-1}",
                              .quantization = Quantization::Int4,
                              .group = 32},
                             {.pattern = "*", .quantization = Quantization::Bf16}};
    resolve_modules(model);
    CHECK(stored_as(model, "self_attn.q_proj", 1) == Quantization::Fp8);
    CHECK(stored_as(model, "self_attn.q_proj", 2) == Quantization::Bf16);
    CHECK(stored_as(model, "mlp.up_proj", 0) == Quantization::Bf16);
    const Tensor experts{.name = "mlp.experts.up_proj",
                         .part = TensorPart::Expert,
                         .rows = 16,
                         .columns = 32,
                         .copies = 2,
                         .is_linear = true};
    CHECK(scheme_of(model, experts, 2).group == 32);
    const Tensor head{.name = "lm_head", .part = TensorPart::Head, .rows = 100, .columns = 32};
    CHECK(scheme_of(model, head).quantization == Quantization::Fp8);
    // The rows of one tensor lie together although other layers come between.
    CHECK(model.exceptions.size() < 20);
  }

  // vLLM layers/quantization/modelopt.py asks is_layer_excluded before any scheme.
  TEST_CASE("what is left out stays out, whatever further patterns say") {
    Model model = mixture();
    model.weights.kept = {"lm_head", "model.layers.3*"};
    model.weights.modules = {{.pattern = "mlp.experts", .quantization = Quantization::Fp8}};
    resolve_modules(model);
    CHECK(stored_as(model, "mlp.experts.down_proj", 2) == Quantization::Fp8);
    CHECK(stored_as(model, "mlp.experts.down_proj", 3) == model.weights.other);
  }

  TEST_CASE("stored bytes are weights and what comes with them") {
    const Tensor linear{.name = "x", .rows = 4096, .columns = 11008, .is_linear = true};
    const auto bytes = [&](Quantization quantization) {
      return stored_bytes(linear, scheme(quantization));
    };
    const std::int64_t values = 4096LL * 11008;
    CHECK(bytes(Quantization::Bf16) == values * 2);
    CHECK(bytes(Quantization::Fp8Channel) == values + 4096 * 4);
    CHECK(bytes(Quantization::Fp8Block) == values + 32 * 86 * 4);
    // qweight 4 bits, qzeros 4 and scales 16 bits per 128 inputs, g_idx 4 bytes an input.
    CHECK(bytes(Quantization::GptqInt4) == values / 2 + 86 * 4096 * 20 / 8 + 11008 * 4);
    CHECK(bytes(Quantization::Awq) == values / 2 + 86 * 4096 * 20 / 8);
    CHECK(bytes(Quantization::Nvfp4) == values / 2 + values / 16 + 4);
    CHECK(bytes(Quantization::Q4K) == values / 256 * 144);
    CHECK(bytes(Quantization::Q6K) == values / 256 * 210);
    const Tensor norm{.name = "n", .rows = 4096};
    CHECK(stored_bytes(norm, scheme(Quantization::Bf16)) == 8192);
  }
}
