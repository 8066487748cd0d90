// Boards (profiles/boards/) and the usual servers that carry them (profiles/servers/).
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "document/node.hpp"
#include "domain/device.hpp"
#include "domain/host.hpp"
#include "profiles/source_table.hpp"

namespace gpushape::profiles {

Result<domain::Board> read_board(const document::Document& document, const SourceTable& sources);

/// A server model, without its GPUs: those depend on the device that it is asked for.
struct Server {
  domain::Host host;
  int gpus = 0;
  std::vector<std::string> devices;  ///< that it is the usual server of

  bool operator==(const Server&) const = default;
};

Result<Server> read_server(const document::Document& document, const SourceTable& sources);

/// The server filled with the device: GPUs spread evenly over the sockets in order, linked as on
/// the device's usual board.
domain::Host host_with(const Server& server, const domain::Device& device);

}  // namespace gpushape::profiles
