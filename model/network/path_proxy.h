/* SPDX-License-Identifier: GPL-2.0-only */
/* The middlebox in mode `proxy` is a relay that splits each connection in two and has a TCP of its own on
 * each side. */
#pragma once

#include "base/side.h"
#include "network/path_middleboxes.h"
#include "tcp/tcp_connection.h"

typedef struct path_proxy_config {
  /* These are the proxy's TCP towards each host. What it is about a connection comes from the connection:
   * addresses, ports, ISN. The proxy sets segmentation (STREAM) and passing (IN_ORDER), and the receive
   * window, which is `buffer_octets`. MTUs and all else are the caller's. */
  tcp_config side[SIDES];
  uint64_t buffer_octets; /* of each direction of each connection, > 0 */
  uint64_t seed; /* ISNs are random_hash(seed, "proxy.isn", 0, 1, 2, …), in the order the connections come */
} path_proxy_config;

/* Makes the two ends of one proxy: in a chain of elements `forward` takes the Initiator's packets and
 * emits those for the Responder, `reverse` the other way. What comes into one makes both emit; both name
 * the proxy's next deadline, so whoever drives them asks the one again that has just received or run.
 * Outputs may not call back into the proxy. Each is freed by path_element_free(), the proxy with the
 * second. The proxy is in one place: what lies before `forward` in the forward chain lies after `reverse`
 * in the reverse chain.
 *
 * Addresses and ports are kept; sequence numbers, options and segment boundaries are each side's own. A
 * SYN that comes from either host is answered only when the other host has answered the proxy's, so that a
 * connection is refused to one host when the other refuses it. Then octets are read in order from one side
 * and posted to the other as a plain stream: FPDUs mean nothing to it, and what is after a hole waits
 * there. FIN is passed on after the last octet, RST at once; also a side's TCP giving up resets the other
 * side.
 *
 * A direction's octets that the far host has not acknowledged are in its buffer, and the window announced
 * to the near host is what is left of it (tcp_connection_set_unread_octets()).
 *
 * A retransmission ends at the proxy, which acknowledges it or, if it needs it, takes it in; what is lost
 * after the proxy is sent again by the proxy, out of its buffer, with its own boundaries: the near host
 * never learns of it.
 *
 * ICMP "too big" about the proxy's own segments is for the proxy; other packets of no connection that it
 * has seen begin pass as they are. Fragments and segments with a wrong checksum are dropped and counted:
 * after the proxy their sequence numbers mean nothing. */
void path_proxy_new(const path_proxy_config *config, path_box **forward, path_box **reverse);

/* Where a proxy stands beside a host no time passes between the two: what the proxy emits makes the host send
 * while the proxy is still at work. The gate holds such packets back until it is done. */
typedef struct path_gate path_gate;

/* Open, with nothing before it. Free with path_gate_free(), which drops what waits (NULL is allowed). */
path_gate *path_gate_new(void);
void path_gate_free(path_gate *gate);

/* An element after the gate begins to work, and is done; the outermost of such calls lets in what came
 * meanwhile, in its order. A NULL gate is always open, in all of these. */
void path_gate_enter(path_gate *gate);
void path_gate_leave(path_gate *gate, time_ps now);

/* True, and takes the packet's reference, when it must wait: `input` gets it, with `user`, when all is
 * done. */
bool path_gate_holds(path_gate *gate, datagram *packet, path_output input, void *user);
