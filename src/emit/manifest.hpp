// What every manifest has in common: names that Kubernetes accepts, metadata with the annotations
// that carry the contract, quantities, and comments that say where a number comes from.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "document/node.hpp"
#include "domain/advice.hpp"
#include "domain/device.hpp"
#include "emit/targets.hpp"

namespace gpushape::emit {

/// Nothing where the request's own names and labels are valid by Kubernetes' rules.
Diagnostics check_names(const EmitRequest& request);

/// One name per picked shape: the one asked for, the contract's, or one made of model and shape.
/// Distinct, and the same for the same request.
std::vector<std::string> document_names(const EmitRequest& request);

/// One name for a document that holds all picked shapes.
std::string shared_name(const EmitRequest& request);

/// "meta-llama/Llama-3.1-8B-Instruct" -> "llama-3-1-8b-instruct"; a config.json is called after its
/// folder.
std::string model_label(std::string_view model);

/// A DNS label (RFC 1123) for a shape: "2x-h100xm-80c", "h100-sxm-80-passthrough".
std::string shape_label(const domain::Shape& shape);

/// Devices of one pod: of one host, where an instance spans several.
std::int64_t devices_of_pod(const domain::Shape& shape);

/// `metadata`: name, namespace, labels, and the annotations of what the contract is for.
document::Node metadata(const EmitRequest& request, const std::string& name,
                        const domain::RankedShape& picked);
/// The same with further labels and annotations.
document::Node metadata(const EmitRequest& request, const std::string& name,
                        const domain::RankedShape& picked, const std::vector<Label>& labels,
                        const std::vector<Label>& annotations);

/// What the contract is for, and the contract: a mapping of annotations.
document::Node annotations_of(const EmitRequest& request, const domain::RankedShape& picked);

/// "gpushape.dev/contract", and the contract on one line as its value, without its notes.
Label contract_note(const domain::ResourceContract& contract);

/// The device that a shape names. Its absence is a fault of the caller's.
const domain::Device& device_of(const EmitRequest& request, const domain::Shape& shape);
/// The profile that a shape names; nullptr for passthrough and whole GPUs.
const domain::Profile* profile_of(const domain::Device& device, const domain::Shape& shape);

/// A Kubernetes quantity that is no less than `bytes`: "240Gi", or whole MiB where that is less.
std::string quantity_at_least(Bytes bytes);
/// A Kubernetes quantity in whole GiB that is no more than `bytes`.
std::string quantity_at_most(Bytes bytes);

/// Puts comments on nodes, or leaves nodes alone where the request wants none.
class Commenter {
 public:
  explicit Commenter(const EmitRequest& request) : is_on_(request.has_comments) {}

  [[nodiscard]] document::Node above(document::Node node, std::string_view text) const;
  [[nodiscard]] document::Node behind(document::Node node, std::string_view text) const;
  /// The last line of a document: the command that made it.
  void close(document::Node& root, const EmitRequest& request) const;
  /// The same for a document without metadata: the contracts of its wishes stand above the command,
  /// in place of the annotation.
  void close(document::Node& root, const EmitRequest& request,
             const std::vector<const domain::RankedShape*>& held) const;

 private:
  bool is_on_;
};

/// What a document is for, its shape, and why that was chosen; a line each.
std::string headline(const domain::RankedShape& picked);
/// The contract's notes of these ids, one a line: "step-1: …".
std::string notes_of(const domain::ResourceContract& contract,
                     std::initializer_list<std::string_view> ids);
/// The note on a step, or words for a contract that came without notes.
std::string note_or(const domain::ResourceContract& contract, std::string_view step,
                    std::string otherwise);
/// The contract's notes but these.
std::string notes_beside(const domain::ResourceContract& contract,
                         std::initializer_list<std::string_view> ids);

}  // namespace gpushape::emit
