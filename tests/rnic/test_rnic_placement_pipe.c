/* SPDX-License-Identifier: GPL-2.0-only */
/* ULPDUs wait out the placement latency, in order, with their octets and arrival times. */
#include "rnic/rnic_placement_pipe.h"
#include "test.h"

#include <string.h>

G_DEFINE_AUTOPTR_CLEANUP_FUNC(rnic_placement_pipe, rnic_placement_pipe_free)

static void push(rnic_placement_pipe *pipe, const char *text, uint64_t start, time_ps now)
{
  octet_buffer *buffer = octet_buffer_new(strlen(text));
  buffer_chain octets;
  const mpa_ulpdu_part part = {0, (uint32_t)strlen(text), now - 5};

  memcpy(octet_buffer_octets(buffer), text, strlen(text));
  buffer_chain_init(&octets);
  buffer_chain_append(&octets, octet_buffer_octets(buffer), (uint32_t)strlen(text), buffer);
  octet_buffer_unref(buffer);
  const mpa_ulpdu ulpdu = {
      .fpdu_start = start, .fpdu_end = start + 32, .octets = &octets, .parts = &part, .part_count = 1};
  rnic_placement_pipe_push(pipe, &ulpdu, now);
  buffer_chain_clear(&octets); /* the pipe has its own references */
}

TEST(test_waits_the_latency)
{
  g_autoptr(rnic_placement_pipe) pipe = rnic_placement_pipe_new(1000);

  g_assert_cmpint(rnic_placement_pipe_deadline(pipe), ==, TIME_PS_NEVER);
  push(pipe, "first", 0, 50);
  push(pipe, "second", 32, 70);
  g_assert_cmpuint(rnic_placement_pipe_octets(pipe), ==, 64);
  g_assert_cmpint(rnic_placement_pipe_deadline(pipe), ==, 1050);
  g_assert_null(rnic_placement_pipe_pop(pipe, 1049));
  const mpa_ulpdu *ulpdu = rnic_placement_pipe_pop(pipe, 1050);
  g_assert_nonnull(ulpdu);
  g_assert_true(buffer_chain_equals(ulpdu->octets, 0, 5, (const uint8_t *)"first"));
  g_assert_cmpint(ulpdu->parts[0].arrival, ==, 45);
  g_assert_null(rnic_placement_pipe_pop(pipe, 1069));
  ulpdu = rnic_placement_pipe_pop(pipe, 2000);
  g_assert_true(buffer_chain_equals(ulpdu->octets, 0, 6, (const uint8_t *)"second"));
  g_assert_cmpuint(ulpdu->fpdu_start, ==, 32);
  g_assert_cmpuint(rnic_placement_pipe_octets(pipe), ==, 0);
  push(pipe, "left inside", 64, 3000); /* freed with the pipe */
}
