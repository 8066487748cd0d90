#include "review/published_table.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace gpushape::review {

namespace {

bool reads_product(const cel::Selector& selector) {
  return std::ranges::any_of(selector.reads(), [](const cel::Read& read) {
    return read.name == "productName" || read.name == "architecture" || read.name == "memory";
  });
}

/// Every expression of the request holds. What hangs on the single card or its slot is left open by
/// the tables; a product's name is not.
bool is_selected(const std::vector<cel::Selector>& selectors, const PublishedGpu& gpu) {
  return std::ranges::all_of(selectors, [&](const cel::Selector& selector) {
    const cel::Verdict verdict = selector.matches(gpu.device).verdict;
    return verdict == cel::Verdict::Yes ||
           (verdict == cel::Verdict::Unknown && !reads_product(selector));
  });
}

std::vector<const PublishedGpu*> select_from(const ClaimRequest& request,
                                             const std::vector<PublishedGpu>& published) {
  std::vector<const PublishedGpu*> gpus;
  if (request.selectors.empty()) return gpus;
  std::optional<std::string_view> type;
  if (request.device_class) {
    type = type_of_class(request.device_class->value);
    if (!type) return gpus;
  }
  std::vector<cel::Selector> selectors;
  for (const Located<std::string>& row : request.selectors) {
    auto compiled = cel::Selector::compile(row.value);
    if (!compiled) return gpus;
    selectors.push_back(std::move(*compiled));
  }
  // A guest's vGPU has its card's name within its own: it is meant where nothing else is.
  for (const bool is_guest : {false, true}) {
    if (!gpus.empty()) break;
    for (const PublishedGpu& gpu : published) {
      if (gpu.is_guest != is_guest || (type && gpu.type != *type)) continue;
      if (is_selected(selectors, gpu)) gpus.push_back(&gpu);
    }
  }
  return gpus;
}

}  // namespace

std::string selection_key(const ClaimRequest& request) {
  std::string key = request.device_class ? request.device_class->value : std::string();
  for (const Located<std::string>& row : request.selectors) {
    key += '\0';
    key += row.value;
  }
  return key;
}

const std::vector<PublishedGpu>& PublishedTable::gpus() {
  if (!std::exchange(is_made_, true)) gpus_ = published_gpus(devices_);
  return gpus_;
}

const std::vector<const PublishedGpu*>& PublishedTable::selected(const ClaimRequest& request) {
  std::string key = selection_key(request);
  const auto found = selections_.find(key);
  if (found != selections_.end()) return found->second;
  return selections_.emplace(std::move(key), select_from(request, gpus())).first->second;
}

}  // namespace gpushape::review
