/* SPDX-License-Identifier: GPL-2.0-only */
/* g_autoptr for packets, what they go through, and the engine that moves them. */
#pragma once

#include "engine/engine.h"
#include "network/path_element.h"
#include "network/path_link.h"
#include "network/path_queue_manager.h"
#include "packets.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC(engine, engine_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(engine_timer, engine_timer_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(path_element, path_element_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(path_link, path_link_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(path_queue_manager, g_free)
