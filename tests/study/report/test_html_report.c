/* SPDX-License-Identifier: GPL-2.0-only */
/* The report of made-up stores: its parts, its sentences and numbers, and texts that would be markup if they
 * could. */
#include "base/error.h"
#include "study/report/html_report.h"

#include <glib/gstdio.h>
#include <string.h>

#include "plot_fixture.h"
#include "store_commit.h"
#include "study/table/study_table.h"
#include "study_fixture.h"
#include "test.h"

static const char hostile_text[] =
    "# Question: how much <b>memory</b> & \"why\"?\n# Expected: </section>\xff\n"
    "title = \"</title><script>alert(1)</script>\";\n";

typedef struct fixture {
  char *folder;
  char *path;
  result_store *store;
  provenance from;
  guint64 point;
} fixture;

static void set_up(fixture *f, G_GNUC_UNUSED gconstpointer unused)
{
  f->folder = fixture_folder_new();
  f->path = g_build_filename(f->folder, "a b.sqlite", NULL);
  f->store = result_store_open(f->path, RESULT_STORE_WRITE, NULL);
  f->from = fixture_origin("a", "Peak by MTU", "# Question: how much?\ntitle = \"Peak by MTU\";\n", "");
  f->point = 0;
}

static void tear_down(fixture *f, G_GNUC_UNUSED gconstpointer unused)
{
  result_store_close(f->store);
  g_free(f->path);
  fixture_folder_remove(f->folder);
}

#define FIXTURE_TEST(name) TEST_WITH(fixture, NULL, set_up, tear_down, name)
#define REPORT_TEST(name) DRAWN(FIXTURE_TEST, fixture, name)

/* What a run is made of: the --set options apart, the status, and the peak in octets. */
typedef struct made_run {
  const char *sets[4];
  run_status status;
  double peak;
  double timeouts;
  double direct; /* of 1000 octets */
} made_run;

static void commit(fixture *f, const made_run *made)
{
  g_autofree char *path = fixture_file(f->folder, "a.cfg", "");
  g_autoptr(scenario) s = NO_ERROR(scenario_load, path, made->sets);
  g_auto(stored_run) run = fixture_run(s, f->point++);
  run.status = made->status;
  run.cpu_s = 1800;
  if (made->status != RUN_OK) {
    run.message = (char *)"killed by <signal 9>";
    run.exit_code = 137;
  }
  metric_values_set(&run.metrics, METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS, made->peak);
  metric_values_set(&run.metrics, METRIC_PLACEMENT_OCTETS, 1000);
  metric_values_set(&run.metrics, METRIC_PLACEMENT_OCTETS_DIRECT, made->direct);
  metric_values_set(&run.metrics, METRIC_TCP_TIMEOUTS, made->timeouts);
  g_assert_true(NO_ERROR(store_commit, f->store, &f->from, &run));
}

/* Two receivers at two MTUs with three seeds: the in-order one's peak is 10 KiB above the other's, whatever
 * the seed; one run of MTU 9000 has a time-out. */
static void fill(fixture *f)
{
  static const double spread[] = {-1024, 0, 1024};
  f->from.axes = (char *)"receiver.mode\npath.forward.mtu\nrun.seed";
  for (guint mode = 0; mode < 2; mode++) {
    for (guint mtu = 0; mtu < 2; mtu++) {
      for (guint seed = 0; seed < 3; seed++) {
        g_autofree char *seeds = g_strdup_printf("run.seed=%u", seed + 1);
        const made_run made = {.sets = {mode == 0 ? "receiver.mode=in-order" : "receiver.mode=out-of-order",
                                        mtu == 0 ? "path.forward.mtu=1500" : "path.forward.mtu=9000", seeds},
                               .peak = 20480 * (mtu + 1) + spread[seed] + (mode == 0 ? 10240 : 0),
                               .timeouts = mode == 1 && mtu == 1 && seed == 2,
                               .direct = mode == 0 ? 930 : 940};
        commit(f, &made);
      }
    }
  }
}

static char *make(fixture *f, guint exclude)
{
  const html_report_options options = {
      .store = f->path, .page = "/somewhere/a.html", .version = "0.1.0", .exclude = exclude};
  return NO_ERROR(html_report_make, f->store, &options);
}

static void assert_holds(const char *page, const char *text)
{
  if (strstr(page, text) == NULL) {
    g_error("the page has no '%s'", text);
  }
}

static guint count_of(const char *page, const char *text)
{
  guint count = 0;
  for (const char *c = strstr(page, text); c != NULL; c = strstr(c + strlen(text), text)) {
    count++;
  }
  return count;
}

/* What lies between `from` and the next `to`. */
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
  static const char *const expected[] = {
      "<!DOCTYPE html>\n<html lang=\"en\">",
      "<meta charset=\"utf-8\">",
      "default-src 'none'",
      "<title>Peak by MTU – iwarpsim report</title>",
      "<h1>Peak by MTU</h1>",
      "<p class=\"question\">how much?</p>",
      "<section id=\"plots\"",
      "\" src=\"data:image/svg+xml;base64,",
      "<section id=\"differences\"",
      "title = &quot;Peak by MTU&quot;;",
      "<dt>Engine</dt><dd>native</dd>",
      "<dt>Hosts</dt><dd>testhost</dd>",
      "<dt>Started</dt><dd>2026-11-21T10:08:16Z</dd>",
      "<dt>CPU time</dt><dd>6 h</dd>", /* 12 runs of half an hour */
      "<dt>Libraries</dt><dd>GLib 2.74.6</dd>",
      "iwarpsim sweep a.cfg --store &#39;a b.sqlite&#39;\niwarpsim report &#39;a b.sqlite&#39; -o "
      "a.html</code>",
  };
  for (gsize i = 0; i < G_N_ELEMENTS(expected); i++) {
    assert_holds(page, expected[i]);
  }
  g_assert_cmpuint(count_of(page, "<section "), ==, count_of(page, "</section>"));
  g_assert_null(strstr(page, "<script"));
  g_assert_null(strstr(page, " style="));
  g_assert_null(strstr(page, f->folder));
}

/* Plots are pictures, each named by its caption, in a size that makes all texts equal: 0.68 of the SVG's.
 * Their texts are texts. */
REPORT_TEST(test_pictures)
{
  fill(f);
  g_autofree char *page = make(f, 0);
  g_assert_cmpuint(count_of(page, "<img "), ==, count_of(page, "<figure "));
  g_assert_cmpuint(count_of(page, "<img "), >, 0);
  g_assert_cmpuint(count_of(page, "<svg"), ==, 0);
  static const char source[] = "src=\"data:image/svg+xml;base64,";
  g_autofree char *image = part(page, "<img ", "\">");
  assert_holds(image, "alt=\"Figure 1. ");
  gsize length;
  g_autofree guchar *octets = g_base64_decode(strstr(image, source) + strlen(source), &length);
  g_autofree char *svg = g_strndup((const char *)octets, length);
  guint64 width = g_ascii_strtoull(strstr(image, "width=\"") + strlen("width=\""), NULL, 10);
  guint64 drawn = g_ascii_strtoull(strstr(svg, "viewBox=\"0 0 ") + strlen("viewBox=\"0 0 "), NULL, 10);
  g_assert_cmpuint(width, ==, (guint64)((double)drawn * 0.68 + 0.5));
  assert_holds(svg, "<text>Peak by MTU</text>");
  assert_holds(svg, "</svg>");
  g_assert_null(strstr(svg, "<script"));
}

/* Each point's mean is the middle of its three values, which lie 1024 apart: s = 1024, t(2) = 4.303, so the
 * half-width is 4.303 * 1024 / sqrt(3) = 2544 octets = 2.48 KiB. In KiB the means are 30, 50, 20 and 40. */
REPORT_TEST(test_numbers)
{
  fill(f);
  g_autofree char *page = make(f, 0);
  g_autofree char *overview = part(page, "<div id=\"overview\">", "</table>");
  g_assert_cmpuint(count_of(overview, "<tr"), ==, 1 + 4);
  assert_holds(overview,
               "<th scope=\"row\">in-order</th><th scope=\"row\">9000</th><td class=\"number\">3</td>"
               "<td class=\"number flagged\"></td><td class=\"number\">50.0</td>"
               "<td class=\"half-width\">±\u00a02.5</td>");
  assert_holds(
      overview,
      "<tr class=\"mark\"><th scope=\"row\">out-of-order</th><th scope=\"row\">9000</th>"
      "<td class=\"number\">3</td><td class=\"number flagged\">1</td><td class=\"number\">40.0</td>");
  g_autofree char *answer = part(page, "<section id=\"answer\"", "</section>");
  assert_holds(
      answer,
      "peak reassembly occupancy is <strong>50.0 ± 2.5 KiB</strong> (in-order receiver, MTU 9000 octets; "
      "3 runs) where it is largest, and <strong>20.0 ± 2.5 KiB</strong> (out-of-order receiver, MTU "
      "1500 octets; 3 runs) where it is smallest.");
  assert_holds(
      answer,
      "share of the payload placed directly is <strong>94 ± 0 %</strong> (out-of-order receiver, MTU 1500 "
      "octets; 3 runs) where it is largest, and <strong>93 ± 0 %</strong> (in-order receiver");
  assert_holds(answer, "1 of the 12 runs in these numbers");
  /* the differences are 10 KiB for each seed */
  assert_holds(answer,
               "larger with receiver.mode in-order than with out-of-order at 2 of 2 points and smaller at 0");
  g_autofree char *differences = part(page, "<section id=\"differences\"", "</section>");
  assert_holds(differences,
               "<th scope=\"row\">1500</th><td class=\"number\">3</td><td class=\"number flagged\"></td>"
               "<td class=\"number\">10</td><td class=\"half-width\">±\u00a00</td>"
               "<td class=\"number\">\u22121</td><td class=\"half-width\">±\u00a00</td></tr>");
}

REPORT_TEST(test_spread)
{
  fill(f);
  g_autofree char *page = make(f, 0);
  /* of 29, 30, 31: quartiles halfway between neighbours */
  assert_holds(page, "<td class=\"number\">29</td><td class=\"number\">29.5</td>"
                     "<td class=\"number\">30</td><td class=\"number\">30.5</td>"
                     "<td class=\"number\">31</td></tr>");
  /* the point with a flagged run stands out */
  assert_holds(page, "<tr class=\"mark\"><th scope=\"row\">out-of-order</th><th scope=\"row\">9000</th>"
                     "<td class=\"number\">3</td><td class=\"number\">40.0</td>"
                     "<td class=\"half-width\">±\u00a02.5</td><td class=\"number\">39</td>");
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
  assert_holds(
      page, "Of 12 runs 12 ok, 0 terminated, 0 stopped, 0 failed; 1 left out for a flag; 11 in the tables");
  assert_holds(page, "-o a.html --leave-out timeouts,lost</code>");
  g_assert_null(strstr(page, "in these numbers"));
}

REPORT_TEST(test_hostile_texts)
{
  f->from =
      fixture_origin("<a>", "</title><script>alert(1)</script>\x01\xff", hostile_text, "path.forward.mtu");
  f->from.sets = (char *)"run.expect=any\ntitle=$(rm -rf /) '<i>";
  f->from.libraries = (char *)"<svg onload=alert(1)>";
  const made_run good = {.sets = {"path.forward.mtu=1500"}, .status = RUN_OK};
  const made_run other = {.sets = {"path.forward.mtu=9000"}, .status = RUN_OK};
  const made_run bad = {.sets = {"path.forward.mtu=9001"}, .status = RUN_FAILED};
  commit(f, &good);
  commit(f, &other);
  commit(f, &bad);
  g_autofree char *page = make(f, 0);
  g_assert_true(g_utf8_validate(page, -1, NULL));
  static const char *const never[] = {"<script", "<b>mem", "<i>", "<svg onload", "<a>", "<signal", "\x01"};
  for (gsize i = 0; i < G_N_ELEMENTS(never); i++) {
    g_test_message("%s", never[i]);
    g_assert_null(strstr(page, never[i]));
  }
  static const char *const always[] = {
      "<title>&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;\ufffd\ufffd – iwarpsim report</title>",
      "how much &lt;b&gt;memory&lt;/b&gt; &amp; &quot;why&quot;?",
      "&lt;/section&gt;\ufffd",
      "killed by &lt;signal 9&gt;",
      /* '…' with the quote inside it closed, escaped and opened again: nothing for the shell to run */
      "--set &#39;title=$(rm -rf /) &#39;\\&#39;&#39;&lt;i&gt;&#39;",
      "iwarpsim sweep &#39;&lt;a&gt;.cfg&#39; --set run.expect=any",
  };
  for (gsize i = 0; i < G_N_ELEMENTS(always); i++) {
    assert_holds(page, always[i]);
  }
}

REPORT_TEST(test_one_run)
{
  const made_run made = {
      .sets = {"run.seed=7", "receiver.memory=64KiB", "path.forward.mtu=9000"}, .peak = 1234, .direct = 1000};
  commit(f, &made);
  g_autofree char *page = make(f, 0);
  g_autofree char *answer = part(page, "<section id=\"answer\"", "</section>");
  assert_holds(answer, "peak reassembly occupancy is <strong>1234 octets</strong>.");
  g_autofree char *overview = part(page, "<div id=\"overview\">", "</table>");
  g_assert_cmpuint(count_of(overview, "<tr"), ==, 1 + 1);
  g_assert_null(strstr(overview, "±\u00a0")); /* one value says nothing of its spread */
  g_autofree char *parameters = part(page, "<section id=\"parameters\"", "</section>");
  assert_holds(parameters, "<th scope=\"row\">receiver.memory</th><td>64 KiB</td>");
  /* the seed, the memory and the MTU: nothing that is as by default, nor path.reverse.mtu, which follows */
  g_assert_cmpuint(count_of(parameters, "<tr"), ==, 1 + 3);
}

REPORT_TEST(test_failed_only)
{
  const made_run made = {.sets = {"path.forward.mtu=9000", "run.seed=3"}, .status = RUN_FAILED};
  f->from.axes = (char *)"path.forward.mtu\nrun.seed";
  commit(f, &made);
  g_autofree char *page = make(f, 0);
  assert_holds(page, "<p class=\"warn\">There is nothing to compare: ");
  assert_holds(page, "Of 1 run 0 ok, 0 terminated, 0 stopped, 1 failed");
  assert_holds(page, "MTU 9000 octets, seed 3");
  assert_holds(page, "<td class=\"number\">137</td>");
  g_assert_null(strstr(page, "id=\"results\""));
}

/* A hundred of them are described, the rest is counted. */
REPORT_TEST(test_many_failed)
{
  for (guint seed = 1; seed <= 101; seed++) {
    g_autofree char *set = g_strdup_printf("run.seed=%u", seed);
    commit(f, &(made_run){.sets = {set}, .status = RUN_FAILED});
  }
  g_autofree char *page = make(f, 0);
  assert_holds(page, "0 stopped, 101 failed");
  assert_holds(page, "The first 100 of 101 runs that did not end ok.");
  g_assert_cmpuint(count_of(page, "<td class=\"number\">137</td>"), ==, 100);
}

FIXTURE_TEST(test_no_runs)
{
  g_autoptr(GError) error = NULL;
  const html_report_options options = {.store = f->path, .page = "a.html", .version = "0.1.0"};
  g_autofree char *page = html_report_make(f->store, &options, &error);
  g_assert_null(page);
  g_assert_error(error, IWARPSIM_ERROR, IWARPSIM_ERROR_FAILED);
  g_assert_true(g_str_has_prefix(error->message, f->path));
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
