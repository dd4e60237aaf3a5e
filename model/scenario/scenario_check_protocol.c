/* SPDX-License-Identifier: GPL-2.0-only */
#include <string.h>

#include "scenario/scenario_finding.h"

/* PD_Length of RFC 5044 says at most this. */
enum { RFC_PRIVATE_DATA_MAX_OCTETS = 512 };

static const char *const side_names[SIDES] = {[SIDE_INITIATOR] = "initiator", [SIDE_RESPONDER] = "responder"};

static gboolean has_reads(const configuration *c)
{
  return choice_list_has(&c->workload.mix, ULP_OPERATION_READ) ||
         choice_list_has(&c->workload.mix, ULP_OPERATION_STORAGE_WRITE);
}

/* --- Errors --- */

/* rdmac has markers and CRC always (mpa-02 §7.1, §7.2; MPA-093, MPA-114) and no startup frames. */
static gboolean check_rdmac(const scenario *s, enum side side, GError **error)
{
  static const scenario_key fixed[] = {SCENARIO_INITIATOR_MARKERS, SCENARIO_INITIATOR_CRC};
  scenario_key generation = scenario_key_of_side(SCENARIO_INITIATOR_GENERATION, side);
  scenario_key data = scenario_key_of_side(SCENARIO_INITIATOR_PRIVATE_DATA, side);
  scenario_key rejects = scenario_key_of_side(SCENARIO_INITIATOR_REJECTS, side);

  for (gsize i = 0; i < G_N_ELEMENTS(fixed); i++) {
    const scenario_key keys[] = {scenario_key_of_side(fixed[i], side), generation};

    if (!scenario_settings_value(s, keys[0])->number) {
      return scenario_finding_error(
          s, keys, G_N_ELEMENTS(keys),
          g_strdup_printf("%s = false, but generation rdmac has markers and CRC always; expected true",
                          scenario_key_row_of(keys[0])->name),
          error);
    }
  }
  if (scenario_settings_value(s, data)->number > 0 || scenario_settings_value(s, rejects)->number) {
    const scenario_key keys[] = {scenario_settings_value(s, data)->number > 0 ? data : rejects, generation};

    return scenario_finding_error(
        s, keys, G_N_ELEMENTS(keys),
        g_strdup_printf("%s is given, but generation rdmac has no startup frames; expected none",
                        scenario_key_row_of(keys[0])->name),
        error);
  }
  return TRUE;
}

static gboolean check_generation(const scenario *s, enum side side, GError **error)
{
  scenario_key generation = scenario_key_of_side(SCENARIO_INITIATOR_GENERATION, side);
  scenario_key data = scenario_key_of_side(SCENARIO_INITIATOR_PRIVATE_DATA, side);
  const scenario_key keys[] = {data, generation};

  const rnic_endpoint_config *end = &scenario_configuration(s)->endpoint[side];

  if (end->generation == IWARP_RDMAC) {
    return check_rdmac(s, side, error);
  }
  if (end->generation == IWARP_RFC && end->private_data_octets > RFC_PRIVATE_DATA_MAX_OCTETS) {
    return scenario_finding_error(
        s, keys, G_N_ELEMENTS(keys),
        g_strdup_printf("%s = %u is more than generation rfc allows; expected at most %d",
                        scenario_key_row_of(data)->name, end->private_data_octets,
                        RFC_PRIVATE_DATA_MAX_OCTETS),
        error);
  }
  return TRUE;
}

static gboolean check_reads(const scenario *s, GError **error)
{
  const configuration *c = scenario_configuration(s);
  const scenario_key keys[] = {SCENARIO_RDMAP_ORD, SCENARIO_WORKLOAD_OPERATION};

  if (has_reads(c) && c->endpoint[SIDE_INITIATOR].rdmap.ord == 0) {
    return scenario_finding_error(
        s, keys, G_N_ELEMENTS(keys),
        g_strdup_printf("rdmap.ord = 0, but workload.operation = %s needs RDMA Reads; expected at least 1",
                        scenario_settings_value(s, SCENARIO_WORKLOAD_OPERATION)->text),
        error);
  }
  return TRUE;
}

/* --- Notes --- */

/* What ends a connection, so that a run that expects 'ok' fails. Each is documented behaviour and may be what a scenario is about. */
static void note_ends(const scenario *s, GPtrArray *notes)
{
  const configuration *c = scenario_configuration(s);

  if (c->endpoint[SIDE_INITIATOR].generation != c->endpoint[SIDE_RESPONDER].generation) {
    scenario_finding_note(
        notes, s, SCENARIO_RESPONDER_GENERATION,
        "generations %s and %s do not fit: the connection ends in its startup, and run.expect "
        "is ok",
        scenario_settings_value(s, SCENARIO_INITIATOR_GENERATION)->text,
        scenario_settings_value(s, SCENARIO_RESPONDER_GENERATION)->text);
  }
  for (enum side side = 0; side < SIDES; side++) {
    scenario_key rejects = scenario_key_of_side(SCENARIO_INITIATOR_REJECTS, side);
    scenario_key data = scenario_key_of_side(SCENARIO_INITIATOR_PRIVATE_DATA, side);
    scenario_key capacity = scenario_key_of_side(SCENARIO_INITIATOR_PRIVATE_DATA_CAPACITY, side_peer(side));

    if (scenario_settings_value(s, rejects)->number) {
      scenario_finding_note(notes, s, rejects, "the %s rejects every connection, and run.expect is ok",
                            side_names[side]);
    }
    if (scenario_settings_value(s, data)->number > scenario_settings_value(s, capacity)->number) {
      scenario_finding_note(notes, s, data,
                            "%s = %" G_GUINT64_FORMAT " is more than %s = %" G_GUINT64_FORMAT
                            ": the startup frame is malformed, and run.expect is ok",
                            scenario_key_row_of(data)->name, scenario_settings_value(s, data)->number,
                            scenario_key_row_of(capacity)->name,
                            scenario_settings_value(s, capacity)->number);
    }
  }
  if (has_reads(c) && c->endpoint[SIDE_INITIATOR].rdmap.ord > c->endpoint[SIDE_INITIATOR].rdmap.ird) {
    scenario_finding_note(notes, s, SCENARIO_RDMAP_ORD,
                          "rdmap.ord = %u is more than rdmap.ird = %u: a Read too many ends the connection, "
                          "and run.expect is ok",
                          c->endpoint[SIDE_INITIATOR].rdmap.ord, c->endpoint[SIDE_INITIATOR].rdmap.ird);
  }
  if (c->fault.error != FAULT_NONE) {
    scenario_finding_note(notes, s, SCENARIO_FAULT_ERROR,
                          "fault.error = %s ends a connection, as a rule, and run.expect is ok",
                          scenario_settings_value(s, SCENARIO_FAULT_ERROR)->text);
  }
}

/* FPDUs made for an EMSS larger than TCP's are cut: nothing stays aligned. */
static void note_assumed_emss(const scenario *s, GPtrArray *notes)
{
  const configuration *c = scenario_configuration(s);
  guint32 mtu = c->path.directions[c->main_direction].link.mtu_octets;
  guint32 headers = c->tcp.timestamps ? 52 : 40;
  guint32 assumed = c->endpoint[SIDE_INITIATOR].assumed_emss_octets;

  if (assumed + headers > mtu) {
    scenario_finding_note(notes, s, SCENARIO_MPA_ASSUMED_EMSS,
                          "mpa.assumed_emss = %u is more than the true EMSS: TCP cuts the FPDUs", assumed);
  }
}

/* Keys that were given and that other keys leave without effect. */
static void note_without_effect(const scenario *s, GPtrArray *notes)
{
  const configuration *c = scenario_configuration(s);
  static const scenario_key of_fault[] = {SCENARIO_FAULT_SIDE, SCENARIO_FAULT_AT};

  if (c->workload.signal_every > 0 && !choice_list_has(&c->workload.mix, ULP_OPERATION_WRITE)) {
    scenario_finding_note(notes, s, SCENARIO_WORKLOAD_SIGNAL_EVERY,
                          "workload.signal_every has no effect: only Writes are signalled");
  }
  if (c->workload.fence && !has_reads(c)) {
    scenario_finding_note(notes, s, SCENARIO_WORKLOAD_FENCE,
                          "workload.fence has no effect: there are no RDMA Reads to wait for");
  }
  for (gsize i = 0; c->fault.error == FAULT_NONE && i < G_N_ELEMENTS(of_fault); i++) {
    if (scenario_given(s, of_fault[i])) {
      scenario_finding_note(notes, s, of_fault[i], "%s has no effect while fault.error is none",
                            scenario_key_row_of(of_fault[i])->name);
    }
  }
}

/* With startup frames the first FPDUs go out after a wait, in a segment of their own, however many octets came before. */
static void note_stream_phase(const scenario *s, GPtrArray *notes)
{
  const configuration *c = scenario_configuration(s);
  if (scenario_given(s, SCENARIO_SENDER_STREAM_PHASE) &&
      c->path.middleboxes.mode.values[0] == PATH_MIDDLEBOX_NONE &&
      c->endpoint[SIDE_INITIATOR].generation != IWARP_RDMAC) {
    scenario_finding_note(
        notes, s, SCENARIO_SENDER_STREAM_PHASE,
        "sender.stream_phase shifts no cuts: behind its startup frame a sender begins a new "
        "segment, and no middlebox cuts the stream");
  }
}

gboolean scenario_check_protocol(const scenario *s, GPtrArray *notes, GError **error)
{
  const configuration *c = scenario_configuration(s);
  for (enum side side = 0; side < SIDES; side++) {
    if (!check_generation(s, side, error)) {
      return FALSE;
    }
  }
  if (!check_reads(s, error)) {
    return FALSE;
  }
  if (c->run.expect == RUN_EXPECT_OK) {
    note_ends(s, notes);
  }
  note_assumed_emss(s, notes);
  note_stream_phase(s, notes);
  note_without_effect(s, notes);
  return TRUE;
}
