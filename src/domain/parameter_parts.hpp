// Where the parameters of a model are: the tensors of tensors.hpp, summed by part.
#pragma once

#include <cstdint>
#include <vector>

#include "domain/tensors.hpp"

namespace gpushape::domain {

struct PartCount {
  TensorPart part = TensorPart::Other;
  std::int64_t values = 0;

  bool operator==(const PartCount&) const = default;
};

/// Parts that hold something, in the order of TensorPart. With ParameterCounts::scales they add up
/// to ParameterCounts::total, without MultiToken to count_parameters.
std::vector<PartCount> parameters_by_part(const Model& model);

}  // namespace gpushape::domain
