/* MPA startup: Request and Reply frames, and the phase machine of one endpoint (mpa-01 §6.1, §6.1.1). */
#ifndef MPA_MPA_STARTUP_H
#define MPA_MPA_STARTUP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/octet_rope.h"
#include "mpa/mpa_generation.h"

typedef struct mpa_startup mpa_startup;

typedef enum mpa_role {
  MPA_INITIATOR, /* sends the Request Frame (MPA-199) */
  MPA_RESPONDER,
} mpa_role;

typedef enum mpa_startup_state {
  MPA_STARTUP_WAITING, /* for the peer's frame */
  MPA_STARTUP_FULL_OPERATION,
  MPA_STARTUP_FAILED, /* an improper frame: MPA error code 4; close the connection (MPA-205, MPA-216) */
} mpa_startup_state;

/* A new endpoint that asks for `markers` in the direction it receives (the M bit) and for `crc` (the C
 * bit). Free with mpa_startup_free(). */
mpa_startup *mpa_startup_new(mpa_generation generation, mpa_role role, bool markers, bool crc);
void mpa_startup_free(mpa_startup *startup);

/* The startup frame this endpoint may send now: the Initiator's Request at once, the Responder's Reply
 * once the Request is validated. Appends it to `frame` and returns true, once; false when there is nothing
 * to send. */
bool mpa_startup_next_frame(mpa_startup *startup, octet_rope *frame);

/* Takes the next in-order octets of the stream, in pieces of any size; fails at the first wrong key octet,
 * and when octets follow the peer's frame before it is answered (notes-mpa 41). A rejecting Reply fails
 * too: no ULP here goes on without MPA. Returns how many octets belonged to the startup phase, a wrong one
 * included. */
uint32_t mpa_startup_receive(mpa_startup *startup, const octet_rope *octets);

/* Where this endpoint stands. */
mpa_startup_state mpa_startup_state_of(const mpa_startup *startup);

/* Octets of the peer's frame as its header declares it: where its FPDU phase starts; 0 while unknown. */
uint64_t mpa_startup_received_frame_octets(const mpa_startup *startup);

/* In full operation: the peer asked for markers in what we send (its M bit); we asked for them in what we
 * receive; CRC is used in both directions if either C bit is 1 (notes-mpa 42). */
bool mpa_startup_send_markers(const mpa_startup *startup);
bool mpa_startup_receive_markers(const mpa_startup *startup);
bool mpa_startup_crc(const mpa_startup *startup);

#endif
