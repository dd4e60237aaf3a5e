/* SPDX-License-Identifier: GPL-2.0-only */
/* This is what a session makes of the configuration: its hosts' addresses and limits, and the configuration
 * of each endpoint. */
#pragma once

#include "base/side.h"
#include "fault/fault_injector.h"
#include "net/datagram.h"
#include "net/ip_reassembly.h"
#include "rnic/rnic_endpoint.h"
#include "scenario/configuration.h"
#include "session/session_recorder.h"
#include "traffic/traffic_pattern.h"

/* The connections between the two hosts of a scenario are from 10.0.0.1 to 10.0.0.2, with IPv6 from fd00::1
 * to fd00::2. Their ports are traffic_ports(). */
enum { SESSION_FIRST_ADDRESS = 0x0A000001 };

#define SESSION_ADDRESS_V6_PREFIX UINT64_C(0xFD00000000000000)

/* Returns the address of a host of session number `session_number`; see session_host_address(). And the
 * number of the host that has `address`, if any host has. */
ip_address session_setup_address(const configuration *c, uint32_t session_number, uint32_t host);
uint32_t session_setup_host_at(const ip_address *address);

/* Limits the pace of `host`, as `sender` wants it, and, where Data Sinks are (`is_measured`), its
 * reassembly memory. Before its first endpoint. */
void session_setup_limits(const configuration *c, bool is_measured, rnic_host *host);

/* Returns the endpoint of `side` of `connection`, which sends `flow`. Its host, what it has there (protection
 * domain, Private Data, starts of FPDUs), and its fault are the caller's to add. */
rnic_endpoint_config session_setup_endpoint(const configuration *c, uint32_t connection, enum side side,
                                            const datagram_flow *flow);

/* Returns the ISN of its second TCP connection, if it has one. */
uint32_t session_setup_second_isn(const configuration *c, uint32_t connection, enum side side);

/* Returns the Private Data of `side`'s startup frame, as many octets as the configuration has (0: NULL); free
 * with g_free(). And whether `octets`, which have arrived, are those that were `sent`. */
uint8_t *session_setup_private_data(const configuration *c, enum side side, const pattern *table);
bool session_setup_private_data_is(const configuration *c, enum side side, const uint8_t *sent,
                                   const uint8_t *octets, uint32_t length);

/* The five options of draft-ietf-rddp-mpa-01 §11.2.1 at a host with ends of `side`. */
ip_reassembly_config session_setup_reassembly(const configuration *c, enum side side);

/* Returns what the recorder of a host with so many measured ends needs; `series` is occupancy.csv, NULL:
 * none. */
session_recorder_config session_setup_recorder(const configuration *c, uint32_t connections, FILE *series);

/* Returns the fault of `side` of `connection`; false when it has none. */
bool session_setup_fault(const configuration *c, uint32_t connection, enum side side, fault_config *fault);
