/* SPDX-License-Identifier: GPL-2.0-only */
/* The configuration of an endpoint. */
#pragma once

#include "mpa/mpa_enhanced.h"
#include "mpa/mpa_startup.h"
#include "rdmap/rdmap_stream.h"
#include "rnic/rnic_admission.h"
#include "rnic/rnic_host.h"
#include "rnic/rnic_receiver.h"
#include "rnic/rnic_sender.h"
#include "tcp/tcp_transport.h"

typedef struct rnic_endpoint_config {
  tcp_config tcp;
  tcp_transport_factory tcp_new; /* makes the TCP; NULL: our own, tcp_connection_new() */
  void *tcp_new_user;
  rnic_host *host; /* outlives the endpoint */
  iwarp_generation generation;
  enum side role; /* the Initiator sends the Request Frame; `opens`: who opens TCP (MPA-199) */
  bool opens;     /* TCP actively */
  bool markers;   /* asked for in the direction received */
  bool crc;
  const uint8_t *private_data; /* for the startup frame this end sends; copied. NULL: none */
  uint32_t private_data_octets;
  uint32_t private_data_capacity_octets; /* that the ULP can take */
  bool rejects;                          /* the ULP rejects whatever Private Data comes */
  time_ps startup_timeout_ps;
  bool closes_by_fin;             /* on MPA error 4: FIN, not RST (note M44) */
  bool may_start_again;           /* what fails before full operation leaves the stream as it was */
  uint32_t streaming_octets_sent; /* before MPA; both ends agree on both directions (MPA-190) */
  uint32_t streaming_octets_received;
  mpa_enhanced_config enhanced; /* its ird and ord are those of `rdmap` */
  uint32_t protection_domain;   /* of the host */
  /* It is handed to RDMAP, without what the endpoint itself knows: generation, identity, stags and probe. */
  rdmap_config rdmap;
  /* It is that of an endpoint that receives what a capture shows; all zero: of any other. */
  mpa_startup_frames frames;
  bool takes_long_ulpdus;       /* see mpa_deframer_take_long() */
  bool silent_drop;             /* a segment with a broken FPDU is dropped as if lost (MPA-286) */
  uint32_t assumed_emss_octets; /* by MPA, if TCP does not report it (MPA-025, MPA-026). 0: it does */
  uint64_t send_buffer_octets;  /* see rnic_sender_limit(); 0: unlimited */
  bool dynamic_mulpdu;          /* MULPDU by position, not by the printed formula (MPA-149, note M22) */
  bool assumes_aligned;         /* receiver.mode assume-aligned; with tcp.passing AS_ARRIVED */
  rnic_receive_limits limits;   /* the reassembly memory is the host's */
  time_ps placement_latency_ps;
  const rnic_misbehaviour *fault; /* outlives the endpoint; NULL: none */
  fpdu_starts *starts; /* gets where the FPDUs start that are sent, in the FPDU phase; NULL: nobody asks */
} rnic_endpoint_config;

/* Returns the defaults of the product: what an empty scenario makes of `side`, over tcp_config_default().
 * Host, Protection Domain, addresses, ports and ISN are yet to be set. */
rnic_endpoint_config rnic_endpoint_config_default(enum side side);
