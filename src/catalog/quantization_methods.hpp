// The readers of the quantization methods: each takes the fields of one quantization_config into a
// WeightFormat, and complains of what it does not understand.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/fields.hpp"
#include "catalog/stored_precision.hpp"
#include "domain/model.hpp"

namespace gpushape::catalog {

inline constexpr std::string_view kGiveByHand = "give the precision by hand with --quant";

std::string lower_case(std::string text);

/// WeightFormat::group of a `group_size`: 0 where it is the scheme's own, kWholeRow for -1.
int group_of(const Fields& fields, std::string_view field, domain::Quantization quantization);
/// A `weight_block_size` or `block_structure` ([128, 128], or null) makes a format Fp8Block.
void read_block(const Fields& fields, std::string_view field, domain::WeightFormat& weights);

// In quantization_methods.cpp:
void read_fp8(const Fields& fields, StoredPrecision& stored);
void read_gptq(const Fields& fields, StoredPrecision& stored);
void read_awq(const Fields& fields, StoredPrecision& stored);
void read_bitsandbytes(const Fields& fields, StoredPrecision& stored);
void read_auto_round(const Fields& fields, StoredPrecision& stored);
void read_quark(const Fields& fields, StoredPrecision& stored);

// In quantization_libraries.cpp:
void read_torchao(const Fields& fields, StoredPrecision& stored);
void read_hqq(const Fields& fields, StoredPrecision& stored);
void read_quanto(const Fields& fields, StoredPrecision& stored);
void read_ternary(const Fields& fields, StoredPrecision& stored);

// In mlx_quantization.cpp:
void read_mlx(const Fields& fields, StoredPrecision& stored);
/// A mapping that names no method but has MLX's fields.
bool is_mlx(const Fields& fields);

// In config_groups.cpp: compressed-tensors, and ModelOpt's files of that form.
void read_config_groups(const Fields& fields, StoredPrecision& stored);

// In modelopt.cpp:
void read_modelopt(const Fields& fields, StoredPrecision& stored);
/// ModelOpt's words for algorithms, each one that parse_quantization reads.
std::vector<std::string_view> modelopt_algorithms();
/// What ModelOpt's word for an algorithm stores; a complaint at `field` where it is not known.
std::optional<domain::ModuleFormat> modelopt_format(const Fields& fields, std::string_view field,
                                                    std::string_view word);
/// `quantized_layers`: a precision of its own for each module, all others in full precision.
void read_quantized_layers(const Fields& fields, StoredPrecision& stored);

/// Nothing that is not named is quantized: the last row of WeightFormat::modules.
domain::ModuleFormat everything_else();

}  // namespace gpushape::catalog
