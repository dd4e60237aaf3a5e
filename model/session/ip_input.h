/* SPDX-License-Identifier: GPL-2.0-only */
/* This is the IP input of one host: reassembly before TCP (draft-ietf-rddp-mpa-01 §11.2.1). Whole packets
 * pass; octets that wait for fragments are reported, for the gauge (docs/metrics.md, "Causes of holding"). */
#pragma once

#include "engine/engine.h"
#include "net/ip_reassembly.h"
#include "network/path_element.h"

typedef struct ip_input ip_input;

/* Fragments whose connection is not known yet, because the first of their datagram has not come. */
#define IP_INPUT_UNKNOWN UINT32_MAX

typedef struct ip_input_events {
  path_output whole;  /* a packet for TCP; takes the reference */
  path_output answer; /* an ICMP message of this host's leaves; takes the reference */
  /* `connection` (or IP_INPUT_UNKNOWN) has `octets` of TCP payload in datagrams with fragments missing
   * from now on. */
  void (*held)(void *user, uint32_t connection, uint64_t octets, time_ps now);
  /* The connection of a flow, as it comes to this host; false when there is none. */
  bool (*connection_of)(void *user, const datagram_flow *flow, uint32_t *connection);
} ip_input_events;

/* Returns the input of the host with `number` (< 262144) among those on `clock`, which reassembles as
 * `config` allows; `events` are copied and called with `user`. Free with ip_input_free(), before the
 * engine. */
ip_input *ip_input_new(const ip_reassembly_config *config, uint32_t number, engine *clock,
                       const ip_input_events *events, void *user);
void ip_input_free(ip_input *input);

/* A packet has arrived; takes its reference. */
void ip_input_receive(ip_input *input, datagram *packet, time_ps now);

/* No datagram times out from now on: nothing that is missing will arrive. */
void ip_input_stop_clock(ip_input *input);
