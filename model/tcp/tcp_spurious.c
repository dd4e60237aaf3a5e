/* SPDX-License-Identifier: GPL-2.0-only */
#include "tcp/tcp_spurious.h"

#include <glib.h>

bool tcp_duplicate_sack_is_first(const range *blocks, uint32_t count, uint64_t acknowledged, uint64_t next)
{
  if (count == 0 || blocks[0].from >= blocks[0].to || blocks[0].to > next ||
      blocks[0].to - blocks[0].from > UINT16_MAX) {
    return false;
  }
  if (blocks[0].from < acknowledged) {
    return blocks[0].to <= acknowledged; /* what goes on beyond would be missing and there twice at once */
  }
  return count > 1 && blocks[0].from >= blocks[1].from && blocks[0].to <= blocks[1].to;
}

struct tcp_spurious {
  tcp_spurious_kind kind;
  bool repeated;     /* something was sent again twice */
  range_set *resent; /* not proven to be needless; NULL before the first */
};

tcp_spurious *tcp_spurious_new(void)
{
  return g_new0(tcp_spurious, 1);
}

void tcp_spurious_free(tcp_spurious *spurious)
{
  if (spurious) {
    range_set_free(spurious->resent);
    g_free(spurious);
  }
}

void tcp_spurious_begin(tcp_spurious *spurious, tcp_spurious_kind kind)
{
  spurious->kind = kind;
  spurious->repeated = false;
  if (spurious->resent) {
    range_set_remove(spurious->resent, 0, UINT64_MAX);
  }
}

void tcp_spurious_resent(tcp_spurious *spurious, uint64_t from, uint64_t to)
{
  if (spurious->kind != TCP_SPURIOUS_NONE) {
    spurious->resent = spurious->resent ? spurious->resent : range_set_new();
    spurious->repeated = range_set_add(spurious->resent, from, to) < to - from || spurious->repeated;
  }
}

tcp_spurious_kind tcp_spurious_proven(tcp_spurious *spurious, uint64_t from, uint64_t to)
{
  bool news = from < to && spurious->resent && range_set_remove(spurious->resent, from, to) > 0;
  bool all = news && !spurious->repeated && range_set_total(spurious->resent) == 0;
  return all ? spurious->kind : TCP_SPURIOUS_NONE;
}

/* --- F-RTO --- */

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
