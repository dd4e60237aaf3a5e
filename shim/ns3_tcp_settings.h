/* SPDX-License-Identifier: GPL-2.0-only */
/* What a tcp_config means in the terms of ns-3's TCP. */
#ifndef SHIM_NS3_TCP_SETTINGS_H
#define SHIM_NS3_TCP_SETTINGS_H

#include "shim/ns3_tcp_node.h"
#include "tcp/tcp_connection.h"

/* The node of an IPv4 `config`; its segment_octets, the EMSS, is what the send MTU leaves behind the headers and the options that
 * every segment carries, 0 when nothing. Not checked: see ns3_tcp_node_check(). */
ns3_tcp_node_config ns3_tcp_settings_of(const tcp_config *config);

#endif
