// Exports that something has damaged: lines lost or doubled, figures and words changed. Each is
// refused with complaints, or what is imported reads back as the same Cluster.
#include <doctest/doctest.h>

#include <array>
#include <cctype>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "document/text_format.hpp"
#include "inventory/cluster_file.hpp"
#include "inventory/export_devices.hpp"
#include "inventory/import.hpp"
#include "profiles/profiles.hpp"

using namespace gpushape;

namespace {

constexpr int kRounds = 80;

std::string text_of(const std::string& name) {
  std::ifstream stream(std::string(GPUSHAPE_SOURCE_DIR) + "/examples/exports/" + name);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

class Damage {
 public:
  explicit Damage(unsigned seed) : random_(seed) {}

  std::string once(std::string text) {
    switch (below(6)) {
      case 0:  // a line is lost
        return text.erase(line_at(text).first, line_at(text).second);
      case 1: {  // a line comes twice
        const auto [from, size] = line_at(text);
        return text.insert(from, text.substr(from, size));
      }
      case 2:  // a figure is another one
        return with_number(std::move(text));
      case 3: {  // a word of one place stands at another
        const auto [from, size] = word_at(text);
        const auto [other, other_size] = word_at(text);
        const std::string word = text.substr(other, other_size);
        return text.replace(from, size, word);
      }
      case 4: {  // two letters change places
        const std::size_t at = below(text.size() - 1);
        std::swap(text[at], text[at + 1]);
        return text;
      }
      default: {  // lines between two places are lost
        const auto [from, size] = line_at(text);
        return text.erase(from, size * (1 + below(20)));
      }
    }
  }

 private:
  std::size_t below(std::size_t count) { return count == 0 ? 0 : random_() % count; }

  std::pair<std::size_t, std::size_t> line_at(const std::string& text) {
    const std::size_t at = below(text.size());
    const std::size_t before = text.rfind('\n', at == 0 ? 0 : at - 1);
    const std::size_t from = before == std::string::npos ? 0 : before + 1;
    const std::size_t end = text.find('\n', from);
    return {from, (end == std::string::npos ? text.size() : end + 1) - from};
  }

  std::pair<std::size_t, std::size_t> word_at(const std::string& text) {
    std::size_t from = below(text.size());
    const auto is_letter = [&](std::size_t at) {
      return at < text.size() && std::isalnum(static_cast<unsigned char>(text[at])) != 0;
    };
    while (from < text.size() && !is_letter(from)) ++from;
    std::size_t size = 0;
    while (is_letter(from + size)) ++size;
    return {std::min(from, text.size()), size};
  }

  std::string with_number(std::string text) {
    constexpr auto kNumbers = std::to_array<std::string_view>(
        {"0", "1", "-1", "7", "64", "1000000", "9223372036854775807", "1e30", "0.5", ""});
    std::size_t from = text.find_first_of("0123456789", below(text.size()));
    if (from == std::string::npos) return text;
    std::size_t size = 0;
    while (from + size < text.size() &&
           std::isdigit(static_cast<unsigned char>(text[from + size])) != 0) {
      ++size;
    }
    return text.replace(from, size, kNumbers[below(kNumbers.size())]);
  }

  std::mt19937 random_;
};

/// Empty where the cluster reads back as it was; otherwise what came in between.
std::string lost_on_the_way(const domain::Cluster& cluster) {
  const std::string text = document::write_yaml(inventory::to_node(cluster));
  const auto document = document::read_yaml(text, "cluster.yaml");
  if (!document) return to_text(document.error()) + text;
  auto read = inventory::read_cluster(document->front());
  if (!read) return to_text(read.error()) + text;
  read->source = cluster.source;
  return *read == cluster ? std::string() : "another cluster:\n" + text;
}

}  // namespace

TEST_SUITE("inventory") {
  TEST_CASE("what is imported from a damaged export reads back as it is") {
    int imported = 0;
    int refused = 0;
    const std::vector<std::vector<std::string>> exports = {
        {"kubectl.json"},
        {"vsphere.json"},
        {"gpu-node-7.smi.xml", "gpu-node-7.topo.txt", "gpu-node-7.lstopo.xml"}};
    for (const std::vector<std::string>& names : exports) {
      for (unsigned round = 0; round < kRounds; ++round) {
        Damage damage(round);
        std::vector<inventory::ImportFile> files;
        for (const std::string& name : names) {
          files.push_back({.name = name, .text = text_of(name), .host = {}});
        }
        std::string& hit = files[round % files.size()].text;
        for (unsigned times = 0; times <= round % 3; ++times) hit = damage.once(std::move(hit));
        const auto result = inventory::import_files(std::move(files), {}, example::export_device);
        if (!result) {
          ++refused;
          continue;
        }
        ++imported;
        const std::string lost = lost_on_the_way(result->cluster);
        if (lost.empty()) continue;
        CAPTURE(names.front());
        CAPTURE(round);
        CHECK(lost == "");
      }
    }
    CHECK(imported > kRounds / 2);
    CHECK(refused > kRounds / 4);
  }
}
