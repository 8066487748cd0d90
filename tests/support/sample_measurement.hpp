// A measured start with every field that an Evidence document can hold. Invented: the numbers are
// nobody's measurement.
#pragma once

#include "domain/measurement.hpp"

namespace gpushape::samples {

/// Of a start that was asked for all that decides a term.
inline domain::Measurement full_measurement() {
  domain::Measurement measurement;
  measurement.model = "meta-llama/Llama-3.1-8B-Instruct";
  measurement.quantization = domain::Quantization::Bf16;
  measurement.engine = "vllm";
  measurement.version = {0, 19, 0};
  measurement.gpu = "h100-sxm-80";
  measurement.tensor = 4;
  measurement.max_num_seqs = 1024;
  measurement.max_num_batched_tokens = 8192;
  measurement.terms = {{"weights", domain::exactly(gib(3))}, {"graphs", domain::exactly(gib(1))}};
  measurement.source = "start.log";
  measurement.mig_profile = "3g.40gb";
  measurement.data = 2;
  measurement.expert = 4;
  measurement.context_parallel = 2;
  measurement.context_tokens = 8192;
  measurement.kv_cache_type = domain::KvCacheType::Fp8;
  measurement.adapters = {.count = 4, .rank = 32};
  measurement.draft_model = "a/b";
  measurement.draft_tokens = 3;
  measurement.takes_images = false;
  measurement.takes_videos = false;
  measurement.keeps_towers_whole = true;
  measurement.offloaded_bytes = gib(10);
  measurement.gpu_layers = 0;
  measurement.is_first_generation = true;
  measurement.has_second_runner = false;
  measurement.notes = {"nonTorch is none of it"};
  return measurement;
}

}  // namespace gpushape::samples
