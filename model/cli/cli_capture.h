/* SPDX-License-Identifier: GPL-2.0-only */
/* These are the options with which decode, replay and timeline read a capture, and its reading. */
#pragma once

#include <glib.h>

#include "cli/cli.h"
#include "cli/cli_progress.h"
#include "decode/decode_format.h"
#include "decode/decode_session.h"
#include "net/capture_source.h"

/* These are as given on the command line; cli_free() frees them with the entries below. */
typedef struct cli_capture_options {
  char *filter; /* NULL: none */
  char **mpa;
  char *hold;
  gboolean ignore_checksums;
} cli_capture_options;

/* These are the rows of a GOptionEntry table for `options`, a cli_capture_options: all, and all but
 * --filter. */
#define CLI_CAPTURE_ENTRIES(options)                                                                         \
  CLI_TEXT("filter", 'f', &(options).filter,                                                                 \
           "packets that are looked at, as tcpdump takes it: \"host 10.0.0.1 and port 5044\"", "EXPR"),      \
      CLI_CAPTURE_OTHER_ENTRIES(options)
#define CLI_CAPTURE_OTHER_ENTRIES(options)                                                                   \
  CLI_TEXTS("mpa", 0, &(options).mpa,                                                                        \
            "connections with this end speak MPA (HOST: an address, [IPv6 address] or *), from the "         \
            "first octet on; without a SYN, from where FPDUs are found; repeatable",                         \
            "HOST:PORT[,markers=on|off][,crc=on|off][,start=first|find|SEQ][,start-reverse=...]"),           \
      CLI_SWITCH("ignore-checksums", 0, &(options).ignore_checksums,                                         \
                 "take segments with a wrong TCP checksum too"),                                             \
      CLI_TEXT("hold", 0, &(options).hold,                                                                   \
               "octets of one direction beyond a hole before it is given up (default: 64MiB)", "SIZE")

/* Fills in how a capture is decoded: `decoding`'s hints, hold and checksums; its other members stay. The
 * hints are in the GArray that is returned, which the caller frees after `decoding` with g_array_unref().
 * NULL and `error`, with what was expected, when an option has an invalid value. */
GArray *cli_capture_read(const cli_capture_options *options, decode_options *decoding, GError **error);

/* This is a capture that is decoded: `path`, `options` and `progress` (NULL: none is shown) are the
 * caller's. */
typedef struct cli_capture {
  const char *path;
  const cli_capture_options *options;
  cli_progress *progress;
  capture_source *source;
  decode_session *session;
  GArray *flow_octets; /* payload octets by flow: whose connection is the busiest */
  guint64 segments;    /* read so far */
} cli_capture;

/* Opens it, for cli_capture_next(); `decoding`, `handler` and `user` are decode_session_new()'s. FALSE and
 * `error` when it cannot be read. Close with cli_capture_close(). */
gboolean cli_capture_open(cli_capture *capture, const decode_options *decoding, decode_handler handler,
                          void *user, GError **error);
void cli_capture_close(cli_capture *capture);

/* Decodes the next segment. FALSE at the end, and with `error` where the file is broken; then
 * decode_session_finish() is the caller's. */
gboolean cli_capture_next(cli_capture *capture, GError **error);

/* Returns what is known of it now; valid until it is closed. */
decode_capture cli_capture_of(const cli_capture *capture);

/* Returns whether a connection of the capture, which has been read, speaks MPA; else `error`, with what was
 * expected. */
gboolean cli_capture_has_mpa(const cli_capture *capture, GError **error);
