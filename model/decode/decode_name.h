/* SPDX-License-Identifier: GPL-2.0-only */
/* What a line of `iwarpsim decode` calls a connection: its ends' addresses and ports, and the iWARP generation that its startup frames tell. */
#ifndef DECODE_DECODE_NAME_H
#define DECODE_DECODE_NAME_H

#include "base/iwarp_generation.h"
#include "decode/decode_events.h"

typedef struct decode_name {
  const char *ends[SIDES];       /* Initiator, Responder: "10.0.0.1:49152", "[fd00::1]:5044" */
  const char *directions[SIDES]; /* "10.0.0.1:49152 > 10.0.0.2:5044", and the other way round */
  size_t width;                  /* of the longest in `directions` up to now, of all connections */
  bool has_startup_frames;
  uint8_t revision; /* with has_startup_frames: the lower Rev of them */
} decode_name;

typedef struct decode_names decode_names;

/* No names yet. Free with decode_names_free() (NULL is allowed). */
decode_names *decode_names_new(void);
void decode_names_free(decode_names *names);

/* The name of `connection`, whose ends are those of `flow`, made when it is asked for first. What it points to stays as long as `names`; ask
 * anew for what becomes known later. */
decode_name decode_names_of(decode_names *names, const decode_connection *connection,
                            const capture_flow *flow);

/* "10.0.0.1:49152", "[fd00::1]:5044". Free with g_free(). */
char *decode_name_end(const capture_end *end);

/* "RDMA Write", "reserved 0xC". Free with g_free(). */
char *decode_opcode_name(unsigned int opcode);

/* The generation whose words tell of errors: the startup frames' (Rev 0: ietf, above: rfc), else what RDMAP's version says (0: rdmac). */
iwarp_generation decode_name_generation(const decode_name *name, uint8_t rdmap_version);

#endif
