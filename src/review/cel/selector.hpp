// A CEL selector of a ResourceClaim or DeviceClass, compiled and held against devices as a
// ResourceSlice publishes them.
//
// Compiling finds what the API server refuses; running finds what fails on a node. Work is bounded
// by the API server's own limits. Sources: k8s.io/dynamic-resource-allocation/cel (compile.go),
// resource.k8s.io/v1 types.go.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "review/cel/expression.hpp"
#include "review/cel/value.hpp"

namespace gpushape::review::cel {

/// A device as its driver publishes it. Names without a domain belong to the driver's.
class PublishedDevice {
 public:
  PublishedDevice(std::string name, std::string_view driver);

  /// "productName", "resource.kubernetes.io/pcieRoot".
  void attribute(std::string_view name, Value value);
  void capacity(std::string_view name, Value quantity);
  void allow_multiple_allocations() { multiple_ = true; }

  /// For people: "h100-sxm-80", "h100-sxm-80 3g.40gb".
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const Fields* attributes_of(std::string_view domain) const;
  [[nodiscard]] const Fields* capacity_of(std::string_view domain) const;
  /// The variable `device`.
  [[nodiscard]] Value value() const;

 private:
  using Domains = std::map<std::string, Fields, std::less<>>;
  Fields& domain_of(Domains& domains, std::string_view& name) const;

  std::string name_;
  std::string driver_;
  Domains attributes_;
  Domains capacity_;
  bool multiple_ = false;
};

enum class Verdict { No, Yes, Unknown, Error };

struct Answer {
  Verdict verdict = Verdict::No;
  std::string error;  ///< what the allocator would log
};

/// An attribute or capacity that the expression reads by a literal name.
struct Read {
  std::string domain;
  std::string name;
  bool is_capacity = false;
  bool is_guarded = false;  ///< tested by `in`, has() or .? somewhere in the expression
  std::size_t offset = 0;
};

class Selector {
 public:
  static std::expected<Selector, Fault> compile(std::string_view text);

  [[nodiscard]] Answer matches(const PublishedDevice& device) const { return run(device.value()); }
  [[nodiscard]] Answer run(const Value& device) const;
  [[nodiscard]] const std::vector<Read>& reads() const { return reads_; }

 private:
  explicit Selector(Expression root);

  Expression root_;
  std::vector<Read> reads_;
};

/// What the expression gives; nothing but `device` is declared.
std::expected<Type, Fault> check(const Expression& expression);

}  // namespace gpushape::review::cel
