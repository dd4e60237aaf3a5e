/* SPDX-License-Identifier: GPL-2.0-only */
#include "network/path_middleboxes.h"

#include <glib.h>

#include "network/path_coalesce.h"
#include "network/path_random_cut.h"
#include "network/path_rechunk.h"
#include "network/path_shift.h"
#include "network/path_split.h"

const char *path_middlebox_name(path_middlebox kind)
{
  static const char *const names[] = {
      [PATH_MIDDLEBOX_NONE] = "none",         [PATH_MIDDLEBOX_SPLIT] = "split",
      [PATH_MIDDLEBOX_COALESCE] = "coalesce", [PATH_MIDDLEBOX_RECHUNK] = "rechunk",
      [PATH_MIDDLEBOX_SHIFT] = "shift",       [PATH_MIDDLEBOX_RANDOM] = "random",
      [PATH_MIDDLEBOX_PROXY] = "proxy",
  };

  return names[kind];
}

path_element *path_middlebox_new(const path_middleboxes_config *config, path_middlebox kind,
                                 random_stream *random)
{
  switch (kind) {
  case PATH_MIDDLEBOX_SPLIT:
    return path_split_new(config->split_octets);
  case PATH_MIDDLEBOX_COALESCE:
    return path_coalesce_new(config->coalesce_octets, config->coalesce_ps);
  case PATH_MIDDLEBOX_RECHUNK:
    return path_rechunk_new(config->chunk_octets, config->phase_octets, config->flush_ps);
  case PATH_MIDDLEBOX_SHIFT:
    return path_shift_new(config->shift_octets, config->flush_ps);
  case PATH_MIDDLEBOX_RANDOM:
    return path_random_cut_new(config->random_minimum_octets, config->random_maximum_octets, config->flush_ps,
                               random);
  case PATH_MIDDLEBOX_NONE:
  case PATH_MIDDLEBOX_PROXY:
    break;
  }
  g_assert_not_reached();
}

bool path_middleboxes_may_enlarge(const path_middleboxes_config *config)
{
  return choice_list_has(&config->mode, PATH_MIDDLEBOX_COALESCE) ||
         choice_list_has(&config->mode, PATH_MIDDLEBOX_SHIFT);
}
