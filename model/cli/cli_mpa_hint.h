/* --mpa HOST:PORT…, which decode and replay share: connections that speak MPA though no startup frame in the capture says so. */
#ifndef CLI_CLI_MPA_HINT_H
#define CLI_CLI_MPA_HINT_H

#include <glib.h>

#include "decode/decode_session.h"

/* What --help of the commands says of the option's value, and of the option. */
#define CLI_MPA_HINT_VALUE                                                                                   \
  "HOST:PORT[,markers=on|off][,crc=on|off][,start=first|find|SEQ][,start-reverse=...]"
#define CLI_MPA_HINT_SENTENCE                                                                                \
  "connections with this end speak MPA (HOST: an address, [IPv6 address] or *), from the first octet on; "   \
  "without a SYN, from where FPDUs are found; repeatable"

#define CLI_MPA_HINT_ERROR (cli_mpa_hint_error_quark())
GQuark cli_mpa_hint_error_quark(void);

/* Reads "10.0.0.2:5044,markers=off,start=find" into `hint`. `start` says where the FPDU phase starts in what is sent to HOST:PORT, `start-reverse` in
 * what it sends: at the first octet (first), where an FPDU is found (find), at a TCP sequence number (decimal, or 0x…). Without start it is first
 * where the SYN was captured, else find; without start-reverse as start, and find when start is a number. FALSE and `error`, with what was expected, when it is none. */
gboolean cli_mpa_hint_parse(const char *text, decode_hint *hint, GError **error);

/* Reads each of `texts` (NULL: none; NULL-terminated) into `hints`, a GArray of decode_hint; free with g_array_unref(). NULL and `error` as above. */
GArray *cli_mpa_hint_parse_all(char *const *texts, GError **error);

#endif
