/* SPDX-License-Identifier: GPL-2.0-only */
/* The trace is read three times: to find the peak and the failure, to see what was held and missing then, and
 * to follow the packets that explain it. */
#include "explain/explain_trace.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/error.h"
#include "base/json_text.h"
#include "base/range_set.h"
#include "explain/packet_story.h"

/* They are in the order of the event `held`; processing is not part of the reassembly occupancy. */
enum { INCOMPLETE, UNLOCATED, ORDER, FRAGMENT, CAUSES };
enum { HOLES_DESCRIBED = 4, CONNECTIONS_NAMED = 3, SENDERS_NAMED = 4 };
#define NOTHING_ARRIVED G_MAXUINT64 /* that is at fault */

/* A hole is octets that were missing at the peak. */
typedef struct hole {
  range missing;
  packet_story *story; /* of the first of them */
  time_ps filled_at;   /* TIME_PS_NEVER: not in the trace */
} hole;

/* A share is what a connection holds, in whole cells. */
typedef struct share {
  uint32_t connection;
  guint64 octets, holes;
} share;

/* It waits in a queue of a switch. */
typedef struct waiting_packet {
  const char *node;
  uint32_t port;
  time_ps until;
  const char *sender;
} waiting_packet;

/* So many packets are from a host. */
typedef struct sender_share {
  const char *sender;
  guint64 packets;
} sender_share;

typedef struct explanation {
  trace_reader *reader;   /* the present one: it owns the texts and nodes of events */
  bool in_order, assumes; /* the receiver is in-order, assume-aligned */
  bool in_graph;
  char *named; /* the hosts that the trace keeps to (measure.hosts); NULL: it has all */
  char *fault; /* what it makes a peer do wrong; NULL: nothing */
  guint64 cell_octets;

  /* The first reading finds these. */
  trace_event peak;     /* the largest … */
  char *host;           /* … of those of all hosts, at this one, by its node; NULL: no window opened */
  guint hosts;          /* that have a peak */
  trace_event again;    /* of the first connection that is opened again: what failed before is none */
  trace_event failure;  /* of the first end that fails */
  trace_event wrong;    /* of the first delivered segment with wrong octets */
  char *why;            /* NULL: none fails; then `failure` is `wrong` */
  guint64 octets_wrong; /* of all of those */
  guint64 position; /* of what arrived and is at fault: an FPDU, or the startup frame; or NOTHING_ARRIVED */
  GHashTable *damaged; /* packets that the path damaged, and which have not arrived yet */
  guint64 misses;      /* those that TCP took as good … */
  trace_event miss;    /* … and when the first arrived */

  /* The second one finds these. */
  trace_event at_peak[TRACE_EVENTS]; /* the last of each kind of the connection that holds most, up to then */
  trace_event at_failure[TRACE_EVENTS]; /* the same of the end that failed */
  trace_event sent;                     /* fpdu_sent of the FPDU that is at fault */
  trace_event valid;                    /* fpdu_valid of the FPDU before it, as its length had it */
  GHashTable *holding;            /* share, by connections: of those with octets at the host of the peak */
  guint64 longest_sent, longest;  /* segment for it, and of those that arrived (the third reading) */
  range_set arrived;              /* where most is held; the third reading goes on with it */
  guint64 causes[CAUSES], octets; /* held there, in whole cells; all of them */

  /* The third one finds these. */
  hole holes[HOLES_DESCRIBED];             /* the first of them … */
  guint described, missing;                /* … so many, and all */
  guint64 arrivals, fpdus, payload_octets; /* beyond the first, up to the peak; the last two placed there */
  packet_story *failed;                    /* of what is at fault, or was sent in vain */
  GArray *waiting;            /* waiting_packet: in queues of a graph, and those that have left */
  GHashTable *senders;        /* the names of hosts, by connection and side */
  guint room;                 /* those that have left are forgotten beyond so many */
  trace_event drop;           /* of a packet of the first hole by a switch, when there waited … */
  guint64 at_switch, at_port; /* … so many in all, and at the port, … */
  GArray *shares;             /* … and there those of each sender, the most first */
} explanation;

static bool is_at_end(const trace_event *event, const trace_event *of)
{
  return event->connection == of->connection && event->side == of->side;
}

static bool is_at_other_end(const trace_event *event, const trace_event *of)
{
  return event->connection == of->connection && event->side != of->side;
}

/* --- The first reading: the peak, what went wrong --- */

static void find(explanation *of, const trace_event *event, G_GNUC_UNUSED GError **error)
{
  /* TCP takes damaged octets as good when a packet that the path damaged arrives and no checksum shows it. */
  if (event->id == TRACE_PACKET_DAMAGED) {
    g_hash_table_add(of->damaged, g_memdup2(&event->packet, sizeof event->packet));
  } else if (event->id == TRACE_CHECKSUM_ERROR || event->id == TRACE_PACKET_DROPPED) {
    g_hash_table_remove(of->damaged, &event->packet);
  } else if (event->id == TRACE_SEGMENT_ARRIVED && g_hash_table_remove(of->damaged, &event->packet) &&
             of->misses++ == 0) {
    of->miss = *event;
  } else if (event->id == TRACE_PEAK) {
    if (of->hosts++ == 0 || TRACE_VALUE(event, PEAK, octets) > TRACE_VALUE(&of->peak, PEAK, octets)) {
      of->peak = *event;
      g_free(of->host);
      of->host = g_strdup(event->node);
    }
  } else if (event->id == TRACE_FAILED && !of->why) {
    of->failure = *event;
    of->why = g_strdup(TRACE_TEXT(event, FAILED, why));
    of->position = TRACE_VALUE(event, FAILED, position);
  } else if (event->id == TRACE_STARTED_AGAIN) {
    of->again = of->again.id == TRACE_STARTED_AGAIN ? of->again : *event;
    if (event->connection == of->failure.connection) {
      g_clear_pointer(&of->why, g_free);
      of->failure = (trace_event){0};
      of->position = NOTHING_ARRIVED;
    }
  } else if (event->id == TRACE_OCTETS_WRONG) {
    of->wrong = of->octets_wrong == 0 ? *event : of->wrong;
    of->octets_wrong += TRACE_VALUE(event, OCTETS_WRONG, octets);
  }
}

/* --- The second reading: what was so at the peak --- */

static guint64 peak_at(const explanation *of)
{
  return TRACE_VALUE(&of->peak, PEAK, at_ps);
}

static bool brings_octets(const trace_event *event)
{
  return event->id == TRACE_SEGMENT_ARRIVED && TRACE_VALUE(event, SEGMENT_ARRIVED, new_octets) > 0;
}

static void arrive(explanation *of, const trace_event *event, GError **error)
{
  const guint64 from = TRACE_VALUE(event, SEGMENT_ARRIVED, position);
  const guint64 octets = TRACE_VALUE(event, SEGMENT_ARRIVED, payload_octets);

  if (octets == 0 || octets > G_MAXUINT32 || from > G_MAXINT64) {
    error_set(error, "the trace is damaged: at %" G_GINT64_FORMAT " ps a segment lies in no stream",
              event->time);
  } else {
    range_set_add(&of->arrived, from, from + octets);
  }
}

static guint64 in_cells(const explanation *of, guint64 octets)
{
  return (octets + of->cell_octets - 1) / of->cell_octets * of->cell_octets;
}

static void look(explanation *of, const trace_event *event, GError **error)
{
  const bool is_failed = is_at_end(event, &of->failure), is_peak = is_at_end(event, &of->peak);

  if (event->id == TRACE_FPDU_SENT && is_at_other_end(event, &of->failure) &&
      of->position - TRACE_VALUE(event, FPDU_SENT, position) < TRACE_VALUE(event, FPDU_SENT, octets)) {
    of->sent = *event;
  } else if (event->id == TRACE_FPDU_VALID && is_failed &&
             TRACE_VALUE(event, FPDU_VALID, position) + TRACE_VALUE(event, FPDU_VALID, octets) ==
                 of->position) {
    of->valid = *event;
  }
  if (is_failed && event->time <= of->failure.time) {
    of->at_failure[event->id] = *event;
  }
  if ((guint64)event->time > peak_at(of)) {
    return;
  }
  if (is_peak) {
    of->at_peak[event->id] = *event;
  }
  if (brings_octets(event) && is_peak) {
    arrive(of, event, error);
  } else if (event->id == TRACE_SEGMENT_SENT && is_at_other_end(event, &of->peak)) {
    of->longest_sent = MAX(of->longest_sent, TRACE_VALUE(event, SEGMENT_SENT, payload_octets));
  } else if (event->id == TRACE_HELD && g_strcmp0(event->node, of->host) == 0) {
    share held = {.connection = event->connection, .holes = TRACE_VALUE(event, HELD, holes)};
    for (guint cause = 0; cause < CAUSES; cause++) {
      held.octets += in_cells(of, event->values[cause]);
    }
    gpointer connection = GUINT_TO_POINTER(event->connection);
    g_hash_table_remove(of->holding, connection);
    if (held.octets > 0) {
      g_hash_table_insert(of->holding, connection, g_memdup2(&held, sizeof held));
    }
  }
}

/* --- The third reading: the packets that explain it --- */

/* Notes what is missing at the peak, and what shall be followed. */
static void begin_to_follow(explanation *of)
{
  guint64 from = 0;

  for (guint cause = 0; cause < CAUSES; cause++) {
    of->causes[cause] = in_cells(of, of->at_peak[TRACE_HELD].values[cause]);
    of->octets += of->causes[cause];
  }
  for (size_t i = 0; i < range_set_count(&of->arrived); i++) {
    const range next = range_set_get(&of->arrived, i);
    if (next.from > from && of->missing++ < HOLES_DESCRIBED) {
      of->holes[of->described++] =
          (hole){{from, next.from},
                 packet_story_new(&of->peak, false, of->in_graph, (range){from, from + 1}),
                 TIME_PS_NEVER};
    }
    from = next.to;
  }
  const trace_event *window = &of->at_failure[TRACE_WINDOW];
  if (of->position == NOTHING_ARRIVED) { /* what it sends: the first octet that is not acknowledged */
    const bool has_octets = TRACE_VALUE(window, WINDOW, next) > 0;
    from = has_octets ? TRACE_VALUE(window, WINDOW, acknowledged) : PACKET_STORY_SYN;
    of->failed = packet_story_new(&of->failure, true, of->in_graph, (range){from, from + 1});
    return;
  }
  from = of->sent.id == TRACE_FPDU_SENT ? TRACE_VALUE(&of->sent, FPDU_SENT, position) : of->position;
  const bool is_misled = of->valid.id == TRACE_FPDU_VALID && from != of->position;
  const range octets = {is_misled ? TRACE_VALUE(&of->valid, FPDU_VALID, position) : from,
                        of->sent.id == TRACE_FPDU_SENT ? from + TRACE_VALUE(&of->sent, FPDU_SENT, octets)
                                                       : PACKET_STORY_SYN};
  of->failed = packet_story_new(&of->failure, false, of->in_graph, octets);
}

/* Takes what arrives, or is placed, where most is held. */
static void follow_peak(explanation *of, const trace_event *event, GError **error)
{
  const bool is_before = (guint64)event->time <= peak_at(of);

  if (brings_octets(event)) {
    arrive(of, event, error);
    if (is_before && TRACE_VALUE(event, SEGMENT_ARRIVED, position) >= of->holes->missing.to) {
      of->arrivals++;
      of->longest = MAX(of->longest, TRACE_VALUE(event, SEGMENT_ARRIVED, payload_octets));
    }
    for (hole *one = of->holes; one < &of->holes[of->described]; one++) {
      if (range_set_contains(&of->arrived, one->missing.from, one->missing.to)) {
        one->filled_at = MIN(one->filled_at, event->time);
      }
    }
  } else if (is_before && event->id == TRACE_PLACED && TRACE_VALUE(event, PLACED, out_of_order) &&
             TRACE_VALUE(event, PLACED, position) >= of->holes->missing.from) {
    of->fpdus++;
    of->payload_octets += TRACE_VALUE(event, PLACED, payload_octets);
  }
}

static int compare_sender_shares(gconstpointer a, gconstpointer b)
{
  const guint64 one = ((const sender_share *)a)->packets, other = ((const sender_share *)b)->packets;
  return (one < other) - (one > other);
}

/* Notes whose packets wait for the port that drops the first packet of the first hole. */
static void note_filling(explanation *of, const trace_event *event)
{
  of->drop = *event;
  for (guint i = 0; i < of->waiting->len; i++) {
    const waiting_packet *one = &g_array_index(of->waiting, waiting_packet, i);
    guint place = 0;
    if (one->node != event->node || one->until <= event->time) {
      continue;
    }
    of->at_switch++;
    if (one->port != event->port) {
      continue;
    }
    of->at_port++;
    while (place < of->shares->len && g_array_index(of->shares, sender_share, place).sender != one->sender) {
      place++;
    }
    if (place == of->shares->len) {
      g_array_set_size(of->shares, place + 1); /* zeros */
      g_array_index(of->shares, sender_share, place).sender = one->sender;
    }
    g_array_index(of->shares, sender_share, place).packets++;
  }
  g_array_sort(of->shares, compare_sender_shares);
}

/* Follows what waits in the queues of a graph. */
static void follow_queues(explanation *of, const trace_event *event)
{
  gpointer sender = GUINT_TO_POINTER(event->connection * SIDES + event->side);

  if (event->id == TRACE_PACKET_SENT) {
    g_hash_table_insert(of->senders, sender, (gpointer)event->node);
  } else if (event->id == TRACE_PACKET_QUEUED) {
    const waiting_packet added = {.node = event->node,
                                  .port = event->port,
                                  .until = event->time + (time_ps)TRACE_VALUE(event, PACKET_QUEUED, waits_ps),
                                  .sender = g_hash_table_lookup(of->senders, sender)};
    g_array_append_val(of->waiting, added);
    if (of->waiting->len > of->room) {
      for (guint i = of->waiting->len; i-- > 0;) {
        if (g_array_index(of->waiting, waiting_packet, i).until <= event->time) {
          g_array_remove_index_fast(of->waiting, i);
        }
      }
      of->room = 2 * of->waiting->len + 1024;
    }
  } else if (event->id == TRACE_PACKET_DROPPED && of->drop.id != TRACE_PACKET_DROPPED && of->described > 0 &&
             g_str_has_prefix(TRACE_TEXT(event, PACKET_DROPPED, place), "switch, ") &&
             packet_story_carries(of->holes->story, event->packet)) {
    note_filling(of, event);
  }
}

static void follow(explanation *of, const trace_event *event, GError **error)
{
  if (of->in_graph) {
    follow_queues(of, event);
  }
  for (guint i = 0; i < of->described; i++) {
    packet_story_hear(of->holes[i].story, event);
  }
  packet_story_hear(of->failed, event);
  if (of->described > 0 && is_at_end(event, &of->peak)) {
    follow_peak(of, event, error);
  }
}

/* --- The peak, in words --- */

static const char *why_order(const explanation *of)
{
  return of->in_order                                                   ? "the receiver is in-order"
         : of->at_peak[TRACE_FULL_OPERATION].id != TRACE_FULL_OPERATION ? "the startup of MPA was not over"
         : of->assumes ? "the stream has no markers, and their FPDUs were not located by assumption"
                       : "the stream has no markers";
}

/* Adds what was placed meanwhile, and what the octets that were held waited for, by cause. */
static void add_causes(const explanation *of, prose *to)
{
  const char *const words[CAUSES] = {
      [INCOMPLETE] = " of which octets were missing (incomplete)",
      [UNLOCATED] = " lay in FPDUs that no marker had located yet (unlocated)",
      [ORDER] = why_order(of),
      [FRAGMENT] = " lay in IP datagrams of which fragments were missing (fragment)",
  };
  const guint64 partial = TRACE_VALUE(&of->at_peak[TRACE_HELD], HELD, partial_fpdus);
  const char *gap = " Of what it held";

  if (of->fpdus > 0) {
    prose_add(to, " Meanwhile %s beyond it had been located by %s and placed: %s of payload.",
              prose_plural(to, of->fpdus, "FPDUs"), of->assumes ? "assumption" : "markers",
              prose_plural(to, of->payload_octets, "octets"));
  }
  for (guint cause = 0; cause < CAUSES; cause++) {
    if (of->causes[cause] == 0) {
      continue;
    }
    prose_add(to, "%s %s", gap, prose_plural(to, of->causes[cause], "octets"));
    if (cause == INCOMPLETE) {
      prose_add(to, " lay in %s",
                partial > 0 ? prose_plural(to, partial, "located FPDUs") : "a startup frame, or a marker,");
    }
    prose_add(to, cause == ORDER ? " could not be placed because %s (order)" : "%s", words[cause]);
    gap = ";";
  }
  prose_add(to, ".");
}

static int compare_shares(gconstpointer a, gconstpointer b)
{
  const guint64 one = ((const share *)a)->octets, other = ((const share *)b)->octets;
  return (one < other) - (one > other);
}

/* Adds the connections that hold most besides, and how many have holes. */
static void add_others(const explanation *of, prose *to)
{
  g_autoptr(GList) shares = g_list_sort(g_hash_table_get_values(of->holding), compare_shares);
  guint named = 0, with_holes = 0;

  for (const GList *each = shares; each != NULL; each = each->next) {
    const share *held = each->data;
    with_holes += held->holes > 0;
    if (held->connection != of->peak.connection && named++ < CONNECTIONS_NAMED) {
      prose_add(to, "%s connection %u with %s", named == 1 ? " Next came" : ",", held->connection,
                prose_plural(to, held->octets, "octets"));
    }
  }
  if (named > 0) {
    prose_add(to, "; there were holes on %u of %u.", with_holes, named + 1);
  }
}

/* Adds whose packets waited for the port of the switch that dropped the first missing octets. */
static void add_filling(const explanation *of, prose *to)
{
  if (of->drop.id != TRACE_PACKET_DROPPED) {
    return;
  }
  prose_add(to, " When it came, %s waited in %s, %s of them for port %u%s",
            prose_plural(to, of->at_switch, "packets"), of->drop.node, prose_count(to, of->at_port),
            of->drop.port, of->at_port > 0 ? ":" : "");
  for (guint i = 0; i < MIN(of->shares->len, SENDERS_NAMED); i++) {
    const sender_share *one = &g_array_index(of->shares, sender_share, i);
    prose_add(to, "%s %s from %s", i > 0 ? "," : "", prose_count(to, one->packets), one->sender);
  }
  if (of->shares->len > SENDERS_NAMED) {
    prose_add(to, ", and those of %u more", of->shares->len - SENDERS_NAMED);
  }
  prose_add(to, ".");
}

static void add_peak(const explanation *of, prose *to)
{
  const bool is_simple = of->described > 0 && of->causes[ORDER] == of->octets;

  if (of->named) {
    prose_add(to, "The trace keeps to the hosts of measure.hosts = %s.\n", of->named);
  }
  if (of->peak.id != TRACE_PEAK) {
    prose_add(to, "The window that is measured %s: there is no peak.\n",
              of->named ? "opened at none of them" : "never opened");
    return;
  }
  if (peak_at(of) == 0) {
    prose_add(to, "Peak 0 octets: in the time that is measured, no octet waited for one that was missing.\n");
    return;
  }
  prose_add(to, "Peak %s", prose_plural(to, TRACE_VALUE(&of->peak, PEAK, octets), "octets"));
  if (of->cell_octets > 1) {
    prose_add(to, " in cells of %s", prose_count(to, of->cell_octets));
  }
  if (of->hosts > 1 || of->named) {
    prose_add(to, " at host %s", of->host);
  }
  prose_add(to, " at %s", prose_time(to, (time_ps)peak_at(of)));
  if (g_hash_table_size(of->holding) > 1) {
    prose_add(to, " over %s, the largest share, %s,",
              prose_plural(to, g_hash_table_size(of->holding), "connections"),
              prose_plural(to, of->octets, "octets"));
  }
  prose_add(to, " on connection %u: ", of->peak.connection);
  if (of->described > 0) {
    g_autofree char *joined =
        g_strdup_printf(", joined on the way (up to %s each),", prose_plural(to, of->longest, "octets"));
    g_autofree char *after = g_strdup_printf(
        "; %s%s arrived after it%s%s", prose_plural(to, of->arrivals, "segments"),
        of->longest_sent > 0 && of->longest > of->longest_sent ? joined : "",
        is_simple ? ", and none could be placed because " : "", is_simple ? why_order(of) : "");
    packet_story_add(of->holes->story, after, of->holes->filled_at, to);
    add_filling(of, to);
  } else {
    prose_add(to, "no hole was open: all octets before the last that had arrived were there.");
  }
  if (!is_simple) {
    add_causes(of, to);
  }
  for (guint i = 1; i < of->described; i++) {
    prose_add(to, " Beyond it, ");
    packet_story_add(of->holes[i].story, "", of->holes[i].filled_at, to);
  }
  if (of->missing > of->described) {
    prose_add(to, " And %s more.", prose_plural(to, of->missing - of->described, "holes"));
  }
  add_others(of, to);
  prose_add(to, "\n");
}

/* --- The failure, in words --- */

/* Adds what arrived and was at fault, and who spoilt it: the path, or its sender. */
static void add_culprit(const explanation *of, prose *to)
{
  const trace_event *sent = &of->sent;
  const guint64 from = TRACE_VALUE(sent, FPDU_SENT, position);
  const char *sender = side_name(side_peer(of->failure.side));
  const bool has_begun = of->at_failure[TRACE_FULL_OPERATION].id == TRACE_FULL_OPERATION;

  prose_add(to, of->why ? ". In error was " : " It came with ");
  if (has_begun && of->position != from) {
    prose_add(to, "what it took for an FPDU at %s of the stream, in ", prose_count(to, of->position));
  }
  if (!has_begun) {
    prose_add(to, "the startup frame of the %s.", sender);
  } else if (sent->id == TRACE_FPDU_SENT) {
    prose_add(to, "FPDU %s of the %s (stream %s to %s), sent at %s.",
              prose_count(to, TRACE_VALUE(sent, FPDU_SENT, fpdu)), sender, prose_count(to, from),
              prose_count(to, from + TRACE_VALUE(sent, FPDU_SENT, octets) - 1), prose_time(to, sent->time));
  } else {
    prose_add(to, "an FPDU that the trace does not show being sent.\n");
    return;
  }
  if (!packet_story_add_damage(of->failed, of->failure.time, to)) {
    prose_add(to, " The path damaged no packet with octets of it: ");
    if (of->why) {
      prose_add(to, "the %s sent it so%s%s.", sender, of->fault ? ", by the fault " : "",
                of->fault ? of->fault : "");
    } else {
      prose_add(to, "another FPDU was placed over it.");
    }
  }
  prose_add(to, "\n");
}

/* Adds what was delivered wrong, and why the end failed that did first. */
static void add_failure(const explanation *of, prose *to)
{
  const trace_event *failure = &of->failure, *wrong = &of->wrong;

  if (of->octets_wrong > 0) {
    prose_add(
        to,
        "Octet %s (from 0) of message %s that the %s of connection %u got is 0x%02X, where 0x%02X was sent",
        prose_count(to, TRACE_VALUE(wrong, OCTETS_WRONG, offset)),
        prose_count(to, TRACE_VALUE(wrong, OCTETS_WRONG, message)), side_name(wrong->side), wrong->connection,
        (guint)TRACE_VALUE(wrong, OCTETS_WRONG, placed), (guint)TRACE_VALUE(wrong, OCTETS_WRONG, sent));
    prose_add(to, ": the first of %s, at %s.%s", prose_plural(to, of->octets_wrong, "wrong octets"),
              prose_time(to, wrong->time), of->why ? "\n" : "");
  }
  if (of->why) {
    prose_add(to, "Connection %u ended at %s: its %s reports \"%s\"", failure->connection,
              prose_time(to, failure->time), side_name(failure->side), of->why);
  }
  if (of->position != NOTHING_ARRIVED) {
    add_culprit(of, to);
    return;
  }
  if (of->fault) {
    prose_add(to, ". The scenario has the fault %s.", of->fault);
  } else if (of->at_failure[TRACE_TIME_OUT].time == failure->time && packet_story_is_vain(of->failed)) {
    prose_add(to, ": ");
    packet_story_add(of->failed, "", TIME_PS_NEVER, to);
  } else {
    prose_add(to, ".");
  }
  prose_add(to, "\n");
}

/* --- All readings --- */

/* Notes what counts here of the scenario that the trace is of: that is a help, no more, so that none is no
 * error. */
static void note_scenario(explanation *of, const char *text)
{
  g_autoptr(JsonObject) about = json_text_read(text, strlen(text), NULL);
  JsonObject *keys = json_text_object(about, "keys");
  const char *cell = json_text_string(keys, "receiver.cell"), *mode = json_text_string(keys, "receiver.mode");
  const char *kind = json_text_string(keys, "topology.kind"); /* a path has none */
  const char *fault = json_text_string(keys, "fault.error");
  const char *named = json_text_string(keys, "measure.hosts");

  of->in_order = g_strcmp0(mode, "in-order") == 0;
  of->in_graph = kind && strcmp(kind, "path") != 0;
  of->named = named && *named != '\0' ? g_strdup(named) : NULL;
  of->assumes = g_strcmp0(mode, "assume-aligned") == 0;
  of->cell_octets = MAX(cell ? g_ascii_strtoull(cell, NULL, 10) : 1, 1);
  of->fault = g_strcmp0(fault, "none") == 0 ? NULL : g_strdup(fault);
}

/* Reads the trace from its first octet to its end. */
static gboolean read_all(explanation *of, FILE *file, const char *name,
                         void (*hear)(explanation *, const trace_event *, GError **), GError **error)
{
  trace_event event;

  if (fseek(file, 0, SEEK_SET) != 0) {
    return error_set(error, "%s: cannot be read from its beginning (%s); expected a file", name,
                     g_strerror(errno));
  }
  trace_reader_free(of->reader);
  of->reader = trace_reader_new(file, name, error);
  while (*error == NULL && trace_reader_next(of->reader, &event, error)) {
    hear(of, &event, error);
  }
  return *error == NULL;
}

char *explain_trace(FILE *file, const char *name, GError **error)
{
  explanation of = {.peak.id = TRACE_EVENTS,
                    .sent.id = TRACE_EVENTS,
                    .valid.id = TRACE_EVENTS,
                    .position = NOTHING_ARRIVED,
                    .drop.id = TRACE_EVENTS,
                    .waiting = g_array_new(FALSE, FALSE, sizeof(waiting_packet)),
                    .shares = g_array_new(FALSE, TRUE, sizeof(sender_share)),
                    .senders = g_hash_table_new(NULL, NULL),
                    .damaged = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL),
                    .holding = g_hash_table_new_full(NULL, NULL, NULL, g_free)};
  prose text = prose_new();

  range_set_init(&of.arrived);
  if (read_all(&of, file, name, find, error)) {
    note_scenario(&of, of.reader->about);
    if (!of.why && of.octets_wrong > 0) {
      of.failure = of.wrong;
      of.position = TRACE_VALUE(&of.wrong, OCTETS_WRONG, position);
    }
  }
  if (*error == NULL && read_all(&of, file, name, look, error)) {
    begin_to_follow(&of);
  }
  if (*error == NULL && read_all(&of, file, name, follow, error)) {
    add_peak(&of, &text);
    if (of.again.id == TRACE_STARTED_AGAIN) {
      prose_add(
          &text,
          "The Initiator of connection %u opened a second TCP connection at %s, from port %" G_GUINT64_FORMAT
          ", with plain Revision 1: the first was closed before a Reply came.\n",
          of.again.connection, prose_time(&text, of.again.time), TRACE_VALUE(&of.again, STARTED_AGAIN, port));
    }
    if (of.misses > 0) {
      const guint64 from = TRACE_VALUE(&of.miss, SEGMENT_ARRIVED, position);
      prose_add(&text,
                "TCP took %s as good that the path had damaged: first packet %s of connection %u (stream %s "
                "to %s) at %s.\n",
                prose_plural(&text, of.misses, "segments"), prose_count(&text, of.miss.packet),
                of.miss.connection, prose_count(&text, from),
                prose_count(&text, from + TRACE_VALUE(&of.miss, SEGMENT_ARRIVED, payload_octets) - 1),
                prose_time(&text, of.miss.time));
    }
    if (of.why || of.octets_wrong > 0) {
      add_failure(&of, &text);
    }
  }
  for (guint i = 0; i < of.described; i++) {
    packet_story_free(of.holes[i].story);
  }
  g_clear_pointer(&of.failed, packet_story_free);
  trace_reader_free(of.reader);
  range_set_clear(&of.arrived);
  g_array_unref(of.waiting);
  g_array_unref(of.shares);
  g_hash_table_destroy(of.senders);
  g_hash_table_destroy(of.damaged);
  g_hash_table_destroy(of.holding);
  g_free(of.host);
  g_free(of.why);
  g_free(of.fault);
  g_free(of.named);
  g_autofree char *sentences = prose_end(&text);
  return *error == NULL ? g_steal_pointer(&sentences) : NULL;
}
