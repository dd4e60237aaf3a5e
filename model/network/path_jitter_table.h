/* SPDX-License-Identifier: GPL-2.0-only */
/* The distributions of a delay as tables, as netem has them: how far from the mean, by how unlikely. */
#ifndef PATH_PATH_JITTER_TABLE_H
#define PATH_PATH_JITTER_TABLE_H

#include <stdint.h>

typedef enum path_jitter_distribution {
  PATH_JITTER_UNIFORM, /* netem's default */
  PATH_JITTER_NORMAL,
  PATH_JITTER_PARETO,        /* of exponent 3: 4/3 of the distance from its mean 3/2 */
  PATH_JITTER_PARETO_NORMAL, /* a quarter of the normal, three quarters of the Pareto */
  PATH_JITTER_CONSTANT,      /* none, and no table: every packet waits alike */
} path_jitter_distribution;

enum {
  PATH_JITTER_TABLE_ENTRIES = 4096,
  PATH_JITTER_TABLE_SCALE = 8192, /* an entry of this is one `jitter` */
  PATH_JITTER_TABLE_MOST = 32767, /* entries are cut here, at four times the jitter, as netem's are */
};

/* Fills `table` with the inverse of the distribution function at the middles of 4096 equal parts of 0 … 1, ascending.
 * Made from + - * / of doubles and integers, so equal on every machine. Of PATH_JITTER_UNIFORM it goes from -1 to 1 times the
 * scale. */
void path_jitter_table_fill(int16_t table[PATH_JITTER_TABLE_ENTRIES], path_jitter_distribution distribution);

#endif
