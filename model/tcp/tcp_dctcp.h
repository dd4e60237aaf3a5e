/* DCTCP (RFC 8257): the receiver echoes every mark, the sender estimates the share of octets that were marked, alpha, and
 * reduces by half of it, once a window. Growth and losses are NewReno's. */
#ifndef TCP_TCP_DCTCP_H
#define TCP_TCP_DCTCP_H

#include "tcp/tcp_congestion_control.h"

const tcp_congestion_control *tcp_dctcp(void);

#endif
