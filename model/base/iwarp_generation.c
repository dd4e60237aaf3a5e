/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/iwarp_generation.h"

#include <glib.h>

static const iwarp_generation_rules rows[IWARP_GENERATIONS] = {
    [IWARP_RDMAC] = {.name = "rdmac",
                     .markers_and_crc_always = true, /* mpa-02 §3.2, §7.1, §7.2 (MPA-093, MPA-114) */
                     .ddp_version = 0,               /* ddp-v1.0 §6.1 (DDP-046) */
                     .rdmap_version = 0,
                     .shared_stag_is_invalidable = true},
    [IWARP_IETF] = {.name = "ietf",
                    .startup_frames = true,
                    .mpa_revision = 0,                /* MPA-251 */
                    .private_data_max_octets = 65535, /* note M40 */
                    .responder_waits = true,          /* MPA-219 */
                    .ddp_version = 1,                 /* DDP-047 */
                    .rdmap_version = 1,               /* RDMAP-046 */
                    .shared_stag_is_invalidable = true},
    [IWARP_RFC] = {.name = "rfc",
                   .startup_frames = true,
                   .mpa_revision = 1,              /* RFC 5044 */
                   .private_data_max_octets = 512, /* RFC 5044 */
                   .responder_waits = true,
                   .ddp_version = 1,
                   .rdmap_version = 1,
                   .shared_stag_is_invalidable = false}, /* rfc5040 §8.1.1 item 7 (RDMAP-274) */
    [IWARP_RFC6581] = {.name = "rfc6581",
                       .startup_frames = true,
                       .mpa_revision = 2, /* RFC 6581 §6; without enhanced frames 1 */
                       .private_data_max_octets = 512,
                       .responder_waits = true,
                       .ddp_version = 1,
                       .rdmap_version = 1,
                       .shared_stag_is_invalidable = false,
                       .rdmap_extensions = true},
};

const iwarp_generation_rules *iwarp_generation_rules_of(iwarp_generation generation)
{
  g_assert(generation < IWARP_GENERATIONS);
  return &rows[generation];
}
