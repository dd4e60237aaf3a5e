/* SPDX-License-Identifier: GPL-2.0-only */
/* What `iwarpsim decode` prints: a line for each FPDU, startup frame and note, or with --summary the sums of
 * each connection that speaks MPA. In two formats: for people, fields called as the documents call them, and
 * as JSON, one object a line (docs/captures.md lists the members, which come in that order).
 *
 * In JSON counts, lengths, positions and times are numbers; fields that name memory or are made of bits
 * (STags, Tagged Offsets, CRCs, control octets) are texts, "0x…", since a 64-bit Tagged Offset does not fit
 * into what most readers take for a number. */
#pragma once

#include "base/iwarp_generation.h"
#include "decode/decode_events.h"
#include "decode/decode_line.h"
#include "net/capture_source.h"

/* --- What a connection is called --- */

typedef struct decode_name {
  char *ends[SIDES];       /* Initiator, Responder: "10.0.0.1:49152", "[fd00::1]:5044" */
  char *directions[SIDES]; /* "10.0.0.1:49152 > 10.0.0.2:5044", and the other way round */
  size_t width;            /* of the longest in `directions` up to now, of all connections */
  bool has_startup_frames;
  uint8_t revision; /* with has_startup_frames: the lower Rev of them */
} decode_name;

typedef struct decode_names decode_names;

/* No names yet. Free with decode_names_free() (NULL is allowed). */
decode_names *decode_names_new(void);
void decode_names_free(decode_names *names);

/* The name of `connection`, whose ends are those of `flow`, made when it is asked for first. What it points
 * to stays as long as `names`; ask anew for what becomes known later. */
decode_name decode_names_of(decode_names *names, const decode_connection *connection,
                            const capture_flow *flow);

/* "10.0.0.1:49152", "[fd00::1]:5044". Free with g_free(). */
char *decode_name_end(const capture_end *end);

/* "RDMA Write", "reserved 0xC". Static. */
const char *decode_opcode_name(uint8_t opcode);

/* The generation whose words are used for errors: the startup frames' (Rev 0: ietf, above: rfc), else by
 * RDMAP's version (0: rdmac). */
iwarp_generation decode_name_generation(const decode_name *name, uint8_t rdmap_version);

/* --- The fields that both formats print alike --- */

typedef enum decode_field_kind {
  DECODE_FIELD_NUMBER,
  DECODE_FIELD_FLAG,     /* 1 or 0 for people, true or false as JSON */
  DECODE_FIELD_HEX,      /* with all digits of its width */
  DECODE_FIELD_HEX_TEXT, /* the same for people; a number as JSON */
} decode_field_kind;

typedef struct decode_field {
  const char *text;   /* for people; NULL: not printed */
  const char *member; /* of JSON; NULL: not printed */
  decode_field_kind kind;
  uint8_t octets;  /* 1, 2, 4 or 8: of the value, … */
  uint16_t offset; /* … which is here in its struct */
  bool is_always;  /* of sums: for people, printed also when no direction has any */
} decode_field;

/* Fields of one struct, in the order in which they are printed; the last one has no member. */
extern const decode_field decode_fields_tagged[], decode_fields_untagged[]; /* of ddp_header */
extern const decode_field decode_fields_read_request[];                     /* of rdmap_read_request */
extern const decode_field decode_fields_startup[];                          /* of decode_startup_frame */
extern const decode_field decode_fields_fpdu_sums[],
    decode_fields_segment_sums[];                 /* of decode_direction_summary */
extern const decode_field decode_fields_counts[]; /* of capture_counts */

/* The fields of the header's own buffer model. */
static inline const decode_field *decode_fields_of(const ddp_header *ddp)
{
  return ddp->tagged ? decode_fields_tagged : decode_fields_untagged;
}

/* The value of `field` in the struct `of`. */
static inline uint64_t decode_field_value(const decode_field *field, const void *of)
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

/* --- The formats --- */

/* What the overview has of the whole capture. */
typedef struct decode_overview {
  const char *version; /* of the program */
  const char *file;    /* the capture's name */
  int64_t origin_ns;   /* capture_source_origin_ns() */
  uint32_t flows;      /* TCP connections in the capture */
  uint32_t speakers;   /* of those that speak MPA */
  const capture_counts *counts;
} decode_overview;

/* Appenders. `name` is what the connection is called. */
typedef struct decode_format {
  /* What comes before all others: `version` of the program, the capture's `file`, what times count from
   * (capture_source_origin_ns()). */
  void (*heading)(decode_line *line, const char *version, const char *file, int64_t origin_ns);
  void (*fpdu)(decode_line *line, const decode_name *name, const decode_fpdu *fpdu); /* allocates nothing */
  /* For people, the first 256 octets of its Private Data follow, 16 octets a line. */
  void (*startup)(decode_line *line, const decode_name *name, const decode_startup_event *event);
  void (*note)(decode_line *line, const decode_name *name, const decode_note *note);
  /* The overview: its heading, the connections in any order, `is_first` with the first, and its end. As JSON,
   * that is one line. */
  void (*overview)(decode_line *line, const decode_overview *overview);
  void (*connection)(decode_line *line, const decode_name *name, const decode_connection *connection,
                     bool is_first);
  void (*overview_end)(decode_line *line);
} decode_format;

extern const decode_format decode_text, decode_json;
