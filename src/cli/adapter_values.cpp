// What --lora takes: a number of adapters, their settings, or an adapter itself. Source of the
// file's fields: Hugging Face PEFT, LoraConfig (r, target_modules).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <system_error>

#include "base/edit_distance.hpp"
#include "cli/document_files.hpp"
#include "cli/values.hpp"

namespace gpushape::cli {
namespace {

using domain::AdapterModules;
using domain::Adapters;
using domain::Fact;
using domain::Origin;

// Far above what any server holds, and low enough for the arithmetic.
constexpr std::int64_t kMostAdapters = 100'000;
constexpr std::int64_t kMostRank = 4096;
constexpr auto kKeys = std::to_array<std::string_view>({"count", "rank", "modules"});

template <class T>
Fact<T> stated(T value, const Given& given) {
  return {std::move(value), Origin::Flag, std::string(given.flag)};
}

Diagnostics set_field(Adapters& adapters, std::string_view key, std::string_view value,
                      const Given& given) {
  const Given part{.flag = given.flag, .text = std::string(value)};
  if (key == "modules") {
    const std::optional<AdapterModules> modules = value_of<AdapterModules>(value);
    if (!modules) {
      return {complaint(fmt::format("{}: '{}' names no modules", given.flag, value),
                        suggestion(value, all_names<AdapterModules>(),
                                   "expected all, attention, query-value or feed-forward"))};
    }
    adapters.modules = stated(*modules, given);
    return {};
  }
  const bool is_count = key == "count";
  const Result<std::int64_t> number = parse_count(part, 1, is_count ? kMostAdapters : kMostRank);
  if (!number) return number.error();
  (is_count ? adapters.count : adapters.rank) = stated(*number, given);
  return {};
}

Result<Adapters> parse_pairs(const Given& given) {
  Adapters adapters;
  std::string_view rest = given.text;
  while (!rest.empty()) {
    const std::string_view pair = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
    const std::size_t equals = pair.find('=');
    const std::string_view key = pair.substr(0, equals);
    if (equals == std::string_view::npos || std::ranges::find(kKeys, key) == kKeys.end()) {
      const std::vector<std::string> known(kKeys.begin(), kKeys.end());
      return failure(fmt::format("{}: '{}' is no setting of adapters", given.flag, pair),
                     suggestion(key, known, "write it as count=4,rank=64,modules=all"));
    }
    if (Diagnostics faults = set_field(adapters, key, pair.substr(equals + 1), given);
        !faults.empty())
      return failure(std::move(faults));
  }
  return adapters;
}

/// Which of our words holds all of the adapter's modules, the narrowest first.
AdapterModules modules_of(const document::Node* node) {
  if (node == nullptr || !node->is(document::Node::Kind::Sequence)) return AdapterModules::All;
  static const std::set<std::string> query_value = {"q_proj", "v_proj"};
  static const std::set<std::string> attention = {"q_proj", "k_proj", "v_proj", "o_proj"};
  static const std::set<std::string> feed_forward = {"gate_proj", "up_proj", "down_proj"};
  const auto all_in = [&](const std::set<std::string>& names) {
    return std::ranges::all_of(node->items(), [&](const document::Node& item) {
      return item.is(document::Node::Kind::String) && names.contains(item.text());
    });
  };
  if (all_in(query_value)) return AdapterModules::QueryValue;
  if (all_in(attention)) return AdapterModules::Attention;
  return all_in(feed_forward) ? AdapterModules::FeedForward : AdapterModules::All;
}

Result<Adapters> read_adapter(const std::filesystem::path& path, const Given& given) {
  std::error_code error;
  const bool is_folder = std::filesystem::is_directory(path, error);
  std::filesystem::path file = path;
  if (is_folder) file /= "adapter_config.json";
  if (file.extension() == ".safetensors") file = file.parent_path() / "adapter_config.json";
  const Result<std::vector<document::Document>> documents = read_documents(file.string());
  if (!documents) return failure(documents.error());
  const document::Document& document = documents->front();
  const document::Node* rank = document.root.find("r");
  if (rank == nullptr || !rank->is(document::Node::Kind::Integer) || rank->integer() < 1 ||
      rank->integer() > kMostRank) {
    return failure(document.source->diagnostic(
        document.root.position(), "this is no LoRA adapter: it has no rank `r`",
        "name the folder of an adapter, or its adapter_config.json"));
  }
  Adapters adapters;
  const std::string from = fmt::format("{} {}", given.flag, file.string());
  adapters.count = {1, Origin::File, from};
  adapters.rank = {rank->integer(), Origin::File, from};
  adapters.modules = {modules_of(document.root.find("target_modules")), Origin::File, from};
  return adapters;
}

}  // namespace

Result<Adapters> parse_adapters(const Given& given) {
  const std::string& text = given.text;
  const bool is_number =
      !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  if (is_number) {
    Adapters adapters;
    if (Diagnostics faults = set_field(adapters, "count", text, given); !faults.empty())
      return failure(std::move(faults));
    return adapters;
  }
  std::error_code error;
  if (std::filesystem::exists(text, error)) return read_adapter(text, given);
  if (text.empty() || !text.contains('=')) {
    return failure(fmt::format("{}: '{}' is neither a number of adapters nor their settings nor a "
                               "file that is there",
                               given.flag, text),
                   "write 4, or count=4,rank=64,modules=all, or the path of an adapter");
  }
  return parse_pairs(given);
}

}  // namespace gpushape::cli
