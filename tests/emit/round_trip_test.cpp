// The way back: what every target writes reads back, through the reviewer's readers, as the
// contract that it was written from; and without our annotations and comments still as the GPUs it
// asks for.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "document/text_format.hpp"
#include "emit/emitted_documents.hpp"
#include "review/asked_contracts.hpp"
#include "review/read_input.hpp"
#include "schema/kinds.hpp"

using namespace gpushape;
using document::Node;
using namespace emit::cases;

namespace {

namespace cases = emit::cases;

/// The text of the file that a target writes, named as it would be.
struct WrittenFile {
  std::string name;
  std::string text;
};

Result<WrittenFile> written_file(const Case& from, bool has_comments) {
  const emit::TargetRow& row = cases::row_of(from.target);
  emit::EmitRequest request = from.request();
  request.has_comments = has_comments;
  const Result<emit::Emitted> made = row.emit(request);
  if (!made) return std::unexpected(made.error());
  return WrittenFile{from.target + "." + std::string(row.extension),
                     made->text.empty() ? document::write_yaml(made->documents) : made->text};
}

/// Keeps what a deployment borrows.
struct ReadBack {
  std::vector<Device> devices = cases::devices();
  std::vector<document::Document> documents;
  review::ReviewRequest request;
  std::vector<review::AskedContract> asked;

  void read(const WrittenFile& file) {
    auto found = review::read_input(file.text, file.name);
    CAPTURE(file.text);
    REQUIRE(found);
    for (document::Document& each : *found) documents.push_back(std::move(each));
  }
  void ask() {
    request.documents = documents;
    request.devices = devices;
    asked = review::contracts_of(review::read_deployment(request));
  }
};

/// But for its name, which is that of the document.
ResourceContract nameless(ResourceContract contract) {
  contract.name.clear();
  contract.notes.clear();
  contract.alternatives.clear();
  return contract;
}

RankedShape for_engine(RankedShape made, std::string engine) {
  made.contract.engine = std::move(engine);
  return made;
}

RankedShape in_copies(RankedShape made, std::int64_t replicas) {
  made.contract.replicas = replicas;
  return made;
}

struct Written {
  Platform platform;
  RankedShape picked;
};

std::vector<Written> written_from() {
  const RankedShape pair = cases::served(cases::whole("h100-sxm-80", 2), 72'000'000'000);
  const RankedShape card = cases::served(cases::full_l40s(), 16'000'000'000);
  return {
      {Platform::Vsphere, card},
      {Platform::Vsphere, cases::served(cases::fraction_20c(), 13'000'000'000)},
      {Platform::Vsphere, cases::served(cases::tensor_pair(), 72'000'000'000)},
      {Platform::Vsphere, cases::passthrough_a30()},
      {Platform::Vsphere, cases::eight_on_two_nodes()},
      {Platform::Vks, in_copies(card, 3)},
      {Platform::Kubernetes,
       in_copies(cases::served(cases::whole("h100-sxm-80"), 72'000'000'000), 2)},
      {Platform::Kubernetes, pair},
      {Platform::Kubernetes, for_engine(pair, "sglang")},
      {Platform::Kubernetes, for_engine(pair, "tensorrt-llm")},
      {Platform::Kubernetes, for_engine(pair, "llama.cpp")},
      {Platform::Kubernetes, cases::mig_instance()},
      {Platform::Kubernetes, cases::software_share()},
      {Platform::Kubernetes, cases::two_nodes()},
  };
}

void drop_our_annotations(Node& node) {
  if (node.is(Node::Kind::Sequence)) {
    for (Node& item : node.items()) drop_our_annotations(item);
  }
  if (!node.is(Node::Kind::Mapping)) return;
  for (Node::Entry& entry : node.entries()) {
    if (entry.name == "annotations" && entry.value.is(Node::Kind::Mapping)) {
      std::erase_if(entry.value.entries(), [](const Node::Entry& annotation) {
        return annotation.name.starts_with("gpushape.dev/");
      });
    }
    drop_our_annotations(entry.value);
  }
}

}  // namespace

TEST_SUITE("emit") {
  TEST_CASE("every target reads back as the contract that it was written from") {
    std::set<std::string_view> read_back = {"workload"};  // a case of its own
    for (const emit::TargetRow& row : emit::targets()) {
      if (row.name == "workload") continue;
      for (const Written& origin : written_from()) {
        CAPTURE(row.name);
        CAPTURE(origin.picked.shape.device);
        CAPTURE(origin.picked.shape.profile);
        CAPTURE(origin.picked.shape.count);
        const auto file =
            written_file(make("x", std::string(row.name), origin.platform, {origin.picked}), true);
        if (!file) continue;
        ReadBack back;
        back.read(*file);
        back.ask();
        CAPTURE(file->text);
        // A KubeVirt VM each.
        const bool has_copies = row.name == "kubevirt";
        const auto documents = has_copies ? origin.picked.contract.replicas : 1;
        REQUIRE(back.asked.size() == static_cast<std::size_t>(documents));
        CAPTURE(back.asked.front().gap);
        REQUIRE(back.asked.front().contract);
        const ResourceContract& contract = *back.asked.front().contract;
        CHECK(contract.shape == origin.picked.contract.shape);
        CHECK(contract.vcpus == origin.picked.contract.vcpus);
        CHECK(contract.memory_bytes == origin.picked.contract.memory_bytes);
        // One document of these kinds is one instance, however many were asked for.
        const bool is_one = row.name == "pod" || has_copies;
        RankedShape expected = origin.picked;
        if (is_one) expected.contract.replicas = 1;
        CHECK(contract.replicas == expected.contract.replicas);
        CHECK((nameless(contract) == nameless(expected.contract)));
        read_back.insert(row.name);
      }
    }
    for (const emit::TargetRow& row : emit::targets()) {
      CAPTURE(row.name);
      CHECK(read_back.contains(row.name));
    }
  }

  TEST_CASE("a workload reads back as it was understood") {
    Case from = make("x", "workload", Platform::Kubernetes, {cases::whole("h100-sxm-80")});
    Workload workload;
    workload.model = {"meta-llama/Llama-3.3-70B-Instruct", domain::Origin::Flag, "MODEL"};
    workload.context_tokens = {8192, domain::Origin::Flag, "--context"};
    from.workload = workload;
    const auto file = written_file(from, true);
    REQUIRE(file);
    const auto documents = review::read_input(file->text, file->name);
    REQUIRE(documents);
    const auto read = schema::read_workload(documents->front());
    REQUIRE(read);
    CHECK(read->model->value == "meta-llama/Llama-3.3-70B-Instruct");
    CHECK(read->context_tokens->value == 8192);
  }

  TEST_CASE("without our annotations and comments it still asks for the same GPUs") {
    // Flags, tenants and sharing name no product; VMs and pools name a class, KubeVirt a resource
    // that its administrator called so.
    const std::set<std::string_view> kNameNoProduct = {
        "vllm-args",      "sglang-args",     "tensorrt-llm-args",
        "llama-cpp-args", "vcluster-values", "device-plugin-config",
        "gpu-operator",   "mig-parted",      "vm",
        "vks-cluster",    "workload",        "kubevirt"};
    for (const emit::TargetRow& row : emit::targets()) {
      if (kNameNoProduct.contains(row.name)) continue;
      for (const Written& origin : written_from()) {
        const Technology technology = origin.picked.shape.technology;
        if (origin.picked.shape.nodes > 1) continue;
        // HAMi and Volcano pick an instance by its memory; KAI keeps a share of whatever card it
        // is.
        const bool is_by_memory = row.name == "hami" || row.name == "volcano";
        if (technology == Technology::Mig && is_by_memory) continue;
        if (technology == Technology::SoftwareShare && row.name != "hami") continue;
        CAPTURE(row.name);
        CAPTURE(origin.picked.shape.device);
        CAPTURE(origin.picked.shape.profile);
        Case from = make("x", std::string(row.name), origin.platform, {origin.picked});
        from.command = catalog::Catalog::engine_command(origin.picked.contract.engine);
        auto file = written_file(from, false);
        if (!file) continue;
        if (row.extension == "yaml" && row.name != "contract") {
          auto documents = document::read_yaml(file->text, file->name);
          REQUIRE(documents);
          std::vector<Node> roots;
          for (document::Document& each : *documents) roots.push_back(std::move(each.root));
          for (Node& root : roots) drop_our_annotations(root);
          file->text = document::write_yaml(roots);
        }
        ReadBack back;
        back.read(*file);
        back.ask();
        CAPTURE(file->text);
        REQUIRE(!back.asked.empty());
        CAPTURE(back.asked.front().gap);
        REQUIRE(back.asked.front().contract);
        const ResourceContract& contract = *back.asked.front().contract;
        CHECK(contract.shape.device == origin.picked.shape.device);
        CHECK(contract.shape.profile == origin.picked.shape.profile);
        // A class and the layout of a card count none.
        const bool has_count = row.name != "device-class" && row.name != "vgpu-device-manager";
        if (has_count) CHECK(contract.shape.count == origin.picked.shape.count);
        // A guest's pods see a card that is passed through as their own.
        const bool is_passed = technology == Technology::Passthrough;
        if (is_passed && row.name != "vm-class" && row.name != "config-spec") continue;
        CHECK((contract.shape.technology == technology));
      }
    }
  }

  TEST_CASE("an ordered list reads back with its alternatives, and pools each with theirs") {
    const std::vector<RankedShape> wishes = {cases::whole("h200-sxm-141"),
                                             cases::whole("h100-sxm-80"), cases::mig_instance()};
    const auto claim =
        written_file(make("x", "resource-claim", Platform::Kubernetes, wishes), true);
    REQUIRE(claim);
    ReadBack back;
    back.read(*claim);
    back.ask();
    REQUIRE(back.asked.size() == 1);
    const ResourceContract& contract = *back.asked.front().contract;
    CHECK(contract.shape.device == "h200-sxm-141");
    REQUIRE(contract.alternatives.size() == 2);
    CHECK(contract.alternatives[0].device == "h100-sxm-80");
    CHECK(contract.alternatives[1].profile == "3g.40gb");

    const auto classes = written_file(
        make("x", "vm-class", Platform::Vsphere, {cases::full_h200(), cases::full_l40s()}), true);
    const auto pools = written_file(
        make("x", "vks-cluster", Platform::Vks, {cases::full_h200(), cases::full_l40s()}), true);
    REQUIRE(classes);
    REQUIRE(pools);
    ReadBack both;
    both.read(*classes);
    both.read(*pools);
    both.ask();
    REQUIRE(both.asked.size() == 2);
    CHECK(both.asked[0].contract->shape.device == "h200-sxm-141");
    CHECK(both.asked[1].contract->shape.device == "l40s");
  }

  TEST_CASE("what is edited since wins over what we noted") {
    const RankedShape pair = cases::served(cases::whole("h100-sxm-80", 2), 72'000'000'000);
    auto file = written_file(make("x", "deployment", Platform::Kubernetes, {pair}), true);
    REQUIRE(file);
    const auto replace = [&file](const std::string& what, const std::string& with) {
      REQUIRE(file->text.contains(what));
      for (std::size_t at = file->text.find(what); at != std::string::npos;
           at = file->text.find(what, at + with.size())) {
        file->text.replace(at, what.size(), with);
      }
    };
    replace("nvidia.com/gpu: \"2\"", "nvidia.com/gpu: \"4\"");
    replace("cpu: \"11\"", "cpu: \"23\"");      // 24 with the node's own
    replace("memory: 121Gi", "memory: 190Gi");  // 200 with the node's 5 %
    replace("replicas: 1", "replicas: 3");
    ReadBack back;
    back.read(*file);
    back.ask();
    REQUIRE(back.asked.size() == 1);
    const ResourceContract& contract = *back.asked.front().contract;
    CHECK(contract.shape.count == 4);
    CHECK(contract.vcpus == 24);
    CHECK(contract.memory_bytes == gib(200));
    CHECK(contract.replicas == 3);
    CHECK(contract.shape.device == "h100-sxm-80");
  }
}
