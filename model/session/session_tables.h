/* SPDX-License-Identifier: GPL-2.0-only */
/* What the hosts and switches of a graph did, and how long messages took, as tables (hosts.csv, ports.csv,
 * message_classes.csv) and in summary.json: columns.def has the columns. */
#pragma once

#include "session/session.h"

typedef struct column_row {
  const char *file; /* "hosts.csv" */
  const char *name; /* of several with a star for what differs: "queue_p*_octets" */
  const char *unit;
  const char *sentence;
} column_row;

/* Returns row number `column`, from 0; static. NULL beyond the last. */
const column_row *column_row_of(size_t column);

/* Writes hosts.csv and ports.csv of a run of a graph, and message_classes.csv and messages.csv of one whose
 * messages were timed, into `directory`, after session_finish(), and gives `result` what summary.json has of
 * them; without a directory (NULL) the texts of the tables, too. FALSE and `error` when a file could not be
 * written. */
gboolean session_tables_write(const session_network *network, const configuration *c, const char *directory,
                              session_result *result, GError **error);
