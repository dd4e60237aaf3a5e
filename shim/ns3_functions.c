/* SPDX-License-Identifier: GPL-2.0-only */
/* By this table of functions model/ reaches ns-3. */
#include "shim/ns3_functions.h"
#include "platform/ns3_module.h"

__attribute__((visibility("default"))) const ns3_functions *iwarpsim_ns3_functions(void)
{
  static const ns3_functions functions = {
      .layout = NS3_FUNCTIONS_LAYOUT,
      .version = ns3_shim_version,
      .engine_new = ns3_engine_new,
      .link_new = ns3_link_new,
      .tcp_transport_new = ns3_tcp_transport_new,
      .tcp_transport_supports = ns3_tcp_transport_supports,
      .topology_path_new = ns3_topology_path_new,
      .topology_path_free = ns3_topology_path_free,
      .topology_path_send = ns3_topology_path_send,
      .topology_path_earliest_arrival = ns3_topology_path_earliest_arrival,
      .topology_path_too_big = ns3_topology_path_too_big,
      .topology_path_chain = ns3_topology_path_chain,
      .topology_hops = ns3_topology_hops,
      .topology_counts_of = ns3_topology_counts_of,
  };

  return &functions;
}
