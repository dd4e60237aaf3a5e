/* SPDX-License-Identifier: GPL-2.0-only */
/* What startup agreed is what the streams look like: frames exchanged by two endpoints, then FPDUs made and
 * read by their verdict (mpa-01 §6.1.1; mpa-02 §8.1). */
#include <string.h>

#include "mpa_reader.h"
#include "mpa_receiver.h"
#include "mpa_startup_fixture.h"
#include "test.h"

/* 2 + 1000 + 2 pad + 4: FPDUs of 1008 octets without markers, 3 of them: 3024. Marked, a marker leads every
 * 508 of those: 6 markers, 3024 + 24. */
static const uint32_t ulpdus[] = {1000, 1000, 1000};

typedef struct pair {
  mpa_startup *ends[2]; /* SIDE_INITIATOR, SIDE_RESPONDER */
} pair;

static pair pair_new(iwarp_generation generation, const bool markers[2], const bool crc[2])
{
  pair both;

  for (int role = 0; role < 2; role++) {
    mpa_startup_config config = startup_config(generation, (enum side)role);
    config.markers = markers[role];
    config.crc = crc[role];
    both.ends[role] = mpa_startup_new(&config);
    mpa_startup_begin(both.ends[role], NULL, 0, 0);
  }
  for (int role = 0; role < 2; role++) {
    buffer_chain frame;
    buffer_chain_init(&frame);
    if (mpa_startup_next_frame(both.ends[role], &frame)) {
      mpa_startup_receive(both.ends[1 - role], &frame);
    }
    buffer_chain_clear(&frame);
    startup_expect(both.ends[1 - role], MPA_STARTUP_FULL_OPERATION, MPA_STARTUP_REASON_NONE);
  }
  return both;
}

static void pair_free(pair *both)
{
  mpa_startup_free(both->ends[0]);
  mpa_startup_free(both->ends[1]);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(pair, pair_free)

/* What end `from` sends. */
static mpa_stream *stream_from(const pair *both, int from)
{
  return mpa_stream_new(mpa_startup_send_markers(both->ends[from]), mpa_startup_crc(both->ends[from]), ulpdus,
                        G_N_ELEMENTS(ulpdus));
}

/* The three FPDUs, and 0 or 6 markers that point to their headers, are where they must be; nothing else is
 * there. */
static void check_layout(const mpa_stream *stream, bool marked, bool crc)
{
  g_assert_cmpuint(stream->octets->len, ==, marked ? 3048 : 3024);
  g_assert_cmpuint(check_stream(stream, crc), ==, marked ? 6 : 0);
}

/* MPA-242, MPA-243: each of the four choices of M: a direction is marked when its receiver's frame had M=1,
 * and only then. */
TEST(test_markers_follow_the_receiver)
{
  for (unsigned choice = 0; choice < 4; choice++) {
    const bool markers[2] = {choice & 1, choice & 2};
    const bool crc[2] = {true, true};
    g_auto(pair) both = pair_new(IWARP_IETF, markers, crc);

    for (int from = 0; from < 2; from++) {
      g_autoptr(mpa_stream) stream = stream_from(&both, from);
      check_layout(stream, markers[1 - from], true);
      g_assert_cmpint(mpa_startup_receive_markers(both.ends[1 - from]), ==, markers[1 - from]);
    }
  }
}

/* MPA-245, MPA-247, MPA-132, MPA-162: each of the four choices of C, either direction, a wrong octet in the
 * second ULPDU: without C in both frames it goes up as it came; else every CRC sent is right and the second
 * FPDU fails with code 2, the first being fine. */
TEST(test_crc_follows_both)
{
  for (unsigned i = 0; i < 8; i++) {
    const bool markers[2] = {false, false};
    const bool crc[2] = {i & 1, i & 2};
    bool checked = crc[0] || crc[1];
    int from = i & 4 ? 1 : 0;
    g_auto(pair) both = pair_new(IWARP_IETF, markers, crc);
    g_autoptr(mpa_stream) stream = stream_from(&both, from);
    g_autoptr(mpa_receiver) receiver = mpa_receiver_new(stream, mpa_startup_crc(both.ends[1 - from]));

    check_layout(stream, false, checked);
    stream->octets->data[1008 + 500] ^= 1;
    mpa_stream_at(stream, 1)->ulpdu[498] ^= 1; /* what goes up, if it does */
    arrive(receiver, 0, 3024);
    g_assert_cmpuint(receiver->passed->len, ==, checked ? 1 : 3);
    g_assert_cmpint(receiver->error, ==, checked ? MPA_ERROR_CRC : MPA_ERROR_NONE);
  }
}

/* MPA-186, MPA-093, MPA-131, MPA-161: rdmac starts each direction with a marker, and neither markers nor the
 * check of the CRC can be declined (mpa-02 §7.1, §7.2). */
TEST(test_rdmac_is_always_marked)
{
  const bool no[2] = {false, false};
  g_auto(pair) both = pair_new(IWARP_RDMAC, no, no);

  for (int from = 0; from < 2; from++) {
    g_autoptr(mpa_stream) stream = stream_from(&both, from);
    g_autoptr(mpa_receiver) receiver = mpa_receiver_new(stream, mpa_startup_crc(both.ends[1 - from]));

    g_assert_true(mpa_startup_receive_markers(both.ends[1 - from]));
    g_assert_cmpmem(stream->octets->data, 4, "\0\0\0\0", 4);
    check_layout(stream, true, true);
    stream->octets->data[3048 - 1] ^= 1;
    arrive(receiver, 0, 3048);
    g_assert_cmpuint(receiver->passed->len, ==, 2);
    g_assert_cmpint(receiver->error, ==, MPA_ERROR_CRC);
  }
}
