/* SPDX-License-Identifier: GPL-2.0-only */
#include "wire_order.h"

#include "wire_responses.h"

guint wire_agreed_rtrs(const marked_half half[WIRE_SIDES])
{
  const marked_half *request = &half[WIRE_INITIATOR], *reply = &half[WIRE_RESPONDER];

  if (!request->is_enhanced || !reply->is_enhanced || reply->rejects || !reply->enhanced.peer_to_peer) {
    return 0;
  }
  return request->enhanced.rtrs & reply->enhanced.rtrs;
}

/* RFC 6581 §9.2: a Send, a Write or a Read of no octets. */
static guint rtr_of(const wire_message *m)
{
  switch (m->opcode) {
  case WIRE_SEND:
    return m->octets == 0 ? WIRE_RTR_SEND : 0;
  case WIRE_WRITE:
    return m->octets == 0 ? WIRE_RTR_WRITE : 0;
  case WIRE_READ_REQUEST:
    return m->read.octets == 0 ? WIRE_RTR_READ : 0;
  default:
    return 0;
  }
}

void wire_rtr_check(const wire_decoded *decoded, GPtrArray *complaints)
{
  const marked_half *reply = &decoded->half[WIRE_RESPONDER];
  const GArray *sent = decoded->messages[WIRE_INITIATOR];

  if (!reply->is_enhanced || reply->rejects || !reply->enhanced.peer_to_peer || sent->len == 0) {
    return;
  }
  const wire_message *first = &g_array_index(sent, wire_message, 0);
  if (first->opcode != WIRE_TERMINATE && !(rtr_of(first) & wire_agreed_rtrs(decoded->half))) {
    wire_complain(complaints,
                  "side 0: the first message has opcode %u, and the agreed RTR indications are %u",
                  first->opcode, wire_agreed_rtrs(decoded->half));
  }
}

/* When the octets of a stream were in the capture for the first time, in packets. */
static guint *times_of(const wire_stream *stream)
{
  guint *times = g_new(guint, MAX(stream->octets->len, 1));

  for (guint at = 0; at < stream->octets->len; at++) {
    times[at] = G_MAXUINT;
  }
  for (guint i = 0; i < stream->segments->len; i++) {
    const wire_segment *segment = &g_array_index(stream->segments, wire_segment, i);
    for (guint64 at = segment->offset; at < segment->offset + segment->octets && at < stream->octets->len;
         at++) {
      times[at] = MIN(times[at], segment->packet);
    }
  }
  return times;
}

/* The same of each octet and all before it. */
static guint *arrivals_of(const wire_stream *stream)
{
  guint *times = times_of(stream);

  for (guint at = 1; at < stream->octets->len; at++) {
    times[at] = MAX(times[at], times[at - 1]);
  }
  return times;
}

/* Returns when the octets [from, to) had all come. */
static guint when_whole(const guint *times, guint64 from, guint64 to)
{
  guint when = 0;

  for (guint64 at = from; at < to; at++) {
    when = MAX(when, times[at]);
  }
  return when;
}

void wire_turns_check(const wire_connection *connection, const wire_decoded *decoded, int side,
                      GPtrArray *complaints)
{
  const marked_half *own = &decoded->half[side], *other = &decoded->half[1 - side];
  guint earliest = G_MAXUINT;

  if (own->fpdus->len == 0) {
    return;
  }
  g_autofree guint *left = times_of(&connection->stream[side]);
  g_autofree guint *came = times_of(&connection->stream[1 - side]);
  if (side == WIRE_INITIATOR) {
    earliest = when_whole(came, 0, other->phase);
  } else { /* any FPDU will do: it may be validated before those in front of it have come */
    for (guint i = 0; i < other->fpdus->len; i++) {
      const plain_fpdu *fpdu = &g_array_index(other->fpdus, plain_fpdu, i);
      earliest = MIN(earliest, when_whole(came, fpdu->start, fpdu->end));
    }
  }
  if (earliest > left[own->phase]) {
    wire_complain(complaints, "side %d: the first FPDU leaves before it may", side);
  }
}

guint wire_outstanding_peak(const wire_connection *connection, const wire_decoded *decoded, int side)
{
  g_autofree guint *left = times_of(&connection->stream[side]);
  g_autofree guint *came = arrivals_of(&connection->stream[1 - side]);
  guint at_request = 0, at_response = 0, requests = 0, responses = 0, peak = 0;
  const wire_message *request, *response = NULL;

  while ((request = wire_next(decoded->messages[side], &at_request,
                              1 << WIRE_READ_REQUEST | 1 << WIRE_ATOMIC_REQUEST))) {
    requests++;
    while ((response = response ? response
                                : wire_next(decoded->messages[1 - side], &at_response,
                                            1 << WIRE_READ_RESPONSE | 1 << WIRE_ATOMIC_RESPONSE)) &&
           response->is_whole && came[response->end - 1] < left[request->start]) {
      responses++;
      response = NULL;
    }
    peak = MAX(peak, requests - responses);
  }
  return peak;
}
