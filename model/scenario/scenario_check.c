/* SPDX-License-Identifier: GPL-2.0-only */
#include <string.h>

#include "scenario/scenario_engine.h"
#include "scenario/scenario_finding.h"

enum {
  /* The segment that holds the smallest FPDU MPA must be able to send, with a ULPDU of 128 octets (MPA-148). */
  EMSS_MIN_MARKED_OCTETS = 140,
  EMSS_MIN_UNMARKED_OCTETS = 136,
  IPV6_MTU_MIN_OCTETS = 1280,
  FPDU_OVERHEAD_OCTETS = 20,    /* of a message that is one FPDU: tagged DDP header, ULPDU_Length, CRC */
  BUFFER_OVERHEAD_OCTETS = 256, /* of a buffer: guards around it, and what DDP and RDMAP remember about it */
  /* Sink memory that a run may ask for: what one large machine has. The default workload over 10000 connections
   * takes 2.5 GiB. */
  MEMORY_MAX_GIB = 16,
};

#define GIB 1073741824.0

/* The keys of one direction. */
typedef struct direction {
  const char *name;
  enum side direction;
  scenario_key rate, delay, mtu, reorder, gap, jitter;
} direction;

static const direction directions[] = {
    {"path.forward", SIDE_INITIATOR, SCENARIO_PATH_FORWARD_RATE, SCENARIO_PATH_FORWARD_DELAY,
     SCENARIO_PATH_FORWARD_MTU, SCENARIO_PATH_FORWARD_REORDER, SCENARIO_PATH_FORWARD_GAP,
     SCENARIO_PATH_FORWARD_JITTER},
    {"path.reverse", SIDE_RESPONDER, SCENARIO_PATH_REVERSE_RATE, SCENARIO_PATH_REVERSE_DELAY,
     SCENARIO_PATH_REVERSE_MTU, SCENARIO_PATH_REVERSE_REORDER, SCENARIO_PATH_REVERSE_GAP,
     SCENARIO_PATH_REVERSE_JITTER},
};

static gboolean check_mtu(const scenario *s, const direction *d, GError **error)
{
  const configuration *c = scenario_configuration(s);
  /* The end that receives asks for markers (the M bit of its startup frame). */
  scenario_key markers_key = scenario_key_of_side(SCENARIO_INITIATOR_MARKERS, side_peer(d->direction));
  gboolean markers = scenario_settings_value(s, markers_key)->number;
  guint64 emss = markers ? EMSS_MIN_MARKED_OCTETS : EMSS_MIN_UNMARKED_OCTETS;
  guint64 needed = configuration_headers_octets(c) + emss;
  guint64 mtu = path_mtu_octets(&c->path.directions[d->direction]);
  gboolean first = mtu == scenario_settings_value(s, d->mtu)->number;
  scenario_key key = first ? d->mtu : scenario_key_of_direction(SCENARIO_PATH_FORWARD_HOP_MTU, d->direction);
  const scenario_key keys[] = {key, SCENARIO_TCP_TIMESTAMPS, markers_key};

  if (c->ipv6 && mtu < IPV6_MTU_MIN_OCTETS) {
    const scenario_key v6_keys[] = {key, SCENARIO_TCP_IP};

    return scenario_finding_error(
        s, v6_keys, G_N_ELEMENTS(v6_keys),
        g_strdup_printf("%s = %" G_GUINT64_FORMAT
                        " is too small for IPv6; expected at least %d (RFC 8200 section 5)",
                        scenario_key_row_of(key)->name, mtu, IPV6_MTU_MIN_OCTETS),
        error);
  }
  if (mtu >= needed) {
    return TRUE;
  }
  return scenario_finding_error(
      s, keys, G_N_ELEMENTS(keys),
      g_strdup_printf("%s = %" G_GUINT64_FORMAT " is too small; expected at least %" G_GUINT64_FORMAT
                      ": %u octets of headers and %" G_GUINT64_FORMAT
                      " for the FPDU of a 128-octet ULPDU %s markers",
                      scenario_key_row_of(key)->name, mtu, needed, configuration_headers_octets(c), emss,
                      markers ? "with" : "without"),
      error);
}

static gboolean check_timeouts(const scenario *s, GError **error)
{
  const configuration *c = scenario_configuration(s);
  static const scenario_key smaller[] = {SCENARIO_TCP_RTO_MIN, SCENARIO_TCP_RTO_INITIAL};

  for (gsize i = 0; i < G_N_ELEMENTS(smaller); i++) {
    const scenario_key keys[] = {smaller[i], SCENARIO_TCP_RTO_MAX};

    if ((time_ps)scenario_settings_value(s, smaller[i])->number <= c->tcp.rto_max_ps) {
      continue;
    }
    char *value = scenario_value_text(s, smaller[i]);
    char *maximum = scenario_value_text(s, SCENARIO_TCP_RTO_MAX);
    char *text = g_strdup_printf("%s = %s is more than tcp.rto_max = %s; expected at most that",
                                 scenario_key_row_of(smaller[i])->name, value, maximum);
    g_free(value);
    g_free(maximum);
    return scenario_finding_error(s, keys, G_N_ELEMENTS(keys), text, error);
  }
  return TRUE;
}

/* Sets of buffers for messages of full size that a connection has: one that RDMA Writes and Reads fill and one that Sends do, at each
 * end that some go to. */
static double sinks_per_connection(const configuration *c)
{
  gboolean to_peer = FALSE;
  gboolean to_self = FALSE;
  gboolean sends = FALSE;

  for (guint i = 0; i < c->workload.mix.count; i++) {
    const ulp_operation_rules *rules = ulp_operation_rules_of((ulp_operation)c->workload.mix.values[i]);

    to_peer = to_peer || rules->fills_peer;
    to_self = to_self || rules->fills_requester;
    sends = sends || rules->is_send;
  }
  return (c->workload.both ? 2 : 1) * (to_peer + to_self + sends);
}

/* Payload of one message, or of one turn of workload.message_sizes, which has `*messages`. */
static double octets_of_a_turn(const configuration *c, gsize *messages)
{
  double octets = 0;

  *messages = c->workload.message_sizes.count;
  for (gsize i = 0; i < *messages; i++) {
    octets += (double)c->workload.message_sizes.values[i];
  }
  if (*messages == 0) {
    *messages = 1;
    octets = (double)c->message_octets;
  }
  return octets;
}

/* A sink has a buffer for each message that can be in flight, of which at most the window and what waits out the
 * placement latency are, and two more (design.md, Real octets); never more than there are messages. */
static gboolean check_memory(const scenario *s, GError **error)
{
  const configuration *c = scenario_configuration(s);
  const scenario_key keys[] = {SCENARIO_WORKLOAD_MESSAGE_SIZE, SCENARIO_WORKLOAD_CONNECTIONS,
                               SCENARIO_TCP_RECEIVE_WINDOW, SCENARIO_RECEIVER_PLACEMENT_LATENCY,
                               SCENARIO_WORKLOAD_MESSAGES};
  double size = (double)c->workload.message_octets;
  double in_flight = (double)c->receive_window_octets +
                     (double)path_bottleneck_bit_per_s(&c->path.directions[c->main_direction]) / 8 *
                         time_ps_in_seconds(c->receiver.placement_latency_ps);
  gsize turn;
  double turn_octets = octets_of_a_turn(c, &turn) + (double)turn * FPDU_OVERHEAD_OCTETS;
  double buffers = (in_flight / turn_octets + 2) * (double)turn;
  double connections = (double)c->connections.count;

  buffers = MIN(buffers, (double)c->workload.messages);
  double memory = connections * sinks_per_connection(c) * buffers * (size + BUFFER_OVERHEAD_OCTETS);
  if (memory <= MEMORY_MAX_GIB * GIB) {
    return TRUE;
  }
  return scenario_finding_error(
      s, keys, G_N_ELEMENTS(keys),
      g_strdup_printf("the sink's buffers take %.1f GiB (%.0f connections, each with buffers for a receive "
                      "window and two messages); expected at most %d GiB",
                      memory / GIB, connections, MEMORY_MAX_GIB),
      error);
}

/* The clock ends after 106 days (time_ps.h); what cannot end before that is a slip of the pen. */
static gboolean check_duration(const scenario *s, GError **error)
{
  const configuration *c = scenario_configuration(s);
  double octets =
      (double)c->workload.message_octets * (double)c->workload.messages * (double)c->connections.count;
  double limit = time_ps_in_seconds(TIME_PS_NEVER) / 86400;

  for (gsize i = 0; c->run.stop_ps == 0 && i < G_N_ELEMENTS(directions); i++) {
    const direction *d = &directions[i];
    const scenario_key keys[] = {SCENARIO_WORKLOAD_MESSAGES, SCENARIO_WORKLOAD_MESSAGE_SIZE, d->rate};
    double days = octets * configuration_payload_share(c, d->direction) * 8 /
                  (double)path_bottleneck_bit_per_s(&c->path.directions[d->direction]) / 86400;

    if (days >= limit) {
      return scenario_finding_error(
          s, keys, G_N_ELEMENTS(keys),
          g_strdup_printf("the workload takes %.0f days at %s.rate; expected less than %.0f, where "
                          "simulated time ends, or a run.stop",
                          days, d->name, limit),
          error);
    }
  }
  return TRUE;
}

static void note_window(const scenario *s, GPtrArray *notes)
{
  const configuration *c = scenario_configuration(s);
  guint64 window = c->receive_window_octets;
  guint64 product = configuration_bandwidth_delay_octets(c);
  guint64 mtu = c->path.directions[c->main_direction].link.mtu_octets;

  if (window < product) {
    scenario_finding_note(notes, s, SCENARIO_TCP_RECEIVE_WINDOW,
                          "the receive window of %" G_GUINT64_FORMAT
                          " octets is %.3g of the bandwidth-delay product of %" G_GUINT64_FORMAT
                          ": one connection cannot fill the path",
                          window, (double)window / (double)product, product);
  }
  if (window < mtu - configuration_headers_octets(c)) {
    scenario_finding_note(notes, s, SCENARIO_TCP_RECEIVE_WINDOW,
                          "the receive window of %" G_GUINT64_FORMAT
                          " octets is less than a full-size segment: segments cannot stay aligned with FPDUs",
                          window);
  }
}

static gboolean is_constant(const scenario *s, const direction *d)
{
  const configuration *c = scenario_configuration(s);
  return c->path.directions[d->direction].jitter.distribution == PATH_JITTER_CONSTANT;
}

static void note_reordering(const scenario *s, const direction *d, GPtrArray *notes)
{
  double reorder = scenario_settings_value(s, d->reorder)->probability;
  time_ps jitter = (time_ps)scenario_settings_value(s, d->jitter)->number;

  if (reorder > 0 && jitter == 0) {
    scenario_finding_note(notes, s, d->reorder,
                          "%s.reorder has no effect while %s.jitter is 0s: there is no delay to skip",
                          d->name, d->name);
  }
  if (reorder == 0 && jitter > 0 && is_constant(s, d)) {
    scenario_finding_note(notes, s, d->jitter,
                          "%s.jitter only adds delay while %s.reorder is 0: no packet skips it", d->name,
                          d->name);
  }
  if (scenario_settings_value(s, d->gap)->number > 0 && (reorder == 0 || jitter == 0)) {
    scenario_finding_note(notes, s, d->gap, "%s.gap has no effect without %s.reorder and %s.jitter", d->name,
                          d->name, d->name);
  }
}

static void note_timers(const scenario *s, GPtrArray *notes)
{
  const configuration *c = scenario_configuration(s);
  char *maximum = scenario_value_text(s, SCENARIO_TCP_RTO_MAX);
  char *stall = scenario_value_text(s, SCENARIO_RUN_STALL);

  if (c->run.stall_ps <= c->tcp.rto_max_ps) {
    scenario_finding_note(
        notes, s, SCENARIO_RUN_STALL,
        "run.stall = %s is not more than tcp.rto_max = %s: a connection that waits to retransmit may be "
        "given up",
        stall, maximum);
  }
  if (c->run.stall_ps <= c->endpoint[SIDE_INITIATOR].startup_timeout_ps) {
    char *timeout = scenario_value_text(s, SCENARIO_MPA_STARTUP_TIMEOUT);

    scenario_finding_note(
        notes, s, SCENARIO_RUN_STALL,
        "run.stall = %s is not more than mpa.startup_timeout = %s: a connection that waits for "
        "a startup frame may be given up",
        stall, timeout);
    g_free(timeout);
  }
  if (c->tcp.delayed_ack_ps >= c->tcp.rto_min_ps) {
    scenario_finding_note(
        notes, s, SCENARIO_TCP_DELAYED_ACK,
        "tcp.delayed_ack is not less than tcp.rto_min: a sender may time out while its peer delays the "
        "acknowledgement");
  }
  g_free(maximum);
  g_free(stall);
}

gboolean scenario_check(const scenario *s, GPtrArray *notes, GError **error)
{
  for (gsize i = 0; i < G_N_ELEMENTS(directions); i++) {
    if (!check_mtu(s, &directions[i], error)) {
      return FALSE;
    }
  }
  if (!scenario_check_engine(s, error) || !scenario_check_path(s, notes, error) ||
      !scenario_check_tcp(s, notes, error) || !check_timeouts(s, error) || !check_memory(s, error) ||
      !check_duration(s, error) || !scenario_check_protocol(s, notes, error)) {
    return FALSE;
  }
  note_window(s, notes);
  for (gsize i = 0; i < G_N_ELEMENTS(directions); i++) {
    note_reordering(s, &directions[i], notes);
  }
  note_timers(s, notes);
  return TRUE;
}
