/* SPDX-License-Identifier: GPL-2.0-only */
/* Connections made by hand for the tests of what decodes captures: startup frames and FPDUs of both
 * directions as octets, cut into segments, which a session gets in any order; and what it reports of them. */
#pragma once

#include "base_cleanup.h"
#include "decode/decode_session.h"
#include "mpa_stream.h"
#include "net/tcp_header.h"
#include "test.h"

/* --- What the two ends send --- */

/* Flags of a startup frame. */
enum { FRAME_M = 0x80, FRAME_C = 0x40, FRAME_R = 0x20 };

/* Both ends send this; by end: 0 is the Initiator, which opens the connection. */
typedef struct send_plan {
  bool has_frames;          /* startup frames, Revision 1 */
  bool markers[2];          /* in what this end sends */
  bool crc;                 /* else neither C bit is set */
  bool rejects;             /* the Reply has the R bit */
  uint32_t private_data[2]; /* octets of Private Data */
  uint32_t streaming[2];    /* octets of streaming mode before the startup frame, or before the FPDUs */
  uint32_t fpdus[2];        /* how many */
  bool sparse; /* most payload octets are 0 and the others small, so that many of them can be ULPDU_Lengths */
  uint32_t ulpdu_octets; /* the longest; each length is random up to this; 0: 1400 */
} send_plan;

/* Returns random numbers of a seed that is reported. */
random_stream *random_of_test(void);

/* --- How it is captured --- */

typedef struct piece {
  unsigned from;
  uint64_t position; /* of its first octet */
  uint32_t length;
  uint32_t captured; /* of them */
  uint8_t flags;
  uint64_t acknowledged; /* position up to which it acknowledges what the other end sends */
  const uint8_t *octets; /* NULL: what `from` sends there */
  capture_checksum checksum;
} piece;

/* The headers of a packet are IPv4 and TCP. */
enum { DECODE_CASE_HEADER_OCTETS = 40 };

/* Initial sequence numbers are these, so that the numbers wrap soon. */
enum { ISN_0 = (int)0xFFFFF000, ISN_1 = 5 };

/* --- A connection, its capture, and what a session reports of it --- */

typedef struct decode_case {
  const send_plan *plan;
  random_stream *random;
  GByteArray *octets[2]; /* what each end sends; positions count from the first octet after the SYN */
  uint64_t startup[2];   /* where the startup frame starts */
  uint64_t phase[2];     /* where the FPDU phase starts */
  mpa_stream *sent[2];   /* its FPDUs: tagged RDMA Writes with payload out of `random` */
  GArray *pieces; /* of piece: a SYN of each end, the startup frames 0 and 1, and the octets after them */
  /* 10.0.0.1:40000 (end 0) to 10.0.0.2:7471; the second from port 40001; the third again from 40000. Sequence
   * numbers are 77,777 higher in each. */
  capture_flow flows[3];
  uint32_t flow;                           /* that gets the next piece; 0 at first */
  decode_session *session;                 /* NULL at first; freed with the others */
  const decode_connection *connection;     /* the session's only one; NULL: it has none */
  const decode_direction_summary *forward; /* of the Initiator; NULL as the connection */
  const decode_direction_summary *reverse;
  uint64_t packet;
  /* What was reported, of decode_event: `fpdu` holds, but for its pointers; `frame` and `text` hold no more.
   */
  GArray *fpdus, *notes, *startups;
} decode_case;

/* A connection cut at FPDUs (`cut_octets` 0) or every `cut_octets`, the Initiator's first octets before the
 * Responder's. Free with decode_case_free(). */
decode_case *decode_case_new(const send_plan *plan, random_stream *random, uint32_t cut_octets);
void decode_case_free(decode_case *at);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(decode_case, decode_case_free)

/* Flips bits of the octet at `position` of what end `from` sends. */
void flip(decode_case *at, unsigned from, uint64_t position, uint8_t bits);

/* Return where FPDU `index` of end `from` starts and ends in the stream. */
uint64_t start_of(const decode_case *at, unsigned from, guint index);
uint64_t end_of(const decode_case *at, unsigned from, guint index);

/* Makes the pieces anew. */
void cut(decode_case *at, uint32_t cut_octets);

piece *piece_at(const decode_case *at, guint index);
void append(decode_case *at, piece added);
void append_octets(decode_case *at, unsigned from, uint64_t begin, uint64_t end);
void shuffle(decode_case *at);

/* Takes out the pieces of `from` that have an octet of [begin, end), or of an FPDU of the Initiator. */
void lose(decode_case *at, unsigned from, uint64_t begin, uint64_t end);
void lose_fpdu(decode_case *at, guint index);

/* Captures no more than `octets` of the pieces from `first` on. */
void snap(decode_case *at, guint first, uint32_t octets);

/* A new session gets the pieces, and that is all; with decode_well() expect_sums(), too. */
void decode(decode_case *at, const decode_options *options);
void decode_well(decode_case *at, const decode_options *options);

/* Do the same in steps: a new session; it gets a piece; the capture ends. */
void decode_begin(decode_case *at, const decode_options *options);
void decode_piece(decode_case *at, const piece *p);
void decode_end(decode_case *at);

/* There are so many notes of a kind of a direction; returns the last one, NULL: none. */
const decode_event *expect_notes(const decode_case *at, enum side direction, decode_event_kind kind,
                                 guint count);

const decode_event *event_at(const GArray *events, guint index);

/* Returns the FPDU at a stream position, or the FPDU `index` of the Initiator; NULL: it was not reported. */
const decode_event *fpdu_from(const decode_case *at, enum side direction, uint64_t position);
const decode_event *fpdu_of(const decode_case *at, guint index);

/* All FPDUs were reported, once each, right, and with the right fields; nothing is unaccounted
 * for. */
void expect_all(const decode_case *at);

/* Every FPDU that was reported was sent, there and as long. */
void expect_sent(const decode_case *at);

/* The first five sums are all octets from position 0 to the highest that came. */
void expect_sums(const decode_case *at);

/* Registers `test` of the file once for each plan. */
void decode_case_add(const char *file, const char *name, const send_plan *const *plans, size_t count,
                     void (*test)(decode_case *at, gconstpointer unused));

/* This is a test of a connection of each of the plans whose addresses follow its name; its body has `at`. */
#define PLAN_TEST(name, ...)                                                                                 \
  static void name(decode_case *at, gconstpointer unused);                                                   \
  __attribute__((constructor)) static void register_##name(void)                                             \
  {                                                                                                          \
    static const send_plan *const plans[] = {__VA_ARGS__};                                                   \
    decode_case_add(__FILE__, #name, plans, G_N_ELEMENTS(plans), name);                                      \
  }                                                                                                          \
  static void name(decode_case *at, G_GNUC_UNUSED gconstpointer unused)
