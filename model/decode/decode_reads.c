/* SPDX-License-Identifier: GPL-2.0-only */
#include "decode/decode_reads.h"

#include <inttypes.h>

#include "base/deque.h"

/* These are limits for hostile captures: Requests without a Response, of which an end may have 65,536
 * (rdmap.ord); how many of those are looked through. */
enum { REQUESTS_MAX = 1 << 16, LOOK_AHEAD = 1024 };

/* This is a Read Request without a whole Response. */
typedef struct request {
  uint64_t offset, packet;
  uint32_t stag, length;
  uint32_t came; /* octets that answer it */
  bool has_end;  /* the last of them is among these */
} request;

struct decode_reads {
  deque requests; /* of request, in the order in which they came */
  /* FPDUs of Responses that fit no Request, because none has their sink, or because of its length, or because
   * they have its length and are elsewhere: how many, and the first. */
  struct decode_misfit {
    uint64_t count;
    decode_event event;
    ddp_header ddp;
    uint32_t octets;
    request of;
  } unasked, length, offset;
  bool lacks_some; /* Requests, or the capture's order is not that of the wire */
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

/* Returns whether an FPDU with `octets` may be of a Response to `asked`. One without octets has no place (RFC
 * 5041 §5.1). */
static bool fits(const ddp_header *ddp, uint32_t octets, const request *asked)
{
  const uint64_t at = ddp->tagged_offset - asked->offset;

  if (octets > asked->length - asked->came || (ddp->last && asked->has_end)) {
    return false; /* what fits another one */
  }
  if (octets == 0 && (!ddp->last || asked->length == 0)) {
    return true;
  }
  return ddp->stag == asked->stag && at <= asked->length &&
         (ddp->last ? octets == asked->length - at : octets <= asked->length - at);
}

void decode_reads_request(decode_reads *reads, const decode_event *event)
{
  const rdmap_read_request *read = &event->fpdu->read_request;
  const request asked = {.stag = read->sink_stag,
                         .length = read->length,
                         .offset = read->sink_offset,
                         .packet = event->packets.last};
  const struct decode_misfit *before = &reads->unasked;

  reads->lacks_some |= !event->fpdu->has_read_request || reads->requests.count == REQUESTS_MAX ||
                       (before->count > 0 && fits(&before->ddp, before->octets, &asked));
  if (!reads->lacks_some) {
    *(request *)deque_insert(&reads->requests, reads->requests.count) = asked;
  }
}

void decode_reads_response(decode_reads *reads, const decode_event *event)
{
  const ddp_header *ddp = &event->fpdu->ddp;
  const uint32_t octets = event->fpdu->payload_octets;
  const size_t count = MIN(reads->requests.count, (size_t)LOOK_AHEAD);
  size_t sink = count;

  for (size_t i = 0; i < count; i++) {
    request *asked = deque_at(&reads->requests, i);

    if (fits(ddp, octets, asked)) {
      asked->came += octets;
      asked->has_end |= ddp->last;
      deque_remove(&reads->requests, i, asked->has_end && asked->came == asked->length);
      return;
    }
    const bool is_of = ddp->stag == asked->stag && ddp->tagged_offset - asked->offset <= asked->length;
    sink = sink == count && is_of ? i : sink;
  }
  const request *of = sink < count ? deque_at(&reads->requests, sink) : NULL;
  const bool is_moved = of && ddp->last && octets > 0 && octets == of->length - of->came;
  struct decode_misfit *misfit = is_moved ? &reads->offset : of ? &reads->length : &reads->unasked;
  if (misfit->count++ == 0) {
    misfit->event = *event;
    misfit->ddp = *ddp;
    misfit->octets = octets;
    misfit->of = of ? *of : misfit->of;
  }
  deque_remove(&reads->requests, sink, sink < count);
}

static void report(struct decode_misfit *misfit, decode_problem problem, decode_handler handler, void *user)
{
  g_autoptr(GString) text = g_string_new(decode_problems[problem].sentence);

  if (misfit->count == 0) {
    return;
  }
  if (problem == DECODE_PROBLEM_READ_LENGTH) {
    g_string_append_printf(text, ": %s%" G_GUINT64_FORMAT ", expected %u as in packet %" G_GUINT64_FORMAT,
                           misfit->ddp.last ? "" : "at least ",
                           misfit->ddp.tagged_offset - misfit->of.offset + misfit->octets, misfit->of.length,
                           misfit->of.packet);
  }
  if (problem == DECODE_PROBLEM_READ_OFFSET) { /* of its last FPDU: what came before it is that long */
    g_string_append_printf(text, ": 0x%016" PRIX64 ", expected 0x%016" PRIX64 " as in packet %" PRIu64,
                           misfit->ddp.tagged_offset, misfit->of.offset + misfit->of.came, misfit->of.packet);
  }
  if (misfit->count > 1) {
    g_string_append_printf(text, "; so it is of %" G_GUINT64_FORMAT " more FPDUs", misfit->count - 1);
  }
  misfit->event.kind = DECODE_NOTE_READ;
  misfit->event.fpdu = NULL;
  misfit->event.text = text->str;
  misfit->event.problems = UINT64_C(1) << problem;
  handler(user, &misfit->event);
}

void decode_reads_finish(decode_reads *reads, decode_handler handler, void *user)
{
  if (!reads->lacks_some) {
    report(&reads->length, DECODE_PROBLEM_READ_LENGTH, handler, user);
    report(&reads->offset, DECODE_PROBLEM_READ_OFFSET, handler, user);
    report(&reads->unasked, DECODE_PROBLEM_READ_UNASKED, handler, user);
  }
}
