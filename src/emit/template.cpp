#include "emit/template.hpp"

#include <fmt/format.h>

#include <kainjow/mustache.hpp>
#include <string_view>
#include <utility>

#include "document/text_format.hpp"
#include "emit/engine_args.hpp"
#include "emit/manifest.hpp"
#include "schema/kinds.hpp"

namespace gpushape::emit {

using document::Node;
using kainjow::mustache::data;
using Kind = Node::Kind;

namespace {

data data_of(const Node& node) {
  switch (node.kind()) {
    case Kind::Null:
      return data(data::type::invalid);
    case Kind::Boolean:
      return data(node.boolean());
    case Kind::String:
      return data(node.text());
    case Kind::Integer:
    case Kind::Number: {
      std::string text = document::write_json(node);
      while (text.ends_with('\n')) text.pop_back();
      return data(std::move(text));
    }
    case Kind::Sequence: {
      data list(data::type::list);
      for (const Node& item : node.items()) list.push_back(data_of(item));
      return list;
    }
    case Kind::Mapping:
      break;
  }
  data object(data::type::object);
  for (const Node::Entry& entry : node.entries()) object.set(entry.name, data_of(entry.value));
  return object;
}

Node flags_of(const EngineStart& start) {
  Node rows = Node::sequence();
  for (const EngineFlag& flag : start.flags) {
    EngineStart one = start;
    one.flags = {flag};
    std::string words;
    for (const std::string& word : arguments_of(one)) words += (words.empty() ? "" : " ") + word;
    Node row = Node::mapping();
    row.set("flag", words);
    row.set("name", flag.name);
    row.set("value", flag.value);
    row.set("why", flag.why);
    rows.add(std::move(row));
  }
  return rows;
}

/// Of a picked shape among those of the answer: it may stand in a document that wishes share.
std::size_t place_of(const domain::Advice& advice, const domain::RankedShape& picked) {
  for (const domain::WishDocument& document : advice.documents) {
    for (std::size_t i = 0; i < document.shapes.size(); ++i) {
      if (&document.shapes[i] == &picked) return document.places[i];
    }
  }
  return static_cast<std::size_t>(&picked - advice.shapes.data());
}

}  // namespace

Result<std::string> fill_template(const EmitRequest& request, const std::string& text,
                                  const std::string& file) {
  if (Diagnostics faults = check_names(request); !faults.empty()) return failure(std::move(faults));
  kainjow::mustache::mustache page(text);
  if (!page.is_valid()) {
    return failure(fmt::format("{}: is no mustache template: {}", file, page.error_message()));
  }
  page.set_custom_escape([](const std::string& value) { return value; });
  const domain::RankedShape& picked = *request.picked.front();
  const Result<EngineStart> start = engine_start(request, picked);
  if (!start) return failure(start.error());
  Node root = schema::to_node(*request.advice);
  const Node* shapes = root.find("shapes");
  const std::size_t place = place_of(*request.advice, picked);
  if (shapes != nullptr && place < shapes->items().size()) {
    Node shape = shapes->items()[place];
    const Node contract = schema::to_node(picked.contract);  // of its document, where it has one
    shape.set("contract", contract);
    root.set("contract", contract);
    root.set("shape", std::move(shape));
  }
  root.set("name", document_names(request).front());
  if (!request.name_space.empty()) root.set("namespace", request.name_space);
  root.set("flags", flags_of(*start));
  root.set("image", start->image);
  root.set("commandLine", request.command);
  return page.render(data_of(root));
}

}  // namespace gpushape::emit
