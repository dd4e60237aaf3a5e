/* SPDX-License-Identifier: GPL-2.0-only */
#include "live_path.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LARGEST = 65536, IP_ECT = 3, TCP_FIN = 0x01, TCP_PSH = 0x08, LATE_NS = 1000000 };

typedef struct live_packet {
  int64_t due_ns;
  int to;
  uint32_t length;
  uint8_t octets[];
} live_packet;

/* This is what a box keeps of one connection: octets in order that wait for more. */
typedef struct live_flow {
  uint32_t key;     /* the two ports */
  uint32_t first;   /* sequence number of the octet after the SYN */
  uint32_t edge;    /* after the highest octet that came */
  int64_t flush_ns; /* when what waits goes; INT64_MAX: nothing waits */
  uint32_t head_octets;
  uint8_t head[120]; /* IP and TCP of the newest segment */
  GByteArray *waiting;
} live_flow;

typedef struct live_path {
  const live_path_config *config;
  const int *tuns;
  int64_t free_ns[2];  /* when each link has sent what it has */
  GQueue starts;       /* of int64_t *: when what waits for the link forward leaves the queue */
  GQueue packets;      /* of live_packet, by due_ns */
  GByteArray *pcap[2]; /* of the sender's and the receiver's end */
  GArray *flows;       /* of live_flow */
  GRand *random;
  int64_t data; /* segments with payload that came from the link */
  int64_t ect;  /* packets that can be marked */
  guint next_drop;
  uint32_t lost; /* sequence number of the first segment that was dropped */
  int64_t lost_again;
  live_path_result result;
} live_path;

int64_t live_now_ns(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* --- Headers --- */

static uint32_t get32(const uint8_t *at)
{
  return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static void put16(uint8_t *at, uint32_t value)
{
  at[0] = (uint8_t)(value >> 8);
  at[1] = (uint8_t)value;
}

static void put32(uint8_t *at, uint32_t value)
{
  put16(at, value >> 16);
  put16(at + 2, value);
}

static uint32_t tcp_at(const uint8_t *ip)
{
  return (ip[0] & 15U) * 4;
}

/* Octets of both headers. */
static uint32_t head_of(const uint8_t *ip)
{
  return tcp_at(ip) + (ip[tcp_at(ip) + 12] >> 4) * 4U;
}

static uint32_t sum_of(const uint8_t *octets, uint32_t length, uint32_t sum)
{
  for (uint32_t i = 0; i + 1 < length; i += 2) {
    sum += (uint32_t)octets[i] << 8 | octets[i + 1];
  }
  return length % 2 == 0 ? sum : sum + ((uint32_t)octets[length - 1] << 8);
}

static uint32_t folded(uint32_t sum)
{
  while (sum >> 16) {
    sum = (sum & 0xFFFF) + (sum >> 16);
  }
  return ~sum & 0xFFFF;
}

static void set_ip_checksum(uint8_t *ip)
{
  put16(ip + 10, 0);
  put16(ip + 10, folded(sum_of(ip, tcp_at(ip), 0)));
}

static void set_checksums(uint8_t *ip, uint32_t length)
{
  uint32_t at = tcp_at(ip);

  put16(ip + 2, length);
  set_ip_checksum(ip);
  put16(ip + at + 16, 0);
  put16(ip + at + 16, folded(sum_of(ip + at, length - at, sum_of(ip + 12, 8, IPPROTO_TCP + length - at))));
}

/* --- Captures --- */

static void capture(live_path *path, int end, const uint8_t *octets, uint32_t length, int64_t now)
{
  uint32_t head[4] = {(uint32_t)(now / 1000000000), (uint32_t)(now % 1000000000), length, length};
  g_byte_array_append(path->pcap[end], (const uint8_t *)head, sizeof head);
  g_byte_array_append(path->pcap[end], octets, length);
}

/* --- The link and what comes after it --- */

static int by_due(const void *a, const void *b, G_GNUC_UNUSED void *data)
{
  const live_packet *first = a;
  const live_packet *second = b;
  return first->due_ns < second->due_ns ? -1 : first->due_ns > second->due_ns;
}

static void deliver_at(live_path *path, int to, const uint8_t *octets, uint32_t length, int64_t due_ns)
{
  live_packet *packet = g_malloc(sizeof *packet + length);

  *packet = (live_packet){.due_ns = due_ns, .to = to, .length = length};
  memcpy(packet->octets, octets, length);
  /* Nearly every packet is the last one. */
  const live_packet *last = g_queue_peek_tail(&path->packets);
  if (!last || last->due_ns <= due_ns) {
    g_queue_push_tail(&path->packets, packet);
  } else {
    g_queue_insert_sorted(&path->packets, packet, by_due, NULL);
  }
}

static void impair(live_path *path, uint8_t *octets, uint32_t length, int64_t due_ns)
{
  const live_path_config *config = path->config;
  bool data = length > head_of(octets);

  if (data) {
    path->data++;
    if (path->next_drop < config->drop->len &&
        g_array_index(config->drop, int64_t, path->next_drop) == path->data) {
      path->lost = path->next_drop == 0 ? get32(octets + tcp_at(octets) + 4) : path->lost;
      path->next_drop++;
      path->result.dropped++;
      return;
    }
    if (path->next_drop > 0 && path->lost_again < config->again &&
        get32(octets + tcp_at(octets) + 4) == path->lost) {
      path->lost_again++;
      path->result.dropped++;
      return;
    }
  }
  bool twice = config->duplicate > 0 && g_rand_double(path->random) < config->duplicate;
  if (config->ecn_every > 0 && (octets[1] & IP_ECT) != 0 && ++path->ect % config->ecn_every == 0) {
    octets[1] |= IP_ECT; /* both bits: congestion experienced */
    set_ip_checksum(octets);
  }
  if (data && config->displace > 0 && g_rand_double(path->random) < config->displace) {
    due_ns += config->displace_ns;
  }
  deliver_at(path, 1, octets, length, due_ns);
  if (twice) {
    deliver_at(path, 1, octets, length, due_ns);
  }
}

static void enter_link(live_path *path, int from, uint8_t *octets, uint32_t length, int64_t now)
{
  const live_path_config *config = path->config;
  int64_t start = MAX(now, path->free_ns[from]);

  if (from == 0 && config->queue_packets > 0) {
    while (!g_queue_is_empty(&path->starts) && *(int64_t *)g_queue_peek_head(&path->starts) <= now) {
      g_free(g_queue_pop_head(&path->starts));
    }
    if ((int64_t)path->starts.length >= config->queue_packets) {
      path->result.queue_dropped++;
      return;
    }
    g_queue_push_tail(&path->starts, g_memdup2(&start, sizeof start));
  }
  path->free_ns[from] =
      start + (length + config->framing_octets) * 8 * INT64_C(1000000000) / config->rate_bit_per_s;
  int64_t due_ns = path->free_ns[from] + config->delay_ns;
  if (from == 0) {
    impair(path, octets, length, due_ns);
  } else {
    deliver_at(path, 0, octets, length, due_ns);
  }
}

/* Hands a packet to an end's TCP. */
static void give(live_path *path, int to, const uint8_t *octets, uint32_t length)
{
  capture(path, to, octets, length, live_now_ns());
  if (write(path->tuns[to], octets, length) < 0) {
    g_error("TUN device: %s", g_strerror(errno));
  }
}

/* --- Boxes: one that joins stands at the receiver, as its receive offload does, the others before the link
 * --- */

static void leave_box(live_path *path, uint8_t *octets, uint32_t length, int64_t now)
{
  if (path->config->join_octets > 0) {
    give(path, 1, octets, length);
  } else {
    enter_link(path, 0, octets, length, now);
  }
}

/* Sends `length` octets that begin at `sequence`, with the flags of `head` if they are its `last`. */
static void send_piece(live_path *path, const uint8_t *head, uint32_t head_octets, uint32_t sequence,
                       const uint8_t *octets, uint32_t length, bool last, int64_t now)
{
  uint8_t piece[LARGEST];

  memcpy(piece, head, head_octets);
  memcpy(piece + head_octets, octets, length);
  put32(piece + tcp_at(head) + 4, sequence);
  if (!last) {
    piece[tcp_at(head) + 13] &= (uint8_t) ~(TCP_FIN | TCP_PSH);
  }
  set_checksums(piece, head_octets + length);
  leave_box(path, piece, head_octets + length, now);
}

/* Sends octets in pieces: the first is `first` octets long, the others `size`. */
static void send_pieces(live_path *path, const uint8_t *head, uint32_t head_octets, uint32_t sequence,
                        const uint8_t *octets, uint32_t length, uint32_t first, uint32_t size, int64_t now)
{
  for (uint32_t from = 0, next = first; from < length; from += next, next = size) {
    next = MIN(next, length - from);
    send_piece(path, head, head_octets, sequence + from, octets + from, next, from + next == length, now);
  }
}

static uint32_t to_grid(const live_path *path, const live_flow *flow, uint32_t sequence)
{
  uint32_t chunk = (uint32_t)path->config->chunk_octets;
  return chunk - (sequence - flow->first) % chunk;
}

static void flush(live_path *path, live_flow *flow, uint32_t octets, int64_t now)
{
  const uint32_t size = (uint32_t)MAX(path->config->chunk_octets, path->config->join_octets);
  uint32_t from = flow->edge - flow->waiting->len;

  send_pieces(path, flow->head, flow->head_octets, from, flow->waiting->data, octets,
              path->config->chunk_octets > 0 ? to_grid(path, flow, from) : size, size, now);
  g_byte_array_remove_range(flow->waiting, 0, octets);
  flow->flush_ns = flow->waiting->len > 0 ? now + path->config->flush_ns : INT64_MAX;
}

static live_flow *flow_of(live_path *path, const uint8_t *ip)
{
  uint32_t key = get32(ip + tcp_at(ip));

  for (guint i = 0; i < path->flows->len; i++) {
    if (g_array_index(path->flows, live_flow, i).key == key) {
      return &g_array_index(path->flows, live_flow, i);
    }
  }
  uint32_t first = get32(ip + tcp_at(ip) + 4) + 1;
  live_flow flow = {.key = key, .first = first, .edge = first, .flush_ns = INT64_MAX};
  flow.waiting = g_byte_array_new();
  g_array_append_val(path->flows, flow);
  return &g_array_index(path->flows, live_flow, path->flows->len - 1);
}

/* What a box does with a segment is what the model's does (model/network/path_resegment.c), but that PSH is
 * only on the last piece that leaves. */
static void enter_box(live_path *path, uint8_t *ip, uint32_t length, int64_t now)
{
  const live_path_config *config = path->config;
  live_flow *flow = flow_of(path, ip);
  uint32_t head = head_of(ip);
  uint32_t sequence = get32(ip + tcp_at(ip) + 4);
  uint32_t payload = length - head;
  const uint8_t *octets = ip + head;

  if (payload == 0) {
    if (flow->waiting->len > 0 && (ip[tcp_at(ip) + 13] & TCP_FIN)) {
      flush(path, flow, flow->waiting->len, now);
    }
    leave_box(path, ip, length, now);
    return;
  }
  if (config->split_octets > 0) {
    uint32_t size = (uint32_t)config->split_octets;
    send_pieces(path, ip, head, sequence, octets, payload, size, size, now);
    return;
  }
  if (sequence != flow->edge && flow->waiting->len > 0 && (int32_t)(sequence - flow->edge) > 0) { /* a hole */
    flush(path, flow, flow->waiting->len, now);
  }
  if ((int32_t)(sequence - flow->edge) < 0) { /* sent again: it does not wait */
    uint32_t size = config->chunk_octets > 0 ? (uint32_t)config->chunk_octets : LARGEST;
    uint32_t first = config->chunk_octets > 0 ? to_grid(path, flow, sequence) : LARGEST;
    send_pieces(path, ip, head, sequence, octets, payload, first, size, now);
    return;
  }
  memcpy(flow->head, ip, head);
  flow->head_octets = head;
  flow->edge = sequence + payload;
  bool was_empty = flow->waiting->len == 0;
  g_byte_array_append(flow->waiting, octets, payload);
  if (config->chunk_octets > 0 || was_empty) { /* a joining box counts from the first segment */
    flow->flush_ns = now + config->flush_ns;
  }
  uint32_t open = config->chunk_octets > 0 ? (flow->edge - flow->first) % (uint32_t)config->chunk_octets : 0;
  if (config->flush_at_psh && (ip[tcp_at(ip) + 13] & TCP_PSH)) {
    flush(path, flow, flow->waiting->len, now);
  } else if (config->chunk_octets > 0 ? open < flow->waiting->len
                                      : flow->waiting->len + payload > config->join_octets) {
    flush(path, flow, flow->waiting->len - open, now);
  }
}

/* --- The loop --- */

static void read_packets(live_path *path, int from)
{
  uint8_t octets[LARGEST];
  ssize_t length;
  const live_path_config *config = path->config;
  bool box = config->split_octets > 0 || config->chunk_octets > 0;

  while ((length = read(path->tuns[from], octets, sizeof octets)) > 0) {
    if (length < 40 || octets[0] >> 4 != 4 || octets[9] != IPPROTO_TCP) {
      continue;
    }
    int64_t now = live_now_ns();
    capture(path, from, octets, (uint32_t)length, now);
    if (from == 0 && box) {
      enter_box(path, octets, (uint32_t)length, now);
    } else {
      enter_link(path, from, octets, (uint32_t)length, now);
    }
  }
}

/* Hands over what is due; returns when the next event is. */
static int64_t hand_over(live_path *path)
{
  int64_t next_ns = INT64_MAX;

  for (guint i = 0; i < path->flows->len; i++) {
    live_flow *flow = &g_array_index(path->flows, live_flow, i);
    int64_t now = live_now_ns();
    if (flow->flush_ns <= now) {
      flush(path, flow, flow->waiting->len, now);
    }
    next_ns = MIN(next_ns, flow->flush_ns);
  }
  for (live_packet *packet; (packet = g_queue_peek_head(&path->packets)) != NULL;) {
    int64_t now = live_now_ns();
    if (packet->due_ns > now) {
      return MIN(next_ns, packet->due_ns);
    }
    g_queue_pop_head(&path->packets);
    path->result.lateness_ns = MAX(path->result.lateness_ns, now - packet->due_ns);
    path->result.late += now - packet->due_ns > LATE_NS;
    if (packet->to == 1 && path->config->join_octets > 0) {
      enter_box(path, packet->octets, packet->length, now);
    } else {
      give(path, packet->to, packet->octets, packet->length);
    }
    g_free(packet);
  }
  return next_ns;
}

live_path_result live_path_run(const live_path_config *config, const int tuns[2], const bool *done,
                               int64_t until_ns, const char *folder)
{
  live_path path = {.config = config, .tuns = tuns, .starts = G_QUEUE_INIT, .packets = G_QUEUE_INIT};
  struct pollfd polled[2] = {{.fd = tuns[0], .events = POLLIN}, {.fd = tuns[1], .events = POLLIN}};

  path.flows = g_array_new(FALSE, FALSE, sizeof(live_flow));
  path.random = g_rand_new_with_seed(config->seed);
  static const uint32_t head[6] = {0xA1B23C4D, 4U << 16 | 2, 0, 0, LARGEST, 101}; /* LINKTYPE_RAW */
  for (int end = 0; end < 2; end++) {
    path.pcap[end] = g_byte_array_sized_new(8 << 20);
    g_byte_array_append(path.pcap[end], (const uint8_t *)head, sizeof head);
  }
  while (!__atomic_load_n(done, __ATOMIC_ACQUIRE) && live_now_ns() < until_ns) {
    int64_t wait_ns = CLAMP(hand_over(&path) - live_now_ns(), 0, 20000000);
    struct timespec timeout = {.tv_nsec = wait_ns};
    if (ppoll(polled, 2, &timeout, NULL) > 0) {
      read_packets(&path, 0);
      read_packets(&path, 1);
    }
  }
  static const char *const names[2] = {"sender.pcap", "receiver.pcap"};
  for (int end = 0; end < 2; end++) {
    g_autofree char *name = g_build_filename(folder, names[end], NULL);
    GError *error = NULL;
    if (!g_file_set_contents(name, (const char *)path.pcap[end]->data, path.pcap[end]->len, &error)) {
      g_error("%s", error->message);
    }
    g_byte_array_unref(path.pcap[end]);
  }
  g_queue_clear_full(&path.starts, g_free);
  g_queue_clear_full(&path.packets, g_free);
  for (guint i = 0; i < path.flows->len; i++) {
    g_byte_array_unref(g_array_index(path.flows, live_flow, i).waiting);
  }
  g_array_unref(path.flows);
  g_rand_free(path.random);
  return path.result;
}
