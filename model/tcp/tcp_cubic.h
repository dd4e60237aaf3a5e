/* CUBIC (RFC 9438): in congestion avoidance the window follows a cube of the time since the stage began, flat where the last
 * loss was, and is never below what a NewReno with the same losses would have. Integer arithmetic: octets, seconds in 2^-30. */
#ifndef TCP_TCP_CUBIC_H
#define TCP_TCP_CUBIC_H

#include "tcp/tcp_congestion_control.h"

const tcp_congestion_control *tcp_cubic(void);

#endif
