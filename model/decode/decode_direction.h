/* SPDX-License-Identifier: GPL-2.0-only */
/* This is one direction of a connection that speaks MPA: from its segments to FPDUs, sums and notes. */
#pragma once

#include "decode/decode_check.h"
#include "decode/decode_reader.h"
#include "decode/decode_stream.h"
#include "net/capture_packet.h"

/* MPA starts here in a direction. */
typedef struct decode_direction_start {
  uint32_t first_sequence; /* capture_stream_new() */
  uint64_t first_position;
  uint64_t startup_position; /* stream position of the startup frame, … */
  uint32_t startup_octets;   /* … and its length; 0: there is none */
  bool in_full_operation;    /* FPDUs follow; else all but the startup frame is streaming mode's */
  bool is_found;             /* where they start was searched */
  bool is_lost;              /* FPDUs follow, but it is not known where: no FPDU is located */
  uint64_t phase_start;      /* stream position of the first octet of an FPDU … */
  uint64_t phase_offset;     /* … which has this offset in the FPDU phase */
  bool markers;
  bool crc;
} decode_direction_start;

typedef struct decode_direction decode_direction;

/* `tools` and `connection`, whose sums of `from` it makes, outlive it, and so does `peer`, where the other
 * direction is; NULL there: that has not begun. Free with decode_direction_free()
 * (NULL is allowed). */
decode_direction *decode_direction_new(const decode_tools *tools, decode_connection *connection,
                                       enum side from, const decode_direction_start *start,
                                       decode_direction *const *peer);
void decode_direction_free(decode_direction *direction);

/* Takes the next segment of this direction, whose checksum is good enough. */
void decode_direction_receive(decode_direction *direction, const capture_segment *segment);

/* Returns the stream position of a sequence number, 0 for one below; and the sequence number of the in-order
 * edge. */
uint64_t decode_direction_position(const decode_direction *direction, uint32_t sequence);
uint32_t decode_direction_edge(const decode_direction *direction);

/* No further segment comes, which is known at `time_ns`: what waits is decided, notes are reported, the
 * summary is completed. To be called once. */
void decode_direction_finish(decode_direction *direction, int64_t time_ns);

/* Both directions are finished: reports Responses of the other direction that are not as the Requests of this
 * one ask, and too many Reads of this one, if all its FPDUs are in the capture, from the startup frame on. */
void decode_direction_judge_reads(decode_direction *direction);
