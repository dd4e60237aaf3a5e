#include "rnic/rnic_ending.h"

#include <glib.h>

typedef enum phase {
  PHASE_OPEN,
  PHASE_DRAINS,     /* FIN when the ULP's work is done */
  PHASE_TERMINATES, /* FIN behind the Terminate, or at once when none can be sent */
  PHASE_WAITS,      /* FIN when the peer's has come */
  PHASE_FIN_SENT,
} phase;

struct rnic_ending {
  rnic_ending_config config;
  phase phase;
  bool has_failed;
};

rnic_ending *rnic_ending_new(const rnic_ending_config *config)
{
  rnic_ending *ending = g_new0(rnic_ending, 1);

  ending->config = *config;
  return ending;
}

void rnic_ending_free(rnic_ending *ending)
{
  g_free(ending);
}

static void move_to(rnic_ending *ending, phase next)
{
  if (ending->phase != PHASE_FIN_SENT) {
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
  if (ending->phase == PHASE_OPEN) {
    ending->phase = PHASE_DRAINS;
    rdmap_stream_close(ending->config.stream);
  }
}

void rnic_ending_after_terminate(rnic_ending *ending, rnic_failure *failure, time_ps now)
{
  report(ending, failure, now);
  move_to(ending, PHASE_TERMINATES);
}

void rnic_ending_silently(rnic_ending *ending, rnic_failure *failure, time_ps now)
{
  report(ending, failure, now);
  rdmap_stream_llp_lost(ending->config.stream, now);
  move_to(ending, PHASE_TERMINATES);
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
  move_to(ending, PHASE_WAITS);
}

void rnic_ending_peer_finished(rnic_ending *ending)
{
  if (ending->phase == PHASE_WAITS) {
    ending->phase = PHASE_TERMINATES;
  }
}

void rnic_ending_lost(rnic_ending *ending, rnic_failure *failure, time_ps now)
{
  report(ending, failure, now);
  rdmap_stream_llp_lost(ending->config.stream, now);
  ending->phase = PHASE_FIN_SENT;
}

void rnic_ending_run(rnic_ending *ending, bool may_send, bool is_working)
{
  bool is_due = false;

  switch (ending->phase) {
  case PHASE_OPEN:
  case PHASE_WAITS:
  case PHASE_FIN_SENT:
    break;
  case PHASE_DRAINS:
    is_due = is_working && rdmap_stream_is_drained(ending->config.stream);
    break;
  case PHASE_TERMINATES:
    is_due = !may_send || rdmap_stream_is_drained(ending->config.stream);
    break;
  }
  if (is_due) {
    ending->phase = PHASE_FIN_SENT;
    tcp_transport_close(ending->config.tcp);
  }
}

bool rnic_ending_has_failed(const rnic_ending *ending)
{
  return ending->has_failed;
}

bool rnic_ending_fin_is_sent(const rnic_ending *ending)
{
  return ending->phase == PHASE_FIN_SENT;
}

bool rnic_ending_has_begun(const rnic_ending *ending)
{
  return ending->phase != PHASE_OPEN;
}
