/* SPDX-License-Identifier: GPL-2.0-only */
#include "pair_prediction.h"

#include <stdlib.h>
#include <string.h>

#include "wire_order.h"

static const char *text_of(const scenario *s, const char *group, const char *name)
{
  g_autofree char *key = g_strdup_printf("%s.%s", group, name);

  return scenario_value_text(s, scenario_key_find(key));
}

static gboolean is_true(const scenario *s, const char *group, const char *name)
{
  return strcmp(text_of(s, group, name), "true") == 0;
}

static guint number_of(const scenario *s, const char *group, const char *name)
{
  return (guint)strtoul(text_of(s, group, name), NULL, 10);
}

static pair_end end_of(const scenario *s, const char *group)
{
  const char *generation = text_of(s, group, "generation");
  const char *negotiates = text_of(s, group, "negotiates");
  const char *rtr = text_of(s, group, "rtr");

  return (pair_end){.generation = generation,
                    .is_enhanced = strcmp(generation, "rfc6581") == 0 && is_true(s, group, "enhanced"),
                    .markers = is_true(s, group, "markers"),
                    .crc = is_true(s, group, "crc"),
                    .rejects = is_true(s, group, "rejects"),
                    .private_octets = number_of(s, group, "private_data"),
                    .ird = number_of(s, group, "ird"),
                    .ord = number_of(s, group, "ord"),
                    .negotiates_ird = strcmp(negotiates, "both") == 0 || strcmp(negotiates, "ird") == 0,
                    .negotiates_ord = strcmp(negotiates, "both") == 0 || strcmp(negotiates, "ord") == 0,
                    .rtrs = (strstr(rtr, "send") ? WIRE_RTR_SEND : 0) |
                            (strstr(rtr, "write") ? WIRE_RTR_WRITE : 0) |
                            (strstr(rtr, "read") ? WIRE_RTR_READ : 0)};
}

pair pair_of(const scenario *s)
{
  return (pair){.end = {end_of(s, "initiator"), end_of(s, "responder")},
                .peer_to_peer = is_true(s, "initiator", "peer_to_peer"),
                .falls_back = is_true(s, "initiator", "fallback"),
                .ord_needed = number_of(s, "responder", "ord_needed")};
}

/* RFC 5044 §7.1.1 and RFC 6581 §6: the Rev of a Request; mpa-01 §6.1.1: 0. */
static int revision_of(const pair_end *initiator, gboolean is_enhanced)
{
  return strcmp(initiator->generation, "ietf") == 0 ? 0 : is_enhanced ? 2 : 1;
}

/* RFC 6581 §6: who knows Rev 2 takes Rev 1 as well; §10: who does not closes TCP. */
static gboolean is_taken(const pair_end *responder, int revision)
{
  if (strcmp(responder->generation, "ietf") == 0) {
    return revision == 0;
  }
  return revision == 1 || (revision == 2 && responder->is_enhanced);
}

/* RFC 6581 §9.1: the Responder needs a greater ORD than the Initiator's IRD allows. */
static gboolean lacks_ord(const pair *p)
{
  return p->end[WIRE_INITIATOR].negotiates_ird && p->end[WIRE_INITIATOR].ird < p->ord_needed;
}

/* Returns the RTR indications that the Responder supports: not a Read where its IRD is 0 and stays so, as it
 * is not negotiated (§9.1), unless it has no other. */
static guint supported_rtrs(const pair *p)
{
  const pair_end *responder = &p->end[WIRE_RESPONDER];
  gboolean is_fixed = !responder->negotiates_ird || !p->end[WIRE_INITIATOR].negotiates_ord;
  guint others = responder->rtrs & ~(guint)WIRE_RTR_READ;

  return responder->ird == 0 && is_fixed && others != 0 ? others : responder->rtrs;
}

/* An end that rejects, by itself or for want of ORD; else, whether an RTR indication is asked
 * for that neither can (§9.2). */
static pair_kind kind_of(const pair *p, gboolean is_enhanced)
{
  const pair_end *initiator = &p->end[WIRE_INITIATOR], *responder = &p->end[WIRE_RESPONDER];

  if (responder->rejects || (is_enhanced && lacks_ord(p))) {
    return PAIR_REJECTED;
  }
  return is_enhanced && p->peer_to_peer && !(initiator->rtrs & supported_rtrs(p)) ? PAIR_TERMINATED
                                                                                  : PAIR_WORKS;
}

pair_outcome pair_predict(const pair *p)
{
  const pair_end *initiator = &p->end[WIRE_INITIATOR], *responder = &p->end[WIRE_RESPONDER];
  gboolean has_frames = strcmp(initiator->generation, "rdmac") != 0;
  pair_outcome outcome = {.kind = PAIR_NEVER,
                          .connections = 1,
                          .is_enhanced = initiator->is_enhanced,
                          .agreement = initiator->generation};

  if (has_frames != (strcmp(responder->generation, "rdmac") != 0)) {
    return outcome;
  }
  if (!has_frames) {
    outcome.kind = PAIR_WORKS;
    return outcome;
  }
  if (strcmp(responder->generation, "rfc6581") == 0) {
    outcome.agreement = strcmp(initiator->generation, "rfc") == 0 ? "rfc6581" : initiator->generation;
  }
  gboolean is_taken_now = is_taken(responder, revision_of(initiator, outcome.is_enhanced));
  if (!is_taken_now && outcome.is_enhanced && p->falls_back) {
    outcome.connections = 2;
    outcome.is_enhanced = FALSE;
    is_taken_now = is_taken(responder, revision_of(initiator, FALSE));
  }
  outcome.kind = is_taken_now ? kind_of(p, outcome.is_enhanced) : PAIR_CLOSED;
  return outcome;
}

static void check(gboolean holds, const char *what, guint found, guint expected, GPtrArray *complaints)
{
  if (!holds) {
    wire_complain(complaints, "%s is %u, expected %u", what, found, expected);
  }
}

static void check_equal(const char *what, guint found, guint expected, GPtrArray *complaints)
{
  check(found == expected, what, found, expected, complaints);
}

/* RFC 6581 §9.1 and §9.2: what each end puts into its frame. */
static void check_enhanced(const pair *p, const pair_outcome *outcome, const marked_half half[WIRE_SIDES],
                           GPtrArray *complaints)
{
  const pair_end *initiator = &p->end[WIRE_INITIATOR], *responder = &p->end[WIRE_RESPONDER];
  const wire_enhanced *request = &half[WIRE_INITIATOR].enhanced, *reply = &half[WIRE_RESPONDER].enhanced;

  check_equal("A of the Request", (guint)request->peer_to_peer, (guint)p->peer_to_peer, complaints);
  check_equal("RTR of the Request", request->rtrs, p->peer_to_peer ? initiator->rtrs : 0, complaints);
  check_equal("IRD of the Request", request->ird,
              initiator->negotiates_ird ? initiator->ird : WIRE_NOT_NEGOTIATED, complaints);
  check_equal("ORD of the Request", request->ord,
              initiator->negotiates_ord ? initiator->ord : WIRE_NOT_NEGOTIATED, complaints);
  if (outcome->kind == PAIR_CLOSED) {
    return;
  }
  /* All that match are set, and without any at least one that the Responder can (§9.2). */
  guint matching = initiator->rtrs & supported_rtrs(p);
  check((reply->rtrs & ~supported_rtrs(p)) == 0 && (!p->peer_to_peer || (reply->rtrs & matching) == matching),
        "RTR of the Reply", reply->rtrs, supported_rtrs(p), complaints);
  /* The Initiator's ORD is a request; what comes back is what the Responder has, one more than nothing where
   * the RTR indication is a Read (§9.1). */
  if (reply->ird != WIRE_NOT_NEGOTIATED) {
    gboolean may_raise = (reply->rtrs & WIRE_RTR_READ) != 0;
    check(reply->ird <= MAX(responder->ird, may_raise ? 1 : 0), "IRD of the Reply", reply->ird,
          responder->ird, complaints);
    check(reply->ird >= MIN(responder->ird, request->ord), "IRD of the Reply", reply->ird,
          MIN(responder->ird, request->ord), complaints);
  }
  if (outcome->kind == PAIR_REJECTED && lacks_ord(p)) {
    check_equal("ORD of the Reply that rejects", reply->ord, p->ord_needed, complaints);
  } else if (reply->ord != WIRE_NOT_NEGOTIATED) {
    check(reply->ord <= responder->ord, "ORD of the Reply", reply->ord, responder->ord, complaints);
    check(reply->ord >= MIN(responder->ord, request->ird), "ORD of the Reply", reply->ord,
          MIN(responder->ord, request->ird), complaints);
  }
}

void pair_check_frames(const pair *p, const pair_outcome *outcome, const marked_half half[WIRE_SIDES],
                       GPtrArray *complaints)
{
  static const char *const names[] = {"Request", "Reply"};

  if (strcmp(p->end[WIRE_INITIATOR].generation, "rdmac") == 0) {
    return;
  }
  for (int side = 0; side < WIRE_SIDES; side++) {
    gboolean is_due = side == WIRE_INITIATOR || (outcome->kind != PAIR_CLOSED && outcome->kind != PAIR_NEVER);
    const pair_end *end = &p->end[side];
    if (half[side].has_frame != is_due) {
      wire_complain(complaints, "%s: there is %s", names[side], half[side].has_frame ? "one" : "none");
      return;
    }
    if (!is_due) {
      continue;
    }
    check_equal("M", (guint)half[side].wants_markers, (guint)end->markers, complaints);
    check_equal("C", (guint)half[side].wants_crc, (guint)end->crc, complaints);
    check_equal("S", (guint)half[side].is_enhanced, (guint)outcome->is_enhanced, complaints);
    check_equal("R", (guint)half[side].rejects, side == WIRE_RESPONDER && outcome->kind == PAIR_REJECTED,
                complaints);
    check_equal("Rev", half[side].revision, (guint)revision_of(&p->end[WIRE_INITIATOR], outcome->is_enhanced),
                complaints);
    check_equal("PD_Length", half[side].private_octets,
                end->private_octets + (outcome->is_enhanced ? WIRE_ENHANCED_OCTETS : 0), complaints);
  }
  if (outcome->is_enhanced) {
    check_enhanced(p, outcome, half, complaints);
  }
}

/* RFC 6581 §9.1: an ORD is at most the peer's IRD; 0x3FFF leaves it as it was. */
guint pair_ord(const pair *p, const marked_half half[WIRE_SIDES], int side)
{
  guint own = p->end[side].ord;
  guint limit = own;

  if (half[WIRE_INITIATOR].is_enhanced && half[WIRE_RESPONDER].is_enhanced) {
    const wire_enhanced *reply = &half[WIRE_RESPONDER].enhanced;
    guint said = side == WIRE_INITIATOR ? reply->ird : reply->ord;
    limit = said == WIRE_NOT_NEGOTIATED ? own : MIN(own, said);
  }
  /* The RTR indication may be a Read where there are none else. */
  return side == WIRE_INITIATOR && wire_agreed_rtrs(half) & WIRE_RTR_READ ? MAX(limit, 1) : limit;
}

guint pair_room(const pair *p, const marked_half half[WIRE_SIDES], int side)
{
  guint room = p->end[1 - side].ird;

  /* For the RTR indication there is one where it may be raised (§9.1). */
  return side == WIRE_INITIATOR && wire_agreed_rtrs(half) & WIRE_RTR_READ &&
                 half[WIRE_RESPONDER].enhanced.ird != WIRE_NOT_NEGOTIATED
             ? MAX(room, 1)
             : room;
}
