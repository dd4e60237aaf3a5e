/* SPDX-License-Identifier: GPL-2.0-only */
#include "proxy_fixture.h"

#include "path_fixture.h"
#include "tcp_fixture.h"

static uint8_t octet_of(unsigned seed, uint64_t position)
{
  return (uint8_t)((position + seed * 104729) * 2654435761U >> 11);
}

/* --- Hosts --- */

static void on_established(void *user, G_GNUC_UNUSED time_ps now)
{
  ((proxy_host *)user)->established = true;
}

static void on_octets(void *user, uint64_t position, const buffer_chain *octets,
                      G_GNUC_UNUSED time_ps arrival, G_GNUC_UNUSED time_ps now)
{
  proxy_host *host = user;

  g_assert_cmpuint(position, ==, host->received);
  for (uint32_t i = 0; i < octets->length; i++) {
    g_assert_cmpuint(buffer_chain_at(octets, i), ==, octet_of(host->peer_seed, position + i));
  }
  host->received += octets->length;
}

static void on_acknowledged(void *user, uint64_t position, G_GNUC_UNUSED time_ps now)
{
  proxy_host *host = user;
  uint64_t received = host->peer->received;

  host->acknowledged = position;
  host->most_ahead = MAX(host->most_ahead, position > received ? position - received : 0);
}

static void on_finished(void *user, G_GNUC_UNUSED time_ps now)
{
  ((proxy_host *)user)->finished = true;
}

static void on_closed(void *user, tcp_close_reason reason, G_GNUC_UNUSED time_ps now)
{
  proxy_host *host = user;

  host->closed = true;
  host->reason = reason;
}

static void transmit(proxy_host *host)
{
  datagram *packet;

  while ((packet = host->connection->class->transmit(host->connection, host->fixture->now))) {
    proxy_send(host->out, packet);
  }
}

static void make_host(proxy_fixture *f, unsigned pair, enum side side)
{
  static const tcp_events events = {.established = on_established,
                                    .octets = on_octets,
                                    .acknowledged = on_acknowledged,
                                    .finished = on_finished,
                                    .closed = on_closed};
  proxy_host *host = &f->hosts[pair][side];
  bool initiator = side == SIDE_INITIATOR;
  tcp_config config = tcp_fixture_config();

  config.local_address = ip_address_v4(initiator ? 0x0A000001 : 0x0A000002);
  config.remote_address = ip_address_v4(initiator ? 0x0A000002 : 0x0A000001);
  config.local_port = (uint16_t)(initiator ? PROXY_PORT + pair : 7);
  config.remote_port = (uint16_t)(initiator ? 7 : PROXY_PORT + pair);
  config.isn = 0xFFFFF000 + side * 77777 + pair + 1000000 * (uint32_t)f->generation;
  config.passing = TCP_PASSING_IN_ORDER;
  *host = (proxy_host){.fixture = f,
                       .peer = &f->hosts[pair][side_peer(side)],
                       .out = &f->wires[initiator ? INITIATOR_TO_PROXY : RESPONDER_TO_PROXY],
                       .seed = 2 * pair + side,
                       .peer_seed = 2 * pair + !side};
  host->connection = tcp_connection_new(&config, &events, host);
}

/* --- Wires --- */

void proxy_send(proxy_wire *wire, datagram *packet)
{
  wire->entered++;
  wire->retransmissions += packet->retransmission;
  wire->largest_octets = MAX(wire->largest_octets, datagram_octets(packet));
  if (packet->kind == DATAGRAM_TCP) {
    datagram_tcp_header(packet, &wire->last);
    bool asks = (wire->last.flags & (TCP_SYN | TCP_ACK)) == TCP_SYN;
    if (asks && (wire->openings == 0 || wire->last.sequence != wire->opening_sequence)) {
      wire->openings++;
      wire->opening_sequence = wire->last.sequence;
    }
  }
  if (wire->cut || (wire->loses && wire->loses(wire->loses_user, packet))) {
    datagram_unref(packet);
    return;
  }
  path_delay_line_add(&wire->packets, packet, wire->fixture->now + wire->delay_ps, 0);
}

static void into_wire(void *user, datagram *packet, time_ps now)
{
  proxy_wire *wire = user;

  g_assert_cmpint(now, ==, wire->fixture->now);
  proxy_send(wire, packet);
}

static void arrive_at_host(proxy_fixture *f, enum side side, datagram *packet)
{
  datagram_flow flow;

  if (datagram_flow_of(packet, &flow)) {
    bool to_initiator = (side == SIDE_INITIATOR) == (packet->kind == DATAGRAM_TCP);
    uint16_t port = to_initiator ? flow.destination_port : flow.source_port;
    g_assert_cmpuint(port, >=, PROXY_PORT);
    g_assert_cmpuint(port, <, PROXY_PORT + f->pair_count);
    proxy_host *host = &f->hosts[port - PROXY_PORT][side];
    host->connection->class->receive(host->connection, packet, f->now);
    transmit(host);
  }
  datagram_unref(packet);
}

/* --- Time --- */

static time_ps next_event(const proxy_fixture *f)
{
  time_ps next = deadline_of(f->ends[SIDE_INITIATOR]);

  g_assert_cmpint(deadline_of(f->ends[SIDE_RESPONDER]), ==, next);
  for (int i = 0; i < PROXY_WIRES; i++) {
    next = time_ps_earlier(next, path_delay_line_deadline(&f->wires[i].packets));
  }
  for (unsigned i = 0; i < f->pair_count; i++) {
    for (enum side side = 0; side < SIDES; side++) {
      next =
          time_ps_earlier(next, f->hosts[i][side].connection->class->deadline(f->hosts[i][side].connection));
    }
  }
  return next;
}

static void do_what_is_due(proxy_fixture *f)
{
  datagram *packet;

  for (proxy_wire_name i = 0; i < PROXY_WIRES; i++) {
    const enum side side =
        i == INITIATOR_TO_PROXY || i == PROXY_TO_INITIATOR ? SIDE_INITIATOR : SIDE_RESPONDER;
    while ((packet = path_delay_line_take_due(&f->wires[i].packets, f->now))) {
      if (i == INITIATOR_TO_PROXY || i == RESPONDER_TO_PROXY) {
        path_element_receive(f->ends[side], packet, f->now);
      } else {
        arrive_at_host(f, side, packet);
      }
    }
  }
  for (unsigned i = 0; i < f->pair_count; i++) {
    for (enum side side = 0; side < SIDES; side++) {
      proxy_host *host = &f->hosts[i][side];
      if (host->connection->class->deadline(host->connection) <= f->now) {
        host->connection->class->run(host->connection, f->now);
        transmit(host);
      }
    }
  }
  if (deadline_of(f->ends[SIDE_INITIATOR]) <= f->now) {
    path_element_run(f->ends[SIDE_RESPONDER], f->now);
  }
}

void proxy_run_ms(proxy_fixture *f, int64_t how_long_ms)
{
  time_ps until = f->now + how_long_ms * TIME_PS_PER_MILLISECOND;
  time_ps next;

  while ((next = next_event(f)) <= until) {
    f->now = MAX(f->now, next);
    do_what_is_due(f);
  }
  f->now = until;
}

/* --- The fixture --- */

path_proxy_config proxy_fixture_config(uint64_t buffer_octets)
{
  return (path_proxy_config){
      .side = {tcp_fixture_config(), tcp_fixture_config()}, .buffer_octets = buffer_octets, .seed = 1};
}

proxy_fixture *proxy_fixture_new(const path_proxy_config *config, unsigned pairs)
{
  static const proxy_wire_name outs[SIDES] = {PROXY_TO_RESPONDER, PROXY_TO_INITIATOR};
  proxy_fixture *f = g_new0(proxy_fixture, 1);
  path_box *boxes[SIDES];

  g_assert_cmpuint(pairs, <=, PROXY_PAIRS_MAX);
  path_proxy_new(config, &boxes[SIDE_INITIATOR], &boxes[SIDE_RESPONDER]);
  for (int i = 0; i < PROXY_WIRES; i++) {
    f->wires[i] = (proxy_wire){.fixture = f, .delay_ps = 5 * TIME_PS_PER_MILLISECOND};
    path_delay_line_init(&f->wires[i].packets);
  }
  f->pair_count = pairs;
  for (enum side side = 0; side < SIDES; side++) {
    f->ends[side] = &boxes[side]->element;
    path_element_set_output(f->ends[side], into_wire, &f->wires[outs[side]]);
    for (unsigned i = 0; i < pairs; i++) {
      make_host(f, i, side);
    }
  }
  return f;
}

void proxy_fixture_free(proxy_fixture *f)
{
  for (int i = 0; i < PROXY_WIRES; i++) {
    path_delay_line_clear(&f->wires[i].packets);
  }
  for (enum side side = 0; side < SIDES; side++) {
    for (unsigned i = 0; i < f->pair_count; i++) {
      tcp_transport_free(f->hosts[i][side].connection);
    }
    path_element_free(f->ends[side]);
  }
  g_free(f);
}

void proxy_renew(proxy_fixture *f, unsigned pair)
{
  f->generation++;
  for (enum side side = 0; side < SIDES; side++) {
    tcp_transport_free(f->hosts[pair][side].connection);
    make_host(f, pair, side);
  }
}

void proxy_open(proxy_host *host)
{
  host->peer->connection->class->listen(host->peer->connection);
  host->connection->class->open(host->connection, host->fixture->now);
  transmit(host);
}

void proxy_post(proxy_host *host, uint32_t octets)
{
  g_autoptr(octet_buffer) buffer = octet_buffer_new(octets);
  buffer_chain record = {0};

  for (uint32_t i = 0; i < octets; i++) {
    octet_buffer_octets(buffer)[i] = octet_of(host->seed, host->posted + i);
  }
  buffer_chain_append(&record, octet_buffer_octets(buffer), octets, buffer);
  host->posted += octets;
  host->connection->class->post(host->connection, &record, 0);
  transmit(host);
}

void proxy_close(proxy_host *host)
{
  host->connection->class->close(host->connection);
  transmit(host);
}

void proxy_abort(proxy_host *host)
{
  host->connection->class->abort(host->connection, host->fixture->now);
  transmit(host);
}

unsigned proxy_openings(const proxy_fixture *f)
{
  return f->wires[PROXY_TO_RESPONDER].openings + f->wires[PROXY_TO_INITIATOR].openings;
}
