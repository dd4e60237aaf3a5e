/* SPDX-License-Identifier: GPL-2.0-only */
/* On an RDMAP stream operations become DDP messages, Delivered segments become completions (rdmap-00 §5, §7,
 * §8, §9). Sans I/O: ULPDUs are pulled out of it when the layers below have room, and pushed into it as MPA
 * passes them.
 *
 * It is the meeting point of its parts: rdmap_send_queue (operations in the order posted, RDMAP-194,
 * RDMAP-196), rdmap_reads (Read and Atomic Requests outstanding and their responses), rdmap_responder (those
 * received, RDMAP-137), rdmap_terminate.
 *
 * The first error ends all: nothing is Placed or Delivered any more, and the Terminate is the next message,
 * after the one that DDP has already. That one is sent whole, because a Terminate is Delivered only after it
 * (ddp-07/rfc5041 §5.2, §5.4; DDP-086, DDP-115), whatever the error is: of an incoming message (RDMAP-232,
 * RDMAP-234), of MPA's (mpa-01 §7: "one or more last messages"), or of this end's own (RDMAP-230: the
 * Terminate replaces what is still to be created). Only a Read Response whose source is revoked cannot go on
 * (note D36), and nothing does after a Terminate of the peer's (RDMAP-176) or without the LLP. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/iwarp_generation.h"
#include "ddp/ddp_placer.h"
#include "ddp/ddp_segmenter.h"
#include "ddp/ddp_stag_table.h"
#include "rdmap/rdmap_send_queue.h"
#include "rdmap/rdmap_terminate.h"

typedef struct rdmap_stream rdmap_stream;

/* This is where a stream begins for an end that receives it from its middle on. */
typedef struct rdmap_beginning {
  uint64_t offset; /* in the FPDU phase, of the octet that comes first: an FPDU starts there */
  uint32_t first_msn[RDMAP_QUEUES]; /* of each untagged queue; 0: DDP_FIRST_MSN */
} rdmap_beginning;

typedef struct rdmap_config {
  ddp_stag_table *stags;            /* the RNIC's; outlives the stream */
  const rdmap_beginning *beginning; /* outlives the stream; NULL: it is received from its start */
  iwarp_generation generation;
  ddp_stream_identity identity;
  /* Read and Atomic Requests the peer may have outstanding here, in all: so many QN 1 buffers are posted
   * (RDMAP-147, RDMAP-209; RFC 7306 §5.2). */
  uint32_t ird;
  /* Those that this end may have outstanding; more wait (RDMAP-210, RDMAP-214). 0: no Reads, no Atomics. */
  uint32_t ord;
  bool strict_responses;  /* a Read Response must match its request (note D32, RDMAP-150) */
  bool strict_rdmap00;    /* 'Invalid STag' (code 00) for an STag not associated (note D48) */
  bool report_on_arrival; /* see ddp_placer_config */
  /* The stream only observes what arrives: a response needs no request, a Read or Atomic Request gets no
   * answer and changes nothing, and a Send that invalidates an STag leaves it valid. */
  bool only_observes;
  const ddp_probe *probe; /* see ddp_placer_config */
  void *probe_user;
} rdmap_config;

typedef struct rdmap_stream_events {
  /* Operations in the order posted (RDMAP-195, RDMAP-196, RDMAP-200), Sends and Immediate Data as they reach
   * the ULP (RDMAP-187, RDMAP-197). The handler may post. */
  void (*completed)(void *user, const rdmap_completion *completion, time_ps now);
  /* The stream ends, once: by an error found here (`by_peer` false; `terminate` is what goes out as soon as
   * it is pulled, or would if anything could: see rdmap_stream_is_drained()), or by a Terminate of the peer.
   * All operations complete after it, in error except for Reads and Atomics whose response is Delivered: at
   * once, or when DDP has sent the operation that it has. May be called from every function below that has a
   * `now`. */
  void (*terminated)(void *user, const rdmap_terminate *terminate, bool by_peer, time_ps now);
} rdmap_stream_events;

/* Makes a stream with nothing posted but IRD buffers on QN 1 and the Terminate buffer on QN 2 (RDMAP-170,
 * note D27). It counts among the streams of its Protection Domain in `stags` (ddp_stag_table_add_stream())
 * until it is freed. `config` is copied, `events` must outlive the stream; none is NULL. Free with
 * rdmap_stream_free() (NULL is allowed). */
rdmap_stream *rdmap_stream_new(const rdmap_config *config, const rdmap_stream_events *events, void *user);
void rdmap_stream_free(rdmap_stream *stream);

/* Returns where it begins: the offset in the FPDU phase of the octet that comes first. */
uint64_t rdmap_stream_first_offset(const rdmap_stream *stream);

/* Sets what both ends have agreed on in place of rdmap_config.ird and ord (RFC 6581 §9.1), before the first
 * Read of either end. With an ORD of 0 the Reads and Atomics that are posted already never start, nor what
 * follows them. */
void rdmap_stream_set_limits(rdmap_stream *stream, uint32_t ird, uint32_t ord);

/* The RTR indication of MPA's startup: a message without octets, a Send, Write or Read Request (RFC 6581
 * §9.2). This end sends it as `opcode`, before all that is posted; no operation completes with it. */
void rdmap_stream_send_rtr(rdmap_stream *stream, rdmap_opcode opcode);

/* The first ULPDU that rdmap_stream_receive() will be given may be an RTR indication by a Send, which is not
 * the ULP's: it takes no receive buffer, and no operation completes with it (RFC 6581 §4.4.2, note M51). As a
 * Write or Read Request it needs nothing else than any other. */
void rdmap_stream_expect_rtr_send(rdmap_stream *stream);

/* Posts `work` (copied) after all others. False, and nothing done, after rdmap_stream_close(), after an
 * error or a Terminate (DDP-126, RDMAP-175), or for a Read or an Atomic that can never be answered: with an
 * ORD of 0, or after the peer's direction ended. Immediate Data and Atomics only in a generation that has
 * rdmap_extensions. */
bool rdmap_stream_post(rdmap_stream *stream, const rdmap_work *work);

/* Returns that of its configuration. */
ddp_stream_identity rdmap_stream_identity(const rdmap_stream *stream);

/* Returns the queue QN `number` of the rdmap_stream `user`; it is made when it is needed first, with the
 * buffers that RDMAP itself posts, as if they had been there from the start: it cannot be known. Receive
 * buffers are posted to RDMAP_QUEUE_SEND, one a Send (RDMAP-153) or Immediate Data (8 octets). */
ddp_untagged_queue *rdmap_stream_queue_of(void *user, uint32_t number);

/* True only when there is nothing to send now, which rdmap_stream_next_ulpdu() would find out with more work.
 */
bool rdmap_stream_has_nothing(const rdmap_stream *stream);

/* Sets `*ulpdu` to the next one to send, of at most `mulpdu_octets`; false when there is nothing to
 * send now. After each message a Terminate goes first; else responses and the ULP's operations take
 * turns (the documents are silent; each kind in its own order, RDMAP-149, RDMAP-194). The caller frames it
 * and reports with rdmap_stream_framed(), before the next call of any kind, where its FPDU ends in the stream
 * that rdmap_stream_acknowledged() counts in. Nothing comes after a Terminate (RDMAP-175). The stream may end
 * here: when what a Read or an Atomic names was revoked. */
bool rdmap_stream_next_ulpdu(rdmap_stream *stream, uint32_t mulpdu_octets, ddp_ulpdu *ulpdu, time_ps now);
void rdmap_stream_framed(rdmap_stream *stream, uint64_t fpdu_end);

/* All octets below `position` are sure to arrive: completes the operations that end at or below it, in order.
 * The handler may post. */
void rdmap_stream_acknowledged(rdmap_stream *stream, uint64_t position, time_ps now);

/* Takes one ULPDU as MPA passes it, in any order, each exactly once. */
void rdmap_stream_receive(rdmap_stream *stream, const mpa_ulpdu *ulpdu, time_ps now);

/* Would `ulpdu` be Placed? Changes nothing; see ddp_placer_would_place(). */
bool rdmap_stream_would_place(rdmap_stream *stream, const mpa_ulpdu *ulpdu);

/* The graceful end of this direction: no more operations; what is posted still goes out. */
void rdmap_stream_close(rdmap_stream *stream);

/* The LLP reports.
 * finished: the peer's direction ended gracefully (FIN), and all its ULPDUs have been passed to
 *   rdmap_stream_receive(): one that comes later ends the stream with 1/0/00 (DDP-127).
 *   Unanswered Reads, and a message that lacks its last segment, end it with 2/0/01.
 * lost: the connection is gone before both directions ended; the stream ends with 2/0/01 (DDP-132) and
 *   nothing goes out. */
void rdmap_stream_llp_finished(rdmap_stream *stream, time_ps now);
void rdmap_stream_llp_lost(rdmap_stream *stream, time_ps now);

/* Ends the stream by an error of this end's own, not of an incoming message (RDMAP-230), or by MPA's, of
 * layer 2 with its code: a Terminate with it is sent instead of everything that DDP has not got yet (whether
 * the LLP still takes octets is the caller's to know). */
void rdmap_stream_fail(rdmap_stream *stream, rdmap_error error, time_ps now);

/* Nothing is left to be sent and nothing outstanding: all operations complete, all requests answered. After a
 * Terminate: it is framed, or will never be. */
bool rdmap_stream_is_drained(const rdmap_stream *stream);

/* Returns how many segments are Placed and not yet Delivered. */
size_t rdmap_stream_undelivered(const rdmap_stream *stream);
