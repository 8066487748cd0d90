// All that keeps whole requests lies in one group. What keeps windows falls into families, one for
// each size of block and window, whose kinds lie side by side; a family is cut into groups of about
// as many layers as the first group has, so that little of a block is left empty. Engines first
// counted a block as that many layers of every page of the first group, and later as what the
// largest group takes. In the first form a page takes the smallest of the first group's that holds
// it, and the room for requests goes by the bytes that groups take themselves. Source: vLLM
// v1/core/kv_cache_utils.py, group_and_unify_kv_cache_specs, _get_kv_cache_groups_uniform_groups,
// _get_packed_kv_cache_layout; for layers without a pattern _get_packed_kv_cache_groups (0.30).
#include "estimate/compressed_groups.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <ranges>

#include "estimate/division.hpp"

namespace gpushape::estimate {
namespace {

bool are_of_one_family(const CacheSpec& a, const CacheSpec& b) {
  return a.held == b.held && a.block_tokens == b.block_tokens && a.window_tokens == b.window_tokens;
}

bool keeps_requests(const CacheKind& kind) { return kind.spec.held == layers::full_held_blocks; }

/// The first kind of each family stands for it.
bool is_first_of_family(const std::vector<CacheKind>& kinds, std::size_t index) {
  return std::none_of(
      kinds.begin(), kinds.begin() + static_cast<std::ptrdiff_t>(index),
      [&](const CacheKind& other) { return are_of_one_family(other.spec, kinds[index].spec); });
}

std::int64_t most_layers_of_family(const std::vector<CacheKind>& kinds, const CacheSpec& family) {
  std::int64_t most = 0;
  for (const CacheKind& kind : kinds) {
    if (are_of_one_family(kind.spec, family)) most = std::max(most, kind.model_layers);
  }
  return most;
}

/// Of all sizes from `least` up, the one that leaves least empty when counts are rounded up to it;
/// of equals the largest.
std::int64_t best_size(const std::vector<std::int64_t>& counts, std::int64_t least) {
  const std::int64_t most = *std::ranges::max_element(counts);
  std::int64_t best = least;
  std::int64_t best_waste = -1;
  for (std::int64_t size = std::max<std::int64_t>(1, least); size <= most; ++size) {
    std::int64_t waste = 0;
    for (const std::int64_t count : counts) waste += divide_up(count, size) * size - count;
    if (best_waste < 0 || waste <= best_waste) {
      best = size;
      best_waste = waste;
    }
  }
  return best;
}

/// Bytes of one block in the layers that a group of the family has on the stage.
Bytes bytes_of_family(const std::vector<CacheKind>& kinds, const CacheSpec& family,
                      std::int64_t groups) {
  Bytes bytes;
  for (const CacheKind& kind : kinds) {
    if (are_of_one_family(kind.spec, family))
      bytes += Bytes(kind.spec.page_bytes) * divide_up(kind.layers, groups);
  }
  return bytes;
}

/// The smallest page of the first group that holds one of `kind`.
std::int64_t page_in_first_group(const std::vector<CacheKind>& kinds, const CacheKind& kind) {
  std::int64_t page = 0;
  for (const CacheKind& other : kinds) {
    if (keeps_requests(other) && other.spec.page_bytes >= kind.spec.page_bytes &&
        (page == 0 || other.spec.page_bytes < page))
      page = other.spec.page_bytes;
  }
  return page == 0 ? kind.spec.page_bytes : page;
}

/// Of every size of page in the first group, the layers that any group has of it at most.
Bytes bytes_by_page_size(const std::vector<CacheKind>& kinds) {
  // By family and page: the layers of one of the family's groups.
  std::map<std::int64_t, std::map<std::size_t, std::int64_t>> layers;
  for (const CacheKind& kind : kinds) {
    const auto family = std::ranges::find_if(kinds, [&](const CacheKind& first) {
      return first.groups > 0 && are_of_one_family(first.spec, kind.spec);
    });
    const auto index = static_cast<std::size_t>(family - kinds.begin());
    layers[page_in_first_group(kinds, kind)][index] += divide_up(kind.layers, family->groups);
  }
  Bytes bytes;
  for (const auto& [page, of_families] : layers) {
    const auto most = std::ranges::max(of_families | std::views::values);
    bytes += Bytes(page) * most;
  }
  return bytes;
}

/// What the groups themselves take of one block.
void count_by_bytes(std::vector<CacheKind>& kinds) {
  for (CacheKind& kind : kinds)
    kind.counted_bytes = Bytes(page_in_first_group(kinds, kind)) * kind.layers;
  for (std::size_t i = 1; i < kinds.size() && keeps_requests(kinds[i]); ++i) {
    kinds.front().counted_bytes += kinds[i].counted_bytes;
    kinds[i].counted_bytes = {};
  }
}

/// Whether layers repeat in a pattern, one page of every size each, as states of ratio 4 do.
bool has_pattern(const std::vector<CacheKind>& kinds) {
  return std::ranges::any_of(kinds, [&](const CacheKind& kind) {
    std::int64_t sizes = 0;
    bool is_even = true;
    for (const CacheKind& other : kinds) {
      if (!are_of_one_family(other.spec, kind.spec)) continue;
      ++sizes;
      is_even &= other.model_layers == kind.model_layers;
    }
    return sizes > 1 && is_even;
  });
}

/// Without a pattern, what keeps whole requests says how large a block is, and of all else a group
/// has as many layers as fit in one.
void fill_blocks(CacheLayout& layout) {
  std::vector<CacheKind>& kinds = layout.kinds;
  Bytes model_block;  // of the whole model, by which groups are made
  for (const CacheKind& kind : kinds) {
    if (keeps_requests(kind)) model_block += Bytes(kind.spec.page_bytes) * kind.model_layers;
    model_block = std::max(model_block, Bytes(kind.spec.page_bytes));
  }
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    kinds[i].groups = 0;
    if (!is_first_of_family(kinds, i)) continue;
    const std::int64_t fitting =
        std::max<std::int64_t>(1, model_block / Bytes(kinds[i].spec.page_bytes));
    const std::int64_t layers = most_layers_of_family(kinds, kinds[i].spec);
    kinds[i].groups = keeps_requests(kinds[i]) ? 1 : divide_up(layers, fitting);
    layout.group_layers = std::max(layout.group_layers, divide_up(layers, kinds[i].groups));
    layout.block_bytes =
        std::max(layout.block_bytes, bytes_of_family(kinds, kinds[i].spec, kinds[i].groups));
  }
}

}  // namespace

void put_into_compressed_groups(CacheLayout& layout) {
  std::vector<CacheKind>& kinds = layout.kinds;
  // What keeps whole requests leads, whatever layer came first.
  std::ranges::stable_partition(kinds, keeps_requests);
  if (!has_pattern(kinds)) {
    fill_blocks(layout);
    return;
  }
  std::vector<std::int64_t> counts;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (is_first_of_family(kinds, i)) counts.push_back(most_layers_of_family(kinds, kinds[i].spec));
  }
  const std::int64_t size = best_size(counts, counts.front());
  Bytes largest;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    kinds[i].groups = 0;
    if (!is_first_of_family(kinds, i)) continue;
    const bool is_leading = keeps_requests(kinds[i]);
    kinds[i].groups = is_leading ? 1 : divide_up(most_layers_of_family(kinds, kinds[i].spec), size);
    largest = std::max(largest, bytes_of_family(kinds, kinds[i].spec, kinds[i].groups));
  }
  layout.group_layers = size;
  layout.block_bytes = largest;
  if (layout.geometry.is_packed) return;
  Bytes pages;
  for (const CacheKind& kind : kinds) {
    if (keeps_requests(kind)) pages += Bytes(kind.spec.page_bytes);
  }
  layout.block_bytes = layout.geometry.counts_page_sizes ? bytes_by_page_size(kinds) : pages * size;
  count_by_bytes(kinds);
}

}  // namespace gpushape::estimate
