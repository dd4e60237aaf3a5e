#include "rnic/rnic_ip_fragments.h"

#include <glib.h>

enum { TCP_DATA_OFFSET_AT = 12 };

/* Octets [from, to) of the IP payload. */
typedef struct piece {
  uint32_t from;
  uint32_t to;
  datagram *packet;
} piece;

struct rnic_ip_fragments {
  GArray *pieces; /* by their place; they do not overlap */
  uint32_t octets;
  uint32_t tcp_header_octets;
  uint32_t end; /* of the datagram; of the pieces so far while `end_known` is not set */
  bool end_known;
  unsigned ecn_seen; /* a bit for each value of the field */
};

static void release_piece(gpointer data)
{
  datagram_unref(((piece *)data)->packet);
}

rnic_ip_fragments *rnic_ip_fragments_new(void)
{
  rnic_ip_fragments *fragments = g_new0(rnic_ip_fragments, 1);
  fragments->pieces = g_array_new(FALSE, FALSE, sizeof(piece));
  g_array_set_clear_func(fragments->pieces, release_piece);
  return fragments;
}

void rnic_ip_fragments_free(rnic_ip_fragments *fragments)
{
  if (fragments) {
    g_array_free(fragments->pieces, TRUE);
    g_free(fragments);
  }
}

static const piece *piece_at(const rnic_ip_fragments *fragments, guint index)
{
  return &g_array_index(fragments->pieces, piece, index);
}

/* The index of the first piece that begins at or behind `from`. In order, all but the last step are saved. */
static guint place_of(const rnic_ip_fragments *fragments, uint32_t from)
{
  guint low = 0;
  guint high = fragments->pieces->len;

  if (high > 0 && piece_at(fragments, high - 1)->from < from) {
    return high;
  }
  while (low < high) {
    guint middle = low + (high - low) / 2;
    if (piece_at(fragments, middle)->from < from) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

static bool same_octets(const datagram *a, const datagram *b)
{
  uint32_t length = a->payload.length;
  if (length != b->payload.length) {
    return false;
  }
  uint8_t *octets = g_malloc(length);
  octet_rope_copy_out(&a->payload, 0, length, octets);
  bool same = octet_rope_equals(&b->payload, 0, length, octets);
  g_free(octets);
  return same;
}

rnic_ip_fragments_verdict rnic_ip_fragments_judge(const rnic_ip_fragments *fragments, const datagram *packet,
                                                  const datagram_fragment *of)
{
  uint32_t to = of->offset_octets + of->length_octets;
  guint place = place_of(fragments, of->offset_octets);
  const piece *behind = place < fragments->pieces->len ? piece_at(fragments, place) : NULL;
  const piece *before = place > 0 ? piece_at(fragments, place - 1) : NULL;

  if (behind && behind->from == of->offset_octets && same_octets(behind->packet, packet)) {
    datagram_fragment other;
    datagram_fragment_of(behind->packet, &other);
    return other.more == of->more ? RNIC_IP_FRAGMENTS_DUPLICATE : RNIC_IP_FRAGMENTS_CONTRADICTS;
  }
  if ((before && before->to > of->offset_octets) || (behind && behind->from < to)) {
    return RNIC_IP_FRAGMENTS_CONTRADICTS;
  }
  if (fragments->end_known ? !of->more || to > fragments->end : !of->more && to < fragments->end) {
    return RNIC_IP_FRAGMENTS_CONTRADICTS; /* a second end, or octets behind the end */
  }
  return RNIC_IP_FRAGMENTS_NEW;
}

/* The octets of TCP header in a first fragment; what a hostile one says is not believed beyond its length. */
static uint32_t tcp_header_octets_in(const datagram *first)
{
  uint32_t length = first->payload.length;
  if (length <= TCP_DATA_OFFSET_AT) {
    return length;
  }
  uint32_t header = (uint32_t)(octet_rope_at(&first->payload, TCP_DATA_OFFSET_AT) >> 4) * 4;
  return MIN(MAX(header, TCP_HEADER_OCTETS), length);
}

void rnic_ip_fragments_add(rnic_ip_fragments *fragments, datagram *packet, const datagram_fragment *of)
{
  piece added = {.from = of->offset_octets, .to = of->offset_octets + of->length_octets, .packet = packet};

  g_array_insert_val(fragments->pieces, place_of(fragments, added.from), added);
  fragments->octets += of->length_octets;
  fragments->end = MAX(fragments->end, added.to);
  fragments->end_known |= !of->more;
  fragments->ecn_seen |= 1u << datagram_ecn_of(packet);
  if (added.from == 0) {
    fragments->tcp_header_octets = tcp_header_octets_in(packet);
  }
}

const datagram *rnic_ip_fragments_first(const rnic_ip_fragments *fragments)
{
  const piece *first = fragments->pieces->len > 0 ? piece_at(fragments, 0) : NULL;
  return first && first->from == 0 ? first->packet : NULL;
}

uint32_t rnic_ip_fragments_octets(const rnic_ip_fragments *fragments)
{
  return fragments->octets;
}

uint32_t rnic_ip_fragments_tcp_payload_octets(const rnic_ip_fragments *fragments)
{
  return fragments->octets - fragments->tcp_header_octets;
}

bool rnic_ip_fragments_are_whole(const rnic_ip_fragments *fragments)
{
  return fragments->end_known && fragments->octets == fragments->end; /* they do not overlap */
}

datagram *rnic_ip_fragments_assemble(const rnic_ip_fragments *fragments)
{
  g_assert(rnic_ip_fragments_are_whole(fragments));
  bool congested = fragments->ecn_seen & 1u << DATAGRAM_ECN_CONGESTED;
  if (congested && (fragments->ecn_seen & 1u << DATAGRAM_ECN_NOT_CAPABLE)) {
    return NULL;
  }
  octet_rope ip_payload;
  octet_rope_init(&ip_payload);
  for (guint i = 0; i < fragments->pieces->len; i++) {
    const datagram *packet = piece_at(fragments, i)->packet;
    octet_rope_append_rope(&ip_payload, &packet->payload, 0, packet->payload.length);
  }
  datagram *whole = datagram_new_reassembled(rnic_ip_fragments_first(fragments), &ip_payload);
  octet_rope_clear(&ip_payload);
  if (whole && congested) {
    datagram_set_ecn(whole, DATAGRAM_ECN_CONGESTED);
  }
  return whole;
}
