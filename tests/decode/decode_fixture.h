/* SPDX-License-Identifier: GPL-2.0-only */
/* Connections made by hand for the tests of what decodes captures: startup frames and FPDUs of both
 * directions as octets, cut into segments, which a session gets in any order; and what it says of them. */
#ifndef TESTS_DECODE_DECODE_FIXTURE_H
#define TESTS_DECODE_DECODE_FIXTURE_H

#include <glib.h>

#include "base/random_stream.h"
#include "decode/decode_session.h"
#include "mpa_stream.h"
#include "net/tcp_header.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC(random_stream, random_stream_free)

/* --- What the two ends say --- */

/* Flags of a startup frame. */
enum { KIT_M = 0x80, KIT_C = 0x40, KIT_R = 0x20, KIT_S = 0x10 };

/* What a talk is made of; by end: 0 is the Initiator, which opens the connection. */
typedef struct kit_plan {
  bool has_frames;          /* startup frames, Revision 1 */
  bool markers[2];          /* in what this end sends */
  bool crc;                 /* else neither C bit is set */
  bool rejects;             /* the Reply has the R bit */
  uint32_t private_data[2]; /* octets of Private Data */
  uint32_t
      streaming[2];  /* octets of streaming mode before the startup frame, or, without, before the FPDUs */
  uint32_t fpdus[2]; /* how many */
  bool sparse; /* most payload octets are 0 and the others small, so that many of them can be ULPDU_Lengths */
  uint32_t ulpdu_octets; /* the longest; each length is random up to this; 0: 1400 */
} kit_plan;

/* What both ends send. Positions count from the first octet after the SYN. */
typedef struct kit_talk {
  GByteArray *octets[2];
  uint64_t startup[2]; /* where the startup frame starts */
  uint64_t phase[2];   /* where the FPDU phase starts */
  mpa_stream *fpdus[2];
} kit_talk;

/* Free with kit_talk_free(). The FPDUs carry tagged RDMA Writes with payload out of `random`. */
kit_talk *kit_talk_new(const kit_plan *plan, random_stream *random);
void kit_talk_free(kit_talk *talk);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(kit_talk, kit_talk_free)

/* Flips bits of the octet at `position` of what end `from` sends. */
void kit_talk_flip(kit_talk *talk, unsigned from, uint64_t position, uint8_t bits);

/* FPDU `index` of end `from`: where it starts and ends in the stream. */
uint64_t kit_talk_start(const kit_talk *talk, unsigned from, guint index);
uint64_t kit_talk_end(const kit_talk *talk, unsigned from, guint index);

/* Appends a startup frame. */
void kit_append_frame(GByteArray *octets, const char *key, uint8_t flags, uint8_t revision,
                      const uint8_t *private_data, uint16_t length);

/* --- How it is captured --- */

typedef struct kit_piece {
  unsigned from;
  uint64_t position; /* of its first octet */
  uint32_t length;
  uint32_t captured; /* of them */
  uint8_t flags;
  uint64_t acknowledged; /* position up to which it acknowledges what the other end sends */
  const uint8_t *octets; /* NULL: the talk's */
  capture_checksum checksum;
} kit_piece;

/* A list of kit_piece: a SYN of each end and all octets of both, cut at FPDUs (`cut_octets` 0) or every
 * `cut_octets`, the Initiator's first octets before the Responder's. Free with g_array_unref(). */
GArray *kit_cut(const kit_talk *talk, uint32_t cut_octets);

void kit_append(GArray *pieces, kit_piece piece);
void kit_shuffle(GArray *pieces, random_stream *random);

/* Takes out the pieces of `from` that have an octet of [begin, end). */
void kit_lose(GArray *pieces, unsigned from, uint64_t begin, uint64_t end);

/* --- What a session says --- */

typedef struct kit_session {
  capture_flow flow; /* 10.0.0.1:40000 (end 0) to 10.0.0.2:7471 */
  decode_session *session;
  uint64_t packet;
  GArray *fpdus;    /* of decode_fpdu, whose pointers hold no more */
  GArray *notes;    /* of decode_note, the same */
  GArray *startups; /* of decode_startup_event, the same */
  uint64_t payload_octets;
} kit_session;

/* Initial sequence numbers: so that the numbers wrap soon. */
enum { KIT_ISN_0 = (int)0xFFFFF000, KIT_ISN_1 = 5 };

/* Free with kit_session_free() (NULL is allowed). */
kit_session *kit_session_new(const decode_options *options);
void kit_session_free(kit_session *session);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(kit_session, kit_session_free)

/* The session gets the pieces, and that is all. */
void kit_play(kit_session *session, const kit_talk *talk, const GArray *pieces);

/* The session gets one. */
void kit_give(kit_session *session, const kit_talk *talk, const kit_piece *piece);

/* A session that has got all pieces and is finished. */
kit_session *kit_decode(const kit_talk *talk, const GArray *pieces, const decode_options *options);

/* What `session` says of the direction that end `from` sends, of its only connection. */
const decode_direction_summary *kit_summary(const kit_session *session, enum side direction);

/* How many notes of a kind there are of a direction, and the first one; NULL: none. */
guint kit_notes(const kit_session *session, enum side direction, decode_note_kind kind);
const decode_note *kit_note(const kit_session *session, enum side direction, decode_note_kind kind);

/* The FPDU at a stream position; NULL: it was not reported. */
const decode_fpdu *kit_fpdu(const kit_session *session, enum side direction, uint64_t position);

/* All FPDUs of the talk were reported, once each, right, and with the right fields; nothing is unaccounted
 * for. */
void kit_expect_all(const kit_session *session, const kit_talk *talk);

/* The first five sums are all octets from position 0 to the highest that came. */
void kit_expect_sums(const kit_session *session, const kit_talk *talk);

/* --- A test of one connection --- */

typedef struct decode_case {
  const kit_plan *plan;
  random_stream *random; /* of a seed that is reported */
  kit_talk *talk;
  GArray *pieces;       /* cut at FPDUs */
  kit_session *session; /* NULL at first; freed with the others */
} decode_case;

/* Random numbers of a seed that is reported. */
random_stream *kit_random(void);

/* Registers `test` of the file once for each plan. */
void decode_case_add(const char *file, const char *name, const kit_plan *const *plans, size_t count,
                     void (*test)(decode_case *at, gconstpointer unused));

/* A test of a connection of each of the plans whose addresses follow its name; its body has `at`. */
#define PLAN_TEST(name, ...)                                                                                 \
  static void name(decode_case *at, gconstpointer unused);                                                   \
  __attribute__((constructor)) static void register_##name(void)                                             \
  {                                                                                                          \
    static const kit_plan *const plans[] = {__VA_ARGS__};                                                    \
    decode_case_add(__FILE__, #name, plans, G_N_ELEMENTS(plans), name);                                      \
  }                                                                                                          \
  static void name(decode_case *at, G_GNUC_UNUSED gconstpointer unused)

#endif
