/* SPDX-License-Identifier: GPL-2.0-only */
/* These are g_autoptr for what mpa/ and ddp/ make, and for all below. */
#pragma once

#include "ddp/ddp_stag_table.h"
#include "mpa/mpa_deframer.h"
#include "mpa/mpa_fpdu_memory.h"
#include "network_cleanup.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ddp_stag_table, ddp_stag_table_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(mpa_deframer, mpa_deframer_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(mpa_fpdu_memory, mpa_fpdu_memory_free)
