/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests show which ends of a connection the documents describe, and what is kept of the first one. */
#include "session/session_private.h"

#include "string_list.h"
#include "temporary_scenario.h"
#include "test.h"

static scenario *load(const char *set)
{
  return temporary_scenario("", STRINGS(set));
}

static const rnic_failure lost = {.layer = RNIC_FAILURE_TCP, .reason.tcp = TCP_CLOSE_GAVE_UP};
static const rnic_failure reset = {.layer = RNIC_FAILURE_TCP, .reason.tcp = TCP_CLOSE_RESET};
static const rnic_failure bad_crc = {.layer = RNIC_FAILURE_MPA, .reason.mpa = MPA_ERROR_CRC};
static const rnic_failure terminated = {
    .layer = RNIC_FAILURE_RDMAP, .reason.rdmap = {1, 1, 0}, .by_peer = true, .generation = IWARP_IETF};

/* A TCP that is lost is no end of the protocols, unless an end of that connection is made to misbehave. */
TEST(test_documented)
{
  g_autoptr(scenario) good = load(NULL);
  g_autoptr(scenario) bad = load("fault.error=reset");

  g_assert_true(session_ending_is_documented(scenario_configuration(good), 0, &bad_crc));
  g_assert_true(session_ending_is_documented(scenario_configuration(good), 0, &terminated));
  g_assert_false(session_ending_is_documented(scenario_configuration(good), 0, &lost));
  g_assert_false(session_ending_is_documented(scenario_configuration(good), 0, &reset));
  g_assert_true(session_ending_is_documented(scenario_configuration(bad), 0, &reset));
  g_assert_false(
      session_ending_is_documented(scenario_configuration(bad), 1, &reset)); /* the fault is connection 0's */
}

/* Who found it: this end, or the peer that sent the Terminate. The first one is kept. */
TEST(test_first_one_is_kept)
{
  session_ending ending = {.code = NULL};

  session_ending_note(&ending, 3, SIDE_INITIATOR, &terminated, 2 * TIME_PS_PER_SECOND);
  session_ending_note(&ending, 4, SIDE_INITIATOR, &bad_crc, 3 * TIME_PS_PER_SECOND);
  g_assert_cmpstr(ending.code, ==, "Terminate 1/1/00");
  g_assert_cmpint(ending.side, ==, SIDE_RESPONDER);
  g_assert_true(g_str_has_prefix(ending.message, "Terminate 1/1/00 by the Responder of connection 3 after "
                                                 "2.000000000000 s: "));
  session_ending_clear(&ending);
  session_ending_note(&ending, 4, SIDE_INITIATOR, &bad_crc, 0);
  g_assert_cmpstr(ending.code, ==, "MPA error 2");
  g_assert_cmpint(ending.side, ==, SIDE_INITIATOR);
  session_ending_clear(&ending);
}
