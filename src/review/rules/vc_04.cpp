// VC-04: the two MMIO keys are spelled right and set together. Broadcom KB 323402; a published
// table prints pciPassthru.set.usebitMMIO, which no release knows.
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/edit_distance.hpp"
#include "review/rules/functions.hpp"

namespace gpushape::review::rules_of {

namespace {

constexpr std::string_view kFlag = "pciPassthru.use64bitMMIO";
constexpr std::string_view kSize = "pciPassthru.64bitMMIOSizeGB";

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

/// Meant as one of the two, and neither. Other keys of the stem (pciPassthru0.msiEnabled,
/// pciPassthru.allowP2P …) are real.
bool is_misspelled(const ExtraOption& option) {
  const std::string key = lower(option.key);
  if (key == lower(kFlag) || key == lower(kSize)) return false;
  return key.find("passthru") != std::string::npos && key.find("mmio") != std::string::npos;
}

bool is_size(std::string_view value) {
  return !value.empty() && value.find_first_not_of("0123456789") == std::string_view::npos &&
         value.find_first_not_of('0') != std::string_view::npos;
}

void check_spelling(const VmClass& vm, Report& report) {
  const std::vector<std::string> known = {std::string(kFlag), std::string(kSize)};
  for (const ExtraOption& option : vm.options) {
    if (!is_misspelled(option)) continue;
    report.add(
        *vm.document, *option.node,
        {.message = fmt::format("{} sets '{}', which no release knows", title_of(vm), option.key),
         .fix = suggestion(option.key, known,
                           "the keys are pciPassthru.use64bitMMIO and "
                           "pciPassthru.64bitMMIOSizeGB")});
  }
}

void check_pair(const VmClass& vm, Report& report) {
  const ExtraOption* flag = vm.option(kFlag);
  const ExtraOption* size = vm.option(kSize);
  const auto complain_of_half = [&](const ExtraOption& half, std::string_view other) {
    report.add(*vm.document, *half.node,
               {.message = fmt::format("{} sets {} without {}", title_of(vm), half.key, other)});
  };
  if (flag != nullptr && size == nullptr && lower(flag->value) == "true") {
    complain_of_half(*flag, kSize);
  }
  if (size != nullptr && flag == nullptr) complain_of_half(*size, kFlag);
  if (size != nullptr && !is_size(size->value)) {
    report.add(*vm.document, *size->node,
               {.message = fmt::format("{} sets {} to '{}', which is no number of GB", title_of(vm),
                                       kSize, size->value)});
  }
}

}  // namespace

void vc_04(const Deployment& deployment, Report& report) {
  for (const VmClass& vm : deployment.vm_classes) {
    check_spelling(vm, report);
    check_pair(vm, report);
  }
}

}  // namespace gpushape::review::rules_of
