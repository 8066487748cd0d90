// gpushape sweep: the same estimate over a whole grid, on all cores, one row a combination. Rows
// are written as they come, in one order whatever the number of threads, so that memory does not
// grow with their number.
#include "estimate/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>

#include "base/edit_distance.hpp"
#include "cli/commands.hpp"
#include "cli/ordered_text.hpp"
#include "cli/sweep_grid.hpp"
#include "render/sweep_rows.hpp"

namespace gpushape::cli {
namespace {

namespace fs = std::filesystem;
using estimate::RowRange;
using estimate::SweepGrid;

/// Rows that one thread makes at a time: enough that what their setting costs is shared.
constexpr std::int64_t kPieceRows = 4096;

Result<render::SweepFormat> format_of(const Invocation& invocation) {
  const std::vector<std::string> known = {"csv", "jsonl"};
  if (invocation.outputs.size() > 1)
    return failure("--output: rows have one format", "give csv or jsonl");
  const std::string word = invocation.outputs.empty() ? known.front() : invocation.outputs.front();
  if (word == known[0]) return render::SweepFormat::Csv;
  if (word == known[1]) return render::SweepFormat::JsonLines;
  return failure(fmt::format("--output: '{}' is no format of a sweep", word),
                 suggestion(word, known, "expected csv or jsonl"));
}

std::size_t thread_count(const Invocation& invocation) {
  if (invocation.threads) return static_cast<std::size_t>(*invocation.threads);
  return std::max(1U, std::thread::hardware_concurrency());
}

/// Where rows go: a stream, or a file that takes its name when it is whole.
class RowSink {
 public:
  static Result<RowSink> open(const std::string& path, std::ostream& stream) {
    RowSink sink;
    sink.stream_ = &stream;
    std::error_code ignored;
    if (path.empty()) return sink;
    sink.path_ = path;
    // Devices and pipes are no files to replace. A run that was killed leaves its part behind, for
    // the next one to write over.
    const bool is_replaced = !fs::exists(path, ignored) || fs::is_regular_file(path, ignored);
    sink.staging_ = is_replaced ? path + ".partial" : path;
    sink.file_ = std::make_unique<std::ofstream>(sink.staging_, std::ios::binary);
    sink.stream_ = sink.file_.get();
    if (!*sink.file_)
      return failure(fmt::format("{}: cannot be written: {}", path, std::strerror(errno)));
    return sink;
  }

  bool write(const std::string& text) {
    stream_->write(text.data(), static_cast<std::streamsize>(text.size()));
    return stream_->good();
  }

  Diagnostics close(bool is_whole) {
    if (file_ == nullptr) return {};
    file_->close();
    std::error_code error;
    is_whole = is_whole && file_->good();
    if (staging_ != path_ && is_whole) fs::rename(staging_, path_, error);
    if (is_whole && !error) return {};
    std::error_code ignored;
    if (staging_ != path_) fs::remove(staging_, ignored);
    return {complaint(fmt::format("{}: cannot be written whole", path_))};
  }

 private:
  std::ostream* stream_ = nullptr;
  std::unique_ptr<std::ofstream> file_;
  std::string path_;
  std::string staging_;
};

/// One line that stands on a terminal while rows are made.
class Progress {
 public:
  Progress(std::int64_t rows, bool is_shown, std::ostream& err)
      : rows_(rows), is_shown_(is_shown), err_(err), start_(Clock::now()), last_(start_) {}

  void at(std::int64_t done) {
    constexpr auto kPause = std::chrono::milliseconds(100);
    const auto now = Clock::now();
    if (!is_shown_ || now - last_ < kPause) return;
    last_ = now;
    constexpr int kWidth = 30;
    const double share = static_cast<double>(done) / static_cast<double>(rows_);
    const double seconds = std::chrono::duration<double>(now - start_).count();
    const int full = static_cast<int>(share * kWidth);
    const std::string bar = std::string(static_cast<std::size_t>(full), '#') +
                            std::string(static_cast<std::size_t>(kWidth - full), '.');
    err_ << fmt::format("\r[{}] {:3.0f} %  {} of {} rows  {:.0f} s left ", bar, 100 * share, done,
                        rows_, seconds / share - seconds)
         << std::flush;
    is_there_ = true;
  }

  void clear() {
    constexpr int kLine = 79;
    if (is_there_) err_ << fmt::format("\r{:<{}}\r", "", kLine) << std::flush;
  }

 private:
  using Clock = std::chrono::steady_clock;
  std::int64_t rows_;
  bool is_shown_;
  bool is_there_ = false;
  std::ostream& err_;
  Clock::time_point start_;
  Clock::time_point last_;
};

/// The walk and the text of one thread.
Maker row_maker(const SweepGrid& grid, render::SweepFormat format, RowRange range) {
  auto walk = std::make_shared<estimate::SweepWalk>(grid);
  auto rows = std::make_shared<render::SweepText>(grid, format);
  return [walk, rows, range](std::int64_t piece, std::string& text) {
    const std::int64_t first = range.first + piece * kPieceRows;
    const std::int64_t last = std::min(range.last, first + kPieceRows);
    for (std::int64_t number = first; number < last; ++number) rows->append(walk->at(number), text);
  };
}

Diagnostics write_rows(const SweepGrid& grid, RowRange range, render::SweepFormat format,
                       const Invocation& invocation, const Terminal& terminal) {
  Result<RowSink> sink = RowSink::open(invocation.output_file, terminal.out);
  if (!sink) return sink.error();
  const std::int64_t rows = range.last - range.first;
  const std::int64_t pieces = (rows + kPieceRows - 1) / kPieceRows;
  Progress progress(rows, terminal.is_err_terminal && invocation.verbosity >= 0, terminal.err);
  bool is_whole = sink->write(render::SweepText(grid, format).head());
  const auto threads = std::min(thread_count(invocation), static_cast<std::size_t>(pieces) + 1);
  if (is_whole) {
    make_in_order(
        pieces, threads, [&] { return row_maker(grid, format, range); },
        [&](std::int64_t piece, const std::string& text) {
          is_whole = sink->write(text);
          progress.at(std::min(rows, (piece + 1) * kPieceRows));
          return is_whole;
        });
  }
  progress.clear();
  return sink->close(is_whole);
}

}  // namespace

int run_sweep(const ParsedFlags& parsed, Invocation& invocation, const Terminal& terminal) {
  const Result<SweepGrid> grid = gather_grid(parsed, invocation);
  if (!grid) return refuse(grid.error(), terminal);
  const Result<render::SweepFormat> format = format_of(invocation);
  if (!format) return refuse(format.error(), terminal);
  const std::optional<std::int64_t> rows = estimate::row_count(*grid);
  if (!rows) {
    return refuse({complaint("the grid has more rows than can be counted", "shorten its lists")},
                  terminal);
  }
  const Shard shard = invocation.shard.value_or(Shard{});
  const RowRange range = estimate::shard_rows(*rows, shard.number, shard.count);
  if (invocation.wants_count) {
    terminal.out << range.last - range.first << "\n";
    return kDone;
  }
  const Diagnostics faults = write_rows(*grid, range, *format, invocation, terminal);
  return faults.empty() ? kDone : refuse(faults, terminal);
}

}  // namespace gpushape::cli
