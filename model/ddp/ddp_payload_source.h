/* SPDX-License-Identifier: GPL-2.0-only */
/* It is where octets come from that are sent by reference. */
#pragma once

#include <stdint.h>

#include "base/buffer_chain.h"

/* Appends octets [from, from + length) to `chain`, by reference. Those in a slice with a block never change:
 * they may be referred to until they are acknowledged; others are copied before the next call of any kind. */
typedef void (*ddp_payload_source)(void *user, uint64_t from, uint32_t length, buffer_chain *chain);
