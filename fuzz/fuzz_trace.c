/* SPDX-License-Identifier: GPL-2.0-only */
/* Any octets as a trace: events in the order of time whose names are texts, and then the end, or one line
 * that names the file and the octet; and sentences that explain it, or such a line. */
#include <glib.h>
#include <stdio.h>
#include <string.h>

#include "explain/explain_trace.h"
#include "fuzz_input.h"
#include "trace/trace.h"
#include "trace/trace_reader.h"

static void check_event(const trace_event *event, time_ps before)
{
  const trace_row *row = &trace_rows[event->id];

  g_assert_true(event->time >= before && event->side < SIDES);
  for (uint32_t i = 0; i < row->field_count; i++) {
    g_assert_true(row->fields[i].type != TRACE_NAME_ID || g_utf8_validate(event->texts[i], -1, NULL));
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *octets, size_t length)
{
  const size_t version_at = sizeof TRACE_MAGIC - 1;
  g_autofree uint8_t *copy = g_memdup2(octets, length);
  FILE *file = length > 0 ? fmemopen(copy, length, "rb") : NULL;
  GError *error = NULL;
  trace_event event;
  time_ps before = 0;

  if (!file) {
    return 0;
  }
  if (length > version_at && copy[version_at] < TRACE_VERSION) { /* an input of the corpus that is older */
    copy[version_at] = TRACE_VERSION;
  }
  trace_reader *reader = trace_reader_new(file, "fuzz.trace", &error);
  while (reader && trace_reader_next(reader, &event, &error)) {
    check_event(&event, before);
    before = event.time;
  }
  g_assert_true(reader || error);
  g_assert_true(!error || (g_str_has_prefix(error->message, "fuzz.trace") && !strchr(error->message, '\n')));
  g_clear_error(&error);
  trace_reader_free(reader);
  g_autofree char *text = explain_trace(file, "fuzz.trace", &error);
  g_assert_true((text == NULL) == (error != NULL) && (!text || g_utf8_validate(text, -1, NULL)));
  g_clear_error(&error);
  fclose(file);
  return 0;
}
