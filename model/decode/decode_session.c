/* SPDX-License-Identifier: GPL-2.0-only */
#include "decode/decode_session.h"

#include <glib.h>
#include <string.h>

#include "decode/decode_direction.h"
#include "decode/decode_verdict.h"

/* One TCP connection: first its segments wait, then it is known to speak MPA, or not. */
typedef struct decode_conversation {
  const decode_tools *tools;
  const capture_flow *flow;
  const decode_hint *hint;
  unsigned hinted;
  decode_waiting *waiting;         /* NULL when it is decided */
  decode_verdict verdict;          /* then */
  decode_direction *directions[2]; /* by the end that sends; NULL: it has sent nothing, or this is no MPA */
  uint64_t wrong_checksums[2];     /* the same */
  bool is_finished;
  decode_connection connection;
} decode_conversation;

/* `hint` (NULL: none) is of its end `hinted`. */
static decode_conversation *conversation_new(const decode_tools *tools, const capture_flow *flow,
                                             const decode_hint *hint, unsigned hinted)
{
  decode_conversation *conversation = g_new0(decode_conversation, 1);

  conversation->tools = tools;
  conversation->flow = flow;
  conversation->hint = hint;
  conversation->hinted = hinted;
  conversation->waiting = decode_waiting_new(tools->blocks);
  return conversation;
}

static void conversation_free(void *of)
{
  decode_conversation *conversation = of;

  if (conversation) {
    decode_waiting_free(conversation->waiting);
    decode_verdict_clear(&conversation->verdict);
    decode_direction_free(conversation->directions[0]);
    decode_direction_free(conversation->directions[1]);
    g_free(conversation);
  }
}

static enum side side_of(const decode_conversation *conversation, unsigned from)
{
  return from == conversation->verdict.initiator ? SIDE_INITIATOR : SIDE_RESPONDER;
}

static void begin_direction(decode_conversation *conversation, unsigned from)
{
  enum side side = side_of(conversation, from);

  conversation->directions[from] =
      decode_direction_new(conversation->tools, conversation->connection.index, side,
                           &conversation->verdict.starts[from], &conversation->connection.directions[side]);
}

static void receive(decode_conversation *conversation, const capture_segment *segment)
{
  unsigned from = segment->from;

  if (!conversation->directions[from]) {
    if (segment->payload_octets == 0) {
      return;
    }
    conversation->verdict.starts[from].first_sequence = segment->sequence;
    begin_direction(conversation, from);
  }
  decode_direction_receive(conversation->directions[from], segment);
}

static void stop_waiting(decode_conversation *conversation)
{
  decode_waiting_free(conversation->waiting);
  conversation->waiting = NULL;
}

static bool decide(decode_conversation *conversation, bool is_last)
{
  if (!decode_verdict_reach(&conversation->verdict, conversation->waiting, conversation->hint,
                            conversation->hinted, conversation->tools->options.hold_octets, is_last)) {
    return false;
  }
  if (!conversation->verdict.is_mpa) {
    stop_waiting(conversation);
  }
  return true;
}

/* The next segment. While it waits, true once it is known what the connection is. */
static bool conversation_receive(decode_conversation *conversation, const capture_segment *segment)
{
  if (segment->checksum == CAPTURE_CHECKSUM_WRONG && !conversation->tools->options.ignore_checksums) {
    conversation->wrong_checksums[segment->from]++;
    return false;
  }
  if (conversation->is_finished) {
    return false;
  }
  if (conversation->waiting) {
    decode_waiting_add(conversation->waiting, conversation->flow, segment);
    return decide(conversation, false);
  }
  if (conversation->verdict.is_mpa) {
    receive(conversation, segment);
  }
  return false;
}

/* It is decided now what the connection is, whatever is missing. True when it was not known before. */
static bool conversation_decide(decode_conversation *conversation)
{
  return conversation->waiting && decide(conversation, true);
}

/* --- A connection begins --- */

static void report_text(const decode_conversation *conversation, const decode_verdict_frame *about,
                        const char *text)
{
  const decode_tools *tools = conversation->tools;
  const decode_note note = {.connection = conversation->connection.index,
                            .direction = side_of(conversation, about->from),
                            .kind = DECODE_NOTE_STARTUP,
                            .time_ns = decode_waiting_time(conversation->waiting, about->last_packet),
                            .packet = about->last_packet,
                            .stream_position = about->position,
                            .octets = about->frame.frame_octets,
                            .text = text};

  if (tools->events.note) {
    tools->events.note(tools->user, &note);
  }
}

/* What no document allows in a startup frame. */
static void report_faults(const decode_conversation *conversation, const decode_verdict_frame *found)
{
  const decode_verdict *verdict = &conversation->verdict;
  const decode_startup_frame *frame = &found->frame;

  if (!frame->is_reply && frame->rejected) {
    report_text(conversation, found, "the R bit of a Request must be 0 (mpa-01 §6.1.1)");
  }
  if (frame->reserved != 0) {
    report_text(conversation, found, "reserved bits are not 0 (mpa-01 §6.1.1)");
  }
  if (frame->enhanced_flag && !frame->has_enhanced) {
    report_text(conversation, found,
                "the S bit is set, but there are no four octets of Private Data (RFC 6581 §9)");
  }
  if (frame->is_reply && verdict->request.is_there && frame->revision > verdict->request.frame.revision) {
    report_text(conversation, found, "the Revision of the Reply is higher than that of the Request");
  }
}

/* A startup frame, and what is wrong with it. */
static void report_frame(const decode_conversation *conversation, const decode_verdict_frame *found)
{
  const decode_tools *tools = conversation->tools;
  const decode_startup_event event = {.connection = conversation->connection.index,
                                      .direction = side_of(conversation, found->from),
                                      .time_ns =
                                          decode_waiting_time(conversation->waiting, found->last_packet),
                                      .first_packet = found->first_packet,
                                      .last_packet = found->last_packet,
                                      .stream_position = found->position,
                                      .frame = &found->frame};

  if (!found->is_there) {
    return;
  }
  if (tools->events.startup) {
    tools->events.startup(tools->user, &event);
  }
  report_faults(conversation, found);
}

static void note_connection(decode_conversation *conversation, uint32_t index)
{
  decode_connection *connection = &conversation->connection;
  const decode_verdict *verdict = &conversation->verdict;

  connection->index = index;
  connection->flow = conversation->flow->index;
  connection->initiator = verdict->initiator;
  connection->has_request = verdict->request.is_there;
  connection->has_reply = verdict->reply.is_there;
  connection->request = verdict->request.frame;
  connection->reply = verdict->reply.frame;
  connection->is_hinted = verdict->is_hinted;
  for (unsigned from = 0; from < 2; from++) {
    connection->has_frame[side_of(conversation, from)] = verdict->has_frame[from];
  }
}

static void take_waiting(void *user, const capture_segment *segment)
{
  decode_conversation *conversation = user;

  receive(conversation, segment);
}

/* It speaks MPA, and is the connection `index` of the session: reports the startup frames and decodes what
 * has waited. */
static void conversation_begin(decode_conversation *conversation, uint32_t index)
{
  const decode_verdict *verdict = &conversation->verdict;

  note_connection(conversation, index);
  bool reply_first = verdict->reply.last_packet < verdict->request.last_packet;
  report_frame(conversation, reply_first ? &verdict->reply : &verdict->request);
  report_frame(conversation, reply_first ? &verdict->request : &verdict->reply);
  if (verdict->text) {
    report_text(conversation, verdict->request.is_there ? &verdict->request : &verdict->reply, verdict->text);
  }
  for (unsigned from = 0; from < 2; from++) {
    if (verdict->has_start[from]) {
      begin_direction(conversation, from);
    }
  }
  decode_waiting_visit(conversation->waiting, take_waiting, conversation);
  stop_waiting(conversation);
}

/* --- A connection ends --- */

/* Nothing comes any more, which is known at `time_ns`; it has been decided. A second call does nothing. */
static void conversation_finish(decode_conversation *conversation, int64_t time_ns)
{
  bool is_open = conversation->verdict.is_mpa && !conversation->is_finished;

  conversation->is_finished = true;
  for (unsigned from = 0; is_open && from < 2; from++) {
    enum side side = side_of(conversation, from);

    conversation->connection.directions[side].wrong_checksums = conversation->wrong_checksums[from];
    if (conversation->directions[from]) {
      decode_direction_finish(conversation->directions[from], time_ns);
    }
  }
}

/* Octets that wait for what is decided. */
static uint64_t conversation_waiting_octets(const decode_conversation *conversation)
{
  return conversation->waiting ? decode_waiting_octets(conversation->waiting) : 0;
}

/* --- The session --- */

/* Of all connections together, so many times what one may hold may wait for it to be known whether they speak
 * MPA. */
enum { WAITING_SHARE = 4 };

#define DEFAULT_HOLD_OCTETS (UINT64_C(64) << 20)

struct decode_session {
  decode_tools tools;
  decode_hint *hints;
  size_t hint_count;
  GPtrArray *conversations; /* of decode_conversation, by the flow's index; NULL: not seen */
  GPtrArray *connections;   /* those that speak MPA */
  uint64_t waiting_octets;  /* of all */
  int64_t latest_ns;        /* of the segments that came */
};

decode_session *decode_session_new(const decode_options *options, const decode_events *events, void *user)
{
  decode_session *session = g_new0(decode_session, 1);

  if (options) {
    session->tools.options = *options;
    session->hints = g_memdup2(options->hints, options->hint_count * sizeof(decode_hint));
    session->hint_count = options->hint_count;
  }
  session->tools.options.hints = NULL;
  session->tools.options.hint_count = 0;
  if (session->tools.options.hold_octets == 0) {
    session->tools.options.hold_octets = DEFAULT_HOLD_OCTETS;
  }
  session->tools.events = *events;
  session->tools.user = user;
  session->tools.blocks = decode_blocks_new();
  session->tools.reader = decode_reader_new();
  session->conversations = g_ptr_array_new_with_free_func(conversation_free);
  session->connections = g_ptr_array_new();
  return session;
}

void decode_session_free(decode_session *session)
{
  if (session) {
    g_ptr_array_unref(session->conversations);
    g_ptr_array_unref(session->connections);
    decode_reader_free(session->tools.reader);
    decode_blocks_free(session->tools.blocks);
    g_free(session->hints);
    g_free(session);
  }
}

/* The hint that names an end of `flow`, and which (`*hinted`); NULL: there is none. */
static const decode_hint *find_hint(const decode_session *session, const capture_flow *flow, unsigned *hinted)
{
  for (size_t index = 0; index < session->hint_count; index++) {
    const decode_hint *hint = &session->hints[index];
    /* The end that accepted the connection is the one with the known port. */
    for (unsigned end = 2; end-- > 0;) {
      const capture_end *of = &flow->ends[end];
      if (of->port == hint->end.port &&
          (hint->any_address || ip_address_equal(&of->address, &hint->end.address))) {
        *hinted = end;
        return hint;
      }
    }
  }
  return NULL;
}

/* It is known what `conversation` is. */
static void settle(decode_session *session, decode_conversation *conversation)
{
  if (conversation->verdict.is_mpa) {
    g_ptr_array_add(session->connections, conversation);
    conversation_begin(conversation, session->connections->len - 1);
  }
}

/* Nothing of `conversation` comes any more. */
static void finish(decode_session *session, decode_conversation *conversation)
{
  if (conversation_decide(conversation)) {
    settle(session, conversation);
  }
  conversation_finish(conversation, session->latest_ns);
}

static decode_conversation *begin(decode_session *session, const capture_flow *flow)
{
  unsigned hinted = 0;
  const decode_hint *hint = find_hint(session, flow, &hinted);
  decode_conversation *conversation = conversation_new(&session->tools, flow, hint, hinted);

  for (const capture_flow *of = flow->before; of; of = of->before) {
    decode_conversation *before = session->conversations->pdata[of->index];
    if (before) { /* its addresses and ports are used anew */
      session->waiting_octets -= conversation_waiting_octets(before);
      finish(session, before);
      break;
    }
  }
  session->conversations->pdata[flow->index] = conversation;
  return conversation;
}

static decode_conversation *conversation_of(decode_session *session, const capture_flow *flow)
{
  if (flow->index >= session->conversations->len) {
    g_ptr_array_set_size(session->conversations, (gint)flow->index + 1);
  }
  decode_conversation *conversation = session->conversations->pdata[flow->index];
  return conversation ? conversation : begin(session, flow);
}

void decode_session_receive(decode_session *session, const capture_flow *flow, const capture_segment *segment)
{
  session->latest_ns = MAX(session->latest_ns, segment->time_ns);
  decode_conversation *conversation = conversation_of(session, flow);
  uint64_t waited = conversation_waiting_octets(conversation);

  bool is_known = conversation_receive(conversation, segment);
  uint64_t waits = conversation_waiting_octets(conversation);
  session->waiting_octets += waits - waited;
  if (!is_known && session->waiting_octets / WAITING_SHARE > session->tools.options.hold_octets &&
      waits > waited) {
    is_known = conversation_decide(conversation);
  }
  if (is_known) {
    session->waiting_octets -= waits;
    settle(session, conversation);
  }
}

void decode_session_finish(decode_session *session)
{
  for (guint index = 0; index < session->conversations->len; index++) {
    decode_conversation *conversation = session->conversations->pdata[index];
    if (conversation) {
      finish(session, conversation);
    }
  }
}

uint32_t decode_session_connections(const decode_session *session)
{
  return session->connections->len;
}

const decode_connection *decode_session_connection(const decode_session *session, uint32_t index)
{
  const decode_conversation *conversation = g_ptr_array_index(session->connections, index);

  return &conversation->connection;
}
