/* What the simulator needs of ns-3, as a table of functions: the one way from model/ into the shim, whose module
 * ("iwarpsim-ns3.so") is loaded by the first run that needs ns-3 (model/sim/sim_ns3_module.h).
 *
 * The module is linked with libraries of model/ of its own. None of them keeps anything outside the objects it is given, so an object
 * that one side makes the other side may use and free, as long as both were compiled from the same headers. */
#ifndef SHIM_NS3_FUNCTIONS_H
#define SHIM_NS3_FUNCTIONS_H

#include "shim/ns3_engine.h"
#include "shim/ns3_link.h"
#include "shim/ns3_tcp_transport.h"
#include "shim/ns3_topology_path.h"

/* Each is the function of its name in the headers above. */
typedef struct ns3_functions {
  uint64_t
      layout; /* NS3_FUNCTIONS_LAYOUT of who made the table; the first member, whatever the others become */
  const char *(*version)(void);
  engine *(*engine_new)(ns3_shim_error *error);
  path_link *(*link_new)(const path_link_config *config, engine *clock, ns3_shim_error *error);
  tcp_transport *(*tcp_transport_new)(const tcp_config *config, const tcp_events *events, void *events_user,
                                      void *user);
  bool (*tcp_transport_supports)(const tcp_config *config, ns3_shim_error *error);
  ns3_topology_path *(*topology_path_new)(const ns3_topology_config *config, engine *clock, uint32_t id,
                                          const path_output outputs[NS3_TOPOLOGY_ENDS], void *user,
                                          ns3_shim_error *error);
  void (*topology_path_free)(ns3_topology_path *path);
  void (*topology_path_send)(ns3_topology_path *path, unsigned end, datagram *packet, time_ps now);
  time_ps (*topology_path_earliest_arrival)(const ns3_topology_path *path, time_ps now);
  uint64_t (*topology_path_too_big)(const ns3_topology_path *path);
  const ns3_topology *(*topology_path_chain)(const ns3_topology_path *path);
  size_t (*topology_hops)(const ns3_topology *topology);
  void (*topology_counts_of)(const ns3_topology *topology, size_t hop, unsigned to_end,
                             ns3_topology_counts *counts);
} ns3_functions;

/* What is passed between the two, by its sizes, mixed so that no two changes cancel out: a module of another build is refused instead of
 * believed. */
#define NS3_FUNCTIONS_MIX(sum, type) ((sum)*1000003u + sizeof(type))
#define NS3_FUNCTIONS_LAYOUT                                                                                 \
  NS3_FUNCTIONS_MIX(                                                                                         \
      NS3_FUNCTIONS_MIX(                                                                                     \
          NS3_FUNCTIONS_MIX(                                                                                 \
              NS3_FUNCTIONS_MIX(NS3_FUNCTIONS_MIX((uint64_t)sizeof(ns3_functions), datagram), tcp_config),   \
              tcp_events),                                                                                   \
          path_link),                                                                                        \
      ns3_topology_config)

/* The name under which the module exports the function below. */
#define NS3_FUNCTIONS_NAME "iwarpsim_ns3_functions"

/* The table; static. */
const ns3_functions *iwarpsim_ns3_functions(void);

#endif
