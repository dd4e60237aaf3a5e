/* SPDX-License-Identifier: GPL-2.0-only */
#include "mpa_link.h"

#include "mpa_receiver.h"

#include <string.h>

#include "stack_cleanup.h"

enum { NO_OCTET = -1, WINDOW = 1 << 18 };

#define HALF_ROUND_TRIP (50 * TIME_PS_PER_MICROSECOND)

static void on_ulpdu(void *user, const mpa_ulpdu *ulpdu, time_ps now)
{
  mpa_link_end *end = user;
  const mpa_stream_fpdu *sent =
      mpa_stream_find(end->link->end[end == &end->link->end[0]].stream, ulpdu->fpdu.start);

  g_assert_cmpint(end->error, ==, MPA_ERROR_NONE);
  g_assert_nonnull(sent);
  mpa_stream_assert_sent(sent, ulpdu);
  g_assert_true(g_hash_table_add(end->passed, sent->ulpdu));
  end->passed_count++;
  g_string_append_printf(end->trace, "%" G_GUINT64_FORMAT "@%" G_GINT64_FORMAT " ", sent->start, now);
}

static void on_error(void *user, mpa_error error, uint64_t offset, G_GNUC_UNUSED time_ps now)
{
  mpa_link_end *end = user;

  g_assert_cmpint(end->error, ==, MPA_ERROR_NONE);
  end->error = error;
  end->error_offset = offset;
}

static void send_frame(mpa_link_end *end)
{
  buffer_chain frame;

  buffer_chain_init(&frame);
  if (mpa_startup_next_frame(end->startup, &frame)) {
    end->tcp->class->post(end->tcp, &frame, 0);
  }
  buffer_chain_clear(&frame);
  if (!end->stream && end->startup->state == MPA_STARTUP_FULL_OPERATION) {
    static const mpa_deframer_events events = {.ulpdu = on_ulpdu, .error = on_error};
    bool crc = mpa_startup_crc(end->startup);
    end->sent_start = end->tcp->gauges.posted_octets;
    end->received_start = mpa_startup_received_frame_octets(end->startup);
    end->stream = mpa_stream_begin(mpa_startup_send_markers(end->startup), crc);
    end->deframer = mpa_deframer_new(mpa_startup_receive_markers(end->startup), crc, &events, end);
  }
}

static void on_octets(void *user, uint64_t position, const buffer_chain *octets, time_ps arrival, time_ps now)
{
  mpa_link_end *end = user;

  if (!end->deframer) { /* nothing follows a frame before it is answered */
    g_assert_cmpuint(mpa_startup_receive(end->startup, octets), ==, octets->length);
    send_frame(end);
    return;
  }
  mpa_deframer_receive(end->deframer, position - end->received_start, octets, arrival, now);
  g_assert_cmpuint(in_order_edge(end->deframer) + end->received_start, <=, end->tcp->gauges.in_order_edge);
}

static bool on_inspect(void *user, uint64_t position, const buffer_chain *octets, G_GNUC_UNUSED time_ps now)
{
  mpa_link_end *end = user;

  if (!end->link->config.silent_drop || !end->deframer ||
      mpa_deframer_inspect(end->deframer, position - end->received_start, octets) == MPA_ERROR_NONE) {
    return true;
  }
  end->dropped++;
  return false;
}

static void on_finished(void *user, G_GNUC_UNUSED time_ps now)
{
  mpa_link_end *end = user;

  g_assert_false(end->finished);
  end->finished = true;
  end->passed_when_finished = end->passed_count;
}

static void on_closed(void *user, G_GNUC_UNUSED tcp_close_reason reason, G_GNUC_UNUSED time_ps now)
{
  ((mpa_link_end *)user)->closed = true;
}

static void set_up_tcp(mpa_link_end *end, unsigned number)
{
  const mpa_link_config *config = &end->link->config;
  static const tcp_events events = {
      .inspect = on_inspect, .octets = on_octets, .finished = on_finished, .closed = on_closed};
  tcp_config tcp = tcp_config_default();
  tcp.local_address = ip_address_v4(1 + number);
  tcp.remote_address = ip_address_v4(2 - number);
  tcp.local_port = (uint16_t)(1 + number);
  tcp.remote_port = (uint16_t)(2 - number);
  tcp.isn = config->isn + number;
  end->first_sequence = tcp.isn + 1;
  tcp.receive_mtu_octets = config->mtu_octets;
  tcp.send_mtu_octets = config->mtu_octets;
  tcp.receive_window_octets = WINDOW;
  tcp.delayed_ack_ps = TIME_PS_PER_MILLISECOND;
  tcp.rto_initial_ps = 10 * TIME_PS_PER_MILLISECOND;
  tcp.rto_min_ps = 5 * TIME_PS_PER_MILLISECOND;
  tcp.rto_max_ps = 20 * TIME_PS_PER_MILLISECOND;
  tcp.timer_tick_ps = 0; /* else the delayed ACK, in ticks of 4 ms, would come as late as the RTO */
  tcp.segmentation = config->segmentation;
  tcp.passing = config->passing;

  end->tcp = tcp_connection_new(&tcp, &events, end);
}

static void set_up_end(mpa_link_end *end, unsigned number)
{
  const mpa_link_config *config = &end->link->config;
  mpa_startup_config startup = {.generation = config->generation,
                                .role = (enum side)number,
                                .markers = config->markers[number],
                                .crc = config->crc[number],
                                .private_data_capacity_octets = config->private_data_octets};
  g_autofree uint8_t *private_data = g_malloc0(config->private_data_octets);

  set_up_tcp(end, number);
  end->startup = mpa_startup_new(&startup);
  end->sent = g_byte_array_new();
  end->segments = g_array_new(false, false, sizeof(mpa_link_segment));
  end->passed = g_hash_table_new(NULL, NULL);
  end->trace = g_string_new(NULL);
  g_queue_init(&end->wire);
  mpa_startup_begin(end->startup, private_data, config->private_data_octets, 0);
  send_frame(end);
}

/* Returns where in the stream of `end` a packet of it begins. */
static uint32_t position_of(const mpa_link_end *end, const datagram *packet)
{
  tcp_header header;

  g_assert_true(datagram_tcp_header(packet, &header));
  return header.sequence - end->first_sequence;
}

/* Keeps the octets of the stream that a segment carries and, when they are new, where it was cut. */
static void note_segment(mpa_link_end *end, const datagram *packet)
{
  uint64_t position = position_of(end, packet);
  uint64_t to = position + packet->payload.length;

  if (packet->payload.length == 0 || to <= end->sent->len) {
    return;
  }
  g_assert_cmpuint(position, ==, end->sent->len);
  g_byte_array_set_size(end->sent, (guint)to);
  buffer_chain_copy_out(&packet->payload, 0, packet->payload.length, end->sent->data + position);
  if (end->stream && position >= end->sent_start) {
    mpa_link_segment segment = {position - end->sent_start, to - end->sent_start};
    g_array_append_val(end->segments, segment);
  }
}

void mpa_link_collect(mpa_link *link)
{
  for (unsigned from = 0; from < MPA_LINK_ENDS; from++) {
    datagram *packet;
    while ((packet = link->end[from].tcp->class->transmit(link->end[from].tcp, link->now))) {
      note_segment(&link->end[from], packet);
      g_queue_push_tail(&link->end[from].wire, packet);
    }
  }
}

/* Octets [from, to) of the payload of `packet` as a segment of their own; one of them may be flipped on
 * the way. */
static datagram *piece_of(mpa_link_end *end, const datagram *packet, uint32_t from, uint32_t to)
{
  tcp_header header;
  buffer_chain payload;
  octet_buffer *buffer = octet_buffer_new(to - from);

  g_assert_true(datagram_tcp_header(packet, &header));
  buffer_chain_copy_out(&packet->payload, from, to - from, octet_buffer_octets(buffer));
  gint64 flipped = end->corrupt_at + (gint64)end->sent_start - position_of(end, packet) - from;
  if (end->corrupt_at != NO_OCTET && end->corruptions_left > 0 && flipped >= 0 &&
      flipped < (gint64)(to - from)) {
    octet_buffer_octets(buffer)[flipped] ^= 0x20;
    end->corruptions_left--;
  }
  header.sequence += from;
  header.flags &= (uint8_t)(to == packet->payload.length ? 0xFF : ~(TCP_FIN | TCP_PSH));
  buffer_chain_init(&payload);
  buffer_chain_append(&payload, octet_buffer_octets(buffer), to - from, buffer);
  octet_buffer_unref(buffer);
  const ip_address source = ip_header_source(packet->header);
  const ip_address destination = ip_header_destination(packet->header);
  return datagram_new_in(NULL, &source, &destination, &header, &payload);
}

/* Returns where the middlebox ends a piece that begins at `from`. */
static uint32_t piece_end(const mpa_link_end *end, const datagram *packet, uint32_t from)
{
  const mpa_link_config *config = &end->link->config;
  uint32_t length = packet->payload.length;

  if (config->split > 0) {
    return MIN(from + config->split, length);
  }
  if (config->rechunk > 0) {
    return MIN(from + config->rechunk - (position_of(end, packet) + from) % config->rechunk, length);
  }
  return length;
}

/* Returns what is on the wire of `end`, oldest first, in the form in which the middlebox forwards it. */
static void pass_middlebox(mpa_link_end *end, GQueue *out)
{
  datagram *packet;

  while ((packet = g_queue_pop_head(&end->wire))) {
    uint32_t from = 0;
    if (packet->payload.length == 0) {
      g_queue_push_tail(out, packet);
      continue;
    }
    while (from < packet->payload.length) {
      uint32_t to = piece_end(end, packet, from);
      datagram *piece = piece_of(end, packet, from, to);
      if (end->link->config.reverse_pieces) {
        g_queue_push_head(out, piece);
      } else {
        g_queue_push_tail(out, piece);
      }
      from = to;
    }
    datagram_unref(packet);
  }
}

static bool is_anything_due(const mpa_link *link)
{
  return link->end[0].wire.length + link->end[1].wire.length > 0 ||
         link->end[0].tcp->class->deadline(link->end[0].tcp) != TIME_PS_NEVER ||
         link->end[1].tcp->class->deadline(link->end[1].tcp) != TIME_PS_NEVER;
}

void mpa_link_run(mpa_link *link, time_ps limit)
{
  time_ps end = link->now + limit;

  mpa_link_collect(link);
  while (is_anything_due(link) && link->now < end) {
    GQueue out[MPA_LINK_ENDS] = {G_QUEUE_INIT, G_QUEUE_INIT};
    pass_middlebox(&link->end[0], &out[0]);
    pass_middlebox(&link->end[1], &out[1]);
    link->now += HALF_ROUND_TRIP;
    for (unsigned from = 0; from < MPA_LINK_ENDS; from++) {
      datagram *packet;
      while ((packet = g_queue_pop_head(&out[from]))) {
        link->end[!from].tcp->class->receive(link->end[!from].tcp, packet, link->now);
        datagram_unref(packet);
        mpa_link_collect(link);
      }
    }
    for (unsigned i = 0; i < MPA_LINK_ENDS; i++) {
      if (link->end[i].tcp->class->deadline(link->end[i].tcp) <= link->now) {
        link->end[i].tcp->class->run(link->end[i].tcp, link->now);
      }
    }
    mpa_link_collect(link);
  }
}

mpa_link *mpa_link_new(const mpa_link_config *config)
{
  mpa_link *link = g_new0(mpa_link, 1);

  link->config = *config;
  link->config.mtu_octets = config->mtu_octets > 0 ? config->mtu_octets : 1500;
  for (unsigned i = 0; i < MPA_LINK_ENDS; i++) {
    link->end[i].link = link;
    link->end[i].corrupt_at = NO_OCTET;
    set_up_end(&link->end[i], i);
  }
  link->end[1].tcp->class->listen(link->end[1].tcp);
  link->end[0].tcp->class->open(link->end[0].tcp, link->now);
  link->config.reverse_pieces = false; /* a startup frame is short, and alone in its segment */
  mpa_link_run(link, TIME_PS_PER_SECOND);
  link->config.reverse_pieces = config->reverse_pieces;
  for (unsigned i = 0; i < MPA_LINK_ENDS; i++) {
    g_assert_cmpint(link->end[i].startup->state, ==, MPA_STARTUP_FULL_OPERATION);
  }
  return link;
}

void mpa_link_free(mpa_link *link)
{
  for (unsigned i = 0; i < MPA_LINK_ENDS; i++) {
    mpa_link_end *end = &link->end[i];
    g_queue_clear_full(&end->wire, (GDestroyNotify)datagram_unref);
    tcp_transport_free(end->tcp);
    mpa_startup_free(end->startup);
    mpa_stream_free(end->stream);
    mpa_deframer_free(end->deframer);
    g_byte_array_unref(end->sent);
    g_array_free(end->segments, true);
    g_hash_table_destroy(end->passed);
    g_string_free(end->trace, true);
  }
  g_free(link);
}

void mpa_link_post(mpa_link *link, unsigned from, uint32_t ulpdu_octets)
{
  mpa_stream *stream = link->end[from].stream;
  uint32_t start = stream->octets->len;
  g_autofree uint8_t *ulpdu = g_malloc(ulpdu_octets);
  g_auto(buffer_chain) fpdu;

  for (uint32_t i = 0; i < ulpdu_octets; i++) {
    ulpdu[i] = (uint8_t)((start + i) * UINT64_C(0x9E3779B97F4A7C15) >> 56);
  }
  mpa_stream_append(stream, ulpdu, ulpdu_octets);
  buffer_chain_init(&fpdu);
  buffer_chain_append_copy(&fpdu, stream->octets->data + start, stream->octets->len - start);
  link->end[from].tcp->class->post(link->end[from].tcp, &fpdu, TCP_RECORD_FPDU);
}

void mpa_link_expect_all(const mpa_link *link, unsigned from)
{
  const mpa_link_end *receiver = &link->end[!from];

  g_assert_cmpint(receiver->error, ==, MPA_ERROR_NONE);
  g_assert_cmpuint(receiver->passed_count, ==, link->end[from].stream->fpdus->len);
  g_assert_cmpuint(in_order_edge(receiver->deframer), ==, link->end[from].stream->octets->len);
}

uint32_t mpa_link_mulpdu(const mpa_link *link, unsigned from)
{
  const mpa_link_end *end = &link->end[from];

  return mpa_mulpdu_octets(end->tcp->gauges.emss_octets, mpa_startup_send_markers(end->startup));
}
