// The simulator and its events.
#include <algorithm>
#include <cstring>

#include <ns3/event-impl.h>
#include <ns3/nstime.h>
#include <ns3/object-factory.h>
#include <ns3/simulator.h>
#include <ns3/version-defines.h>

#include "shim/ns3_shim_internal.hh"

using namespace ns3;

namespace
{

// Mutable and static because what it describes is: ns-3's simulator is one per process.
struct {
  bool open;
  bool running;
} simulator = {false, false};

// A C callback as ns-3's event. It is scheduled again and again, which saves an allocation per event.
class CallbackEvent : public EventImpl
{
public:
  CallbackEvent(ns3_shim_callback callback, void *user) : m_callback(callback), m_user(user)
  {
  }

private:
  void Notify() override
  {
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

bool require_open(ns3_shim_error *error) noexcept
{
  return simulator.open || fail(error, "the simulator is not open");
}

} // namespace shim

extern "C" bool ns3_shim_open(ns3_shim_error *error)
{
  return shim::guarded(error, [&] {
    if (simulator.open)
      return shim::fail(error, "the simulator is open already: ns-3 has one per process");
    // A second SetResolution() would follow a null pointer inside ns-3.
    if (Time::GetResolution() != Time::PS)
      Time::SetResolution(Time::PS);
    // A heap instead of ns-3's own map: 5 to 10 % of a bulk transfer here. The order of events is the same.
    Simulator::SetScheduler(ObjectFactory("ns3::PriorityQueueScheduler"));
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

extern "C" int64_t ns3_shim_ticks_per_second(void)
{
  return Time::FromInteger(1, Time::S).GetTimeStep();
}

extern "C" time_ps ns3_shim_now(void)
{
  return Simulator::Now().GetTimeStep();
}

namespace
{

// Stops the run at a time once nothing else is due in it. Simulator::Stop(delay) would stop before what the
// events of that picosecond schedule in it.
struct LastEvent {
  ns3_shim_event *event;
  uint64_t events_before;
};

void stop_when_alone(void *user)
{
  LastEvent *last = static_cast<LastEvent *>(user);
  uint64_t events = Simulator::GetEventCount();
  bool alone = events == last->events_before + 1;
  last->events_before = events;
  if (alone)
    Simulator::Stop();
  else
    ns3_shim_event_after(last->event, 0, nullptr);
}

} // namespace

extern "C" bool ns3_shim_run(time_ps until, ns3_shim_error *error)
{
  if (!shim::require_open(error))
    return false;
  if (simulator.running)
    return shim::fail(error, "the simulator is running already");
  LastEvent last = {nullptr, 0};
  last.event = ns3_shim_event_new(stop_when_alone, &last);
  bool ran = until == TIME_PS_NEVER || ns3_shim_event_at(last.event, until, error);
  if (ran) {
    simulator.running = true;
    ran = shim::guarded(error, [] {
      Simulator::Run();
      return true;
    });
    simulator.running = false;
  }
  ns3_shim_event_free(last.event);
  return ran;
}

extern "C" void ns3_shim_stop(void)
{
  Simulator::Stop();
}

extern "C" uint64_t ns3_shim_events(void)
{
  return Simulator::GetEventCount();
}

extern "C" ns3_shim_event *ns3_shim_event_new(ns3_shim_callback callback, void *user)
{
  return new ns3_shim_event{callback, user, nullptr};
}

extern "C" void ns3_shim_event_free(ns3_shim_event *event)
{
  if (!event)
    return;
  ns3_shim_event_cancel(event);
  delete event;
}

extern "C" bool ns3_shim_event_at(ns3_shim_event *event, time_ps when, ns3_shim_error *error)
{
  if (!shim::require_open(error))
    return false;
  time_ps now = ns3_shim_now();
  if (when < now)
    return shim::fail(error, "the time is over already");
  return ns3_shim_event_after(event, when - now, error);
}

extern "C" bool ns3_shim_event_after(ns3_shim_event *event, time_ps delay, ns3_shim_error *error)
{
  if (!shim::require_open(error))
    return false;
  if (delay < 0)
    return shim::fail(error, "a delay cannot be negative");
  if (delay >= TIME_PS_NEVER - ns3_shim_now())
    return shim::fail(error, "past the end of time");
  return shim::guarded(error, [&] {
    if (!event->impl)
      event->impl = Ptr<EventImpl>(new CallbackEvent(event->callback, event->user), false);
    Simulator::Schedule(TimeStep(static_cast<uint64_t>(delay)), event->impl);
    return true;
  });
}

extern "C" void ns3_shim_event_cancel(ns3_shim_event *event)
{
  if (event->impl)
    event->impl->Cancel();
  event->impl = nullptr;
}
