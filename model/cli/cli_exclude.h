/* SPDX-License-Identifier: GPL-2.0-only */
/* --leave-out, which table, plot and report share: the runs that a reader does not want among the others. */
#ifndef CLI_CLI_EXCLUDE_H
#define CLI_CLI_EXCLUDE_H

#include <glib.h>

/* What --help of the commands says of the option's value, and of the option. */
#define CLI_EXCLUDE_VALUE "FLAGS"
#define CLI_EXCLUDE_SENTENCE                                                                                 \
  "leave out runs with these flags, joined by commas: timeouts, spurious, lost (retransmissions)"

/* Reads "timeouts,lost" (NULL: none) as study_flag into `*flags`. Returns CLI_OK; or CLI_USAGE after it has said on standard error,
 * for `command`, which word is none of them. */
int cli_exclude_parse(const char *command, const char *text, guint *flags);

#endif
