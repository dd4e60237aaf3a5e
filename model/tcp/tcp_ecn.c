/* SPDX-License-Identifier: GPL-2.0-only */
#include "tcp/tcp_ecn.h"

#include "net/tcp_header.h"

enum { SETUP_FLAGS = TCP_ECE | TCP_CWR }; /* of an ECN-setup SYN (RFC 3168 §6.1.1) */

tcp_ecn tcp_ecn_of(const tcp_config *config)
{
  bool exact = config->congestion == TCP_CONGESTION_DCTCP;

  return (tcp_ecn){.asks = exact || config->ecn == TCP_ECN_ON,
                   .answers = exact || config->ecn != TCP_ECN_OFF,
                   .exact = exact};
}

uint8_t tcp_ecn_syn_flags(tcp_ecn *ecn, bool sent_again)
{
  if (sent_again || !ecn->asks) {
    /* RFC 3168 §6.1.1.1: whoever has sent a SYN that does not ask must not use ECN, whatever comes, also
     * when both ends open at once */
    ecn->asks = false;
    ecn->answers = false;
  }
  return ecn->asks ? SETUP_FLAGS : 0;
}

void tcp_ecn_take_syn(tcp_ecn *ecn, uint8_t flags, bool sent_again)
{
  bool asks = (flags & SETUP_FLAGS) == SETUP_FLAGS;

  ecn->agreed = ecn->answers && asks && (!sent_again || ecn->agreed);
}

void tcp_ecn_take_syn_ack(tcp_ecn *ecn, uint8_t flags)
{
  /* both flags are what a peer reflects that knows nothing of ECN (RFC 3168 §6.1.1) */
  ecn->agreed = ecn->asks && (flags & SETUP_FLAGS) == TCP_ECE;
}

bool tcp_ecn_take_payload(tcp_ecn *ecn, uint8_t flags, bool congestion_experienced)
{
  bool before = ecn->echo;

  if (!ecn->agreed) {
    return false;
  }
  if (ecn->exact) {
    ecn->echo = congestion_experienced; /* CWR is for the classic echo */
    return ecn->echo != before;
  }
  /* RFC 3168 §6.1.3: CWR ends the echo, a mark on the same packet begins it anew */
  ecn->echo = congestion_experienced || (before && !(flags & TCP_CWR));
  return false;
}

uint8_t tcp_ecn_flags(const tcp_ecn *ecn)
{
  return ecn->agreed && ecn->echo ? TCP_ECE : 0;
}
