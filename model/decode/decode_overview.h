/* SPDX-License-Identifier: GPL-2.0-only */
/* What `iwarpsim decode --summary` prints: the sums of each connection that speaks MPA, as tables for people or as one JSON object. */
#ifndef DECODE_DECODE_OVERVIEW_H
#define DECODE_DECODE_OVERVIEW_H

#include "decode/decode_line.h"
#include "decode/decode_name.h"
#include "net/capture_source.h"

/* What stands above the connections. */
typedef struct decode_overview {
  const char *version; /* of the program */
  const char *file;    /* the capture's name */
  int64_t origin_ns;   /* capture_source_origin_ns() */
  uint32_t flows;      /* TCP connections in the capture */
  uint32_t speakers;   /* of those that speak MPA */
  const capture_counts *counts;
} decode_overview;

/* For people: the heading, then a table for each connection, in any order. */
void decode_overview_text_heading(decode_line *line, const decode_overview *overview);
void decode_overview_text_connection(decode_line *line, const decode_name *name,
                                     const decode_connection *connection);

/* As JSON, one line: the start of the object, each connection, `is_first` of the first, and the end. docs/captures.md lists the members. */
void decode_overview_json_heading(decode_line *line, const decode_overview *overview);
void decode_overview_json_connection(decode_line *line, const decode_name *name,
                                     const decode_connection *connection, bool is_first);
void decode_overview_json_end(decode_line *line);

#endif
