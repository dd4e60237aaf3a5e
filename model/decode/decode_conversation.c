/* SPDX-License-Identifier: GPL-2.0-only */
#include "decode/decode_conversation.h"

#include <glib.h>

struct decode_conversation {
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
};

decode_conversation *decode_conversation_new(const decode_tools *tools, const capture_flow *flow,
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

void decode_conversation_free(decode_conversation *conversation)
{
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

bool decode_conversation_receive(decode_conversation *conversation, const capture_segment *segment)
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

bool decode_conversation_decide(decode_conversation *conversation)
{
  return conversation->waiting && decide(conversation, true);
}

bool decode_conversation_is_mpa(const decode_conversation *conversation)
{
  return conversation->verdict.is_mpa;
}

/* --- The beginning --- */

static void tell_text(const decode_conversation *conversation, const decode_verdict_frame *about,
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

/* What the startup frames say that no document allows. */
static void tell_faults(const decode_conversation *conversation, const decode_verdict_frame *found)
{
  const decode_verdict *verdict = &conversation->verdict;
  const decode_startup_frame *frame = &found->frame;

  if (!frame->is_reply && frame->rejected) {
    tell_text(conversation, found, "the R bit of a Request must be 0 (mpa-01 §6.1.1)");
  }
  if (frame->reserved != 0) {
    tell_text(conversation, found, "reserved bits are not 0 (mpa-01 §6.1.1)");
  }
  if (frame->enhanced_flag && !frame->has_enhanced) {
    tell_text(conversation, found,
              "the S bit is set, but there are no four octets of Private Data (RFC 6581 §9)");
  }
  if (frame->is_reply && verdict->request.is_there && frame->revision > verdict->request.frame.revision) {
    tell_text(conversation, found, "the Revision of the Reply is higher than that of the Request");
  }
}

/* A startup frame, and what is wrong with it. */
static void tell_frame(const decode_conversation *conversation, const decode_verdict_frame *found)
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
  tell_faults(conversation, found);
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

void decode_conversation_begin(decode_conversation *conversation, uint32_t index)
{
  const decode_verdict *verdict = &conversation->verdict;

  note_connection(conversation, index);
  bool reply_first = verdict->reply.last_packet < verdict->request.last_packet;
  tell_frame(conversation, reply_first ? &verdict->reply : &verdict->request);
  tell_frame(conversation, reply_first ? &verdict->request : &verdict->reply);
  if (verdict->text) {
    tell_text(conversation, verdict->request.is_there ? &verdict->request : &verdict->reply, verdict->text);
  }
  for (unsigned from = 0; from < 2; from++) {
    if (verdict->has_start[from]) {
      begin_direction(conversation, from);
    }
  }
  decode_waiting_visit(conversation->waiting, take_waiting, conversation);
  stop_waiting(conversation);
}

/* --- The end --- */

void decode_conversation_finish(decode_conversation *conversation, int64_t time_ns)
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

uint64_t decode_conversation_waiting_octets(const decode_conversation *conversation)
{
  return conversation->waiting ? decode_waiting_octets(conversation->waiting) : 0;
}

const decode_connection *decode_conversation_connection(const decode_conversation *conversation)
{
  return &conversation->connection;
}
