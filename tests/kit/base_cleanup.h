/* SPDX-License-Identifier: GPL-2.0-only */
/* These are g_autoptr and g_auto for what base/ makes. */
#pragma once

#include <glib.h>

#include "base/buffer_chain.h"
#include "base/deque.h"
#include "base/memory_pool.h"
#include "base/random_stream.h"
#include "base/range_set.h"
#include "base/reassembly_queue.h"

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(buffer_chain, buffer_chain_clear)
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(deque, deque_clear)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(memory_pool, memory_pool_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(octet_buffer, octet_buffer_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(random_stream, g_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(range_set, range_set_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(reassembly_queue, reassembly_queue_free)
