/* SPDX-License-Identifier: GPL-2.0-only */
/* What `iwarpsim decode` prints: a line for each FPDU, startup frame and note, or with --summary the sums of each connection that speaks MPA. In
 * two formats: for people, fields called as the documents call them, and as JSON, one object a line (docs/captures.md lists the members, which
 * come in that order).
 *
 * In JSON counts, lengths, positions and times are numbers; fields that name memory or are made of bits (STags, Tagged Offsets, CRCs, control
 * octets) are texts, "0x…", since a 64-bit Tagged Offset does not fit into what most readers take for a number. */
#ifndef DECODE_DECODE_FORMAT_H
#define DECODE_DECODE_FORMAT_H

#include "decode/decode_line.h"
#include "decode/decode_name.h"
#include "net/capture_source.h"

/* What the overview tells of the whole capture. */
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
  /* What comes before all others: `version` of the program, the capture's `file`, what times count from (capture_source_origin_ns()). */
  void (*heading)(decode_line *line, const char *version, const char *file, int64_t origin_ns);
  void (*fpdu)(decode_line *line, const decode_name *name, const decode_fpdu *fpdu); /* allocates nothing */
  /* For people, the first 256 octets of its Private Data follow, 16 octets a line. */
  void (*startup)(decode_line *line, const decode_name *name, const decode_startup_event *event);
  void (*note)(decode_line *line, const decode_name *name, const decode_note *note);
  /* The overview: its heading, the connections in any order, `is_first` with the first, and its end. As JSON, that is one line. */
  void (*overview)(decode_line *line, const decode_overview *overview);
  void (*connection)(decode_line *line, const decode_name *name, const decode_connection *connection,
                     bool is_first);
  void (*overview_end)(decode_line *line);
} decode_format;

extern const decode_format decode_text, decode_json;

#endif
