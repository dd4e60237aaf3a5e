/* SPDX-License-Identifier: GPL-2.0-only */
/* This is a proxy between two hosts with TCPs of their own, on four wires that have a delay and lose what a
 * test wants. */
#pragma once

#include <glib.h>

#include "network/path_proxy.h"

enum { PROXY_PAIRS_MAX = 8, PROXY_PORT = 1000 };

typedef enum proxy_wire_name {
  INITIATOR_TO_PROXY,
  PROXY_TO_RESPONDER,
  RESPONDER_TO_PROXY,
  PROXY_TO_INITIATOR,
  PROXY_WIRES
} proxy_wire_name;

/* This may happen to a packet that enters a wire: true, it is lost. */
typedef bool (*proxy_loses)(void *user, const datagram *packet);

typedef struct proxy_wire {
  struct proxy_fixture *fixture;
  path_delay_line packets; /* on the way */
  time_ps delay_ps;
  bool cut; /* loses all */
  proxy_loses loses;
  void *loses_user;
  uint64_t entered;         /* packets */
  uint64_t retransmissions; /* of those, segments with octets that were sent before */
  uint32_t largest_octets;  /* IP packet */
  unsigned openings;        /* SYNs that ask for a connection; what is sent again does not count */
  uint32_t opening_sequence;
  tcp_header last; /* header of the last one */
} proxy_wire;

/* This is one end of a connection: posts its stream, checks the other's. */
typedef struct proxy_host {
  struct proxy_fixture *fixture;
  struct proxy_host *peer;
  tcp_transport *connection;
  proxy_wire *out;
  unsigned seed, peer_seed;
  uint64_t posted;
  uint64_t received;     /* in order and right */
  uint64_t acknowledged; /* by the proxy, of what was posted */
  uint64_t most_ahead;   /* so many octets more than the peer had received then */
  bool established, finished, closed;
  tcp_close_reason reason;
} proxy_host;

typedef struct proxy_fixture {
  time_ps now;
  path_element *ends[SIDES]; /* forward, reverse */
  proxy_wire wires[PROXY_WIRES];
  proxy_host hosts[PROXY_PAIRS_MAX][SIDES]; /* on ports PROXY_PORT, PROXY_PORT + 1, … of the initiator */
  unsigned pair_count;
  unsigned generation; /* of hosts: another one has other ISNs */
} proxy_fixture;

/* Returns tcp_fixture_config() on both sides of the proxy, `buffer_octets` in it. */
path_proxy_config proxy_fixture_config(uint64_t buffer_octets);

/* Returns a proxy of `config`, tcp_fixture_config() at the hosts, wires of 5 ms; `pairs` connections, not
 * open yet. */
proxy_fixture *proxy_fixture_new(const path_proxy_config *config, unsigned pairs);
void proxy_fixture_free(proxy_fixture *f);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(proxy_fixture, proxy_fixture_free)

/* The hosts of `pair` forget their connection and may make another on the same ports. */
void proxy_renew(proxy_fixture *f, unsigned pair);

/* The host asks for the connection, its peer listens; posts `octets` more of its stream; is done; resets. */
void proxy_open(proxy_host *host);
void proxy_post(proxy_host *host, uint32_t octets);
void proxy_close(proxy_host *host);
void proxy_abort(proxy_host *host);

/* Lets time pass, all that is due happening. */
void proxy_run_ms(proxy_fixture *f, int64_t how_long_ms);

/* A packet enters a wire. Takes the reference. */
void proxy_send(proxy_wire *wire, datagram *packet);

/* Connections that the proxy has asked the hosts for. */
unsigned proxy_openings(const proxy_fixture *f);
