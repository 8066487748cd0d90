#include "emit/manifest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <utility>

#include "base/calendar.hpp"
#include "document/text_format.hpp"
#include "domain/contract_note.hpp"
#include "emit/labels.hpp"
#include "emit/workload_notes.hpp"
#include "schema/kinds.hpp"

namespace gpushape::emit {

using document::Node;
using domain::RankedShape;
using domain::ResourceContract;
using domain::Shape;

std::string model_label(std::string_view model) {
  std::vector<std::string_view> parts;
  for (std::size_t start = 0; start <= model.size();) {
    const std::size_t end = std::min(model.find('/', start), model.size());
    if (end > start) parts.push_back(model.substr(start, end - start));
    start = end + 1;
  }
  while (!parts.empty() && (parts.back().ends_with(".json") || parts.back() == ".")) {
    parts.pop_back();
  }
  const std::string label = parts.empty() ? std::string{} : label_of(parts.back());
  return label.empty() ? "model" : label;
}

namespace {

constexpr std::string_view kDomain = "gpushape.dev/";
constexpr std::size_t kCommentWidth = 96;

std::string subject_label(const RankedShape& picked) {
  const ResourceContract& contract = picked.contract;
  if (contract.model.empty()) return "workload";
  std::string model = model_label(contract.model);
  const std::string quantization = label_of(contract.quantization);
  if (quantization.empty() || model.ends_with("-" + quantization)) return model;
  return model + "-" + quantization;
}

bool differ(const std::vector<std::string>& names) {
  std::vector<std::string> sorted = names;
  std::ranges::sort(sorted);
  return std::ranges::adjacent_find(sorted) == sorted.end();
}

/// Appends "-2", "-3" … to what is left equal.
std::vector<std::string> numbered(std::vector<std::string> names) {
  std::map<std::string, int> seen;
  for (std::string& name : names) {
    const int times = ++seen[name];
    if (times > 1) name = fitted_label(fmt::format("{}-{}", name, times));
  }
  return names;
}

/// A day so many days from --as-of, or the number of days where nobody said when that is.
std::string day_after(const EmitRequest& request, std::int64_t days) {
  return request.as_of ? date_text(*request.as_of + std::chrono::days(days))
                       : fmt::format("{}d", days);
}

/// "2026-11-28", or how long after its start: "36h", "90m".
std::string expiry(const EmitRequest& request, std::int64_t seconds) {
  constexpr std::int64_t kDay = 86'400;
  if (request.as_of && seconds >= kDay) return day_after(request, (seconds + kDay - 1) / kDay);
  return duration_text(seconds);
}

/// The contract on one line, without its notes: comments do not survive the API server, the
/// contract does. The line break at its end makes YAML show it as it is, not in quotes.
std::string contract_line(const ResourceContract& contract) {
  ResourceContract bare = contract;
  bare.notes.clear();
  const std::string text = document::write_json(schema::to_node(bare));
  std::string line;
  // Strings hold no raw line break: every one is layout, and so is the indentation behind it.
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\n') {
      line += text[i];
      continue;
    }
    while (i + 1 < text.size() && text[i + 1] == ' ') ++i;
    if (line.ends_with(',')) line += ' ';
  }
  return line + '\n';
}

/// Control characters of a command line would end its comment.
std::string command_line(const EmitRequest& request) {
  std::string line = request.command;
  for (char& c : line) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F) c = ' ';
  }
  return line;
}

/// Comments are for people and for strict readers alike: no control characters, lines of a width
/// that a screen shows.
std::string comment_text(std::string_view text) {
  std::string out;
  std::size_t column = 0;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find_first_of(" \n", start), text.size());
    const std::string_view word = text.substr(start, end - start);
    if (!word.empty()) {
      if (column > 0 && column + 1 + word.size() > kCommentWidth) {
        out += "\n  ";
        column = 2;
      } else if (column > 0) {
        out += ' ';
        ++column;
      }
      for (const char c : word) {
        const auto byte = static_cast<unsigned char>(c);
        out += byte < 0x20 || byte == 0x7F ? '?' : c;
      }
      column += word.size();
    }
    if (end < text.size() && text[end] == '\n' && column > 0) {
      out += '\n';
      column = 0;
    }
    start = end + 1;
  }
  while (out.ends_with('\n')) out.pop_back();
  return out;
}

}  // namespace

Node annotations_of(const EmitRequest& request, const RankedShape& picked) {
  const ResourceContract& contract = picked.contract;
  Node node = Node::mapping();
  const auto put = [&node](std::string_view key, std::string value) {
    if (!value.empty()) node.set(fmt::format("{}{}", kDomain, key), Node(std::move(value)));
  };
  put("model", contract.model);
  put("quantization", contract.quantization);
  if (contract.context_tokens) put("context", std::to_string(*contract.context_tokens));
  if (contract.concurrency) put("concurrency", std::to_string(*contract.concurrency));
  put("evidence", contract.evidence);
  if (contract.review_after_days) {
    put("review-after", day_after(request, *contract.review_after_days));
  }
  if (request.lifetime_seconds) put("expires", expiry(request, *request.lifetime_seconds));
  for (WorkloadNote& note : workload_notes(request, contract)) {
    put(note.name, std::move(note.value));
  }
  put("contract", contract_line(contract));
  return node;
}

Label contract_note(const ResourceContract& contract) {
  return {std::string(domain::kContractNote), contract_line(contract)};
}

Diagnostics check_names(const EmitRequest& request) {
  Diagnostics diagnostics;
  const auto check_label = [&diagnostics](std::string_view flag, const std::string& value) {
    if (value.empty() || is_label(value)) return;
    const std::string nearest = label_of(value);
    diagnostics.push_back(
        complaint(fmt::format("{} '{}' is no DNS label (RFC 1123)", flag, value),
                  nearest.empty() ? "use lower-case letters, digits and '-', at most 63 of them"
                                  : fmt::format("use '{}'", nearest)));
  };
  check_label("--name", request.name);
  check_label("--namespace", request.name_space);
  for (const Label& label : request.labels) {
    if (!is_qualified_name(label.key)) {
      diagnostics.push_back(
          complaint(fmt::format("'{}' cannot be the key of a label", label.key),
                    "use letters, digits, '-', '_' and '.', with a DNS prefix before '/' if any"));
    }
    if (!is_label_value(label.value)) {
      diagnostics.push_back(
          complaint(fmt::format("'{}' cannot be the value of label {}", label.value, label.key),
                    "use at most 63 letters, digits, '-', '_' and '.'"));
    }
  }
  return diagnostics;
}

std::string shape_label(const Shape& shape) {
  std::string what;
  if (shape.technology == domain::Technology::Mig || shape.profile.empty()) {
    what = shape.device;
    if (!shape.profile.empty()) what += "-" + shape.profile_short;
    if (shape.technology == domain::Technology::Passthrough) what += "-passthrough";
  } else {
    what = shape.profile;  // "nvidia_h100xm-40c" names the device too
    if (const std::size_t underscore = what.find('_'); underscore != std::string::npos) {
      what.erase(0, underscore + 1);
    }
  }
  return label_of(shape.count > 1 ? fmt::format("{}x-{}", shape.count, what) : what);
}

std::int64_t devices_of_pod(const Shape& shape) {
  return shape.count / std::max<std::int64_t>(1, shape.nodes);
}

std::vector<std::string> document_names(const EmitRequest& request) {
  if (!request.names.empty()) return request.names;
  std::vector<std::string> names;
  std::vector<std::string> with_shape;
  for (const RankedShape* picked : request.picked) {
    std::string given = request.name.empty() ? label_of(picked->contract.name) : request.name;
    const std::string subject = given.empty() ? subject_label(*picked) : given;
    with_shape.push_back(fitted_label(subject + "-" + shape_label(picked->shape)));
    names.push_back(given.empty() ? with_shape.back() : std::move(given));
  }
  return numbered(differ(names) ? std::move(names) : std::move(with_shape));
}

std::string shared_name(const EmitRequest& request) {
  if (request.picked.size() == 1 || request.is_further) return document_names(request).front();
  const RankedShape& first = *request.picked.front();
  const std::string given = request.name.empty() ? label_of(first.contract.name) : request.name;
  return given.empty() ? fitted_label(subject_label(first) + "-gpu") : given;
}

Node metadata(const EmitRequest& request, const std::string& name, const RankedShape& picked,
              const std::vector<Label>& labels, const std::vector<Label>& annotations) {
  Node node = Node::mapping();
  node.set("name", name);
  if (!request.name_space.empty()) node.set("namespace", request.name_space);
  Node label_node = Node::mapping();
  for (const Label& label : labels) label_node.set(label.key, label.value);
  for (const Label& label : request.labels) {
    if (label_node.find(label.key) == nullptr) label_node.set(label.key, label.value);
  }
  if (!label_node.entries().empty()) node.set("labels", std::move(label_node));
  Node annotation_node = annotations_of(request, picked);
  for (const Label& label : annotations) annotation_node.set(label.key, label.value);
  node.set("annotations", std::move(annotation_node));
  return node;
}

Node metadata(const EmitRequest& request, const std::string& name, const RankedShape& picked) {
  return metadata(request, name, picked, {}, {});
}

const domain::Device& device_of(const EmitRequest& request, const Shape& shape) {
  const auto device = std::ranges::find(request.devices, shape.device, &domain::Device::id);
  if (device == request.devices.end()) {
    throw std::logic_error("emit was not given the device " + shape.device);
  }
  return *device;
}

const domain::Profile* profile_of(const domain::Device& device, const Shape& shape) {
  if (shape.profile.empty()) return nullptr;
  const auto is_it = [&shape](const domain::Profile& profile) {
    return profile.name == shape.profile && profile.technology == shape.technology;
  };
  const auto profile = std::ranges::find_if(device.profiles, is_it);
  if (profile == device.profiles.end()) {
    throw std::logic_error("device " + device.id + " has no profile " + shape.profile);
  }
  return &*profile;
}

std::string quantity_at_least(Bytes bytes) {
  const Bytes whole = round_up(bytes, mib(1));
  const Bytes rest = whole - (whole / gib(1)) * gib(1);
  return rest == Bytes(0) ? fmt::format("{}Gi", whole / gib(1))
                          : fmt::format("{}Mi", whole / mib(1));
}

std::string quantity_at_most(Bytes bytes) { return fmt::format("{}Gi", bytes / gib(1)); }

Node Commenter::above(Node node, std::string_view text) const {
  if (is_on_ && !text.empty()) node.comment_above(comment_text(text));
  return node;
}

Node Commenter::behind(Node node, std::string_view text) const {
  if (is_on_ && !text.empty()) node.comment_behind(comment_text(text));
  return node;
}

void Commenter::close(Node& root, const EmitRequest& request) const {
  if (!is_on_ || request.command.empty()) return;
  root.comment_below(command_line(request));
}

void Commenter::close(Node& root, const EmitRequest& request,
                      const std::vector<const RankedShape*>& held) const {
  if (!is_on_) return;
  std::string text;
  for (const RankedShape* picked : held) {
    const Label note = contract_note(picked->contract);
    text += fmt::format("{}: {}", note.key, note.value);  // ends with a line break
  }
  root.comment_below(text + command_line(request));
}

std::string headline(const RankedShape& picked) {
  const ResourceContract& contract = picked.contract;
  const Shape& shape = picked.shape;
  std::string text = contract.model.empty() ? "declared demand" : contract.model;
  if (!contract.quantization.empty()) text += ", " + contract.quantization;
  if (contract.context_tokens) text += fmt::format(", context {}", *contract.context_tokens);
  if (contract.concurrency) text += fmt::format(", {} in flight", *contract.concurrency);
  text += fmt::format("\n{} x {}: {} by {}", shape.count,
                      shape.profile.empty() ? shape.device : shape.profile,
                      name_of(shape.consumption_model), name_of(shape.technology));
  if (shape.nodes > 1) text += fmt::format(" on {} nodes", shape.nodes);
  for (const domain::Reason& reason : picked.reasons) {
    text += fmt::format("\n{}: {}", reason.rule, reason.says);
  }
  return text;
}

namespace {

std::string joined_notes(const ResourceContract& contract,
                         std::initializer_list<std::string_view> ids, bool is_listed) {
  std::string text;
  for (const domain::ContractNote& note : contract.notes) {
    if ((std::ranges::find(ids, note.id) != ids.end()) != is_listed) continue;
    text += fmt::format("{}{}: {}", text.empty() ? "" : "\n", note.id, note.says);
  }
  return text;
}

}  // namespace

std::string notes_of(const ResourceContract& contract,
                     std::initializer_list<std::string_view> ids) {
  return joined_notes(contract, ids, true);
}

std::string note_or(const ResourceContract& contract, std::string_view step,
                    std::string otherwise) {
  std::string note = notes_of(contract, {step});
  if (note.empty()) note = std::move(otherwise);
  return note;
}

std::string notes_beside(const ResourceContract& contract,
                         std::initializer_list<std::string_view> ids) {
  return joined_notes(contract, ids, false);
}

}  // namespace gpushape::emit
