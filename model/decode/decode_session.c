/* SPDX-License-Identifier: GPL-2.0-only */
#include "decode/decode_session.h"

#include <arpa/inet.h>
#include <glib.h>
#include <inttypes.h>

#include "decode/decode_direction.h"
#include "decode/decode_startup.h"
#include "decode/decode_verdict.h"
#include "net/capture_packet.h"
#include "net/tcp_header.h"

/* --- Which RST ended a connection --- */

/* A TCP takes one at exactly RCV.NXT alone (RFC
 * 9293 §3.10.7.4, RFC 5961 §3.2), and the end whose RST was taken, or that sent it itself, acknowledges
 * nothing more of what is sent: others are strays, or were forged.
 * This is known of one end, all 0 at first; of sequence numbers, the highest. */
typedef struct reset_end {
  bool has_next, has_acknowledged;
  uint32_t next;         /* after all that it sent */
  uint32_t acknowledged; /* by it */
  bool has_reset;        /* a RST of its stands, … */
  uint64_t packet;       /* … this one; */
  uint32_t sequence;     /* its sequence number, and what the two were then: */
  uint32_t next_then, acknowledged_then;
  bool had_acknowledged;
  bool has_missed; /* a RST of its was elsewhere */
} reset_end;

typedef enum reset_fate {
  RESET_NONE,   /* nothing new */
  RESET_STANDS, /* it is where it would be taken, and the first of its end */
  RESET_MISSES, /* it is elsewhere, and the first such one */
  RESET_FALLS,  /* what stood was not taken, as this acknowledgement shows */
} reset_fate;

static bool is_after(uint32_t a, uint32_t b)
{
  return (int32_t)(a - b) > 0;
}

/* `*highest` becomes `sequence` where that is higher. */
static void move_up(bool *is_known, uint32_t *highest, uint32_t sequence)
{
  *highest = *is_known && !is_after(sequence, *highest) ? *highest : sequence;
  *is_known = true;
}

static reset_fate take_reset(reset_end *own, const reset_end *peer, const capture_segment *segment,
                             uint32_t edge)
{
  const uint32_t at = segment->sequence;

  if (own->has_reset) {
    return RESET_NONE;
  }
  /* RCV.NXT of the peer: octets that it has not acknowledged may have come to it, or not. */
  if (at == edge || (own->has_next && at == own->next) ||
      (peer->has_acknowledged && at == peer->acknowledged)) {
    own->has_reset = true;
    own->packet = segment->packet;
    own->sequence = at;
    own->next_then = own->has_next && is_after(own->next, at) ? own->next : at;
    own->acknowledged_then = own->acknowledged;
    own->had_acknowledged = own->has_acknowledged;
    return RESET_STANDS;
  }
  const bool is_first = !own->has_missed;
  own->has_missed = true;
  return is_first ? RESET_MISSES : RESET_NONE;
}

/* Takes what the next segment, whose checksum is good enough, shows. `edge`: the sequence number of the first
 * octet of its sender that has not come. `*from`: the end whose RST it is about. */
static reset_fate take_reset_or_answer(reset_end ends[2], const capture_segment *segment, uint32_t edge,
                                       unsigned *from)
{
  reset_end *own = &ends[segment->from], *peer = &ends[!segment->from];
  const uint32_t acknowledged = segment->acknowledgement;
  const bool is_syn = (segment->flags & TCP_SYN) != 0, is_fin = (segment->flags & TCP_FIN) != 0;

  *from = segment->from;
  if (segment->flags & TCP_RST) {
    return take_reset(own, peer, segment, edge);
  }
  move_up(&own->has_next, &own->next, segment->sequence + is_syn + segment->payload_octets + is_fin);
  if (!(segment->flags & TCP_ACK) || !peer->has_next || is_after(acknowledged, peer->next)) {
    return RESET_NONE; /* of what the capture does not have */
  }
  move_up(&own->has_acknowledged, &own->acknowledged, acknowledged);
  /* Its own one: an end that is closed acknowledges nothing. The peer's: nothing that came after it. */
  if (own->has_reset && own->had_acknowledged && is_after(acknowledged, own->acknowledged_then)) {
    own->has_reset = false;
    return RESET_FALLS;
  }
  if (peer->has_reset && is_after(acknowledged, peer->next_then)) {
    *from = !segment->from;
    peer->has_reset = false;
    return RESET_FALLS;
  }
  return RESET_NONE;
}

/* Of all connections together, so many times as many octets as one may hold may wait until it is known
 * whether they speak MPA. */
enum { WAITING_SHARE = 4 };

struct decode_session {
  decode_tools tools;
  GPtrArray *conversations; /* of conversation, by the flow's index; NULL: not seen */
  GPtrArray *connections;   /* of decode_connection: those that speak MPA */
  uint64_t waiting_octets;  /* of all */
  int64_t latest_ns;        /* of the segments that came */
};

/* This is one TCP connection: first its segments wait, then it is known to speak MPA, or not. */
typedef struct conversation {
  const capture_flow *flow;
  decode_waiting *waiting;         /* NULL when it is decided */
  decode_verdict verdict;          /* then */
  decode_direction *directions[2]; /* by the end that sends; NULL: it has sent nothing, or this is no MPA */
  reset_end reset_ends[2];         /* of the flow */
  decode_event passed_over[2];     /* the same: of the segments with a wrong checksum */
  bool is_numbered;                /* it will speak MPA, and is in `connections` */
  bool is_finished;
  decode_connection connection;
} conversation;

static void free_conversation(void *of)
{
  conversation *talk = of;

  if (talk) {
    decode_waiting_free(talk->waiting);
    decode_verdict_clear(&talk->verdict);
    decode_direction_free(talk->directions[0]);
    decode_direction_free(talk->directions[1]);
    g_free(talk->connection.directions[0].findings);
    g_free(talk->connection.directions[1].findings);
    g_free(talk);
  }
}

/* --- A connection begins --- */

/* Reports `event`, whose kind, place, problems and text are filled in, of what end `from` sent. */
static void report(const decode_session *session, conversation *talk, unsigned from, decode_event event)
{
  event.direction = decode_side_of(&talk->connection, from);
  decode_report(&session->tools, &talk->connection, &event);
}

/* Reports what there is to know about a startup frame; with DECODE_STARTUP_FRAME the frame itself. */
static void report_startup(const decode_session *session, conversation *talk,
                           const decode_verdict_frame *found, decode_event_kind kind,
                           decode_problem_set problems, const char *text)
{
  report(session, talk, found->from,
         (decode_event){.kind = kind,
                        .time_ns = found->time_ns,
                        .packets = found->packets,
                        .stream_position = found->position,
                        .octets = found->frame.frame_octets,
                        .frame = kind == DECODE_STARTUP_FRAME ? &found->frame : NULL,
                        .problems = problems,
                        .text = text});
}

/* Reports a startup frame, and what no document allows in it; `is_early`: or in when it was sent. */
static void report_frame(const decode_session *session, conversation *talk, const decode_verdict_frame *found,
                         bool is_early)
{
  const decode_verdict_frame *asked = &talk->verdict.frames[DECODE_REQUEST];
  const decode_startup_frame *frame = &found->frame;
  const decode_startup_frame *request = frame->is_reply && asked->is_there ? &asked->frame : NULL;

  if (!found->is_there) {
    return;
  }
  report_startup(session, talk, found, DECODE_STARTUP_FRAME, 0, NULL);
  decode_problem_set faults = decode_check_frame(frame, request) | (is_early ? DECODE_PROBLEM_BIT(EARLY) : 0);
  while (faults != 0) {
    const decode_problem fault = decode_problem_take(&faults);
    g_autofree char *text = decode_frame_sentence(fault, frame, request);
    report_startup(session, talk, found, DECODE_NOTE_STARTUP, UINT64_C(1) << fault, text);
  }
}

static void begin_direction(const decode_session *session, conversation *talk, unsigned from)
{
  enum side side = decode_side_of(&talk->connection, from);

  talk->directions[from] = decode_direction_new(&session->tools, &talk->connection, side,
                                                &talk->verdict.starts[from], &talk->directions[!from]);
}

/* Reports a RST, or what shows that one was not taken; `edge` is of before the segment. */
static void report_reset(const decode_session *session, conversation *talk, const capture_segment *segment,
                         uint32_t edge)
{
  unsigned from;
  const reset_fate fate = take_reset_or_answer(talk->reset_ends, segment, edge, &from);
  const reset_end *end = &talk->reset_ends[from];
  const decode_direction *direction = talk->directions[from];
  const bool stands = fate == RESET_STANDS, falls = fate == RESET_FALLS;
  const char *sentence = decode_problems[DECODE_PROBLEM_FALSE_RESET].sentence;
  const uint64_t packet = falls ? end->packet : segment->packet;

  if (fate == RESET_NONE) {
    return;
  }
  const uint64_t at = decode_direction_position(direction, falls ? end->sequence : segment->sequence);
  g_autofree char *text =
      stands  ? NULL
      : falls ? g_strdup_printf("%s: what came after it is acknowledged in packet %" PRIu64, sentence,
                                segment->packet)
              : g_strdup_printf("%s: stream position %" PRIu64 ", expected %" PRIu64, sentence, at,
                                decode_direction_position(direction, end->has_next ? end->next : edge));
  report(session, talk, from,
         (decode_event){.kind = DECODE_NOTE_RESET,
                        .time_ns = segment->time_ns,
                        .packets = {packet, packet, 1},
                        .stream_position = at,
                        .problems = stands ? DECODE_PROBLEM_BIT(RESET) : DECODE_PROBLEM_BIT(FALSE_RESET),
                        .text = text});
}

/* Takes a segment of a connection that speaks MPA. */
static void receive(const decode_session *session, conversation *talk, const capture_segment *segment)
{
  unsigned from = segment->from;

  if (!talk->directions[from]) {
    const capture_flow *flow = talk->flow;

    if (segment->payload_octets == 0 && !(segment->flags & (TCP_FIN | TCP_RST)) &&
        segment->clock_step_ns == 0) {
      return;
    }
    talk->verdict.starts[from].first_sequence =
        flow->has_syn[from] ? flow->isn[from] + 1 : segment->sequence + ((segment->flags & TCP_SYN) != 0);
    begin_direction(session, talk, from);
  }
  const uint32_t edge = decode_direction_edge(talk->directions[from]);
  decode_direction_receive(talk->directions[from], segment);
  report_reset(session, talk, segment, edge);
}

/* Connections have their numbers in the order in which it is known that they speak MPA. */
static void number(decode_session *session, conversation *talk)
{
  if (!talk->is_numbered) {
    talk->is_numbered = true;
    talk->connection.index = session->connections->len;
    g_ptr_array_add(session->connections, &talk->connection);
  }
}

/* `talk` speaks MPA: reports the startup frames, and decodes what has waited. */
static void begin_connection(decode_session *session, conversation *talk)
{
  const decode_verdict *verdict = &talk->verdict;
  const decode_verdict_frame *request = &verdict->frames[DECODE_REQUEST];
  const decode_verdict_frame *reply = &verdict->frames[DECODE_REPLY];
  bool reply_first = reply->packets.last < request->packets.last;

  number(session, talk);
  talk->connection = (decode_connection){.index = talk->connection.index,
                                         .flow = talk->flow->index,
                                         .initiator = verdict->initiator,
                                         .has_request = request->is_there,
                                         .has_reply = reply->is_there,
                                         .request = request->frame,
                                         .reply = reply->frame,
                                         .is_hinted = verdict->is_hinted};
  for (unsigned from = 0; from < 2; from++) {
    talk->connection.has_frame[decode_side_of(&talk->connection, from)] = verdict->has_frame[from];
    decode_print_end(&talk->flow->ends[from], talk->connection.ends[decode_side_of(&talk->connection, from)]);
  }
  for (unsigned i = 0; i < DECODE_FRAMES; i++) {
    const bool is_reply = reply_first == (i == 0);
    report_frame(session, talk, is_reply ? reply : request, is_reply && verdict->reply_is_early);
  }
  if (verdict->text) {
    const decode_verdict_frame *found = request->is_there ? request : reply;

    if (verdict->is_of_one_role) {
      report_startup(session, talk, found, DECODE_NOTE_STARTUP, DECODE_PROBLEM_BIT(STARTUP_ROLE), NULL);
    }
    report_startup(session, talk, found, DECODE_NOTE_STARTUP, DECODE_PROBLEM_BIT(STARTUP_ASSUMED),
                   verdict->text);
  }
  for (unsigned from = 0; from < 2; from++) {
    if (verdict->has_start[from]) {
      begin_direction(session, talk, from);
    }
  }
  for (guint index = 0; index < talk->waiting->segments->len; index++) {
    receive(session, talk, &g_array_index(talk->waiting->segments, decode_waiting_segment, index).segment);
  }
}

/* What waits of `talk` is decoded or forgotten, once it is known whether `talk` speaks MPA. */
static void decide(decode_session *session, conversation *talk)
{
  if (!decode_verdict_reach(&talk->verdict, talk->waiting)) {
    return;
  }
  session->waiting_octets -= talk->waiting->octets;
  g_assert(talk->verdict.is_mpa || !talk->is_numbered);
  if (talk->verdict.is_mpa) {
    begin_connection(session, talk);
  }
  g_clear_pointer(&talk->waiting, decode_waiting_free);
}

/* Decides now, whatever is missing. */
static void decide_at_last(decode_session *session, conversation *talk)
{
  if (talk->waiting) {
    talk->waiting->is_over = true;
    decide(session, talk);
  }
}

/* `count` segments were passed over, of which the first is `packet`. Free with g_free(). */
static char *passed_over_text(uint64_t count, uint64_t packet)
{
  return g_strdup_printf("%s: %" G_GUINT64_FORMAT ", the first in packet %" G_GUINT64_FORMAT
                         "; --ignore-checksums accepts them",
                         decode_problems[DECODE_PROBLEM_CHECKSUM].sentence, count, packet);
}

/* Ends `talk`, of which no further segment comes. A second call does nothing. */
static void finish(decode_session *session, conversation *talk)
{
  decide_at_last(session, talk);
  bool is_open = talk->verdict.is_mpa && !talk->is_finished;
  talk->is_finished = true;
  for (unsigned from = 0; is_open && from < 2; from++) {
    decode_event passed_over = talk->passed_over[from];
    const uint32_t wrong = passed_over.packets.count;

    talk->connection.directions[decode_side_of(&talk->connection, from)].wrong_checksums = wrong;
    if (talk->directions[from]) {
      decode_direction_finish(talk->directions[from], session->latest_ns);
    }
    if (wrong > 0) {
      g_autofree char *text = passed_over_text(wrong, passed_over.packets.first);
      passed_over.kind = DECODE_NOTE_CHECKSUM;
      passed_over.time_ns = session->latest_ns;
      passed_over.problems = DECODE_PROBLEM_BIT(CHECKSUM);
      passed_over.text = text;
      report(session, talk, from, passed_over);
    }
  }
  for (unsigned from = 0; is_open && from < 2; from++) {
    if (talk->directions[from]) {
      decode_direction_judge_reads(talk->directions[from]);
    }
  }
}

/* --- The session --- */

decode_session *decode_session_new(const decode_options *options, decode_handler handler, void *user)
{
  decode_session *session = g_new0(decode_session, 1);

  if (options) {
    session->tools.options = *options;
    session->tools.options.hints = g_memdup2(options->hints, options->hint_count * sizeof(decode_hint));
  }
  if (session->tools.options.hold_octets == 0) {
    session->tools.options.hold_octets = DECODE_HOLD_DEFAULT_OCTETS;
  }
  session->tools.handler = handler;
  session->tools.user = user;
  session->conversations = g_ptr_array_new_with_free_func(free_conversation);
  session->connections = g_ptr_array_new();
  return session;
}

void decode_session_free(decode_session *session)
{
  if (session) {
    g_ptr_array_unref(session->conversations);
    g_ptr_array_unref(session->connections);
    g_free((gpointer)session->tools.options.hints);
    g_free(session);
  }
}

static conversation *conversation_of(decode_session *session, const capture_flow *flow)
{
  GPtrArray *conversations = session->conversations;

  if (flow->index >= conversations->len) {
    g_ptr_array_set_size(conversations, (gint)flow->index + 1);
  }
  conversation *talk = conversations->pdata[flow->index];
  if (talk) {
    return talk;
  }
  talk = g_new0(conversation, 1);
  talk->flow = flow;
  const decode_options *options = &session->tools.options;
  const decode_hint *hint = NULL; /* the first that names an end, and which */
  unsigned hinted = 0;
  for (size_t i = 0; !hint && i < 2 * options->hint_count; i++) {
    const decode_hint *each = &options->hints[i / 2];
    const unsigned end = i % 2 == 0; /* the one that accepted the connection is the one with the known port */
    const capture_end *of = &flow->ends[end];
    if (of->port == each->end.port &&
        (each->any_address || ip_address_equal(&of->address, &each->end.address))) {
      hint = each;
      hinted = end;
    }
  }
  talk->waiting = decode_waiting_new(hint, hinted, options->hold_octets);
  conversations->pdata[flow->index] = talk;
  for (const capture_flow *of = flow->before; of; of = of->before) {
    if (conversations->pdata[of->index]) { /* its addresses and ports are used anew */
      finish(session, conversations->pdata[of->index]);
      break;
    }
  }
  return talk;
}

void decode_session_receive(decode_session *session, const capture_flow *flow, const capture_segment *segment)
{
  session->latest_ns = MAX(session->latest_ns, segment->time_ns);
  conversation *talk = conversation_of(session, flow);
  if (segment->checksum == CAPTURE_CHECKSUM_WRONG && !session->tools.options.ignore_checksums) {
    decode_event *event = &talk->passed_over[segment->from];
    event->packets.first = event->packets.count++ == 0 ? segment->packet : event->packets.first;
    event->packets.last = segment->packet;
    event->octets += segment->payload_octets;
    return;
  }
  if (talk->waiting) {
    uint64_t waited = talk->waiting->octets;
    decode_waiting_add(talk->waiting, flow, segment);
    uint64_t added = talk->waiting->octets - waited;
    session->waiting_octets += added;
    if (!talk->is_numbered && decode_waiting_is_sure(talk->waiting)) {
      number(session, talk);
    }
    decide(session, talk);
    if (added > 0 && session->waiting_octets / WAITING_SHARE > session->tools.options.hold_octets) {
      decide_at_last(session, talk);
    }
  } else if (talk->verdict.is_mpa && !talk->is_finished) {
    receive(session, talk, segment);
  }
}

void decode_session_finish(decode_session *session)
{
  for (guint index = 0; index < session->conversations->len; index++) {
    if (session->conversations->pdata[index]) {
      finish(session, session->conversations->pdata[index]);
    }
  }
}

char *decode_session_passed_over(const decode_session *session)
{
  uint64_t count = 0, first = UINT64_MAX;

  for (guint i = 0; i < 2 * session->connections->len; i++) {
    const decode_connection *connection = session->connections->pdata[i / 2];
    const decode_direction_summary *sums = &connection->directions[i % 2];
    if (sums->wrong_checksums > 0) {
      count += sums->wrong_checksums;
      first = MIN(first, sums->findings->problems[DECODE_PROBLEM_CHECKSUM].first_packet);
    }
  }
  return count > 0 ? passed_over_text(count, first) : NULL;
}

const GPtrArray *decode_session_connections(const decode_session *session)
{
  return session->connections;
}

void decode_print_end(const capture_end *end, char text[DECODE_END_LETTERS])
{
  char address[INET6_ADDRSTRLEN] = "?";
  bool is_v6 = end->address.version == 6;

  inet_ntop(is_v6 ? AF_INET6 : AF_INET, end->address.octets, address, sizeof address);
  g_snprintf(text, DECODE_END_LETTERS, is_v6 ? "[%s]:%u" : "%s:%u", address, end->port);
}
