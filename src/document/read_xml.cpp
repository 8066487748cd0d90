#include <expat.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "document/input_text.hpp"
#include "document/xml.hpp"

namespace gpushape::document {

namespace {

const std::string kNothing;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

/// What the parser calls back into. No exception may pass through it: a fault is kept, and the
/// parser is stopped.
class Builder {
 public:
  Builder(XML_Parser parser, const Source& source, const Limits& limits)
      : parser_(parser), source_(&source), limits_(limits) {
    XML_SetUserData(parser, this);
    XML_SetElementHandler(parser, on_start, on_end);
    XML_SetCharacterDataHandler(parser, on_text);
    XML_SetEntityDeclHandler(parser, on_entity);
  }

  [[nodiscard]] const std::optional<Diagnostic>& fault() const { return fault_; }
  [[nodiscard]] XmlElement take_root() { return std::move(root_); }
  [[nodiscard]] Position here() const {
    return {.line = static_cast<int>(XML_GetCurrentLineNumber(parser_)),
            .column = static_cast<int>(XML_GetCurrentColumnNumber(parser_)) + 1};
  }

 private:
  void fail(std::string message, std::string help = {}) {
    if (fault_) return;
    fault_ = source_->diagnostic(here(), std::move(message), std::move(help));
    XML_StopParser(parser_, XML_FALSE);
  }

  void start(const char* name, const char** attributes) {
    if (fault_) return;
    if (open_.size() >= static_cast<std::size_t>(limits_.depth)) {
      fail(fmt::format("nested deeper than {} levels", limits_.depth));
      return;
    }
    XmlElement element;
    element.name = name;
    element.position = here();
    for (; *attributes != nullptr; attributes += 2) {
      element.attributes.emplace_back(attributes[0], attributes[1]);
    }
    count_ += 1 + element.attributes.size();
    if (count_ > limits_.nodes) {
      fail(fmt::format("more than {} elements and attributes", limits_.nodes));
      return;
    }
    open_.push_back(std::move(element));
  }

  void end() {
    if (fault_ || open_.empty()) return;
    XmlElement element = std::move(open_.back());
    open_.pop_back();
    element.text = trimmed(element.text);
    if (open_.empty()) {
      root_ = std::move(element);
    } else {
      open_.back().children.push_back(std::move(element));
    }
  }

  static Builder& self(void* data) { return *static_cast<Builder*>(data); }
  static void on_start(void* data, const char* name, const char** attributes) {
    self(data).start(name, attributes);
  }
  static void on_end(void* data, const char* /*name*/) { self(data).end(); }
  static void on_text(void* data, const char* text, int length) {
    Builder& builder = self(data);
    if (builder.fault_ || builder.open_.empty()) return;
    builder.open_.back().text.append(text, static_cast<std::size_t>(length));
  }
  static void on_entity(void* data, const char* name, int /*is_parameter*/, const char* /*value*/,
                        int /*length*/, const char* /*base*/, const char* /*system*/,
                        const char* /*public_id*/, const char* /*notation*/) {
    self(data).fail(fmt::format("declares the entity '{}', and no inventory needs one", name),
                    "take the declaration out");
  }

  XML_Parser parser_;
  const Source* source_;
  Limits limits_;
  std::optional<Diagnostic> fault_;
  std::vector<XmlElement> open_;
  XmlElement root_;
  std::size_t count_ = 0;
};

struct FreeParser {
  void operator()(XML_Parser parser) const { XML_ParserFree(parser); }
};
using ParserPointer = std::unique_ptr<std::remove_pointer_t<XML_Parser>, FreeParser>;

}  // namespace

const XmlElement* XmlElement::find(std::string_view child) const {
  const auto found = std::ranges::find(children, child, &XmlElement::name);
  return found == children.end() ? nullptr : &*found;
}

const std::string& XmlElement::text_at(std::string_view path) const {
  const XmlElement* element = this;
  while (!path.empty()) {
    const std::size_t end = path.find('/');
    element = element->find(path.substr(0, end));
    if (element == nullptr) return kNothing;
    path.remove_prefix(end == std::string_view::npos ? path.size() : end + 1);
  }
  return element->text;
}

const std::string& XmlElement::attribute(std::string_view wanted) const {
  const auto found =
      std::ranges::find(attributes, wanted, &std::pair<std::string, std::string>::first);
  return found == attributes.end() ? kNothing : found->second;
}

Result<XmlDocument> read_xml(std::string_view text, std::string file, const Limits& limits) {
  Result<std::shared_ptr<const Source>> source = accept_text(text, std::move(file), limits);
  if (!source) return std::unexpected(std::move(source).error());
  const ParserPointer parser(XML_ParserCreate("UTF-8"));
  if (parser == nullptr) return failure("no memory for an XML parser");
  Builder builder(parser.get(), **source, limits);
  const std::string& whole = (*source)->text;
  const XML_Status status =
      XML_Parse(parser.get(), whole.data(), static_cast<int>(whole.size()), XML_TRUE);
  if (builder.fault()) return failure(*builder.fault());
  if (status != XML_STATUS_OK) {
    return failure((*source)->diagnostic(
        builder.here(),
        fmt::format("not valid XML: {}", XML_ErrorString(XML_GetErrorCode(parser.get())))));
  }
  return XmlDocument{builder.take_root(), *source};
}

}  // namespace gpushape::document
