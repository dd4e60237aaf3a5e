/* SPDX-License-Identifier: GPL-2.0-only */
/* How long messages took: means and quantiles of all, by class and by size, exact and within 1 %; which lines
 * messages.csv has; and what waits in applications. */
#include "measure/message_log.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"
#include "base/random_stream.h"
#include "test.h"

enum { CLASSES = 2 };

/* Returns a message that took `ps` until it was complete, half of that until it was delivered, a quarter
 * until it was placed, and whose ideal was `ideal`. */
static message_record took(uint32_t class, uint32_t octets, time_ps ps, time_ps ideal)
{
  return (message_record){.id = 1,
                          .class = class,
                          .octets = octets,
                          .posted = 1000,
                          .first = 1000 + ps / 8,
                          .placed = 1000 + ps / 4,
                          .delivered = 1000 + ps / 2,
                          .completed = 1000 + ps,
                          .ideal = ideal,
                          .counts = true};
}

static message_log *log_of(uint32_t lines)
{
  return message_log_new(&(message_log_config){.class_count = CLASSES, .lines = lines});
}

static double completion(const message_log *log, uint32_t class, uint32_t size_class, message_statistic at)
{
  return message_log_statistics(log, class, size_class).values[MESSAGE_COMPLETION][at];
}

/* Of 1 … 1,000 us the smallest value that half of them do not exceed is 500 us, and so on; the mean is 500.5
 * us. Slowdown is that of delivery, of a Read that of completion: twice as much. */
TEST(test_quantiles)
{
  g_autoptr(message_log) log = log_of(0);
  for (int i = 1000; i > 0; i--) {
    message_record record = took(0, 4096, i * TIME_PS_PER_MICROSECOND, TIME_PS_PER_MICROSECOND / 4);
    message_log_add(log, &record);
  }
  const message_statistics all = message_log_statistics(log, MESSAGES_ALL, MESSAGES_ALL);
  static const double expected_us[] = {500.5, 500, 950, 990, 999};
  g_assert_cmpuint(all.count, ==, 1000);
  g_assert_cmpuint(all.octets, ==, 4096000);
  for (message_statistic at = 0; at < MESSAGE_STATISTICS; at++) {
    g_assert_cmpfloat_with_epsilon(all.values[MESSAGE_COMPLETION][at], expected_us[at] * 1e-6, 1e-18);
    g_assert_cmpfloat_with_epsilon(all.values[MESSAGE_DELIVERED][at], expected_us[at] / 2 * 1e-6, 1e-18);
    g_assert_cmpfloat_with_epsilon(all.values[MESSAGE_PLACED][at], expected_us[at] / 4 * 1e-6, 1e-18);
    g_assert_cmpfloat_with_epsilon(all.values[MESSAGE_SLOWDOWN][at], expected_us[at] * 2, 1e-9);
  }
  g_autoptr(message_log) of_read = log_of(0);
  message_record read = took(0, 1, 8, 4);
  read.comes_back = true;
  message_log_add(of_read, &read);
  g_assert_cmpfloat_with_epsilon(
      message_log_statistics(of_read, 0, MESSAGES_ALL).values[MESSAGE_SLOWDOWN][MESSAGE_MEAN], 2, 1e-12);
}

/* A quantile q needs 1 / (1 - q) messages: 2, 20, 100, 1,000. One without an ideal leaves all without
 * slowdown. */
TEST(test_too_few)
{
  g_autoptr(message_log) log = log_of(0);
  static const uint64_t needed[MESSAGE_STATISTICS] = {1, 2, 20, 100, 1000};
  g_assert_true(isnan(completion(log, 0, MESSAGES_ALL, MESSAGE_MEAN)));
  for (uint64_t i = 1; i <= 1000; i++) {
    message_record record = took(0, 1, 1000, i < 1000 ? 500 : 0);
    message_log_add(log, &record);
    for (message_statistic at = 0; at < MESSAGE_STATISTICS && (i < 25 || i % 99 < 3); at++) {
      g_assert_cmpint(isnan(completion(log, 0, MESSAGES_ALL, at)), ==, i < needed[at]);
    }
    if (i == 999) {
      g_assert_cmpfloat_with_epsilon(message_log_statistics(log, 0, 0).values[MESSAGE_SLOWDOWN][MESSAGE_P99],
                                     1, 1e-12);
    }
  }
  g_assert_true(isnan(message_log_statistics(log, 0, 0).values[MESSAGE_SLOWDOWN][MESSAGE_MEAN]));
}

/* Each class and each size by itself, the bounds in the lower one; what does not count, and what is not
 * complete.
 */
TEST(test_classes)
{
  g_autoptr(message_log) log = log_of(0);
  static const uint32_t octets[] = {0,       4096,          4097,    65536,         65537,
                                    1 << 20, (1 << 20) + 1, 8 << 20, (8 << 20) + 1, UINT32_MAX};
  for (guint i = 0; i < G_N_ELEMENTS(octets); i++) {
    message_record record = took(i % 2, octets[i], 1000 * (i + 1), 1);
    message_log_add(log, &record);
    record.counts = false;
    message_log_add(log, &record);
    message_log_incomplete(log, 1, octets[i]);
  }
  for (uint32_t size = 0; size < MESSAGE_SIZE_CLASSES; size++) {
    g_assert_cmpuint(message_log_statistics(log, MESSAGES_ALL, size).count, ==, 2);
    g_assert_cmpuint(message_log_statistics(log, MESSAGES_ALL, size).octets, ==,
                     (uint64_t)octets[2 * size] + octets[2 * size + 1]);
    g_assert_cmpuint(message_log_statistics(log, 0, size).incomplete, ==, 0);
    g_assert_cmpuint(message_log_statistics(log, 1, size).incomplete, ==, 2);
    g_assert_cmpfloat_with_epsilon(completion(log, 0, size, MESSAGE_MEAN), 1e-9 * (2 * size + 1), 1e-18);
    g_assert_cmpfloat_with_epsilon(completion(log, 1, size, MESSAGE_MEAN), 1e-9 * (2 * size + 2), 1e-18);
  }
  g_assert_cmpstr(message_size_class_name(MESSAGES_TO_64KIB), ==, "upto_64KiB");
  g_assert_cmpstr(message_size_class_name(MESSAGES_ALL), ==, "all");
}

/* With one message more than MESSAGES_EXACT quantiles are within 1 % of the exact ones, of values over nine
 * powers of ten, and marked; means stay exact. */
TEST(test_many)
{
  g_autoptr(message_log) log = log_of(0);
  g_autofree random_stream *random = random_stream_new(1, "messages");
  g_autofree double *values = g_new(double, MESSAGES_EXACT + 1);
  run_results exact = {.block_octets = 0}, binned = {.block_octets = 0};
  double sum = 0;
  for (uint32_t i = 0; i <= MESSAGES_EXACT; i++) {
    const time_ps ps = (time_ps)exp((double)random_stream_below(random, 1 << 20) / (1 << 20) * 20) * 8;
    const message_record record = took(i % 2, (i % 5) << 14, ps, 8);
    if (i == MESSAGES_EXACT) {
      message_log_set_results(log, &exact);
    }
    message_log_add(log, &record);
    values[i] = (double)ps;
    sum += (double)ps;
  }
  message_log_set_results(log, &binned);
  g_assert_cmpfloat(exact.metrics.value[METRIC_MESSAGE_QUANTILE_ERROR], ==, 0);
  g_assert_cmpfloat(binned.metrics.value[METRIC_MESSAGE_QUANTILE_ERROR], ==, 0.01);
  g_assert_cmpfloat_with_epsilon(binned.metrics.value[METRIC_MESSAGE_COMPLETION_MEAN_S],
                                 sum / (MESSAGES_EXACT + 1) * 1e-12, 1e-15);
  for (guint i = 0; i < 2; i++) {
    const uint32_t count = MESSAGES_EXACT + i;
    const run_results *of = i == 0 ? &exact : &binned;
    const double error = i == 0 ? 1e-12 : 0.01;
    qsort(values, count, sizeof *values, compare_doubles);
    static const double shares[] = {0.5, 0.95, 0.99, 0.999};
    for (guint k = 0; k < G_N_ELEMENTS(shares); k++) {
      const double value = values[(uint32_t)ceil(count * shares[k] - 1e-6) - 1];
      g_assert_cmpfloat_with_epsilon(of->metrics.value[METRIC_MESSAGE_COMPLETION_P50_S + k], value * 1e-12,
                                     value * 1e-12 * error);
      g_assert_cmpfloat_with_epsilon(of->metrics.value[METRIC_MESSAGE_SLOWDOWN_P50 + k], value / 16,
                                     value / 16 * error);
    }
  }
  g_assert_cmpfloat(distribution_weight(&binned.distributions[DISTRIBUTION_MESSAGE_COMPLETION_S]), ==,
                    MESSAGES_EXACT + 1);
  run_results_clear(&exact);
  run_results_clear(&binned);
}

static const char *const hosts[] = {"h0", "h1"};
static const char *const classes[CLASSES] = {"background", "incast"};
static const char *const operations[] = {"write", "read"};
static const message_log_names names = {.classes = classes, .hosts = hosts, .operations = operations};

/* Returns messages.csv. */
static char *written(const message_log *log)
{
  char *text = NULL;
  size_t length;
  FILE *file = open_memstream(&text, &length);
  message_log_write(log, &names, file);
  fclose(file);
  return text;
}

/* Times have all their picoseconds: 1 s and 1 ps. A Read's slowdown is that of its completion: 5 / 4. What is
 * not known is empty. */
TEST(test_lines)
{
  g_autoptr(message_log) log = log_of(10);
  const message_record read = {.id = 7,
                               .class = 1,
                               .source = 1,
                               .connection = 3,
                               .operation = 1,
                               .octets = 4096,
                               .posted = TIME_PS_PER_SECOND + 1,
                               .first = TIME_PS_NEVER,
                               .placed = TIME_PS_PER_SECOND + 3,
                               .delivered = TIME_PS_PER_SECOND + 4,
                               .completed = TIME_PS_PER_SECOND + 6,
                               .ideal = 4,
                               .comes_back = true};
  message_record write = took(0, 1, 8, 0);
  message_log_add(log, &read);
  message_log_add(log, &write);
  g_autofree char *text = written(log);
  g_assert_cmpstr(
      text, ==,
      "# all 2 messages that were complete, in this order\n"
      "id,class,source,destination,connection,operation,octets,posted_s,first_octet_s,placed_s,delivered_s,"
      "completed_s,ideal_s,slowdown\n"
      "7,incast,h1,h0,3,read,4096,1.000000000001,,1.000000000003,1.000000000004,1.000000000006,0."
      "000000000004,1.25\n"
      "1,background,h0,h0,0,write,1,0.000000001000,0.000000001001,0.000000001002,0.000000001004,0."
      "000000001008,,\n");
}

/* Of 1,000 messages there are at most 10 lines with every 128th: 0, 128, 256 … 896. 0 lines are none. */
TEST(test_line_limit)
{
  g_autoptr(message_log) log = log_of(10);
  g_autoptr(message_log) none = log_of(0);
  for (uint64_t id = 0; id < 1000; id++) {
    message_record record = took(0, 1, 1, 1);
    record.id = id;
    message_log_add(log, &record);
    message_log_add(none, &record);
  }
  g_autofree char *text = written(log), *empty = written(none);
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1), of_none = g_strsplit(empty, "\n", -1);
  g_assert_cmpstr(lines[0], ==, "# one in 128 of the 1000 messages that were complete, in this order");
  g_assert_cmpstr(of_none[0], ==, "# none of the 1000 messages that were complete, in this order");
  g_assert_cmpuint(g_strv_length(lines), ==, 2 + 8 + 1);
  for (uint64_t i = 0; i < 8; i++) {
    g_assert_cmpuint(g_ascii_strtoull(lines[2 + i], NULL, 10), ==, 128 * i);
  }
  g_assert_cmpuint(g_strv_length(of_none), ==, 3);
}

/* 0 for 10 us, 4 for 80 us and 1 for 10 us are 3.3 on average; 99 % of the time it is no more than 4, and
 * never more: 9 for no time have not waited. Without messages there is no metric, whatever waited. */
TEST(test_queued)
{
  g_autoptr(message_log) log = log_of(0);
  run_results results = {.block_octets = 0};
  message_log_queued(log, 0, 5 * TIME_PS_PER_MICROSECOND);
  message_log_queued(log, 9, 15 * TIME_PS_PER_MICROSECOND);
  message_log_queued(log, 4, 15 * TIME_PS_PER_MICROSECOND);
  message_log_queued(log, 1, 95 * TIME_PS_PER_MICROSECOND);
  message_log_queued(log, 0, 105 * TIME_PS_PER_MICROSECOND);
  message_log_set_results(log, &results);
  g_assert_false(results.metrics.present[METRIC_MESSAGE_QUEUED_MEAN_MESSAGES]);
  message_log_incomplete(log, 0, 1);
  message_log_set_results(log, &results);
  g_assert_cmpfloat_with_epsilon(results.metrics.value[METRIC_MESSAGE_QUEUED_MEAN_MESSAGES], 3.3, 1e-12);
  g_assert_cmpfloat(results.metrics.value[METRIC_MESSAGE_QUEUED_P99_MESSAGES], ==, 4);
  g_assert_cmpfloat(results.metrics.value[METRIC_MESSAGE_QUEUED_PEAK_MESSAGES], ==, 4);
  g_assert_cmpfloat(results.metrics.value[METRIC_MESSAGE_INCOMPLETE], ==, 1);
  g_assert_false(results.metrics.present[METRIC_MESSAGE_COMPLETION_MEAN_S]);
  run_results_clear(&results);
}

/* The distribution of a class has all its messages, of every size, and no other's; beyond 10^6 messages as
 * well. A bound is at most 1/16 above what is below it. */
TEST(test_completion_of_a_class)
{
  static const int counts[] = {3, MESSAGES_EXACT};
  for (gsize i = 0; i < G_N_ELEMENTS(counts); i++) {
    g_autoptr(message_log) log = log_of(0);
    distribution times;
    message_record other = took(1, 1, TIME_PS_PER_MILLISECOND, 1),
                   large = took(0, 1 << 20, 8 * TIME_PS_PER_MICROSECOND, 1);
    message_log_add(log, &other);
    message_log_add(log, &large);
    for (int k = 0; k < counts[i]; k++) {
      message_record small = took(0, 1, 2 * TIME_PS_PER_MICROSECOND, 1);
      message_log_add(log, &small);
    }
    message_log_completion(log, 0, &times);
    g_assert_cmpuint(times.count, ==, 2);
    g_assert_cmpfloat(times.bins[0].weight, ==, counts[i]);
    g_assert_cmpfloat_with_epsilon(times.bins[0].bound, 2e-6, 2e-6 / 16);
    g_assert_cmpfloat(times.bins[1].weight, ==, 1);
    g_assert_cmpfloat_with_epsilon(times.bins[1].bound, 8e-6, 8e-6 / 16);
    distribution_clear(&times);
  }
}
