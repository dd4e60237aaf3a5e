/* SPDX-License-Identifier: GPL-2.0-only */
/* Two MPA endpoints over two TCP connections: what startup agreed is what is sent and checked;
 * segmentation, middleboxes, MTU changes and damage on the way (mpa-01 §5.1 … §5.4, §7). */
#include <string.h>

#include "../kit/path_mtu.h"
#include "mpa_link.h"
#include "mpa_reader.h"
#include "test.h"

#define LONG_TIME (10 * TIME_PS_PER_SECOND)

/* What end `from` sent in its FPDU phase is as the documents describe it and carries what was posted. Returns
 * the number of markers. */
static guint read_stream(const mpa_link *link, unsigned from, bool markers, bool crc)
{
  const mpa_link_end *end = &link->end[from];

  g_assert_cmpint(end->stream->markers, ==, markers);
  g_assert_cmpmem(end->sent->data + end->sent_start, end->sent->len - end->sent_start,
                  end->stream->octets->data, end->stream->octets->len);
  return check_stream(end->stream, crc);
}

/* Returns where FPDU `index` that end `from` posted starts, in its FPDU phase; where it would start when it
 * has not been posted. */
static uint64_t start_of(const mpa_link *link, unsigned from, guint index)
{
  const mpa_stream *stream = link->end[from].stream;

  return index < stream->fpdus->len ? mpa_stream_at(stream, index)->start : stream->octets->len;
}

/* Markers and CRC both ways, an MPA-aware sender, and a receiver that takes octets as they come. */
static const mpa_link_config aligned = {.generation = IWARP_IETF,
                                        .markers = {true, true},
                                        .crc = {true, true},
                                        .segmentation = TCP_SEGMENTATION_ALIGNED,
                                        .passing = TCP_PASSING_AS_ARRIVED};

static void post_both(mpa_link *link)
{
  static const uint32_t ulpdus[] = {1, 2, 3, 4, 5, 1442, 490, 502, 502, 28, 28, 1454, 900};

  for (unsigned from = 0; from < MPA_LINK_ENDS; from++) {
    for (size_t i = 0; i < G_N_ELEMENTS(ulpdus); i++) {
      mpa_link_post(link, from, ulpdus[i]);
    }
  }
}

static void describe(const mpa_link_config *config)
{
  g_test_message("%s: M %d %d, C %d %d, segmentation %d, passing %d, split %u, rechunk %u, reversed %d",
                 iwarp_generation_rules_of(config->generation)->name, config->markers[0], config->markers[1],
                 config->crc[0], config->crc[1], config->segmentation, config->passing, config->split,
                 config->rechunk, config->reverse_pieces);
}

/* Every generation and choice of M and C, with Private Data of 13 octets, so that nothing is aligned with
 * anything in the TCP stream. mpa_reader.h reads the streams: each has markers and CRC as the frames agreed.
 * MPA-092, MPA-094, MPA-242, MPA-243: a sender puts a marker every 512 octets where its peer's frame had M=1,
 * and only there; MPA-371, MPA-372: rfc5044 has it, too. MPA-103: the first is right after the startup frame.
 * MPA-093, MPA-102, MPA-186: rdmac has them always, from the first octet of the connection on. MPA-114: so
 * has it a CRC in every FPDU. MPA-117: each side can compute CRCs when the other insists on it. MPA-126: the
 * field is there even when CRC is not used. MPA-085: RESERVED is zero. */
TEST(test_streams_are_as_agreed)
{
  for (unsigned choice = 0; choice < IWARP_GENERATIONS * 16; choice++) {
    mpa_link_config config = {.generation = (iwarp_generation)(choice / 16),
                              .markers = {choice & 1, choice & 2},
                              .crc = {choice & 4, choice & 8},
                              .passing = TCP_PASSING_AS_ARRIVED};
    bool always = config.generation == IWARP_RDMAC;
    bool crc = always || config.crc[0] || config.crc[1];

    config.private_data_octets = always ? 0 : 13;
    describe(&config);
    g_autoptr(mpa_link) link = mpa_link_new(&config);
    post_both(link);
    mpa_link_run(link, LONG_TIME);
    for (unsigned from = 0; from < MPA_LINK_ENDS; from++) {
      bool markers = always || config.markers[!from];
      g_assert_cmpuint(link->end[from].sent_start, ==, always ? 0 : 33);
      mpa_link_expect_all(link, from);
      guint count = read_stream(link, from, markers, crc);
      g_assert_cmpuint(count, ==,
                       markers ? (link->end[from].sent->len - link->end[from].sent_start + 511) / 512 : 0);
    }
  }
}

/* MPA-373, MPA-374, MPA-375, MPA-394, MPA-123, MPA-132, MPA-162, MPA-244, MPA-245, MPA-247: when one frame
 * had C=1, CRCs are generated and checked both ways to the end: the last FPDU of many is damaged, which is
 * code 2. MPA-124, MPA-082: when neither had, not even that of the first FPDU is checked; here the CRC field
 * itself is damaged. MPA-131, MPA-161: in rdmac the check cannot be declined. */
TEST(test_crc_is_checked_as_agreed)
{
  enum { NEITHER = 0, RDMAC = 4 };
  for (unsigned choice = NEITHER; choice <= RDMAC; choice++) {
    for (unsigned from = 0; from < MPA_LINK_ENDS; from++) {
      const mpa_link_config config = {.generation = choice == RDMAC ? IWARP_RDMAC : IWARP_IETF,
                                      .markers = {true, true},
                                      .crc = {choice & 1, choice & 2},
                                      .passing = TCP_PASSING_AS_ARRIVED};
      bool crc = choice != NEITHER;
      g_autoptr(mpa_link) link = mpa_link_new(&config);

      describe(&config);
      for (int i = 0; i < 200; i++) {
        mpa_link_post(link, from, 1442);
      }
      /* the last octet of the last FPDU, or of the first */
      link->end[from].corrupt_at = (gint64)start_of(link, from, crc ? 200 : 1) - 1;
      link->end[from].corruptions_left = 1;
      mpa_link_run(link, LONG_TIME);
      if (crc) {
        g_assert_cmpint(link->end[!from].error, ==, MPA_ERROR_CRC);
        g_assert_cmpuint(link->end[!from].error_offset, ==, start_of(link, from, 199));
        g_assert_cmpuint(link->end[!from].passed_count, ==, 199);
      } else {
        mpa_link_expect_all(link, from);
      }
      g_assert_cmpuint(link->end[from].corruptions_left, ==, 0);
    }
  }
}

/* ULPDUs both ways, with CRC and without. */
static void check_transfer(mpa_link_config config)
{
  g_auto(GStrv) seen = g_new0(char *, MPA_LINK_ENDS + 1);

  for (int crc = 0; crc <= 1; crc++) {
    config.crc[0] = config.crc[1] = crc;
    describe(&config);
    g_autoptr(mpa_link) link = mpa_link_new(&config);
    post_both(link);
    post_both(link);
    mpa_link_run(link, LONG_TIME);
    for (unsigned end = 0; end < MPA_LINK_ENDS; end++) {
      mpa_link_expect_all(link, end);
      if (crc) {
        g_assert_cmpstr(link->end[end].trace->str, ==, seen[end]);
      } else {
        seen[end] = g_strdup(link->end[end].trace->str);
      }
    }
  }
}

/* MPA-367, MPA-368, MPA-170, MPA-169: an MPA-aware sender and one that is not, receivers that take octets in
 * order and as they come, and middleboxes that cut segments into small pieces, move all boundaries, or do so
 * and send the pieces in reverse order: the ULPDUs are the same, with markers and CRC and without. MPA-056,
 * MPA-057, MPA-058, MPA-068: as many as were posted come out, each once, with the boundaries, the length and
 * the octets it was posted with (the link compares them), and nothing else comes out. MPA-122: with CRC the
 * ULP sees the same, at the same times, as without. MPA-360: ISN 2^32 - 3000: sequence numbers wrap on the
 * way. */
TEST(test_any_sender_receiver_and_middlebox)
{
  static const uint32_t middleboxes[][2] = {{0, 0}, {1, 0}, {100, 0}, {514, 0}, {0, 1000}, {0, 333}};

  for (unsigned box = 0; box < G_N_ELEMENTS(middleboxes); box++) {
    for (unsigned choice = 0; choice < 16; choice++) {
      mpa_link_config config = {.generation = IWARP_IETF,
                                .markers = {choice & 1, choice & 1},
                                .segmentation =
                                    choice & 2 ? TCP_SEGMENTATION_ALIGNED : TCP_SEGMENTATION_STREAM,
                                .passing = choice & 4 ? TCP_PASSING_IN_ORDER : TCP_PASSING_AS_ARRIVED,
                                .private_data_octets = 3,
                                .isn = UINT32_MAX - 2999,
                                .split = middleboxes[box][0],
                                .rechunk = middleboxes[box][1],
                                .reverse_pieces = choice & 8};
      check_transfer(config);
    }
  }
}

static bool starts_fpdu(const mpa_link_end *end, uint64_t offset)
{
  return mpa_stream_find(end->stream, offset) != NULL;
}

/* From offset `from` of the FPDU phase on the segments of `end` start and end with FPDUs. */
static void expect_aligned(const mpa_link_end *end, uint64_t from)
{
  for (guint i = 0; i < end->segments->len; i++) {
    const mpa_link_segment *segment = &g_array_index(end->segments, mpa_link_segment, i);
    if (segment->from >= from) {
      g_assert_true(starts_fpdu(end, segment->from));
      g_assert_true(starts_fpdu(end, segment->to) || segment->to == end->stream->octets->len);
    }
  }
}

/* MPA-043, MPA-046, MPA-152, MPA-060: the MTU falls from 1500 to 576 with 40 full FPDUs posted. MULPDU
 * follows at once, 1442 to 522. The FPDUs posted before are cut and sent, the rest of each in a segment of
 * its own; those posted afterwards fit into a segment: from the first of them on every segment starts and
 * ends with an FPDU (note M26). All along the stream consists of well-formed FPDUs. When the MTU grows again,
 * so does MULPDU. */
TEST(test_mtu_shrinks)
{
  g_autoptr(mpa_link) link = mpa_link_new(&aligned);

  g_assert_cmpuint(mpa_link_mulpdu(link, 0), ==, 1442);
  for (int i = 0; i < 40; i++) {
    mpa_link_post(link, 0, mpa_link_mulpdu(link, 0));
  }
  mpa_link_collect(link); /* 10 of them are on their way */
  kit_set_send_mtu(link->end[0].tcp, 576);
  g_assert_cmpuint(mpa_link_mulpdu(link, 0), ==, 522);
  uint64_t cut = link->end[0].stream->octets->len;
  for (int i = 0; i < 40; i++) {
    mpa_link_post(link, 0, mpa_link_mulpdu(link, 0));
  }
  mpa_link_run(link, LONG_TIME);
  mpa_link_expect_all(link, 0);
  read_stream(link, 0, true, true);
  expect_aligned(&link->end[0], cut);
  guint unaligned = 0;
  for (guint i = 0; i < link->end[0].segments->len; i++) {
    const mpa_link_segment *segment = &g_array_index(link->end[0].segments, mpa_link_segment, i);
    g_assert_cmpuint(segment->to - segment->from, <=, i < 10 ? 1460 : 536);
    unaligned += segment->from >= start_of(link, 0, 10) && segment->from < cut &&
                 !starts_fpdu(&link->end[0], segment->from);
  }
  g_assert_cmpuint(unaligned, ==,
                   60); /* 30 FPDUs of 1460 or 1456 octets, each in segments of 536, 536 and the rest */
  kit_set_send_mtu(link->end[0].tcp, 1500);
  g_assert_cmpuint(mpa_link_mulpdu(link, 0), ==, 1442);
}

/* MPA-060: ULPDUs of MULPDU octets, whatever the marker phase, make FPDUs within EMSS: an aligned sender
 * never cuts one, at several MTUs. MPA-041: every segment is aligned. */
TEST(test_fpdus_fit_their_segments)
{
  static const uint32_t mtus[] = {180, 576, 1280, 1500, 4096, 9000};

  for (size_t i = 0; i < G_N_ELEMENTS(mtus); i++) {
    const mpa_link_config config = WITH(mpa_link_config, aligned, .mtu_octets = mtus[i]);
    g_autoptr(mpa_link) link = mpa_link_new(&config);

    for (uint32_t fpdu = 0; fpdu < 60; fpdu++) {
      mpa_link_post(link, 0, fpdu % 4 == 3 ? 1 + fpdu : mpa_link_mulpdu(link, 0));
    }
    mpa_link_run(link, LONG_TIME);
    mpa_link_expect_all(link, 0);
    expect_aligned(&link->end[0], 0);
  }
}

/* MPA-153, MPA-046: at an EMSS of 64 MULPDU stays 128, an FPDU takes three segments, and the stream is
 * whole (MPA-154). */
TEST(test_tiny_emss)
{
  const mpa_link_config config = WITH(mpa_link_config, aligned, .mtu_octets = 104);
  g_autoptr(mpa_link) link = mpa_link_new(&config);

  g_assert_cmpuint(mpa_link_mulpdu(link, 0), ==, 128);
  for (int i = 0; i < 30; i++) {
    mpa_link_post(link, 0, mpa_link_mulpdu(link, 0));
  }
  mpa_link_run(link, LONG_TIME);
  mpa_link_expect_all(link, 0);
  read_stream(link, 0, true, true);
  g_assert_cmpuint(link->end[0].segments->len, ==, 90); /* 2 + 128 + 2 + 4 and perhaps a marker: 136 or 140 */
}

/* 30 FPDUs are sent; octet `octet` of number `index` is flipped on the way, `times` times. */
static mpa_link *damaged_link(const mpa_link_config *config, guint index, uint64_t octet, guint times)
{
  mpa_link *link = mpa_link_new(config);

  for (int i = 0; i < 30; i++) {
    mpa_link_post(link, 0, 1442);
  }
  link->end[0].corrupt_at = (gint64)(start_of(link, 0, index) + octet);
  link->end[0].corruptions_left = times;
  mpa_link_run(link, LONG_TIME);
  return link;
}

/* MPA-288, MPA-133: FPDU 5 of 30 is damaged on the way, beyond TCP's help. Those before it went up; none does
 * after the error, not even those that were on their way, were whole and were located; and TCP delivers all
 * octets, since MPA does not close the connection. */
TEST(test_damage_is_reported)
{
  g_autoptr(mpa_link) link = damaged_link(&aligned, 5, 700, 1);

  EXPECT_FIELDS(&link->end[1], (error, MPA_ERROR_CRC), (error_offset, start_of(link, 0, 5)),
                (passed_count, 5));
  g_assert_cmpuint(link->end[1].tcp->gauges.in_order_edge, ==, link->end[0].sent->len);
  g_assert_false(link->end[1].closed);
}

/* MPA-286: with the silent drop the damaged segment counts as lost; it comes again, undamaged, and no error
 * is reported: whether the octet is in the ULPDU, in a marker or in ULPDU_Length, and in every way of cutting
 * and passing. */
TEST(test_damage_is_dropped)
{
  /* FPDU 0: its leading marker, ULPDU_Length (1442 becomes 1410), ULPDU, CRC. FPDU 5, [7300, 8760):
   * ULPDU_Length, and the marker at 7680. */
  static const uint64_t damages[][2] = {{0, 0}, {0, 5},       {0, 700},  {0, 1459},
                                        {5, 1}, {5, 380 + 3}, {29, 1455}};

  for (size_t i = 0; i < G_N_ELEMENTS(damages); i++) {
    for (unsigned in_order = 0; in_order < 2; in_order++) {
      const mpa_link_config config =
          WITH(mpa_link_config, aligned, .silent_drop = true,
               .passing = in_order ? TCP_PASSING_IN_ORDER : TCP_PASSING_AS_ARRIVED);
      g_autoptr(mpa_link) link = damaged_link(&config, (guint)damages[i][0], damages[i][1], 1);

      g_test_message("damage %zu, in order %u", i, in_order);
      mpa_link_expect_all(link, 0);
      g_assert_cmpuint(link->end[1].dropped, ==, 1);
      g_assert_cmpuint(link->end[0].corruptions_left, ==, 0);
      g_assert_cmpuint(link->end[0].tcp->gauges.statistics->retransmissions, ==, 1);
    }
  }
}

/* When the FPDU spans segments, or seems to because its ULPDU_Length has grown (1442 becomes 9634), part
 * of it is committed before the fault can be seen: the error is reported (note M31). */
TEST(test_damage_of_a_spanning_fpdu)
{
  static const uint64_t octets[] = {1000, 0};

  for (size_t i = 0; i < G_N_ELEMENTS(octets); i++) {
    const mpa_link_config config =
        WITH(mpa_link_config, aligned, .silent_drop = true, .split = i == 0 ? 800 : 0); /* 800 and 660 */
    g_autoptr(mpa_link) link = damaged_link(&config, 5, octets[i], 1);

    EXPECT_FIELDS(&link->end[1], (error, MPA_ERROR_CRC), (error_offset, start_of(link, 0, 5)), (dropped, 0));
  }
}

/* MPA-016: the FIN is reported once, when all ULPDUs before it have gone up, even when it overtakes them; the
 * other direction goes on (MPA-270, note M32). */
TEST(test_fin_comes_last)
{
  const mpa_link_config config = WITH(mpa_link_config, aligned, .reverse_pieces = true, .split = 500);
  g_autoptr(mpa_link) link = mpa_link_new(&config);

  for (int i = 0; i < 5; i++) {
    mpa_link_post(link, 0, 1442);
  }
  link->end[0].tcp->class->close(link->end[0].tcp);
  mpa_link_run(link, LONG_TIME);
  g_assert_true(link->end[1].finished);
  g_assert_cmpuint(link->end[1].passed_when_finished, ==, 5);
  g_assert_false(link->end[1].closed);
  mpa_link_post(link, 1, 600);
  mpa_link_run(link, LONG_TIME);
  mpa_link_expect_all(link, 1);
}
