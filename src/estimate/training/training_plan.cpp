#include "estimate/training/training_plan.hpp"

namespace gpushape::estimate {
namespace {

using domain::TrainingMethod;
using domain::TrainingPrecision;

constexpr std::int64_t kHalf = 2;
constexpr std::int64_t kFloat = 4;

}  // namespace

std::int64_t TrainingPlan::weight_bytes() const {
  // Frozen weights stay in 16 bits; what 4-bit bases leave out is cast to 32 bits unless everything
  // has 16. Source: Hugging Face PEFT utils/other.py, prepare_model_for_kbit_training.
  if (precision == TrainingPrecision::Fp32) return kFloat;
  if (precision == TrainingPrecision::Bf16) return kHalf;
  if (method == TrainingMethod::Qlora) return kFloat;
  return method == TrainingMethod::Full && precision == TrainingPrecision::Autocast ? kFloat
                                                                                    : kHalf;
}

std::int64_t TrainingPlan::trained_bytes() const {
  // Adapters of 16-bit models are held in 32 bits. Source: Hugging Face PEFT tuners_utils.py,
  // cast_adapter_dtype (autocast_adapter_dtype).
  if (!has_adapters()) return weight_bytes();
  return precision == TrainingPrecision::Bf16 ? kHalf : kFloat;
}

std::int64_t TrainingPlan::activation_bytes() const {
  return precision == TrainingPrecision::Fp32 ? kFloat : kHalf;
}

}  // namespace gpushape::estimate
