#include "cli/advise_extras.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "advise/prices.hpp"
#include "base/edit_distance.hpp"
#include "cli/document_files.hpp"
#include "render/words.hpp"
#include "schema/prices_document.hpp"

namespace gpushape::cli {

Diagnostics take_prices(const Invocation& invocation, domain::Advice& advice) {
  if (invocation.prices_file.empty()) return {};
  const Result<std::vector<document::Document>> documents = read_documents(invocation.prices_file);
  if (!documents) return documents.error();
  const Result<profiles::Profiles> profiles = profiles::Profiles::open(invocation.profiles_folder);
  if (!profiles) return profiles.error();
  Diagnostics faults;
  for (const document::Document& document : *documents) {
    Result<domain::PriceList> list = schema::read_prices(document);
    if (!list) {
      std::ranges::copy(list.error(), std::back_inserter(faults));
      continue;
    }
    for (domain::Price& price : list->prices) {
      const Result<domain::Device> device = profiles->find(price.device);
      if (device) {
        price.device = device->id;
      } else {
        std::ranges::copy(device.error(), std::back_inserter(faults));
      }
    }
    advise::price(*list, advice);
  }
  return faults;
}

namespace {

bool is_called(const domain::RankedShape& ranked, const std::string& word) {
  return ranked.shape.profile_short == word || ranked.shape.profile == word ||
         ranked.shape.device == word || name_of(ranked.shape.technology) == word ||
         render::shape_name(ranked.shape) == word;
}

Result<std::size_t> place_of(const domain::Advice& advice, const std::string& word) {
  std::size_t place = 0;
  const auto [rest, error] = std::from_chars(word.data(), word.data() + word.size(), place);
  if (error == std::errc() && rest == word.data() + word.size()) {
    if (place >= 1 && place <= advice.shapes.size()) return place - 1;
    return failure(
        fmt::format("--compare: the answer has {} shapes, and no {}", advice.shapes.size(), word));
  }
  for (std::size_t i = 0; i < advice.shapes.size(); ++i)
    if (is_called(advice.shapes[i], word)) return i;
  std::vector<std::string> names;
  for (const domain::RankedShape& ranked : advice.shapes) {
    const domain::Shape& shape = ranked.shape;
    names.push_back(shape.profile_short.empty() ? std::string(name_of(shape.technology))
                                                : shape.profile_short);
  }
  return failure(fmt::format("--compare: no shape of the answer is called '{}'", word),
                 suggestion(word, names, fmt::format("there are {}", fmt::join(names, ", "))));
}

}  // namespace

Result<std::pair<std::size_t, std::size_t>> compared(const domain::Advice& advice,
                                                     const std::vector<std::string>& words) {
  if (words.size() != 2) {
    return failure(fmt::format("--compare: two shapes are compared, found {}", words.size()),
                   "write --compare 1,2 or --compare 40C,80C");
  }
  const Result<std::size_t> first = place_of(advice, words[0]);
  if (!first) return std::unexpected(first.error());
  const Result<std::size_t> second = place_of(advice, words[1]);
  if (!second) return std::unexpected(second.error());
  return std::pair(*first, *second);
}

}  // namespace gpushape::cli
