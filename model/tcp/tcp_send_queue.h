/* SPDX-License-Identifier: GPL-2.0-only */
/* Here are the records that the layer above posted to be sent, by stream position, and how they are cut into
 * segments.
 *
 * The records stay until they are acknowledged, so that a retransmission rebuilds the octets that were
 * sent. */
#pragma once

#include <stdint.h>

#include "base/buffer_chain.h"
#include "tcp/tcp_config.h"
#include "tcp/tcp_transport.h"

/* The records kept, and which of them are sent. */
typedef struct tcp_kept_records tcp_kept_records;

typedef struct tcp_send_queue {
  tcp_segmentation segmentation;
  uint64_t unsent;        /* position of the first octet never sent */
  tcp_kept_records *kept; /* NULL when there is none: a connection that rests needs no room for them */
} tcp_send_queue;

/* Frees what it has. All 0 but its segmentation, it is an empty queue at stream position 0. */
void tcp_send_queue_clear(tcp_send_queue *queue);

/* Returns how many octets were posted, released or not. */
uint64_t tcp_send_queue_posted(const tcp_send_queue *queue);

/* Appends the octets moved out of `record`; `flags`: TCP_RECORD_…. An empty record is nothing. */
void tcp_send_queue_post(tcp_send_queue *queue, buffer_chain *record, unsigned flags);

/* Returns the octets of the record that is to be sent next which were never sent: the next segment has as
 * many, or EMSS. 0: there is none. */
uint32_t tcp_send_queue_next_octets(const tcp_send_queue *queue);

/* The next segment to be sent for the first time. */
typedef struct tcp_cut {
  uint32_t length;    /* octets never sent; 0: there is nothing */
  uint32_t full_size; /* 1: it counts in tcp_statistics.full_segments; else 0 */
} tcp_cut;

/* Returns where the next segment of at most `emss_octets` (> 0) ends.
 *
 * ALIGNED (mpa-01 §5.3, MPA-041): as many whole FPDUs as fit (MPA-052); an FPDU that does not fit is cut at
 * EMSS, and so is what is left of one that was cut, and the FPDU after it starts a fresh segment (note M26).
 * RECORD (MSG_EOR in Linux): EMSS octets of an FPDU, and what is left of it at its end. In both, records
 * without TCP_RECORD_FPDU are cut as a stream that ends at the next FPDU. STREAM: EMSS octets, whatever they
 * are. */
tcp_cut tcp_send_queue_cut(const tcp_send_queue *queue, uint32_t emss_octets);

/* Returns how many octets from `from` on go together when what was sent as [from, to) must be sent again and
 * is longer than `emss_octets` (> 0): cut by the same rules. At least 1. */
uint32_t tcp_send_queue_cut_at(const tcp_send_queue *queue, uint64_t from, uint64_t to, uint32_t emss_octets);

/* Appends the next `length` octets, at most what is unsent, by reference, to `target`: they are sent now. */
void tcp_send_queue_send(tcp_send_queue *queue, uint32_t length, buffer_chain *target);

/* Returns whether what was sent last, and is not acknowledged, ends where an FPDU does. */
bool tcp_send_queue_sent_fpdu(const tcp_send_queue *queue);

/* Appends octets [from, to) of the stream, by reference, to `target`; posted and not released. Returns
 * whether they end where an FPDU does. */
bool tcp_send_queue_copy(const tcp_send_queue *queue, uint64_t from, uint64_t to, buffer_chain *target);

/* Releases the records that lie wholly below `position`. */
void tcp_send_queue_release(tcp_send_queue *queue, uint64_t position);
