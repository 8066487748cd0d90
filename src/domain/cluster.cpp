#include "domain/cluster.hpp"

#include <utility>

namespace gpushape::domain {

Cluster cluster_of(const Host& host) {
  ClusterHost only;
  only.name = host.name;
  for (const HostGpu& row : host.gpus) {
    Gpu gpu;
    gpu.id = row.id;
    gpu.device = row.device;
    gpu.numa_node = row.numa_node;
    only.gpus.push_back(std::move(gpu));
  }
  only.hardware = host;
  Cluster cluster;
  cluster.name = host.name;
  cluster.hosts.push_back(std::move(only));
  return cluster;
}

}  // namespace gpushape::domain
