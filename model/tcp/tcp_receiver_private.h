/* SPDX-License-Identifier: GPL-2.0-only */
/* This is what tcp_receiver.c (its life, the window, what has come beyond RCV.NXT), tcp_receiver_input.c (a
 * segment arrives) and tcp_receiver_ack.c (when an ACK is due) share. */
#pragma once

#include "tcp/tcp_receiver.h"

enum { TCP_FULL_SIZE_GUESS_OCTETS = 536 }; /* before the first segment has come; Linux: TCP_MSS_DEFAULT */

/* Returns `receiver->late`, made if need be. */
tcp_late_arrivals *tcp_receiver_late(tcp_receiver *receiver);

/* Returns how many octets of [from, to) have been received beyond `next`. */
static inline uint64_t tcp_receiver_covered_beyond(const tcp_receiver *receiver, uint64_t from, uint64_t to)
{
  return receiver->late ? range_set_covered(receiver->late->beyond, from, to) : 0;
}

/* [from, to), which lies at or beyond `next`, has arrived: moves the edge. */
void tcp_receiver_take(tcp_receiver *receiver, uint64_t from, uint64_t to);

/* Returns what will be beyond the edge when [from, to) has been taken. Always let through is what fills a
 * hole. */
tcp_beyond tcp_receiver_beyond_with(const tcp_receiver *receiver, uint64_t from, uint64_t to);

/* Collects in `late->gaps` the runs of [from, to) that have not arrived yet. */
void tcp_receiver_find_gaps(tcp_receiver *receiver, uint64_t from, uint64_t to);

/* Remembers that the run beyond `next` with `position` has the newest segment. */
void tcp_receiver_name_run(tcp_receiver *receiver, uint64_t position);

/* Remembers the first run of [from, to) that has come before, if there is one and D-SACK is on, and makes
 * an ACK due without payload, which has room for it. */
void tcp_receiver_note_duplicate(tcp_receiver *receiver, uint64_t from, uint64_t to);

/* Is called after each segment while there are late arrivals: frees them when none have come for long. */
void tcp_receiver_settle_late(tcp_receiver *receiver);

/* Payload has come in order. */
void tcp_receiver_note_arrival(tcp_receiver *receiver, time_ps now);

/* A segment with `length` octets has been taken: an ACK is due, at once or later. Before it there were holes
 * or not; it may have brought `nothing_new`, and a FIN. */
void tcp_receiver_decide_ack(tcp_receiver *receiver, bool had_holes, bool nothing_new, bool fin,
                             uint32_t length, uint8_t flags, time_ps now);

/* The same of a segment at `next`, and nothing is missing. */
void tcp_receiver_decide_ack_in_order(tcp_receiver *receiver, uint32_t length, uint8_t flags, time_ps now);
