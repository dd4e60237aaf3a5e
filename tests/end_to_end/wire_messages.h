/* SPDX-License-Identifier: GPL-2.0-only */
/* From the FPDUs of a connection to its RDMA Messages: checks the DDP and RDMAP header fields, the order of
 * segments and numbers, and that Terminates fit what they answer (wire_responses: that responses do). Written
 * from ddp-07/rfc5041, rdmap-00, RFC 5040, RFC 6581 and RFC 7306 alone; shares no code with model/. */
#pragma once

#include "marked_decoder.h"

/* This is rdmap-00 §6.1, figure 4, and RFC 7306 §4.1, figure 2, from Immediate Data on */
enum {
  WIRE_WRITE,
  WIRE_READ_REQUEST,
  WIRE_READ_RESPONSE,
  WIRE_SEND,
  WIRE_SEND_INVALIDATE,
  WIRE_SEND_SE,
  WIRE_SEND_SE_INVALIDATE,
  WIRE_TERMINATE,
  WIRE_IMMEDIATE,
  WIRE_IMMEDIATE_SE,
  WIRE_ATOMIC_REQUEST,
  WIRE_ATOMIC_RESPONSE,
  WIRE_OPCODES
};

/* RFC 7306 §5.2.1, figure 5: AOpCode */
enum { WIRE_FETCH_ADD = 0, WIRE_COMPARE_SWAP = 2 };

typedef struct wire_read {
  guint32 sink_stag;
  guint64 sink_offset;
  guint32 octets;
  guint32 source_stag;
  guint64 source_offset;
} wire_read;

/* RFC 7306 §5.2.1, figure 4 */
typedef struct wire_atomic {
  guint operation;
  guint32 identifier;
  guint32 stag;
  guint64 offset;
  guint64 data, mask; /* add or swap */
  guint64 compare, compare_mask;
} wire_atomic;

typedef struct wire_terminate {
  guint layer, type, code;
  gboolean has_length, has_ddp_header, has_rdma_header; /* M, D, R */
  guint32 segment_octets;
  wire_read read; /* has_rdma_header */
} wire_terminate;

typedef struct wire_message {
  guint opcode;
  gboolean is_tagged;
  gboolean is_whole;       /* the segment with L came */
  guint32 segments;        /* so many FPDUs */
  guint64 octets;          /* of payload */
  guint32 stag;            /* tagged */
  guint64 offset;          /* tagged: TO of the first octet */
  guint32 queue;           /* untagged */
  guint32 number;          /* untagged: MSN */
  guint32 invalidate_stag; /* of the Sends with Invalidate */
  guint64 start, end;      /* stream positions: its first FPDU, and after its last */
  wire_read read;          /* of a Read Request */
  wire_atomic atomic;      /* of an Atomic Request; of an Atomic Response the identifier alone */
  guint64 value;           /* Immediate Data; the original value of an Atomic Response */
  wire_terminate terminate;
} wire_message;

/* This is one connection, decoded. */
typedef struct wire_decoded {
  marked_half half[WIRE_SIDES];
  GArray *messages[WIRE_SIDES]; /* of wire_message, in the order sent */
} wire_decoded;

/* This is a whole capture. */
typedef struct wire_decoding {
  GPtrArray *connections; /* of wire_connection */
  GArray *decoded;        /* of wire_decoded, one a connection */
  GPtrArray *complaints;  /* violations of the documents, in words; empty when there are none */
} wire_decoding;

/* Decodes file `name` of `folder`, whose ends have this `agreement`. Free with wire_decoding_free(). */
wire_decoding *wire_decode(const char *folder, const char *name, const wire_agreement *agreement);

/* Does the same for connections that have been read, with the complaints made then; takes both over. */
wire_decoding *wire_decode_connections(GPtrArray *connections, GPtrArray *complaints,
                                       const wire_agreement *agreement);
void wire_decoding_free(wire_decoding *decoding);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(wire_decoding, wire_decoding_free)

/* Over all connections, what `side` sent: FPDUs, whole messages with `opcode`, their payload octets. */
guint64 wire_count_fpdus(const wire_decoding *decoding, int side);
guint64 wire_count_messages(const wire_decoding *decoding, int side, guint opcode);
guint64 wire_count_octets(const wire_decoding *decoding, int side, guint opcode);

/* Fails the test and prints the first complaints unless there are none. */
void wire_assert_no_complaints(const wire_decoding *decoding);
