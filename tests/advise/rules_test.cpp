// The rule table is complete, and every rule fires on its case and stays quiet on its twin.
#include "advise/rules.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <set>

#include "advise/test_devices.hpp"

using namespace gpushape;
using namespace gpushape::advise;
using namespace gpushape::advise::testing;

namespace {

/// An 80 GB device with halves, E2 and a spread of 1.2: need 30 GB, of which 20 are static.
Facts usual_facts() {
  Facts facts;
  facts.evidence = Evidence::E2;
  facts.spread = 1.2;
  facts.is_predictable = true;
  facts.static_bytes = gb(20);
  facts.dynamic_bytes = gb(9);
  facts.need_bytes = gb(30);
  facts.device = "h100-sxm-80";
  facts.device_bytes = gb(80.38);
  facts.largest_fraction_bytes = gb(40.18);
  facts.largest_fraction = "40C";
  facts.mig_instances = 7;
  facts.link_domain_size = 8;
  facts.attention_heads = 64;
  return facts;
}

void make_unpredictable(Facts& facts) {
  facts.evidence = Evidence::E0;
  facts.is_predictable = false;
  facts.why_unpredictable = "the evidence is E0, declared only";
}

struct Case {
  std::string_view id;
  std::function<void(Facts&)> fires;
  std::function<void(Facts&)> quiet;  ///< the twin, as close as it gets
};

const std::vector<Case>& cases() {
  static const std::vector<Case> kCases = {
      {"CM-01", [](Facts& f) { f.load_is_known = false; }, [](Facts&) {}},
      {"CM-02", [](Facts& f) { f.gpus_needed = 2; }, [](Facts& f) { f.gpus_needed = 1; }},
      {"CM-03",
       [](Facts& f) {
         f.is_appliance = true;
         f.change_rate = ChangeRate::Low;
       },
       [](Facts& f) {
         f.is_appliance = true;
         f.change_rate = ChangeRate::Low;
         f.needs_live_migration = true;
       }},
      {"CM-04",
       [](Facts& f) {
         f.is_appliance = true;
         f.change_rate = ChangeRate::High;
       },
       [](Facts& f) {
         f.is_appliance = true;
         f.change_rate = ChangeRate::Low;
       }},
      {"CM-05", [](Facts& f) { f.static_bytes = gb(40.19); },
       [](Facts& f) { f.static_bytes = gb(40.18); }},
      {"CM-06", make_unpredictable, [](Facts&) {}},
      {"CM-07",
       [](Facts& f) {
         f.is_durable = true;
         f.evidence = Evidence::E1;
       },
       [](Facts& f) { f.is_durable = true; }},
      {"CM-08", [](Facts& f) { f.need_bytes = gb(40.19); },
       [](Facts& f) { f.need_bytes = gb(40.18); }},
      {"CM-09", [](Facts& f) { f.need_bytes = gb(40.18); },
       [](Facts& f) { f.need_bytes = gb(40.19); }},
      {"CM-10",
       [](Facts& f) {
         make_unpredictable(f);
         f.role = Role::Notebook;
         f.ceiling_bytes = gb(8);
       },
       [](Facts& f) {
         make_unpredictable(f);
         f.role = Role::Notebook;
         f.ceiling_bytes = gb(41);
       }},
      {"EV-01", [](Facts& f) { f.measured_days = 21; },
       [](Facts& f) {
         f.measured_days = 21;
         f.need_bytes = gb(40.19);
       }},
      {"EV-02",
       [](Facts& f) {
         f.measured_days = 3;
         f.pool_use = 0.96;
       },
       [](Facts& f) {
         f.measured_days = 2.9;
         f.pool_use = 0.96;
       }},
      {"EV-03",
       [](Facts& f) {
         f.usage_days = 14;
         f.peak_bytes = gb(40);
         f.compute_share = 0.24;
       },
       [](Facts& f) {
         f.usage_days = 14;
         f.peak_bytes = gb(40);
         f.compute_share = 0.25;
       }},
      {"EV-04", [](Facts& f) { f.changed_setting = "the cache was auto and is fp8 now"; },
       [](Facts& f) { f.changed_weights = "the weights were bf16 and are fp8 now"; }},
      {"EV-05", [](Facts& f) { f.changed_weights = "the weights were bf16 and are fp8 now"; },
       [](Facts& f) { f.changed_setting = "the cache was auto and is fp8 now"; }},
      {"MD-01", [](Facts& f) { f.tenants = 2; }, [](Facts& f) { f.tenants = 1; }},
      {"MD-02", [](Facts& f) { f.latency_slo = LatencySlo::Strict; },
       [](Facts& f) { f.latency_slo = LatencySlo::Soft; }},
      {"MD-03", [](Facts& f) { f.replicas = 8; }, [](Facts& f) { f.replicas = 7; }},
      {"MD-04", [](Facts& f) { f.gpus_needed = 2; }, [](Facts&) {}},
      {"MD-05", [](Facts& f) { f.image_supports_mig = false; }, [](Facts&) {}},
      {"MD-06", [](Facts& f) { f.fraction_mode = FractionMode::Mig; }, [](Facts&) {}},
      {"MG-01", [](Facts& f) { f.gpus_needed = 4; }, [](Facts&) {}},
      {"MG-02", [](Facts& f) { f.gpus_needed = 8; },
       [](Facts& f) {
         f.gpus_needed = 8;
         f.link_domain_size = 4;
       }},
      {"MG-03",
       [](Facts& f) {
         f.gpus_needed = 4;
         f.link_domain_size = 2;
         f.narrower_quantization = "int4";
         f.narrower_gpus = 2;
       },
       [](Facts& f) {
         f.gpus_needed = 2;
         f.link_domain_size = 2;
         f.narrower_quantization = "int4";
         f.narrower_gpus = 1;
       }},
      {"MG-04",
       [](Facts& f) {
         f.gpus_needed = 4;
         f.link_domain_size = 2;
       },
       [](Facts& f) {
         f.gpus_needed = 2;
         f.link_domain_size = 2;
       }},
      {"MG-05", [](Facts& f) { f.copies = 3; }, [](Facts& f) { f.copies = 1; }},
      {"MG-06", [](Facts& f) { f.gpus_needed = 2; }, [](Facts&) {}},
      {"LC-03", [](Facts& f) { f.needs_ha = true; }, [](Facts&) {}},
      {"LC-04",
       [](Facts& f) {
         f.pause_seconds = 11.3;
         f.tolerated_pause_seconds = 5;
       },
       [](Facts& f) {
         f.pause_seconds = 11.3;
         f.tolerated_pause_seconds = 12;
       }},
      {"LC-01", [](Facts& f) { f.needs_live_migration = true; }, [](Facts&) {}},
      {"LC-02", [](Facts& f) { f.needs_ha = true; },
       [](Facts& f) {
         f.needs_ha = true;
         f.platform = Platform::BareMetal;
       }},
  };
  return kCases;
}

}  // namespace

TEST_SUITE("advise") {
  TEST_CASE("every row of the rule table explains itself") {
    std::set<std::string_view> ids;
    for (const RuleRow& row : rules()) {
      CAPTURE(row.id);
      CHECK(ids.insert(row.id).second);
      CHECK_FALSE(row.title.empty());
      CHECK_FALSE(row.condition.empty());
      CHECK_FALSE(row.outcome.empty());
      CHECK_FALSE(row.reason.empty());
      CHECK_FALSE(row.source.empty());
      CHECK(row.example.starts_with("advise "));
      std::string name;
      Thresholds thresholds;
      for (const char letter : std::string(row.thresholds) + " ") {
        if (letter != ' ') {
          name += letter;
          continue;
        }
        CHECK_MESSAGE((name.empty() || thresholds.find(name) != nullptr), name);
        name.clear();
      }
      const bool has_function = row.function != nullptr;
      CHECK(has_function);
    }
    CHECK(ids.size() == cases().size());  // each has its case below
  }

  TEST_CASE("every rule fires on its case and stays quiet on its twin") {
    const Thresholds thresholds;
    for (const Case& row : cases()) {
      CAPTURE(row.id);
      Facts fires = usual_facts();
      row.fires(fires);
      const auto verdict = rule(row.id).function(fires, thresholds);
      REQUIRE(verdict);
      CHECK_FALSE(verdict->says.empty());
      Facts quiet = usual_facts();
      row.quiet(quiet);
      CHECK_FALSE(rule(row.id).function(quiet, thresholds));
    }
  }

  TEST_CASE("a small fixed footprint is decided before unpredictability, after the static part") {
    const Thresholds thresholds;
    Facts notebook = usual_facts();
    make_unpredictable(notebook);
    notebook.role = Role::Notebook;
    notebook.ceiling_bytes = gb(8);
    CHECK(fired_shape_rules(notebook, thresholds).front().id == "CM-10");
    notebook.static_bytes = gb(41);
    CHECK(fired_shape_rules(notebook, thresholds).front().id == "CM-05");
    notebook.gpus_needed = 2;
    CHECK(fired_shape_rules(notebook, thresholds).front().id == "CM-02");
  }

  TEST_CASE("a threshold that decides is named, and another value decides otherwise") {
    Workload workload;
    workload.evidence = declared(Evidence::E1);
    workload.spread = declared(1.6);
    Thresholds thresholds;
    const Facts wide = declared_facts(workload, nullptr, thresholds);
    CHECK_FALSE(wide.is_predictable);
    CHECK(wide.why_unpredictable.find("highestSpread 1.5") != std::string::npos);
    thresholds.highest_spread.value = 1.7;
    CHECK(declared_facts(workload, nullptr, thresholds).is_predictable);
  }

  TEST_CASE("predictable takes evidence and a spread that is known") {
    const Thresholds thresholds;
    Workload workload;
    workload.spread = declared(1.2);
    CHECK_FALSE(declared_facts(workload, nullptr, thresholds).is_predictable);  // E0
    workload.evidence = declared(Evidence::E1);
    CHECK(declared_facts(workload, nullptr, thresholds).is_predictable);
    workload.spread.reset();
    CHECK_FALSE(declared_facts(workload, nullptr, thresholds).is_predictable);
    Demand memory;
    memory.dynamic_p50_bytes = gb(4);
    memory.dynamic_p99_bytes = gb(5.6);
    workload.demand = memory;
    const Facts from_demand = declared_facts(workload, nullptr, thresholds);
    CHECK(from_demand.spread == doctest::Approx(1.4));  // 5.6 / 4
    CHECK(from_demand.is_predictable);
  }

  TEST_CASE("the table holds every rule of the book") {
    // consumption-rules.md, sections 3, 4, 5 and 8; by hand.
    const std::vector<std::string_view> book = {
        "CM-01", "CM-02", "CM-03", "CM-04", "CM-05", "CM-06", "CM-07", "CM-08",
        "CM-09", "CM-10", "EV-01", "EV-02", "EV-03", "EV-04", "EV-05", "MD-01",
        "MD-02", "MD-03", "MD-04", "MD-05", "MD-06", "MG-01", "MG-02", "MG-03",
        "MG-04", "MG-05", "MG-06", "LC-01", "LC-02", "LC-03", "LC-04"};
    std::vector<std::string_view> ids;
    for (const RuleRow& row : rules()) ids.push_back(row.id);
    CHECK(ids == book);
  }

  TEST_CASE("thresholds stay within their bounds and are found by their names") {
    Thresholds thresholds;
    for (const Threshold* threshold : thresholds.all()) {
      CAPTURE(threshold->name);
      CHECK(threshold->value >= threshold->least);
      CHECK(threshold->value <= threshold->most);
      CHECK(thresholds.find(threshold->name) == threshold);
    }
    CHECK(thresholds.find("nothing") == nullptr);
    thresholds.find("reviewDays")->value = 7;
    thresholds.find("reviewDays")->from = "rules.yaml:5";
    CHECK(to_text(thresholds.review_days) == "threshold reviewDays 7, rules.yaml:5");
  }
}
