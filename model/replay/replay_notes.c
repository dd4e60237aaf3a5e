/* SPDX-License-Identifier: GPL-2.0-only */
#include "replay/replay_notes.h"

#include "scenario/configuration.h"

#include "session/session_setup.h"

static const replay_connection_lesson *lesson_of(const replay_lessons *lessons, uint32_t index)
{
  return &g_array_index(lessons->connections, replay_connection_lesson, index);
}

static void note_missing(const replay_lessons *lessons, const configuration *c, GPtrArray *notes)
{
  enum side direction = c->main_direction;
  uint32_t count = 0;
  uint32_t first = 0;

  for (uint32_t i = lessons->connections->len; i-- > 0;) {
    if (lesson_of(lessons, i)->directions[direction].missing_from < UINT64_MAX) {
      count++;
      first = i;
    }
  }
  if (count > 0) {
    g_autofree char *others = count > 1 ? g_strdup_printf(" (and so of %u others)", count - 1) : g_strdup("");
    g_ptr_array_add(
        notes, g_strdup_printf("connection %u: octets from stream position %" G_GUINT64_FORMAT
                               " on came and are not in the capture; it is replayed up to there%s",
                               first, lesson_of(lessons, first)->directions[direction].missing_from, others));
  }
}

/* Startup ended where `direction` leads, so that FPDUs were not to come: the connection was rejected, or the frame has the key of the other role. */
static bool is_refused(const decode_connection *decoded, enum side direction)
{
  bool has_right_key = direction == SIDE_INITIATOR ? decoded->has_request : decoded->has_reply;

  return (decoded->has_reply && decoded->reply.rejected) || (decoded->has_frame[direction] && !has_right_key);
}

static void note_nothing(const replay_lessons *lessons, const configuration *c, GPtrArray *notes)
{
  enum side direction = c->main_direction;
  uint64_t fpdus = 0;
  bool expects_some = false;

  for (uint32_t i = 0; i < lessons->connections->len; i++) {
    const decode_connection *decoded = &lesson_of(lessons, i)->decoded;
    fpdus += decoded->directions[direction].fpdus;
    expects_some = expects_some || !is_refused(decoded, direction);
  }
  if (fpdus == 0 && expects_some) {
    g_ptr_array_add(notes, g_strdup_printf("no FPDU to the %s is in the capture, so nothing is measured; "
                                           "measure.side names the end",
                                           side_name(c->measured)));
  }
}

/* The capture has no second copy of what the real end took. */
static void note_refused(const replay_network *network, const metric_values *values, GPtrArray *notes)
{
  uint64_t refused = (uint64_t)(values->value[METRIC_BUFFER_SEGMENTS_REFUSED] +
                                values->value[METRIC_STATE_SEGMENTS_REFUSED]);
  uint32_t lacking = replay_network_lacking(network);

  if (refused > 0 && lacking > 0) {
    g_ptr_array_add(notes,
                    g_strdup_printf("%" G_GUINT64_FORMAT
                                    " segments were refused, and %u connection%s waited for octets of them "
                                    "for ever; --resend TIME offers them again",
                                    refused, lacking, lacking == 1 ? "" : "s"));
  }
}

/* The capture's sender exceeded what MPA lets a sender hand on. */
static void note_long(const replay_lessons *lessons, const configuration *c, GPtrArray *notes)
{
  enum side direction = c->main_direction;
  uint64_t count = 0;

  for (uint32_t i = 0; i < lessons->connections->len; i++) {
    count += lesson_of(lessons, i)->decoded.directions[direction].long_ulpdus;
  }
  if (count > 0) {
    g_ptr_array_add(notes,
                    g_strdup_printf("%" G_GUINT64_FORMAT
                                    " FPDUs have ULPDUs of more than 64768 octets, which no sender may make "
                                    "(mpa-01 §3.2); the receivers here take them all the same",
                                    count));
  }
}

void replay_note(const replay_lessons *lessons, const configuration *c, const replay_network *network,
                 bool resends, const metric_values *values, GPtrArray *notes)
{
  uint64_t backward = replay_network_backward(network);
  uint64_t given_up = replay_network_given_up(network);
  uint64_t too_big = replay_network_too_big(network);

  note_nothing(lessons, c, notes);
  note_missing(lessons, c, notes);
  if (!resends) {
    note_refused(network, values, notes);
  }
  note_long(lessons, c, notes);
  if (backward > 0) {
    g_ptr_array_add(notes,
                    g_strdup_printf("%" G_GUINT64_FORMAT " packets say that they came before the packet in "
                                    "front of them; they come right behind it here",
                                    backward));
  }
  if (given_up > 0) {
    g_ptr_array_add(notes, g_strdup_printf("%" G_GUINT64_FORMAT
                                           " segments did not arrive, however often they were offered again",
                                           given_up));
  }
  if (too_big > 0) {
    g_ptr_array_add(notes,
                    g_strdup_printf("%" G_GUINT64_FORMAT
                                    " packets were larger than the path's MTU and were dropped: routers "
                                    "do not fragment IPv6",
                                    too_big));
  }
}
