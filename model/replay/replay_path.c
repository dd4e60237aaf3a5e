/* SPDX-License-Identifier: GPL-2.0-only */
#include "replay/replay_path.h"

#include "engine/order.h"
#include "platform/run_engine.h"

/* A packet is tried as often as tcp.retries lets a TCP try. */
enum { TRIES_MAX = 15 };

/* A trace names this as where the packets on the path come from. */
static const char node[] = "capture";

/* This is a segment that was offered and is looked for when its time comes. */
typedef struct offered {
  uint32_t connection;
  datagram *packet;
  time_ps due;
  uint32_t tries;
} offered;

static void on_timer(void *user, time_ps now);

/* Nobody asks this: where FPDUs start is known when they have come. What asks is there for the reordering
 * that it counts. */
static bool is_fpdu_start(G_GNUC_UNUSED void *user, G_GNUC_UNUSED const datagram_flow *flow,
                          G_GNUC_UNUSED int64_t position, G_GNUC_UNUSED path_alignment_cursor *cursor)
{
  return false;
}

replay_path *replay_path_new(const replay_plan *plan, engine *clock, trace *to, path_output output,
                             replay_path_has_arrived has_arrived, void *user, GError **error)
{
  const configuration *c = plan->configuration;
  replay_path *path = g_new0(replay_path, 1);
  const path_place place = {
      .network = &c->path,
      .direction = c->main_direction,
      .segment = {.seed = c->run.seed,
                  .clock = clock,
                  .new_link = run_engine_links(RUN_ENGINE_NATIVE),
                  .trace = {.to = to, .node = node, .port = 1, .direction = c->main_direction},
                  .identification = &path->identification,
                  .is_fpdu_start = is_fpdu_start},
      .ipv6 = c->ipv6,
      .has_no_links = !plan->has_link,
      .takes_any_size = true,
      .output = output,
      .output_user = user};

  path->plan = plan;
  path->trace = to;
  path->output = output;
  path->has_arrived = has_arrived;
  path->user = user;
  path->offers = g_queue_new();
  path->timer = engine_timer_new(clock, ENGINE_TIMER, ORDER_RESEND, 0, on_timer, path);
  if (plan->has_path && !(path->path = path_direction_new(&place, error))) {
    g_clear_pointer(&path, replay_path_free);
  }
  return path;
}

static void free_offer(gpointer data)
{
  offered *offer = data;

  datagram_unref(offer->packet);
  g_free(offer);
}

void replay_path_free(replay_path *path)
{
  if (path) {
    engine_timer_free(path->timer);
    path_direction_free(path->path);
    g_queue_free_full(path->offers, free_offer);
    g_free(path);
  }
}

/* Nobody is there to hear from a router that a packet is too big: IPv4 goes in fragments. */
static void send(replay_path *path, uint32_t connection, datagram *packet, time_ps now)
{
  if (path->path && path->trace) {
    packet->number = trace_next_packet(path->trace);
    packet->connection = connection == SESSION_NO_CONNECTION ? 0 : connection;
    const trace_scope of = {.to = path->trace,
                            .node = node,
                            .connection = packet->connection,
                            .packet = packet->number,
                            .side = path->plan->configuration->main_direction};
    TRACE(&of, PACKET_SENT, .ip_octets = datagram_octets(packet));
  }
  if (path->path) {
    if (packet->kind == DATAGRAM_TCP) {
      datagram_allow_fragments(packet, path->identification++);
    }
    path_direction_send(path->path, packet, now);
  } else {
    path->output(path->user, packet, now);
  }
}

/* `packet`, of `offer`, sets off. It will be missed so long after it is through with the links, at whose
 * queues it may have to wait. */
static void set_off(replay_path *path, offered *offer, datagram *packet, time_ps now)
{
  send(path, offer->connection, packet, now);
  /* What comes after it is no sooner through than it. */
  offer->due = time_ps_after(path->path ? path_direction_earliest_arrival(path->path, now) : now,
                             path->plan->resend_ps);
  g_queue_push_tail(path->offers, offer);
  if (path->offers->length == 1) {
    engine_timer_set(path->timer, offer->due);
  }
}

void replay_path_offer(replay_path *path, uint32_t connection, datagram *packet, time_ps now)
{
  /* What brings no octets and no FIN is missed by nobody. */
  bool is_missed = packet->kind == DATAGRAM_TCP &&
                   (packet->payload.length > 0 || (datagram_tcp_flags(packet) & TCP_FIN) != 0);

  if (path->plan->resend_ps == 0 || !is_missed) {
    send(path, connection, packet, now);
    return;
  }
  offered *offer = g_new0(offered, 1);
  offer->connection = connection;
  offer->packet = datagram_copy(packet); /* whatever the path does to the other */
  offer->packet->retransmission = true;
  set_off(path, offer, packet, now);
}

static void on_timer(void *user, time_ps now)
{
  replay_path *path = user;
  offered *offer;

  while ((offer = g_queue_peek_head(path->offers)) && offer->due <= now) {
    bool has_arrived = path->has_arrived(path->user, offer->connection, offer->packet);

    g_queue_pop_head(path->offers);
    if (has_arrived || offer->tries == TRIES_MAX) {
      path->given_up += !has_arrived;
      free_offer(offer);
    } else {
      path->resent++;
      offer->tries++;
      set_off(path, offer, datagram_copy(offer->packet), now);
    }
  }
  engine_timer_set(path->timer, offer ? offer->due : TIME_PS_NEVER);
}

void replay_path_set_metrics(const replay_path *path, metric_values *values)
{
  if (path->plan->resend_ps > 0) {
    metric_values_set(values, METRIC_TCP_RETRANSMISSIONS, (double)path->resent);
  }
  if (path->path) {
    uint64_t extent_sum = 0;
    path_direction_count(path->path, true, values);
    path_direction_count_extents(path->path, &extent_sum, values);
  }
}
