// SPDX-License-Identifier: GPL-2.0-only
// What ns-3 has scheduled, in the order of ns-3's own schedulers (time, then as scheduled), but open to be
// looked at: the shim asks what is due next, which ns-3's simulator keeps to itself.
#pragma once

#include <vector>

#include <ns3/scheduler.h>

namespace shim
{

// Nearly every event belongs near one of the two ends of what is scheduled: the end of a transmission comes
// soon, an arrival after all others on its way. So events stand in a line, in order, and one whose place is
// not within some steps of an end goes to a heap. ns-3 makes it from its TypeId and owns it.
class OpenScheduler : public ns3::Scheduler
{
public:
  static ns3::TypeId GetTypeId();

  OpenScheduler();
  ~OpenScheduler() override;

  void Insert(const Event &event) override;
  bool IsEmpty() const override;
  Event PeekNext() const override;
  Event RemoveNext() override;
  void Remove(const Event &event) override;

  // Returns the one that ns-3 has made last; none when it has gone, because somebody gave ns-3 another.
  static OpenScheduler *Current();

  // Whether anything is due at `when`, given in ns-3's steps, or before.
  bool HasDueUntil(uint64_t when) const
  {
    return !IsEmpty() && First().key.m_ts <= when;
  }

  // Returns the simulated time, in ns-3's steps: that of the event that was taken out last, or what SetNow()
  // has set since. It takes a quarter of the cost of Simulator::Now().
  uint64_t Now() const
  {
    return m_now;
  }

  void SetNow(uint64_t now)
  {
    m_now = now;
  }

private:
  bool IsFirstInLine() const;
  const Event &First() const;
  bool InsertAtFront(const Event &event);
  bool InsertAtBack(const Event &event);

  std::vector<Event> m_line; // from m_head on, in order; in front of it is room
  size_t m_head;
  std::vector<Event> m_heap;
  uint64_t m_now;
};

} // namespace shim
