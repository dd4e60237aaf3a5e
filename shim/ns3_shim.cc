// SPDX-License-Identifier: GPL-2.0-only
// The simulator and its events.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <regex>
#include <sstream>

#include <ns3/event-impl.h>
#include <ns3/log.h>
#include <ns3/nstime.h>
#include <ns3/object-factory.h>
#include <ns3/simulator.h>
#include <ns3/version-defines.h>

#include "shim/ns3_open_scheduler.hh"
#include "shim/ns3_shim_internal.hh"

using namespace ns3;

namespace
{

// It is mutable and static because what it describes is: a process has one simulator of ns-3's.
struct {
  bool open;
  bool running;
  bool in_own_event;         // one of the shim's events runs
  ns3_shim_event *last_call; // asked for by that event; NULL: none
} simulator = {false, false, false, nullptr};

// It is a C callback as ns-3's event. It is scheduled again and again, which saves an allocation per event.
class CallbackEvent : public EventImpl
{
public:
  CallbackEvent(ns3_shim_callback callback, void *user) : m_callback(callback), m_user(user)
  {
  }

private:
  void Notify() override
  {
    shim::OwnEvent event;
    m_callback(m_user);
  }

  ns3_shim_callback m_callback;
  void *m_user;
};

#define TEXT_OF(value) #value
#define VERSION_TEXT(major, minor) TEXT_OF(major) "." TEXT_OF(minor)

} // namespace

const char *ns3_shim_version(void)
{
  return VERSION_TEXT(NS3_VERSION_MAJOR, NS3_VERSION_MINOR);
}

bool ns3_shim_is_logging(void)
{
  const LogComponent::ComponentList *components = LogComponent::GetComponentList();
  return std::any_of(components->begin(), components->end(),
                     [](const auto &component) { return !component.second->IsNoneEnabled(); });
}

struct ns3_shim_event {
  ns3_shim_callback callback;
  void *user;
  Ptr<EventImpl> impl; // none after a cancel: a cancelled one stays cancelled
};

namespace shim
{

bool fail(ns3_shim_error *error, const std::string &message) noexcept
{
  if (error) {
    size_t length = std::min(message.size(), sizeof(error->message) - 1);
    std::memcpy(error->message, message.data(), length);
    error->message[length] = '\0';
  }
  return false;
}

OwnEvent::OwnEvent()
{
  simulator.in_own_event = true;
}

// The event is over but for the last call. Nothing else is due: it comes now. Else it takes its turn after
// that.
OwnEvent::~OwnEvent()
{
  ns3_shim_event *event = simulator.last_call;
  simulator.in_own_event = false;
  simulator.last_call = nullptr;
  if (!event) {
    return;
  }
  OpenScheduler *scheduler = OpenScheduler::Current();
  if (scheduler && !scheduler->HasDueUntil(scheduler->Now())) {
    event->callback(event->user);
  } else {
    ns3_shim_event_after(event, 0, nullptr);
  }
}

bool require_open(ns3_shim_error *error) noexcept
{
  return simulator.open || fail(error, "the simulator is not open");
}

} // namespace shim

extern "C" bool ns3_shim_open(ns3_shim_error *error)
{
  return shim::guarded(error, [&] {
    if (simulator.open) {
      return shim::fail(error, "the simulator is open already: ns-3 has one per process");
    }
    // ns-3 reads "NAME=LEVEL|LEVEL:NAME" now, and ends the process at a name or level that it does not know.
    const char *log = std::getenv("NS_LOG");
    std::istringstream entries(log && *log ? std::string(log) + ':' : "");
    for (std::string entry; std::getline(entries, entry, ':');) {
      const std::string name = entry.substr(0, entry.find('='));
      std::istringstream levels(entry == name ? "" : entry.substr(name.size() + 1) + '|');
      if (name != "*" && entry != "***" && LogComponent::GetComponentList()->count(name) == 0) {
        return shim::fail(error, "the environment's NS_LOG names '" + name +
                                     "', no component of ns-3's log; expected one, as PointToPointNetDevice");
      }
      for (std::string level; std::getline(levels, level, '|');) {
        static const std::regex known("(level_)?(error|warn|debug|info|function|logic|all)|(prefix_)?(func|"
                                      "time|node|level)|prefix_all|[*]{1,2}");
        if (!std::regex_match(level, known)) {
          return shim::fail(error, "the environment's NS_LOG has '" + level + "' for " + name +
                                       ", no level of ns-3's log; expected such as level_debug|prefix_time");
        }
      }
    }
    // A second SetResolution() would follow a null pointer inside ns-3.
    if (Time::GetResolution() != Time::PS) {
      Time::SetResolution(Time::PS);
    }
    // It is faster than ns-3's own ones, and shows what is due next. The order of events is the same.
    ObjectFactory scheduler;
    scheduler.SetTypeId(shim::OpenScheduler::GetTypeId());
    Simulator::SetScheduler(scheduler);
    shim::OpenScheduler::Current()->SetNow(static_cast<uint64_t>(Simulator::Now().GetTimeStep()));
    simulator.open = true;
    return true;
  });
}

extern "C" void ns3_shim_close(void)
{
  shim::guarded(nullptr, [] {
    simulator.open = false;
    Simulator::Destroy();
    return true;
  });
}

extern "C" time_ps ns3_shim_now(void)
{
  const shim::OpenScheduler *scheduler = shim::OpenScheduler::Current();
  return scheduler ? static_cast<time_ps>(scheduler->Now()) : Simulator::Now().GetTimeStep();
}

namespace
{

// Stops the run at a time once nothing else is due in it. Simulator::Stop(delay) would stop before what the
// events of that picosecond schedule in it.
void stop_when_alone(void *user)
{
  ns3_shim_event *last = *static_cast<ns3_shim_event **>(user);
  const shim::OpenScheduler *scheduler = shim::OpenScheduler::Current();
  if (scheduler && scheduler->HasDueUntil(scheduler->Now())) {
    ns3_shim_event_after(last, 0, nullptr);
  } else {
    Simulator::Stop();
  }
}

} // namespace

extern "C" bool ns3_shim_run(time_ps until, ns3_shim_error *error)
{
  if (!shim::require_open(error)) {
    return false;
  }
  if (simulator.running) {
    return shim::fail(error, "the simulator is running already");
  }
  if (!shim::OpenScheduler::Current()) {
    return shim::fail(error, "somebody gave the simulator another scheduler");
  }
  ns3_shim_event *last = nullptr;
  last = ns3_shim_event_new(stop_when_alone, &last);
  bool ran = until == TIME_PS_NEVER || ns3_shim_event_at(last, until, error);
  if (ran) {
    simulator.running = true;
    ran = shim::guarded(error, [] {
      Simulator::Run();
      return true;
    });
    simulator.running = false;
  }
  ns3_shim_event_free(last);
  return ran;
}

extern "C" void ns3_shim_stop(void)
{
  Simulator::Stop();
}

extern "C" ns3_shim_event *ns3_shim_event_new(ns3_shim_callback callback, void *user)
{
  return new ns3_shim_event{callback, user, nullptr};
}

extern "C" void ns3_shim_event_free(ns3_shim_event *event)
{
  if (!event) {
    return;
  }
  ns3_shim_event_cancel(event);
  delete event;
}

extern "C" bool ns3_shim_event_at(ns3_shim_event *event, time_ps when, ns3_shim_error *error)
{
  if (!shim::require_open(error)) {
    return false;
  }
  time_ps now = ns3_shim_now();
  if (when < now) {
    return shim::fail(error, "the time is over already");
  }
  return ns3_shim_event_after(event, when - now, error);
}

extern "C" bool ns3_shim_event_after(ns3_shim_event *event, time_ps delay, ns3_shim_error *error)
{
  if (!shim::require_open(error)) {
    return false;
  }
  if (delay < 0) {
    return shim::fail(error, "a delay cannot be negative");
  }
  if (delay >= TIME_PS_NEVER - ns3_shim_now()) {
    return shim::fail(error, "past the end of time");
  }
  return shim::guarded(error, [&] {
    if (!event->impl) {
      event->impl = Ptr<EventImpl>(new CallbackEvent(event->callback, event->user), false);
    }
    // Schedule() would do the same, and make an EventId, which takes as long again and is not needed.
    event->impl->Ref();
    Simulator::ScheduleWithContext(Simulator::NO_CONTEXT, TimeStep(static_cast<uint64_t>(delay)),
                                   PeekPointer(event->impl));
    return true;
  });
}

extern "C" bool ns3_shim_event_last(ns3_shim_event *event, ns3_shim_error *error)
{
  if (!simulator.in_own_event || simulator.last_call) {
    return ns3_shim_event_after(event, 0, error);
  }
  simulator.last_call = event;
  return true;
}

extern "C" void ns3_shim_event_cancel(ns3_shim_event *event)
{
  if (simulator.last_call == event) {
    simulator.last_call = nullptr;
  }
  if (event->impl) {
    event->impl->Cancel();
  }
  event->impl = nullptr;
}
