/* SPDX-License-Identifier: GPL-2.0-only */
/* An MPA startup under test, frames made by hand from the figure in mpa-01 §6.1.1, and how it answers
 * them. */
#pragma once

#include <glib.h>

#include "mpa/mpa_startup.h"

#define REQUEST_KEY "\x4D\x50\x41\x20\x49\x44\x20\x52\x65\x71\x20\x46\x72\x61\x6D\x65"
#define REPLY_KEY "\x4D\x50\x41\x20\x49\x44\x20\x52\x65\x70\x20\x46\x72\x61\x6D\x65"

/* Octet 16. */
enum { M = 0x80, C = 0x40, R = 0x20 };

/* A frame with room for all of its Private Data. */
typedef struct hand_frame {
  uint8_t octets[20 + 65535];
  uint32_t length;
} hand_frame;

/* 16 octets of key, the flags, Rev and PD_Length, then that much Private Data, whose content is arbitrary. */
hand_frame *hand_frame_new(const char *key, uint8_t flags, uint8_t revision, uint32_t private_data_octets);
void hand_frame_free(hand_frame *frame);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(hand_frame, hand_frame_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(mpa_startup, mpa_startup_free)

/* An endpoint with markers, CRC and a buffer of 65535 octets, which accepts at once and waits for ever. */
mpa_startup_config startup_config(iwarp_generation generation, enum side role);

/* The same, begun at time 0 without Private Data of its own; an Initiator's Request has left. */
mpa_startup *startup_begun(iwarp_generation generation, enum side role);
mpa_startup *startup_begun_with(const mpa_startup_config *config);

/* Passes `length` octets in one piece; returns how many of them were taken. */
uint32_t startup_receive(mpa_startup *startup, const uint8_t *octets, uint32_t length);

/* The next frame is exactly this; there is no next frame. */
void startup_expect_frame(mpa_startup *startup, const void *expected, uint32_t length);
void startup_expect_no_frame(mpa_startup *startup);

/* It is in this state, for this reason. */
void startup_expect(const mpa_startup *startup, mpa_startup_state state, mpa_startup_reason reason);

/* The peer's Private Data is exactly this; `length` 0: there is none. */
void startup_expect_private_data(const mpa_startup *startup, const uint8_t *expected, uint32_t length);

/* It has failed for this reason: code 4, nothing is sent and nothing is taken any more, and no Private Data
 * came up. */
void startup_expect_dead(mpa_startup *startup, mpa_startup_reason reason);
