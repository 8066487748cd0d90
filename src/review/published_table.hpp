// What NVIDIA's driver publishes for the products of the tables, made once for a review, and what
// selectors let through of it, worked out once for each: manifests repeat each other's claims.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "review/claims.hpp"
#include "review/published.hpp"

namespace gpushape::review {

/// Class and selectors of a request as one text: requests of one key select the same devices.
std::string selection_key(const ClaimRequest& request);

class PublishedTable {
 public:
  explicit PublishedTable(std::span<const domain::Device> devices) : devices_(devices) {}

  [[nodiscard]] const std::vector<PublishedGpu>& gpus();
  /// What a request of a claim, or one alternative of it, selects; without a class, of every type.
  /// Nothing where its class is not the driver's own, or where it selects nothing.
  [[nodiscard]] const std::vector<const PublishedGpu*>& selected(const ClaimRequest& request);

 private:
  std::span<const domain::Device> devices_;
  std::vector<PublishedGpu> gpus_;
  bool is_made_ = false;
  std::map<std::string, std::vector<const PublishedGpu*>, std::less<>> selections_;
};

}  // namespace gpushape::review
