/* SPDX-License-Identifier: GPL-2.0-only */
#include <string.h>

#include "scenario/scenario_finding.h"

static const char *name_of(scenario_key key)
{
  return scenario_key_row_of(key)->name;
}

/* What ns-3's TCP is not, or what its path has not: said in a scenario it is a contradiction. */
static gboolean check_ns3(const scenario *s, GError **error)
{
  const configuration *c = scenario_configuration(s);
  static const struct {
    scenario_key key;
    const char *word;
    const char *because;
  } rows[] = {
      {SCENARIO_SENDER_SEGMENTATION, "aligned", "is not MPA-aware; expected stream"},
      {SCENARIO_SENDER_SEGMENTATION, "record", "keeps no record boundaries; expected stream"},
      {SCENARIO_RECEIVER_MODE, "out-of-order", "passes octets in order only; expected in-order"},
      {SCENARIO_RECEIVER_MODE, "assume-aligned", "passes octets in order only; expected in-order"},
      {SCENARIO_TCP_IP, "ipv6", "is used with IPv4 here; expected ipv4"},
  };

  for (gsize i = 0; c->tcp_is_ns3 && i < G_N_ELEMENTS(rows); i++) {
    const scenario_key keys[] = {rows[i].key, SCENARIO_TCP_IMPLEMENTATION};

    if (scenario_given(s, rows[i].key) &&
        g_str_equal(scenario_settings_value(s, rows[i].key)->text, rows[i].word)) {
      return scenario_finding_error(s, keys, G_N_ELEMENTS(keys),
                                    g_strdup_printf("%s = %s, but ns-3's TCP (tcp.implementation = ns3) %s",
                                                    name_of(rows[i].key), rows[i].word, rows[i].because),
                                    error);
    }
  }
  if (c->tcp_is_ns3 && choice_list_has(&c->path.middleboxes.mode, PATH_MIDDLEBOX_PROXY)) {
    const scenario_key keys[] = {SCENARIO_MIDDLEBOX_MODE, SCENARIO_TCP_IMPLEMENTATION};

    return scenario_finding_error(s, keys, G_N_ELEMENTS(keys),
                                  g_strdup("middlebox.mode has a proxy, but ns-3's TCP (tcp.implementation = "
                                           "ns3) is no peer for one; expected none"),
                                  error);
  }
  return TRUE;
}

/* ns-3's receive buffer holds at least a segment. */
static gboolean check_ns3_window(const scenario *s, GError **error)
{
  const configuration *c = scenario_configuration(s);
  const scenario_key keys[] = {SCENARIO_TCP_RECEIVE_WINDOW, SCENARIO_TCP_IMPLEMENTATION};
  guint32 mtu = MAX(path_mtu_octets(&c->path.directions[SIDE_RESPONDER]),
                    path_mtu_octets(&c->path.directions[SIDE_INITIATOR]));

  if (!c->tcp_is_ns3 || c->receive_window_octets >= mtu) {
    return TRUE;
  }
  return scenario_finding_error(s, keys, G_N_ELEMENTS(keys),
                                g_strdup_printf("tcp.receive_window = %" G_GUINT64_FORMAT
                                                " is less than a segment, which ns-3's TCP "
                                                "(tcp.implementation = ns3) cannot be; expected at least %u",
                                                c->receive_window_octets, mtu),
                                error);
}

/* It asks nobody whether a segment may be taken. The defaults are no limits. */
static gboolean check_ns3_limits(const scenario *s, GError **error)
{
  const configuration *c = scenario_configuration(s);
  static const scenario_key limits[] = {SCENARIO_RECEIVER_MEMORY, SCENARIO_RECEIVER_FPDU_DESCRIPTORS,
                                        SCENARIO_RECEIVER_PARTIAL_FPDUS};

  for (gsize i = 0; c->tcp_is_ns3 && i < G_N_ELEMENTS(limits); i++) {
    const scenario_key keys[] = {limits[i], SCENARIO_TCP_IMPLEMENTATION};

    if (scenario_differs(s, limits[i])) {
      return scenario_finding_error(
          s, keys, G_N_ELEMENTS(keys),
          g_strdup_printf("%s is a limit, but ns-3's TCP (tcp.implementation = ns3) "
                          "cannot drop a segment for want of room; "
                          "expected no limit",
                          name_of(limits[i])),
          error);
    }
  }
  return TRUE;
}

static gboolean check_ecn(const scenario *s, GError **error)
{
  const configuration *c = scenario_configuration(s);
  const scenario_key keys[] = {SCENARIO_TCP_ECN, SCENARIO_TCP_CONGESTION};

  return c->tcp.congestion != TCP_CONGESTION_DCTCP || c->tcp.ecn != TCP_ECN_OFF ||
         scenario_finding_error(
             s, keys, G_N_ELEMENTS(keys),
             g_strdup("tcp.ecn = off, but tcp.congestion = dctcp lives by ECN; expected passive or on"),
             error);
}

static gboolean check_fragments(const scenario *s, GError **error)
{
  const configuration *c = scenario_configuration(s);
  const scenario_key keys[] = {SCENARIO_TCP_PATH_MTU_DISCOVERY, SCENARIO_TCP_IP};

  return c->tcp.path_mtu_discovery || !c->ipv6 ||
         scenario_finding_error(
             s, keys, G_N_ELEMENTS(keys),
             g_strdup("tcp.path_mtu_discovery = false, but routers do not fragment IPv6; expected true"),
             error);
}

/* Keys given that are on and do nothing, for want of another. */
static void note_needs(const scenario *s, GPtrArray *notes)
{
  static const struct {
    scenario_key key;
    scenario_key needs;
  } rows[] = {
      {SCENARIO_TCP_DSACK, SCENARIO_TCP_SACK},
      {SCENARIO_TCP_OLD_SACK, SCENARIO_TCP_SACK},
      {SCENARIO_TCP_RACK, SCENARIO_TCP_SACK},
      {SCENARIO_TCP_TLP, SCENARIO_TCP_RACK},
      {SCENARIO_TCP_PRR, SCENARIO_TCP_SACK},
      {SCENARIO_TCP_PARTIAL_UNDO, SCENARIO_TCP_RACK},
      {SCENARIO_TCP_PARTIAL_UNDO, SCENARIO_TCP_TIMESTAMPS},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    if (scenario_given(s, rows[i].key) && scenario_settings_value(s, rows[i].key)->number &&
        !scenario_settings_value(s, rows[i].needs)->number) {
      scenario_finding_note(notes, s, rows[i].key, "%s has no effect while %s is false", name_of(rows[i].key),
                            name_of(rows[i].needs));
    }
  }
}

/* mpa-01 §11.2.2: the reassembly buffer must hold an FPDU of the local link's MTU; with less, FPDUs that lost their alignment may never
 * get through (MPA-349 ff.). */
static void note_memory(const scenario *s, GPtrArray *notes)
{
  const configuration *c = scenario_configuration(s);
  guint32 mtu = path_mtu_octets(&c->path.directions[c->main_direction]);

  if (c->receiver.memory_octets < mtu) {
    scenario_finding_note(notes, s, SCENARIO_RECEIVER_MEMORY,
                          "receiver.memory = %" G_GUINT64_FORMAT
                          " does not hold an FPDU of the MTU, %u octets: where FPDUs "
                          "span segments, the run may come to a halt",
                          c->receiver.memory_octets, mtu);
  }
}

gboolean scenario_check_tcp(const scenario *s, GPtrArray *notes, GError **error)
{
  if (!check_ns3(s, error) || !check_ns3_limits(s, error) || !check_ns3_window(s, error) ||
      !check_ecn(s, error) || !check_fragments(s, error)) {
    return FALSE;
  }
  note_needs(s, notes);
  note_memory(s, notes);
  return TRUE;
}
