/* SPDX-License-Identifier: GPL-2.0-only */
/* This is a module as another iwarpsim's would be: what passes between it and this program has other
 * sizes. */
#include "platform/ns3_module.h"

const ns3_functions *iwarpsim_ns3_functions(void)
{
  static const ns3_functions functions = {.layout = NS3_FUNCTIONS_LAYOUT + 1};

  return &functions;
}
