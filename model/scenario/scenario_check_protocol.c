/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario/scenario_finding.h"
#include "ulp/ulp_agreement.h"

/* --- Simulation engines, and ns-3's TCP --- */

gboolean scenario_needs_ns3(const scenario *s, scenario_key *key)
{
  const configuration *c = scenario_configuration(s);

  if (c->needs_ns3) {
    /* The other keys of `topology` describe its chain, and mean nothing without one. */
    *key = c->tcp_is_ns3 ? SCENARIO_TCP_IMPLEMENTATION : SCENARIO_TOPOLOGY_MEDIUM;
  }
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

/* Returns whether `side` posts RDMA Reads, as a requester or in answer to one, or Atomics. */
static bool reads(const ulp_workload_config *workload, enum side side)
{
  const ulp_mix_needs needs = ulp_mix_needs_of(&workload->mix);

  return (ulp_workload_posts(workload, side) && (needs.reads[false] || needs.atomics)) ||
         (ulp_workload_posts(workload, side_peer(side)) && needs.reads[true]);
}

/* Returns whether both ends have enhanced frames, and agree on what they both negotiate. */
static bool is_enhanced(const configuration *c)
{
  return c->endpoint[SIDE_INITIATOR].enhanced.enabled && c->endpoint[SIDE_RESPONDER].enhanced.enabled;
}

/* Returns the Reads that `side` may have outstanding: its ORD, or the less that startup leaves of it (RFC
 * 6581 §9.1). And that its peer has buffers for. */
static uint32_t agreed_ord(const configuration *c, enum side side)
{
  const mpa_enhanced_config *own = &c->endpoint[side].enhanced;
  const mpa_enhanced_config *peer = &c->endpoint[side_peer(side)].enhanced;

  return is_enhanced(c) && !own->fixed_ord && !peer->fixed_ird ? MIN(own->ord, peer->ird) : own->ord;
}

/* Returns what `initiator_key` is for `side`, or the key of both ends whose value that takes while it is not
 * given. */
static scenario_key given_or_common(const checking *on, scenario_key initiator_key, enum side side)
{
  const scenario_key key = scenario_key_of_side(initiator_key, side);

  return scenario_given(on->s, key) ? key : (scenario_key)scenario_key_row_of(key)->inherits;
}

/* The enhanced frames of RFC 6581: 14 bits for IRD and ORD, four octets of Private Data, each kind of RTR
 * once; and no such Request "when no enhanced functionality is desired" (§10). */
static gboolean check_enhanced(const checking *on, enum side side)
{
  enum { DEPTH_MAX = MPA_NOT_NEGOTIATED - 1 };
  const rnic_endpoint_config *end = &on->c->endpoint[side];
  const iwarp_generation_rules *rules = iwarp_generation_rules_of(end->generation);
  const scenario_key enhanced = scenario_key_of_side(SCENARIO_INITIATOR_ENHANCED, side);
  const scenario_key data = scenario_key_of_side(SCENARIO_INITIATOR_PRIVATE_DATA, side);
  const scenario_key negotiates = scenario_key_of_side(SCENARIO_INITIATOR_NEGOTIATES, side);
  const scenario_key rtr = scenario_key_of_side(SCENARIO_INITIATOR_RTR, side);
  const bool ird_is_long = end->enhanced.ird > DEPTH_MAX && !end->enhanced.fixed_ird;
  const scenario_key ord = given_or_common(on, SCENARIO_INITIATOR_ORD, side);
  const scenario_key depth = ird_is_long ? given_or_common(on, SCENARIO_INITIATOR_IRD, side) : ord;
  const uint32_t most = rules->private_data_max_octets - MPA_ENHANCED_OCTETS;
  const choice_list *kinds = &on->c->own[side].rtr;
  unsigned seen = 0;

  for (unsigned i = 0; i < kinds->count; i++) {
    seen |= 1U << kinds->values[i];
  }
  if ((unsigned)__builtin_popcount(seen) < kinds->count) {
    return finding_error(on, KEYS(rtr), "%s = %s has a kind twice; expected each once at most", name_of(rtr),
                         scenario_value_text(on->s, rtr));
  }
  if (!end->enhanced.enabled) {
    return TRUE;
  }
  return (end->private_data_octets <= most ||
          finding_error(on, KEYS(data, enhanced),
                        "%s = %u leaves no room for the four octets of enhanced startup; expected at most %u",
                        name_of(data), end->private_data_octets, most)) &&
         ((!ird_is_long && (end->enhanced.ord <= DEPTH_MAX || end->enhanced.fixed_ord)) ||
          finding_error(on, KEYS(depth, enhanced),
                        "%s = %s does not fit into enhanced startup frames; expected at most %d",
                        name_of(depth), scenario_value_text(on->s, depth), DEPTH_MAX)) &&
         (end->enhanced.ord_needed <= end->enhanced.ord ||
          finding_error(on, KEYS(SCENARIO_RESPONDER_ORD_NEEDED, ord),
                        "responder.ord_needed = %u is more than %s = %u, which the responder never exceeds; "
                        "expected at most %u",
                        end->enhanced.ord_needed, name_of(ord), end->enhanced.ord, end->enhanced.ord)) &&
         (side == SIDE_RESPONDER || !end->enhanced.fixed_ird || !end->enhanced.fixed_ord ||
          end->enhanced.peer_to_peer ||
          finding_error(
              on, KEYS(negotiates, enhanced),
              "%s = none and initiator.peer_to_peer = false leave an enhanced Request nothing to ask "
              "for; expected initiator.enhanced = false",
              name_of(negotiates)));
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

/* An end that reads has an ORD, and one that posts Immediate Data or Atomics has them (RFC 7306): its peer
 * may be of an earlier generation, and ends the connection. */
static gboolean check_operations(const checking *on, const traffic_class *class, enum side side)
{
  const configuration *c = on->c;
  const ulp_mix_needs needs = ulp_mix_needs_of(&class->workload.mix);
  const iwarp_generation_rules *rules = iwarp_generation_rules_of(c->endpoint[side].generation);
  const scenario_key generation = scenario_key_of_side(SCENARIO_INITIATOR_GENERATION, side);
  const scenario_key depth = c->endpoint[side].rdmap.ord == 0
                                 ? given_or_common(on, SCENARIO_INITIATOR_ORD, side)
                                 : given_or_common(on, SCENARIO_INITIATOR_IRD, side_peer(side));
  const bool lacks_ord = reads(&class->workload, side) && agreed_ord(c, side) == 0;

  if (!lacks_ord && (rules->rdmap_extensions || !(needs.immediates || needs.atomics) ||
                     !ulp_workload_posts(&class->workload, side))) {
    return TRUE;
  }
  g_autoptr(scenario) own = scenario_of_class(on->s, (guint)(class - c->classes));
  const checking of = {.s = own, .c = c, .error = on->error};
  const bool is_list = class->pattern.pattern == TRAFFIC_FLOWS;
  const scenario_key from = is_list ? SCENARIO_WORKLOAD_FLOWS : SCENARIO_WORKLOAD_OPERATION;
  const char *given = is_list ? class->flows_path : scenario_value_text(own, from);
  return lacks_ord ? finding_error(&of, KEYS(depth, from),
                                   "%s = 0, but %s = %s needs RDMA Reads or Atomics; expected at least 1",
                                   name_of(depth), name_of(from), given)
                   : finding_error(&of, KEYS(from, generation),
                                   "%s = %s posts %s, which %s = %s does not have; expected rfc6581",
                                   name_of(from), given, needs.atomics ? "Atomics" : "Immediate Data",
                                   name_of(generation), rules->name);
}

gboolean scenario_check_protocol(const checking *on)
{
  gboolean good = check_generation(on, SIDE_INITIATOR) && check_generation(on, SIDE_RESPONDER) &&
                  check_enhanced(on, SIDE_INITIATOR) && check_enhanced(on, SIDE_RESPONDER);

  for (uint32_t i = 0; good && i < on->c->class_count; i++) {
    good = check_operations(on, &on->c->classes[i], SIDE_INITIATOR) &&
           check_operations(on, &on->c->classes[i], SIDE_RESPONDER);
  }
  return good;
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

/* Returns whether startup frames of both ends can be the same: rfc and rfc6581 have plain ones of
 * Revision 1. */
static bool generations_fit(const rnic_endpoint_config *from, const rnic_endpoint_config *to)
{
  return from->generation == to->generation || (from->generation >= IWARP_RFC && to->generation >= IWARP_RFC);
}

/* RFC 6581 §10: a Responder without enhanced frames closes TCP when one comes, and the Initiator may fall
 * back. */
static bool startup_fits(const rnic_endpoint_config *from, const rnic_endpoint_config *to, bool falls_back)
{
  return generations_fit(from, to) && (!from->enhanced.enabled || to->enhanced.enabled || falls_back);
}

/* Notes what ends an enhanced startup, and a fault of an RTR indication where there is none, or where there
 * is no Write or Read that was not agreed. */
static void note_enhanced(const checking *on)
{
  const mpa_enhanced_config *from = &on->c->endpoint[SIDE_INITIATOR].enhanced;
  const mpa_enhanced_config *to = &on->c->endpoint[SIDE_RESPONDER].enhanced;
  const fault_id error = on->c->fault.error;
  mpa_agreement initiator = {.is_enhanced = false}, responder = initiator;

  if (is_enhanced(on->c)) {
    const mpa_enhanced request = mpa_enhanced_request(from);
    const mpa_enhanced reply = mpa_enhanced_reply(to, &request);
    initiator = mpa_enhanced_agree(from, SIDE_INITIATOR, &reply);
    responder = mpa_enhanced_agree(to, SIDE_RESPONDER, &request);
  }
  note_if(on, initiator.error == MPA_ERROR_RTR, SCENARIO_INITIATOR_RTR,
          "initiator.rtr = %s and responder.rtr = %s have none in common%s: the connection ends with "
          "Terminate 2/0/07, and run.expect is ok",
          scenario_value_text(on->s, SCENARIO_INITIATOR_RTR),
          scenario_value_text(on->s, SCENARIO_RESPONDER_RTR),
          to->ird == 0 ? ", and responder.ird = 0 takes no Read" : "");
  note_if(on, mpa_agreement_has_rtr(&initiator) && initiator.rtr == MPA_RTR_READ && responder.ird == 0,
          given_or_common(on, SCENARIO_INITIATOR_IRD, SIDE_RESPONDER),
          "responder.ird = 0 is not negotiated and has no room for the Read that is the RTR: the connection "
          "ends with Terminate 1/2/02, and run.expect is ok");
  note_if(
      on, responder.error == MPA_ERROR_IRD, SCENARIO_RESPONDER_ORD_NEEDED,
      "responder.ord_needed = %u is more than initiator.ird = %u: the responder rejects the connection, and "
      "run.expect is ok",
      to->ord_needed, from->ird);
  const bool is_sent = initiator.peer_to_peer && on->c->fault.side == SIDE_INITIATOR;
  const bool has_wrong = ((1U << MPA_RTR_WRITE | 1U << MPA_RTR_READ) & ~initiator.rtrs) != 0;
  note_if(on, (error == FAULT_NO_RTR && !is_sent) || (error == FAULT_WRONG_RTR && !(is_sent && has_wrong)),
          SCENARIO_FAULT_ERROR,
          "fault.error = %s has no effect unless initiator.peer_to_peer = true%s, at the initiator",
          scenario_value_text(on->s, SCENARIO_FAULT_ERROR),
          error == FAULT_WRONG_RTR ? " without write or read at one of the ends" : "");
}

/* Notes what ends a connection, so that a run that expects 'ok' fails. All of it is documented behaviour, and
 * may be what a scenario is for. */
static void note_ends(const checking *on)
{
  const rnic_endpoint_config *ends = on->c->endpoint;
  const rnic_endpoint_config *from = &ends[SIDE_INITIATOR], *to = &ends[SIDE_RESPONDER];

  note_if(on, !generations_fit(from, to), SCENARIO_RESPONDER_GENERATION,
          "generations %s and %s do not fit: the connection ends in its startup, and run.expect is ok",
          scenario_value_text(on->s, SCENARIO_INITIATOR_GENERATION),
          scenario_value_text(on->s, SCENARIO_RESPONDER_GENERATION));
  note_if(
      on, generations_fit(from, to) && !startup_fits(from, to, on->c->falls_back),
      to->generation == IWARP_RFC6581 ? SCENARIO_RESPONDER_ENHANCED : SCENARIO_RESPONDER_GENERATION,
      "the responder does not know enhanced startup frames and closes the connection, initiator.fallback = "
      "false, and run.expect is ok");
  for (uint32_t i = 0; on->c->graph.kind != GRAPH_PATH && i < on->c->connections.count; i++) {
    const uint32_t *hosts = on->c->of_graph.pairs[i].hosts;
    const configuration *opens = on->c->of_graph.hosts[hosts[SIDE_INITIATOR]];
    const configuration *listens = on->c->of_graph.hosts[hosts[SIDE_RESPONDER]];
    if (!startup_fits(&opens->endpoint[SIDE_INITIATOR], &listens->endpoint[SIDE_RESPONDER],
                      opens->falls_back)) {
      note_if(
          on, TRUE, SCENARIO_HOSTS,
          "generations of h%u and h%u do not fit: the connection ends in its startup, and run.expect is ok",
          hosts[SIDE_INITIATOR], hosts[SIDE_RESPONDER]);
      break;
    }
  }
  for (enum side side = 0; side < SIDES; side++) {
    const scenario_key ord = given_or_common(on, SCENARIO_INITIATOR_ORD, side);
    const scenario_key ird = given_or_common(on, SCENARIO_INITIATOR_IRD, side_peer(side));

    bool any = false;

    for (uint32_t i = 0; i < on->c->class_count; i++) {
      any = any || reads(&on->c->classes[i].workload, side);
    }
    note_ends_of_side(on, side);
    note_if(on, any && agreed_ord(on->c, side) > ends[side_peer(side)].rdmap.ird, ord,
            "%s = %u is more than %s = %u: a Read too many ends the connection, and run.expect is ok",
            name_of(ord), ends[side].rdmap.ord, name_of(ird), ends[side_peer(side)].rdmap.ird);
  }
  note_enhanced(on);
  note_if(on, !g_str_has_prefix(fault_row_of(on->c->fault.error)->expected, "nothing"), SCENARIO_FAULT_ERROR,
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
