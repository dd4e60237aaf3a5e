/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about the middlebox that cuts at random places: path_resegment.c. */
#include "network/path_middleboxes.h"
#include "path_fixture.h"
#include "test.h"

enum { FLUSH_PS = 1000 };

/* Pieces of `least` to `most` octets. */
static path_fixture *set_up(uint32_t least, uint32_t most)
{
  const path_middleboxes_config config = {
      .random_minimum_octets = least, .random_maximum_octets = most, .flush_ps = FLUSH_PS};
  random_stream *random = random_stream_new(1, "cuts");
  path_fixture *box = fixture_connected(&path_random_cut_new(&config, random)->element);

  box->random = random;
  return box;
}

/* Lengths are uniform in [min, max]: of 10,000 pieces of 10 … 14 octets each length has 2000 on average
 * with a standard deviation of 40; 5 of those are allowed. */
PATH_TEST(test_lengths_are_uniform, set_up(10, 14))
{
  guint counts[15] = {0};
  guint pieces = 0;

  for (int64_t from = 0; pieces < 10000; from += 1460) {
    fixture_segment(f, from, from + 1460, 0, 0);
    for (guint i = 0; i < f->output->len; i++) {
      uint32_t length = fixture_packet(f, i)->payload.length;
      g_assert_cmpuint(length, <=, 14);
      counts[length]++;
    }
    pieces += f->output->len;
    test_output_clear(f->output);
  }
  for (guint length = 0; length < 10; length++) {
    g_assert_cmpuint(counts[length], ==, 0);
  }
  for (guint length = 10; length <= 14; length++) {
    g_assert_cmpfloat_with_epsilon(counts[length], pieces / 5, 200);
  }
}

/* With min = max = 1000 places are known: a piece waits for its last octet, is drawn once, and after a
 * flush a new one begins. */
PATH_TEST(test_pieces_wait_for_their_end, set_up(1000, 1000))
{
  fixture_steps(f, "[0,700). >; [700,2100). > [0,1000). [1000,2000).; [2100,2500)P. > [2000,2500)P.;"
                   "[2500,3400). >; due 1000; @1000 > [2500,3400).");
}

/* A retransmission is cut anew, from its own first octet on, and passes at once. */
PATH_TEST(test_retransmissions, set_up(1000, 1000))
{
  fixture_steps(f, "[0,2300). > [0,1000). [1000,2000).; [300,1900). > [300,1300). [1300,1900).;"
                   "[1500,2500). > [1500,2000).; [2500,3000). > [2000,3000).;"
                   "[2500,3600). > [2500,3500).; [3600,4500). > [3500,4500).");
}

/* The same retransmission three times, lengths 1 … 1000: three different cuts. */
PATH_TEST(test_cut_anew_each_time, set_up(1, 1000))
{
  uint32_t first[3];

  fixture_segment(f, 0, 1460, TCP_PSH, 0);
  for (guint i = 0; i < 3; i++) {
    test_output_clear(f->output);
    fixture_segment(f, 0, 1460, 0, 0);
    first[i] = fixture_packet(f, 0)->payload.length;
  }
  g_assert_cmpuint(first[0], !=, first[1]);
  g_assert_cmpuint(first[1], !=, first[2]);
}

/* A length is drawn once for a piece, not again with each segment that it waits for: of 1 … 100 with
 * segments of 1 octet, drawing again would make pieces of 10 octets on average, not of 50.5. */
PATH_TEST(test_drawn_once, set_up(1, 100))
{
  guint pieces = 0;

  for (int64_t from = 0; from < 50000; from++) {
    fixture_segment(f, from, from + 1, 0, 0);
    pieces += f->output->len;
    test_output_clear(f->output);
  }
  /* about 990 pieces, with a standard deviation of 0.57 * 31.5 = 18 */
  g_assert_cmpuint(pieces, >, 900);
  g_assert_cmpuint(pieces, <, 1080);
}
