#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "review/rules.hpp"

namespace gpushape::review {

namespace {

using document::Node;

/// Every node of a document by its place, to say of a place what it is within.
class Outline {
 public:
  explicit Outline(const Node& root) {
    add(root, 0, {}, 0, false);
    order_.resize(rows_.size());
    for (std::size_t i = 0; i < order_.size(); ++i) order_[i] = i;
    std::ranges::stable_sort(order_, {}, [this](std::size_t i) { return key(rows_[i]); });
  }

  /// Object and path of the last node that begins at or before the place.
  void name(int line, int column, std::string& object, std::string& path) const {
    const auto after = std::ranges::upper_bound(order_, std::tuple(line, column), {},
                                                [this](std::size_t i) { return key(rows_[i]); });
    if (after == order_.begin()) return;
    std::size_t i = *std::prev(after);
    for (; i != 0 && !is_object(*rows_[i].node); i = rows_[i].parent) {
      const Row& row = rows_[i];
      std::string step =
          row.is_item ? "[" + std::to_string(row.index) + "]" : std::string(row.name);
      if (!path.empty() && !path.starts_with('[')) step += '.';
      path.insert(0, step);
    }
    object = title(*rows_[i].node);
  }

 private:
  struct Row {
    const Node* node;
    std::size_t parent;
    std::string_view name;
    std::size_t index;
    bool is_item;
  };

  static std::tuple<int, int> key(const Row& row) {
    return {row.node->position().line, row.node->position().column};
  }

  static bool is_object(const Node& node) {
    return node.find("kind") != nullptr && node.find("apiVersion") != nullptr &&
           node.find("metadata") != nullptr;
  }

  static std::string title(const Node& node) {
    const Node* kind = node.find("kind");
    if (kind == nullptr) return {};
    std::string text = word_of(*kind);
    const std::string name = word_at(node, {"metadata", "name"});
    const std::string name_space = word_at(node, {"metadata", "namespace"});
    if (!name.empty()) text += " " + (name_space.empty() ? name : name_space + "/" + name);
    return text;
  }

  void add(const Node& node, std::size_t parent, std::string_view name, std::size_t index,
           bool is_item) {
    const std::size_t own = rows_.size();
    rows_.push_back({&node, parent, name, index, is_item});
    std::size_t at = 0;
    for (const Node& item : node.items()) add(item, own, {}, at++, true);
    for (const Node::Entry& entry : node.entries()) add(entry.value, own, entry.name, 0, false);
  }

  std::vector<Row> rows_;
  std::vector<std::size_t> order_;
};

/// Where the documents of each file begin.
class DocumentStarts {
 public:
  explicit DocumentStarts(std::span<const document::Document> documents) {
    for (const document::Document& document : documents) {
      starts_[document.source.get()].emplace(document.root.position().line, &document);
    }
  }

  /// The last document of its file that begins at or before the line: `named` or one behind it.
  [[nodiscard]] const document::Document* holder_of(const document::Document& named,
                                                    int line) const {
    const auto file = starts_.find(named.source.get());
    if (file == starts_.end()) return &named;
    const auto after = file->second.upper_bound(line);
    if (after == file->second.begin()) return &named;
    const document::Document* last = std::prev(after)->second;
    return last->root.position().line > named.root.position().line ? last : &named;
  }

 private:
  std::map<const document::Source*, std::map<int, const document::Document*>> starts_;
};

}  // namespace

void Report::add(const document::Document& document, const document::Node& place, Remark remark) {
  add(document, place.position(), std::move(remark));
}

void Report::add(const document::Document& document, document::Position place, Remark remark) {
  Diagnostic diagnostic = document.source->diagnostic(
      place, std::move(remark.message), std::move(remark.fix).value_or(std::string(rule_->fix)),
      std::string(remark.label.value_or(std::string_view())));
  domain::Finding finding;
  finding.rule = rule_->id;
  finding.severity = remark.severity.value_or(rule_->severity);
  finding.place = std::move(diagnostic.span);
  finding.message = std::move(diagnostic.message);
  finding.fix = std::move(diagnostic.help);
  finding.why = remark.why.value_or(rule_->why);
  finding.label = std::move(diagnostic.label);
  finding.excerpt = std::move(diagnostic.excerpt);
  finding.excerpt_column = diagnostic.excerpt_column;
  finding.edits = std::move(remark.edits);
  entries_.push_back({&document, std::move(finding)});
}

void Report::add_at(const Deployment& deployment, const SourceSpan& place, Remark remark) {
  if (files_.empty()) {
    for (const document::Document& document : deployment.request->documents) {
      files_.try_emplace(document.source->file, &document);
    }
  }
  const auto found = files_.find(place.file);
  if (found == files_.end()) return;
  add(*found->second, {.line = place.line, .column = place.column, .length = place.length},
      std::move(remark));
}

bool Report::has(const std::function<bool(const domain::Finding&)>& is_it) const {
  return std::ranges::any_of(entries_, is_it, &Entry::finding);
}

std::vector<domain::Finding> Report::take(std::span<const document::Document> documents) && {
  std::map<const document::Source*, std::size_t> files;
  for (const document::Document& document : documents) {
    files.try_emplace(document.source.get(), files.size());
  }
  const DocumentStarts starts(documents);
  std::map<const document::Document*, Outline> outlines;
  for (Entry& entry : entries_) {
    entry.document = starts.holder_of(*entry.document, entry.finding.place.line);
    const auto outline = outlines.try_emplace(entry.document, entry.document->root).first;
    domain::Finding& finding = entry.finding;
    outline->second.name(finding.place.line, finding.place.column, finding.object, finding.path);
  }
  const auto order = [&files](const Entry& entry) {
    const domain::Finding& finding = entry.finding;
    return std::tuple(files[entry.document->source.get()], finding.place.line, finding.place.column,
                      std::string_view(finding.rule), std::string_view(finding.message));
  };
  std::ranges::sort(entries_, {}, order);
  std::vector<domain::Finding> findings;
  findings.reserve(entries_.size());
  for (Entry& entry : entries_) {
    // A rule that meets one fault on two ways says it once.
    if (findings.empty() || findings.back() != entry.finding) {
      findings.push_back(std::move(entry.finding));
    }
  }
  return findings;
}

}  // namespace gpushape::review
