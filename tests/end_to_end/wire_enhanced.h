/* SPDX-License-Identifier: GPL-2.0-only */
/* The enhanced data of startup frames, and what the two frames of a connection may have in it. Written from
 * RFC 6581 alone; shares no code with model/. */
#pragma once

#include "wire_capture.h"

/* RFC 6581 §9.2: the RTR indications, a bit each */
enum { WIRE_RTR_SEND = 1 /* B */, WIRE_RTR_WRITE = 2 /* C */, WIRE_RTR_READ = 4 /* D */ };

/* RFC 6581 §9.1: no automatic negotiation of this value */
enum { WIRE_NOT_NEGOTIATED = 0x3FFF, WIRE_ENHANCED_OCTETS = 4 };

typedef struct wire_enhanced {
  gboolean peer_to_peer; /* A */
  guint rtrs;
  guint ird, ord;
} wire_enhanced;

/* Reads the first WIRE_ENHANCED_OCTETS of Private Data. */
wire_enhanced wire_enhanced_read(const guint8 *octets);

/* Adds to `complaints` what an enhanced Request and its enhanced Reply must not have. */
void wire_enhanced_check(const wire_enhanced *request, const wire_enhanced *reply, gboolean reply_rejects,
                         GPtrArray *complaints);
