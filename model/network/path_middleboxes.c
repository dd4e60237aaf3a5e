/* SPDX-License-Identifier: GPL-2.0-only */
#include "network/path_middleboxes.h"

#include <glib.h>

const path_middlebox_row *path_middlebox_row_of(unsigned kind)
{
#define ELEMENT(id, word, make, enlarges, reorders) [PATH_MIDDLEBOX_##id] = {word, make, enlarges, reorders},
  static const path_middlebox_row rows[] = {PATH_MIDDLEBOXES(ELEMENT)};
#undef ELEMENT

  return kind < G_N_ELEMENTS(rows) && rows[kind].word ? &rows[kind] : NULL;
}

bool path_middleboxes_may_enlarge(const path_middleboxes_config *config)
{
  bool may = false;

  for (unsigned i = 0; i < config->mode.count; i++) {
    const path_middlebox_row *row = path_middlebox_row_of(config->mode.values[i]);
    may = may || (row && row->enlarges);
  }
  return may;
}

bool path_middleboxes_may_reorder(const path_middleboxes_config *config)
{
  bool may = false;

  for (unsigned i = 0; i < config->mode.count; i++) {
    const path_middlebox_row *row = path_middlebox_row_of(config->mode.values[i]);
    may = may || (row && row->reorders);
  }
  return may;
}
