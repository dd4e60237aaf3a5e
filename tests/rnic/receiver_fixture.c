/* SPDX-License-Identifier: GPL-2.0-only */
#include "receiver_fixture.h"

#include "ddp/ddp_header.h"

enum { STAG = 0x1234567, WINDOW_OCTETS = 1 << 20, WRITE_CONTROL = 0x40 /* RDMAP 1, opcode 0 */ };

static const ddp_stream_identity identity = {.stream_id = 1, .protection_domain = 1};

/* --- What TCP holds --- */

static uint64_t kit_held_octets_below(const tcp_transport *transport, uint64_t position)
{
  return tcp_receiver_held_octets_below(((const receiver_fixture *)transport)->tcp, position);
}

static const reassembly_queue *kit_held(tcp_transport *transport)
{
  return tcp_receiver_held(((receiver_fixture *)transport)->tcp);
}

static const tcp_transport_class transport_class = {.held_octets_below = kit_held_octets_below,
                                                    .held = kit_held};

/* --- What TCP reports --- */

static void forget_run(gpointer data)
{
  buffer_chain_clear(&((rnic_new_run *)data)->octets);
}

static bool on_inspect(void *user, uint64_t position, const buffer_chain *octets, G_GNUC_UNUSED time_ps now)
{
  receiver_fixture *f = user;
  rnic_new_run run = {.position = position};
  buffer_chain_append_chain(&run.octets, octets, 0, octets->length);
  g_array_append_val(f->runs, run);
  return rnic_admission_inspect(f->admission, position, octets);
}

static bool on_admit(void *user, uint64_t position, tcp_beyond then, G_GNUC_UNUSED time_ps now)
{
  receiver_fixture *f = user;
  f->admissions++;
  f->dry_run =
      rnic_receiver_dry_run(f->receiver, (const rnic_new_run *)f->runs->data, f->runs->len, position);
  return rnic_admission_admit(f->admission, position, then);
}

static void on_segment(void *user, uint64_t position, G_GNUC_UNUSED uint32_t length,
                       G_GNUC_UNUSED uint32_t new_octets, G_GNUC_UNUSED uint64_t in_order_edge,
                       G_GNUC_UNUSED time_ps now)
{
  (((receiver_fixture *)user)->receiver)->segment_position = position;
}

static void on_octets(void *user, uint64_t position, const buffer_chain *octets, time_ps arrival, time_ps now)
{
  rnic_receiver_receive(((receiver_fixture *)user)->receiver, position, octets, arrival, now);
}

/* --- What RDMAP reports: nothing bad may happen --- */

static void on_placed(void *user, G_GNUC_UNUSED ddp_segment *segment, const mpa_ulpdu *ulpdu, time_ps now)
{
  const receiver_fixture *f = user;
  g_assert_cmpint(now, ==, f->now);
  for (size_t i = 0; i < ulpdu->part_count; i++) {
    g_assert_cmpint(ulpdu->parts[i].arrival, >, START_PS);
    g_assert_cmpint(ulpdu->parts[i].arrival, <=, now);
  }
}

static void on_completed(G_GNUC_UNUSED void *user, G_GNUC_UNUSED const rdmap_completion *completion,
                         G_GNUC_UNUSED time_ps now)
{
  g_assert_not_reached();
}

static void on_terminated(G_GNUC_UNUSED void *user, G_GNUC_UNUSED const rdmap_terminate *terminate,
                          G_GNUC_UNUSED bool by_peer, G_GNUC_UNUSED time_ps now)
{
  g_assert_not_reached();
}

/* --- The fixture --- */

static uint8_t payload_octet(uint64_t offset)
{
  return (uint8_t)(1 + offset % 251);
}

static void append_write(receiver_fixture *f, uint32_t payload_octets)
{
  const ddp_header header = {.tagged = true,
                             .last = true,
                             .version = 1,
                             .ulp_control = WRITE_CONTROL,
                             .stag = STAG,
                             .tagged_offset = f->payload_octets};
  g_autofree uint8_t *ulpdu = g_malloc(DDP_TAGGED_HEADER_OCTETS + payload_octets);

  g_assert_cmpuint(ddp_header_encode(&header, ulpdu), ==, DDP_TAGGED_HEADER_OCTETS);
  for (uint32_t i = 0; i < payload_octets; i++) {
    ulpdu[DDP_TAGGED_HEADER_OCTETS + i] = payload_octet(f->payload_octets + i);
  }
  mpa_stream_append(f->stream, ulpdu, DDP_TAGGED_HEADER_OCTETS + payload_octets);
  f->payload_octets += payload_octets;
}

static void make_stream(receiver_fixture *f, const uint32_t *payloads, guint count)
{
  f->stream = mpa_stream_begin(f->config.markers, f->config.crc);
  for (guint i = 0; i < count; i++) {
    append_write(f, payloads[i]);
  }
  f->octets = g_byte_array_new();
  g_byte_array_set_size(f->octets, f->config.streaming_octets);
  for (uint32_t i = 0; i < f->config.streaming_octets; i++) {
    f->octets->data[i] = 'x';
  }
  g_byte_array_append(f->octets, f->stream->octets->data, f->stream->octets->len);
}

/* Octet of the FPDU phase that comes first. */
static uint64_t first_offset(const receiver_fixture *f)
{
  return f->config.is_midway ? f->config.long_ago_octets : 0;
}

static void make_ddp(receiver_fixture *f)
{
  static const rdmap_stream_events events = {.completed = on_completed, .terminated = on_terminated};
  static const ddp_probe probe = {.placed = on_placed};
  f->sink = g_malloc0(f->payload_octets);
  f->stags = ddp_stag_table_new(1);
  const ddp_registration registration = {
      .memory = f->sink, .length = f->payload_octets, .access = DDP_ACCESS_REMOTE_WRITE, .owner = identity};
  g_assert_true(ddp_stag_table_register_as(f->stags, STAG, &registration));
  const rdmap_config config = {.generation = IWARP_IETF,
                               .identity = identity,
                               .ird = 1,
                               .ord = 1,
                               .beginning = &f->beginning,
                               .stags = f->stags,
                               .probe = &probe,
                               .probe_user = f};
  f->beginning.offset = first_offset(f);
  f->rdmap = rdmap_stream_new(&config, &events, f);
}

receiver_fixture *receiver_fixture_new(const receiver_fixture_config *config, const uint32_t *payloads,
                                       guint count)
{
  receiver_fixture *f = g_new0(receiver_fixture, 1);

  f->now = START_PS;
  f->transport.class = &transport_class;
  f->config = *config;
  make_stream(f, payloads, count);
  make_ddp(f);
  f->tcp_config = tcp_config_default();
  f->tcp_config.passing = config->mode == IN_ORDER ? TCP_PASSING_IN_ORDER : TCP_PASSING_AS_ARRIVED;
  f->tcp_events =
      (tcp_events){.inspect = on_inspect, .admit = on_admit, .segment = on_segment, .octets = on_octets};
  f->tcp = g_new(tcp_receiver, 1);
  tcp_receiver_init(f->tcp, &f->tcp_config, WINDOW_OCTETS, 0, &f->tcp_events, f, &f->transport.gauges);
  tcp_receiver_start_at(f->tcp, config->long_ago_octets);
  const rnic_receiver_config receiver = {.tcp = &f->transport,
                                         .stream = f->rdmap,
                                         .fpdu_memory = config->fpdu_memory,
                                         .looks_ahead = config->mode != IN_ORDER,
                                         .assumes_aligned = config->mode == ASSUME_ALIGNED};
  f->receiver = g_new(rnic_receiver, 1);
  rnic_receiver_init(f->receiver, &receiver, 0);
  rnic_receiver_start(f->receiver, config->markers, config->crc,
                      config->long_ago_octets + config->streaming_octets - first_offset(f));
  const rnic_admission_config admission = {.memory = config->memory,
                                           .limits = config->limits,
                                           .silent_drop = config->silent_drop,
                                           .receiver = f->receiver};
  f->admission = rnic_admission_new(&admission);
  f->runs = g_array_new(false, false, sizeof(rnic_new_run));
  g_array_set_clear_func(f->runs, forget_run);
  return f;
}

void receiver_fixture_free(receiver_fixture *f)
{
  rnic_admission_free(f->admission);
  rnic_receiver_clear(f->receiver);
  g_free(f->receiver);
  tcp_receiver_clear(f->tcp);
  g_free(f->tcp);
  rdmap_stream_free(f->rdmap);
  ddp_stag_table_free(f->stags);
  mpa_stream_free(f->stream);
  g_byte_array_unref(f->octets);
  g_array_free(f->runs, true);
  g_free(f->sink);
  g_free(f);
}

uint64_t position_of(const receiver_fixture *f, guint index)
{
  uint64_t start =
      index < f->stream->fpdus->len ? mpa_stream_at(f->stream, index)->start : f->stream->octets->len;

  return f->config.streaming_octets + start;
}

rnic_occupancy held_now(const receiver_fixture *f)
{
  rnic_occupancy held = {0};

  rnic_receiver_held(f->receiver, &held);
  g_assert_true(!rnic_receiver_holds_nothing(f->receiver) || tcp_receiver_beyond(f->tcp).ranges > 0 ||
                held.incomplete + held.unlocated + held.order + held.processing + held.partial_fpdus == 0);
  return held;
}

bool arrive(receiver_fixture *f, uint64_t from, uint64_t to)
{
  const rnic_occupancy before = held_now(f);
  g_auto(buffer_chain) segment;

  f->now++;
  buffer_chain_init(&segment);
  uint64_t slice = f->config.slice_octets > 0 ? f->config.slice_octets : to - from;
  for (uint64_t at = from; at < to; at += slice) {
    buffer_chain_append_copy(&segment, f->octets->data + at, (uint32_t)MIN(slice, to - at));
  }
  int64_t position = (int64_t)(f->config.long_ago_octets + from);
  bool taken = tcp_receiver_inspect(f->tcp, position, &segment, f->now);
  bool is_new = f->runs->len > 0;
  const rnic_occupancy asked = held_now(f);
  g_assert_cmpmem(&before, sizeof before, &asked, sizeof asked); /* asking changes nothing */
  if (taken) {
    tcp_receiver_receive(f->tcp, position, &segment, 0, f->now);
    rnic_admission_settle(f->admission);
    if (is_new) {
      const rnic_occupancy held = held_now(f);
      const rnic_occupancy *expected = &f->dry_run.held;
      EXPECT_FIELDS(expected, (incomplete, held.incomplete), (unlocated, held.unlocated), (order, held.order),
                    (partial_fpdus, held.partial_fpdus));
      g_assert_cmpuint(f->dry_run.pieces, ==, mpa_deframer_pieces(f->receiver->deframer));
      f->dry_runs++;
    }
  }
  f->taken += taken && is_new;
  f->refused += !taken;
  g_array_set_size(f->runs, 0);
  return taken;
}

void assert_all_placed(const receiver_fixture *f)
{
  const rnic_occupancy held = held_now(f);

  g_assert_cmpuint(f->transport.gauges.in_order_edge, ==, f->config.long_ago_octets + f->octets->len);
  g_assert_cmpuint(held.incomplete + held.unlocated + held.order, ==, 0);
  g_assert_cmpuint(rdmap_stream_undelivered(f->rdmap), ==, 0);
  for (uint32_t i = 0; i < f->payload_octets; i++) {
    g_assert_cmphex(f->sink[i], ==, payload_octet(i));
  }
}
