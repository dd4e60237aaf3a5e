/* SPDX-License-Identifier: GPL-2.0-only */
#include "decode/decode_packets.h"

#include <glib.h>
#include <stdlib.h>

typedef struct packet_run {
  uint64_t from, to;
  uint64_t packet;
} packet_run;

void decode_packets_init(decode_packets *packets)
{
  element_array_init(&packets->runs, sizeof(packet_run));
}

void decode_packets_clear(decode_packets *packets)
{
  element_array_clear(&packets->runs);
}

static packet_run *run_at(const decode_packets *packets, size_t index)
{
  return element_array_slot(&packets->runs, index, sizeof(packet_run));
}

/* Index of the first run with an octet at or after `position`. */
static size_t first_reaching(const decode_packets *packets, uint64_t position)
{
  return element_array_count_to(&packets->runs, offsetof(packet_run, to), position);
}

void decode_packets_add(decode_packets *packets, uint64_t from, uint64_t to, uint64_t packet)
{
  size_t count = packets->runs.count;
  size_t index = count == 0 || run_at(packets, count - 1)->to <= from ? count : first_reaching(packets, from);

  *(packet_run *)element_array_insert(&packets->runs, index) = (packet_run){from, to, packet};
}

static int compare_packets(const void *a, const void *b)
{
  uint64_t left = *(const uint64_t *)a;
  uint64_t right = *(const uint64_t *)b;

  return (left > right) - (left < right);
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
  qsort(numbers, end - first, sizeof *numbers, compare_packets);
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
      element_array_remove(&packets->runs, index, 1);
    }
    if (has_rest) {
      *(packet_run *)element_array_insert(&packets->runs, index) = rest;
      return;
    }
  }
}
