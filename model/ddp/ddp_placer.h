/* SPDX-License-Identifier: GPL-2.0-only */
/* The receiving side of DDP Places each segment as it is passed up, in any order, and Delivers it once and in
 * the order sent, across queues and tagged traffic (ddp-07/rfc5041 §5.3, §5.4 [v1.0: §7.3, §7.4]; DDP-105 …
 * DDP-108, DDP-111 … DDP-115, note D16). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/iwarp_generation.h"
#include "base/time_ps.h"
#include "ddp/ddp_error.h"
#include "ddp/ddp_header.h"
#include "ddp/ddp_segment.h"
#include "ddp/ddp_stag_table.h"
#include "ddp/ddp_untagged_queue.h"
#include "mpa/mpa_fpdu.h"

typedef struct ddp_placer ddp_placer;

/* An observer of a stream is called directly where something happens. Every handler may be NULL. */
typedef struct ddp_probe {
  /* `segment` has been Placed. `ulpdu` has the time when its octets arrived (its payload starts at ULPDU
   * offset ddp_header_octets()). The handler may set segment->observer. */
  void (*placed)(void *user, ddp_segment *segment, const mpa_ulpdu *ulpdu, time_ps now);
  /* `segment`, of any opcode, is about to be Delivered to RDMAP: for the host's own use (rdmap-00 §7.1,
   * RDMAP-121). */
  void (*delivered)(void *user, const ddp_segment *segment, time_ps now);
  /* This is RDMAP's: the peer will send no more and this stream goes on (DDP-128, MPA-271). */
  void (*half_closed)(void *user, time_ps now);
} ddp_probe;

/* `error` or `refused` reports the first fault of the stream, exactly one of them and once, when the in-order
 * point reaches the faulty segment, so that the result does not depend on the network's order (note D39; but
 * see report_on_arrival). Nothing is Placed or Delivered afterwards (DDP-160); segments that were Placed
 * early are forgotten without being Delivered.
 *
 * The handlers may post buffers, register STags and call ddp_placer_stop(), but not ddp_placer_receive(). */
typedef struct ddp_placer_events {
  /* Asked about a segment that DDP itself finds right, before it is Placed: does the ULP accept its own
   * fields in `header`? What it does not accept is not Placed either (note D25). The answer depends on
   * nothing but T, the first octet of RsvdULP and QN, so it is not asked again about the same. NULL: all are
   * accepted. */
  bool (*accepts)(void *user, const ddp_header *header);
  /* `segment` and all before it are Placed: it is Delivered, exactly once, in the order sent. `buffer_id`:
   * of the untagged buffer that the segment with L set uses up, else 0; what the message has in it:
   * segment->message_memory and message_octets. */
  void (*delivered)(void *user, const ddp_segment *segment, uint64_t buffer_id, time_ps now);
  /* DDP's own fault in `segment` (DDP-158, DDP-159: header and length with it, see ddp_segment.h;
   * header_octets 0: the ULPDU holds no whole header, and `error` is 0x0/0x00). */
  void (*error)(void *user, ddp_error error, const ddp_segment *segment, time_ps now);
  /* `accepts` refused `segment`, or it belongs to another message than the one that lacks its last segment:
   * none of DDP's error codes fits (DDP-111, DDP-115). */
  void (*refused)(void *user, const ddp_segment *segment, time_ps now);
  /* Asked when a tagged message, whose RsvdULP is `open_control`, lacks its last segment, and the segment of
   * `header` has another RsvdULP or is untagged: may that segment be Delivered all the same? NULL: never. */
  bool (*may_follow)(void *user, uint8_t open_control, const ddp_header *header);
  /* The queue `number`, which is NULL in `queues` until now. May be NULL when none is. */
  ddp_untagged_queue *(*make_queue)(void *user, uint32_t number);
} ddp_placer_events;

typedef struct ddp_placer_config {
  iwarp_generation generation : 8; /* DV; idle pairs are many */
  /* A fault surfaces when its segment arrives (`err_now`, note D39), not when the in-order point
   * reaches it: the outcome then depends on the network's order. */
  bool report_on_arrival;
  uint32_t queue_count;
  ddp_stream_identity stream;  /* the stream's identity in the STag table */
  const ddp_stag_table *stags; /* the RNIC's */
  /* These have QN 0 … queue_count - 1: any number; a greater QN is error 0x2/0x01. The array and the queues
   * stay the caller's; NULL: not made yet, see `make_queue`. */
  ddp_untagged_queue *const *queues;
  const ddp_probe *probe; /* outlives the placer; NULL: none */
  void *probe_user;
} ddp_placer_config;

/* Makes a placer; `config` is copied, what it points to and `events` must outlive the placer. Free with
 * ddp_placer_free() (NULL is allowed). */
ddp_placer *ddp_placer_new(const ddp_placer_config *config, const ddp_placer_events *events, void *user);
void ddp_placer_free(ddp_placer *placer);

/* Checks and Places one ULPDU as MPA passes it, in any order, each once or more: a repeat is only Placed
 * again (DDP-106); none comes after its own Delivery (DDP-032). Then Delivers what has become contiguous from
 * stream offset 0 of the FPDU phase. Checks in the order of note D12, DV first (2); a segment that fails one
 * is not Placed (ddp-07/rfc5041 §7.1, DDP-140 … DDP-157). Buffers and STags count as they are when the
 * segment arrives (note D53). */
void ddp_placer_receive(ddp_placer *placer, const mpa_ulpdu *ulpdu, time_ps now);

/* The octets of the FPDU phase below `offset` are not DDP's, or never come: Delivery starts there. Before the
 * first ddp_placer_receive(). */
void ddp_placer_skip_to(ddp_placer *placer, uint64_t offset);

/* Would `ulpdu`, which comes early, be Placed? Changes nothing. For a guess about where an FPDU is
 * (mpa_deframer_events). */
bool ddp_placer_would_place(ddp_placer *placer, const mpa_ulpdu *ulpdu);

/* From here on nothing is Placed or Delivered any more and no fault surfaces, whatever comes (the stream
 * ends for a reason of another layer); what was Placed and not yet Delivered is forgotten. Also from within
 * a handler. */
void ddp_placer_stop(ddp_placer *placer);

/* The last segment that was Delivered had no L set: its message is not whole. */
bool ddp_placer_is_within_message(const ddp_placer *placer);

/* Returns how many segments are Placed and not yet Delivered: what DDP must remember. */
size_t ddp_placer_undelivered(const ddp_placer *placer);
