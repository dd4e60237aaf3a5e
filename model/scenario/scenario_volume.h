/* SPDX-License-Identifier: GPL-2.0-only */
/* What the workload of a scenario comes to, in messages, segments and octets: computed of its keys, without a
 * run. */
#pragma once

#include "scenario/configuration.h"

/* So many messages take turns in their sizes, and this is their payload together. */
gsize scenario_turn(const traffic_class *of);
double scenario_turn_octets(const traffic_class *of);

/* Returns the payload of a full-size segment of `direction` where the MTU is `mtu_octets`, less framing and
 * markers. */
double scenario_segment_payload(const configuration *c, enum side direction, guint32 mtu_octets);

/* Returns about how many segments of `direction` carry the workload, first transmissions alone: a message
 * begins with a segment of its own, unless the sender cuts a stream. */
double scenario_segments(const configuration *c, enum side direction);

/* Returns what a connection has in flight at most: its windows, what it posts at a time, all that it sends.
 */
double scenario_in_flight_octets(const configuration *c);
