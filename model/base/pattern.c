#include "base/pattern.h"

#include <glib.h>

#include "base/random_stream.h"

struct pattern {
  uint8_t octets[2 * PATTERN_OCTETS];
};

pattern *pattern_new(void)
{
  pattern *table = g_new(pattern, 1);
  random_stream *stream = random_stream_new(0, "pattern");
  for (uint32_t index = 0; index < PATTERN_OCTETS; index++) {
    uint8_t octet = (uint8_t)random_stream_next(stream);
    table->octets[index] = octet;
    table->octets[index + PATTERN_OCTETS] = octet;
  }
  random_stream_free(stream);
  return table;
}

void pattern_free(pattern *table)
{
  g_free(table);
}

uint32_t pattern_message_offset(uint32_t connection, uint64_t message)
{
  return (uint32_t)(random_hash(connection, "pattern", message) % PATTERN_OCTETS);
}

const uint8_t *pattern_at(const pattern *table, uint64_t offset)
{
  return &table->octets[offset % PATTERN_OCTETS];
}
