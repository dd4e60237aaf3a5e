/* SPDX-License-Identifier: GPL-2.0-only */
#include "explain/explain_trace.h"

#include <errno.h>
#include <json-glib/json-glib.h>

#include "base/error.h"
#include "explain/explain_ending.h"
#include "explain/explain_peak.h"

/* A new reader from the first octet on. */
static trace_reader *read_again(FILE *file, const char *name, GError **error)
{
  if (fseek(file, 0, SEEK_SET) != 0) {
    error_set(error, "%s: cannot be read from its beginning (%s); expected a file", name, g_strerror(errno));
    return NULL;
  }
  return trace_reader_new(file, name, error);
}

/* A key of the scenario as the trace has it; NULL: it has none. */
static const char *key_of(JsonParser *about, const char *key)
{
  JsonNode *node = json_parser_get_root(about);

  if (node && JSON_NODE_HOLDS_OBJECT(node)) {
    node = json_object_get_member(json_node_get_object(node), "keys");
  }
  if (node && JSON_NODE_HOLDS_OBJECT(node)) {
    node = json_object_get_member(json_node_get_object(node), key);
  }
  return node && JSON_NODE_HOLDS_VALUE(node) && json_node_get_value_type(node) == G_TYPE_STRING
             ? json_node_get_string(node)
             : NULL;
}

/* One reading each. */
static gboolean find(FILE *file, const char *name, guint64 cell_octets, held_peak *peak, run_ending *ending,
                     GError **error)
{
  g_autoptr(trace_reader) first = read_again(file, name, error);
  if (!first || !held_peak_find(first, cell_octets, peak, error)) {
    return FALSE;
  }
  g_autoptr(trace_reader) second = read_again(file, name, error);
  if (!second || !held_peak_find_holders(second, cell_octets, peak, error)) {
    return FALSE;
  }
  g_autoptr(trace_reader) third = read_again(file, name, error);
  return third && run_ending_find(third, ending, error);
}

static gboolean tell(FILE *file, const char *name, const explained_run *run, const held_peak *peak,
                     const run_ending *ending, const char *fault, prose *to, GError **error)
{
  if (!peak->measured) {
    prose_add(to, "The window that is measured never opened: there is no peak.\n");
  } else if (peak->octets == 0) {
    prose_add(to,
              "Peak 0 octets: nothing was ever held. Every FPDU came whole, and was placed as it came.\n");
  } else {
    g_autoptr(trace_reader) reader = read_again(file, name, error);
    if (!reader || !explain_peak(reader, run, peak, to, error)) {
      return FALSE;
    }
  }
  g_autoptr(trace_reader) reader = read_again(file, name, error);
  return reader && explain_ending(reader, ending, fault, to, error);
}

char *explain_trace(FILE *file, const char *name, GError **error)
{
  g_autoptr(JsonParser) about = json_parser_new();
  g_autoptr(trace_reader) reader = read_again(file, name, error);
  run_ending ending = {.failed = FALSE};
  held_peak found;

  if (!reader) {
    return NULL;
  }
  (void)json_parser_load_from_data(about, trace_reader_about(reader), -1, NULL); /* its keys are a help */
  const char *cell = key_of(about, "receiver.cell");
  const char *fault = key_of(about, "fault.error");
  const char *mode = key_of(about, "receiver.mode");
  const explained_run run = {.in_order = g_strcmp0(mode, "in-order") == 0,
                             .assumes = g_strcmp0(mode, "assume-aligned") == 0,
                             .cell_octets = MAX(cell ? g_ascii_strtoull(cell, NULL, 10) : 1, 1)};
  prose text = prose_new();
  gboolean good =
      find(file, name, run.cell_octets, &found, &ending, error) &&
      tell(file, name, &run, &found, &ending, g_strcmp0(fault, "none") == 0 ? NULL : fault, &text, error);
  run_ending_clear(&ending);
  g_autofree char *sentences = prose_end(&text);
  return good ? g_steal_pointer(&sentences) : NULL;
}
