/* HyStart as Linux's CUBIC has it: slow start ends before it overflows the bottleneck's queue, by either of two signs. A round
 * trip's acknowledgements follow each other closely for so long that the window holds half of what the path does; or round
 * trips have grown, so a queue stands. */
#ifndef TCP_TCP_HYSTART_H
#define TCP_TCP_HYSTART_H

#include "tcp/tcp_congestion_control.h"

typedef struct tcp_hystart tcp_hystart;

/* Free with tcp_hystart_free(), which takes NULL. */
tcp_hystart *tcp_hystart_new(void);
void tcp_hystart_free(tcp_hystart *hystart);

/* Segments leave paced: a closely spaced train of acknowledgements then says less, and must last the whole shortest round
 * trip. */
void tcp_hystart_use_pacing(tcp_hystart *hystart);

/* An acknowledgement in slow start. Returns whether slow start shall end with the window as it is. */
bool tcp_hystart_says_stop(tcp_hystart *hystart, const tcp_congestion_ack *ack,
                           const tcp_congestion_window *window, time_ps now);

/* The retransmission timer has expired: the shortest round trip and the round are found anew. */
void tcp_hystart_forget(tcp_hystart *hystart);

#endif
