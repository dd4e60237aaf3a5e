/* SPDX-License-Identifier: GPL-2.0-only */
/* D-SACK (RFC 2883): what the receiver reports octets that came twice, and what the sender believes. */
#include "tcp/tcp_undo.h"

#include "flag_test.h"
#include "tcp_fixture.h"

enum { EMSS = 1460, BLOCKS_MAX = 4, ARRIVALS_MAX = 6 };

/* Acknowledged below 1000, sent below 5000. */
TEST(test_which_first_block_is_one)
{
  static const struct {
    const char *what;
    range blocks[2];
    uint32_t count;
    bool duplicate;
  } cases[] = {
      {"none", {{0, 0}, {0, 0}}, 0, false},
      {"below the acknowledgement", {{500, 1000}, {0, 0}}, 1, true},
      {"the very first octet", {{0, 1}, {0, 0}}, 1, true},
      {"below, with a run after it", {{0, 500}, {2000, 3000}}, 2, true},
      {"within the second block", {{2000, 2500}, {2000, 3000}}, 2, true},
      {"at the end of the second block", {{2500, 3000}, {2000, 3000}}, 2, true},
      {"the second block itself", {{2000, 3000}, {2000, 3000}}, 2, true},
      {"the second block not counted", {{2000, 3000}, {2000, 3000}}, 1, false},
      {"a run", {{2000, 3000}, {0, 0}}, 1, false},
      {"two runs", {{2000, 3000}, {4000, 4500}}, 2, false},
      {"more than the second block, before", {{1999, 2500}, {2000, 3000}}, 2, false},
      {"more than the second block, after", {{2500, 3001}, {2000, 3000}}, 2, false},
      {"across the acknowledgement", {{500, 1001}, {0, 0}}, 1, false},
      {"across it, within the second", {{500, 1500}, {400, 2000}}, 2, false},
      {"empty", {{500, 500}, {0, 0}}, 1, false},
      {"upside down", {{600, 500}, {0, 0}}, 1, false},
      {"never sent", {{5000, 6000}, {4500, 7000}}, 2, false},
      {"partly never sent", {{4500, 5001}, {4500, 5001}}, 2, false},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_test_message("%s", cases[i].what);
    g_assert_true(tcp_duplicate_sack_is_first(cases[i].blocks, cases[i].count, 1000, 5000) ==
                  cases[i].duplicate);
  }
  /* no segment has more than 65,535 octets */
  const range longest = {100000, 165535};
  const range longer = {100000, 165536};
  g_assert_true(tcp_duplicate_sack_is_first(&longest, 1, 200000, 300000));
  g_assert_false(tcp_duplicate_sack_is_first(&longer, 1, 200000, 300000));
}

static tcp_fixture *against_script(bool sack, bool dsack, bool timestamps)
{
  tcp_fixture *f = tcp_fixture_new(
      TCP_WITH(.sack = sack, .dsack = dsack, .timestamps = timestamps, .drops_untimed = false), NULL);
  tcp_header syn_ack = {.window = 65535,
                        .has_mss = true,
                        .mss_octets = EMSS,
                        .has_sack_permitted = true,
                        .has_timestamps = timestamps};
  handshake(f, TCP_FIXTURE_ROUND_TRIP, &syn_ack);
  return f;
}

/* Segments [from, to) that arrive, and what is in the ACK after the last one. */
typedef struct worked_example {
  const char *what;
  range arrivals[ARRIVALS_MAX]; /* the rest is empty, here and below */
  uint64_t acknowledgement;
  range blocks[BLOCKS_MAX];
} worked_example;

static const worked_example EXAMPLES[] = {
    {"RFC 2883 §4.1.1: below the acknowledgement", {{0, 500}, {500, 1000}, {0, 500}}, 1000, {{0, 500}}},
    {"§4.1.2: below, with a run beyond a hole",
     {{0, 500}, {1000, 1500}, {0, 500}},
     500,
     {{0, 500}, {1000, 1500}}},
    {"§4.1.3: of the run itself",
     {{0, 500}, {1000, 1500}, {1500, 2000}, {1000, 1500}},
     500,
     {{1000, 1500}, {1000, 2000}}},
    {"§4 (3): the run that holds it comes second, the newer one after it",
     {{0, 500}, {1000, 1500}, {2000, 2500}, {1000, 1500}},
     500,
     {{1000, 1500}, {1000, 1500}, {2000, 2500}}},
    {"§4.2.1: the front of a segment that fills a hole",
     {{0, 500}, {1000, 1500}, {250, 1000}},
     1500,
     {{250, 500}}},
    {"§4.2.2: the middle of a segment beyond a hole",
     {{0, 500}, {2500, 2750}, {2000, 3000}},
     500,
     {{2500, 2750}, {2000, 3000}}},
    {"§4.2.3: of two runs in one segment the first",
     {{0, 500}, {1000, 1250}, {1500, 1750}, {1000, 2000}},
     500,
     {{1000, 1250}, {1000, 2000}}},
    {"a run in a segment that fills the hole before it",
     {{0, 500}, {1000, 1500}, {500, 1500}},
     1500,
     {{1000, 1500}}},
    {"nothing twice", {{0, 500}, {1000, 1500}}, 500, {{1000, 1500}}},
    {"reported once only", {{0, 500}, {0, 500}, {1000, 1500}}, 500, {{1000, 1500}}},
    {"four blocks are the most",
     {{0, 500}, {1000, 1100}, {2000, 2100}, {3000, 3100}, {4000, 4100}, {0, 500}},
     500,
     {{0, 500}, {4000, 4100}, {3000, 3100}, {2000, 2100}}},
};

static unsigned ranges_in(const range *ranges, unsigned most)
{
  unsigned count = 0;
  while (count < most && ranges[count].from < ranges[count].to) {
    count++;
  }
  return count;
}

static void expect_blocks(const tcp_fixture *f, unsigned index, const worked_example *example, unsigned first,
                          unsigned most)
{
  tcp_header header = wire_header(f, 0, index);
  uint32_t isn = f->end[1].config.isn;
  EXPECT_FIELDS(&header, (acknowledgement, tcp_sequence_of((int64_t)example->acknowledgement, isn)),
                (sack_count, MIN(ranges_in(example->blocks, BLOCKS_MAX) - first, most)));
  for (unsigned i = 0; i < header.sack_count; i++) {
    EXPECT_FIELDS(&header.sack[i], (from, tcp_sequence_of((int64_t)example->blocks[first + i].from, isn)),
                  (to, tcp_sequence_of((int64_t)example->blocks[first + i].to, isn)));
  }
}

/* Without the option the same without the first block; beside timestamps there is room for three (RFC 2018
 * §3). */
ROW_TEST(test_examples, EXAMPLES)
{
  size_t i = (size_t)(c - EXAMPLES);
  bool duplicate = i < 8 || i == 10; /* the ninth and tenth have none to report */
  for (unsigned options = 0; options < 4; options++) {
    bool dsack = options & 1;
    bool timestamps = options & 2;
    g_autoptr(tcp_fixture) f = against_script(true, dsack, timestamps);
    g_test_message("%s, option %d, timestamps %d", c->what, dsack, timestamps);
    for (unsigned n = 0; n < ranges_in(c->arrivals, ARRIVALS_MAX); n++) {
      range arrival = c->arrivals[n];
      drop_all(f, 0);
      script_payload(f, arrival.from, (uint32_t)(arrival.to - arrival.from), 0);
    }
    g_assert_cmpuint(on_wire(f, 0), ==, 1);
    if (dsack || i < 9) {
      expect_blocks(f, 0, c, duplicate && !dsack ? 1 : 0, timestamps ? 3 : 4);
    }
  }
}

/* SACK was not agreed: there is no option to report it in. */
TCP_TEST(test_without_sack, against_script(false, true, false))
{
  script_payload(f, 0, 500, 0);
  script_payload(f, 0, 500, 0);
  expect_ack(f, 0, 500);
  g_assert_cmpuint(wire_header(f, 0, 0).sack_count, ==, 0);
}

/* What was refused has not come: it is no duplicate when it comes again. Nor is what lies beyond the
 * window. */
TCP_TEST(test_refused_is_not_twice, against_script(true, true, false))
{
  refuse_octets(f, 0, 0, 500, 1);
  script_payload(f, 0, 500, 0);
  expect_nothing(f, 0);
  script_payload(f, 0, 500, 0);
  script_payload(f, 500, 500, 0);
  expect_ack(f, 0, 1000);
  g_assert_cmpuint(wire_header(f, 0, 0).sack_count, ==, 0);
  drop_all(f, 0);
  script_payload(f, 1000 + (1 << 20), 500, 0);
  expect_ack(f, 0, 1000);
  g_assert_cmpuint(wire_header(f, 0, 0).sack_count, ==, 0);
}

/* RFC 2883 §4 (1): a D-SACK reports the packet that has just come, so that is acknowledged at once; by an
 * ACK of its own, as a segment with payload has no SACK option. Octets below 1000 have come, and what end
 * 0 has to send waits. */
static const struct {
  const char *what;
  range before; /* beyond a hole; empty: there is none */
  range arrival;
  range duplicate;
} reported_by_its_own_ack_rows[] = {
    {"old in front", {0, 0}, {900, 1500}, {900, 1000}},
    {"old in front, and fills the hole", {1500, 2000}, {900, 1500}, {900, 1000}},
    {"the run beyond the hole at its end", {1500, 2000}, {1000, 1700}, {1500, 1700}},
    {"all of that run at its end", {1500, 2000}, {1000, 2000}, {1500, 2000}},
};

ROW_TEST(test_reported_by_its_own_ack, reported_by_its_own_ack_rows)
{
  g_autoptr(tcp_fixture) f = against_script(true, true, false);
  g_test_message("%s", c->what);
  range before = c->before;
  range arrival = c->arrival;
  script_payload(f, 0, 500, 0);
  script_payload(f, 500, 500, 0);
  if (before.from < before.to) {
    script_payload(f, before.from, (uint32_t)(before.to - before.from), 0);
  }
  drop_all(f, 0);
  queue_record(f, 0, 100, 0);
  script_payload(f, arrival.from, (uint32_t)(arrival.to - arrival.from), 0);
  worked_example reported = {.acknowledgement = MAX(arrival.to, before.to), .blocks = {c->duplicate}};
  expect_ack(f, 0, reported.acknowledgement);
  expect_blocks(f, 0, &reported, 0, 4);
  drop_segment(f, 0);
  expect_and_drop(f, 0, 0, 100);
  expect_nothing(f, 0);
}

/* RFC 2883 §4: the blocks after a D-SACK are those of RFC 2018: what they name is SACKed, and 4 SMSS above
 * 1 show that it is lost. */
TCP_TEST(test_blocks_after_a_duplicate, tcp_fixture_scripted(NULL, NULL))
{
  post_losing(f, 10 * EMSS, ALL);
  script_ack(f, EMSS, 2, (const uint64_t[][2]){{0, EMSS}, {2 * EMSS, 6 * EMSS}});
  expect_segment(f, 0, EMSS, EMSS);
  g_assert_cmpuint(statistics_of(f)->duplicates_reported, ==, 1);
}

/* The ACK of 4 segments comes first, then those it has overtaken, as the peer had sent them: of 1 with 2
 * SACKed, of 1 with 5 to 8 SACKed too, of 3 with a D-SACK of the first. With `old_sack` they are read: a
 * block that is below SND.UNA by now is neither a SACK nor a D-SACK, and 4 segments SACKed above the fifth
 * show that it is lost. Without, they are passed over. */
FLAG_TEST(test_overtaken_acks, reads)
{
  g_autoptr(tcp_fixture) f = tcp_fixture_scripted(TCP_WITH(.old_sack = reads), NULL);
  post(f, 0, 10 * EMSS, 0);
  script_ack(f, 4 * EMSS, 0, NULL);
  drop_all(f, 0);
  script_ack(f, EMSS, 1, (const uint64_t[][2]){{2 * EMSS, 3 * EMSS}});
  expect_nothing(f, 0);
  script_ack(f, EMSS, 2, (const uint64_t[][2]){{5 * EMSS, 9 * EMSS}, {2 * EMSS, 3 * EMSS}});
  g_assert_cmpuint(on_wire(f, 0) > 0, ==, reads);
  if (reads) {
    expect_segment(f, 0, 4 * EMSS, EMSS);
  }
  EXPECT_FIELDS(statistics_of(f), (recoveries, reads), (duplicates_reported, 0));
  script_ack(f, 3 * EMSS, 1, (const uint64_t[][2]){{0, EMSS}});
  g_assert_cmpuint(statistics_of(f)->duplicates_reported, ==, reads);
  g_assert_cmpuint(f->end[0].acknowledged, ==, 4 * EMSS);
}

/* Of an ACK that was overtaken nothing else counts: not the window that it advertises, which is older, nor
 * its ECE. RFC 5961 §5.2: if it is older than the largest window it is answered, and not read. */
TCP_TEST(test_overtaken_acks_have_no_other_say,
         tcp_fixture_scripted(TCP_WITH(.old_sack = true, .ecn = TCP_ECN_ON),
                              &(tcp_header){.window = 20000,
                                            .flags = TCP_ECE,
                                            .has_mss = true,
                                            .mss_octets = EMSS,
                                            .has_sack_permitted = true}))
{
  post(f, 0, 20 * EMSS, 0);
  for (unsigned i = 1; i <= 10; i++) {
    script_payload(f, i - 1, 1, i * EMSS);
  }
  drop_all(f, 0);
  uint64_t window = window_of(f);
  tcp_header old = SCRIPT_HEADER(f, 10, 9 * EMSS, .flags = TCP_ACK | TCP_ECE, .sack_count = 1,
                                 .sack = {{sequence_at(f, 0, 0), sequence_at(f, 0, EMSS)}});
  script_segment(f, old, 0, 0);
  EXPECT_FIELDS(statistics_of(f), (duplicates_reported, 1), (ecn_reductions, 0));
  g_assert_cmpuint(window_of(f), ==, window);
  post(f, 0, 500, 0); /* there still is a window */
  g_assert_cmpuint(on_wire(f, 0), ==, 1);
  drop_all(f, 0);
  old.acknowledgement = sequence_at(f, 0, 10 * EMSS - 65535 - 1);
  script_segment(f, old, 0, 0);
  expect_ack(f, 0, 10);
  g_assert_cmpuint(statistics_of(f)->duplicates_reported, ==, 1);
}
