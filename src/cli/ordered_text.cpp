#include "cli/ordered_text.hpp"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace gpushape::cli {
namespace {

/// Pieces that a thread may be ahead of the one that is waited for.
constexpr std::size_t kAhead = 2;

/// A ring of pieces under way.
class Ring {
 public:
  Ring(std::int64_t pieces, std::size_t size) : pieces_(pieces), slots_(size) {}

  /// The next piece to make, once there is room for it; none when all are dealt out or it is over.
  bool next(std::int64_t& piece) {
    std::unique_lock lock(mutex_);
    if (dealt_ >= pieces_) return false;
    piece = dealt_++;
    room_.wait(lock, [&] {
      return is_over_ || piece < taken_ + static_cast<std::int64_t>(slots_.size());
    });
    return !is_over_;
  }

  void put(std::int64_t piece, std::string& text) {
    const std::scoped_lock lock(mutex_);
    Slot& slot = slot_of(piece);
    std::swap(slot.text, text);
    slot.is_ready = true;
    if (piece == taken_) ready_.notify_one();
  }

  void fail(std::exception_ptr fault) {
    const std::scoped_lock lock(mutex_);
    if (!fault_) fault_ = std::move(fault);
    is_over_ = true;
    ready_.notify_one();
    room_.notify_all();
  }

  /// The text of the next piece in order; nullptr after a fault.
  const std::string* wait() {
    std::unique_lock lock(mutex_);
    Slot& slot = slot_of(taken_);
    ready_.wait(lock, [&] { return slot.is_ready || is_over_; });
    return is_over_ ? nullptr : &slot.text;
  }

  void release() {
    const std::scoped_lock lock(mutex_);
    Slot& slot = slot_of(taken_);
    slot.is_ready = false;
    slot.text.clear();
    ++taken_;
    room_.notify_all();
  }

  void stop() {
    const std::scoped_lock lock(mutex_);
    is_over_ = true;
    room_.notify_all();
  }

  void rethrow() const {
    if (fault_) std::rethrow_exception(fault_);
  }

 private:
  struct Slot {
    std::string text;
    bool is_ready = false;
  };
  Slot& slot_of(std::int64_t piece) {
    return slots_[static_cast<std::size_t>(piece) % slots_.size()];
  }

  std::mutex mutex_;
  std::condition_variable ready_;
  std::condition_variable room_;
  std::int64_t pieces_;
  std::vector<Slot> slots_;
  std::int64_t dealt_ = 0;
  std::int64_t taken_ = 0;
  bool is_over_ = false;
  std::exception_ptr fault_;
};

void work(Ring& ring, const Maker& make) {
  std::string text;
  std::int64_t piece = 0;
  while (ring.next(piece)) {
    text.clear();
    make(piece, text);
    ring.put(piece, text);
  }
}

}  // namespace

void make_in_order(std::int64_t pieces, std::size_t threads, const std::function<Maker()>& worker,
                   const std::function<bool(std::int64_t piece, const std::string& text)>& take) {
  if (threads <= 1) {
    const Maker make = worker();
    std::string text;
    for (std::int64_t piece = 0; piece < pieces; ++piece) {
      text.clear();
      make(piece, text);
      if (!take(piece, text)) return;
    }
    return;
  }
  Ring ring(pieces, threads * kAhead);
  std::vector<std::jthread> workers;
  workers.reserve(threads);
  for (std::size_t i = 0; i < threads; ++i) {
    workers.emplace_back([&ring, &worker] {
      try {
        work(ring, worker());
      } catch (...) {
        ring.fail(std::current_exception());
      }
    });
  }
  for (std::int64_t piece = 0; piece < pieces; ++piece) {
    const std::string* text = ring.wait();
    if (text == nullptr || !take(piece, *text)) break;
    ring.release();
  }
  ring.stop();
  workers.clear();
  ring.rethrow();
}

}  // namespace gpushape::cli
