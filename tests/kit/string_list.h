/* SPDX-License-Identifier: GPL-2.0-only */
/* A NULL-terminated list of strings where it is used: settings ("group.key=value") or arguments. */
#pragma once

#include <stddef.h>

/* Lives as long as the block in which it stands. */
#define STRINGS(...) ((const char *const[]){__VA_ARGS__, NULL})
