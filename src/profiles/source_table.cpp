#include "profiles/source_table.hpp"

#include <vector>

#include "base/edit_distance.hpp"

namespace gpushape::profiles {

using document::Node;

SourceTable::SourceTable(document::Reader& reader, const SourceTable* common) : common_(common) {
  const Node* sources = reader.node("sources");
  if (sources == nullptr) return;
  if (!sources->is(Node::Kind::Mapping)) {
    reader.complain("sources", "sources is a mapping of keys to texts", "");
    return;
  }
  for (const Node::Entry& entry : sources->entries()) {
    if (!entry.value.is(Node::Kind::String) || entry.value.text().empty()) {
      reader.complain("sources", "source '" + entry.name + "' has no text",
                      "say what was read, with its address");
      continue;
    }
    texts_.insert_or_assign(entry.name, entry.value.text());
  }
}

const std::string* SourceTable::find(const std::string& key) const {
  if (const auto found = texts_.find(key); found != texts_.end()) return &found->second;
  return common_ == nullptr ? nullptr : common_->find(key);
}

void SourceTable::add_text(document::Reader& reader, std::string_view field,
                           const std::string& word, std::string& text) const {
  if (!text.empty()) text += "; ";
  if (const std::string* found = find(word)) {
    text += *found;
    return;
  }
  text += word;
  if (word.contains(' ')) return;
  std::vector<std::string> keys;
  for (const SourceTable* table : {this, common_}) {
    if (table == nullptr) continue;
    for (const auto& [key, known] : table->texts_) keys.push_back(key);
  }
  reader.complain(field, "no source is called '" + word + "'",
                  suggestion(word, keys, "add it to the file's sources"));
}

std::string SourceTable::text_of(document::Reader& reader, std::string_view field) const {
  const Node* node = reader.node(field);
  std::string text;
  if (node == nullptr) return text;
  if (node->is(Node::Kind::String)) {
    add_text(reader, field, node->text(), text);
  } else {
    for (const std::string& word : reader.texts(field)) add_text(reader, field, word, text);
  }
  return text;
}

}  // namespace gpushape::profiles
