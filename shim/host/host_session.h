/* SPDX-License-Identifier: GPL-2.0-only */
/* Hosts of ours in somebody else's ns-3 simulation, and the workload between pairs of them: the stack, the
 * workload and the metrics of a scenario, without its path. Packets go in and come out as octets. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "base/side.h"
#include "base/time_ps.h"

typedef struct host_session host_session;

/* Takes an IPv4 packet, with its checksums, that the host with number `host` sends; the octets are valid
 * during the call. */
typedef void (*host_session_output)(void *user, uint32_t host, const uint8_t *octets, uint32_t length);

/* The hosts of `pairs`, numbered from 0 to the largest number there, each with one RNIC. Every pair has the
 * connections and the workload of the scenario at `path`, with `sets` ("group.key=value", NULL-terminated;
 * NULL: none). The first session opens ns-3's simulator, the last to go closes it: there may be
 * SESSION_NUMBERS (session.h) at a time. What the scenario has about the path counts only where the hosts
 * must know it: MTUs, windows. NULL and `*message` (free with g_free()) when the scenario is wrong, or is
 * IPv6's or has a fault, a `topology` or ns-3's TCP, and when a pair is of one host, or the numbers are too
 * large. Free with host_session_free(). */
host_session *host_session_new(const char *path, const char *const *sets, const host_pair *pairs,
                               uint32_t pair_count, host_session_output output, void *user, char **message);
void host_session_free(host_session *self);

/* Opens the connections at the absolute simulated time `when`, spread by workload.start_spread. Once. */
void host_session_start(host_session *self, time_ps when);

/* An IP packet has arrived at `host`. What is not for this host's connections is passed over. */
void host_session_receive(host_session *self, uint32_t host, const uint8_t *octets, uint32_t length);

/* Returns the IPv4 address of `host`, in host byte order. */
uint32_t host_session_address(const host_session *self, uint32_t host);

/* Whether all messages are Delivered and all connections closed. */
bool host_session_is_done(const host_session *self);

/* Returns what went wrong: an ending that the documents do not want, or an octet that is not what was sent;
 * "" when nothing did. Free with g_free(). */
char *host_session_failure(const host_session *self);

/* Gives the value of the metric called `name`; false when there is none. The first call of this function or
 * the next ends the measurement at the present time; nothing may arrive any more. */
bool host_session_metric(host_session *self, const char *name, double *value);

/* Returns the names of the metrics that have a value, in the order of docs/metrics.md, one line "name = value
 * unit" each; free with g_free(). */
char *host_session_metrics_text(host_session *self);

#ifdef __cplusplus
}
#endif
