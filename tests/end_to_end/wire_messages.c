/* SPDX-License-Identifier: GPL-2.0-only */
#include "wire_messages.h"

#include <string.h>

#include "wire_order.h"
#include "wire_responses.h"

enum {
  CONTROL_OCTETS = 2,
  TAGGED_HEADER_OCTETS = 14,
  UNTAGGED_HEADER_OCTETS = 18,
  READ_REQUEST_OCTETS = 28,
  IMMEDIATE_OCTETS = 8,
  ATOMIC_REQUEST_OCTETS = 52,
  ATOMIC_RESPONSE_OCTETS = 12,
  DDP_TAGGED = 0x80,
  DDP_LAST = 0x40,
  DDP_RESERVED = 0x3C,
  DDP_VERSION = 0x03,
  RDMAP_RESERVED = 0x30,
  TERMINATE_RESERVED = 0x1FFF,
  QUEUES = 4,
  REVISION_1_CODES = 4, /* of MPA's errors; RFC 6581 §8 has more */
};

/* This is rdmap-00 §6.1, figure 4, and RFC 7306 §4.1, figure 2: a row for each opcode. */
static const struct usage {
  gboolean is_tagged;
  guint32 queue;
  gboolean has_invalidate_stag;
  guint32 octets; /* after the DDP header, exactly, in one segment; 0: any */
  const char *name;
} usages[WIRE_OPCODES] = {
    [WIRE_WRITE] = {TRUE, 0, FALSE, 0, NULL},
    [WIRE_READ_REQUEST] = {FALSE, 1, FALSE, READ_REQUEST_OCTETS, "a Read Request"},
    [WIRE_READ_RESPONSE] = {TRUE, 0, FALSE, 0, NULL},
    [WIRE_SEND] = {FALSE, 0, FALSE, 0, NULL},
    [WIRE_SEND_INVALIDATE] = {FALSE, 0, TRUE, 0, NULL},
    [WIRE_SEND_SE] = {FALSE, 0, FALSE, 0, NULL},
    [WIRE_SEND_SE_INVALIDATE] = {FALSE, 0, TRUE, 0, NULL},
    [WIRE_TERMINATE] = {FALSE, 2, FALSE, 0, NULL},
    [WIRE_IMMEDIATE] = {FALSE, 0, FALSE, IMMEDIATE_OCTETS, "Immediate Data"},
    [WIRE_IMMEDIATE_SE] = {FALSE, 0, FALSE, IMMEDIATE_OCTETS, "Immediate Data"},
    [WIRE_ATOMIC_REQUEST] = {FALSE, 1, FALSE, ATOMIC_REQUEST_OCTETS, "an Atomic Request"},
    [WIRE_ATOMIC_RESPONSE] = {FALSE, 3, FALSE, ATOMIC_RESPONSE_OCTETS, "an Atomic Response"},
};

/* This is rdmap-00 §6.8 figure 9, ddp-07/rfc5041 §7.2, mpa-01 §7, RFC 6581 §8: the codes a Terminate may
 * carry; ends with code -1. */
static const struct error_codes {
  guint layer, type;
  int codes[10];
} error_codes[] = {
    {0, 0, {0x00, -1}},
    {0, 1, {0x00, 0x01, 0x02, 0x03, 0x04, 0x09, 0xFF, -1}},
    {0, 2, {0x05, 0x06, 0x07, 0x08, 0x09, 0xFF, -1}},
    {1, 0, {0x00, -1}},
    {1, 1, {0x00, 0x01, 0x02, 0x03, 0x04, -1}},
    {1, 2, {0x01, 0x02, 0x03, 0x04, 0x05, 0x06, -1}},
    {2, 0, {0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, -1}},
};

/* Reads what one side sent. */
typedef struct reader {
  int side;
  const wire_agreement *agreement;
  const marked_half *received; /* what the other side sent */
  GArray *messages;
  wire_message open; /* segments > 0: not whole yet */
  guint32 next_number[QUEUES];
  GPtrArray *complaints;
  guint fpdu; /* at hand, for complaints */
} reader;

G_GNUC_PRINTF(2, 3) static void complain(const reader *r, const char *format, ...)
{
  va_list arguments;

  va_start(arguments, format);
  g_autofree char *what = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  wire_complain(r->complaints, "side %d, FPDU %u: %s", r->side, r->fpdu, what);
}

static wire_read read_request(const guint8 *header)
{
  return (wire_read){.sink_stag = (guint32)plain_number(header, 4),
                     .sink_offset = plain_number(header + 4, 8),
                     .octets = (guint32)plain_number(header + 12, 4),
                     .source_stag = (guint32)plain_number(header + 16, 4),
                     .source_offset = plain_number(header + 20, 8)};
}

static gboolean is_error_code(const wire_agreement *agreement, const wire_terminate *t)
{
  if (t->layer == 2 && t->code > REVISION_1_CODES && !agreement->is_extended) {
    return FALSE;
  }
  for (gsize i = 0; i < G_N_ELEMENTS(error_codes); i++) {
    if (error_codes[i].layer != t->layer || error_codes[i].type != t->type) {
      continue;
    }
    for (const int *code = error_codes[i].codes; *code >= 0; code++) {
      if ((guint)*code == t->code) {
        return TRUE;
      }
    }
  }
  return FALSE;
}

/* Returns whether there is the segment that a Terminate is about: one that the other side sent, with this
 * header and length, and this Read Request (whose progress the Terminate may have brought up to date: +n, -n,
 * +n). */
static gboolean is_received(const reader *r, const guint8 *header, guint header_octets,
                            const wire_terminate *t)
{
  for (guint i = 0; i < r->received->fpdus->len; i++) {
    const plain_fpdu *fpdu = &g_array_index(r->received->fpdus, plain_fpdu, i);
    if (fpdu->ulpdu_octets != t->segment_octets || fpdu->ulpdu_octets < header_octets ||
        memcmp(fpdu->ulpdu->data, header, header_octets) != 0) {
      continue;
    }
    if (!t->has_rdma_header) {
      return TRUE;
    }
    if (fpdu->ulpdu_octets != UNTAGGED_HEADER_OCTETS + READ_REQUEST_OCTETS) {
      continue;
    }
    wire_read asked = read_request(fpdu->ulpdu->data + UNTAGGED_HEADER_OCTETS);
    guint32 progress = asked.octets - t->read.octets;
    if (t->read.octets <= asked.octets && t->read.sink_stag == asked.sink_stag &&
        t->read.source_stag == asked.source_stag && t->read.sink_offset == asked.sink_offset + progress &&
        t->read.source_offset == asked.source_offset + progress) {
      return TRUE;
    }
  }
  return FALSE;
}

/* rdmap-00 §6.8, figures 7 to 10. */
static void read_terminate(reader *r, const guint8 *payload, guint32 octets, wire_terminate *t)
{
  if (octets < 4) {
    complain(r, "a Terminate of %u octets", octets);
    return;
  }
  t->layer = payload[0] >> 4;
  t->type = payload[0] & 0x0F;
  t->code = payload[1];
  t->has_length = (payload[2] & 0x80) != 0;
  t->has_ddp_header = (payload[2] & 0x40) != 0;
  t->has_rdma_header = (payload[2] & 0x20) != 0;
  if (!is_error_code(r->agreement, t)) {
    complain(r, "Terminate %u/%u/%02X is no error of the documents", t->layer, t->type, t->code);
  }
  if ((plain_number(payload + 2, 2) & TERMINATE_RESERVED) != 0) {
    complain(r, "reserved bits in the Terminate Header");
  }
  if (t->has_ddp_header != t->has_length || (t->has_rdma_header && !t->has_ddp_header)) {
    complain(r, "M, D, R = %d, %d, %d", t->has_length, t->has_ddp_header, t->has_rdma_header);
    return;
  }
  gboolean may_have_segment = t->layer < 2 && t->type != 0;
  if ((t->has_ddp_header && !may_have_segment) || (t->has_rdma_header && (t->layer != 0 || t->type != 1))) {
    complain(r, "Terminate %u/%u/%02X with parts that it cannot have", t->layer, t->type, t->code);
  }
  guint header_octets = 0;
  guint32 expected = 4;
  if (t->has_ddp_header && octets > 6) {
    header_octets = payload[6] & DDP_TAGGED ? TAGGED_HEADER_OCTETS : UNTAGGED_HEADER_OCTETS;
    expected += 2 + header_octets + (t->has_rdma_header ? READ_REQUEST_OCTETS : 0);
  }
  if (octets != expected) {
    complain(r, "a Terminate of %u octets instead of %u", octets, expected);
    return;
  }
  if (t->has_ddp_header) {
    t->segment_octets = (guint32)plain_number(payload + 4, 2);
    if (t->has_rdma_header) {
      t->read = read_request(payload + 6 + header_octets);
    }
    if (!is_received(r, payload + 6, header_octets, t)) {
      complain(r, "the Terminate copies a segment that its sender never got");
    }
  }
}

/* ddp-07/rfc5041 §4.2: STag and TO; the same STag and the next TO as long as the message lasts. */
static void read_tagged(reader *r, const guint8 *ulpdu, guint32 payload_octets)
{
  wire_message *m = &r->open;
  guint32 stag = (guint32)plain_number(ulpdu + 2, 4);
  guint64 offset = plain_number(ulpdu + 6, 8);

  if (m->segments == 0) {
    m->stag = stag;
    m->offset = offset;
  }
  if (stag != m->stag || offset != m->offset + m->octets) {
    complain(
        r, "STag %08X, TO %" G_GINT64_MODIFIER "X in a message that goes on at %08X, %" G_GINT64_MODIFIER "X",
        stag, offset, m->stag, m->offset + m->octets);
  }
  m->octets += payload_octets;
}

/* RFC 7306 §5.2.1, figures 4 and 5: 28 reserved bits, then AOpCode. */
static wire_atomic read_atomic_request(const reader *r, const guint8 *header)
{
  const wire_atomic a = {.operation = header[3] & 0x0F,
                         .identifier = (guint32)plain_number(header + 4, 4),
                         .stag = (guint32)plain_number(header + 8, 4),
                         .offset = plain_number(header + 12, 8),
                         .data = plain_number(header + 20, 8),
                         .mask = plain_number(header + 28, 8),
                         .compare = plain_number(header + 36, 8),
                         .compare_mask = plain_number(header + 44, 8)};

  if (plain_number(header, 4) != a.operation) {
    complain(r, "reserved bits in the Atomic Request");
  }
  if (a.operation != WIRE_FETCH_ADD && a.operation != WIRE_COMPARE_SWAP) {
    complain(r, "AOpCode %u", a.operation);
  }
  if (a.operation == WIRE_FETCH_ADD && (a.compare != 0 || a.compare_mask != G_MAXUINT64)) {
    complain(r, "a FetchAdd whose Compare Data are not zeros, or whose Compare Mask is not ones");
  }
  return a;
}

/* ddp-07/rfc5041 §4.3: QN, MSN, MO. A queue's numbers start with 1 and go up by one a message; MO starts with
 * 0. */
static void read_untagged(reader *r, const guint8 *ulpdu, guint32 payload_octets)
{
  wire_message *m = &r->open;
  guint32 invalidate_stag = (guint32)plain_number(ulpdu + 2, 4);
  guint32 queue = (guint32)plain_number(ulpdu + 6, 4);
  guint32 number = (guint32)plain_number(ulpdu + 10, 4);
  guint32 offset = (guint32)plain_number(ulpdu + 14, 4);

  if (m->segments == 0) {
    m->queue = queue;
    m->number = number;
    m->invalidate_stag = invalidate_stag;
    if (queue < QUEUES && number != ++r->next_number[queue]) {
      complain(r, "MSN %u of queue %u instead of %u", number, queue, r->next_number[queue]);
    }
  }
  if (queue != usages[m->opcode].queue) {
    complain(r, "opcode %u on queue %u", m->opcode, queue);
  }
  if (invalidate_stag != (usages[m->opcode].has_invalidate_stag ? m->invalidate_stag : 0)) {
    complain(r, "opcode %u with Invalidate STag %08X", m->opcode, invalidate_stag);
  }
  if (queue != m->queue || number != m->number || offset != m->octets) {
    complain(r, "queue %u, MSN %u, MO %u in a message that goes on at %u, %u, %" G_GUINT64_FORMAT, queue,
             number, offset, m->queue, m->number, m->octets);
  }
  m->octets += payload_octets;
  guint32 exact_octets = usages[m->opcode].octets;
  if (exact_octets != 0 && (payload_octets != exact_octets || !(ulpdu[0] & DDP_LAST))) {
    complain(r, "%s of %u octets", usages[m->opcode].name, payload_octets);
    return;
  }
  const guint8 *payload = ulpdu + UNTAGGED_HEADER_OCTETS;
  switch (m->opcode) {
  case WIRE_READ_REQUEST:
    m->read = read_request(payload);
    break;
  case WIRE_IMMEDIATE:
  case WIRE_IMMEDIATE_SE:
    m->value = plain_number(payload, 8);
    break;
  case WIRE_ATOMIC_REQUEST:
    m->atomic = read_atomic_request(r, payload);
    break;
  case WIRE_ATOMIC_RESPONSE: /* figure 6 */
    m->atomic.identifier = (guint32)plain_number(payload, 4);
    m->value = plain_number(payload + 4, 8);
    break;
  case WIRE_TERMINATE:
    read_terminate(r, payload, payload_octets, &m->terminate);
    break;
  default:
    break;
  }
}

/* ddp-07/rfc5041 §4.1 and rdmap-00 §6.1: the two control octets. False when the segment cannot be read any
 * further. */
static gboolean check_control(const reader *r, const plain_fpdu *fpdu)
{
  if (fpdu->ulpdu_octets < CONTROL_OCTETS) {
    complain(r, "a ULPDU of %u octets", fpdu->ulpdu_octets);
    return FALSE;
  }
  guint opcode = fpdu->ulpdu->data[1] & 0x0F;
  gboolean is_tagged = (fpdu->ulpdu->data[0] & DDP_TAGGED) != 0;
  if ((fpdu->ulpdu->data[0] & DDP_RESERVED) != 0 || (fpdu->ulpdu->data[1] & RDMAP_RESERVED) != 0) {
    complain(r, "reserved bits in control octets %02X %02X", fpdu->ulpdu->data[0], fpdu->ulpdu->data[1]);
  }
  if ((fpdu->ulpdu->data[0] & DDP_VERSION) != r->agreement->ddp_version ||
      fpdu->ulpdu->data[1] >> 6 != r->agreement->rdmap_version) {
    complain(r, "versions in control octets %02X %02X", fpdu->ulpdu->data[0], fpdu->ulpdu->data[1]);
  }
  if (opcode >= (r->agreement->is_extended ? WIRE_OPCODES : WIRE_IMMEDIATE) ||
      is_tagged != usages[opcode].is_tagged) {
    complain(r, "opcode %u, tagged %d", opcode, is_tagged);
    return FALSE;
  }
  if (fpdu->ulpdu_octets < (is_tagged ? TAGGED_HEADER_OCTETS : UNTAGGED_HEADER_OCTETS)) {
    complain(r, "a ULPDU of %u octets", fpdu->ulpdu_octets);
    return FALSE;
  }
  return TRUE;
}

static void read_segment(reader *r, const plain_fpdu *fpdu)
{
  wire_message *m = &r->open;

  if (!check_control(r, fpdu)) {
    return;
  }
  if (r->messages->len > 0 &&
      g_array_index(r->messages, wire_message, r->messages->len - 1).opcode == WIRE_TERMINATE) {
    complain(r, "a message after the Terminate");
  }
  guint opcode = fpdu->ulpdu->data[1] & 0x0F;
  if (m->segments > 0 && opcode == WIRE_TERMINATE && m->opcode != WIRE_TERMINATE) {
    /* Given up: a Read Response that failed midway has no segment with L. */
    g_array_append_val(r->messages, *m);
    *m = (wire_message){0};
  }
  if (m->segments == 0) {
    m->opcode = opcode;
    m->is_tagged = usages[opcode].is_tagged;
    m->start = fpdu->start;
  } else if (opcode != m->opcode) {
    complain(r, "opcode %u inside a message with opcode %u", opcode, m->opcode);
    if (usages[opcode].is_tagged != m->is_tagged) {
      return;
    }
  }
  if (m->is_tagged) {
    read_tagged(r, fpdu->ulpdu->data, fpdu->ulpdu_octets - TAGGED_HEADER_OCTETS);
  } else {
    read_untagged(r, fpdu->ulpdu->data, fpdu->ulpdu_octets - UNTAGGED_HEADER_OCTETS);
  }
  m->segments++;
  m->end = fpdu->end;
  if (fpdu->ulpdu->data[0] & DDP_LAST) {
    m->is_whole = TRUE;
    g_array_append_val(r->messages, *m);
    *m = (wire_message){0};
  }
}

static GArray *read_messages(wire_decoded *decoded, int side, const wire_agreement *agreement,
                             GPtrArray *complaints)
{
  const marked_half *half = &decoded->half[side];
  reader r = {.side = side,
              .agreement = agreement,
              .received = &decoded->half[1 - side],
              .messages = g_array_new(FALSE, TRUE, sizeof(wire_message)),
              .complaints = complaints};

  for (r.fpdu = 0; r.fpdu < half->fpdus->len; r.fpdu++) {
    read_segment(&r, &g_array_index(half->fpdus, plain_fpdu, r.fpdu));
  }
  if (r.open.segments > 0) {
    g_array_append_val(r.messages, r.open); /* not whole */
  }
  return r.messages;
}

static wire_decoded decode_connection(const wire_connection *connection, const wire_agreement *agreement,
                                      GPtrArray *complaints)
{
  wire_decoded decoded = {0};

  marked_decode(connection, agreement, decoded.half, complaints);
  for (int side = 0; side < WIRE_SIDES; side++) {
    decoded.messages[side] = read_messages(&decoded, side, agreement, complaints);
  }
  wire_responses_check(&decoded, WIRE_INITIATOR, agreement->shares_word, complaints);
  wire_responses_check(&decoded, WIRE_RESPONDER, agreement->shares_word, complaints);
  wire_rtr_check(&decoded, complaints);
  /* The last message of each direction is whole, unless the connection was terminated. */
  for (int side = 0; side < WIRE_SIDES; side++) {
    const GArray *messages = decoded.messages[side];
    if (messages->len > 0 && !g_array_index(messages, wire_message, messages->len - 1).is_whole &&
        !wire_is_terminated(&decoded)) {
      wire_complain(complaints, "side %d: the last message has no segment with L", side);
    }
  }
  return decoded;
}

wire_decoding *wire_decode_connections(GPtrArray *connections, GPtrArray *complaints,
                                       const wire_agreement *agreement)
{
  wire_decoding *decoding = g_new0(wire_decoding, 1);

  decoding->complaints = complaints;
  decoding->connections = connections;
  decoding->decoded = g_array_new(FALSE, TRUE, sizeof(wire_decoded));
  for (guint i = 0; i < connections->len; i++) {
    wire_decoded decoded = decode_connection(connections->pdata[i], agreement, complaints);
    g_array_append_val(decoding->decoded, decoded);
  }
  return decoding;
}

wire_decoding *wire_decode(const char *folder, const char *name, const wire_agreement *agreement)
{
  GPtrArray *complaints = g_ptr_array_new_with_free_func(g_free);

  return wire_decode_connections(wire_capture_read(folder, name, complaints), complaints, agreement);
}

void wire_decoding_free(wire_decoding *decoding)
{
  for (guint i = 0; i < decoding->decoded->len; i++) {
    wire_decoded *decoded = &g_array_index(decoding->decoded, wire_decoded, i);
    for (int side = 0; side < WIRE_SIDES; side++) {
      marked_half_clear(&decoded->half[side]);
      g_array_unref(decoded->messages[side]);
    }
  }
  g_array_unref(decoding->decoded);
  g_ptr_array_unref(decoding->connections);
  g_ptr_array_unref(decoding->complaints);
  g_free(decoding);
}

guint64 wire_count_fpdus(const wire_decoding *decoding, int side)
{
  guint64 count = 0;

  for (guint i = 0; i < decoding->decoded->len; i++) {
    count += g_array_index(decoding->decoded, wire_decoded, i).half[side].fpdus->len;
  }
  return count;
}

/* Adds up whole messages with `opcode` that `side` sent, or their octets. */
static guint64 sum_messages(const wire_decoding *decoding, int side, guint opcode, gboolean octets)
{
  guint64 sum = 0;

  for (guint i = 0; i < decoding->decoded->len; i++) {
    const GArray *messages = g_array_index(decoding->decoded, wire_decoded, i).messages[side];
    for (guint k = 0; k < messages->len; k++) {
      const wire_message *message = &g_array_index(messages, wire_message, k);
      sum += message->opcode != opcode || !message->is_whole ? 0 : octets ? message->octets : 1;
    }
  }
  return sum;
}

guint64 wire_count_messages(const wire_decoding *decoding, int side, guint opcode)
{
  return sum_messages(decoding, side, opcode, FALSE);
}

guint64 wire_count_octets(const wire_decoding *decoding, int side, guint opcode)
{
  return sum_messages(decoding, side, opcode, TRUE);
}

void wire_assert_no_complaints(const wire_decoding *decoding)
{
  for (guint i = 0; i < MIN(decoding->complaints->len, 10); i++) {
    g_printerr("# %s\n", (const char *)decoding->complaints->pdata[i]);
  }
  g_assert_cmpuint(decoding->complaints->len, ==, 0);
}
