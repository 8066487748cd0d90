// The target `terraform-vsphere`: a VM class through the vSphere provider of Terraform
// (vsphere_virtual_machine_class, provider 2.8 and later). The resource knows processors, memory
// and vGPUs, no configSpec: what needs one is refused.

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "emit/vm_contract.hpp"

namespace gpushape::emit {

using domain::ResourceContract;
using domain::Technology;

namespace {

Diagnostics refusal(const ResourceContract& contract) {
  const auto refuse = [](std::string what) {
    return Diagnostics{
        complaint(fmt::format("terraform-vsphere cannot express {}: the provider's class knows "
                              "processors, memory and different vGPUs",
                              what),
                  "vm-class and config-spec can")};
  };
  if (contract.shape.technology == Technology::Passthrough) return refuse("dynamic passthrough");
  if (!contract.shape.device_group.empty())
    return refuse("the device group " + contract.shape.device_group);
  if (contract.shape.count > 1) return refuse("several vGPUs of one profile");
  if (contract.numa) return refuse(fmt::format("{} virtual NUMA nodes", contract.numa->nodes));
  if (contract.mmio_gib > kDefaultMmioGib)
    return refuse(fmt::format("{} GB of MMIO", contract.mmio_gib));
  if (contract.latency_sensitive) return refuse("latency sensitivity high");
  return {};
}

std::string identifier(std::string name) {
  std::ranges::replace(name, '-', '_');
  const bool is_digit = name.front() >= '0' && name.front() <= '9';
  return is_digit ? "class_" + name : name;
}

/// The headline as comments, a line each.
std::string comments(const std::string& text) {
  std::istringstream lines(text);
  std::string out;
  for (std::string line; std::getline(lines, line);) out += "# " + line + "\n";
  return out;
}

std::string block(const domain::RankedShape& picked, const std::string& name, bool has_comments) {
  const ResourceContract& contract = picked.contract;
  constexpr std::int64_t kPercent = 100;
  const auto behind = [has_comments](std::string_view text) {
    return has_comments ? fmt::format(" # {}", text) : std::string();
  };
  std::string text = has_comments ? comments(headline(picked)) : std::string();
  if (has_comments)
    text += "# VC-02: the image boots by EFI: a class of the provider cannot say so\n";
  text += fmt::format("resource \"vsphere_virtual_machine_class\" \"{}\" {{\n", identifier(name));
  text += fmt::format("  name               = \"{}\"\n", name);
  text += fmt::format("  cpus               = {}\n", contract.vcpus);
  text += fmt::format("  memory             = {}{}\n",
                      round_up(contract.memory_bytes, mib(1)) / mib(1), behind("MB"));
  if (contract.reserved_cores > 0) {
    const std::int64_t percent =
        (contract.reserved_cores * kPercent + contract.vcpus - 1) / contract.vcpus;
    text += fmt::format(
        "  cpu_reservation    = {}{}\n", std::min(percent, kPercent),
        behind(fmt::format("percent; {} of {} vCPU", contract.reserved_cores, contract.vcpus)));
  }
  text +=
      fmt::format("  memory_reservation = {}{}\n", kPercent, behind("VC-01: percent, all of it"));
  text += fmt::format("  vgpu_devices       = [\"{}\"]\n", contract.shape.profile);
  if (has_comments) {
    const Label note = contract_note(contract);
    text += fmt::format("  # {}: {}", note.key, note.value);  // ends with a line break
  }
  return text + "}\n";
}

}  // namespace

Result<Emitted> emit_terraform(const EmitRequest& request) {
  Diagnostics faults = check_vm_request(request, "terraform-vsphere");
  for (const domain::RankedShape* picked : request.picked) {
    if (!faults.empty()) break;
    faults = refusal(picked->contract);
  }
  if (!faults.empty()) return failure(std::move(faults));
  const std::vector<std::string> names = document_names(request);
  Emitted emitted;
  for (std::size_t i = 0; i < request.picked.size(); ++i) {
    if (i > 0) emitted.text += "\n";
    emitted.text += block(*request.picked[i], names[i], request.has_comments);
  }
  if (request.has_comments && !request.command.empty())
    emitted.text += "# " + request.command + "\n";
  return emitted;
}

}  // namespace gpushape::emit
