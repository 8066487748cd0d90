#include "calibrate/logs/llama_breakdown.hpp"

#include <optional>
#include <string>

#include "calibrate/log_text.hpp"
#include "calibrate/planned_start.hpp"

namespace gpushape::calibrate::logs {
namespace {

constexpr double kMibInGib = 1024;

std::optional<double> mib_behind(std::string_view& text, char sign) {
  const std::size_t place = text.find(sign);
  if (place == std::string_view::npos) return std::nullopt;
  text.remove_prefix(place + 1);
  const std::optional<double> mib = leading_number(text);
  return mib ? std::optional(*mib / kMibInGib) : std::nullopt;
}

}  // namespace

void read_breakdown(std::string_view line, LlamaState& state) {
  if (!line.contains("memory_breakdown") && !line.contains("|   - ")) return;
  const auto row = behind(line, "- ");
  if (!row || !row->contains('(') || !row->contains('=')) return;
  const std::string device(row->substr(0, row->find_first_of(" |:")));
  if (device.empty() || is_host_device(device)) return;
  std::string_view rest = *row;
  const std::size_t equals = rest.find('=');
  const std::string_view before = rest.substr(0, equals);
  RankReading* rank = reading_of(device, state.broken_down);
  if (rank == nullptr) return;
  const std::size_t digits = before.find_last_of("0123456789");
  if (digits != std::string_view::npos) {
    const std::size_t start = before.find_last_not_of("0123456789", digits);
    if (const auto mib = leading_number(before.substr(start + 1)))
      rank->total_gib = *mib / kMibInGib;
  }
  rest.remove_prefix(equals);
  rank->free_gib = mib_behind(rest, '=');
  const std::size_t open = rest.find('(');
  if (open == std::string_view::npos) return;
  rest.remove_prefix(open);
  rank->weights_gib = mib_behind(rest, '=');
  rank->cache_gib = mib_behind(rest, '+');
  rank->compute_gib = mib_behind(rest, '+');
}

void fill_from_breakdown(LlamaState& state) {
  const auto fill = [](std::optional<double>& figure, std::optional<double> rounded) {
    if (!figure) figure = rounded;
  };
  for (const auto& [name, broken_down] : state.broken_down) {
    const bool is_used =
        broken_down.weights_gib.value_or(0) > 0 || broken_down.cache_gib.value_or(0) > 0;
    if (!is_used) continue;
    RankReading* rank = reading_of(name, state.devices);
    if (rank == nullptr) return;
    fill(rank->total_gib, broken_down.total_gib);
    fill(rank->free_gib, broken_down.free_gib);
    fill(rank->weights_gib, broken_down.weights_gib);
    if (!rank->state_gib) fill(rank->cache_gib, broken_down.cache_gib);
    fill(rank->compute_gib, broken_down.compute_gib);
  }
}

}  // namespace gpushape::calibrate::logs
