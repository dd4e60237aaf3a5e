/* SPDX-License-Identifier: GPL-2.0-only */
#include "case_stream.h"

#include "bad_segment.h"
#include "bare_ulpdu.h"
#include "mpa/mpa_framer.h"
#include "plain_decoder.h"
#include "rdmap/rdmap_stream.h"
#include "stack_cleanup.h"

enum { PEER = 1, SINK_STAG = 0x77, SOURCE_STAG = 0x1000, REQUEST_OCTETS = 18 + 28 };

/* This is the peer. */
typedef struct maker {
  const random_case *c;
  const uint32_t *stags;
  ddp_stag_table *table; /* its own */
  rdmap_stream *stream;
  mpa_framer framer;
  GByteArray *octets;
  uint64_t heard; /* octets of the other direction */
  bad_numbers numbers;
  uint32_t responses;
  uint8_t *memory[CASE_OPERATIONS_MAX]; /* of what it lends for reading */
} maker;

uint32_t case_source_stag(unsigned read)
{
  return SOURCE_STAG + read;
}

/* Returns the payload of operation `index`, made in m->memory. */
static uint8_t *make_payload(maker *m, guint index)
{
  uint32_t length = m->c->operation[index].length;

  m->memory[index] = g_malloc(length + 1);
  for (uint32_t i = 0; i < length; i++) {
    m->memory[index][i] = random_case_payload(index, i);
  }
  return m->memory[index];
}

static octet_slice memory_source(void *user, uint64_t from, uint32_t length)
{
  return (octet_slice){.octets = (const uint8_t *)user + from, .length = length};
}

static void frame(maker *m, const gather_list *ulpdu)
{
  g_auto(buffer_chain) fpdu;
  guint at = m->octets->len;

  buffer_chain_init(&fpdu);
  mpa_framer_frame(&m->framer, ulpdu, &fpdu);
  g_byte_array_set_size(m->octets, at + fpdu.length);
  buffer_chain_copy_out(&fpdu, 0, fpdu.length, m->octets->data + at);
}

/* Drains all that the stream has to send now. */
static void drain(maker *m)
{
  ddp_ulpdu ulpdu;

  while (rdmap_stream_next_ulpdu(m->stream, m->c->mulpdu_octets, &ulpdu, 0)) {
    gather_list octets = ddp_ulpdu_octets(&ulpdu);
    frame(m, &octets);
    rdmap_stream_framed(m->stream, m->octets->len);
  }
}

static void post(maker *m, guint index)
{
  static const rdmap_opcode operations[] = {
      [CASE_WRITE] = RDMAP_WRITE,     [CASE_READ] = RDMAP_READ_REQUEST,
      [CASE_SEND] = RDMAP_SEND,       [CASE_SEND_INVALIDATE] = RDMAP_SEND_INVALIDATE,
      [CASE_SEND_SE] = RDMAP_SEND_SE, [CASE_SEND_SE_INVALIDATE] = RDMAP_SEND_SE_INVALIDATE,
  };
  const case_operation *operation = &m->c->operation[index];
  const rdmap_work work = {.id = index,
                           .operation = operations[operation->kind],
                           .length = operation->length,
                           .source = memory_source,
                           .source_user = make_payload(m, index),
                           .remote_stag = m->stags[operation->region],
                           .remote_offset = case_region_of(operation->region)->base + operation->offset,
                           .local_stag = SINK_STAG,
                           .local_offset = (uint64_t)index << 32};

  g_assert_true(rdmap_stream_post(m->stream, &work));
  drain(m);
  m->numbers.sends += operation->kind >= CASE_SEND;
  m->numbers.requests += operation->kind == CASE_READ;
}

/* The endpoint's Read Request arrives (it may not have been sent yet, but it will be), and is answered. */
static void respond(maker *m, guint index)
{
  const case_operation *operation = &m->c->operation[index];
  uint32_t stag = case_source_stag(m->responses++);
  GByteArray *request = g_byte_array_new();
  buffer_chain octets;

  const ddp_registration registration = {
      .memory = make_payload(m, index),
      .length = operation->length,
      .access = DDP_ACCESS_REMOTE_READ,
      .owner = {.stream_id = PEER, .protection_domain = PEER},
  };
  g_assert_true(ddp_stag_table_register_as(m->table, stag, &registration));
  bad_segment_append_request(request, m->c->generation, m->responses, m->stags[operation->region],
                             case_region_of(operation->region)->base + operation->offset, operation->length,
                             stag, 0);
  const mpa_ulpdu_part part = {.length = request->len};
  buffer_chain_init(&octets);
  buffer_chain_append(&octets, request->data, request->len, NULL);
  mpa_ulpdu ulpdu = bare_ulpdu(m->heard, m->heard + REQUEST_OCTETS, &octets);
  ulpdu.parts = &part;
  ulpdu.part_count = 1;
  m->heard += REQUEST_OCTETS;
  rdmap_stream_receive(m->stream, &ulpdu, 0);
  buffer_chain_clear(&octets);
  g_byte_array_unref(request);
  drain(m);
}

static void append_by_hand(maker *m, guint index)
{
  const case_operation *operation = &m->c->operation[index];
  GByteArray *segment = bad_segment_new(m->c, index, &m->numbers, m->stags);
  guint start = m->octets->len;
  const octet_slice octets = {.octets = segment->data, .length = segment->len};

  frame(m, &(gather_list){.slices = &octets, .slice_count = 1, .length = octets.length});
  g_byte_array_unref(segment);
  if (operation->kind == CASE_BAD && operation->bad == BAD_CRC) {
    m->octets->data[m->octets->len - 1] ^= 0x10;
  } else if (operation->kind == CASE_BAD && operation->bad == BAD_MARKER && m->c->markers) {
    /* The first marker inside the FPDU at `start` points elsewhere. */
    guint marker = (start / 512 + 1) * 512;
    m->octets->data[marker + 3] ^= (uint8_t)(4 << operation->length % 6);
    plain_repair_crc(m->octets->data + start, m->octets->len - start);
  }
}

static void on_completed(G_GNUC_UNUSED void *user, G_GNUC_UNUSED const rdmap_completion *completion,
                         G_GNUC_UNUSED time_ps now)
{
}

static void on_terminated(G_GNUC_UNUSED void *user, const rdmap_terminate *terminate,
                          G_GNUC_UNUSED bool by_peer, G_GNUC_UNUSED time_ps now)
{
  g_error("the peer's own stream ended with %u/%u/%02x", terminate->error.layer, terminate->error.type,
          terminate->error.code);
}

static void open_stream(maker *m)
{
  static const rdmap_stream_events events = {.completed = on_completed, .terminated = on_terminated};
  const rdmap_config config = {.generation = m->c->generation,
                               .identity = {.stream_id = PEER, .protection_domain = PEER},
                               .stags = m->table,
                               .ird = CASE_DEPTH,
                               .ord = CASE_DEPTH};

  m->stream = rdmap_stream_new(&config, &events, m);
}

GByteArray *case_stream_make(const random_case *c, const uint32_t stags[CASE_REGIONS])
{
  maker m = {.c = c,
             .stags = stags,
             .table = ddp_stag_table_new(1),
             .framer = {.markers = c->markers, .crc = c->crc},
             .octets = g_byte_array_new()};

  open_stream(&m);
  for (guint i = 0; i < c->operations; i++) {
    switch (c->operation[i].kind) {
    case CASE_RESPONSE:
      respond(&m, i);
      break;
    case CASE_TERMINATE:
    case CASE_BAD:
      append_by_hand(&m, i);
      break;
    default:
      post(&m, i);
      break;
    }
  }
  rdmap_stream_free(m.stream);
  ddp_stag_table_free(m.table);
  for (guint i = 0; i < c->operations; i++) {
    g_free(m.memory[i]);
  }
  return m.octets;
}
