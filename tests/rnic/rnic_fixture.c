/* SPDX-License-Identifier: GPL-2.0-only */
#include "rnic_fixture.h"
#include "stack_cleanup.h"

#include <string.h>

enum { DELAY_US = 10, WIRE_PORT = 5044 };

static const char *const names[RDMAP_OPERATIONS] = {"write",           "read",    "send",
                                                    "send-invalidate", "send-se", "send-se-invalidate"};

typedef struct flight {
  datagram *packet;
  unsigned to;
  time_ps at;
} flight;

typedef struct memory {
  uint8_t *octets; /* guards and all */
  size_t length;   /* without them */
} memory;

/* --- What the ULPs are told --- */

/* What is told happens now. */
static void check_time(const fixture_side *s, time_ps now)
{
  g_assert_cmpint(now, ==, s->fixture->now);
}

static void note(fixture_side *s, const rnic_completion *completion)
{
  const char *separator = s->completions->len > 0 ? ", " : "";

  if (completion->is_receive) {
    g_string_append_printf(s->completions,
                           "%sreceived %" G_GUINT64_FORMAT " (%" G_GUINT64_FORMAT " octets)%s%s", separator,
                           completion->id, completion->octets, completion->solicited ? " solicited" : "",
                           completion->invalidated ? " invalidated" : "");
  } else {
    g_string_append_printf(s->completions, "%s%s %" G_GUINT64_FORMAT "%s", separator,
                           names[completion->operation], completion->id,
                           completion->in_error ? " in error" : "");
  }
}

static void on_completion(void *user, rnic_endpoint *endpoint, time_ps now)
{
  fixture_side *s = user;
  rnic_completion completion;

  check_time(s, now);
  s->notified++;
  while (!s->leaves_completions && rnic_poll(endpoint, &completion)) {
    note(s, &completion);
  }
}

static void on_private_data(void *user, const uint8_t *octets, uint32_t length, time_ps now)
{
  fixture_side *s = user;

  check_time(s, now);
  s->private_data_told++;
  g_string_append_len(s->private_data, (const char *)octets, length);
}

static void on_placed(void *user, ddp_segment *segment, const mpa_ulpdu *ulpdu, time_ps now)
{
  fixture_side *s = user;
  (void)segment;

  check_time(s, now);
  for (size_t i = 0; i < ulpdu->part_count; i++) {
    g_assert_cmpint(ulpdu->parts[i].arrival, >=, KIT_START_PS);
    g_assert_cmpint(ulpdu->parts[i].arrival, <=, now);
  }
  s->placed++;
  s->placed_after_failure += s->failed > 0;
}

static void on_delivered(void *user, const ddp_segment *segment, time_ps now)
{
  fixture_side *s = user;
  (void)segment;

  check_time(s, now);
  s->delivered++;
  s->placed_after_failure += s->failed > 0;
}

static void on_segment(void *user, int64_t phase_offset, uint32_t length, uint32_t new_octets,
                       bool out_of_order, time_ps now)
{
  fixture_side *s = user;
  (void)length;
  (void)new_octets;
  (void)out_of_order;

  check_time(s, now);
  if (phase_offset >= 0 && s->segments++ == 0) {
    s->first_segment = phase_offset;
  }
}

static void on_retransmitted(void *user, int64_t phase_offset, uint32_t length, time_ps now)
{
  fixture_side *s = user;
  (void)length;

  check_time(s, now);
  if (s->retransmissions++ == 0) {
    s->first_retransmitted = phase_offset;
  }
}

static void on_half_closed(void *user, time_ps now)
{
  fixture_side *s = user;

  check_time(s, now);
  s->finished++;
  if (s->closes_when_finished) {
    rnic_endpoint_close(s->endpoint);
  }
}

static void on_closed(void *user, time_ps now)
{
  fixture_side *s = user;

  check_time(s, now);
  s->closed++;
}

static void on_failed(void *user, const rnic_failure *failure, time_ps now)
{
  fixture_side *s = user;

  check_time(s, now);
  if (s->failed++ == 0) {
    s->failed_at = now - KIT_START_PS;
    s->failure = *failure;
    s->code = rnic_failure_code(failure);
    s->has_terminate = failure->terminate != NULL;
    if (failure->terminate) {
      s->terminate = *failure->terminate;
    }
    s->octets_when_failed = s->wire->len;
  }
}

/* --- The fixture --- */

static rnic_endpoint_config default_config(rnic_host *host, unsigned side)
{
  bool initiator = side == SIDE_INITIATOR;
  rnic_endpoint_config config = rnic_endpoint_config_default(side);

  config.tcp.local_address = ip_address_v4(side + 1);
  config.tcp.remote_address = ip_address_v4(2 - side);
  config.tcp.local_port = initiator ? 1001 : WIRE_PORT;
  config.tcp.remote_port = initiator ? WIRE_PORT : 1001;
  config.tcp.isn = KIT_ISN;
  config.host = host;
  config.protection_domain = rnic_host_protection_domain_new(host);
  config.private_data_capacity_octets = 512;
  config.rdmap.ird = 2;
  config.rdmap.ord = 2;
  return config;
}

static void memory_free(gpointer data)
{
  g_autofree memory *m = data;

  for (size_t i = 0; i < KIT_GUARD_OCTETS; i++) {
    g_assert_cmphex(m->octets[i], ==, KIT_UNTOUCHED);
    g_assert_cmphex(m->octets[KIT_GUARD_OCTETS + m->length + i], ==, KIT_UNTOUCHED);
  }
  g_free(m->octets);
}

rnic_fixture *rnic_fixture_new(void)
{
  rnic_fixture *fixture = g_new0(rnic_fixture, 1);

  fixture->now = KIT_START_PS;
  fixture->flying = g_queue_new();
  for (unsigned side = 0; side < SIDES; side++) {
    fixture_side *s = &fixture->sides[side];
    s->fixture = fixture;
    s->host = rnic_host_new(side + 1);
    s->config = default_config(s->host, side);
    s->completions = g_string_new(NULL);
    s->private_data = g_string_new(NULL);
    s->wire = g_byte_array_new();
    s->memories = g_ptr_array_new_with_free_func(memory_free);
    s->closes_when_finished = true;
  }
  return fixture;
}

void rnic_fixture_set_generation(rnic_fixture *fixture, iwarp_generation generation)
{
  fixture->sides[SIDE_INITIATOR].config.generation = generation;
  fixture->sides[SIDE_RESPONDER].config.generation = generation;
}

void rnic_fixture_create(rnic_fixture *fixture)
{
  static const rnic_endpoint_events events = {.completion = on_completion,
                                              .private_data = on_private_data,
                                              .probe.placed = on_placed,
                                              .probe.delivered = on_delivered,
                                              .segment = on_segment,
                                              .retransmitted = on_retransmitted,
                                              .probe.half_closed = on_half_closed,
                                              .closed = on_closed,
                                              .failed = on_failed};
  static const rnic_endpoint_events none;

  for (unsigned side = 0; side < SIDES; side++) {
    fixture_side *s = &fixture->sides[side];
    bool rdmac = s->config.generation == IWARP_RDMAC;
    s->endpoint = rnic_endpoint_new(&s->config, s->hears_nothing ? &none : &events, s);
    s->first_fpdu = s->config.streaming_octets_sent + (rdmac ? 0 : 20 + s->config.private_data_octets);
    s->markers = rdmac || fixture->sides[1 - side].config.markers;
  }
}

void rnic_fixture_start(rnic_fixture *fixture)
{
  if (!fixture->sides[SIDE_INITIATOR].endpoint) {
    rnic_fixture_create(fixture);
  }
  rnic_endpoint_start(fixture->sides[SIDE_RESPONDER].endpoint, fixture->now);
  rnic_endpoint_start(fixture->sides[SIDE_INITIATOR].endpoint, fixture->now);
}

/* --- The wire --- */

static void record(rnic_fixture *fixture, fixture_side *s, const datagram *packet)
{
  uint32_t length = packet->payload.length;
  tcp_header header;

  g_assert_true(datagram_tcp_header(packet, &header));
  if (header.flags & TCP_FIN && !s->fin) {
    s->fin = true;
    s->fin_at = fixture->now - KIT_START_PS;
  }
  if (header.flags & TCP_RST && !s->rst) {
    s->rst = true;
    s->rst_at = fixture->now - KIT_START_PS;
  }
  if (length > 0) {
    uint32_t position = header.sequence - (uint32_t)KIT_ISN - 1;
    if (s->wire->len < position + length) {
      g_byte_array_set_size(s->wire, position + length);
    }
    buffer_chain_copy_out(&packet->payload, 0, length, s->wire->data + position);
  }
}

static bool is_lost(rnic_fixture *fixture, unsigned from, const datagram *packet)
{
  fixture_side *s = &fixture->sides[from];
  bool in_mask = false;

  if (packet->payload.length > 0) {
    in_mask = s->packets < 64 && (s->lost >> s->packets & 1);
    s->packets++;
  }
  return in_mask || (fixture->loses && fixture->loses(fixture, from, packet));
}

static bool send_all(rnic_fixture *fixture, unsigned from)
{
  fixture_side *s = &fixture->sides[from];
  bool any = false;
  datagram *packet;

  while ((packet = rnic_endpoint_transmit(s->endpoint, fixture->now))) {
    any = true;
    record(fixture, s, packet);
    if (is_lost(fixture, from, packet)) {
      datagram_unref(packet);
      continue;
    }
    flight *f = g_new(flight, 1);
    *f = (flight){packet, 1 - from, fixture->now + DELAY_US * TIME_PS_PER_MICROSECOND};
    g_queue_push_tail(fixture->flying, f);
  }
  return any;
}

static time_ps next_event(const rnic_fixture *fixture)
{
  const flight *first = g_queue_peek_head(fixture->flying);
  time_ps due = first ? first->at : TIME_PS_NEVER;

  for (unsigned side = 0; side < SIDES; side++) {
    due = time_ps_earlier(due, rnic_endpoint_deadline(fixture->sides[side].endpoint));
  }
  return due;
}

void rnic_fixture_run(rnic_fixture *fixture, time_ps span)
{
  time_ps until = fixture->now + span;

  for (;;) {
    send_all(fixture, SIDE_INITIATOR);
    send_all(fixture, SIDE_RESPONDER);
    time_ps due = next_event(fixture);
    if (due > until) {
      break;
    }
    g_assert_cmpint(due, >=, fixture->now); /* nothing is ever due in the past: no end can spin */
    fixture->now = due;
    const flight *first = g_queue_peek_head(fixture->flying);
    if (first && first->at == due) {
      g_autofree flight *f = g_queue_pop_head(fixture->flying);
      rnic_endpoint_receive(fixture->sides[f->to].endpoint, f->packet, fixture->now);
      datagram_unref(f->packet);
    }
    for (unsigned side = 0; side < SIDES; side++) {
      if (rnic_endpoint_deadline(fixture->sides[side].endpoint) <= fixture->now) {
        rnic_endpoint_run(fixture->sides[side].endpoint, fixture->now);
      }
    }
  }
  fixture->now = until;
}

void rnic_fixture_start_and_run(rnic_fixture *fixture, time_ps span)
{
  rnic_fixture_start(fixture);
  rnic_fixture_run(fixture, span);
}

void rnic_fixture_forge(rnic_fixture *fixture, uint32_t position, const void *octets, uint32_t length,
                        uint8_t flags)
{
  const fixture_side *responder = &fixture->sides[SIDE_RESPONDER];
  tcp_header header = {.source_port = responder->config.tcp.remote_port,
                       .destination_port = responder->config.tcp.local_port,
                       .sequence = (uint32_t)KIT_ISN + (flags & TCP_SYN ? 0 : 1) + position,
                       .acknowledgement = (uint32_t)KIT_ISN + 1 + responder->wire->len,
                       .flags = flags,
                       .window = 65535};
  buffer_chain payload;

  buffer_chain_init(&payload);
  if (length > 0) {
    buffer_chain_append(&payload, octets, length, NULL);
  }
  g_autoptr(datagram) packet = datagram_new_in(NULL, &responder->config.tcp.remote_address,
                                               &responder->config.tcp.local_address, &header, &payload);
  rnic_endpoint_receive(responder->endpoint, packet, fixture->now);
}

static void flight_free(gpointer data)
{
  g_autofree flight *f = data;

  datagram_unref(f->packet);
}

void rnic_fixture_free(rnic_fixture *fixture)
{
  g_queue_free_full(fixture->flying, flight_free);
  for (unsigned side = 0; side < SIDES; side++) {
    fixture_side *s = &fixture->sides[side];
    rnic_endpoint_free(s->endpoint);
    rnic_host_free(s->host);
    g_string_free(s->completions, TRUE);
    g_string_free(s->private_data, TRUE);
    g_byte_array_unref(s->wire);
    g_ptr_array_unref(s->memories);
    g_free(s->code);
  }
  g_free(fixture);
}

/* --- Memory and work --- */

uint8_t *rnic_fixture_memory(rnic_fixture *fixture, unsigned side, size_t octets)
{
  memory *m = g_new(memory, 1);

  m->length = octets;
  m->octets = g_malloc(octets + 2 * (size_t)KIT_GUARD_OCTETS);
  memset(m->octets, KIT_UNTOUCHED, octets + 2 * (size_t)KIT_GUARD_OCTETS);
  g_ptr_array_add(fixture->sides[side].memories, m);
  return m->octets + KIT_GUARD_OCTETS;
}

bool rnic_fixture_is_untouched(const uint8_t *octets, size_t length)
{
  for (size_t i = 0; i < length; i++) {
    if (octets[i] != KIT_UNTOUCHED) {
      return false;
    }
  }
  return true;
}

uint8_t *rnic_fixture_register(rnic_fixture *fixture, unsigned side, uint64_t base, size_t octets,
                               uint32_t *stag)
{
  rnic_memory m = {.octets = rnic_fixture_memory(fixture, side, octets),
                   .length = octets,
                   .base = base,
                   .access = DDP_ACCESS_REMOTE_READ | DDP_ACCESS_REMOTE_WRITE,
                   .association = DDP_ASSOCIATED_BY_PROTECTION_DOMAIN,
                   .is_remotely_invalidatable = true};

  *stag = rnic_allocate_stag(fixture->sides[side].endpoint);
  g_assert_true(rnic_register_as(fixture->sides[side].endpoint, &m, *stag));
  return m.octets;
}

uint8_t *rnic_fixture_post_receive(rnic_fixture *fixture, unsigned side, size_t octets, uint64_t id)
{
  uint8_t *buffer = rnic_fixture_memory(fixture, side, octets);

  ddp_untagged_queue_post(rdmap_stream_queue_of(fixture->sides[side].endpoint->stream, RDMAP_QUEUE_SEND),
                          buffer, octets, id);
  return buffer;
}

static const char alphabet[] = "abcdefghijklmnopqrstuvwxyz";

static void payload_source(void *user, uint64_t from, uint32_t length, buffer_chain *chain)
{
  (void)user;

  while (length > 0) {
    uint32_t at = (uint32_t)(from % 26);
    uint32_t part = MIN(26 - at, length);
    buffer_chain_append(chain, (const uint8_t *)alphabet + at, part, NULL);
    from += part;
    length -= part;
  }
}

bool rnic_fixture_post_work(rnic_fixture *fixture, unsigned side, rdmap_work work)
{
  work.source = payload_source;
  return rnic_post(fixture->sides[side].endpoint, &work);
}

bool rnic_fixture_is_payload(const uint8_t *octets, size_t length)
{
  for (size_t i = 0; i < length; i++) {
    if (octets[i] != (uint8_t)alphabet[i % 26]) {
      return false;
    }
  }
  return true;
}

/* --- Reading the wire --- */

/* The octets of the FPDU phase without its markers: 4 at each multiple of 512 (mpa-01 §4.1). */
static GByteArray *without_markers(const fixture_side *s)
{
  GByteArray *plain = g_byte_array_new();

  for (uint64_t at = s->first_fpdu; at < s->wire->len; at++) {
    if (!s->markers || (at - s->first_fpdu) % 512 >= 4) {
      g_byte_array_append(plain, s->wire->data + at, 1);
    }
  }
  return plain;
}

GPtrArray *rnic_fixture_ulpdus(const rnic_fixture *fixture, unsigned side, bool *intact)
{
  g_autoptr(GByteArray) plain = without_markers(&fixture->sides[side]);
  GPtrArray *ulpdus = g_ptr_array_new_with_free_func((GDestroyNotify)g_byte_array_unref);
  size_t at = 0;

  while (at + 2 <= plain->len) {
    size_t length = (size_t)plain->data[at] << 8 | plain->data[at + 1];
    size_t padded = (2 + length + 3) / 4 * 4;
    if (at + padded + 4 > plain->len) {
      break;
    }
    GByteArray *ulpdu = g_byte_array_new();
    g_byte_array_append(ulpdu, plain->data + at + 2, (guint)length);
    g_ptr_array_add(ulpdus, ulpdu);
    at += padded + 4;
  }
  if (intact) {
    *intact = at == plain->len;
  }
  return ulpdus;
}

char *rnic_fixture_terminate(const rnic_fixture *fixture, unsigned side)
{
  GPtrArray *ulpdus = rnic_fixture_ulpdus(fixture, side, NULL);
  GString *hex = g_string_new(NULL);
  int found = 0;

  for (guint i = 0; i < ulpdus->len; i++) {
    const GByteArray *ulpdu = g_ptr_array_index(ulpdus, i);
    /* T=0 and opcode 7 (rdmap-00 §6.1) */
    if (ulpdu->len >= 18 && !(ulpdu->data[0] & 0x80) && (ulpdu->data[1] & 0x0F) == 7) {
      found++;
      for (guint j = 18; j < ulpdu->len; j++) {
        g_string_append_printf(hex, "%02X", ulpdu->data[j]);
      }
    }
  }
  g_ptr_array_unref(ulpdus);
  if (found > 1) {
    g_string_assign(hex, "several");
  }
  return g_string_free(hex, FALSE);
}

rdmap_work rnic_fixture_send_of(uint32_t length)
{
  return (rdmap_work){.id = 1, .operation = RDMAP_OPERATION_SEND, .length = length};
}

bool rnic_fixture_loses_everything(rnic_fixture *f, unsigned from, const datagram *packet)
{
  (void)f;
  (void)from;
  (void)packet;

  return true;
}
