/* SPDX-License-Identifier: GPL-2.0-only */
/* The receiving side of a connection without the rest: TCP's receiver, an rnic_receiver, DDP with one
 * registered buffer, and an rnic_admission between them. It is fed pieces of a stream of RDMA Writes in any
 * order. Every piece that brings something is tried in a dry run, whose result must be what is held when the
 * piece has been taken. */
#pragma once

#include "../mpa/mpa_stream.h"
#include "rnic/rnic_admission.h"
#include "rnic/rnic_receiver.h"
#include "stack_cleanup.h"
#include "tcp/tcp_receiver.h"
#include "test.h"

/* When a fixture begins: code that keeps a time in 32 bits of picoseconds (2 ms) gets a wrong one. */
#define START_PS (10 * TIME_PS_PER_SECOND)

typedef enum receiver_fixture_mode { IN_ORDER, OUT_OF_ORDER, ASSUME_ALIGNED, MODES } receiver_fixture_mode;

typedef struct receiver_fixture_config {
  receiver_fixture_mode mode;
  bool markers;
  bool crc;
  uint32_t streaming_octets; /* before the FPDU phase */
  uint64_t
      long_ago_octets; /* of streaming mode, before those: come and gone, and counted in no position here */
  bool is_midway; /* the octets long ago, a multiple of 512, were of the FPDU phase; no streaming_octets */
  rnic_reassembly_memory *memory;
  const mpa_fpdu_memory *fpdu_memory; /* of the receiver; may be NULL */
  uint32_t slice_octets;              /* segments come in slices of so many; 0: in one */
  rnic_receive_limits limits;
  bool silent_drop;
} receiver_fixture_config;

typedef struct receiver_fixture {
  tcp_transport transport; /* first: the receiver asks it what TCP holds */
  receiver_fixture_config config;
  mpa_stream *stream; /* the FPDU phase: Writes of payload octets 1, 2, 3 … 251, 1 … to TO 0, 1, 2 … */
  GByteArray *octets; /* streaming octets and stream */
  uint32_t payload_octets;
  uint8_t *sink;
  ddp_stag_table *stags;
  rdmap_stream *rdmap;
  rdmap_beginning beginning;
  tcp_config tcp_config;
  tcp_events tcp_events;
  tcp_receiver *tcp;
  rnic_receiver *receiver;
  rnic_admission *admission;
  time_ps now;
  GArray *runs; /* of rnic_new_run: of the segment in hand */
  rnic_dry_run dry_run;
  guint dry_runs;       /* compared with what came */
  guint admissions;     /* asked about a whole segment */
  guint taken, refused; /* segments with something new */
} receiver_fixture;

/* Of `count` Writes with these payloads. */
receiver_fixture *receiver_fixture_new(const receiver_fixture_config *config, const uint32_t *payloads,
                                       guint count);

/* The same of the array `payloads`; the fields of the configuration that are not 0 follow by name:
 * RECEIVER_OF(payloads, .mode = IN_ORDER, .crc = true). */
#define RECEIVER_OF(payloads, ...)                                                                           \
  receiver_fixture_new(&(const receiver_fixture_config){__VA_ARGS__}, (payloads), G_N_ELEMENTS(payloads))

G_DEFINE_AUTOPTR_CLEANUP_FUNC(rnic_reassembly_memory, g_free)

void receiver_fixture_free(receiver_fixture *f);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(receiver_fixture, receiver_fixture_free)

/* Stream position where FPDU `index` starts, or the last ends. */
uint64_t position_of(const receiver_fixture *f, guint index);

/* A segment with octets [from, to) of the stream arrives; false when it is refused. */
bool arrive(receiver_fixture *f, uint64_t from, uint64_t to);

/* Returns what is held now. */
rnic_occupancy held_now(const receiver_fixture *f);

/* All has arrived, all is placed as it was written, nothing is held. */
void assert_all_placed(const receiver_fixture *f);
