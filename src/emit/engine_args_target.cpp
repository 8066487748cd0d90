// The targets `vllm-args`, `sglang-args`, `tensorrt-llm-args` and `llama-cpp-args`: command and
// flags of one instance, each flag with its reason, as a container's `command` and `args`.

#include <fmt/format.h>

#include "emit/engine_args.hpp"
#include "emit/manifest.hpp"
#include "emit/tree.hpp"

namespace gpushape::emit {

using document::Node;

namespace {

Node arguments(const EngineStart& start, const Commenter& comment) {
  Node node = Node::sequence();
  for (const EngineFlag& flag : start.flags) {
    EngineStart one = start;
    one.flags = {flag};
    bool is_first = true;
    for (std::string& word : arguments_of(one)) {
      Node item(std::move(word));
      node.add(is_first ? comment.above(std::move(item), flag.why) : std::move(item));
      is_first = false;
    }
  }
  return node;
}

Result<Emitted> emit_args(const EmitRequest& request, std::string_view engine,
                          std::string_view target) {
  Emitted emitted;
  const Commenter comment(request);
  for (const domain::RankedShape* picked : request.picked) {
    const std::string& sized_for = picked->contract.engine;
    if (picked->contract.model.empty()) {
      return failure(fmt::format("{} cannot express a demand without a model", target),
                     "`-o contract` can, or name a model");
    }
    if (sized_for != engine) {
      return failure(fmt::format("{}: the memory was sized for {}, and {} holds it otherwise",
                                 target, sized_for, engine),
                     fmt::format("add --engine {}, or ask for the flags of {}", engine, sized_for));
    }
    Result<EngineStart> start = engine_start(request, *picked);
    if (!start) return failure(std::move(start.error()));
    Node head = Node::mapping();
    head.set("command", comment.above(list(start->command).in_flow(), headline(*picked)));
    head.set("args", arguments(*start, comment));
    if (!start->configuration.empty()) {
      head.set("configuration",
               comment.above(configuration_of(*start, comment),
                             fmt::format("the content of {}", kConfigurationFile)));
    }
    comment.close(head, request, {picked});
    emitted.documents.push_back(std::move(head));
    emitted.notes.insert(emitted.notes.end(), start->notes.begin(), start->notes.end());
  }
  return emitted;
}

}  // namespace

Result<Emitted> emit_vllm_args(const EmitRequest& request) {
  return emit_args(request, "vllm", "vllm-args");
}
Result<Emitted> emit_sglang_args(const EmitRequest& request) {
  return emit_args(request, "sglang", "sglang-args");
}
Result<Emitted> emit_tensorrt_llm_args(const EmitRequest& request) {
  return emit_args(request, "tensorrt-llm", "tensorrt-llm-args");
}
Result<Emitted> emit_llama_cpp_args(const EmitRequest& request) {
  return emit_args(request, "llama.cpp", "llama-cpp-args");
}

}  // namespace gpushape::emit
