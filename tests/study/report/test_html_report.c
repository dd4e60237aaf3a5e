/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about the report of made-up stores: its parts and numbers, and texts that would be markup
 * if they could. */
#include "base/error.h"
#include "study/report/html_report.h"

#include <glib/gstdio.h>
#include <string.h>

#include "plot_fixture.h"
#include "study/table/study_table.h"
#include "study_fixture.h"

static const char hostile_text[] =
    "# Question: how much <b>memory</b> & \"why\"?\n# Expected: </section>\xff\n"
    "title = \"</title><script>alert(1)</script>\";\n";

#define FIXTURE_TEST(name) STORE_TEST("", name)
#define REPORT_TEST(name) DRAWN(FIXTURE_TEST, store_fixture, name)

/* Each run took half an hour. */
static void commit(store_fixture *f, const char *keys, const char *values)
{
  g_auto(stored_run) run = store_fixture_run(f, keys, values);
  run.cpu_s = 1800;
  store_fixture_commit(f, &run);
}

static void commit_failed(store_fixture *f, const char *keys)
{
  g_auto(stored_run) run = store_fixture_run(f, keys, "");
  run.status = RUN_FAILED;
  run.message = (char *)"killed by <signal 9>";
  run.exit_code = 137;
  store_fixture_commit(f, &run);
}

/* These are two receivers at two MTUs with three seeds: the in-order one's peak is 10 KiB above the other's,
 * whatever the seed; one run of MTU 9000 has a time-out. */
static void fill(store_fixture *f)
{
  f->origin = fixture_origin("a", "Peak by MTU", "# Question: how much?\ntitle = \"Peak by MTU\";\n",
                             "receiver.mode\npath.forward.mtu\nrun.seed");
  for (int i = 0; i < 12; i++) {
    gboolean in_order = i < 6;
    int mtu = i / 3 % 2, seed = i % 3;
    g_autofree char *keys =
        g_strdup_printf("receiver.mode=%s path.forward.mtu=%d run.seed=%d",
                        in_order ? "in-order" : "out-of-order", mtu == 0 ? 1500 : 9000, seed + 1);
    g_autofree char *values = g_strdup_printf(
        "buffer.reassembly_peak_octets=%d placement.octets=1000 placement.octets_direct=%d tcp.timeouts=%d",
        20480 * (mtu + 1) + 1024 * (seed - 1) + (in_order ? 10240 : 0), in_order ? 930 : 940, i == 11);
    commit(f, keys, values);
  }
}

static char *make(store_fixture *f, guint exclude)
{
  const html_report_options options = {
      .store = "/somewhere/a b.sqlite", .page = "/somewhere/a.html", .version = "0.1.0", .exclude = exclude};
  return NO_ERROR(html_report_make, f->store, &options);
}

/* Returns what lies between `from` and the next `to`. */
static char *part(const char *page, const char *from, const char *to)
{
  const char *start = strstr(page, from);
  g_assert_nonnull(start);
  const char *end = strstr(start, to);
  g_assert_nonnull(end);
  return g_strndup(start, (gsize)(end - start));
}

REPORT_TEST(test_structure)
{
  fill(f);
  g_autofree char *page = make(f, 0);
  EXPECT_PARTS(
      page, "<!DOCTYPE html>\n<html lang=\"en\">", "<meta charset=\"utf-8\">",
      "default-src 'none'; style-src 'sha256-", "script-src 'sha256-",
      "<title>Peak by MTU – iwarpsim report</title>", "<h1>Peak by MTU</h1>",
      "<p class=\"question\">how much?</p>", "<section id=\"plots\"", "\" src=\"data:image/svg+xml;base64,",
      "<section id=\"differences\"", "title = &quot;Peak by MTU&quot;;", "<dt>Engine</dt><dd>native</dd>",
      "<dt>Hosts</dt><dd>testhost</dd>", "<dt>Started</dt><dd>2026-11-21T10:08:16Z</dd>",
      "<dt>CPU time</dt><dd>21600 s</dd>", /* 12 runs of half an hour */
      "<dt>Libraries</dt><dd>GLib 2.74.6</dd>",
      "iwarpsim sweep a.cfg --store &apos;a b.sqlite&apos;\niwarpsim report &apos;a b.sqlite&apos; -o "
      "a.html</code>");
  g_assert_cmpuint(plot_fixture_count(page, "<section "), ==, plot_fixture_count(page, "</section>"));
  g_assert_cmpuint(plot_fixture_count(page, "<ul"), ==, plot_fixture_count(page, "</ul>"));
  EXPECT_NO_PARTS(page, " style=", "/somewhere");
  g_assert_cmpuint(plot_fixture_count(page, "<script"), ==, 1);
  g_assert_true(g_str_has_suffix(page, "</script>\n</body>\n</html>\n"));
}

/* Plots are pictures, each named by its caption, in a size that makes all texts equal: half of the SVG's.
 * Their texts are texts. */
REPORT_TEST(test_pictures)
{
  fill(f);
  g_autofree char *page = make(f, 0);
  g_assert_cmpuint(plot_fixture_count(page, "<img "), ==, plot_fixture_count(page, "<figure "));
  g_assert_cmpuint(plot_fixture_count(page, "<img "), >, 0);
  g_assert_cmpuint(plot_fixture_count(page, "<svg"), ==, 0);
  static const char source[] = "src=\"data:image/svg+xml;base64,";
  g_autofree char *image = part(page, "<img ", "\">");
  EXPECT_PARTS(image, "alt=\"Figure 1. ");
  gsize length;
  g_autofree guchar *octets = g_base64_decode(strstr(image, source) + strlen(source), &length);
  g_autofree char *svg = g_strndup((const char *)octets, length);
  guint64 width = g_ascii_strtoull(strstr(image, "width=\"") + strlen("width=\""), NULL, 10);
  guint64 drawn = g_ascii_strtoull(strstr(svg, "viewBox=\"0 0 ") + strlen("viewBox=\"0 0 "), NULL, 10);
  g_assert_cmpuint(width, ==, (drawn * 25 + 8) / 16);
  EXPECT_PARTS(svg, "<text>Reassembly occupancy, peak over</text>", "<text>Peak by MTU · scenario a",
               "</svg>");
  EXPECT_NO_PARTS(svg, "<script");
  g_autofree char *caption = part(page, "<figcaption>", "</figure>");
  g_assert_cmpstr(caption, ==,
                  "<figcaption>Figure 1. Reassembly occupancy, peak over receiver.</figcaption>\n");
}

/* Each point's mean is the middle of its three values, which lie 1024 apart: s = 1024, t(2) = 4.303, so the
 * half-width is 4.303 * 1024 / sqrt(3) = 2544 octets = 2.48 KiB. In KiB the means are 30, 50, 20 and 40.
 * Three values cannot show whether they are skewed, which the asterisk is for. */
REPORT_TEST(test_numbers)
{
  fill(f);
  g_autofree char *page = make(f, 0);
  g_autofree char *overview = part(page, "<section id=\"results\"", "</table>");
  g_assert_cmpuint(plot_fixture_count(overview, "<tr"), ==, 1 + 4);
  EXPECT_PARTS(
      overview,
      "<th scope=\"row\">in-order</th><th scope=\"row\">9000</th><td class=\"number\">3</td>"
      "<td class=\"number flagged\"></td><td class=\"number\">50.0 <small>47.5 to 52.5*</small></td>",
      "<th>path.forward.mtu</th><th class=\"number\">runs</th><th class=\"number\">flagged</th>"
      "<th class=\"number\">peak occupancy <span class=\"unit\">KiB</span></th>");
  EXPECT_PARTS(overview,
               "<tr><th scope=\"row\">out-of-order</th><th scope=\"row\">9000</th>"
               "<td class=\"number\">3</td><td class=\"number flagged\">1</td><td class=\"number\">40.0 <");
  g_autofree char *definitions = part(page, "<section id=\"definitions\"", "</section>");
  EXPECT_PARTS(
      definitions, "<dt>peak occupancy</dt>\n<dd><code>buffer.reassembly_peak_octets</code> (octets): ",
      "<dt>*</dt><dd>The interval covers less than 95 %: fewer than 6 values cannot show whether they "
      "are skewed.</dd>");
  g_autofree char *differences = part(page, "<section id=\"differences\"", "</section>");
  EXPECT_PARTS(differences,
               "<th scope=\"row\">1500</th><td class=\"number\">3</td>"
               "<td class=\"number flagged\"></td><td class=\"number\">10 <small>±\u00a00</small></td>"
               "<td class=\"number\">\u22121 <small>±\u00a00</small></td>"
               "<td class=\"number\">1.501 <small>1.440 to 1.564*</small></td></tr>");
}

/* Over the same seeds: ln(29/19), ln(30/20), ln(31/21) have the mean 0.40592 and s = 0.01670, so their
 * interval is ± 4.303 * 0.01670 / sqrt(3) = 0.04149: the geometric mean of the ratios is 1.501, within 1.440
 * and 1.564. At MTU 9000 it is that of 49/39, 50/40 and 51/41: 1.250. Runs without quantiles have their peak
 * in the place of p99.9. */
REPORT_TEST(test_answer)
{
  fill(f);
  g_autofree char *page = make(f, 0);
  g_autofree char *answer = part(page, "<section id=\"answer\"", "</section>");
  EXPECT_PARTS(
      answer,
      "<th scope=\"row\">peak occupancy, in-order receiver / out-of-order receiver</th>"
      "<td class=\"number\">1.250 <small>",
      "</small></td><td>MTU 9000 octets</td>"
      "<td class=\"number\">1.501 <small>1.440 to 1.564*</small></td><td>MTU 1500 octets</td></tr>",
      "<th scope=\"row\">peak occupancy</th><td class=\"number\">20.0 KiB <small>17.5 to 22.5*</small></td>"
      "<td>out-of-order receiver, MTU 1500 octets</td>"
      "<td class=\"number\">50.0 KiB <small>47.5 to 52.5*</small></td>"
      "<td>in-order receiver, MTU 9000 octets</td></tr>",
      "<th scope=\"row\">placed directly</th>",
      ": 1 of 12 runs with flagged TCP behaviour; 12 of 12 runs too short for the warm-up test.</p>");
}

/* A point of 256 blocks of 8 MiB has seen 2 GiB: a level of 1 GiB is not extrapolated; one of 2 blocks has
 * seen 16 MiB. The first one's later blocks have another peak than the earlier ones, two blocks have too
 * little to tell. */
REPORT_TEST(test_tails)
{
  for (int mtu = 1500; mtu <= 9000; mtu += 7500) {
    g_autofree char *keys = g_strdup_printf("path.forward.mtu=%d", mtu);
    g_auto(stored_run) run = store_fixture_run(f, keys, "buffer.reassembly_peak_octets=5000");
    g_autoptr(GArray) maxima = g_array_new(FALSE, FALSE, sizeof(guint64));
    for (guint i = 0; i < (mtu == 1500 ? 256 : 2); i++) {
      const guint64 peak = (i < 128 ? 1000 : 4000) + i * 37 % 256;
      g_array_append_val(maxima, peak);
    }
    run.results.block_octets = 8 << 20;
    run.results.block_maxima = maxima;
    store_fixture_commit(f, &run);
    run.results.block_maxima = NULL;
  }
  g_autofree char *page = make(f, 0);
  EXPECT_PARTS(page, "1 of 2 runs whose second half differs from the first; 1 of 2 runs too short for the");
  g_autofree char *tails = part(page, "<summary>tails of the occupancy", "</details>");
  EXPECT_PARTS(tails, "once in 1 GiB", "<th scope=\"row\">9000</th>", "~</td></tr>");
  g_assert_cmpuint(plot_fixture_count(tails, "~"), ==, 1);
}

/* There is a column for each cause that some run has, of the means of its seeds: (3 + 5) / 2 and 0 / 2. */
REPORT_TEST(test_losses)
{
  fill(f);
  g_autofree char *without = make(f, 0);
  EXPECT_NO_PARTS(without, "losses and refusals");
  commit(f, "receiver.mode=in-order path.forward.mtu=4000 run.seed=1",
         "buffer.reassembly_peak_octets=5 losses.random=3 losses.queue=0 refused.memory=8");
  commit(f, "receiver.mode=in-order path.forward.mtu=4000 run.seed=2",
         "buffer.reassembly_peak_octets=5 losses.random=5 losses.queue=0 refused.memory=8");
  g_autofree char *page = make(f, 0);
  g_autofree char *losses = part(page, "<summary>losses and refusals", "</details>");
  EXPECT_PARTS(losses, "losses.random", ">4.0 <", "refused.memory", ">8 <");
  EXPECT_NO_PARTS(losses, "losses.queue", "refused.descriptors");
}

REPORT_TEST(test_same_octets)
{
  fill(f);
  g_autofree char *first = make(f, 0);
  g_autofree char *second = make(f, 0);
  g_assert_cmpstr(first, ==, second);
}

REPORT_TEST(test_exclude)
{
  fill(f);
  g_autofree char *page = make(f, STUDY_FLAG_TIMEOUTS | STUDY_FLAG_LOST_RETRANSMISSIONS);
  EXPECT_PARTS(
      page, "Of 12 runs 12 ok, 0 terminated, 0 stopped, 0 failed, 1 left out for a flag, 11 in the tables");
  EXPECT_PARTS(page, "-o a.html --leave-out timeouts,lost</code>");
  EXPECT_NO_PARTS(page, "with flagged");
}

REPORT_TEST(test_hostile_texts)
{
  f->origin =
      fixture_origin("<a>", "</title><script>alert(1)</script>\x01\xff", hostile_text, "path.forward.mtu");
  f->origin.sets = (char *)"run.expect=any\ntitle=$(rm -rf /) '<i>";
  f->origin.libraries = (char *)"<svg onload=alert(1)>";
  commit(f, "path.forward.mtu=1500", "buffer.reassembly_peak_octets=0");
  commit(f, "path.forward.mtu=9000", "buffer.reassembly_peak_octets=0");
  commit_failed(f, "path.forward.mtu=9001");
  g_autofree char *page = make(f, 0);
  g_assert_true(g_utf8_validate(page, -1, NULL));
  EXPECT_NO_PARTS(page, "<script>a", "<b>mem", "<i>", "<svg onload", "<a>", "<signal", "\x01");
  EXPECT_PARTS(
      page, "<title>&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;\\x01\ufffd – iwarpsim report</title>",
      "how much &lt;b&gt;memory&lt;/b&gt; &amp; &quot;why&quot;?", "&lt;/section&gt;\ufffd",
      "killed by &lt;signal 9&gt;",
      /* '…' with the quote inside it closed, escaped and opened again: nothing for the shell to run */
      "--set &apos;title=$(rm -rf /) &apos;\\&apos;&apos;&lt;i&gt;&apos;",
      "iwarpsim sweep &apos;&lt;a&gt;.cfg&apos; --set run.expect=any");
}

REPORT_TEST(test_one_run)
{
  commit(f, "run.seed=7 receiver.memory=64KiB path.forward.mtu=9000",
         "buffer.reassembly_peak_octets=1234 placement.octets=1000 placement.octets_direct=1000");
  g_autofree char *page = make(f, 0);
  g_autofree char *answer = part(page, "<section id=\"answer\"", "</section>");
  EXPECT_PARTS(answer, "<th scope=\"row\">peak occupancy</th><td class=\"number\">1234 octets</td>"
                       "<td>everywhere</td>");
  EXPECT_PARTS(page, "· 1 point · 1 run</p>");
  g_autofree char *overview = part(page, "<section id=\"results\"", "</table>");
  g_assert_cmpuint(plot_fixture_count(overview, "<tr"), ==, 1 + 1);
  g_assert_null(strstr(overview, "±\u00a0")); /* one value shows nothing of its spread */
  g_autofree char *parameters = part(page, "<section id=\"parameters\"", "</section>");
  EXPECT_PARTS(parameters, "<th scope=\"row\">receiver.memory</th><td>64 KiB</td>");
  /* the seed, the memory and the MTU: nothing that is as by default, nor path.reverse.mtu, which follows */
  g_assert_cmpuint(plot_fixture_count(parameters, "<tr"), ==, 1 + 3);
}

FIXTURE_TEST(test_failed_only)
{
  f->origin.axes = (char *)"path.forward.mtu\nrun.seed";
  commit_failed(f, "path.forward.mtu=9000 run.seed=3");
  commit_failed(f, "path.forward.mtu=1500 run.seed=3");
  g_autofree char *page = make(f, 0);
  EXPECT_PARTS(page, "<p class=\"warn\">There is nothing to compare: ",
               "Of 2 runs 0 ok, 0 terminated, 0 stopped, 2 failed", "MTU 9000 octets, seed 3",
               "<td class=\"number\">137</td>");
  g_autofree char *results = part(page, "<section id=\"results\"", "</section>");
  EXPECT_PARTS(results, "<p class=\"note\">There are none.</p>");
}

/* A hundred of them are described, the rest is counted. */
FIXTURE_TEST(test_many_failed)
{
  for (guint seed = 1; seed <= 101; seed++) {
    g_autofree char *key = g_strdup_printf("run.seed=%u", seed);
    commit_failed(f, key);
  }
  g_autofree char *page = make(f, 0);
  EXPECT_PARTS(page, "0 stopped, 101 failed", "The first 100 of 101 runs that did not end ok.");
  g_assert_cmpuint(plot_fixture_count(page, "<td class=\"number\">137</td>"), ==, 100);
}

FIXTURE_TEST(test_no_runs)
{
  g_autoptr(GError) error = NULL;
  const html_report_options options = {.store = f->path, .page = "a.html", .version = "0.1.0"};
  g_autofree char *page = html_report_make(f->store, &options, &error);
  g_assert_null(page);
  g_assert_error(error, IWARPSIM_ERROR, IWARPSIM_ERROR_FAILED);
  g_assert_true(g_str_has_prefix(error->message, f->path));
  EXPECT_PARTS(error->message, ": no runs in this store;");
}

int main(int argc, char **argv)
{
  /* a temporary folder of its own, before GLib asks for one: other tests may be making reports */
  char own[] = "/tmp/test-html-report-XXXXXX";
  g_assert_nonnull(g_mkdtemp(own));
  g_assert_true(g_setenv("TMPDIR", own, TRUE));
  g_test_init(&argc, &argv, NULL);
  int failed = g_test_run();
  g_assert_cmpint(g_rmdir(own), ==, 0); /* no report left anything in it */
  return failed;
}

/* --- Messages --- */

#define MESSAGES                                                                                             \
  "\n\nclass,size_class,count,incomplete,completion_p50_s,completion_p99_s,slowdown_p50,slowdown_p99\n"

static void commit_messages(store_fixture *f, const char *keys, const char *metrics, const char *rows)
{
  g_auto(stored_run) run = store_fixture_run(f, keys, metrics);
  g_autofree char *text = g_strconcat(MESSAGES, rows, NULL);
  run_results_set_tables(&run.results, text, "");
  g_assert_true(distribution_append(&run.results.distributions[DISTRIBUTION_MESSAGE_COMPLETION_S], 1e-5, 3));
  store_fixture_commit(f, &run);
}

/* Of two seeds messages are added up, and medians averaged: (2 + 4)/2 us. What the second seed has of another
 * size comes in its place. The rows of all classes are those of the only one. */
REPORT_TEST(test_messages)
{
  commit_messages(f, "run.seed=1", "message.count=300 message.incomplete=1 message.quantile_error=0",
                  "workload,upto_64KiB,300,1,2e-6,9e-6,1.5,4\nworkload,all,300,1,2e-6,9e-6,1.5,4\n"
                  "all,upto_64KiB,300,1,2e-6,9e-6,1.5,4\nall,all,300,1,2e-6,9e-6,1.5,4\n");
  commit_messages(f, "run.seed=2", "message.count=1500000 message.incomplete=2 message.quantile_error=0.01",
                  "workload,upto_4KiB,10,0,1e-6,,1.25,\nworkload,upto_64KiB,400,2,4e-6,9e-6,2.5,4\n"
                  "workload,all,410,2,4e-6,9e-6,2.5,4\nall,upto_64KiB,400,2,4e-6,9e-6,2.5,4\n");
  g_autofree char *page = make(f, 0);
  g_autofree char *section = part(page, "<h3>Completion times</h3>", "</section>");
  EXPECT_PARTS(
      section,
      "In 2 runs 1500300 messages were complete; 3 more were posted and not complete when a run ended: their "
      "times "
      "are in none of the numbers below.",
      "Quantiles of 1 run, with more than 10^6 messages each, are within 1&nbsp;% of the exact ones.",
      "Share of messages complete within x.", "Slowdown of messages over their size.");
  EXPECT_PARTS(section,
               "<th scope=\"row\">workload</th><th scope=\"row\">≤ 4 KiB</th><td class=\"number\">10</td><td "
               "class=\"number\">0</td><td class=\"number\">1 µs</td><td class=\"number\"></td>",
               "<th scope=\"row\">≤ 64 KiB</th><td class=\"number\">700</td><td class=\"number\">3</td><td "
               "class=\"number\">3 µs</td><td class=\"number\">9 µs</td><td class=\"number\">2</td>");
  g_assert_true(strstr(section, "≤ 4 KiB") < strstr(section, "≤ 64 KiB"));
  g_assert_null(strstr(section, "<th scope=\"row\">all</th><th"));
  g_assert_null(strstr(section, "<details>"));
}

/* Of several points each has a table. Without messages there is no such section. */
REPORT_TEST(test_messages_of_points)
{
  static const char row[] = "back,all,5,0,1e-6,,1,\nincast,all,5,0,1e-6,,1,\nall,all,10,0,1e-6,,1,\n";
  fill(f);
  g_autofree char *without = make(f, 0);
  g_assert_null(strstr(without, "Completion times"));
  commit_messages(f, "path.forward.mtu=1500 receiver.mode=in-order run.seed=9",
                  "message.count=10 message.incomplete=0", row);
  commit_messages(f, "path.forward.mtu=1500 receiver.mode=out-of-order run.seed=9",
                  "message.count=10 message.incomplete=0", row);
  g_autofree char *page = make(f, 0);
  EXPECT_PARTS(page, "In 14 runs 20 messages were complete, all that were posted.",
               "<details><summary>messages: in-order receiver, MTU 1500 octets</summary>",
               "<details><summary>messages: out-of-order receiver, MTU 1500 octets</summary>",
               "<th scope=\"row\">all</th><th scope=\"row\">all</th><td class=\"number\">10</td>");
}
