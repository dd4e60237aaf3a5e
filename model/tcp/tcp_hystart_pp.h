/* HyStart++ (RFC 9406): when round trips grow, slow start goes on more carefully for a few rounds, and ends only if they do
 * not shrink again. */
#ifndef TCP_TCP_HYSTART_PP_H
#define TCP_TCP_HYSTART_PP_H

#include "tcp/tcp_congestion_control.h"

typedef struct tcp_hystart_pp tcp_hystart_pp;

/* Free with tcp_hystart_pp_free(), which takes NULL. */
tcp_hystart_pp *tcp_hystart_pp_new(void);
void tcp_hystart_pp_free(tcp_hystart_pp *hystart);

/* An acknowledgement in the first slow start. Returns whether it shall end with the window as it is. */
bool tcp_hystart_pp_says_stop(tcp_hystart_pp *hystart, const tcp_congestion_ack *ack);

/* What slow start's growth is divided by now: 1, or CSS_GROWTH_DIVISOR in conservative slow start. */
uint32_t tcp_hystart_pp_divisor(const tcp_hystart_pp *hystart);

#endif
