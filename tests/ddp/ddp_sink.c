/* SPDX-License-Identifier: GPL-2.0-only */
#include "ddp_sink.h"
#include "bare_ulpdu.h"
#include "stack_cleanup.h"

#include <string.h>

static bool on_accepts(G_GNUC_UNUSED void *user, const ddp_header *header)
{
  return header->ulp_control != REFUSED_CONTROL;
}

static void on_placed(void *user, ddp_segment *segment, const mpa_ulpdu *ulpdu, time_ps now)
{
  ddp_sink *s = user;
  g_assert_cmpint(now, ==, s->now);
  g_assert_cmpuint(segment->fpdu_start, ==, ulpdu->fpdu.start);
  g_assert_cmpuint(segment->header_octets + segment->payload_octets, ==, ulpdu->fpdu.ulpdu_octets);
  g_assert_cmpint(segment->target == NULL, ==, segment->payload_octets == 0);
  segment->observer = segment->fpdu_start * 3 + 1;
  if (++s->placed == s->stop_at_placement) {
    ddp_placer_stop(s->placer);
  }
}

static void on_delivered(void *user, const ddp_segment *segment, uint64_t buffer_id, time_ps now)
{
  ddp_sink *s = user;
  g_assert_cmpint(now, ==, s->now);
  g_assert_cmpuint(s->errors + s->refusals, ==, 0);
  g_assert_cmpuint(s->delivered, <, MAX_SEGMENTS);
  g_assert_cmpuint(segment->observer, ==, segment->fpdu_start * 3 + 1);
  s->deliveries[s->delivered++] = (delivery){.fpdu_start = segment->fpdu_start,
                                             .placed = segment->placed,
                                             .buffer_id = buffer_id,
                                             .message_octets = segment->message_octets,
                                             .message_memory = segment->message_memory,
                                             .header = segment->header};
  if (s->delivered == s->stop_at_delivery) {
    ddp_placer_stop(s->placer);
  }
}

static void on_error(void *user, ddp_error error, const ddp_segment *segment, time_ps now)
{
  ddp_sink *s = user;
  g_assert_cmpint(now, ==, s->now);
  g_assert_null(segment->target);
  s->errors++;
  s->error = error;
  s->fault = *segment;
  s->fault_start = segment->fpdu_start;
}

static bool on_may_follow(G_GNUC_UNUSED void *user, uint8_t open_control, const ddp_header *header)
{
  return open_control == WRITE_CONTROL && header->ulp_control == FOLLOWING_CONTROL;
}

static void on_refused(void *user, const ddp_segment *segment, time_ps now)
{
  ddp_sink *s = user;
  g_assert_cmpint(now, ==, s->now);
  g_assert_true(segment->header.ulp_control == REFUSED_CONTROL || ddp_placer_is_within_message(s->placer));
  g_assert_null(segment->target);
  s->refusals++;
  s->fault = *segment;
  s->fault_start = segment->fpdu_start;
}

static void register_stags(ddp_sink *s)
{
  ddp_registration registration = {.memory = s->tagged_memory + GUARD_OCTETS,
                                   .base = BASE,
                                   .length = TAGGED_OCTETS,
                                   .access = DDP_ACCESS_REMOTE_WRITE,
                                   .association = DDP_ASSOCIATED_BY_PROTECTION_DOMAIN,
                                   .owner = {STREAM_ID + 1, PROTECTION_DOMAIN}};
  g_assert_true(ddp_stag_table_register_as(s->stags, STAG, &registration));
  registration.access = DDP_ACCESS_REMOTE_READ;
  g_assert_true(ddp_stag_table_register_as(s->stags, STAG_READ_ONLY, &registration));
  registration.access = DDP_ACCESS_REMOTE_WRITE;
  registration.owner.protection_domain = PROTECTION_DOMAIN + 1;
  g_assert_true(ddp_stag_table_register_as(s->stags, STAG_FOREIGN_DOMAIN, &registration));
  registration.owner.protection_domain = PROTECTION_DOMAIN;
  registration.association = DDP_ASSOCIATED_BY_STREAM;
  g_assert_true(ddp_stag_table_register_as(s->stags, STAG_FOREIGN_STREAM, &registration));
}

ddp_sink *ddp_sink_new(void)
{
  return ddp_sink_new_with(IWARP_IETF, false);
}

ddp_sink *ddp_sink_new_with(iwarp_generation generation, bool report_on_arrival)
{
  static const ddp_placer_events events = {.accepts = on_accepts,
                                           .delivered = on_delivered,
                                           .error = on_error,
                                           .refused = on_refused,
                                           .may_follow = on_may_follow};
  static const ddp_probe probe = {.placed = on_placed};
  ddp_sink *s = g_new0(ddp_sink, 1);
  s->now = SENT_AT;
  memset(s->tagged_memory, UNTOUCHED, sizeof s->tagged_memory);
  memset(s->untagged_memory, UNTOUCHED, sizeof s->untagged_memory);
  s->stags = ddp_stag_table_new(1);
  register_stags(s);
  s->queues[0] = ddp_untagged_queue_new(DDP_FIRST_MSN);
  s->queues[1] = ddp_untagged_queue_new(DDP_FIRST_MSN);
  for (size_t i = 0; i < UNTAGGED_BUFFERS; i++) {
    ddp_untagged_queue_post(s->queues[i < 3 ? 0 : 1], s->untagged_memory[i] + GUARD_OCTETS, UNTAGGED_OCTETS,
                            FIRST_BUFFER_ID + i);
  }
  ddp_placer_config config = {.generation = generation,
                              .stream = {STREAM_ID, PROTECTION_DOMAIN},
                              .stags = s->stags,
                              .queues = s->queues,
                              .queue_count = 2,
                              .probe = &probe,
                              .probe_user = s,
                              .report_on_arrival = report_on_arrival};
  s->placer = ddp_placer_new(&config, &events, s);
  ddp_placer_skip_to(s->placer, SENT_FROM);
  return s;
}

static void assert_guards_untouched(const uint8_t *memory, size_t octets)
{
  for (size_t i = 0; i < GUARD_OCTETS; i++) {
    g_assert_cmphex(memory[i], ==, UNTOUCHED);
    g_assert_cmphex(memory[GUARD_OCTETS + octets + i], ==, UNTOUCHED);
  }
}

void ddp_sink_free(ddp_sink *s)
{
  assert_guards_untouched(s->tagged_memory, TAGGED_OCTETS);
  for (size_t i = 0; i < UNTAGGED_BUFFERS; i++) {
    assert_guards_untouched(s->untagged_memory[i], UNTAGGED_OCTETS);
  }
  ddp_placer_free(s->placer);
  ddp_untagged_queue_free(s->queues[0]);
  ddp_untagged_queue_free(s->queues[1]);
  ddp_stag_table_free(s->stags);
  g_free(s);
}

uint8_t *ddp_sink_memory_of(ddp_sink *s, int buffer)
{
  return (buffer < 0 ? s->tagged_memory : s->untagged_memory[buffer]) + GUARD_OCTETS;
}

uint8_t sent_payload_octet(uint64_t fpdu_start, uint32_t i)
{
  return (uint8_t)((fpdu_start * 31 + i * 7) % UNTOUCHED);
}

uint32_t sent_ulpdu_octets_of(const sent_segment *segment)
{
  return (uint32_t)ddp_header_octets(&segment->header) + segment->payload - segment->cut;
}

/* The FPDU of a ULPDU: length field, ULPDU, PAD to a multiple of 4, CRC. */
static uint64_t fpdu_octets_of(const sent_segment *segment)
{
  return (2 + (uint64_t)sent_ulpdu_octets_of(segment) + 3) / 4 * 4 + 4;
}

uint64_t sent_start_of(const sent_segment *segments, size_t index)
{
  uint64_t start = SENT_FROM;
  for (size_t i = 0; i < index; i++) {
    start += fpdu_octets_of(&segments[i]);
  }
  return start;
}

void ddp_sink_receive_octets(ddp_sink *s, uint64_t start, uint64_t fpdu_octets, const uint8_t *wire,
                             uint32_t length)
{
  g_auto(buffer_chain) ulpdu;
  buffer_chain_init(&ulpdu);
  uint32_t first = length < 16 ? length / 2 : 16;
  buffer_chain_append(&ulpdu, wire, first, NULL);
  octet_buffer *rest = octet_buffer_new(length + 1);
  memcpy(octet_buffer_octets(rest), wire + first, length - first);
  buffer_chain_append(&ulpdu, octet_buffer_octets(rest), length - first, rest);
  octet_buffer_unref(rest);
  mpa_ulpdu_part part = {.from = 0, .length = length, .arrival = s->now};
  mpa_ulpdu passed = bare_ulpdu(start, start + fpdu_octets, &ulpdu);
  passed.parts = &part;
  passed.part_count = 1;
  s->would_place = ddp_placer_would_place(s->placer, &passed);
  ddp_placer_receive(s->placer, &passed, s->now);
}

void ddp_sink_receive(ddp_sink *s, const sent_segment *segments, size_t index)
{
  const sent_segment *segment = &segments[index];
  uint64_t start = sent_start_of(segments, index);
  uint8_t wire[MAX_ULPDU_OCTETS];
  size_t header_octets = ddp_header_encode(&segment->header, wire);
  g_assert_cmpuint(header_octets + segment->payload, <=, sizeof wire);
  wire[0] |= s->reserved;
  for (uint32_t i = 0; i < segment->payload; i++) {
    wire[header_octets + i] = sent_payload_octet(start, i);
  }
  ddp_sink_receive_octets(s, start, fpdu_octets_of(segment), wire, sent_ulpdu_octets_of(segment));
}
