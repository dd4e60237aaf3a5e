/* SPDX-License-Identifier: GPL-2.0-only */
/* What stands in front of TCP at one host: IP reassembly (mpa-01 §11.2.1). Whole packets go on; what waits for fragments is told for
 * the gauge (definitions.md, cause `fragment`). */
#ifndef SESSION_IP_INPUT_H
#define SESSION_IP_INPUT_H

#include "base/big_endian.h"
#include "base/side.h"
#include "engine/engine.h"
#include "net/ip_reassembly.h"
#include "network/path_element.h"
#include "scenario/configuration.h"
#include "session/session_setup.h"

typedef struct ip_input ip_input;

/* Fragments whose connection is not known yet, because the first of their datagram has not come. */
#define IP_INPUT_UNKNOWN UINT32_MAX

typedef struct ip_input_events {
  path_output whole;  /* a packet for TCP; takes the reference */
  path_output answer; /* an ICMP message of this host's leaves; takes the reference */
  /* `connection` (or IP_INPUT_UNKNOWN) has `octets` of TCP payload in datagrams with fragments missing from now on. */
  void (*held)(void *user, uint32_t connection, uint64_t octets, time_ps now);
  /* Which connection a flow, as it comes here, is of; false: none. NULL: as the ports of the hosts of a scenario say (session_setup.h). */
  bool (*connection_of)(void *user, const datagram_flow *flow, uint32_t *connection);
} ip_input_events;

/* The input of `side`, the host with this number (< 65536) among those on `clock`; `events` are copied and called with `user`. Free with ip_input_free(), before the engine. */
ip_input *ip_input_new(const configuration *c, enum side side, uint32_t number, engine *clock,
                       const ip_input_events *events, void *user);
void ip_input_free(ip_input *input);

/* A packet has arrived; takes its reference. */
void ip_input_receive(ip_input *input, datagram *packet, time_ps now);

/* The connection whose Initiator's port is `initiators` and whose Responder's is `responders`; false when that is none of `connections`. */
static inline bool ip_input_connection_at(uint32_t initiators, uint32_t responders, uint32_t connections,
                                          uint32_t *connection)
{
  *connection =
      initiators - SESSION_INITIATOR_FIRST_PORT; /* a port below the first is beyond all connections */
  return *connection < connections && responders == SESSION_RESPONDER_PORT;
}

/* What ip_input_connection_of() does with what is no TCP segment. */
bool ip_input_quoted_connection_of(const datagram *packet, enum side side, uint32_t connections,
                                   uint32_t *connection);

/* The connection that a packet which came to `side` is of; false when its ports, damaged perhaps, are none's. */
static inline bool ip_input_connection_of(const datagram *packet, enum side side, uint32_t connections,
                                          uint32_t *connection)
{
  if (packet->kind != DATAGRAM_TCP) {
    return ip_input_quoted_connection_of(packet, side, connections, connection);
  }
  uint32_t ports = big_endian_read_32(packet->header + packet->ip_octets); /* RFC 9293 §3.1 */
  uint32_t source = ports >> 16, destination = ports & 0xFFFF;
  return side == SIDE_INITIATOR ? ip_input_connection_at(destination, source, connections, connection)
                                : ip_input_connection_at(source, destination, connections, connection);
}

/* No datagram times out any more: nobody waits for what is missing. */
void ip_input_stop_clock(ip_input *input);

#endif
