/* SPDX-License-Identifier: GPL-2.0-only */
/* Captures: classic nanosecond pcap, raw IP of both versions, valid checksums but of packets that were
 * damaged. Nothing in the file depends on wall time or machine: time 0 of the run
 * is time 0 of the capture. */
#pragma once

#include <glib.h>

#include "base/time_ps.h"
#include "net/datagram.h"

typedef struct packet_capture packet_capture;

/* Creates `path`, an existing file is overwritten. Returns NULL and sets `error` (G_FILE_ERROR) when that
 * fails. */
packet_capture *packet_capture_new(const char *path, GError **error);

/* Adds `packet` as seen at `now` (cut down to whole nanoseconds). */
void packet_capture_add(packet_capture *capture, const datagram *packet, time_ps now);

/* Writes what is left and closes the file. Returns FALSE and sets `error` (G_FILE_ERROR) when anything, now
 * or before, could not be written; frees `capture` in any case. */
gboolean packet_capture_close(packet_capture *capture, GError **error);
