/* SPDX-License-Identifier: GPL-2.0-only */
#include "decode/decode_format.h"

#include <inttypes.h>

#include "decode/decode_startup.h"
#include "mpa/mpa_fpdu.h"

const char *decode_opcode_name(uint8_t opcode)
{
  static const char *const others[] = {"reserved 0xC", "reserved 0xD", "reserved 0xE", "reserved 0xF"};
  const rdmap_opcode_rules *rules = rdmap_opcode_rules_of(opcode);

  return rules ? rules->name : others[opcode & 0x03];
}

uint8_t decode_event_opcode(const decode_event *event)
{
  return event->message ? event->message->opcode : event->fpdu ? event->fpdu->rdmap_opcode : 0;
}

iwarp_generation decode_generation(const decode_connection *connection, uint8_t rdmap_version)
{
  if (!connection->has_request && !connection->has_reply) {
    return rdmap_version == 0 ? IWARP_RDMAC : IWARP_RFC;
  }
  bool is_ietf = (connection->has_request && connection->request.revision == 0) ||
                 (connection->has_reply && connection->reply.revision == 0);
  return is_ietf ? IWARP_IETF : IWARP_RFC;
}

const decode_word decode_crcs[] = {
    [DECODE_CRC_RIGHT] = {"CRC right", "right"},
    [DECODE_CRC_WRONG] = {"CRC WRONG", "wrong"},
    [DECODE_CRC_UNUSED] = {"CRC off", "off"},
    [DECODE_CRC_NOT_CAPTURED] = {"CRC ?", "not captured"},
};

/* --- Problems --- */

const decode_problem_row decode_problems[] = {
#define PROBLEM(id, kind_, severity_, clause_, sentence_)                                                    \
  [DECODE_PROBLEM_##                                                                                         \
      id] = {.kind = (kind_), .severity = DECODE_##severity_, .clause = (clause_), .sentence = (sentence_)},
#include "decode/decode_problems.def"
};

const char *const decode_severities[] = {
    [DECODE_ERROR] = "error", [DECODE_WARNING] = "warning", [DECODE_NOTE] = "note"};

/* Appends ": RDMA Write for 0 octets, expected one for 0 octets of Send or RDMA Read Request". */
static void append_rtr(decode_line *line, const decode_connection *connection, const decode_fpdu *fpdu)
{
  static const rdmap_opcode opcodes[] = {
      [MPA_RTR_SEND] = RDMAP_SEND, [MPA_RTR_WRITE] = RDMAP_WRITE, [MPA_RTR_READ] = RDMAP_READ_REQUEST};
  const char *before = "one for 0 octets of ";
  unsigned rtrs;

  decode_line_print(line, ": %s for %u octets, expected ", decode_opcode_name(fpdu->rdmap_opcode),
                    fpdu->has_read_request ? fpdu->read_request.length : fpdu->payload_octets);
  decode_agreed_rtrs(connection, &rtrs);
  decode_line_text(line, rtrs == 0 ? "a Terminate" : "");
  for (mpa_rtr rtr = 0; rtr < MPA_RTRS; rtr++) {
    if (rtrs & 1U << rtr) {
      decode_line_print(line, "%s%s", before, decode_opcode_name(opcodes[rtr]));
      before = " or ";
    }
  }
}

void decode_append_problem(decode_line *line, const decode_event *event, decode_problem problem)
{
  const decode_fpdu *fpdu = event->fpdu;

  decode_line_text(line, event->text ? event->text : decode_problems[problem].sentence);
  switch (fpdu ? problem : DECODE_PROBLEMS) { /* a message has but the sentences of its FPDUs */
  case DECODE_PROBLEM_CRC:
    decode_line_print(line, ": computed 0x%08X, received 0x%08X", fpdu->crc_computed, fpdu->crc_received);
    break;
  case DECODE_PROBLEM_CRC_REFUSED:
    decode_line_number(line, ": of ", event->connection->directions[!event->direction].fpdus);
    break;
  case DECODE_PROBLEM_LONG_ULPDU:
    decode_line_number(line, ": ", fpdu->ulpdu_octets);
    break;
  case DECODE_PROBLEM_PAD:
    decode_line_hex(line, ": ", fpdu->pad, (unsigned)mpa_fpdu_pad_octets(fpdu->ulpdu_octets));
    break;
  case DECODE_PROBLEM_MSN:
  case DECODE_PROBLEM_MO:
  case DECODE_PROBLEM_SEGMENT_ORDER:
    if (fpdu->ddp.tagged) {
      decode_line_print(line, ": 0x%016" PRIX64 ", expected 0x%016" PRIX64, fpdu->ddp.tagged_offset,
                        fpdu->expected);
    } else {
      decode_line_number(line, ": ",
                         problem == DECODE_PROBLEM_MSN ? fpdu->ddp.msn : fpdu->ddp.message_offset);
      decode_line_number(line, ", expected ", fpdu->expected);
    }
    break;
  case DECODE_PROBLEM_RTR:
    append_rtr(line, event->connection, fpdu);
    break;
  case DECODE_PROBLEM_TERMINATE_SWAPPED:
    decode_line_print(
        line, ": meant is Layer=%u EType=%u Error Code=0x%02X, %s", fpdu->meant.layer, fpdu->meant.type,
        fpdu->meant.code,
        rdmap_error_text(fpdu->meant, decode_generation(event->connection, fpdu->rdmap_version)));
    break;
  default:
    break;
  }
}

/* --- Fields --- */

uint64_t decode_field_value(const decode_field *field, const void *of)
{
  const void *value = (const uint8_t *)of + field->offset;

  switch (field->octets) {
  case sizeof(uint8_t):
    return *(const uint8_t *)value;
  case sizeof(uint16_t):
    return *(const uint16_t *)value;
  case sizeof(uint32_t):
    return *(const uint32_t *)value;
  default:
    return *(const uint64_t *)value;
  }
}

/* This is a field of a struct: what it is called for people and as JSON (NULL: not printed), its kind and its
 * member. */
#define FIELD(struct_, text_, name_, kind_, member_, is_always_)                                             \
  {                                                                                                          \
    .text = (text_), .member = (name_), .kind = DECODE_FIELD_##kind_, .is_always = (is_always_),             \
    .octets = sizeof(((const struct_ *)0)->member_), .offset = offsetof(struct_, member_)                    \
  }

#define DDP(...) FIELD(ddp_header, __VA_ARGS__, false)
#define BOTH_MODELS                                                                                          \
  DDP(NULL, "tagged", FLAG, tagged), DDP(" L=", "last", FLAG, last), DDP(NULL, "version", NUMBER, version)

const decode_field decode_fields_tagged[] = {
    BOTH_MODELS,
    DDP(" STag=", "stag", HEX, stag),
    DDP(" TO=", "tagged_offset", HEX, tagged_offset),
    {.member = NULL},
};

const decode_field decode_fields_untagged[] = {
    BOTH_MODELS,
    DDP(" QN=", "queue_number", NUMBER, queue_number),
    DDP(" MSN=", "msn", NUMBER, msn),
    DDP(" MO=", "message_offset", NUMBER, message_offset),
    DDP(NULL, "ulp_word", HEX, ulp_word),
    {.member = NULL},
};

#define REQUEST(...) FIELD(rdmap_read_request, __VA_ARGS__, false)

const decode_field decode_fields_read_request[] = {
    REQUEST(" SinkSTag=", "sink_stag", HEX, sink_stag),
    REQUEST(" SinkTO=", "sink_offset", HEX, sink_offset),
    REQUEST(" RDMARDSZ=", "length", NUMBER, length),
    REQUEST(" SrcSTag=", "source_stag", HEX, source_stag),
    REQUEST(" SrcTO=", "source_offset", HEX, source_offset),
    {.member = NULL},
};

#define EXTENSION(...) FIELD(decode_extension, __VA_ARGS__, false)

static const decode_field fields_immediate[] = {
    EXTENSION(" Immediate Data=", "value", HEX, value),
    {.member = NULL},
};

static const decode_field fields_atomic_request[] = {
    EXTENSION(" AOpCode=", "opcode", NUMBER, atomic.opcode),
    EXTENSION(" Request ID=", "request_id", NUMBER, id),
    EXTENSION(" Remote STag=", "stag", HEX, atomic.stag),
    EXTENSION(" Remote TO=", "tagged_offset", HEX, atomic.offset),
    EXTENSION(" Data=", "data", HEX, atomic.data),
    EXTENSION(" Mask=", "mask", HEX, atomic.mask),
    EXTENSION(" Compare Data=", "compare_data", HEX, atomic.compare),
    EXTENSION(" Compare Mask=", "compare_mask", HEX, atomic.compare_mask),
    {.member = NULL},
};

static const decode_field fields_atomic_response[] = {
    EXTENSION(" Request ID=", "request_id", NUMBER, id),
    EXTENSION(" Original=", "original", HEX, value),
    {.member = NULL},
};

const decode_field *const decode_fields_of_extension[] = {
    [DECODE_IMMEDIATE] = fields_immediate,
    [DECODE_ATOMIC_REQUEST] = fields_atomic_request,
    [DECODE_ATOMIC_RESPONSE] = fields_atomic_response,
};

const char *const decode_extension_names[] = {
    [DECODE_IMMEDIATE] = "immediate_data",
    [DECODE_ATOMIC_REQUEST] = "atomic_request",
    [DECODE_ATOMIC_RESPONSE] = "atomic_response",
};

const char *decode_atomic_name(const rdmap_atomic *atomic)
{
  return !rdmap_atomic_is_supported(atomic)         ? "reserved"
         : atomic->opcode == RDMAP_ATOMIC_FETCH_ADD ? "FetchAdd"
                                                    : "CmpSwap";
}

#define FRAME(...) FIELD(decode_startup_frame, __VA_ARGS__, false)

const decode_field decode_fields_startup[] = {
    FRAME(" Rev=", "revision", NUMBER, revision),
    FRAME(" M=", "markers", FLAG, markers),
    FRAME(" C=", "crc", FLAG, crc),
    FRAME(" R=", "rejected", FLAG, rejected),
    FRAME(" S=", "enhanced_flag", FLAG, enhanced_flag),
    FRAME(" Res=", "reserved", HEX_TEXT, reserved),
    FRAME(" PD_Length=", "private_data_octets", NUMBER, private_data_octets),
    {.member = NULL},
};

#define MESSAGE(...) FIELD(decode_message, __VA_ARGS__, false)

const decode_field decode_fields_message[] = {
    MESSAGE(" payload=", "payload_octets", NUMBER, payload_octets),
    MESSAGE(" FPDUs=", "fpdus", NUMBER, fpdus),
    MESSAGE(NULL, "complete", FLAG, is_complete),
    MESSAGE(NULL, "start_known", FLAG, has_start),
    MESSAGE(NULL, "missing_octets", NUMBER, missing_octets),
    MESSAGE(" took=", "took_s", SECONDS, took_ns),
    MESSAGE(" held=", "held_s", SECONDS, held_ns),
    {.member = NULL},
};

const decode_field decode_fields_answer[] = {
    MESSAGE(" request_MSN=", "request_msn", NUMBER, request_msn),
    MESSAGE(" round_trip=", "round_trip_s", SECONDS, round_trip_ns),
    {.member = NULL},
};

#define SUM(text_, name_, member_, is_always_)                                                               \
  FIELD(decode_direction_summary, text_, name_, NUMBER, member_, is_always_)

const decode_field decode_fields_fpdu_sums[] = {
    SUM("FPDUs", "fpdus", fpdus, true),
    SUM("  located by chain", "located_by_chain", located_by[MPA_LOCATED_BY_CHAIN], false),
    SUM("  located by marker", "located_by_marker", located_by[MPA_LOCATED_BY_MARKER], false),
    SUM("  located by marker chain", "located_by_marker_chain", located_by[MPA_LOCATED_BY_MARKER_CHAIN],
        false),
    SUM("  assumed", "located_by_assumption", located_by[MPA_LOCATED_BY_ASSUMPTION], false),
    SUM("  after an error", "after_error", after_error, false),
    SUM("  without a DDP header", "no_ddp", no_ddp, false),
    SUM("  longer than a sender may", "long_ulpdus", long_ulpdus, false),
    SUM("markers", "markers", marker_count, true),
    SUM("  with a wrong pointer", "wrong_markers", wrong_markers, false),
    SUM("wrong CRCs", "crc_bad", crc_bad, true),
    {.member = NULL},
};

const decode_field decode_fields_segment_sums[] = {
    SUM("segments with payload", "segments", segments, true),
    SUM("  that start with an FPDU", "aligned", aligned, true),
    SUM("  out of order", "out_of_order", out_of_order, false),
    SUM("  with nothing new", "duplicates", duplicates, false),
    SUM("  wrong checksum, passed over", "wrong_checksums", wrong_checksums, false),
    SUM("octets in FPDUs", "fpdu_octets", fpdu_octets, true),
    SUM("  payload after DDP headers", "payload_octets", payload_octets, true),
    SUM("  of that, tagged", "tagged_payload_octets", tagged_payload_octets, false),
    SUM("octets of the startup frame", "startup_octets", startup_octets, false),
    SUM("octets of streaming mode", "streaming_octets", streaming_octets, false),
    SUM("octets of an incomplete FPDU", "incomplete_octets", incomplete_octets, false),
    SUM("octets unaccounted for", "unaccounted_octets", unaccounted_octets, true),
    SUM("  of those, never captured", "missing_octets", missing_octets, false),
    SUM("octets of the segments' packets", "wire_octets", wire_octets, false),
    SUM("ns from first to last segment", "data_ns", data_ns, false),
    SUM("  payload octets per second", "payload_octets_per_s", payload_octets_per_s, false),
    SUM("  packets' octets per second", "wire_octets_per_s", wire_octets_per_s, false),
    SUM("  FPDUs per second", "fpdus_per_s", fpdus_per_s, false),
    {.member = NULL},
};

#define COUNT(text_, name_, member_) FIELD(capture_counts, text_, name_, NUMBER, member_, false)

const decode_field decode_fields_counts[] = {
    COUNT(NULL, "packets", packets),
    COUNT(NULL, "octets", octets),
    COUNT(" TCP segments", "tcp_segments", segments),
    COUNT(" of them cut short (snap length)", "cut_short", cut_short),
    COUNT(" of them super-segments of an offload", "super_segments", super_segments),
    COUNT(" of them with a wrong checksum", "wrong_checksums", wrong_checksums),
    COUNT(" packets that are no TCP", "other_packets", other_packets),
    COUNT(" garbled packets", "garbled_packets", garbled_packets),
    COUNT(" IP fragments", "fragments", fragments),
    COUNT(" datagrams with a fragment missing", "fragments_missing", fragments_missing),
    COUNT(NULL, "tcp_connections", flows),
    {.member = NULL},
};
