// Write-then-read is the identity, through the tree, through JSON and through YAML.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "document/text_format.hpp"
#include "schema/kinds.hpp"
#include "support/sample_answers.hpp"

namespace {

using gpushape::Bytes;
using gpushape::document::Document;
using gpushape::document::Node;
using gpushape::document::Source;
using gpushape::domain::Fact;
using gpushape::domain::Origin;
using gpushape::domain::ResourceContract;
using gpushape::domain::Shape;
using gpushape::domain::Workload;
using gpushape::schema::to_node;
namespace domain = gpushape::domain;
namespace samples = gpushape::samples;

/// The document as a reader would find it: as the tree itself, as JSON text, as YAML text.
std::vector<Document> forms_of(const Node& node) {
  std::vector<Document> forms;
  forms.push_back({node, std::make_shared<Source>(Source{"tree", ""})});
  auto json = gpushape::document::read_json(gpushape::document::write_json(node), "file.json");
  auto yaml = gpushape::document::read_yaml(gpushape::document::write_yaml(node), "file.yaml");
  if (!json || !yaml) return {};
  forms.push_back(std::move(*json));
  forms.push_back(std::move(yaml->front()));
  return forms;
}

/// Facts from a file differ in their place only, and a value that was stated stays stated.
bool says_the_same(const Workload& read, const Workload& written) {
  return to_node(read) == to_node(written);
}

bool comes_back(const ResourceContract& contract) {
  const std::vector<Document> forms = forms_of(to_node(contract));
  return !forms.empty() && std::ranges::all_of(forms, [&](const Document& form) {
    const auto read = gpushape::schema::read_contract(form);
    return read && *read == contract;
  });
}

bool comes_back(const Workload& workload) {
  const std::vector<Document> forms = forms_of(to_node(workload));
  return !forms.empty() && std::ranges::all_of(forms, [&](const Document& form) {
    const auto read = gpushape::schema::read_workload(form);
    return read && says_the_same(*read, workload);
  });
}

// ---- generators ----

/// Texts that tempt a YAML reader to take them for something else, and ones that need escapes.
std::string any_text() {
  static const std::vector<std::string> kTexts = {
      "plain",   "true",   "no",         "1",
      "0777",    "1e5",    "~",          "null",
      "- a",     "a: b",   "#x",         "x #y",
      "'",       "\"",     "\\n",        "two\nlines",
      " edge ",  "{}",     "[1]",        "%",
      "@host",   "`",      "!tag",       "&a *b",
      "ünïcode", "日本語", "2026-01-01", "12:30:45",
      "0x1F",    "1_000",  "=",          "<<",
      ".inf",    "\ttab",  "? key",      "meta-llama/Llama-3.1-8B-Instruct"};
  return *rc::gen::elementOf(kTexts);
}

std::int64_t any_count(std::int64_t least, std::int64_t most) {
  return *rc::gen::inRange<std::int64_t>(least, most + 1);
}

Bytes any_bytes() { return Bytes(any_count(0, gpushape::gib(1024LL * 1024).count())); }

double any_fraction() { return static_cast<double>(any_count(1, 1'000'000)) / 1'000'000; }

bool any_boolean() { return *rc::gen::arbitrary<bool>(); }

template <class E>
E any_choice() {
  return gpushape::kNames<E>.at(static_cast<std::size_t>(
      any_count(0, static_cast<std::int64_t>(gpushape::kNames<E>.size()) - 1))).value;
}

template <class Make>
auto sometimes(Make make) -> std::optional<decltype(make())> {
  if (any_boolean()) return std::nullopt;
  return make();
}

Shape any_shape() {
  Shape shape;
  shape.consumption_model = any_choice<domain::ConsumptionModel>();
  shape.technology = any_choice<domain::Technology>();
  shape.device = any_text();
  shape.profile = any_boolean() ? any_text() : "";
  shape.profile_short = any_boolean() ? any_text() : "";
  shape.count = any_count(1, 16);
  shape.interconnect = any_boolean() ? "nvswitch" : "";
  shape.device_group = any_boolean() ? "Nvidia:2@nvidia_h100xm-80c%NVLink" : "";
  shape.parallelism = {any_count(1, 8), any_count(1, 8), any_count(1, 8), any_count(1, 8)};
  shape.is_mixed_size = any_boolean();
  shape.compute_share = any_fraction();
  shape.memory_bytes = any_bytes();
  return shape;
}

domain::VirtualNuma any_numa() {
  domain::VirtualNuma numa;
  numa.nodes = any_count(1, 8);
  numa.cores_per_socket = any_count(1, 128);
  numa.cores_per_node = any_count(1, 128);
  for (std::int64_t device = 0; device < any_count(0, 4); ++device) {
    numa.devices.push_back({device, any_count(0, numa.nodes - 1)});
  }
  if (any_boolean()) numa.nics = {{any_text(), any_count(0, numa.nodes - 1)}};
  numa.shown_from_vcpus = sometimes([] { return any_count(1, 8); });
  return numa;
}

gpushape::domain::PlacementTerms any_terms(const Shape& shape) {
  gpushape::domain::PlacementTerms terms;
  if (shape.technology == gpushape::domain::Technology::Passthrough && any_boolean()) {
    for (std::int64_t i = 0; i < shape.count; ++i) {
      terms.pci_addresses.push_back(fmt::format("0000:{:02x}:00.0", i % 256));
    }
  }
  if (any_boolean()) terms.datastores = {any_text(), any_text()};
  if (any_boolean()) terms.networks = {any_text()};
  terms.tenant = any_boolean() ? any_text() : "";
  terms.most_per_host = any_boolean() ? any_count(1, 100) : 0;
  return terms;
}

ResourceContract any_contract() {
  ResourceContract contract;
  contract.name = any_boolean() ? any_text() : "";
  contract.shape = any_shape();
  for (std::int64_t more = any_count(0, 2); more > 0; --more) {
    contract.alternatives.push_back(any_shape());
  }
  contract.replicas = any_count(1, 100);
  contract.vcpus = any_count(1, 960);
  contract.minimum_vcpus = any_count(0, 960);
  contract.memory_bytes = any_bytes();
  contract.minimum_memory_bytes = any_bytes();
  contract.memory_reservation_bytes = any_bytes();
  contract.shared_memory_bytes = any_bytes();
  contract.cpu_reservation_mhz = any_count(0, 1'000'000);
  contract.reserved_cores = any_count(0, 960);
  contract.vcpus_per_core = any_count(1, 4);
  contract.qos = any_choice<domain::Qos>();
  contract.tier = any_choice<domain::Tier>();
  contract.numa = sometimes(any_numa);
  contract.mmio_gib = any_count(0, 65'536);
  contract.needs_efi = any_boolean();
  contract.latency_sensitive = any_boolean();
  contract.pause_seconds = sometimes(any_fraction);
  contract.density = {any_count(0, 100), any_count(0, 100), any_count(0, 100),
                      sometimes([] { return any_count(0, 100); })};
  contract.host = any_boolean() ? any_text() : "";
  contract.hardware_label = any_boolean() ? any_text() : "";
  contract.placement = any_terms(contract.shape);
  contract.needs_live_migration = any_boolean();
  contract.needs_ha = any_boolean();
  for (std::int64_t more = any_count(0, 2); more > 0; --more) {
    contract.notes.push_back({"step-1", any_text()});
  }
  contract.model = any_boolean() ? any_text() : "";
  contract.quantization = any_boolean() ? "fp8" : "";
  contract.context_tokens = sometimes([] { return any_count(1, 1'000'000); });
  contract.concurrency = sometimes([] { return any_count(1, 1000); });
  contract.engine = any_boolean() ? any_text() : "";
  contract.engine_version = any_boolean() ? "0.19.1" : "";
  contract.evidence = any_boolean() ? "E2" : "";
  contract.review_after_days = sometimes([] { return any_count(1, 90); });
  if (contract.review_after_days && any_boolean()) contract.review_date = "2028-02-29";
  contract.least_hardware_version = any_count(0, 22);
  contract.hardware_version = any_count(0, 22);
  return contract;
}

/// A fact that was stated, or the default as it is.
template <class T, class Make>
void maybe_state(Fact<T>& fact, Make make) {
  if (any_boolean()) fact = {make(), any_boolean() ? Origin::Flag : Origin::File, "somewhere"};
}
template <class T, class Make>
void maybe_state(std::optional<Fact<T>>& fact, Make make) {
  if (any_boolean()) fact = Fact<T>{make(), Origin::File, "somewhere"};
}

std::int64_t any_small_count() { return any_count(1, 1024); }

domain::EngineSettings any_engine() {
  domain::EngineSettings engine;
  maybe_state(engine.engine, any_text);
  maybe_state(engine.version, [] {
    return domain::EngineVersion{static_cast<int>(any_count(0, 9)),
                                 static_cast<int>(any_count(0, 99)),
                                 static_cast<int>(any_count(0, 9))};
  });
  maybe_state(engine.tensor, any_small_count);
  maybe_state(engine.pipeline, any_small_count);
  maybe_state(engine.data, any_small_count);
  maybe_state(engine.expert, any_small_count);
  maybe_state(engine.max_num_seqs, any_small_count);
  maybe_state(engine.max_num_batched_tokens, any_small_count);
  maybe_state(engine.gpu_memory_utilization, any_fraction);
  maybe_state(engine.kv_cache_memory_bytes, any_bytes);
  maybe_state(engine.enforce_eager, any_boolean);
  return engine;
}

domain::ContractWishes any_wishes() {
  domain::ContractWishes wishes;
  maybe_state(wishes.tier, any_choice<domain::Tier>);
  maybe_state(wishes.qos, any_choice<domain::Qos>);
  maybe_state(wishes.loader, any_choice<domain::Loader>);
  maybe_state(wishes.api_servers, any_small_count);
  maybe_state(wishes.workers, any_small_count);
  maybe_state(wishes.kv_offload_bytes, any_bytes);
  maybe_state(wishes.cpu_offload_bytes, any_bytes);
  maybe_state(wishes.tolerated_pause_seconds, any_fraction);
  return wishes;
}

domain::Demand any_demand() {
  domain::Demand demand;
  demand.static_bytes = sometimes(any_bytes);
  demand.dynamic_p50_bytes = sometimes(any_bytes);
  demand.dynamic_p99_bytes = sometimes(any_bytes);
  if (demand.dynamic_p50_bytes && demand.dynamic_p99_bytes) {
    *demand.dynamic_p99_bytes = std::max(*demand.dynamic_p99_bytes, *demand.dynamic_p50_bytes);
  }
  demand.ceiling_bytes = sometimes(any_bytes);
  return demand;
}

Workload any_workload() {
  Workload workload;
  workload.name = any_boolean() ? any_text() : "";
  maybe_state(workload.model, any_text);
  maybe_state(workload.quantization, any_choice<domain::Quantization>);
  maybe_state(workload.kv_cache_type, any_choice<domain::KvCacheType>);
  maybe_state(workload.context_tokens, any_small_count);
  maybe_state(workload.concurrency, any_small_count);
  workload.engine = any_engine();
  maybe_state(workload.role, any_choice<domain::Role>);
  maybe_state(workload.isolation, any_choice<domain::Isolation>);
  maybe_state(workload.tenants, any_small_count);
  maybe_state(workload.latency_slo, any_choice<domain::LatencySlo>);
  maybe_state(workload.session, any_choice<domain::Session>);
  maybe_state(workload.change_rate, any_choice<domain::ChangeRate>);
  maybe_state(workload.needs_ha, any_boolean);
  maybe_state(workload.needs_live_migration, any_boolean);
  maybe_state(workload.appliance, any_boolean);
  maybe_state(workload.mixture_of_experts, any_boolean);
  maybe_state(workload.image_supports_mig, any_boolean);
  maybe_state(workload.replicas, any_small_count);
  maybe_state(workload.evidence, any_choice<domain::Evidence>);
  maybe_state(workload.spread, [] { return 1 + any_fraction(); });
  workload.demand = sometimes(any_demand);
  maybe_state(workload.compute_share, any_fraction);
  maybe_state(workload.consumption_model, any_choice<domain::ConsumptionModel>);
  maybe_state(workload.technology, any_choice<domain::Technology>);
  maybe_state(workload.platform, any_choice<domain::Platform>);
  maybe_state(workload.hardware_label, any_text);
  maybe_state(workload.lifetime_seconds, [] { return any_count(1, 1'000'000); });
  workload.contract = any_wishes();
  Shape bound;
  bound.technology = gpushape::domain::Technology::Passthrough;
  bound.count = any_count(1, 4);
  workload.placement = any_terms(bound);
  if (any_boolean()) workload.gpus = {any_text(), "4xl40s"};
  if (any_boolean()) workload.requires_ = {"fp8", any_text()};
  return workload;
}

}  // namespace

TEST_SUITE("schema") {
  TEST_CASE("a full and a bare contract come back as they were written") {
    CHECK(comes_back(samples::full_contract()));
    CHECK(comes_back(samples::bare_contract()));
  }

  TEST_CASE("a full and an empty workload come back as they were written") {
    CHECK(comes_back(samples::full_workload()));
    CHECK(comes_back(Workload{}));
    const auto read = gpushape::schema::read_workload(forms_of(to_node(Workload{})).front());
    REQUIRE(read.has_value());
    CHECK(*read == Workload{});  // every default is still a default
  }

  TEST_CASE("any contract comes back as it was written") {
    CHECK(rc::check("contract", [] { RC_ASSERT(comes_back(any_contract())); }));
  }

  TEST_CASE("any workload comes back as it was written") {
    CHECK(rc::check("workload", [] { RC_ASSERT(comes_back(any_workload())); }));
  }

  TEST_CASE("the contracts of an advice are read in its order") {
    const domain::Advice advice = samples::full_advice();
    for (const Document& form : forms_of(to_node(advice))) {
      const auto read = gpushape::schema::read_contracts(form);
      REQUIRE(read.has_value());
      REQUIRE(read->size() == advice.shapes.size());
      for (std::size_t index = 0; index < read->size(); ++index) {
        CHECK(read->at(index) == advice.shapes[index].contract);
      }
    }
    const auto single =
        gpushape::schema::read_contracts(forms_of(to_node(samples::full_contract())).front());
    REQUIRE(single.has_value());
    CHECK(*single == std::vector{samples::full_contract()});
  }
}
