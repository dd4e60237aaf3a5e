/* SPDX-License-Identifier: GPL-2.0-only */
#include "network/path_proxy.h"

#include "base/random_stream.h"
#include "net/flow_table.h"

/* This is the proxy's TCP towards one host; its flow is that host's packets. */
typedef struct proxy_end {
  datagram_flow flow;
  struct path_proxy *proxy;
  struct proxy_end *peer; /* towards the other host */
  enum side side;
  tcp_transport *connection; /* NULL: none yet */
  datagram *syn;             /* the host's SYN, until the other host has answered */
  uint32_t syn_sequence;
  uint64_t acknowledged; /* by the host, of what was posted to it */
  time_ps deadline;
  uint64_t number;      /* of the end: of those due together the lowest comes first */
  GSequenceIter *timer; /* its place in path_proxy.timers */
} proxy_end;

/* One end of the proxy in a chain of elements. */
typedef struct proxy_direction {
  path_box box;
  struct path_proxy *proxy;
  enum side from;
} proxy_direction;

typedef struct path_proxy {
  proxy_direction directions[SIDES]; /* by the side that their packets come from */
  unsigned references;
  path_proxy_config config;
  flow_table ends;   /* of proxy_end */
  GSequence *timers; /* of proxy_end, the one due first first */
  uint64_t isns;
  uint64_t end_count;
} path_proxy;

/* --- What the connections report --- */

/* The host has sent octets: they go to the other one. */
static void relay_octets(void *user, G_GNUC_UNUSED uint64_t position, const buffer_chain *octets,
                         G_GNUC_UNUSED time_ps arrival, G_GNUC_UNUSED time_ps now)
{
  proxy_end *end = user;
  buffer_chain copy;

  buffer_chain_init_part(&copy, octets, 0, octets->length);
  end->peer->connection->class->post(end->peer->connection, &copy, 0);
}

static void note_acknowledged(void *user, uint64_t position, G_GNUC_UNUSED time_ps now)
{
  ((proxy_end *)user)->acknowledged = position;
}

static void relay_fin(void *user, G_GNUC_UNUSED time_ps now)
{
  ((proxy_end *)user)->peer->connection->class->close(((proxy_end *)user)->peer->connection);
}

/* The host has answered the proxy's SYN: now the other host's is answered. */
static void answer_syn(void *user, time_ps now)
{
  proxy_end *opener = ((proxy_end *)user)->peer;

  if (opener->syn) {
    opener->connection->class->listen(opener->connection);
    opener->connection->class->receive(opener->connection, opener->syn, now);
    g_clear_pointer(&opener->syn, datagram_unref);
  }
}

/* The connection to one host is over. If not by FIN both ways, the other one is, too. */
static void relay_end(void *user, tcp_close_reason reason, time_ps now)
{
  proxy_end *peer = ((proxy_end *)user)->peer;

  switch (reason) {
  case TCP_CLOSE_FINISHED:
  case TCP_CLOSE_ABORTED: /* by this function, for the other end */
    return;
  case TCP_CLOSE_RESET:
  case TCP_CLOSE_GAVE_UP:
    if (peer->syn) { /* a closed TCP answers a SYN by RST (RFC 9293 §3.10.7.1) */
      peer->connection->class->receive(peer->connection, peer->syn, now);
      g_clear_pointer(&peer->syn, datagram_unref);
    } else {
      peer->connection->class->abort(peer->connection, now);
    }
    return;
  }
  g_assert_not_reached();
}

/* --- Connections come and go --- */

static void forget_connection(proxy_end *end)
{
  if (end->connection) {
    tcp_transport_free(end->connection);
    end->connection = NULL;
  }
  g_clear_pointer(&end->syn, datagram_unref);
}

/* A closed TCP towards the host of `end`, in the other host's name. */
static void make_connection(path_proxy *proxy, proxy_end *end)
{
  static const tcp_events events = {.established = answer_syn,
                                    .octets = relay_octets,
                                    .acknowledged = note_acknowledged,
                                    .finished = relay_fin,
                                    .closed = relay_end};
  tcp_config config = proxy->config.side[end->side];

  config.local_address = end->flow.destination;
  config.local_port = end->flow.destination_port;
  config.remote_address = end->flow.source;
  config.remote_port = end->flow.source_port;
  config.isn = (uint32_t)random_hash(proxy->config.seed, "proxy.isn", proxy->isns++);
  config.receive_window_octets = proxy->config.buffer_octets;
  config.segmentation = TCP_SEGMENTATION_STREAM;
  config.passing = TCP_PASSING_IN_ORDER;
  end->connection = tcp_connection_new(&config, &events, end);
  end->acknowledged = 0;
}

static int is_due_after(gconstpointer a, gconstpointer b, G_GNUC_UNUSED gpointer user)
{
  const proxy_end *one = a;
  const proxy_end *other = b;

  if (one->deadline != other->deadline) {
    return one->deadline > other->deadline ? 1 : -1;
  }
  return (one->number > other->number) - (one->number < other->number);
}

static proxy_end *add_end(path_proxy *proxy, const datagram_flow *key, enum side side)
{
  proxy_end *end = flow_table_add(&proxy->ends, key);

  end->proxy = proxy;
  end->side = side;
  end->deadline = TIME_PS_NEVER;
  end->number = proxy->end_count++;
  end->timer = g_sequence_insert_sorted(proxy->timers, end, is_due_after, NULL);
  return end;
}

/* True when the SYN asks for a connection: there is none, or it is over. A repetition of one that was taken
 * does not. */
static bool opens(const proxy_end *end, uint32_t syn_sequence)
{
  if (!end || !end->connection) {
    return true;
  }
  return !end->syn && end->syn_sequence != syn_sequence && tcp_connection_is_closed(end->connection) &&
         tcp_connection_is_closed(end->peer->connection);
}

/* The host on `side` asks for a connection: the proxy asks the other host in its name. */
static proxy_end *open_relay(path_proxy *proxy, proxy_end *end, const datagram_flow *key, enum side side,
                             time_ps now)
{
  if (!end) {
    datagram_flow back = flow_table_reversed(key);
    end = add_end(proxy, key, side);
    end->peer = add_end(proxy, &back, side_peer(side));
    end->peer->peer = end;
  }
  forget_connection(end);
  forget_connection(end->peer);
  make_connection(proxy, end);
  make_connection(proxy, end->peer);
  end->peer->connection->class->open(end->peer->connection, now);
  path_element_note(&proxy->directions[side].box.element, proxy->directions[side].box.act, true);
  return end;
}

/* --- In and out --- */

static void transmit(path_proxy *proxy, proxy_end *end, time_ps now)
{
  path_box *out = &proxy->directions[side_peer(end->side)].box;
  datagram *packet;

  /* The octets from the host of `end` that the other host has not acknowledged fill the buffer. */
  tcp_connection_set_unread_octets(end->connection,
                                   end->peer->connection->gauges.posted_octets - end->peer->acknowledged);
  while ((packet = end->connection->class->transmit(end->connection, now))) {
    path_box_emit(out, packet, now);
  }
  time_ps deadline = end->connection->class->deadline(end->connection);
  if (deadline != end->deadline) {
    end->deadline = deadline;
    g_sequence_sort_changed(end->timer, is_due_after, NULL);
  }
}

static void transmit_both(path_proxy *proxy, proxy_end *end, time_ps now)
{
  transmit(proxy, end, now);
  transmit(proxy, end->peer, now);
}

/* A SYN that waits for the other host's answer: the newest, and nothing else but a RST counts. */
static void receive_while_opening(proxy_end *end, datagram *packet, const tcp_header *header, time_ps now)
{
  if (header->flags & TCP_RST) {
    end->peer->connection->class->abort(end->peer->connection, now);
    g_clear_pointer(&end->syn, datagram_unref);
  } else if (header->flags & TCP_SYN) {
    datagram_unref(end->syn);
    end->syn = datagram_ref(packet);
  }
}

static void receive_segment(proxy_direction *direction, datagram *packet, const tcp_header *header,
                            time_ps now)
{
  path_proxy *proxy = direction->proxy;
  datagram_flow key;

  datagram_flow_of(packet, &key);
  proxy_end *end = flow_table_find(&proxy->ends, &key);
  bool asks = (header->flags & (TCP_SYN | TCP_ACK | TCP_RST)) == TCP_SYN;
  if (asks && opens(end, header->sequence)) {
    end = open_relay(proxy, end, &key, direction->from, now);
    end->syn = datagram_ref(packet);
    end->syn_sequence = header->sequence;
  } else if (!end) {
    path_box_emit(&direction->box, packet, now);
    return;
  } else if (end->syn) {
    receive_while_opening(end, packet, header, now);
  } else {
    end->connection->class->receive(end->connection, packet, now);
  }
  datagram_unref(packet);
  transmit_both(proxy, end, now);
}

/* "Too big": about one of the proxy's segments to the host on that side, or about another sender's. */
static void receive_too_big(proxy_direction *direction, datagram *packet, time_ps now)
{
  path_proxy *proxy = direction->proxy;
  proxy_end *end = NULL;
  datagram_flow key;

  if (datagram_flow_of(packet, &key)) {
    datagram_flow back = flow_table_reversed(&key);
    end = flow_table_find(&proxy->ends, &back);
  }
  if (!end || end->side != direction->from) {
    path_box_emit(&direction->box, packet, now);
    return;
  }
  end->connection->class->receive(end->connection, packet, now);
  datagram_unref(packet);
  transmit_both(proxy, end, now);
}

static void receive(path_element *element, datagram *packet, time_ps now)
{
  proxy_direction *direction = (proxy_direction *)element;
  tcp_header header;

  if (packet->kind == DATAGRAM_FRAGMENT) {
    path_element_drop(element, packet, LOSSES_MIDDLEBOX);
  } else if (packet->kind == DATAGRAM_TOO_BIG) {
    receive_too_big(direction, packet, now);
  } else if (path_box_takes(&direction->box, packet, &header, now)) {
    receive_segment(direction, packet, &header, now);
  }
}

/* --- The element --- */

/* Returns the end that is due first; NULL: there are none. */
static proxy_end *first_due(const path_proxy *proxy)
{
  GSequenceIter *first = g_sequence_get_begin_iter(proxy->timers);

  return g_sequence_iter_is_end(first) ? NULL : g_sequence_get(first);
}

static time_ps deadline(const path_element *element)
{
  const proxy_end *first = first_due(((const proxy_direction *)element)->proxy);

  return first ? first->deadline : TIME_PS_NEVER;
}

static void run(path_element *element, time_ps now)
{
  path_proxy *proxy = ((proxy_direction *)element)->proxy;
  proxy_end *first;

  while ((first = first_due(proxy)) && first->deadline <= now) {
    first->connection->class->run(first->connection, now);
    transmit_both(proxy, first, now);
  }
}

static void free_end(gpointer entry)
{
  proxy_end *end = entry;

  tcp_transport_free(end->connection);
  datagram_unref(end->syn);
  g_free(end);
}

static void free_direction(path_element *element)
{
  path_proxy *proxy = ((proxy_direction *)element)->proxy;

  if (--proxy->references == 0) {
    flow_table_clear(&proxy->ends);
    g_sequence_free(proxy->timers);
    g_free(proxy);
  }
}

static const path_element_class proxy_class = {
    .name = "proxy", .receive = receive, .deadline = deadline, .run = run, .free = free_direction};

static path_box *begin_direction(path_proxy *proxy, enum side from)
{
  proxy_direction *direction = &proxy->directions[from];

  direction->box.element.class = &proxy_class;
  direction->proxy = proxy;
  direction->from = from;
  proxy->references++;
  return &direction->box;
}

void path_proxy_new(const path_proxy_config *config, path_box **forward, path_box **reverse)
{
  g_assert(config->buffer_octets > 0);
  path_proxy *proxy = g_new0(path_proxy, 1);

  proxy->config = *config;
  flow_table_init(&proxy->ends, sizeof(proxy_end), free_end);
  proxy->timers = g_sequence_new(NULL);
  *forward = begin_direction(proxy, SIDE_INITIATOR);
  *reverse = begin_direction(proxy, SIDE_RESPONDER);
}

/* --- The gate before it --- */

typedef struct waiting_packet {
  datagram *packet;
  path_output input;
  void *user;
} waiting_packet;

struct path_gate {
  unsigned depth; /* of elements at work, one within the other */
  GQueue waiting; /* of waiting_packet */
};

path_gate *path_gate_new(void)
{
  return g_new0(path_gate, 1);
}

static void drop(gpointer data)
{
  waiting_packet *waiting = data;

  datagram_unref(waiting->packet);
  g_free(waiting);
}

void path_gate_free(path_gate *gate)
{
  if (gate) {
    g_queue_clear_full(&gate->waiting, drop);
    g_free(gate);
  }
}

void path_gate_enter(path_gate *gate)
{
  if (gate) {
    gate->depth++;
  }
}

void path_gate_leave(path_gate *gate, time_ps now)
{
  waiting_packet *first;

  if (!gate) {
    return;
  }
  /* What is let in may make the gate hold more: that comes later. */
  while (gate->depth == 1 && (first = g_queue_pop_head(&gate->waiting))) {
    first->input(first->user, first->packet, now);
    g_free(first);
  }
  gate->depth--;
}

bool path_gate_holds(path_gate *gate, datagram *packet, path_output input, void *user)
{
  if (!gate || gate->depth == 0) {
    return false;
  }
  waiting_packet *waiting = g_new(waiting_packet, 1);
  *waiting = (waiting_packet){.packet = packet, .input = input, .user = user};
  g_queue_push_tail(&gate->waiting, waiting);
  return true;
}
