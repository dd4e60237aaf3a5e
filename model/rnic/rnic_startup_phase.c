/* SPDX-License-Identifier: GPL-2.0-only */
#include "rnic/rnic_startup_phase.h"

#include <glib.h>
#include <string.h>

#include "mpa/mpa_fpdu.h"

rnic_startup_phase *rnic_startup_phase_new(const rnic_endpoint_config *config,
                                           rnic_startup_phase_observer observer, void *user)
{
  mpa_startup_config mpa = {.generation = config->generation,
                            .role = config->role,
                            .markers = config->markers,
                            .crc = config->crc,
                            .private_data_capacity_octets = config->private_data_capacity_octets,
                            .timeout_ps = config->startup_timeout_ps,
                            .frames = config->frames,
                            .enhanced = config->enhanced,
                            .ulp_decides = true};
  rnic_startup_phase *phase = g_new0(rnic_startup_phase, 1);

  mpa.enhanced.ird = config->rdmap.ird;
  mpa.enhanced.ord = config->rdmap.ord;
  if (config->private_data) {
    phase->private_data = g_memdup2(config->private_data, config->private_data_octets);
    phase->private_data_octets = config->private_data_octets;
  }
  phase->observer = observer;
  phase->user = user;
  phase->streaming_octets_sent = config->streaming_octets_sent;
  phase->streaming_octets_received = config->streaming_octets_received;
  phase->timeout_ps = config->startup_timeout_ps;
  phase->rejects = config->rejects;
  phase->may_start_again = config->may_start_again;
  phase->mpa = mpa_startup_new(&mpa);
  phase->deadline = TIME_PS_NEVER;
  return phase;
}

void rnic_startup_phase_free(rnic_startup_phase *phase)
{
  if (phase) {
    mpa_startup_free(phase->mpa);
    reassembly_queue_free(phase->octets);
    g_free(phase->private_data);
    g_free(phase);
  }
}

/* --- What arrives --- */

static bool is_streaming(const rnic_startup_phase *phase)
{
  return phase->mpa->state == MPA_STARTUP_STREAMING;
}

/* Both ends do this at the same octet of the stream (mpa-01 §6.1, MPA-190). */
static void begin_mpa(rnic_startup_phase *phase, time_ps now)
{
  bool has_private_data = phase->private_data && mpa_startup_has_frames(phase->mpa);

  phase->deadline = TIME_PS_NEVER;
  mpa_startup_begin(phase->mpa, has_private_data ? phase->private_data : NULL,
                    has_private_data ? phase->private_data_octets : 0, now);
}

void rnic_startup_phase_established(rnic_startup_phase *phase, time_ps now)
{
  /* mpa-01 §6.1.4 (MPA-266): not before the last streaming octet is in. mpa-02 §8.1 (MPA-184): nothing to
   * wait for. */
  if (!mpa_startup_has_frames(phase->mpa) || phase->streaming_octets_received == 0) {
    begin_mpa(phase, now);
  } else if (phase->timeout_ps > 0) {
    phase->deadline =
        time_ps_after(now, phase->timeout_ps); /* ULPs bound such waits (mpa-01 §6.1 rule 10, MPA-234) */
  }
}

static void read_in_order(void *user, uint64_t position, const buffer_chain *octets,
                          G_GNUC_UNUSED time_ps arrival)
{
  rnic_startup_phase *phase = user;
  uint32_t streaming = phase->streaming_octets_received;
  buffer_chain rest;

  if (position != phase->consumed) {
    return; /* after a hole */
  }
  uint32_t skipped = position < streaming ? (uint32_t)MIN(streaming - position, octets->length) : 0;
  phase->consumed += skipped;
  if (skipped == octets->length) {
    return;
  }
  buffer_chain_init_part(&rest, octets, skipped, octets->length - skipped);
  phase->consumed += mpa_startup_receive(phase->mpa, &rest);
  buffer_chain_clear(&rest);
}

static void read_after_frame(void *user, G_GNUC_UNUSED uint64_t position, const buffer_chain *octets,
                             G_GNUC_UNUSED time_ps arrival)
{
  rnic_startup_phase *phase = user;

  mpa_startup_receive(phase->mpa, octets);
}

/* The peer's frame is whole and valid: the ULP interprets its Private Data (MPA-198). */
static void judge_frame(rnic_startup_phase *phase, time_ps now)
{
  uint32_t length;
  const uint8_t *private_data = mpa_startup_private_data(phase->mpa, &length);

  if (phase->observer) {
    phase->observer(phase->user, private_data, length, &phase->mpa->agreement, now);
  }
  if (phase->mpa->state == MPA_STARTUP_DECIDING) {
    mpa_startup_decide(phase->mpa, !phase->rejects, NULL, 0);
  }
}

void rnic_startup_phase_receive(rnic_startup_phase *phase, uint64_t position, const buffer_chain *octets,
                                time_ps arrival, time_ps now)
{
  phase->octets = phase->octets ? phase->octets : reassembly_queue_new();
  reassembly_queue_insert(phase->octets, position, octets, arrival);
  if (is_streaming(phase)) {
    /* The switch is between two octets, which may be those of one segment. */
    reassembly_queue_visit(phase->octets, phase->consumed, phase->streaming_octets_received, read_in_order,
                           phase);
    reassembly_queue_remove(phase->octets, 0, phase->consumed); /* the ULP has them */
    if (phase->consumed < phase->streaming_octets_received) {
      return;
    }
    begin_mpa(phase, now);
  }
  reassembly_queue_visit(phase->octets, phase->consumed, UINT64_MAX, read_in_order, phase);
  if (phase->mpa->state == MPA_STARTUP_DECIDING) {
    /* What came early, after a hole, is as wrong as what follows at once (note M41). */
    reassembly_queue_visit(phase->octets, phase->consumed, UINT64_MAX, read_after_frame, phase);
  }
  if (phase->mpa->state == MPA_STARTUP_DECIDING || phase->mpa->state == MPA_STARTUP_REJECTED) {
    judge_frame(phase, now);
  }
  if (phase->mpa->state >= MPA_STARTUP_FULL_OPERATION) { /* or rejected, or failed */
    bool goes_on = phase->mpa->state == MPA_STARTUP_FULL_OPERATION;
    reassembly_queue_remove(phase->octets, 0, goes_on ? phase->consumed : UINT64_MAX);
  }
}

bool rnic_startup_phase_is_over(const rnic_startup_phase *phase)
{
  const mpa_startup *mpa = phase->mpa;
  uint8_t spare[MPA_FPDU_LENGTH_OCTETS];

  if (mpa->state != MPA_STARTUP_FULL_OPERATION) {
    return false;
  }
  if (mpa->config.role == SIDE_INITIATOR || !mpa->agreement.peer_to_peer) {
    return true;
  }
  /* The RTR indication is the first FPDU (RFC 6581 §5). Before it is known which kind it is, it is not known
   * which receive buffer a Send after it takes. */
  bool markers = mpa_startup_receive_markers(mpa);
  const uint8_t *length = reassembly_queue_peek(phase->octets, phase->consumed + mpa_fpdu_header(0, markers),
                                                MPA_FPDU_LENGTH_OCTETS, spare);
  return length &&
         reassembly_queue_contains(phase->octets, phase->consumed,
                                   phase->consumed + mpa_fpdu_octets(0, big_endian_read_16(length), markers));
}

/* --- What leaves --- */

bool rnic_startup_phase_next(rnic_startup_phase *phase, buffer_chain *octets, bool *is_frame)
{
  uint32_t length = phase->streaming_octets_sent;

  if (!phase->streaming_sent) {
    phase->streaming_sent = true;
    if (length > 0) {
      octet_buffer *buffer = octet_buffer_new(length);
      memset(octet_buffer_octets(buffer), 'S', length); /* nobody looks at them */
      buffer_chain_append(octets, octet_buffer_octets(buffer), length, buffer);
      octet_buffer_unref(buffer);
      *is_frame = false;
      return true;
    }
  }
  *is_frame = true;
  return mpa_startup_next_frame(phase->mpa, octets);
}

/* --- Time --- */

time_ps rnic_startup_phase_deadline(const rnic_startup_phase *phase)
{
  return is_streaming(phase) ? phase->deadline : phase->mpa->deadline;
}

void rnic_startup_phase_run(rnic_startup_phase *phase, time_ps now)
{
  if (now < rnic_startup_phase_deadline(phase)) {
    return;
  }
  if (is_streaming(phase)) {
    phase->is_starved = true;
    phase->deadline = TIME_PS_NEVER;
  } else {
    mpa_startup_run(phase->mpa, now);
  }
}

/* --- Where it stands --- */

uint64_t rnic_startup_phase_received_octets(const rnic_startup_phase *phase)
{
  return phase->streaming_octets_received + mpa_startup_received_frame_octets(phase->mpa);
}

void rnic_startup_phase_held(const rnic_startup_phase *phase, uint64_t *incomplete, uint64_t *order)
{
  uint64_t frame = phase->streaming_octets_received;
  bool frame_began = phase->consumed >= frame && !is_streaming(phase);

  *incomplete = 0;
  *order = 0;
  if (!phase->octets) {
    return;
  }
  /* A startup frame in pieces is what `incomplete` means; what lies after a hole waits for its order. */
  *incomplete = frame_began ? reassembly_queue_run_end(phase->octets, frame) - frame : 0;
  *order = reassembly_queue_total(phase->octets) - *incomplete;
}
