/* SPDX-License-Identifier: GPL-2.0-only */
/* These are the octets that an MPA Initiator sends: RDMA Writes of 64 KiB and a Send without payload, in
 * FPDUs with markers and CRC (RFC 5044, revision 1). Written without the model's MPA, which is to read it. */
#pragma once

#include <glib.h>
#include <stdint.h>

enum { LIVE_FRAME_OCTETS = 20 }; /* of each startup frame, without private data */

typedef struct live_stream {
  GByteArray *octets; /* after the startup frame */
  GArray *ends;       /* of uint32_t: where each FPDU ends */
} live_stream;

void live_stream_init(live_stream *stream, uint32_t messages, uint32_t emss);

/* Makes the startup frame: the Initiator's with "Req", the Responder's with "Rep". */
void live_stream_frame(uint8_t frame[LIVE_FRAME_OCTETS], const char *word);
