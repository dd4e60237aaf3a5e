#include <string.h>

#include "scenario/scenario_finding.h"

/* PD_Length of RFC 5044 says at most this. */
enum { RFC_PRIVATE_DATA_MAX_OCTETS = 512 };

static const char *const side_names[SIDES] = {[SIDE_INITIATOR] = "initiator", [SIDE_RESPONDER] = "responder"};

static gboolean says(const scenario *s, scenario_key key, const char *word)
{
  return strcmp(scenario_text(s, key), word) == 0;
}

static gboolean mix_has(const scenario *s, const char *const *words)
{
  char **mix = scenario_mix(s, SCENARIO_WORKLOAD_OPERATION);
  gboolean found = FALSE;

  for (char **word = mix; *word != NULL; word++) {
    found = found || g_strv_contains(words, *word);
  }
  g_strfreev(mix);
  return found;
}

static gboolean has_reads(const scenario *s)
{
  static const char *const reading[] = {"read", "storage-write", NULL};

  return mix_has(s, reading);
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

    if (!scenario_boolean(s, keys[0])) {
      return scenario_finding_error(
          s, keys, G_N_ELEMENTS(keys),
          g_strdup_printf("%s = false, but generation rdmac has markers and CRC always; expected true",
                          scenario_key_row_of(keys[0])->name),
          error);
    }
  }
  if (scenario_integer(s, data) > 0 || scenario_boolean(s, rejects)) {
    const scenario_key keys[] = {scenario_integer(s, data) > 0 ? data : rejects, generation};

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

  if (says(s, generation, "rdmac")) {
    return check_rdmac(s, side, error);
  }
  if (says(s, generation, "rfc") && scenario_integer(s, data) > RFC_PRIVATE_DATA_MAX_OCTETS) {
    return scenario_finding_error(s, keys, G_N_ELEMENTS(keys),
                                  g_strdup_printf("%s = %" G_GUINT64_FORMAT
                                                  " is more than generation rfc allows; expected at most %d",
                                                  scenario_key_row_of(data)->name, scenario_integer(s, data),
                                                  RFC_PRIVATE_DATA_MAX_OCTETS),
                                  error);
  }
  return TRUE;
}

static gboolean check_reads(const scenario *s, GError **error)
{
  const scenario_key keys[] = {SCENARIO_RDMAP_ORD, SCENARIO_WORKLOAD_OPERATION};

  if (has_reads(s) && scenario_integer(s, SCENARIO_RDMAP_ORD) == 0) {
    return scenario_finding_error(
        s, keys, G_N_ELEMENTS(keys),
        g_strdup_printf("rdmap.ord = 0, but workload.operation = %s needs RDMA Reads; expected at least 1",
                        scenario_text(s, SCENARIO_WORKLOAD_OPERATION)),
        error);
  }
  return TRUE;
}

/* --- Notes --- */

/* What ends a connection, so that a run that expects 'ok' fails. Each is documented behaviour and may be what a scenario is about. */
static void note_ends(const scenario *s, GPtrArray *notes)
{
  const char *initiator = scenario_text(s, SCENARIO_INITIATOR_GENERATION);
  const char *responder = scenario_text(s, SCENARIO_RESPONDER_GENERATION);

  if (strcmp(initiator, responder) != 0) {
    scenario_finding_note(
        notes, s, SCENARIO_RESPONDER_GENERATION,
        "generations %s and %s do not fit: the connection ends in its startup, and run.expect "
        "is ok",
        initiator, responder);
  }
  for (enum side side = 0; side < SIDES; side++) {
    scenario_key rejects = scenario_key_of_side(SCENARIO_INITIATOR_REJECTS, side);
    scenario_key data = scenario_key_of_side(SCENARIO_INITIATOR_PRIVATE_DATA, side);
    scenario_key capacity = scenario_key_of_side(SCENARIO_INITIATOR_PRIVATE_DATA_CAPACITY, side_peer(side));

    if (scenario_boolean(s, rejects)) {
      scenario_finding_note(notes, s, rejects, "the %s rejects every connection, and run.expect is ok",
                            side_names[side]);
    }
    if (scenario_integer(s, data) > scenario_integer(s, capacity)) {
      scenario_finding_note(notes, s, data,
                            "%s = %" G_GUINT64_FORMAT " is more than %s = %" G_GUINT64_FORMAT
                            ": the startup frame is malformed, and run.expect is ok",
                            scenario_key_row_of(data)->name, scenario_integer(s, data),
                            scenario_key_row_of(capacity)->name, scenario_integer(s, capacity));
    }
  }
  if (has_reads(s) && scenario_integer(s, SCENARIO_RDMAP_ORD) > scenario_integer(s, SCENARIO_RDMAP_IRD)) {
    scenario_finding_note(notes, s, SCENARIO_RDMAP_ORD,
                          "rdmap.ord = %" G_GUINT64_FORMAT " is more than rdmap.ird = %" G_GUINT64_FORMAT
                          ": a Read too many ends the connection, and run.expect is ok",
                          scenario_integer(s, SCENARIO_RDMAP_ORD), scenario_integer(s, SCENARIO_RDMAP_IRD));
  }
  if (!says(s, SCENARIO_FAULT_ERROR, "none")) {
    scenario_finding_note(notes, s, SCENARIO_FAULT_ERROR,
                          "fault.error = %s ends a connection, as a rule, and run.expect is ok",
                          scenario_text(s, SCENARIO_FAULT_ERROR));
  }
}

/* FPDUs made for an EMSS larger than TCP's are cut: nothing stays aligned. */
static void note_assumed_emss(const scenario *s, GPtrArray *notes)
{
  scenario_key mtu = scenario_key_of_direction(SCENARIO_PATH_FORWARD_MTU, scenario_main_direction(s));
  guint64 headers = scenario_boolean(s, SCENARIO_TCP_TIMESTAMPS) ? 52 : 40;
  guint64 assumed = g_ascii_strtoull(scenario_text(s, SCENARIO_MPA_ASSUMED_EMSS), NULL, 10);

  if (assumed + headers > scenario_integer(s, mtu)) {
    scenario_finding_note(
        notes, s, SCENARIO_MPA_ASSUMED_EMSS,
        "mpa.assumed_emss = %" G_GUINT64_FORMAT " is more than the true EMSS: TCP cuts the FPDUs", assumed);
  }
}

/* Keys that were given and that other keys leave without effect. */
static void note_without_effect(const scenario *s, GPtrArray *notes)
{
  static const scenario_key of_fault[] = {SCENARIO_FAULT_SIDE, SCENARIO_FAULT_AT};
  static const char *const writing[] = {"write", NULL};

  if (scenario_integer(s, SCENARIO_WORKLOAD_SIGNAL_EVERY) > 0 && !mix_has(s, writing)) {
    scenario_finding_note(notes, s, SCENARIO_WORKLOAD_SIGNAL_EVERY,
                          "workload.signal_every has no effect: only Writes are signalled");
  }
  if (scenario_boolean(s, SCENARIO_WORKLOAD_FENCE) && !has_reads(s)) {
    scenario_finding_note(notes, s, SCENARIO_WORKLOAD_FENCE,
                          "workload.fence has no effect: there are no RDMA Reads to wait for");
  }
  for (gsize i = 0; says(s, SCENARIO_FAULT_ERROR, "none") && i < G_N_ELEMENTS(of_fault); i++) {
    if (scenario_given(s, of_fault[i])) {
      scenario_finding_note(notes, s, of_fault[i], "%s has no effect while fault.error is none",
                            scenario_key_row_of(of_fault[i])->name);
    }
  }
}

/* With startup frames the first FPDUs go out after a wait, in a segment of their own, however many octets came before. */
static void note_stream_phase(const scenario *s, GPtrArray *notes)
{
  if (scenario_given(s, SCENARIO_SENDER_STREAM_PHASE) && says(s, SCENARIO_MIDDLEBOX_MODE, "none") &&
      !says(s, SCENARIO_INITIATOR_GENERATION, "rdmac")) {
    scenario_finding_note(
        notes, s, SCENARIO_SENDER_STREAM_PHASE,
        "sender.stream_phase shifts no cuts: behind its startup frame a sender begins a new "
        "segment, and no middlebox cuts the stream");
  }
}

gboolean scenario_check_protocol(const scenario *s, GPtrArray *notes, GError **error)
{
  for (enum side side = 0; side < SIDES; side++) {
    if (!check_generation(s, side, error)) {
      return FALSE;
    }
  }
  if (!check_reads(s, error)) {
    return FALSE;
  }
  if (says(s, SCENARIO_RUN_EXPECT, "ok")) {
    note_ends(s, notes);
  }
  note_assumed_emss(s, notes);
  note_stream_phase(s, notes);
  note_without_effect(s, notes);
  return TRUE;
}
