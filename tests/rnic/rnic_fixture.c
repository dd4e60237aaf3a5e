/* SPDX-License-Identifier: GPL-2.0-only */
#include "rnic_fixture.h"

enum { DELAY_US = 10, WIRE_PORT = 5044 };

static const char *const names[] = {
    [RDMAP_WRITE] = "write",
    [RDMAP_READ_REQUEST] = "read",
    [RDMAP_SEND] = "send",
    [RDMAP_SEND_INVALIDATE] = "send-invalidate",
    [RDMAP_SEND_SE] = "send-se",
    [RDMAP_SEND_SE_INVALIDATE] = "send-se-invalidate",
    [RDMAP_IMMEDIATE] = "immediate",
    [RDMAP_IMMEDIATE_SE] = "immediate-se",
    [RDMAP_ATOMIC_REQUEST] = "atomic",
};

typedef struct flight {
  datagram *packet;
  const fixture_side *to;
  time_ps at;
} flight;

typedef struct memory {
  uint8_t *octets; /* guards and all */
  size_t length;   /* without them */
} memory;

/* --- What the ULPs receive --- */

/* The user `u` of an event, whose clock shows `now`. */
static fixture_side *side_at(void *u, time_ps now)
{
  fixture_side *s = u;
  g_assert_cmpint(now, ==, s->fixture->now);
  return s;
}

static void note(fixture_side *s, const rdmap_completion *completion)
{
  g_string_append(s->completions, s->completions->len > 0 ? ", " : "");
  if (completion->is_receive) {
    g_string_append_printf(s->completions,
                           "received %" G_GUINT64_FORMAT " (%" G_GUINT64_FORMAT " octets)%s%s",
                           completion->id, completion->octets, completion->solicited ? " solicited" : "",
                           completion->invalidated ? " invalidated" : "");
  } else {
    g_string_append_printf(s->completions, "%s %" G_GUINT64_FORMAT "%s", names[completion->operation],
                           completion->id, completion->in_error ? " in error" : "");
  }
}

static void on_completion(void *user, rnic_endpoint *endpoint, time_ps now)
{
  fixture_side *s = side_at(user, now);
  rdmap_completion completion;
  s->notified++;
  while (!s->leaves_completions && rnic_poll(endpoint, &completion)) {
    note(s, &completion);
  }
}

static void on_private_data(void *user, const uint8_t *octets, uint32_t length,
                            const mpa_agreement *agreement, time_ps now)
{
  fixture_side *s = side_at(user, now);
  s->private_data_received++;
  s->agreement = *agreement;
  g_string_append_len(s->private_data, (const char *)octets, length);
}

static void on_placed(void *user, G_GNUC_UNUSED ddp_segment *segment, const mpa_ulpdu *ulpdu, time_ps now)
{
  fixture_side *s = side_at(user, now);
  for (size_t i = 0; i < ulpdu->part_count; i++) {
    g_assert_cmpint(ulpdu->parts[i].arrival, >=, START_PS);
    g_assert_cmpint(ulpdu->parts[i].arrival, <=, now);
  }
  s->placed++;
  s->placed_after_failure += s->failed > 0;
}

static void on_delivered(void *user, G_GNUC_UNUSED const ddp_segment *segment, time_ps now)
{
  fixture_side *s = side_at(user, now);
  s->delivered++;
  s->placed_after_failure += s->failed > 0;
}

static void on_segment(void *user, int64_t phase_offset, G_GNUC_UNUSED uint32_t length,
                       G_GNUC_UNUSED uint32_t new_octets, G_GNUC_UNUSED bool out_of_order, time_ps now)
{
  fixture_side *s = side_at(user, now);
  if (phase_offset >= 0 && s->segments++ == 0) {
    s->first_segment = phase_offset;
  }
}

static void on_retransmitted(void *user, int64_t phase_offset, G_GNUC_UNUSED uint32_t length, time_ps now)
{
  fixture_side *s = side_at(user, now);
  if (s->retransmissions++ == 0) {
    s->first_retransmitted = phase_offset;
  }
}

static void on_half_closed(void *user, time_ps now)
{
  fixture_side *s = side_at(user, now);
  s->finished++;
  if (s->closes_when_finished) {
    rnic_endpoint_close(s->endpoint);
  }
}

static void on_closed(void *user, time_ps now)
{
  side_at(user, now)->closed++;
}

static void on_failed(void *user, const rnic_failure *failure, time_ps now)
{
  fixture_side *s = side_at(user, now);
  if (s->failed++ == 0) {
    s->failed_at = now - START_PS;
    s->failure = *failure;
    s->code = rnic_failure_code(failure);
    s->has_terminate = failure->terminate != NULL;
    if (failure->terminate) {
      s->terminate = *failure->terminate;
    }
  }
}

const rnic_endpoint_events rnic_fixture_events = {.completion = on_completion,
                                                  .private_data = on_private_data,
                                                  .probe.placed = on_placed,
                                                  .probe.delivered = on_delivered,
                                                  .segment = on_segment,
                                                  .retransmitted = on_retransmitted,
                                                  .probe.half_closed = on_half_closed,
                                                  .closed = on_closed,
                                                  .failed = on_failed};

/* --- The fixture --- */

static rnic_endpoint_config default_config(rnic_host *host, unsigned side)
{
  bool initiator = side == SIDE_INITIATOR;
  rnic_endpoint_config config = rnic_endpoint_config_default(side);

  config.tcp.local_address = ip_address_v4(side + 1);
  config.tcp.remote_address = ip_address_v4(2 - side);
  config.tcp.local_port = initiator ? 1001 : WIRE_PORT;
  config.tcp.remote_port = initiator ? WIRE_PORT : 1001;
  config.tcp.isn = ISN;
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

  for (size_t i = 0; i < GUARD_OCTETS; i++) {
    g_assert_cmphex(m->octets[i], ==, UNTOUCHED);
    g_assert_cmphex(m->octets[GUARD_OCTETS + m->length + i], ==, UNTOUCHED);
  }
  g_free(m->octets);
}

/* Octet `index` of any message. */
static uint8_t letter_at(size_t index)
{
  return (uint8_t)('a' + index % 26);
}

rnic_fixture *rnic_fixture_new(void)
{
  rnic_fixture *f = g_new0(rnic_fixture, 1);

  for (size_t i = 0; i < sizeof f->payload; i++) {
    f->payload[i] = letter_at(i);
  }

  f->now = START_PS;
  f->events = &rnic_fixture_events;
  f->initiator = &f->sides[SIDE_INITIATOR];
  f->responder = &f->sides[SIDE_RESPONDER];
  f->flying = g_queue_new();
  for (unsigned side = 0; side < SIDES; side++) {
    fixture_side *s = &f->sides[side];
    s->fixture = f;
    s->host = rnic_host_new(side + 1, NULL);
    s->config = default_config(s->host, side);
    s->completions = g_string_new(NULL);
    s->private_data = g_string_new(NULL);
    s->wire = g_byte_array_new();
    s->memories = g_ptr_array_new_with_free_func(memory_free);
    s->closes_when_finished = true;
  }
  return f;
}

rnic_fixture *second_connection(const rnic_fixture *first, uint32_t protection_domain)
{
  rnic_fixture *f = rnic_fixture_new();
  f->responder->config.host = first->responder->host;
  f->responder->config.protection_domain = protection_domain;
  return f;
}

void set_generation(rnic_fixture *f, iwarp_generation generation)
{
  f->initiator->config.generation = generation;
  f->responder->config.generation = generation;
}

void create(rnic_fixture *f)
{
  static const rnic_endpoint_events none;
  if (f->initiator->endpoint) {
    return;
  }

  for (unsigned side = 0; side < SIDES; side++) {
    fixture_side *s = &f->sides[side];
    bool rdmac = s->config.generation == IWARP_RDMAC;
    s->endpoint = rnic_endpoint_new(&s->config, s->wants_no_events ? &none : f->events, s);
    s->first_fpdu = s->config.streaming_octets_sent + (rdmac ? 0 : 20 + s->config.private_data_octets);
    s->markers = rdmac || f->sides[1 - side].config.markers;
  }
}

void start(rnic_fixture *f)
{
  create(f);
  rnic_endpoint_start(f->responder->endpoint, f->now);
  rnic_endpoint_start(f->initiator->endpoint, f->now);
}

/* --- The wire --- */

static void record(fixture_side *s, const datagram *packet)
{
  uint32_t length = packet->payload.length;
  time_ps at = s->fixture->now - START_PS;
  tcp_header header;
  g_assert_true(datagram_tcp_header(packet, &header));
  if (header.flags & TCP_FIN && !s->fin) {
    s->fin = true;
    s->fin_at = at;
  }
  if (header.flags & TCP_RST && !s->rst) {
    s->rst = true;
    s->rst_at = at;
  }
  if (length > 0) {
    uint32_t position = header.sequence - s->config.tcp.isn - 1;
    if (s->wire->len < position + length) {
      g_byte_array_set_size(s->wire, position + length);
    }
    buffer_chain_copy_out(&packet->payload, 0, length, s->wire->data + position);
  }
}

static bool is_lost(fixture_side *from, const datagram *packet)
{
  bool in_mask = false;
  if (packet->payload.length > 0) {
    in_mask = from->packets < 64 && (from->lost >> from->packets & 1);
    from->packets++;
  }
  return in_mask || (from->fixture->loses && from->fixture->loses(from, packet));
}

/* True when the side sent anything. */
static bool send_all(fixture_side *s)
{
  rnic_fixture *f = s->fixture;
  bool any = false;
  datagram *packet;
  while ((packet = rnic_endpoint_transmit(s->endpoint, f->now))) {
    any = true;
    record(s, packet);
    if (is_lost(s, packet)) {
      datagram_unref(packet);
      continue;
    }
    flight *sent = g_new(flight, 1);
    *sent = (flight){packet, s == f->initiator ? f->responder : f->initiator,
                     f->now + DELAY_US * TIME_PS_PER_MICROSECOND};
    g_queue_push_tail(f->flying, sent);
  }
  return any;
}

static time_ps next_event(const rnic_fixture *f)
{
  const flight *first = g_queue_peek_head(f->flying);
  time_ps due = first ? first->at : TIME_PS_NEVER;

  for (unsigned side = 0; side < SIDES; side++) {
    due = time_ps_earlier(due, rnic_endpoint_deadline(f->sides[side].endpoint));
  }
  return due;
}

void run(rnic_fixture *f, time_ps span)
{
  time_ps until = f->now + span;
  for (;;) {
    while (send_all(f->initiator) + send_all(f->responder) > 0) {
    }
    time_ps due = next_event(f);
    if (due > until) {
      break;
    }
    g_assert_cmpint(due, >=, f->now); /* nothing is ever due in the past: no end can spin */
    f->now = due;
    const flight *first = g_queue_peek_head(f->flying);
    if (first && first->at == due) {
      g_autofree flight *landed = g_queue_pop_head(f->flying);
      rnic_endpoint_receive(landed->to->endpoint, landed->packet, f->now);
      datagram_unref(landed->packet);
    }
    for (unsigned side = 0; side < SIDES; side++) {
      if (rnic_endpoint_deadline(f->sides[side].endpoint) <= f->now) {
        rnic_endpoint_run(f->sides[side].endpoint, f->now);
      }
    }
  }
  f->now = until;
}

void start_and_run(rnic_fixture *f, time_ps span)
{
  start(f);
  run(f, span);
}

void forge(rnic_fixture *f, uint32_t position, const void *octets, uint32_t length, uint8_t flags)
{
  const fixture_side *responder = f->responder;
  const tcp_config *tcp = &responder->config.tcp;
  tcp_header header = {.source_port = tcp->remote_port,
                       .destination_port = tcp->local_port,
                       .sequence = (uint32_t)ISN + (flags & TCP_SYN ? 0 : 1) + position,
                       .acknowledgement = (uint32_t)ISN + 1 + responder->wire->len,
                       .flags = flags,
                       .window = 65535};
  buffer_chain payload;
  buffer_chain_init(&payload);
  if (length > 0) {
    buffer_chain_append(&payload, octets, length, NULL);
  }
  g_autoptr(datagram) packet =
      datagram_new_in(NULL, &tcp->remote_address, &tcp->local_address, &header, &payload);
  rnic_endpoint_receive(responder->endpoint, packet, f->now);
}

static void flight_free(gpointer data)
{
  g_autofree flight *sent = data;
  datagram_unref(sent->packet);
}

void free_endpoints(rnic_fixture *f)
{
  g_queue_clear_full(f->flying, flight_free);
  for (unsigned side = 0; side < SIDES; side++) {
    rnic_endpoint_free(f->sides[side].endpoint);
    f->sides[side].endpoint = NULL;
  }
}

void rnic_fixture_free(rnic_fixture *f)
{
  free_endpoints(f);
  g_queue_free(f->flying);
  for (unsigned side = 0; side < SIDES; side++) {
    fixture_side *s = &f->sides[side];
    rnic_host_free(s->host);
    g_string_free(s->completions, TRUE);
    g_string_free(s->private_data, TRUE);
    g_byte_array_unref(s->wire);
    g_ptr_array_unref(s->memories);
    g_free(s->code);
  }
  g_free(f);
}

/* --- Memory and work --- */

uint8_t *new_memory(fixture_side *s, size_t octets)
{
  memory *m = g_new(memory, 1);
  m->length = octets;
  m->octets = g_malloc(octets + 2 * (size_t)GUARD_OCTETS);
  memset(m->octets, UNTOUCHED, octets + 2 * (size_t)GUARD_OCTETS);
  g_ptr_array_add(s->memories, m);
  return m->octets + GUARD_OCTETS;
}

bool is_untouched(const uint8_t *octets, size_t length)
{
  for (size_t i = 0; i < length; i++) {
    if (octets[i] != UNTOUCHED) {
      return false;
    }
  }
  return true;
}

uint8_t *register_memory(fixture_side *s, uint64_t base, size_t octets, uint32_t *stag)
{
  create(s->fixture);
  ddp_registration m = {.memory = new_memory(s, octets),
                        .length = octets,
                        .base = base,
                        .access = DDP_ACCESS_REMOTE_READ | DDP_ACCESS_REMOTE_WRITE,
                        .association = DDP_ASSOCIATED_BY_PROTECTION_DOMAIN,
                        .is_remotely_invalidatable = true};
  *stag = rnic_allocate_stag(s->endpoint);
  g_assert_true(rnic_register_as(s->endpoint, &m, *stag));
  return m.memory;
}

uint8_t *post_receive(fixture_side *s, size_t octets, uint64_t id)
{
  create(s->fixture);
  uint8_t *buffer = new_memory(s, octets);
  ddp_untagged_queue_post(rdmap_stream_queue_of(s->endpoint->sender.config.stream, RDMAP_QUEUE_SEND), buffer,
                          octets, id);
  return buffer;
}

static octet_slice payload_source(void *user, uint64_t from, uint32_t length)
{
  const fixture_side *s = user;
  return (octet_slice){.octets = s->fixture->payload + from % 26, .length = length};
}

bool post_work(fixture_side *s, rdmap_work work)
{
  create(s->fixture);
  work.source = payload_source;
  work.source_user = s;
  return rnic_post(s->endpoint, &work);
}

bool post_send(fixture_side *s, uint32_t length)
{
  return post(s, .id = 1, .operation = RDMAP_SEND, .length = length);
}

bool is_payload(const uint8_t *octets, size_t length)
{
  for (size_t i = 0; i < length; i++) {
    if (octets[i] != letter_at(i)) {
      return false;
    }
  }
  return true;
}

rnic_occupancy held_by(const fixture_side *s)
{
  rnic_occupancy held;
  rnic_endpoint_held(s->endpoint, &held);
  return held;
}

uint64_t waiting_octets(const fixture_side *s)
{
  rnic_occupancy held = held_by(s);
  return held.incomplete + held.unlocated + held.order;
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

GPtrArray *ulpdus_of(const fixture_side *s, bool *intact)
{
  g_autoptr(GByteArray) plain = without_markers(s);
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

char *terminate_of(const fixture_side *s)
{
  g_autoptr(GPtrArray) ulpdus = ulpdus_of(s, NULL);
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
  if (found > 1) {
    g_string_assign(hex, "several");
  }
  return g_string_free(hex, FALSE);
}

bool loses_everything(G_GNUC_UNUSED fixture_side *from, G_GNUC_UNUSED const datagram *packet)
{
  return true;
}
