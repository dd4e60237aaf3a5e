/* SPDX-License-Identifier: GPL-2.0-only */
#include "mpa_startup_fixture.h"
#include "stack_cleanup.h"

#include <string.h>

hand_frame *hand_frame_new(const char *key, uint8_t flags, uint8_t revision, uint32_t private_data_octets)
{
  hand_frame *frame = g_new0(hand_frame, 1);

  memcpy(frame->octets, key, 16);
  frame->octets[16] = flags;
  frame->octets[17] = revision;
  frame->octets[18] = (uint8_t)(private_data_octets >> 8);
  frame->octets[19] = (uint8_t)private_data_octets;
  for (uint32_t i = 0; i < private_data_octets; i++) {
    frame->octets[20 + i] = (uint8_t)(17 + i * 5 + i / 251);
  }
  frame->length = 20 + private_data_octets;
  return frame;
}

void hand_frame_free(hand_frame *frame)
{
  g_free(frame);
}

mpa_startup_config startup_config(iwarp_generation generation, enum side role)
{
  return (mpa_startup_config){.generation = generation,
                              .role = role,
                              .markers = true,
                              .crc = true,
                              .private_data_capacity_octets = 65535};
}

mpa_startup *startup_begun_with(const mpa_startup_config *config)
{
  mpa_startup *startup = mpa_startup_new(config);
  buffer_chain request;

  mpa_startup_begin(startup, NULL, 0, 0);
  if (config->role == SIDE_INITIATOR && config->generation != IWARP_RDMAC) {
    buffer_chain_init(&request);
    g_assert_true(mpa_startup_next_frame(startup, &request));
    buffer_chain_clear(&request);
  }
  return startup;
}

mpa_startup *startup_begun(iwarp_generation generation, enum side role)
{
  const mpa_startup_config config = startup_config(generation, role);

  return startup_begun_with(&config);
}

uint32_t startup_receive(mpa_startup *startup, const uint8_t *octets, uint32_t length)
{
  g_auto(buffer_chain) piece;

  buffer_chain_init(&piece);
  buffer_chain_append(&piece, octets, length, NULL);
  uint32_t taken = mpa_startup_receive(startup, &piece);
  return taken;
}

void startup_expect_frame(mpa_startup *startup, const void *expected, uint32_t length)
{
  g_auto(buffer_chain) frame;

  buffer_chain_init(&frame);
  g_assert_true(mpa_startup_next_frame(startup, &frame));
  g_assert_cmpuint(frame.length, ==, length);
  g_assert_true(buffer_chain_equals(&frame, 0, length, expected));
}

void startup_expect_no_frame(mpa_startup *startup)
{
  buffer_chain frame;

  buffer_chain_init(&frame);
  g_assert_false(mpa_startup_next_frame(startup, &frame));
  g_assert_cmpuint(frame.length, ==, 0);
}

void startup_expect(const mpa_startup *startup, mpa_startup_state state, mpa_startup_reason reason)
{
  g_assert_cmpint(startup->state, ==, state);
  g_assert_cmpint(startup->reason, ==, reason);
}

void startup_expect_private_data(const mpa_startup *startup, const uint8_t *expected, uint32_t length)
{
  uint32_t received = UINT32_MAX;
  const uint8_t *octets = mpa_startup_private_data(startup, &received);

  g_assert_cmpuint(received, ==, length);
  if (length == 0) {
    g_assert_null(octets);
  } else {
    g_assert_cmpmem(octets, received, expected, length);
  }
}

void startup_expect_dead(mpa_startup *startup, mpa_startup_reason reason)
{
  g_autoptr(hand_frame) good = hand_frame_new(REQUEST_KEY, 0, 0, 0);

  startup_expect(startup, MPA_STARTUP_FAILED, reason);
  startup_expect_no_frame(startup);
  startup_expect_private_data(startup, NULL, 0);
  g_assert_cmpuint(startup_receive(startup, good->octets, good->length), ==, 0);
  startup_expect(startup, MPA_STARTUP_FAILED, reason);
  g_assert_cmpint(startup->deadline, ==, TIME_PS_NEVER);
}
