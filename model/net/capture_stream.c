/* SPDX-License-Identifier: GPL-2.0-only */
#include "net/capture_stream.h"

#include <glib.h>

#include "base/range_set.h"
#include "net/tcp_header.h"

/* How far beyond all that came a segment is believed at once. A sender may have 2^30 octets on their way (RFC
 * 7323 §2.3), and few have half of that. */
#define BELIEVED_OCTETS (INT64_C(1) << 29)

/* Two segments that are so close to each other speak for each other. */
#define CLOSE_OCTETS (INT64_C(1) << 24)

struct capture_stream {
  uint32_t first_sequence;
  uint64_t first_position;
  range_set came;
  int64_t here;      /* where the traffic is: what sequence numbers are taken to be near to */
  int64_t elsewhere; /* where the latest segment was that was not there */
};

capture_stream *capture_stream_new(uint32_t first_sequence, uint64_t first_position)
{
  capture_stream *stream = g_new0(capture_stream, 1);
  stream->first_sequence = first_sequence;
  stream->first_position = first_position;
  stream->here = (int64_t)first_position;
  stream->elsewhere = INT64_MIN;
  range_set_init(&stream->came);
  return stream;
}

void capture_stream_free(capture_stream *stream)
{
  if (stream) {
    range_set_clear(&stream->came);
    g_free(stream);
  }
}

int64_t capture_stream_position(const capture_stream *stream, uint32_t sequence)
{
  uint32_t here = stream->first_sequence + (uint32_t)((uint64_t)stream->here - stream->first_position);
  return stream->here + (int32_t)(sequence - here);
}

static bool is_close(int64_t a, int64_t b)
{
  return b != INT64_MIN && a - b <= CLOSE_OCTETS && b - a <= CLOSE_OCTETS;
}

/* Whether to believe a segment of [from, to). Moves `here` with the traffic. One segment alone whose sequence
 * number is garbled does not move it for long: too far ahead it is not believed before a second one is there
 * too, and `here` comes back with the second that is not ahead. */
static bool follow(capture_stream *stream, int64_t from, int64_t to)
{
  if (from - stream->here > BELIEVED_OCTETS) {
    bool is_confirmed = is_close(from, stream->elsewhere);
    stream->elsewhere = to;
    if (!is_confirmed) {
      return false;
    }
    stream->here = to;
  } else if (to > stream->here) {
    stream->here = to;
  } else if (stream->here - from > CLOSE_OCTETS) {
    if (is_close(from, stream->elsewhere)) {
      stream->here = to;
    }
    stream->elsewhere = to;
  }
  return true;
}

uint64_t capture_stream_run_end(const capture_stream *stream, uint64_t position, bool *came)
{
  size_t index = range_set_find(&stream->came, position);

  *came = false;
  if (index == range_set_count(&stream->came)) {
    return UINT64_MAX;
  }
  range run = range_set_get(&stream->came, index);
  *came = run.from <= position;
  return *came ? run.to : run.from;
}

/* The first octets of [*from, *to) that have not come, in place; FALSE when all have. */
static bool next_missing(const capture_stream *stream, uint64_t *from, uint64_t *to)
{
  bool came;
  uint64_t end = capture_stream_run_end(stream, *from, &came);

  if (came) {
    *from = end;
    end = capture_stream_run_end(stream, *from, &came);
  }
  *to = MIN(*to, end);
  return *from < *to;
}

/* The octets of the segment at [from, to), as far as they were captured, and then the others. */
static void give(const capture_segment *segment, int64_t begin, uint64_t from, uint64_t to,
                 capture_stream_octets octets, void *user)
{
  uint64_t captured_to = (uint64_t)MAX(begin + (int64_t)segment->captured_octets, 0);
  uint64_t middle = CLAMP(captured_to, from, to);

  if (middle > from) {
    octets(user, from, segment->payload + ((int64_t)from - begin), (uint32_t)(middle - from));
  }
  if (to > middle) {
    octets(user, middle, NULL, (uint32_t)(to - middle));
  }
}

uint32_t capture_stream_receive(capture_stream *stream, const capture_segment *segment,
                                capture_stream_octets octets, void *user)
{
  if (segment->flags & TCP_RST) {
    return 0; /* RFC 9293 §3.5.2: what it carries is not of the stream */
  }
  int64_t begin = capture_stream_position(stream, segment->sequence + ((segment->flags & TCP_SYN) != 0));
  int64_t end = begin + (int64_t)segment->payload_octets;
  if (!follow(stream, begin, end) || end < 0) {
    return 0;
  }
  uint32_t added = 0;
  uint64_t from = (uint64_t)MAX(begin, 0);
  uint64_t to = (uint64_t)end;
  while (from < to && next_missing(stream, &from, &to)) {
    range_set_add(&stream->came, from, to);
    give(segment, begin, from, to, octets, user);
    added += (uint32_t)(to - from);
    from = to;
    to = (uint64_t)end;
  }
  return added;
}

uint64_t capture_stream_in_order_edge(const capture_stream *stream)
{
  bool came;
  uint64_t end = capture_stream_run_end(stream, stream->first_position, &came);
  return came ? end : stream->first_position;
}

uint64_t capture_stream_end(const capture_stream *stream)
{
  size_t runs = range_set_count(&stream->came);
  return runs > 0 ? MAX(range_set_get(&stream->came, runs - 1).to, stream->first_position)
                  : stream->first_position;
}

uint64_t capture_stream_missing(const capture_stream *stream, uint64_t from, uint64_t to)
{
  return from < to ? to - from - range_set_covered(&stream->came, from, to) : 0;
}
