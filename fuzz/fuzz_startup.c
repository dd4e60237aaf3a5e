/* SPDX-License-Identifier: GPL-2.0-only */
/* MPA startup with any octets, in pieces of any size, at either end, in every generation: a piece or an octet
 * at a time comes to the same; what is taken for the peer's frame is one, and the peer would send the same
 * octets; what is not fails at once and for good.
 *
 * An input is: how the end under test is configured, what its ULP answers, the size of the pieces, and what
 * the peer sends. */
#include <glib.h>
#include <string.h>

#include "base/big_endian.h"
#include "decode/decode_reader.h"
#include "fuzz_input.h"
#include "mpa/mpa_startup.h"

enum {
  FLAG_RESPONDER = 0x01,
  FLAG_MARKERS = 0x02,
  FLAG_CRC = 0x04,
  FLAG_DECIDES = 0x08,
  FLAG_ACCEPTS = 0x10,
  FLAG_ENHANCED = 0x20,
  FLAG_PEER_TO_PEER = 0x40,
  FLAG_NEEDS_ORD = 0x80
};

/* This is the frame (mpa-01 §6.1.1): M, C, R in octet 16, Rev, PD_Length. */
enum {
  HEADER_OCTETS = 20,
  KEY_OCTETS = 16,
  REVISION_AT = 17,
  LENGTH_AT = 18,
  BIT_M = 0x80,
  BIT_C = 0x40,
  BIT_R = 0x20,
  BIT_S = 0x10,
};

static mpa_startup_config config_of(fuzz_input *input, uint8_t flags)
{
  return (mpa_startup_config){.generation = fuzz_input_octet(input) % IWARP_GENERATIONS,
                              .role = flags & FLAG_RESPONDER ? SIDE_RESPONDER : SIDE_INITIATOR,
                              .private_data_capacity_octets = fuzz_input_number_16(input),
                              .markers = flags & FLAG_MARKERS,
                              .crc = flags & FLAG_CRC,
                              .ulp_decides = flags & FLAG_DECIDES,
                              .enhanced = {.enabled = flags & FLAG_ENHANCED,
                                           .peer_to_peer = flags & FLAG_PEER_TO_PEER,
                                           .rtr = {MPA_RTR_WRITE, MPA_RTR_READ},
                                           .rtr_count = 2,
                                           .ird = 4,
                                           .ord = 4,
                                           .ord_needed = flags & FLAG_NEEDS_ORD ? 3 : 0}};
}

static mpa_startup *begun(const mpa_startup_config *config)
{
  mpa_startup *startup = mpa_startup_new(config);

  mpa_startup_begin(startup, NULL, 0, 1);
  return startup;
}

/* Sends what is due: an Initiator's Request, or the Reply to what was taken. */
static void send_frames(mpa_startup *startup)
{
  buffer_chain frame;

  buffer_chain_init(&frame);
  if (mpa_startup_next_frame(startup, &frame)) {
    bool is_enhanced = buffer_chain_at(&frame, KEY_OCTETS) & BIT_S;
    g_assert_cmpuint(frame.length, ==, HEADER_OCTETS + (is_enhanced ? MPA_ENHANCED_OCTETS : 0));
    g_assert_false(mpa_startup_next_frame(startup, &frame));
  }
  buffer_chain_clear(&frame);
}

/* Gives `startup` all of `input`, `step` octets at a time; returns how many it took. */
static uint64_t receive(mpa_startup *startup, fuzz_input input, size_t step, uint8_t flags)
{
  uint64_t taken = 0;

  send_frames(startup);
  while (input.length > 0) {
    fuzz_input piece = fuzz_input_take(&input, step);
    buffer_chain octets;
    buffer_chain_init(&octets);
    buffer_chain_append_copy(&octets, piece.octets, (uint32_t)piece.length);
    uint32_t count = mpa_startup_receive(startup, &octets);
    g_assert_cmpuint(count, <=, piece.length);
    taken += count;
    buffer_chain_clear(&octets);
  }
  if (startup->state == MPA_STARTUP_DECIDING) {
    mpa_startup_decide(startup, flags & FLAG_ACCEPTS, NULL, 0);
  }
  send_frames(startup);
  return taken;
}

/* The peer that sent `frame`, which was taken for one, is another of our ends: it sends the same, Res and a
 * Request's R aside (MPA-248, MPA-250), and its own IRD, ORD and Control Flags. Only a frame of revision 2
 * without S is of none: it goes out as revision 1. */
static void check_peer_sends(const mpa_startup_config *config, const uint8_t *frame, uint32_t frame_octets,
                             bool is_enhanced)
{
  mpa_startup_config peer_config = *config;
  uint32_t before = HEADER_OCTETS + (is_enhanced ? MPA_ENHANCED_OCTETS : 0);

  peer_config.role = side_peer(config->role);
  peer_config.private_data_capacity_octets = UINT16_MAX;
  peer_config.markers = frame[KEY_OCTETS] & BIT_M;
  peer_config.crc = frame[KEY_OCTETS] & BIT_C;
  peer_config.ulp_decides = true;
  peer_config.enhanced.enabled = is_enhanced;
  peer_config.enhanced.ord_needed = 0;
  mpa_startup *peer = mpa_startup_new(&peer_config);
  mpa_startup *own = begun(config);
  uint8_t bits = peer_config.role == SIDE_RESPONDER ? BIT_M | BIT_C | BIT_R : BIT_M | BIT_C;
  buffer_chain sent;

  buffer_chain_init(&sent);
  mpa_startup_begin(peer, frame + before, frame_octets - before, 1);
  if (peer_config.role == SIDE_RESPONDER) {
    g_assert_true(mpa_startup_next_frame(own, &sent));
    g_assert_cmpuint(mpa_startup_receive(peer, &sent), ==, sent.length);
    buffer_chain_empty(&sent);
    mpa_startup_decide(peer, !(frame[KEY_OCTETS] & BIT_R), NULL, 0);
  }
  g_assert_true(mpa_startup_next_frame(peer, &sent));
  g_assert_cmpuint(sent.length, ==, frame_octets);
  g_assert_true(buffer_chain_equals(&sent, 0, KEY_OCTETS, frame));
  g_assert_cmphex(buffer_chain_at(&sent, KEY_OCTETS), ==,
                  (frame[KEY_OCTETS] & bits) | (is_enhanced ? BIT_S : 0));
  g_assert_true(buffer_chain_equals(&sent, REVISION_AT, HEADER_OCTETS - REVISION_AT, frame + REVISION_AT));
  g_assert_true(buffer_chain_equals(&sent, before, sent.length - before, frame + before));
  buffer_chain_clear(&sent);
  mpa_startup_free(own);
  mpa_startup_free(peer);
}

/* Both frames are enhanced: what they come to. */
static void check_agreement(const mpa_startup *startup, const mpa_startup_config *config, const uint8_t *wire)
{
  const mpa_agreement *agreement = &startup->agreement;
  const mpa_enhanced peer = mpa_enhanced_decode(wire);
  uint8_t again[MPA_ENHANCED_OCTETS];

  mpa_enhanced_encode(&peer, again);
  g_assert_cmpmem(again, sizeof again, wire, sizeof again);
  g_assert_true(agreement->peer_ird == peer.ird && agreement->peer_ord == peer.ord);
  g_assert_cmpuint(agreement->ord, <=, MIN(config->enhanced.ord, peer.ird));
  g_assert_cmpuint(agreement->ird, ==, config->enhanced.ird);
  g_assert_true(config->role == SIDE_INITIATOR ||
                (agreement->error != MPA_ERROR_NONE) ==
                    (startup->reason == MPA_STARTUP_REASON_REJECTED_FOR_IRD));
  if (config->role == SIDE_INITIATOR && agreement->error == MPA_ERROR_NONE) {
    g_assert_true(peer.ord <= agreement->ird || peer.ord == MPA_NOT_NEGOTIATED);
    g_assert_true(agreement->peer_to_peer == config->enhanced.peer_to_peer);
    g_assert_true(!agreement->peer_to_peer || (agreement->rtrs & 1U << agreement->rtr));
  }
}

/* A frame was taken, with `taken` octets. */
static void check_frame(const mpa_startup *startup, const mpa_startup_config *config, fuzz_input input,
                        uint64_t taken)
{
  uint32_t private_octets;
  const uint8_t *private_data = mpa_startup_private_data(startup, &private_octets);
  bool is_enhanced = startup->agreement.is_enhanced;
  uint32_t before = HEADER_OCTETS + (is_enhanced ? MPA_ENHANCED_OCTETS : 0);

  g_assert_cmpuint(taken, ==, before + private_octets);
  g_assert_cmpuint(mpa_startup_received_frame_octets(startup), ==, taken);
  g_assert_cmpuint(private_octets, <=, config->private_data_capacity_octets);
  g_assert_cmpmem(private_data, private_octets, input.octets + before, private_octets);
  if (is_enhanced) {
    check_agreement(startup, config, input.octets + HEADER_OCTETS);
  }
  if (is_enhanced || input.octets[REVISION_AT] < 2) {
    check_peer_sends(config, input.octets, before + private_octets, is_enhanced);
  }
  if (startup->state == MPA_STARTUP_FULL_OPERATION) {
    bool asks_for_markers = input.octets[KEY_OCTETS] & BIT_M;
    bool asks_for_crc = input.octets[KEY_OCTETS] & BIT_C;
    g_assert_true(mpa_startup_send_markers(startup) == asks_for_markers);
    g_assert_true(mpa_startup_receive_markers(startup) == config->markers);
    g_assert_true(mpa_startup_crc(startup) == (asks_for_crc || config->crc));
  }
}

static void check(const mpa_startup *startup, const mpa_startup_config *config, fuzz_input input,
                  uint64_t taken)
{
  mpa_startup_state state = startup->state;
  mpa_startup_reason reason = startup->reason;

  g_assert_cmpuint(taken, <=, input.length);
  g_assert_true(state != MPA_STARTUP_STREAMING && state != MPA_STARTUP_DECIDING);
  g_assert_true((state == MPA_STARTUP_WAITING || state == MPA_STARTUP_FULL_OPERATION) ==
                (reason == MPA_STARTUP_REASON_NONE));
  g_assert_nonnull(mpa_startup_reason_text(reason));
  if (config->generation == IWARP_RDMAC) {
    g_assert_true(state == MPA_STARTUP_FULL_OPERATION && taken == 0);
  } else if (state == MPA_STARTUP_WAITING) {
    g_assert_cmpuint(taken, ==, input.length);
  } else if (state != MPA_STARTUP_FAILED) {
    check_frame(startup, config, input, taken);
  }
}

/* --- What a capture's reader makes of it --- */

/* Writes the octets that `frame` was read from, made of its fields. */
static void write_frame(const decode_startup_frame *frame, uint8_t wire[HEADER_OCTETS])
{
  memcpy(wire, frame->is_reply ? "MPA ID Rep Frame" : "MPA ID Req Frame", KEY_OCTETS);
  wire[KEY_OCTETS] =
      (uint8_t)((frame->markers ? BIT_M : 0) | (frame->crc ? BIT_C : 0) | (frame->rejected ? BIT_R : 0) |
                (frame->enhanced_flag ? BIT_S : 0) | frame->reserved);
  wire[REVISION_AT] = frame->revision;
  big_endian_write_16(wire + LENGTH_AT, frame->private_data_octets);
}

/* Any revision: what reads as a frame is written as the same octets, and no part of it reads as a whole
 * one. */
static void check_reader(fuzz_input input)
{
  decode_startup_frame frame;
  uint8_t wire[HEADER_OCTETS];
  uint8_t enhanced[MPA_ENHANCED_OCTETS];

  if (decode_startup_frame_read(&frame, input.octets, input.length) != DECODE_STARTUP_WHOLE) {
    return;
  }
  write_frame(&frame, wire);
  g_assert_cmpmem(wire, sizeof wire, input.octets, sizeof wire);
  g_assert_cmpuint(frame.frame_octets, ==, HEADER_OCTETS + frame.private_data_octets);
  g_assert_cmpuint(frame.frame_octets, <=, input.length);
  g_assert_cmpmem(frame.private_data, frame.private_data_octets, input.octets + HEADER_OCTETS,
                  frame.private_data_octets);
  if (frame.has_enhanced) {
    mpa_enhanced_encode(&frame.enhanced, enhanced);
    g_assert_cmpmem(enhanced, sizeof enhanced, frame.private_data, sizeof enhanced);
  }
  g_assert_cmpint(decode_startup_frame_read(&frame, input.octets, frame.frame_octets - 1), ==,
                  DECODE_STARTUP_PARTIAL);
}

/* Both come to the same, but for an Initiator that is in full operation as soon as it has the Reply: what
 * comes after that is an FPDU, unless it came together with the Reply (note M41). */
static void check_same(const mpa_startup *a, const mpa_startup *b, bool is_octet_behind)
{
  mpa_startup_state state = a->state;
  mpa_startup_state other = b->state;

  if (state != other && is_octet_behind) {
    g_assert_true(state == MPA_STARTUP_FULL_OPERATION || other == MPA_STARTUP_FULL_OPERATION);
    const mpa_startup *failed = state == MPA_STARTUP_FULL_OPERATION ? b : a;
    g_assert_cmpint(failed->reason, ==, MPA_STARTUP_REASON_EXTRA_OCTETS);
    return;
  }
  g_assert_cmpint(state, ==, other);
  g_assert_cmpint(a->reason, ==, b->reason);
}

int LLVMFuzzerTestOneInput(const uint8_t *octets, size_t length)
{
  fuzz_input input = {.octets = octets, .length = length};
  uint8_t flags = fuzz_input_octet(&input);
  mpa_startup_config config = config_of(&input, flags);
  size_t step = 1 + (size_t)fuzz_input_octet(&input);
  mpa_startup *in_pieces = begun(&config);
  mpa_startup *by_octets = begun(&config);
  mpa_startup *at_once = begun(&config);
  uint64_t taken = receive(in_pieces, input, step, flags);

  check(in_pieces, &config, input, taken);
  g_assert_cmpuint(receive(by_octets, input, 1, flags), ==, taken);
  g_assert_cmpuint(receive(at_once, input, MAX(input.length, 1), flags), ==, taken);
  bool is_octet_behind = config.role == SIDE_INITIATOR && taken < input.length;
  check_same(by_octets, in_pieces, is_octet_behind);
  check_same(at_once, in_pieces, is_octet_behind);
  check_reader(input);
  mpa_startup_free(at_once);
  mpa_startup_free(by_octets);
  mpa_startup_free(in_pieces);
  return 0;
}
