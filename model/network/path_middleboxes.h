/* SPDX-License-Identifier: GPL-2.0-only */
/* The middleboxes by their kinds. */
#ifndef NETWORK_PATH_MIDDLEBOXES_H
#define NETWORK_PATH_MIDDLEBOXES_H

#include "base/random_stream.h"
#include "network/path_config.h"
#include "network/path_element.h"

/* The word of `kind` in scenarios, and in the name of its random stream; static. */
const char *path_middlebox_name(path_middlebox kind);

/* A box of `kind`, not PATH_MIDDLEBOX_NONE or _PROXY. `random` is for those that draw, and outlives it. */
path_element *path_middlebox_new(const path_middleboxes_config *config, path_middlebox kind,
                                 random_stream *random);

/* Whether one of them may send longer segments than come in. */
bool path_middleboxes_may_enlarge(const path_middleboxes_config *config);

#endif
