// The target `workload`: what was asked for, as a document that `-f` reads back.

#include <stdexcept>

#include "emit/manifest.hpp"
#include "schema/kinds.hpp"

namespace gpushape::emit {

Result<Emitted> emit_workload(const EmitRequest& request) {
  if (request.workload == nullptr) throw std::logic_error("emit was not given the workload");
  const Commenter comment(request);
  document::Node root = schema::to_node(*request.workload);
  comment.close(root, request);
  Emitted emitted;
  emitted.documents.push_back(std::move(root));
  return emitted;
}

}  // namespace gpushape::emit
