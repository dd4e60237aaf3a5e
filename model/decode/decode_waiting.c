/* SPDX-License-Identifier: GPL-2.0-only */
#include "decode/decode_waiting.h"

#include <string.h>

#include "decode/decode_reader.h"
#include "net/tcp_header.h"

static void clear_side(decode_waiting_side *side)
{
  capture_stream_free(side->stream);
  reassembly_queue_free(side->octets);
  decode_packets_clear(&side->packets);
}

static void init_side(decode_waiting_side *side)
{
  *side = (decode_waiting_side){.octets = reassembly_queue_new(), .keys = {UINT64_MAX, UINT64_MAX}};
  decode_packets_init(&side->packets);
}

decode_waiting *decode_waiting_new(const decode_hint *hint, unsigned hinted, uint64_t hold_octets)
{
  decode_waiting *waiting = g_new0(decode_waiting, 1);

  waiting->hint = hint;
  waiting->hinted = hinted;
  waiting->hold_octets = hold_octets;
  waiting->segments = g_array_new(FALSE, FALSE, sizeof(decode_waiting_segment));
  init_side(&waiting->sides[0]);
  init_side(&waiting->sides[1]);
  return waiting;
}

static const decode_waiting_segment *segment_at(const decode_waiting *waiting, guint index)
{
  return &g_array_index(waiting->segments, decode_waiting_segment, index);
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

static void append(void *user, G_GNUC_UNUSED uint64_t position, const buffer_chain *octets,
                   G_GNUC_UNUSED time_ps arrival)
{
  GByteArray *target = user;
  guint from = target->len;

  g_byte_array_set_size(target, from + octets->length);
  buffer_chain_copy_out(octets, 0, octets->length, target->data + from);
}

GByteArray *decode_waiting_copy(const decode_waiting_side *side, uint64_t position, uint64_t most)
{
  uint64_t end = MIN(reassembly_queue_run_end(side->octets, position), position + most);
  GByteArray *octets = g_byte_array_new();

  reassembly_queue_visit(side->octets, position, end, append, octets);
  return octets;
}

/* [from, to) has come: finds the headers of startup frames that are whole now. */
static void look_for_keys(decode_waiting_side *side, uint64_t from, uint64_t to)
{
  uint64_t reach = DECODE_STARTUP_HEADER_OCTETS - 1;
  uint64_t first = from - MIN(from, reach);

  while (!reassembly_queue_contains(side->octets, first, from)) {
    first++;
  }
  g_autoptr(GByteArray) octets = decode_waiting_copy(side, first, to + reach - first);
  for (unsigned kind = 0; kind < DECODE_FRAMES; kind++) {
    const uint8_t *at = octets->data, *end = at + octets->len;
    while ((at = memmem(at, (size_t)(end - at), decode_startup_keys[kind], DECODE_STARTUP_KEY_OCTETS)) &&
           end - at >= DECODE_STARTUP_HEADER_OCTETS) {
      const uint64_t position = first + (uint64_t)(at - octets->data);
      bool is_strong;
      if (decode_startup_frame_may_be(at, position == side->first_position, &is_strong)) {
        side->keys[kind] = MIN(side->keys[kind], position);
        side->is_strong |= is_strong;
        break;
      }
      at++;
    }
  }
}

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
static void begin_side(decode_waiting *waiting, unsigned from, bool has_syn, uint32_t sequence,
                       uint64_t position)
{
  decode_waiting_side *side = &waiting->sides[from];

  clear_side(side);
  init_side(side);
  side->has_syn = has_syn;
  side->stream = capture_stream_new(sequence, position);
  side->first_sequence = sequence;
  side->first_position = position;
  for (guint index = 0; index < waiting->segments->len; index++) {
    if (segment_at(waiting, index)->segment.from == from) {
      take_in(side, segment_at(waiting, index));
    }
  }
}

/* The first octets that this end sent are the header of a startup frame, and of nothing else. */
static bool has_first_frame(const decode_waiting_side *side)
{
  return side->has_syn && side->is_strong;
}

void decode_waiting_add(decode_waiting *waiting, const capture_flow *flow, const capture_segment *segment)
{
  unsigned from = segment->from;
  decode_waiting_side *side = &waiting->sides[from];
  decode_waiting_segment kept = {.segment = *segment};

  if (!side->has_syn && flow->has_syn[from]) {
    begin_side(waiting, from, true, flow->isn[from] + 1, 0);
  } else if (!side->stream) {
    begin_side(waiting, from, false, segment->sequence, CAPTURE_STREAM_MIDDLE);
  }
  if (segment->payload_octets == 0 && !(segment->flags & (TCP_FIN | TCP_RST)) &&
      segment->clock_step_ns == 0) {
    return;
  }
  if (segment->captured_octets > 0) {
    kept.buffer = octet_buffer_new(segment->captured_octets);
    kept.segment.payload =
        memcpy(octet_buffer_octets(kept.buffer), segment->payload, segment->captured_octets);
  }
  waiting->octets += segment->captured_octets + sizeof kept;
  g_array_append_val(waiting->segments, kept);
  take_in(side, &kept);
  /* It has sent nothing and sends nothing more: no frame of its comes that would answer the other end's. */
  if ((segment->flags & (TCP_FIN | TCP_RST)) && side->has_syn && capture_stream_end(side->stream) == 0 &&
      capture_stream_position(side->stream, segment->sequence) == 0) {
    side->ended_by |= segment->flags & (TCP_FIN | TCP_RST);
    waiting->is_over |= has_first_frame(&waiting->sides[!from]);
  }
}

bool decode_waiting_is_sure(const decode_waiting *waiting)
{
  return waiting->hint || has_first_frame(&waiting->sides[0]) || has_first_frame(&waiting->sides[1]);
}

const capture_segment *decode_waiting_packet(const decode_waiting *waiting, uint64_t packet)
{
  guint index = 0;

  while (segment_at(waiting, index)->segment.packet != packet) {
    index++;
  }
  return &segment_at(waiting, index)->segment;
}
