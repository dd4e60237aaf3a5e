/* SPDX-License-Identifier: GPL-2.0-only */
/* These are the options of reading a capture, and what the reading reports: events (FPDUs, startup frames,
 * notes), and connections with their sums. */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/range_set.h"
#include "base/side.h"
#include "ddp/ddp_header.h"
#include "mpa/mpa_enhanced.h"
#include "mpa/mpa_fpdu.h"
#include "net/capture_packet.h"
#include "rdmap/rdmap_atomic.h"
#include "rdmap/rdmap_header.h"
#include "rdmap/rdmap_terminate.h"

/* This is what can be wrong in a capture: the rows of decode_problems.def. */

typedef enum decode_problem {
#define PROBLEM(id, kind, severity, clause, sentence) DECODE_PROBLEM_##id,
#include "decode/decode_problems.def"
  DECODE_PROBLEMS
} decode_problem;

/* This is a set of problems: a bit for each. */
typedef uint64_t decode_problem_set;

typedef enum decode_severity { DECODE_ERROR, DECODE_WARNING, DECODE_NOTE, DECODE_SEVERITIES } decode_severity;

typedef struct decode_problem_row {
  const char *kind;
  decode_severity severity;
  const char *clause; /* "RFC 5044 §4.4" */
  const char *sentence;
} decode_problem_row;

/* By decode_problem, and by decode_severity: "error", "warning", "note". */
extern const decode_problem_row decode_problems[];
extern const char *const decode_severities[];

#define DECODE_PROBLEM_BIT(id) (UINT64_C(1) << DECODE_PROBLEM_##id)
G_STATIC_ASSERT(DECODE_PROBLEMS <= 64);

/* Returns a set of `problem` alone, when `is_so`; else none. */
static inline decode_problem_set decode_problem_when(bool is_so, decode_problem problem)
{
  return (decode_problem_set)is_so << problem;
}

/* Returns the first of `left`, which is not empty, in the order of the table; takes it out. */
static inline decode_problem decode_problem_take(decode_problem_set *left)
{
  decode_problem first = (decode_problem)__builtin_ctzll(*left);

  *left &= *left - 1;
  return first;
}

/* --- Options --- */

typedef enum decode_switch {
  DECODE_AS_NEGOTIATED, /* as the startup frames determine; without any: on */
  DECODE_ON,
  DECODE_OFF,
} decode_switch;

/* The FPDU phase of a direction starts here, when no startup frame shows it. */
typedef enum decode_start {
  DECODE_START_AUTO,     /* as DECODE_START_FIRST when the SYN was captured, else as DECODE_START_FIND */
  DECODE_START_FIRST,    /* at the first octet after the SYN, or else the first captured octet */
  DECODE_START_SEQUENCE, /* at this TCP sequence number; if that is from before the capture, markers locate */
  DECODE_START_FIND,     /* searched, with all markers and CRC that the hint allows: decode_find_start() */
} decode_start;

/* The user knows this of connections: those with an end at `address` and `port` speak MPA. */
typedef struct decode_hint {
  bool any_address;
  capture_end end;       /* its port must match in any case */
  decode_switch markers; /* both directions */
  decode_switch crc;
  decode_start start[2]; /* of what is sent to the named end (0) and by that end (1) */
  uint32_t sequence[2];  /* DECODE_START_SEQUENCE */
} decode_hint;

typedef struct decode_options {
  const decode_hint *hints; /* copied; `hint_count` of them */
  size_t hint_count;
  bool ignore_checksums; /* segments with a wrong TCP checksum are accepted too */
  /* After a hole that is given up, what looks like an FPDU at a segment's start is taken for one. */
  bool assume_aligned;
  /* Octets of one direction that may wait beyond a hole before it is given up; 0: the default. */
  uint64_t hold_octets;
} decode_options;

#define DECODE_HOLD_DEFAULT_OCTETS (UINT64_C(64) << 20)

/* --- Startup frames --- */

enum { DECODE_REQUEST, DECODE_REPLY, DECODE_FRAMES };

/* 0 is mpa-01's, 1 RFC 5044's, 2 RFC 6581's; later ones, which no document has, are read as that one ("two or
 * higher", RFC 6581 §6). Private Data of all but 0 end at 512 octets (RFC 5044 §7.1.1). */
enum { DECODE_REVISION_LAST = 2, DECODE_PRIVATE_DATA_MAX_OCTETS = 512 };

enum {
  DECODE_STARTUP_KEY_OCTETS = 16,
  DECODE_STARTUP_HEADER_OCTETS = 20,
  DECODE_STARTUP_FRAME_MAX_OCTETS = DECODE_STARTUP_HEADER_OCTETS + 65535,
};

/* This is an MPA startup frame, Request or Reply, as it stands on the wire: every bit, whatever its value
 * (mpa-01 §6.1.1; RFC 5044 §7.1.1; RFC 6581 §5, §9 for Revision 2 and its Enhanced RDMA Connection
 * Establishment). */
typedef struct decode_startup_frame {
  bool is_reply;
  bool markers;                 /* M: wanted in what its sender receives */
  bool crc;                     /* C */
  bool rejected;                /* R */
  bool enhanced_flag;           /* S, Revision 2: one of the Res bits of earlier revisions */
  uint8_t reserved;             /* the Res bits as received (5; of Revision 2 4) */
  uint8_t revision;             /* Rev */
  uint16_t private_data_octets; /* PD_Length */
  const uint8_t *private_data;  /* NULL when none were read; lies in what was decoded */
  uint16_t private_data_read;   /* how many of its octets were read; of a whole frame all */
  bool has_enhanced;            /* enhanced_flag is set, and four octets of Private Data were read */
  mpa_enhanced enhanced;
  uint32_t frame_octets; /* header and Private Data */
} decode_startup_frame;

/* --- Connections --- */

/* This is how often there was a problem, and where first. */
typedef struct decode_problem_sum {
  uint64_t count;
  int64_t first_ns;
  uint64_t first_position;
  uint64_t first_packet; /* 0: none */
} decode_problem_sum;

/* Terminates of a direction that are kept; it may send one, and no more (RFC 5040 §5.4). */
enum { DECODE_TERMINATES_MAX = 4 };

typedef struct decode_terminate_sum {
  uint8_t rdmap_version;
  rdmap_error error; /* as it was meant */
  int64_t time_ns;
  uint64_t position;
  uint64_t packet;
} decode_terminate_sum;

typedef struct decode_findings {
  uint32_t terminate_count; /* kept: the first ones that came */
  decode_terminate_sum terminates[DECODE_TERMINATES_MAX];
  decode_problem_sum problems[DECODE_PROBLEMS];
} decode_findings;

/* These are one direction's sums. Every octet of its stream is in one of the first five. */
typedef struct decode_direction_summary {
  uint64_t streaming_octets;   /* before MPA */
  uint64_t startup_octets;     /* its startup frame */
  uint64_t fpdu_octets;        /* in FPDUs reported */
  uint64_t incomplete_octets;  /* of the last FPDU, located, whose end is not in the capture */
  uint64_t unaccounted_octets; /* all others of [first, highest position), the missing ones included */
  uint64_t missing_octets;     /* of the unaccounted: never captured */
  uint32_t first_sequence;     /* TCP's sequence number of stream position 0 */
  uint64_t phase_start;        /* the stream position at which the FPDU phase starts */
  bool in_full_operation;      /* that is known */
  bool is_found;               /* that is where an FPDU was found: others may have come before */
  bool markers, crc;           /* of this direction */
  uint64_t fpdus;              /* reported */
  uint64_t located_by[MPA_LOCATIONS];
  uint64_t marker_count; /* in those */
  uint64_t wrong_markers;
  uint64_t crc_right, crc_bad;
  uint64_t after_error;
  uint64_t long_ulpdus;    /* of more than 64,768 octets */
  uint64_t opcodes[16];    /* by the 4 bits */
  uint64_t no_ddp;         /* too short for a DDP header */
  uint64_t payload_octets; /* after DDP headers */
  uint64_t tagged_payload_octets;
  uint64_t segments;        /* of the FPDU phase, with payload, duplicates included (tcp.segments) */
  uint64_t aligned;         /* of those: they start with the first octet of an FPDU (mpa.segments_aligned) */
  uint64_t out_of_order;    /* of those: they start beyond the in-order edge (tcp.segments_out_of_order) */
  uint64_t duplicates;      /* of those: with nothing new */
  uint64_t wrong_checksums; /* segments ignored */
  /* From the first to the last of those segments; the octets of their IP packets, without the extension
   * headers of IPv6. */
  int64_t data_from_ns, data_to_ns;
  uint64_t data_ns;
  uint64_t wire_octets;
  uint64_t payload_octets_per_s, wire_octets_per_s, fpdus_per_s; /* over data_ns; 0 where that is 0 */
  decode_findings *findings; /* NULL: there are none, as in most connections; the session's */
} decode_direction_summary;

/* This is room for "[fd00::1]:5044" of any address. */
enum { DECODE_END_LETTERS = 64 };

/* This is a connection that speaks MPA. */
typedef struct decode_connection {
  uint32_t index;                       /* in the order in which they were found to speak MPA */
  uint32_t flow;                        /* of the capture */
  char ends[SIDES][DECODE_END_LETTERS]; /* Initiator, Responder: decode_print_end() */
  /* Which end of the flow is the Initiator: the one that sent the Request; without a Request, the peer of the
   * one that sent the Reply; without either, or when the end that opened the connection sent the key of a
   * Reply before anything had come: that end. */
  uint8_t initiator;
  bool has_request, has_reply; /* `request` and `reply` hold; their private data are the session's */
  bool has_frame[SIDES];       /* a startup frame of this direction was captured, of whichever key */
  decode_startup_frame request, reply;
  bool is_hinted; /* a hint (decode_hint) declares that it speaks MPA */
  bool has_version;
  uint8_t version; /* DV of the first FPDU of all that has one of a generation, and surely is one */
  decode_direction_summary directions[SIDES];
} decode_connection;

/* Returns which side of `connection` the end `from` of its flow is. */
static inline enum side decode_side_of(const decode_connection *connection, unsigned from)
{
  return from == connection->initiator ? SIDE_INITIATOR : SIDE_RESPONDER;
}

/* --- FPDUs --- */

typedef enum decode_crc {
  DECODE_CRC_RIGHT,
  DECODE_CRC_WRONG,
  DECODE_CRC_UNUSED,       /* startup has turned CRCs off: the field is ignored */
  DECODE_CRC_NOT_CAPTURED, /* octets of the FPDU were not captured (snap length) */
} decode_crc;

/* This is a marker in an FPDU (mpa-01 §5.1). */
typedef struct decode_marker {
  uint64_t stream_position; /* of its first octet */
  uint16_t pointer;         /* FPDUPTR as received */
  uint16_t reserved;        /* as received */
  bool is_right;            /* it points to the start of this FPDU */
  bool is_captured;         /* else (snap length) the others are 0 */
} decode_marker;

/* These bits are reserved in the DDP Control (ddp-07/rfc5041 §4.1) and RDMAP Control (rdmap-00 §6.1 fig. 3)
 * octets. */
enum { DECODE_DDP_RESERVED_BITS = 0x3C, DECODE_RDMAP_RESERVED_BITS = 0x30 };

/* What Immediate Data, an Atomic Request or an Atomic Response holds (RFC 7306 §5.2, §6.2). */
typedef enum decode_extension_kind {
  DECODE_NO_EXTENSION, /* it is none of them, or not whole */
  DECODE_IMMEDIATE,
  DECODE_ATOMIC_REQUEST,
  DECODE_ATOMIC_RESPONSE,
} decode_extension_kind;

typedef struct decode_extension {
  decode_extension_kind kind;
  uint32_t id;           /* of an Atomic: Request Identifier */
  uint64_t value;        /* Immediate Data, or the Response's Original Remote Data Value */
  rdmap_atomic atomic;   /* Request */
  bool has_other_fields; /* Request: a field that its operation does not use is not what it must be sent as */
} decode_extension;

/* In an FPDU with the longest ULPDU that ULPDU_Length can have: 65,544 octets and 4 for each marker. */
enum { DECODE_MARKERS_MAX = 130 };

/* This is one FPDU as a capture shows it, with what it carries. */
typedef struct decode_fpdu {
  uint64_t phase_offset; /* its position, counted from the first octet of the FPDU phase */
  mpa_location located_by;
  bool after_error; /* after an FPDU with an error, whose length was followed unproven */
  decode_crc crc;
  /* With DECODE_CRC_RIGHT and _WRONG: the number that the octets on the wire show, least significant first
   * (note M17), as Wireshark has it. */
  uint32_t crc_received;
  uint32_t crc_computed; /* likewise */
  uint32_t marker_count;
  uint32_t wrong_markers; /* captured, and not right */
  uint16_t
      marker_reserved; /* bits that are set in RESERVED or the low two of FPDUPTR of any (RFC 5044 §4.2) */
  uint32_t pad;        /* the captured octets of PAD, as one number */
  /* The ULPDU. */
  uint32_t ulpdu_octets; /* ULPDU_Length */
  bool has_ddp; /* it is long enough for its DDP header, and that was captured; else nothing below holds */
  ddp_header ddp;
  uint8_t ddp_control;              /* the DDP Control octet as received */
  uint32_t payload_octets;          /* after the DDP header */
  uint8_t rdmap_version;            /* RV */
  uint8_t rdmap_opcode;             /* 4 bits */
  const rdmap_opcode_rules *opcode; /* NULL: reserved */
  bool has_read_request;            /* RDMA Read Request, whole */
  rdmap_read_request read_request;
  decode_extension extension;
  bool has_terminate; /* Terminate, whole */
  rdmap_terminate terminate;
  uint8_t *terminate_octets; /* its payload as received, payload_octets of them */
  rdmap_error meant;         /* of a Terminate: its error, as it was meant if its octet is swapped */
  uint64_t expected; /* with DECODE_PROBLEM_MSN, _MO, _SEGMENT_ORDER: the MSN, MO or TO that was next */
  decode_marker markers[DECODE_MARKERS_MAX]; /* `marker_count` of them, in stream order */
} decode_fpdu;

/* --- Messages --- */

/* This stands for a time that is not known, or that there was not. */
#define DECODE_TIME_NONE INT64_MIN

/* Of its missing octets, so many ranges are named. */
enum { DECODE_GAPS_MAX = 8 };

/* This is a DDP Message, joined from its FPDUs (decode_messages.h). */
typedef struct decode_message {
  ddp_header ddp; /* of its first FPDU that came; but `last`: its last one has come */
  uint8_t opcode;
  uint64_t fpdus;
  uint64_t payload_octets;     /* that came */
  uint64_t missing_octets;     /* that did not, as far as is known */
  range gaps[DECODE_GAPS_MAX]; /* where these are in the message: the first `gap_count` ranges */
  uint32_t gap_count;
  bool has_start;        /* else the octets that the capture lacks may have been its first */
  bool is_complete;      /* it has a start and an end, and nothing is missing */
  int64_t took_ns;       /* from its first FPDU to its last one */
  int64_t held_ns;       /* from then until all octets up to its end had come; DECODE_TIME_NONE */
  bool is_request;       /* RDMA Read Request: `request` holds */
  bool is_answer;        /* Read or Atomic Response whose Request is known: what follows holds */
  uint32_t request_msn;  /* the Request's */
  int64_t round_trip_ns; /* from the Request to the last FPDU; DECODE_TIME_NONE when incomplete */
  rdmap_read_request request;
  decode_extension extension;
} decode_message;

/* --- Events --- */

typedef enum decode_event_kind {
  DECODE_FPDU,
  DECODE_STARTUP_FRAME,
  DECODE_MESSAGE, /* decode_messages.h */
  /* Notes: facts that are neither. */
  DECODE_NOTE_HOLE,        /* octets that never came: [stream_position, + octets) */
  DECODE_NOTE_LOST_CHAIN,  /* from here on no FPDU can be located: `octets` are ignored */
  DECODE_NOTE_BAD_LENGTH,  /* a ULPDU_Length that cannot be: nothing can be followed from here on */
  DECODE_NOTE_INCOMPLETE,  /* the last FPDU of the direction is not whole: `octets` of it came */
  DECODE_NOTE_STARTUP,     /* the startup frames contradict the documents; `text` explains how */
  DECODE_NOTE_AFTER_ERROR, /* FPDUs that were found by the unproven length of one with an error */
  DECODE_NOTE_RESET,       /* RST, or what shows that one was not taken: decode_session.c */
  DECODE_NOTE_FIN,
  DECODE_NOTE_LONG_ULPDU, /* the first FPDU of the direction whose ULPDU is longer than a sender may make it
                           */
  DECODE_NOTE_READ,       /* a Read or Atomic that is not as it was asked for: decode_reads.h */
  DECODE_NOTE_CHECKSUM,   /* segments that were passed over */
  DECODE_NOTE_CLOCK,      /* the times before and after this do not compare */
  DECODE_NOTE_UNANSWERED, /* no Response answers a Read or Atomic Request: decode_messages.h */
} decode_event_kind;

/* These are the packets that brought some octets: the lowest and the highest number, and how many. All 0:
 * none. */
typedef struct decode_packet_span {
  uint64_t first, last;
  uint32_t count;
} decode_packet_span;

/* `iwarpsim decode` prints a line of each. */
typedef struct decode_event {
  decode_event_kind kind;
  const decode_connection *connection;
  enum side direction;
  /* When the event was known, since the capture's origin; the time of the last segment of all when only the
   * end of the capture shows it. */
  int64_t time_ns;
  decode_packet_span packets;        /* that brought its octets; of a note: the latest of its direction */
  uint64_t stream_position;          /* in TCP's stream; 0: the first octet after the SYN */
  uint64_t octets;                   /* of an FPDU: including markers, PAD and CRC */
  const decode_fpdu *fpdu;           /* DECODE_FPDU */
  const decode_startup_frame *frame; /* DECODE_STARTUP_FRAME */
  const decode_message *message;     /* DECODE_MESSAGE; the event's time is that of its last FPDU */
  const char *text;                  /* of a note: one line for people */
  decode_problem_set problems;       /* what is wrong with it */
} decode_event;

/* This is called with each event; everything is valid during the call only. */
typedef void (*decode_handler)(void *user, const decode_event *event);
