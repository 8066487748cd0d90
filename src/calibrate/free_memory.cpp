#include "calibrate/free_memory.hpp"

#include <algorithm>

#include "calibrate/record_gpu.hpp"
#include "domain/estimate.hpp"

namespace gpushape::calibrate {
namespace {

using domain::Range;

/// Windows draws on the GPU of a WSL: Qwen2.5-7B by 0.6.4 has 1.66 GiB of non-torch memory there,
/// where a server's GPU has 0.45, and gemma-4-26B NVFP4 of 0.20.2 1.9 GiB less of pool.
constexpr Bytes kMostOfWindows = gib(2);
/// What Windows' driver takes while graphs are captured: Qwen2-VL-2B by 0.10.2 prints 4.06 GiB and
/// dots.ocr by 0.9.1 4.09, twenty times what either takes elsewhere, LLaVA-1.5-7B by 0.10.2 0.00.
constexpr Bytes kTakenWhileCapturing = gib_of(4.1);
/// Of the memory that a GPU shares with its host: Qwen3-30B-A3B-FP8 of 0.13 on GB10 has 2.0 GiB
/// less of pool than its terms leave, Qwen3.5-35B-A3B-FP8 of 0.18.1 captures its graphs in 0.04.
/// SGLang reads what the system has available, of which its compilers take, too, while it captures:
/// nine starts of Qwen2.5-1.5B on GB10 print 1.50 to 3.74
/// (https://github.com/jethac/dgx-spark-hijinks).
constexpr double kShareOfCache = 0.03;
/// Of what is loaded, as SGLang reads it off free memory: Qwen3.8-27B of 0.5.15 on GB10 loads 51.86
/// GiB, 0.8 beside its tensors.
constexpr double kShareOfLoading = 0.01;

Range lowered(Range range, Bytes by) {
  range.low = std::max(Bytes(0), range.low - by);
  return range;
}

Range under_windows(Range predicted, std::string_view term) {
  if (term == "nonTorch") predicted.high += kMostOfWindows;
  if (term == "kvPool") return lowered(predicted, kMostOfWindows);
  if (term != "graphs" || predicted.high == Bytes(0)) return predicted;
  predicted.low = Bytes(0);
  predicted.high = std::max(predicted.high, kTakenWhileCapturing);
  return predicted;
}

Range beside_cache(Range predicted, std::string_view term, const EngineStart& start,
                   const domain::VisibleMemory& gpu) {
  const bool is_sglang = start.engine == "sglang";
  const Bytes loading = gib_of(gpu.bytes.expected.gib() * kShareOfLoading);
  if (term == "weights" && is_sglang) predicted.high += loading;
  const Bytes cache = gib_of(gpu.bytes.expected.gib() * kShareOfCache);
  if (term == "graphs") predicted.low = Bytes(0);
  if (term == "graphs" && is_sglang && predicted.high > Bytes(0)) predicted.high += cache;
  // Of what was printed as free it takes a share, and off that what loading took.
  if (term == "kvPool" && gpu.free_bytes) return lowered(predicted, loading);
  if (term != "kvPool" && term != "nonTorch") return predicted;
  predicted.high += cache;
  return lowered(predicted, cache);
}

}  // namespace

Range as_read(Range predicted, std::string_view term, const EngineStart& start,
              const std::optional<domain::VisibleMemory>& gpu) {
  if (start.is_under_wsl) predicted = under_windows(predicted, term);
  if (gpu && shares_memory(*gpu)) predicted = beside_cache(predicted, term, start, *gpu);
  return predicted;
}

std::string why_read_otherwise(const EngineStart& start,
                               const std::optional<domain::VisibleMemory>& gpu) {
  if (start.is_under_wsl) {
    return "under WSL Windows draws on the same GPU: ranges of what the engine reads as free "
           "memory "
           "hold what Windows may take meanwhile";
  }
  if (gpu && shares_memory(*gpu)) {
    return "GPU and host share one memory: ranges of what the engine reads as free memory hold "
           "what "
           "the system's page cache may take or free meanwhile";
  }
  return {};
}

}  // namespace gpushape::calibrate
