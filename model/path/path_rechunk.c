#include "path/path_rechunk.h"

#include <glib.h>

/* What tells connections apart; one direction goes through the box. */
typedef struct flow_key {
  uint32_t source;
  uint32_t destination;
  uint16_t source_port;
  uint16_t destination_port;
} flow_key;

/* Positions are 0 at the octet after the SYN. */
typedef struct flow {
  flow_key key;
  uint32_t isn;
  int64_t forwarded; /* end of the highest octet forwarded */
  octet_rope
      waiting; /* the run of octets that reaches no line of the grid yet; begins at or beyond `forwarded` */
  int64_t waiting_from;
  tcp_header header; /* of the latest segment with payload */
  time_ps last_input;
  uint64_t last_send_order;
  GList in_queue; /* the flow's node of path_rechunk.flush_queue, linked while octets are waiting */
  bool queued;
} flow;

typedef struct path_rechunk {
  path_element element;
  int64_t chunk;
  int64_t phase;
  time_ps flush_ps;
  GHashTable *flows; /* flow_key -> flow */
  GQueue
      flush_queue; /* flows with octets waiting, in order of last input, which is that of their deadlines */
} path_rechunk;

static guint hash_key(gconstpointer pointer)
{
  const flow_key *key = pointer;
  uint64_t addresses = (uint64_t)key->source << 32 | key->destination;
  uint64_t ports = (uint64_t)key->source_port << 16 | key->destination_port;
  return (guint)(((addresses ^ ports << 20) * UINT64_C(0x9E3779B97F4A7C15)) >> 32);
}

static gboolean equal_keys(gconstpointer a, gconstpointer b)
{
  const flow_key *left = a;
  const flow_key *right = b;
  return left->source == right->source && left->destination == right->destination &&
         left->source_port == right->source_port && left->destination_port == right->destination_port;
}

static void free_flow(gpointer pointer)
{
  flow *connection = pointer;
  octet_rope_clear(&connection->waiting);
  g_free(connection);
}

/* The first line of the grid beyond `position`. */
static int64_t line_beyond(const path_rechunk *box, int64_t position)
{
  if (position < box->phase) {
    return box->phase;
  }
  return box->phase + ((position - box->phase) / box->chunk + 1) * box->chunk;
}

/* The last line of the grid at or below `position`; 0, where the stream begins, when there is none. */
static int64_t line_at_or_below(const path_rechunk *box, int64_t position)
{
  if (position < box->phase) {
    return 0;
  }
  return box->phase + (position - box->phase) / box->chunk * box->chunk;
}

static int64_t waiting_end(const flow *connection)
{
  return connection->waiting_from + connection->waiting.length;
}

/* Emits octets [from, to) of the stream, cut at the grid, out of `octets`, which begin at position `start`.
 * The last piece has `last_flags` besides ACK. */
static void emit_pieces(path_rechunk *box, flow *connection, const octet_rope *octets, int64_t start,
                        int64_t from, int64_t to, uint8_t last_flags, time_ps now)
{
  while (from < to) {
    int64_t end = MIN(line_beyond(box, from), to);
    tcp_header header = connection->header;
    header.sequence = tcp_sequence_of(from, connection->isn);
    header.flags = (uint8_t)((header.flags & TCP_ACK) | (end == to ? last_flags : 0));
    octet_rope piece;
    octet_rope_init(&piece);
    octet_rope_append_rope(&piece, octets, (uint32_t)(from - start), (uint32_t)(end - from));
    path_element_emit(&box->element,
                      datagram_new(connection->key.source, connection->key.destination, &header, &piece),
                      now);
    connection->forwarded = MAX(connection->forwarded, end);
    from = end;
  }
}

/* Lets the waiting octets below `to` go. */
static void emit_waiting(path_rechunk *box, flow *connection, int64_t to, uint8_t last_flags, time_ps now)
{
  emit_pieces(box, connection, &connection->waiting, connection->waiting_from, connection->waiting_from, to,
              last_flags, now);
  octet_rope_drop_front(&connection->waiting, (uint32_t)(to - connection->waiting_from));
  connection->waiting_from = to;
}

/* Puts the flow where its deadline belongs: the latest, or none. */
static void requeue(path_rechunk *box, flow *connection)
{
  if (connection->queued) {
    g_queue_unlink(&box->flush_queue, &connection->in_queue);
  }
  connection->queued = connection->waiting.length > 0;
  if (connection->queued) {
    g_queue_push_tail_link(&box->flush_queue, &connection->in_queue);
  }
}

static void flush(path_rechunk *box, flow *connection, time_ps now)
{
  if (connection->waiting.length > 0) {
    emit_waiting(box, connection, waiting_end(connection), 0, now);
  }
  requeue(box, connection);
}

/* True when all the box does about the segment [from, to) is to emit one piece with the same octets and
 * flags, so that the packet can go as it is. */
static bool passes_whole(const path_rechunk *box, const flow *connection, int64_t from, int64_t to,
                         bool flushes)
{
  if (line_beyond(box, from) < to) {
    return false;
  }
  if (connection->waiting.length > 0) { /* a late segment that leaves the waiting octets alone */
    return to <= connection->waiting_from && !flushes;
  }
  return to <= connection->forwarded || flushes || line_at_or_below(box, to) == to;
}

/* A FIN that does not stand behind the last piece, of a stream that goes on behind its FIN, goes alone: so it
 * keeps its place. */
static void emit_fin(path_rechunk *box, flow *connection, int64_t position, time_ps now)
{
  tcp_header header = connection->header;
  header.sequence = tcp_sequence_of(position, connection->isn);
  header.flags = (uint8_t)((header.flags & TCP_ACK) | TCP_FIN);
  path_element_emit(&box->element,
                    datagram_new(connection->key.source, connection->key.destination, &header, NULL), now);
}

/* The segment [from, to) comes while no octets wait. Up to where it may go, it goes; the rest waits. */
static void cut_segment(path_rechunk *box, flow *connection, const octet_rope *octets, int64_t from,
                        int64_t to, uint8_t flags, time_ps now)
{
  /* definitions.md, `rechunk`: octets at or below the highest forwarded pass, PSH and FIN flush, whole cells
   * go. */
  int64_t go_to = MAX(MIN(to, connection->forwarded), line_at_or_below(box, to));
  if (flags != 0) {
    go_to = to;
  }
  go_to = MAX(go_to, from);
  emit_pieces(box, connection, octets, from, from, go_to, flags, now);
  octet_rope_append_rope(&connection->waiting, octets, (uint32_t)(go_to - from), (uint32_t)(to - go_to));
  connection->waiting_from = go_to;
}

/* The segment [from, to) comes while octets wait, and does not begin behind them. */
static void join_segment(path_rechunk *box, flow *connection, const octet_rope *octets, int64_t from,
                         int64_t to, uint8_t flags, time_ps now)
{
  int64_t late_to = MIN(to, connection->waiting_from);
  int64_t new_from = waiting_end(connection);
  if (new_from < to) {
    octet_rope_append_rope(&connection->waiting, octets, (uint32_t)(new_from - from),
                           (uint32_t)(to - new_from));
  }
  int64_t go_to = flags != 0 ? waiting_end(connection) : line_at_or_below(box, waiting_end(connection));
  bool waiting_goes = go_to > connection->waiting_from;
  int64_t end = waiting_goes ? go_to : late_to;
  uint8_t last_flags = flags & (end == to ? TCP_PSH | TCP_FIN : TCP_PSH);
  if (from < late_to) {
    emit_pieces(box, connection, octets, from, from, late_to, waiting_goes ? 0 : last_flags, now);
  }
  if (waiting_goes) {
    emit_waiting(box, connection, go_to, last_flags, now);
  }
  if ((flags & TCP_FIN) && end != to) {
    emit_fin(box, connection, to, now);
  }
}

static void receive_payload(path_rechunk *box, flow *connection, datagram *packet, const tcp_header *header,
                            time_ps now)
{
  int64_t near = connection->waiting.length > 0 ? waiting_end(connection) : connection->forwarded;
  int64_t from = tcp_position_of(header->sequence, connection->isn, near);
  int64_t to = from + packet->payload.length;
  if (from < 0) { /* not an octet of this stream: for the receiver to judge */
    path_element_emit(&box->element, packet, now);
    return;
  }
  connection->header = *header;
  connection->last_input = now;
  connection->last_send_order = packet->send_order;
  uint8_t flags = header->flags & (TCP_PSH | TCP_FIN);
  if (passes_whole(box, connection, from, to, flags != 0)) {
    connection->forwarded = MAX(connection->forwarded, to);
    path_element_emit(&box->element, packet, now);
    requeue(box, connection);
    return;
  }
  if (connection->waiting.length > 0 && from > waiting_end(connection)) { /* a hole */
    emit_waiting(box, connection, waiting_end(connection), 0, now);
  }
  if (connection->waiting.length > 0) {
    join_segment(box, connection, &packet->payload, from, to, flags, now);
  } else {
    cut_segment(box, connection, &packet->payload, from, to, flags, now);
  }
  datagram_unref(packet);
  requeue(box, connection);
}

/* Begins the stream behind a SYN, unless it is the same SYN again. */
static flow *begin_flow(path_rechunk *box, flow *connection, const flow_key *key, uint32_t isn, time_ps now)
{
  if (connection && connection->isn == isn) {
    return connection;
  }
  if (connection) { /* the ports are used again */
    flush(box, connection, now);
  } else {
    connection = g_new0(flow, 1);
    connection->key = *key;
    connection->in_queue.data = connection;
    octet_rope_init(&connection->waiting);
    g_hash_table_insert(box->flows, &connection->key, connection);
  }
  connection->isn = isn;
  connection->forwarded = 0;
  return connection;
}

static void receive(path_element *element, datagram *packet, time_ps now)
{
  path_rechunk *box = (path_rechunk *)element;
  uint32_t octets = packet->payload.length;
  uint8_t flags = datagram_tcp_flags(packet);
  if (octets == 0 && !(flags & (TCP_SYN | TCP_FIN | TCP_RST | TCP_PSH))) {
    path_element_emit(element, packet, now);
    return;
  }
  tcp_header header;
  datagram_tcp_header(packet, &header);
  flow_key key = {.source = datagram_source(packet),
                  .destination = datagram_destination(packet),
                  .source_port = header.source_port,
                  .destination_port = header.destination_port};
  flow *connection = g_hash_table_lookup(box->flows, &key);
  if (flags & TCP_SYN) {
    connection = begin_flow(box, connection, &key, header.sequence, now);
    connection->forwarded = MAX(connection->forwarded, (int64_t)octets);
  }
  if (connection && octets > 0 && !(flags & (TCP_SYN | TCP_RST))) {
    receive_payload(box, connection, packet, &header, now);
    return;
  }
  if (connection) {
    flush(box, connection, now);
  }
  path_element_emit(element, packet, now);
}

static time_ps deadline(const path_element *element, uint64_t *order)
{
  const path_rechunk *box = (const path_rechunk *)element;
  if (!box->flush_queue.head) {
    return TIME_PS_NEVER;
  }
  const flow *first = box->flush_queue.head->data;
  *order = first->last_send_order;
  return first->last_input + box->flush_ps;
}

static void run(path_element *element, time_ps now)
{
  path_rechunk *box = (path_rechunk *)element;
  while (box->flush_queue.head) {
    flow *first = box->flush_queue.head->data;
    if (first->last_input + box->flush_ps > now) {
      return;
    }
    flush(box, first, now);
  }
}

static void free_rechunk(path_element *element)
{
  path_rechunk *box = (path_rechunk *)element;
  g_hash_table_destroy(box->flows);
  g_free(box);
}

static const path_element_class rechunk_class = {
    .name = "rechunk", .receive = receive, .deadline = deadline, .run = run, .free = free_rechunk};

path_element *path_rechunk_new(uint32_t chunk_octets, uint32_t phase_octets, time_ps flush_ps)
{
  g_assert(chunk_octets > 0);
  g_assert(flush_ps >= 0);
  path_rechunk *box = g_new0(path_rechunk, 1);
  box->element.class = &rechunk_class;
  box->chunk = chunk_octets;
  box->phase = phase_octets % chunk_octets;
  box->flush_ps = flush_ps;
  box->flows = g_hash_table_new_full(hash_key, equal_keys, NULL, free_flow);
  g_queue_init(&box->flush_queue);
  return &box->element;
}
