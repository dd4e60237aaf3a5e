/* SPDX-License-Identifier: GPL-2.0-only */
#include "receiving_end.h"

#include <stdlib.h>
#include <string.h>

#include "case_stream.h"
#include "rdmap/rdmap_stream_private.h"
#include "rnic/rnic_endpoint_private.h"
#include "stack_cleanup.h"

enum {
  GUARD_OCTETS = RECEIVING_END_GUARD_OCTETS,
  GUARD = 0xA5,
  ENDPOINT_ADDRESS = 0x0A000001,
  PEER_ADDRESS = 0x0A000002,
  ENDPOINT_PORT = 4791,
  PEER_PORT = 40000,
  FRAME_OCTETS = 20,
};

/* --- The ULP --- */

static void on_completion(void *user, rnic_endpoint *endpoint, G_GNUC_UNUSED time_ps now)
{
  receiving_end *end = user;
  rdmap_completion completion;

  while (rnic_poll(endpoint, &completion)) {
    if (end->defect == DEFECT_LOST_COMPLETION && completion.solicited && completion.octets == 0) {
      continue;
    }
    if (end->defect == DEFECT_OVERRUN && completion.is_receive && completion.octets > 700) {
      end->memory[CASE_REGIONS + completion.id - RECEIVING_END_RECEIVE_ID]
                 [GUARD_OCTETS + CASE_RECEIVE_OCTETS] ^= 1;
    }
    g_array_append_val(end->completions, completion);
  }
}

static void on_delivered(void *user, const ddp_segment *segment, G_GNUC_UNUSED time_ps now)
{
  receiving_end *end = user;

  if (end->defect == DEFECT_CRASH && (segment->header.ulp_control & 0x0F) == 2 &&
      segment->payload_octets > 40) {
    abort();
  }
  end->delivered_ahead += end->phase + segment->fpdu_end > end->edge_to_be;
  g_array_append_val(end->delivered, segment->fpdu_start);
}

static void on_failed(void *user, const rnic_failure *failure, G_GNUC_UNUSED time_ps now)
{
  receiving_end *end = user;

  g_assert_false(end->has_failed); /* once at most */
  end->has_failed = true;
  end->failure = *failure;
  end->failure.terminate = NULL;
}

static void on_half_closed(void *user, G_GNUC_UNUSED time_ps now)
{
  receiving_end *end = user;

  end->finished++;
}

static void lend_memory(receiving_end *end)
{
  for (unsigned buffer = 0; buffer < REFERENCE_BUFFERS; buffer++) {
    uint32_t octets = reference_buffer_octets(buffer);
    end->memory[buffer] = g_malloc(octets + 2 * GUARD_OCTETS);
    memset(end->memory[buffer], GUARD, GUARD_OCTETS);
    reference_fill(buffer, end->memory[buffer] + GUARD_OCTETS);
    memset(end->memory[buffer] + GUARD_OCTETS + octets, GUARD, GUARD_OCTETS);
    if (buffer >= CASE_REGIONS) {
      ddp_untagged_queue_post(rdmap_stream_queue_of(end->endpoint->sender.config.stream, RDMAP_QUEUE_SEND),
                              end->memory[buffer] + GUARD_OCTETS, octets,
                              RECEIVING_END_RECEIVE_ID + buffer - CASE_REGIONS);
    }
  }
}

static void register_regions(receiving_end *end)
{
  for (unsigned region = 0; region < CASE_REGIONS; region++) {
    const case_region *r = case_region_of(region);
    unsigned access =
        (r->peer_may_read ? DDP_ACCESS_REMOTE_READ : 0U) | (r->peer_may_write ? DDP_ACCESS_REMOTE_WRITE : 0U);
    const ddp_registration registration = {
        .memory = end->memory[region] + GUARD_OCTETS,
        .base = r->base,
        .length = CASE_REGION_OCTETS,
        .access = access,
        .owner = {.stream_id = rnic_host_stream_id_new(end->host),
                  .protection_domain = rnic_host_protection_domain_new(end->host)},
        .is_remotely_invalidatable = r->is_invalidatable};
    const ddp_registration memory = {.memory = registration.memory,
                                     .base = r->base,
                                     .length = CASE_REGION_OCTETS,
                                     .access = access,
                                     .association = r->is_invalidatable ? DDP_ASSOCIATED_BY_STREAM
                                                                        : DDP_ASSOCIATED_BY_PROTECTION_DOMAIN,
                                     .is_remotely_invalidatable = r->is_invalidatable};
    if (r->is_foreign) {
      g_assert_true(ddp_stag_table_register(end->host->stags, &registration, &end->stags[region]));
    } else {
      end->stags[region] = rnic_allocate_stag(end->endpoint);
      g_assert_true(rnic_register_as(end->endpoint, &memory, end->stags[region]));
    }
  }
}

static void post_reads(receiving_end *end)
{
  unsigned read = 0;

  for (guint i = 0; i < end->c->operations; i++) {
    const case_operation *operation = &end->c->operation[i];
    if (operation->kind != CASE_RESPONSE) {
      continue;
    }
    const rdmap_work work = {.id = RECEIVING_END_READ_ID + read,
                             .operation = RDMAP_READ_REQUEST,
                             .length = operation->length,
                             .remote_stag = case_source_stag(read),
                             .local_stag = end->stags[operation->region],
                             .local_offset = case_region_of(operation->region)->base + operation->offset};
    g_assert_true(rnic_post(end->endpoint, &work));
    read++;
  }
}

/* --- The peer's TCP --- */

static void send_segment(receiving_end *end, uint8_t flags, uint64_t from, uint64_t to)
{
  const tcp_header header = {.source_port = PEER_PORT,
                             .destination_port = ENDPOINT_PORT,
                             .sequence = end->c->isn + ((flags & TCP_SYN) == 0) + (uint32_t)from,
                             .acknowledgement = end->heard_isn + 1 + end->heard->len + end->heard_fin,
                             .flags = (uint8_t)(flags | (end->heard_syn ? TCP_ACK : 0)),
                             .window = UINT16_MAX,
                             .has_mss = (flags & TCP_SYN) != 0,
                             .mss_octets = RECEIVING_END_EMSS_OCTETS};
  buffer_chain payload;

  buffer_chain_init(&payload);
  if (to > from) {
    buffer_chain_append(&payload, end->said->data + from, (uint32_t)(to - from), NULL);
  }
  const ip_address source = ip_address_v4(PEER_ADDRESS);
  const ip_address destination = ip_address_v4(ENDPOINT_ADDRESS);
  g_autoptr(datagram) packet = datagram_new_in(NULL, &source, &destination, &header, &payload);
  end->now += TIME_PS_PER_MICROSECOND;
  rnic_endpoint_receive(end->endpoint, packet, end->now);
}

/* Writes down one datagram; true when it must be acknowledged. */
static bool hear(receiving_end *end, const datagram *packet)
{
  tcp_header header;

  g_assert_true(datagram_tcp_header(packet, &header));
  if (header.flags & TCP_SYN) {
    end->heard_syn = true;
    end->heard_isn = header.sequence;
    return true;
  }
  end->heard_rst |= (header.flags & TCP_RST) != 0;
  uint32_t length = packet->payload.length;
  if (header.sequence != end->heard_isn + 1 + end->heard->len || end->heard_fin) {
    return false; /* again */
  }
  guint at = end->heard->len;
  g_byte_array_set_size(end->heard, at + length);
  buffer_chain_copy_out(&packet->payload, 0, length, end->heard->data + at);
  end->heard_fin = (header.flags & TCP_FIN) != 0;
  return length > 0 || end->heard_fin;
}

/* Lets the endpoint send all that it has, and acknowledges it. */
static void listen_to(receiving_end *end)
{
  bool is_new = true;

  while (is_new && !end->heard_rst) {
    datagram *packet;
    is_new = false;
    while ((packet = rnic_endpoint_transmit(end->endpoint, end->now))) {
      is_new |= hear(end, packet);
      datagram_unref(packet);
    }
    if (is_new) {
      send_segment(end, 0, end->edge, end->edge);
    }
  }
}

static void say(receiving_end *end, uint64_t from, uint64_t to)
{
  bool is_early = from > end->edge;
  bool is_hurt = end->defect == DEFECT_EARLY_OCTET && is_early && to - from >= 100;

  if (end->heard_rst) {
    return;
  }
  if (is_hurt) {
    end->said->data[from + 99] ^= 0x20;
  }
  send_segment(end, TCP_PSH, from, to);
  listen_to(end);
}

static void send_startup_frame(receiving_end *end)
{
  const random_case *c = end->c;
  const char *key = c->is_initiator ? "MPA ID Rep Frame" : "MPA ID Req Frame";
  uint8_t fields[4] = {(uint8_t)((c->answer_markers ? 0x80 : 0) | (c->crc ? 0x40 : 0)),
                       c->generation >= IWARP_RFC, 0, (uint8_t)c->private_data_octets};

  g_byte_array_append(end->said, (const guint8 *)key, 16);
  g_byte_array_append(end->said, fields, 4);
  for (uint32_t i = 0; i < c->private_data_octets; i++) {
    g_byte_array_append(end->said, (const guint8 *)"p", 1);
  }
  end->phase = end->said->len;
  end->edge = end->phase;
  send_segment(end, TCP_PSH, 0, end->phase);
  listen_to(end);
}

static rnic_endpoint *endpoint_of(receiving_end *end)
{
  static const rnic_endpoint_events events = {.completion = on_completion,
                                              .probe.delivered = on_delivered,
                                              .probe.half_closed = on_half_closed,
                                              .failed = on_failed};
  const random_case *c = end->c;
  rnic_endpoint_config config =
      rnic_endpoint_config_default(c->is_initiator ? SIDE_INITIATOR : SIDE_RESPONDER);

  config.tcp.local_address = ip_address_v4(ENDPOINT_ADDRESS);
  config.tcp.remote_address = ip_address_v4(PEER_ADDRESS);
  config.tcp.local_port = ENDPOINT_PORT;
  config.tcp.remote_port = PEER_PORT;
  config.tcp.isn = c->isn + 77;
  config.tcp.receive_window_octets = 1 << 20;
  config.tcp.passing = c->in_order ? TCP_PASSING_IN_ORDER : TCP_PASSING_AS_ARRIVED;
  config.host = end->host;
  config.generation = c->generation;
  config.opens = false;
  config.markers = c->markers;
  config.crc = c->crc;
  config.protection_domain = rnic_host_protection_domain_new(end->host);
  config.rdmap.ird = CASE_DEPTH;
  config.rdmap.ord = CASE_DEPTH;

  return rnic_endpoint_new(&config, &events, end);
}

receiving_end *receiving_end_new(const random_case *c, planted_defect defect)
{
  receiving_end *end = g_new0(receiving_end, 1);

  end->c = c;
  end->defect = defect;
  end->delivered = g_array_new(FALSE, FALSE, sizeof(uint64_t));
  end->completions = g_array_new(FALSE, FALSE, sizeof(rdmap_completion));
  end->said = g_byte_array_new();
  end->heard = g_byte_array_new();
  end->host = rnic_host_new(c->isn, NULL);
  end->endpoint = endpoint_of(end);
  lend_memory(end);
  register_regions(end);
  post_reads(end);
  rnic_endpoint_start(end->endpoint, 0);
  send_segment(end, TCP_SYN, 0, 0);
  listen_to(end);
  if (c->generation != IWARP_RDMAC) {
    send_startup_frame(end);
    end->heard_phase = FRAME_OCTETS;
  }
  return end;
}

void receiving_end_free(receiving_end *end)
{
  rnic_endpoint_free(end->endpoint);
  rnic_host_free(end->host);
  for (unsigned buffer = 0; buffer < REFERENCE_BUFFERS; buffer++) {
    g_free(end->memory[buffer]);
  }
  g_array_unref(end->delivered);
  g_array_unref(end->completions);
  g_byte_array_unref(end->said);
  g_byte_array_unref(end->heard);
  g_free(end->is_said);
  g_free(end);
}

/* Octets [from, to) of the FPDU phase, as far as there are any. */
static void say_piece(receiving_end *end, uint64_t from, uint64_t to)
{
  uint64_t length = end->said->len - end->phase;

  to = MIN(to, length);
  if (from >= to) {
    return;
  }
  memset(end->is_said + from, true, to - from);
  end->edge_to_be = end->edge;
  while (end->edge_to_be < end->said->len && end->is_said[end->edge_to_be - end->phase]) {
    end->edge_to_be++;
  }
  say(end, end->phase + from, end->phase + to);
  end->edge = end->edge_to_be;
}

void receiving_end_feed(receiving_end *end, const GByteArray *stream)
{
  g_byte_array_append(end->said, stream->data, stream->len);
  end->is_said = g_new0(bool, stream->len + 1);
  for (guint i = 0; i < end->c->arrivals; i++) {
    say_piece(end, end->c->arrival[i].from, end->c->arrival[i].to);
  }
  for (uint64_t from = end->edge - end->phase; from < stream->len; from = end->edge - end->phase) {
    uint64_t to = from;
    while (to < stream->len && !end->is_said[to]) {
      to++;
    }
    say_piece(end, from, to);
  }
  if (!end->heard_rst) {
    send_segment(end, TCP_FIN, end->edge, end->edge);
    listen_to(end);
  }
}

bool receiving_end_guards_are_whole(const receiving_end *end)
{
  uint8_t guard[GUARD_OCTETS];
  bool are_whole = true;

  memset(guard, GUARD, sizeof guard);
  for (unsigned buffer = 0; buffer < REFERENCE_BUFFERS; buffer++) {
    const uint8_t *memory = end->memory[buffer];
    are_whole &= memcmp(memory, guard, GUARD_OCTETS) == 0 &&
                 memcmp(memory + GUARD_OCTETS + reference_buffer_octets(buffer), guard, GUARD_OCTETS) == 0;
  }
  return are_whole;
}
