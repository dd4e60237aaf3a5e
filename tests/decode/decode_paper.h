/* SPDX-License-Identifier: GPL-2.0-only */
/* What the tests of decode's printers share: a line whose text can be read, a connection with names, and an
 * FPDU to start from. */
#ifndef TESTS_DECODE_PAPER_H
#define TESTS_DECODE_PAPER_H

#include <glib.h>

#include "decode/decode_format.h"
#include "decode/decode_line.h"

typedef struct decode_paper {
  GString *text;
  char *taken;
  decode_line *line;
  decode_names *names;
  decode_connection connection; /* number 0; end 0 of the flow is its Initiator */
  capture_flow flow;            /* 10.0.0.1:49152, 10.0.0.2:5044 */
} decode_paper;

void decode_paper_set_up(decode_paper *paper, gconstpointer data);
void decode_paper_tear_down(decode_paper *paper, gconstpointer data);

decode_name decode_paper_name(const decode_paper *paper);

/* What was printed since the last call, valid until the next. */
const char *decode_paper_take(decode_paper *paper);

/* A Write from the Initiator, alone in packet 5: stream positions 20 to 1488, located by chain, CRC right,
 * without markers. */
decode_fpdu decode_paper_write(void);

#endif
