/* SPDX-License-Identifier: GPL-2.0-only */
#include "recompute_occupancy.h"

#include <string.h>

#include "../random/plain_decoder.h"

enum {
  ABSENT = 0,
  HELD = 1,
  PLACED = 2,
};

enum { SIZE = 4 << 20 }; /* octets of a stream at most */

enum { CAUSE_INCOMPLETE, CAUSE_UNLOCATED, CAUSE_ORDER, CAUSES };

typedef struct stream {
  guint8 octets[SIZE]; /* from the first octet after the SYN */
  guint8 flags[SIZE];
  guint8 located[SIZE]; /* 1: within a located, incomplete FPDU; made anew after every segment */
  guint32 spans[SIZE];  /* at a header: octets from it to the end of its FPDU, once walked; 0: not yet */
  guint64 top;          /* after the newest octet */
  guint64 edge;         /* the FPDU that is next in order starts here (its leading marker, if it has one) */
  guint64 phase;        /* where the FPDU phase starts; 0: the Request Frame is not whole yet */
  gboolean looks_ahead;
  gboolean markers;
} stream;

static gboolean all_there(const stream *s, guint64 from, guint64 to)
{
  for (guint64 i = from; i < to; i++) {
    if (i >= SIZE || s->flags[i] == ABSENT) {
      return FALSE;
    }
  }
  return TRUE;
}

/* Returns true when a marker starts at stream position `at`. */
static gboolean marker_at(const stream *s, guint64 at)
{
  return s->markers && at >= s->phase && (at - s->phase) % 512 == 0;
}

/* Returns where the header of an FPDU that starts at `start` is: after its leading marker. */
static guint64 header_of(const stream *s, guint64 start)
{
  return marker_at(s, start) ? start + 4 : start;
}

/* Walks an FPDU octet by octet, once: header, ULPDU, PAD, CRC, stepping over markers. Returns its end. */
static guint64 end_of(stream *s, guint64 header)
{
  if (s->spans[header] > 0) {
    return header + s->spans[header];
  }
  guint32 length = (guint32)plain_number(s->octets + header, 2);
  guint64 left = 2 + length + (4 - (2 + length) % 4) % 4 + 4;
  guint64 at = header;

  while (left > 0) {
    if (marker_at(s, at)) {
      at += 4;
    } else {
      at++;
      left--;
    }
  }
  s->spans[header] = (guint32)(at - header);
  return at;
}

static gboolean length_there(const stream *s, guint64 header)
{
  return all_there(s, header, header + 2);
}

/* Places the FPDU at `header` when it is whole; otherwise marks its extent. Returns its end when it is whole,
 * else 0. */
static guint64 try_fpdu(stream *s, guint64 header)
{
  guint64 start = marker_at(s, header - 4) && header >= s->phase + 4 ? header - 4 : header;
  guint64 end = end_of(s, header);

  if (s->flags[header] == PLACED) {
    return end;
  }
  if (all_there(s, start, end)) {
    memset(s->flags + start, PLACED, end - start);
    return end;
  }
  memset(s->located + start, 1, MIN(end, SIZE) - start);
  return 0;
}

static void take_in_order(stream *s)
{
  guint64 end;

  while (length_there(s, header_of(s, s->edge)) && (end = try_fpdu(s, header_of(s, s->edge)))) {
    s->edge = end;
  }
}

/* Follows every whole marker after the in-order edge, and the chain of lengths from where it points. */
static void take_ahead(stream *s)
{
  guint64 first = s->phase + (s->edge - s->phase + 511) / 512 * 512;

  for (guint64 marker = first; marker < s->top; marker += 512) {
    if (!all_there(s, marker, marker + 4)) {
      continue;
    }
    guint32 pointer = (guint32)plain_number(s->octets + marker + 2, 2) & ~3u;
    guint64 header = pointer == 0 ? marker + 4 : marker - pointer;
    while (header >= s->edge && length_there(s, header)) {
      guint64 end = try_fpdu(s, header);
      if (end == 0) {
        break;
      }
      header = header_of(s, end);
    }
  }
}

static void count_held(const stream *s, guint64 counts[CAUSES])
{
  memset(counts, 0, CAUSES * sizeof counts[0]);
  for (guint64 i = s->phase == 0 ? 0 : s->edge; i < s->top; i++) {
    if (s->flags[i] != HELD) {
      continue;
    }
    gboolean leading_marker =
        s->phase > 0 && marker_at(s, s->edge) && i < s->edge + 4 && all_there(s, s->edge, i + 1);
    if (s->located[i] || leading_marker || s->phase == 0) {
      counts[CAUSE_INCOMPLETE]++;
    } else {
      counts[s->looks_ahead && s->markers ? CAUSE_UNLOCATED : CAUSE_ORDER]++;
    }
  }
}

static void receive(stream *s, guint64 position, const guint8 *payload, guint32 length)
{
  for (guint32 i = 0; i < length; i++) {
    guint64 at = position + i;
    g_assert_cmpuint(at, <, SIZE);
    if (s->flags[at] == ABSENT) {
      s->octets[at] = payload[i];
      s->flags[at] = HELD;
    }
  }
  s->top = MAX(s->top, position + length);
  if (s->phase == 0 && all_there(s, 0, 20) &&
      all_there(s, 0, 20 + (guint32)plain_number(s->octets + 18, 2))) {
    s->phase = 20 + (guint32)plain_number(s->octets + 18, 2);
    s->edge = s->phase;
    memset(s->flags, PLACED, s->phase);
  }
  if (s->phase > 0) {
    memset(s->located + s->edge, 0, s->top - s->edge);
    take_in_order(s);
    if (s->looks_ahead && s->markers) {
      take_ahead(s);
      take_in_order(s);
    }
  }
}

GArray *recompute_occupancy(const GArray *packets, gboolean looks_ahead)
{
  GArray *changes = g_array_new(FALSE, TRUE, sizeof(occupancy_change));
  g_autofree stream *s = g_new0(stream, 1);
  guint64 last[CAUSES] = {0};
  guint64 counts[CAUSES];

  s->looks_ahead = looks_ahead;
  for (guint i = 0; i < packets->len; i++) {
    const listed_packet *p = packet_list_at(packets, i);
    const guint8 *payload = p->ip->data + p->ip->len - p->payload;
    if (!p->from_initiator && p->payload >= 20 && memcmp(payload, "MPA ID Rep Frame", 16) == 0) {
      s->markers = (payload[16] & 0x80) != 0; /* the Data Sink asks for markers in what it receives */
    } else if (p->from_initiator && p->payload > 0) {
      receive(s, p->position, payload, p->payload);
      count_held(s, counts);
      static const char *const names[CAUSES] = {"incomplete", "unlocated", "order"};
      for (int cause = 0; cause < CAUSES; cause++) {
        occupancy_change change = {.time_ns = (double)p->at_ns, .octets = counts[cause]};
        if (counts[cause] != last[cause]) {
          g_strlcpy(change.cause, names[cause], sizeof change.cause);
          g_array_append_val(changes, change);
          last[cause] = counts[cause];
        }
      }
    }
  }
  return changes;
}
