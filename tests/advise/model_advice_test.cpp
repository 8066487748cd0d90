// Advice for real models on real devices: catalog, profile tables, estimate and rules together.
#include <doctest/doctest.h>

#include <algorithm>

#include "advise/test_devices.hpp"
#include "catalog/catalog.hpp"
#include "profiles/profiles.hpp"

using namespace gpushape;
using namespace gpushape::advise;
using namespace gpushape::advise::testing;

namespace {

// Llama-3.1-8B: 32 layers x 8 KV heads x 128 values x keys and values x 2 bytes.
constexpr Bytes kLlama8TokenBytes(131'072);

AdviceRequest serve(const std::string& model, std::int64_t context, std::int64_t concurrency) {
  const auto catalog = catalog::Catalog::open();
  REQUIRE(catalog);
  AdviceRequest request;
  const auto found = catalog->find(model);
  REQUIRE(found);
  request.model = *found;
  const auto engine = catalog->engine("vllm");
  REQUIRE(engine);
  request.engine = *engine;
  if (context > 0) request.workload.context_tokens = declared(context);
  if (concurrency > 0) request.workload.concurrency = declared(concurrency);
  return request;
}

void want(AdviceRequest& request, const std::string& name) {
  const auto profiles = profiles::Profiles::open();
  REQUIRE(profiles);
  const auto add = [&](const Device& device, bool is_any) {
    const auto host = profiles->usual_server(device);
    REQUIRE(host);
    Wish wish;
    wish.device = device;
    wish.host = *host;
    wish.rank = is_any || request.wishes.empty() ? 0 : request.wishes.back().rank + 1;
    wish.is_any = is_any;
    request.wishes.push_back(std::move(wish));
  };
  if (name == "any") {
    const auto all = profiles->all();
    REQUIRE(all);
    for (const Device& device : *all) {
      if (!device.boards.empty()) add(device, true);
    }
    return;
  }
  const auto device = profiles->find(name);
  REQUIRE(device);
  add(*device, false);
}

Advice answer(const AdviceRequest& request) {
  const auto advice = advise::advise(request);
  if (!advice) FAIL(to_text(advice.error()));
  return *advice;
}

const char* const kLlama8 = "meta-llama/Llama-3.1-8B-Instruct";

}  // namespace

TEST_SUITE("advise") {
  TEST_CASE("an 8B model in fp8 with 32 sequences of 8192 holds a whole H100 until a review") {
    AdviceRequest request = serve(kLlama8, 8192, 32);
    request.workload.quantization = declared(Quantization::Fp8);
    want(request, "h100-sxm-80");
    const Advice advice = answer(request);
    REQUIRE_FALSE(advice.shapes.empty());
    const RankedShape& best = advice.shapes.front();
    CHECK(best.shape.profile == "nvidia_h100xm-80c");
    CHECK(best.reasons.front().rule == "CM-06");
    CHECK(names(best.reasons, "CM-08"));  // 34.4 GB of cache, and 40C has 40.18
    CHECK(best.fits);
    CHECK(best.max_num_seqs == 32);
    REQUIRE(best.estimate);
    CHECK(advice.estimate == best.estimate);
    const Range cache = part_bytes(*best.estimate, Part::KvCache);
    CHECK(cache.expected == kLlama8TokenBytes * 8192 * 32);
    CHECK(best.need_bytes > cache.expected + part_bytes(*best.estimate, Part::Weights).expected);
    CHECK(best.contract.vcpus >= best.contract.minimum_vcpus);
    CHECK(best.contract.model == kLlama8);
    CHECK(best.contract.quantization == "fp8");
    CHECK(best.contract.review_after_days == 14);
    REQUIRE(advice.flip);
    CHECK(advice.flip->runner_up->profile_short == "40C");
  }

  TEST_CASE("what the engine is told leaves room beside its share, in every shape") {
    AdviceRequest request = serve(kLlama8, 4096, 14);
    request.workload.quantization = declared(Quantization::Fp8);
    request.workload.evidence = declared(Evidence::E2);
    request.workload.spread = declared(1.2);
    SUBCASE("on a hypervisor") { want(request, "h100-sxm-80"); }
    SUBCASE("in MIG instances of a node") {
      request.workload.platform = declared(Platform::Kubernetes);
      want(request, "h100-sxm-80");
    }
    SUBCASE("on a smaller device") { want(request, "l40s"); }
    const Advice advice = answer(request);
    REQUIRE_FALSE(advice.shapes.empty());
    for (const RankedShape& ranked : advice.shapes) {
      CAPTURE(ranked.shape.profile);
      REQUIRE(ranked.estimate);
      REQUIRE(ranked.estimate->capacity);
      REQUIRE(ranked.gpu_memory_utilization);
      const auto visible =
          static_cast<double>(ranked.estimate->capacity->visible_bytes.low.count());
      Bytes outside = part_bytes(*ranked.estimate, Part::Graphs).high;
      for (const Term& term : ranked.estimate->terms) {
        if (term.name == "cudaContext") outside += term.bytes.high;
      }
      CHECK(visible * *ranked.gpu_memory_utilization + static_cast<double>(outside.count()) <=
            visible);
      CHECK(ranked.headroom_bytes >= Bytes(0));
      CHECK(*ranked.max_concurrency >= 14);
      CHECK(ranked.need_bytes <= ranked.shape.memory_bytes);
    }
  }

  TEST_CASE("measured and steady, the same model takes the smallest nesting fraction") {
    AdviceRequest request = serve(kLlama8, 4096, 14);
    request.workload.quantization = declared(Quantization::Fp8);
    request.workload.evidence = declared(Evidence::E2);
    request.workload.spread = declared(1.2);
    want(request, "h100-sxm-80");
    const Advice advice = answer(request);
    REQUIRE_FALSE(advice.shapes.empty());
    // 8.5 GiB of weights and 7 GiB of cache (14 x 4096 x 128 KiB) do not fit 16C, of 15.0 GiB.
    CHECK(advice.shapes.front().shape.profile_short == "20C");
    CHECK(advice.shapes.front().reasons.front().rule == "CM-09");
    CHECK(advice.flip->rule == "EV-02");
  }

  TEST_CASE("a model alone is answered with what each GPU could hold, and with questions") {
    AdviceRequest request = serve(kLlama8, 0, 0);
    want(request, "h100-sxm-80");
    want(request, "l40s");
    const Advice advice = answer(request);
    CHECK(advice.shapes.empty());
    REQUIRE(advice.asks.size() == 2);
    CHECK(advice.asks.at(0).fact == "context");
    CHECK(advice.asks.at(1).fact == "concurrency");
    REQUIRE(advice.estimate);
    CHECK(advice.estimate->kv_bytes_per_token == kLlama8TokenBytes);
    REQUIRE(advice.potentials.size() == 2);
    const Potential& h100 = advice.potentials.front();
    CHECK(h100.fits);
    CHECK(h100.count == 1);
    CHECK(h100.context_tokens == 8192);
    // 79.19 x 0.95 - 14.99 - 0.3 ... GiB: between 55 and 62 GiB of 128 KiB tokens.
    CHECK(h100.tokens > 450'000);
    CHECK(h100.tokens < 508'000);
    CHECK(h100.sequences == h100.tokens / 8192);
    CHECK(advice.potentials.back().tokens < h100.tokens);

    SUBCASE("with the context, only the concurrency is asked for") {
      request.workload.context_tokens = declared<std::int64_t>(4096);
      const Advice less = answer(request);
      REQUIRE(less.asks.size() == 1);
      CHECK(less.asks.front().fact == "concurrency");
      CHECK(less.potentials.front().context_tokens == 4096);
    }
  }

  TEST_CASE("a model that one GPU cannot hold says how many could") {
    AdviceRequest request = serve("meta-llama/Llama-3.1-70B-Instruct", 0, 0);
    want(request, "h100-sxm-80");
    const Advice advice = answer(request);
    REQUIRE(advice.potentials.size() == 1);
    CHECK(advice.potentials.front().count == 2);  // 131 GiB of weights in bf16
    CHECK(advice.potentials.front().fits);
  }

  TEST_CASE("a long context for many is carried by replicas, on linked and unlinked devices") {
    AdviceRequest request = serve(kLlama8, 32'768, 64);  // 4 GiB of cache a sequence
    want(request, "h100-sxm-80");
    want(request, "l40s");
    const Advice advice = answer(request);
    REQUIRE(advice.shapes.size() >= 2);
    const RankedShape& best = advice.shapes.front();
    CHECK(best.shape.device == "h100-sxm-80");
    CHECK(names(best.reasons, "MG-05"));
    CHECK(best.replicas * *best.concurrency >= 64);
    CHECK(best.replicas < 8);  // eight linked GPUs would be one instance
    CHECK(std::ranges::any_of(advice.shapes, [](const RankedShape& ranked) {
      return ranked.shape.device == "l40s" && ranked.replicas > 1;
    }));
  }

  TEST_CASE("what fits at the expected value only stands behind what is safe, and says so") {
    bool is_found = false;
    for (int permille = 500; permille <= 700 && !is_found; permille += 2) {
      AdviceRequest request = serve(kLlama8, 8192, 24);
      request.workload.engine.gpu_memory_utilization = declared(permille / 1000.0);
      want(request, "h100-sxm-80");
      const Advice advice = answer(request);
      const auto unsafe = std::ranges::find(advice.shapes, FitsAt::Expected, &RankedShape::fits_at);
      if (unsafe == advice.shapes.end()) continue;
      is_found = true;
      CHECK_FALSE(unsafe->fits);
      CHECK(text_of(unsafe->reasons, "fit").find("not safe") != std::string::npos);
      CHECK(unsafe->headroom_bytes < Bytes(0));
      CHECK(advice.shapes.front().fits);
      CHECK(advice.shapes.front().shape.count == 2);
    }
    CHECK(is_found);
  }

  TEST_CASE("bf16 is refused where the device has none") {
    AdviceRequest request = serve(kLlama8, 2048, 1);
    want(request, "t4");
    const Advice advice = answer(request);
    CHECK(advice.shapes.empty());
    REQUIRE_FALSE(advice.rejected.empty());
    CHECK(advice.rejected.front().reason.rule == "capability");
    CHECK(advice.rejected.front().reason.says.find("fp16") != std::string::npos);
  }

  TEST_CASE("any device: smallest safe one first, the same bytes on every call") {
    AdviceRequest request = serve(kLlama8, 4096, 8);
    request.workload.quantization = declared(Quantization::Fp8);
    want(request, "any");
    const Advice advice = answer(request);
    REQUIRE(advice.shapes.size() > 20);
    CHECK(advice.shapes.front().fits);
    // One whole device each on E0: the order is by the memory they take.
    Bytes last;
    for (const RankedShape& ranked : advice.shapes) {
      if (ranked.shape.technology != Technology::FullVgpu) continue;
      if (!ranked.fits || ranked.shape.count > 1 || ranked.replicas > 1) continue;
      CHECK(ranked.shape.memory_bytes >= last);
      last = ranked.shape.memory_bytes;
    }
    CHECK(answer(request) == advice);
  }

  TEST_CASE("a context above the model's is a complaint, not an answer") {
    AdviceRequest request = serve(kLlama8, 1'000'000, 1);
    want(request, "h100-sxm-80");
    const auto advice = advise::advise(request);
    REQUIRE_FALSE(advice);
    CHECK(to_text(advice.error()).find("1000000") != std::string::npos);
  }
}
