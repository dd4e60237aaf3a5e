/* SPDX-License-Identifier: GPL-2.0-only */
#include "measure/message_log.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "measure/time_distribution.h"

/* --- Bins ---
 *
 * Values from 1 on (picoseconds, and ratios) are counted in bins: each power of two is cut into 64 equal
 * ones. The bin [a, a + w) within [2^e, 2^(e + 1)) has w = 2^e / 64 and a >= 2^e. What is taken for a value
 * of it is its middle, which differs from the value by w / 2 = 2^e / 128 at most: by less than 1/128 of the
 * value, which is less than MESSAGES_QUANTILE_ERROR. A quantile is one of the values: that with its rank; and
 * the bin that holds this rank holds that value, since bins are in the order of what they hold.
 *
 * The bits of a double, taken as a whole number, are in the order of the values; the six highest of the
 * fraction are the part of the power of two. */
enum { BIN_BITS = 6, FRACTION_BITS = 52, EXPONENT_OF_1 = 1023, POWERS = 64, BINS = (POWERS << BIN_BITS) + 1 };

/* Returns the bits of `value` (>= 0), and what has them. */
static uint64_t bits_of(double value)
{
  uint64_t bits;

  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static double value_of(uint64_t bits)
{
  double value;

  memcpy(&value, &bits, sizeof value);
  return value;
}

/* Returns the bin of the value with `bits`: 0 is for what is below 1. */
static size_t bin_of(uint64_t bits)
{
  const uint64_t of_1 = (uint64_t)EXPONENT_OF_1 << BIN_BITS, part = bits >> (FRACTION_BITS - BIN_BITS);

  return part < of_1 ? 0 : MIN(part - of_1 + 1, BINS - 1);
}

static double middle_of(size_t bin)
{
  const uint64_t parts = (bin - 1) & ((1U << BIN_BITS) - 1);

  return bin == 0 ? 0 : ldexp(1 + ((double)parts + 0.5) / (1U << BIN_BITS), (int)((bin - 1) >> BIN_BITS));
}

/* --- The log --- */

/* The messages of one class and size class that count. */
typedef struct message_group {
  uint64_t count, incomplete, octets;
  double sums[MESSAGE_QUANTITIES];
  GArray *values[MESSAGE_QUANTITIES]; /* bits_of() picoseconds, or of a ratio; NULL: none, or the bins have
                                         them */
  uint32_t *bins[MESSAGE_QUANTITIES]; /* how many are in each; NULL: the values are here */
  bool is_sorted;                     /* each of these */
} message_group;

struct message_log {
  message_log_config config;
  message_group *groups;                /* of each class, and there of each size class */
  uint64_t count;                       /* of all groups */
  bool is_binned;                       /* the groups have bins: there are too many messages */
  bool has_no_ideal;                    /* of some message */
  value_histogram completion, slowdown; /* the latter in SLOWDOWN_PARTS */
  GArray *lines;                        /* of message_record: every `step`-th of … */
  uint64_t step, finished;              /* … so many */
  time_distribution queued;
  uint64_t queued_now, queued_peak;
  time_ps queued_from,
      queued_since; /* the first call's time, and the last one's; TIME_PS_NEVER: none so far */
};

static const double slowdown_parts = 1 << 20;

static const struct {
  const char *name;
  uint64_t octets; /* at most */
} size_classes[MESSAGE_SIZE_CLASSES] = {{"upto_4KiB", 4 << 10},
                                        {"upto_64KiB", 64 << 10},
                                        {"upto_1MiB", 1 << 20},
                                        {"upto_8MiB", 8 << 20},
                                        {"above_8MiB", UINT64_MAX}};

const char *message_size_class_name(uint32_t size_class)
{
  return size_class < MESSAGE_SIZE_CLASSES ? size_classes[size_class].name : "all";
}

static message_group *group_of(const message_log *log, uint32_t class, uint64_t octets)
{
  uint32_t size_class = 0;

  g_assert(class < log->config.class_count);
  while (octets > size_classes[size_class].octets) {
    size_class++;
  }
  return &log->groups[class * MESSAGE_SIZE_CLASSES + size_class];
}

message_log *message_log_new(const message_log_config *config)
{
  message_log *log = g_new0(message_log, 1);

  log->config = *config;
  log->groups = g_new0(message_group, (size_t)config->class_count * MESSAGE_SIZE_CLASSES);
  log->lines = g_array_new(FALSE, FALSE, sizeof(message_record));
  log->step = 1;
  log->queued_since = TIME_PS_NEVER;
  time_distribution_init(&log->queued);
  return log;
}

void message_log_free(message_log *log)
{
  if (!log) {
    return;
  }
  for (uint32_t i = 0; i < log->config.class_count * MESSAGE_SIZE_CLASSES; i++) {
    for (message_quantity of = 0; of < MESSAGE_QUANTITIES; of++) {
      g_clear_pointer(&log->groups[i].values[of], g_array_unref);
      g_free(log->groups[i].bins[of]);
    }
  }
  g_free(log->groups);
  g_array_unref(log->lines);
  time_distribution_clear(&log->queued);
  g_free(log);
}

/* --- What happens --- */

/* The values of `group` go to bins. */
static void bin_values(message_group *group)
{
  for (message_quantity of = 0; of < MESSAGE_QUANTITIES; of++) {
    const GArray *values = group->values[of];

    group->bins[of] = values ? g_new0(uint32_t, BINS) : NULL;
    for (guint i = 0; values && i < values->len; i++) {
      group->bins[of][bin_of(g_array_index(values, uint64_t, i))]++;
    }
    g_clear_pointer(&group->values[of], g_array_unref);
  }
}

static void count_value(message_group *group, message_quantity of, double value, bool is_binned)
{
  const uint64_t bits = bits_of(value);

  group->sums[of] += value;
  if (is_binned) {
    group->bins[of] = group->bins[of] ? group->bins[of] : g_new0(uint32_t, BINS);
    group->bins[of][bin_of(bits)]++;
    return;
  }
  if (!group->values[of]) {
    group->values[of] = g_array_new(FALSE, FALSE, sizeof(uint64_t));
  }
  g_array_append_val(group->values[of], bits);
}

static void count(message_log *log, const message_record *record)
{
  message_group *group = group_of(log, record->class, record->octets);
  const double completion_ps = (double)(record->completed - record->posted);
  const double delivered_ps = (double)(record->delivered - record->posted);

  if (log->count++ == MESSAGES_EXACT) {
    for (uint32_t i = 0; i < log->config.class_count * MESSAGE_SIZE_CLASSES; i++) {
      bin_values(&log->groups[i]);
    }
    log->is_binned = true;
  }
  group->count++;
  group->is_sorted = false;
  group->octets += record->octets;
  count_value(group, MESSAGE_COMPLETION, completion_ps, log->is_binned);
  count_value(group, MESSAGE_DELIVERED, delivered_ps, log->is_binned);
  count_value(group, MESSAGE_PLACED, (double)(record->placed - record->posted), log->is_binned);
  value_histogram_add(&log->completion, (uint64_t)(record->completed - record->posted), 1);
  if (record->ideal <= 0) {
    log->has_no_ideal = true;
    return;
  }
  const double slowdown = (record->comes_back ? completion_ps : delivered_ps) / (double)record->ideal;
  count_value(group, MESSAGE_SLOWDOWN, slowdown, log->is_binned);
  value_histogram_add(&log->slowdown, (uint64_t)(slowdown * slowdown_parts), 1);
}

void message_log_add(message_log *log, const message_record *record)
{
  if (record->counts) {
    count(log, record);
  }
  if (log->finished++ % log->step != 0 || log->config.lines == 0) {
    return;
  }
  g_array_append_vals(log->lines, record, 1);
  if (log->lines->len > log->config.lines) { /* every other one stays */
    message_record *lines = (message_record *)(void *)log->lines->data;
    const guint left = (log->lines->len + 1) / 2;

    for (guint i = 1; i < left; i++) {
      lines[i] = lines[2 * i];
    }
    g_array_set_size(log->lines, left);
    log->step *= 2;
  }
}

void message_log_incomplete(message_log *log, uint32_t class, uint32_t octets)
{
  group_of(log, class, octets)->incomplete++;
}

void message_log_queued(message_log *log, uint64_t messages, time_ps now)
{
  if (log->queued_since == TIME_PS_NEVER) {
    log->queued_from = now;
  } else if (now > log->queued_since) {
    time_distribution_add(&log->queued, log->queued_now, now - log->queued_since, false);
    log->queued_peak = MAX(log->queued_peak, log->queued_now); /* what is posted as it arrives never waits */
  }
  log->queued_since = now;
  log->queued_now = messages;
}

/* --- Statistics --- */

/* A quantile is that of so many thousandths. */
enum { WHOLE = 1000 };
static const uint64_t thousandths[MESSAGE_STATISTICS] = {
    [MESSAGE_P50] = 500, [MESSAGE_P95] = 950, [MESSAGE_P99] = 990, [MESSAGE_P999] = 999};

/* Sorts `values` by their digits to the base 2048, the lowest first, in time that grows as they do: a million
 * messages are not to be felt at the end of a run. */
static void sort_values(GArray *values)
{
  enum { BITS = 64, DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };
  uint64_t *from = (uint64_t *)(void *)values->data;
  g_autofree uint64_t *other = g_new(uint64_t, values->len);
  uint64_t *to = other;

  for (unsigned shift = 0; shift < BITS; shift += DIGIT_BITS) {
    uint32_t places[DIGITS + 1] = {0};

    for (guint i = 0; i < values->len; i++) {
      places[1 + (from[i] >> shift) % DIGITS]++;
    }
    for (unsigned digit = 0; digit < DIGITS; digit++) {
      places[digit + 1] += places[digit];
    }
    for (guint i = 0; i < values->len; i++) {
      to[places[(from[i] >> shift) % DIGITS]++] = from[i];
    }
    uint64_t *sorted = to;
    to = from;
    from = sorted;
  }
  if (from == other) {
    memcpy(to, from, values->len * sizeof *to);
  }
}

/* Returns how many of the sorted `values` (NULL: none) are `bits` or less. */
static uint64_t count_up_to(const GArray *values, uint64_t bits)
{
  guint low = 0, high = values ? values->len : 0;

  while (low < high) {
    const guint middle = low + (high - low) / 2;
    if (g_array_index(values, uint64_t, middle) <= bits) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/* Returns the value with the rank `rank`, from 1, of all that `groups` have: found bit by bit. */
static double value_at(const GPtrArray *groups, message_quantity of, uint64_t rank)
{
  uint64_t below = 0; /* the largest number with fewer than `rank` below it */

  for (uint64_t bit = UINT64_C(1) << 62; bit > 0; bit >>= 1) {
    uint64_t count = 0;

    for (guint i = 0; i < groups->len; i++) {
      count += count_up_to(((const message_group *)groups->pdata[i])->values[of], (below | bit) - 1);
    }
    below |= count < rank ? bit : 0;
  }
  return value_of(below);
}

/* Returns the middle of the bin that the value with that rank is in. */
static double bin_at(const uint64_t *bins, uint64_t rank)
{
  size_t bin = 0;

  for (uint64_t count = bins[0]; count < rank; count += bins[++bin]) {
  }
  return middle_of(bin);
}

/* Sets the mean and the quantiles of one quantity. A quantile q is the smallest value that at least q of the
 * messages do not exceed. */
static void find_values(const GPtrArray *groups, message_quantity of, bool is_binned, double *values)
{
  g_autofree uint64_t *bins = g_new0(uint64_t, BINS);
  uint64_t total = 0;
  double sum = 0;

  for (guint i = 0; i < groups->len; i++) {
    const message_group *group = groups->pdata[i];

    for (size_t bin = 0; group->bins[of] && bin < BINS; bin++) {
      bins[bin] += group->bins[of][bin];
      total += group->bins[of][bin];
    }
    total += group->values[of] ? group->values[of]->len : 0;
    sum += group->sums[of];
  }
  values[MESSAGE_MEAN] = total > 0 ? sum / (double)total : NAN;
  for (message_statistic at = MESSAGE_P50; at < MESSAGE_STATISTICS; at++) {
    const uint64_t rank = (total * thousandths[at] + WHOLE - 1) / WHOLE;
    const bool is_enough = total * (WHOLE - thousandths[at]) >= WHOLE;

    values[at] = !is_enough ? NAN : is_binned ? bin_at(bins, rank) : value_at(groups, of, rank);
  }
}

message_statistics message_log_statistics(const message_log *log, uint32_t class, uint32_t size_class)
{
  g_autoptr(GPtrArray) groups = g_ptr_array_new();
  message_statistics all = {.count = 0};

  for (uint32_t i = 0; i < log->config.class_count * MESSAGE_SIZE_CLASSES; i++) {
    message_group *group = &log->groups[i];

    if ((class == MESSAGES_ALL || class == i / MESSAGE_SIZE_CLASSES) &&
        (size_class == MESSAGES_ALL || size_class == i % MESSAGE_SIZE_CLASSES)) {
      all.count += group->count;
      all.incomplete += group->incomplete;
      all.octets += group->octets;
      for (message_quantity of = 0; !group->is_sorted && of < MESSAGE_QUANTITIES; of++) {
        if (group->values[of]) {
          sort_values(group->values[of]);
        }
      }
      group->is_sorted = true;
      g_ptr_array_add(groups, group);
    }
  }
  for (message_quantity of = 0; of < MESSAGE_QUANTITIES; of++) {
    find_values(groups, of, log->is_binned, all.values[of]);
    for (message_statistic at = 0; of != MESSAGE_SLOWDOWN && at < MESSAGE_STATISTICS; at++) {
      all.values[of][at] /= (double)TIME_PS_PER_SECOND;
    }
    for (message_statistic at = 0; of == MESSAGE_SLOWDOWN && log->has_no_ideal && at < MESSAGE_STATISTICS;
         at++) {
      all.values[of][at] = NAN;
    }
  }
  return all;
}

void message_log_completion(const message_log *log, uint32_t class, distribution *to)
{
  value_histogram times = {.largest = 0};

  for (uint32_t i = 0; i < MESSAGE_SIZE_CLASSES; i++) {
    const message_group *group = &log->groups[class * MESSAGE_SIZE_CLASSES + i];
    const GArray *values = group->values[MESSAGE_COMPLETION];
    const uint32_t *bins = group->bins[MESSAGE_COMPLETION];

    for (guint k = 0; values && k < values->len; k++) {
      value_histogram_add(&times, (uint64_t)value_of(g_array_index(values, uint64_t, k)), 1);
    }
    for (size_t bin = 0; bins && bin < BINS; bin++) {
      if (bins[bin] > 0) {
        value_histogram_add(&times, (uint64_t)middle_of(bin), bins[bin]);
      }
    }
  }
  value_histogram_export(&times, (double)TIME_PS_PER_SECOND, 1, to);
}

static void set_queued(const message_log *log, metric_values *values)
{
  static const uint32_t parts = QUANTILE_PARTS / WHOLE * 990;
  const time_ps time = log->queued_since - log->queued_from;
  time_distribution over_time = {.count = 0};
  double p99;

  if (log->queued_since == TIME_PS_NEVER || time == 0) {
    return;
  }
  time_distribution_copy(&over_time, &log->queued);
  time_distribution_end(&over_time, time);
  metric_values_set(values, METRIC_MESSAGE_QUEUED_MEAN_MESSAGES, time_distribution_mean(&over_time));
  if (time_distribution_quantiles(&over_time, TIME_ALL, &parts, 1, &p99)) {
    metric_values_set(values, METRIC_MESSAGE_QUEUED_P99_MESSAGES, p99);
  }
  metric_values_set(values, METRIC_MESSAGE_QUEUED_PEAK_MESSAGES, (double)log->queued_peak);
  time_distribution_clear(&over_time);
}

void message_log_set_results(const message_log *log, run_results *results)
{
  metric_values *values = &results->metrics;
  const message_statistics all = message_log_statistics(log, MESSAGES_ALL, MESSAGES_ALL);

  if (all.count + all.incomplete == 0) {
    return;
  }
  metric_values_set(values, METRIC_MESSAGE_COUNT, (double)all.count);
  metric_values_set(values, METRIC_MESSAGE_INCOMPLETE, (double)all.incomplete);
  metric_values_set(values, METRIC_MESSAGE_QUANTILE_ERROR, log->is_binned ? MESSAGES_QUANTILE_ERROR : 0);
#define IN_MESSAGES(id, name, unit, quantity, statistic, sentence)                                           \
  if (!isnan(all.values[MESSAGE_##quantity][MESSAGE_##statistic])) {                                         \
    metric_values_set(values, METRIC_##id, all.values[MESSAGE_##quantity][MESSAGE_##statistic]);             \
  }
#include "measure/metrics.def"
  set_queued(log, values);
  value_histogram_export(&log->completion, (double)TIME_PS_PER_SECOND, 1,
                         &results->distributions[DISTRIBUTION_MESSAGE_COMPLETION_S]);
  if (!log->has_no_ideal) {
    value_histogram_export(&log->slowdown, slowdown_parts, 1,
                           &results->distributions[DISTRIBUTION_MESSAGE_SLOWDOWN]);
  }
}

/* --- messages.csv --- */

/* Writes seconds with all their picoseconds; nothing for a time that there is not. */
static void write_time(time_ps time, FILE *file)
{
  if (time >= 0 && time < TIME_PS_NEVER) {
    fprintf(file, ",%" PRId64 ".%012" PRId64, time / TIME_PS_PER_SECOND, time % TIME_PS_PER_SECOND);
  } else {
    fputc(',', file);
  }
}

void message_log_write(const message_log *log, const message_log_names *names, FILE *file)
{
  if (log->config.lines > 0 && log->step > 1) {
    fprintf(file, "# one in %" PRIu64 " of the", log->step);
  } else {
    fputs(log->config.lines > 0 ? "# all" : "# none of the", file);
  }
  fprintf(
      file,
      " %" PRIu64 " messages that were complete, in this order\n"
      "id,class,source,destination,connection,operation,octets,posted_s,first_octet_s,placed_s,delivered_s,"
      "completed_s,ideal_s,slowdown\n",
      log->finished);
  for (guint i = 0; i < log->lines->len; i++) {
    const message_record *line = &g_array_index(log->lines, message_record, i);
    const time_ps end = line->comes_back ? line->completed : line->delivered;

    fprintf(file, "%" PRIu64 ",%s,%s,%s,%u,%s,%u", line->id, names->classes[line->class],
            names->hosts[line->source], names->hosts[line->destination], line->connection,
            names->operations[line->operation], line->octets);
    write_time(line->posted, file);
    write_time(line->first, file);
    write_time(line->placed, file);
    write_time(line->delivered, file);
    write_time(line->completed, file);
    write_time(line->ideal > 0 ? line->ideal : TIME_PS_NEVER, file);
    if (line->ideal > 0) {
      fprintf(file, ",%.12g\n", (double)(end - line->posted) / (double)line->ideal);
    } else {
      fputs(",\n", file);
    }
  }
}
