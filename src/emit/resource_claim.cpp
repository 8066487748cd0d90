// The targets `resource-claim` and `resource-claim-template`: one claim, or one for every pod.

#include <utility>

#include "emit/claims.hpp"
#include "emit/tree.hpp"

namespace gpushape::emit {

using document::Node;

namespace {

Node claim_document(const EmitRequest& request, ClaimBody& body, std::string_view kind,
                    std::string_view head, Node spec) {
  const Commenter comment(request);
  Node root = map({{"apiVersion", comment.above(Node(body.api), head)},
                   {"kind", kind},
                   {"metadata", metadata(request, body.name, *body.first)},
                   {"spec", std::move(spec)}});
  comment.close(root, request);
  return root;
}

}  // namespace

Result<Emitted> emit_resource_claim(const EmitRequest& request) {
  Result<ClaimBody> body = claim_body(request);
  if (!body) return failure(std::move(body.error()));
  Emitted emitted;
  emitted.notes = body->notes;
  if (!body->replicas_note.empty()) {
    emitted.notes.push_back(body->name + ": " + body->replicas_note +
                            " (`-o resource-claim-template` makes one per pod)");
  }
  const std::string head = body->head + "\n" + body->replicas_note;
  emitted.documents.push_back(
      claim_document(request, *body, "ResourceClaim", head, std::move(body->spec)));
  return emitted;
}

Result<Emitted> emit_resource_claim_template(const EmitRequest& request) {
  Result<ClaimBody> body = claim_body(request);
  if (!body) return failure(std::move(body.error()));
  Emitted emitted;
  emitted.notes = body->notes;
  const std::string head = body->head + "\nevery pod that refers to it gets a claim of its own";
  emitted.documents.push_back(
      claim_document(request, *body, "ResourceClaimTemplate", head, map({{"spec", body->spec}})));
  return emitted;
}

}  // namespace gpushape::emit
