// SPDX-License-Identifier: GPL-2.0-only
// The shim's scheduler returns events in the same order as ns-3's own scheduler: by time, and those of one
// time in the order in which they were scheduled.
#include "shim/ns3_open_scheduler.hh"

#include <vector>

#include <glib.h>
#include <ns3/map-scheduler.h>
#include <ns3/simulator.h>

#include "shim/ns3_shim.h"

using namespace ns3;

namespace
{

Scheduler::Event EventOf(uint64_t when, uint32_t number)
{
  return {nullptr, {when, number, 0}};
}

void AssertSame(const Scheduler::Event &one, const Scheduler::Event &other)
{
  g_assert_cmpuint(one.key.m_ts, ==, other.key.m_ts);
  g_assert_cmpuint(one.key.m_uid, ==, other.key.m_uid);
}

// 40,000 steps with up to some hundred events, many of which are due at the same time: inserted near either
// end and far from both, removed, and cancelled.
void TestOrderIsThatOfNs3()
{
  const int spans[] = {8, 100000, 300, 1};
  const guint32 seed = 20261121;
  GRand *random = g_rand_new_with_seed(seed);
  Ptr<shim::OpenScheduler> ours = CreateObject<shim::OpenScheduler>();
  Ptr<MapScheduler> theirs = CreateObject<MapScheduler>();
  std::vector<Scheduler::Event> all;
  uint64_t now = 0;
  uint32_t number = 0;

  g_test_message("seed %u", seed);
  for (int step = 0; step < 40000; step++) {
    g_assert_true(ours->IsEmpty() == theirs->IsEmpty());
    int what = g_rand_int_range(random, 0, 20);
    if (what < 10) {
      all.push_back(EventOf(now + g_rand_int_range(random, 0, spans[step / 1000 % 4]), number++));
      ours->Insert(all.back());
      theirs->Insert(all.back());
    } else if (what < 19 && !ours->IsEmpty()) {
      AssertSame(ours->PeekNext(), theirs->PeekNext());
      g_assert_true(ours->HasDueUntil(ours->PeekNext().key.m_ts));
      g_assert_false(ours->PeekNext().key.m_ts > 0 && ours->HasDueUntil(ours->PeekNext().key.m_ts - 1));
      Scheduler::Event next = ours->RemoveNext();
      AssertSame(next, theirs->RemoveNext());
      now = next.key.m_ts;
      g_assert_cmpuint(ours->Now(), ==, now);
    } else if (what == 19 && !ours->IsEmpty()) {
      // An event that is still there: not before the next one due.
      const Scheduler::Event &one = all[g_rand_int_range(random, 0, static_cast<int>(all.size()))];
      Scheduler::Event next = theirs->PeekNext();
      bool there =
          one.key.m_ts > next.key.m_ts || (one.key.m_ts == next.key.m_ts && one.key.m_uid >= next.key.m_uid);
      if (there) {
        ours->Remove(one);
        theirs->Remove(one);
        all.erase(all.begin() + (&one - all.data())); // once
      }
    }
  }
  while (!theirs->IsEmpty())
    AssertSame(ours->RemoveNext(), theirs->RemoveNext());
  g_assert_true(ours->IsEmpty());
  g_assert_false(ours->HasDueUntil(UINT64_MAX));
  g_rand_free(random);
}

// Arrivals in their order, a hundred on the way, with the end of each transmission before all of them: none
// is lost after the queue has moved through its memory many times.
void TestLongTransfer()
{
  enum { PACKETS = 50000, ON_THE_WAY = 100 };
  Ptr<shim::OpenScheduler> scheduler = CreateObject<shim::OpenScheduler>();

  for (uint32_t packet = 0; packet < PACKETS + ON_THE_WAY; packet++) {
    if (packet < PACKETS)
      scheduler->Insert(EventOf(10 * (packet + ON_THE_WAY), 2 * packet));
    if (packet < ON_THE_WAY)
      continue;
    scheduler->Insert(EventOf(10 * packet - 5, 2 * packet + 1));
    AssertSame(scheduler->RemoveNext(), EventOf(10 * packet - 5, 2 * packet + 1));
    AssertSame(scheduler->RemoveNext(), EventOf(10 * packet, 2 * (packet - ON_THE_WAY)));
  }
  g_assert_true(scheduler->IsEmpty());
}

void Write(void *user)
{
  g_string_append_printf(static_cast<GString *>(user), "%" G_GINT64_FORMAT " ", ns3_shim_now());
}

// A user may give ns-3 another scheduler: the one replaced is not used any more, ns-3's events continue, and
// a run of ours fails with the reason.
void TestAnotherScheduler()
{
  GString *written = g_string_new(nullptr);
  g_assert_true(ns3_shim_open(nullptr));
  g_assert_nonnull(shim::OpenScheduler::Current());
  ns3_shim_event *event = ns3_shim_event_new(Write, written);
  g_assert_true(ns3_shim_event_at(event, 7, nullptr));
  Simulator::SetScheduler(ObjectFactory("ns3::MapScheduler"));
  g_assert_null(shim::OpenScheduler::Current());
  g_assert_true(ns3_shim_event_last(event, nullptr));
  ns3_shim_error error;
  g_assert_false(ns3_shim_run(TIME_PS_NEVER, &error));
  g_assert_cmpstr(error.message, ==, "somebody gave the simulator another scheduler");
  Simulator::Run();
  g_assert_cmpstr(written->str, ==, "0 7 ");
  ns3_shim_event_free(event);
  ns3_shim_close();
  g_assert_null(shim::OpenScheduler::Current());
  g_string_free(written, TRUE);
}

// A program may have run ns-3 before it opens the shim: time continues from there.
void TestTimeGoesOn()
{
  g_assert_true(ns3_shim_open(nullptr)); // sets the resolution, once for the process
  ns3_shim_close();
  Simulator::Schedule(TimeStep(11), [] {});
  Simulator::Run();
  g_assert_true(ns3_shim_open(nullptr));
  g_assert_cmpint(ns3_shim_now(), ==, 11);
  ns3_shim_close();
}

} // namespace

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, nullptr);
  g_test_add_func("/shim/open-scheduler/order", TestOrderIsThatOfNs3);
  g_test_add_func("/shim/open-scheduler/long-transfer", TestLongTransfer);
  g_test_add_func("/shim/open-scheduler/another", TestAnotherScheduler);
  g_test_add_func("/shim/open-scheduler/time-goes-on", TestTimeGoesOn);
  return g_test_run();
}
