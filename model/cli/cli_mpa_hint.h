/* SPDX-License-Identifier: GPL-2.0-only */
/* --mpa HOST:PORT…, which decode and replay share: connections that speak MPA though no startup frame in the capture says so. */
#ifndef CLI_CLI_MPA_HINT_H
#define CLI_CLI_MPA_HINT_H

#include <glib.h>

#include "decode/decode_events.h"

/* What --help of the commands says of the option's value, and of the option. */
#define CLI_MPA_HINT_VALUE                                                                                   \
  "HOST:PORT[,markers=on|off][,crc=on|off][,start=first|find|SEQ][,start-reverse=...]"
#define CLI_MPA_HINT_SENTENCE                                                                                \
  "connections with this end speak MPA (HOST: an address, [IPv6 address] or *), from the first octet on; "   \
  "without a SYN, from where FPDUs are found; repeatable"

#define CLI_MPA_HINT_ERROR (cli_mpa_hint_error_quark())
GQuark cli_mpa_hint_error_quark(void);

/* Reads each of `texts` (NULL: none; NULL-terminated) into `hints`, a GArray of decode_hint; free with g_array_unref(). NULL and `error` as above. */
GArray *cli_mpa_hint_parse_all(char *const *texts, GError **error);

#endif
