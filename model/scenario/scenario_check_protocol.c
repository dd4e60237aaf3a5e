/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario/scenario_finding.h"
#include "ulp/ulp_agreement.h"

/* --- Simulation engines, and ns-3's TCP --- */

gboolean scenario_needs_ns3(const scenario *s, scenario_key *key)
{
  const configuration *c = scenario_configuration(s);

  /* The other keys of `topology` describe its chain, and mean nothing without one. */
  *key = c->tcp_is_ns3 ? SCENARIO_TCP_IMPLEMENTATION : SCENARIO_TOPOLOGY_MEDIUM;
  return c->needs_ns3;
}

char *scenario_engine_reason(const scenario *s)
{
  scenario_key key = SCENARIO_RUN_ENGINE;
  gboolean is_auto = scenario_configuration(s)->run.engine == RUN_ENGINE_AUTO;

  if (is_auto && !scenario_needs_ns3(s, &key)) {
    return g_strdup("auto: nothing needs ns-3");
  }
  return g_strdup_printf("%s%s = %s%s", is_auto ? "auto: " : "", name_of(key), scenario_value_text(s, key),
                         is_auto ? " needs ns-3" : "");
}

gboolean scenario_check_engine(const checking *on)
{
  scenario_key need;

  return on->c->run.engine != RUN_ENGINE_NATIVE || !scenario_needs_ns3(on->s, &need) ||
         finding_error(on, KEYS(SCENARIO_RUN_ENGINE, need),
                       "run.engine = native, but %s = %s needs ns-3; expected auto or ns3", name_of(need),
                       scenario_value_text(on->s, need));
}

/* A scenario may not ask for what ns-3's TCP does not do. */
static gboolean check_ns3_words(const checking *on)
{
  const configuration *c = on->c;
  const struct {
    scenario_key key;
    bool differs;
    const char *because;
  } rows[] = {
      {SCENARIO_SENDER_SEGMENTATION, c->tcp.segmentation == TCP_SEGMENTATION_ALIGNED,
       "is not MPA-aware; expected stream"},
      {SCENARIO_SENDER_SEGMENTATION, c->tcp.segmentation == TCP_SEGMENTATION_RECORD,
       "keeps no record boundaries; expected stream"},
      {SCENARIO_RECEIVER_MODE, c->receiver.mode != RECEIVER_IN_ORDER,
       "passes octets in order only; expected in-order"},
      {SCENARIO_TCP_IP, c->ipv6, "is used with IPv4 here; expected ipv4"},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    if (rows[i].differs && scenario_given(on->s, rows[i].key)) {
      return finding_error(on, KEYS(rows[i].key, SCENARIO_TCP_IMPLEMENTATION),
                           "%s = %s, but ns-3's TCP (tcp.implementation = ns3) %s", name_of(rows[i].key),
                           scenario_value_text(on->s, rows[i].key), rows[i].because);
    }
  }
  return TRUE;
}

static gboolean check_ns3(const checking *on)
{
  /* It takes every segment, so limits have no meaning. The defaults are no limits. */
  static const scenario_key limits[] = {SCENARIO_RECEIVER_MEMORY, SCENARIO_RECEIVER_FPDU_DESCRIPTORS,
                                        SCENARIO_RECEIVER_PARTIAL_FPDUS, SCENARIO_RECEIVER_SEGMENTS,
                                        SCENARIO_RECEIVER_RANGES};
  const configuration *c = on->c;
  guint32 mtu = MAX(path_mtu_octets(&c->path.directions[SIDE_RESPONDER]),
                    path_mtu_octets(&c->path.directions[SIDE_INITIATOR]));

  if (!c->tcp_is_ns3) {
    return TRUE;
  }
  gboolean good =
      check_ns3_words(on) && (!choice_list_has(&c->path.middleboxes.mode, PATH_MIDDLEBOX_PROXY) ||
                              finding_error(on, KEYS(SCENARIO_MIDDLEBOX_MODE, SCENARIO_TCP_IMPLEMENTATION),
                                            "middlebox.mode has a proxy, but ns-3's TCP (tcp.implementation "
                                            "= ns3) is no peer for one; expected none"));
  for (gsize i = 0; good && i < G_N_ELEMENTS(limits); i++) {
    good = !scenario_differs(on->s, limits[i]) ||
           finding_error(on, KEYS(limits[i], SCENARIO_TCP_IMPLEMENTATION),
                         "%s is a limit, but ns-3's TCP (tcp.implementation = ns3) cannot drop a segment for "
                         "want of room; expected no limit",
                         name_of(limits[i]));
  }
  return good && (c->receive_window_octets >= mtu ||
                  finding_error(on, KEYS(SCENARIO_TCP_RECEIVE_WINDOW, SCENARIO_TCP_IMPLEMENTATION),
                                "tcp.receive_window = %" G_GUINT64_FORMAT
                                " is less than a segment, which ns-3's TCP (tcp.implementation = ns3) cannot "
                                "be; expected at least %u",
                                c->receive_window_octets, mtu));
}

gboolean scenario_check_tcp(const checking *on)
{
  const tcp_config *tcp = &on->c->tcp;

  return check_ns3(on) &&
         (tcp->congestion != TCP_CONGESTION_DCTCP || tcp->ecn != TCP_ECN_OFF ||
          finding_error(on, KEYS(SCENARIO_TCP_ECN, SCENARIO_TCP_CONGESTION),
                        "tcp.ecn = off, but tcp.congestion = dctcp lives by ECN; expected passive or on")) &&
         (tcp->path_mtu_discovery || !on->c->ipv6 ||
          finding_error(on, KEYS(SCENARIO_TCP_PATH_MTU_DISCOVERY, SCENARIO_TCP_IP),
                        "tcp.path_mtu_discovery = false, but routers do not fragment IPv6; expected true"));
}

/* --- MPA startup and RDMA Reads --- */

/* Returns whether an end has Reads or Atomics. */
static gboolean has_reads(const configuration *c)
{
  bool has = false;

  for (uint32_t i = 0; i < c->class_count; i++) {
    const ulp_mix_needs needs = ulp_mix_needs_of(&c->classes[i].workload.mix);
    has = has || needs.reads[false] || needs.reads[true] || needs.atomics;
  }
  return has;
}

/* rdmac has markers and CRC always (mpa-02 §7.1, §7.2; MPA-093, MPA-114) and no startup frames. */
static gboolean check_generation(const checking *on, enum side side)
{
  const rnic_endpoint_config *end = &on->c->endpoint[side];
  scenario_key generation = scenario_key_of_side(SCENARIO_INITIATOR_GENERATION, side);
  scenario_key missing =
      scenario_key_of_side(end->markers ? SCENARIO_INITIATOR_CRC : SCENARIO_INITIATOR_MARKERS, side);
  scenario_key data = scenario_key_of_side(SCENARIO_INITIATOR_PRIVATE_DATA, side);
  scenario_key given =
      end->private_data_octets > 0 ? data : scenario_key_of_side(SCENARIO_INITIATOR_REJECTS, side);
  gboolean is_rdmac = end->generation == IWARP_RDMAC;
  const iwarp_generation_rules *rules = iwarp_generation_rules_of(end->generation);

  return (!is_rdmac || (end->markers && end->crc) ||
          finding_error(on, KEYS(missing, generation),
                        "%s = false, but generation rdmac has markers and CRC always; expected true",
                        name_of(missing))) &&
         (!is_rdmac || (end->private_data_octets == 0 && !end->rejects) ||
          finding_error(on, KEYS(given, generation),
                        "%s is given, but generation rdmac has no startup frames; expected none",
                        name_of(given))) &&
         (end->private_data_octets <= rules->private_data_max_octets ||
          finding_error(on, KEYS(data, generation),
                        "%s = %u is more than generation %s allows; expected at most %u", name_of(data),
                        end->private_data_octets, rules->name, rules->private_data_max_octets));
}

/* Who posts Immediate Data or Atomics has them (RFC 7306). Its peer may be of an earlier generation, and ends
 * the connection. */
static gboolean check_extensions(const checking *on)
{
  for (uint32_t i = 0; i < on->c->class_count; i++) {
    const ulp_workload_config *workload = &on->c->classes[i].workload;
    const ulp_mix_needs needs = ulp_mix_needs_of(&workload->mix);

    for (enum side side = 0; side < SIDES && (needs.immediates || needs.atomics); side++) {
      const iwarp_generation_rules *rules = iwarp_generation_rules_of(on->c->endpoint[side].generation);
      scenario_key key = scenario_key_of_side(SCENARIO_INITIATOR_GENERATION, side);

      if (ulp_workload_posts(workload, side) && !rules->rdmap_extensions) {
        return finding_error(
            on, KEYS(SCENARIO_WORKLOAD_OPERATION, key),
            "workload.operation = %s posts %s, which %s = %s does not have; expected rfc6581",
            scenario_value_text(on->s, SCENARIO_WORKLOAD_OPERATION),
            needs.atomics ? "Atomics" : "Immediate Data", name_of(key), rules->name);
      }
    }
  }
  return TRUE;
}

gboolean scenario_check_protocol(const checking *on)
{
  return check_generation(on, SIDE_INITIATOR) && check_generation(on, SIDE_RESPONDER) &&
         (!has_reads(on->c) || on->c->endpoint[SIDE_INITIATOR].rdmap.ord > 0 ||
          finding_error(
              on, KEYS(SCENARIO_RDMAP_ORD, SCENARIO_WORKLOAD_OPERATION),
              "rdmap.ord = 0, but workload.operation = %s needs RDMA Reads or Atomics; expected at least 1",
              scenario_value_text(on->s, SCENARIO_WORKLOAD_OPERATION))) &&
         check_extensions(on);
}

/* --- Notes --- */

/* Notes what one end does to end a connection. */
static void note_ends_of_side(const checking *on, enum side side)
{
  const rnic_endpoint_config *end = &on->c->endpoint[side];
  const rnic_endpoint_config *peer = &on->c->endpoint[side_peer(side)];
  scenario_key data = scenario_key_of_side(SCENARIO_INITIATOR_PRIVATE_DATA, side);

  note_if(on, end->rejects, scenario_key_of_side(SCENARIO_INITIATOR_REJECTS, side),
          "the %s rejects every connection, and run.expect is ok",
          side == SIDE_INITIATOR ? "initiator" : "responder");
  note_if(on, end->private_data_octets > peer->private_data_capacity_octets, data,
          "%s = %u is more than %s = %u: the startup frame is malformed, and run.expect is ok", name_of(data),
          end->private_data_octets,
          name_of(scenario_key_of_side(SCENARIO_INITIATOR_PRIVATE_DATA_CAPACITY, side_peer(side))),
          peer->private_data_capacity_octets);
}

/* Notes what ends a connection, so that a run that expects 'ok' fails. All of it is documented behaviour, and
 * may be what a scenario is for. */
static void note_ends(const checking *on)
{
  const rnic_endpoint_config *ends = on->c->endpoint;
  guint32 ird = ends[SIDE_INITIATOR].rdmap.ird;
  guint32 ord = ends[SIDE_INITIATOR].rdmap.ord;

  note_if(on, ends[SIDE_INITIATOR].generation != ends[SIDE_RESPONDER].generation,
          SCENARIO_RESPONDER_GENERATION,
          "generations %s and %s do not fit: the connection ends in its startup, and run.expect is ok",
          scenario_value_text(on->s, SCENARIO_INITIATOR_GENERATION),
          scenario_value_text(on->s, SCENARIO_RESPONDER_GENERATION));
  for (uint32_t i = 0; on->c->graph.kind != GRAPH_PATH && i < on->c->connections.count; i++) {
    const uint32_t *hosts = on->c->of_graph.pairs[i].hosts;
    const rnic_endpoint_config *from = on->c->of_graph.hosts[hosts[SIDE_INITIATOR]]->endpoint;
    const rnic_endpoint_config *to = on->c->of_graph.hosts[hosts[SIDE_RESPONDER]]->endpoint;
    if (from[SIDE_INITIATOR].generation != to[SIDE_RESPONDER].generation) {
      note_if(
          on, TRUE, SCENARIO_HOSTS,
          "generations of h%u and h%u do not fit: the connection ends in its startup, and run.expect is ok",
          hosts[SIDE_INITIATOR], hosts[SIDE_RESPONDER]);
      break;
    }
  }
  note_ends_of_side(on, SIDE_INITIATOR);
  note_ends_of_side(on, SIDE_RESPONDER);
  note_if(on, has_reads(on->c) && ord > ird, SCENARIO_RDMAP_ORD,
          "rdmap.ord = %u is more than rdmap.ird = %u: a Read too many ends the connection, and "
          "run.expect is ok",
          ord, ird);
  note_if(on, on->c->fault.error != FAULT_NONE, SCENARIO_FAULT_ERROR,
          "fault.error = %s ends a connection, as a rule, and run.expect is ok",
          scenario_value_text(on->s, SCENARIO_FAULT_ERROR));
}

/* mpa-01 §11.2.2: the reassembly buffer must hold an FPDU of the local link's MTU; with less, FPDUs that lost
 * their alignment may never get through (MPA-349 ff.). Of a sender that cuts a stream each connection may
 * hold all but the end of one, so that one pool must hold as many; in whole cells. */
static void note_memory(const checking *on, uint32_t mtu)
{
  const configuration *c = on->c;
  const configuration_of_graph *of_graph = &c->of_graph;
  enum { FRAMING_OCTETS = 40 }; /* at least headers, pad, CRC and markers of a small FPDU */
  const uint32_t hosts = MAX(of_graph->host_count, 1);
  g_autofree uint32_t *holders = g_new0(uint32_t, hosts);
  uint32_t largest = 0; /* message */
  bool is_noted = false;

  for (uint32_t i = 0; i < c->class_count; i++) {
    const ulp_workload_config *of = &c->classes[i].workload;
    const uint32_t request = ulp_mix_needs_of(&of->mix).rpcs ? of->request_octets : 0;
    largest = MAX(largest, MAX(of->message_octets, request));
  }
  for (uint32_t i = 0; i < c->connections.count; i++) {
    const uint32_t host = of_graph->pairs ? of_graph->pairs[i].hosts[c->measured] : 0;
    holders[host] = c->tcp.segmentation == TCP_SEGMENTATION_STREAM ? holders[host] + 1 : 1;
  }
  for (uint32_t host = 0; host < hosts && !is_noted; host++) {
    const configuration *of = of_graph->pairs ? of_graph->hosts[host] : c;
    const uint64_t memory = of->receiver.memory_octets;
    const uint32_t count = memory < mtu ? MIN(holders[host], 1) : holders[host];
    const uint32_t sent = MAX(MIN(largest, mtu), ULP_STORAGE_MESSAGE_OCTETS);
    const uint32_t fpdu = count > 1 ? MIN(mtu, sent + FRAMING_OCTETS) : mtu;
    const uint32_t cell = of->receiver.cell_octets, held = (fpdu + cell - 1) / cell * cell;
    g_autofree char *at = of_graph->pairs ? g_strdup_printf(" at h%u", host) : g_strdup("");
    g_autofree char *each = count > 1 ? g_strdup_printf("for each of %u connections, %u x", count, count)
                                      : g_strdup("of the MTU,");

    is_noted = memory / cell * cell < (uint64_t)count * held;
    note_if(on, is_noted, SCENARIO_RECEIVER_MEMORY,
            "receiver.memory = %" G_GUINT64_FORMAT
            "%s does not hold an FPDU %s %u octets%s: where FPDUs span "
            "segments, the run may come to a halt",
            memory, at, each, held, cell > 1 ? " in whole cells" : "");
  }
}

void scenario_note_protocol(const checking *on)
{
  const configuration *c = on->c;
  const path_direction_config *path = &c->path.directions[c->main_direction];
  guint32 mtu = path_mtu_octets(path);
  guint32 headers = configuration_headers_octets(c);
  guint32 emss = mtu - headers;
  guint64 buffer = c->endpoint[c->main_direction].send_buffer_octets;
  guint32 assumed = c->endpoint[SIDE_INITIATOR].assumed_emss_octets;

  note_memory(on, mtu);
  note_if(on, buffer > 0 && buffer <= emss && c->tcp.delayed_ack_ps > 0, SCENARIO_SENDER_BUFFER,
          "sender.buffer = %" G_GUINT64_FORMAT " is not more than a full-size segment, %u octets: each is "
          "alone in flight, and its acknowledgement may be delayed",
          buffer, emss);
  if (c->run.expect == RUN_EXPECT_OK) {
    note_ends(on);
  }
  /* TCP cuts FPDUs that were made for an EMSS larger than its own: nothing stays aligned. */
  note_if(on, assumed + headers > path->link.mtu_octets, SCENARIO_MPA_ASSUMED_EMSS,
          "mpa.assumed_emss = %u is more than the true EMSS: TCP cuts the FPDUs", assumed);
}
