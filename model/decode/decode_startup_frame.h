/* SPDX-License-Identifier: GPL-2.0-only */
/* An MPA startup frame, Request or Reply, as it stands on the wire: every bit, whatever its value (mpa-01
 * §6.1.1; RFC 5044 §7.1.1; RFC 6581 §5, §9 for Revision 2 and its Enhanced RDMA Connection Establishment). */
#ifndef DECODE_DECODE_STARTUP_FRAME_H
#define DECODE_DECODE_STARTUP_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  DECODE_STARTUP_KEY_OCTETS = 16,
  DECODE_STARTUP_HEADER_OCTETS = 20,
  DECODE_STARTUP_FRAME_MAX_OCTETS = DECODE_STARTUP_HEADER_OCTETS + 65535,
  DECODE_ENHANCED_OCTETS = 4,
};

/* The first four octets of a Revision 2 frame's Private Data, when its S bit is set (RFC 6581 §9). */
typedef struct decode_enhanced_setup {
  bool peer_to_peer;                       /* A */
  bool ready_to_receive_zero_length_send;  /* B */
  uint16_t ird;                            /* 14 bits */
  bool ready_to_receive_zero_length_write; /* C */
  bool ready_to_receive_zero_length_read;  /* D */
  uint16_t ord;                            /* 14 bits */
} decode_enhanced_setup;

typedef struct decode_startup_frame {
  bool is_reply;
  bool markers;                 /* M: wanted in what its sender receives */
  bool crc;                     /* C */
  bool rejected;                /* R */
  bool enhanced_flag;           /* S, Revision 2: one of the Res bits of earlier revisions */
  uint8_t reserved;             /* the Res bits as received (5; of Revision 2 4) */
  uint8_t revision;             /* Rev */
  uint16_t private_data_octets; /* PD_Length */
  const uint8_t *private_data;  /* NULL when none were read; lies in what was decoded */
  uint16_t private_data_read;   /* octets of them; all, of a whole frame */
  bool has_enhanced;            /* enhanced_flag, and four octets of them were read */
  decode_enhanced_setup enhanced;
  uint32_t frame_octets; /* header and Private Data */
} decode_startup_frame;

typedef enum decode_startup_result {
  DECODE_STARTUP_NONE,    /* these octets do not start with a key */
  DECODE_STARTUP_PARTIAL, /* so far they could be a frame; more are needed */
  DECODE_STARTUP_WHOLE,
} decode_startup_result;

/* Reads what `octets` start with; `frame` is filled in when that is a frame, whole or with its first
 * DECODE_STARTUP_HEADER_OCTETS octets at least. Judges no field. */
decode_startup_result decode_startup_frame_read(decode_startup_frame *frame, const uint8_t *octets,
                                                size_t length);

#endif
