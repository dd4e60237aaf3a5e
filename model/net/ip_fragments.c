/* SPDX-License-Identifier: GPL-2.0-only */
#include "net/ip_fragments.h"

#include "net/ip_header.h"

enum { TCP_DATA_OFFSET_AT = 12 };

/* Octets [from, to) of the IP payload. */
typedef struct piece {
  uint32_t from;
  uint32_t to;
  bool more;
  octet_rope octets; /* from the first one on, as far as they are there */
} piece;

static void free_piece(gpointer data)
{
  piece *old = data;
  octet_rope_clear(&old->octets);
  g_free(old);
}

ip_fragments *ip_fragments_new(void)
{
  ip_fragments *fragments = g_new0(ip_fragments, 1);
  fragments->pieces = g_ptr_array_new_with_free_func(free_piece);
  return fragments;
}

void ip_fragments_free(ip_fragments *fragments)
{
  if (fragments) {
    g_ptr_array_free(fragments->pieces, TRUE);
    datagram_unref(fragments->first.packet);
    g_free(fragments);
  }
}

static const piece *piece_at(const ip_fragments *fragments, guint index)
{
  return g_ptr_array_index(fragments->pieces, index);
}

/* The index of the first piece that begins at or after `from`. In order, all but the last step are saved. */
static guint place_of(const ip_fragments *fragments, uint32_t from)
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

/* As far as both are there. */
static bool same_octets(const octet_rope *a, const octet_rope *b)
{
  uint32_t length = MIN(a->length, b->length);
  octet_rope_range rest = octet_rope_range_of(a, 0, length);

  while (rest.length > 0) {
    uint32_t at = length - rest.length;
    octet_slice part = octet_rope_range_next(&rest);
    if (!octet_rope_equals(b, at, part.length, part.octets)) {
      return false;
    }
  }
  return true;
}

ip_fragments_verdict ip_fragments_judge(const ip_fragments *fragments, const ip_fragment *fragment)
{
  const datagram_fragment *of = &fragment->of;
  uint32_t to = of->offset_octets + of->length_octets;
  guint place = place_of(fragments, of->offset_octets);
  const piece *after = place < fragments->pieces->len ? piece_at(fragments, place) : NULL;
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

/* The octets of TCP header in a first fragment; what a hostile one says is not believed beyond its length. */
static uint32_t tcp_header_octets_in(const octet_rope *first)
{
  if (first->length <= TCP_DATA_OFFSET_AT) {
    return first->length;
  }
  uint32_t header = (uint32_t)(octet_rope_at(first, TCP_DATA_OFFSET_AT) >> 4) * 4;
  return MIN(MAX(header, TCP_HEADER_OCTETS), first->length);
}

void ip_fragments_add(ip_fragments *fragments, const ip_fragment *fragment)
{
  const datagram_fragment *of = &fragment->of;
  piece *added = g_new(piece, 1);

  added->from = of->offset_octets;
  added->to = of->offset_octets + of->length_octets;
  added->more = of->more;
  octet_rope_init(&added->octets);
  octet_rope_append_rope(&added->octets, fragment->octets, 0, fragment->octets->length);
  g_ptr_array_insert(fragments->pieces, (gint)place_of(fragments, added->from), added);
  fragments->octets += of->length_octets;
  fragments->end = MAX(fragments->end, added->to);
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

void ip_fragments_append_to(const ip_fragments *fragments, octet_rope *payload)
{
  bool is_there = true;

  g_assert(ip_fragments_are_whole(fragments));
  for (guint i = 0; i < fragments->pieces->len && is_there; i++) {
    const piece *next = piece_at(fragments, i);
    octet_rope_append_rope(payload, &next->octets, 0, next->octets.length);
    is_there = next->octets.length == next->to - next->from;
  }
}

datagram *ip_fragments_assemble(const ip_fragments *fragments)
{
  octet_rope payload;
  datagram_ecn ecn;

  octet_rope_init(&payload);
  ip_fragments_append_to(fragments, &payload);
  datagram *whole = datagram_new_reassembled(fragments->first.packet, &payload);
  octet_rope_clear(&payload);
  if (whole && ip_fragments_ecn(fragments, &ecn)) {
    datagram_set_ecn(whole, ecn);
  }
  return whole;
}
