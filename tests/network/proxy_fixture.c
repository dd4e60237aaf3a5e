/* SPDX-License-Identifier: GPL-2.0-only */
#include "proxy_fixture.h"

#include "tcp_fixture.h"

typedef struct in_flight {
  datagram *packet;
  time_ps arrival;
} in_flight;

static uint8_t octet_of(unsigned seed, uint64_t position)
{
  return (uint8_t)((position + seed * 104729) * 2654435761U >> 11);
}

/* --- Hosts --- */

static void on_established(void *user, G_GNUC_UNUSED time_ps now)
{
  ((proxy_fixture_host *)user)->established = true;
}

static void on_octets(void *user, uint64_t position, const buffer_chain *octets,
                      G_GNUC_UNUSED time_ps arrival, G_GNUC_UNUSED time_ps now)
{
  proxy_fixture_host *host = user;

  g_assert_cmpuint(position, ==, host->received);
  for (uint32_t i = 0; i < octets->length; i++) {
    g_assert_cmpuint(buffer_chain_at(octets, i), ==, octet_of(host->peer_seed, position + i));
  }
  host->received += octets->length;
}

static void on_acknowledged(void *user, uint64_t position, G_GNUC_UNUSED time_ps now)
{
  proxy_fixture_host *host = user;
  uint64_t received = host->peer->received;

  host->acknowledged = position;
  host->most_ahead = MAX(host->most_ahead, position > received ? position - received : 0);
}

static void on_finished(void *user, G_GNUC_UNUSED time_ps now)
{
  ((proxy_fixture_host *)user)->finished = true;
}

static void on_closed(void *user, tcp_close_reason reason, G_GNUC_UNUSED time_ps now)
{
  proxy_fixture_host *host = user;

  host->closed = true;
  host->reason = reason;
}

static void transmit(proxy_fixture_host *host)
{
  datagram *packet;

  while ((packet = tcp_transport_transmit(host->connection, host->kit->now))) {
    proxy_fixture_send(host->kit, host->out, packet);
  }
}

static void make_host(proxy_fixture *kit, unsigned pair, enum side side)
{
  static const tcp_events events = {.established = on_established,
                                    .octets = on_octets,
                                    .acknowledged = on_acknowledged,
                                    .finished = on_finished,
                                    .closed = on_closed};
  proxy_fixture_host *host = &kit->pairs[pair].host[side];
  bool initiator = side == SIDE_INITIATOR;
  tcp_config config = tcp_fixture_config();

  config.local_address = ip_address_v4(initiator ? 0x0A000001 : 0x0A000002);
  config.remote_address = ip_address_v4(initiator ? 0x0A000002 : 0x0A000001);
  config.local_port = (uint16_t)(initiator ? PROXY_FIXTURE_PORT + pair : 7);
  config.remote_port = (uint16_t)(initiator ? 7 : PROXY_FIXTURE_PORT + pair);
  config.isn = 0xFFFFF000 + side * 77777 + pair + 1000000 * (uint32_t)kit->generation;
  config.passing = TCP_PASSING_IN_ORDER;
  *host = (proxy_fixture_host){.kit = kit,
                               .peer = &kit->pairs[pair].host[side_peer(side)],
                               .out = initiator ? INITIATOR_TO_PROXY : RESPONDER_TO_PROXY,
                               .seed = 2 * pair + side,
                               .peer_seed = 2 * pair + !side};
  host->connection = tcp_connection_new(&config, &events, host);
}

/* --- Wires --- */

void proxy_fixture_send(proxy_fixture *kit, proxy_fixture_wire_name name, datagram *packet)
{
  proxy_fixture_wire *wire = &kit->wires[name];

  wire->entered++;
  wire->payload_segments += packet->kind == DATAGRAM_TCP && packet->payload.length > 0;
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
  in_flight *entry = g_new(in_flight, 1);
  *entry = (in_flight){.packet = packet, .arrival = kit->now + wire->delay_ps};
  g_queue_push_tail(&wire->packets, entry);
}

static void into_responder_wire(void *user, datagram *packet, time_ps now)
{
  g_assert_cmpint(now, ==, ((proxy_fixture *)user)->now);
  proxy_fixture_send(user, PROXY_TO_RESPONDER, packet);
}

static void into_initiator_wire(void *user, datagram *packet, time_ps now)
{
  g_assert_cmpint(now, ==, ((proxy_fixture *)user)->now);
  proxy_fixture_send(user, PROXY_TO_INITIATOR, packet);
}

static void arrive_at_host(proxy_fixture *kit, enum side side, datagram *packet)
{
  datagram_flow flow;

  if (datagram_flow_of(packet, &flow)) {
    bool to_initiator = (side == SIDE_INITIATOR) == (packet->kind == DATAGRAM_TCP);
    uint16_t port = to_initiator ? flow.destination_port : flow.source_port;
    g_assert_cmpuint(port, >=, PROXY_FIXTURE_PORT);
    g_assert_cmpuint(port, <, PROXY_FIXTURE_PORT + kit->pair_count);
    proxy_fixture_host *host = &kit->pairs[port - PROXY_FIXTURE_PORT].host[side];
    tcp_transport_receive(host->connection, packet, kit->now);
    transmit(host);
  }
  datagram_unref(packet);
}

static void arrive(proxy_fixture *kit, proxy_fixture_wire_name name)
{
  in_flight *entry = g_queue_pop_head(&kit->wires[name].packets);
  datagram *packet = entry->packet;

  g_free(entry);
  switch (name) {
  case INITIATOR_TO_PROXY:
    path_element_receive(kit->ends[SIDE_INITIATOR], packet, kit->now);
    return;
  case RESPONDER_TO_PROXY:
    path_element_receive(kit->ends[SIDE_RESPONDER], packet, kit->now);
    return;
  case PROXY_TO_RESPONDER:
    arrive_at_host(kit, SIDE_RESPONDER, packet);
    return;
  case PROXY_TO_INITIATOR:
    arrive_at_host(kit, SIDE_INITIATOR, packet);
    return;
  default:
    g_assert_not_reached();
  }
}

/* --- Time --- */

static time_ps arrival_of(const proxy_fixture_wire *wire)
{
  const in_flight *entry = wire->packets.head ? wire->packets.head->data : NULL;

  return entry ? entry->arrival : TIME_PS_NEVER;
}

static time_ps deadline_of(const proxy_fixture *kit)
{
  uint64_t order;
  time_ps forward = path_element_deadline(kit->ends[SIDE_INITIATOR], &order);

  g_assert_cmpint(path_element_deadline(kit->ends[SIDE_RESPONDER], &order), ==, forward);
  return forward;
}

static time_ps next_event(const proxy_fixture *kit)
{
  time_ps next = deadline_of(kit);

  for (int i = 0; i < PROXY_FIXTURE_WIRES; i++) {
    next = time_ps_earlier(next, arrival_of(&kit->wires[i]));
  }
  for (unsigned i = 0; i < kit->pair_count; i++) {
    for (enum side side = 0; side < SIDES; side++) {
      next = time_ps_earlier(next, tcp_transport_deadline(kit->pairs[i].host[side].connection));
    }
  }
  return next;
}

static void do_what_is_due(proxy_fixture *kit)
{
  for (proxy_fixture_wire_name i = 0; i < PROXY_FIXTURE_WIRES; i++) {
    while (arrival_of(&kit->wires[i]) <= kit->now) {
      arrive(kit, i);
    }
  }
  for (unsigned i = 0; i < kit->pair_count; i++) {
    for (enum side side = 0; side < SIDES; side++) {
      proxy_fixture_host *host = &kit->pairs[i].host[side];
      if (tcp_transport_deadline(host->connection) <= kit->now) {
        tcp_transport_run(host->connection, kit->now);
        transmit(host);
      }
    }
  }
  if (deadline_of(kit) <= kit->now) {
    path_element_run(kit->ends[SIDE_RESPONDER], kit->now);
  }
}

void proxy_fixture_run(proxy_fixture *kit, time_ps how_long)
{
  time_ps until = kit->now + how_long;
  time_ps next;

  while ((next = next_event(kit)) <= until) {
    kit->now = MAX(kit->now, next);
    do_what_is_due(kit);
  }
  kit->now = until;
}

/* --- The kit --- */

path_proxy_config proxy_fixture_config(uint64_t buffer_octets)
{
  return (path_proxy_config){
      .side = {tcp_fixture_config(), tcp_fixture_config()}, .buffer_octets = buffer_octets, .seed = 1};
}

proxy_fixture *proxy_fixture_new(const path_proxy_config *config, unsigned pairs)
{
  proxy_fixture *kit = g_new0(proxy_fixture, 1);

  g_assert_cmpuint(pairs, <=, PROXY_FIXTURE_PAIRS_MAX);
  path_box *boxes[SIDES];

  path_proxy_new(config, &boxes[SIDE_INITIATOR], &boxes[SIDE_RESPONDER]);
  kit->ends[SIDE_INITIATOR] = &boxes[SIDE_INITIATOR]->element;
  kit->ends[SIDE_RESPONDER] = &boxes[SIDE_RESPONDER]->element;
  path_element_set_output(kit->ends[SIDE_INITIATOR], into_responder_wire, kit);
  path_element_set_output(kit->ends[SIDE_RESPONDER], into_initiator_wire, kit);
  for (int i = 0; i < PROXY_FIXTURE_WIRES; i++) {
    g_queue_init(&kit->wires[i].packets);
    kit->wires[i].delay_ps = 5 * TIME_PS_PER_MILLISECOND;
  }
  kit->pair_count = pairs;
  for (unsigned i = 0; i < pairs; i++) {
    make_host(kit, i, SIDE_INITIATOR);
    make_host(kit, i, SIDE_RESPONDER);
  }
  return kit;
}

void proxy_fixture_free(proxy_fixture *kit)
{
  for (int i = 0; i < PROXY_FIXTURE_WIRES; i++) {
    in_flight *entry;
    while ((entry = g_queue_pop_head(&kit->wires[i].packets))) {
      datagram_unref(entry->packet);
      g_free(entry);
    }
  }
  for (unsigned i = 0; i < kit->pair_count; i++) {
    tcp_transport_free(kit->pairs[i].host[SIDE_INITIATOR].connection);
    tcp_transport_free(kit->pairs[i].host[SIDE_RESPONDER].connection);
  }
  path_element_free(kit->ends[SIDE_INITIATOR]);
  path_element_free(kit->ends[SIDE_RESPONDER]);
  g_free(kit);
}

void proxy_fixture_renew(proxy_fixture *kit, unsigned pair)
{
  kit->generation++;
  for (enum side side = 0; side < SIDES; side++) {
    tcp_transport_free(kit->pairs[pair].host[side].connection);
    make_host(kit, pair, side);
  }
}

void proxy_fixture_open(proxy_fixture *kit, unsigned pair, enum side side)
{
  proxy_fixture_host *host = &kit->pairs[pair].host[side];

  tcp_transport_listen(kit->pairs[pair].host[!side].connection);
  tcp_transport_open(host->connection, kit->now);
  transmit(host);
}

void proxy_fixture_post(proxy_fixture *kit, unsigned pair, enum side side, uint32_t octets)
{
  proxy_fixture_host *host = &kit->pairs[pair].host[side];
  octet_buffer *buffer = octet_buffer_new(octets);
  buffer_chain record;

  for (uint32_t i = 0; i < octets; i++) {
    octet_buffer_octets(buffer)[i] = octet_of(host->seed, host->posted + i);
  }
  buffer_chain_init(&record);
  buffer_chain_append(&record, octet_buffer_octets(buffer), octets, buffer);
  octet_buffer_unref(buffer);
  host->posted += octets;
  tcp_transport_post(host->connection, &record, 0);
  transmit(host);
}

void proxy_fixture_close(proxy_fixture *kit, unsigned pair, enum side side)
{
  proxy_fixture_host *host = &kit->pairs[pair].host[side];

  tcp_transport_close(host->connection);
  transmit(host);
}

void proxy_fixture_abort(proxy_fixture *kit, unsigned pair, enum side side)
{
  proxy_fixture_host *host = &kit->pairs[pair].host[side];

  tcp_transport_abort(host->connection, kit->now);
  transmit(host);
}

unsigned proxy_fixture_openings(const proxy_fixture *kit)
{
  return kit->wires[PROXY_TO_RESPONDER].openings + kit->wires[PROXY_TO_INITIATOR].openings;
}
