/* Where a proxy stands beside a host no time passes between the two: what the proxy emits makes the host send while the proxy is still at work.
 * The gate holds such packets back until it is done. */
#ifndef SIM_SIM_GATE_H
#define SIM_SIM_GATE_H

#include "network/path_element.h"

typedef struct sim_gate sim_gate;

/* Open, with nothing before it. Free with sim_gate_free(), which drops what waits (NULL is allowed). */
sim_gate *sim_gate_new(void);
void sim_gate_free(sim_gate *gate);

/* An element behind the gate begins to work, and is done; the outermost of such calls lets in what came meanwhile, in its order. A NULL gate
 * is always open, in all of these. */
void sim_gate_enter(sim_gate *gate);
void sim_gate_leave(sim_gate *gate, time_ps now);

/* True, and takes the packet's reference, when it must wait: `input` gets it, with `user`, when all is done. */
bool sim_gate_holds(sim_gate *gate, datagram *packet, path_output input, void *user);

#endif
