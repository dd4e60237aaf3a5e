/* SPDX-License-Identifier: GPL-2.0-only */
/* What a run leaves comes back as it was; anything else is refused. */
#include "study/sweep/child_record.h"

#include <math.h>
#include <string.h>

#include "study/store/run_identity.h"
#include "study_kit.h"

enum { ROOM = 128 << 10 };

typedef struct fixture {
  char *folder;
  scenario *s;
  summary page;
  distribution distributions[DISTRIBUTION_COUNT];
  guint8 *room;
  gsize octets; /* of the record in `room` */
} fixture;

/* A terminated run, which nobody expected, with two metrics, three bins of one distribution and 976 of another. */
static void set_up(fixture *f, gconstpointer unused)
{
  (void)unused;
  f->folder = kit_folder_new();
  f->s = kit_scenario(f->folder, "a.cfg", "title = \"t\"; path: { forward: { mtu = 9000; }; };", NULL);
  f->page = (summary){.scenario = f->s,
                      .status = RUN_TERMINATED,
                      .message = "invalid STag",
                      .version = "0.1.0",
                      .engine = "native",
                      .distributions = f->distributions};
  metric_values_set(&f->page.metrics, METRIC_TCP_SEGMENTS, 1e300);
  metric_values_set(&f->page.metrics, METRIC_MPA_FPDUS, 0.1);
  for (guint i = 1; i <= 3; i++) {
    g_assert_true(distribution_append(&f->distributions[DISTRIBUTION_REASSEMBLY_OCTETS], i, 0.1 * i));
  }
  for (guint i = 0; i < DISTRIBUTION_BINS_MAX; i++) {
    g_assert_true(distribution_append(&f->distributions[DISTRIBUTION_DELIVERY_DELAY_S], i * 1e-12, i + 1));
  }
  f->room = g_malloc0(ROOM);
  f->octets = child_record_write(&f->page, f->room, ROOM);
  g_assert_cmpuint(f->octets, >, 0);
}

static void tear_down(fixture *f, gconstpointer unused)
{
  (void)unused;
  for (distribution_id id = 0; id < DISTRIBUTION_COUNT; id++) {
    distribution_clear(&f->distributions[id]);
  }
  scenario_free(f->s);
  kit_folder_remove(f->folder);
  g_free(f->room);
}

static void test_whole(fixture *f, gconstpointer unused)
{
  (void)unused;
  child_record *record = child_record_read(f->room, f->octets, NULL);
  char *texts[SCENARIO_KEY_COUNT];
  run_identity_texts(f->s, texts);
  g_autofree char *identity = run_identity_of(texts);
  run_identity_clear(texts);
  g_assert_cmpstr(record->identity, ==, identity);
  g_assert_cmpint(record->status, ==, RUN_TERMINATED);
  g_assert_cmpint(record->exit_code, ==, 1); /* run.expect is "ok" */
  g_assert_cmpstr(record->message, ==, "invalid STag");
  g_assert_cmpstr(record->engine, ==, "native");
  for (metric_id id = 0; id < METRIC_COUNT; id++) {
    g_assert_cmpint(record->metrics.present[id], ==, f->page.metrics.present[id]);
    g_assert_cmpfloat(record->metrics.value[id], ==, f->page.metrics.value[id]);
  }
  for (distribution_id id = 0; id < DISTRIBUTION_COUNT; id++) {
    const distribution *was = &f->distributions[id], *is = &record->distributions[id];
    g_assert_cmpmem(is->bins, is->count * sizeof *is->bins, was->bins, was->count * sizeof *was->bins);
  }
  child_record_free(record);
}

static void expect_refused(const guint8 *octets, gsize count)
{
  g_autoptr(GError) error = NULL;
  g_autofree guint8 *copy = g_memdup2(octets, count); /* for the address sanitizer */
  g_assert_null(child_record_read(copy, count, &error));
  g_assert_error(error, SUMMARY_ERROR, SUMMARY_ERROR_INVALID);
}

/* One octet less of room is too little; one octet of the record less, or more, is none. */
static void test_length(fixture *f, gconstpointer unused)
{
  (void)unused;
  g_autofree guint8 *room = g_malloc0(f->octets);
  g_assert_cmpuint(child_record_write(&f->page, room, f->octets - 1), ==, 0);
  g_assert_cmpuint(child_record_write(&f->page, room, f->octets), ==, f->octets);
  for (gsize octets = 0; octets < f->octets; octets += 1 + octets / 64) {
    expect_refused(f->room, octets);
  }
  expect_refused(f->room, f->octets + 1);
}

/* Bounds ascend, and weights are above 0. */
static void test_bins(fixture *f, gconstpointer unused)
{
  (void)unused;
  distribution_bin *bin = &f->distributions[DISTRIBUTION_REASSEMBLY_OCTETS].bins[1];
  const distribution_bin was = *bin;
  bin->bound = 1;
  expect_refused(f->room, child_record_write(&f->page, f->room, ROOM));
  *bin = was;
  bin->weight = 0;
  expect_refused(f->room, child_record_write(&f->page, f->room, ROOM));
}

/* A run that overwrote its memory: whatever octet is changed, what is read is refused or could have been written. */
static void test_damaged(fixture *f, gconstpointer unused)
{
  (void)unused;
  guint refused = 0;
  for (gsize at = 0; at < f->octets; at += 1 + (at > 4000) * 37) {
    guint8 was = f->room[at];
    f->room[at] = (guint8)(was ^ 0xff);
    child_record *record = child_record_read(f->room, f->octets, NULL);
    f->room[at] = was;
    for (metric_id id = 0; record != NULL && id < METRIC_COUNT; id++) {
      g_assert_true(isfinite(record->metrics.value[id]));
    }
    refused += record == NULL;
    child_record_free(record);
  }
  g_assert_cmpuint(refused, >, 16); /* magic, status, and each `present` */
}

/* A text that is no UTF-8 is made some, as in summary.json. */
static void test_text(fixture *f, gconstpointer unused)
{
  (void)unused;
  f->page.message = "a\xff";
  gsize octets = child_record_write(&f->page, f->room, ROOM);
  child_record *record = child_record_read(f->room, octets, NULL);
  g_assert_cmpstr(record->message, ==, "a\xef\xbf\xbd");
  child_record_free(record);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add("/child_record/whole", fixture, NULL, set_up, test_whole, tear_down);
  g_test_add("/child_record/length", fixture, NULL, set_up, test_length, tear_down);
  g_test_add("/child_record/bins", fixture, NULL, set_up, test_bins, tear_down);
  g_test_add("/child_record/damaged", fixture, NULL, set_up, test_damaged, tear_down);
  g_test_add("/child_record/text", fixture, NULL, set_up, test_text, tear_down);
  return g_test_run();
}
