/* SPDX-License-Identifier: GPL-2.0-only */
/* What `iwarpsim decode` prints for people: one line for each FPDU, startup frame and note, fields called as the documents call them. */
#ifndef DECODE_DECODE_TEXT_H
#define DECODE_DECODE_TEXT_H

#include "decode/decode_line.h"
#include "decode/decode_name.h"

/* The lines above all others, which start with '#': `version` of the program, the capture's `file`, what times count from
 * (capture_source_origin_ns()), and what stands in which column. */
void decode_text_heading(decode_line *line, const char *version, const char *file, int64_t origin_ns);

/* One line for an FPDU of the connection that is called `name`. Allocates nothing. */
void decode_text_fpdu(decode_line *line, const decode_name *name, const decode_fpdu *fpdu);

/* A line for a startup frame, and below it its Private Data, 16 octets a line, the first 256 of them. */
void decode_text_startup(decode_line *line, const decode_name *name, const decode_startup_event *event);

/* One line for a note. */
void decode_text_note(decode_line *line, const decode_name *name, const decode_note *note);

/* " M=1 C=1 R=0 …": all bits and fields of a startup frame but its Private Data. */
void decode_text_startup_fields(decode_line *line, const decode_startup_frame *frame);

#endif
