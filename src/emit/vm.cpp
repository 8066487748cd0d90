// The target `vm`: a VirtualMachine of VM Service for every replica, of the class that `vm-class`
// writes under the same name.

#include <fmt/format.h>

#include "emit/labels.hpp"
#include "emit/manifest.hpp"
#include "emit/tree.hpp"
#include "emit/vm_contract.hpp"

namespace gpushape::emit {

using document::Node;

Result<Emitted> emit_vm(const EmitRequest& request) {
  Diagnostics diagnostics = check_vm_request(request, "vm");
  if (!diagnostics.empty()) return failure(std::move(diagnostics));
  const Result<std::string_view> version = served_version(request.vm_operator);
  if (!version) return failure(version.error());
  const Commenter comment(request);
  const domain::RankedShape& picked = *request.picked.front();
  const std::string class_name = document_names(request).front();
  const std::int64_t replicas = std::max<std::int64_t>(1, picked.contract.replicas);
  Emitted emitted;
  for (std::int64_t i = 1; i <= replicas; ++i) {
    const std::string name =
        replicas > 1 ? fitted_label(fmt::format("{}-{}", class_name, i)) : class_name;
    Node root =
        map({{"apiVersion", comment.above(Node(fmt::format("vmoperator.vmware.com/{}", *version)),
                                          headline(picked))},
             {"kind", "VirtualMachine"},
             {"metadata", metadata(request, name, picked)},
             {"spec",
              map({{"className", comment.behind(Node(class_name), "as `-o vm-class` writes it")},
                   {"imageName", comment.behind(Node("ubuntu-24-04"),
                                                "VC-02: your image; EFI, with the guest driver")},
                   {"storageClass", comment.behind(Node("default"), "your storage policy")},
                   {"powerState", "PoweredOn"}})}});
    comment.close(root, request);
    emitted.documents.push_back(std::move(root));
  }
  if (request.picked.size() > 1)
    emitted.notes.push_back(class_name + ": VMs are of the first wish; --pick takes another");
  return emitted;
}

}  // namespace gpushape::emit
