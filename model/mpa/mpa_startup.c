#include "mpa/mpa_startup.h"

#include <glib.h>
#include <string.h>

#include "base/big_endian.h"

enum {
  KEY_OCTETS = 16,
  FLAGS_AT = 16,
  REVISION_AT = 17,
  PRIVATE_DATA_LENGTH_AT = 18,
  HEADER_OCTETS = 20,
};

/* Octet 16 (mpa-01 §6.1.1, MPA-235). */
enum { FLAG_MARKERS = 0x80, FLAG_CRC = 0x40, FLAG_REJECTED = 0x20 };

static const uint8_t request_key[KEY_OCTETS + 1] = "MPA ID Req Frame"; /* MPA-237 */
static const uint8_t reply_key[KEY_OCTETS + 1] = "MPA ID Rep Frame";   /* MPA-238; capital F: notes-mpa 38 */

struct mpa_startup {
  const mpa_generation_rules *rules;
  mpa_role role;
  bool markers; /* we want them in what we receive */
  bool crc;
  bool frame_sent;
  mpa_startup_state state;
  uint32_t received;             /* octets of the peer's frame so far */
  uint8_t header[HEADER_OCTETS]; /* its first octets */
};

mpa_startup *mpa_startup_new(mpa_generation generation, mpa_role role, bool markers, bool crc)
{
  mpa_startup *startup = g_new0(mpa_startup, 1);

  startup->rules = mpa_generation_rules_of(generation);
  startup->role = role;
  startup->markers = markers;
  startup->crc = crc;
  startup->state = MPA_STARTUP_WAITING;
  return startup;
}

void mpa_startup_free(mpa_startup *startup)
{
  g_free(startup);
}

bool mpa_startup_next_frame(mpa_startup *startup, octet_rope *frame)
{
  /* mpa-01 §6.1 rules 1 and 2: the Responder waits for a validated Request (MPA-202, MPA-204). */
  bool allowed = startup->role == MPA_INITIATOR || startup->state == MPA_STARTUP_FULL_OPERATION;

  if (startup->frame_sent || startup->state == MPA_STARTUP_FAILED || !allowed) {
    return false;
  }
  octet_block *block = octet_block_new(HEADER_OCTETS);
  uint8_t *octets = octet_block_octets(block);
  memset(octets, 0, HEADER_OCTETS); /* R, Res and PD_Length: we never reject and have no Private Data */
  memcpy(octets, startup->role == MPA_INITIATOR ? request_key : reply_key, KEY_OCTETS);
  octets[FLAGS_AT] = (uint8_t)((startup->markers ? FLAG_MARKERS : 0) | (startup->crc ? FLAG_CRC : 0));
  octets[REVISION_AT] = startup->rules->revision;
  octet_rope_append(frame, octets, HEADER_OCTETS, block);
  octet_block_unref(block);
  startup->frame_sent = true;
  return true;
}

uint64_t mpa_startup_received_frame_octets(const mpa_startup *startup)
{
  if (startup->received < HEADER_OCTETS) {
    return 0;
  }
  return HEADER_OCTETS + big_endian_read_16(startup->header + PRIVATE_DATA_LENGTH_AT);
}

/* Whether octet number `index` of the peer's frame, the last of those received, may be what it is. */
static bool octet_is_valid(const mpa_startup *startup, uint32_t index)
{
  /* mpa-01 §6.1 rule 8, §6.1.1: each end knows which frame it must get; two Initiators find each other out
   * here (MPA-227, MPA-239, MPA-240). */
  const uint8_t *key = startup->role == MPA_INITIATOR ? reply_key : request_key;

  if (index < KEY_OCTETS) {
    return startup->header[index] == key[index];
  }
  if (index == FLAGS_AT) {
    /* R counts in a Reply only (MPA-248, MPA-249); Res never does (MPA-250). A rejected Initiator leaves
     * MPA (MPA-217). No Responder of ours rejects and no ULP of ours could go on without MPA, so it fails
     * like a malformed frame. */
    return startup->role == MPA_RESPONDER || !(startup->header[FLAGS_AT] & FLAG_REJECTED);
  }
  if (index == REVISION_AT) {
    return startup->header[REVISION_AT] == startup->rules->revision; /* MPA-252 */
  }
  if (index == HEADER_OCTETS - 1) {
    /* mpa-01 §6.1 rule 9 (MPA-229, MPA-232) */
    return mpa_startup_received_frame_octets(startup) - HEADER_OCTETS <=
           startup->rules->private_data_max_octets;
  }
  return true;
}

/* Takes octets of the frame's first 20; returns how many, a wrong one being the last. */
static uint32_t receive_header(mpa_startup *startup, const octet_rope *octets)
{
  uint32_t taken = 0;

  while (startup->received < HEADER_OCTETS && taken < octets->length) {
    uint32_t index = startup->received++;

    startup->header[index] = octet_rope_at(octets, taken++);
    if (!octet_is_valid(startup, index)) {
      startup->state = MPA_STARTUP_FAILED; /* mpa-01 §6.1 rule 5, §7 (MPA-221, MPA-279) */
      break;
    }
  }
  return taken;
}

uint32_t mpa_startup_receive(mpa_startup *startup, const octet_rope *octets)
{
  if (startup->state != MPA_STARTUP_WAITING) {
    return 0;
  }
  uint32_t taken = receive_header(startup, octets);
  if (startup->state == MPA_STARTUP_FAILED || startup->received < HEADER_OCTETS) {
    return taken;
  }
  /* Private Data is the ULP's; ours has no use for it and lets it pass (MPA-256). */
  uint64_t missing = mpa_startup_received_frame_octets(startup) - startup->received;
  uint32_t private_data = (uint32_t)MIN(missing, octets->length - taken);
  startup->received += private_data;
  taken += private_data;
  if (private_data < missing) {
    return taken;
  }
  /* Neither end may send an FPDU before it has our answer to this frame: the Initiator waits for the Reply
   * (MPA-215), the Responder for the first FPDU (MPA-219). The documents do not say what more octets are
   * then; they count as a malformed frame (notes-mpa 41). */
  startup->state = taken == octets->length ? MPA_STARTUP_FULL_OPERATION : MPA_STARTUP_FAILED;
  return taken;
}

mpa_startup_state mpa_startup_state_of(const mpa_startup *startup)
{
  return startup->state;
}

static bool peer_has_flag(const mpa_startup *startup, uint8_t flag)
{
  g_assert(startup->state == MPA_STARTUP_FULL_OPERATION);
  return (startup->header[FLAGS_AT] & flag) != 0;
}

bool mpa_startup_send_markers(const mpa_startup *startup)
{
  return peer_has_flag(startup, FLAG_MARKERS); /* mpa-01 §6.1.1 (MPA-242, MPA-243) */
}

bool mpa_startup_receive_markers(const mpa_startup *startup)
{
  g_assert(startup->state == MPA_STARTUP_FULL_OPERATION);
  return startup->markers;
}

bool mpa_startup_crc(const mpa_startup *startup)
{
  return startup->crc || peer_has_flag(startup, FLAG_CRC); /* mpa-01 §6.1.1 (MPA-244) */
}
