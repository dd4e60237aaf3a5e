/* SPDX-License-Identifier: GPL-2.0-only */
/* Random scenarios over all pairs of generations: enhanced startup frames or plain ones, every agreement on
 * IRD, ORD and RTR indications, every operation in every mix, over paths that lose, reorder and cut anew.
 * What must come of each pair is predicted from the documents, and the second decoder accounts for every
 * octet of what both ends put on the wire. A scenario in which that is not so is reduced, and printed as a
 * command. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pair_prediction.h"
#include "run_fixture.h"
#include "scenario_generator.h"
#include "wire_order.h"
#include "wire_responses.h"

enum { SEED = 20261201, SIZE_OCTETS = 3000 };

/* --- Scenarios --- */

static const char *const generations[] = {"rdmac", "ietf", "rfc", "rfc6581"};

static const random_feature features[] = {
    /* The frames */
    {20, {"initiator.enhanced=false", "responder.enhanced=false", "mpa.enhanced=false"}},
    {40, {"initiator.fallback=true"}},
    {60, {"initiator.peer_to_peer=true"}},
    {80,
     {"initiator.rtr=send", "initiator.rtr=write", "initiator.rtr=read", "initiator.rtr=send+read",
      "initiator.rtr=write+send", "initiator.rtr=send+write+read"}},
    {80,
     {"responder.rtr=send", "responder.rtr=write", "responder.rtr=read", "responder.rtr=read+send",
      "responder.rtr=write+send", "responder.rtr=send+write+read"}},
    {50,
     {"initiator.ird=0", "initiator.ird=1", "initiator.ird=2", "initiator.ird=5", "initiator.ird=64",
      "initiator.ird=16382"}},
    {50,
     {"initiator.ord=0", "initiator.ord=1", "initiator.ord=2", "initiator.ord=5", "initiator.ord=64",
      "initiator.ord=16382"}},
    {50,
     {"responder.ird=0", "responder.ird=1", "responder.ird=2", "responder.ird=5", "responder.ird=64",
      "responder.ird=16382"}},
    {50,
     {"responder.ord=0", "responder.ord=1", "responder.ord=2", "responder.ord=5", "responder.ord=64",
      "responder.ord=16382"}},
    {30, {"initiator.negotiates=ird", "initiator.negotiates=ord", "initiator.negotiates=none"}},
    {30, {"responder.negotiates=ird", "responder.negotiates=ord", "responder.negotiates=none"}},
    {15, {"responder.ord_needed=1", "responder.ord_needed=3", "responder.ord_needed=16"}},
    {30, {"initiator.private_data=1", "initiator.private_data=7", "initiator.private_data=508"}},
    {30, {"responder.private_data=1", "responder.private_data=6", "responder.private_data=508"}},
    {4, {"responder.rejects=true"}},
    {60,
     {"mpa.markers=false", "initiator.markers=false", "responder.markers=false",
      "mpa.markers=false|mpa.crc=false", "initiator.markers=false|responder.crc=false", "mpa.crc=false"}},
    /* The work */
    {85,
     {"workload.operation=read", "workload.operation=send", "workload.operation=write-immediate",
      "workload.operation=fetch-add", "workload.operation=compare-swap",
      "workload.operation=fetch-add+compare-swap", "workload.operation=read+fetch-add",
      "workload.operation=write+write-immediate+send", "workload.operation=fetch-add+write-immediate+read",
      "workload.operation=send-se-invalidate+compare-swap", "workload.operation=compare-swap+read+write",
      "workload.operation=storage-read+fetch-add", "workload.operation=rpc+write-immediate-se"}},
    {30,
     {"workload.operation=storage-write", "workload.operation=storage-write+compare-swap",
      "workload.operation=rpc-read+rpc-write", "workload.operation=rpc-read+fetch-add+read",
      "workload.operation=write-immediate-se", "workload.operation=write-immediate-se+fetch-add"}},
    {25,
     {"workload.message_size=1", "workload.message_sizes=[4096, 1, 0, 700]", "workload.message_size=20001"}},
    {15,
     {"workload.connections=3|workload.atomic_memory=shared",
      "workload.connections=4|workload.atomic_memory=shared|workload.operation=fetch-add+compare-swap"}},
    {35, {"workload.directions=both"}},
    {30, {"workload.outstanding=1", "workload.outstanding=3", "workload.outstanding=8"}},
    {20,
     {"workload.arrivals=poisson|workload.load=30%", "workload.arrivals=interval|workload.interval=5us",
      "workload.arrivals=poisson|workload.load=90%|workload.start_spread=20us"}},
    {15, {"workload.connections=2", "workload.connections=3"}},
    {10, {"tcp.ip=ipv6", "tcp.timestamps=true", "mpa.mulpdu=dynamic"}},
    /* The path */
    {30, {"sender.segmentation=stream", "sender.segmentation=record", "receiver.mode=in-order"}},
    {40,
     {"path.forward.loss=3%", "path.forward.loss=10%", "path.forward.drop=[3, 5, 6]",
      "path.forward.drop=[1]"}},
    {30,
     {"path.reverse.loss=3%", "path.reverse.loss=10%", "path.reverse.drop=[2, 3]", "path.reverse.drop=[1]"}},
    {25,
     {"path.forward.jitter=20us|path.forward.reorder=20%", "path.forward.displace=10%",
      "path.forward.duplicate=10%", "path.reverse.displace=10%", "path.reverse.duplicate=10%"}},
    {35,
     {"middlebox.mode=rechunk|middlebox.chunk=511", "middlebox.mode=rechunk|middlebox.chunk=50",
      "middlebox.mode=split", "middlebox.mode=coalesce", "middlebox.mode=random|middlebox.random_maximum=300",
      "middlebox.mode=shift", "middlebox.mode=proxy"}},
    {20, {"path.forward.mtu=576", "path.forward.mtu=9000", "path.forward.mtu=256"}},
};

static random_scenario *draw(GRand *random)
{
  const char *initiator = generations[g_rand_int_range(random, 0, G_N_ELEMENTS(generations))];
  const char *responder = generations[g_rand_int_range(random, 0, G_N_ELEMENTS(generations))];

  /* Half of all have what is new at both ends. */
  if (g_rand_boolean(random)) {
    initiator = responder = "rfc6581";
  }
  g_autofree char *first =
      g_strdup_printf("initiator.generation=%s|responder.generation=%s|workload.messages=%d|"
                      "workload.message_size=%d|run.expect=any",
                      initiator, responder, g_rand_int_range(random, 4, 13), SIZE_OCTETS);
  return random_scenario_of(random, "", first, features, G_N_ELEMENTS(features));
}

/* --- What must come of them --- */

/* All scenarios together must have met all of this; otherwise they prove less than they claim. */
typedef struct tally {
  guint of_kind[PAIR_KINDS];
  guint of_pair[G_N_ELEMENTS(generations)][G_N_ELEMENTS(generations)];
  guint of_rtr[WIRE_RTR_READ + 1];
  guint of_opcode[WIRE_OPCODES];
  guint second_tries, limited, overruns, unknown;
  guint64 octets;
} tally;

/* What one message of an operation is on the wire: messages of the side that posts it, and of the other. */
static const struct operation {
  const char *name;
  guint own[WIRE_OPCODES], other[WIRE_OPCODES];
} operations[] = {
    {"write", {[WIRE_WRITE] = 1}, {0}},
    {"read", {[WIRE_READ_REQUEST] = 1}, {[WIRE_READ_RESPONSE] = 1}},
    {"send", {[WIRE_SEND] = 1}, {0}},
    {"send-se-invalidate", {[WIRE_SEND_SE_INVALIDATE] = 1}, {0}},
    {"storage-read", {[WIRE_SEND] = 1}, {[WIRE_WRITE] = 1, [WIRE_SEND_INVALIDATE] = 1}},
    {"rpc", {[WIRE_SEND] = 1}, {[WIRE_SEND] = 1}},
    {"storage-write",
     {[WIRE_SEND] = 1, [WIRE_READ_RESPONSE] = 1},
     {[WIRE_READ_REQUEST] = 1, [WIRE_SEND_SE_INVALIDATE] = 1}},
    {"rpc-write", {[WIRE_SEND] = 1}, {[WIRE_WRITE] = 1, [WIRE_SEND] = 1}},
    {"rpc-read", {[WIRE_SEND] = 1, [WIRE_READ_REQUEST] = 1}, {[WIRE_SEND] = 1, [WIRE_READ_RESPONSE] = 1}},
    {"write-immediate", {[WIRE_WRITE] = 1, [WIRE_IMMEDIATE] = 1}, {0}},
    {"write-immediate-se", {[WIRE_WRITE] = 1, [WIRE_IMMEDIATE_SE] = 1}, {0}},
    {"fetch-add", {[WIRE_ATOMIC_REQUEST] = 1}, {[WIRE_ATOMIC_RESPONSE] = 1}},
    {"compare-swap", {[WIRE_ATOMIC_REQUEST] = 1}, {[WIRE_ATOMIC_RESPONSE] = 1}},
};

/* Whether messages arrive at times of their own. */
static gboolean is_open(const scenario *s)
{
  return strcmp(scenario_value_text(s, SCENARIO_WORKLOAD_ARRIVALS), "posted") != 0;
}

static guint connections_of(const scenario *s)
{
  return (guint)strtoul(scenario_value_text(s, SCENARIO_WORKLOAD_CONNECTIONS), NULL, 10);
}

/* Adds what the messages of `side` put on the wire: the operations take turns, and a Send of no octets
 * follows the last Write of those that are posted at once. */
static void add_messages(const scenario *s, int side, guint expected[WIRE_SIDES][WIRE_OPCODES])
{
  g_auto(GStrv) names = g_strsplit(scenario_value_text(s, SCENARIO_WORKLOAD_OPERATION), "+", -1);
  guint messages = (guint)strtoul(scenario_value_text(s, SCENARIO_WORKLOAD_MESSAGES), NULL, 10);
  gboolean has_write = FALSE;

  for (guint i = 0; i < messages; i++) {
    const struct operation *o = operations;
    while (strcmp(o->name, names[i % g_strv_length(names)]) != 0) {
      o++;
      g_assert(o < operations + G_N_ELEMENTS(operations));
    }
    has_write |= o == operations;
    for (guint opcode = 0; opcode < WIRE_OPCODES; opcode++) {
      expected[side][opcode] += o->own[opcode];
      expected[1 - side][opcode] += o->other[opcode];
    }
  }
  expected[side][WIRE_SEND] += has_write && !is_open(s);
}

static guint count_of(const GArray *messages, guint opcode)
{
  guint count = 0, at = 0;

  while (wire_next(messages, &at, 1u << opcode)) {
    count++;
  }
  return count;
}

/* The messages of a connection that has done its work, and the RTR indication. */
static void check_messages(const scenario *s, const wire_decoded *decoded, GPtrArray *complaints)
{
  guint expected[WIRE_SIDES][WIRE_OPCODES] = {{0}};
  const GArray *sent = decoded->messages[WIRE_INITIATOR];

  add_messages(s, WIRE_INITIATOR, expected);
  if (strcmp(scenario_value_text(s, SCENARIO_WORKLOAD_DIRECTIONS), "both") == 0) {
    add_messages(s, WIRE_RESPONDER, expected);
    /* Its ULP may have messages before the Initiator's: a Write of no octets opens its way, unless the RTR
     * indication does. */
    expected[WIRE_INITIATOR][WIRE_WRITE] += is_open(s) && wire_agreed_rtrs(decoded->half) == 0;
  }
  if (wire_agreed_rtrs(decoded->half) != 0 && sent->len > 0) {
    guint opcode = g_array_index(sent, wire_message, 0).opcode;
    expected[WIRE_INITIATOR][opcode]++;
    expected[WIRE_RESPONDER][WIRE_READ_RESPONSE] += opcode == WIRE_READ_REQUEST;
  }
  for (int side = 0; side < WIRE_SIDES; side++) {
    for (guint opcode = 0; opcode < WIRE_OPCODES; opcode++) {
      guint found = count_of(decoded->messages[side], opcode);
      /* Each message that arrives by itself is of one connection, whichever. */
      if (found != expected[side][opcode] && !(is_open(s) && connections_of(s) > 1)) {
        wire_complain(complaints, "side %d: %u messages with opcode %u, expected %u", side, found, opcode,
                      expected[side][opcode]);
      }
    }
    if (decoded->half[side].unfinished_octets > 0) {
      wire_complain(complaints, "side %d: %" G_GUINT64_FORMAT " octets after the last FPDU", side,
                    decoded->half[side].unfinished_octets);
    }
  }
}

/* The one Terminate of a connection in which an end asked for more than its peer has room for (ddp-07/rfc5041
 * §7.2: no buffer), which nobody has negotiated. */
static gboolean is_overrun(const pair *p, const wire_decoded *decoded)
{
  for (int side = 0; side < WIRE_SIDES; side++) {
    guint at = 0;
    const wire_message *m = wire_next(decoded->messages[1 - side], &at, 1u << WIRE_TERMINATE);
    if (m && m->terminate.layer == 1 && m->terminate.type == 2 && m->terminate.code == 2) {
      return pair_ord(p, decoded->half, side) > pair_room(p, decoded->half, side);
    }
  }
  return FALSE;
}

/* Whether the Initiator sends messages of RFC 7306 to an end that does not know their opcodes. */
static gboolean is_unknown(const pair *p, const wire_decoded *decoded)
{
  guint at = 0;

  return strcmp(p->end[WIRE_RESPONDER].generation, "rfc6581") != 0 &&
         wire_next(decoded->messages[WIRE_INITIATOR], &at,
                   1u << WIRE_IMMEDIATE | 1u << WIRE_IMMEDIATE_SE | 1u << WIRE_ATOMIC_REQUEST);
}

/* RFC 5040 §7.1 and §4.8: unexpected OpCode. */
static void check_unknown(const wire_decoded *decoded, GPtrArray *complaints)
{
  const GArray *sent = decoded->messages[WIRE_RESPONDER];
  const wire_terminate none = {0};
  const wire_terminate *t =
      sent->len > 0 ? &g_array_index(sent, wire_message, sent->len - 1).terminate : &none;

  if (t->layer != 0 || t->type != 2 || t->code != 6 || !t->has_ddp_header) {
    wire_complain(complaints, "the Responder does not end with Terminate 0/2/06");
  }
}

/* No end sends what the documents do not let it in this outcome: FPDUs, or a Terminate other than the one
 * that is due. */
static void check_refused(const pair_outcome *outcome, const wire_decoded *decoded, GPtrArray *complaints)
{
  const GArray *sent = decoded->messages[WIRE_INITIATOR];

  if (outcome->kind == PAIR_TERMINATED) {
    const wire_terminate *t =
        sent->len == 1 ? &g_array_index(sent, wire_message, 0).terminate : &(wire_terminate){0};
    if (t->layer != 2 || t->type != 0 || t->code != 7 || t->has_ddp_header) {
      wire_complain(complaints, "the Initiator sends %u messages, and not Terminate 2/0/07 alone", sent->len);
    }
  } else if (sent->len > 0) {
    wire_complain(complaints, "the Initiator sends %u messages", sent->len);
  }
  if (decoded->messages[WIRE_RESPONDER]->len > 0) {
    wire_complain(complaints, "the Responder sends %u messages", decoded->messages[WIRE_RESPONDER]->len);
  }
}

/* No octet of a stream is outside frames and FPDUs. */
static void check_octets(const wire_connection *connection, const wire_decoded *decoded,
                         GPtrArray *complaints)
{
  for (int side = 0; side < WIRE_SIDES; side++) {
    const marked_half *half = &decoded->half[side];
    guint64 end =
        half->fpdus->len > 0 ? g_array_index(half->fpdus, plain_fpdu, half->fpdus->len - 1).end : half->phase;
    if (connection->stream[side].octets->len != end + half->unfinished_octets) {
      wire_complain(complaints, "side %d: %u octets, of which %" G_GUINT64_FORMAT " are frames and FPDUs",
                    side, connection->stream[side].octets->len, end);
    }
  }
}

static void note(tally *t, const pair_outcome *outcome, const wire_connection *connection,
                 const wire_decoded *decoded)
{
  const GArray *sent = decoded->messages[WIRE_INITIATOR];

  t->of_kind[outcome->kind]++;
  if (outcome->kind == PAIR_WORKS && wire_agreed_rtrs(decoded->half) != 0 && sent->len > 0) {
    guint opcode = g_array_index(sent, wire_message, 0).opcode;
    t->of_rtr[opcode == WIRE_SEND ? WIRE_RTR_SEND : opcode == WIRE_WRITE ? WIRE_RTR_WRITE : WIRE_RTR_READ]++;
  }
  for (int side = 0; side < WIRE_SIDES; side++) {
    t->octets += connection->stream[side].octets->len;
    for (guint opcode = 0; opcode < WIRE_OPCODES; opcode++) {
      t->of_opcode[opcode] += count_of(decoded->messages[side], opcode);
    }
  }
}

/* Which connection of the capture is the one from `port`: SYNs may overtake each other. */
static guint from_port(const wire_decoding *capture, guint16 port)
{
  guint i = 0;

  while (((const wire_connection *)capture->connections->pdata[i])->initiator_port != port) {
    g_assert_cmpuint(++i, <, capture->connections->len);
  }
  return i;
}

/* Of one TCP connection, in the capture of each side. */
static void check_connection(const scenario *s, const pair *p, const pair_outcome *outcome,
                             wire_decoding *const captures[WIRE_SIDES], guint index, tally *t)
{
  GPtrArray *complaints = captures[WIRE_RESPONDER]->complaints;
  const wire_connection *connection = captures[WIRE_RESPONDER]->connections->pdata[index];
  const wire_decoded *decoded = &g_array_index(captures[WIRE_RESPONDER]->decoded, wire_decoded, index);

  /* Of a Request that is answered by a reset not all need have come. */
  if (outcome->kind == PAIR_CLOSED) {
    guint at = from_port(captures[WIRE_INITIATOR], connection->initiator_port);
    decoded = &g_array_index(captures[WIRE_INITIATOR]->decoded, wire_decoded, at);
    connection = captures[WIRE_INITIATOR]->connections->pdata[at];
  }
  pair_check_frames(p, outcome, decoded->half, complaints);
  check_octets(connection, decoded, complaints);
  note(t, outcome, connection, decoded);
  if (outcome->kind != PAIR_WORKS) {
    check_refused(outcome, decoded, complaints);
    return;
  }
  if (is_overrun(p, decoded)) {
    t->overruns++;
    return;
  }
  if (is_unknown(p, decoded)) {
    t->unknown++;
    check_unknown(decoded, complaints);
    return;
  }
  check_messages(s, decoded, complaints);
  for (int side = 0; side < WIRE_SIDES; side++) {
    guint at = from_port(captures[side], connection->initiator_port);
    const wire_connection *own = captures[side]->connections->pdata[at];
    const wire_decoded *sent = &g_array_index(captures[side]->decoded, wire_decoded, at);
    guint peak = wire_outstanding_peak(own, sent, side), ord = pair_ord(p, sent->half, side);

    if (outcome->agreement[1] != 'd') { /* rdmac: any end may begin */
      wire_turns_check(own, sent, side, complaints);
    }
    if (peak > ord) {
      wire_complain(complaints, "side %d has %u Requests on their way, and ORD is %u", side, peak, ord);
    }
    t->limited += peak > 1 && peak == ord;
  }
}

/* Both captures have the same streams, as every octet came in the end; of a connection that was reset, one
 * may lack what the path lost. */
static void compare_captures(wire_decoding *const captures[WIRE_SIDES], GPtrArray *complaints)
{
  for (guint i = 0; i < captures[WIRE_INITIATOR]->connections->len; i++) {
    const wire_connection *left = captures[WIRE_INITIATOR]->connections->pdata[i];
    const wire_connection *right =
        captures[WIRE_RESPONDER]
            ->connections->pdata[from_port(captures[WIRE_RESPONDER], left->initiator_port)];
    for (int side = 0; side < WIRE_SIDES; side++) {
      const GByteArray *sent = left->stream[side].octets, *came = right->stream[side].octets;
      guint both = MIN(sent->len, came->len);
      gboolean is_reset = left->stream[side].is_reset || left->stream[1 - side].is_reset;
      if ((sent->len != came->len && !is_reset) || (both > 0 && memcmp(sent->data, came->data, both) != 0)) {
        wire_complain(complaints, "connection %u, side %d: the captures differ", i, side);
      }
    }
  }
}

static gboolean shares_word(const scenario *s)
{
  return strcmp(scenario_value_text(s, SCENARIO_WORKLOAD_ATOMIC_MEMORY), "shared") == 0;
}

static void check_captures(const scenario *s, const pair *p, const pair_outcome *outcome, run_status status,
                           wire_decoding *const captures[WIRE_SIDES], tally *t)
{
  GPtrArray *complaints = captures[WIRE_RESPONDER]->complaints;
  guint tries =
      (guint)strtoul(scenario_value_text(s, SCENARIO_WORKLOAD_CONNECTIONS), NULL, 10) * outcome->connections;
  guint count = captures[WIRE_RESPONDER]->connections->len;

  if (count != tries || captures[WIRE_INITIATOR]->connections->len != tries) {
    wire_complain(complaints, "%u TCP connections, expected %u", count, tries);
    return;
  }
  for (guint i = 0; i < count; i++) {
    const wire_connection *connection = captures[WIRE_RESPONDER]->connections->pdata[i];
    guint at = from_port(captures[WIRE_INITIATOR], connection->initiator_port);
    const marked_half *request =
        &g_array_index(captures[WIRE_INITIATOR]->decoded, wire_decoded, at).half[WIRE_INITIATOR];
    gboolean is_first_try = outcome->connections == 2 && request->is_enhanced;
    const pair_outcome first_try = {
        .kind = PAIR_CLOSED, .connections = 1, .is_enhanced = TRUE, .agreement = outcome->agreement};
    check_connection(s, p, is_first_try ? &first_try : outcome, captures, i, t);
    t->second_tries += outcome->connections == 2 && !is_first_try;
  }
  if (status == RUN_OK) {
    compare_captures(captures, complaints);
    if (shares_word(s)) {
      wire_shared_word_check(captures[WIRE_RESPONDER], WIRE_INITIATOR, complaints);
      wire_shared_word_check(captures[WIRE_RESPONDER], WIRE_RESPONDER, complaints);
    }
  }
}

static run_status status_of(const pair_outcome *outcome, guint terminated)
{
  return outcome->kind != PAIR_WORKS || terminated > 0 ? RUN_TERMINATED : RUN_OK;
}

/* Runs `s`. Returns what is not as the documents have it, NULL: nothing. */
static char *check_run(const scenario *s, tally *t)
{
  g_autoptr(run_folder) folder = run_folder_new();
  const pair p = pair_of(s);
  const pair_outcome outcome = pair_predict(&p);
  g_auto(session_result) result = run_in(s, folder);
  guint terminated = t->overruns + t->unknown;

  if (outcome.kind == PAIR_NEVER) {
    t->of_kind[PAIR_NEVER]++;
    return result.status == RUN_TERMINATED ? NULL
                                           : g_strdup_printf("status %d: %s", result.status, result.message);
  }
  wire_agreement agreement = *wire_agreement_of(outcome.agreement);
  agreement.shares_word = shares_word(s);
  g_autoptr(wire_decoding) sender = wire_decode(folder, "sender.pcap", &agreement);
  g_autoptr(wire_decoding) receiver = wire_decode(folder, "receiver.pcap", &agreement);
  wire_decoding *captures[WIRE_SIDES] = {sender, receiver};
  check_captures(s, &p, &outcome, result.status, captures, t);
  if (result.status != status_of(&outcome, t->overruns + t->unknown - terminated)) {
    return g_strdup_printf("status %d, outcome %d: %s", result.status, outcome.kind, result.message);
  }
  if (receiver->complaints->len + sender->complaints->len > 0) {
    const GPtrArray *complaints = receiver->complaints->len > 0 ? receiver->complaints : sender->complaints;
    return g_strdup(complaints->pdata[0]);
  }
  return NULL;
}

static char *wrong_with(const scenario *s)
{
  tally t = {0};

  return check_run(s, &t);
}

static guint index_of(const char *generation)
{
  guint i = 0;

  while (strcmp(generations[i], generation) != 0) {
    i++;
  }
  return i;
}

static void assert_worth_it(const tally *t)
{
  for (guint i = 0; i < G_N_ELEMENTS(generations); i++) {
    for (guint j = 0; j < G_N_ELEMENTS(generations); j++) {
      g_test_message("%s and %s: %u", generations[i], generations[j], t->of_pair[i][j]);
      g_assert_cmpuint(t->of_pair[i][j], >, 0);
    }
  }
  for (guint kind = 0; kind < PAIR_KINDS; kind++) {
    g_test_message("outcome %u: %u", kind, t->of_kind[kind]);
    g_assert_cmpuint(t->of_kind[kind], >, 0);
  }
  for (guint opcode = 0; opcode < WIRE_OPCODES; opcode++) {
    g_test_message("opcode %u: %u", opcode, t->of_opcode[opcode]);
  }
  g_test_message("RTR by Send %u, Write %u, Read %u; %u second tries; %u ends at their ORD; %u asked for too "
                 "much; %u knew no opcode; %" G_GUINT64_FORMAT " octets",
                 t->of_rtr[WIRE_RTR_SEND], t->of_rtr[WIRE_RTR_WRITE], t->of_rtr[WIRE_RTR_READ],
                 t->second_tries, t->limited, t->overruns, t->unknown, t->octets);
  g_assert_cmpuint(t->of_rtr[WIRE_RTR_SEND], >, 0);
  g_assert_cmpuint(t->of_rtr[WIRE_RTR_WRITE], >, 0);
  g_assert_cmpuint(t->of_rtr[WIRE_RTR_READ], >, 0);
  g_assert_cmpuint(t->of_opcode[WIRE_IMMEDIATE], >, 0);
  g_assert_cmpuint(t->of_opcode[WIRE_ATOMIC_RESPONSE], >, 0);
  g_assert_cmpuint(t->unknown, >, 0);
  g_assert_cmpuint(t->second_tries, >, 0);
  g_assert_cmpuint(t->limited, >, 0);
}

/* So many scenarios, drawn from this seed. */
typedef struct drawing {
  int count;
  guint32 seed;
} drawing;

static void test_random_pairs(gconstpointer data)
{
  const drawing *of = data;
  GRand *random = g_rand_new_with_seed(of->seed);
  tally all = {0};

  g_test_message("seed %u", of->seed);
  for (int i = 0; i < of->count; i++) {
    g_autoptr(random_scenario) drawn = draw(random);
    g_autoptr(scenario) s = random_scenario_load(drawn, RANDOM_SCENARIO_ALL);
    const pair p = pair_of(s);
    char *wrong = check_run(s, &all);

    if (wrong) {
      random_scenario_shrink(drawn, wrong_with);
      g_error("seed %u, scenario %d: %s. This is enough:\n%s\n%s", of->seed, i, wrong,
              random_scenario_describe(drawn), wrong_with(random_scenario_load(drawn, RANDOM_SCENARIO_ALL)));
    }
    all.of_pair[index_of(p.end[WIRE_INITIATOR].generation)][index_of(p.end[WIRE_RESPONDER].generation)]++;
  }
  g_rand_free(random);
  assert_worth_it(&all);
}

/* By hand: test_random_pairs COUNT SEED. */
int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  const drawing all = {.count = argc > 1 ? atoi(argv[1]) : 150,
                       .seed = argc > 2 ? (guint32)atoi(argv[2]) : SEED};
  g_test_add_data_func("/pairs/random", &all, test_random_pairs);
  return g_test_run();
}
