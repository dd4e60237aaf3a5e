/* What sim_world.c (building and running), sim_world_events.c (what endpoints tell) and sim_world_results.c (how it ended)
 * share. */
#ifndef SIM_SIM_WORLD_PRIVATE_H
#define SIM_SIM_WORLD_PRIVATE_H

#include "base/pattern.h"
#include "engine/engine.h"
#include "fault/fault_injector.h"
#include "rnic/rnic_endpoint.h"
#include "sim/sim_ending.h"
#include "sim/sim_ip_input.h"
#include "sim/sim_network.h"
#include "sim/sim_recorder.h"
#include "sim/sim_world.h"
#include "ulp/ulp_workload.h"

typedef struct world_connection world_connection;

/* One end with its timer. */
typedef struct world_end {
  sim_world *world;
  rnic_endpoint *endpoint;
  engine_timer *timer;
  time_ps timer_due; /* when the timer is; never later than the endpoint's deadline */
  uint32_t index;    /* of the connection */
  enum side side : 8;
  bool closed;
  bool may_post; /* its ULP waited for a buffer and is to be woken */
} world_end;

enum { CACHE_LINE_OCTETS = 64 };

/* Two cache lines: of ten thousand connections' nothing is in the cache when its turn comes. */
struct world_connection {
  _Alignas(CACHE_LINE_OCTETS) world_end ends[SIDES];
  ulp_workload *workload;
  engine_timer *workload_timer; /* starts the connection, and goes; another one wakes ULPs. NULL: none */
  bool started;
  bool delivered;  /* all of its workload */
  bool terminated; /* ended as the documents say it must */
};
G_STATIC_ASSERT(sizeof(world_connection) == 2 * CACHE_LINE_OCTETS);

/* The connection that `end` is an end of. */
static inline world_connection *sim_world_connection_of(world_end *end)
{
  return (world_connection *)(void *)(end - end->side);
}

struct sim_world {
  const scenario *s;
  engine *clock;
  enum side measured; /* the Data Sink's side */
  rnic_host *hosts[SIDES];
  uint8_t *private_data[SIDES];
  sim_network *network;
  sim_ip_input *inputs[SIDES];
  uint64_t strays; /* packets of no connection: their ports were damaged */
  packet_capture *captures[SIDES];
  sim_recorder *recorder;
  pattern *table;
  rnic_endpoint_events endpoint_events[SIDES];
  rnic_endpoint_config endpoint_configs[SIDES]; /* of connection 0; the others' are nearly the same */
  ulp_workload_config workload_config;          /* the same */
  world_connection *connections;
  GPtrArray *faults; /* of fault_injector */
  uint32_t connection_count;
  uint32_t started;        /* connections that have been opened */
  uint32_t ends_open;      /* TCP */
  uint32_t workloads_open; /* neither all Delivered nor terminated */
  uint64_t delivered;      /* segments, at either end: progress */
  engine_timer *stall_timer;
  uint64_t progress_seen;            /* when the stall timer last looked */
  bool abandoned;                    /* nothing more happens, though not all ends are closed */
  char *failure;                     /* why the run fails; NULL: it does not so far */
  sim_ending ending;                 /* of the connection that was terminated first */
  sim_progress_function on_progress; /* NULL: nobody looks on */
  void *on_progress_user;
  int64_t progress_told_us; /* when, by the wall clock */
};

/* What an end tells: the Data Sink is measured; what the Data Source sends is known for that. Its ULP is asked for operations when
 * it posts any. */
rnic_endpoint_events sim_world_events_of(bool measured, bool posts);

/* The connection's timer, made when it has none, is due at `when`. */
void sim_world_set_workload_timer(world_connection *connection, time_ps when);

/* A buffer of `side` is free again; a ulp_workload_config.can_post of a world_connection. */
void sim_world_can_post(void *user, enum side side);

/* A run ends when the workload is done and the connections are closed (definitions.md, Defaults). */
bool sim_world_is_done(const sim_world *world);

/* Ends the run as failed, because of `failure`, which it frees; the first failure counts. */
void sim_world_fail(sim_world *world, char *failure);

#endif
