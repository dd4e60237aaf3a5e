/* SPDX-License-Identifier: GPL-2.0-only */
/* What the workload of a scenario comes to, in messages, segments and octets: computed of its keys, without a
 * run. */
#pragma once

#include "scenario/configuration.h"

/* Returns sizes (double, octets) of messages of a class, of which there are equally many: those that take
 * turns, or points of its distribution. Free with g_array_unref(). */
GArray *scenario_sizes(const traffic_class *of);

/* Returns how many messages a class has in all, on average over what it draws; with workload.directions =
 * both, of either end. */
double scenario_messages(const configuration *c, const traffic_class *of);

/* Returns the payload of a full-size segment of `direction` where the MTU is `mtu_octets`, less framing and
 * markers. */
double scenario_segment_payload(const configuration *c, enum side direction, guint32 mtu_octets);

/* Returns about how many segments of `direction` carry the workload, first transmissions alone: a message
 * begins with a segment of its own, unless the sender cuts a stream. */
double scenario_segments(const configuration *c, enum side direction);

/* Returns what a connection of a class has in flight in `direction` at most: its window, what it posts at a
 * time, all that it sends. */
double scenario_in_flight_octets(const configuration *c, const traffic_class *of, enum side direction);
