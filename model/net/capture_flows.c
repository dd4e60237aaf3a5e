#include "net/capture_flows.h"

#include <glib.h>
#include <string.h>

#include "base/big_endian.h"
#include "net/tcp_header.h"

/* A SYN may stand in the file behind octets of its connection, whatever the order of the packets. One that is farther before them
 * than this begins another connection; of initial sequence numbers chosen at random, one in 64 does not. */
enum { LATE_SYN_OCTETS = 1 << 26 };

/* The addresses and ports of a packet, the lower end first, so that both directions have the same. */
typedef struct flow_key {
  uint64_t addresses[4]; /* two for each end, as on the wire; of IPv4 half of the first */
  uint16_t ports[2];
  uint32_t version;
} flow_key;

/* A connection, and what is known of it besides. */
typedef struct tracked_flow {
  capture_flow flow;
  bool seen[2];
  uint32_t first_sequence[2]; /* of whom `seen` is set: of the first octet (not SYN) that was captured */
} tracked_flow;

/* What goes on between two ends: one connection after the other. */
typedef struct conversation {
  flow_key key;
  tracked_flow *current;
  unsigned opener; /* which end of the key is ends[0] of `current` */
} conversation;

struct capture_flows {
  GHashTable *conversations; /* a set: of conversation, by its key */
  conversation *latest;      /* that a packet was of */
  GPtrArray *flows;          /* of tracked_flow */
};

static guint hash_key(gconstpointer data)
{
  const flow_key *key = data;
  uint64_t hash = key->ports[0] | (uint64_t)key->ports[1] << 16;

  for (unsigned i = 0; i < G_N_ELEMENTS(key->addresses); i++) {
    hash = (hash ^ key->addresses[i]) * UINT64_C(0x9E3779B97F4A7C15);
    hash ^= hash >> 32;
  }
  return (guint)hash;
}

static gboolean equal_keys(gconstpointer a, gconstpointer b)
{
  return memcmp(a, b, sizeof(flow_key)) == 0;
}

capture_flows *capture_flows_new(void)
{
  capture_flows *flows = g_new0(capture_flows, 1);
  flows->conversations = g_hash_table_new_full(hash_key, equal_keys, g_free, NULL);
  flows->flows = g_ptr_array_new_with_free_func(g_free);
  return flows;
}

void capture_flows_free(capture_flows *flows)
{
  if (flows) {
    g_hash_table_destroy(flows->conversations);
    g_ptr_array_free(flows->flows, TRUE);
    g_free(flows);
  }
}

/* Fills in the key, no octet of which may be left as it is; returns which end of it is the packet's source. */
static unsigned make_key(flow_key *key, const capture_ip *ip)
{
  uint32_t octets = capture_ip_addresses_octets(ip->version) / 2;
  const uint8_t *source = ip->addresses;
  const uint8_t *destination = ip->addresses + octets;
  uint16_t ports[2] = {big_endian_read_16(ip->payload), big_endian_read_16(ip->payload + 2)};
  int order = memcmp(source, destination, octets);
  unsigned from = order > 0 || (order == 0 && ports[0] > ports[1]);

  *key = (flow_key){.ports = {ports[from], ports[!from]}, .version = ip->version};
  memcpy(&key->addresses[0], from ? destination : source, octets);
  memcpy(&key->addresses[2], from ? source : destination, octets);
  return from;
}

static capture_end end_of(const flow_key *key, unsigned which)
{
  capture_end end = {.address = {.version = (uint8_t)key->version}, .port = key->ports[which]};
  memcpy(end.address.octets, &key->addresses[(size_t)which * 2], sizeof end.address.octets);
  return end;
}

/* A new connection of `talk`, which end `opener` of the key opened. */
static void begin_flow(capture_flows *flows, conversation *talk, unsigned opener)
{
  tracked_flow *tracked = g_new0(tracked_flow, 1);

  tracked->flow.index = flows->flows->len;
  tracked->flow.ends[0] = end_of(&talk->key, opener);
  tracked->flow.ends[1] = end_of(&talk->key, !opener);
  g_ptr_array_add(flows->flows, tracked);
  talk->current = tracked;
  talk->opener = opener;
}

static conversation *find(capture_flows *flows, const flow_key *key)
{
  if (!flows->latest || !equal_keys(flows->latest, key)) {
    flows->latest = g_hash_table_lookup(flows->conversations, key);
  }
  return flows->latest;
}

static conversation *begin_conversation(capture_flows *flows, const flow_key *key)
{
  conversation *talk = g_new0(conversation, 1);

  talk->key = *key;
  g_hash_table_add(flows->conversations, talk);
  flows->latest = talk;
  return talk;
}

/* Whether a SYN of `from` is not of the connection that is known here. */
static bool begins_another(const tracked_flow *tracked, unsigned from, const capture_segment *segment)
{
  const capture_flow *flow = &tracked->flow;

  if (flow->has_syn[from]) {
    return flow->isn[from] != segment->sequence;
  }
  if (tracked->seen[from]) {
    return tracked->first_sequence[from] - (segment->sequence + 1) > LATE_SYN_OCTETS;
  }
  if ((segment->flags & TCP_ACK) && flow->has_syn[!from]) {
    return segment->acknowledgement != flow->isn[!from] + 1;
  }
  return false;
}

/* What the segment says of its sender's sequence numbers. */
static void learn(tracked_flow *tracked, unsigned from, const capture_segment *segment)
{
  if (segment->flags & TCP_SYN) {
    tracked->flow.has_syn[from] = true;
    tracked->flow.isn[from] = segment->sequence;
  } else if (!tracked->seen[from] && !(segment->flags & TCP_RST)) {
    tracked->seen[from] = true;
    tracked->first_sequence[from] = segment->sequence;
  }
}

void capture_flows_assign(capture_flows *flows, capture_segment *segment, const capture_ip *ip)
{
  flow_key key;
  unsigned source = make_key(&key, ip);
  bool is_syn = (segment->flags & (TCP_SYN | TCP_RST)) == TCP_SYN;
  unsigned opener = is_syn && (segment->flags & TCP_ACK) ? !source : source;
  bool is_right = segment->checksum != CAPTURE_CHECKSUM_WRONG;
  conversation *talk = find(flows, &key);

  if (!talk) {
    talk = begin_conversation(flows, &key);
    begin_flow(flows, talk, opener);
  } else if (is_syn && is_right && begins_another(talk->current, source != talk->opener, segment)) {
    begin_flow(flows, talk, opener);
  }
  segment->flow = talk->current->flow.index;
  segment->from = source != talk->opener;
  if (is_right) {
    learn(talk->current, segment->from, segment);
  }
}

const capture_flow *capture_flows_at(const capture_flows *flows, uint32_t index)
{
  const tracked_flow *tracked = g_ptr_array_index(flows->flows, index);
  return &tracked->flow;
}

uint32_t capture_flows_count(const capture_flows *flows)
{
  return flows->flows->len;
}
