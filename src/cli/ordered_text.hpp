// Pieces of text that threads make in any order and that come out in the right one, with so few
// waiting that memory does not grow with their number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace gpushape::cli {

/// Makes the text of piece 0 … `pieces` - 1 on so many threads, and hands each to `take` in order,
/// on the caller's thread. `worker` makes one maker a thread; a maker appends the piece's text.
/// Ends early when `take` returns false. A maker's exception comes out here. With one thread,
/// everything runs on the caller's.
using Maker = std::function<void(std::int64_t piece, std::string& text)>;
void make_in_order(std::int64_t pieces, std::size_t threads, const std::function<Maker()>& worker,
                   const std::function<bool(std::int64_t piece, const std::string& text)>& take);

}  // namespace gpushape::cli
