// The target `contract`: what passes from advice to placement, one document per wish.

#include "emit/manifest.hpp"
#include "schema/kinds.hpp"

namespace gpushape::emit {

using document::Node;

Result<Emitted> emit_contract(const EmitRequest& request) {
  if (Diagnostics diagnostics = check_names(request); !diagnostics.empty()) {
    return failure(std::move(diagnostics));
  }
  const Commenter comment(request);
  const std::vector<std::string> names = document_names(request);
  Emitted emitted;
  for (std::size_t i = 0; i < request.picked.size(); ++i) {
    domain::ResourceContract contract = request.picked[i]->contract;
    contract.name = names[i];
    Node root = comment.above(schema::to_node(contract), headline(*request.picked[i]));
    comment.close(root, request);
    emitted.documents.push_back(std::move(root));
  }
  return emitted;
}

}  // namespace gpushape::emit
