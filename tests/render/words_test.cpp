#include "render/words.hpp"

#include <doctest/doctest.h>

#include <cmath>

namespace {

using gpushape::Bytes;
using gpushape::gib;
using gpushape::gib_of;
using gpushape::domain::Assumption;
using gpushape::domain::Origin;
namespace render = gpushape::render;

}  // namespace

TEST_SUITE("render") {
  TEST_CASE("figures are grouped and carry the unit that reads best") {
    CHECK(grouped(0) == "0");
    CHECK(grouped(999) == "999");
    CHECK(grouped(1000) == "1,000");
    CHECK(grouped(-1234567) == "-1,234,567");
    CHECK(render::gib_text(gib_of(12.346)) == "12.35");
    CHECK(render::gib_text(Bytes(-1)) == "0.00");
    CHECK(render::size_text(gib(120)) == "120 GiB");
    CHECK(render::size_text(Bytes(0)) == "0 GiB");
    CHECK(render::size_text(gib_of(1.5)) == "1.50 GiB");
    CHECK(render::size_text(Bytes(131'072)) == "128 KiB");
    CHECK(render::size_text(gpushape::mib(98)) == "98 MiB");
    CHECK(render::size_text(Bytes(0) - gib(2)) == "-2 GiB");
    CHECK(render::percent(0.5) == "50 %");
    CHECK(render::percent(1.0 / 7) == "14.3 %");
    CHECK(render::plain_number(60.23) == "60.2");
    CHECK(render::plain_number(1024.9) == "1,024");
    CHECK(render::plain_number(INFINITY) == "-");
    CHECK(render::counted(1, "GPU") == "1 GPU");
    CHECK(render::counted(2, "GPU") == "2 GPUs");
    CHECK(render::parameters_text(8'030'261'248) == "8.03 B");
    CHECK(render::parameters_text(494'032'768) == "494 M");
  }

  TEST_CASE("field names read as words") {
    CHECK(render::words_of("kvCacheType") == "KV cache type");
    CHECK(render::words_of("needsHa") == "needs HA");
    CHECK(render::words_of("latencySlo") == "latency SLO");
    CHECK(render::words_of("demand.dynamicP99") == "demand dynamic P99");
    CHECK(render::words_of("isolation") == "isolation");
    CHECK(render::words_of("").empty());
  }

  TEST_CASE("a fact is marked as a default or by where it is from") {
    const auto mark = [](Origin origin, const char* from) {
      return render::mark_of(Assumption{"fact", "1", origin, from, "--flag"});
    };
    CHECK(mark(Origin::Flag, "--context") == "from --context");
    CHECK(mark(Origin::Flag, "from --context") == "from --context");
    CHECK(mark(Origin::File, "llm.yaml:7") == "from llm.yaml:7");
    CHECK(mark(Origin::Catalog, "") == "from catalog");
    CHECK(mark(Origin::Default, "") == "default");
    CHECK(mark(Origin::Default, "default") == "default");
    CHECK(mark(Origin::Default, "default: newest") == "default: newest");
    CHECK(mark(Origin::Default, "newest") == "default: newest");
    CHECK(mark(Origin::Computed, "the ceiling") == "computed: the ceiling");
  }

  TEST_CASE("a shape is named by profile and device, with its count where there are several") {
    gpushape::domain::Shape shape;
    shape.device = "h100-sxm-80";
    shape.technology = gpushape::domain::Technology::Passthrough;
    CHECK(render::shape_name(shape) == "h100-sxm-80 (passthrough)");
    shape.technology = gpushape::domain::Technology::WholeGpu;
    shape.count = 4;
    CHECK(render::shape_name(shape) == "4 x h100-sxm-80 (whole GPU)");
    shape.profile = "nvidia_h100xm-80c";
    CHECK(render::shape_name(shape) == "4 x nvidia_h100xm-80c of h100-sxm-80");
    shape.profile_short = "80C";
    shape.count = 1;
    CHECK(render::shape_name(shape) == "80C of h100-sxm-80");
  }
}
