/* What replay_world.c (building and running) and replay_world_results.c (how it ended) share. */
#ifndef REPLAY_REPLAY_WORLD_PRIVATE_H
#define REPLAY_REPLAY_WORLD_PRIVATE_H

#include "replay/replay_alignment.h"
#include "replay/replay_end.h"
#include "replay/replay_feed.h"
#include "replay/replay_flows.h"
#include "replay/replay_packet.h"
#include "replay/replay_way.h"
#include "replay/replay_world.h"
#include "sim/sim_ending.h"
#include "sim/sim_ip_input.h"

struct replay_world {
  replay_world_config config;
  engine *clock;
  rnic_host *host;
  sim_recorder *recorder;
  sim_ip_input *input;
  replay_feed *feed;
  replay_way *way;             /* NULL: everything arrives when it was captured */
  replay_alignment *alignment; /* NULL: all that was captured comes to TCP, and the first reading has told */
  replay_flows *flows;
  replay_packets *packets;
  replay_end_place place;
  replay_end **ends;
  bool *is_over; /* of each connection: it has failed, and its octets are awaited no more */
  uint32_t connections;
  uint32_t failures;
  sim_ending ending; /* of the connection that failed first */
  bool has_ended;    /* the capture is at its end */
  replay_reading reading;
  void *reading_user;
  int64_t told_us; /* when, by the wall clock */
};

/* What was learnt of connection `index`. */
const replay_connection_lesson *replay_world_lesson(const replay_world *world, uint32_t index);

#endif
