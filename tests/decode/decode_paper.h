/* SPDX-License-Identifier: GPL-2.0-only */
/* What the tests of decode's printers share: a line whose text can be read, a connection with names, and an
 * FPDU to start from. */
#pragma once

#include <glib.h>
#include <json-glib/json-glib.h>
#include <string.h>

#include "decode/decode_format.h"
#include "decode/decode_line.h"
#include "fields.h"
#include "test.h"

typedef struct decode_paper {
  GString *text;
  char *taken;
  decode_line *line;
  decode_names *names;
  decode_connection connection; /* number 0; end 0 of the flow is its Initiator */
  capture_flow flow;            /* 10.0.0.1:49152, 10.0.0.2:5044 */
  decode_name name;             /* of the connection */
  decode_fpdu fpdu; /* a Write from the Initiator, alone in packet 5: stream positions 20 to 1488, located by
                       chain, CRC right, without markers */
} decode_paper;

void decode_paper_set_up(decode_paper *paper, gconstpointer data);
void decode_paper_tear_down(decode_paper *paper, gconstpointer data);

#define FIXTURE_TEST(name) TEST_WITH(decode_paper, NULL, decode_paper_set_up, decode_paper_tear_down, name)

/* What was printed since the last call, valid until the next. */
const char *decode_paper_take(decode_paper *paper);

/* The same of a whole JSON object on one line, its " written as '. Free with g_free(). */
char *decode_paper_take_object(decode_paper *paper);

/* The FPDU of decode_paper, but untagged, of `opcode`, with MSN 7 on queue 3 at MO 1000. */
decode_fpdu decode_paper_untagged(rdmap_opcode opcode);
