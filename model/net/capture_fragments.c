#include "net/capture_fragments.h"

#include <glib.h>
#include <string.h>

#include "base/range_set.h"
#include "net/datagram_ip.h"

/* What fragments of one datagram have in common. */
typedef struct datagram_key {
  uint8_t addresses[32];
  uint32_t identification;
  uint32_t version;
} datagram_key;

/* A datagram of which some fragments have come. */
typedef struct pending {
  datagram_key key;
  GList link; /* in the order of their beginning */
  int64_t begun_ns;
  GByteArray *payload;
  range_set came;
  uint32_t end;             /* of the datagram, when `end_known` */
  uint32_t captured_octets; /* of the payload, from its beginning on, as far as they came */
  uint8_t protocol;         /* of the first fragment (RFC 8200 §4.5) */
  bool end_known;
  bool is_spoilt;
  bool is_routed;
  unsigned ecn_seen; /* a bit for each value of the field */
} pending;

struct capture_fragments {
  GHashTable *datagrams; /* a set: of pending, by its key */
  GQueue by_age;
  pending *done; /* what was given last */
  uint64_t held_octets;
  uint64_t missing;
};

static guint hash_key(gconstpointer data)
{
  const datagram_key *key = data;
  uint64_t hash = key->identification;

  for (size_t i = 0; i < sizeof key->addresses; i += sizeof(uint64_t)) {
    hash = (hash ^ big_endian_read_64(key->addresses + i)) * UINT64_C(0x9E3779B97F4A7C15);
    hash ^= hash >> 32;
  }
  return (guint)hash;
}

static gboolean equal_keys(gconstpointer a, gconstpointer b)
{
  return memcmp(a, b, sizeof(datagram_key)) == 0;
}

static void free_pending(pending *begun)
{
  if (begun) {
    g_byte_array_free(begun->payload, TRUE);
    range_set_clear(&begun->came);
    g_free(begun);
  }
}

capture_fragments *capture_fragments_new(void)
{
  capture_fragments *fragments = g_new0(capture_fragments, 1);
  fragments->datagrams = g_hash_table_new(hash_key, equal_keys);
  return fragments;
}

/* It is no longer in the table; the caller's now. */
static void take_out(capture_fragments *fragments, pending *begun)
{
  g_hash_table_remove(fragments->datagrams, begun);
  g_queue_unlink(&fragments->by_age, &begun->link);
  fragments->held_octets -= begun->payload->len;
}

static void drop_oldest(capture_fragments *fragments)
{
  pending *oldest = fragments->by_age.head->data;
  take_out(fragments, oldest);
  free_pending(oldest);
}

void capture_fragments_free(capture_fragments *fragments)
{
  if (!fragments) {
    return;
  }
  while (fragments->by_age.length > 0) {
    drop_oldest(fragments);
  }
  free_pending(fragments->done);
  g_hash_table_destroy(fragments->datagrams);
  g_free(fragments);
}

static pending *find_or_begin(capture_fragments *fragments, const capture_ip *ip, int64_t time_ns)
{
  datagram_key key = {.identification = ip->identification, .version = ip->version};
  memcpy(key.addresses, ip->addresses, capture_ip_addresses_octets(ip->version));

  pending *begun = g_hash_table_lookup(fragments->datagrams, &key);
  if (begun) {
    return begun;
  }
  if (fragments->by_age.length == CAPTURE_FRAGMENTS_MAX_DATAGRAMS) {
    drop_oldest(fragments);
  }
  begun = g_new0(pending, 1);
  begun->key = key;
  begun->link.data = begun;
  begun->begun_ns = time_ns;
  begun->payload = g_byte_array_new();
  begun->captured_octets = UINT32_MAX;
  range_set_init(&begun->came);
  g_hash_table_add(fragments->datagrams, begun);
  g_queue_push_tail_link(&fragments->by_age, &begun->link);
  fragments->missing++;
  return begun;
}

/* Its other fragments will come and find it spoilt, until its time is over. */
static void spoil(capture_fragments *fragments, pending *begun)
{
  fragments->held_octets -= begun->payload->len;
  g_byte_array_set_size(begun->payload, 0);
  range_set_clear(&begun->came);
  range_set_init(&begun->came);
  begun->is_spoilt = true;
}

/* Whether the fragment does not fit those that came: it overlaps them, or puts the end elsewhere. */
static bool contradicts(const pending *begun, const capture_ip *ip)
{
  uint32_t to = ip->offset_octets + ip->payload_octets;

  if (begun->end_known ? to > begun->end || (!ip->more && to != begun->end)
                       : !ip->more && to < begun->payload->len) {
    return true;
  }
  return range_set_covered(&begun->came, ip->offset_octets, to) > 0;
}

/* Exactly what came already. */
static bool is_duplicate(const pending *begun, const capture_ip *ip)
{
  uint32_t from = ip->offset_octets;

  return range_set_contains(&begun->came, from, from + ip->payload_octets) &&
         memcmp(begun->payload->data + from, ip->payload, ip->captured_octets) == 0;
}

static void store(capture_fragments *fragments, pending *begun, const capture_ip *ip)
{
  uint32_t from = ip->offset_octets;
  uint32_t to = from + ip->payload_octets;

  if (to > begun->payload->len) {
    fragments->held_octets += to - begun->payload->len;
    g_byte_array_set_size(begun->payload, to);
  }
  memcpy(begun->payload->data + from, ip->payload, ip->captured_octets);
  memset(begun->payload->data + from + ip->captured_octets, 0, ip->payload_octets - ip->captured_octets);
  range_set_add(&begun->came, from, to);
  if (ip->captured_octets < ip->payload_octets) {
    begun->captured_octets = MIN(begun->captured_octets, from + ip->captured_octets);
  }
  if (from == 0) {
    begun->protocol = ip->protocol;
  }
  if (!ip->more) {
    begun->end_known = true;
    begun->end = to;
  }
  begun->is_routed |= ip->is_routed;
  begun->ecn_seen |= 1u << ip->ecn;
}

/* The whole datagram, which the table no longer has. */
static bool give(capture_fragments *fragments, pending *begun, capture_ip *ip)
{
  bool congested = (begun->ecn_seen & 1u << DATAGRAM_ECN_CONGESTED) != 0;

  take_out(fragments, begun);
  fragments->done = begun;
  if (congested && (begun->ecn_seen & 1u << DATAGRAM_ECN_NOT_CAPABLE)) {
    return false; /* RFC 3168 §5.3: it is dropped */
  }
  fragments->missing--;
  ip->ecn = congested ? DATAGRAM_ECN_CONGESTED : ip->ecn;
  ip->protocol = begun->protocol;
  ip->is_fragment = false;
  ip->is_routed = begun->is_routed;
  ip->addresses = begun->key.addresses;
  ip->payload = begun->payload->data;
  ip->payload_octets = begun->end;
  ip->captured_octets = MIN(begun->captured_octets, begun->end);
  return true;
}

bool capture_fragments_add(capture_fragments *fragments, capture_ip *ip, int64_t time_ns)
{
  free_pending(fragments->done);
  fragments->done = NULL;
  while (fragments->by_age.length > 0 &&
         time_ns - ((pending *)fragments->by_age.head->data)->begun_ns > CAPTURE_FRAGMENTS_AGE_NS) {
    drop_oldest(fragments);
  }
  pending *begun = find_or_begin(fragments, ip, time_ns);
  if (begun->is_spoilt || is_duplicate(begun, ip)) {
    return false;
  }
  if (contradicts(begun, ip)) {
    spoil(fragments, begun);
    return false;
  }
  store(fragments, begun, ip);
  if (begun->end_known && range_set_total(&begun->came) == begun->end) {
    return give(fragments, begun, ip);
  }
  while (fragments->held_octets > CAPTURE_FRAGMENTS_MAX_OCTETS) {
    drop_oldest(fragments);
  }
  return false;
}

uint64_t capture_fragments_missing(const capture_fragments *fragments)
{
  return fragments->missing;
}
