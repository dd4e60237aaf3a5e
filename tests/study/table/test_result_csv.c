/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about the CSV, read back by the rules of RFC 4180. */
#include <string.h>

#include "store_commit.h"
#include "study/table/result_table.h"
#include "study_fixture.h"

/* Fields of the CSV record at `*text`, which moves after it. */
static GPtrArray *read_record(const char **text)
{
  GPtrArray *fields = g_ptr_array_new_with_free_func(g_free);
  const char *c = *text;
  for (;;) {
    GString *field = g_string_new(NULL);
    if (*c == '"') {
      for (c++; *c != '"' || c[1] == '"'; c++) {
        g_assert_cmpint(*c, !=, '\0');
        c += *c == '"' ? 1 : 0;
        g_string_append_c(field, *c);
      }
      c++;
    } else {
      while (strchr(",\n", *c) == NULL) {
        g_string_append_c(field, *c++);
      }
    }
    g_ptr_array_add(fields, g_string_free(field, FALSE));
    if (*c != ',') {
      break;
    }
    c++;
  }
  g_assert_cmpint(*c, ==, '\n');
  *text = c + 1;
  return fields;
}

static const char *field_of(const GPtrArray *names, const GPtrArray *record, const char *name)
{
  guint index;
  g_assert_true(g_ptr_array_find_with_equal_func((GPtrArray *)names, name, g_str_equal, &index));
  return g_ptr_array_index(record, index);
}

static void commit_seed(const store_fixture *f, const char *seed_set, const char *title_set, guint64 point,
                        double segments)
{
  const provenance from = fixture_origin("sweep", "two\nlines", "abc", "run.seed");
  scenario *s = scenario_copy(f->scenario);
  g_assert_true(scenario_set(s, seed_set, NULL));
  g_assert_true(scenario_set(s, title_set, NULL));
  g_auto(stored_run) run = fixture_run(s, point);
  scenario_free(s);
  if (segments >= 0) {
    metric_values_set(&run.results.metrics, METRIC_TCP_SEGMENTS, segments);
  } else {
    run.status = RUN_FAILED;
  }
  g_assert_true(NO_ERROR(store_commit, f->store, &from, &run));
}

static char *export_text(const store_fixture *f)
{
  return NO_ERROR(result_store_csv, f->store, 0);
}

#define FIXTURE_TEST(name) STORE_TEST("run.seed", name)

/* Three runs, committed out of order, one failed: a comment block, names, then three rows by point. */
FIXTURE_TEST(test_rows)
{
  commit_seed(f, "run.seed=3", "title=a \"title\", quoted", 2, 0.1);
  commit_seed(f, "run.seed=1", "title=#1", 0, 12345);
  commit_seed(f, "run.seed=2", "title=plain", 1, -1);
  g_autofree char *text = export_text(f);

  /* The hash is that of FIPS 180-4's example, "abc". */
  static const char comments[] =
      "# scenario: sweep\n# title: two\\nlines\n# version: 0.1.0\n# git: unknown\n"
      "# hash: ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\n"
      "# libraries: GLib 2.74.6\n# columns: mpa.markers twice, first the parameter, then the metric\n";
  g_assert_true(g_str_has_prefix(text, comments));
  const char *rest = text + strlen(comments);
  g_autoptr(GPtrArray) names = read_record(&rest);
  g_assert_cmpuint(names->len, ==, SCENARIO_KEY_COUNT + METRIC_COUNT + 1);
  g_assert_cmpstr(g_ptr_array_index(names, 0), ==, "title");
  g_assert_cmpstr(g_ptr_array_index(names, SCENARIO_KEY_COUNT), ==, "tcp.segments");
  g_assert_cmpstr(g_ptr_array_index(names, names->len - 1), ==, "status");

  /* Twice indeed, in this order. */
  g_assert_cmpstr(g_ptr_array_index(names, SCENARIO_MPA_MARKERS), ==, "mpa.markers");
  g_assert_cmpstr(g_ptr_array_index(names, SCENARIO_KEY_COUNT + METRIC_MPA_MARKERS), ==, "mpa.markers");

  static const struct {
    const char *seed, *title, *segments, *status;
  } expected[] = {
      {"1", "#1", "12345", "ok"}, {"2", "plain", "", "failed"}, {"3", "a \"title\", quoted", "0.1", "ok"}};
  for (gsize i = 0; i < G_N_ELEMENTS(expected); i++) {
    g_assert_cmpint(*rest, !=, '#'); /* a row never looks like a comment */
    g_autoptr(GPtrArray) record = read_record(&rest);
    g_assert_cmpuint(record->len, ==, names->len);
    g_assert_cmpstr(field_of(names, record, "title"), ==, expected[i].title);
    g_assert_cmpstr(field_of(names, record, "run.seed"), ==, expected[i].seed);
    g_assert_cmpstr(field_of(names, record, "path.forward.mtu"), ==, "1500");
    g_assert_cmpstr(field_of(names, record, "tcp.sack"), ==, "true"); /* 1 with --numeric alone */
    g_assert_cmpstr(field_of(names, record, "tcp.segments"), ==, expected[i].segments);
    g_assert_cmpstr(field_of(names, record, "mpa.fpdus"), ==, "");
    g_assert_cmpstr(field_of(names, record, "status"), ==, expected[i].status);
  }
  g_assert_cmpint(*rest, ==, '\0');
}

/* Runs of two origins, which --mix let in: both are named, and the rows are those of both. */
FIXTURE_TEST(test_two_origins)
{
  provenance later = fixture_origin("sweep", "later", "abc", "run.seed");
  later.version = (char *)"0.2.0";
  later.git = (char *)"0123abc";
  g_auto(stored_run) run = fixture_seed_run(f->scenario, 9, 9);
  g_assert_true(store_commit(f->store, &later, &run, NULL));
  commit_seed(f, "run.seed=1", "title=a", 0, 1);
  g_autofree char *text = export_text(f);
  const char *first = strstr(text, "# version: 0.2.0\n# git: 0123abc\n");
  const char *second = strstr(text, "# version: 0.1.0\n# git: unknown\n");
  g_assert_true(first != NULL && second != NULL);
  g_assert_true(first < second); /* by title: "later" before "two lines" */
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  g_assert_cmpuint(g_strv_length(lines), ==, 2 * 6 + 1 + 1 + 2 + 1); /* "" after the last line end */
}
