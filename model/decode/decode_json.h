/* SPDX-License-Identifier: GPL-2.0-only */
/* What `iwarpsim decode --json` prints: one JSON object a line, for each FPDU, startup frame and note. docs/captures.md lists the members, which
 * come in that order.
 *
 * Counts, lengths, positions and times are numbers; fields that name memory or are made of bits (STags, Tagged Offsets, CRCs, control octets) are
 * texts, "0x…", since a 64-bit Tagged Offset does not fit into what most readers take for a number. */
#ifndef DECODE_DECODE_JSON_H
#define DECODE_DECODE_JSON_H

#include "decode/decode_line.h"
#include "decode/decode_name.h"

/* The first object, of type "capture": version, file and what times count from (capture_source_origin_ns()). */
void decode_json_heading(decode_line *line, const char *version, const char *file, int64_t origin_ns);

/* The object of an FPDU of the connection that is called `name`. Allocates nothing. */
void decode_json_fpdu(decode_line *line, const decode_name *name, const decode_fpdu *fpdu);

void decode_json_startup(decode_line *line, const decode_name *name, const decode_startup_event *event);
void decode_json_note(decode_line *line, const decode_name *name, const decode_note *note);

/* The members of a startup frame, without braces: "revision": …, "private_data": "…". */
void decode_json_startup_fields(decode_line *line, const decode_startup_frame *frame);

#endif
