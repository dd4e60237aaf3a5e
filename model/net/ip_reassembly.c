/* SPDX-License-Identifier: GPL-2.0-only */
#include "net/ip_reassembly.h"

#include "base/big_endian.h"
#include "net/flow_table.h"
#include "net/ip_header.h"

/* --- The fragments of one datagram --- */

enum { TCP_DATA_OFFSET_AT = 12 };

/* Octets [from, to) of the IP payload. */
typedef struct piece {
  uint64_t from;
  uint64_t to;
  bool more;
  buffer_chain octets; /* from the first one on, as far as they are there */
} piece;

static piece *piece_at(const ip_fragments *fragments, size_t index)
{
  return deque_at(&fragments->pieces, index);
}

ip_fragments *ip_fragments_new(void)
{
  ip_fragments *fragments = g_new0(ip_fragments, 1);
  deque_init(&fragments->pieces, sizeof(piece));
  return fragments;
}

void ip_fragments_free(ip_fragments *fragments)
{
  if (fragments) {
    for (size_t i = 0; i < fragments->pieces.count; i++) {
      buffer_chain_clear(&piece_at(fragments, i)->octets);
    }
    deque_clear(&fragments->pieces);
    datagram_unref(fragments->first.packet);
    g_free(fragments);
  }
}

/* The index of the first piece that begins at or after `from`. */
static size_t place_of(const ip_fragments *fragments, uint32_t from)
{
  return deque_count_below(&fragments->pieces, offsetof(piece, from), from);
}

/* As far as both are there. */
static bool same_octets(const buffer_chain *a, const buffer_chain *b)
{
  uint32_t length = MIN(a->length, b->length);
  buffer_chain_range rest = buffer_chain_range_of(a, 0, length);

  while (rest.length > 0) {
    uint32_t at = length - rest.length;
    octet_slice part = buffer_chain_range_next(&rest);
    if (!buffer_chain_equals(b, at, part.length, part.octets)) {
      return false;
    }
  }
  return true;
}

ip_fragments_verdict ip_fragments_judge(const ip_fragments *fragments, const ip_fragment *fragment)
{
  const datagram_fragment *of = &fragment->of;
  uint32_t to = of->offset_octets + of->length_octets;
  size_t place = place_of(fragments, of->offset_octets);
  const piece *after = place < fragments->pieces.count ? piece_at(fragments, place) : NULL;
  const piece *before = place > 0 ? piece_at(fragments, place - 1) : NULL;

  if (after && after->from == of->offset_octets && after->to == to && after->more == of->more &&
      same_octets(&after->octets, fragment->octets)) {
    return IP_FRAGMENTS_DUPLICATE;
  }
  if ((before && before->to > of->offset_octets) || (after && after->from < to)) {
    return IP_FRAGMENTS_CONTRADICTS;
  }
  if (fragments->end_known ? !of->more || to > fragments->end : !of->more && to < fragments->end) {
    return IP_FRAGMENTS_CONTRADICTS; /* a second end, or octets after the end */
  }
  return IP_FRAGMENTS_NEW;
}

/* The octets of TCP header in a first fragment; what a hostile one claims is not believed beyond its length.
 */
static uint32_t tcp_header_octets_in(const buffer_chain *first)
{
  if (first->length <= TCP_DATA_OFFSET_AT) {
    return first->length;
  }
  uint32_t header = (uint32_t)(buffer_chain_at(first, TCP_DATA_OFFSET_AT) >> 4) * 4;
  return MIN(MAX(header, TCP_HEADER_OCTETS), first->length);
}

void ip_fragments_add(ip_fragments *fragments, const ip_fragment *fragment)
{
  const datagram_fragment *of = &fragment->of;
  uint32_t to = of->offset_octets + of->length_octets;
  piece *added = deque_insert(&fragments->pieces, place_of(fragments, of->offset_octets));

  added->from = of->offset_octets;
  added->to = to;
  added->more = of->more;
  buffer_chain_init_part(&added->octets, fragment->octets, 0, fragment->octets->length);
  fragments->octets += of->length_octets;
  fragments->end = MAX(fragments->end, to);
  fragments->end_known |= !of->more;
  fragments->ecn_seen |= 1u << fragment->ecn;
  if (added->from == 0) {
    fragments->tcp_header_octets = tcp_header_octets_in(&added->octets);
    fragments->has_first = true;
    fragments->first = *fragment;
    fragments->first.octets = NULL;
    if (fragment->packet) {
      datagram_ref(fragment->packet);
    }
  }
}

bool ip_fragments_are_whole(const ip_fragments *fragments)
{
  return fragments->end_known && fragments->octets == fragments->end; /* they do not overlap */
}

bool ip_fragments_ecn(const ip_fragments *fragments, datagram_ecn *ecn)
{
  bool congested = fragments->ecn_seen & 1u << DATAGRAM_ECN_CONGESTED;

  *ecn = congested ? DATAGRAM_ECN_CONGESTED : fragments->first.ecn;
  return !congested || !(fragments->ecn_seen & 1u << DATAGRAM_ECN_NOT_CAPABLE);
}

void ip_fragments_append_to(const ip_fragments *fragments, buffer_chain *payload)
{
  bool is_there = true;

  g_assert(ip_fragments_are_whole(fragments));
  for (size_t i = 0; i < fragments->pieces.count && is_there; i++) {
    const piece *next = piece_at(fragments, i);
    buffer_chain_append_chain(payload, &next->octets, 0, next->octets.length);
    is_there = next->octets.length == next->to - next->from;
  }
}

datagram *ip_fragments_assemble(const ip_fragments *fragments)
{
  buffer_chain payload;
  datagram_ecn ecn;

  buffer_chain_init(&payload);
  ip_fragments_append_to(fragments, &payload);
  datagram *whole = datagram_new_reassembled(fragments->first.packet, &payload);
  buffer_chain_clear(&payload);
  if (whole && ip_fragments_ecn(fragments, &ecn)) {
    datagram_set_ecn(whole, ecn);
  }
  return whole;
}

/* --- All datagrams that are not whole --- */

enum { ICMP_MTU_MIN_OCTETS = 68, ICMPV6_MTU_MIN_OCTETS = 1280 }; /* RFC 791 §3.2, RFC 8200 §5 */

/* What fragments of one datagram have in common (RFC 791 §3.2; the protocol is TCP). */
typedef struct datagram_key {
  ip_address source;
  ip_address destination;
  uint32_t identification;
} datagram_key;

/* What is held of a connection. */
typedef struct holding_flow {
  datagram_flow flow;
  uint64_t octets; /* of TCP payload */
} holding_flow;

/* A datagram with fragments missing. */
typedef struct incomplete {
  datagram_key key;
  ip_fragments *fragments;
  holding_flow *flow; /* NULL: the first fragment, with its ports, has not come */
  time_ps begun;
  bool is_contradicted; /* none of its fragments is kept, and those that come are dropped */
  GList link;           /* in ip_reassembly.by_age */
} incomplete;

struct ip_reassembly {
  ip_reassembly_config config;
  GHashTable *incomplete; /* datagram_key -> incomplete */
  GQueue by_age;          /* the same; the oldest, whose deadline is the next, first */
  flow_table flows;       /* of holding_flow */
  uint64_t held_octets;   /* that count among config.octets */
  datagram_key refused;   /* the datagram refused last: the rest of it has no room either */
  bool has_refused;
  bool refused_first_came;
  GQueue answers; /* datagram */
  ip_reassembly_statistics statistics;
};

static guint hash_key(gconstpointer data)
{
  const datagram_key *key = data;
  const ip_address *addresses[] = {&key->source, &key->destination};
  uint64_t hash = key->identification;

  for (size_t i = 0; i < G_N_ELEMENTS(addresses); i++) {
    hash = (hash ^ big_endian_read_64(addresses[i]->octets)) * UINT64_C(0x9E3779B97F4A7C15);
    hash = (hash ^ hash >> 32 ^ big_endian_read_64(addresses[i]->octets + 8)) * UINT64_C(0x9E3779B97F4A7C15);
  }
  return (guint)(hash >> 32);
}

static gboolean equal_keys(gconstpointer a, gconstpointer b)
{
  const datagram_key *left = a;
  const datagram_key *right = b;
  return left->identification == right->identification && ip_address_equal(&left->source, &right->source) &&
         ip_address_equal(&left->destination, &right->destination);
}

/* --- What is held --- */

/* What `octets` of IP payload in `fragments` fragments count among config.octets. */
static uint64_t cost_of(const ip_reassembly *reassembly, uint32_t octets, uint32_t fragments)
{
  return octets + (uint64_t)fragments * reassembly->config.fragment_octets;
}

/* Counts the datagram in (`more`) or out, with what it holds now. */
static void count(ip_reassembly *reassembly, const incomplete *waiting, bool more)
{
  const ip_fragments *fragments = waiting->fragments;
  uint64_t cost = cost_of(reassembly, fragments->octets, fragments->pieces.count);
  uint64_t *held = waiting->flow ? &waiting->flow->octets : &reassembly->statistics.held_unattributed_octets;
  uint64_t tcp_octets = fragments->octets - fragments->tcp_header_octets;

  reassembly->held_octets += more ? cost : -cost;
  *held += more ? tcp_octets : -tcp_octets;
}

static void free_incomplete(gpointer data)
{
  incomplete *waiting = data;
  ip_fragments_free(waiting->fragments);
  g_free(waiting);
}

/* `waiting` is no more; its fragments are the caller's. */
static ip_fragments *take_out(ip_reassembly *reassembly, incomplete *waiting)
{
  ip_fragments *fragments = waiting->fragments;

  count(reassembly, waiting, false);
  waiting->fragments = NULL;
  g_queue_unlink(&reassembly->by_age, &waiting->link);
  g_hash_table_remove(reassembly->incomplete, &waiting->key);
  return fragments;
}

static void discard(ip_reassembly *reassembly, incomplete *waiting)
{
  ip_fragments_free(take_out(reassembly, waiting));
}

static incomplete *begin(ip_reassembly *reassembly, const datagram_key *key, time_ps now)
{
  incomplete *waiting = g_new0(incomplete, 1);
  waiting->key = *key;
  waiting->fragments = ip_fragments_new();
  waiting->begun = now;
  waiting->link.data = waiting;
  g_queue_push_tail_link(&reassembly->by_age, &waiting->link);
  g_hash_table_insert(reassembly->incomplete, &waiting->key, waiting);
  reassembly->statistics.begun++;
  return waiting;
}

/* --- Fragments that find no room --- */

/* Remembers the datagram, the rest of which will find no room either; answers now if its first fragment has
 * come, else when it comes: RFC 792 and RFC 1191 §4, fragmentation was needed. The text recommends it for the
 * limited buffer and asks it of option 1; we do it whenever room is what lacks. The advice is the first
 * fragment's length: a router cut it as large as its link takes, so the sender's next datagrams come whole,
 * and are smaller than this one was. */
static void remember_refused(ip_reassembly *reassembly, const datagram_key *key, const ip_fragment *first)
{
  reassembly->refused = *key;
  reassembly->has_refused = true;
  reassembly->refused_first_came = first != NULL;
  if (!first || !first->packet) {
    return;
  }
  uint32_t minimum = key->destination.version == 4 ? ICMP_MTU_MIN_OCTETS : ICMPV6_MTU_MIN_OCTETS;
  datagram *message =
      datagram_new_too_big(&key->destination, first->packet, MAX(datagram_octets(first->packet), minimum));
  if (message) {
    reassembly->statistics.answers++;
    g_queue_push_tail(&reassembly->answers, message);
  }
}

/* The first fragment of the datagram that `fragment` is of: itself, or one that waits; NULL when none is
 * there. */
static const ip_fragment *first_of(const incomplete *waiting, const ip_fragment *fragment)
{
  if (fragment && fragment->of.offset_octets == 0) {
    return fragment;
  }
  return waiting && waiting->fragments->has_first ? &waiting->fragments->first : NULL;
}

/* Makes room for a fragment of the datagram `waiting` (NULL: of a new one); false when there is too
 * little. */
static bool make_room(ip_reassembly *reassembly, const incomplete *waiting, const datagram_fragment *of)
{
  const ip_reassembly_config *limits = &reassembly->config;
  uint32_t ip_octets = of->source.version == 4 ? IPV4_HEADER_OCTETS : IPV6_HEADER_OCTETS;
  uint64_t cost = cost_of(reassembly, of->length_octets, 1);
  uint64_t own =
      waiting ? cost_of(reassembly, waiting->fragments->octets, waiting->fragments->pieces.count) : 0;

  if (limits->datagrams == 0 || ip_octets + of->offset_octets + of->length_octets > limits->datagram_octets ||
      own + cost > limits->octets) {
    return false;
  }
  for (;;) {
    const GList *oldest = reassembly->by_age.head;
    oldest = oldest && oldest->data == waiting ? oldest->next : oldest;
    guint others = reassembly->by_age.length - (waiting ? 1 : 0);
    if (!oldest || (others < limits->datagrams && reassembly->held_octets + cost <= limits->octets)) {
      return true;
    }
    incomplete *evicted = oldest->data;
    reassembly->statistics.evicted++;
    remember_refused(reassembly, &evicted->key, first_of(evicted, NULL));
    discard(reassembly, evicted);
  }
}

/* True when the fragment is of the datagram refused last, and went its way. */
static bool is_of_refused(ip_reassembly *reassembly, const datagram_key *key, const ip_fragment *fragment)
{
  bool is_first = fragment->of.offset_octets == 0;

  if (!reassembly->has_refused || !equal_keys(&reassembly->refused, key)) {
    return false;
  }
  if (is_first && reassembly->refused_first_came) {
    reassembly->has_refused = false; /* a new datagram: the identification has come round */
    return false;
  }
  reassembly->statistics.refused++;
  if (is_first) {
    remember_refused(reassembly, key, fragment);
  }
  return true;
}

/* --- Fragments that come --- */

/* Nothing in a datagram can be there. */
static bool is_malformed(const datagram_fragment *of)
{
  uint32_t end = of->offset_octets + of->length_octets;
  uint32_t end_max = UINT16_MAX - (of->source.version == 4 ? IPV4_HEADER_OCTETS : 0);
  /* RFC 791 §3.2, RFC 8200 §4.5: all but the last are of whole units of 8 octets */
  return of->length_octets == 0 || end > end_max || (of->more && of->length_octets % 8 != 0);
}

/* A first fragment has the ports. */
static holding_flow *flow_of(ip_reassembly *reassembly, const ip_fragment *first)
{
  uint8_t ports[4];

  if (!first->packet || first->octets->length < sizeof ports) {
    return NULL;
  }
  buffer_chain_copy_out(first->octets, 0, sizeof ports, ports);
  const datagram_flow key = {.source = first->of.source,
                             .destination = first->of.destination,
                             .source_port = big_endian_read_16(ports),
                             .destination_port = big_endian_read_16(ports + 2)};
  holding_flow *flow = flow_table_find(&reassembly->flows, &key);
  return flow ? flow : flow_table_add(&reassembly->flows, &key);
}

static void contradict(ip_reassembly *reassembly, incomplete *waiting)
{
  reassembly->statistics.overlapping++;
  if (!reassembly->config.keeps_contradicted) {
    discard(reassembly, waiting);
    return;
  }
  count(reassembly, waiting, false);
  ip_fragments_free(waiting->fragments);
  waiting->fragments = ip_fragments_new();
  waiting->flow = NULL;
  waiting->is_contradicted = true;
}

/* The datagram when it is whole now, else NULL. */
static ip_fragments *add(ip_reassembly *reassembly, incomplete *waiting, const ip_fragment *fragment)
{
  ip_reassembly_statistics *statistics = &reassembly->statistics;
  datagram_ecn ecn;

  count(reassembly, waiting, false);
  ip_fragments_add(waiting->fragments, fragment);
  if (fragment->of.offset_octets == 0) {
    waiting->flow = flow_of(reassembly, fragment);
  }
  count(reassembly, waiting, true);
  if (!ip_fragments_are_whole(waiting->fragments)) {
    statistics->peak_octets = MAX(statistics->peak_octets, reassembly->held_octets);
    return NULL;
  }
  ip_fragments *whole = take_out(reassembly, waiting);
  if (!ip_fragments_ecn(whole, &ecn)) {
    statistics->malformed++;
    g_clear_pointer(&whole, ip_fragments_free);
  }
  statistics->reassembled += whole != NULL;
  return whole;
}

ip_fragments *ip_reassembly_add(ip_reassembly *reassembly, const ip_fragment *fragment, time_ps now)
{
  const datagram_fragment *of = &fragment->of;
  const datagram_key key = {
      .source = of->source, .destination = of->destination, .identification = of->identification};

  reassembly->statistics.fragments++;
  if (is_malformed(of)) {
    reassembly->statistics.malformed++;
    return NULL;
  }
  if (is_of_refused(reassembly, &key, fragment)) {
    return NULL;
  }
  incomplete *waiting = g_hash_table_lookup(reassembly->incomplete, &key);
  if (waiting) {
    ip_fragments_verdict verdict = ip_fragments_judge(waiting->fragments, fragment);
    if (waiting->is_contradicted || verdict == IP_FRAGMENTS_DUPLICATE) {
      return NULL;
    }
    if (verdict == IP_FRAGMENTS_CONTRADICTS) {
      contradict(reassembly, waiting);
      return NULL;
    }
  }
  if (!make_room(reassembly, waiting, of)) {
    reassembly->statistics.refused++;
    remember_refused(reassembly, &key, first_of(waiting, fragment));
    if (waiting) {
      discard(reassembly, waiting);
    }
    return NULL;
  }
  return add(reassembly, waiting ? waiting : begin(reassembly, &key, now), fragment);
}

datagram *ip_reassembly_receive(ip_reassembly *reassembly, datagram *packet, time_ps now)
{
  ip_fragment fragment = {.octets = &packet->payload, .packet = packet};

  if (packet->kind != DATAGRAM_FRAGMENT) {
    return packet;
  }
  datagram_fragment_of(packet, &fragment.of);
  fragment.ecn = datagram_ecn_of(packet);
  ip_fragments *fragments = ip_reassembly_add(reassembly, &fragment, now);
  datagram *whole = fragments ? ip_fragments_assemble(fragments) : NULL;
  if (fragments && !whole) {
    reassembly->statistics.reassembled--;
    reassembly->statistics.malformed++;
  }
  ip_fragments_free(fragments);
  datagram_unref(packet);
  return whole;
}

datagram *ip_reassembly_take_answer(ip_reassembly *reassembly)
{
  return g_queue_pop_head(&reassembly->answers);
}

/* --- Time --- */

time_ps ip_reassembly_deadline(const ip_reassembly *reassembly)
{
  const GList *oldest = reassembly->by_age.head;
  /* RFC 1122 §3.3.2: the time is fixed when the first fragment comes, not prolonged by further ones */
  return oldest ? time_ps_after(((const incomplete *)oldest->data)->begun, reassembly->config.timeout_ps)
                : TIME_PS_NEVER;
}

void ip_reassembly_run(ip_reassembly *reassembly, time_ps now)
{
  while (ip_reassembly_deadline(reassembly) <= now) {
    reassembly->statistics.timed_out++;
    discard(reassembly, reassembly->by_age.head->data);
  }
}

/* --- The rest --- */

ip_reassembly_config ip_reassembly_config_unlimited(void)
{
  return (ip_reassembly_config){.datagrams = UINT32_MAX,
                                .datagram_octets = UINT32_MAX,
                                .octets = UINT64_MAX,
                                .timeout_ps = 60 * TIME_PS_PER_SECOND};
}

ip_reassembly *ip_reassembly_new(const ip_reassembly_config *config)
{
  g_assert(config->timeout_ps > 0);
  ip_reassembly *reassembly = g_new0(ip_reassembly, 1);

  reassembly->config = *config;
  reassembly->incomplete = g_hash_table_new_full(hash_key, equal_keys, NULL, free_incomplete);
  flow_table_init(&reassembly->flows, sizeof(holding_flow), g_free);
  return reassembly;
}

static void free_answer(gpointer data)
{
  datagram_unref(data);
}

void ip_reassembly_free(ip_reassembly *reassembly)
{
  if (reassembly) {
    g_queue_clear_full(&reassembly->answers, free_answer);
    g_hash_table_destroy(reassembly->incomplete);
    flow_table_clear(&reassembly->flows);
    g_free(reassembly);
  }
}

uint64_t ip_reassembly_held_octets(ip_reassembly *reassembly, const datagram_flow *flow)
{
  const holding_flow *holding = flow_table_find(&reassembly->flows, flow);
  return holding ? holding->octets : 0;
}

const ip_reassembly_statistics *ip_reassembly_counted(const ip_reassembly *reassembly)
{
  return &reassembly->statistics;
}
