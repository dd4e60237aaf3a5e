/* SPDX-License-Identifier: GPL-2.0-only */
#include "rnic/rnic_sender.h"

#include <glib.h>

void rnic_sender_clear(rnic_sender *sender)
{
  if (sender->limits) {
    buffer_chain_clear(&sender->limits->held);
    g_free(sender->limits);
  }
}

void rnic_sender_limit(rnic_sender *sender, uint64_t buffer_octets, rnic_pace *pace)
{
  if (buffer_octets > 0 || pace) {
    sender->limits = g_new(rnic_sender_limits, 1);
    *sender->limits = (rnic_sender_limits){
        .buffer_octets = buffer_octets > 0 ? buffer_octets : UINT64_MAX, .pace = pace, .turn = TIME_PS_NEVER};
  }
}

void rnic_sender_start(rnic_sender *sender, bool markers, bool crc)
{
  g_assert(!sender->is_started);
  sender->is_started = true;
  sender->framer.markers = markers;
  sender->framer.crc = crc;
  sender->phase_start = sender->config.tcp->gauges.posted_octets;
}

bool rnic_sender_has_room(const rnic_sender *sender)
{
  const rnic_sender_limits *limits = sender->limits;
  const tcp_gauges *gauges = &sender->config.tcp->gauges;
  /* It is two segments' worth ahead, so that TCP knows whether a segment empties its queue. A host that has
   * its own pace fills the send buffer meanwhile. */
  bool is_ahead = gauges->unsent_octets >= 2 * (uint64_t)gauges->emss_octets;

  if (!limits) {
    return !is_ahead;
  }
  bool fills_buffer = limits->pace && limits->buffer_octets < UINT64_MAX;
  return (fills_buffer || !is_ahead) && !rnic_sender_holds(sender) &&
         gauges->posted_octets - limits->acknowledged < limits->buffer_octets;
}

/* Returns what MPA takes for the EMSS: TCP reports it, or not (mpa-01 §3.1.1, MPA-025, MPA-026). */
static uint32_t known_emss_octets(const rnic_sender *sender)
{
  uint32_t assumed = sender->config.assumed_emss_octets;

  return assumed > 0 ? assumed : sender->config.tcp->gauges.emss_octets;
}

uint32_t rnic_sender_mulpdu_octets(const rnic_sender *sender)
{
  uint32_t emss = known_emss_octets(sender);

  if (!sender->is_started) {
    return 0;
  }
  if (!sender->config.dynamic_mulpdu) {
    return mpa_mulpdu_octets(emss, sender->framer.markers);
  }
  uint32_t room = sender->filled_octets < emss ? emss - sender->filled_octets : 0;
  return mpa_mulpdu_exact_octets(sender->framer.offset, room, emss, sender->framer.markers);
}

/* TCP packs whole FPDUs into a segment (MPA-052): one more, or the first of the next, which returns true. */
static bool fill_segment(rnic_sender *sender, uint32_t fpdu_octets)
{
  if (!sender->config.packs_fpdus) {
    return true; /* nothing is ever filled */
  }
  bool fits = sender->filled_octets > 0 && sender->filled_octets + fpdu_octets <= known_emss_octets(sender);

  sender->filled_octets = fits ? sender->filled_octets + fpdu_octets : fpdu_octets;
  return !fits;
}

/* Computes rnic_sender_mulpdu_octets(), which the EMSS alone decides, and that changes rarely. Started. */
static uint32_t next_mulpdu_octets(rnic_sender *sender)
{
  uint32_t emss = known_emss_octets(sender);

  if (sender->config.dynamic_mulpdu) {
    if (sender->config.tcp->gauges.unsent_octets == 0) {
      sender->filled_octets = 0; /* the segment that was being filled has left */
    }
    return rnic_sender_mulpdu_octets(sender);
  }
  if (sender->emss_octets != emss) {
    sender->emss_octets = emss;
    sender->mulpdu_octets = mpa_mulpdu_octets(emss, sender->framer.markers);
  }
  return sender->mulpdu_octets;
}

/* Returns whether `ulpdu` is full-size when its FPDU has `fpdu_octets`: one that MULPDU bounds because of
 * what the segment holds already is not. Counts it. */
static bool is_full_size(rnic_sender *sender, const gather_list *ulpdu, uint32_t fpdu_octets, uint32_t mulpdu)
{
  bool shares_segment = sender->config.dynamic_mulpdu && !fill_segment(sender, fpdu_octets);

  if (shares_segment || ulpdu->length != mulpdu) {
    return false;
  }
  if (ddp_header_is_tagged(ulpdu->slices->octets)) {
    sender->full_size.payload_octets += ulpdu->length - DDP_TAGGED_HEADER_OCTETS;
    sender->full_size.stream_octets += fpdu_octets;
  }
  return true;
}

/* The FPDU goes to TCP, or waits for its turn. */
static void hand_over(rnic_sender *sender, buffer_chain *fpdu, unsigned flags, time_ps now)
{
  rnic_sender_limits *limits = sender->limits;

  if (limits && limits->pace) {
    uint32_t emss = sender->config.tcp->gauges.emss_octets;
    uint32_t segments = (fpdu->length + emss - 1) / emss;
    time_ps turn = rnic_pace_take_turn(limits->pace, fpdu->length, segments, now);
    if (turn > now) {
      buffer_chain_move(&limits->held, fpdu);
      limits->held_flags = flags;
      limits->turn = turn;
      return;
    }
  }
  sender->config.tcp->class->post(sender->config.tcp, fpdu, flags);
}

void rnic_sender_run(rnic_sender *sender, bool may_send, time_ps now)
{
  rnic_sender_limits *limits = sender->limits;

  if (rnic_sender_deadline(sender) > now) {
    return;
  }
  limits->turn = TIME_PS_NEVER;
  if (may_send) {
    sender->config.tcp->class->post(sender->config.tcp, &limits->held, limits->held_flags);
  } else {
    buffer_chain_clear(&limits->held);
  }
}

static G_GNUC_NO_INLINE void trace_framed(const rnic_sender *sender, trace_scope *scope,
                                          const gather_list *ulpdu, const buffer_chain *fpdu, uint64_t start)
{
  ddp_header header;
  buffer_chain octets;

  buffer_chain_init(&octets);
  buffer_chain_append_gathered(&octets, ulpdu);
  ddp_header_decode(&header, &octets);
  buffer_chain_clear(&octets);
  TRACE(scope, FPDU_SENT, .position = sender->phase_start + start, .octets = fpdu->length,
        .ulpdu_octets = ulpdu->length, .fpdu = ++scope->fpdus, .tagged = header.tagged, .last = header.last,
        .opcode = header.ulp_control & 0x0F, .message = header.tagged ? header.stag : header.msn,
        .offset = header.tagged ? header.tagged_offset : header.message_offset);
}

static void frame(rnic_sender *sender, trace_scope *scope, const gather_list *ulpdu, uint32_t mulpdu,
                  time_ps now)
{
  const rnic_misbehaviour *fault = sender->config.fault;
  uint64_t start = sender->framer.offset;
  unsigned flags = TCP_RECORD_FPDU;
  buffer_chain fpdu;

  if (sender->config.starts) {
    fpdu_starts_add(sender->config.starts, start);
  }
  buffer_chain_init(&fpdu);
  mpa_framer_frame(&sender->framer, ulpdu, &fpdu);
  if (is_full_size(sender, ulpdu, fpdu.length, mulpdu)) {
    flags |= TCP_RECORD_FULL_SIZE;
  }
  if (scope) {
    trace_framed(sender, scope, ulpdu, &fpdu, start);
  }
  if (fault) {
    fault->alter_fpdu(fault->user, start, sender->framer.markers, sender->framer.crc, &fpdu);
  }
  hand_over(sender, &fpdu, flags, now);
}

bool rnic_sender_send(rnic_sender *sender, trace_scope *scope, time_ps now)
{
  const rnic_misbehaviour *fault = sender->config.fault;

  if (!fault && rdmap_stream_has_nothing(sender->config.stream)) {
    return false;
  }
  uint32_t mulpdu = next_mulpdu_octets(sender);
  buffer_chain altered; /* of an end that misbehaves */
  ddp_ulpdu ulpdu;
  gather_list octets;

  buffer_chain_init(&altered);
  bool is_inserted = fault && fault->insert_ulpdu(fault->user, sender->config.generation, &altered);
  if (!is_inserted) {
    if (!rdmap_stream_next_ulpdu(sender->config.stream, mulpdu, &ulpdu, now)) {
      return false;
    }
    octets = ddp_ulpdu_octets(&ulpdu);
  }
  if (fault) {
    if (!is_inserted) {
      buffer_chain_append_gathered(&altered, &octets);
      fault->alter_ulpdu(fault->user, sender->config.generation, &altered);
    }
    octets = buffer_chain_gather(&altered);
  }
  frame(sender, scope, &octets, mulpdu, now);
  uint64_t fpdu_end = sender->phase_start + sender->framer.offset; /* in the stream */
  if (fault) {                                                     /* which may have cut the FPDU */
    uint32_t held = rnic_sender_holds(sender) ? sender->limits->held.length : 0;
    fpdu_end = sender->config.tcp->gauges.posted_octets + held;
    buffer_chain_clear(&altered);
  }
  if (!is_inserted) {
    rdmap_stream_framed(sender->config.stream, fpdu_end);
  }
  return true;
}
