/* SPDX-License-Identifier: GPL-2.0-only */
/* Runs that must end: every fault, generations that do not fit, rejection; with the code that the
 * documents give, on both engines, and never hanging. */
#include <string.h>

#include "fault/fault_edit.h"
#include "session_fixture.h"

/* Ends with `code` by `side` (NULL: ends well) on both engines, before `seconds` of simulated time. */
static void assert_ends(const char *const *sets, const char *code, const char *side, double seconds)
{
  static const char *const texts[] = {
      "run = { engine = \"native\"; }; workload = { messages = 40; message_size = 3000; };",
      HAS_NS3 ? "run = { engine = \"ns3\"; }; workload = { messages = 40; message_size = 3000; };"
              : "workload = { messages = 40; message_size = 3000; };"};

  for (gsize i = 0; i < G_N_ELEMENTS(texts); i++) {
    g_auto(session_result) result = run_of(texts[i], sets);

    g_assert_cmpstr(result.terminate_code, ==, code);
    g_assert_cmpstr(result.terminate_side, ==, side);
    g_assert_cmpint(result.status, ==, code ? RUN_TERMINATED : RUN_OK);
    g_assert_true(code == NULL || g_str_has_prefix(result.message, code));
    g_assert_cmpfloat(result.results.metrics.value[METRIC_TIME_SIMULATED_S], <, seconds);
    EXPECT_METRICS(&result.results.metrics, (INTEGRITY_OCTETS_WRONG, 0));
  }
}

/* --- Operations that the peer does not have --- */

/* To a peer of RFC 5040 the opcodes of RFC 7306 are reserved (RDMAP-064): the first message with one ends the
 * connection, be it plain from the start or at the second try. */
TEST(test_earlier_peer)
{
  static const char *const operations[] = {
      "workload.operation=write-immediate", "workload.operation=write-immediate-se",
      "workload.operation=fetch-add", "workload.operation=send+compare-swap"};
  static const char *const tries[] = {"initiator.enhanced=false", "initiator.fallback=true"};

  for (gsize i = 0; i < G_N_ELEMENTS(operations); i++) {
    assert_ends(STRINGS("mpa.generation=rfc", "initiator.generation=rfc6581", operations[i], tries[i % 2],
                        "run.expect=terminate"),
                "Terminate 0/2/06", "Responder", 1);
  }
}

/* --- Faults --- */

typedef struct fault_case {
  const char *error;
  const char *operation; /* that has what the fault can be done to */
  const char *code;      /* NULL: nothing comes of it */
  gboolean own;          /* the misbehaving end reports it itself */
  double seconds;        /* of simulated time, at most; 0: 1 */
  const char *set;       /* one more; NULL: none */
} fault_case;

#define RFC6581 "mpa.generation=rfc6581"
#define PEER_TO_PEER RFC6581, "initiator.peer_to_peer=true"

static const fault_case fault_cases[] = {
    {"none", "write", NULL, FALSE, 0, NULL},
    {"startup-key", "write", "MPA error 4", FALSE, 0, NULL},
    {"startup-role", "write", "MPA error 4", FALSE, 0, NULL},
    {"startup-revision", "write", "MPA error 4", FALSE, 0, NULL},
    {"startup-private-data", "write", "MPA error 4", FALSE, 0, "mpa.generation=rfc"},
    {"startup-extra-octets", "write", "MPA error 4", FALSE, 0, NULL},
    /* The Initiator times out first, whoever misbehaves: it waits since before the Responder does. */
    {"startup-truncated", "write", "MPA error 4", TRUE, 11, NULL},
    {"startup-silent", "write", "MPA error 4", TRUE, 11, NULL},
    {"startup-short", "write", "MPA error 4", FALSE, 0, RFC6581},
    {"startup-twice", "write", "MPA error 4", FALSE, 0, NULL},
    {"startup-stray-flags", "write", NULL, FALSE, 0, RFC6581},
    {"bad-crc", "write", "MPA error 2", FALSE, 0, NULL},
    {"damaged-ulpdu", "write", "MPA error 2", FALSE, 0, NULL},
    {"bad-length", "write", "MPA error 2", FALSE, 0, NULL},
    {"impossible-length", "write", "MPA error 2", FALSE, 0, NULL},
    {"wrong-fpduptr", "write", "MPA error 3", FALSE, 0, NULL},
    {"length-against-marker", "write", "MPA error 3", FALSE, 0, NULL},
    {"short-ulpdu", "write", "Terminate 1/0/00", FALSE, 0, NULL},
    {"ddp-version-tagged", "write", "Terminate 1/1/04", FALSE, 0, NULL},
    {"ddp-version-untagged", "send", "Terminate 1/2/06", FALSE, 0, NULL},
    {"invalid-stag", "write", "Terminate 1/1/00", FALSE, 0, NULL},
    {"out-of-bounds", "write", "Terminate 1/1/01", FALSE, 0, NULL},
    {"to-wrap", "write", "Terminate 1/1/03", FALSE, 0, NULL},
    {"write-access", "write", "Terminate 1/1/00", FALSE, 0, NULL},
    {"write-foreign-domain", "write", "Terminate 1/1/02", FALSE, 0, NULL},
    {"write-foreign-stream", "write", "Terminate 1/1/02", FALSE, 0, NULL},
    {"invalid-queue", "send", "Terminate 1/2/01", FALSE, 0, NULL},
    {"no-buffer", "send", "Terminate 1/2/02", FALSE, 0, NULL},
    {"msn-range", "send", "Terminate 1/2/03", FALSE, 0, NULL},
    {"bad-mo", "send", "Terminate 1/2/04", FALSE, 0, NULL},
    {"too-long", "send", "Terminate 1/2/05", FALSE, 0, NULL},
    {"rdmap-version", "write", "Terminate 0/2/05", FALSE, 0, NULL},
    {"unknown-opcode", "write", "Terminate 0/2/06", FALSE, 0, NULL},
    {"unexpected-opcode", "send", "Terminate 0/2/06", FALSE, 0, NULL},
    {"unasked-response", "write", "Terminate 0/2/06", FALSE, 0, NULL},
    {"short-response", "read", "Terminate 1/1/01", FALSE, 0, NULL},
    {"read-invalid-stag", "read", "Terminate 0/1/00", FALSE, 0, NULL},
    {"read-out-of-bounds", "read", "Terminate 0/1/01", FALSE, 0, NULL},
    {"read-access", "read", "Terminate 0/1/02", FALSE, 0, NULL},
    {"read-foreign-domain", "read", "Terminate 0/1/03", FALSE, 0, NULL},
    {"read-foreign-stream", "read", "Terminate 0/1/03", FALSE, 0, NULL},
    {"read-to-wrap", "read", "Terminate 0/1/04", FALSE, 0, NULL},
    {"read-request-short", "read", "Terminate 0/2/FF", FALSE, 0, NULL},
    {"read-request-long", "read", "Terminate 1/2/05", FALSE, 0, NULL},
    {"too-many-reads", "read", "Terminate 1/2/02", FALSE, 0, NULL},
    {"too-many-reads", "read+fetch-add", "Terminate 1/2/02", FALSE, 0, RFC6581},
    {"atomic-opcode", "fetch-add", "Terminate 0/2/06", FALSE, 0, "mpa.generation=rfc6581"},
    {"atomic-unaligned", "compare-swap", "Terminate 0/2/07", FALSE, 0, "mpa.generation=rfc6581"},
    {"atomic-invalid-stag", "fetch-add", "Terminate 0/1/00", FALSE, 0, "mpa.generation=rfc6581"},
    {"atomic-access", "compare-swap", "Terminate 0/1/02", FALSE, 0, "mpa.generation=rfc6581"},
    {"atomic-request-short", "fetch-add", "Terminate 0/2/FF", FALSE, 0, "mpa.generation=rfc6581"},
    {"atomic-request-long", "compare-swap", "Terminate 1/2/05", FALSE, 0, "mpa.generation=rfc6581"},
    {"atomic-response-id", "fetch-add", "Terminate 0/2/FF", FALSE, 0, "mpa.generation=rfc6581"},
    {"unasked-atomic-response", "write", "Terminate 0/2/06", FALSE, 0, "mpa.generation=rfc6581"},
    {"immediate-short", "write-immediate", "Terminate 0/2/FF", FALSE, 0, "mpa.generation=rfc6581"},
    {"invalidate-unknown", "send-invalidate", "Terminate 0/2/09", FALSE, 0, NULL},
    {"invalidate-forbidden", "send-se-invalidate", "Terminate 0/2/09", FALSE, 0, NULL},
    {"invalidate-foreign-domain", "send-invalidate", "Terminate 0/1/09", FALSE, 0, NULL},
    {"zero-length-wild", "write", NULL, FALSE, 0, NULL},
    {"second-terminate", "write", "Terminate 0/2/07", TRUE, 0, NULL},
    {"terminate-msn", "write", "Terminate 1/2/02", FALSE, 0, NULL},
    {"terminate-short", "write", "Terminate 0/2/FF", FALSE, 0, NULL},
    {"local-catastrophic", "write", "Terminate 0/0/00", TRUE, 0, NULL},
    {"stream-catastrophic", "write", "Terminate 0/2/07", TRUE, 0, NULL},
    {"global-catastrophic", "write", "Terminate 0/2/08", TRUE, 0, NULL},
    {"unspecified-protection", "write", "Terminate 0/1/FF", TRUE, 0, NULL},
    {"unspecified-operation", "write", "Terminate 0/2/FF", TRUE, 0, NULL},
    {"ddp-catastrophic", "write", "Terminate 1/0/00", TRUE, 0, NULL},
    {"mpa-catastrophic", "write", "MPA error 5", TRUE, 0, NULL},
    {"reset", "write", "MPA error 1", TRUE, 0, NULL},
    {"early-close", "write", "MPA error 1", TRUE, 0, NULL},
};

/* Checks all faults of an end that starts, and of one that answers: with directions = both each end posts,
 * and Reads make the other end respond. */
static void assert_fault(const fault_case *c, const char *side)
{
  gboolean by_initiator = strcmp(side, "initiator") == 0;
  /* Without `both` the Initiator posts everything; what the Responder sends then are responses. */
  gboolean responds = strcmp(c->error, "short-response") == 0 || strcmp(c->error, "atomic-response-id") == 0;
  gboolean posts = by_initiator != responds;
  g_autofree char *error = g_strconcat("fault.error=", c->error, NULL);
  g_autofree char *at = g_strconcat("fault.side=", side, NULL);
  g_autofree char *operation = g_strconcat("workload.operation=", c->operation, NULL);
  const char *directions = posts ? "workload.directions=one" : "workload.directions=both";
  const char *finder = by_initiator == c->own ? "Initiator" : "Responder";

  if (c->seconds > 10) {
    finder = "Initiator";
  }
  g_test_message("%s of the %s", c->error, side);
  assert_ends(STRINGS(error, at, operation, directions, c->set), c->code, c->code ? finder : NULL,
              c->seconds > 0 ? c->seconds : 1);
}

TEST(test_faults_of_the_initiator)
{
  for (gsize i = 0; i < G_N_ELEMENTS(fault_cases); i++) {
    assert_fault(&fault_cases[i], "initiator");
  }
  /* R=1 means nothing in a Request. */
  const fault_case reject = {"startup-reject", "write", NULL, FALSE, 0, NULL};
  assert_fault(&reject, "initiator");
}

TEST(test_faults_of_the_responder)
{
  for (gsize i = 0; i < G_N_ELEMENTS(fault_cases); i++) {
    assert_fault(&fault_cases[i], "responder");
  }
  const fault_case reject = {"startup-reject", "write", "rejected", TRUE, 0, NULL};
  assert_fault(&reject, "responder");
}

/* What the Initiator ends, as only it can, whoever misbehaves (RFC 6581 §9.1 to §9.3, §10); and what a
 * Request may have. */
static const struct {
  const char *error, *side;
  const char *code; /* NULL: nothing comes of it */
  const char *sets[3];
} enhanced_cases[] = {
    {"startup-plain", "initiator", "MPA error 5", {RFC6581}},
    {"startup-plain", "responder", "MPA error 5", {RFC6581}},
    {"startup-model", "initiator", "MPA error 7", {PEER_TO_PEER}},
    {"startup-model", "responder", "MPA error 7", {PEER_TO_PEER}},
    {"startup-rtrs", "initiator", NULL, {PEER_TO_PEER}},
    {"startup-rtrs", "responder", "MPA error 7", {PEER_TO_PEER}},
    {"startup-ord", "initiator", NULL, {RFC6581}},
    {"startup-ord", "responder", "MPA error 6", {RFC6581}},
    {"no-rtr", "initiator", NULL, {PEER_TO_PEER}},
    {"wrong-rtr", "initiator", NULL, {PEER_TO_PEER, "initiator.rtr=read"}},
};

TEST(test_faults_of_enhanced_startup)
{
  for (gsize i = 0; i < G_N_ELEMENTS(enhanced_cases); i++) {
    g_autofree char *error = g_strconcat("fault.error=", enhanced_cases[i].error, NULL);
    g_autofree char *at = g_strconcat("fault.side=", enhanced_cases[i].side, NULL);

    g_test_message("%s of the %s", enhanced_cases[i].error, enhanced_cases[i].side);
    assert_ends(
        STRINGS(error, at, enhanced_cases[i].sets[0], enhanced_cases[i].sets[1], enhanced_cases[i].sets[2]),
        enhanced_cases[i].code, enhanced_cases[i].code ? "Initiator" : NULL, 1);
  }
}

/* mpa.rtr is what is sent: nothing, when the Responder has no kind that the Initiator has. */
TEST(test_rtr_metric)
{
  static const struct {
    const char *own, *peers;
    int sent;
  } cases[] = {
      {"send", "read+send", 1}, {"write+send", "send+write", 2}, {"read", "read", 3}, {"send", "read", 0}};

  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *own = g_strconcat("initiator.rtr=", cases[i].own, NULL);
    g_autofree char *peers = g_strconcat("responder.rtr=", cases[i].peers, NULL);
    g_auto(session_result) result = run_of("workload: { messages = 1; };", STRINGS(PEER_TO_PEER, own, peers));

    EXPECT_METRICS(&result.results.metrics, (MPA_RTR_KIND, cases[i].sent));
    g_assert_cmpint(result.status, ==, cases[i].sent > 0 ? RUN_OK : RUN_TERMINATED);
  }
}

/* An RTR indication by Read is for no octets, and nobody looks at its STag: the fault is done to the next. */
TEST(test_fault_of_a_read_after_the_rtr)
{
  assert_ends(
      STRINGS("fault.error=read-invalid-stag", PEER_TO_PEER, "mpa.rtr=read", "workload.operation=read"),
      "Terminate 0/1/00", "Responder", 1);
}

/* No fault is left out, and the table that users read agrees. */
TEST(test_faults_are_all_there)
{
  for (fault_id id = 0; id < FAULTS; id++) {
    const fault_row *row = fault_row_of(id);
    gsize i = 0;
    gboolean is_of_initiator = FALSE;

    while (i < G_N_ELEMENTS(fault_cases) && strcmp(fault_cases[i].error, row->name) != 0) {
      i++;
    }
    if (strcmp(row->name, "startup-reject") == 0) {
      g_assert_nonnull(strstr(row->expected, "rejected"));
      continue;
    }
    for (gsize j = 0; j < G_N_ELEMENTS(enhanced_cases); j++) {
      if (strcmp(enhanced_cases[j].error, row->name) == 0) {
        const char *code = enhanced_cases[j].code;
        g_assert_nonnull(strstr(row->expected, code ? code : "nothing"));
        is_of_initiator = TRUE;
      }
    }
    if (is_of_initiator) {
      continue;
    }
    if (i == G_N_ELEMENTS(fault_cases)) {
      g_error("no row of fault_cases does '%s'", row->name);
    }
    g_assert_nonnull(strstr(row->expected, fault_cases[i].code ? fault_cases[i].code : "nothing"));
  }
}

/* --- Generations and startup --- */

static const struct {
  const char *initiator, *responder;
  const char *code, *side; /* NULL: they fit */
  double seconds;
} generation_cases[] = {
    {"initiator.generation=rdmac", "responder.generation=rdmac", NULL, NULL, 1},
    {"initiator.generation=ietf", "responder.generation=ietf", NULL, NULL, 1},
    {"initiator.generation=rfc", "responder.generation=rfc", NULL, NULL, 1},
    /* rdmac's first octets are no key (docs/protocol-notes.md, M46). */
    {"initiator.generation=rdmac", "responder.generation=ietf", "MPA error 4", "Responder", 1},
    {"initiator.generation=rdmac", "responder.generation=rfc", "MPA error 4", "Responder", 1},
    /* "MPA ID…" looks like the beginning of an FPDU, so rdmac waits for its end; the Initiator's time runs
     * out first. */
    {"initiator.generation=ietf", "responder.generation=rdmac", "MPA error 4", "Initiator", 11},
    {"initiator.generation=rfc", "responder.generation=rdmac", "MPA error 4", "Initiator", 11},
    /* Rev 0 and Rev 1. */
    {"initiator.generation=ietf", "responder.generation=rfc", "MPA error 4", "Responder", 1},
    {"initiator.generation=rfc", "responder.generation=ietf", "MPA error 4", "Responder", 1},
};

TEST(test_generations)
{
  static const char *const operations[] = {"workload.operation=write", "workload.operation=read",
                                           "workload.operation=storage-write"};
  static const char *const closes[] = {"mpa.startup_close=reset", "mpa.startup_close=fin"};

  for (gsize i = 0; i < G_N_ELEMENTS(generation_cases); i++) {
    for (gsize j = 0; j < G_N_ELEMENTS(closes); j++) {
      g_test_message("%s %s %s", generation_cases[i].initiator, generation_cases[i].responder, closes[j]);
      assert_ends(STRINGS(generation_cases[i].initiator, generation_cases[i].responder,
                          operations[i % G_N_ELEMENTS(operations)], closes[j]),
                  generation_cases[i].code, generation_cases[i].side, generation_cases[i].seconds);
    }
  }
}

static const struct {
  const char *sets[4], *code, *side;
} startup_cases[] = {
    {{"responder.rejects=true", NULL}, "rejected", "Responder"},
    {{"initiator.rejects=true", NULL}, "rejected", "Initiator"},
    {{"initiator.private_data=1000", "responder.private_data=65535", NULL}, NULL, NULL},
    {{"mpa.generation=rfc", "initiator.private_data=512", "responder.private_data=1", NULL}, NULL, NULL},
    {{"initiator.private_data=100", "responder.private_data_capacity=99", NULL}, "MPA error 4", "Responder"},
    {{"initiator.private_data=100", "responder.private_data_capacity=100", NULL}, NULL, NULL},
    {{"responder.private_data=1", "initiator.private_data_capacity=0", NULL}, "MPA error 4", "Initiator"},
    {{"sender.stream_phase=1000", NULL}, NULL, NULL},
    {{"sender.stream_phase=random", "mpa.generation=rdmac", NULL}, NULL, NULL},
    {{"initiator.markers=false", "initiator.crc=false", NULL}, NULL, NULL},
    /* More Reads than the peer has buffers for. */
    {{"workload.operation=read", "rdmap.ird=3", NULL}, "Terminate 1/2/02", "Responder"},
    {{"workload.operation=read", "rdmap.ird=3", "rdmap.ord=3", NULL}, NULL, NULL},
    /* rdmap-00 §10.3's other code for an STag not associated (docs/protocol-notes.md, "RDMAP: errors and
     * Terminate"). */
    {{"fault.error=write-foreign-domain", "rdmap.not_associated_code=invalid-stag", NULL},
     "Terminate 1/1/00",
     "Responder"},
    {{"workload.operation=read", "fault.error=read-foreign-domain", "rdmap.not_associated_code=invalid-stag",
      NULL},
     "Terminate 0/1/00",
     "Responder"},
};

/* MPA-190: with octets of streaming mode before MPA both ends find the first FPDU, in each direction,
 * whatever the generation. */
ROW_TEST(test_startup_and_keys, startup_cases)
{
  g_test_message("%s", c->sets[0]);
  assert_ends(c->sets, c->code, c->side, 1);
}

/* --- Amid long messages --- */

static const struct {
  const char *error, *code, *side;
} amid_long_messages_rows[] = {{"fault.error=local-catastrophic", "Terminate 0/0/00", "Initiator"},
                               {"fault.error=bad-crc", "MPA error 2", "Responder"},
                               {"fault.error=invalid-stag", "Terminate 1/1/00", "Responder"},
                               {"fault.error=second-terminate", "Terminate 0/2/07", "Initiator"}};

/* DDP-086: the end that fails finishes the message that DDP has, of 1 MiB, in a world that loses segments;
 * then the Terminate follows, and nothing waits. The Responder, too, has such a message under way. */
ROW_TEST(test_amid_long_messages, amid_long_messages_rows)
{
  g_test_message("%s", c->error);
  assert_ends(STRINGS(c->error, "fault.at=40", "workload.message_size=1MiB", "workload.messages=2",
                      "workload.directions=both", "path.forward.loss=0.5%", "path.reverse.loss=0.5%",
                      "tcp.rto_min=5ms"),
              c->code, c->side, 1);
}

/* --- Never hanging --- */

/* The same broken segment again and again, dropped each time (MPA-286): TCP's patience ends it, MPA error
 * 1. The peer learns nothing of it, and waits until run.stall ends that. */
TEST(test_silent_drop_ends)
{
  assert_ends(STRINGS("fault.error=bad-crc", "mpa.silent_drop=true", "tcp.retries=3", "run.stall=5s"),
              "MPA error 1", "Initiator", 16);
}

/* A reset reaches the peer before it is established: it listens again, and no SYN comes. run.stall ends the
 * wait but does not change the status. */
TEST(test_half_open_ends)
{
  assert_ends(STRINGS("fault.error=reset", "mpa.generation=rdmac", "run.stall=5s"), "MPA error 1",
              "Initiator", 11);
}

/* Nor does it wait for what would change on the path later. */
TEST(test_half_open_ends_before_an_event)
{
  g_auto(session_result) result =
      run_of("event = ( { at = \"100s\"; key = \"path.forward.delay\"; value = \"1ms\"; } );",
             STRINGS("run.engine=native", "fault.error=reset", "mpa.generation=rdmac", "run.stall=5s"));

  g_assert_cmpstr(result.terminate_code, ==, "MPA error 1");
  g_assert_cmpfloat(result.results.metrics.value[METRIC_TIME_SIMULATED_S], <, 11);
}

/* Nor does one whose last octets wait out the placement latency: both ends close once what they sent is
 * acknowledged. */
TEST(test_delivered_after_the_close_ends_before_an_event)
{
  g_auto(session_result) result =
      run_of("event = ( { at = \"100s\"; key = \"path.forward.delay\"; value = \"1ms\"; } );",
             STRINGS("run.engine=native", "workload.directions=both", "receiver.placement_latency=1s"));

  g_assert_cmpint(result.status, ==, RUN_OK);
  g_assert_cmpfloat(result.results.metrics.value[METRIC_TIME_SIMULATED_S], >, 1);
  g_assert_cmpfloat(result.results.metrics.value[METRIC_TIME_SIMULATED_S], <, 2);
}

static const char *pick(GRand *random, const char *const *choices)
{
  return choices[g_rand_int_range(random, 0, (gint32)g_strv_length((char **)choices))];
}

/* Whatever goes wrong, and whatever the network does besides: a run ends by itself, well or as the
 * documents demand, and what was Delivered is right. */
TEST(test_random_endings)
{
  enum { SEED = 20261121, CASES = 150 };
  g_autoptr(GRand) random = g_rand_new_with_seed(SEED);
  const char *faults[FAULTS + 1] = {NULL};

  g_test_message("seed %d", SEED);
  for (fault_id id = 0; id < FAULTS; id++) {
    faults[id] = fault_row_of(id)->name;
  }
  for (int i = 0; i < CASES; i++) {
    g_autofree char *seed = g_strdup_printf("run.seed=%d", i);
    g_autofree char *fault = g_strconcat("fault.error=", pick(random, faults), NULL);
    const char *extended = "workload.operation=fetch-add+write-immediate+read+compare-swap";
    const char *operation =
        pick(random, STRINGS("workload.operation=write", "workload.operation=read+send-se",
                             "workload.operation=storage-read+storage-write",
                             "workload.operation=write+send-invalidate+read", extended, extended));
    const char *generation = pick(random, STRINGS("mpa.generation=rdmac", "mpa.generation=ietf",
                                                  "mpa.generation=rfc", "mpa.generation=rfc6581"));
    const char *sets[] = {seed,
                          fault,
                          operation,
                          operation == extended ? "mpa.generation=rfc6581" : generation, /* which has them */
                          pick(random, STRINGS("path.forward.loss=0", "path.forward.loss=3%")),
                          pick(random, STRINGS("path.reverse.loss=0", "path.reverse.loss=3%")),
                          pick(random, STRINGS("fault.side=initiator", "fault.side=responder")),
                          pick(random, STRINGS("workload.directions=one", "workload.directions=both")),
                          pick(random, STRINGS("fault.at=1", "fault.at=2", "fault.at=7")),
                          pick(random, STRINGS("middlebox.mode=none", "middlebox.mode=rechunk")),
                          pick(random, STRINGS("rdmap.errors=in-order", "rdmap.errors=on-arrival")),
                          pick(random, STRINGS("workload.message_size=0", "workload.message_size=5000")),
                          NULL};
    g_autofree char *all = g_strjoinv(" --set ", (char **)sets);
    g_test_message("case %d: --set %s", i, all);
    g_auto(session_result) result = run_of("run = { engine = \"native\"; }; workload = { messages = 15; }; "
                                           "tcp = { rto_min = \"5ms\"; };",
                                           sets);
    /* A length that claims too much of a stream's last FPDU leaves its receiver waiting for octets that never
     * come: run.stall ends the wait. */
    gboolean waits = strstr(fault, "bad-length") && result.status == RUN_FAILED &&
                     g_str_has_prefix(result.message, "no progress");
    if (result.status != RUN_OK && result.status != RUN_TERMINATED && !waits) {
      g_error("case %d: %s: %s", i, all, result.message);
    }
  }
}
