/* SPDX-License-Identifier: GPL-2.0-only */
#include "mpa/mpa_startup.h"

#include <glib.h>
#include <string.h>

#include "base/big_endian.h"

enum { PLAIN_REVISION = 1 }; /* RFC 5044 §7.1.1 */

static const uint8_t keys[][MPA_STARTUP_KEY_OCTETS + 1] = {
    [SIDE_INITIATOR] = "MPA ID Req Frame", /* MPA-237 */
    [SIDE_RESPONDER] = "MPA ID Rep Frame", /* MPA-238; capital F: note M38 */
};

static const char *const reason_texts[MPA_STARTUP_REASONS] = {
    [MPA_STARTUP_REASON_NONE] = "nothing is wrong",
    [MPA_STARTUP_REASON_KEY] = "the key of the startup frame is wrong",
    [MPA_STARTUP_REASON_SAME_ROLE] = "the peer started MPA in the same role",
    [MPA_STARTUP_REASON_REVISION] = "the revision of the startup frame is of another generation",
    [MPA_STARTUP_REASON_PRIVATE_DATA] =
        "the startup frame announces more Private Data than may be or than fits",
    [MPA_STARTUP_REASON_ENHANCED] = "the startup frame is enhanced and lacks the octets of IRD and ORD",
    [MPA_STARTUP_REASON_EXTRA_OCTETS] = "octets follow the startup frame where none may be",
    [MPA_STARTUP_REASON_TIMEOUT] = "no startup frame came in time",
    [MPA_STARTUP_REASON_TIMEOUT_PARTIAL] = "the startup frame was not complete in time",
    [MPA_STARTUP_REASON_REJECTED_BY_PEER] = "the peer rejected the connection",
    [MPA_STARTUP_REASON_REJECTED_BY_ULP] = "the ULP rejected the peer's Private Data",
    [MPA_STARTUP_REASON_REJECTED_FOR_IRD] =
        "rejected: the peer's IRD is less than the ORD that the ULP needs",
};

const char *mpa_startup_reason_text(mpa_startup_reason reason)
{
  g_assert(reason < MPA_STARTUP_REASONS);
  return reason_texts[reason];
}

mpa_startup *mpa_startup_new(const mpa_startup_config *config)
{
  mpa_startup *startup = g_new0(mpa_startup, 1);

  startup->config = *config;
  startup->rules = iwarp_generation_rules_of(config->generation);
  startup->deadline = TIME_PS_NEVER;
  return startup;
}

void mpa_startup_free(mpa_startup *startup)
{
  if (startup) {
    g_free(startup->private_data);
    g_free(startup->own_private_data);
    g_free(startup);
  }
}

bool mpa_startup_has_frames(const mpa_startup *startup)
{
  return startup->rules->startup_frames && startup->config.frames != MPA_STARTUP_FRAMES_NONE;
}

/* Returns whether this end has enhanced frames: an Initiator sends one (RFC 6581 §10: not when it wants
 * nothing enhanced), a Responder answers one. Without, an end of rfc6581 has those of RFC 5044. */
static bool has_enhanced(const mpa_startup *startup)
{
  return startup->config.enhanced.enabled && startup->rules->mpa_revision >= MPA_ENHANCED_REVISION;
}

/* Returns Rev of the frame that this end sends; the Responder has received one. */
static uint8_t own_revision(const mpa_startup *startup)
{
  if (startup->config.role == SIDE_RESPONDER) {
    return startup->header[MPA_STARTUP_REVISION_AT]; /* it takes no other than it can answer with */
  }
  return has_enhanced(startup) ? MPA_ENHANCED_REVISION : MIN(startup->rules->mpa_revision, PLAIN_REVISION);
}

/* Returns whether the frame received is enhanced, once its octets 16 and 17 are in. In revision 1 S is one of
 * Res (RFC 6581 §6). */
static bool is_enhanced(const mpa_startup *startup)
{
  return has_enhanced(startup) && startup->header[MPA_STARTUP_REVISION_AT] >= MPA_ENHANCED_REVISION &&
         (startup->header[MPA_STARTUP_FLAGS_AT] & MPA_STARTUP_FLAG_S);
}

/* mpa-01 §6.1 rules 2 and 3: a valid frame of the peer opens full operation, an improper one ends the
 * connection (MPA-204, MPA-205, MPA-215, MPA-216), a rejection only MPA (MPA-217). `reason`:
 * MPA_STARTUP_REASON_NONE when all is well. */
static void move_to(mpa_startup *startup, mpa_startup_state state, mpa_startup_reason reason)
{
  startup->state = state;
  startup->reason = reason;
  if (state != MPA_STARTUP_WAITING) {
    startup->deadline = TIME_PS_NEVER;
  }
}

static void set_own_private_data(mpa_startup *startup, const uint8_t *private_data, uint32_t length)
{
  /* MPA-255, note M40; "therefore reduced by 4 bytes" (RFC 6581 §9) */
  g_assert(length + (has_enhanced(startup) ? MPA_ENHANCED_OCTETS : 0) <=
           startup->rules->private_data_max_octets);
  g_free(startup->own_private_data);
  startup->own_private_data = length > 0 ? g_memdup2(private_data, length) : NULL;
  startup->own_private_data_octets = length;
}

void mpa_startup_begin(mpa_startup *startup, const uint8_t *private_data, uint32_t length, time_ps now)
{
  g_assert(startup->state == MPA_STARTUP_STREAMING);
  if (!mpa_startup_has_frames(startup)) {
    g_assert(private_data == NULL);
    /* mpa-02 §8.1: the agreed octet is all there is (MPA-183, MPA-189) */
    move_to(startup, MPA_STARTUP_FULL_OPERATION, MPA_STARTUP_REASON_NONE);
    return;
  }
  move_to(startup, MPA_STARTUP_WAITING, MPA_STARTUP_REASON_NONE);
  set_own_private_data(startup, private_data, private_data ? length : 0);
  /* mpa-01 §6.1 rules 8 and 10 give no number: the ULP's wish (MPA-228, MPA-233; note M45) */
  if (startup->config.timeout_ps > 0) {
    startup->deadline = time_ps_after(now, startup->config.timeout_ps);
  }
}

void mpa_startup_decide(mpa_startup *startup, bool accept, const uint8_t *private_data, uint32_t length)
{
  g_assert(startup->state == MPA_STARTUP_DECIDING);
  if (private_data) {
    set_own_private_data(startup, private_data, length);
  }
  /* mpa-01 §6.1 rule 6 (MPA-222, MPA-224); the peer must be silent until then (note M41) */
  move_to(startup, accept ? MPA_STARTUP_FULL_OPERATION : MPA_STARTUP_REJECTED,
          accept ? MPA_STARTUP_REASON_NONE : MPA_STARTUP_REASON_REJECTED_BY_ULP);
}

/* mpa-01 §6.1 rules 1 and 2: an Initiator starts with its Request (MPA-202); a Responder waits until a
 * Request is validated (MPA-204) and its ULP has judged it (MPA-206, MPA-210). */
static bool frame_is_due(const mpa_startup *startup)
{
  switch (startup->state) {
  case MPA_STARTUP_WAITING:
    return startup->config.role == SIDE_INITIATOR;
  case MPA_STARTUP_FULL_OPERATION:
    return mpa_startup_has_frames(startup);
  case MPA_STARTUP_REJECTED:
    return startup->config.role == SIDE_RESPONDER;
  default:
    return false;
  }
}

/* Returns whether the frame that this end sends is enhanced, and gives what goes into it. */
static bool make_enhanced(const mpa_startup *startup, mpa_enhanced *enhanced)
{
  const mpa_startup_config *config = &startup->config;

  if (config->role == SIDE_INITIATOR) {
    *enhanced = mpa_enhanced_request(&config->enhanced);
    return has_enhanced(startup);
  }
  /* RFC 6581 §10: "MUST respond with an enhanced MPA message", and with an unenhanced one to such. */
  if (!is_enhanced(startup)) {
    return false;
  }
  const mpa_enhanced request = mpa_enhanced_decode(startup->private_data);
  *enhanced = mpa_enhanced_reply(&config->enhanced, &request);
  return true;
}

bool mpa_startup_next_frame(mpa_startup *startup, buffer_chain *frame)
{
  if (startup->frame_sent || !frame_is_due(startup)) {
    return false;
  }
  mpa_enhanced enhanced;
  uint32_t enhanced_octets = make_enhanced(startup, &enhanced) ? MPA_ENHANCED_OCTETS : 0;
  uint32_t private_octets = enhanced_octets + startup->own_private_data_octets;
  uint32_t length = MPA_STARTUP_HEADER_OCTETS + private_octets; /* no pad, marker or CRC (MPA-236) */
  octet_buffer *buffer = octet_buffer_new(length);
  uint8_t *octets = octet_buffer_octets(buffer);

  memcpy(octets, keys[startup->config.role], MPA_STARTUP_KEY_OCTETS);
  octets[MPA_STARTUP_FLAGS_AT] =
      (uint8_t)((startup->config.markers ? MPA_STARTUP_FLAG_M : 0) |
                (startup->config.crc ? MPA_STARTUP_FLAG_C : 0) |
                (startup->state == MPA_STARTUP_REJECTED ? MPA_STARTUP_FLAG_R : 0) | /* MPA-248, MPA-249 */
                (enhanced_octets > 0 ? MPA_STARTUP_FLAG_S : 0));
  octets[MPA_STARTUP_REVISION_AT] = own_revision(startup);
  big_endian_write_16(octets + MPA_STARTUP_LENGTH_AT, (uint16_t)private_octets);
  octets += MPA_STARTUP_HEADER_OCTETS;
  if (enhanced_octets > 0) {
    mpa_enhanced_encode(&enhanced, octets);
  }
  if (startup->own_private_data) {
    memcpy(octets + enhanced_octets, startup->own_private_data, startup->own_private_data_octets);
  }
  buffer_chain_append(frame, octet_buffer_octets(buffer), length, buffer);
  octet_buffer_unref(buffer);
  startup->frame_sent = true;
  return true;
}

/* PD_Length; its value with a zero for the octet that has not come yet. */
static uint32_t private_data_octets(const mpa_startup *startup)
{
  return big_endian_read_16(startup->header + MPA_STARTUP_LENGTH_AT);
}

uint64_t mpa_startup_received_frame_octets(const mpa_startup *startup)
{
  return startup->received < MPA_STARTUP_HEADER_OCTETS
             ? 0
             : MPA_STARTUP_HEADER_OCTETS + private_data_octets(startup);
}

/* Returns whether Rev is one that this end takes: its own (mpa-01 §6.1.1, MPA-252); an enhanced Responder
 * "MUST continue to accept MPA Requests with version one" (RFC 6581 §6). */
static bool accepts_revision(const mpa_startup *startup)
{
  uint8_t revision = startup->header[MPA_STARTUP_REVISION_AT];
  uint8_t plain = MIN(startup->rules->mpa_revision, PLAIN_REVISION);

  if (has_enhanced(startup)) {
    return revision == MPA_ENHANCED_REVISION || (startup->config.role == SIDE_RESPONDER && revision == plain);
  }
  return revision == plain;
}

/* Returns what is wrong with octet number `index` of the peer's frame, the last of those received. */
static mpa_startup_reason judge_octet(const mpa_startup *startup, uint32_t index)
{
  if (index < MPA_STARTUP_KEY_OCTETS) {
    /* mpa-01 §6.1 rule 5, §6.1.1: each end knows which frame it must get (MPA-221, MPA-239, MPA-240). The two
     * keys part at one octet, and that one shows that both ends have the same role (rule 8, MPA-227). */
    enum side role = startup->config.role;
    uint8_t octet = startup->header[index];

    if (octet == keys[side_peer(role)][index]) {
      return MPA_STARTUP_REASON_NONE;
    }
    return octet == keys[role][index] ? MPA_STARTUP_REASON_SAME_ROLE : MPA_STARTUP_REASON_KEY;
  }
  if (index == MPA_STARTUP_REVISION_AT && startup->config.frames != MPA_STARTUP_FRAMES_OF_ANY_REVISION &&
      !accepts_revision(startup)) {
    return MPA_STARTUP_REASON_REVISION;
  }
  if (index >= MPA_STARTUP_LENGTH_AT) {
    /* mpa-01 §6.1 rule 9 (MPA-229, MPA-230, MPA-232); one octet of a length may already be too much */
    uint32_t before = is_enhanced(startup) ? MPA_ENHANCED_OCTETS : 0; /* not for the ULP's buffer */
    uint32_t limit =
        MIN(startup->rules->private_data_max_octets, startup->config.private_data_capacity_octets + before);

    if (private_data_octets(startup) > limit) {
      return MPA_STARTUP_REASON_PRIVATE_DATA;
    }
    if (index > MPA_STARTUP_LENGTH_AT && private_data_octets(startup) < before) {
      return MPA_STARTUP_REASON_ENHANCED;
    }
  }
  return MPA_STARTUP_REASON_NONE; /* R in a Request and Res have no meaning (MPA-248, MPA-250) */
}

/* Takes octets of the frame's first 20; returns how many, a wrong one being the last. */
static uint32_t receive_header(mpa_startup *startup, const buffer_chain *octets)
{
  uint32_t taken = 0;

  while (startup->received < MPA_STARTUP_HEADER_OCTETS && taken < octets->length) {
    uint32_t index = startup->received++;

    startup->header[index] = buffer_chain_at(octets, taken++);
    mpa_startup_reason reason = judge_octet(startup, index);
    if (reason != MPA_STARTUP_REASON_NONE) {
      move_to(startup, MPA_STARTUP_FAILED, reason);
      break;
    }
  }
  return taken;
}

/* Takes the Private Data that is among the octets after the first `taken`; returns how much. PD_Length of it
 * and no more (MPA-231), for which there is room (MPA-230). */
static uint32_t receive_private_data(mpa_startup *startup, const buffer_chain *octets, uint32_t taken)
{
  uint32_t total = private_data_octets(startup);
  uint32_t done = startup->received - MPA_STARTUP_HEADER_OCTETS;
  uint32_t length = MIN(total - done, octets->length - taken);

  if (length == 0) {
    return 0;
  }
  if (startup->private_data == NULL) {
    startup->private_data = g_malloc(total);
  }
  buffer_chain_copy_out(octets, taken, length, startup->private_data + done);
  startup->received += length;
  return length;
}

/* The peer's frame is whole and valid; `more_follows`: more octets came after it. */
static void finish_frame(mpa_startup *startup, bool more_follows)
{
  const mpa_startup_config *config = &startup->config;

  if (is_enhanced(startup)) {
    const mpa_enhanced peer = mpa_enhanced_decode(startup->private_data);
    startup->agreement = mpa_enhanced_agree(&config->enhanced, config->role, &peer);
  } else if (has_enhanced(startup) && config->role == SIDE_INITIATOR) {
    /* RFC 6581 §10: the Responder "MUST respond with an enhanced MPA message". §9.3: code 5 where there is
     * none for an error (note M52). */
    startup->agreement.error = MPA_ERROR_LOCAL;
  }
  /* R counts in a Reply only (MPA-248, MPA-249). What comes after a rejection is the ULP's (note M41). */
  if (config->role == SIDE_INITIATOR && (startup->header[MPA_STARTUP_FLAGS_AT] & MPA_STARTUP_FLAG_R)) {
    move_to(startup, MPA_STARTUP_REJECTED, MPA_STARTUP_REASON_REJECTED_BY_PEER);
    return;
  }
  if (config->role == SIDE_RESPONDER && startup->agreement.error != MPA_ERROR_NONE) {
    move_to(startup, MPA_STARTUP_REJECTED, MPA_STARTUP_REASON_REJECTED_FOR_IRD);
    return;
  }
  /* Neither end may send an FPDU before it has our answer to this frame: the Initiator waits for the Reply
   * (MPA-215), the Responder for the first FPDU (MPA-219). The documents leave open what more octets are
   * then; they count as a malformed frame (note M41). */
  if (more_follows) {
    move_to(startup, MPA_STARTUP_FAILED, MPA_STARTUP_REASON_EXTRA_OCTETS);
    return;
  }
  move_to(startup, config->ulp_decides ? MPA_STARTUP_DECIDING : MPA_STARTUP_FULL_OPERATION,
          MPA_STARTUP_REASON_NONE);
}

uint32_t mpa_startup_receive(mpa_startup *startup, const buffer_chain *octets)
{
  if (octets->length == 0) {
    return 0;
  }
  if (startup->state != MPA_STARTUP_WAITING) { /* the peer's frame was complete already */
    bool reply_is_owed = startup->state == MPA_STARTUP_FULL_OPERATION && mpa_startup_has_frames(startup) &&
                         !startup->frame_sent;
    if (startup->state == MPA_STARTUP_DECIDING || reply_is_owed) {
      move_to(startup, MPA_STARTUP_FAILED, MPA_STARTUP_REASON_EXTRA_OCTETS);
    }
    return 0;
  }
  uint32_t taken = receive_header(startup, octets);
  if (startup->state == MPA_STARTUP_FAILED || startup->received < MPA_STARTUP_HEADER_OCTETS) {
    return taken;
  }
  taken += receive_private_data(startup, octets, taken);
  if (startup->received == mpa_startup_received_frame_octets(startup)) {
    finish_frame(startup, taken < octets->length);
  }
  return taken;
}

void mpa_startup_run(mpa_startup *startup, time_ps now)
{
  if (now < startup->deadline) {
    return;
  }
  /* Two Responders wait for each other for ever (mpa-01 §6.1 rule 8, MPA-228); a frame that stops midway is
   * rule 10's (MPA-233). No code is given for either: like an invalid frame. */
  move_to(startup, MPA_STARTUP_FAILED,
          startup->received == 0 ? MPA_STARTUP_REASON_TIMEOUT : MPA_STARTUP_REASON_TIMEOUT_PARTIAL);
}

const uint8_t *mpa_startup_private_data(const mpa_startup *startup, uint32_t *length)
{
  bool valid = startup->state == MPA_STARTUP_DECIDING || startup->state == MPA_STARTUP_FULL_OPERATION ||
               startup->state == MPA_STARTUP_REJECTED;

  uint32_t before = is_enhanced(startup) ? MPA_ENHANCED_OCTETS : 0;

  *length = valid ? private_data_octets(startup) - before : 0;
  return *length > 0 ? startup->private_data + before : NULL;
}

/* Returns whether the peer's frame has `flag`; where there are no frames markers and CRC are always there
 * (mpa-02 §3.2, §7.1, §7.2: MPA-093, MPA-114). */
static bool peer_has_flag(const mpa_startup *startup, uint8_t flag)
{
  g_assert(startup->state == MPA_STARTUP_FULL_OPERATION);
  return startup->rules->markers_and_crc_always || (startup->header[MPA_STARTUP_FLAGS_AT] & flag) != 0;
}

bool mpa_startup_send_markers(const mpa_startup *startup)
{
  return peer_has_flag(startup, MPA_STARTUP_FLAG_M); /* mpa-01 §6.1.1 (MPA-242, MPA-243) */
}

bool mpa_startup_receive_markers(const mpa_startup *startup)
{
  g_assert(startup->state == MPA_STARTUP_FULL_OPERATION);
  return startup->rules->markers_and_crc_always || startup->config.markers;
}

bool mpa_startup_crc(const mpa_startup *startup)
{
  return startup->config.crc || peer_has_flag(startup, MPA_STARTUP_FLAG_C); /* mpa-01 §6.1.1 (MPA-244) */
}
