/* SPDX-License-Identifier: GPL-2.0-only */
/* Does what each fault does to the octets that a well-behaved stack made (see fault_injector). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer_chain.h"
#include "fault/fault_table.h"

/* Each alters `octets` in the manner of fault `id`, and returns false, with nothing altered, when it cannot
 * be done to them. */

/* Alters a startup frame; it may come out empty. */
bool fault_edit_startup(fault_id id, buffer_chain *octets);

/* Alters a ULPDU of RDMAP's. `decoy_stag` is for the faults that name one. */
bool fault_edit_ulpdu(fault_id id, uint32_t decoy_stag, buffer_chain *octets);

/* Alters the FPDU that starts at `start` of the FPDU phase; `crc`: its CRC is used. */
bool fault_edit_fpdu(fault_id id, uint64_t start, bool markers, bool crc, buffer_chain *octets);
