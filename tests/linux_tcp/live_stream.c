/* SPDX-License-Identifier: GPL-2.0-only */
#include "live_stream.h"

#include <stdio.h>
#include <string.h>

#include "base/crc32c.h"

enum { MARKER_DISTANCE = 512, MESSAGE_OCTETS = 65536, TAGGED = 14, UNTAGGED = 18 };

/* An FPDU is written here. */
typedef struct fpdu_writer {
  GByteArray *octets;
  uint32_t start;  /* of the FPDU, with a marker that stands before its length */
  uint32_t header; /* of its length, which markers point to */
} fpdu_writer;

/* Adds octets, by RFC 5044 §4.3: a marker every 512 octets, from the first FPDU's first octet on. */
static void add(fpdu_writer *fpdu, const uint8_t *octets, uint32_t length)
{
  for (uint32_t i = 0; i < length; i++) {
    uint32_t at = fpdu->octets->len;
    if (at % MARKER_DISTANCE == 0) {
      bool before = at == fpdu->start;
      uint32_t pointer = before ? 0 : at - fpdu->header;
      uint8_t marker[4] = {0, 0, (uint8_t)(pointer >> 8), (uint8_t)pointer};
      g_byte_array_append(fpdu->octets, marker, sizeof marker);
      fpdu->header = before ? at + 4 : fpdu->header;
    }
    g_byte_array_append(fpdu->octets, octets + i, 1);
  }
}

static void add_fpdu(live_stream *stream, const uint8_t *head, uint32_t head_octets, uint32_t payload_octets)
{
  fpdu_writer fpdu = {.octets = stream->octets, .start = stream->octets->len, .header = stream->octets->len};
  uint32_t ulpdu = head_octets + payload_octets;
  uint8_t octets[MESSAGE_OCTETS] = {0};
  uint8_t length[2] = {(uint8_t)(ulpdu >> 8), (uint8_t)ulpdu};
  uint8_t crc[4];

  for (uint32_t i = 0; i < payload_octets; i++) {
    octets[i] = (uint8_t)(stream->ends->len + i);
  }
  add(&fpdu, length, sizeof length);
  add(&fpdu, head, head_octets);
  add(&fpdu, octets, payload_octets);
  memset(octets, 0, sizeof crc);
  add(&fpdu, octets, (4 - (ulpdu + 2) % 4) % 4);
  add(&fpdu, octets, sizeof crc); /* the marker that may stand before the CRC is covered, too (§4.4) */
  uint32_t at = stream->octets->len - (uint32_t)sizeof crc;
  crc32c_write(crc32c_update(CRC32C_INITIAL, stream->octets->data + fpdu.start, at - fpdu.start), crc);
  memcpy(stream->octets->data + at, crc, sizeof crc);
  g_array_append_val(stream->ends, stream->octets->len);
}

void live_stream_init(live_stream *stream, uint32_t messages, uint32_t emss)
{
  /* MULPDU (RFC 5044 Appendix A.2): the EMSS without length, CRC, markers and what no pad fills. */
  uint32_t mulpdu = emss - (6 + 4 * ((emss + MARKER_DISTANCE - 1) / MARKER_DISTANCE) + emss % 4);
  uint32_t largest = mulpdu - TAGGED;
  /* DDP's and RDMAP's first octets (RFC 5041 §4.1, RFC 5040 §4.1): tagged or not, last, versions 1, opcode.
   */
  uint8_t tagged[TAGGED] = {0x81, 0x40, 0, 0, 1, 0};
  uint8_t untagged[UNTAGGED] = {0x41, 0x43, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};

  stream->octets = g_byte_array_sized_new(messages * (MESSAGE_OCTETS + 4096));
  stream->ends = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  for (uint32_t message = 0; message < messages; message++) {
    for (uint32_t offset = 0; offset < MESSAGE_OCTETS; offset += largest) {
      uint32_t octets = MIN(largest, MESSAGE_OCTETS - offset);
      tagged[0] = offset + octets == MESSAGE_OCTETS ? 0xC1 : 0x81;
      tagged[12] = (uint8_t)(offset >> 8);
      tagged[13] = (uint8_t)offset;
      add_fpdu(stream, tagged, TAGGED, octets);
    }
  }
  add_fpdu(stream, untagged, UNTAGGED, 0);
}

void live_stream_frame(uint8_t frame[LIVE_FRAME_OCTETS], const char *word)
{
  char text[LIVE_FRAME_OCTETS + 1];
  snprintf(text, sizeof text, "MPA ID %s Frame", word);
  memcpy(frame, text, 16);
  frame[16] = 0xC0; /* markers and CRC */
  frame[17] = 1;    /* revision */
  frame[18] = frame[19] = 0;
}
