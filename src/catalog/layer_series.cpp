#include "catalog/layer_series.hpp"

#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "catalog/stored_modules.hpp"

namespace gpushape::catalog {
namespace {

struct Numbered {
  std::string_view prefix;
  std::int64_t layer = 0;
};

/// Up to the first word that is a number.
std::optional<Numbered> numbered(std::string_view name) {
  for (std::size_t dot = name.find('.'); dot != std::string_view::npos;
       dot = name.find('.', dot + 1)) {
    const char* const begin = name.data() + dot + 1;
    const char* const end = name.data() + name.size();
    std::int64_t layer = 0;
    const auto [stop, error] = std::from_chars(begin, end, layer);
    if (error == std::errc() && stop != end && *stop == '.' && *begin != '-')
      return Numbered{.prefix = name.substr(0, dot), .layer = layer};
  }
  return std::nullopt;
}

struct Series {
  bool is_of_decoder = false;
  std::set<std::int64_t> layers;
};

}  // namespace

std::vector<std::int64_t> layer_series(const TensorListing& listing) {
  const std::set<std::int64_t> multi_token = multi_token_layers(listing);
  std::map<std::string, Series, std::less<>> found;
  for (const ListedTensor& tensor : listing.tensors) {
    const std::optional<Numbered> at = numbered(tensor.name);
    if (!at || multi_token.contains(at->layer)) continue;
    auto series = found.find(at->prefix);
    if (series == found.end()) {
      const TensorName name = parsed_name(listing, tensor);
      series = found.emplace(at->prefix, Series{}).first;
      series->second.is_of_decoder =
          name.scope == TensorName::Scope::Layer && name.layer == at->layer;
    }
    if (series->second.is_of_decoder) series->second.layers.insert(at->layer);
  }
  std::vector<std::int64_t> lengths;
  for (const auto& [prefix, series] : found) {
    const bool has_gap =
        series.layers.empty() ||
        *series.layers.rbegin() + 1 != static_cast<std::int64_t>(series.layers.size());
    if (!has_gap) lengths.push_back(*series.layers.rbegin() + 1);
  }
  return lengths;
}

}  // namespace gpushape::catalog
