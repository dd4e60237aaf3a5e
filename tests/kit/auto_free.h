/* SPDX-License-Identifier: GPL-2.0-only */
/* How g_autoptr() and g_auto() free the types of the product that the tests of several layers make. */
#ifndef KIT_AUTO_FREE_H
#define KIT_AUTO_FREE_H

#include <glib.h>

#include "base/buffer_chain.h"
#include "base/random_stream.h"
#include "ddp/ddp_stag_table.h"
#include "mpa/mpa_deframer.h"
#include "mpa/mpa_fpdu_memory.h"
#include "mpa/mpa_framer.h"
#include "net/datagram.h"

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(buffer_chain, buffer_chain_clear)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(octet_buffer, octet_buffer_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(random_stream, random_stream_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ddp_stag_table, ddp_stag_table_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(mpa_deframer, mpa_deframer_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(mpa_fpdu_memory, mpa_fpdu_memory_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(mpa_framer, mpa_framer_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(datagram, datagram_unref)

#endif
