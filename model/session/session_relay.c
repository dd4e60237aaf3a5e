/* SPDX-License-Identifier: GPL-2.0-only */
#include "session/session_relay.h"

#include "base/random_stream.h"
#include "session/session_setup.h"

struct session_relay {
  path_element *elements[SIDES];
};

/* The proxy's TCP towards `side`: what the hosts' TCP is, but for the links it stands at. `position` "before": beside the Initiator, so
 * all links are on the Responder's side, where the proxy takes the place of the Initiator; and so on. */
static tcp_config tcp_towards(const configuration *c, enum side side)
{
  enum side peer = side_peer(side);
  gsize last_to = path_links(&c->path.directions[peer]) - 1;
  gsize last_from = path_links(&c->path.directions[side]) - 1;
  tcp_config tcp = session_setup_tcp(c, 0, peer);

  if (c->path.middleboxes.position == PATH_POSITION_BETWEEN) {
    /* The first forward link lies on the Initiator's side, and the reverse direction's last one. */
    gsize sent = side == SIDE_INITIATOR ? last_to : MIN(1, last_to);
    gsize received = side == SIDE_INITIATOR ? 0 : MAX(last_from, 1) - 1;

    tcp.send_mtu_octets = path_link_at(&c->path.directions[peer], sent).mtu_octets;
    tcp.receive_mtu_octets = path_link_at(&c->path.directions[side], received).mtu_octets;
  }
  return tcp;
}

session_relay *session_relay_new(const configuration *c, uint32_t index)
{
  if (!choice_list_has(&c->path.middleboxes.mode, PATH_MIDDLEBOX_PROXY)) {
    return NULL;
  }
  session_relay *relay = g_new0(session_relay, 1);
  const path_proxy_config config = {
      .side = {[SIDE_INITIATOR] = tcp_towards(c, SIDE_INITIATOR),
               [SIDE_RESPONDER] = tcp_towards(c, SIDE_RESPONDER)},
      .buffer_octets = c->path.middleboxes.proxy_buffer_octets,
      .seed = random_hash(c->run.seed, "proxy", index),
  };

  path_proxy_new(&config, &relay->elements[SIDE_INITIATOR], &relay->elements[SIDE_RESPONDER]);
  return relay;
}

void session_relay_free(session_relay *relay)
{
  if (relay) {
    path_element_free(relay->elements[SIDE_INITIATOR]);
    path_element_free(relay->elements[SIDE_RESPONDER]);
    g_free(relay);
  }
}

path_element *session_relay_element(const session_relay *relay, enum side direction)
{
  return relay->elements[direction];
}
