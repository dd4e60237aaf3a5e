#include "tcp/tcp_forward_rto.h"

enum { NEW_SEGMENTS = 2 };

void tcp_forward_rto_begin(tcp_forward_rto *forward, bool sack)
{
  *forward = (tcp_forward_rto){.step = TCP_FORWARD_RTO_RESENT, .sack = sack};
}

void tcp_forward_rto_end(tcp_forward_rto *forward)
{
  *forward = (tcp_forward_rto){.step = TCP_FORWARD_RTO_OFF};
}

/* Step 2. With SACK, duplicates before the retransmission is acknowledged tell nothing yet (§3.1). */
static tcp_forward_rto_verdict after_retransmission(tcp_forward_rto *forward, const tcp_forward_rto_ack *ack)
{
  if (!ack->advances) {
    if (ack->duplicate && !forward->sack) {
      tcp_forward_rto_end(forward); /* §2.1 step 2 (a) */
    }
    return TCP_FORWARD_RTO_UNKNOWN;
  }
  if (ack->recovered || !ack->may_send_new) {
    tcp_forward_rto_end(forward);
    return TCP_FORWARD_RTO_UNKNOWN;
  }
  forward->step = TCP_FORWARD_RTO_SENT_NEW; /* step 2 (b) */
  forward->new_segments = NEW_SEGMENTS;
  return TCP_FORWARD_RTO_UNKNOWN;
}

/* Step 3. Without SACK what advances can only be an original: nothing else of it was sent again. */
static tcp_forward_rto_verdict after_new_segments(tcp_forward_rto *forward, const tcp_forward_rto_ack *ack)
{
  bool original = forward->sack ? ack->original && !ack->beyond : ack->advances;
  if (!original && !ack->advances && !ack->duplicate && !ack->beyond) {
    return TCP_FORWARD_RTO_UNKNOWN; /* a window update */
  }
  tcp_forward_rto_end(forward);
  return original ? TCP_FORWARD_RTO_SPURIOUS : TCP_FORWARD_RTO_REAL;
}

tcp_forward_rto_verdict tcp_forward_rto_acknowledged(tcp_forward_rto *forward, const tcp_forward_rto_ack *ack)
{
  switch (forward->step) {
  case TCP_FORWARD_RTO_OFF:
    return TCP_FORWARD_RTO_UNKNOWN;
  case TCP_FORWARD_RTO_RESENT:
    return after_retransmission(forward, ack);
  case TCP_FORWARD_RTO_SENT_NEW:
    return after_new_segments(forward, ack);
  }
  return TCP_FORWARD_RTO_UNKNOWN;
}

void tcp_forward_rto_sent_again(tcp_forward_rto *forward)
{
  forward->resent = true;
}

bool tcp_forward_rto_wants_new(const tcp_forward_rto *forward)
{
  return forward->new_segments > 0;
}

void tcp_forward_rto_sent_new(tcp_forward_rto *forward)
{
  forward->new_segments--;
}

bool tcp_forward_rto_holds_back(const tcp_forward_rto *forward)
{
  return forward->step == TCP_FORWARD_RTO_SENT_NEW ||
         (forward->step == TCP_FORWARD_RTO_RESENT && forward->resent);
}
