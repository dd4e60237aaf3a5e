/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/pattern.h"

#include <glib.h>

#include "base/random_stream.h"

struct pattern {
  uint8_t *octets; /* 2 * PATTERN_OCTETS of them, in `buffer` */
  octet_buffer *buffer;
};

pattern *pattern_new(void)
{
  pattern *table = g_new(pattern, 1);
  table->buffer = octet_buffer_new((size_t)2 * PATTERN_OCTETS);
  table->octets = octet_buffer_octets(table->buffer);
  random_stream *stream = random_stream_new(0, "pattern");
  for (uint32_t index = 0; index < PATTERN_OCTETS; index++) {
    uint8_t octet = (uint8_t)random_stream_next(stream);
    table->octets[index] = octet;
    table->octets[index + PATTERN_OCTETS] = octet;
  }
  g_free(stream);
  return table;
}

void pattern_free(pattern *table)
{
  if (table) {
    octet_buffer_unref(table->buffer);
    g_free(table);
  }
}

uint32_t pattern_message_offset(uint32_t connection, uint64_t message)
{
  return (uint32_t)(random_hash(connection, "pattern", message) % PATTERN_OCTETS);
}

const uint8_t *pattern_at(const pattern *table, uint64_t offset)
{
  return &table->octets[offset % PATTERN_OCTETS];
}

octet_slice pattern_slice(const pattern *table, uint64_t offset, uint32_t length)
{
  g_assert(length <= PATTERN_OCTETS);
  return (octet_slice){.octets = pattern_at(table, offset), .length = length, .buffer = table->buffer};
}
