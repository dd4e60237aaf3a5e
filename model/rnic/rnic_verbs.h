/* SPDX-License-Identifier: GPL-2.0-only */
/* Verbs are the ULP's side of an endpoint, in the manner of RDMA: register memory, post work, take
 * completions. All functions are per connection; a ULP can affect others only through them (ddp-07/rfc5041
 * §8.3.2: the Privileged Resource Manager checks; DDP-206, DDP-215, DDP-216). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "rdmap/rdmap_stream.h"
#include "rnic/rnic_endpoint.h"

/* --- Memory --- */

/* rnic_allocate_stag() returns an STag that is not valid yet, rnic_renew_stag() one for an STag that the peer
 * has invalidated (ddp_stag_table_reserve()). The other two functions make it valid for some `memory`, whose
 * owner this connection becomes, and invalid again, any number of times. rnic_register_as() is false, and
 * nothing done, when the memory or its range is not legal (ddp_stag_table_register()), or the STag is valid
 * already or allocated to another connection (DDP-216); rnic_withdraw() when the STag is not valid, or not
 * this connection's. */
uint32_t rnic_allocate_stag(rnic_endpoint *endpoint);
uint32_t rnic_renew_stag(rnic_endpoint *endpoint);
bool rnic_register_as(rnic_endpoint *endpoint, const ddp_registration *memory, uint32_t stag);
bool rnic_withdraw(rnic_endpoint *endpoint, uint32_t stag);

/* --- Work --- */

/* Posts an operation (see rdmap_work; `fence` among it). False after the connection ended or
 * rnic_endpoint_close(). Allowed before full operation: it waits. */
bool rnic_post(rnic_endpoint *endpoint, const rdmap_work *work);

/* Posts buffers for `count` Sends, of `length` octets and with ids from `first_id` on; the memory of each is
 * the supplier's, asked for when the first octets of its Send come. */
void rnic_supply_receives(rnic_endpoint *endpoint, ddp_buffer_supplier supplier, void *user);
void rnic_post_receives(rnic_endpoint *endpoint, uint32_t count, uint64_t length, uint64_t first_id);

/* --- Completions --- */

/* Takes the oldest completion: those of posted work in the order posted, those of receives in the order
 * Delivered. False when there is none. */
bool rnic_poll(rnic_endpoint *endpoint, rdmap_completion *completion);
