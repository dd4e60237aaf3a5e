/* SPDX-License-Identifier: GPL-2.0-only */
#include "decode/decode_reads.h"

#include <inttypes.h>

#include "base/deque.h"

/* These are limits for hostile captures: Requests without a Response, of which an end may have 65,536
 * (rdmap.ord); how many of those are looked through. */
enum { REQUESTS_MAX = 1 << 16, LOOK_AHEAD = 1024 };

/* This is a Read or Atomic Request without a whole Response. */
typedef struct request {
  uint64_t offset, packet;
  uint32_t stag; /* of an Atomic: its Request Identifier */
  uint32_t length;
  uint32_t came; /* octets that answer it */
  bool has_end;  /* the last of them is among these */
  bool is_atomic;
  bool is_counted;
} request;

/* FPDUs with a fault: how many, and the first. */
typedef struct misfit {
  uint64_t count;
  decode_event event;
  ddp_header ddp;
  uint32_t octets;
  uint32_t id;            /* of an Atomic Response, its Request Identifier */
  uint32_t counted, most; /* of a Read too many: how many there are, and may be */
  request of;             /* the Request that it answers, or that was due; its packet 0: none was */
} misfit;

/* The faults: Responses that fit no Request, because of their length, or because they have its length and are
 * elsewhere, or because none has their sink, or their Identifier; those that do not fit the first; and Read
 * Requests. */
typedef enum fault { LENGTH, OFFSET, UNASKED, IDENTIFIER, ORDER, TOO_MANY, FAULTS } fault;

struct decode_reads {
  deque requests;    /* of request, in the order in which they came */
  uint32_t counted;  /* of those, Reads that `most` concerns */
  uint64_t edges[2]; /* the highest position of Requests and Responses */
  misfit misfits[FAULTS];
  bool lacks_some;    /* Requests, or the capture's order is not that of the wire */
  bool is_disordered; /* FPDUs came in another order than the stream's */
};

decode_reads *decode_reads_new(void)
{
  decode_reads *reads = g_new0(decode_reads, 1);

  deque_init(&reads->requests, sizeof(request));
  return reads;
}

void decode_reads_free(decode_reads *reads)
{
  if (reads) {
    deque_clear(&reads->requests);
    g_free(reads);
  }
}

/* Takes the Request at `index` away. */
static void take_away(decode_reads *reads, size_t index)
{
  const request *gone = deque_at(&reads->requests, index);

  reads->counted -= gone->is_counted;
  deque_remove(&reads->requests, index, 1);
}

static void note_order(decode_reads *reads, bool is_response, const decode_event *event)
{
  reads->is_disordered |= event->stream_position < reads->edges[is_response];
  reads->edges[is_response] = MAX(reads->edges[is_response], event->stream_position);
}

/* The FPDU of `event` has a fault; `of`: the Request (NULL: none). */
static void blame(decode_reads *reads, fault which, const decode_event *event, const request *of)
{
  misfit *one = &reads->misfits[which];

  if (one->count++ == 0) {
    one->event = *event;
    one->ddp = event->fpdu->ddp;
    one->octets = event->fpdu->payload_octets;
    one->id = event->fpdu->extension.id;
    one->counted = reads->counted;
    one->of = of ? *of : one->of;
  }
}

/* Returns whether an FPDU with `octets` may be of a Response to the Read `asked`. One without octets has no
 * place (RFC 5041 §5.1). */
static bool fits(const ddp_header *ddp, uint32_t octets, const request *asked)
{
  const uint64_t at = ddp->tagged_offset - asked->offset;

  if (asked->is_atomic || octets > asked->length - asked->came || (ddp->last && asked->has_end)) {
    return false; /* what fits another one */
  }
  if (octets == 0 && (!ddp->last || asked->length == 0)) {
    return true;
  }
  return ddp->stag == asked->stag && at <= asked->length &&
         (ddp->last ? octets == asked->length - at : octets <= asked->length - at);
}

void decode_reads_request(decode_reads *reads, const decode_event *event, uint32_t most)
{
  const decode_fpdu *fpdu = event->fpdu;
  const rdmap_read_request *read = &fpdu->read_request;
  const bool is_atomic = fpdu->extension.kind == DECODE_ATOMIC_REQUEST;
  const request asked = {.stag = is_atomic ? fpdu->extension.id : read->sink_stag,
                         .length = read->length,
                         .offset = read->sink_offset,
                         .packet = event->packets.last,
                         .is_atomic = is_atomic,
                         .is_counted = !is_atomic && (read->length > 0 || fpdu->phase_offset > 0)};
  const misfit *before = &reads->misfits[UNASKED];

  note_order(reads, false, event);
  reads->lacks_some |= (!is_atomic && !fpdu->has_read_request) || reads->requests.count == REQUESTS_MAX ||
                       (before->count > 0 && fits(&before->ddp, before->octets, &asked));
  if (!reads->lacks_some) {
    *(request *)deque_insert(&reads->requests, reads->requests.count) = asked;
    reads->counted += asked.is_counted;
    if (asked.is_counted && reads->counted > most) {
      blame(reads, TOO_MANY, event, NULL);
      reads->misfits[TOO_MANY].most = most;
    }
  }
}

/* An Atomic Response answers the first Atomic Request (RFC 7306 §5.2.2). One that has the Identifier of
 * another is not in order; what has that of none may be meant for the first. */
static void answer_atomic(decode_reads *reads, const decode_event *event, size_t count)
{
  const uint32_t id = event->fpdu->extension.id;
  size_t first = count, index = count;

  for (size_t i = 0; i < count && index == count; i++) {
    const request *asked = deque_at(&reads->requests, i);

    first = first == count && asked->is_atomic ? i : first;
    index = asked->is_atomic && asked->stag == id ? i : index;
  }
  if (index == count) {
    blame(reads, IDENTIFIER, event, first < count ? deque_at(&reads->requests, first) : NULL);
  } else if (index > 0) {
    blame(reads, ORDER, event, deque_at(&reads->requests, 0));
  }
  index = index < count ? index : first;
  if (index < count) {
    take_away(reads, index);
  }
}

static void answer_read(decode_reads *reads, const decode_event *event, size_t count)
{
  const ddp_header *ddp = &event->fpdu->ddp;
  const uint32_t octets = event->fpdu->payload_octets;
  size_t sink = count;

  for (size_t i = 0; i < count; i++) {
    request *asked = deque_at(&reads->requests, i);

    if (fits(ddp, octets, asked)) {
      if (i > 0) {
        blame(reads, ORDER, event, deque_at(&reads->requests, 0));
      }
      asked->came += octets;
      asked->has_end |= ddp->last;
      if (asked->has_end && asked->came == asked->length) {
        take_away(reads, i);
      }
      return;
    }
    const bool is_of =
        !asked->is_atomic && ddp->stag == asked->stag && ddp->tagged_offset - asked->offset <= asked->length;
    sink = sink == count && is_of ? i : sink;
  }
  const request *of = sink < count ? deque_at(&reads->requests, sink) : NULL;
  const bool is_moved = of && ddp->last && octets > 0 && octets == of->length - of->came;
  blame(reads, is_moved ? OFFSET : of ? LENGTH : UNASKED, event, of);
  if (of) {
    take_away(reads, sink);
  }
}

void decode_reads_response(decode_reads *reads, const decode_event *event, bool has_all)
{
  const size_t count = MIN(reads->requests.count, (size_t)LOOK_AHEAD);

  reads->lacks_some |= !has_all;
  note_order(reads, true, event);
  if (event->fpdu->rdmap_opcode == RDMAP_READ_RESPONSE) {
    answer_read(reads, event, count);
  } else if (event->fpdu->extension.kind == DECODE_ATOMIC_RESPONSE) {
    answer_atomic(reads, event, count);
  }
}

static void report(misfit *one, fault which, decode_handler handler, void *user)
{
  static const decode_problem problems[] = {
      [LENGTH] = DECODE_PROBLEM_READ_LENGTH,   [OFFSET] = DECODE_PROBLEM_READ_OFFSET,
      [UNASKED] = DECODE_PROBLEM_READ_UNASKED, [IDENTIFIER] = DECODE_PROBLEM_ATOMIC_ANSWER,
      [ORDER] = DECODE_PROBLEM_RESPONSE_ORDER, [TOO_MANY] = DECODE_PROBLEM_ORD,
  };
  const request *of = &one->of;
  g_autoptr(GString) text = g_string_new(decode_problems[problems[which]].sentence);

  if (one->count == 0) {
    return;
  }
  switch (which) {
  case LENGTH:
    g_string_append_printf(text, ": %s%" PRIu64 ", expected %u as in packet %" PRIu64,
                           one->ddp.last ? "" : "at least ",
                           one->ddp.tagged_offset - of->offset + one->octets, of->length, of->packet);
    break;
  case OFFSET: /* of its last FPDU: what came before it is that long */
    g_string_append_printf(text, ": 0x%016" PRIX64 ", expected 0x%016" PRIX64 " as in packet %" PRIu64,
                           one->ddp.tagged_offset, of->offset + of->came, of->packet);
    break;
  case IDENTIFIER:
    g_string_append_printf(text, ": %u", one->id);
    if (of->packet > 0) {
      g_string_append_printf(text, ", expected %u as in packet %" PRIu64, of->stag, of->packet);
    }
    break;
  case ORDER:
    g_string_append_printf(text, ": that in packet %" PRIu64 " is answered first", of->packet);
    break;
  case TOO_MANY:
    g_string_append_printf(text, ": %u, expected at most %u", one->counted, one->most);
    break;
  default:
    break;
  }
  if (one->count > 1) {
    g_string_append_printf(text, "; so it is of %" PRIu64 " more FPDUs", one->count - 1);
  }
  one->event.kind = DECODE_NOTE_READ;
  one->event.fpdu = NULL;
  one->event.text = text->str;
  one->event.problems = UINT64_C(1) << problems[which];
  handler(user, &one->event);
}

void decode_reads_finish(decode_reads *reads, bool is_whole, decode_handler handler, void *user)
{
  const fault end = is_whole && !reads->is_disordered ? FAULTS : ORDER;

  for (fault which = 0; !reads->lacks_some && which < end; which++) {
    report(&reads->misfits[which], which, handler, user);
  }
}
