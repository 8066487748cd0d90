#include "catalog/entry_stored.hpp"

#include <fmt/format.h>

#include "catalog/entry_fields.hpp"

namespace gpushape::catalog {
namespace {

// Parts times types; more are no header's.
constexpr std::size_t kMostParts = 1'000;

// 64 bits of each parameter of the largest model.
constexpr document::IntegerBounds kStoredCount{.least = 0, .most = 8 * kMostParameters};

template <class Fields>
void visit_stored_part(Fields& fields) {
  using domain::StoredPart;
  fields.choice("part", &StoredPart::part);
  fields.text("dtype", &StoredPart::dtype);
  fields.integer("tensors", &StoredPart::tensors, kStoredCount);
  fields.integer("values", &StoredPart::values, kStoredCount);
  fields.integer("bytes", &StoredPart::bytes, kStoredCount);
}

}  // namespace

std::vector<domain::StoredPart> read_stored_parts(EntryFacts& facts) {
  std::vector<domain::StoredPart> parts;
  document::Reader* group = facts.holder("storedParts");
  if (group == nullptr) return parts;
  for (document::Reader& item : group->mappings("storedParts")) {
    if (parts.size() >= kMostParts) {
      group->complain(std::string_view("storedParts"),
                      fmt::format("more than {} parts", kMostParts));
      return parts;
    }
    domain::StoredPart& part = parts.emplace_back();
    item.required_text("part");
    item.required_integer("bytes", kStoredCount);
    FieldReader<domain::StoredPart> fields(holder_of(item), part);
    visit_stored_part(fields);
    item.finish();
  }
  return parts;
}

document::Node stored_part_list(const std::vector<domain::StoredPart>& parts) {
  document::Node list = document::Node::sequence();
  for (const domain::StoredPart& part : parts) {
    document::Node& item = list.add(document::Node::mapping());
    item.in_flow();
    item.set("part", name_of(part.part));
    domain::StoredPart plain;
    plain.part = part.part;
    plain.bytes = -1;
    FieldWriter<domain::StoredPart> fields(item, part, plain);
    visit_stored_part(fields);
  }
  return list;
}

}  // namespace gpushape::catalog
