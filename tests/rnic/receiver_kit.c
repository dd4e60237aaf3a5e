/* SPDX-License-Identifier: GPL-2.0-only */
#include "receiver_kit.h"

#include "ddp/ddp_header.h"

enum { KIT_STAG = 0x1234567, KIT_WINDOW_OCTETS = 1 << 20, WRITE_CONTROL = 0x40 /* RDMAP 1, opcode 0 */ };

static const ddp_stream_identity identity = {.stream_id = 1, .protection_domain = 1};

/* --- What TCP holds --- */

static uint64_t kit_in_order_edge(const tcp_transport *transport)
{
  return ((const receiver_kit *)transport)->tcp_gauges.in_order_edge;
}

static uint64_t kit_held_octets(const tcp_transport *transport)
{
  return tcp_receiver_held_octets(((const receiver_kit *)transport)->tcp);
}

static uint64_t kit_held_octets_below(const tcp_transport *transport, uint64_t position)
{
  return tcp_receiver_held_octets_below(((const receiver_kit *)transport)->tcp, position);
}

static const octet_store *kit_held(tcp_transport *transport)
{
  return tcp_receiver_held(((receiver_kit *)transport)->tcp);
}

static const tcp_transport_class transport_class = {.in_order_edge = kit_in_order_edge,
                                                    .held_octets = kit_held_octets,
                                                    .held_octets_below = kit_held_octets_below,
                                                    .held = kit_held};

/* --- What TCP tells --- */

static void forget_run(gpointer data)
{
  octet_rope_clear(&((rnic_new_run *)data)->octets);
}

static bool on_inspect(void *user, uint64_t position, const octet_rope *octets, time_ps now)
{
  receiver_kit *kit = user;
  rnic_new_run run = {.position = position};
  (void)now;

  octet_rope_append_rope(&run.octets, octets, 0, octets->length);
  g_array_append_val(kit->runs, run);
  return rnic_admission_inspect(kit->admission, position, octets);
}

static bool on_admit(void *user, uint64_t position, uint32_t length, time_ps now)
{
  receiver_kit *kit = user;
  (void)length;
  (void)now;

  kit->admissions++;
  kit->forecast =
      rnic_receiver_forecast(kit->receiver, (const rnic_new_run *)kit->runs->data, kit->runs->len, position);
  return rnic_admission_admit(kit->admission, position);
}

static void on_segment(void *user, uint64_t position, uint32_t length, uint32_t new_octets,
                       uint64_t in_order_edge, time_ps now)
{
  receiver_kit *kit = user;
  (void)length;
  (void)new_octets;
  (void)in_order_edge;
  (void)now;

  rnic_receiver_segment(kit->receiver, position);
}

static void on_octets(void *user, uint64_t position, const octet_rope *octets, time_ps arrival, time_ps now)
{
  receiver_kit *kit = user;

  rnic_receiver_receive(kit->receiver, position, octets, arrival, now);
}

/* --- What RDMAP tells: nothing bad may happen --- */

static void on_placed(void *user, ddp_segment *segment, const mpa_ulpdu *ulpdu, time_ps now)
{
  const receiver_kit *kit = user;
  (void)segment;

  g_assert_cmpint(now, ==, kit->now);
  for (size_t i = 0; i < ulpdu->part_count; i++) {
    g_assert_cmpint(ulpdu->parts[i].arrival, >, KIT_START_PS);
    g_assert_cmpint(ulpdu->parts[i].arrival, <=, now);
  }
}

static void on_received(void *user, const rdmap_received *received, time_ps now)
{
  (void)user;
  (void)received;
  (void)now;
  g_assert_not_reached();
}

static void on_completed(void *user, uint64_t id, rdmap_operation operation, bool in_error, time_ps now)
{
  (void)user;
  (void)id;
  (void)operation;
  (void)in_error;
  (void)now;
  g_assert_not_reached();
}

static void on_terminated(void *user, const rdmap_terminate *terminate, bool by_peer, time_ps now)
{
  (void)user;
  (void)terminate;
  (void)by_peer;
  (void)now;
  g_assert_not_reached();
}

/* --- The kit --- */

static uint8_t payload_octet(uint64_t offset)
{
  return (uint8_t)(1 + offset % 251);
}

static void append_write(receiver_kit *kit, uint32_t payload_octets)
{
  const ddp_header header = {.tagged = true,
                             .last = true,
                             .version = 1,
                             .ulp_control = WRITE_CONTROL,
                             .stag = KIT_STAG,
                             .tagged_offset = kit->payload_octets};
  uint8_t *ulpdu = g_malloc(DDP_TAGGED_HEADER_OCTETS + payload_octets);

  g_assert_cmpuint(ddp_header_encode(&header, ulpdu), ==, DDP_TAGGED_HEADER_OCTETS);
  for (uint32_t i = 0; i < payload_octets; i++) {
    ulpdu[DDP_TAGGED_HEADER_OCTETS + i] = payload_octet(kit->payload_octets + i);
  }
  mpa_stream_append(kit->stream, ulpdu, DDP_TAGGED_HEADER_OCTETS + payload_octets);
  kit->payload_octets += payload_octets;
  g_free(ulpdu);
}

static void make_stream(receiver_kit *kit, const uint32_t *payloads, guint count)
{
  kit->stream = mpa_stream_begin(kit->config.markers, kit->config.crc);
  for (guint i = 0; i < count; i++) {
    append_write(kit, payloads[i]);
  }
  kit->octets = g_byte_array_new();
  g_byte_array_set_size(kit->octets, kit->config.streaming_octets);
  for (uint32_t i = 0; i < kit->config.streaming_octets; i++) {
    kit->octets->data[i] = 'x';
  }
  g_byte_array_append(kit->octets, kit->stream->octets->data, kit->stream->octets->len);
}

/* Octet of the FPDU phase that comes first. */
static uint64_t first_offset(const receiver_kit *kit)
{
  return kit->config.is_midway ? kit->config.long_ago_octets : 0;
}

static void make_ddp(receiver_kit *kit)
{
  const rdmap_config config = {.generation = IWARP_IETF, .identity = identity, .ird = 1, .ord = 1};
  static const rdmap_stream_events events = {
      .received = on_received, .completed = on_completed, .terminated = on_terminated};
  static const ddp_probe probe = {.placed = on_placed};
  rdmap_config with_stags = config;

  with_stags.first_offset = first_offset(kit);
  kit->sink = g_malloc0(kit->payload_octets);
  kit->stags = ddp_stag_table_new(1);
  const ddp_registration registration = {.memory = kit->sink,
                                         .length = kit->payload_octets,
                                         .access = DDP_ACCESS_REMOTE_WRITE,
                                         .owner = identity};
  g_assert_true(ddp_stag_table_register_as(kit->stags, KIT_STAG, &registration));
  with_stags.stags = kit->stags;
  with_stags.probe = &probe;
  with_stags.probe_user = kit;
  kit->rdmap = rdmap_stream_new(&with_stags, &events, kit);
}

receiver_kit *receiver_kit_new(const receiver_kit_config *config, const uint32_t *payloads, guint count)
{
  receiver_kit *kit = g_new0(receiver_kit, 1);

  kit->now = KIT_START_PS;
  kit->transport.class = &transport_class;
  kit->config = *config;
  make_stream(kit, payloads, count);
  make_ddp(kit);
  kit->tcp_config = tcp_config_default();
  kit->tcp_config.passing = config->mode == KIT_IN_ORDER ? TCP_PASSING_IN_ORDER : TCP_PASSING_AS_ARRIVED;
  kit->tcp_events =
      (tcp_events){.inspect = on_inspect, .admit = on_admit, .segment = on_segment, .octets = on_octets};
  kit->tcp = tcp_receiver_new(&kit->tcp_config, KIT_WINDOW_OCTETS, &kit->tcp_events, kit, &kit->tcp_gauges);
  tcp_receiver_start_at(kit->tcp, config->long_ago_octets);
  const rnic_receiver_config receiver = {.tcp = &kit->transport,
                                         .stream = kit->rdmap,
                                         .fpdu_memory = config->fpdu_memory,
                                         .first_offset = first_offset(kit),
                                         .looks_ahead = config->mode != KIT_IN_ORDER,
                                         .assumes_aligned = config->mode == KIT_ASSUME_ALIGNED};
  kit->receiver = g_new(rnic_receiver, 1);
  rnic_receiver_init(kit->receiver, &receiver);
  rnic_receiver_start(kit->receiver, config->markers, config->crc,
                      config->long_ago_octets + config->streaming_octets - first_offset(kit));
  const rnic_admission_config admission = {.memory = config->memory,
                                           .fpdu_descriptors = config->fpdu_descriptors,
                                           .partial_fpdus = config->partial_fpdus,
                                           .silent_drop = config->silent_drop,
                                           .receiver = kit->receiver};
  kit->admission = rnic_admission_new(&admission);
  kit->runs = g_array_new(false, false, sizeof(rnic_new_run));
  g_array_set_clear_func(kit->runs, forget_run);
  return kit;
}

void receiver_kit_free(receiver_kit *kit)
{
  rnic_admission_free(kit->admission);
  rnic_receiver_clear(kit->receiver);
  g_free(kit->receiver);
  tcp_receiver_free(kit->tcp);
  rdmap_stream_free(kit->rdmap);
  ddp_stag_table_free(kit->stags);
  mpa_stream_free(kit->stream);
  g_byte_array_unref(kit->octets);
  g_array_free(kit->runs, true);
  g_free(kit->sink);
  g_free(kit);
}

uint64_t receiver_kit_position(const receiver_kit *kit, guint index)
{
  uint64_t start =
      index < kit->stream->fpdus->len ? mpa_stream_at(kit->stream, index)->start : kit->stream->octets->len;

  return kit->config.streaming_octets + start;
}

rnic_held receiver_kit_held(const receiver_kit *kit)
{
  rnic_held held = {0};

  rnic_receiver_held(kit->receiver, &held);
  g_assert_true(!rnic_receiver_holds_nothing(kit->receiver) ||
                held.incomplete + held.unlocated + held.order + held.processing + held.partial_fpdus == 0);
  return held;
}

static void check_forecast(receiver_kit *kit)
{
  const rnic_held held = receiver_kit_held(kit);
  const rnic_held *expected = &kit->forecast.held;

  g_assert_cmpuint(expected->incomplete, ==, held.incomplete);
  g_assert_cmpuint(expected->unlocated, ==, held.unlocated);
  g_assert_cmpuint(expected->order, ==, held.order);
  g_assert_cmpuint(expected->partial_fpdus, ==, held.partial_fpdus);
  g_assert_cmpuint(kit->forecast.pieces, ==, mpa_deframer_pieces(kit->receiver->deframer));
  kit->forecasts++;
}

/* Octets [from, to) of the stream as a segment brings them. */
static void make_segment(const receiver_kit *kit, uint64_t from, uint64_t to, octet_rope *segment)
{
  uint64_t slice = kit->config.slice_octets > 0 ? kit->config.slice_octets : to - from;

  octet_rope_init(segment);
  for (; from < to; from += slice) {
    octet_rope_append_copy(segment, kit->octets->data + from, (uint32_t)MIN(slice, to - from));
  }
}

bool receiver_kit_arrive(receiver_kit *kit, uint64_t from, uint64_t to)
{
  const rnic_held before = receiver_kit_held(kit);
  octet_rope segment;

  kit->now++;
  make_segment(kit, from, to, &segment);
  int64_t position = (int64_t)(kit->config.long_ago_octets + from);
  bool taken = tcp_receiver_inspect(kit->tcp, position, &segment, kit->now);
  bool is_new = kit->runs->len > 0;
  const rnic_held asked = receiver_kit_held(kit);
  g_assert_cmpmem(&before, sizeof before, &asked, sizeof asked); /* asking changes nothing */
  if (taken) {
    tcp_receiver_receive(kit->tcp, position, &segment, false, kit->now);
    rnic_admission_settle(kit->admission);
    if (is_new) {
      check_forecast(kit);
    }
  }
  kit->taken += taken && is_new;
  kit->refused += !taken;
  g_array_set_size(kit->runs, 0);
  octet_rope_clear(&segment);
  return taken;
}

void receiver_kit_expect_all(const receiver_kit *kit)
{
  const rnic_held held = receiver_kit_held(kit);

  g_assert_cmpuint(kit->tcp_gauges.in_order_edge, ==, kit->config.long_ago_octets + kit->octets->len);
  g_assert_cmpuint(held.incomplete + held.unlocated + held.order, ==, 0);
  g_assert_cmpuint(rdmap_stream_undelivered(kit->rdmap), ==, 0);
  for (uint32_t i = 0; i < kit->payload_octets; i++) {
    g_assert_cmphex(kit->sink[i], ==, payload_octet(i));
  }
}
