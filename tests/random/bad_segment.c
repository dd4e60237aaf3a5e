/* SPDX-License-Identifier: GPL-2.0-only */
#include "bad_segment.h"

/* This is rdmap-00 §6.1, figure 4. RFC 7306 has the reserved opcode and the missing queue, and no more. */
enum { WRITE, READ_REQUEST, READ_RESPONSE, SEND, SEND_INVALIDATE, TERMINATE = 7, RESERVED = 11 };

enum { QUEUE_SENDS, QUEUE_REQUESTS, QUEUE_TERMINATE, NO_QUEUE };

/* This is a segment about to be written. */
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

/* Appends what a Read Request asks for. */
static void append_wish(GByteArray *ulpdu, uint32_t sink_stag, uint64_t sink_offset, uint32_t length,
                        uint32_t source_stag, uint64_t source_offset)
{
  append_number(ulpdu, sink_stag, 4);
  append_number(ulpdu, sink_offset, 8);
  append_number(ulpdu, length, 4);
  append_number(ulpdu, source_stag, 4);
  append_number(ulpdu, source_offset, 8);
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
  append_wish(ulpdu, sink_stag, sink_offset, length, source_stag, source_offset);
}

/* Returns one that is none of the endpoint's. */
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

/* This is how a bad segment is made. What is not here is as in a right Send, or, tagged, a right Write to
 * region 0. */
typedef struct recipe {
  bool tagged;
  uint8_t version; /* flips these bits of DV, … */
  uint8_t rdmap_version;
  uint8_t opcode;
  uint8_t region;  /* whose STag is named, by a Read Request as the source's; … */
  bool is_unknown; /* … or none is */
  bool wraps;      /* the fourth octet is the last of 64 bits */
  uint32_t from;   /* in the region */
  uint32_t queue;
  uint32_t message_offset;
  uint32_t octets; /* of payload, or asked for; and the operation's length more */
} recipe;

static const recipe recipes[BAD_KINDS] = {
    [BAD_SHORT_ULPDU] = {.opcode = SEND},
    [BAD_TAGGED_DV] = {.tagged = true, .version = 2},
    [BAD_UNTAGGED_DV] = {.opcode = SEND, .version = 2},
    [BAD_TAGGED_RV] = {.tagged = true, .rdmap_version = 2},
    [BAD_UNTAGGED_RV] = {.opcode = SEND, .rdmap_version = 2},
    [BAD_TAGGED_OPCODE] = {.tagged = true, .opcode = RESERVED},
    [BAD_UNTAGGED_OPCODE] = {.opcode = RESERVED},
    [BAD_TAGGED_SEND] = {.tagged = true, .opcode = SEND},
    [BAD_UNTAGGED_WRITE] = {.opcode = WRITE},
    [BAD_SEND_ON_QUEUE_1] = {.opcode = SEND, .queue = QUEUE_REQUESTS},
    [BAD_QUEUE] = {.opcode = SEND, .queue = NO_QUEUE},
    [BAD_MSN_USED] = {.opcode = SEND},
    [BAD_MSN_AHEAD] = {.opcode = SEND},
    [BAD_MO] = {.opcode = SEND, .message_offset = CASE_RECEIVE_OCTETS, .octets = 1},
    [BAD_MESSAGE_TOO_LONG] = {.opcode = SEND, .message_offset = CASE_RECEIVE_OCTETS - 1, .octets = 2},
    [BAD_STAG] = {.tagged = true, .is_unknown = true, .octets = 1},
    [BAD_FOREIGN_STAG] = {.tagged = true, .region = 4, .octets = 1},
    [BAD_ACCESS] = {.tagged = true, .region = 2, .octets = 1},
    [BAD_WRAP] = {.tagged = true, .region = 3, .wraps = true, .octets = 4},
    [BAD_BOUNDS] = {.tagged = true, .from = CASE_REGION_OCTETS - 1, .octets = 2},
    [BAD_REQUEST_SHORT] = {.opcode = READ_REQUEST, .queue = QUEUE_REQUESTS},
    [BAD_REQUEST_LONG] = {.opcode = READ_REQUEST, .queue = QUEUE_REQUESTS},
    [BAD_SOURCE_STAG] = {.opcode = READ_REQUEST, .queue = QUEUE_REQUESTS, .is_unknown = true, .octets = 1},
    [BAD_SOURCE_FOREIGN] = {.opcode = READ_REQUEST, .queue = QUEUE_REQUESTS, .region = 4, .octets = 1},
    [BAD_SOURCE_ACCESS] = {.opcode = READ_REQUEST, .queue = QUEUE_REQUESTS, .region = 1, .octets = 1},
    [BAD_SOURCE_WRAP] =
        {.opcode = READ_REQUEST, .queue = QUEUE_REQUESTS, .region = 3, .wraps = true, .octets = 4},
    [BAD_SOURCE_BOUNDS] = {.opcode = READ_REQUEST,
                           .queue = QUEUE_REQUESTS,
                           .region = 2,
                           .from = CASE_REGION_OCTETS - 1,
                           .octets = 2},
    [BAD_RESPONSE] = {.tagged = true, .opcode = READ_RESPONSE},
    [BAD_RESPONSE_PLACE] = {.tagged = true, .opcode = READ_RESPONSE, .octets = 1},
    [BAD_INVALIDATE] = {.opcode = SEND_INVALIDATE},
    [BAD_CRC] = {.tagged = true},
    [BAD_MARKER] = {.tagged = true, .octets = 512}, /* there is one inside */
};

/* Returns the next Read of the endpoint from operation `index` on; when there is none, that operation. */
static const case_operation *next_read(const random_case *c, guint index)
{
  for (guint next = index; next < c->operations; next++) {
    if (c->operation[next].kind == CASE_RESPONSE) {
      return &c->operation[next];
    }
  }
  return &c->operation[index];
}

/* Adjusts what of operation `index` depends on its length, or on the other operations. */
static void adjust(segment *s, const random_case *c, guint index, const uint32_t stags[CASE_REGIONS])
{
  uint32_t more = c->operation[index].length;
  const case_operation *read = next_read(c, index);

  switch (c->operation[index].bad) {
  case BAD_SEND_ON_QUEUE_1:
    s->payload = more % 28;
    break;
  case BAD_QUEUE:
    s->queue += more;
    break;
  case BAD_MSN_USED:
    s->msn--;
    break;
  case BAD_MSN_AHEAD:
    s->msn = CASE_RECEIVES + 1 + more;
    break;
  case BAD_INVALIDATE:
    s->stag = more % 3 == 0 ? unknown_stag(stags) : stags[more % 3 == 1 ? 0 : 4];
    break;
  case BAD_RESPONSE_PLACE: /* one octet after where it is wanted */
    s->stag = stags[read->region];
    s->offset = case_region_of(read->region)->base + read->offset + 1;
    break;
  default:
    break;
  }
}

static GByteArray *terminate_new(uint8_t version)
{
  const segment s = {
      .version = version, .rdmap_version = version, .opcode = TERMINATE, .queue = QUEUE_TERMINATE, .msn = 1};
  GByteArray *ulpdu = g_byte_array_new();

  append_header(ulpdu, &s);
  append_number(ulpdu, 0x02070000, 4); /* layer 0, type 2, code 7, nothing copied */
  return ulpdu;
}

GByteArray *bad_segment_new(const random_case *c, guint index, const bad_numbers *numbers,
                            const uint32_t stags[CASE_REGIONS])
{
  const case_operation *operation = &c->operation[index];
  uint8_t version = c->generation == IWARP_RDMAC ? 0 : 1;

  if (operation->kind == CASE_TERMINATE) {
    return terminate_new(version);
  }
  const recipe *r = &recipes[operation->bad];
  uint32_t stag = r->is_unknown ? unknown_stag(stags) : stags[r->region];
  const uint8_t extensions = c->generation == IWARP_RFC6581;
  uint64_t offset = r->wraps ? UINT64_MAX - 3 : case_region_of(r->region)->base + r->from;
  segment s = {.tagged = r->tagged,
               .version = version ^ r->version,
               .rdmap_version = version ^ r->rdmap_version,
               .opcode = r->opcode + (r->opcode == RESERVED ? extensions : 0),
               .stag = r->tagged ? stag : 0,
               .offset = offset,
               .queue = r->queue + (r->queue == NO_QUEUE ? extensions : 0),
               .msn = 1 + (r->queue == QUEUE_REQUESTS ? numbers->requests : numbers->sends),
               .message_offset = r->message_offset,
               .payload = r->octets + operation->length};
  GByteArray *ulpdu = g_byte_array_new();

  adjust(&s, c, index, stags);
  append_header(ulpdu, &s);
  if (r->opcode == READ_REQUEST) {
    append_wish(ulpdu, 0x77, 0, s.payload, stag, offset);
  } else {
    for (uint32_t i = 0; i < s.payload; i++) {
      append_number(ulpdu, random_case_payload(index, i), 1);
    }
  }
  if (operation->bad == BAD_REQUEST_SHORT) {
    g_byte_array_set_size(ulpdu, ulpdu->len - 1 - operation->length % 28);
  } else if (operation->bad == BAD_REQUEST_LONG) {
    append_number(ulpdu, 0, 1);
  } else if (operation->bad == BAD_SHORT_ULPDU) {
    g_byte_array_set_size(ulpdu, 1 + operation->length % 17);
  }
  return ulpdu;
}
