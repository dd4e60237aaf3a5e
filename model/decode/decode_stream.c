/* SPDX-License-Identifier: GPL-2.0-only */
#include "decode/decode_stream.h"

#include <glib.h>
#include <stdlib.h>

#include "base/numbers.h"

/* --- Packets --- */

typedef struct packet_run {
  uint64_t from, to;
  uint64_t packet;
} packet_run;

void decode_packets_init(decode_packets *packets)
{
  deque_init(&packets->runs, sizeof(packet_run));
}

void decode_packets_clear(decode_packets *packets)
{
  deque_clear(&packets->runs);
}

static packet_run *run_at(const decode_packets *packets, size_t index)
{
  return deque_slot(&packets->runs, index, sizeof(packet_run));
}

/* Returns the index of the first run with an octet at or after `position`. */
static size_t first_reaching(const decode_packets *packets, uint64_t position)
{
  return deque_count_to(&packets->runs, offsetof(packet_run, to), position);
}

void decode_packets_add(decode_packets *packets, uint64_t from, uint64_t to, uint64_t packet)
{
  size_t count = packets->runs.count;
  size_t index = count == 0 || run_at(packets, count - 1)->to <= from ? count : first_reaching(packets, from);

  *(packet_run *)deque_insert(&packets->runs, index) = (packet_run){from, to, packet};
}

decode_packet_span decode_packets_of(const decode_packets *packets, uint64_t from, uint64_t to)
{
  size_t first = first_reaching(packets, from);
  size_t end = first;

  while (end < packets->runs.count && run_at(packets, end)->from < to) {
    end++;
  }
  if (end - first <= 1) {
    uint64_t packet = end > first ? run_at(packets, first)->packet : 0;
    return (decode_packet_span){.first = packet, .last = packet, .count = (uint32_t)(end - first)};
  }
  uint64_t *numbers = g_new(uint64_t, end - first);
  for (size_t index = first; index < end; index++) {
    numbers[index - first] = run_at(packets, index)->packet;
  }
  qsort(numbers, end - first, sizeof *numbers, compare_numbers);
  decode_packet_span span = {.first = numbers[0], .last = numbers[end - first - 1], .count = 1};
  for (size_t index = 1; index < end - first; index++) {
    span.count += numbers[index] != numbers[index - 1];
  }
  g_free(numbers);
  return span;
}

void decode_packets_remove(decode_packets *packets, uint64_t from, uint64_t to)
{
  size_t index = first_reaching(packets, from);

  while (index < packets->runs.count && run_at(packets, index)->from < to) {
    packet_run *run = run_at(packets, index);
    packet_run rest = {.from = to, .to = run->to, .packet = run->packet};
    bool has_rest = run->to > to;

    if (run->from < from) {
      run->to = from;
      index++;
    } else {
      deque_remove(&packets->runs, index, 1);
    }
    if (has_rest) {
      *(packet_run *)deque_insert(&packets->runs, index) = rest;
      return;
    }
  }
}

/* --- Alignment --- */

/* This is how many starts are forgotten at a time. */
enum { FORGET_AT_ONCE = 256 };

/* After a hole that stays open, no more starts of segments, or of FPDUs, than this are remembered. */
enum { REMEMBERED = 1 << 20 };

void decode_alignment_init(decode_alignment *alignment, uint64_t reach_octets)
{
  *alignment = (decode_alignment){.reach_octets = reach_octets};
  fpdu_starts_init(&alignment->starts);
  deque_init(&alignment->segments, sizeof(uint64_t));
}

void decode_alignment_clear(decode_alignment *alignment)
{
  fpdu_starts_clear(&alignment->starts);
  deque_clear(&alignment->segments);
}

static size_t segments_below(const decode_alignment *alignment, uint64_t offset)
{
  return deque_count_below(&alignment->segments, 0, offset);
}

void decode_alignment_fpdu(decode_alignment *alignment, uint64_t offset)
{
  size_t below = segments_below(alignment, offset);
  size_t count = deque_count_to(&alignment->segments, 0, offset) - below;

  fpdu_starts_add(&alignment->starts, offset);
  alignment->aligned += count;
  deque_remove(&alignment->segments, below, count);
}

void decode_alignment_segment(decode_alignment *alignment, uint64_t offset, uint64_t edge)
{
  fpdu_starts *starts = &alignment->starts;

  if (fpdu_starts_has(starts, &alignment->arriving, offset)) {
    alignment->aligned++;
  } else if (offset >= edge) {
    *(uint64_t *)deque_insert(&alignment->segments, segments_below(alignment, offset)) = offset;
    deque_remove(&alignment->segments, 0, alignment->segments.count > REMEMBERED);
  }
  deque_remove(&alignment->segments, 0, segments_below(alignment, edge));
  uint64_t needed = edge - MIN(edge, alignment->reach_octets);
  uint32_t known = starts->offsets.count;
  if (known > FORGET_AT_ONCE && (known > REMEMBERED || fpdu_starts_at(starts, FORGET_AT_ONCE) < needed)) {
    fpdu_starts_drop(starts, FORGET_AT_ONCE);
  }
}

uint64_t decode_alignment_next_segment(const decode_alignment *alignment, uint64_t offset)
{
  size_t index = segments_below(alignment, offset);

  return index < alignment->segments.count ? deque_key(&alignment->segments, 0, index) : UINT64_MAX;
}
