/* SPDX-License-Identifier: GPL-2.0-only */
#include "explain/explain_ending.h"

#include "explain/packet_sentences.h"

/* What damaged octets look like to TCP: a packet that the path damaged arrives, and no checksum shows it. */
static void find_miss(GHashTable *damaged, const trace_event *event, run_ending *ending)
{
  if (event->id == TRACE_PACKET_DAMAGED) {
    g_hash_table_add(damaged, g_memdup2(&event->packet, sizeof event->packet));
  } else if (event->id == TRACE_CHECKSUM_ERROR || event->id == TRACE_PACKET_DROPPED) {
    g_hash_table_remove(damaged, &event->packet);
  } else if (event->id == TRACE_SEGMENT_ARRIVED && g_hash_table_remove(damaged, &event->packet) &&
             ending->misses++ == 0) {
    ending->first_miss = *event;
  }
}

gboolean run_ending_find(trace_reader *reader, run_ending *ending, GError **error)
{
  g_autoptr(GHashTable) damaged = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
  trace_event event;

  *ending = (run_ending){.failed = FALSE};
  while (trace_reader_next(reader, &event, error)) {
    find_miss(damaged, &event, ending);
    if (event.id == TRACE_FAILED && !ending->failed) {
      ending->failed = TRUE;
      ending->failure = event;
      ending->why = g_strdup(TRACE_TEXT(&event, FAILED, why));
    } else if (!ending->failed && (event.id == TRACE_FPDU_VALID || event.id == TRACE_FPDU_INVALID)) {
      ending->looked_at = event;
    }
  }
  return *error == NULL;
}

void run_ending_clear(run_ending *ending)
{
  g_free(ending->why);
}

/* The FPDU that the end looked at when it failed; `sent`, its fpdu_sent, has no fields when there is none. */
static void add_fpdu(const packet_log *log, const trace_event *sent, const char *fault, prose *to)
{
  const guint64 from = TRACE_VALUE(sent, FPDU_SENT, position);
  const guint64 end = from + TRACE_VALUE(sent, FPDU_SENT, octets);

  prose_add(to, " It looked at FPDU %s of the %s (stream %s to %s), sent at %s.",
            prose_count(to, TRACE_VALUE(sent, FPDU_SENT, fpdu)), side_name(sent->side), prose_count(to, from),
            prose_count(to, end - 1), prose_time(to, sent->time));
  for (guint i = 0; i < log->packets->len; i++) {
    const logged_packet *packet = log->packets->pdata[i];
    if (packet->damager && packet->fate == FATE_NONE && packet->from < end && packet->to > from) {
      prose_add(to, " Of its octets, ");
      packet_sentences_name(packet, to);
      prose_add(to, " was damaged on %s at %s.", packet_sentences_path(log->sender),
                prose_time(to, packet->damaged_at));
      return;
    }
  }
  prose_add(to, " The path damaged no packet with octets of it: the %s sent it so%s%s.",
            side_name(sent->side), fault ? ", by the fault " : "", fault ? fault : "");
}

/* Why the end failed that did first. */
static gboolean add_failure(trace_reader *reader, const run_ending *ending, const char *fault, prose *to,
                            GError **error)
{
  const trace_event *failure = &ending->failure, *looked_at = &ending->looked_at;
  const guint64 position = looked_at->values[0]; /* fpdu_valid and fpdu_invalid begin with it */
  packet_log log = packet_log_new(failure->connection, side_peer(failure->side));
  trace_event event, sent = {.packet = 0};
  gboolean is_over = FALSE;

  while (!is_over && trace_reader_next(reader, &event, error)) {
    packet_log_add(&log, &event, position);
    is_over = event.id == TRACE_FAILED;
    if (event.id == TRACE_FPDU_SENT && event.connection == log.connection && event.side == log.sender &&
        TRACE_VALUE(&event, FPDU_SENT, position) == position) {
      sent = event;
    }
  }
  prose_add(to, "Connection %u ended at %s: its %s reports \"%s\".", failure->connection,
            prose_time(to, failure->time), side_name(failure->side), ending->why);
  if (sent.id == TRACE_FPDU_SENT && looked_at->time == failure->time &&
      looked_at->connection == failure->connection && looked_at->side == failure->side) {
    add_fpdu(&log, &sent, fault, to);
  } else {
    prose_add(to, " The trace has no FPDU that it looked at then%s%s.",
              fault ? "; the scenario has the fault " : "", fault ? fault : "");
  }
  prose_add(to, "\n");
  packet_log_clear(&log);
  return *error == NULL;
}

gboolean explain_ending(trace_reader *reader, const run_ending *ending, const char *fault, prose *to,
                        GError **error)
{
  if (ending->misses > 0) {
    const trace_event *first = &ending->first_miss;
    const guint64 from = TRACE_VALUE(first, SEGMENT_ARRIVED, position);
    prose_add(
        to,
        "TCP took %s as good that the path had damaged: first packet %s of connection %u (stream %s to "
        "%s) at %s. The trace has no octets: which of them were wrong, and what was expected, is not in "
        "it.\n",
        prose_plural(to, ending->misses, "segment"), prose_count(to, first->packet), first->connection,
        prose_count(to, from),
        prose_count(to, from + TRACE_VALUE(first, SEGMENT_ARRIVED, payload_octets) - 1),
        prose_time(to, first->time));
  }
  return !ending->failed || add_failure(reader, ending, fault, to, error);
}
