// SPDX-License-Identifier: GPL-2.0-only
#include "ns3_events.h"

#include <ns3/simulator.h>

uint64_t ns3_events(void)
{
  return ns3::Simulator::GetEventCount();
}
