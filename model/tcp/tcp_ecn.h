/* SPDX-License-Identifier: GPL-2.0-only */
/* Explicit Congestion Notification on a connection is negotiated here, and marks that arrive are echoed: as
 * RFC 3168 §6.1 has it, or exactly, as DCTCP needs (RFC 8257 §3.2). How the sender reacts to ECE is in
 * tcp_congestion. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tcp/tcp_config.h"

typedef struct tcp_ecn {
  bool asks;    /* by its SYN */
  bool answers; /* to a SYN that asks */
  bool exact;   /* DCTCP: ECE on ACKs follows CE; else ECE is set until CWR comes */
  bool agreed;
  bool echo; /* ECE is set on what leaves; DCTCP.CE of RFC 8257 */
} tcp_ecn;

/* Nothing is agreed yet. DCTCP asks whatever `config->ecn` is: without marks it would not be DCTCP. */
tcp_ecn tcp_ecn_of(const tcp_config *config);

/* Returns the flags of a SYN (RFC 3168 §6.1.1). One that is sent again after a time-out does not ask
 * (§6.1.1.1: a middlebox may drop those that do; so does Linux), and then nothing is agreed any more. */
uint8_t tcp_ecn_syn_flags(tcp_ecn *ecn, bool sent_again);

/* The peer's SYN, the first or (`sent_again`) a later one, or its SYN-ACK has come with `flags`. */
void tcp_ecn_take_syn(tcp_ecn *ecn, uint8_t flags, bool sent_again);
void tcp_ecn_take_syn_ack(tcp_ecn *ecn, uint8_t flags);

/* A segment with payload, within the window, has come (RFC 3168 §6.1.3). True when that changes DCTCP.CE:
 * what came before is to be acknowledged with the echo as it was, and this segment at once with the new
 * one (RFC 8257 §3.2). */
bool tcp_ecn_take_payload(tcp_ecn *ecn, uint8_t flags, bool congestion_experienced);

/* ECE or 0, for any segment that leaves except SYN and RST. */
uint8_t tcp_ecn_flags(const tcp_ecn *ecn);
