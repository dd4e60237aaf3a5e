#include "rnic/rnic_failure.h"

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
    return mpa_error_text(failure->reason.mpa);
  case RNIC_FAILURE_RDMAP:
    return rdmap_error_text(failure->reason.rdmap);
  case RNIC_FAILURE_TCP:
    break;
  }
  return tcp_text(failure->reason.tcp);
}
