// YAML by the events of yaml-cpp: its own tree would lose duplicate keys, quotes and places.
#include <yaml-cpp/anchor.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <optional>
#include <sstream>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "document/input_text.hpp"
#include "document/scalar.hpp"
#include "document/text_format.hpp"
#include "document/tree_builder.hpp"
#include "document/yaml_escape.hpp"
#include "document/yaml_fault.hpp"
#include "document/yaml_places.hpp"
#include "document/yaml_text.hpp"

namespace gpushape::document {
namespace {

// yaml-cpp reads about 4 MB a second (ours, measured on short fields); larger data come as JSON.
constexpr std::size_t kMostYamlBytes = 16U << 20U;

constexpr std::string_view kCoreTagPrefix = "tag:yaml.org,2002:";

struct Weight {
  std::size_t bytes = 0;
  std::size_t nodes = 0;
  int height = 0;
};

Weight weigh(const Node& node) {
  Weight weight{.bytes = sizeof(Node) + node.text().size(), .nodes = 1, .height = 0};
  const auto add_child = [&weight](const Node& child) {
    const Weight below = weigh(child);
    weight.bytes += below.bytes;
    weight.nodes += below.nodes;
    weight.height = std::max(weight.height, below.height);
  };
  for (const Node& item : node.items()) add_child(item);
  for (const Node::Entry& entry : node.entries()) {
    weight.bytes += sizeof(Node::Entry) - sizeof(Node) + entry.name.size();
    add_child(entry.value);
  }
  if (node.is(Node::Kind::Sequence) || node.is(Node::Kind::Mapping)) ++weight.height;
  return weight;
}

class YamlReader final : public YAML::EventHandler {
 public:
  YamlReader(std::shared_ptr<const Source> source, const Limits& limits, const Spent& spent)
      : source_(std::move(source)),
        text_(source_->text),
        builder_(*source_, limits),
        expanded_bytes_(spent.expanded_bytes) {
    builder_.count(spent.nodes, {});
  }

  [[nodiscard]] Spent spent() const { return {builder_.nodes(), expanded_bytes_}; }

  std::vector<Document> read() {
    std::istringstream stream(source_->text);
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(*this)) {
    }
    if (documents_.empty()) {
      builder_.fail({}, source_->file + " holds no document");
    }
    return std::move(documents_);
  }

  void OnDocumentStart(const YAML::Mark& mark) override {
    require_separator(mark);
    anchored_.clear();
    is_absent_ = false;
  }

  void OnDocumentEnd() override {
    Node root = builder_.take_root();
    if (!is_absent_) documents_.push_back({std::move(root), source_});
  }

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const YamlPlace place = place_of(text_, mark);
    if (wants_key()) fail_key(place.position);
    // Nothing at all between two `---` is no document; a `~` or `null` is one.
    const std::size_t length = length_of_null(text_, place.offset);
    if (!builder_.is_open()) is_absent_ = length == 0;
    // The mark of a value that is not written is that of whatever comes next.
    const bool is_bare_field = length == 0 && !frames_.empty() && frames_.back().is_mapping;
    Node node;
    node.set_position(is_bare_field ? frames_.back().key_position : with_length(place, length));
    take(std::move(node), anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const Position position = place_of(text_, mark).position;
    const auto found = anchored_.find(anchor);
    if (found == anchored_.end()) {
      builder_.fail(position, "this alias stands within what it refers to");
    }
    if (wants_key()) {
      if (!found->second.node.is(Node::Kind::String)) fail_key(position);
      take_key(found->second.node.text(), position);
      return;
    }
    count_expansion(found->second.weight, position);
    builder_.require_depth(found->second.weight.height, position);
    Node copy = found->second.node;
    copy.set_position(position);
    take(std::move(copy), YAML::NullAnchor);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& parsed) override {
    const YamlPlace place = place_of(text_, mark);
    const Position position = with_length(place, length_of_scalar(place, parsed));
    const std::optional<std::string> mended = with_whole_characters(parsed);
    const std::string& value = mended ? *mended : parsed;
    if (wants_key()) {
      if (tag == "?" && value == "<<") {
        frames_.back().merges.push_back(frames_.back().entries);
      }
      if (anchor != YAML::NullAnchor) remember(anchor, Node(value));
      take_key(value, position);
      return;
    }
    Node node = scalar(tag, value, position);
    node.set_position(position);
    node.set_quoted(tag == "!" &&
                    std::string_view("'\"|>").contains(letter_at(text_, place.offset)));
    take(std::move(node), anchor);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    open(Node::Kind::Sequence, "seq", mark, tag, anchor);
  }
  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    open(Node::Kind::Mapping, "map", mark, tag, anchor);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Frame {
    YAML::anchor_t anchor = YAML::NullAnchor;
    bool is_mapping = false;
    // Refused at its end, not at its start: yaml-cpp takes a bracket that is never closed for the
    // start of a field name, and then that is the fault to speak of.
    bool is_key = false;
    bool has_key = false;
    Position key_position;
    std::size_t entries = 0;
    std::vector<std::size_t> merges;  // entries with the merge key
  };
  struct Anchored {
    Node node;
    Weight weight;
  };

  // yaml-cpp 0.7 takes whatever follows a finished root for the next document.
  void require_separator(const YAML::Mark& mark) {
    const std::size_t offset =
        std::min(static_cast<std::size_t>(std::max(mark.pos, 0)), text_.size());
    const std::string_view before = text_.substr(document_start_, offset - document_start_);
    const bool is_separated = begins_document(text_.substr(offset, 4)) || before.contains("\n...");
    if (has_begun_ && !is_separated) {
      builder_.fail(place_of(text_, mark).position, "not valid YAML: nothing may follow the value",
                    "documents are parted by a line with ---");
    }
    has_begun_ = true;
    document_start_ = offset;
  }

  // yaml-cpp 0.7 lets a quoted string pass that breaks off after a blank line.
  [[nodiscard]] std::size_t length_of_scalar(const YamlPlace& place,
                                             const std::string& value) const {
    const std::optional<std::size_t> length = length_on_first_line(text_, place.offset, value);
    if (!length) builder_.fail(place.position, "not valid YAML: this quoted string does not end");
    return *length;
  }

  [[nodiscard]] bool wants_key() const {
    return !frames_.empty() && frames_.back().is_mapping && !frames_.back().has_key;
  }

  [[noreturn]] void fail_key(Position position) const {
    builder_.fail(position, "a field name must be a string", "put it in double quotes");
  }

  void take_key(std::string name, Position position) {
    frames_.back().has_key = true;
    frames_.back().key_position = position;
    builder_.key(std::move(name), position);
  }

  void take(Node node, YAML::anchor_t anchor) {
    if (anchor != YAML::NullAnchor) remember(anchor, node);
    if (!frames_.empty()) {
      frames_.back().has_key = false;
      ++frames_.back().entries;
    }
    builder_.add(std::move(node));
  }

  void remember(YAML::anchor_t anchor, Node node) {
    const Weight weight = weigh(node);
    count_expansion(weight, node.position());
    anchored_[anchor] = {std::move(node), weight};
  }

  void count_expansion(const Weight& weight, Position position) {
    expanded_bytes_ += weight.bytes;
    if (expanded_bytes_ > kMostExpandedBytes) {
      builder_.fail(position, "the aliases of this file expand to more than " +
                                  std::to_string(kMostExpandedBytes >> 20U) + " MiB");
    }
    builder_.count(weight.nodes, position);
  }

  void open(Node::Kind kind, std::string_view core_tag, const YAML::Mark& mark,
            const std::string& tag, YAML::anchor_t anchor) {
    const Position position = place_of(text_, mark).position;
    const bool is_key = wants_key();
    if (tag != "?" && tag != "!" && !tag.empty() &&
        tag != std::string(kCoreTagPrefix) + std::string(core_tag)) {
      fail_tag(tag, position);
    }
    builder_.open(kind, position);
    Frame& frame = frames_.emplace_back();
    frame.anchor = anchor;
    frame.is_mapping = kind == Node::Kind::Mapping;
    frame.is_key = is_key;
  }

  void close() {
    const Frame frame = std::move(frames_.back());
    frames_.pop_back();
    Node node = builder_.close();
    if (frame.is_key) fail_key(node.position());
    if (!frame.merges.empty()) merge(node, frame.merges);
    take(std::move(node), frame.anchor);
  }

  // The merge key of YAML 1.1: `<<: *base` adds what is not there already; of several bases the
  // first wins.
  void merge(Node& mapping, const std::vector<std::size_t>& merges) {
    std::vector<Node::Entry> bases;
    std::vector<Node::Entry> own;
    bases.reserve(merges.size());
    own.reserve(mapping.entries().size());
    for (std::size_t i = 0; i < mapping.entries().size(); ++i) {
      const bool is_merge = bases.size() < merges.size() && merges[bases.size()] == i;
      (is_merge ? bases : own).push_back(std::move(mapping.entries()[i]));
    }
    mapping.entries() = std::move(own);
    std::unordered_set<std::string> names;
    for (const Node::Entry& entry : mapping.entries()) names.insert(entry.name);
    const auto add = [&](Node& base, Position position) {
      if (!base.is(Node::Kind::Mapping)) {
        builder_.fail(position, "'<<' expects a mapping or a sequence of mappings");
      }
      for (Node::Entry& entry : base.entries()) {
        if (names.insert(entry.name).second) mapping.entries().push_back(std::move(entry));
      }
    };
    for (Node::Entry& base : bases) {
      if (base.value.is(Node::Kind::Sequence)) {
        for (Node& item : base.value.items()) add(item, base.position);
      } else {
        add(base.value, base.position);
      }
    }
  }

  Node scalar(const std::string& tag, const std::string& value, Position position) const {
    if (tag == "!") return value;
    if (tag == "?" || tag.empty()) return resolve_plain(value);
    if (!tag.starts_with(kCoreTagPrefix)) fail_tag(tag, position);
    const std::string_view core = std::string_view(tag).substr(kCoreTagPrefix.size());
    if (core == "str") return value;
    const Node node = resolve_plain(value);
    const bool agrees = (core == "null" && node.is(Node::Kind::Null)) ||
                        (core == "bool" && node.is(Node::Kind::Boolean)) ||
                        (core == "int" && node.is(Node::Kind::Integer)) ||
                        (core == "float" && node.is_number());
    if (agrees) return core == "float" ? Node(node.number()) : node;
    if (core == "null" || core == "bool" || core == "int" || core == "float") {
      builder_.fail(position, "this value is not what its tag !!" + std::string(core) + " says");
    }
    fail_tag(tag, position);
  }

  [[noreturn]] void fail_tag(const std::string& tag, Position position) const {
    builder_.fail(position, "the tag '" + tag.substr(0, 60) + "' is not known",
                  "take out the tag; values are plain YAML");
  }

  std::shared_ptr<const Source> source_;
  std::string_view text_;
  TreeBuilder builder_;
  std::vector<Frame> frames_;
  std::unordered_map<YAML::anchor_t, Anchored> anchored_;
  std::size_t expanded_bytes_;
  bool has_begun_ = false;
  std::size_t document_start_ = 0;
  bool is_absent_ = false;
  std::vector<Document> documents_;
};

}  // namespace

bool begins_document(std::string_view line) {
  return line.starts_with("---") &&
         (line.size() == 3 || std::string_view(" \t\r\n").contains(line[3]));
}

Result<std::vector<Document>> read_accepted(const std::shared_ptr<const Source>& source,
                                            const Limits& limits, Spent& spent) {
  std::optional<YamlReader> reader;
  const auto finish = [&](Result<std::vector<Document>> result) {
    if (reader) spent = reader->spent();
    return result;
  };
  try {
    reader.emplace(source, limits, spent);
    return finish(reader->read());
  } catch (Fault& fault) {
    return finish(failure(std::move(fault.diagnostic)));
  } catch (const YAML::Exception& exception) {
    return finish(failure(yaml_fault(exception, *source)));
  }
}

Result<std::shared_ptr<const Source>> accept_yaml(std::string_view text, std::string file,
                                                  const Limits& limits) {
  Limits own_limits = limits;
  own_limits.bytes = std::min(limits.bytes, kMostYamlBytes);
  return accept_text(text, std::move(file), own_limits);
}

Result<std::vector<Document>> read_yaml(std::string_view text, std::string file,
                                        const Limits& limits) {
  Result<std::shared_ptr<const Source>> source = accept_yaml(text, std::move(file), limits);
  if (!source) return std::unexpected(std::move(source).error());
  Spent spent;
  return read_accepted(*source, limits, spent);
}

}  // namespace gpushape::document
