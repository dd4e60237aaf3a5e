/* SPDX-License-Identifier: GPL-2.0-only */
#include "decode/decode_waiting.h"

#include <glib.h>
#include <string.h>

#include "decode/decode_reader.h"
#include "net/tcp_header.h"

/* What both keys start with (mpa-01 §6.1.1). */
static const char key_start[] = "MPA ID Re";

decode_waiting *decode_waiting_new(const decode_hint *hint, unsigned hinted, uint64_t hold_octets)
{
  decode_waiting *waiting = g_new0(decode_waiting, 1);

  waiting->hint = hint;
  waiting->hinted = hinted;
  waiting->hold_octets = hold_octets;
  waiting->segments = g_array_new(FALSE, FALSE, sizeof(decode_waiting_segment));
  for (size_t from = 0; from < G_N_ELEMENTS(waiting->sides); from++) {
    decode_packets_init(&waiting->sides[from].packets);
  }
  return waiting;
}

static const decode_waiting_segment *segment_at(const decode_waiting *waiting, guint index)
{
  return &g_array_index(waiting->segments, decode_waiting_segment, index);
}

static void clear_side(decode_waiting_side *side)
{
  capture_stream_free(side->stream);
  reassembly_queue_free(side->octets);
  decode_packets_clear(&side->packets);
}

void decode_waiting_free(decode_waiting *waiting)
{
  if (waiting) {
    for (guint index = 0; index < waiting->segments->len; index++) {
      octet_buffer_unref(segment_at(waiting, index)->buffer);
    }
    g_array_unref(waiting->segments);
    clear_side(&waiting->sides[0]);
    clear_side(&waiting->sides[1]);
    g_free(waiting);
  }
}

uint64_t decode_waiting_lowest(const decode_waiting_side *side)
{
  return side->octets ? reassembly_queue_next_held(side->octets, 0) : UINT64_MAX;
}

uint64_t decode_waiting_run_end(const decode_waiting_side *side, uint64_t position)
{
  return side->octets ? reassembly_queue_run_end(side->octets, position) : position;
}

static void append(void *user, G_GNUC_UNUSED uint64_t position, const buffer_chain *octets,
                   G_GNUC_UNUSED time_ps arrival)
{
  GByteArray *target = user;
  buffer_chain_range rest = buffer_chain_range_of(octets, 0, octets->length);

  while (rest.length > 0) {
    octet_slice part = buffer_chain_range_next(&rest);
    g_byte_array_append(target, part.octets, part.length);
  }
}

void decode_waiting_copy(const decode_waiting_side *side, uint64_t position, uint64_t most,
                         GByteArray *octets)
{
  uint64_t end = MIN(decode_waiting_run_end(side, position), position + most);

  g_byte_array_set_size(octets, 0);
  if (end > position) {
    reassembly_queue_visit(side->octets, position, end, append, octets);
  }
}

/* --- The keys --- */

/* The first octets of the octets from `position` on are a key? Lower ones than known are remembered. */
static void note_key(decode_waiting_side *side, uint64_t position, const uint8_t *octets, size_t length)
{
  decode_startup_frame frame;

  for (size_t at = 0; at + DECODE_STARTUP_KEY_OCTETS <= length; at++) {
    const uint8_t *found = memmem(octets + at, length - at, key_start, sizeof key_start - 1);
    if (!found) {
      return;
    }
    at = (size_t)(found - octets);
    bool is_whole = length - at >= DECODE_STARTUP_KEY_OCTETS;
    if (is_whole &&
        decode_startup_frame_read(&frame, found, DECODE_STARTUP_KEY_OCTETS) != DECODE_STARTUP_NONE) {
      uint64_t *key = &side->keys[found[sizeof key_start - 1] == 'p'];
      *key = MIN(*key, position + at);
    }
  }
}

/* [from, to) has come: the keys that are whole by that. */
static void look_for_keys(decode_waiting_side *side, uint64_t from, uint64_t to)
{
  uint64_t reach = DECODE_STARTUP_KEY_OCTETS - 1;
  uint64_t first = from - MIN(from, reach);
  g_autoptr(GByteArray) window = g_byte_array_new();

  while (!reassembly_queue_contains(side->octets, first, from)) {
    first++;
  }
  decode_waiting_copy(side, first, to + reach - first, window);
  note_key(side, first, window->data, window->len);
}

/* --- Segments --- */

typedef struct taking {
  decode_waiting_side *side;
  const decode_waiting_segment *from;
} taking;

static void take_octets(void *user, uint64_t position, const uint8_t *octets, uint32_t length)
{
  const taking *take = user;
  buffer_chain chain;

  if (!octets) {
    return;
  }
  buffer_chain_init(&chain);
  buffer_chain_append(&chain, octets, length, take->from->buffer);
  reassembly_queue_insert(take->side->octets, position, &chain, 0);
  decode_packets_add(&take->side->packets, position, position + length, take->from->segment.packet);
  buffer_chain_clear(&chain);
  look_for_keys(take->side, position, position + length);
}

static void take_in(decode_waiting_side *side, const decode_waiting_segment *taken)
{
  taking take = {.side = side, .from = taken};

  capture_stream_receive(side->stream, &taken->segment, take_octets, &take);
}

/* The octet of `sequence` has position `position`; all that has come of this side is taken in anew. */
static void begin_side(decode_waiting *waiting, unsigned from, uint32_t sequence, uint64_t position)
{
  decode_waiting_side *side = &waiting->sides[from];

  clear_side(side);
  side->stream = capture_stream_new(sequence, position);
  side->octets = reassembly_queue_new();
  side->first_sequence = sequence;
  side->first_position = position;
  side->keys[DECODE_REQUEST] = UINT64_MAX;
  side->keys[DECODE_REPLY] = UINT64_MAX;
  for (guint index = 0; index < waiting->segments->len; index++) {
    if (segment_at(waiting, index)->segment.from == from) {
      take_in(side, segment_at(waiting, index));
    }
  }
}

static void keep(decode_waiting *waiting, const capture_segment *segment)
{
  decode_waiting_segment kept = {.segment = *segment};

  if (segment->captured_octets > 0) {
    kept.buffer = octet_buffer_new(segment->captured_octets);
    kept.segment.payload =
        memcpy(octet_buffer_octets(kept.buffer), segment->payload, segment->captured_octets);
  }
  waiting->octets += segment->captured_octets + sizeof kept;
  g_array_append_val(waiting->segments, kept);
  take_in(&waiting->sides[segment->from], &kept);
}

void decode_waiting_add(decode_waiting *waiting, const capture_flow *flow, const capture_segment *segment)
{
  unsigned from = segment->from;
  decode_waiting_side *side = &waiting->sides[from];

  side->is_seen = true;
  if (!side->has_syn && flow->has_syn[from]) {
    side->has_syn = true;
    begin_side(waiting, from, flow->isn[from] + 1, 0);
  } else if (!side->stream) {
    begin_side(waiting, from, segment->sequence, CAPTURE_STREAM_MIDDLE);
  }
  if (segment->payload_octets > 0 || (segment->flags & (TCP_FIN | TCP_RST))) {
    keep(waiting, segment);
  }
}

const capture_segment *decode_waiting_packet(const decode_waiting *waiting, uint64_t packet)
{
  for (guint index = 0; index < waiting->segments->len; index++) {
    if (segment_at(waiting, index)->segment.packet == packet) {
      return &segment_at(waiting, index)->segment;
    }
  }
  return NULL;
}
