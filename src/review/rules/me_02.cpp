// ME-02: what fits at the expected value alone may not start. The range of an estimate holds 95 in
// 100 measured starts. It speaks of the pool: what stands beside the engine's share (graphs,
// communication) has the whole rest of the GPU, and the far end of its range alone is no finding.
// Where the document itself says so, it was chosen knowingly.
#include <fmt/format.h>

#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

void me_02(const Deployment& deployment, Report& report) {
  each_sized(deployment, [&](const SizedPod& sized) {
    if (sized.capacity->fits_at != domain::FitsAt::Expected) return;
    const NamedText* known = sized.pod->annotation("gpushape.dev/fits-at");
    if (known != nullptr && known->value == "expected") return;
    const Bytes demand = domain::part_bytes(*sized.estimate, domain::Part::KvCache).high +
                         domain::part_bytes(*sized.estimate, domain::Part::State).high;
    const bool has_pool = sized.capacity->kv_pool_bytes.expected > Bytes(0);
    if (has_pool && sized.capacity->kv_pool_bytes.low >= demand) return;
    report.add(*sized.pod->document, sized.place("contextTokens"),
               {.message = fmt::format(
                    "{} fits {} at the expected value alone: the pool may be as "
                    "small as {}",
                    sized.pod->title(), sized.gpu(),
                    gib_text(static_cast<double>(sized.capacity->kv_pool_bytes.low.count())))});
  });
}

}  // namespace gpushape::review::rules_of
