/* SPDX-License-Identifier: GPL-2.0-only */
/* Where a proxy stands beside a host no time passes between the two: what the proxy emits makes the host send
 * while the proxy is still at work. The gate holds such packets back until it is done. */
#ifndef NETWORK_PATH_GATE_H
#define NETWORK_PATH_GATE_H

#include "network/path_element.h"

typedef struct path_gate path_gate;

/* Open, with nothing before it. Free with path_gate_free(), which drops what waits (NULL is allowed). */
path_gate *path_gate_new(void);
void path_gate_free(path_gate *gate);

/* An element after the gate begins to work, and is done; the outermost of such calls lets in what came
 * meanwhile, in its order. A NULL gate is always open, in all of these. */
void path_gate_enter(path_gate *gate);
void path_gate_leave(path_gate *gate, time_ps now);

/* True, and takes the packet's reference, when it must wait: `input` gets it, with `user`, when all is
 * done. */
bool path_gate_holds(path_gate *gate, datagram *packet, path_output input, void *user);

#endif
