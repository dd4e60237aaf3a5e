/* The queue in front of a link: decides what may wait, says how much does (design.md: "Queue limits are
 * decided in path/"). */
#ifndef PATH_PATH_TRANSMITTER_H
#define PATH_PATH_TRANSMITTER_H

#include "path/path_element.h"
#include "path/path_link.h"

/* A path element in front of `link`, which it owns. At most `queue_limit_packets` (0: unlimited) wait behind
 * the one in transmission; more are dropped at the tail. A transmitter that becomes free at `now` has become
 * free before a packet that comes at `now` (design.md, order within one picosecond). Packets go on by the
 * link, not by the element's output. */
path_element *path_transmitter_new(const path_link_config *config, path_link *link,
                                   uint32_t queue_limit_packets);

/* When a packet without payload that comes at `now` would arrive at the link's other end: behind all taken before it. */
time_ps path_transmitter_earliest_arrival(const path_element *element, time_ps now);

/* Packets dropped at the tail, and the most octets (IP) that ever waited. */
uint64_t path_transmitter_dropped(const path_element *element);
uint64_t path_transmitter_queue_peak_octets(const path_element *element);

#endif
