// How one instance lies on several GPUs: which axes share its layers, heads, experts and sequences.
// Sources: vLLM docs, "Parallelism and Scaling" and "Data Parallel Deployment" (attention on every
// rank, experts over all of them, for mixtures with latent attention); Ray Serve LLM docs, "Data
// parallel attention" (when it pays: many sequences, a cache that heads cannot divide).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "advise/device_case.hpp"

namespace gpushape::advise {

/// --tp, --pp or --dp is given.
bool asks_for_layout(const AdviceRequest& request);
/// The layout that the flags ask for; one GPU along every axis that they leave open.
domain::Parallelism asked_parallelism(const AdviceRequest& request);
std::int64_t gpus_of(const domain::Parallelism& parallelism);
bool is_training(const AdviceRequest& request);
/// Servers that run one instance as stages, each on some GPUs.
bool has_stages(const AdviceRequest& request);

/// One way to lay an instance over so many GPUs of one host.
struct LayoutChoice {
  domain::Parallelism parallelism;
  std::string why;  ///< where there was a choice
};

/// In the order in which an expert tries them: the first that holds the need is taken. The one that
/// the flags ask for stands alone.
std::vector<LayoutChoice> layouts_on_host(const DeviceCase& device_case, std::int64_t gpus);

}  // namespace gpushape::advise
