#include "tcp/tcp_tail_loss_probe.h"

#include <glib.h>

void tcp_tail_loss_probe_init(tcp_tail_loss_probe *probe)
{
  *probe = (tcp_tail_loss_probe){.deadline = TIME_PS_NEVER};
}

void tcp_tail_loss_probe_schedule(tcp_tail_loss_probe *probe, const tcp_tail_loss_situation *situation,
                                  time_ps now)
{
  if (probe->due || probe->outstanding) {
    return;
  }
  time_ps wait = TIME_PS_PER_SECOND;
  if (situation->smoothed_ps > 0) {
    wait = 2 * situation->smoothed_ps +
           (situation->segments == 1 ? situation->lone_delay_ps : situation->timer_slack_ps);
  }
  probe->deadline = time_ps_earlier(now + wait, situation->retransmission);
}

void tcp_tail_loss_probe_cancel(tcp_tail_loss_probe *probe)
{
  probe->deadline = TIME_PS_NEVER;
  probe->due = false;
}

void tcp_tail_loss_probe_forget(tcp_tail_loss_probe *probe)
{
  tcp_tail_loss_probe_init(probe);
}

void tcp_tail_loss_probe_run(tcp_tail_loss_probe *probe, time_ps now)
{
  if (probe->deadline <= now) {
    probe->deadline = TIME_PS_NEVER;
    probe->due = true;
  }
}

void tcp_tail_loss_probe_sent(tcp_tail_loss_probe *probe, bool retransmission, uint64_t end)
{
  *probe = (tcp_tail_loss_probe){
      .deadline = TIME_PS_NEVER, .outstanding = true, .retransmission = retransmission, .end = end};
}

bool tcp_tail_loss_probe_acknowledged(tcp_tail_loss_probe *probe, const tcp_tail_loss_ack *ack)
{
  if (!probe->outstanding || ack->position < probe->end) {
    return false;
  }
  bool beyond = ack->position > probe->end;
  if (!probe->retransmission || ack->repeated || ack->duplicate || beyond) {
    probe->outstanding = false;
  }
  /* The octets were sent twice and came once: one of the two was lost. */
  return probe->retransmission && beyond && !ack->repeated;
}
