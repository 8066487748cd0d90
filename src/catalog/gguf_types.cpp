#include "catalog/gguf_types.hpp"

#include <algorithm>
#include <array>

namespace gpushape::catalog {
namespace {

using domain::Quantization;

struct Row {
  std::uint32_t number = 0;
  StoredType type;
};

constexpr StoredType plain(std::string_view name, int bytes, Quantization like, bool is_float) {
  return {
      .name = name, .bits = bytes * 8, .block_bytes = bytes, .is_float = is_float, .plain = like};
}
constexpr StoredType blocks(std::string_view name, int block, int bytes, Quantization like) {
  return {.name = name, .block = block, .block_bytes = bytes, .plain = like};
}

// ggml.h, enum ggml_type; values and bytes of a block: ggml-common.h. Types that newer versions no
// longer read (4, 5, 31 to 33, 36 to 38) are in older files.
constexpr auto kGgufTypes = std::to_array<Row>({
    {0, plain("F32", 4, Quantization::Fp32, true)},
    {1, plain("F16", 2, Quantization::Fp16, true)},
    {2, blocks("Q4_0", 32, 18, Quantization::Q4_0)},
    {3, blocks("Q4_1", 32, 20, Quantization::Q4_1)},
    {4, blocks("Q4_2", 16, 10, Quantization::Q4_0)},
    {5, blocks("Q4_3", 16, 12, Quantization::Q4_1)},
    {6, blocks("Q5_0", 32, 22, Quantization::Q5_0)},
    {7, blocks("Q5_1", 32, 24, Quantization::Q5_1)},
    {8, blocks("Q8_0", 32, 34, Quantization::Q8_0)},
    {9, blocks("Q8_1", 32, 36, Quantization::Q8_0)},
    {10, blocks("Q2_K", 256, 84, Quantization::Q2K)},
    {11, blocks("Q3_K", 256, 110, Quantization::Q3K)},
    {12, blocks("Q4_K", 256, 144, Quantization::Q4K)},
    {13, blocks("Q5_K", 256, 176, Quantization::Q5K)},
    {14, blocks("Q6_K", 256, 210, Quantization::Q6K)},
    {15, blocks("Q8_K", 256, 292, Quantization::Q8K)},
    {16, blocks("IQ2_XXS", 256, 66, Quantization::Iq2Xxs)},
    {17, blocks("IQ2_XS", 256, 74, Quantization::Iq2Xs)},
    {18, blocks("IQ3_XXS", 256, 98, Quantization::Iq3Xxs)},
    {19, blocks("IQ1_S", 256, 50, Quantization::Iq1S)},
    {20, blocks("IQ4_NL", 32, 18, Quantization::Iq4Nl)},
    {21, blocks("IQ3_S", 256, 110, Quantization::Iq3S)},
    {22, blocks("IQ2_S", 256, 82, Quantization::Iq2S)},
    {23, blocks("IQ4_XS", 256, 136, Quantization::Iq4Xs)},
    {24, plain("I8", 1, Quantization::Fp16, false)},
    {25, plain("I16", 2, Quantization::Fp16, false)},
    {26, plain("I32", 4, Quantization::Fp32, false)},
    {27, plain("I64", 8, Quantization::Fp32, false)},
    {28, plain("F64", 8, Quantization::Fp32, false)},
    {29, blocks("IQ1_M", 256, 56, Quantization::Iq1M)},
    {30, plain("BF16", 2, Quantization::Bf16, true)},
    {31, blocks("Q4_0_4_4", 32, 18, Quantization::Q4_0)},
    {32, blocks("Q4_0_4_8", 32, 18, Quantization::Q4_0)},
    {33, blocks("Q4_0_8_8", 32, 18, Quantization::Q4_0)},
    {34, blocks("TQ1_0", 256, 54, Quantization::Tq1_0)},
    {35, blocks("TQ2_0", 256, 66, Quantization::Tq2_0)},
    {36, blocks("IQ4_NL_4_4", 32, 18, Quantization::Iq4Nl)},
    {37, blocks("IQ4_NL_4_8", 32, 18, Quantization::Iq4Nl)},
    {38, blocks("IQ4_NL_8_8", 32, 18, Quantization::Iq4Nl)},
    {39, blocks("MXFP4", 32, 17, Quantization::Mxfp4)},
    {40, blocks("NVFP4", 64, 36, Quantization::Nvfp4)},
    {41, blocks("Q1_0", 128, 18, Quantization::Q1_0)},
});

}  // namespace

const StoredType* gguf_type(std::uint32_t number) {
  const auto found = std::ranges::find(kGgufTypes, number, &Row::number);
  return found == kGgufTypes.end() ? nullptr : &found->type;
}

}  // namespace gpushape::catalog
