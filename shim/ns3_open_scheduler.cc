// SPDX-License-Identifier: GPL-2.0-only
#include "shim/ns3_open_scheduler.hh"

#include <algorithm>

using namespace ns3;

namespace
{

// It is mutable and static as ns-3's simulator is, of which a process has one.
shim::OpenScheduler *current = nullptr;

// They are how far from an end of the line an event's place is looked for, and the room in front of an empty
// line.
const size_t near = 32;

// The line is moved to the front of its memory when more than so many places there are free.
const size_t most_room = 4096;

bool IsLater(const Scheduler::Event &a, const Scheduler::Event &b)
{
  return a.key.m_ts != b.key.m_ts ? a.key.m_ts > b.key.m_ts : a.key.m_uid > b.key.m_uid;
}

} // namespace

namespace shim
{

TypeId OpenScheduler::GetTypeId()
{
  // Each copy of the shim in the process has a name of its own: ns-3 takes a name once.
  static TypeId type =
      TypeId("iwarpsim::OpenScheduler@" + std::to_string(reinterpret_cast<uintptr_t>(&current)))
          .SetParent<Scheduler>()
          .SetGroupName("iwarpsim")
          .AddConstructor<OpenScheduler>();
  return type;
}

OpenScheduler::OpenScheduler() : m_line(near), m_head(near), m_now(0)
{
  current = this;
}

OpenScheduler::~OpenScheduler()
{
  if (current == this) {
    current = nullptr;
  }
}

OpenScheduler *OpenScheduler::Current()
{
  return current;
}

// Returns false when its place is too far from the end, or there is no room.
bool OpenScheduler::InsertAtFront(const Event &event)
{
  size_t end = m_head; // the first that is later
  while (end < m_line.size() && end < m_head + near && !IsLater(m_line[end], event)) {
    end++;
  }
  if (m_head == 0 || end == m_head + near) {
    return false;
  }
  std::copy(m_line.begin() + m_head, m_line.begin() + end, m_line.begin() + m_head - 1);
  m_line[end - 1] = event;
  m_head--;
  return true;
}

bool OpenScheduler::InsertAtBack(const Event &event)
{
  size_t place = m_line.size();
  while (place > m_head && place + near > m_line.size() && IsLater(m_line[place - 1], event)) {
    place--;
  }
  if (place + near == m_line.size() && place > m_head) {
    return false;
  }
  m_line.insert(m_line.begin() + place, event);
  return true;
}

void OpenScheduler::Insert(const Event &event)
{
  size_t count = m_line.size() - m_head;
  bool inBackHalf = count == 0 || !IsLater(m_line[m_head + count / 2], event);
  if (inBackHalf ? InsertAtBack(event) : InsertAtFront(event)) {
    return;
  }
  m_heap.push_back(event);
  std::push_heap(m_heap.begin(), m_heap.end(), IsLater);
}

bool OpenScheduler::IsEmpty() const
{
  return m_head == m_line.size() && m_heap.empty();
}

bool OpenScheduler::IsFirstInLine() const
{
  return m_heap.empty() || (m_head < m_line.size() && IsLater(m_heap.front(), m_line[m_head]));
}

// There is one.
const Scheduler::Event &OpenScheduler::First() const
{
  return IsFirstInLine() ? m_line[m_head] : m_heap.front();
}

Scheduler::Event OpenScheduler::PeekNext() const
{
  return First();
}

Scheduler::Event OpenScheduler::RemoveNext()
{
  Event next = First();
  m_now = next.key.m_ts;
  if (!IsFirstInLine()) {
    std::pop_heap(m_heap.begin(), m_heap.end(), IsLater);
    m_heap.pop_back();
    return next;
  }
  m_head++;
  if (m_head > most_room && m_head > m_line.size() / 2) {
    m_line.erase(m_line.begin(), m_line.begin() + (m_head - near));
    m_head = near;
  }
  return next;
}

// Simulator::Remove() alone calls it, which is rare, and whoever does that knows that it is not for free.
void OpenScheduler::Remove(const Event &event)
{
  auto isIt = [&](const Event &other) { return other.key.m_uid == event.key.m_uid; };
  auto inLine = std::find_if(m_line.begin() + m_head, m_line.end(), isIt);
  if (inLine != m_line.end()) {
    m_line.erase(inLine);
    return;
  }
  auto inHeap = std::find_if(m_heap.begin(), m_heap.end(), isIt);
  if (inHeap != m_heap.end()) {
    m_heap.erase(inHeap);
    std::make_heap(m_heap.begin(), m_heap.end(), IsLater);
  }
}

} // namespace shim
