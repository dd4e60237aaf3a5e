/* SPDX-License-Identifier: GPL-2.0-only */
/* Makes cases by chance. */
#pragma once

#include "random_case.h"

/* Makes case `number` of `seed`: always the same, decidable, and independent of all others. */
void case_generate(random_case *c, guint32 seed, guint32 number);
