/* SPDX-License-Identifier: GPL-2.0-only */
#include "cli/cli_answer.h"

#include "base/plain_text.h"
#include "base/units.h"
#include "measure/warm_up.h"
#include "scenario/configuration.h"

/* This starts with a row's name; its text follows. */
#define ROW "\n  %-10s "

/* This is a metric that has a part of another, and the words for that part. */
typedef struct named_part {
  metric_id id;
  const char *words;
} named_part;

/* These are parts of the peak: what is held, and the cause's name. */
static const named_part causes[] = {
    {METRIC_BUFFER_PEAK_OCTETS_INCOMPLETE, "FPDUs with octets missing (incomplete)"},
    {METRIC_BUFFER_PEAK_OCTETS_UNLOCATED, "octets of FPDUs that no marker had located (unlocated)"},
    {METRIC_BUFFER_PEAK_OCTETS_ORDER, "octets beyond a hole, where the receiver may not look ahead (order)"},
    {METRIC_BUFFER_PEAK_OCTETS_FRAGMENT, "IP datagrams with fragments missing (fragment)"},
};

static const named_part methods[] = {
    {METRIC_MPA_LOCATED_BY_CHAIN, "chain"},
    {METRIC_MPA_LOCATED_BY_MARKER, "marker"},
    {METRIC_MPA_LOCATED_BY_MARKER_CHAIN, "marker chain"},
    {METRIC_MPA_LOCATED_BY_ASSUMPTION, "assumption"},
};

static const named_part losses[] = {
    {METRIC_LOSSES_RANDOM, "at random"},
    {METRIC_LOSSES_QUEUE, "by a queue"},
    {METRIC_LOSSES_MIDDLEBOX, "by a router, policer or middlebox"},
    {METRIC_LOSSES_DAMAGED, "by damage"},
    {METRIC_LOSSES_SWITCH, "by a switch"},
    {METRIC_LOSSES_LINK, "by a link that failed"},
};

static const named_part refusals[] = {
    {METRIC_REFUSED_MEMORY, "memory"},
    {METRIC_REFUSED_DESCRIPTORS, "descriptors"},
    {METRIC_REFUSED_SEGMENTS, "room for one more beyond a hole"},
    {METRIC_REFUSED_RANGES, "room for one more range beyond a hole"},
};

/* All of these texts live until prose_end(). */

/* Returns a text that is not ours, on one line. */
static const char *foreign(prose *of, const char *text)
{
  g_autofree char *line = plain_text(text, -1, "");
  return g_string_chunk_insert(of->numbers, line);
}

/* "126.5 KiB", "8.393 Gbit/s", "12 octets". */
static const char *amount(prose *of, double value, const char *unit)
{
  g_autofree char *text = units_format_amount(value, unit);
  return g_string_chunk_insert(of->numbers, text);
}

/* Returns "12.34 %"; 100 % is all of it. */
static const char *share(prose *of, double part, double whole)
{
  const double percent = whole > 0 ? 100 * part / whole : 0;
  g_autofree char *text = g_strdup_printf("%.4g %%", part < whole ? MIN(percent, 99.99) : percent);
  return g_string_chunk_insert(of->numbers, text);
}

static const char *count(prose *of, const metric_values *m, metric_id id, const char *nouns)
{
  return prose_plural(of, (guint64)m->value[id], nouns);
}

static void add_head(const summary *page, const scenario *s, prose *to)
{
  const summary_replay *replay = page->replay;

  prose_add(to, "%s", foreign(to, scenario_configuration(s)->title));
  prose_add(to, ROW "%s (%s)", replay != NULL ? "replay of" : "scenario", foreign(to, scenario_name(s)),
            foreign(to, scenario_path(s)));
  if (replay == NULL) {
    prose_add(to, ", seed %s, %s engine", scenario_value_text(s, SCENARIO_RUN_SEED), page->engine);
  }
  for (gsize i = 0; replay != NULL && i < replay->fact_count; i++) {
    prose_add(to, ROW "%s", replay->facts[i].name, foreign(to, replay->facts[i].text));
  }
  prose_add(to, ROW "%s", "status", run_status_name(page->status));
  if (page->message != NULL && *page->message != '\0') {
    prose_add(to, ": %s", foreign(to, page->message));
  }
  if (page->measured_host != NULL) {
    prose_add(to, ROW "%s (measure.host; hosts.csv has all, ports.csv the switches)", "host",
              foreign(to, page->measured_host));
  }
}

/* Adds what enhanced startup came to, where an end has it. */
static void add_startup(const metric_values *m, prose *to)
{
  static const char *const rtrs[] = {"", "; RTR by a Send", "; RTR by a Write", "; RTR by a Read"};

  if (m->present[METRIC_MPA_REVISION]) {
    prose_add(to, ROW "Revision %.0f in %s; ORD %.0f of the Initiator, %.0f of the Responder%s", "startup",
              m->value[METRIC_MPA_REVISION], amount(to, m->value[METRIC_MPA_STARTUP_S], "s"),
              m->value[METRIC_MPA_INITIATOR_ORD], m->value[METRIC_MPA_RESPONDER_ORD],
              rtrs[CLAMP((int)m->value[METRIC_MPA_RTR_KIND], 0, (int)G_N_ELEMENTS(rtrs) - 1)]);
  }
  if (m->value[METRIC_MPA_SECOND_TRIES] > 0) {
    prose_add(to, "; %s tried again with Revision 1", count(to, m, METRIC_MPA_SECOND_TRIES, "connections"));
  }
}

/* Adds what was held at most for each cause, the largest first. */
static void add_causes(const metric_values *m, prose *to)
{
  double next = G_MAXDOUBLE;
  const char *gap = NULL;

  while (next > 0) {
    const double most = next;
    next = 0;
    for (gsize i = 0; i < G_N_ELEMENTS(causes); i++) {
      const double octets = m->value[causes[i].id];
      if (octets == most) {
        prose_add(to, gap == NULL ? ROW : "%s", gap == NULL ? "held" : gap);
        prose_add(to, "%s, up to %s", causes[i].words, amount(to, octets, "octets"));
        gap = "; ";
      }
      next = octets < most ? MAX(next, octets) : next;
    }
  }
}

static void add_memory(const metric_values *m, const configuration *c, prose *to)
{
  const double octets = m->value[METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS];

  if (!m->present[METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS]) {
    prose_add(to, ROW "none: the window that is measured never opened (measure.from)", "peak");
    return;
  }
  prose_add(to, ROW "%s of reassembly memory", "peak", amount(to, octets, "octets"));
  if (m->present[METRIC_BUFFER_REASSEMBLY_PEAK_AT_S]) {
    prose_add(to, " at %s", amount(to, m->value[METRIC_BUFFER_REASSEMBLY_PEAK_AT_S], "s"));
  }
  if (m->present[METRIC_BUFFER_REASSEMBLY_PEAK_CONNECTION] && c->connections.count > 1) {
    prose_add(to, ", the largest share held by connection %.0f",
              m->value[METRIC_BUFFER_REASSEMBLY_PEAK_CONNECTION]);
  }
  prose_add(to, "%s", octets > 0 ? "" : ": no octet waited for one that was missing");
  add_causes(m, to);
  if (octets > 0) {
    prose_add(to, ROW "%s or less for 99 %% of the time; %s on average", "p99",
              amount(to, m->value[METRIC_BUFFER_REASSEMBLY_P99_OCTETS], "octets"),
              amount(to, m->value[METRIC_BUFFER_REASSEMBLY_MEAN_OCTETS], "octets"));
  }
  if (octets > 0 && m->present[METRIC_FIT_K] && m->present[METRIC_FIT_K1]) {
    prose_add(to, ROW "peak = %.4g x BufferSizeTCP (%s) = %.4g x EMSS%s (mpa-01 section 11)", "theory",
              m->value[METRIC_FIT_K], amount(to, m->value[METRIC_THEORY_BUFFER_TCP_OCTETS], "octets"),
              m->value[METRIC_FIT_K1], c->connections.count > 1 ? " x connections" : "");
  }
}

static void add_placement(const metric_values *m, prose *to)
{
  const double octets = m->value[METRIC_PLACEMENT_OCTETS];
  const char *gap = ": ";

  if (octets > 0) {
    prose_add(to, ROW "%s of the payload directly, %s by way of the memory; %s out of order", "placed",
              share(to, m->value[METRIC_PLACEMENT_OCTETS_DIRECT], octets),
              share(to, m->value[METRIC_PLACEMENT_OCTETS_BUFFERED], octets),
              share(to, m->value[METRIC_PLACEMENT_OCTETS_OUT_OF_ORDER], octets));
  }
  prose_add(to, ROW "%s", "located", count(to, m, METRIC_MPA_FPDUS, "FPDUs"));
  for (gsize i = 0; i < G_N_ELEMENTS(methods); i++) {
    if (m->value[methods[i].id] > 0) {
      prose_add(to, "%s%s by %s", gap, share(to, m->value[methods[i].id], m->value[METRIC_MPA_FPDUS]),
                methods[i].words);
      gap = ", ";
    }
  }
}

static void add_path(const metric_values *m, const scenario *s, prose *to)
{
  const scenario_losses asked = scenario_losses_of(s);

  prose_add(to, ROW, "goodput");
  if (m->present[METRIC_GOODPUT_BIT_PER_S]) {
    prose_add(to, "%s: ", amount(to, m->value[METRIC_GOODPUT_BIT_PER_S], "bit/s"));
  }
  prose_add(to, "%s, %s", count(to, m, METRIC_DELIVERY_MESSAGES, "messages"),
            amount(to, m->value[METRIC_DELIVERY_OCTETS], "octets"));
  if (m->present[METRIC_EFFICIENCY_WIRE]) {
    prose_add(to, "; wire efficiency %s", share(to, m->value[METRIC_EFFICIENCY_WIRE], 1));
  }
  prose_add(to, ROW, "losses");
  if (m->present[METRIC_PATH_PACKETS_LOST]) {
    const double all = m->value[METRIC_PATH_PACKETS_LOST];
    const char *gap = " (", *end = "";

    prose_add(to, "%s lost", count(to, m, METRIC_PATH_PACKETS_LOST, "packets"));
    for (gsize i = 0; i < G_N_ELEMENTS(losses); i++) {
      const double lost = m->value[losses[i].id];
      const char *words = losses[i].id != METRIC_LOSSES_RANDOM || asked.listed == 0 ? losses[i].words
                          : asked.expected == 0                                     ? "by drop list"
                                                : "at random or by drop list";

      if (lost > 0 && lost < all) {
        prose_add(to, "%s%s %s", gap, prose_count(to, (guint64)lost), words);
        gap = ", ";
        end = ")";
      } else if (lost > 0) {
        prose_add(to, " %s", words);
      }
    }
    prose_add(to, "%s; ", end);
  }
  if (m->present[METRIC_TCP_RETRANSMISSIONS]) {
    prose_add(to, "%s, %s; ", count(to, m, METRIC_TCP_RETRANSMISSIONS, "retransmissions"),
              count(to, m, METRIC_TCP_TIMEOUTS, "timeouts"));
  }
  prose_add(to, "%s of %s out of order", prose_count(to, (guint64)m->value[METRIC_TCP_SEGMENTS_OUT_OF_ORDER]),
            count(to, m, METRIC_TCP_SEGMENTS, "segments"));
  for (gsize i = 0; i < G_N_ELEMENTS(refusals); i++) {
    if (m->value[refusals[i].id] > 0) {
      prose_add(to, "; %s refused for lack of %s", count(to, m, refusals[i].id, "segments"),
                refusals[i].words);
    }
  }
}

static void add_caveats(const summary *page, const configuration *c, prose *to)
{
  const metric_values *m = &page->results->metrics;
  const warm_up_verdict verdict = warm_up_test(page->results->block_maxima).verdict;
  const double queue = m->value[METRIC_PATH_QUEUE_PEAK_OCTETS];
  const double bandwidth_delay = (double)configuration_bandwidth_delay_octets(c);

  if (page->window_over_bandwidth_delay > 0 && page->window_over_bandwidth_delay < 1) {
    prose_add(to, ROW "%.3g x the bandwidth-delay product: the receiver limits the rate", "window",
              page->window_over_bandwidth_delay);
  }
  if (queue > bandwidth_delay) {
    prose_add(to,
              ROW "up to %s waited for a link, %.3g x the bandwidth-delay product: the round trip grew by as "
                  "much (%s limits it)",
              "queue", amount(to, queue, "octets"), queue / bandwidth_delay,
              page->measured_host == NULL ? "path.forward.queue_size" : "switch.buffer");
  }
  if (m->value[METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS] > 0 && verdict != WARM_UP_STEADY) {
    prose_add(
        to, ROW "%s", "warm-up",
        verdict == WARM_UP_DIFFERS
            ? "the second half of the run differs from the first: measure.from can leave out a beginning"
            : "too short to tell whether the run is steady: a longer one may have another p99");
  }
}

/* Prints `lines` with the status in a colour, where there may be colours. */
static void print_coloured(const char *lines, run_status status)
{
  const char *name = run_status_name(status);
  g_autofree char *row = g_strdup_printf(ROW "%s", "status", name);
  g_auto(GStrv) parts = g_strsplit(lines, row, 2);
  plain_text_print_page(stdout, parts[0]);
  plain_text_print(stdout, ROW, "status");
  terminal_print_coloured(stdout,
                          status == RUN_OK       ? TERMINAL_GREEN
                          : status == RUN_FAILED ? TERMINAL_RED
                                                 : TERMINAL_YELLOW,
                          name);
  plain_text_print_page(stdout, parts[1]);
}

void cli_answer_print(const summary *page, const scenario *s, const char *directory, gboolean all)
{
  const metric_values *m = &page->results->metrics;

  if (all) {
    summary_print(page, s, stdout);
    plain_text_print(stdout, "\nresults in %s\n", directory);
    return;
  }
  prose to = prose_new();
  add_head(page, s, &to);
  add_startup(m, &to);
  add_memory(m, scenario_configuration(s), &to);
  add_placement(m, &to);
  add_path(m, s, &to);
  add_caveats(page, scenario_configuration(s), &to);
  prose_add(&to, "\n\nresults in %s\n", foreign(&to, directory));
  g_autofree char *text = prose_end(&to);
  g_autofree char *lines = plain_text_wrap(*text == '\n' ? text + 1 : text, terminal_of(stdout).columns);
  print_coloured(lines, page->status);
  if (page->replay == NULL) {
    plain_text_print(stdout, "  iwarpsim explain-peak %s: what made the peak, or a failure\n", directory);
    plain_text_print(stdout, "  iwarpsim timeline %s -o run.html: the run over time\n", directory);
  }
  plain_text_print(stdout, "  --all, or summary.json there: every metric\n");
}
