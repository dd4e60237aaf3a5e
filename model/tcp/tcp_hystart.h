/* SPDX-License-Identifier: GPL-2.0-only */
/* When slow start ends before a loss: HyStart as Linux has it, and HyStart++ (RFC 9406). */
#pragma once

#include "tcp/tcp_congestion_control.h"

/* HyStart as Linux's CUBIC has it: slow start ends before it overflows the bottleneck's queue, by either
 * of two signs. A round trip's acknowledgements follow each other closely for so long that the window
 * holds half of what the path does; or round trips have grown, so a queue stands.
 *
 * The fields are for the functions below; what outlives the round is `shortest_ps`. */
typedef struct tcp_hystart {
  time_ps shortest_ps; /* of all round trips, each of an acknowledgement's last segment */
  uint64_t round_end;  /* SND.NXT at its first acknowledgement */
  time_ps round_start;
  time_ps train_end;         /* when the last of the close acknowledgements came */
  time_ps round_shortest_ps; /* of this round's trips */
  uint32_t samples;          /* of them */
  bool in_round;
  bool late_rounds; /* they begin when the window is large enough to be judged; else with the connection */
  bool paced; /* segments leave paced: a closely spaced train of acknowledgements then shows less, and must
               * last the whole shortest round trip */
} tcp_hystart;

/* Takes an acknowledgement in slow start. Returns whether slow start shall end with the window as it is. */
bool tcp_hystart_should_stop(tcp_hystart *hystart, const tcp_congestion_ack *ack,
                             const tcp_congestion_window *window, time_ps now);

/* --- HyStart++ --- */

/* RFC 9406: when round trips grow, slow start goes on more carefully for a few rounds, and ends only if
 * they do not shrink again. */
typedef struct tcp_hystart_pp tcp_hystart_pp;

/* Free with g_free(). */
tcp_hystart_pp *tcp_hystart_pp_new(void);

/* Takes an acknowledgement in the first slow start. Returns whether it shall end with the window as it is. */
bool tcp_hystart_pp_should_stop(tcp_hystart_pp *hystart, const tcp_congestion_ack *ack);

/* Returns what slow start's growth is divided by now: 1, or CSS_GROWTH_DIVISOR in conservative slow start. */
uint32_t tcp_hystart_pp_divisor(const tcp_hystart_pp *hystart);
