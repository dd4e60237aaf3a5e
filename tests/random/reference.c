/* SPDX-License-Identifier: GPL-2.0-only */
#include "reference.h"

#include <string.h>

enum { TAGGED_OCTETS = 14, UNTAGGED_OCTETS = 18, REQUEST_OCTETS = 28, ATOMIC_REQUEST_OCTETS = 52 };

/* This is rdmap-00 §6.1, figure 4 */
enum {
  WRITE,
  READ_REQUEST,
  READ_RESPONSE,
  SEND,
  SEND_INVALIDATE,
  SEND_SE,
  SEND_SE_INVALIDATE,
  TERMINATE,
  OPCODES
};

enum { LAYER_RDMAP, LAYER_DDP };

/* This is a DDP segment, taken apart. */
typedef struct segment {
  guint fpdu;
  const uint8_t *ulpdu;
  uint32_t octets; /* of it */
  bool tagged;
  bool last;
  unsigned ddp_version;
  unsigned rdmap_version;
  unsigned opcode;
  uint32_t stag; /* or the one to invalidate */
  uint64_t offset;
  uint32_t queue;
  uint32_t msn;
  uint32_t message_offset;
  const uint8_t *payload;
  uint32_t payload_octets;
} segment;

/* This is the endpoint, as far as it matters. */
typedef struct interpreter {
  const random_case *c;
  const uint32_t *stags;
  reference *outcome;
  bool is_valid[CASE_REGIONS];
  guint early;
  uint32_t sends;           /* Delivered on queue 0 */
  uint32_t requests;        /* on queue 1 */
  uint64_t message_octets;  /* of the untagged message under way */
  uint32_t reads;           /* completed */
  uint64_t response_octets; /* of the one under way */
} interpreter;

uint32_t reference_buffer_octets(unsigned buffer)
{
  return buffer < CASE_REGIONS ? CASE_REGION_OCTETS : CASE_RECEIVE_OCTETS;
}

/* Fills it with a pattern that repeats, but not where anything else does. */
void reference_fill(unsigned buffer, uint8_t *octets)
{
  enum { PERIOD = 61 };
  uint32_t length = reference_buffer_octets(buffer);

  for (uint32_t i = 0; i < PERIOD; i++) {
    octets[i] = (uint8_t)(0xE0 + buffer * 13 + i * 7);
  }
  for (uint32_t done = PERIOD; done < length;) {
    uint32_t more = MIN(done, length - done);
    memcpy(octets + done, octets, more);
    done += more;
  }
}

/* --- The fields --- */

/* Takes it apart by ddp-07/rfc5041 §4, rdmap-00 §6.1; false when there is no whole header. */
static bool take_apart(const plain_fpdu *fpdu, guint index, segment *s)
{
  const uint8_t *ulpdu = fpdu->ulpdu->data;
  uint32_t octets = fpdu->ulpdu->len;

  *s = (segment){.fpdu = index, .ulpdu = ulpdu, .octets = octets};
  s->tagged = octets > 0 && (ulpdu[0] & 0x80) != 0;
  uint32_t header = s->tagged ? TAGGED_OCTETS : UNTAGGED_OCTETS;
  if (octets < header) {
    return false;
  }
  s->last = (ulpdu[0] & 0x40) != 0;
  s->ddp_version = ulpdu[0] & 3;
  s->rdmap_version = ulpdu[1] >> 6;
  s->opcode = ulpdu[1] & 0x0F;
  s->stag = (uint32_t)plain_number(ulpdu + 2, 4);
  if (s->tagged) {
    s->offset = plain_number(ulpdu + 6, 8);
  } else {
    s->queue = (uint32_t)plain_number(ulpdu + 6, 4);
    s->msn = (uint32_t)plain_number(ulpdu + 10, 4);
    s->message_offset = (uint32_t)plain_number(ulpdu + 14, 4);
  }
  s->payload = ulpdu + header;
  s->payload_octets = octets - header;
  return true;
}

/* Returns the endpoint's region under `stag`; CASE_REGIONS when there is none. */
static unsigned region_of(const uint32_t stags[CASE_REGIONS], uint32_t stag)
{
  unsigned region = 0;

  while (region < CASE_REGIONS && stags[region] != stag) {
    region++;
  }
  return region;
}

/* Returns whether `length` octets from Tagged Offset `offset` on lie in the region. */
static bool is_inside(const case_region *r, uint64_t offset, uint32_t length)
{
  return offset >= r->base && offset - r->base <= CASE_REGION_OCTETS &&
         length <= CASE_REGION_OCTETS - (offset - r->base);
}

/* --- Errors --- */

void reference_end_by_mpa(reference *outcome, unsigned code)
{
  outcome->end = REFERENCE_MPA_ERROR;
  memcpy(outcome->terminate, "\x20\0\0\0", 4); /* note D50 */
  outcome->terminate[1] = (uint8_t)code;
  outcome->terminate_octets = 4;
}

/* Ends by rdmap-00 §6.8, figures 7 … 10; notes D42 … D45. */
static void end_by_error(interpreter *in, const segment *s, unsigned layer, unsigned type, unsigned code)
{
  reference *outcome = in->outcome;
  uint8_t *wire = outcome->terminate;
  bool has_header = s->octets >= (s->tagged ? TAGGED_OCTETS : UNTAGGED_OCTETS);
  bool has_request = has_header && layer == LAYER_RDMAP && type == 1 && s->opcode == READ_REQUEST;

  outcome->end = REFERENCE_ERROR;
  wire[0] = (uint8_t)(layer << 4 | type);
  wire[1] = (uint8_t)code;
  wire[2] = (uint8_t)((has_header ? 0xC0 : 0) | (has_request ? 0x20 : 0));
  wire[3] = 0;
  uint32_t at = 4;
  if (has_header) {
    uint32_t header = s->tagged ? TAGGED_OCTETS : UNTAGGED_OCTETS;
    wire[at++] = (uint8_t)(s->octets >> 8);
    wire[at++] = (uint8_t)s->octets;
    memcpy(wire + at, s->ulpdu, header);
    at += header;
  }
  if (has_request) {
    memcpy(wire + at, s->payload, REQUEST_OCTETS);
    at += REQUEST_OCTETS;
  }
  outcome->terminate_octets = at;
}

/* --- DDP --- */

/* Finds a fault by ddp-07/rfc5041 §5.2, §7.1 in the order of note D12; the code of table §7.2, or -1. */
static int tagged_fault(interpreter *in, const segment *s)
{
  if (s->payload_octets == 0) {
    return -1;
  }
  unsigned region = region_of(in->stags, s->stag);
  if (region == CASE_REGIONS) {
    return 0x00;
  }
  const case_region *r = case_region_of(region);
  if (!in->is_valid[region] && ++in->outcome->late_writes > in->early) {
    return 0x00;
  }
  if (r->is_foreign) {
    return 0x02;
  }
  if (!r->peer_may_write) {
    return 0x00; /* note D49 */
  }
  if (s->offset + s->payload_octets < s->offset) {
    return 0x03;
  }
  return is_inside(r, s->offset, s->payload_octets) ? -1 : 0x01;
}

/* Finds a fault by notes D9, D10, D14 */
static int untagged_fault(const interpreter *in, const segment *s)
{
  /* RFC 7306 §4.1, §5.2.1: queue 1 is for Atomic Requests, too, and queue 3 for their responses. */
  const bool has_atomics = in->c->generation == IWARP_RFC6581;
  const uint32_t sizes[] = {CASE_RECEIVE_OCTETS, has_atomics ? ATOMIC_REQUEST_OCTETS : REQUEST_OCTETS,
                            REFERENCE_TERMINATE_OCTETS};
  if (s->queue > (has_atomics ? 3 : 2)) {
    return 0x01;
  }
  uint32_t delivered = s->queue == 0 ? in->sends : s->queue == 1 ? in->requests : 0;
  uint32_t posted = s->queue == 0 ? CASE_RECEIVES - in->sends : s->queue == 1 ? CASE_DEPTH : 1;
  uint32_t ahead = s->msn - (delivered + 1);
  if (ahead >= posted) {
    return ahead < 0x80000000U ? 0x02 : 0x03;
  }
  if (s->payload_octets == 0) {
    return -1;
  }
  if (s->message_offset >= sizes[s->queue]) {
    return 0x04;
  }
  return s->payload_octets > sizes[s->queue] - s->message_offset ? 0x05 : -1;
}

/* Returns where the payload of `s` goes: the buffer, or REFERENCE_BUFFERS, and the first octet of it. */
static unsigned target_of(const uint32_t stags[CASE_REGIONS], const segment *s, uint32_t *from)
{
  if (!s->tagged) {
    *from = s->message_offset;
    bool fits = s->queue == 0 && s->msn >= 1 && s->msn <= CASE_RECEIVES &&
                s->message_offset <= CASE_RECEIVE_OCTETS &&
                s->payload_octets <= CASE_RECEIVE_OCTETS - s->message_offset;
    return fits ? CASE_REGIONS + s->msn - 1 : REFERENCE_BUFFERS;
  }
  unsigned region = region_of(stags, s->stag);
  if (region == CASE_REGIONS || case_region_of(region)->is_foreign ||
      !case_region_of(region)->peer_may_write) {
    return REFERENCE_BUFFERS;
  }
  uint64_t inside = s->offset - case_region_of(region)->base;
  *from = (uint32_t)inside;
  bool fits = inside <= CASE_REGION_OCTETS && s->payload_octets <= CASE_REGION_OCTETS - inside;
  return fits ? region : REFERENCE_BUFFERS;
}

/* --- RDMAP --- */

/* Finds a fault by rdmap-00 §6.1, figure 4, and §9.2; the code of a Remote Operation Error, or -1. */
static int rdmap_fault(const interpreter *in, const segment *s)
{
  static const int queues[OPCODES] = {-1, 1, -1, 0, 0, 0, 0, 2}; /* -1: tagged */
  unsigned version = in->c->generation == IWARP_RDMAC ? 0 : 1;

  if (s->rdmap_version != version) {
    return 0x05;
  }
  if (s->opcode >= OPCODES || s->tagged != (queues[s->opcode] < 0)) {
    return 0x06;
  }
  return !s->tagged && s->queue != (uint32_t)queues[s->opcode] ? 0x06 : -1;
}

static void complete(interpreter *in, const segment *s, const reference_completion *completion)
{
  reference_completion done = *completion;

  done.fpdu = s->fpdu;
  g_array_append_val(in->outcome->completions, done);
}

/* Takes a Send by rdmap-00 §7.3; notes D47, D53, D54. */
static void take_send(interpreter *in, const segment *s)
{
  bool invalidates = s->opcode == SEND_INVALIDATE || s->opcode == SEND_SE_INVALIDATE;
  uint32_t number = in->sends++;
  uint32_t octets = (uint32_t)in->message_octets;

  in->message_octets = 0;
  if (invalidates) {
    unsigned region = region_of(in->stags, s->stag);
    bool is_known = region < CASE_REGIONS && in->is_valid[region];
    if (!is_known || (!case_region_of(region)->is_foreign && !case_region_of(region)->is_invalidatable)) {
      end_by_error(in, s, LAYER_RDMAP, 2, 0x09);
      return;
    }
    if (case_region_of(region)->is_foreign) {
      end_by_error(in, s, LAYER_RDMAP, 1, 0x09);
      return;
    }
    in->is_valid[region] = false;
  }
  complete(in, s,
           &(reference_completion){.is_receive = true,
                                   .number = number,
                                   .octets = octets,
                                   .solicited = s->opcode == SEND_SE || s->opcode == SEND_SE_INVALIDATE,
                                   .invalidated = invalidates,
                                   .invalidated_stag = invalidates ? s->stag : 0});
}

/* Finds a fault by rdmap-00 §7.2, §9.2; the code of a Remote Protection Error, or -1. */
static int source_fault(const interpreter *in, unsigned region, uint64_t offset, uint32_t length)
{
  if (length == 0) {
    return -1;
  }
  if (region == CASE_REGIONS || !in->is_valid[region]) {
    return 0x00;
  }
  const case_region *r = case_region_of(region);
  if (r->is_foreign) {
    return 0x03; /* note D48 */
  }
  if (!r->peer_may_read) {
    return 0x02;
  }
  if (offset + length < offset) {
    return 0x04;
  }
  return is_inside(r, offset, length) ? -1 : 0x01;
}

static void take_request(interpreter *in, const segment *s)
{
  in->requests++;
  in->message_octets = 0;
  if (s->payload_octets != REQUEST_OCTETS) {
    end_by_error(in, s, LAYER_RDMAP, 2, 0xFF); /* note D29 */
    return;
  }
  uint32_t length = (uint32_t)plain_number(s->payload + 12, 4);
  unsigned region = region_of(in->stags, (uint32_t)plain_number(s->payload + 16, 4));
  uint64_t offset = plain_number(s->payload + 20, 8);
  int fault = source_fault(in, region, offset, length);
  if (fault >= 0) {
    end_by_error(in, s, LAYER_RDMAP, 1, (unsigned)fault);
    return;
  }
  reference_answer answer = {.fpdu = s->fpdu,
                             .sink_stag = (uint32_t)plain_number(s->payload, 4),
                             .sink_offset = plain_number(s->payload + 4, 8),
                             .octets = g_byte_array_new()};
  if (length > 0) {
    answer.buffer = region;
    answer.from = (uint32_t)(offset - case_region_of(region)->base);
    g_byte_array_append(answer.octets, in->outcome->memory[region] + answer.from, length);
  }
  g_array_append_val(in->outcome->answers, answer);
}

/* Returns the `number`th of the endpoint's own Reads; NULL when there are not so many. */
static const case_operation *read_of(const random_case *c, uint32_t number)
{
  for (guint i = 0; i < c->operations; i++) {
    if (c->operation[i].kind == CASE_RESPONSE && number-- == 0) {
      return &c->operation[i];
    }
  }
  return NULL;
}

/* Takes a Response by rdmap-00 §7.2; note D32. Responses come in order and start to end here, so one that
 * starts late or is short shows. */
static void take_response(interpreter *in, const segment *s)
{
  const case_operation *read = read_of(in->c, in->reads);

  if (!read) {
    end_by_error(in, s, LAYER_RDMAP, 2, 0x06);
    return;
  }
  uint64_t expected = case_region_of(read->region)->base + read->offset + in->response_octets;
  if (s->payload_octets > 0 && s->stag != in->stags[read->region]) {
    end_by_error(in, s, LAYER_DDP, 1, 0x00);
    return;
  }
  in->response_octets += s->payload_octets;
  bool is_wrong = in->response_octets > read->length || (s->last && in->response_octets != read->length);
  if ((s->payload_octets > 0 && s->offset != expected) || is_wrong) {
    end_by_error(in, s, LAYER_DDP, 1, 0x01);
    return;
  }
  if (s->last) {
    in->response_octets = 0;
    complete(in, s, &(reference_completion){.number = in->reads++});
  }
}

static void deliver(interpreter *in, const segment *s)
{
  if (!s->tagged && s->payload_octets > 0) {
    in->message_octets = s->message_offset + (uint64_t)s->payload_octets;
  }
  if (s->opcode == READ_RESPONSE) {
    take_response(in, s);
  } else if (s->opcode == WRITE || !s->last) {
    return;
  } else if (s->opcode == READ_REQUEST) {
    take_request(in, s);
  } else if (s->opcode == TERMINATE) {
    in->outcome->end = REFERENCE_TERMINATED;
  } else {
    take_send(in, s);
  }
}

static void interpret(interpreter *in, const plain_fpdu *fpdu, guint index)
{
  unsigned version = in->c->generation == IWARP_RDMAC ? 0 : 1;
  segment s;
  uint32_t from = 0;

  if (in->c->crc && !fpdu->crc_is_right) {
    reference_end_by_mpa(in->outcome, REFERENCE_MPA_CRC);
    return;
  }
  if (!fpdu->markers_are_right) {
    reference_end_by_mpa(in->outcome, REFERENCE_MPA_MARKER);
    return;
  }
  if (!take_apart(fpdu, index, &s)) {
    end_by_error(in, &s, LAYER_DDP, 0, 0); /* note D15 */
    return;
  }
  int fault = s.ddp_version != version ? (s.tagged ? 0x04 : 0x06)
              : s.tagged               ? tagged_fault(in, &s)
                                       : untagged_fault(in, &s);
  if (fault >= 0) {
    end_by_error(in, &s, LAYER_DDP, s.tagged ? 1 : 2, (unsigned)fault);
    return;
  }
  fault = rdmap_fault(in, &s);
  if (fault >= 0) {
    end_by_error(in, &s, LAYER_RDMAP, 2, (unsigned)fault);
    return;
  }
  unsigned buffer = target_of(in->stags, &s, &from);
  if (buffer < REFERENCE_BUFFERS && s.payload_octets > 0) {
    memcpy(in->outcome->memory[buffer] + from, s.payload, s.payload_octets);
  }
  in->outcome->fpdus++;
  deliver(in, &s);
}

/* --- The outcome --- */

static void clear_answer(gpointer data)
{
  reference_answer *answer = data;

  g_byte_array_unref(answer->octets);
}

reference *reference_interpret(const random_case *c, const GArray *fpdus, const uint32_t stags[CASE_REGIONS],
                               guint early, guint limit)
{
  reference *outcome = g_new0(reference, 1);
  interpreter in = {.c = c, .stags = stags, .outcome = outcome, .early = early};

  outcome->completions = g_array_new(FALSE, FALSE, sizeof(reference_completion));
  outcome->answers = g_array_new(FALSE, FALSE, sizeof(reference_answer));
  g_array_set_clear_func(outcome->answers, clear_answer);
  for (unsigned buffer = 0; buffer < REFERENCE_BUFFERS; buffer++) {
    outcome->memory[buffer] = g_malloc(reference_buffer_octets(buffer));
    reference_fill(buffer, outcome->memory[buffer]);
  }
  for (unsigned region = 0; region < CASE_REGIONS; region++) {
    in.is_valid[region] = true;
  }
  for (guint i = 0; i < MIN(fpdus->len, limit) && outcome->end == REFERENCE_GOES_ON; i++) {
    interpret(&in, &g_array_index(fpdus, plain_fpdu, i), i);
  }
  outcome->completed_reads = in.reads;
  return outcome;
}

void reference_free(reference *outcome)
{
  for (unsigned buffer = 0; buffer < REFERENCE_BUFFERS; buffer++) {
    g_free(outcome->memory[buffer]);
  }
  g_array_unref(outcome->completions);
  g_array_unref(outcome->answers);
  g_free(outcome);
}

bool reference_may_be(const GArray *fpdus, const uint32_t stags[CASE_REGIONS], unsigned buffer,
                      uint32_t index, uint8_t value)
{
  segment s;
  uint32_t from = 0;

  for (guint i = 0; i < fpdus->len; i++) {
    if (take_apart(&g_array_index(fpdus, plain_fpdu, i), i, &s) && target_of(stags, &s, &from) == buffer &&
        index >= from && index - from < s.payload_octets && s.payload[index - from] == value) {
      return true;
    }
  }
  return false;
}
