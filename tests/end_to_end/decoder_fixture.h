/* SPDX-License-Identifier: GPL-2.0-only */
/* The tests of the second decoder share this: two streams, made by hand, of one connection. */
#pragma once

#include "../mpa/mpa_stream.h"
#include "wire_messages.h"

/* This is the one connection of a test, and the FPDUs that each end sends. */
typedef struct decoder_fixture {
  GPtrArray *connections;
  wire_connection *connection;
  mpa_stream *sent[WIRE_SIDES];
} decoder_fixture;

/* Returns a connection without octets; decoder_fixture_decode() frees it. */
decoder_fixture decoder_fixture_new(bool markers);

/* Adds a startup frame of `side` with flags M, C, R, S, Rev and Private Data, in hexadecimal digits ("":
 * none).
 */
void decoder_fixture_put_frame(decoder_fixture *f, int side, guint8 flags, guint8 revision,
                               const char *private_data);

/* Adds an FPDU whose ULPDU has these hexadecimal digits, with any blanks between octets. */
void decoder_fixture_put_hex(mpa_stream *sent, const char *hex);

/* Puts the FPDUs after what each side's stream has, and decodes both. Free with wire_decoding_free(). */
wire_decoding *decoder_fixture_decode(decoder_fixture *f, const char *generation);

/* Decodes, and fails the test unless the first complaint is `complaint`; NULL: unless there is none. */
void decoder_fixture_expect(decoder_fixture *f, const char *generation, const char *complaint);
