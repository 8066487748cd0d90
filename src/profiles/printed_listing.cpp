// The three listings of nvidia-smi that are text for people, read line by line.
//
//   |   0  MIG 1g.10gb+me    20     1/1        9.62       No     14     1     0   |
//   GPU  0 Profile ID 19 Placements: {0,1,2,3,4,5,6}:1
//   GPU 00000000:41:00.0
//       vGPU Type ID                          : 0x1d6
//           Name                              : NVIDIA A100X-40C
//
// NVIDIA MIG user guide, "List GPU instance profiles" and "List the possible placements"; NVIDIA
// Virtual GPU Software user guide, nvidia-smi vgpu.
#include <algorithm>
#include <charconv>
#include <cmath>

#include "profiles/printed.hpp"

namespace gpushape::profiles {
namespace {

// Ours: no host has more, and a hostile file stays small.
constexpr std::size_t kMostListedGpus = 64;
constexpr std::size_t kMostRows = 1024;  // of one GPU and form
constexpr std::int64_t kMostSlices = 64;
constexpr std::int64_t kMostCount = 1'000'000;
constexpr double kMostGib = 65'536;

constexpr std::string_view kBlanks = " \t\r";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t first = text.find_first_not_of(kBlanks);
    if (first == std::string_view::npos) return words;
    text.remove_prefix(first);
    const std::size_t end = std::min(text.find_first_of(kBlanks), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

std::optional<std::int64_t> whole(std::string_view text, std::int64_t most = kMostCount) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (value < 0 || value > most) return std::nullopt;
  return value;
}

class ListingReader {
 public:
  ListingReader(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  Result<std::vector<PrintedGpu>> run() {
    std::string_view rest = text_;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      line_ = rest.substr(0, end);
      ++number_;
      read_line();
      rest.remove_prefix(std::min(end + 1, rest.size()));
      if (!faults_.empty()) return failure(std::move(faults_));
    }
    if (gpus_.empty()) {
      return failure(
          {.message = file_ + " is nothing that nvidia-smi prints of profiles",
           .span = {.file = file_, .line = 0},
           .excerpt = {},
           .label = {},
           .help = "give the output of nvidia-smi -q -x, mig -lgip, mig -lgipp or vgpu -s -v"});
    }
    return std::move(gpus_);
  }

 private:
  void read_line() {
    const std::string_view line = trimmed(line_);
    if (line.starts_with('|')) {
      read_table_row(line);
    } else if (const auto words = words_of(line); words.size() > 4 && words[0] == "GPU" &&
                                                  whole(words[1]) && words[2] == "Profile" &&
                                                  words[3] == "ID") {
      read_places(line);
    } else if (words.size() == 2 && words[0] == "GPU") {
      type_ = nullptr;
      address_ = words[1];
    } else if (const std::size_t colon = line.find(" : "); colon != std::string_view::npos) {
      read_pair(trimmed(line.substr(0, colon)), trimmed(line.substr(colon + 3)));
    }
  }

  /// "|   0  MIG 1g.10gb       19     7/7        9.62       No     14     0     0   |"
  void read_table_row(std::string_view line) {
    while (line.starts_with('|')) line.remove_prefix(1);
    while (line.ends_with('|')) line.remove_suffix(1);
    const std::vector<std::string_view> words = words_of(line);
    if (words.size() >= 2 && std::ranges::find(words, "MiB") != words.end()) unit_ = 1024;
    if (words.size() < 8 || words[1] != "MIG") return;
    const auto index = whole(words[0], static_cast<std::int64_t>(kMostListedGpus) - 1);
    const auto id = whole(words[3]);
    const std::size_t slash = words[4].find('/');
    const auto most = slash == std::string_view::npos
                          ? std::nullopt
                          : whole(words[4].substr(slash + 1), kMostSlices);
    double memory = 0;
    const auto [end, error] =
        std::from_chars(words[5].data(), words[5].data() + words[5].size(), memory);
    const bool is_size = error == std::errc() && end == words[5].data() + words[5].size() &&
                         std::isfinite(memory) && memory > 0 && memory / unit_ <= kMostGib;
    const auto cores = whole(words[7]);
    if (!index || !id || !most || !is_size || !cores || words[2].size() > 64) {
      complain("this row of MIG profiles cannot be read",
               "expected GPU, name, id, free/total, memory, P2P, SM");
      return;
    }
    PrintedGpu* gpu = gpu_of(static_cast<int>(*index), {});
    if (gpu == nullptr || is_full(gpu->instances.size())) return;
    gpu->instances.push_back({.name = std::string(words[2]),
                              .id = *id,
                              .most = *most,
                              .gib = memory / unit_,
                              .multiprocessors = *cores,
                              .span = span()});
  }

  /// "GPU  0 Profile ID  5 Placement : {0}:4"
  void read_places(std::string_view line) {
    const std::size_t open = line.find('{');
    const std::size_t close = line.find('}');
    const std::vector<std::string_view> words = words_of(line);
    const auto index = whole(words[1], static_cast<std::int64_t>(kMostListedGpus) - 1);
    const auto id = whole(words[4]);
    PrintedPlaces places;
    places.span = span();
    bool is_good = index && id && open != std::string_view::npos &&
                   close != std::string_view::npos && open < close &&
                   line.substr(close).starts_with("}:");
    if (is_good) {
      std::string_view list = line.substr(open + 1, close - open - 1);
      while (is_good && !list.empty()) {
        const std::size_t comma = std::min(list.find(','), list.size());
        const auto start = whole(trimmed(list.substr(0, comma)), kMostSlices);
        is_good = start.has_value() && places.starts.size() < kMostRows;
        if (is_good) places.starts.push_back(*start);
        list.remove_prefix(std::min(comma + 1, list.size()));
      }
      // Some who keep such lists write the profile's name behind the size.
      const std::vector<std::string_view> behind = words_of(line.substr(close + 2));
      const auto size = behind.empty() ? std::nullopt : whole(behind.front(), kMostSlices);
      is_good = is_good && size && *size > 0 && !places.starts.empty();
      places.size = size.value_or(0);
    }
    if (!is_good) {
      complain("these placements cannot be read",
               "expected GPU 0 Profile ID 9 Placements: {0,4}:4");
      return;
    }
    places.id = *id;
    PrintedGpu* gpu = gpu_of(static_cast<int>(*index), {});
    if (gpu == nullptr || is_full(gpu->places.size())) return;
    std::ranges::sort(places.starts);
    gpu->places.push_back(std::move(places));
  }

  void read_pair(std::string_view name, std::string_view value) {
    if (name == "vGPU Type ID") {
      PrintedGpu* gpu = gpu_of(-1, address_);
      if (gpu == nullptr || is_full(gpu->types.size())) return;
      type_ = &gpu->types.emplace_back();
      type_->span = span();
      return;
    }
    if (type_ == nullptr) return;
    if (name == "Name") {
      type_->span = span();
      for (const std::string_view brand : {"NVIDIA", "GRID"}) {
        if (!value.starts_with(std::string(brand) + " ")) continue;
        type_->brand = brand;
        value = trimmed(value.substr(brand.size()));
      }
      if (value.empty() || value.size() > 128) {
        complain("a vGPU type without a name", "");
        return;
      }
      type_->type = value;
    } else if (name == "Class") {
      type_->is_compute = value == "Compute";
    } else if (name == "FB Memory" && value.ends_with(" MiB")) {
      type_->frame_buffer_mib = whole(value.substr(0, value.size() - 4), 65'536LL * 1024);
    } else if (name == "Max Instances") {
      type_->most = whole(value, 1024);
    } else if (name == "Max Instances Per GI") {
      type_->per_instance = whole(value, 1024);
    } else if (name == "GPU Instance Profile ID") {
      type_->instance_id = whole(value);
    }
  }

  PrintedGpu* gpu_of(int index, std::string_view address) {
    const auto known = std::ranges::find_if(
        gpus_, [&](const PrintedGpu& gpu) { return gpu.index == index && gpu.address == address; });
    if (known != gpus_.end()) return &*known;
    if (gpus_.size() == kMostListedGpus) {
      complain("more than 64 GPUs of one host are not believed", "");
      return nullptr;
    }
    gpus_.reserve(kMostListedGpus);  // `type_` points into it
    PrintedGpu& gpu = gpus_.emplace_back();
    gpu.file = file_;
    gpu.index = index;
    gpu.address = address;
    gpu.span = span();
    return &gpu;
  }

  bool is_full(std::size_t rows) {
    if (rows < kMostRows) return false;
    complain("more than 1024 rows of one GPU are not believed", "");
    return true;
  }

  [[nodiscard]] SourceSpan span() const {
    const std::size_t first = std::min(line_.find_first_not_of(kBlanks), line_.size());
    return {.file = file_,
            .line = number_,
            .column = static_cast<int>(first) + 1,
            .length = static_cast<int>(std::min<std::size_t>(trimmed(line_).size(), 4096))};
  }

  void complain(std::string message, std::string help) {
    faults_.push_back({.message = std::move(message),
                       .span = span(),
                       .excerpt = std::string(line_.substr(0, 200)),
                       .label = {},
                       .help = std::move(help)});
  }

  std::string_view text_;
  const std::string& file_;
  std::string_view line_;
  int number_ = 0;
  double unit_ = 1;  ///< of the memory column, per GiB
  std::string_view address_;
  PrintedType* type_ = nullptr;
  std::vector<PrintedGpu> gpus_;
  Diagnostics faults_;
};

}  // namespace

Result<std::vector<PrintedGpu>> read_printed_listing(std::string_view text,
                                                     const std::string& file) {
  return ListingReader(text, file).run();
}

}  // namespace gpushape::profiles
