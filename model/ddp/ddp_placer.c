/* SPDX-License-Identifier: GPL-2.0-only */
#include "ddp/ddp_placer.h"

#include <glib.h>

#include "base/buffer_chain.h"
#include "ddp/ddp_segment.h"

typedef enum verdict {
  VERDICT_RIGHT,
  VERDICT_ERROR,   /* DDP finds a fault */
  VERDICT_REFUSED, /* the ULP does */
} verdict;

/* The segment nearest to the in-order point that was found wrong: where the stream will end. */
typedef struct fault {
  verdict verdict; /* VERDICT_RIGHT: none is known */
  ddp_error error; /* with VERDICT_ERROR */
  ddp_segment segment;
} fault;

struct ddp_placer {
  ddp_placer_config config;
  const ddp_placer_events *events;
  void *user;

  uint64_t edge;                /* everything below is Delivered */
  ddp_undelivered *undelivered; /* Placed, beyond a hole at `edge`; NULL: there never was one */
  fault *fault;                 /* NULL: none is known */
  uint64_t accepted;            /* of the last segment that the ULP accepted what it may look at; 0: none */
  uint32_t open;                /* message_of() the one that is Delivered in part; NO_MESSAGE: none is */
  uint8_t version;
  bool stopped; /* the fault has surfaced, or another layer ends the stream */
};

ddp_placer *ddp_placer_new(const ddp_placer_config *config, const ddp_placer_events *events, void *user)
{
  g_assert(events->refused);
  ddp_placer *placer = g_new0(ddp_placer, 1);
  placer->config = *config;
  placer->version = iwarp_generation_rules_of(config->generation)->ddp_version;
  placer->events = events;
  placer->user = user;
  return placer;
}

void ddp_placer_free(ddp_placer *placer)
{
  if (placer) {
    ddp_undelivered_free(placer->undelivered);
    g_free(placer->fault);
    g_free(placer);
  }
}

/* Checks the placement information of a tagged segment with payload, and sets its target when it is right. */
static bool check_tagged(const ddp_placer *placer, ddp_segment *segment, ddp_error *error)
{
  static const uint8_t codes[] = {
      [DDP_ACCESS_INVALID_STAG] = DDP_TAGGED_INVALID_STAG,
      [DDP_ACCESS_NOT_ASSOCIATED] = DDP_TAGGED_NOT_ASSOCIATED,
      /* DDP has no code for rights: such an STag is not valid for Placement (DDP-153, note D49). */
      [DDP_ACCESS_RIGHTS] = DDP_TAGGED_INVALID_STAG,
      [DDP_ACCESS_WRAPS] = DDP_TAGGED_TO_WRAP,
      [DDP_ACCESS_BOUNDS] = DDP_TAGGED_BOUNDS,
  };
  const ddp_header *header = &segment->header;
  ddp_access reached;
  ddp_access_fault found =
      ddp_stag_table_check(placer->config.stags, placer->config.stream, header->stag, header->tagged_offset,
                           segment->payload_octets, DDP_ACCESS_REMOTE_WRITE, &reached);
  if (found != DDP_ACCESS_OK) {
    *error = (ddp_error){DDP_ERROR_TAGGED, codes[found]};
    return false;
  }
  segment->target = reached.memory;
  return true;
}

/* Returns the queue `number`, below queue_count; it is made when it is needed first. */
static ddp_untagged_queue *queue_of(const ddp_placer *placer, uint32_t number)
{
  ddp_untagged_queue *queue = placer->config.queues[number];
  return queue ? queue : placer->events->make_queue(placer->user, number);
}

/* DDP's checks of a segment with a whole header; sets its target when they pass. */
static inline bool check(const ddp_placer *placer, ddp_segment *segment, ddp_error *error)
{
  const ddp_header *header = &segment->header;
  segment->target = NULL;

  /* ddp-07/rfc5041 §4.1, §7.2 (DDP-048, DDP-171, DDP-177, DDP-179): missing in the lists of checks; first
   * and on empty segments too, as no other field can be trusted under another version (note D2). */
  if (header->version != placer->version) {
    *error = header->tagged ? (ddp_error){DDP_ERROR_TAGGED, DDP_TAGGED_INVALID_VERSION}
                            : (ddp_error){DDP_ERROR_UNTAGGED, DDP_UNTAGGED_INVALID_VERSION};
    return false;
  }
  if (header->tagged) {
    /* ddp-07/rfc5041 §5.2 (DDP-100): STag and TO of an empty segment are ignored. */
    return segment->payload_octets == 0 || check_tagged(placer, segment, error);
  }
  if (header->queue_number >= placer->config.queue_count) { /* ddp-07/rfc5041 §7.1 (DDP-140) */
    *error = (ddp_error){DDP_ERROR_UNTAGGED, DDP_UNTAGGED_INVALID_QUEUE};
    return false;
  }
  return ddp_untagged_queue_find(queue_of(placer, header->queue_number), header->msn, header->message_offset,
                                 segment->payload_octets, &segment->target, error);
}

/* DDP's checks come before the ULP's: DDP sees the segment first (rdmap-00 §9.2, RDMAP-237 … RDMAP-239). */
static inline verdict judge(ddp_placer *placer, ddp_segment *segment, ddp_error *error)
{
  const ddp_header *header = &segment->header;
  const uint64_t kind =
      (uint64_t)header->queue_number << 16 | 2 << 8 | header->tagged << 8 | header->ulp_control;

  if (!check(placer, segment, error)) {
    return VERDICT_ERROR;
  }
  if (kind != placer->accepted) {
    if (placer->events->accepts && !placer->events->accepts(placer->user, header)) {
      return VERDICT_REFUSED;
    }
    placer->accepted = kind;
  }
  return VERDICT_RIGHT;
}

/* Keeps the fault that comes first in the sender's order and forgets what follows it (note D39). */
static void note_fault(ddp_placer *placer, verdict found, ddp_error error, const ddp_segment *segment)
{
  if (!placer->fault) {
    placer->fault = g_new(fault, 1);
  }
  *placer->fault = (fault){.verdict = found, .error = error, .segment = *segment};
  ddp_undelivered_drop_from(placer->undelivered, segment->fpdu_start); /* which will not be Delivered */
}

static bool is_after_fault(const ddp_placer *placer, uint64_t position)
{
  return placer->fault && position >= placer->fault->segment.fpdu_start;
}

/* An early untagged segment was judged by an MSN range that has moved since. Judged again where the sender
 * put it, it gets the code it would have got in order; when only a buffer posted meanwhile makes it right,
 * it keeps the first. */
static void judge_fault_in_order(ddp_placer *placer)
{
  fault *known = placer->fault;
  if (known->segment.header_octets == 0) {
    return;
  }
  ddp_error error = known->error;
  verdict again = judge(placer, &known->segment, &error);
  if (again != VERDICT_RIGHT) {
    known->verdict = again;
    known->error = error;
  }
}

void ddp_placer_stop(ddp_placer *placer)
{
  placer->stopped = true;
  ddp_undelivered_drop_from(placer->undelivered, 0);
}

static void surface_fault(ddp_placer *placer, time_ps now)
{
  judge_fault_in_order(placer);
  placer->fault->segment.target = NULL;
  ddp_placer_stop(placer); /* ddp-07/rfc5041 §7.1 (DDP-160) */
  if (placer->fault->verdict == VERDICT_REFUSED) {
    placer->events->refused(placer->user, &placer->fault->segment, now);
  } else {
    placer->events->error(placer->user, placer->fault->error, &placer->fault->segment, now);
  }
}

/* This is what the segments of a message have in common: RsvdULP of a tagged one, which has no number
 * (ddp-07/rfc5041 §4.2, DDP-055), QN of an untagged one, whose MSN is_in_turn() knows. Not STag: nothing
 * distinguishes its messages (note D17). */
enum { NO_MESSAGE = 0, TAGGED_MESSAGE = 1 << 8, UNTAGGED_MESSAGE = 2 << 8 };

static uint32_t message_of(const ddp_header *header)
{
  return header->tagged ? (uint32_t)TAGGED_MESSAGE + header->ulp_control
                        : (uint32_t)UNTAGGED_MESSAGE + header->queue_number;
}

/* No message is Delivered before the one that precedes it is, with the segment that has L (ddp-07/rfc5041
 * §5.4; DDP-111, DDP-115). The ULP may know better of two tagged ones. */
static bool is_after_whole_message(const ddp_placer *placer, const ddp_header *header, uint32_t message)
{
  if (placer->open == NO_MESSAGE || placer->open == message) {
    return true;
  }
  return placer->open < UNTAGGED_MESSAGE && placer->events->may_follow &&
         placer->events->may_follow(placer->user, (uint8_t)placer->open, header);
}

/* Counts `segment` into its untagged message; with L set that is whole, and the id of its buffer is
 * returned. */
static uint64_t deliver_untagged(ddp_placer *placer, ddp_segment *segment)
{
  const ddp_header *header = &segment->header;
  ddp_untagged_queue *queue = queue_of(placer, header->queue_number);
  /* ddp-07/rfc5041 §5.4 (DDP-116, DDP-117): the L segment has the highest MO, so this is MO + length of
   * it; but the MO of an empty segment is not checked and would not do as a length. */
  if (segment->payload_octets > 0) {
    ddp_untagged_queue_extend(queue, (uint64_t)header->message_offset + segment->payload_octets);
  }
  if (!header->last) {
    return 0;
  }
  segment->message_octets = queue->message_octets;
  return ddp_untagged_queue_deliver(queue, &segment->message_memory);
}

/* Delivers `segment`, which is Placed and lies at the edge. */
static void deliver(ddp_placer *placer, ddp_segment *segment, time_ps now)
{
  const ddp_probe *probe = placer->config.probe;
  const ddp_header *header = &segment->header;
  const uint32_t message = message_of(header);
  uint64_t buffer_id = 0;
  /* An untagged segment must be of the message whose turn it is. An MSN that was free when the segment
   * arrived early may be Delivered by now, and one ahead means that the sender skipped a message or mixed two
   * (ddp-07/rfc5041 §5.3, DDP-103; note D18). The documents give no check for the latter; delivering past it
   * would break the order, so it gets the code of a bad MSN. */
  if (!header->tagged && header->msn != queue_of(placer, header->queue_number)->next_msn) {
    note_fault(placer, VERDICT_ERROR, (ddp_error){DDP_ERROR_UNTAGGED, DDP_UNTAGGED_MSN_RANGE}, segment);
    return;
  }
  if (!is_after_whole_message(placer, header, message)) {
    note_fault(placer, VERDICT_REFUSED, (ddp_error){0}, segment);
    return;
  }
  placer->open = header->last ? NO_MESSAGE : message;
  if (!header->tagged) {
    buffer_id = deliver_untagged(placer, segment);
  }
  placer->edge = segment->fpdu_end;
  if (probe && probe->delivered) {
    probe->delivered(placer->config.probe_user, segment, now);
    if (placer->stopped) { /* by that handler */
      return;
    }
  }
  placer->events->delivered(placer->user, segment, buffer_id, now);
}

/* Delivers `segment` (NULL: none), which lies at the edge, and what is contiguous after it; ends the stream
 * when the fault is next. The handlers may stop the placer. */
static void advance(ddp_placer *placer, ddp_segment *segment, time_ps now)
{
  ddp_segment next;
  while (segment) {
    deliver(placer, segment, now);
    segment = ddp_undelivered_take(placer->undelivered, placer->edge, &next) ? &next : NULL;
  }
  if (!placer->stopped && placer->fault &&
      (placer->config.report_on_arrival || is_after_fault(placer, placer->edge))) {
    surface_fault(placer, now);
  }
}

/* Reads the segment that `ulpdu` is and judges it. */
static inline verdict inspect(ddp_placer *placer, const mpa_ulpdu *ulpdu, ddp_segment *segment,
                              ddp_error *error)
{
  uint8_t spare[DDP_MAX_HEADER_OCTETS];
  uint32_t octets = MIN(ulpdu->fpdu.ulpdu_octets, (uint32_t)DDP_MAX_HEADER_OCTETS);
  const uint8_t *wire = mpa_ulpdu_front(ulpdu, octets, spare);
  segment->header_octets = (uint8_t)ddp_header_read(&segment->header, wire, octets);
  segment->fpdu_start = ulpdu->fpdu.start;
  segment->fpdu_end = ulpdu->fpdu.end;
  segment->payload_octets = 0;
  segment->control = 0;
  segment->target = NULL;
  segment->observer = 0;
  segment->message_memory = NULL;
  segment->message_octets = 0;
  if (segment->header_octets == 0) { /* no code fits a ULPDU without a whole header (note D15) */
    *error = (ddp_error){DDP_ERROR_LOCAL_CATASTROPHIC, DDP_CATASTROPHIC};
    return VERDICT_ERROR;
  }
  segment->control = wire[0];
  /* The header has no length: the LLP's counts (ddp-07/rfc5041 §3, DDP-025). */
  segment->payload_octets = ulpdu->fpdu.ulpdu_octets - segment->header_octets;
  return judge(placer, segment, error);
}

/* Places `segment`, which is right. It is remembered when it is early; true when its turn is now. */
static bool place(ddp_placer *placer, ddp_segment *segment, const mpa_ulpdu *ulpdu, time_ps now)
{
  const ddp_probe *probe = placer->config.probe;
  if (segment->payload_octets > 0 && segment->target) {
    mpa_ulpdu_copy_out(ulpdu, segment->header_octets, segment->payload_octets, segment->target);
  }
  segment->placed = now;
  bool in_turn = segment->fpdu_start == placer->edge;
  if (!in_turn && !placer->undelivered) {
    placer->undelivered = ddp_undelivered_new();
  }
  ddp_segment *kept = in_turn ? segment : ddp_undelivered_add(placer->undelivered, segment);
  /* Else Placed before: ddp-07/rfc5041 §5.3 (DDP-106), Delivered once (DDP-107). */
  if (kept && probe && probe->placed) {
    probe->placed(placer->config.probe_user, kept, ulpdu, now);
  }
  return in_turn && !placer->stopped;
}

void ddp_placer_receive(ddp_placer *placer, const mpa_ulpdu *ulpdu, time_ps now)
{
  g_assert(ulpdu->fpdu.start < ulpdu->fpdu.end);
  /* ddp-07/rfc5041 §7.1 (DDP-160): silently. */
  if (placer->stopped || is_after_fault(placer, ulpdu->fpdu.start)) {
    return;
  }
  g_assert(ulpdu->fpdu.start >= placer->edge); /* DDP-032 */

  ddp_segment segment;
  ddp_error error;
  verdict found = inspect(placer, ulpdu, &segment, &error);
  bool is_right = found == VERDICT_RIGHT;
  if (!is_right) {
    note_fault(placer, found, error, &segment);
  }
  if (!is_right || place(placer, &segment, ulpdu, now)) {
    advance(placer, is_right ? &segment : NULL, now);
  }
}

void ddp_placer_skip_to(ddp_placer *placer, uint64_t offset)
{
  g_assert(placer->edge <= offset && !placer->undelivered);
  placer->edge = offset;
}

bool ddp_placer_would_place(ddp_placer *placer, const mpa_ulpdu *ulpdu)
{
  ddp_segment segment;
  ddp_error error;

  return !placer->stopped && !is_after_fault(placer, ulpdu->fpdu.start) &&
         inspect(placer, ulpdu, &segment, &error) == VERDICT_RIGHT;
}

bool ddp_placer_is_within_message(const ddp_placer *placer)
{
  return placer->open != NO_MESSAGE;
}

size_t ddp_placer_undelivered(const ddp_placer *placer)
{
  return placer->undelivered ? placer->undelivered->segments.count : 0;
}
