// What the files of published drafts take, bytes: of z-lab's the payloads and parameters that
// readers of the files count, of the others the files themselves (Hugging Face Hub, revisions of
// 2025 and 2026).
#include <doctest/doctest.h>

#include <array>
#include <cstdint>

#include "catalog/catalog.hpp"
#include "domain/draft_head.hpp"
#include "domain/modules.hpp"
#include "support/built_in_catalog.hpp"

using namespace gpushape;

namespace {

struct Files {
  const char* draft;
  std::int64_t bytes = 0;
  bool hold_embedding = false;
  double error = 0;  ///< headers, and maps between the drafted and the whole vocabulary
};

}  // namespace

TEST_SUITE("catalog") {
  TEST_CASE("drafts take what their files take") {
    for (const Files& files : std::to_array<Files>({
             {"z-lab/Qwen3.8-27B-DFlash2", 3'848'808'960},
             {"z-lab/Qwen3.5-4B-DFlash", 2 * 634'425'856LL},
             {"poolside/Laguna-S-2.1-DFlash", 2 * 1'114'977'792LL},
             {"z-lab/Qwen3-8B-DFlash-b16", 2'097'259'104, false, 1e-5},
             {"RedHatAI/Qwen3-32B-speculator.eagle3", 3'121'274'856, true, 3e-4},
             {"Tengyunw/qwen3_8b_eagle3", 799'493'246, false, 1e-3},
             {"lmsys/sglang-EAGLE-LLaMA3-Instruct-70B", 4'081'078'028, true, 1e-5},
         })) {
      CAPTURE(files.draft);
      const Result<domain::Model> draft = example::built_in_catalog().find_name(files.draft);
      REQUIRE(draft);
      CHECK(domain::is_draft_head(*draft));
      const std::int64_t embedding = files.hold_embedding ? 0 : domain::stored_table_bytes(*draft);
      const auto stored = static_cast<double>(domain::stored_bytes(*draft) - embedding);
      CHECK(stored ==
            doctest::Approx(static_cast<double>(files.bytes)).epsilon(files.error + 1e-12));
    }
  }
}
