/* SPDX-License-Identifier: GPL-2.0-only */
#include "network/path_middleboxes.h"

#include <glib.h>

static const struct {
  const char *word;
  path_box *(*make)(const path_middleboxes_config *config, random_stream *random);
  bool enlarges;
  bool reorders;
} boxes[] = {
#define ELEMENT(id, word, make, enlarges, reorders) [PATH_MIDDLEBOX_##id] = {word, make, enlarges, reorders},
    PATH_MIDDLEBOXES(ELEMENT)
#undef ELEMENT
};

const char *path_middlebox_name(path_middlebox kind)
{
  g_assert(kind < G_N_ELEMENTS(boxes) && boxes[kind].word);
  return boxes[kind].word;
}

path_box *path_middlebox_new(const path_middleboxes_config *config, path_middlebox kind,
                             random_stream *random)
{
  g_assert(kind < G_N_ELEMENTS(boxes) && boxes[kind].make);
  return boxes[kind].make(config, random);
}

bool path_middleboxes_may_enlarge(const path_middleboxes_config *config)
{
  bool may = false;

  for (unsigned i = 0; i < config->mode.count; i++) {
    may = may || (config->mode.values[i] < G_N_ELEMENTS(boxes) && boxes[config->mode.values[i]].enlarges);
  }
  return may;
}

bool path_middleboxes_may_reorder(const path_middleboxes_config *config)
{
  bool may = false;

  for (unsigned i = 0; i < config->mode.count; i++) {
    may = may || (config->mode.values[i] < G_N_ELEMENTS(boxes) && boxes[config->mode.values[i]].reorders);
  }
  return may;
}
