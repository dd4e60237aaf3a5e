// SPDX-License-Identifier: GPL-2.0-only
// What the C++ files of the shim share.
#pragma once

#include <exception>
#include <string>

#include <ns3/node.h>
#include <ns3/object-base.h>
#include <ns3/point-to-point-channel.h>
#include <ns3/point-to-point-net-device.h>

#include "shim/ns3_shim.h"

namespace shim
{

// Writes `message`, cut to its room, to `error` unless that is NULL; always false, so that a check can return
// it.
bool fail(ns3_shim_error *error, const std::string &message) noexcept;

// Fails unless the simulator is open.
bool require_open(ns3_shim_error *error) noexcept;

// It is alive while an event of the shim's own calls C, as the last thing that event does: what C asks for
// with ns3_shim_event_last() comes when it goes.
class OwnEvent
{
public:
  OwnEvent();
  ~OwnEvent();

  OwnEvent(const OwnEvent &) = delete;
  OwnEvent &operator=(const OwnEvent &) = delete;
};

// Calls `function()`, and returns false with a message when it throws: C cannot take an exception.
template <typename Function> bool guarded(ns3_shim_error *error, Function function) noexcept
{
  try {
    return function();
  } catch (const std::exception &exception) {
    return fail(error, exception.what());
  } catch (...) {
    return fail(error, "an exception of unknown type inside ns-3");
  }
}

// Joins two nodes as ns3_shim_connect() does; what arrives goes to the nodes. May throw.
void connect(const ns3::Ptr<ns3::Node> nodes[2], const ns3_shim_device_config configs[2], time_ps delay_ps,
             ns3::Ptr<ns3::PointToPointNetDevice> devices[2]);

// Sets an attribute without any of the paths on which ns-3 ends the process. May throw.
bool set_attribute(ns3::ObjectBase &object, const std::string &name, const std::string &value,
                   ns3_shim_error *error);

} // namespace shim
