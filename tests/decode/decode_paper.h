/* SPDX-License-Identifier: GPL-2.0-only */
/* The tests of decode's printers share this: a line whose text can be read, a connection, and an FPDU to
 * start from. */
#pragma once

#include <json-glib/json-glib.h>
#include <string.h>

#include "decode/decode_format.h"
#include "no_error.h"
#include "test.h"

typedef struct decode_paper {
  GString *text;
  char *taken;
  decode_line line;             /* to the end of `text` */
  decode_connection connection; /* number 0, from 10.0.0.1:49152 to 10.0.0.2:5044 */
  decode_event event; /* `fpdu`, from the Initiator, alone in packet 5: stream positions 20 to 1488 */
  decode_fpdu fpdu;   /* a Write, located by chain, CRC right, without markers */
  capture_counts counts;
  decode_capture capture; /* "a.pcap", with `counts`; its only one is `connection` */
} decode_paper;

void decode_paper_set_up(decode_paper *paper, gconstpointer data);
void decode_paper_tear_down(decode_paper *paper, gconstpointer data);

#define FIXTURE_TEST(name) TEST_WITH(decode_paper, NULL, decode_paper_set_up, decode_paper_tear_down, name)

/* Returns what `format` prints of the event, valid until the next call. */
const char *decode_paper_event(decode_paper *paper, const decode_format *format);

/* Returns what was printed since the last call, valid until the next. */
const char *decode_paper_take(decode_paper *paper);

/* Returns the same of a whole JSON object on one line, its " written as '. */
const char *decode_paper_take_object(decode_paper *paper);

/* Makes the FPDU one of `opcode` on queue 3 with MSN 7, at MO 1000. */
void decode_paper_untag(decode_paper *paper, rdmap_opcode opcode);

/* Makes the event one of packets 3 and 4 from the Responder, after 1 ns: the startup frame `frame`, at
 * position 0. */
void decode_paper_startup(decode_paper *paper, const decode_startup_frame *frame);
