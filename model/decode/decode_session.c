/* SPDX-License-Identifier: GPL-2.0-only */
#include "decode/decode_session.h"

#include <string.h>

#include "decode/decode_conversation.h"

/* Of all connections together, so many times what one may hold may wait for it to be known whether they speak MPA. */
enum { WAITING_SHARE = 4 };

#define DEFAULT_HOLD_OCTETS (UINT64_C(64) << 20)

struct decode_session {
  decode_tools tools;
  decode_hint *hints;
  size_t hint_count;
  GPtrArray *conversations; /* of decode_conversation, by the flow's index; NULL: not seen */
  GPtrArray *connections;   /* those that speak MPA */
  GHashTable *latest;       /* decode_conversation of the latest flow between two ends, by that flow */
  uint64_t waiting_octets;  /* of all */
  int64_t latest_ns;        /* of the segments that came */
};

static guint hash_end(const capture_end *end)
{
  guint hash = end->port;

  for (size_t index = 0; index < sizeof end->address.octets; index++) {
    hash = hash * 31 + end->address.octets[index];
  }
  return hash;
}

static bool equal_ends(const capture_end *a, const capture_end *b)
{
  return a->port == b->port && ip_address_equal(&a->address, &b->address);
}

/* Either end may have opened the connection. */
static guint hash_flow(gconstpointer data)
{
  const capture_flow *flow = data;

  return hash_end(&flow->ends[0]) + hash_end(&flow->ends[1]);
}

static gboolean equal_flows(gconstpointer one, gconstpointer another)
{
  const capture_flow *a = one;
  const capture_flow *b = another;

  return (equal_ends(&a->ends[0], &b->ends[0]) && equal_ends(&a->ends[1], &b->ends[1])) ||
         (equal_ends(&a->ends[0], &b->ends[1]) && equal_ends(&a->ends[1], &b->ends[0]));
}

static void free_conversation(gpointer data)
{
  decode_conversation_free(data);
}

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
  session->conversations = g_ptr_array_new_with_free_func(free_conversation);
  session->connections = g_ptr_array_new();
  session->latest = g_hash_table_new(hash_flow, equal_flows);
  return session;
}

void decode_session_free(decode_session *session)
{
  if (session) {
    g_ptr_array_unref(session->conversations);
    g_ptr_array_unref(session->connections);
    g_hash_table_destroy(session->latest);
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
  if (decode_conversation_is_mpa(conversation)) {
    g_ptr_array_add(session->connections, conversation);
    decode_conversation_begin(conversation, session->connections->len - 1);
  }
}

/* Nothing of `conversation` comes any more. */
static void finish(decode_session *session, decode_conversation *conversation)
{
  if (decode_conversation_decide(conversation)) {
    settle(session, conversation);
  }
  decode_conversation_finish(conversation, session->latest_ns);
}

static decode_conversation *begin(decode_session *session, const capture_flow *flow)
{
  unsigned hinted = 0;
  const decode_hint *hint = find_hint(session, flow, &hinted);
  decode_conversation *conversation = decode_conversation_new(&session->tools, flow, hint, hinted);
  decode_conversation *before = g_hash_table_lookup(session->latest, flow);

  if (before) { /* its addresses and ports are used anew */
    session->waiting_octets -= decode_conversation_waiting_octets(before);
    finish(session, before);
  }
  g_hash_table_replace(session->latest, (gpointer)flow, conversation);
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
  uint64_t waited = decode_conversation_waiting_octets(conversation);

  bool is_known = decode_conversation_receive(conversation, segment);
  uint64_t waits = decode_conversation_waiting_octets(conversation);
  session->waiting_octets += waits - waited;
  if (!is_known && session->waiting_octets / WAITING_SHARE > session->tools.options.hold_octets &&
      waits > waited) {
    is_known = decode_conversation_decide(conversation);
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
  return decode_conversation_connection(g_ptr_array_index(session->connections, index));
}
