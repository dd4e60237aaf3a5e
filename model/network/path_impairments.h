/* SPDX-License-Identifier: GPL-2.0-only */
/* These impair packets after the links: an element for each impairment, in the order of
 * `path.DIRECTION.order` (path_config.h chains them). Most are netem's, tc-netem(8).
 *
 * All take a copy of their `config`. Their random streams stay the caller's and outlive them. */
#pragma once

#include <glib.h>

#include "base/random_stream.h"
#include "base/settings.h"
#include "network/path_element.h"

/* A direction has these impairments, by default in this order. */
typedef enum path_impairment {
  PATH_IMPAIRMENT_LOSS,
  PATH_IMPAIRMENT_CORRUPT,
  PATH_IMPAIRMENT_DUPLICATE,
  PATH_IMPAIRMENT_ECN,
  PATH_IMPAIRMENT_DISPLACE,
  PATH_IMPAIRMENT_JITTER,
  PATH_IMPAIRMENTS
} path_impairment;

/* --- Draws that remember the last one --- */

/* netem's "correlation": what loss, jitter, duplication and corruption share. */

/* An element embeds this; only the functions below write it. */
typedef struct path_correlation {
  random_stream *random; /* the caller's */
  double correlation;
  double last;
} path_correlation;

/* Draws from `random` with `correlation` (0 … 1) between neighbours; each takes one number of the stream, and
 * with a correlation the start takes one too. */
void path_correlation_init(path_correlation *correlation, random_stream *random, double value);

/* x = u · (1 - correlation) + the last x · correlation, u uniform: in 0 … 1, without 1. With correlation 0 x
 * is uniform. As in netem, x with a correlation is no longer uniform but gathers around 1/2: a probability
 * below 1/2 then strikes less often than its probability, one above more often. */
double path_correlation_next(path_correlation *correlation);

/* Returns whether the next x is below `probability` (0 … 1). With correlation 0: random_stream_chance(). */
bool path_correlation_chance(path_correlation *correlation, double probability);

/* --- Loss --- */

/* Segments with payload are numbered 1, 2, … as they enter; retransmissions and startup frames count. */
typedef struct path_loss_config {
  double probability; /* of each packet, with or without payload: netem's `loss` */
  double correlation; /* netem's: of each draw with the last (path_correlation); 0: independent */
  uint64_t every;     /* drops the segments number every, 2 · every, …; 0: none */
  number_list drop;   /* drops the segments of these numbers, which ascend */
} path_loss_config;

/* Drops what any of the three chooses. Every packet draws once, also one that is dropped anyway, so that list
 * and count never change which others are lost. The list outlives the element. */
path_element *path_loss_new(const path_loss_config *config, random_stream *random);

/* Packets are lost in bursts: this is the channel of Gilbert and Elliott, netem's `loss gemodel`. It is good
 * (at first) or bad. All are probabilities, 0 … 1. */
typedef struct path_gilbert_elliott_config {
  double p;         /* a packet makes the good channel bad */
  double r;         /* a packet makes the bad channel good */
  double loss_bad;  /* of a packet that finds the channel bad: netem's 1-h; its default is 1 */
  double loss_good; /* of a packet that finds it good: netem's 1-k; its default is 0 */
} path_gilbert_elliott_config;

/* Drops packets, with or without payload. Each finds the channel as the one before left it: it may change it,
 * and is lost by the state it found. Two draws a packet, whatever the state. In the long run a share p / (p +
 * r) of the packets finds the channel bad, 1 / r in a row on average. */
path_element *path_gilbert_elliott_new(const path_gilbert_elliott_config *config, random_stream *random);

/* Packets are lost in bursts, and single ones between: this is the Markov chain of four states, netem's `loss
 * state`. A packet moves the chain, and is lost when that leads to a state of loss. State 1 (at first):
 * received, in a gap between bursts; 2: received within a burst; 3: lost within a burst; 4: lost alone in a
 * gap, from which the next packet always leads back to 1. pXY is the probability of going from X to Y; what
 * is left is that of staying. All are 0 … 1, also p13 + p14 and p31 + p32. */
typedef struct path_four_state_loss_config {
  double p13;
  double p31; /* netem's default: 1 - p13 */
  double p32; /* 0 */
  double p23; /* 1 */
  double p14; /* 0 */
} path_four_state_loss_config;

/* Drops packets, with or without payload; one draw a packet. In the long run the share of packets lost is
 * (p13 / p31 + p14) / (1 + p13 / p31 · (1 + p32 / p23) + p14). */
path_element *path_four_state_loss_new(const path_four_state_loss_config *config, random_stream *random);

/* --- Damage, copies and marks --- */

typedef enum path_corrupt_mode {
  /* After the sender computed its checksum, as a link does it: any bit of what the TCP (or ICMP) checksum
   * covers, header or payload. The checksum always finds one bit. */
  PATH_CORRUPT_CAUGHT,
  /* Before a checksum is computed, as by a middlebox or a network interface that keeps the octets in bad
   * memory and computes the checksum over what it finds there: a bit of the payload, and a TCP checksum that
   * is right. Only CRC32C can find it. */
  PATH_CORRUPT_UNCAUGHT,
} path_corrupt_mode;

typedef struct path_corrupt_config {
  path_corrupt_mode mode;
  double probability;
  double correlation; /* of each draw with the last (path_correlation) */
} path_corrupt_config;

/* Damages one bit of each packet with `probability`; UNCAUGHT leaves alone what has no payload, and
 * fragments, whose checksum no box on the way can make right. The IP header is never damaged: a router would
 * drop the packet, which is loss. Every packet draws once, a chosen one another time for the bit. A packet
 * that somebody else refers to is copied first. */
path_element *path_corrupt_new(const path_corrupt_config *config, random_stream *random);

typedef struct path_duplicate_config {
  double probability;
  double correlation; /* of each draw with the last (path_correlation) */
} path_duplicate_config;

/* Sends, with `probability` of each packet with or without payload, a copy right after it, in the same
 * picosecond. Every packet draws once. */
path_element *path_duplicate_new(const path_duplicate_config *config, random_stream *random);

typedef struct path_ecn_mark_config {
  double probability; /* of each ECN-capable packet */
  uint64_t every; /* marks the ECN-capable packets number every, 2 · every, … (the first is 1); 0: none */
} path_ecn_mark_config;

/* Congestion marks without congestion: CE on what either of the two chooses (RFC 3168 §5). Packets that are
 * not ECN-capable pass; those that are marked already pass, count for `every`, but not as marked. Every
 * packet draws once, also one that cannot be marked. A packet that somebody else refers to is copied
 * first. */
path_element *path_ecn_mark_new(const path_ecn_mark_config *config, random_stream *random);

/* --- Delay and reordering --- */

typedef struct path_late_config {
  double probability;
  double correlation; /* of each draw with the last (path_correlation) */
  packet_distance by; /* how late, more than 0 */
  time_ps wait_ps;    /* by segments: the longest that a packet waits for them */
} path_late_config;

/* Holds each packet with `probability`. By segments: only packets with payload are chosen, and each goes on
 * right after the n-th later packet with payload that passes (chosen ones do not pass), so that within one
 * flow its reordering extent (RFC 4737 §4.2) is n, and one more for each other chosen one that is let go
 * between; or after wait_ps, because no more may follow the last segments of a flow. By a time: any packet is
 * chosen, and goes on after that. Every packet draws once. path_element_counts.displaced counts the
 * chosen. */
path_element *path_late_new(const path_late_config *config, random_stream *random);

/* Packets that go at once, past those that wait: when at least `gap` - 1 packets in a row have been held, the
 * next does with `probability`, and the count starts again. netem's `reorder` and `gap`. */
typedef struct path_reorder_config {
  double probability;
  double correlation; /* of each draw with the last (path_correlation) */
  uint32_t gap;       /* 0 counts as 1, as in tc: every packet may go */
} path_reorder_config;

/* How the delays of packets are distributed. netem's tables (path_jitter_table_fill()), but the
 * last. */
typedef enum path_jitter_distribution {
  PATH_JITTER_UNIFORM, /* netem's default */
  PATH_JITTER_NORMAL,
  PATH_JITTER_PARETO,        /* of exponent 3: 4/3 of the distance from its mean 3/2 */
  PATH_JITTER_PARETO_NORMAL, /* a quarter of the normal, three quarters of the Pareto */
  PATH_JITTER_CONSTANT,      /* every packet waits for delay_ps */
} path_jitter_distribution;

/* netem's `delay TIME JITTER CORRELATION distribution NAME`. */
typedef struct path_jitter_config {
  time_ps delay_ps;  /* added to every packet's delay: what the jitter lies around */
  time_ps jitter_ps; /* uniform: at most so far around it; else the unit of the table (normal: its sigma) */
  path_jitter_distribution distribution;
  double correlation; /* of a packet's place in the distribution with the last packet's */
  bool reorders; /* packets leave when they are due, and overtake; else each leaves after those before it */
  path_reorder_config reorder; /* these go at once, also without reorders */
} path_jitter_config;

/* Holds each packet for delay ± what is drawn, but not below 0: nothing can leave before it has come, so a
 * jitter without a delay is on average late. (netem cuts there too; its delay is all of the link's, ours
 * comes on top of it.) With `reorders` what is due together leaves in the order of entry. `random` draws once
 * for each packet that is held, also with a jitter of 0, but not for PATH_JITTER_CONSTANT. `reorder_random`
 * draws for packets that may go at once; NULL: none may. */
path_element *path_jitter_new(const path_jitter_config *config, random_stream *random,
                              random_stream *reorder_random);

enum {
  PATH_JITTER_TABLE_ENTRIES = 4096,
  PATH_JITTER_TABLE_SCALE = 8192, /* an entry of this is one `jitter` */
  PATH_JITTER_TABLE_MOST = 32767, /* entries are cut here, at four times the jitter, as netem's are */
};

/* Fills `table` with the inverse of the distribution function at the middles of 4096 equal parts of 0 … 1,
 * ascending: how far from the mean. Made from + - * / of doubles and integers, so equal on every machine. Of
 * PATH_JITTER_UNIFORM it goes from -1 to 1 times the scale. Not for PATH_JITTER_CONSTANT. */
void path_jitter_table_fill(int16_t table[PATH_JITTER_TABLE_ENTRIES], path_jitter_distribution distribution);
