/* SPDX-License-Identifier: GPL-2.0-only */
/* Captured segments as the model's datagrams. */
#ifndef REPLAY_REPLAY_PACKET_H
#define REPLAY_REPLAY_PACKET_H

#include "net/capture_segment.h"
#include "net/datagram.h"

typedef struct replay_packets replay_packets;

/* What datagrams and their payload are made of. Free with replay_packets_free() (NULL is allowed). */
replay_packets *replay_packets_new(void);
void replay_packets_free(replay_packets *packets);

/* The header of `segment`, which an end of `flow` sent, as far as a receiver heeds it. */
tcp_header replay_packet_header(const capture_flow *flow, const capture_segment *segment);

/* The part of `segment` from octet `*from` of its payload on, at most as much as a datagram holds, as a datagram with a payload of its own; `*from`
 * moves behind it. What offload joined beyond that, is several. A wrong checksum is wrong in it, too; one that is unfinished or
 * not known is right. One reference, the caller's. */
datagram *replay_packet_of(replay_packets *packets, const capture_flow *flow, const capture_segment *segment,
                           uint32_t *from);

#endif
