/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/sweep/child_record.h"

#include <math.h>
#include <string.h>

#include "scenario/configuration.h"
#include "study/store/run_identity.h"

/* "iwrr": something that was written there by mistake hardly begins so. */
#define MAGIC 0x69777272u

/* At the start of a record; behind it the metrics, the bins of each distribution, and the texts, each with its NUL. */
typedef struct record_head {
  guint32 magic;
  guint32 status;
  gint32 exit_code;
  guint32 bins[DISTRIBUTION_COUNT];
  metric_values metrics;
} record_head;

/* Writing. */

typedef struct record_writer {
  guint8 *room;
  gsize size;
  gsize used; /* beyond `size`: it did not fit */
} record_writer;

static void put(record_writer *writer, const void *octets, gsize count)
{
  if (count > 0 && writer->used + count <= writer->size) {
    memcpy(writer->room + writer->used, octets, count);
  }
  writer->used += count;
}

static void put_text(record_writer *writer, const char *text)
{
  put(writer, text, strlen(text) + 1);
}

static char *identity_of(const scenario *s)
{
  char *texts[SCENARIO_KEY_COUNT];
  run_identity_texts(s, texts);
  char *identity = run_identity_of(texts);
  run_identity_clear(texts);
  return identity;
}

gsize child_record_write(const summary *page, guint8 *room, gsize size)
{
  record_writer writer = {.room = room, .size = size};
  record_head head = {
      .magic = MAGIC,
      .status = page->status,
      .exit_code = run_status_exit_code(page->status, scenario_configuration(page->scenario)->run.expect),
      .metrics = page->metrics};
  g_autofree char *identity = identity_of(page->scenario);
  g_autofree char *message = g_utf8_make_valid(page->message != NULL ? page->message : "", -1);
  for (distribution_id id = 0; page->distributions != NULL && id < DISTRIBUTION_COUNT; id++) {
    head.bins[id] = (guint32)page->distributions[id].count;
  }
  put(&writer, &head, sizeof head);
  for (distribution_id id = 0; page->distributions != NULL && id < DISTRIBUTION_COUNT; id++) {
    put(&writer, page->distributions[id].bins, head.bins[id] * sizeof(distribution_bin));
  }
  put_text(&writer, message);
  put_text(&writer, page->engine);
  put_text(&writer, identity);
  return writer.used <= size ? writer.used : 0;
}

/* Reading. */

typedef struct record_reader {
  const guint8 *octets;
  gsize left;
} record_reader;

static gboolean invalid(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);

static gboolean invalid(GError **error, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *what = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  g_set_error(error, SUMMARY_ERROR, SUMMARY_ERROR_INVALID, "not a record of a run: %s", what);
  return FALSE;
}

static gboolean take(record_reader *reader, void *to, gsize count)
{
  if (count > reader->left) {
    return FALSE;
  }
  memcpy(to, reader->octets, count);
  reader->octets += count;
  reader->left -= count;
  return TRUE;
}

static gboolean take_metrics(const record_head *head, child_record *record, GError **error)
{
  for (metric_id id = 0; id < METRIC_COUNT; id++) {
    /* As an octet: of a bool neither 0 nor 1 nothing is known. */
    guint8 present;
    memcpy(&present, &head->metrics.present[id], 1);
    if (present > 1 || (present == 1 && !isfinite(head->metrics.value[id]))) {
      return invalid(error, "metric %s is out of range", metric_row_of(id)->name);
    }
    if (present == 1) {
      metric_values_set(&record->metrics, id, head->metrics.value[id]);
    }
  }
  return TRUE;
}

static gboolean take_bins(record_reader *reader, guint32 count, distribution_id id, distribution *d,
                          GError **error)
{
  distribution_bin bin;
  for (guint32 i = 0; i < count; i++) {
    if (!take(reader, &bin, sizeof bin) || !distribution_append(d, bin.bound, bin.weight)) {
      return invalid(error, "distribution %s is wrong from bin %u on", distribution_row_of(id)->name, i + 1);
    }
  }
  return TRUE;
}

static gboolean take_text(record_reader *reader, char **text, GError **error)
{
  const guint8 *end = memchr(reader->octets, '\0', reader->left);
  if (end == NULL || !g_utf8_validate((const char *)reader->octets, end - reader->octets, NULL)) {
    return invalid(error, "a text is missing, or not UTF-8");
  }
  *text = g_strdup((const char *)reader->octets);
  reader->left -= (gsize)(end + 1 - reader->octets);
  reader->octets = end + 1;
  return TRUE;
}

static gboolean read_record(record_reader *reader, child_record *record, GError **error)
{
  const gsize count = reader->left;
  record_head head;
  if (!take(reader, &head, sizeof head) || head.magic != MAGIC || head.status >= RUN_STATUSES) {
    return invalid(error, "it does not begin as one of %" G_GSIZE_FORMAT " octets", count);
  }
  record->status = (run_status)head.status;
  record->exit_code = head.exit_code;
  if (!take_metrics(&head, record, error)) {
    return FALSE;
  }
  for (distribution_id id = 0; id < DISTRIBUTION_COUNT; id++) {
    if (!take_bins(reader, head.bins[id], id, &record->distributions[id], error)) {
      return FALSE;
    }
  }
  return take_text(reader, &record->message, error) && take_text(reader, &record->engine, error) &&
         take_text(reader, &record->identity, error) &&
         (reader->left == 0 || invalid(error, "%" G_GSIZE_FORMAT " octets are left over", reader->left));
}

child_record *child_record_read(const guint8 *octets, gsize count, GError **error)
{
  record_reader reader = {.octets = octets, .left = count};
  child_record *record = g_new0(child_record, 1);
  if (!read_record(&reader, record, error)) {
    g_clear_pointer(&record, child_record_free);
  }
  return record;
}

void child_record_free(child_record *record)
{
  if (record == NULL) {
    return;
  }
  for (distribution_id id = 0; id < DISTRIBUTION_COUNT; id++) {
    distribution_clear(&record->distributions[id]);
  }
  g_free(record->message);
  g_free(record->engine);
  g_free(record->identity);
  g_free(record);
}
