// The parts that every pod template has in common, read from a pod's spec.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "review/pod_request.hpp"
#include "review/shell_words.hpp"

namespace gpushape::review {

/// The entries of `resources.limits` and the like.
std::vector<ResourceAmount> amounts_of(const document::Node* mapping);
std::vector<EnvironmentVariable> environment_of(const document::Node* list);
std::vector<ShellVariable> variables_of(const std::vector<EnvironmentVariable>& environment);
Container read_container(const document::Document& document, const document::Node& node);
/// The commands of an exec form: a shell with -c is taken apart.
std::vector<Command> commands_of(const document::Document& document, const document::Node* command,
                                 const document::Node* arguments,
                                 const std::vector<ShellVariable>& variables);
/// The words of one text that a program splits at blanks (VLLM_ADDITIONAL_ARGS).
Command words_of(const document::Document& document, const document::Node& text);
Volume read_volume(const document::Node& node);

/// Kind, names, labels and annotations of the object.
PodRequest begin_pod(const document::Document& document, const document::Node& root);
/// `spec` of a pod: containers, volumes, claims, scheduling.
void read_pod_spec(const document::Node& spec, PodRequest& pod);
/// `template`: metadata and spec.
void read_pod_template(const document::Node* pod_template, PodRequest& pod);

/// A word of an engine's command line that stands for the field `node`: "--name=value".
Word field_word(std::string_view flag, std::string_view value, const document::Node& node);

}  // namespace gpushape::review
