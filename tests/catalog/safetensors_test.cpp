#include "catalog/safetensors.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "catalog/stored_weights.hpp"
#include "catalog/tensor_names.hpp"
#include "weight_files.hpp"

using namespace gpushape::catalog;
using namespace gpushape::catalog::testing;
using gpushape::domain::TensorPart;

namespace {

std::string fault_of(std::string_view json, std::uint64_t bytes) {
  const auto listing = read_safetensors_header(json, bytes, "x.safetensors");
  if (listing) return "accepted";
  return listing.error().front().message;
}

std::string entry(const std::string& name, const std::string& shape, const std::string& offsets,
                  const std::string& dtype = "BF16") {
  return "\"" + name + "\": {\"dtype\": \"" + dtype + "\", \"shape\": " + shape +
         ", \"data_offsets\": " + offsets + "}";
}

}  // namespace

TEST_SUITE("catalog") {
  TEST_CASE("a safetensors header gives name, type, shape and bytes of every tensor") {
    const std::vector<StTensor> tensors = {{"model.embed_tokens.weight", "BF16", {100, 64}},
                                           {"a.scale", "F32", {}},
                                           {"b.packed", "F8_E4M3", {3, 4, 5}}};
    const auto listing = read_safetensors_header(safetensors_json(tensors), 12'800 + 4 + 60, "x");
    REQUIRE(listing);
    REQUIRE(listing->tensors.size() == 3);
    CHECK(listing->bytes == 12'864);
    CHECK(listing->tensors[0].name == "model.embed_tokens.weight");
    CHECK(listing->tensors[0].type->name == "BF16");
    CHECK(listing->tensors[0].rows == 100);
    CHECK(listing->tensors[0].columns == 64);
    CHECK(listing->tensors[1].rank == 0);
    CHECK(listing->tensors[1].values() == 1);
    CHECK(listing->tensors[2].rows == 3);
    CHECK(listing->tensors[2].columns == 20);
    CHECK(listing->tensors[2].last == 5);
  }

  TEST_CASE("a header that cannot be true is refused, with its place") {
    struct Row {
      std::string json;
      const char* says;
    };
    const std::vector<Row> rows = {
        {"", "the text ends in the middle, at byte 8"},
        {"[]", "a mapping of tensors is expected"},
        {"{" + entry("a", "[2]", "[0, 4]") + ", " + entry("a", "[2]", "[4, 8]") + "}",
         "'a' stands twice"},
        {"{" + entry("a", "[2]", "[0, 4]") + ", " + entry("b", "[2]", "[2, 6]") + "}",
         "inside the tensor before it"},
        {"{" + entry("a", "[2]", "[4, 8]") + "}", "with a gap before it"},
        {"{" + entry("a", "[2]", "[0, 8]") + "}", "has 4 bytes by its shape, 8 by its offsets"},
        {"{" + entry("a", "[4]", "[0, 16]", "F32") + "}", "lies at bytes 0 to 16 of 8"},
        {"{" + entry("a", "[2]", "[4, 0]") + "}", "lies at bytes 4 to 0"},
        {"{" + entry("a", "[2]", "[-4, 0]") + "}", "an offset is negative"},
        {"{" + entry("a", "[-2]", "[0, 4]") + "}", "at least 0"},
        {"{" + entry("a", "[2.0]", "[0, 4]") + "}", "a whole number"},
        {"{" + entry("a", "[9223372036854775807, 9223372036854775807, 16]", "[0, 4]") + "}",
         "beyond all bounds"},
        {"{" + entry("a", "[9223372036854775807]", "[0, 4]") + "}", "beyond all bounds"},
        {"{" + entry("a", "[2]", "[0, 4]", "F7") + "}", "dtype 'F7' is not known"},
        {"{" + entry("a", "[2]", "[0, 4, 8]") + "}", "the end of two offsets is expected"},
        {R"({"a": {"dtype": "BF16", "dtype": "BF16"}})", "stands twice"},
        {R"({"a": {"dtype": "BF16", "shape": [2]}})", "lacks dtype, shape or data_offsets"},
        {R"({"a": {"size": 3}})", "no field 'size'"},
        {"{" + entry("a", "[2]", "[0, 4]"), "expected ',' or '}'"},
        {"{" + entry("a", "[" + std::string(50, '[') + "2]", "[0, 4]") + "}", "whole number"},
    };
    for (const Row& row : rows) {
      CAPTURE(row.json);
      const std::string fault = fault_of(row.json, 8);
      CAPTURE(fault);
      CHECK(fault.find(row.says) != std::string::npos);
    }
    CHECK(fault_of("{" + entry("a", "[2]", "[0, 4]") + "}", 8).find("end at byte 4 of 8") !=
          std::string::npos);
    CHECK(fault_of("{\"__metadata__\": " + std::string(100'000, '[') + "}", 0)
              .find("nested too deep") != std::string::npos);
  }

  TEST_CASE("of a file only the header is read, and a file that is cut off is refused") {
    const Folder folder;
    const std::vector<StTensor> tensors = {{"w", "BF16", {10, 10}}};
    const std::string file = safetensors_file(tensors);
    const auto whole = read_safetensors(folder.write("a.safetensors", file));
    REQUIRE(whole);
    CHECK(whole->bytes == 200);
    CHECK(whole->notes.empty());
    const auto fault = [&](const std::string& bytes) {
      const auto listing = read_safetensors(folder.write("b.safetensors", bytes));
      return listing ? std::string("accepted") : listing.error().front().message;
    };
    CHECK(fault(file.substr(0, file.size() - 1)).find("of 199") != std::string::npos);
    CHECK(fault(file.substr(0, 20)).find("cut off") != std::string::npos);
    CHECK(fault(file.substr(0, 5)).find("too short") != std::string::npos);
    CHECK(fault(little(1ULL << 62U, 8) + "{}").find("cut off") != std::string::npos);
    CHECK(fault("version https://git-lfs.github.com/spec/v1").find("LFS") != std::string::npos);
    const auto head =
        read_safetensors(folder.write("c.safetensors", file.substr(0, file.size() - 200)));
    REQUIRE(head);
    CHECK(head->bytes == 200);
    REQUIRE(head->notes.size() == 1);
    CHECK_FALSE(read_safetensors(folder.path()));
    CHECK_FALSE(read_safetensors(folder.path() + "/none.safetensors"));
  }

  TEST_CASE("an index leads to its files, or to its total where they are missing") {
    const Folder folder;
    const std::string index = folder.write("model.safetensors.index.json", R"({"metadata":
      {"total_size": 300}, "weight_map": {"w": "model-00001-of-00002.safetensors",
      "v": "model-00002-of-00002.safetensors"}})");
    const auto names = read_safetensors_index_file(index);
    REQUIRE(names);
    CHECK(names->has_names_only);
    CHECK(names->bytes == 300);
    CHECK(names->tensors.size() == 2);
    CHECK(names->notes.size() == 1);
    folder.write("model-00001-of-00002.safetensors", safetensors_file({{"w", "BF16", {10, 10}}}));
    folder.write("model-00002-of-00002.safetensors", safetensors_file({{"v", "BF16", {5, 10}}}));
    const auto whole = read_safetensors_index_file(index);
    REQUIRE(whole);
    CHECK_FALSE(whole->has_names_only);
    CHECK(whole->bytes == 300);
    CHECK(whole->notes.empty());
    folder.write("model-00002-of-00002.safetensors", safetensors_file({{"w", "BF16", {5, 10}}}));
    const auto twice = read_safetensors_index_file(index);
    REQUIRE_FALSE(twice);
    CHECK(twice.error().front().message.find("two files") != std::string::npos);
    folder.write("model-00002-of-00002.safetensors", safetensors_file({{"u", "BF16", {6, 10}}}));
    const auto missing = read_safetensors_index_file(index);
    REQUIRE_FALSE(missing);
    CHECK(missing.error().front().message.find("holds the tensor 'v'") != std::string::npos);
  }

  TEST_CASE("an index that cannot be true is refused") {
    struct Row {
      const char* json;
      const char* says;
    };
    const std::vector<Row> rows = {
        {"{}", "weight_map is missing"},
        {"[]", "a mapping is expected"},
        {R"({"weight_map": {"a": "x", "a": "y"}})", "'a' stands twice"},
        {R"({"weight_map": {"a": "../../etc/passwd"}})", "not the name of a file"},
        {R"({"weight_map": {"a": ".."}})", "not the name of a file"},
        {R"({"weight_map": {"a": 1}})", "the name of a file is expected"},
        {R"({"metadata": {"total_size": -5}, "weight_map": {}})", "total_size"},
        {R"({"metadata": {"total_size": "5"}, "weight_map": {}})", "total_size"},
        {R"({"metadata": 5, "weight_map": {}})", "metadata is a mapping"},
        {R"({"weight_map": {"a": "x"})", "expected ',' or '}'"},
    };
    for (const Row& row : rows) {
      CAPTURE(row.json);
      const auto index = read_safetensors_index(row.json, "i.json");
      REQUIRE_FALSE(index);
      CHECK(index.error().front().message.find(row.says) != std::string::npos);
    }
    // Some writers print the total as a float.
    const auto index = read_safetensors_index(
        R"({"metadata": {"total_size": 1.5e10}, "weight_map": {"a": "x"}})", "i");
    REQUIRE(index);
    CHECK(index->total_bytes == 15'000'000'000);
  }

  TEST_CASE("a tensor's name says its layer, module, companion and part") {
    using Scope = TensorName::Scope;
    struct Row {
      const char* name;
      Scope scope;
      std::int64_t layer;
      const char* module;
      std::int64_t expert;
      const char* suffix;
      TensorPart part;
    };
    const std::vector<Row> rows = {
        {"model.layers.3.self_attn.q_proj.weight", Scope::Layer, 3, "self_attn.q_proj", -1,
         "weight", TensorPart::Attention},
        {"model.layers.3.self_attn.q_proj.bias", Scope::Layer, 3, "self_attn.q_proj.bias", -1,
         "weight", TensorPart::Attention},
        {"model.layers.3.mlp.experts.7.down_proj.weight_scale_inv", Scope::Layer, 3,
         "mlp.experts.down_proj", 7, "weight_scale_inv", TensorPart::Expert},
        {"model.layers.0.block_sparse_moe.experts.5.w1.weight", Scope::Layer, 0,
         "mlp.experts.gate_proj", 5, "weight", TensorPart::Expert},
        {"model.layers.0.block_sparse_moe.gate.weight", Scope::Layer, 0, "mlp.gate", -1, "weight",
         TensorPart::Router},
        {"model.layers.9.mlp.gate.e_score_correction_bias", Scope::Layer, 9,
         "mlp.gate.e_score_correction_bias", -1, "", TensorPart::Router},
        {"model.layers.0.mlp.experts.gate_up_proj_blocks", Scope::Layer, 0,
         "mlp.experts.gate_up_proj", -1, "blocks", TensorPart::Expert},
        {"model.layers.0.mlp.router.weight", Scope::Layer, 0, "mlp.gate", -1, "weight",
         TensorPart::Router},
        {"backbone.layers.4.mixer.in_proj.weight", Scope::Layer, 4, "mamba.in_proj", -1, "weight",
         TensorPart::Recurrent},
        {"backbone.layers.5.mixer.q_proj.weight", Scope::Layer, 5, "self_attn.q_proj", -1, "weight",
         TensorPart::Attention},
        {"model.layers.0.input_layernorm.weight", Scope::Layer, 0, "input_layernorm", -1, "weight",
         TensorPart::Norm},
        {"model.layers.0.self_attn.k_norm.weight", Scope::Layer, 0, "self_attn.k_norm", -1,
         "weight", TensorPart::Norm},
        {"model.embed_tokens.weight", Scope::Outer, -1, "model.embed_tokens", -1, "weight",
         TensorPart::Embedding},
        {"model.language_model.embed_tokens.weight", Scope::Outer, -1, "model.embed_tokens", -1,
         "weight", TensorPart::Embedding},
        {"lm_head.qweight", Scope::Outer, -1, "lm_head", -1, "qweight", TensorPart::Head},
        {"model.norm.weight", Scope::Outer, -1, "model.norm", -1, "weight", TensorPart::Norm},
        {"model.visual.blocks.0.attn.qkv.weight", Scope::Tower, -1,
         "model.visual.blocks.0.attn.qkv", -1, "weight", TensorPart::Tower},
        {"mtp.layers.0.mlp.gate_proj.weight", Scope::MultiToken, 0, "mlp.gate_proj", -1, "weight",
         TensorPart::MultiToken},
        {"model.layers.0.mlp.down_proj.weight.quant_state.bitsandbytes__nf4", Scope::Layer, 0,
         "mlp.down_proj", -1, "weight.quant_state.bitsandbytes__nf4", TensorPart::FeedForward},
        {"transformer.h.11.attn.c_attn.weight", Scope::Layer, 11, "self_attn.qkv_proj", -1,
         "weight", TensorPart::Attention},
        {"transformer.encoder.layers.1.self_attention.query_key_value.weight", Scope::Layer, 1,
         "self_attn.qkv_proj", -1, "weight", TensorPart::Attention},
        {"", Scope::Outer, -1, "", -1, "", TensorPart::Other},
        {"...", Scope::Outer, -1, "", -1, "", TensorPart::Other},
        {"layers.99999999999.x", Scope::Outer, -1, "layers.99999999999.x", -1, "",
         TensorPart::Other},
    };
    for (const Row& row : rows) {
      CAPTURE(row.name);
      const TensorName name = parse_tensor_name(row.name);
      CHECK(name.scope == row.scope);
      CHECK(name.layer == row.layer);
      CHECK(name.module == row.module);
      CHECK(name.expert == row.expert);
      CHECK(name.suffix == row.suffix);
      CHECK(name.part == row.part);
    }
    const TensorName gguf = parse_gguf_tensor_name("blk.3.ffn_down_exps.weight");
    CHECK(gguf.layer == 3);
    CHECK(gguf.module == "mlp.experts.down_proj");
    CHECK(gguf.part == TensorPart::Expert);
    CHECK(parse_gguf_tensor_name("token_embd.weight").part == TensorPart::Embedding);
    CHECK(parse_gguf_tensor_name("output.weight").part == TensorPart::Head);
  }

  TEST_CASE("bytes are sorted by part and type") {
    const std::vector<StTensor> tensors = {
        {"model.embed_tokens.weight", "BF16", {100, 64}},
        {"model.layers.0.mlp.up_proj.weight", "F8_E4M3", {128, 64}},
        {"model.layers.0.mlp.up_proj.weight_scale", "F32", {128, 1}},
        {"model.layers.1.eh_proj.weight", "BF16", {64, 128}},
        {"model.layers.1.mlp.up_proj.weight", "BF16", {128, 64}}};
    const auto listing = read_safetensors_header(safetensors_json(tensors),
                                                 12'800 + 8'192 + 512 + 16'384 + 16'384, "x");
    REQUIRE(listing);
    const auto parts = sorted_parts(*listing);
    REQUIRE(parts.size() == 4);
    CHECK(parts[0].part == TensorPart::Embedding);
    CHECK(parts[0].bytes == 12'800);
    CHECK(parts[1].part == TensorPart::FeedForward);
    CHECK(parts[1].dtype == "F8_E4M3");
    CHECK(parts[1].bytes == 8'192);
    CHECK(parts[2].dtype == "F32");
    CHECK(parts[3].part == TensorPart::MultiToken);
    CHECK(parts[3].bytes == 32'768);
  }
}
