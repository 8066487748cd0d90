#include "catalog/stored_scheme.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace gpushape::catalog {
namespace {

using domain::Quantization;
using domain::ScaleGranularity;
using domain::WeightScheme;

constexpr std::int64_t kWordBits = 32;

bool is_fp8(std::string_view type) { return type == "F8_E4M3" || type == "F8_E5M2"; }
bool is_exponent(std::string_view type) { return type == "U8" || type == "F8_E8M0"; }
bool is_byte(std::string_view type) { return type == "U8" || type == "I8"; }

std::int64_t ratio(std::int64_t values, std::int64_t scales) {
  return scales > 0 ? values / scales : 0;
}

WeightScheme grouped(Quantization quantization, std::int64_t group) {
  WeightScheme scheme = domain::scheme(quantization);
  if (group > 0 && group < (1LL << 30)) {
    scheme.granularity = ScaleGranularity::Group;
    scheme.group = static_cast<int>(group);
  }
  return scheme;
}

WeightScheme by_row(Quantization quantization) {
  WeightScheme scheme = domain::scheme(quantization);
  scheme.granularity = ScaleGranularity::Channel;
  scheme.group = 0;
  return scheme;
}

// AutoGPTQ: qweight [inputs x bits / 32, outputs], g_idx [inputs], scales [groups, outputs].
// AutoAWQ: qweight [inputs, outputs / 8], no g_idx.
std::optional<WeightScheme> auto_packed(const StoredModule& module, std::int64_t inputs) {
  const StoredShape& packed = module.packed;
  const std::int64_t groups = module.scale.is_there() ? module.scale.rows : 0;
  const std::int64_t outputs = module.scale.is_there() ? module.scale.columns : 0;
  if (groups <= 0 || outputs <= 0) return std::nullopt;
  if (packed.columns != outputs) {
    const std::int64_t group = ratio(packed.rows, groups);
    return groups == 1 ? by_row(Quantization::Awq) : grouped(Quantization::Awq, group);
  }
  if (module.order.is_there()) inputs = module.order.rows;
  const std::int64_t bits = ratio(packed.rows * kWordBits, inputs);
  constexpr auto kPacked =
      std::to_array<Quantization>({Quantization::GptqInt8, Quantization::GptqInt4,
                                   Quantization::GptqInt3, Quantization::GptqInt2});
  const auto known = std::ranges::find_if(
      kPacked, [&](Quantization row) { return domain::scheme(row).weight_bits == bits; });
  if (known == kPacked.end()) return std::nullopt;
  WeightScheme scheme = groups == 1 ? by_row(*known) : grouped(*known, ratio(inputs, groups));
  if (!module.order.is_there()) scheme.order_bits = 0;
  return scheme;
}

// compressed-tensors: weight_packed [outputs, inputs x bits / 32], weight_scale [outputs, groups].
std::optional<WeightScheme> words_packed(const StoredModule& module, std::int64_t inputs) {
  const std::int64_t bits = ratio(module.packed.last * kWordBits, inputs);
  if (bits != 4 && bits != 8) return std::nullopt;
  const Quantization quantization = bits == 4 ? Quantization::Int4 : Quantization::Int8Weight;
  WeightScheme scheme = module.scale.last <= 1
                            ? by_row(quantization)
                            : grouped(quantization, ratio(inputs, module.scale.last));
  if (module.zeros.is_there()) scheme.zero_bits = static_cast<int>(bits);
  if (module.order.is_there()) scheme.order_bits = static_cast<int>(kWordBits);
  return scheme;
}

// Two 4-bit floats in a byte: the scales' type says whose.
std::optional<WeightScheme> bytes_packed(const StoredShape& packed, const StoredModule& module) {
  const std::int64_t group =
      ratio(packed.values() * (packed.name() == "F4" ? 1 : 2), module.scale.values());
  if (module.scale.name() == "F8_E4M3") return grouped(Quantization::Nvfp4, group);
  if (is_exponent(module.scale.name())) return grouped(Quantization::Mxfp4, group);
  return std::nullopt;
}

WeightScheme eight_bit_floats(const StoredModule& module) {
  const StoredShape& weight = module.weight;
  const StoredShape& scale = module.scale;
  const bool is_scalar =
      scale.values() <= 1 || (weight.rank > 2 && scale.values() <= 2 * weight.rows);
  if (!scale.is_there() || is_scalar) return domain::scheme(Quantization::Fp8);
  const std::int64_t share = ratio(weight.values(), scale.values());
  if (share == weight.last) return domain::scheme(Quantization::Fp8Channel);
  if (is_exponent(scale.name()) && share == domain::scheme(Quantization::Mxfp8).group)
    return domain::scheme(Quantization::Mxfp8);
  // Blocks are square; the last of a row or column may be cut off, so the edge is the power of two
  // that is nearest.
  WeightScheme scheme = domain::scheme(Quantization::Fp8Block);
  const double edge = std::sqrt(static_cast<double>(std::max<std::int64_t>(1, share)));
  scheme.group = 1 << static_cast<int>(std::lround(std::log2(edge)));
  return scheme;
}

// MLX: weight [outputs, inputs x bits / 32], scales and biases [outputs, groups]. A bias is as long
// as a scale, so that both are as much as a scale for each half of a group.
std::optional<WeightScheme> mlx_packed(const StoredModule& module, std::int64_t inputs) {
  const std::int64_t bits = ratio(module.weight.last * kWordBits, inputs);
  const std::int64_t group = ratio(inputs, module.scale.last);
  const std::optional<Quantization> own = mlx_integers_of(bits);
  if (group > 0 && own && module.zeros.is_there()) return grouped(*own, group);
  if (group == 0 || (bits != 4 && bits != 8)) return std::nullopt;
  if (module.zeros.is_there())
    return grouped(bits == 4 ? Quantization::Int4 : Quantization::Int8Weight, group / 2);
  if (!is_exponent(module.scale.name()))
    return bits == 4 && module.scale.name() == "F8_E4M3"
               ? std::optional(grouped(Quantization::Nvfp4, group))
               : std::nullopt;
  return grouped(bits == 4 ? Quantization::Mxfp4 : Quantization::Mxfp8, group);
}

std::optional<WeightScheme> plain_or_bytes(const StoredModule& module, Quantization other) {
  const StoredShape& weight = module.weight;
  if (!weight.is_there()) return std::nullopt;
  if (weight.type->is_float) return domain::scheme(other);
  if (weight.type->block > 1) return domain::scheme(weight.type->plain);  // GGUF
  if (is_fp8(weight.name())) return eight_bit_floats(module);
  if (weight.name() == "F4") return bytes_packed(weight, module);
  if (!is_byte(weight.name())) return std::nullopt;
  if (module.is_nested) return domain::scheme(Quantization::BnbNf4Double);
  if (!module.scale.is_there()) return std::nullopt;
  // bitsandbytes: 4 bits in a column of bytes with absmax, 8 bits with SCB.
  if (weight.name() == "U8" && weight.last == 1 && module.scale.name() == "F32")
    return domain::scheme(Quantization::BnbNf4);
  if (is_exponent(module.scale.name()) || module.scale.name() == "F8_E4M3")
    return bytes_packed(weight, module);
  if (weight.name() != "I8") return std::nullopt;
  return domain::scheme(module.scale.rank == 1 && module.scale.name() == "F32" &&
                                module.has_tensor_scale
                            ? Quantization::BnbInt8
                            : Quantization::Int8);
}

}  // namespace

void StoredModule::take(const ListedTensor& tensor, const TensorName& name) {
  const std::string_view suffix = name.suffix;
  experts = std::max(experts, name.expert + 1);
  if (suffix == "weight" || suffix.empty() || suffix == "qweight" || suffix == "weight_packed" ||
      suffix == "blocks")
    ++weights;
  is_packed = is_packed || (suffix != "weight" && !suffix.empty());
  tensors += 1;
  bytes += tensor.bytes;
  const StoredShape shape{.type = tensor.type,
                          .rank = tensor.rank,
                          .rows = tensor.rows,
                          .columns = tensor.columns,
                          .last = tensor.last};
  const auto keep = [&](StoredShape& place) {
    if (!place.is_there()) place = shape;
  };
  if (suffix == "weight" || suffix.empty()) return keep(weight);
  if (suffix == "qweight" || suffix == "weight_packed" || suffix == "blocks") return keep(packed);
  if (suffix == "weight_scale" || suffix == "weight_scale_inv" || suffix == "scales" ||
      suffix == "scale" || suffix == "scale_inv" || suffix == "weight.absmax")
    return keep(scale);
  if (suffix == "SCB") {
    has_tensor_scale = true;  // marks bitsandbytes' 8 bits
    return keep(scale);
  }
  if (suffix == "qzeros" || suffix == "biases" || suffix == "weight_zero_point") return keep(zeros);
  if (suffix == "g_idx" || suffix == "weight_g_idx") return keep(order);
  if (suffix == "weight_scale_2" || suffix == "weight_global_scale") has_tensor_scale = true;
  if (suffix == "input_scale" || suffix == "input_global_scale" || suffix == "activation_scale")
    has_input_scale = true;
  if (suffix == "weight.nested_absmax") is_nested = true;
}

std::optional<Quantization> mlx_integers_of(std::int64_t bits) {
  for (const Quantization own : {Quantization::MlxInt2, Quantization::MlxInt3,
                                 Quantization::MlxInt5, Quantization::MlxInt6}) {
    if (domain::scheme(own).weight_bits == bits) return own;
  }
  return std::nullopt;
}

std::optional<WeightScheme> scheme_of(const StoredModule& module, const domain::Tensor& tensor,
                                      Quantization other) {
  const std::int64_t inputs = std::max<std::int64_t>(1, tensor.columns);
  std::optional<WeightScheme> scheme;
  if (module.weight.name() == "U32" && module.scale.is_there()) {
    scheme = mlx_packed(module, inputs);
  } else if (!module.packed.is_there()) {
    scheme = plain_or_bytes(module, other);
  } else if (module.packed.name() != "I32") {
    scheme = bytes_packed(module.packed, module);
  } else if (module.scale.is_there() && module.scale.rows == module.packed.rows) {
    scheme = words_packed(module, inputs);
  } else {
    scheme = auto_packed(module, inputs);
  }
  if (scheme && module.has_input_scale && scheme->granularity != ScaleGranularity::None)
    scheme->input_scale_bits = kWordBits;
  return scheme;
}

}  // namespace gpushape::catalog
