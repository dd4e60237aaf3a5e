/* SPDX-License-Identifier: GPL-2.0-only */
/* The options with which decode and replay read a capture. */
#pragma once

#include <glib.h>

#include "cli/cli.h"
#include "decode/decode_session.h"

/* As given on the command line; cli_free() frees them with the entries below. */
typedef struct cli_capture_options {
  char *filter; /* NULL: none */
  char **mpa;
  char *hold;
  gboolean ignore_checksums;
} cli_capture_options;

/* The rows of a GOptionEntry table for `options`, a cli_capture_options. */
#define CLI_CAPTURE_ENTRIES(options)                                                                         \
  CLI_TEXT("filter", 'f', &(options).filter,                                                                 \
           "packets that are looked at, as tcpdump takes it: \"host 10.0.0.1 and port 5044\"", "EXPR"),      \
      CLI_TEXTS("mpa", 0, &(options).mpa,                                                                    \
                "connections with this end speak MPA (HOST: an address, [IPv6 address] or *), from the "     \
                "first octet on; without a SYN, from where FPDUs are found; repeatable",                     \
                "HOST:PORT[,markers=on|off][,crc=on|off][,start=first|find|SEQ][,start-reverse=...]"),       \
      CLI_SWITCH("ignore-checksums", 0, &(options).ignore_checksums,                                         \
                 "take segments with a wrong TCP checksum too"),                                             \
      CLI_TEXT("hold", 0, &(options).hold,                                                                   \
               "octets of one direction beyond a hole before it is given up (default: 64MiB)", "SIZE")

/* Fills in how a capture is decoded: `decoding`'s hints, hold and checksums; its other members stay. The
 * hints are in the GArray that is returned, which the caller frees after `decoding` with g_array_unref().
 * NULL and `error`, with what was expected, when an option has an invalid value. */
GArray *cli_capture_read(const cli_capture_options *options, decode_options *decoding, GError **error);
