#include "review/cel/selector.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "review/cel/evaluate.hpp"

namespace gpushape::review::cel {

namespace {

/// Of `device.attributes['domain']` or `device.capacity['domain']`.
struct Domain {
  std::string name;
  bool is_capacity = false;
};

const std::string* literal_text(const Expression& e) {
  return e.op == Op::Literal && e.literal.kind == Kind::String ? &e.literal.text : nullptr;
}

class Reader {
 public:
  explicit Reader(std::vector<Read>& reads) : reads_(reads) {}

  void walk(const Expression& e, bool is_guarded = false) {
    const bool is_optional = e.op == Op::OptionalSelect || e.op == Op::OptionalIndex;
    const bool is_index = e.op == Op::Index || e.op == Op::OptionalIndex;
    if (e.op == Op::Select || e.op == Op::OptionalSelect) {
      note(e.children[0], &e.name, is_guarded || is_optional, e.offset);
    }
    if (is_index) {
      note(e.children[0], literal_text(e.children[1]), is_guarded || is_optional, e.offset);
    }
    if (e.op == Op::Compare && e.name == "in") {
      note(e.children[1], literal_text(e.children[0]), true, e.offset);
    }
    if (e.op == Op::Bind) {
      if (auto domain = domain_of(e.children[0])) bound_.emplace_back(e.variable, *domain);
    }
    for (const Expression& child : e.children) walk(child, is_guarded || e.op == Op::Has);
  }

 private:
  [[nodiscard]] std::optional<Domain> domain_of(const Expression& e) const {
    if (e.op == Op::Name) {
      const auto found = std::ranges::find(bound_, e.name, &std::pair<std::string, Domain>::first);
      if (found != bound_.end()) return found->second;
    }
    if (e.op != Op::Index && e.op != Op::OptionalIndex) return std::nullopt;
    const Expression& map = e.children[0];
    const std::string* name = literal_text(e.children[1]);
    if (name == nullptr || map.op != Op::Select || map.children[0].op != Op::Name ||
        map.children[0].name != "device" || (map.name != "attributes" && map.name != "capacity")) {
      return std::nullopt;
    }
    return Domain{*name, map.name == "capacity"};
  }

  void note(const Expression& of, const std::string* name, bool is_guarded, std::size_t offset) {
    if (name == nullptr) return;
    const auto domain = domain_of(of);
    if (!domain) return;
    for (Read& read : reads_) {
      if (read.domain != domain->name || read.name != *name ||
          read.is_capacity != domain->is_capacity) {
        continue;
      }
      read.is_guarded = read.is_guarded || is_guarded;
      return;
    }
    reads_.push_back({domain->name, *name, domain->is_capacity, is_guarded, offset});
  }

  std::vector<Read>& reads_;
  std::vector<std::pair<std::string, Domain>> bound_;
};

}  // namespace

PublishedDevice::PublishedDevice(std::string name, std::string_view driver)
    : name_(std::move(name)), driver_(driver) {}

Fields& PublishedDevice::domain_of(Domains& domains, std::string_view& name) const {
  const std::size_t slash = name.find('/');
  std::string domain = driver_;
  if (slash != std::string_view::npos) {
    domain = std::string(name.substr(0, slash));
    name.remove_prefix(slash + 1);
  }
  return domains[std::move(domain)];
}

void PublishedDevice::attribute(std::string_view name, Value value) {
  Fields& fields = domain_of(attributes_, name);
  fields.insert_or_assign(std::string(name), std::move(value));
}

void PublishedDevice::capacity(std::string_view name, Value quantity) {
  Fields& fields = domain_of(capacity_, name);
  fields.insert_or_assign(std::string(name), std::move(quantity));
}

const Fields* PublishedDevice::attributes_of(std::string_view domain) const {
  const auto found = attributes_.find(domain);
  return found == attributes_.end() ? nullptr : &found->second;
}

const Fields* PublishedDevice::capacity_of(std::string_view domain) const {
  const auto found = capacity_.find(domain);
  return found == capacity_.end() ? nullptr : &found->second;
}

Value PublishedDevice::value() const {
  const auto whole = [](const Domains& domains) {
    Fields fields;
    for (const auto& [domain, inner] : domains) fields.emplace(domain, map(inner));
    return map(std::move(fields), true);
  };
  Value device = map({{"driver", string(driver_)},
                      {"allowMultipleAllocations", boolean(multiple_)},
                      {"attributes", whole(attributes_)},
                      {"capacity", whole(capacity_)}});
  device.kind = Kind::Device;
  return device;
}

Selector::Selector(Expression root) : root_(std::move(root)) { Reader(reads_).walk(root_); }

std::expected<Selector, Fault> Selector::compile(std::string_view text) {
  auto root = parse(text);
  if (!root) return std::unexpected(root.error());
  const auto type = check(*root);
  if (!type) return std::unexpected(type.error());
  if (type->kind != Kind::Bool && type->kind != Kind::Dyn) {
    return std::unexpected(Fault{
        fmt::format("must evaluate to bool or the unknown type, not {}", name_of(type->kind)), 0});
  }
  return Selector(std::move(*root));
}

Answer Selector::run(const Value& device) const {
  const Value value = evaluate(root_, device);
  switch (value.kind) {
    case Kind::Bool:
      return {value.truth ? Verdict::Yes : Verdict::No, {}};
    case Kind::Unknown:
      return {Verdict::Unknown, {}};
    case Kind::Error:
      return {Verdict::Error, value.text};
    default:
      return {Verdict::Error, fmt::format("CEL result of type {} could not be converted to bool",
                                          name_of(value.kind))};
  }
}

}  // namespace gpushape::review::cel
