// gpushape profiles show, check and fit: one GPU, the proof of all of them, and whether a set of
// profiles lies on one.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/listing.hpp"
#include "cli/output.hpp"
#include "cli/profiles.hpp"
#include "document/text_format.hpp"
#include "domain/profile_memory.hpp"
#include "place/fit.hpp"
#include "profiles/check_device.hpp"
#include "render/device_view.hpp"
#include "render/words.hpp"
#include "schema/fields.hpp"
#include "schema/kinds.hpp"

namespace gpushape::cli {
namespace {

using document::Node;

// No GPU holds more shares; it keeps "1000000x1g" from costing memory.
constexpr int kMostCopies = 64;

/// The text, or the node in the format that was asked for.
int print_answer(const std::string& name, std::string text, const Node& node,
                 const Invocation& invocation, const Terminal& terminal, int status) {
  const Result<std::string> format = listing_format(invocation);
  if (!format) return refuse(format.error(), terminal);
  Piece piece{name, "txt", std::move(text)};
  if (*format != "text") {
    piece.extension = *format;
    piece.text = *format == "json" ? document::write_json(node) : document::write_yaml(node);
  }
  const auto written = write_pieces({piece}, invocation, terminal);
  return written ? status : refuse(written.error(), terminal);
}

/// "2x1g.10gb" as two of "1g.10gb"; "3g.40gb" as one.
std::pair<int, std::string_view> copies_of(std::string_view word) {
  int count = 0;
  const auto [end, fault] = std::from_chars(word.data(), word.data() + word.size(), count);
  if (fault == std::errc() && end != word.data() + word.size() && *end == 'x')
    return {count, word.substr(static_cast<std::size_t>(end - word.data()) + 1)};
  return {1, word};
}

/// Words of the command line, joined by "+" or apart, as names that the geometry knows.
Result<std::vector<std::string>> profile_names(const domain::Device& device,
                                               std::span<const std::string> words) {
  std::vector<std::string> names;
  for (const std::string& given : words) {
    std::string_view rest = given;
    while (!rest.empty()) {
      // "1g.10gb+me" is a name of its own.
      std::size_t cut = rest.find('+');
      if (cut != std::string_view::npos && domain::find_profile(device, copies_of(rest).second))
        cut = std::string_view::npos;
      const auto [count, name] = copies_of(rest.substr(0, cut));
      rest = cut == std::string_view::npos ? std::string_view() : rest.substr(cut + 1);
      if (name.empty()) continue;  // "a + b"
      if (count < 1 || count > kMostCopies)
        return failure(fmt::format("'{}': {} copies are no set for one GPU", given, count),
                       fmt::format("expected 1 to {}", kMostCopies));
      const Result<const domain::Profile*> profile = domain::find_profile(device, name);
      if (!profile) return std::unexpected(profile.error());
      for (int i = 0; i < count; ++i) names.push_back((*profile)->name);
    }
  }
  return names;
}

}  // namespace

int show_device(const profiles::Profiles& profiles, const Invocation& invocation,
                const Terminal& terminal) {
  const Result<domain::Device> device = profiles.find(invocation.positionals[1]);
  if (!device) return refuse(device.error(), terminal);
  const render::Style style = style_for(terminal, invocation.color, invocation.verbosity);
  return print_answer("device", render::device_text(*device, style), schema::to_node(*device),
                      invocation, terminal, kDone);
}

int check_profiles(const profiles::Profiles& profiles, const Invocation& invocation,
                   const Terminal& terminal) {
  const Result<std::vector<domain::Device>> devices = profiles.all();
  if (!devices) return refuse(devices.error(), terminal);
  std::int64_t rows = 0;
  std::int64_t facts = 0;
  Diagnostics faults;
  for (const domain::Device& device : *devices) {
    rows += static_cast<std::int64_t>(device.profiles.size());
    facts += static_cast<std::int64_t>(device.fact_sources.size());
    for (Diagnostic& fault : profiles::check_device(device)) faults.push_back(std::move(fault));
  }
  render::Page page(style_for(terminal, invocation.color, invocation.verbosity));
  for (const Diagnostic& fault : faults) page.paragraph(fault.message, 0, render::Tone::Bad);
  page.paragraph(fmt::format(
      "{}, {}, {} with a source: {}",
      render::counted(static_cast<std::int64_t>(devices->size()), "GPU"),
      render::counted(rows, "profile"), render::counted(facts, "fact"),
      faults.empty() ? std::string("every table holds")
                     : render::counted(static_cast<std::int64_t>(faults.size()), "fault")));
  Node node = schema::new_document("ProfilesReport");
  node.set("gpus", static_cast<std::int64_t>(devices->size()));
  node.set("profiles", rows);
  Node& list = node.set("faults", Node::sequence());
  for (const Diagnostic& fault : faults) list.add(Node(fault.message));
  return print_answer("profiles", page.text(), node, invocation, terminal,
                      faults.empty() ? kDone : kAnswerIsNo);
}

int fit_set(const profiles::Profiles& profiles, const Invocation& invocation,
            const Terminal& terminal) {
  const Result<domain::Device> device = profiles.find(invocation.positionals[1]);
  if (!device) return refuse(device.error(), terminal);
  const std::span<const std::string> words = std::span(invocation.positionals).subspan(2);
  const Result<std::vector<std::string>> names = profile_names(*device, words);
  if (!names) return refuse(names.error(), terminal);
  const domain::ProfileFit fit =
      place::fit_profiles(place::geometry_of(*device), device->supports_mixed_size, *names);
  const render::Style style = style_for(terminal, invocation.color, invocation.verbosity);
  return print_answer("fit", render::fit_text(fit, style), schema::to_node(fit), invocation,
                      terminal, fit.is_legal ? kDone : kAnswerIsNo);
}

}  // namespace gpushape::cli
