/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about the gate in front of a proxy: what comes while an element after it works waits until
 * all of them are done. */
#include "network/path_proxy.h"

#include "session_fixture.h"

/* This is what the packets that are let in do: arrive; and more when the test asks for it. */
typedef struct entry {
  path_gate *gate;
  GArray *in;
  guint
      answers; /* so many of the packets let in make the host send one more while they are being worked on */
} entry;

static datagram *packet_of(uint32_t length)
{
  return segment_of(0, SIDE_INITIATOR, 0, length, TCP_ACK);
}

static void let_in(void *user, datagram *packet, time_ps now)
{
  entry *e = user;

  path_gate_enter(e->gate);
  arrive(e->in, packet, now);
  if (e->answers > 0) {
    e->answers--;
    g_assert_true(path_gate_holds(e->gate, packet_of(100 + e->answers), let_in, e));
  }
  path_gate_leave(e->gate, now);
}

static entry entry_with(guint answers)
{
  return (entry){.gate = path_gate_new(), .in = arrivals_new(), .answers = answers};
}

static void entry_close(entry *e)
{
  path_gate_free(e->gate);
  g_array_unref(e->in);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(entry, entry_close)

/* The host is idle: nothing waits, and the packet stays the caller's. No gate is equal to an open one. */
TEST(test_open_gate_holds_nothing)
{
  g_auto(entry) e = entry_with(0);
  g_autoptr(datagram) packet = packet_of(1);
  g_assert_false(path_gate_holds(e.gate, packet, let_in, &e));
  path_gate_enter(e.gate);
  path_gate_leave(e.gate, 5);
  g_assert_false(path_gate_holds(e.gate, packet, let_in, &e));
  path_gate_enter(NULL);
  g_assert_false(path_gate_holds(NULL, packet, let_in, &e));
  path_gate_leave(NULL, 5);
  g_assert_cmpuint(packet->references, ==, 1);
  assert_lengths(e.in, "");
}

/* An element at work calls another: only when the outermost is done comes what waited, in its order, at
 * that time. */
TEST(test_packets_wait_for_the_outermost)
{
  g_auto(entry) e = entry_with(0);
  path_gate_enter(e.gate);
  g_assert_true(path_gate_holds(e.gate, packet_of(1), let_in, &e));
  path_gate_enter(e.gate);
  g_assert_true(path_gate_holds(e.gate, packet_of(2), let_in, &e));
  path_gate_leave(e.gate, 7);
  assert_lengths(e.in, "");
  g_assert_true(path_gate_holds(e.gate, packet_of(3), let_in, &e));
  path_gate_leave(e.gate, 8);
  assert_lengths(e.in, "1 2 3");
  g_assert_cmpint(arrival_at(e.in, 2)->at, ==, 8);
  g_assert_false(path_gate_holds(e.gate, NULL, let_in, &e));
}

/* A packet that is let in is worked on after the gate, too: what the host sends because of it comes
 * after those that wait already, not in the midst of that work. Of 2 answers the first has 101 octets,
 * the second 100. */
TEST(test_answers_come_after)
{
  g_auto(entry) e = entry_with(2);
  path_gate_enter(e.gate);
  g_assert_true(path_gate_holds(e.gate, packet_of(1), let_in, &e));
  g_assert_true(path_gate_holds(e.gate, packet_of(2), let_in, &e));
  path_gate_leave(e.gate, 9);
  assert_lengths(e.in, "1 2 101 100");
  g_assert_false(path_gate_holds(e.gate, NULL, let_in, &e));
}

/* What still waits goes with the gate, its reference too. */
TEST(test_freed_gate_drops_what_waits)
{
  g_autoptr(datagram) packet = packet_of(1);
  path_gate *gate = path_gate_new();

  path_gate_enter(gate);
  g_assert_true(path_gate_holds(gate, datagram_ref(packet), let_in, NULL));
  g_assert_cmpuint(packet->references, ==, 2);
  path_gate_free(gate);
  g_assert_cmpuint(packet->references, ==, 1);
  path_gate_free(NULL);
}
