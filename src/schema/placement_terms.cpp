#include "schema/placement_terms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "schema/fields.hpp"
#include "schema/limits.hpp"

namespace gpushape::schema {

using document::Node;
using document::Reader;
using domain::PlacementTerms;

namespace {

/// "0000:3b:00.0": domain, bus, device and function, as lspci and vSphere print them.
bool is_pci_address(std::string_view text) {
  constexpr std::string_view kForm = "xxxx:xx:xx.x";
  return std::ranges::equal(text, kForm, [](char found, char form) {
    const bool is_digit = (found >= '0' && found <= '9') || (found >= 'a' && found <= 'f');
    return form == 'x' ? is_digit : found == form;
  });
}

}  // namespace

Node terms_node(const PlacementTerms& terms) {
  Node node = Node::mapping();
  const auto set_list = [&](const std::string& name, const std::vector<std::string>& texts) {
    if (!texts.empty()) node.set(name, texts_node(texts));
  };
  set_list("pciAddresses", terms.pci_addresses);
  set_list("datastores", terms.datastores);
  set_list("networks", terms.networks);
  set_text(node, "tenant", terms.tenant);
  set_count(node, "mostPerHost", terms.most_per_host);
  return node;
}

PlacementTerms read_terms(Reader& reader) {
  PlacementTerms terms{
      .pci_addresses = reader.texts("pciAddresses"),
      .datastores = reader.texts("datastores"),
      .networks = reader.texts("networks"),
      .tenant = reader.filled_text("tenant").value_or(""),
      .most_per_host = reader.integer("mostPerHost", kOneOrMoreBounds).value_or(0)};
  for (const std::string& address : terms.pci_addresses) {
    if (is_pci_address(address)) continue;
    reader.complain("pciAddresses", fmt::format("'{}' is no PCI address", address),
                    "write domain, bus, device and function: 0000:3b:00.0");
  }
  return terms;
}

}  // namespace gpushape::schema
