/* SPDX-License-Identifier: GPL-2.0-only */
/* This is ns-3, when this program has it: what the simulator needs of it, as a table of functions, which
 * shim/ fills in.
 *
 * The table is in a module ("iwarpsim-ns3.so") that the first run that needs ns-3 loads: its libraries take
 * longer to load than a small run. The module is linked with libraries of model/ of its own. None of them has
 * global state, so either side may use and free an object that the other side makes, as long as both were
 * compiled from the same headers. */
#pragma once

#include <glib.h>

#include "engine/engine.h"
#include "network/path_element.h"
#include "network/path_link.h"
#include "platform/ns3_types.h"
#include "tcp/tcp_transport.h"

typedef struct ns3_topology ns3_topology;
typedef struct ns3_topology_path ns3_topology_path;

/* Each is the function of its name in shim/ns3_shim.h, ns3_functions.h,
 * ns3_topology.h. */
typedef struct ns3_functions {
  /* NS3_FUNCTIONS_LAYOUT of who made the table. It stays the first member, whatever the others become. */
  uint64_t layout;
  const char *(*version)(void);
  engine *(*engine_new)(ns3_shim_error *error);
  path_link *(*link_new)(const path_link_config *config, engine *clock, ns3_shim_error *error);
  tcp_transport *(*tcp_transport_new)(const tcp_config *config, const tcp_events *events, void *events_user,
                                      void *user);
  bool (*tcp_transport_supports)(const tcp_config *config, ns3_shim_error *error);
  ns3_topology_path *(*topology_path_new)(const ns3_topology_config *config, engine *clock, uint32_t id,
                                          path_output output, void *const users[NS3_TOPOLOGY_ENDS],
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

/* This is what is passed between the two, by its sizes, mixed so that no two changes cancel out: a module of
 * another build is refused instead of believed. */
#define NS3_FUNCTIONS_MIX(sum, type) ((sum)*1000003u + sizeof(type))
#define NS3_FUNCTIONS_LAYOUT                                                                                 \
  NS3_FUNCTIONS_MIX(                                                                                         \
      NS3_FUNCTIONS_MIX(                                                                                     \
          NS3_FUNCTIONS_MIX(                                                                                 \
              NS3_FUNCTIONS_MIX(NS3_FUNCTIONS_MIX((uint64_t)sizeof(ns3_functions), datagram), tcp_config),   \
              tcp_events),                                                                                   \
          path_link),                                                                                        \
      ns3_topology_config)

/* This is the name under which the module exports the function below. */
#define NS3_FUNCTIONS_NAME "iwarpsim_ns3_functions"

/* Returns the table; static. */
const ns3_functions *iwarpsim_ns3_functions(void);

/* Returns what ns-3 can do, from its module, which is loaded by the first call and stays until the process
 * ends. It is one of PROGRAM_MODULES (base/files.h). NULL and `error` (IWARPSIM_ERROR) when there is none.
 * Static. */
const ns3_functions *ns3_module(GError **error);
