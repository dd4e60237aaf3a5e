#include "rnic/rnic_ip_reassembly_private.h"

#include <glib.h>

#include "base/big_endian.h"
#include "rnic/rnic_ip_fragments.h"

enum { ICMP_MTU_MIN_OCTETS = 68, ICMPV6_MTU_MIN_OCTETS = 1280 }; /* RFC 791 §3.2, RFC 8200 §5 */

/* What fragments of one datagram have in common (RFC 791 §3.2; the protocol is TCP). */
typedef struct datagram_key {
  ip_address source;
  ip_address destination;
  uint32_t identification;
} datagram_key;

/* A datagram with fragments missing. */
typedef struct incomplete {
  datagram_key key;
  rnic_ip_fragments *fragments;
  bool has_flow; /* the first fragment has come, with its ports */
  datagram_flow flow;
  time_ps deadline;
  GList link; /* in rnic_ip_reassembly.by_age */
} incomplete;

struct rnic_ip_reassembly {
  rnic_ip_reassembly_config config;
  GHashTable *incomplete;            /* datagram_key -> incomplete */
  GQueue by_age;                     /* the same; the oldest, whose deadline is the next, first */
  GHashTable *flows;                 /* datagram_flow -> uint64_t: TCP payload held, where there is some */
  uint64_t held_octets;              /* IP payload */
  uint64_t held_unattributed_octets; /* of those */
  datagram_key refused;              /* the datagram refused last: the rest of it has no room either */
  bool has_refused;
  bool refused_first_came;
  GQueue answers; /* datagram */
  rnic_ip_reassembly_statistics statistics;
};

/* --- Keys --- */

static uint64_t mix(uint64_t hash, uint64_t value)
{
  return (hash ^ value) * UINT64_C(0x9E3779B97F4A7C15);
}

static uint64_t mix_address(uint64_t hash, const ip_address *address)
{
  hash = mix(hash, big_endian_read_64(address->octets));
  return mix(hash ^ hash >> 32, big_endian_read_64(address->octets + 8));
}

static guint hash_key(gconstpointer data)
{
  const datagram_key *key = data;
  uint64_t hash = mix_address(mix_address(0, &key->source), &key->destination);
  return (guint)(mix(hash ^ hash >> 32, key->identification) >> 32);
}

static gboolean equal_keys(gconstpointer a, gconstpointer b)
{
  const datagram_key *left = a;
  const datagram_key *right = b;
  return left->identification == right->identification && ip_address_equal(&left->source, &right->source) &&
         ip_address_equal(&left->destination, &right->destination);
}

static guint hash_flow(gconstpointer data)
{
  const datagram_flow *flow = data;
  uint64_t hash = mix_address(mix_address(0, &flow->source), &flow->destination);
  return (guint)(mix(hash ^ hash >> 32, (uint64_t)flow->source_port << 16 | flow->destination_port) >> 32);
}

static gboolean equal_flows(gconstpointer a, gconstpointer b)
{
  const datagram_flow *left = a;
  const datagram_flow *right = b;
  return left->source_port == right->source_port && left->destination_port == right->destination_port &&
         ip_address_equal(&left->source, &right->source) &&
         ip_address_equal(&left->destination, &right->destination);
}

/* --- What is held --- */

static void count_flow(rnic_ip_reassembly *reassembly, const datagram_flow *flow, uint32_t octets, bool more)
{
  uint64_t *held = g_hash_table_lookup(reassembly->flows, flow);

  if (!held) {
    held = g_new0(uint64_t, 1);
    g_hash_table_insert(reassembly->flows, g_memdup2(flow, sizeof *flow), held);
  }
  *held = more ? *held + octets : *held - octets;
  if (*held == 0) {
    g_hash_table_remove(reassembly->flows, flow);
  }
}

/* Counts the datagram in (`more`) or out, with what it holds now. */
static void count(rnic_ip_reassembly *reassembly, const incomplete *waiting, bool more)
{
  uint32_t octets = rnic_ip_fragments_octets(waiting->fragments);
  uint32_t tcp_octets = rnic_ip_fragments_tcp_payload_octets(waiting->fragments);

  reassembly->held_octets += more ? octets : -(uint64_t)octets;
  if (!waiting->has_flow) {
    reassembly->held_unattributed_octets += more ? tcp_octets : -(uint64_t)tcp_octets;
  } else if (tcp_octets > 0) {
    count_flow(reassembly, &waiting->flow, tcp_octets, more);
  }
}

static void free_incomplete(gpointer data)
{
  incomplete *waiting = data;
  rnic_ip_fragments_free(waiting->fragments);
  g_free(waiting);
}

static void discard(rnic_ip_reassembly *reassembly, incomplete *waiting)
{
  count(reassembly, waiting, false);
  g_queue_unlink(&reassembly->by_age, &waiting->link);
  g_hash_table_remove(reassembly->incomplete, &waiting->key);
}

static incomplete *begin(rnic_ip_reassembly *reassembly, const datagram_key *key, time_ps now)
{
  incomplete *waiting = g_new0(incomplete, 1);
  waiting->key = *key;
  waiting->fragments = rnic_ip_fragments_new();
  /* RFC 1122 §3.3.2: the time is fixed when the first fragment comes, not prolonged by further ones */
  waiting->deadline = now + reassembly->config.timeout_ps;
  waiting->link.data = waiting;
  g_queue_push_tail_link(&reassembly->by_age, &waiting->link);
  g_hash_table_insert(reassembly->incomplete, &waiting->key, waiting);
  return waiting;
}

/* --- Fragments that find no room --- */

/* RFC 792 and RFC 1191 §4: fragmentation was needed. The text recommends it for the limited buffer and asks it of option 1;
 * we do it whenever room is what lacks. The advice is the first fragment's length: a router cut it as large as its link
 * takes, so the sender's next datagrams come whole, and are smaller than this one was. */
static void answer(rnic_ip_reassembly *reassembly, const datagram *first)
{
  ip_address self = datagram_destination(first);
  uint32_t minimum = self.version == 4 ? ICMP_MTU_MIN_OCTETS : ICMPV6_MTU_MIN_OCTETS;
  datagram *message = datagram_new_too_big(&self, first, MAX(datagram_octets(first), minimum));

  if (message) {
    reassembly->statistics.answers++;
    g_queue_push_tail(&reassembly->answers, message);
  }
}

/* Remembers the datagram, the rest of which will find no room either; answers now if `first` is there, else when it comes. */
static void remember_refused(rnic_ip_reassembly *reassembly, const datagram_key *key, const datagram *first)
{
  reassembly->refused = *key;
  reassembly->has_refused = true;
  reassembly->refused_first_came = first != NULL;
  if (first) {
    answer(reassembly, first);
  }
}

static void evict(rnic_ip_reassembly *reassembly, incomplete *waiting)
{
  reassembly->statistics.evicted++;
  remember_refused(reassembly, &waiting->key, rnic_ip_fragments_first(waiting->fragments));
  discard(reassembly, waiting);
}

/* The oldest datagram but `spared`; NULL when there is none. */
static incomplete *oldest_but(const rnic_ip_reassembly *reassembly, const incomplete *spared)
{
  const GList *oldest = reassembly->by_age.head;

  if (oldest && oldest->data == spared) {
    oldest = oldest->next;
  }
  return oldest ? oldest->data : NULL;
}

/* Evicts datagrams other than `spared` until at most `octets` of IP payload are held, those of `spared` among them, or
 * nothing else is. */
static void evict_down_to(rnic_ip_reassembly *reassembly, const incomplete *spared, uint64_t octets)
{
  incomplete *oldest = oldest_but(reassembly, spared);

  while (oldest && reassembly->held_octets > octets) {
    evict(reassembly, oldest);
    oldest = oldest_but(reassembly, spared);
  }
}

/* Makes room for fragment `of` of the datagram `waiting` (NULL: of a new one); false when there is too little. */
static bool make_room(rnic_ip_reassembly *reassembly, const incomplete *waiting, const datagram_fragment *of)
{
  uint64_t size = reassembly->config.size_octets;
  uint32_t ip_octets = of->source.version == 4 ? IPV4_HEADER_OCTETS : IPV6_HEADER_OCTETS;
  uint32_t own = waiting ? rnic_ip_fragments_octets(waiting->fragments) : 0;

  switch (reassembly->config.option) {
  case RNIC_IP_REASSEMBLY_DROP:
    return false;
  case RNIC_IP_REASSEMBLY_UNLIMITED:
    return true;
  case RNIC_IP_REASSEMBLY_LIMITED:
    if (ip_octets + of->offset_octets + of->length_octets > size) {
      return false;
    }
    evict_down_to(reassembly, waiting, 0);
    return true;
  case RNIC_IP_REASSEMBLY_ONE_64K:
    evict_down_to(reassembly, waiting, 0);
    return true;
  case RNIC_IP_REASSEMBLY_SPANNING:
    if (own + of->length_octets > size) {
      return false;
    }
    evict_down_to(reassembly, waiting, size - of->length_octets);
    return true;
  }
  g_assert_not_reached();
}

static void refuse(rnic_ip_reassembly *reassembly, incomplete *waiting, const datagram_key *key,
                   const datagram *packet, const datagram_fragment *of)
{
  const datagram *first = of->offset_octets == 0 ? packet : NULL;

  reassembly->statistics.refused++;
  if (waiting && !first) {
    first = rnic_ip_fragments_first(waiting->fragments);
  }
  remember_refused(reassembly, key, first);
  if (waiting) {
    discard(reassembly, waiting);
  }
}

/* True when the fragment is of the datagram refused last, and went its way. */
static bool is_of_refused(rnic_ip_reassembly *reassembly, const datagram_key *key, const datagram *packet,
                          const datagram_fragment *of)
{
  if (!reassembly->has_refused || !equal_keys(&reassembly->refused, key)) {
    return false;
  }
  if (of->offset_octets == 0 && reassembly->refused_first_came) {
    reassembly->has_refused = false; /* a new datagram: the identification has come round */
    return false;
  }
  reassembly->statistics.refused++;
  if (of->offset_octets == 0) {
    remember_refused(reassembly, key, packet);
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

static void learn_flow(incomplete *waiting, const datagram *packet)
{
  uint8_t ports[4];

  if (packet->payload.length < sizeof ports) {
    return;
  }
  octet_rope_copy_out(&packet->payload, 0, sizeof ports, ports);
  waiting->has_flow = true;
  waiting->flow = (datagram_flow){.source = waiting->key.source,
                                  .destination = waiting->key.destination,
                                  .source_port = big_endian_read_16(ports),
                                  .destination_port = big_endian_read_16(ports + 2)};
}

/* The datagram when it is whole now, else NULL. */
static datagram *add(rnic_ip_reassembly *reassembly, incomplete *waiting, datagram *packet,
                     const datagram_fragment *of)
{
  rnic_ip_reassembly_statistics *statistics = &reassembly->statistics;

  count(reassembly, waiting, false);
  rnic_ip_fragments_add(waiting->fragments, packet, of);
  if (of->offset_octets == 0) {
    learn_flow(waiting, packet);
  }
  count(reassembly, waiting, true);
  if (!rnic_ip_fragments_are_whole(waiting->fragments)) {
    statistics->peak_octets = MAX(statistics->peak_octets, reassembly->held_octets);
    return NULL;
  }
  datagram *whole = rnic_ip_fragments_assemble(waiting->fragments);
  statistics->reassembled += whole != NULL;
  statistics->malformed += whole == NULL;
  discard(reassembly, waiting);
  return whole;
}

/* Takes the reference when it returns true; then `*whole` is the datagram if it is whole now. */
static bool take_fragment(rnic_ip_reassembly *reassembly, datagram *packet, time_ps now, datagram **whole)
{
  datagram_fragment of;
  datagram_fragment_of(packet, &of);
  if (is_malformed(&of)) {
    reassembly->statistics.malformed++;
    return false;
  }
  datagram_key key = {
      .source = of.source, .destination = of.destination, .identification = of.identification};
  if (is_of_refused(reassembly, &key, packet, &of)) {
    return false;
  }
  incomplete *waiting = g_hash_table_lookup(reassembly->incomplete, &key);
  rnic_ip_fragments_verdict verdict =
      waiting ? rnic_ip_fragments_judge(waiting->fragments, packet, &of) : RNIC_IP_FRAGMENTS_NEW;
  if (verdict == RNIC_IP_FRAGMENTS_CONTRADICTS) {
    reassembly->statistics.overlapping++;
    discard(reassembly, waiting);
  }
  if (verdict != RNIC_IP_FRAGMENTS_NEW) {
    return false;
  }
  if (!make_room(reassembly, waiting, &of)) {
    refuse(reassembly, waiting, &key, packet, &of);
    return false;
  }
  *whole = add(reassembly, waiting ? waiting : begin(reassembly, &key, now), packet, &of);
  return true;
}

datagram *rnic_ip_reassembly_receive(rnic_ip_reassembly *reassembly, datagram *packet, time_ps now)
{
  datagram *whole = NULL;

  if (packet->kind != DATAGRAM_FRAGMENT) {
    return packet;
  }
  reassembly->statistics.fragments++;
  if (!take_fragment(reassembly, packet, now, &whole)) {
    datagram_unref(packet);
  }
  return whole;
}

datagram *rnic_ip_reassembly_take_answer(rnic_ip_reassembly *reassembly)
{
  return g_queue_pop_head(&reassembly->answers);
}

/* --- Time --- */

time_ps rnic_ip_reassembly_deadline(const rnic_ip_reassembly *reassembly)
{
  const GList *oldest = reassembly->by_age.head;
  return oldest ? ((const incomplete *)oldest->data)->deadline : TIME_PS_NEVER;
}

void rnic_ip_reassembly_run(rnic_ip_reassembly *reassembly, time_ps now)
{
  while (rnic_ip_reassembly_deadline(reassembly) <= now) {
    reassembly->statistics.timed_out++;
    discard(reassembly, reassembly->by_age.head->data);
  }
}

/* --- The rest --- */

rnic_ip_reassembly *rnic_ip_reassembly_new(const rnic_ip_reassembly_config *config)
{
  bool sized = config->option == RNIC_IP_REASSEMBLY_LIMITED || config->option == RNIC_IP_REASSEMBLY_SPANNING;
  g_assert(config->size_octets > 0 || !sized);
  g_assert(config->timeout_ps > 0);

  rnic_ip_reassembly *reassembly = g_new0(rnic_ip_reassembly, 1);
  reassembly->config = *config;
  reassembly->incomplete = g_hash_table_new_full(hash_key, equal_keys, NULL, free_incomplete);
  reassembly->flows = g_hash_table_new_full(hash_flow, equal_flows, g_free, g_free);
  return reassembly;
}

static void free_answer(gpointer data)
{
  datagram_unref(data);
}

void rnic_ip_reassembly_free(rnic_ip_reassembly *reassembly)
{
  if (reassembly) {
    g_queue_clear_full(&reassembly->answers, free_answer);
    g_hash_table_destroy(reassembly->incomplete);
    g_hash_table_destroy(reassembly->flows);
    g_free(reassembly);
  }
}

uint64_t rnic_ip_reassembly_held_octets(const rnic_ip_reassembly *reassembly, const datagram_flow *flow)
{
  const uint64_t *held = g_hash_table_lookup(reassembly->flows, flow);
  return held ? *held : 0;
}

uint64_t rnic_ip_reassembly_held_unattributed_octets(const rnic_ip_reassembly *reassembly)
{
  return reassembly->held_unattributed_octets;
}

const rnic_ip_reassembly_statistics *rnic_ip_reassembly_counted(const rnic_ip_reassembly *reassembly)
{
  return &reassembly->statistics;
}
