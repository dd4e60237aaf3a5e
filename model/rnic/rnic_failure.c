#include "rnic/rnic_failure.h"

static const char *mpa_text(mpa_error error)
{
  switch (error) {
  case MPA_ERROR_CLOSED:
    return "MPA error 1: the TCP connection is closed, terminated or lost";
  case MPA_ERROR_CRC:
    return "MPA error 2: the CRC of an FPDU does not match, or its length cannot be";
  case MPA_ERROR_MARKER:
    return "MPA error 3: a marker and ULPDU_Length disagree about where an FPDU starts";
  case MPA_ERROR_STARTUP:
    return "MPA error 4: an invalid MPA Request or Reply Frame";
  case MPA_ERROR_NONE:
    break;
  }
  return "no MPA error";
}

static const char *tcp_text(tcp_close_reason reason)
{
  switch (reason) {
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

const char *rnic_failure_text(const rnic_failure *failure)
{
  switch (failure->layer) {
  case RNIC_FAILURE_MPA:
    return mpa_text(failure->reason.mpa);
  case RNIC_FAILURE_RDMAP:
    return rdmap_error_text(failure->reason.rdmap);
  case RNIC_FAILURE_TCP:
    break;
  }
  return tcp_text(failure->reason.tcp);
}
