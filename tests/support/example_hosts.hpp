// The hosts of the worked contract examples, built by hand; examples/hosts/ holds the same as files
// and the inventory tests compare the two.
#pragma once

#include <string>
#include <utility>

#include "domain/host.hpp"

namespace gpushape::example {

/// Two sockets, base clock 2000 MHz, no GPU yet.
inline domain::Host two_sockets(std::string name, int cores, std::int64_t memory_gib, double gbps,
                                std::string release = "8.0 U3", int hardware_version = 21) {
  domain::Host host;
  host.name = std::move(name);
  host.sockets = 2;
  host.cores_per_socket = cores;
  host.threads_per_core = 2;
  host.base_mhz = 2000;
  host.numa_nodes_per_socket = 1;
  host.memory_bytes = gib(memory_gib);
  host.release = std::move(release);
  host.hardware_version = hardware_version;
  host.vmotion_gigabits_per_second = gbps;
  return host;
}

inline void add_gpu(domain::Host& host, const std::string& device, int node, int link_domain) {
  domain::HostGpu gpu;
  gpu.id = "gpu" + std::to_string(host.gpus.size());
  gpu.device = device;
  gpu.numa_node = node;
  gpu.link_domain = link_domain;
  host.gpus.push_back(gpu);
}

/// H1: HGX H100, GPU 0-3 on node 0 and 4-7 on node 1, all in one NVSwitch domain.
inline domain::Host h1() {
  domain::Host host = two_sockets("h1", 52, 2048, 100);
  for (int gpu = 0; gpu < 8; ++gpu) add_gpu(host, "h100-sxm-80", gpu / 4, 0);
  return host;
}

/// H1 on VCF 9.
inline domain::Host h1v9() {
  domain::Host host = h1();
  host.name = "h1v9";
  host.release = "VCF 9.0";
  host.hardware_version = 22;
  return host;
}

/// H2: four L40S without NVLink.
inline domain::Host h2() {
  domain::Host host = two_sockets("h2", 32, 1024, 25);
  for (int gpu = 0; gpu < 4; ++gpu) add_gpu(host, "l40s", gpu / 2, -1);
  return host;
}

/// H3: four A100 PCIe as NVLink pairs, one pair a node.
inline domain::Host h3() {
  domain::Host host = two_sockets("h3", 32, 512, 25);
  for (int gpu = 0; gpu < 4; ++gpu) add_gpu(host, "a100-pcie-80", gpu / 2, gpu / 2);
  return host;
}

/// H4: one A30 on the second node.
inline domain::Host h4() {
  domain::Host host = two_sockets("h4", 20, 512, 25);
  add_gpu(host, "a30", 1, -1);
  return host;
}

/// H5: EPYC in NPS4, eight nodes, four H100 NVL in bridged pairs.
inline domain::Host h5() {
  domain::Host host = two_sockets("h5", 64, 768, 100);
  host.numa_nodes_per_socket = 4;
  for (int gpu = 0; gpu < 4; ++gpu) add_gpu(host, "h100-nvl-94", 2 * gpu, gpu / 2);
  return host;
}

/// H5 in NPS1.
inline domain::Host h5b() {
  domain::Host host = two_sockets("h5b", 64, 768, 100);
  for (int gpu = 0; gpu < 4; ++gpu) add_gpu(host, "h100-nvl-94", gpu / 2, gpu / 2);
  return host;
}

/// H6: HGX H200 on VCF 9.
inline domain::Host h6() {
  domain::Host host = two_sockets("h6", 56, 2048, 100, "VCF 9.0", 22);
  for (int gpu = 0; gpu < 8; ++gpu) add_gpu(host, "h200-sxm-141", gpu / 4, 0);
  return host;
}

}  // namespace gpushape::example
