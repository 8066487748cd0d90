#include "catalog/gguf.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "domain/modules.hpp"
#include "domain/tensors.hpp"
#include "gguf_files.hpp"
#include "texts.hpp"
#include "weight_files.hpp"

using namespace gpushape::catalog;
using namespace gpushape::catalog::testing;
using namespace gpushape::domain;

namespace {

std::string gguf_fault_of(std::string_view head, std::uint64_t bytes = 0) {
  bool is_short = false;
  const auto gguf =
      read_gguf_head(head, std::max<std::uint64_t>(bytes, head.size()), "x.gguf", is_short);
  return gguf ? "accepted" : gguf.error().front().message;
}

}  // namespace

TEST_SUITE("catalog") {
  TEST_CASE("bytes of ggml's block types are those of its headers") {
    struct Row {
      std::uint32_t number;
      const char* name;
      int block;
      int bytes;
    };
    // design of the types: ggml-common.h.
    const std::vector<Row> rows = {
        {0, "F32", 1, 4},       {1, "F16", 1, 2},       {2, "Q4_0", 32, 18},
        {8, "Q8_0", 32, 34},    {10, "Q2_K", 256, 84},  {12, "Q4_K", 256, 144},
        {14, "Q6_K", 256, 210}, {19, "IQ1_S", 256, 50}, {23, "IQ4_XS", 256, 136},
        {30, "BF16", 1, 2},     {35, "TQ2_0", 256, 66}, {39, "MXFP4", 32, 17}};
    for (const Row& row : rows) {
      CAPTURE(row.name);
      const StoredType* type = gguf_type(row.number);
      REQUIRE(type != nullptr);
      CHECK(type->name == row.name);
      CHECK(type->block == row.block);
      CHECK(type->block_bytes == row.bytes);
    }
    CHECK(gguf_type(200) == nullptr);
    // The published vocabulary gives every block type the same bits.
    for (std::uint32_t number = 0; number < 64; ++number) {
      const StoredType* type = gguf_type(number);
      if (type == nullptr || type->block == 1 || type->name == "Q8_1" || type->name == "Q4_2" ||
          type->name == "Q4_3")
        continue;
      CAPTURE(type->name);
      CHECK(bits_per_weight(scheme(type->plain)) ==
            doctest::Approx(8.0 * type->block_bytes / type->block));
    }
  }

  TEST_CASE("a dense model is read from its own key-values and shapes, its weights to the byte") {
    const Model model = model_of(llama());
    CHECK(model.family == "llama");
    CHECK(model.hidden_size == 256);
    CHECK(model.vocabulary == 300);
    CHECK(model.max_context_tokens == 4096);
    CHECK(model.rope.theta == doctest::Approx(500'000));
    CHECK(model.tied_embeddings);
    REQUIRE(model.layers.size() == 1);
    CHECK(model.layers[0].count == 2);
    const Layer& layer = model.layers[0].layer;
    CHECK(layer.attention.heads == 4);
    CHECK(layer.attention.kv_heads == 2);
    CHECK(layer.attention.head_dim == 64);
    CHECK(layer.attention.kind == LayerKind::Full);
    CHECK(layer.feed_forward.width == 512);
    CHECK(layer.feed_forward.gated);
    CHECK(layer.norms == 2);
    CHECK(model.weights.linear == Quantization::Q4K);
    const Tensor value{.name = "self_attn.v_proj",
                       .part = TensorPart::Attention,
                       .rows = 128,
                       .columns = 256,
                       .is_linear = true};
    CHECK(scheme_of(model, value, 0).quantization == Quantization::Q6K);
    CHECK(scheme_of(model, value, 1).quantization == Quantization::Q4K);
    // Embedding 300 x 256 in Q6_K; a layer: q and o 256 x 256, k and v 128 x 256, gate and up
    // 512 x 256 in Q4_K (v of layer 0 in Q6_K), down in Q6_K, two norms; the last norm.
    std::int64_t bytes = 0;
    for (const StoredPart& part : model.stored) bytes += part.bytes;
    const std::int64_t q4 = 144, q6 = 210;
    CHECK(bytes == 300 * q6 + (256 + 256 + 128 + 1024) * q4 * 2 + 128 * q6 + 128 * q4 +
                       512 * q6 * 2 + 5 * 1024);
    CHECK(model.parameters.stored == model.parameters.total);
    // What the header says can be written down as patterns.
    Model written = model;
    resolve_modules(written);
    CHECK(written.exceptions == model.exceptions);
    CHECK(model.weights.modules.size() == 3);  // v of layer 0, down, the embedding
  }

  TEST_CASE("a file of several types in version 2 is read, too") {
    GgufText text(2);
    text.text("general.architecture", "llama").number("llama.block_count", 1);
    bool is_short = false;
    const std::string file = text.file();
    const auto gguf = read_gguf_head(file, file.size(), "x", is_short);
    REQUIRE(gguf);
    CHECK(gguf->version == 2);
    CHECK(std::get<std::int64_t>(*gguf->find("llama.block_count")) == 1);
  }

  TEST_CASE("experts, sinks and alternating windows come from tensors and keys") {
    GgufText text = keys("gpt-oss", 2);
    text.number("gpt-oss.expert_used_count", 2).number("gpt-oss.attention.sliding_window", 128);
    add(text, "token_embd.weight", {256, 300}, kF16);
    add(text, "output.weight", {256, 300}, kF16);
    add(text, "output_norm.weight", {256}, kF32);
    for (int layer = 0; layer < 2; ++layer) {
      add_attention(text, layer);
      const std::string blk = "blk." + std::to_string(layer) + ".";
      add(text, blk + "attn_sinks.weight", {4}, kF32);
      add(text, blk + "ffn_gate_inp.weight", {256, 8}, kF32);
      for (const char* name : {"ffn_gate_exps", "ffn_up_exps"})
        add(text, blk + name + ".weight", {256, 64, 8}, 39);
      add(text, blk + "ffn_down_exps.weight", {64, 256, 8}, 39);
    }
    const Model model = model_of(text);
    CHECK(model.family == "gpt_oss");
    CHECK_FALSE(model.tied_embeddings);
    REQUIRE(model.layers.size() == 2);
    CHECK(model.layers[0].layer.attention.kind == LayerKind::Sliding);
    CHECK(model.layers[0].layer.attention.window_tokens == 128);
    CHECK(model.layers[1].layer.attention.kind == LayerKind::Full);
    CHECK(model.layers[1].layer.attention.has_sinks);
    const auto& experts = model.layers[1].layer.feed_forward.experts;
    REQUIRE(experts);
    CHECK(experts->count == 8);
    CHECK(experts->active == 2);
    CHECK(experts->width == 64);
    CHECK(model.weights.linear == Quantization::Mxfp4);
    CHECK(model.parameters.stored == model.parameters.total);
  }

  TEST_CASE("layers that differ in their heads are told by lists of numbers") {
    GgufText text;
    text.text("general.architecture", "deci");
    text.number("deci.block_count", 2).number("deci.embedding_length", 256);
    text.number("deci.context_length", 4096);
    text.numbers("deci.attention.head_count", {4, 0})
        .numbers("deci.attention.head_count_kv", {2, 0});
    add(text, "token_embd.weight", {256, 300}, kF16);
    add(text, "output_norm.weight", {256}, kF32);
    add_attention(text, 0);
    for (const char* name : {"blk.0.", "blk.1."}) {
      add(text, std::string(name) + "ffn_up.weight", {256, 512}, kF16);
      add(text, std::string(name) + "ffn_gate.weight", {256, 512}, kF16);
      add(text, std::string(name) + "ffn_down.weight", {512, 256}, kF16);
    }
    add(text, "blk.1.ffn_norm.weight", {256}, kF32);
    const Model model = model_of(text);
    REQUIRE(model.layers.size() == 2);
    CHECK(model.layers[1].layer.attention.kind == LayerKind::None);
    CHECK(model.layers[1].layer.norms == 1);
    CHECK(model.parameters.stored == model.parameters.total);
  }

  TEST_CASE("a file that cannot be true is refused, with its place") {
    const std::string good = llama().file();
    CHECK(gguf_fault_of(good) == "accepted");
    CHECK(gguf_fault_of("").find("the file ends here, at byte 0") != std::string::npos);
    CHECK(gguf_fault_of("GGML....").find("does not begin with GGUF") != std::string::npos);
    CHECK(gguf_fault_of("version https://git-lfs").find("LFS") != std::string::npos);
    CHECK(gguf_fault_of(std::string("GGUF") + little(1, 4) + little(0, 8) + little(0, 8))
              .find("version 1") != std::string::npos);
    CHECK(
        gguf_fault_of("GGUF" + little(0x03000000, 4) + std::string(16, '\0')).find("big-endian") !=
        std::string::npos);
    CHECK(gguf_fault_of("GGUF" + little(3, 4) + little(1ULL << 60U, 8) + little(0, 8))
              .find("tensors") != std::string::npos);
    CHECK(gguf_fault_of("GGUF" + little(3, 4) + little(0, 8) + little(1ULL << 60U, 8))
              .find("key-values") != std::string::npos);
    CHECK(
        gguf_fault_of("GGUF" + little(3, 4) + little(0, 8) + little(1, 8) + little(1ULL << 60U, 8))
            .find("a string of") != std::string::npos);
    for (const std::size_t cut : {30UL, 100UL, 400UL, good.size() / 2, good.size() - 1})
      CHECK(gguf_fault_of(good.substr(0, cut)) != "accepted");
    const auto with = [](auto change) {
      GgufText text;
      change(text);
      return gguf_fault_of(text.file());
    };
    CHECK(with([](GgufText& t) { t.number("a", 1).number("a", 1); }).find("stands twice") !=
          std::string::npos);
    CHECK(with([](GgufText& t) { t.add("a", 77, ""); }).find("type 77") != std::string::npos);
    CHECK(with([](GgufText& t) {
            t.add("a", 9, little(9, 4) + little(1, 8));
          }).find("array of type 9") != std::string::npos);
    CHECK(with([](GgufText& t) {
            t.add("a", 9, little(4, 4) + little(1ULL << 61U, 8));
          }).find("an array of") != std::string::npos);
    CHECK(with([](GgufText& t) {
            t.tensor("a", {4}, 250, 16);
          }).find("type 250, which is not known") != std::string::npos);
    CHECK(with([](GgufText& t) { t.tensor("a", {33}, 2, 18); }).find("no whole blocks of 32") !=
          std::string::npos);
    CHECK(with([](GgufText& t) { t.tensor("a", {1, 1, 1, 1, 1}, 0, 4); }).find("5 dimensions") !=
          std::string::npos);
    CHECK(with([](GgufText& t) {
            t.tensor("a", {1ULL << 40U, 1ULL << 40U}, 0, 4);
          }).find("beyond all bounds") != std::string::npos);
    CHECK(with([](GgufText& t) {
            t.tensor("a", {8}, 0, 32).tensor("a", {8}, 0, 32);
          }).find("stands twice") != std::string::npos);
    CHECK(with([](GgufText& t) {
            t.tensor("a", {64}, 0, 32).tensor("b", {8}, 0, 32).tensor("c", {128}, 0, 512);
          }).find("inside another tensor") != std::string::npos);
    CHECK(with([](GgufText& t) { t.tensor("a", {64}, 0, 32); }).find("cut off") !=
          std::string::npos);
    CHECK(with([](GgufText& t) { t.number("general.alignment", 0); }).find("alignment") !=
          std::string::npos);
  }

  TEST_CASE("a model that is not understood is refused by name") {
    CHECK(model_fault(GgufText()).find("general.architecture") != std::string::npos);
    GgufText tower;
    tower.text("general.architecture", "clip");
    CHECK(model_fault(tower).find("tower alone") != std::string::npos);
    GgufText strange = llama();
    add(strange, "blk.1.time_mix_key.weight", {256, 256}, kF16);
    const std::string fault = model_fault(strange);
    CHECK(fault.find("layer 1 of a llama model") != std::string::npos);
    CHECK(fault.find("time_mix_key") != std::string::npos);
    GgufText missing = keys("llama", 3);
    add(missing, "token_embd.weight", {256, 300}, kF16);
    add_attention(missing, 0);
    CHECK(model_fault(missing).find("no tensors of layer 1") != std::string::npos);
    GgufText beyond = keys("llama", 1);
    add_attention(beyond, 7);
    CHECK(model_fault(beyond).find("none of the 1 layers") != std::string::npos);
    GgufText negative;
    negative.text("general.architecture", "llama").number("llama.block_count", 1U << 31U);
    CHECK(model_fault(negative).find("llama.block_count") != std::string::npos);
  }

  TEST_CASE("a split model is read from all of its files") {
    const Folder folder;
    const auto part = [](int number) {
      GgufText text;
      text.number("split.no", static_cast<std::uint64_t>(number)).number("split.count", 2);
      text.number("split.tensors.count", 2);
      add(text, "t" + std::to_string(number), {256, 4}, kQ4K);
      return text.file();
    };
    const std::string first = folder.write("m-00001-of-00002.gguf", part(0));
    const auto missing = read_gguf(first);
    REQUIRE_FALSE(missing);
    CHECK(missing.error().front().message.find("m-00002-of-00002.gguf") != std::string::npos);
    const std::string second = folder.write("m-00002-of-00002.gguf", part(1));
    for (const std::string& path : {first, second}) {
      const auto whole = read_gguf(path);
      REQUIRE(whole);
      CHECK(whole->listing.tensors.size() == 2);
      CHECK(whole->listing.bytes == 2 * 4 * 144);
    }
    folder.write("m-00002-of-00002.gguf", part(0));
    CHECK_FALSE(read_gguf(first));
    const auto renamed = read_gguf(folder.write("other.gguf", part(0)));
    REQUIRE_FALSE(renamed);
    CHECK(renamed.error().front().message.find("not named so") != std::string::npos);
  }
}
