/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about the table of metrics: complete, unambiguous, and with the names that tools outside
 * the repository rely on. */
#include <string.h>

#include "measure/metric_table.h"
#include "string_list.h"
#include "test.h"

TEST(test_every_row_is_filled)
{
  for (int id = 0; id < METRIC_COUNT; id++) {
    const metric_row *row = metric_row_of((metric_id)id);
    g_assert_nonnull(row->name);
    g_assert_nonnull(row->unit);
    g_assert_nonnull(row->sentence);
    g_assert_true(g_str_has_suffix(row->sentence, "."));
    g_assert_true(g_ascii_isupper(row->sentence[0]));
    const char *const sides[] = {"Data Sink", "Data Source", "path", "run", NULL};
    g_assert_true(g_strv_contains(sides, metric_side_name(row->side)));
    /* This is what docs/metrics.md promises of names. */
    g_assert_cmpint(row->is_of_machine, ==,
                    strstr(row->name, "wall") || strstr(row->name, "cpu") || strstr(row->name, "events"));
  }
}

/* The unit that a name ends in is the unit of the row. */
TEST(test_units_agree_with_names)
{
  for (int id = 0; id < METRIC_COUNT; id++) {
    const metric_row *row = metric_row_of((metric_id)id);
    if (strstr(row->name, "octets")) {
      g_assert_cmpstr(row->unit, ==, "octets");
    }
    if (g_str_has_suffix(row->name, "_s") && !g_str_has_suffix(row->name, "_per_s")) {
      g_assert_cmpstr(row->unit, ==, "s");
    }
    if (g_str_has_suffix(row->name, "_bit_per_s")) {
      g_assert_cmpstr(row->unit, ==, "bit/s");
    }
  }
}

TEST(test_find_is_the_inverse_of_row)
{
  for (int id = 0; id < METRIC_COUNT; id++) {
    g_assert_cmpint(metric_find(metric_row_of((metric_id)id)->name), ==, id); /* so names are unique, too */
  }
  g_assert_cmpint(metric_find("buffer.reassembly"), ==, METRIC_COUNT);
  g_assert_cmpint(metric_find(""), ==, METRIC_COUNT);
}

/* Names that tools outside the repository rely on: changing one needs an entry in CHANGELOG.md. */
TEST(test_names_others_rely_on)
{
  const char *const *name = STRINGS(
      "tcp.segments", "tcp.segments_out_of_order", "tcp.retransmissions", "tcp.timeouts",
      "tcp.spurious_retransmissions", "mpa.fpdus", "mpa.markers", "mpa.segments_aligned",
      "mpa.located_by_chain", "mpa.located_by_marker", "mpa.located_by_marker_chain", "mpa.crc_errors",
      "placement.octets", "placement.octets_direct", "placement.octets_buffered",
      "placement.octets_out_of_order", "buffer.reassembly_peak_octets", "buffer.reassembly_mean_octets",
      "buffer.reassembly_p99_octets", "buffer.reassembly_p99_octets_in_recovery", "buffer.total_peak_octets",
      "buffer.peak_octets.incomplete", "buffer.peak_octets.unlocated", "buffer.peak_octets.order",
      "buffer.peak_octets.fragment", "buffer.peak_octets.processing", "buffer.written_octets",
      "buffer.read_octets", "buffer.release_burst_peak_octets", "state.holes_peak",
      "state.partial_fpdus_peak", "state.undelivered_peak", "delay.placement_mean_s", "delay.delivery_mean_s",
      "goodput_bit_per_s", "efficiency_wire", "delivery.messages", "delivery.octets",
      "integrity.octets_wrong", "time.simulated_s", "time.wall_s", "theory.buffer_tcp_octets",
      "theory.buffer_naf_octets", "theory.buffer_af_octets", "fit.k", "fit.k1", "fit.k2");
  for (; *name; name++) {
    g_test_message("%s", *name);
    g_assert_cmpint(metric_find(*name), !=, METRIC_COUNT);
  }
  g_assert_cmpint(metric_find("buffer.reassembly_peak_octets"), ==, METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS);
  g_assert_cmpint(metric_find("fit.k2"), ==, METRIC_FIT_K2);
}

TEST(test_values_are_absent_until_set)
{
  metric_values values = {0};
  for (int id = 0; id < METRIC_COUNT; id++) {
    g_assert_false(values.present[id]);
  }
  metric_values_set(&values, METRIC_MPA_FPDUS, 0);
  g_assert_true(values.present[METRIC_MPA_FPDUS]); /* a zero is a value */
  metric_values_set(&values, METRIC_MPA_FPDUS, 17);
  g_assert_cmpfloat(values.value[METRIC_MPA_FPDUS], ==, 17);
  g_assert_false(values.present[METRIC_MPA_MARKERS]);
}

/* Counts of several connections are added, their peaks are not; a zero is a value. */
TEST(test_counts_are_combined)
{
  const uint64_t counts[] = {0, 5, 3};
  metric_values values = {0};

  for (gsize i = 0; i < G_N_ELEMENTS(counts); i++) {
    metric_values_count(&values, METRIC_MPA_FPDUS, counts[i]);
    metric_values_count(&values, METRIC_PATH_QUEUE_PEAK_OCTETS, counts[i]);
    g_assert_true(values.present[METRIC_MPA_FPDUS]);
  }
  g_assert_cmpfloat(values.value[METRIC_MPA_FPDUS], ==, 8);
  g_assert_cmpfloat(values.value[METRIC_PATH_QUEUE_PEAK_OCTETS], ==, 5);
}
