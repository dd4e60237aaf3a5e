/* SPDX-License-Identifier: GPL-2.0-only */
/* ns-3 as plain C: its simulator, and point-to-point devices that carry octets.
 *
 * ns-3 keeps one simulator per process, so the simulator has no handle: it is open or it is not. Nothing of
 * C++ passes this header: no exception and, as far as ns-3 lets a caller know beforehand, no abort. Mistakes
 * for which ns-3 would end the process (an unknown attribute, an unreadable value: docs/facts.md, "ns-3
 * 3.37") are checked here and become an error with a message. `error` may be NULL in every function that
 * takes one. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "platform/ns3_types.h"

/* Returns the version of ns-3, "3.37"; static. */
const char *ns3_shim_version(void);

/* Whether ns-3's log of any of its components is on, as by ns-3's variable NS_LOG in the environment. */
bool ns3_shim_is_logging(void);

/* ---- The simulator ---- */

/* Opens ns-3's simulator at time 0 and sets its resolution to a picosecond (ns-3's own is a nanosecond, and
 * can be changed only before anything else). False when it is open already. Everything below needs
 * it open, except the functions that free. */
bool ns3_shim_open(ns3_shim_error *error);

/* Drops all that is scheduled and all that ns-3 holds, and closes the simulator, also when it is not open.
 * Events and devices that still have a handle can only be freed afterwards (events also scheduled,
 * once it is open again). Not from inside ns3_shim_run(). */
void ns3_shim_close(void);

/* Returns the simulated time. */
time_ps ns3_shim_now(void);

/* Runs what is scheduled, in the order of time and, within a picosecond, of scheduling, until nothing is
 * left, `until` is passed (what is due at `until` still runs, what it schedules there too), or
 * ns3_shim_stop(). When it ends at a finite `until`, or runs out of events before, the time is `until`
 * afterwards. False: not open, called from inside itself, `until` is in the past, or an exception inside
 * ns-3. */
bool ns3_shim_run(time_ps until, ns3_shim_error *error);

/* Ends ns3_shim_run() after the event that is running. */
void ns3_shim_stop(void);

/* ---- Events ---- */

/* An event is something to call. It may be scheduled any number of times; each time results in a call. */
typedef struct ns3_shim_event ns3_shim_event;

typedef void (*ns3_shim_callback)(void *user);

/* Makes an event that is not scheduled; free with ns3_shim_event_free(). */
ns3_shim_event *ns3_shim_event_new(ns3_shim_callback callback, void *user);

/* Cancels and frees it; also from inside its own callback. NULL is allowed. */
void ns3_shim_event_free(ns3_shim_event *event);

/* Adds a call at the absolute time `when`, or after `delay`, after everything already scheduled for that
 * picosecond. False: not open, the time is in the past, or later than ns-3 can represent. */
bool ns3_shim_event_at(ns3_shim_event *event, time_ps when, ns3_shim_error *error);
bool ns3_shim_event_after(ns3_shim_event *event, time_ps delay, ns3_shim_error *error);

/* Adds a call at the present time, after everything already scheduled for this picosecond: as
 * ns3_shim_event_after() with no delay, but it needs no event of ns-3's when the running event is the shim's
 * own and nothing else is due. Then the call is made when that event's callback has returned. */
bool ns3_shim_event_last(ns3_shim_event *event, ns3_shim_error *error);

/* Takes back all calls that have not happened yet. */
void ns3_shim_event_cancel(ns3_shim_event *event);

/* ---- Point-to-point devices ---- */

typedef struct ns3_shim_device ns3_shim_device;

/* This is the usual gap: together with the 2 octets of PPP that the device puts before a packet these are 38
 * octets, the overhead of Ethernet (docs/facts.md, "A link's times"). */
enum { NS3_SHIM_GAP_OCTETS = 36 };

typedef struct ns3_shim_device_config {
  uint64_t rate_bit_per_s;      /* > 0 */
  uint32_t mtu_octets;          /* 1 … 65,535 */
  time_ps interframe_gap_ps;    /* >= 0: the transmitter is busy so much longer than the packet takes */
  uint32_t queue_limit_packets; /* > 0: packets that may wait for the one in transmission */
} ns3_shim_device_config;

/* Describes the usual device: MTU 1,500 octets, a gap of NS3_SHIM_GAP_OCTETS at `rate_bit_per_s` (> 0), a
 * queue without limit. */
void ns3_shim_device_config_init(ns3_shim_device_config *config, uint64_t rate_bit_per_s);

/* Joins two new nodes by a channel that delays by `delay_ps` (>= 0) with a device as configs[i] on each, and
 * stores the devices' handles. The nodes are ns-3's until ns3_shim_close(). The values are within their
 * ranges. False: not open, or an exception inside ns-3. */
bool ns3_shim_connect(const ns3_shim_device_config configs[2], time_ps delay_ps, ns3_shim_device *devices[2],
                      ns3_shim_error *error);

/* Gives a device the rate and gap of `config` (the rest of which is ignored), and its channel the delay
 * `delay_ps`, for transmissions that start from now on. */
void ns3_shim_device_change(ns3_shim_device *device, const ns3_shim_device_config *config, time_ps delay_ps);

/* Frees the handle; what still arrives there is dropped silently. NULL is allowed. */
void ns3_shim_device_free(ns3_shim_device *device);

/* Takes the packets that arrive at a device: `room` returns where its `length` octets (those of the packet,
 * without PPP's) are to be written; `arrived` is then called with the same place. */
typedef struct ns3_shim_receiver {
  uint8_t *(*room)(void *user, uint32_t length);
  void (*arrived)(void *user, uint8_t *octets, uint32_t length);
} ns3_shim_receiver;

/* `receiver` is copied. Without one, what arrives is dropped. */
void ns3_shim_device_set_receiver(ns3_shim_device *device, const ns3_shim_receiver *receiver, void *user);

/* Gives the device a packet of the `length` octets at `octets` (copied) and `padding` zeros after them.
 * False: no octets, more than the device's MTU without the padding (ns-3 does not check it), or the queue is
 * full. */
bool ns3_shim_device_send(ns3_shim_device *device, const uint8_t *octets, uint32_t length, uint32_t padding,
                          ns3_shim_error *error);

#ifdef __cplusplus
}
#endif
