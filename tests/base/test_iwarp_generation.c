/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of generations against docs/protocol-notes.md, "Generations", value by value. */
#include "base/iwarp_generation.h"
#include "test.h"

/* rdmac: DV 0 and RV 0, no startup frames, markers and CRC always (DDP-046); what may be invalidated: note
 * D55. */
TEST(test_rdmac)
{
  const iwarp_generation_rules *rules = iwarp_generation_rules_of(IWARP_RDMAC);

  EXPECT_FIELDS(rules, (startup_frames, false), (markers_and_crc_always, true), (responder_waits, false),
                (private_data_max_octets, 0), (ddp_version, 0), (rdmap_version, 0),
                (shared_stag_is_invalidable, true));
}

/* ietf: startup frames of Rev 0 with up to 65535 octets (note M40), the rest negotiated; DV 1 and RV 1. A
 * shared STag is invalidated all the same: rdmap-00 §7.3 has no condition but the association (note D55). */
TEST(test_ietf)
{
  const iwarp_generation_rules *rules = iwarp_generation_rules_of(IWARP_IETF);

  EXPECT_FIELDS(rules, (startup_frames, true), (mpa_revision, 0), (private_data_max_octets, 65535),
                (markers_and_crc_always, false), (responder_waits, true), (ddp_version, 1),
                (rdmap_version, 1), (shared_stag_is_invalidable, true));
}

/* rfc: as ietf, but Rev 1 and 512 octets, and no shared STag is invalidated (rfc5040 §8.1.1 item 7). */
TEST(test_rfc)
{
  const iwarp_generation_rules *rules = iwarp_generation_rules_of(IWARP_RFC);

  EXPECT_FIELDS(rules, (startup_frames, true), (mpa_revision, 1), (private_data_max_octets, 512),
                (markers_and_crc_always, false), (responder_waits, true), (ddp_version, 1),
                (rdmap_version, 1), (shared_stag_is_invalidable, false));
}

/* rfc6581: as rfc, but Rev 2 (RFC 6581 §6; PD_Length has the limit of RFC 5044), and the opcodes of RFC 7306.
 */
TEST(test_rfc6581)
{
  const iwarp_generation_rules *rules = iwarp_generation_rules_of(IWARP_RFC6581);

  EXPECT_FIELDS(rules, (startup_frames, true), (mpa_revision, 2), (private_data_max_octets, 512),
                (markers_and_crc_always, false), (responder_waits, true), (ddp_version, 1),
                (rdmap_version, 1), (shared_stag_is_invalidable, false), (rdmap_extensions, true));
  for (iwarp_generation earlier = 0; earlier < IWARP_RFC6581; earlier++) {
    g_assert_false(iwarp_generation_rules_of(earlier)->rdmap_extensions);
  }
}

/* These are the scenario's words. */
TEST(test_names)
{
  static const char *const names[IWARP_GENERATIONS] = {
      [IWARP_RDMAC] = "rdmac", [IWARP_IETF] = "ietf", [IWARP_RFC] = "rfc", [IWARP_RFC6581] = "rfc6581"};

  for (int i = 0; i < IWARP_GENERATIONS; i++) {
    g_assert_cmpstr(iwarp_generation_rules_of((iwarp_generation)i)->name, ==, names[i]);
  }
}
