/* SPDX-License-Identifier: GPL-2.0-only */
/* `iwarpsim decode` prints this: a line for each FPDU, startup frame, note, or with --summary the sums of
 * each connection that speaks MPA. There are two formats: text for people, whose fields have the names of the
 * documents, and JSON, one object a line (docs/captures.md lists the members in their order).
 *
 * In JSON counts, lengths, positions and times are numbers; fields that name memory or are made of bits
 * (STags, Tagged Offsets, CRCs, control octets) are texts, "0x…", since a 64-bit Tagged Offset does not fit
 * into what most readers take for a number. */
#pragma once

#include "base/iwarp_generation.h"
#include "decode/decode_events.h"
#include "decode/decode_line.h"
#include "net/capture_source.h"

/* Returns "RDMA Write", "reserved 0xC". Static. */
const char *decode_opcode_name(uint8_t opcode);

/* Returns JSON's `type`, and the opcode, where a FPDU or message has one. */
const char *decode_event_type(const decode_event *event);
uint8_t decode_event_opcode(const decode_event *event);

/* The word of a note's `kind`. */
extern const char *const decode_note_kinds[];

/* The generation whose words are used for errors: the startup frames' (Rev 0: ietf, above: rfc), else by
 * RDMAP's version (0: rdmac). */
iwarp_generation decode_generation(const decode_connection *connection, uint8_t rdmap_version);

/* --- What both formats print alike --- */

typedef enum decode_field_kind {
  DECODE_FIELD_NUMBER,
  DECODE_FIELD_FLAG,     /* 1 or 0 for people, true or false as JSON */
  DECODE_FIELD_HEX,      /* with all digits of its width */
  DECODE_FIELD_HEX_TEXT, /* the same for people; a number as JSON */
  DECODE_FIELD_SECONDS,  /* of int64_t nanoseconds; as JSON null for DECODE_TIME_NONE */
} decode_field_kind;

typedef struct decode_field {
  const char *text;   /* for people; NULL: not printed */
  const char *member; /* of JSON; NULL: the end of the fields */
  decode_field_kind kind;
  uint8_t octets;  /* 1, 2, 4 or 8: of the value, … */
  uint16_t offset; /* … which is here in its struct */
  bool is_always;  /* of sums: for people, printed also when no direction has any */
} decode_field;

/* Fields of one struct, in the order in which they are printed. */
extern const decode_field decode_fields_tagged[], decode_fields_untagged[]; /* of ddp_header */
extern const decode_field decode_fields_read_request[];                     /* of rdmap_read_request */
extern const decode_field *const decode_fields_of_extension[]; /* of decode_extension, by its kind */
extern const decode_field decode_fields_startup[];             /* of decode_startup_frame */
extern const decode_field decode_fields_message[], decode_fields_answer[];         /* of decode_message */
extern const decode_field decode_fields_fpdu_sums[], decode_fields_segment_sums[]; /* of a direction's sums */
extern const decode_field decode_fields_counts[];                                  /* of capture_counts */

/* Returns the fields of the header's own buffer model. */
static inline const decode_field *decode_fields_of(const ddp_header *ddp)
{
  return ddp->tagged ? decode_fields_tagged : decode_fields_untagged;
}

/* The name of an object with these in JSON, by decode_extension_kind. */
extern const char *const decode_extension_names[];

/* Returns "FetchAdd", "CmpSwap", "reserved". Static. */
const char *decode_atomic_name(const rdmap_atomic *atomic);

/* Returns the value of `field` in the struct `of`. */
uint64_t decode_field_value(const decode_field *field, const void *of);

/* This is a word of an enumeration, for people and as JSON. */
typedef struct decode_word {
  const char *text;
  const char *member;
} decode_word;

extern const decode_word decode_crcs[];

/* Appends what is wrong with `event`: the sentence of `problem`, one of its own, with what it is about. */
void decode_append_problem(decode_line *line, const decode_event *event, decode_problem problem);

/* --- The formats --- */

/* This is the whole capture; before its end `version`, `file` and the origin and decimals of
 * `counts` are known. */
typedef struct decode_capture {
  const char *version;          /* of the program */
  const char *file;             /* the capture's name */
  bool has_messages;            /* lines are of messages, not of FPDUs */
  decode_clock clock;           /* of lines of text */
  bool of_problems;             /* lines are those of `problem`, not of `event` */
  const GPtrArray *connections; /* of those that speak MPA: decode_session_connections() */
  const capture_counts *counts;
} decode_capture;

/* Each appends whole lines. */
typedef struct decode_format {
  /* What comes before all events. */
  void (*heading)(decode_line *line, const decode_capture *capture);
  /* An event. For people, the first 256 octets of a startup frame's Private Data follow, 16 octets a line. */
  void (*event)(decode_line *line, const decode_event *event);
  /* One of an event's problems. */
  void (*problem)(decode_line *line, const decode_event *event, decode_problem problem);
  /* The sums of all connections; as JSON one line. */
  void (*overview)(decode_line *line, const decode_capture *capture);
} decode_format;

extern const decode_format decode_text, decode_json;
