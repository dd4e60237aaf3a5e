/* SPDX-License-Identifier: GPL-2.0-only */
#include "bad_segment.h"

/* rdmap-00 §6.1, figure 4 */
enum { WRITE, READ_REQUEST, READ_RESPONSE, SEND, SEND_INVALIDATE, TERMINATE = 7, RESERVED = 11 };

enum { QUEUE_SENDS, QUEUE_REQUESTS, QUEUE_TERMINATE, NO_QUEUE };

/* A segment about to be written. */
typedef struct segment {
  bool tagged;
  uint8_t version; /* DV and RV: the same number in all generations */
  uint8_t rdmap_version;
  uint8_t opcode;
  uint32_t stag;   /* or what an untagged one invalidates */
  uint64_t offset; /* TO */
  uint32_t queue;
  uint32_t msn;
  uint32_t message_offset;
  uint32_t payload;
} segment;

static void append_number(GByteArray *octets, uint64_t number, unsigned count)
{
  for (unsigned i = count; i-- > 0;) {
    uint8_t octet = (uint8_t)(number >> (8 * i));
    g_byte_array_append(octets, &octet, 1);
  }
}

/* All are the last of their message. */
static void append_header(GByteArray *octets, const segment *s)
{
  append_number(octets, (s->tagged ? 0x80U : 0U) | 0x40U | s->version, 1);
  append_number(octets, (uint64_t)s->rdmap_version << 6 | s->opcode, 1);
  append_number(octets, s->stag, 4);
  if (s->tagged) {
    append_number(octets, s->offset, 8);
    return;
  }
  append_number(octets, s->queue, 4);
  append_number(octets, s->msn, 4);
  append_number(octets, s->message_offset, 4);
}

void bad_segment_append_request(GByteArray *ulpdu, iwarp_generation generation, uint32_t msn,
                                uint32_t sink_stag, uint64_t sink_offset, uint32_t length,
                                uint32_t source_stag, uint64_t source_offset)
{
  uint8_t version = generation == IWARP_RDMAC ? 0 : 1;
  const segment s = {.version = version,
                     .rdmap_version = version,
                     .opcode = READ_REQUEST,
                     .queue = QUEUE_REQUESTS,
                     .msn = msn};

  append_header(ulpdu, &s);
  append_number(ulpdu, sink_stag, 4);
  append_number(ulpdu, sink_offset, 8);
  append_number(ulpdu, length, 4);
  append_number(ulpdu, source_stag, 4);
  append_number(ulpdu, source_offset, 8);
}

/* One that is none of the endpoint's. */
static uint32_t unknown_stag(const uint32_t stags[CASE_REGIONS])
{
  uint32_t stag = 0xBAD00000;

  for (unsigned i = 0; i < CASE_REGIONS; i++) {
    if (stags[i] == stag) {
      stag++;
      i = 0;
    }
  }
  return stag;
}

/* A tagged Write of `octets` octets from `from` of `region`. */
static segment write_to(const uint32_t stags[CASE_REGIONS], unsigned region, uint64_t from, uint32_t octets)
{
  return (segment){.tagged = true,
                   .opcode = WRITE,
                   .stag = stags[region],
                   .offset = case_region_of(region)->base + from,
                   .payload = octets};
}

/* Of a Read Request: what it asks for. */
typedef struct wish {
  uint32_t stag;
  uint64_t offset;
  uint32_t length;
} wish;

static wish wish_of(const uint32_t stags[CASE_REGIONS], case_bad bad, uint32_t more)
{
  const uint64_t nearly = UINT64_MAX - 3; /* the fourth octet is the last of 64 bits */

  switch (bad) {
  case BAD_SOURCE_STAG:
    return (wish){unknown_stag(stags), 0, 1 + more};
  case BAD_SOURCE_FOREIGN:
    return (wish){stags[4], case_region_of(4)->base, 1 + more};
  case BAD_SOURCE_ACCESS:
    return (wish){stags[1], case_region_of(1)->base, 1 + more};
  case BAD_SOURCE_WRAP:
    return (wish){stags[3], nearly, 4 + more};
  default: /* BAD_SOURCE_BOUNDS: the last octet and one more; those of a wrong length, which nobody reads */
    return (wish){stags[2], case_region_of(2)->base + CASE_REGION_OCTETS - 1, 2 + more};
  }
}

static void append_wish(GByteArray *ulpdu, const wish *w)
{
  append_number(ulpdu, 0x77, 4);
  append_number(ulpdu, 0, 8);
  append_number(ulpdu, w->length, 4);
  append_number(ulpdu, w->stag, 4);
  append_number(ulpdu, w->offset, 8);
}

/* A Read Response one octet behind where the next Read of the endpoint wants it; when there is no Read,
 * anywhere. */
static segment misplaced_response(const random_case *c, guint index, const uint32_t stags[CASE_REGIONS])
{
  guint next = index;

  while (next < c->operations && c->operation[next].kind != CASE_RESPONSE) {
    next++;
  }
  const case_operation *read = next < c->operations ? &c->operation[next] : &c->operation[index];
  segment s = write_to(stags, read->region, read->offset + UINT64_C(1), 1 + c->operation[index].length);
  s.opcode = READ_RESPONSE;
  return s;
}

static segment tagged_segment(const random_case *c, guint index, const uint32_t stags[CASE_REGIONS])
{
  const case_operation *operation = &c->operation[index];
  uint32_t more = operation->length;
  segment s = write_to(stags, 0, 0, more);

  switch (operation->bad) {
  case BAD_TAGGED_OPCODE:
    s.opcode = RESERVED;
    break;
  case BAD_TAGGED_SEND:
    s.opcode = SEND;
    break;
  case BAD_STAG:
    s.stag = unknown_stag(stags);
    s.payload = 1 + more;
    break;
  case BAD_FOREIGN_STAG:
    return write_to(stags, 4, 0, 1 + more);
  case BAD_ACCESS:
    return write_to(stags, 2, 0, 1 + more);
  case BAD_WRAP:
    s = write_to(stags, 3, 0, 4 + more);
    s.offset = UINT64_MAX - 3;
    break;
  case BAD_BOUNDS:
    return write_to(stags, 0, CASE_REGION_OCTETS - 1, 2 + more);
  case BAD_RESPONSE:
    s.opcode = READ_RESPONSE;
    break;
  case BAD_RESPONSE_PLACE:
    return misplaced_response(c, index, stags);
  case BAD_MARKER:
    s.payload = 512 + more; /* there is one inside */
    break;
  default: /* what is wrong is not in these fields */
    break;
  }
  return s;
}

static segment untagged_segment(const case_operation *operation, const bad_numbers *numbers,
                                const uint32_t stags[CASE_REGIONS])
{
  uint32_t more = operation->length;
  segment s = {.opcode = SEND, .queue = QUEUE_SENDS, .msn = numbers->sends + 1, .payload = more};

  switch (operation->bad) {
  case BAD_UNTAGGED_OPCODE:
    s.opcode = RESERVED;
    break;
  case BAD_UNTAGGED_WRITE:
    s.opcode = WRITE;
    break;
  case BAD_SEND_ON_QUEUE_1:
    s.queue = QUEUE_REQUESTS;
    s.msn = numbers->requests + 1;
    s.payload = more % 28;
    break;
  case BAD_QUEUE:
    s.queue = NO_QUEUE + more;
    break;
  case BAD_MSN_USED:
    s.msn--;
    break;
  case BAD_MSN_AHEAD:
    s.msn = CASE_RECEIVES + 1 + more;
    break;
  case BAD_MO:
    s.message_offset = CASE_RECEIVE_OCTETS;
    s.payload = 1 + more;
    break;
  case BAD_MESSAGE_TOO_LONG:
    s.message_offset = CASE_RECEIVE_OCTETS - 1;
    s.payload = 2 + more;
    break;
  case BAD_INVALIDATE:
    s.opcode = SEND_INVALIDATE;
    s.stag = more % 3 == 0 ? unknown_stag(stags) : stags[more % 3 == 1 ? 0 : 4];
    break;
  default:
    break;
  }
  return s;
}

static bool is_request(case_bad bad)
{
  return bad >= BAD_REQUEST_SHORT && bad <= BAD_SOURCE_BOUNDS;
}

static bool is_tagged(case_bad bad)
{
  return bad == BAD_TAGGED_DV || bad == BAD_TAGGED_RV || bad == BAD_TAGGED_OPCODE || bad == BAD_TAGGED_SEND ||
         (bad >= BAD_STAG && bad <= BAD_BOUNDS) || bad == BAD_RESPONSE || bad == BAD_RESPONSE_PLACE ||
         bad == BAD_CRC || bad == BAD_MARKER;
}

static GByteArray *new_request(const case_operation *operation, segment s, const uint32_t stags[CASE_REGIONS])
{
  GByteArray *ulpdu = g_byte_array_new();
  wish w = wish_of(stags, operation->bad, operation->length);

  append_header(ulpdu, &s);
  append_wish(ulpdu, &w);
  if (operation->bad == BAD_REQUEST_SHORT) {
    g_byte_array_set_size(ulpdu, ulpdu->len - 1 - operation->length % 28);
  } else if (operation->bad == BAD_REQUEST_LONG) {
    append_number(ulpdu, 0, 1);
  }
  return ulpdu;
}

GByteArray *bad_segment_new(const random_case *c, guint index, const bad_numbers *numbers,
                            const uint32_t stags[CASE_REGIONS])
{
  const case_operation *operation = &c->operation[index];
  uint8_t version = c->generation == IWARP_RDMAC ? 0 : 1;
  segment s;

  if (operation->kind == CASE_TERMINATE) {
    s = (segment){.opcode = TERMINATE, .queue = QUEUE_TERMINATE, .msn = 1};
  } else if (is_request(operation->bad)) {
    s = (segment){.opcode = READ_REQUEST, .queue = QUEUE_REQUESTS, .msn = numbers->requests + 1};
  } else {
    s = is_tagged(operation->bad) ? tagged_segment(c, index, stags)
                                  : untagged_segment(operation, numbers, stags);
  }
  s.version = version;
  s.rdmap_version = version;
  if (operation->kind == CASE_BAD) {
    s.version ^= operation->bad == BAD_TAGGED_DV || operation->bad == BAD_UNTAGGED_DV ? 2 : 0;
    s.rdmap_version ^= operation->bad == BAD_TAGGED_RV || operation->bad == BAD_UNTAGGED_RV ? 2 : 0;
    if (is_request(operation->bad)) {
      return new_request(operation, s, stags);
    }
  }
  GByteArray *ulpdu = g_byte_array_new();
  append_header(ulpdu, &s);
  if (operation->kind == CASE_TERMINATE) {
    append_number(ulpdu, 0x02070000, 4); /* layer 0, type 2, code 7, nothing copied */
    return ulpdu;
  }
  for (uint32_t i = 0; i < s.payload; i++) {
    append_number(ulpdu, random_case_payload(index, i), 1);
  }
  if (operation->bad == BAD_SHORT_ULPDU) {
    g_byte_array_set_size(ulpdu, 1 + operation->length % 17);
  }
  return ulpdu;
}
