/* SPDX-License-Identifier: GPL-2.0-only */
/* What every middlebox owes every stream, alone and in a row of two: random_flows.h. */
#include <glib.h>

#include "network/path_middleboxes.h"
#include "path_fixture.h"
#include "random_flows.h"

enum { HOLD_PS = 1000, KINDS = 8 };

static path_element *new_box(guint kind, random_stream *random)
{
  switch (kind) {
  case 0:
    return &path_rechunk_new(
                &(path_middleboxes_config){.chunk_octets = 1000, .phase_octets = 0, .flush_ps = HOLD_PS},
                NULL)
                ->element;
  case 1:
    return &path_rechunk_new(
                &(path_middleboxes_config){.chunk_octets = 37, .phase_octets = 11, .flush_ps = HOLD_PS}, NULL)
                ->element;
  case 2:
    return &path_random_cut_new(&(path_middleboxes_config){.random_minimum_octets = 1,
                                                           .random_maximum_octets = 1460,
                                                           .flush_ps = HOLD_PS},
                                random)
                ->element;
  case 3:
    return &path_random_cut_new(&(path_middleboxes_config){.random_minimum_octets = 200,
                                                           .random_maximum_octets = 200,
                                                           .flush_ps = HOLD_PS},
                                random)
                ->element;
  case 4:
    return &path_shift_new(&(path_middleboxes_config){.shift_octets = 100, .flush_ps = HOLD_PS}, NULL)
                ->element;
  case 5:
    return &path_shift_new(&(path_middleboxes_config){.shift_octets = 2000, .flush_ps = HOLD_PS}, NULL)
                ->element; /* beyond any segment */
  case 6:
    return &path_split_new(&(path_middleboxes_config){.split_octets = 536}, NULL)->element;
  case 7:
    return &path_coalesce_new(&(path_middleboxes_config){.coalesce_octets = 4000, .coalesce_ps = HOLD_PS},
                              NULL)
                ->element;
  default:
    g_assert_not_reached();
  }
}

static void test_alone(gconstpointer user)
{
  for (uint32_t seed = 1; seed <= 10; seed++) {
    g_autoptr(random_stream) random = random_stream_new(seed, "cuts");
    g_autoptr(path_element) box = new_box(GPOINTER_TO_UINT(user), random);
    random_flows_check(&box, 1, HOLD_PS, seed);
  }
}

/* Each kind in front of each: what one makes, the other takes. */
static void test_in_a_row(gconstpointer user)
{
  for (guint behind = 0; behind < KINDS; behind++) {
    g_autoptr(random_stream) random = random_stream_new(behind, "cuts");
    path_element *boxes[] = {new_box(GPOINTER_TO_UINT(user), random), new_box(behind, random)};
    random_flows_check(boxes, G_N_ELEMENTS(boxes), HOLD_PS, 20 + behind);
    path_element_free(boxes[0]);
    path_element_free(boxes[1]);
  }
}

/* Four segments far after all that came before, of which the last leaves nothing waiting, seven times:
 * position 2^31 is passed, and 2^32. A box that draws nothing does each time what it did the second time, the
 * first after a hole; places differ by a multiple of 1000 and of 37, the cells' sizes. */
static void test_far_positions(gconstpointer user)
{
  enum { SEGMENTS = 4, SEGMENT_OCTETS = 1460, KIND_THAT_DRAWS = 2 };
  const int64_t apart = INT64_C(37000) * 40540;
  g_autoptr(random_stream) random = random_stream_new(1, "cuts");
  g_auto(path_fixture) f = fixture_connected(new_box(GPOINTER_TO_UINT(user), random));
  guint expected[SEGMENTS] = {0};

  for (int64_t place = 0; place < 7; place++) {
    uint64_t octets = 0;

    for (int i = 0; i < SEGMENTS; i++) {
      const int64_t from = place * apart + i * SEGMENT_OCTETS;

      fixture_segment(&f, from, from + SEGMENT_OCTETS, i + 1 == SEGMENTS ? TCP_PSH : 0, 0);
      expected[i] = place <= 1 ? f.output->len : expected[i];
      if (GPOINTER_TO_UINT(user) != KIND_THAT_DRAWS) {
        g_assert_cmpuint(f.output->len, ==, expected[i]);
      }
      for (guint n = 0; n < f.output->len; n++) {
        octets += fixture_packet(&f, n)->payload.length;
      }
      test_output_clear(f.output);
    }
    g_assert_cmpuint(octets, ==, SEGMENTS * SEGMENT_OCTETS);
  }
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  for (guint kind = 0; kind < KINDS; kind++) {
    g_autoptr(random_stream) random = random_stream_new(0, "name");
    g_autoptr(path_element) box = new_box(kind, random);
    g_autofree char *alone = g_strdup_printf("/path_middleboxes/alone/%s-%u", box->class->name, kind);
    g_autofree char *in_a_row = g_strdup_printf("/path_middleboxes/in_a_row/%s-%u", box->class->name, kind);
    g_test_add_data_func(alone, GUINT_TO_POINTER(kind), test_alone);
    g_autofree char *far = g_strdup_printf("/path_middleboxes/far_positions/%s-%u", box->class->name, kind);
    g_test_add_data_func(in_a_row, GUINT_TO_POINTER(kind), test_in_a_row);
    g_test_add_data_func(far, GUINT_TO_POINTER(kind), test_far_positions);
  }
  return g_test_run();
}
