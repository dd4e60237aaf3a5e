/* One RDMAP stream: operations become DDP messages, Delivered segments become completions (rdmap-00 §5.1,
 * §5.2, §7). Sans I/O: ULPDUs are pulled out of it when the layers below have room, and pushed into it as
 * MPA passes them. */
#ifndef RDMAP_RDMAP_STREAM_H
#define RDMAP_RDMAP_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ddp/ddp_placer.h"
#include "ddp/ddp_segmenter.h"
#include "rdmap/rdmap_error.h"
#include "rdmap/rdmap_header.h"

typedef struct rdmap_stream rdmap_stream;

typedef struct rdmap_stream_events {
  /* A segment was Placed: see ddp_placer_events. */
  void (*placed)(void *user, ddp_segment *segment, const mpa_ulpdu *ulpdu, time_ps now);
  /* A segment was Delivered. With header.last it completes its RDMA Message; a Send's also tells that all
   * Writes before it are in place (rdmap-00 §3.1, §7.5 rule 10; RDMAP-004, RDMAP-188) and that the first
   * segment->message_octets octets of the buffer `buffer_id` hold it (rdmap-00 §7.3, RDMAP-155). A Write's
   * is for the host's own use: no ULP hears of it (rdmap-00 §7.1, RDMAP-121). */
  void (*delivered)(void *user, const ddp_segment *segment, uint64_t buffer_id, time_ps now);
  /* The posted operation `id` is complete at the Data Source: its last FPDU octet is acknowledged
   * (rdmap-00 §7.5 rule 14, RDMAP-195; notes-ddp-rdmap 23), and so are all before it (rule 15, RDMAP-196). */
  void (*completed)(void *user, uint64_t id, time_ps now);
  /* The stream ends with `error`; it places and delivers nothing more. */
  void (*error)(void *user, rdmap_error error, time_ps now);
} rdmap_stream_events;

/* A stream with nothing posted, of the ietf generation (RV 1 over DV 1, notes-ddp-rdmap 1). `events` is
 * copied. Free with rdmap_stream_free() (NULL is allowed). */
rdmap_stream *rdmap_stream_new(const rdmap_stream_events *events, void *user);
void rdmap_stream_free(rdmap_stream *stream);

/* RDMA Write of `length` octets (0 allowed, RDMAP-129) from `source` to `tagged_offset` under the peer's
 * `stag`. */
void rdmap_stream_post_write(rdmap_stream *stream, uint64_t id, uint32_t stag, uint64_t tagged_offset,
                             uint32_t length, ddp_payload_source source, void *source_user);

/* Send of `length` octets (0 allowed, RDMAP-161; `source` may be NULL then). */
void rdmap_stream_post_send(rdmap_stream *stream, uint64_t id, uint32_t length, ddp_payload_source source,
                            void *source_user);

/* The next ULPDU of the posted operations, in the order posted (rdmap-00 §7.5 rule 13, RDMAP-194), of at
 * most `mulpdu_octets`, into the empty `ulpdu`; false when there is nothing to send. The caller frames it
 * and says with rdmap_stream_framed(), before the next call, where its FPDU ends in the stream that
 * rdmap_stream_acknowledged() counts in. */
bool rdmap_stream_next_ulpdu(rdmap_stream *stream, uint32_t mulpdu_octets, octet_rope *ulpdu);
void rdmap_stream_framed(rdmap_stream *stream, uint64_t fpdu_end);

/* All octets below `position` will get there: completes what ends at or below it, in order. The handler
 * may post. */
void rdmap_stream_acknowledged(rdmap_stream *stream, uint64_t position, time_ps now);

/* Takes one ULPDU as MPA passes it, in any order, each exactly once. Faults of DDP's fields are told from
 * RDMAP's (wrong RV, an opcode that is unexpected or does not fit T and QN) by the layer of the error. */
void rdmap_stream_receive(rdmap_stream *stream, const mpa_ulpdu *ulpdu, time_ps now);

/* The receiving side's buffers: to register STags in; to post receive buffers for Sends to (QN 0, one a Send,
 * RDMAP-153), as ddp_untagged_queue_post(). */
ddp_tagged_buffers *rdmap_stream_tagged_buffers(rdmap_stream *stream);
void rdmap_stream_post_receive(rdmap_stream *stream, uint8_t *memory, uint64_t length, uint64_t id);

/* Segments Placed and not yet Delivered. */
size_t rdmap_stream_undelivered(const rdmap_stream *stream);

#endif
