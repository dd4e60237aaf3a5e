/* SPDX-License-Identifier: GPL-2.0-only */
/* The value of a key in words that people read in legends, headings and tables. */
#ifndef STUDY_STUDY_LABEL_H
#define STUDY_STUDY_LABEL_H

#include <glib.h>

#include "scenario/scenario_keys.h"

/* `text` of `key` in words: "MTU 1500 octets", "loss 0.1%", "in-order receiver", "no markers"; of keys without words of their own
 * "tcp.receive_window = 256 KiB". "" (not known): "mpa.markers unknown". Free with g_free(). */
char *study_label_of(scenario_key key, const char *text);

#endif
