/* SPDX-License-Identifier: GPL-2.0-only */
#include "measure/run_status.h"

#include <glib.h>
#include <string.h>

static const char *const names[RUN_STATUSES] = {
    [RUN_OK] = "ok", [RUN_TERMINATED] = "terminated", [RUN_STOPPED] = "stopped", [RUN_FAILED] = "failed"};

const char *run_status_name(run_status status)
{
  g_assert(status < RUN_STATUSES);
  return names[status];
}

run_status run_status_find(const char *name)
{
  for (run_status status = 0; status < RUN_STATUSES; status++) {
    if (strcmp(names[status], name) == 0) {
      return status;
    }
  }
  return RUN_STATUSES;
}
