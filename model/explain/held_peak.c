/* SPDX-License-Identifier: GPL-2.0-only */
#include "explain/held_peak.h"

/* What all connections hold. */
typedef struct holding {
  guint64 cell_octets;
  GHashTable *connections; /* peak_holder by their `connection` */
  guint64 octets;
  guint64 events;
  time_ps since;
  bool counts; /* the window is open */
} holding;

static holding holding_new(guint64 cell_octets)
{
  return (holding){.cell_octets = cell_octets,
                   .connections = g_hash_table_new_full(g_int_hash, g_int_equal, NULL, g_free),
                   .counts = true};
}

/* The event `held`. */
static void hold(holding *of, const trace_event *event)
{
  peak_holder *own = g_hash_table_lookup(of->connections, &event->connection);

  if (!own) {
    own = g_new0(peak_holder, 1);
    own->connection = event->connection;
    g_hash_table_insert(of->connections, &own->connection, own);
  }
  of->octets -= own->octets;
  own->octets = 0;
  for (guint cause = 0; cause < PEAK_CAUSES; cause++) {
    const guint64 octets = event->values[cause], cell = of->cell_octets;
    own->causes[cause] = octets / cell * cell + (octets % cell > 0 ? cell : 0);
    own->octets += own->causes[cause];
  }
  of->octets += own->octets;
  own->sink = event->side;
  own->partial_fpdus = TRACE_VALUE(event, HELD, partial_fpdus);
  of->events++;
}

/* What is held has lasted until `now`: a value that is replaced in its picosecond does not count. */
static void pass_time(holding *of, time_ps now, held_peak *peak)
{
  if (now > of->since && of->counts && of->octets > peak->octets) {
    peak->octets = of->octets;
    peak->at = of->since;
    peak->events = of->events;
  }
  of->since = MAX(of->since, now);
}

/* Reads until `events` events `held` have come. */
static void read_held(trace_reader *reader, guint64 events, holding *of, held_peak *peak, GError **error)
{
  trace_event event;

  while (of->events < events && trace_reader_next(reader, &event, error)) {
    if (event.id == TRACE_HELD) {
      pass_time(of, event.time, peak);
      hold(of, &event);
    } else if (event.id == TRACE_MEASURED) {
      pass_time(of, (time_ps)MIN(TRACE_VALUE(&event, MEASURED, at_ps), (guint64)event.time), peak);
      of->counts = TRACE_VALUE(&event, MEASURED, open) > 0;
      peak->measured = of->counts || (peak->measured && event.time > 0);
    }
  }
}

gboolean held_peak_find(trace_reader *reader, guint64 cell_octets, held_peak *peak, GError **error)
{
  holding of = holding_new(cell_octets);

  *peak = (held_peak){.measured = true};
  read_held(reader, G_MAXUINT64, &of, peak, error);
  pass_time(&of, TIME_PS_NEVER, peak);
  g_hash_table_destroy(of.connections);
  return *error == NULL;
}

gboolean held_peak_find_holders(trace_reader *reader, guint64 cell_octets, held_peak *peak, GError **error)
{
  holding of = holding_new(cell_octets);
  held_peak ignored = {.measured = true};
  GHashTableIter iterator;
  gpointer value;

  read_held(reader, peak->events, &of, &ignored, error);
  g_hash_table_iter_init(&iterator, of.connections);
  while (g_hash_table_iter_next(&iterator, NULL, &value)) {
    const peak_holder *own = value, *most = &peak->fullest;
    peak->holders += own->octets > 0;
    if (own->octets > most->octets ||
        (own->octets > 0 && own->octets == most->octets && own->connection < most->connection)) {
      peak->fullest = *own;
    }
  }
  g_hash_table_destroy(of.connections);
  return *error == NULL;
}
