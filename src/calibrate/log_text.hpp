// The text of a log, line by line, whatever it holds: colours are dropped, a line's length is
// bounded, and figures are found behind the words that engines print before them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gpushape::calibrate {

/// Of one line, what is looked at: engines print their whole configuration in one.
inline constexpr std::size_t kMostOfLine = 64U << 10U;

/// Takes the next line off `text`, without its end and without terminal colours; false at the end.
bool next_line(std::string_view& text, std::string& line);

/// What stands behind `words` in `line`; nothing where they do not occur.
std::optional<std::string_view> behind(std::string_view line, std::string_view words);

/// The number that `text` begins with, blanks and an opening bracket before it aside;
/// "1,277,184" counts as one number.
std::optional<double> leading_number(std::string_view text);
std::optional<std::int64_t> leading_count(std::string_view text);

/// "14.99 GiB", "21.21GiB", "14.99 GB" (old engines write GB and mean GiB) or "130 MiB", as GiB.
std::optional<double> leading_gib(std::string_view text);

/// The value of `key` in a list such as "model='a/b', dtype=torch.bfloat16, tp=2" or
/// "{'model': 'a/b', 'tp': 2}": text without quotes. Nothing where the key does not occur.
std::optional<std::string> value_of_key(std::string_view line, std::string_view key);

/// The process that wrote the line: "Worker_TP0 pid=444" of "(Worker_TP0 pid=444) INFO …" or
/// "[Worker_TP0 pid=444] …", the last where several stand in a row; empty where the line does not
/// say.
std::string_view process_of(std::string_view line);

}  // namespace gpushape::calibrate
