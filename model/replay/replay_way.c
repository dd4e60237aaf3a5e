/* SPDX-License-Identifier: GPL-2.0-only */
#include "replay/replay_way.h"

#include "network/path_direction.h"
#include "platform/run_engine.h"
#include "replay/replay_scenario.h"
#include "scenario/configuration.h"
#include "session/session_setup.h"

/* Behind the timers of all connections and of IP. */
enum { RESEND_MAJOR = 0x7FFF0000 };

/* As often as tcp.retries lets a TCP try. */
enum { TRIES_MAX = 15 };

/* A segment that was offered and is looked for when its time comes. */
typedef struct offered {
  uint32_t connection;
  datagram *packet;
  time_ps due;
  uint32_t tries;
} offered;

struct replay_way {
  replay_way_config config;
  path_direction *path; /* NULL: none */
  GQueue *offers;       /* of offered, in the order of their times */
  engine_timer *timer;
  uint16_t identification; /* of the next datagram */
  uint64_t resent;
  uint64_t given_up;
};

static void on_timer(void *user, time_ps now);

/* Asked of nobody: where FPDUs start is known when they have come. What asks is there for the reordering that it counts. */
static bool is_fpdu_start(void *user, const datagram_flow *flow, int64_t position, uint32_t *hint)
{
  (void)user;
  (void)flow;
  (void)hint;
  (void)position;
  return false;
}

static void on_output(void *user, datagram *packet, time_ps now)
{
  const replay_way *way = user;

  way->config.output(way->config.user, packet, now);
}

static path_direction *path_of(replay_way *way, GError **error)
{
  const configuration *c = way->config.configuration;
  const path_place config = {.network = &c->path,
                             .seed = c->run.seed,
                             .ipv6 = c->ipv6,
                             .direction = c->main_direction,
                             .paths = 1,
                             .new_link = run_engine_links(RUN_ENGINE_NATIVE),
                             .clock = way->config.clock,
                             .has_no_links = !way->config.has_link,
                             .takes_any_size = true,
                             .identification = &way->identification,
                             .is_fpdu_start = is_fpdu_start,
                             .output = on_output,
                             .user = way};

  return path_direction_new(&config, error);
}

replay_way *replay_way_new(const replay_way_config *config, GError **error)
{
  replay_way *way = g_new0(replay_way, 1);

  way->config = *config;
  way->offers = g_queue_new();
  way->timer = engine_timer_new(config->clock, ENGINE_TIMER, RESEND_MAJOR, 0, on_timer, way);
  if (config->has_path) {
    way->path = path_of(way, error);
    if (!way->path) {
      g_clear_pointer(&way, replay_way_free);
    }
  }
  return way;
}

static void free_offer(gpointer data)
{
  offered *offer = data;

  datagram_unref(offer->packet);
  g_free(offer);
}

void replay_way_free(replay_way *way)
{
  if (way) {
    engine_timer_free(way->timer);
    path_direction_free(way->path);
    g_queue_free_full(way->offers, free_offer);
    g_free(way);
  }
}

/* Nobody is there to hear from a router that a packet is too big: IPv4 goes in fragments. */
static void send(replay_way *way, datagram *packet, time_ps now)
{
  if (way->path) {
    if (packet->kind == DATAGRAM_TCP) {
      datagram_allow_fragments(packet, way->identification++);
    }
    path_direction_send(way->path, packet, now);
  } else {
    way->config.output(way->config.user, packet, now);
  }
}

/* What brings no octets and no FIN is missed by nobody. */
static bool is_missed_when_lost(const datagram *packet)
{
  return packet->kind == DATAGRAM_TCP &&
         (packet->payload.length > 0 || (datagram_tcp_flags(packet) & TCP_FIN) != 0);
}

/* `packet` sets off. Returns when it will be missed: so long after it is through with the links, at whose queues it may have to wait. */
static time_ps send_off(replay_way *way, datagram *packet, time_ps now)
{
  send(way, packet, now);
  /* What comes behind it is no sooner through than it. */
  return time_ps_after(way->path ? path_direction_earliest_arrival(way->path, now) : now,
                       way->config.resend_ps);
}

static void look_out_for(replay_way *way, offered *offer, time_ps due)
{
  offer->due = due;
  g_queue_push_tail(way->offers, offer);
  if (way->offers->length == 1) {
    engine_timer_set(way->timer, due);
  }
}

void replay_way_offer(replay_way *way, uint32_t connection, datagram *packet, time_ps now)
{
  if (way->config.resend_ps == 0 || connection == UINT32_MAX || !is_missed_when_lost(packet)) {
    send(way, packet, now);
    return;
  }
  offered *offer = g_new0(offered, 1);
  offer->connection = connection;
  offer->packet = datagram_copy(packet); /* whatever the path does to the other */
  offer->packet->retransmission = true;
  look_out_for(way, offer, send_off(way, packet, now));
}

static void look_for(replay_way *way, offered *offer, time_ps now)
{
  bool has_arrived = way->config.has_arrived(way->config.user, offer->connection, offer->packet);

  if (has_arrived || offer->tries == TRIES_MAX) {
    way->given_up += !has_arrived;
    free_offer(offer);
    return;
  }
  way->resent++;
  offer->tries++;
  look_out_for(way, offer, send_off(way, datagram_copy(offer->packet), now));
}

static void on_timer(void *user, time_ps now)
{
  replay_way *way = user;
  const offered *next;

  while ((next = g_queue_peek_head(way->offers)) && next->due <= now) {
    look_for(way, g_queue_pop_head(way->offers), now);
  }
  engine_timer_set(way->timer, next ? next->due : TIME_PS_NEVER);
}

uint64_t replay_way_given_up(const replay_way *way)
{
  return way->given_up;
}

uint64_t replay_way_too_big(const replay_way *way)
{
  metric_values values = {0};

  if (way->path) {
    path_direction_count(way->path, true, &values);
  }
  return (uint64_t)values.value[METRIC_PATH_PACKETS_TOO_BIG];
}

void replay_way_set_metrics(const replay_way *way, metric_values *values)
{
  if (way->config.resend_ps > 0) {
    metric_values_set(values, METRIC_TCP_RETRANSMISSIONS, (double)way->resent);
  }
  if (!way->path) {
    return;
  }
  path_direction_count(way->path, true, values);
  if (values->value[METRIC_PATH_SEGMENTS_REORDERED] > 0) {
    metric_values_set(values, METRIC_PATH_REORDERING_EXTENT_MEAN,
                      (double)path_direction_extent_sum(way->path) /
                          values->value[METRIC_PATH_SEGMENTS_REORDERED]);
  }
}
