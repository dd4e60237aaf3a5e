/* SPDX-License-Identifier: GPL-2.0-only */
/* Parts of a connection alone, each on the heap. */
#pragma once

#include "network_cleanup.h"
#include "tcp/tcp_retransmission_timer.h"
#include "tcp/tcp_sender_private.h"

static inline tcp_scoreboard *tcp_scoreboard_new(uint32_t duplicate_ack_threshold, uint32_t smss_octets,
                                                 bool by_time)
{
  tcp_scoreboard *board = g_new(tcp_scoreboard, 1);
  tcp_scoreboard_init(board, duplicate_ack_threshold, smss_octets, by_time);
  return board;
}

static inline void tcp_scoreboard_free(tcp_scoreboard *board)
{
  if (board) {
    range_set_free(board->sacked);
    tcp_sent_ring_clear(&board->sent);
    g_free(board);
  }
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC(tcp_scoreboard, tcp_scoreboard_free)

/* This is what a timer alone takes its limits from. */
typedef struct lone_timer {
  tcp_retransmission_timer timer; /* first: freed as it */
  tcp_config config;
} lone_timer;

static inline const tcp_config *config_of_timer(const tcp_retransmission_timer *timer)
{
  return &((const lone_timer *)timer)->config;
}

static inline tcp_retransmission_timer *tcp_retransmission_timer_new(time_ps initial_ps, time_ps min_ps,
                                                                     time_ps max_ps, tcp_rto_floor floor)
{
  lone_timer *made = g_malloc0(sizeof *made);
  made->config.rto_initial_ps = initial_ps;
  made->config.rto_min_ps = min_ps;
  made->config.rto_max_ps = max_ps;
  made->config.rto_floor = floor;
  tcp_retransmission_timer_init(&made->timer, &made->config);
  return &made->timer;
}

static inline void tcp_retransmission_timer_free(tcp_retransmission_timer *timer)
{
  g_free(timer);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC(tcp_retransmission_timer, tcp_retransmission_timer_free)
