/* SPDX-License-Identifier: GPL-2.0-only */
/* This is MPA's startup: Request and Reply frames, Private Data both ways, and the phase machine of one
 * endpoint (mpa-01 §6.1, §6.1.1; rfc: revision 1; rfc6581: enhanced frames of revision 2; rdmac: no frames,
 * §8.1 of mpa-02). Sans I/O: octets and `now` go in; frames, a state and a deadline come out.
 *
 * Until mpa_startup_begin() the connection is in streaming mode and none of its octets are MPA's. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer_chain.h"
#include "base/iwarp_generation.h"
#include "base/side.h"
#include "base/time_ps.h"
#include "mpa/mpa_enhanced.h"

typedef enum mpa_startup_state {
  MPA_STARTUP_STREAMING,      /* MPA is not enabled */
  MPA_STARTUP_WAITING,        /* for the peer's frame */
  MPA_STARTUP_DECIDING,       /* the peer's frame is valid; its Private Data is with the ULP:
                                 mpa_startup_decide() */
  MPA_STARTUP_FULL_OPERATION, /* rdmac: from mpa_startup_begin() on */
  MPA_STARTUP_REJECTED,       /* by either ULP: MPA is left, TCP stays open (MPA-208, MPA-217) */
  MPA_STARTUP_FAILED,         /* MPA error code 4: close the connection at once (MPA-205, MPA-216, MPA-280) */
} mpa_startup_state;

/* Why startup failed or was rejected. */
typedef enum mpa_startup_reason {
  MPA_STARTUP_REASON_NONE,
  MPA_STARTUP_REASON_KEY,          /* not the key of any frame (MPA-221) */
  MPA_STARTUP_REASON_SAME_ROLE,    /* the key of the frame this end sends: two Initiators (MPA-227) */
  MPA_STARTUP_REASON_REVISION,     /* MPA-252 */
  MPA_STARTUP_REASON_PRIVATE_DATA, /* PD_Length beyond a limit (MPA-229 … MPA-232) */
  MPA_STARTUP_REASON_ENHANCED,     /* S = 1 and PD_Length less than its four octets (RFC 6581 §6) */
  MPA_STARTUP_REASON_EXTRA_OCTETS, /* octets after a frame where none are allowed (note M41) */
  MPA_STARTUP_REASON_TIMEOUT,      /* no frame at all in time: for a Responder two Responders (MPA-228, note
                                      M45) */
  MPA_STARTUP_REASON_TIMEOUT_PARTIAL, /* a frame began and was not completed in time (MPA-233) */
  MPA_STARTUP_REASON_REJECTED_BY_PEER,
  MPA_STARTUP_REASON_REJECTED_BY_ULP,
  MPA_STARTUP_REASON_REJECTED_FOR_IRD, /* by a Responder that needs a greater ORD (RFC 6581 §9.1) */
  MPA_STARTUP_REASONS
} mpa_startup_reason;

/* "the key of the startup frame is wrong" and the like, for people. Static, never NULL. */
const char *mpa_startup_reason_text(mpa_startup_reason reason);

/* Which startup frame the peer sends. */
typedef enum mpa_startup_frames {
  MPA_STARTUP_FRAMES_OF_GENERATION,   /* as the end's own generation has it */
  MPA_STARTUP_FRAMES_OF_ANY_REVISION, /* the same, of any revision: it was accepted where it was captured */
  MPA_STARTUP_FRAMES_NONE             /* none, whatever the generation: a capture does not have it */
} mpa_startup_frames;

typedef struct mpa_startup_config {
  time_ps timeout_ps; /* from begin to the whole frame of the peer; 0: for ever */
  iwarp_generation generation;
  mpa_startup_frames frames;
  enum side role;
  uint32_t private_data_capacity_octets; /* of the ULP's buffer: a frame with more is malformed (MPA-230) */
  bool markers;                          /* asked for in the direction this end receives (the M bit) */
  bool crc;                              /* the C bit; false only by the administrator's wish (MPA-118) */
  bool ulp_decides; /* stop in MPA_STARTUP_DECIDING; else every valid frame is accepted at once */
  mpa_enhanced_config enhanced;
} mpa_startup_config;

/* Where the fields of a frame are (mpa-01 §6.1.1, MPA-235). */
enum {
  MPA_STARTUP_KEY_OCTETS = 16,
  MPA_STARTUP_FLAGS_AT = 16,
  MPA_STARTUP_REVISION_AT = 17,
  MPA_STARTUP_LENGTH_AT = 18, /* of Private Data */
  MPA_STARTUP_HEADER_OCTETS = 20,
};

/* Its flags; the low bits are Res, sent as zero and ignored (MPA-250): five of them, or four in revision 2,
 * which has S: enhanced (RFC 6581 §6). */
enum {
  MPA_STARTUP_FLAG_M = 0x80, /* markers */
  MPA_STARTUP_FLAG_C = 0x40, /* CRC */
  MPA_STARTUP_FLAG_R = 0x20, /* rejected */
  MPA_STARTUP_FLAG_S = 0x10,
};

/* It is read by everyone, and written only by the functions below. */
typedef struct mpa_startup {
  mpa_startup_config config;
  const iwarp_generation_rules *rules;
  uint8_t *private_data;     /* what follows the header; NULL: none */
  uint8_t *own_private_data; /* for the frame this end sends; NULL: none */
  time_ps deadline;          /* of mpa_startup_run(); TIME_PS_NEVER: none */
  mpa_startup_state state;   /* where this endpoint stands, … */
  mpa_startup_reason reason; /* … and why */
  uint32_t own_private_data_octets;
  mpa_agreement agreement;                   /* once the peer's frame is whole and valid */
  uint32_t received;                         /* octets of the peer's frame so far */
  uint8_t header[MPA_STARTUP_HEADER_OCTETS]; /* its first octets; zero where none came yet */
  bool frame_sent;
} mpa_startup;

/* Makes an endpoint in streaming mode; `config` is copied. Free with mpa_startup_free() (NULL is allowed). */
mpa_startup *mpa_startup_new(const mpa_startup_config *config);
void mpa_startup_free(mpa_startup *startup);

/* Returns whether startup frames are exchanged: by the generation, and by mpa_startup_config.frames. */
bool mpa_startup_has_frames(const mpa_startup *startup);

/* MPA is enabled: all octets received from here on are MPA's. `private_data` (copied; NULL: none) goes into
 * the frame this end sends, unless mpa_startup_decide() gives another; it is at most the generation's
 * private_data_max_octets, or MPA_ENHANCED_OCTETS less for an end with enhanced frames (checked). Only in
 * MPA_STARTUP_STREAMING. rdmac: full operation at once, `private_data` must be NULL. */
void mpa_startup_begin(mpa_startup *startup, const uint8_t *private_data, uint32_t length, time_ps now);

/* The ULP's answer to the peer's Private Data, in MPA_STARTUP_DECIDING. A Responder answers with a Reply, R=1
 * when it does not `accept`, with `private_data` (copied; NULL: what mpa_startup_begin() was given) (MPA-206,
 * MPA-210). An Initiator that does not accept leaves MPA (MPA-217, MPA-223). */
void mpa_startup_decide(mpa_startup *startup, bool accept, const uint8_t *private_data, uint32_t length);

/* The startup frame this endpoint may send now: the Initiator's Request at once, the Responder's Reply once
 * it has accepted or rejected. Appends it to `frame` and returns true, once; false when there is nothing to
 * send. */
bool mpa_startup_next_frame(mpa_startup *startup, buffer_chain *frame);

/* Takes the next in-order octets of the stream, in pieces of any size; fails at the first wrong octet
 * (note M41). Returns how many octets belonged to the startup phase, a wrong one included. Octets after
 * the peer's frame are never taken: see MPA_STARTUP_REASON_EXTRA_OCTETS; after a rejecting Reply they are
 * the ULP's. */
uint32_t mpa_startup_receive(mpa_startup *startup, const buffer_chain *octets);

/* Handles the timeout, when `deadline` is over: fails. */
void mpa_startup_run(mpa_startup *startup, time_ps now);

/* The peer's Private Data for the ULP, once its frame is whole and valid; `*length` octets, the startup's
 * own, without those of enhanced startup. NULL when there are none. */
const uint8_t *mpa_startup_private_data(const mpa_startup *startup, uint32_t *length);

/* Returns the octets of the peer's frame as its header declares it: where its FPDU phase starts, counted from
 * mpa_startup_begin(); 0 while unknown, and for rdmac. */
uint64_t mpa_startup_received_frame_octets(const mpa_startup *startup);

/* In full operation these return: the peer asked for markers in what we send (its M bit); we asked for them
 * in what we receive; CRC is used in both directions if either C bit is 1 (note M42). rdmac: all true. */
bool mpa_startup_send_markers(const mpa_startup *startup);
bool mpa_startup_receive_markers(const mpa_startup *startup);
bool mpa_startup_crc(const mpa_startup *startup);
