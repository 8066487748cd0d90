#include "profiles/source_table.hpp"

#include <optional>

#include "base/edit_distance.hpp"

namespace gpushape::profiles {

void SourceTable::add(document::Reader& reader) {
  const document::Node* sources = reader.node("sources");
  if (sources == nullptr) return;
  if (!sources->is(document::Node::Kind::Mapping)) {
    reader.complain("sources", "sources is a mapping of keys to texts", "");
    return;
  }
  for (const document::Node::Entry& entry : sources->entries()) {
    if (!entry.value.is(document::Node::Kind::String) || entry.value.text().empty()) {
      reader.complain("sources", "source '" + entry.name + "' has no text",
                      "say what was read, with its address");
      continue;
    }
    texts_.insert_or_assign(entry.name, entry.value.text());
  }
}

std::string SourceTable::text_of(document::Reader& reader, std::string_view field) const {
  const document::Node* node = reader.node(field);
  if (node == nullptr) return {};
  std::vector<std::string> words;
  if (node->is(document::Node::Kind::String)) {
    words.push_back(node->text());
  } else {
    words = reader.texts(field);
  }
  std::string joined;
  for (const std::string& word : words) {
    if (!joined.empty()) joined += "; ";
    if (const auto found = texts_.find(word); found != texts_.end()) {
      joined += found->second;
      continue;
    }
    if (!word.contains(' ')) {
      std::vector<std::string> keys;
      for (const auto& [key, text] : texts_) keys.push_back(key);
      reader.complain(field, "no source is called '" + word + "'",
                      suggestion(word, keys, "add it to the file's sources"));
    }
    joined += word;
  }
  return joined;
}

}  // namespace gpushape::profiles
