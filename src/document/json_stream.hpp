// JSON a piece at a time, without a tree: for headers of many thousand entries that their reader
// takes apart at once.
//
// The stream checks the grammar and the depth and stops at the first fault. Names and strings are
// views into the text, or into the stream where they hold escapes (until the next call).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpushape::document {

class JsonStream {
 public:
  enum class Event {
    BeginMapping,
    EndMapping,
    BeginSequence,
    EndSequence,
    Name,  ///< of the entry that follows
    String,
    Integer,
    Number,  ///< with a fraction, an exponent, or beyond 64 bits
    Boolean,
    Null,
    End,  ///< nothing follows
    Fault
  };

  explicit JsonStream(std::string_view text, int depth = 20) : text_(text), most_depth_(depth) {}

  Event next();
  /// Passes over the value that comes next, whatever it is; false at a fault.
  bool skip_value();

  [[nodiscard]] std::string_view text() const { return string_; }  ///< Name, String
  [[nodiscard]] std::int64_t integer() const { return integer_; }
  [[nodiscard]] double number() const { return number_; }  ///< Integer, Number
  [[nodiscard]] bool boolean() const { return integer_ != 0; }
  /// Of the last event, or of the fault, in bytes from the beginning.
  [[nodiscard]] std::size_t offset() const { return start_; }
  /// "expected ':' after a name"; empty where there is no fault.
  [[nodiscard]] const std::string& fault() const { return fault_; }

 private:
  Event fail(std::size_t at, std::string_view message);
  Event read_name();
  Event read_value();
  Event read_number();
  Event read_word();
  bool read_string();
  bool read_escape();
  Event open(bool is_mapping);
  Event close();
  void skip_space();
  [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  enum class Wanted { Value, FirstInMapping, FirstInSequence, AfterValue, NameAfterComma };

  std::string_view text_;
  int most_depth_;
  std::size_t at_ = 0;
  std::size_t start_ = 0;
  Wanted wanted_ = Wanted::Value;
  std::vector<bool> open_;  // true for a mapping
  std::string_view string_;
  std::string unescaped_;
  std::int64_t integer_ = 0;
  double number_ = 0;
  std::string fault_;
};

}  // namespace gpushape::document
