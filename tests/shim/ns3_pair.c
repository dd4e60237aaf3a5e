/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3_pair.h"

#include <glib.h>

#include "fields.h"
#include "network/path_link.h"
#include "shim/ns3_engine.h"

enum { SEED = 20240711 };

static unsigned peer_of(const pair_side *s)
{
  return 1 - (unsigned)s->side;
}

/* --- Driving an end, as model/session does --- */

static bool is_lost(pair_side *s, const datagram *packet)
{
  if (packet->payload.length == 0) {
    return s->loses_all;
  }
  s->payload_packets++;
  bool is_listed = false;
  for (unsigned i = 0; i < PAIR_DROPS; i++) {
    is_listed |= s->lost[i] == s->payload_packets;
  }
  return is_listed || s->loses_all;
}

static void send(pair_side *s, datagram *packet, time_ps now)
{
  if (s->pair->path) {
    ns3_topology_path_send(s->pair->path, (unsigned)s->side, packet, now);
  } else {
    path_link_send(s->link, packet, now);
  }
}

/* Damaged after the sender has computed the checksum. */
static datagram *damaged(datagram *whole)
{
  datagram *packet = datagram_copy(whole);

  datagram_unref(whole);
  datagram_carry_checksum(packet);
  datagram_own_payload(packet)[packet->payload.length / 2] ^= 0x10;
  return packet;
}

static void settle(pair_side *s, time_ps now)
{
  datagram *packet;
  rnic_occupancy held;

  while ((packet = rnic_endpoint_transmit(s->endpoint, now))) {
    if (is_lost(s, packet)) {
      datagram_unref(packet);
      continue;
    }
    bool has_payload = packet->payload.length > 0;
    if (has_payload && s->damaged == s->payload_packets) {
      packet = damaged(packet);
    }
    if (has_payload && s->duplicated == s->payload_packets) {
      send(s, datagram_copy(packet), now);
    }
    send(s, packet, now);
  }
  engine_timer_set(s->timer, rnic_endpoint_deadline(s->endpoint));
  rnic_endpoint_held(s->endpoint, &held);
  s->held_max = MAX(s->held_max, held.order + held.incomplete);
  s->runs_max = MAX(s->runs_max, held.holes);
}

static void on_timer(void *user, time_ps now)
{
  pair_side *s = user;

  rnic_endpoint_run(s->endpoint, now);
  settle(s, now);
}

static void on_arrival(void *user, datagram *packet, time_ps now)
{
  pair_side *s = user;

  s->retransmissions_arrived += packet->retransmission;
  rnic_endpoint_receive(s->endpoint, packet, now);
  datagram_unref(packet);
  settle(s, now);
}

static void on_wake(void *user, time_ps now)
{
  pair_side *s = user;

  engine_timer_set(s->timer, now);
}

static void can_post(void *user, enum side side)
{
  ns3_pair *pair = user;

  engine_timer_set(pair->sides[side].timer, engine_now(pair->clock));
}

/* --- What the endpoints report --- */

static bool on_want_operation(void *user, G_GNUC_UNUSED rnic_endpoint *endpoint, G_GNUC_UNUSED time_ps now)
{
  pair_side *s = user;

  return ulp_workload_post_next(s->workload);
}

static void note_delivery(pair_side *s, time_ps now)
{
  const pair_side *sides = s->pair->sides;

  if (s->pair->done_at == 0 && ulp_workload_is_delivered(sides[SIDE_INITIATOR].workload) &&
      ulp_workload_is_delivered(sides[SIDE_RESPONDER].workload)) {
    s->pair->done_at = now;
  }
}

static void on_completion(void *user, rnic_endpoint *endpoint, time_ps now)
{
  pair_side *s = user;

  ulp_workload_poll(s->workload);
  note_delivery(s, now);
  if (ulp_workload_posts(&s->pair->workload_config, s->side) && ulp_workload_is_complete(s->workload)) {
    rnic_endpoint_close(endpoint);
  }
}

static void on_delivered(void *user, const ddp_segment *segment, time_ps now)
{
  pair_side *s = user;

  ulp_workload_delivered(s->workload, segment);
  note_delivery(s, now);
}

static void on_segment(void *user, G_GNUC_UNUSED int64_t phase_offset, uint32_t length, uint32_t new_octets,
                       bool out_of_order, G_GNUC_UNUSED time_ps now)
{
  pair_side *s = user;

  g_assert_cmpuint(new_octets, <=, length);
  s->segments++;
  s->payload_octets += length;
  s->new_octets += new_octets;
  s->segments_behind_hole += out_of_order && new_octets > 0;
}

static void on_retransmitted(void *user, G_GNUC_UNUSED int64_t phase_offset, uint32_t length,
                             G_GNUC_UNUSED time_ps now)
{
  pair_side *s = user;

  s->retransmitted_octets += length;
}

static void on_placed(void *user, G_GNUC_UNUSED ddp_segment *segment, const mpa_ulpdu *ulpdu, time_ps now)
{
  pair_side *s = user;

  bool waited = true;
  for (size_t i = 0; i < ulpdu->part_count; i++) {
    waited = waited && ulpdu->parts[i].arrival < now;
  }
  s->fpdus_waited += waited;
}

static void on_half_closed(void *user, G_GNUC_UNUSED time_ps now)
{
  pair_side *s = user;

  s->finished = true;
  rnic_endpoint_close(s->endpoint);
}

static void on_closed(void *user, G_GNUC_UNUSED time_ps now)
{
  pair_side *s = user;

  s->closed = true;
}

static void on_failed(void *user, const rnic_failure *failure, G_GNUC_UNUSED time_ps now)
{
  pair_side *s = user;

  g_test_message("failed: %s", rnic_failure_text(failure));
  if (!s->failed) {
    s->failure = *failure;
  }
  s->failed = true;
}

/* --- The pair --- */

static rnic_endpoint_config default_endpoint(rnic_host *host, unsigned side)
{
  bool initiator = side == SIDE_INITIATOR;
  rnic_endpoint_config config = rnic_endpoint_config_default(initiator ? SIDE_INITIATOR : SIDE_RESPONDER);

  config.tcp.local_address = ip_address_v4(0x0A000001 + side);
  config.tcp.remote_address = ip_address_v4(0x0A000002 - side);
  config.tcp.local_port = initiator ? 49152 : 5044;
  config.tcp.remote_port = initiator ? 5044 : 49152;
  config.tcp.isn = 0xFFFFF000;
  config.tcp.receive_window_octets = 1 << 20;
  config.tcp.segmentation = TCP_SEGMENTATION_STREAM;
  config.tcp.passing = TCP_PASSING_IN_ORDER;
  config.host = host;
  config.protection_domain = rnic_host_protection_domain_new(host);
  config.rdmap.ird = 4;
  config.rdmap.ord = 4;
  return config;
}

ns3_pair *ns3_pair_new(void)
{
  ns3_pair *pair = g_new0(ns3_pair, 1);
  ns3_shim_error error;

  pair->clock = ns3_engine_new(&error);
  g_assert_nonnull(pair->clock);
  pair->table = pattern_new();
  pair->workload_config = (ulp_workload_config){.mix = {{ULP_OPERATION_WRITE}, 1},
                                                .message_octets = 20000,
                                                .messages = 40,
                                                .in_flight_octets = 4 << 20,
                                                .table = pair->table,
                                                .can_post = can_post};
  for (unsigned side = 0; side < SIDES; side++) {
    pair_side *s = &pair->sides[side];
    pair->links[side] = (path_link_config){.id = side,
                                           .rate_bit_per_s = 1000000000,
                                           .delay_ps = TIME_PS_PER_MILLISECOND,
                                           .mtu_octets = 1500,
                                           .framing_octets = 38};
    s->pair = pair;
    s->side = (enum side)side;
    s->host = rnic_host_new(SEED + side);
    s->config = default_endpoint(s->host, side);
    s->ns3 = true;
  }
  return pair;
}

static void start_side(pair_side *s)
{
  static const rnic_endpoint_events events = {.want_operation = on_want_operation,
                                              .completion = on_completion,
                                              .probe.placed = on_placed,
                                              .probe.delivered = on_delivered,
                                              .segment = on_segment,
                                              .retransmitted = on_retransmitted,
                                              .probe.half_closed = on_half_closed,
                                              .closed = on_closed,
                                              .failed = on_failed};
  ns3_pair *pair = s->pair;

  s->place = (ns3_tcp_transport_place){.wake = on_wake, .user = s};
  s->timer = engine_timer_new(pair->clock, ENGINE_TIMER, s->side, 0, on_timer, s);
  s->link = path_link_native_new(&pair->links[s->side], pair->clock);
  path_link_set_receiver(s->link, on_arrival, &pair->sides[peer_of(s)]);
  if (s->ns3) {
    s->config.tcp_new = ns3_tcp_transport_new;
    s->config.tcp_new_user = &s->place;
  }
  s->endpoint = rnic_endpoint_new(&s->config, &events, s);
}

static void make_path(ns3_pair *pair)
{
  void *const users[SIDES] = {&pair->sides[SIDE_INITIATOR], &pair->sides[SIDE_RESPONDER]};
  ns3_shim_error error = {""};

  pair->path = ns3_topology_path_new(pair->topology, pair->clock, SIDES, on_arrival, users, &error);
  g_assert_cmpstr(error.message, ==, "");
  g_assert_nonnull(pair->path);
}

void ns3_pair_run(ns3_pair *pair, time_ps stop)
{
  if (!pair->sides[SIDE_INITIATOR].workload) {
    if (pair->topology) {
      make_path(pair);
    }
    start_side(&pair->sides[SIDE_INITIATOR]);
    start_side(&pair->sides[SIDE_RESPONDER]);
    ulp_agreement *agreement = ulp_agreement_new(&pair->workload_config, 0, pair);
    for (enum side side = 0; side < SIDES; side++) {
      pair->sides[side].workload = ulp_workload_new(agreement, side, pair->sides[side].endpoint);
    }
    rnic_endpoint_start(pair->sides[SIDE_RESPONDER].endpoint, 0);
    rnic_endpoint_start(pair->sides[SIDE_INITIATOR].endpoint, 0);
    settle(&pair->sides[SIDE_INITIATOR], 0);
  }
  engine_run(pair->clock, stop);
}

void ns3_pair_assert_done(const ns3_pair *pair)
{
  for (unsigned side = 0; side < SIDES; side++) {
    const ulp_workload *workload = pair->sides[side].workload;
    ulp_workload_results results = ulp_workload_results_of(workload);
    g_assert_true(ulp_workload_is_delivered(workload) && ulp_workload_is_complete(workload));
    EXPECT_FIELDS(&results, (octets_wrong, 0), (order_errors, 0), (guard_errors, 0));
    EXPECT_FIELDS(&pair->sides[side], (failed, false), (closed, true));
  }
}

void ns3_pair_free(ns3_pair *pair)
{
  for (unsigned side = 0; side < SIDES; side++) {
    pair_side *s = &pair->sides[side];
    rnic_endpoint_free(s->endpoint);
    engine_timer_free(s->timer);
    path_link_free(s->link);
  }
  ns3_topology_path_free(pair->path);
  for (unsigned side = 0; side < SIDES; side++) {
    ulp_workload_free(pair->sides[side].workload);
    rnic_host_free(pair->sides[side].host);
  }
  pattern_free(pair->table);
  engine_free(pair->clock);
  g_free(pair);
}

void ns3_pair_complete(ns3_pair *pair, time_ps until)
{
  ns3_pair_run(pair, until);
  ns3_pair_assert_done(pair);
}
