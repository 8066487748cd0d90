#include "document/yaml_fault.hpp"

#include <string>
#include <string_view>

namespace gpushape::document {
namespace {

// What usually stands behind a message of yaml-cpp.
std::string_view help_for(std::string_view message) {
  using namespace YAML::ErrorMsg;
  if (message == MAP_VALUE || message == END_OF_MAP || message == END_OF_SEQ) {
    return "check the indentation, and put text that holds ': ' in quotes";
  }
  if (message == END_OF_MAP_FLOW) return "a '{' is not closed";
  if (message == END_OF_SEQ_FLOW) return "a '[' is not closed";
  if (message.starts_with(INVALID_ESCAPE)) return "write a backslash as \\\\, or use single quotes";
  if (message == UNKNOWN_ANCHOR) return "an anchor (&name) stands before its aliases (*name)";
  if (message == UNKNOWN_TOKEN) return "put text that begins with '@', '`' or '%' in quotes";
  return {};
}

}  // namespace

Diagnostic yaml_fault(const YAML::Exception& exception, const Source& source) {
  Position position;
  if (!exception.mark.is_null()) {
    position = {.line = exception.mark.line + 1, .column = exception.mark.column + 1};
  }
  const std::string line = source.line(position.line);
  const std::string_view indentation =
      std::string_view(line).substr(0, line.find_first_not_of(" \t"));
  std::string_view help = help_for(exception.msg);
  if (indentation.contains('\t')) help = "indent with spaces; YAML allows no tabs there";
  return source.diagnostic(position, "not valid YAML: " + exception.msg, std::string(help));
}

}  // namespace gpushape::document
