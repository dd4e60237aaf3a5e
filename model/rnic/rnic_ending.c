#include "rnic/rnic_ending.h"

void rnic_ending_init(rnic_ending *ending, const rnic_ending_config *config)
{
  *ending = (rnic_ending){.config = *config};
}

static void move_to(rnic_ending *ending, rnic_ending_phase next)
{
  if (ending->phase != RNIC_ENDING_FIN_SENT) {
    ending->phase = next;
  }
}

static void report(rnic_ending *ending, rnic_failure *failure, time_ps now)
{
  if (!ending->has_failed) {
    ending->has_failed = true;
    failure->generation = ending->config.generation;
    ending->config.failed(ending->config.user, failure, now);
  }
}

void rnic_ending_close(rnic_ending *ending)
{
  if (ending->phase == RNIC_ENDING_NOT) {
    ending->phase = RNIC_ENDING_DRAINS;
    rdmap_stream_close(ending->config.stream);
  }
}

void rnic_ending_after_terminate(rnic_ending *ending, rnic_failure *failure, time_ps now)
{
  report(ending, failure, now);
  move_to(ending, RNIC_ENDING_TERMINATES);
}

void rnic_ending_silently(rnic_ending *ending, rnic_failure *failure, time_ps now)
{
  report(ending, failure, now);
  rdmap_stream_llp_lost(ending->config.stream, now); /* which brings rnic_ending_after_terminate() */
}

void rnic_ending_at_once(rnic_ending *ending, rnic_failure *failure, time_ps now)
{
  rnic_ending_silently(ending, failure, now);
  if (ending->config.resets) {
    tcp_transport_abort(ending->config.tcp, now);
  }
}

void rnic_ending_when_peer_does(rnic_ending *ending, rnic_failure *failure, time_ps now)
{
  rnic_ending_silently(ending, failure, now);
  move_to(ending, RNIC_ENDING_WAITS);
}

void rnic_ending_peer_finished(rnic_ending *ending)
{
  if (ending->phase == RNIC_ENDING_WAITS) {
    ending->phase = RNIC_ENDING_TERMINATES;
  }
}

void rnic_ending_lost(rnic_ending *ending, rnic_failure *failure, time_ps now)
{
  report(ending, failure, now);
  rdmap_stream_llp_lost(ending->config.stream, now);
  ending->phase = RNIC_ENDING_FIN_SENT;
}

void rnic_ending_run(rnic_ending *ending, bool may_send, bool is_working)
{
  bool is_due = false;

  switch (ending->phase) {
  case RNIC_ENDING_NOT:
  case RNIC_ENDING_WAITS:
  case RNIC_ENDING_FIN_SENT:
    break;
  case RNIC_ENDING_DRAINS:
    is_due = is_working && rdmap_stream_is_drained(ending->config.stream);
    break;
  case RNIC_ENDING_TERMINATES:
    is_due = !may_send || rdmap_stream_is_drained(ending->config.stream);
    break;
  }
  if (is_due) {
    ending->phase = RNIC_ENDING_FIN_SENT;
    tcp_transport_close(ending->config.tcp);
  }
}
