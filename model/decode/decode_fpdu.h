/* One FPDU as a capture shows it, with what it carries: everything that a line of `iwarpsim decode` says. */
#ifndef DECODE_DECODE_FPDU_H
#define DECODE_DECODE_FPDU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/side.h"
#include "ddp/ddp_header.h"
#include "mpa/mpa_ulpdu.h"
#include "rdmap/rdmap_header.h"
#include "rdmap/rdmap_read_request.h"
#include "rdmap/rdmap_terminate.h"

typedef enum decode_crc {
  DECODE_CRC_RIGHT,
  DECODE_CRC_WRONG,
  DECODE_CRC_UNUSED,       /* startup has turned it off: the field is not looked at */
  DECODE_CRC_NOT_CAPTURED, /* octets of the FPDU were not captured (snap length) */
} decode_crc;

/* A marker in an FPDU (mpa-01 §5.1). */
typedef struct decode_marker {
  uint64_t stream_position; /* of its first octet */
  uint16_t pointer;         /* FPDUPTR as received */
  uint16_t reserved;        /* as received */
  bool is_right;            /* it points to the start of this FPDU */
  bool is_captured;         /* else (snap length) the others are 0 */
} decode_marker;

typedef struct decode_fpdu {
  uint32_t connection; /* decode_session_connection() */
  enum side direction;
  int64_t time_ns;          /* when it was whole and located; since the capture's origin */
  uint64_t stream_position; /* of its first octet in TCP's stream; 0: the first octet behind the SYN */
  uint64_t phase_offset;    /* the same, counted from the first octet of the FPDU phase */
  uint32_t fpdu_octets;     /* markers, PAD and CRC included */
  uint64_t
      first_packet; /* the packets that brought its octets first: lowest and highest number, and how many */
  uint64_t last_packet;
  uint32_t packets;
  mpa_location located_by;
  bool after_error; /* behind an FPDU with an error, whose length was followed unproven */
  decode_crc crc;
  uint32_t crc_received; /* as the number that is compared; with DECODE_CRC_RIGHT and _WRONG */
  uint32_t crc_computed;
  const decode_marker *markers; /* `marker_count` of them, in stream order */
  uint32_t marker_count;
  uint32_t wrong_markers; /* captured, and not right */
  /* The ULPDU. */
  uint32_t ulpdu_octets; /* ULPDU_Length */
  bool has_ddp; /* it is long enough for its DDP header, and that was captured; else nothing below holds */
  ddp_header ddp;
  uint8_t ddp_control;              /* the DDP Control octet as received */
  uint32_t payload_octets;          /* behind the DDP header */
  uint8_t rdmap_version;            /* RV */
  uint8_t rdmap_opcode;             /* 4 bits */
  const rdmap_opcode_rules *opcode; /* NULL: reserved */
  bool has_read_request;            /* RDMA Read Request, whole */
  rdmap_read_request read_request;
  bool has_terminate; /* Terminate, whole */
  rdmap_terminate terminate;
  const uint8_t *terminate_octets; /* its payload as received, payload_octets of them */
} decode_fpdu;

#endif
