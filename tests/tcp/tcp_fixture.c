/* SPDX-License-Identifier: GPL-2.0-only */
#include "tcp_fixture.h"

#include "../kit/path_mtu.h"
#include "linux_keys.h"
#include "sender_check.h"

#include <string.h>

enum { SCRIPT_WINDOW = 65535 };

/* The octets of both streams: not periodic in anything that TCP counts in. */
static uint8_t stream_octet(unsigned end, uint64_t position)
{
  return (uint8_t)((position * UINT64_C(0x9E3779B97F4A7C15)) >> 56 ^ (end ? 0x5A : 0));
}

static void fill(buffer_chain *chain, unsigned end, uint64_t position, uint32_t length)
{
  buffer_chain_init(chain);
  if (length == 0) {
    return;
  }
  g_autoptr(octet_buffer) buffer = octet_buffer_new(length);
  uint8_t *octets = octet_buffer_octets(buffer);
  for (uint32_t i = 0; i < length; i++) {
    octets[i] = stream_octet(end, position + i);
  }
  buffer_chain_append(chain, octets, length, buffer);
}

static unsigned number_of(const tcp_fixture_end *end)
{
  return (unsigned)(end - end->fixture->end);
}

static uint64_t base_of_stream_to(const tcp_fixture_end *end)
{
  return end->fixture->end[!number_of(end)].base;
}

/* Adds to the trace, where one is kept. */
#define NOTE(f, ...) note(f, G_N_ELEMENTS(((const uint64_t[]){__VA_ARGS__})), (const uint64_t[]){__VA_ARGS__})
static void note(tcp_fixture *f, guint count, const uint64_t *words)
{
  if (f->trace) {
    g_array_append_vals(f->trace, &f->now, 1);
    g_array_append_vals(f->trace, words, count);
  }
}

/* The octets are those of the stream from `position` on, and none of them has been passed up before. */
static void check_octets(const tcp_fixture_end *end, uint64_t position, const buffer_chain *octets)
{
  uint64_t first = position - base_of_stream_to(end);
  g_assert_cmpuint(octets->length, >, 0);
  for (uint32_t i = 0; i < octets->length; i++) {
    g_assert_true(first + i >= end->seen_octets || !end->seen[first + i]);
    if (!end->fixture->forges) {
      g_assert_cmphex(buffer_chain_at(octets, i), ==, stream_octet(!number_of(end), position + i));
    }
  }
}

static void on_established(void *user, time_ps now)
{
  tcp_fixture_end *end = user;
  g_assert_false(end->established);
  g_assert_cmpint(now, ==, end->fixture->now);
  end->established = true;
}

static bool on_inspect(void *user, uint64_t position, const buffer_chain *octets, time_ps now)
{
  tcp_fixture_end *end = user;
  range brought = {position, position + octets->length};
  g_assert_cmpint(now, ==, end->fixture->now);
  g_assert_cmpuint(position, >=, end->connection->gauges.in_order_edge);
  check_octets(end, position, octets);
  NOTE(end->fixture, position - base_of_stream_to(end), octets->length);
  g_array_append_val(end->inspected, brought);
  if (end->refusals > 0 && brought.from < end->refused.to && brought.to > end->refused.from) {
    end->refusals--;
    return false;
  }
  return true;
}

static bool on_admit(void *user, uint64_t position, tcp_beyond then, time_ps now)
{
  tcp_fixture_end *end = user;
  g_assert_cmpint(now, ==, end->fixture->now);
  NOTE(end->fixture, position - base_of_stream_to(end), then.segments, then.ranges);
  bool refuses = end->refused_segments > 0;
  end->refused_segments -= refuses;
  return !refuses;
}

static void on_octets(void *user, uint64_t position, const buffer_chain *octets, time_ps arrival, time_ps now)
{
  tcp_fixture_end *end = user;
  uint64_t first = position - base_of_stream_to(end);
  g_assert_cmpint(now, ==, end->fixture->now);
  g_assert_cmpint(arrival, <=, now);
  check_octets(end, position, octets);
  while (first + octets->length > end->seen_octets) {
    uint64_t room = MAX(end->seen_octets * 2, 4096);
    end->seen = g_realloc(end->seen, room);
    memset(end->seen + end->seen_octets, 0, room - end->seen_octets);
    end->seen_octets = room;
  }
  memset(end->seen + first, 1, octets->length);
  end->passed_octets += octets->length;
  tcp_fixture_passed passed = {.position = position,
                               .length = octets->length,
                               .arrival = arrival,
                               .now = now,
                               .edge = end->connection->gauges.in_order_edge,
                               .held =
                                   end->connection->class->held_octets_below(end->connection, UINT64_MAX)};
  NOTE(end->fixture, first, passed.length, (uint64_t)arrival, passed.edge - base_of_stream_to(end),
       passed.held);
  g_array_append_val(end->passed, passed);
}

static void on_segment(void *user, uint64_t position, uint32_t length, uint32_t new_octets,
                       uint64_t in_order_edge, time_ps now)
{
  tcp_fixture_end *end = user;
  g_assert_cmpint(now, ==, end->fixture->now);
  end->segments++;
  end->segment_position = position;
  end->segment_length = length;
  end->segment_new = new_octets;
  end->segment_edge = in_order_edge;
  NOTE(end->fixture, position - base_of_stream_to(end), length, new_octets,
       in_order_edge - base_of_stream_to(end));
}

static void on_retransmitted(void *user, uint64_t position, uint32_t length, time_ps now)
{
  tcp_fixture_end *end = user;
  g_assert_cmpint(now, ==, end->fixture->now);
  NOTE(end->fixture, position - end->base, length);
}

static void on_acknowledged(void *user, uint64_t position, time_ps now)
{
  tcp_fixture_end *end = user;
  g_assert_cmpint(now, ==, end->fixture->now);
  g_assert_cmpuint(position, >, end->acknowledged);
  g_assert_cmpuint(position, <=, end->posted);
  end->acknowledged = position;
  NOTE(end->fixture, position - end->base);
}

static void on_finished(void *user, time_ps now)
{
  tcp_fixture_end *end = user;
  g_assert_cmpint(now, ==, end->fixture->now);
  g_assert_false(end->finished);
  end->finished = true;
  NOTE(end->fixture, true);
}

static void on_closed(void *user, tcp_close_reason reason, time_ps now)
{
  tcp_fixture_end *end = user;
  g_assert_cmpint(now, ==, end->fixture->now);
  g_assert_false(end->closed);
  end->closed = true;
  end->reason = reason;
  NOTE(end->fixture, reason);
}

tcp_config tcp_fixture_config(void)
{
  tcp_config config = tcp_config_default();
  take_linux_keys(&config, 0);
  config.isn = 1000;
  config.receive_window_octets = 1 << 20;
  config.retries_max = 8;
  config.dsack = false;
  config.rack = false;
  config.tail_loss_probe = false;
  config.prr = false;
  config.frto = false;
  config.restart_after_idle = false;
  config.ecn = TCP_ECN_OFF;
  config.congestion = TCP_CONGESTION_NEWRENO;
  config.slow_start = TCP_SLOW_START_STANDARD;
  config.segmentation = TCP_SEGMENTATION_STREAM;
  return config;
}

tcp_fixture *tcp_fixture_new(const tcp_config *config, const tcp_config *peer)
{
  tcp_config own = config ? *config : tcp_fixture_config();
  tcp_fixture *f = g_new0(tcp_fixture, 1);
  f->events = (tcp_events){.inspect = on_inspect,
                           .admit = on_admit,
                           .established = on_established,
                           .octets = on_octets,
                           .segment = on_segment,
                           .retransmitted = on_retransmitted,
                           .acknowledged = on_acknowledged,
                           .finished = on_finished,
                           .closed = on_closed};
  for (unsigned i = 0; i < TCP_FIXTURE_ENDS; i++) {
    tcp_fixture_end *end = &f->end[i];
    end->fixture = f;
    end->passed = g_array_new(FALSE, FALSE, sizeof(tcp_fixture_passed));
    end->inspected = g_array_new(FALSE, FALSE, sizeof(range));
    g_queue_init(&end->wire);
    end->config = i == 0 ? own : peer ? *peer : tcp_fixture_config();
    bool ipv6 = own.local_address.version == 6;
    end->config.local_address = ipv6 ? ip_address_v6(1, 1 + i) : ip_address_v4(0x0A000001 + i);
    end->config.remote_address = ipv6 ? ip_address_v6(1, 2 - i) : ip_address_v4(0x0A000002 - i);
    end->config.local_port = (uint16_t)(4000 + i);
    end->config.remote_port = (uint16_t)(4001 - i);
    if (i == 0 || peer) {
      end->connection = tcp_connection_new(&end->config, &f->events, end);
    }
  }
  if (peer) {
    f->end[1].connection->class->listen(f->end[1].connection);
  }
  return f;
}

void tcp_fixture_free(tcp_fixture *f)
{
  for (unsigned i = 0; i < TCP_FIXTURE_ENDS; i++) {
    drop_all(f, i);
    tcp_transport_free(f->end[i].connection);
    g_array_free(f->end[i].passed, TRUE);
    g_array_free(f->end[i].inspected, TRUE);
    g_free(f->end[i].seen);
  }
  g_free(f);
}

void set_send_mtu(tcp_fixture *f, unsigned from, uint32_t mtu_octets)
{
  f->end[from].config.send_mtu_octets = mtu_octets;
  f->end[from].link_changed = true;
  kit_set_send_mtu(f->end[from].connection, mtu_octets);
}

void refuse_octets(tcp_fixture *f, unsigned end, uint64_t from, uint64_t to, unsigned count)
{
  f->end[end].refused = (range){from, to};
  f->end[end].refusals = count;
}

void collect(tcp_fixture *f, unsigned from)
{
  tcp_fixture_end *end = &f->end[from];
  if (!end->connection) {
    return;
  }
  datagram *packet;
  while ((packet = transmit_checked(end->connection, f->now))) {
    uint64_t header[1 + (DATAGRAM_HEADER_MAX_OCTETS + 7) / 8] = {packet->payload.length};
    memcpy(header + 1, packet->header, packet->header_octets);
    note(f, G_N_ELEMENTS(header), header);
    g_assert_cmpuint(datagram_octets(packet), <=, end->config.send_mtu_octets);
    g_queue_push_tail(&end->wire, packet);
  }
  const tcp_transport *transport = end->connection;
  const tcp_connection *connection = tcp_connection_of(end->connection);
  uint64_t edge = connection->transport.gauges.in_order_edge;
  NOTE(f, (uint64_t)transport->class->deadline(transport), connection->sender.congestion.window.octets,
       connection->sender.congestion.window.threshold_octets, connection->transport.gauges.unsent_octets,
       transport->gauges.posted_octets - end->base, edge - base_of_stream_to(end),
       transport->class->beyond(transport).ranges, transport->class->held_octets_below(transport, UINT64_MAX),
       transport->class->held_octets_below(transport, edge + 4000),
       connection->transport.gauges.full_segments);
}

void skip_to(tcp_fixture *f, uint64_t position)
{
  for (unsigned i = 0; i < TCP_FIXTURE_ENDS; i++) {
    tcp_fixture_end *end = &f->end[i];
    tcp_connection *connection = tcp_connection_of(end->connection);
    tcp_sender *sender = &connection->sender;
    end->base = end->posted = end->acknowledged = position;
    end->config.isn -= (uint32_t)position;
    connection->isn -= (uint32_t)position;
    connection->peer_isn -= (uint32_t)position;
    sender->queue.unsent = sender->acknowledged = sender->next = position;
    sender->window_edge += position;
    connection->transport.gauges.posted_octets = position;
    tcp_receiver_start_at(&connection->receiver, position);
    connection->receiver.promised_edge += position;
    connection->window_position += (int64_t)position;
    connection->window_acknowledged += position;
  }
}

void advance_to(tcp_fixture *f, time_ps when)
{
  g_assert_cmpint(when, >=, f->now);
  for (;;) {
    time_ps due = when;
    for (unsigned i = 0; i < TCP_FIXTURE_ENDS; i++) {
      if (f->end[i].connection) {
        due = time_ps_earlier(due, f->end[i].connection->class->deadline(f->end[i].connection));
      }
    }
    g_assert_cmpint(due, >=, f->now);
    f->now = due;
    bool ran = false;
    for (unsigned i = 0; i < TCP_FIXTURE_ENDS; i++) {
      if (f->end[i].connection && f->end[i].connection->class->deadline(f->end[i].connection) <= f->now) {
        f->end[i].connection->class->run(f->end[i].connection, f->now);
        collect(f, i);
        g_assert_cmpint(f->end[i].connection->class->deadline(f->end[i].connection), >, f->now);
        ran = true;
      }
    }
    if (due == when && !ran) {
      return;
    }
  }
}

void advance_by(tcp_fixture *f, time_ps how_long)
{
  advance_to(f, f->now + how_long);
}

void handshake(tcp_fixture *f, time_ps round_trip_ps, tcp_header *syn_ack)
{
  f->end[0].connection->class->open(f->end[0].connection, f->now);
  collect(f, 0);
  g_assert_cmpuint(on_wire(f, 0), ==, 1);
  advance_by(f, round_trip_ps / 2);
  if (f->end[1].connection) {
    deliver(f, 0);
    advance_by(f, round_trip_ps - round_trip_ps / 2);
    deliver(f, 1);
    deliver(f, 0);
    g_assert_true(f->end[1].established);
  } else {
    drop_segment(f, 0);
    advance_by(f, round_trip_ps - round_trip_ps / 2);
    syn_ack->sequence = tcp_sequence_of(-1, f->end[1].config.isn);
    syn_ack->acknowledgement = tcp_sequence_of(0, f->end[0].config.isn);
    syn_ack->flags = TCP_SYN | TCP_ACK;
    script_segment(f, *syn_ack, 0, 0);
    expect_ack(f, 0, 0);
    drop_segment(f, 0);
  }
  g_assert_true(f->end[0].established);
  expect_nothing(f, 0);
}

tcp_fixture *tcp_fixture_unopened(const tcp_config *config)
{
  tcp_config both = config ? *config : tcp_fixture_config();
  return tcp_fixture_new(&both, &both);
}

tcp_fixture *tcp_fixture_between(const tcp_config *config, const tcp_config *peer)
{
  tcp_fixture *f = tcp_fixture_new(config, peer);
  handshake(f, TCP_FIXTURE_ROUND_TRIP, NULL);
  return f;
}

tcp_fixture *tcp_fixture_pair(const tcp_config *config)
{
  tcp_config both = config ? *config : tcp_fixture_config();
  return tcp_fixture_between(&both, &both);
}

tcp_fixture *tcp_fixture_scripted(const tcp_config *config, tcp_header *syn_ack)
{
  tcp_fixture *f = tcp_fixture_new(config, NULL);
  tcp_header offer = {
      .window = SCRIPT_WINDOW, .has_mss = true, .mss_octets = 1460, .has_sack_permitted = true};
  handshake(f, TCP_FIXTURE_ROUND_TRIP, syn_ack ? syn_ack : &offer);
  return f;
}

tcp_fixture *tcp_fixture_connected(bool sack)
{
  tcp_fixture *f = tcp_fixture_pair(TCP_WITH(.sack = sack));
  post(f, 1, 1, 0);
  deliver(f, 1);
  return f;
}

void queue_record(tcp_fixture *f, unsigned from, uint32_t octets, unsigned flags)
{
  tcp_fixture_end *end = &f->end[from];
  g_auto(buffer_chain) chain;
  fill(&chain, from, end->posted, octets);
  end->posted += octets;
  end->connection->class->post(end->connection, &chain, flags);
}

void post(tcp_fixture *f, unsigned from, uint32_t octets, unsigned flags)
{
  queue_record(f, from, octets, flags);
  collect(f, from);
}

void post_each(tcp_fixture *f, unsigned from, unsigned flags, size_t count, const uint32_t *octets)
{
  for (size_t i = 0; i < count; i++) {
    queue_record(f, from, octets[i], flags);
  }
  collect(f, from);
}

void post_losing(tcp_fixture *f, uint32_t octets, uint32_t lost)
{
  post(f, 0, octets, 0);
  for (uint32_t left = lost == ALL ? on_wire(f, 0) : lost; left > 0; left--) {
    drop_segment(f, 0);
  }
}

void open_end(tcp_fixture *f, unsigned from)
{
  f->end[from].connection->class->open(f->end[from].connection, f->now);
  collect(f, from);
}

void finish(tcp_fixture *f, unsigned from)
{
  f->end[from].connection->class->close(f->end[from].connection);
  collect(f, from);
}

unsigned on_wire(const tcp_fixture *f, unsigned from)
{
  return f->end[from].wire.length;
}

datagram *wire_packet(const tcp_fixture *f, unsigned from, unsigned index)
{
  datagram *packet = g_queue_peek_nth((GQueue *)&f->end[from].wire, index);
  g_assert_nonnull(packet);
  return packet;
}

tcp_header wire_header(const tcp_fixture *f, unsigned from, unsigned index)
{
  tcp_header header;
  g_assert_true(datagram_tcp_header(wire_packet(f, from, index), &header));
  return header;
}

uint64_t wire_position(const tcp_fixture *f, unsigned from, unsigned index)
{
  return wire_header(f, from, index).sequence - (f->end[from].config.isn + 1);
}

uint32_t wire_length(const tcp_fixture *f, unsigned from, unsigned index)
{
  return wire_packet(f, from, index)->payload.length;
}

void expect_segment(const tcp_fixture *f, unsigned from, uint64_t position, uint32_t length)
{
  g_assert_cmpuint(on_wire(f, from), >, 0);
  g_assert_cmpuint(wire_position(f, from, 0), ==, position);
  g_assert_cmpuint(wire_length(f, from, 0), ==, length);
}

void expect_lone_segment(const tcp_fixture *f, unsigned from, uint64_t position, uint32_t length)
{
  expect_segment(f, from, position, length);
  g_assert_cmpuint(on_wire(f, from), ==, 1);
}

void expect_and_drop(tcp_fixture *f, unsigned from, uint64_t position, uint32_t length)
{
  expect_segment(f, from, position, length);
  drop_segment(f, from);
}

void expect_and_deliver(tcp_fixture *f, unsigned from, uint64_t position, uint32_t length)
{
  expect_segment(f, from, position, length);
  deliver(f, from);
}

void expect_quiet_until(tcp_fixture *f, unsigned from, time_ps when)
{
  advance_to(f, when - 1);
  expect_nothing(f, from);
  advance_to(f, when);
}

void expect_deadline(const tcp_fixture *f, unsigned end, time_ps when)
{
  g_assert_cmpint(f->end[end].connection->class->deadline(f->end[end].connection), ==, when);
}

void expect_closed(const tcp_fixture *f, unsigned end, tcp_close_reason reason)
{
  g_assert_true(f->end[end].closed);
  g_assert_cmpint(f->end[end].reason, ==, reason);
}

void expect_ack(const tcp_fixture *f, unsigned from, uint64_t position)
{
  g_assert_cmpuint(on_wire(f, from), >, 0);
  tcp_header header = wire_header(f, from, 0);
  g_assert_cmpuint(header.flags, ==, TCP_ACK);
  g_assert_cmpuint(wire_length(f, from, 0), ==, 0);
  g_assert_cmpuint(header.acknowledgement, ==, tcp_sequence_of((int64_t)position, f->end[!from].config.isn));
}

void expect_nothing(const tcp_fixture *f, unsigned from)
{
  g_assert_cmpuint(on_wire(f, from), ==, 0);
}

void hand_over(tcp_fixture *f, unsigned from, const datagram *packet)
{
  enum { FLAGS_AT = 13, URG = 0x20 };
  tcp_transport *to = f->end[!from].connection;
  g_assert_nonnull(to);
  tcp_sender_flight *flight = tcp_connection_of(to)->sender.flight;
  g_autoptr(datagram) urgent = f->urgent && packet->kind == DATAGRAM_TCP ? datagram_copy(packet) : NULL;
  if (urgent) {
    urgent->header[packet->ip_octets + FLAGS_AT] |= URG;
  }
  if (f->general && flight) {
    flight->board.plain_from = UINT64_MAX;
  }
  f->plain += flight && tcp_scoreboard_is_plain(&flight->board);
  to->class->receive(to, urgent ? urgent : packet, f->now);
  collect(f, !from);
}

void deliver(tcp_fixture *f, unsigned from)
{
  g_autoptr(datagram) packet = g_queue_pop_head(&f->end[from].wire);
  g_assert_nonnull(packet);
  hand_over(f, from, packet);
}

void deliver_some(tcp_fixture *f, unsigned from, unsigned count)
{
  for (; count > 0; count--) {
    deliver(f, from);
  }
}

void deliver_all(tcp_fixture *f, unsigned from)
{
  deliver_some(f, from, on_wire(f, from));
}

void deliver_and_acknowledge(tcp_fixture *f)
{
  deliver(f, 0);
  deliver_all(f, 1);
}

void deliver_segments(tcp_fixture *f, unsigned count)
{
  for (; count > 0; count--) {
    deliver_and_acknowledge(f);
  }
}

uint32_t emss_of(const tcp_fixture *f)
{
  /* what every link carries, 68 octets (RFC 791) or 1280 (RFC 8200), less headers and timestamps */
  uint32_t least = f->end[0].config.local_address.version == 6 ? 1280 - 60 - 12 : 68 - 40 - 12;
  g_assert_cmpuint(f->end[0].connection->gauges.emss_octets, >=, least);
  return f->end[0].connection->gauges.emss_octets;
}

uint64_t window_of(const tcp_fixture *f)
{
  return tcp_connection_of(f->end[0].connection)->sender.congestion.window.octets;
}

uint64_t threshold_of(const tcp_fixture *f)
{
  return tcp_connection_of(f->end[0].connection)->sender.congestion.window.threshold_octets;
}

const tcp_statistics *statistics_of(const tcp_fixture *f)
{
  return f->end[0].connection->gauges.statistics;
}

void expect_windows(const tcp_fixture *f, uint64_t window, uint64_t threshold)
{
  g_assert_cmpuint(window_of(f), ==, window);
  g_assert_cmpuint(threshold_of(f), ==, threshold);
}

void drop_segment(tcp_fixture *f, unsigned from)
{
  g_assert_cmpuint(on_wire(f, from), >, 0);
  datagram_unref(g_queue_pop_head(&f->end[from].wire));
}

void drop_all(tcp_fixture *f, unsigned from)
{
  while (on_wire(f, from) > 0) {
    drop_segment(f, from);
  }
}

void reorder_segments(tcp_fixture *f, unsigned from, unsigned one, unsigned other)
{
  GList *a = g_queue_peek_nth_link(&f->end[from].wire, one);
  GList *b = g_queue_peek_nth_link(&f->end[from].wire, other);
  gpointer packet = a->data;
  a->data = b->data;
  b->data = packet;
}

void deliver_and_keep(tcp_fixture *f, unsigned from)
{
  hand_over(f, from, wire_packet(f, from, 0));
}

static void route_too_big(tcp_fixture *f, unsigned to, const datagram *packet, uint32_t mtu_octets)
{
  ip_address router =
      f->end[0].config.local_address.version == 6 ? ip_address_v6(2, 1) : ip_address_v4(0x0A000101);
  g_autoptr(datagram) message = datagram_new_too_big(&router, packet, mtu_octets);
  hand_over(f, !to, message);
}

void tell_too_big(tcp_fixture *f, unsigned from, unsigned index, uint32_t mtu_octets)
{
  route_too_big(f, from, wire_packet(f, from, index), mtu_octets);
}

void forge_too_big(tcp_fixture *f, unsigned to, uint64_t position, uint32_t length, uint32_t mtu_octets)
{
  const tcp_config *config = &f->end[to].config;
  tcp_header header = {.source_port = config->local_port,
                       .destination_port = config->remote_port,
                       .sequence = tcp_sequence_of((int64_t)position, config->isn),
                       .flags = TCP_ACK};
  buffer_chain payload;
  fill(&payload, to, position, length);
  g_autoptr(datagram) packet =
      datagram_new_in(NULL, &config->local_address, &config->remote_address, &header, &payload);
  route_too_big(f, to, packet, mtu_octets);
}

unsigned deliver_over(tcp_fixture *f, unsigned from, uint32_t mtu_octets, bool tells)
{
  unsigned lost = 0;
  for (unsigned left = on_wire(f, from); left > 0; left--) {
    if (datagram_octets(wire_packet(f, from, 0)) <= mtu_octets) {
      deliver(f, from);
      continue;
    }
    g_autoptr(datagram) packet = g_queue_pop_head(&f->end[from].wire);
    lost++;
    if (tells) {
      route_too_big(f, from, packet, mtu_octets);
    }
  }
  return lost;
}

void run_until_idle(tcp_fixture *f, time_ps round_trip_ps)
{
  while (on_wire(f, 0) + on_wire(f, 1) > 0) {
    advance_by(f, round_trip_ps / 2);
    unsigned first = on_wire(f, 0);
    unsigned second = on_wire(f, 1);
    deliver_some(f, 0, first);
    deliver_some(f, 1, second);
    if (on_wire(f, 0) + on_wire(f, 1) == 0) {
      advance_by(f, f->end[0].config.delayed_ack_ps);
    }
  }
}

void complete_transfer(tcp_fixture *f, uint64_t octets)
{
  run_until_idle(f, TCP_FIXTURE_ROUND_TRIP);
  g_assert_cmpuint(f->end[1].passed_octets, ==, octets);
  g_assert_cmpuint(f->end[0].acknowledged, ==, octets);
}

uint32_t sequence_at(const tcp_fixture *f, unsigned end, int64_t position)
{
  return tcp_sequence_of(position, f->end[end].config.isn);
}

void forge_segment(tcp_fixture *f, unsigned from, tcp_header header, uint64_t position, uint32_t length)
{
  const tcp_config *config = &f->end[from].config;
  g_auto(buffer_chain) payload;
  fill(&payload, from, position, length);
  header.source_port = config->local_port;
  header.destination_port = config->remote_port;
  g_autoptr(datagram) packet =
      datagram_new_in(NULL, &config->local_address, &config->remote_address, &header, &payload);
  datagram_set_ecn(packet, f->script_ecn);
  hand_over(f, from, packet);
}

void script_segment(tcp_fixture *f, tcp_header header, uint64_t position, uint32_t length)
{
  forge_segment(f, 1, header, position, length);
}

void script_ack(tcp_fixture *f, uint64_t position, unsigned blocks, const uint64_t (*sack)[2])
{
  tcp_header header = SCRIPT_HEADER(f, 0, (int64_t)position, .flags = TCP_ACK, .window = SCRIPT_WINDOW,
                                    .sack_count = (uint8_t)blocks);
  for (unsigned i = 0; i < blocks; i++) {
    header.sack[i].from = sequence_at(f, 0, (int64_t)sack[i][0]);
    header.sack[i].to = sequence_at(f, 0, (int64_t)sack[i][1]);
  }
  script_segment(f, header, 0, 0);
}

void script_payload(tcp_fixture *f, uint64_t position, uint32_t length, uint64_t acknowledged)
{
  script_segment(f,
                 SCRIPT_HEADER(f, (int64_t)position, (int64_t)acknowledged, .flags = TCP_ACK | TCP_PSH,
                               .window = SCRIPT_WINDOW),
                 position, length);
}

void script_window(tcp_fixture *f, uint64_t acknowledged, uint16_t window)
{
  script_segment(f, SCRIPT_HEADER(f, 0, (int64_t)acknowledged, .flags = TCP_ACK, .window = window), 0, 0);
}
