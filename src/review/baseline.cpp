#include "review/baseline.hpp"

#include <map>
#include <tuple>

#include "review/fields.hpp"
#include "schema/kinds.hpp"

namespace gpushape::review {

using document::Node;

namespace {

using Key = std::tuple<std::string, std::string, std::string, std::string>;

Key key_of(const domain::Finding& finding) {
  return {finding.rule, finding.place.file, finding.object, finding.path};
}

}  // namespace

Result<std::vector<domain::Finding>> read_baseline(const document::Document& document) {
  const Node* findings = document.root.find("findings");
  if (word_at(document.root, {"kind"}) != "Review" ||
      word_at(document.root, {"apiVersion"}) != schema::kApiVersion || findings == nullptr) {
    return failure(document.source->diagnostic(document.root.position(), "this is no baseline",
                                               "write one with: gpushape review FILE… -o json"));
  }
  std::vector<domain::Finding> known;
  for (const Node& row : findings->items()) {
    domain::Finding finding;
    finding.rule = word_at(row, {"rule"});
    finding.place.file = word_at(row, {"file"});
    finding.object = word_at(row, {"object"});
    finding.path = word_at(row, {"path"});
    known.push_back(std::move(finding));
  }
  return known;
}

void take_known(const std::vector<domain::Finding>& known, domain::Review& review) {
  std::map<Key, std::int64_t> left;
  for (const domain::Finding& finding : known) ++left[key_of(finding)];
  review.known += static_cast<std::int64_t>(
      std::erase_if(review.findings, [&left](const domain::Finding& finding) {
        const auto row = left.find(key_of(finding));
        if (row == left.end() || row->second == 0) return false;
        --row->second;
        return true;
      }));
}

}  // namespace gpushape::review
