/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario/scenario_finding.h"

#include <math.h>
#include <string.h>

#include "base/units.h"
#include "scenario/scenario_volume.h"
#include "scenario/scenario_where.h"

enum {
  /* This is the segment that holds the smallest FPDU MPA must be able to send, with a ULPDU of 128 octets
   * (MPA-148). */
  EMSS_MIN_MARKED_OCTETS = 140,
  EMSS_MIN_UNMARKED_OCTETS = 136,
  IPV6_MTU_MIN_OCTETS = 1280,
  /* A run may ask for as much sink memory as one large machine has. The default workload over 10000
   * connections takes 2.5 GiB. */
  MEMORY_MAX_GIB = 16,
};

#define GIB 1073741824.0

/* --- Errors --- */

static gboolean check_mtu(const checking *on, enum side direction)
{
  const path_direction_config *path = &on->c->path.directions[direction];
  /* The end that receives asks for markers (the M bit of its startup frame). */
  scenario_key markers_key = scenario_key_of_side(SCENARIO_INITIATOR_MARKERS, side_peer(direction));
  bool markers = on->c->endpoint[side_peer(direction)].markers;
  uint32_t emss = markers ? EMSS_MIN_MARKED_OCTETS : EMSS_MIN_UNMARKED_OCTETS;
  uint32_t needed = configuration_headers_octets(on->c) + emss;
  uint32_t mtu = path_mtu_octets(path);
  scenario_key key = finding_key_of(
      on, mtu == path->link.mtu_octets ? SCENARIO_PATH_FORWARD_MTU : SCENARIO_PATH_FORWARD_HOP_MTU,
      direction);

  return (!on->c->ipv6 || mtu >= IPV6_MTU_MIN_OCTETS ||
          finding_error(on, KEYS(key, SCENARIO_TCP_IP),
                        "%s = %u is too small for IPv6; expected at least %d (RFC 8200 section 5)",
                        name_of(key), mtu, IPV6_MTU_MIN_OCTETS)) &&
         (mtu >= needed ||
          finding_error(on, KEYS(key, SCENARIO_TCP_TIMESTAMPS, markers_key),
                        "%s = %u is too small; expected at least %u: %u octets of headers and %u for the "
                        "FPDU of a 128-octet ULPDU %s markers",
                        name_of(key), mtu, needed, configuration_headers_octets(on->c), emss,
                        markers ? "with" : "without"));
}

static gboolean check_timeouts(const checking *on)
{
  const tcp_config *tcp = &on->c->tcp;
  scenario_key key = tcp->rto_min_ps > tcp->rto_max_ps ? SCENARIO_TCP_RTO_MIN : SCENARIO_TCP_RTO_INITIAL;

  return MAX(tcp->rto_min_ps, tcp->rto_initial_ps) <= tcp->rto_max_ps ||
         finding_error(on, KEYS(key, SCENARIO_TCP_RTO_MAX),
                       "%s = %s is more than tcp.rto_max = %s; expected at most that", name_of(key),
                       scenario_value_text(on->s, key), scenario_value_text(on->s, SCENARIO_TCP_RTO_MAX));
}

static gboolean check_memory(const checking *on)
{
  const double memory = scenario_memory_octets(on->s);
  return memory <= MEMORY_MAX_GIB * GIB ||
         finding_error(on,
                       KEYS(SCENARIO_WORKLOAD_MESSAGE_SIZE, SCENARIO_WORKLOAD_CONNECTIONS,
                            SCENARIO_RECEIVER_PLACEMENT_LATENCY, SCENARIO_TCP_RECEIVE_WINDOW,
                            SCENARIO_WORKLOAD_MESSAGES),
                       "the sink's buffers take %.1f GiB (%u connections, each with buffers for a receive "
                       "window and two messages); expected at most %d GiB",
                       memory / GIB, on->c->connections.count, MEMORY_MAX_GIB);
}

/* The clock ends after 106 days (time_ps.h). A workload that takes longer is a mistake. */
static gboolean check_duration(const checking *on)
{
  const configuration *c = on->c;
  double limit = time_ps_in_seconds(TIME_PS_NEVER) / 86400;
  gboolean good = TRUE;

  for (enum side direction = 0; good && c->run.stop_ps == 0 && direction < SIDES; direction++) {
    scenario_key rate = finding_key_of(on, SCENARIO_PATH_FORWARD_RATE, direction);
    double octets = 0;
    for (uint32_t i = 0; i < c->class_count; i++) {
      const traffic_class *of = &c->classes[i];
      const double messages = of->until_ps > 0 ? 0 : (double)of->workload.messages; /* else it has an end */
      octets += (double)of->workload.message_octets * messages * (double)of->connection_count *
                traffic_class_payload_share(of, direction);
    }
    double days = octets * 8 / (double)path_bottleneck_bit_per_s(&c->path.directions[direction]) / 86400;

    good = days < limit ||
           finding_error(
               on, KEYS(SCENARIO_WORKLOAD_MESSAGES, SCENARIO_WORKLOAD_MESSAGE_SIZE, rate),
               "the workload takes %.0f days at %s; expected less than %.0f, where simulated time ends, or a "
               "run.stop",
               days, name_of(rate), limit);
  }
  return good;
}

/* A window that ends before it begins measures nothing. Which comes first is only known of two times, or of
 * two numbers of octets; the window can begin at 0 of either. */
static gboolean check_window(const checking *on)
{
  const run_moment *from = &on->c->measure.from;
  const run_moment *to = &on->c->measure.to;
  const gboolean same_kind = from->kind == to->kind || from->kind == RUN_MOMENT_DEFAULT;
  const guint64 first = from->kind == RUN_MOMENT_DEFAULT ? 0 : from->number;

  return to->kind == RUN_MOMENT_DEFAULT || !same_kind ||
         (from->kind == RUN_MOMENT_DEFAULT && to->kind == RUN_MOMENT_FIRST_LOSS) || first < to->number ||
         finding_error(
             on, KEYS(SCENARIO_MEASURE_FROM, SCENARIO_MEASURE_TO),
             "measure.from = %s is not before measure.to = %s; expected a window that ends after it "
             "begins",
             scenario_value_text(on->s, SCENARIO_MEASURE_FROM),
             scenario_value_text(on->s, SCENARIO_MEASURE_TO));
}

/* The store knows a quantile by its share of the time, in parts of 10^9. */
static gboolean check_quantiles(const checking *on)
{
  const probability_list *shares = &on->c->measure.quantiles;
  gboolean ascends = TRUE;

  for (gsize i = 0; i < shares->count; i++) {
    ascends = ascends && shares->values[i] - (i > 0 ? shares->values[i - 1] : 0) >= 1e-9 / 2;
  }
  return ascends ||
         finding_error(on, KEYS(SCENARIO_MEASURE_QUANTILES),
                       "measure.quantiles does not ascend from above 0%% by at least 0.0000001%%; expected "
                       "shares such as [\"50%%\", \"99%%\", \"99.9%%\"]");
}

/* --- Notes --- */

/* Returns TRUE when the value of `key` means that there is none of it: false, 0 or the word for it, an empty
 * list, its default word. */
static gboolean is_off(const checking *on, scenario_key key)
{
  const scenario_key_row *row = scenario_key_row_of(key);
  const scenario_value *value = scenario_settings_value(on->s, key);

  row = row->inherits >= 0 ? scenario_key_row_of((scenario_key)row->inherits) : row;
  return row->type == SCENARIO_TYPE_WORD || row->type == SCENARIO_TYPE_MIX
             ? g_strcmp0(value->text, row->fallback) == 0
             : value->number == 0 && !(value->probability > 0) &&
                   (value->is_word ||
                    (value->list_count == 0 && (value->text == NULL || *value->text == '\0')));
}

static gboolean is_set_option(const checking *on, scenario_key key)
{
  const char *origin = scenario_origin(on->s, key);
  return origin != NULL && g_str_has_prefix(origin, "--set");
}

/* Notes that others are given in the place of `key`: those of both ends, or another one. --set may well
 * replace a file's.
 */
static void note_replaced(const checking *on, scenario_key key)
{
  scenario_key others[SIDES] = {0};
  gsize given = 0;

  for (scenario_key other = 0; other < SCENARIO_KEY_COUNT && given < SIDES; other++) {
    const scenario_key_row *row = scenario_key_row_of(other);
    if (!scenario_given(on->s, other) || (is_set_option(on, other) && !is_set_option(on, key))) {
      continue;
    }
    note_if(on, key != SCENARIO_TITLE && row->instead_of == key && !is_off(on, other), key,
            "%s has no effect while %s is given", name_of(key), row->name);
    if (row->inherits == (int)key) {
      others[given++] = other;
    }
  }
  note_if(on, given == SIDES, key, "%s has no effect while %s and %s are given", name_of(key),
          name_of(others[SIDE_INITIATOR]), name_of(others[SIDE_RESPONDER]));
}

/* Quantiles are seldom given in percent. */
static void note_shares(const checking *on)
{
  const scenario_axis *axes;
  const gsize count = scenario_axes(on->s, &axes);

  for (scenario_key key = 0; key < SCENARIO_MEASURE_QUANTILES; key++) {
    note_if(on, scenario_given(on->s, key) && scenario_settings_value(on->s, key)->as_share, key,
            "%s is %s: a number without %% counts from 0 to 1", name_of(key),
            scenario_value_text(on->s, key));
  }
  for (gsize i = 0; i < count; i++) {
    g_autofree char *values = g_strjoinv(", ", axes[i].values);
    if (axes[i].as_share && axes[i].key < SCENARIO_MEASURE_QUANTILES) {
      g_ptr_array_add(on->notes, g_strdup_printf("%s: %s is %s: a number without %% counts from 0 to 1",
                                                 axes[i].where, scenario_axis_name(&axes[i]), values));
    }
  }
}

/* Notes that `key`, which was given, has no effect because of others. */
static void note_need(const checking *on, scenario_key key)
{
  const gboolean is_pulled = configuration_payload_share(on->c, SIDE_INITIATOR) == 0;
  const scenario_key_row *row = scenario_key_row_of(key);

  note_replaced(on, key);
  /* Keys of path.reverse show whose they are. */
  note_if(on, is_pulled && row->impairs && scenario_group_has("path.forward", key) && !is_off(on, key), key,
          "%s meets acknowledgements and requests only: the payload flows in path.reverse", row->name);
  if (row->needs == NULL || scenario_needs_hold(on->s, key)) {
    return;
  }
  const char *value = scenario_value_text(on->s, key);
  /* false is a wish, too, where another TCP does as it likes. */
  note_if(on, row->needs_word == NULL && (on->c->tcp_is_ns3 || !is_off(on, key)), key,
          "%s has no effect unless %s", row->name, row->needs);
  note_if(on, g_strcmp0(row->needs_word, value) == 0, key, "%s = %s has nothing to act on unless %s",
          row->name, value, row->needs);
}

/* Does so for each key that the scenario, or an entry of a list, was given. */
static void note_needs(const checking *on)
{
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    if (scenario_given(on->s, key)) {
      note_need(on, key);
    }
  }
  for (scenario_key list = 0; list < SCENARIO_KEY_COUNT; list++) {
    for (guint i = 0; scenario_key_row_of(list)->holds != NULL && i < scenario_entries(on->s, list); i++) {
      g_autoptr(scenario) copy = scenario_copy(on->s);
      const checking of = {.s = copy, .c = on->c, .notes = on->notes};

      scenario_entry_apply(on->s, list, i, copy);
      for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
        if (scenario_entry_setting(on->s, list, i, key) != NULL) {
          note_need(&of, key);
        }
      }
    }
  }
}

static void note_window(const checking *on)
{
  guint64 window = on->c->receive_window_octets;
  guint64 product = MAX(configuration_bandwidth_delay_octets(on->c), on->c->of_graph.product_octets);
  guint32 mtu = on->c->path.directions[on->c->main_direction].link.mtu_octets;

  note_if(on, window < product, SCENARIO_TCP_RECEIVE_WINDOW,
          "the receive window of %" G_GUINT64_FORMAT
          " %s is %.3g of the bandwidth-delay product of %" G_GUINT64_FORMAT
          ": one connection cannot fill the path",
          window, units_counted((double)window, "octets"), (double)window / (double)product, product);
  note_if(on, window < mtu - configuration_headers_octets(on->c), SCENARIO_TCP_RECEIVE_WINDOW,
          "the receive window of %" G_GUINT64_FORMAT
          " %s is less than a full-size segment: segments cannot stay aligned with FPDUs",
          window, units_counted((double)window, "octets"));

  /* Command and status of a storage exchange are Delivered, too. */
  const run_moment *from = &on->c->measure.from;
  double messages = 0, octets = 0;
  for (uint32_t i = 0; i < on->c->class_count; i++) {
    const traffic_class *of = &on->c->classes[i];
    const double count = scenario_messages(on->c, of), each = count / of->connection_count;
    const double turn = (double)MAX(of->workload.message_sizes.count, 1);
    messages += count;
    octets += ceil(each / turn) * turn * traffic_class_mean_octets(of) * of->connection_count;
  }
  note_if(on,
          from->kind == RUN_MOMENT_DELIVERED &&
              (double)from->number > octets + messages * 2 * ULP_STORAGE_MESSAGE_OCTETS,
          SCENARIO_MEASURE_FROM,
          "measure.from = %" G_GUINT64_FORMAT " is beyond the %.0f %s of the workload: the window never "
          "opens, and nothing is measured in it",
          from->number, octets, units_counted(octets, "octets"));
}

scenario_losses scenario_losses_of(const scenario *s)
{
  const configuration *c = scenario_configuration(s);
  const double of_graph = c->graph.kind != GRAPH_PATH ? scenario_graph_losses(c) : 0;
  scenario_losses losses = {0};
  for (enum side direction = 0; direction < SIDES; direction++) {
    const path_direction_config *path = &c->path.directions[direction];
    const double segments = scenario_segments(c, direction);
    losses.expected += segments * (c->graph.kind != GRAPH_PATH ? of_graph : path_loss_share(path));
    losses.listed += (double)path->loss.drop.count;
    for (gsize i = 0; i < path->loss.drop.count; i++) {
      const double at = (double)path->loss.drop.values[i] / fmax(segments, 1);
      losses.last = fmax(losses.last, at);
      losses.late += at > 1;
    }
  }
  if (c->topology.errors != NULL && *c->topology.errors != '\0') {
    losses.expected = NAN; /* ns-3 knows */
  }
  return losses;
}

/* Returns "" of a number that is shown as 1. */
static const char *plural(double number)
{
  return number >= 0.995 && number < 1.05 ? "" : "s";
}

/* Notes how many losses a run may expect on the links of a graph. */
static void note_graph_losses(const checking *on)
{
  const double losses = scenario_losses_of(on->s).expected;
  const gboolean is_of_all =
      scenario_given(on->s, SCENARIO_LINK_LOSS) || !scenario_given(on->s, SCENARIO_LINKS);

  note_if(on, losses > 0, is_of_all ? SCENARIO_LINK_LOSS : SCENARIO_LINKS,
          losses < 10 ? "%.2g loss%s of segments with payload expected on all links"
                      : "%.0f loss%s of segments with payload expected on all links",
          losses, *plural(losses) != '\0' ? "es" : "");
}

/* Does the same of a path, and notes in how many bursts if a model makes them. netem's correlation
 * changes the share in a way that no formula gives. */
static void note_losses(const checking *on, enum side direction)
{
  const path_direction_config *path = &on->c->path.directions[direction];
  const path_loss_rates rates = path_loss_rates_of(path);
  const double segments = scenario_segments(on->c, direction);
  const double losses = rates.lost * segments, events = rates.bursts * segments;
  const double none = 100 * exp(-events), some = -100 * expm1(-events);
  const gboolean is_independent = path->gemodel.count + path->state.count == 0;
  const scenario_key key = is_independent            ? SCENARIO_PATH_FORWARD_LOSS
                           : path->gemodel.count > 0 ? SCENARIO_PATH_FORWARD_GEMODEL
                                                     : SCENARIO_PATH_FORWARD_STATE;
  g_autofree char *bursts =
      is_independent || isnan(events) || path->loss.probability > 0
          ? g_strdup("")
          : g_strdup_printf(events < 10 ? " in %.2g burst%s" : " in %.0f burst%s", events, plural(events));
  g_autofree char *seeds =
      !(none >= 0.5) ? g_strdup("")
      : some < 0.5   ? g_strdup_printf(": all but %.2g %% of seeds will see none", some) /* not "100 %" */
                     : g_strdup_printf(": %.0f %% of seeds will see none", none);

  note_if(on, losses > 0, finding_key_of(on, key, direction),
          losses < 10 ? "%.2g loss%s expected%s%s" : "%.0f loss%s expected%s%s", losses,
          *plural(losses) != '\0' ? "es" : "", bursts, seeds);
}

/* What all windows together have in flight fills the path, then the queue, unless marks come before that.
 * TRUE when that, or a policer, may drop something. */
static gboolean note_overflow(const checking *on)
{
  const configuration *c = on->c;
  const path_direction_config *path = &c->path.directions[c->main_direction];
  const guint32 connections = c->connections.own_paths ? 1 : c->connections.count;
  double sent = 0;
  for (uint32_t i = 0; i < c->class_count; i++) {
    const traffic_class *of = &c->classes[i];
    const double window = scenario_in_flight_octets(c, of, c->main_direction);
    sent = c->connections.own_paths ? fmax(sent, window) : sent + window * of->connection_count;
  }
  const double packets = (double)path->queue.queue_limit_packets * path_mtu_octets(path);
  const double octets = (double)path->queue.queue_limit_octets;
  const gboolean by_packets = octets == 0 || (packets > 0 && packets < octets);
  const double limit = by_packets ? packets : octets;
  const double product = (double)configuration_bandwidth_delay_octets(c);
  const gboolean is_marked = path->queue.mark_packets > 0 && scenario_uses_ecn(c);
  const guint64 pace = c->sender.host_rate_bit_per_s > 0 ? c->sender.host_rate_bit_per_s : G_MAXUINT64;
  const gboolean is_paced = pace < path_bottleneck_bit_per_s(path);

  const gboolean overflows = limit > 0 && sent > product + limit && !is_marked && !is_paced;
  const gboolean is_policed = path->bucket.burst_octets > 0 && !path->bucket.shapes &&
                              sent > (double)path->bucket.burst_octets && pace > path->bucket.rate_bit_per_s;

  note_if(on, overflows,
          finding_key_of(on, by_packets ? SCENARIO_PATH_FORWARD_QUEUE : SCENARIO_PATH_FORWARD_QUEUE_SIZE,
                         c->main_direction),
          "%s of %.0f octets over a queue of %.0f and a bandwidth-delay product of %.0f: the queue may "
          "overflow",
          connections > 1 ? "windows" : "a window", sent, limit, product);
  note_if(on, is_policed, finding_key_of(on, SCENARIO_PATH_FORWARD_BURST, c->main_direction),
          "%s of %.0f octets over a burst of %.0f: the policer drops what comes faster than its rate",
          connections > 1 ? "windows" : "a window", sent, (double)path->bucket.burst_octets);
  return overflows || is_policed;
}

static void note_jitter(const checking *on, enum side direction)
{
  const path_jitter_config *config = &on->c->path.directions[direction].jitter;
  scenario_key jitter = finding_key_of(on, SCENARIO_PATH_FORWARD_JITTER, direction);

  note_if(on,
          config->reorder.probability == 0 && config->jitter_ps > 0 &&
              config->distribution == PATH_JITTER_CONSTANT,
          jitter, "%s only adds delay while %s is 0: no packet skips it", name_of(jitter),
          name_of(finding_key_of(on, SCENARIO_PATH_FORWARD_REORDER, direction)));
}

/* A tick has so many round trips where it decides what a loss costs that no later segment shows. */
enum { TICK_ROUND_TRIPS = 10 };

static void note_timers(const checking *on, gboolean overflows)
{
  const configuration *c = on->c;
  const gboolean is_lossy = overflows || scenario_losses_of(on->s).expected != 0;
  const double round_trip_s = time_ps_in_seconds(configuration_base_round_trip(c));
  const double round_trips = time_ps_in_seconds(c->tcp.timer_tick_ps) / round_trip_s;
  g_autofree char *round_trip = units_format_rounded(round_trip_s, "s");

  note_if(on, c->run.stall_ps <= c->tcp.rto_max_ps, SCENARIO_RUN_STALL,
          "run.stall = %s is not more than tcp.rto_max = %s: a connection that waits to retransmit may "
          "be given up",
          scenario_value_text(on->s, SCENARIO_RUN_STALL), scenario_value_text(on->s, SCENARIO_TCP_RTO_MAX));
  note_if(on, c->run.stall_ps <= c->endpoint[SIDE_INITIATOR].startup_timeout_ps, SCENARIO_RUN_STALL,
          "run.stall = %s is not more than mpa.startup_timeout = %s: a connection that waits for a "
          "startup frame may be given up",
          scenario_value_text(on->s, SCENARIO_RUN_STALL),
          scenario_value_text(on->s, SCENARIO_MPA_STARTUP_TIMEOUT));
  note_if(
      on, is_lossy && !c->needs_ns3 && round_trips >= TICK_ROUND_TRIPS, SCENARIO_TCP_TIMER_TICK,
      "tcp.timer_tick = %s is %.0f round trips of %s: no timer of TCP is shorter, so the loss of the last "
      "segments in flight costs as many or more",
      scenario_value_text(on->s, SCENARIO_TCP_TIMER_TICK), round_trips, round_trip);
  note_if(on, c->tcp.delayed_ack_ps >= c->tcp.rto_min_ps, SCENARIO_TCP_DELAYED_ACK,
          "tcp.delayed_ack is not less than tcp.rto_min: a sender may time out while its peer delays "
          "the acknowledgement");
}

/* Finds what contradicts in the values of `on`, apart from those in its lists. */
static gboolean check_values(const checking *on)
{
  return check_mtu(on, SIDE_INITIATOR) && check_mtu(on, SIDE_RESPONDER) && scenario_check_engine(on) &&
         scenario_check_path(on) && scenario_check_tcp(on) && check_timeouts(on) && check_memory(on) &&
         check_duration(on) && check_window(on) && check_quantiles(on) && scenario_check_protocol(on);
}

/* What has keys of its own may not contradict itself either. */
static gboolean check_entries(const checking *on, scenario_key list)
{
  gboolean good = TRUE;

  for (guint i = 0; good && i < scenario_entries(on->s, list); i++) {
    g_autoptr(scenario) copy = scenario_copy(on->s);

    scenario_entry_apply(on->s, list, i, copy);
    for (scenario_key other = 0; other < SCENARIO_KEY_COUNT; other++) { /* they are checked by themselves */
      if (scenario_key_row_of(other)->holds != NULL) {
        scenario_set_key(copy, other, "", scenario_origin(on->s, list), NULL);
      }
    }
    if (list == SCENARIO_HOSTS &&
        on->c->graph.kind != GRAPH_PATH) { /* it has a graph, which takes long to make */
      *copy->filled =
          scenario_members_of_host(copy, on->c, on->c->path.directions[SIDE_INITIATOR].link.mtu_octets);
    }
    good = check_values(&(checking){.s = copy, .c = scenario_configuration(copy), .error = on->error});
  }
  return good;
}

gboolean scenario_check(const scenario *s, GPtrArray *notes, GError **error)
{
  const checking on = {.s = s, .c = scenario_configuration(s), .notes = notes, .error = error};
  gboolean good = scenario_check_traffic(&on) && scenario_check_graph(&on) && check_values(&on);

  for (scenario_key key = 0; good && key < SCENARIO_KEY_COUNT; key++) {
    good = scenario_key_row_of(key)->holds == NULL || key == SCENARIO_TRAFFIC || check_entries(&on, key);
  }
  if (!good || notes == NULL) {
    return good;
  }
  note_needs(&on);
  scenario_note_graph(&on);
  scenario_note_traffic(&on);
  note_shares(&on);
  scenario_note_protocol(&on);
  note_window(&on);
  const gboolean is_path = on.c->graph.kind == GRAPH_PATH; /* both directions of a link are alike */
  for (enum side direction = 0; direction < (is_path ? SIDES : SIDE_RESPONDER); direction++) {
    if (is_path) {
      note_losses(&on, direction);
    } else {
      note_graph_losses(&on);
    }
    note_jitter(&on, direction);
  }
  note_timers(&on, note_overflow(&on));
  return TRUE;
}

void scenario_note_effects(const scenario *s, const uint32_t undone[SIDES], double end_s, GPtrArray *notes)
{
  const checking on = {.s = s, .c = scenario_configuration(s), .notes = notes};

  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    const scenario_key_row *row = scenario_key_row_of(key);
    const scenario_value *value = scenario_settings_value(s, key);
    const gboolean is_mix = row->type == SCENARIO_TYPE_MIX;
    const gboolean is_list = is_mix || row->type == SCENARIO_TYPE_LIST;
    const uint32_t undone_here = scenario_group_has("path.forward", key) ? undone[SIDE_INITIATOR]
                                 : scenario_group_has("path.reverse", key)
                                     ? undone[SIDE_RESPONDER]
                                     : undone[SIDE_INITIATOR] & undone[SIDE_RESPONDER];
    uint32_t asked = 0;

    if (row->act == 0 || !scenario_given(s, key) || is_off(&on, key) ||
        (row->needs != NULL && !scenario_needs_hold(s, key))) {
      continue;
    }
    for (gsize i = 0; i < (is_mix ? value->list_count : 1); i++) {
      asked |= UINT32_C(1) << (row->act + (is_mix ? value->list[i] : 0));
    }
    note_if(&on, (undone_here & asked) != 0, key,
            is_list && value->list_count > 1 ? "%s = %s: not all of it had an effect in this run"
                                             : "%s = %s had no effect in this run",
            row->name, scenario_value_text(s, key));
  }
  for (guint i = 0; i < scenario_entries(s, SCENARIO_EVENT); i++) {
    const scenario_setting *at = scenario_entry_setting(s, SCENARIO_EVENT, i, SCENARIO_EVENT_AT);

    note_if(&on, time_ps_in_seconds((time_ps)at->value.number) > end_s, SCENARIO_EVENT,
            "event: %s = %s did not come in this run",
            scenario_entry_setting(s, SCENARIO_EVENT, i, SCENARIO_EVENT_KEY)->value.text,
            scenario_entry_setting(s, SCENARIO_EVENT, i, SCENARIO_EVENT_VALUE)->value.text);
  }
}
