/* SPDX-License-Identifier: GPL-2.0-only */
/* The Data Sink of the placer's tests: buffers between guards, a placer, and what it reported. */
#pragma once

#include "ddp/ddp_placer.h"
#include "test.h"

/* A Data Sink: one Tagged Buffer of 64 octets, TO 1000 … 1063, under four STags, and three untagged buffers
 * of 16 octets on QN 0 (MSN 1, 2, 3) and one on QN 1. Memory starts as 0xEE; the guards around every buffer
 * must stay so. */
enum {
  STAG = 0xA1,           /* for writing, of the stream's Protection Domain */
  STAG_READ_ONLY = 0xA2, /* not for writing */
  STAG_FOREIGN_DOMAIN = 0xA3,
  STAG_FOREIGN_STREAM = 0xA4, /* of another stream of the same Protection Domain */
  STREAM_ID = 7,
  PROTECTION_DOMAIN = 3,
  BASE = 1000,
  TAGGED_OCTETS = 64,
  UNTAGGED_OCTETS = 16,
  UNTAGGED_BUFFERS = 4,
  FIRST_BUFFER_ID = 101,
  GUARD_OCTETS = 32,
  UNTOUCHED = 0xEE,
  WRITE_CONTROL = 0x40,
  SEND_CONTROL = 0x43,
  REFUSED_CONTROL = 0x4F,   /* the ULP of these tests accepts every control octet but this */
  FOLLOWING_CONTROL = 0x47, /* and this one it takes while a tagged message lacks its last segment */
  MAX_SEGMENTS = 16,
  MAX_ULPDU_OCTETS = 128,
};

/* This is where the first FPDU starts: positions pass 2^32 soon. And when all happens, unless a test sets its
 * clock on. */
#define SENT_FROM ((UINT64_C(1) << 32) - 100)
#define SENT_AT (10 * TIME_PS_PER_SECOND)

/* A segment as it is sent: a header and `payload` octets of its own. */
typedef struct sent_segment {
  ddp_header header;
  uint32_t payload;
  uint32_t cut; /* octets taken away from the end of the ULPDU */
} sent_segment;

typedef struct delivery {
  uint64_t fpdu_start;
  time_ps placed;
  uint64_t buffer_id;
  uint64_t message_octets;
  uint8_t *message_memory;
  ddp_header header;
} delivery;

typedef struct ddp_sink {
  uint8_t tagged_memory[GUARD_OCTETS + TAGGED_OCTETS + GUARD_OCTETS];
  uint8_t untagged_memory[UNTAGGED_BUFFERS][GUARD_OCTETS + UNTAGGED_OCTETS + GUARD_OCTETS];
  ddp_stag_table *stags;
  ddp_untagged_queue *queues[2];
  ddp_placer *placer;

  time_ps now;
  uint8_t reserved; /* bits of the DDP Control octet that are set besides in what is received */
  bool would_place; /* the placer's answer about the segment received last, just before it came */
  size_t placed;
  size_t delivered;
  delivery deliveries[MAX_SEGMENTS];
  size_t errors;
  size_t refusals;
  ddp_error error;
  uint64_t fault_start;
  ddp_segment fault;        /* as it was reported */
  size_t stop_at_placement; /* the handler stops the placer at that many placements; 0: never */
  size_t stop_at_delivery;  /* the same for deliveries */
} ddp_sink;

/* One-segment messages, and parts without L; REFUSED_… have a control octet that the ULP does not accept. */
#define TAGGED(...)                                                                                          \
  {                                                                                                          \
    .tagged = true, .last = true, .version = 1, .ulp_control = WRITE_CONTROL, __VA_ARGS__                    \
  }
#define UNTAGGED(...)                                                                                        \
  {                                                                                                          \
    .last = true, .version = 1, .ulp_control = SEND_CONTROL, __VA_ARGS__                                     \
  }
#define TAGGED_PART(...)                                                                                     \
  {                                                                                                          \
    .tagged = true, .version = 1, .ulp_control = WRITE_CONTROL, __VA_ARGS__                                  \
  }
#define UNTAGGED_PART(...)                                                                                   \
  {                                                                                                          \
    .version = 1, .ulp_control = SEND_CONTROL, __VA_ARGS__                                                   \
  }
#define REFUSED_TAGGED(...)                                                                                  \
  {                                                                                                          \
    .tagged = true, .version = 1, .ulp_control = REFUSED_CONTROL, __VA_ARGS__                                \
  }
#define REFUSED_UNTAGGED(...)                                                                                \
  {                                                                                                          \
    .version = 1, .ulp_control = REFUSED_CONTROL, __VA_ARGS__                                                \
  }

/* A sink of the generation ietf with nothing received. ddp_sink_free() asserts that no guard has changed. */
ddp_sink *ddp_sink_new(void);
ddp_sink *ddp_sink_new_with(iwarp_generation generation, bool report_on_arrival);
void ddp_sink_free(ddp_sink *s);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ddp_sink, ddp_sink_free)

/* A test (kit/test.h) of a new sink `s`. */
#define SINK_TEST(name) TEST_OF(ddp_sink, s, ddp_sink_new(), name)

/* Returns where untagged buffer `buffer` starts (the fourth is the one of QN 1); the Tagged Buffer when it is
 * -1. */
uint8_t *ddp_sink_memory_of(ddp_sink *s, int buffer);

/* Octet `i` of the payload of the FPDU that starts at `fpdu_start`; never UNTOUCHED. */
uint8_t sent_payload_octet(uint64_t fpdu_start, uint32_t i);

/* Octets of its ULPDU, what is cut away not counted. */
uint32_t sent_ulpdu_octets_of(const sent_segment *segment);

/* Returns where the FPDU of segment `index` of the stream `segments` starts. */
uint64_t sent_start_of(const sent_segment *segments, size_t index);

/* Passes up the `length` octets at `wire` as the ULPDU of the FPDU [start, start + fpdu_octets), in two
 * slices cut within header or payload. */
void ddp_sink_receive_octets(ddp_sink *s, uint64_t start, uint64_t fpdu_octets, const uint8_t *wire,
                             uint32_t length);

/* Passes up segment `index` of the stream `segments`. */
void ddp_sink_receive(ddp_sink *s, const sent_segment *segments, size_t index);
