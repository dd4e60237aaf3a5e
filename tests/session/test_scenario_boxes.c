/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about the middleboxes of `middlebox.mode`: the configuration of each, their order, and
 * where they stand in both directions. */
#include "network/path_middleboxes.h"

#include "session_fixture.h"
#include <string.h>

static const uint64_t GBIT = 1000000000;

/* A second of waiting keeps the timers of the boxes out of what is not about them. */
static const char patient[] = "middlebox = { flush = \"1s\"; coalesce_time = \"1s\"; };";

/* --- Words and keys --- */

typedef struct box_case {
  const char *sets[4];
  uint32_t lengths[4]; /* of what comes in, the last one with PSH */
  const char *out;     /* first the SYN */
} box_case;

static const box_case cases[] = {
    {{"middlebox.mode=split", "middlebox.split_size=400"}, {1000}, "0 400 400 200"},
    /* 500 + 500 make 1000; the third begins anew, and waits until PSH lets it go with the fourth. */
    {{"middlebox.mode=coalesce", "middlebox.coalesce_size=1000"}, {500, 500, 500, 200}, "0 1000 700"},
    {{"middlebox.mode=rechunk", "middlebox.chunk=400", "middlebox.phase=100"}, {1000}, "0 100 400 400 100"},
    /* Each boundary 100 octets further, that of the beginning, too. */
    {{"middlebox.mode=shift", "middlebox.shift_by=100"}, {1000, 1000}, "0 100 1000 900"},
    {{"middlebox.mode=random", "middlebox.random_minimum=250", "middlebox.random_maximum=250"},
     {1000},
     "0 250 250 250 250"},
    /* One after the other, in the order of the words. */
    {{"middlebox.mode=split+coalesce", "middlebox.split_size=400", "middlebox.coalesce_size=900"},
     {1000},
     "0 800 200"},
    {{"middlebox.mode=coalesce+split", "middlebox.split_size=400", "middlebox.coalesce_size=1000"},
     {500, 500},
     "0 400 400 200"},
    {{"middlebox.mode=split+shift", "middlebox.split_size=400", "middlebox.shift_by=100"},
     {1000},
     "0 100 400 400 100"},
    {{"middlebox.mode=none"}, {1000}, "0 1000"},
};

ROW_TEST(test_words_and_keys, cases)
{
  const char *sets[5] = {NULL};
  int64_t position = 0;

  memcpy(sets, c->sets, sizeof c->sets);
  g_autoptr(way) w = way_opened(SIDE_INITIATOR, patient, sets);
  for (gsize j = 0; j < G_N_ELEMENTS(c->lengths) && c->lengths[j] > 0; j++) {
    bool last = j + 1 == G_N_ELEMENTS(c->lengths) || c->lengths[j + 1] == 0;

    way_send(w, position, c->lengths[j], last ? TCP_ACK | TCP_PSH : TCP_ACK);
    position += c->lengths[j];
  }
  way_run(w);
  assert_lengths(w->out, c->out);
}

/* Pieces of 100 to 200 octets: five to ten of 1000, the last one as short as it is; not the same for
 * another seed. */
TEST(test_random_pieces)
{
  char *all[2];

  for (guint seed = 1; seed <= 2; seed++) {
    g_autofree char *seed_set = g_strdup_printf("run.seed=%u", seed);
    guint32 sum = 0;

    g_autoptr(way) w = way_opened(SIDE_INITIATOR, patient,
                                  STRINGS("middlebox.mode=random", "middlebox.random_minimum=100",
                                          "middlebox.random_maximum=200", seed_set));
    way_send(w, 0, 1000, TCP_ACK | TCP_PSH);
    way_run(w);
    g_assert_cmpuint(w->out->len, >=, 1 + 5);
    g_assert_cmpuint(w->out->len, <=, 1 + 10);
    for (guint i = 1; i < w->out->len; i++) {
      guint32 length = arrival_at(w->out, i)->packet->payload.length;
      sum += length;
      g_assert_cmpuint(length, <=, 200);
      g_assert_true(length >= 100 || i + 1 == w->out->len);
    }
    g_assert_cmpuint(sum, ==, 1000);
    all[seed - 1] = lengths_of(w->out);
  }
  g_assert_cmpstr(all[0], !=, all[1]);
  g_free(all[0]);
  g_free(all[1]);
}

/* The first box that cuts at random draws from "random.forward.0" or "random.reverse.0": a run is repeated by
 * these names. */
TEST(test_names_of_streams)
{
  for (enum side direction = 0; direction < SIDES; direction++) {
    g_autofree random_stream *named =
        random_stream_new(7, direction == SIDE_INITIATOR ? "random.forward.0" : "random.reverse.0");
    g_autoptr(way) w = way_opened(direction, patient,
                                  STRINGS("run.seed=7", "middlebox.mode=random",
                                          "middlebox.random_minimum=100", "middlebox.random_maximum=200"));
    way_send(w, 0, 1000, TCP_ACK | TCP_PSH);
    way_run(w);
    for (guint i = 1; i + 1 < w->out->len; i++) {
      g_assert_cmpuint(arrival_at(w->out, i)->packet->payload.length, ==,
                       100 + random_stream_below(named, 101));
    }
  }
}

/* Returns the pieces of two segments that a box of `mode` sends; free with g_free(). */
static char *pieces_of(const char *mode)
{
  g_autoptr(way) w = way_opened(SIDE_INITIATOR, patient,
                                STRINGS(mode, "middlebox.random_minimum=100", "middlebox.random_maximum=200",
                                        "middlebox.split_size=1000"));
  way_send(w, 0, 1000, TCP_ACK);
  way_send(w, 1000, 1000, TCP_ACK | TCP_PSH);
  way_run(w);
  return lengths_of(w->out);
}

/* Each box draws for itself: others before it or after it that do nothing here change no piece; two of
 * a kind do not draw the same. */
TEST(test_each_box_draws_for_itself)
{
  g_autofree char *alone = pieces_of("middlebox.mode=random");
  g_autofree char *after = pieces_of("middlebox.mode=split+random");
  g_autofree char *before = pieces_of("middlebox.mode=random+split");
  g_autofree char *twice = pieces_of("middlebox.mode=random+random");

  g_assert_cmpstr(after, ==, alone);
  g_assert_cmpstr(before, ==, alone);
  g_assert_cmpstr(twice, !=, alone);
}

/* What waits goes on after `flush`, or `coalesce_time`, with PSH, too, where that does nothing: here from a
 * link of 1 us, at which a packet of 140 octets takes 142 * 0.8 ns. The boxes stand after it. */
static const struct {
  const char *sets[4];
  time_ps waits;
  uint8_t push;
} times[] = {
    {{"middlebox.mode=coalesce", "middlebox.coalesce_time=13us"}, 13 * US, 0},
    {{"middlebox.mode=coalesce", "middlebox.coalesce_time=13us"}, 0, TCP_PSH},
    {{"middlebox.mode=coalesce", "middlebox.coalesce_time=13us", "middlebox.push=ignore"}, 13 * US, TCP_PSH},
    {{"middlebox.mode=rechunk", "middlebox.flush=17us"}, 17 * US, 0},
    {{"middlebox.mode=rechunk", "middlebox.flush=17us", "middlebox.push=ignore"}, 17 * US, TCP_PSH},
    {{"middlebox.mode=shift", "middlebox.flush=19us"}, 19 * US, 0},
    {{"middlebox.mode=random", "middlebox.random_minimum=500", "middlebox.flush=23us"}, 23 * US, 0},
};

ROW_TEST(test_times, times)
{
  g_autoptr(way) w = way_new(SIDE_INITIATOR, "middlebox = { position = \"behind\"; };", c->sets);
  way_send(w, -1, 0, TCP_SYN);
  way_run(w);
  time_ps now = engine_now(w->clock);
  way_send(w, 0, 90, TCP_ACK | c->push);
  way_run(w);
  g_assert_cmpint(way_arrived(w, 1), ==, now + link_ps(130, 10 * GBIT, 25 * US) + c->waits);
}

/* --- Positions --- */

/* Returns three links of different rates without delay, and a box that cuts a segment of 1000 octets in two
 * of 500: an IP packet of 1040, two of 540. The links are faster one by one, so that the second piece waits
 * only where the box stands: in front of the link `cut_before` (3: after the last). It arrives when that link
 * has had the first piece and then it. */
static time_ps second_piece_at(const uint64_t rates[3], guint cut_before)
{
  time_ps at = 0;

  for (guint i = 0; i < 3; i++) {
    at += i == cut_before ? busy_ps(540, rates[i]) : 0;
    at += link_ps(i < cut_before ? 1040 : 540, rates[i], 0);
  }
  return at;
}

/* Each direction has its own box: `before` at its own sender, `between` after the forward direction's
 * first link, which is in front of the reverse direction's last one, `behind` at its own receiver. */
static const struct {
  const char *position;
  guint cut_before[SIDES];
} positions_rows[] = {{"middlebox.position=before", {0, 0}},
                      {"middlebox.position=between", {1, 2}},
                      {"middlebox.position=behind", {3, 3}}};

ROW_TEST(test_positions, positions_rows)
{
  static const uint64_t rates[] = {1000000000, 2000000000, 4000000000};
  for (enum side direction = 0; direction < SIDES; direction++) {
    g_autoptr(way) w = way_opened(direction, "",
                                  STRINGS("middlebox.mode=split", "middlebox.split_size=500", c->position,
                                          "path.forward.rate=1Gbit/s", "path.forward.delay=0s",
                                          "path.forward.hop_rate=[2Gbit/s,4Gbit/s]"));
    engine_run(w->clock, 100 * US);
    way_send(w, 0, 1000, TCP_ACK | TCP_PSH);
    way_run(w);
    assert_lengths(w->out, "0 500 500");
    g_assert_cmpint(way_arrived(w, 2), ==, 100 * US + second_piece_at(rates, c->cut_before[direction]));
  }
}

/* `drop` counts what enters the impairments: the pieces made by a box before them, the whole segment if the
 * box comes after them. Two segments of 1000 are cut at 400, 800, 1000, 1200, 1600. */
static const struct {
  const char *position, *out;
} losses_before_and_behind_rows[] = {{"middlebox.position=before", "0 400 200 200 400 400"},
                                     {"middlebox.position=behind", "0 400 400 200"}};

ROW_TEST(test_losses_before_and_behind, losses_before_and_behind_rows)
{
  g_autoptr(way) w = way_opened(
      SIDE_INITIATOR, "",
      STRINGS("middlebox.mode=rechunk", "middlebox.chunk=400", "path.forward.drop=[2]", c->position));
  way_send(w, 0, 1000, TCP_ACK | TCP_PSH);
  way_send(w, 1000, 1000, TCP_ACK | TCP_PSH);
  way_run(w);
  assert_lengths(w->out, c->out);
}

/* A box that joins segments, or moves octets of one into the next, may make them longer than what came;
 * one that only cuts may not. */
static const struct {
  const char *mode;
  bool may;
} which_may_enlarge_rows[] = {{"middlebox.mode=none", false},       {"middlebox.mode=split", false},
                              {"middlebox.mode=rechunk", false},    {"middlebox.mode=random", false},
                              {"middlebox.mode=proxy", false},      {"middlebox.mode=shift", true},
                              {"middlebox.mode=coalesce", true},    {"middlebox.mode=split+coalesce", true},
                              {"middlebox.mode=shift+split", true}, {"middlebox.mode=rechunk+random", false}};

ROW_TEST(test_which_may_enlarge, which_may_enlarge_rows)
{
  g_autoptr(scenario) s = temporary_scenario("", STRINGS(c->mode));

  g_assert_cmpint(path_middleboxes_may_enlarge(&scenario_configuration(s)->path.middleboxes), ==, c->may);
}
