#include <glib.h>
#include <stdbool.h>

#include "ddp/ddp_teardown.h"

/* The states that the stream goes through, and what is to be done, for each of a row of events. */
typedef struct passage {
  ddp_teardown_event event;
  unsigned actions;
  ddp_teardown_state state;
} passage;

enum {
  PASS = DDP_TEARDOWN_PASS,
  REFUSE = DDP_TEARDOWN_REFUSE,
  DROP = DDP_TEARDOWN_DROP,
  CLOSE = DDP_TEARDOWN_CLOSE_LLP,
  ABORT = DDP_TEARDOWN_ABORT_LLP,
  HALF_CLOSED = DDP_TEARDOWN_REPORT_HALF_CLOSED,
  REPORT = DDP_TEARDOWN_REPORT_FATAL,
};

static void check_passages(const passage *passages, size_t count)
{
  ddp_teardown_state state = DDP_TEARDOWN_OPEN;
  for (size_t i = 0; i < count; i++) {
    g_test_message("step %zu", i);
    g_assert_cmphex(ddp_teardown_step(&state, passages[i].event), ==, passages[i].actions);
    g_assert_cmpint(state, ==, passages[i].state);
  }
}

/* DDP-126: behind the local ULP's request its transfers fail; what the peer still sends is received (DDP-131).
 * The request closes the outgoing half, once. */
static void test_the_local_ulp_closes_first(void)
{
  static const passage passages[] = {
      {DDP_TEARDOWN_ULP_SENDS, PASS, DDP_TEARDOWN_OPEN},
      {DDP_TEARDOWN_SEGMENT, PASS, DDP_TEARDOWN_OPEN},
      {DDP_TEARDOWN_ULP_CLOSES, CLOSE, DDP_TEARDOWN_CLOSED_LOCALLY},
      {DDP_TEARDOWN_ULP_SENDS, REFUSE, DDP_TEARDOWN_CLOSED_LOCALLY},
      {DDP_TEARDOWN_SEGMENT, PASS, DDP_TEARDOWN_CLOSED_LOCALLY},
      {DDP_TEARDOWN_ULP_CLOSES, PASS, DDP_TEARDOWN_CLOSED_LOCALLY},
      {DDP_TEARDOWN_PEER_CLOSED, PASS, DDP_TEARDOWN_CLOSED},
      {DDP_TEARDOWN_ULP_SENDS, REFUSE, DDP_TEARDOWN_CLOSED},
  };
  check_passages(passages, G_N_ELEMENTS(passages));
}

/* DDP-128, DDP-129: the peer closes first; the ULP is told and sends on; its own request then closes the other
 * half gracefully. */
static void test_the_peer_closes_first(void)
{
  static const passage passages[] = {
      {DDP_TEARDOWN_PEER_CLOSED, HALF_CLOSED, DDP_TEARDOWN_CLOSED_BY_PEER},
      {DDP_TEARDOWN_ULP_SENDS, PASS, DDP_TEARDOWN_CLOSED_BY_PEER},
      {DDP_TEARDOWN_PEER_CLOSED, PASS, DDP_TEARDOWN_CLOSED_BY_PEER},
      {DDP_TEARDOWN_ULP_CLOSES, CLOSE, DDP_TEARDOWN_CLOSED},
      {DDP_TEARDOWN_ULP_SENDS, REFUSE, DDP_TEARDOWN_CLOSED},
      {DDP_TEARDOWN_ULP_CLOSES, PASS, DDP_TEARDOWN_CLOSED},
      {DDP_TEARDOWN_PEER_CLOSED, PASS, DDP_TEARDOWN_CLOSED},
  };
  check_passages(passages, G_N_ELEMENTS(passages));
}

/* DDP-127: a segment behind the peer's graceful teardown, right or wrong, is dropped and aborts the stream,
 * before and behind the own close. */
static void test_data_behind_the_peers_close(void)
{
  static const ddp_teardown_state closed[] = {DDP_TEARDOWN_CLOSED_BY_PEER, DDP_TEARDOWN_CLOSED};
  static const ddp_teardown_event data[] = {DDP_TEARDOWN_SEGMENT, DDP_TEARDOWN_BAD_SEGMENT};
  for (size_t i = 0; i < 4; i++) {
    ddp_teardown_state state = closed[i / 2];
    g_assert_cmphex(ddp_teardown_step(&state, data[i % 2]), ==, DROP | ABORT | REPORT);
    g_assert_cmpint(state, ==, DDP_TEARDOWN_ABORTED);
  }
}

/* DDP-132, DDP-133, DDP-134, DDP-135: the lost LLP, its fatal ('catastrophic') error and a bad header are each
 * reported as a fatal error, in every state that has not ended, and only once. */
static void test_each_fatal_cause_is_reported_once(void)
{
  static const ddp_teardown_event causes[] = {DDP_TEARDOWN_LLP_LOST, DDP_TEARDOWN_LLP_ERROR,
                                              DDP_TEARDOWN_BAD_SEGMENT};
  for (int from = DDP_TEARDOWN_OPEN; from <= DDP_TEARDOWN_CLOSED; from++) {
    for (size_t first = 0; first < G_N_ELEMENTS(causes); first++) {
      ddp_teardown_state state = (ddp_teardown_state)from;
      g_assert_true(ddp_teardown_step(&state, causes[first]) & REPORT);
      for (size_t second = 0; second < G_N_ELEMENTS(causes); second++) {
        g_assert_false(ddp_teardown_step(&state, causes[second]) & REPORT);
      }
    }
  }
}

/* DDP-132: without the LLP there is nothing left of the stream, whatever state it was in; it is told unless
 * it has ended or a fatal error was told before. */
static void test_the_lost_llp_ends_the_stream(void)
{
  for (int from = 0; from < DDP_TEARDOWN_STATES; from++) {
    ddp_teardown_state state = (ddp_teardown_state)from;
    bool told = from == DDP_TEARDOWN_FATAL || from == DDP_TEARDOWN_ABORTED;
    g_assert_cmphex(ddp_teardown_step(&state, DDP_TEARDOWN_LLP_LOST), ==, told ? PASS : REPORT);
    g_assert_cmpint(state, ==, DDP_TEARDOWN_ABORTED);
  }
}

/* DDP-138: behind a fatal error the stream stays, whatever the LLP and the peer do short of losing it,
 * until the ULP asks for its end; the ULP may send (DDP-137), and what comes in is dropped (DDP-160). */
static void test_a_fatal_error_waits_for_the_ulp(void)
{
  static const passage aborted[] = {
      {DDP_TEARDOWN_BAD_SEGMENT, DROP | REPORT, DDP_TEARDOWN_FATAL},
      {DDP_TEARDOWN_SEGMENT, DROP, DDP_TEARDOWN_FATAL},
      {DDP_TEARDOWN_BAD_SEGMENT, DROP, DDP_TEARDOWN_FATAL},
      {DDP_TEARDOWN_PEER_CLOSED, PASS, DDP_TEARDOWN_FATAL},
      {DDP_TEARDOWN_LLP_ERROR, PASS, DDP_TEARDOWN_FATAL},
      {DDP_TEARDOWN_ULP_SENDS, PASS, DDP_TEARDOWN_FATAL},
      {DDP_TEARDOWN_ULP_ABORTS, ABORT, DDP_TEARDOWN_ABORTED},
  };
  check_passages(aborted, G_N_ELEMENTS(aborted));
  /* FIN instead of RST spares a Terminate that is on its way (notes-ddp-rdmap 38) */
  static const passage closed[] = {
      {DDP_TEARDOWN_LLP_ERROR, REPORT, DDP_TEARDOWN_FATAL},
      {DDP_TEARDOWN_ULP_SENDS, PASS, DDP_TEARDOWN_FATAL},
      {DDP_TEARDOWN_ULP_CLOSES, CLOSE, DDP_TEARDOWN_ABORTED},
      {DDP_TEARDOWN_ULP_SENDS, REFUSE, DDP_TEARDOWN_ABORTED},
  };
  check_passages(closed, G_N_ELEMENTS(closed));
}

/* DDP-121, DDP-138: in no state does DDP close or abort the LLP of itself: only when the ULP asks for it,
 * or when the peer sends on behind its own close. */
static void test_ddp_ends_no_stream_by_itself(void)
{
  for (int from = 0; from < DDP_TEARDOWN_STATES; from++) {
    for (int event = 0; event < DDP_TEARDOWN_EVENTS; event++) {
      ddp_teardown_state state = (ddp_teardown_state)from;
      unsigned actions = ddp_teardown_step(&state, (ddp_teardown_event)event);
      bool asked = event == DDP_TEARDOWN_ULP_CLOSES || event == DDP_TEARDOWN_ULP_ABORTS;
      bool behind_close = (from == DDP_TEARDOWN_CLOSED_BY_PEER || from == DDP_TEARDOWN_CLOSED) &&
                          (event == DDP_TEARDOWN_SEGMENT || event == DDP_TEARDOWN_BAD_SEGMENT);
      bool lost = event == DDP_TEARDOWN_LLP_LOST;
      if (!asked && !behind_close) {
        g_assert_false(actions & (CLOSE | ABORT));
      }
      if (state == DDP_TEARDOWN_ABORTED && from != DDP_TEARDOWN_ABORTED) {
        g_assert_true(asked || behind_close || lost);
      }
    }
  }
}

/* Abortive teardown is taken from every state; behind it nothing moves, in either direction, and nothing is
 * told or asked for again (DDP-027, DDP-124). */
static void test_nothing_moves_behind_an_abort(void)
{
  for (int from = 0; from < DDP_TEARDOWN_STATES; from++) {
    ddp_teardown_state state = (ddp_teardown_state)from;
    unsigned actions = ddp_teardown_step(&state, DDP_TEARDOWN_ULP_ABORTS);
    g_assert_cmphex(actions, ==, from == DDP_TEARDOWN_ABORTED ? PASS : ABORT);
    for (int event = 0; event < DDP_TEARDOWN_EVENTS; event++) {
      unsigned expected = event == DDP_TEARDOWN_ULP_SENDS                                      ? REFUSE
                          : event == DDP_TEARDOWN_SEGMENT || event == DDP_TEARDOWN_BAD_SEGMENT ? DROP
                                                                                               : PASS;
      g_assert_cmphex(ddp_teardown_step(&state, (ddp_teardown_event)event), ==, expected);
      g_assert_cmpint(state, ==, DDP_TEARDOWN_ABORTED);
    }
  }
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/ddp_teardown/local_ulp_closes_first", test_the_local_ulp_closes_first);
  g_test_add_func("/ddp_teardown/peer_closes_first", test_the_peer_closes_first);
  g_test_add_func("/ddp_teardown/data_behind_the_peers_close", test_data_behind_the_peers_close);
  g_test_add_func("/ddp_teardown/each_fatal_cause_once", test_each_fatal_cause_is_reported_once);
  g_test_add_func("/ddp_teardown/lost_llp", test_the_lost_llp_ends_the_stream);
  g_test_add_func("/ddp_teardown/fatal_error_waits_for_the_ulp", test_a_fatal_error_waits_for_the_ulp);
  g_test_add_func("/ddp_teardown/ends_no_stream_by_itself", test_ddp_ends_no_stream_by_itself);
  g_test_add_func("/ddp_teardown/nothing_moves_behind_an_abort", test_nothing_moves_behind_an_abort);
  return g_test_run();
}
