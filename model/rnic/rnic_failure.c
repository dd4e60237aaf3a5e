/* SPDX-License-Identifier: GPL-2.0-only */
#include "rnic/rnic_failure.h"

#include <glib.h>

bool rnic_failure_is_termination(const rnic_failure *failure)
{
  return failure->layer != RNIC_FAILURE_TCP;
}

char *rnic_failure_code(const rnic_failure *failure)
{
  int mpa_code = MPA_ERROR_CLOSED; /* of a TCP connection that is lost (mpa-01 §7, MPA-276) */

  switch (failure->layer) {
  case RNIC_FAILURE_STARTUP:
    if (failure->reason.startup == MPA_STARTUP_REASON_REJECTED_BY_PEER ||
        failure->reason.startup == MPA_STARTUP_REASON_REJECTED_BY_ULP) {
      return g_strdup("rejected");
    }
    mpa_code = MPA_ERROR_STARTUP;
    break;
  case RNIC_FAILURE_MPA:
    mpa_code = failure->reason.mpa;
    break;
  case RNIC_FAILURE_RDMAP: {
    const rdmap_error *error = &failure->reason.rdmap;
    return g_strdup_printf("Terminate %u/%u/%02X", error->layer, error->type, error->code);
  }
  case RNIC_FAILURE_TCP:
    break;
  case RNIC_FAILURE_ULP:
    return g_strdup("timeout");
  }
  return g_strdup_printf("MPA error %d", mpa_code);
}

const char *rnic_failure_text(const rnic_failure *failure)
{
  switch (failure->layer) {
  case RNIC_FAILURE_STARTUP:
    return mpa_startup_reason_text(failure->reason.startup);
  case RNIC_FAILURE_MPA:
    return mpa_error_text(failure->reason.mpa);
  case RNIC_FAILURE_RDMAP:
    return rdmap_error_text(failure->reason.rdmap, failure->generation);
  case RNIC_FAILURE_TCP:
    break;
  case RNIC_FAILURE_ULP:
    return failure->reason.ulp == RNIC_ULP_NO_STREAMING_OCTETS
               ? "ULP: the peer's octets of streaming mode did not come in time"
               : "ULP: octets came, but no valid FPDU in time";
  }
  switch (failure->reason.tcp) {
  case TCP_CLOSE_RESET:
    return "TCP: the peer reset the connection";
  case TCP_CLOSE_ABORTED:
    return "TCP: the connection was aborted";
  case TCP_CLOSE_GAVE_UP:
    return "TCP: gave up after tcp.retries timeouts in a row";
  case TCP_CLOSE_FINISHED:
    break;
  }
  return "TCP: closed";
}
