/* SPDX-License-Identifier: GPL-2.0-only */
/* Packets in words. */
#pragma once

#include "explain/packet_log.h"
#include "explain/prose.h"

/* The one of `packets` (packet_log_find(); not empty) that explains why its octets were missing. */
guint packet_sentences_cause(const GPtrArray *packets);

/* "segment 400 (packet 575, stream 579,640 to 581,095) was lost on path.forward at 631.5 us". */
void packet_sentences_add(const logged_packet *packet, enum side sender, prose *into);

/* "; sent again at 715.1 us in fast recovery": what became of those after number `cause`. */
void packet_sentences_add_again(const GPtrArray *packets, guint cause, enum side sender, prose *into);

/* "segment 400 (packet 575, stream 579,640 to 581,095)". */
void packet_sentences_name(const logged_packet *packet, prose *to);

/* "path.forward", where `sender` sends; static. */
const char *packet_sentences_path(enum side sender);
