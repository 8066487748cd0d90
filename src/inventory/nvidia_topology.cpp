// What `nvidia-smi topo -m` prints of one host: a matrix of how GPUs and NICs reach each other
// (NV# is a bond of # NVLinks; X, SYS, NODE, PHB, PXB, PIX are PCIe paths) and the NUMA node of
// each GPU. Columns are separated by tabs, in copies by blanks.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "inventory/import.hpp"

namespace gpushape::inventory {

namespace {

constexpr std::size_t kMostTopologyColumns = 512;  // ours
constexpr std::size_t kMostGpusOfMatrix = 64;

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  constexpr std::string_view kBlanks = " \t\r";
  while (words.size() < kMostTopologyColumns) {
    const std::size_t first = line.find_first_not_of(kBlanks);
    if (first == std::string_view::npos) break;
    line.remove_prefix(first);
    const std::size_t end = line.find_first_of(kBlanks);
    words.push_back(line.substr(0, end));
    if (end == std::string_view::npos) break;
    line.remove_prefix(end);
  }
  return words;
}

/// "GPU12" is 12.
std::optional<int> number_after(std::string_view word, std::string_view prefix) {
  if (!word.starts_with(prefix)) return std::nullopt;
  word.remove_prefix(prefix.size());
  int value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (word.empty() || error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

/// Terminals underline the head of the table.
std::string without_escapes(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\x1b') {
      plain += text[i];
      continue;
    }
    while (i + 1 < text.size() && text[i] != 'm') ++i;
  }
  return plain;
}

bool is_head(const std::vector<std::string_view>& words) {
  return words.size() >= 2 && words[0] == "GPU0" &&
         std::ranges::find(words, "Affinity") != words.end();
}

/// The NUMA node of a GPU's row: the whole number after its columns and its CPU list.
std::optional<int> numa_node_of(const std::vector<std::string_view>& words, std::size_t columns) {
  constexpr std::size_t kName = 1;
  const std::size_t node = kName + columns + 1;  // the CPU list stands between
  return node < words.size() ? number_after(words[node], "") : std::nullopt;
}

}  // namespace

bool is_nvidia_topology(std::string_view text) {
  const std::string plain = without_escapes(text.substr(0, 4096));
  std::string_view rest = plain;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    if (is_head(words_of(rest.substr(0, end)))) return true;
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
  return false;
}

Diagnostics read_nvidia_topology(const ImportFile& file, Seen& seen) {
  const std::string plain = without_escapes(file.text);
  std::vector<std::string_view> heads;
  SeenHost host;
  host.name = file.host;
  Diagnostics faults;
  int number = 0;
  for (std::string_view rest = plain; !rest.empty();) {
    const std::size_t end = rest.find('\n');
    const std::vector<std::string_view> words = words_of(rest.substr(0, end));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    ++number;
    if (heads.empty()) {
      if (!is_head(words)) continue;
      for (const std::string_view word : words) {
        if (!number_after(word, "GPU") && !number_after(word, "NIC") &&
            !word.starts_with("mlx5_")) {
          break;
        }
        heads.push_back(word);
      }
      host.span = {.file = file.name, .line = number, .column = 1, .length = 1};
      continue;
    }
    const auto row = words.empty() ? std::nullopt : number_after(words.front(), "GPU");
    if (!row) continue;
    const SourceSpan span{.file = file.name, .line = number, .column = 1, .length = 1};
    if (words.size() <= heads.size() || std::cmp_not_equal(*row, host.gpus.size()) ||
        host.gpus.size() == kMostGpusOfMatrix) {
      Diagnostic fault = complaint(fmt::format("{}: {} cells, and {} columns stand above them",
                                               words.front(), words.size() - 1, heads.size()),
                                   "give the whole table as nvidia-smi topo -m prints it");
      fault.span = span;
      faults.push_back(std::move(fault));
      return faults;
    }
    SeenGpu gpu;
    gpu.name = words.front();
    gpu.span = span;
    gpu.numa_node = numa_node_of(words, heads.size());
    host.gpus.push_back(std::move(gpu));
    for (std::size_t column = 0; column < heads.size(); ++column) {
      const auto other = number_after(heads[column], "GPU");
      if (other && *other > *row && number_after(words[column + 1], "NV")) {
        host.linked.emplace_back(*row, *other);
      }
    }
  }
  if (host.gpus.empty()) {
    return {complaint(fmt::format("{}: this is not what nvidia-smi topo -m prints", file.name))};
  }
  seen.hosts.push_back(std::move(host));
  return faults;
}

}  // namespace gpushape::inventory
