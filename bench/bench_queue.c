/* SPDX-License-Identifier: GPL-2.0-only */
/* This drives designs of the engine's event queue with what runs ask of it: record_queue, beside this
 * program, makes the streams of steps when it is run. All designs must take the same timers.
 *
 *     bench_queue [STEPS]    the first STEPS that each run asks of its queue (default: four million) */
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "queue_designs.h"
#include "queue_stream.h"

enum { ROUNDS = 5 };

typedef struct recorded_run {
  const char *name;
  const char *settings[12]; /* the scenario, and keys with values */
} recorded_run;

#define GRAPH "link.rate=100Gbit/s", "link.delay=1us"
#define LEAF_SPINE                                                                                           \
  "topology.kind=leaf-spine", "topology.leaves=16", "topology.spines=16", "topology.hosts_per_leaf=64"

static const recorded_run RUNS[] = {
    {"one connection", {"bulk-write.cfg"}},
    {"10,000 connections", {"connections.cfg"}},
    {"64 hosts, web search", {"web-search.cfg"}},
    {"incast of 256 hosts, in step",
     {"bulk-write.cfg", "topology.kind=star", "topology.hosts=257", GRAPH, "workload.pattern=incast"}},
    {"permutation of 1,024 hosts", {"bulk-write.cfg", LEAF_SPINE, GRAPH, "workload.pattern=permutation"}},
};

typedef struct stream {
  queue_step *steps;
  gsize count;
  uint32_t timers; /* their numbers are below this */
  uint64_t taken;
} stream;

/* Has record_queue run `run` until it has written `steps`, or the run is over. */
static stream record(const recorded_run *run, const char *steps, const char *folder)
{
  g_autofree char *program = g_build_filename(folder, "record_queue", NULL);
  g_autofree char *scenario = g_build_filename(SOURCES, "bench", "scenarios", run->settings[0], NULL);
  g_autoptr(GError) error = NULL;
  g_autofree char *made_in = g_dir_make_tmp("queue-XXXXXX", &error);
  g_assert_no_error(error);
  g_autofree char *path = g_build_filename(made_in, "steps", NULL);
  g_autofree char *removal = g_strdup_printf("rm -r '%s'", made_in);
  g_autoptr(GPtrArray) words = g_ptr_array_new();
  g_auto(GStrv) environment = g_get_environ();
  stream made = {0};
  gsize octets = 0;
  gint status = 0;

  environment = g_environ_setenv(environment, QUEUE_STREAM_FILE, path, TRUE);
  environment = g_environ_setenv(environment, QUEUE_STREAM_STEPS, steps, TRUE);
  environment = g_environ_setenv(environment, "IWARPSIM_DATA", SOURCES, TRUE);
  g_ptr_array_add(words, program);
  g_ptr_array_add(words, (gpointer) "run");
  g_ptr_array_add(words, scenario);
  g_ptr_array_add(words, (gpointer) "--engine=native");
  g_ptr_array_add(words, (gpointer) "--quiet");
  g_ptr_array_add(words, (gpointer) "--out");
  g_ptr_array_add(words, made_in);
  for (guint i = 1; run->settings[i]; i++) {
    g_ptr_array_add(words, (gpointer) "--set");
    g_ptr_array_add(words, (gpointer)run->settings[i]);
  }
  g_ptr_array_add(words, NULL);
  if (!g_spawn_sync(NULL, (char **)words->pdata, environment, G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL, NULL,
                    NULL, &status, &error) ||
      !g_spawn_check_wait_status(status, &error) ||
      !g_file_get_contents(path, (char **)&made.steps, &octets, &error)) {
    g_error("%s: %s", run->name, error->message);
  }
  g_spawn_command_line_sync(removal, NULL, NULL, NULL, NULL);
  made.count = octets / sizeof(queue_step);
  for (gsize i = 0; i < made.count; i++) {
    made.timers = MAX(made.timers, made.steps[i].timer + 1);
    made.taken += made.steps[i].kind == QUEUE_TAKE;
  }
  return made;
}

/* Returns timers taken a second of CPU time. */
static double measure(const stream *recorded, const queue_design *design)
{
  queue_timer *timers = g_aligned_alloc0(recorded->timers, sizeof(queue_timer), sizeof(queue_timer));
  void *queue = design->new_queue();
  uint64_t minor = 0;
  const clock_t began = clock();

  for (gsize i = 0; i < recorded->count; i++) {
    const queue_step *step = &recorded->steps[i];
    event_queue_timer *timer = &timers[step->timer].order;

    switch ((queue_step_kind)step->kind) {
    case QUEUE_MINOR:
      minor = step->value;
      break;
    case QUEUE_ADD:
      design->add(queue, timer, step->value, minor);
      minor = 0;
      break;
    case QUEUE_REMOVE:
      design->remove(queue, timer);
      break;
    case QUEUE_SET:
      design->set(queue, timer, (time_ps)step->value);
      break;
    case QUEUE_FIRST:
      design->first(queue);
      break;
    case QUEUE_TAKE:
      if (design->take(queue) != timer) {
        g_error("%s: step %" G_GSIZE_FORMAT " takes another timer", design->name, i);
      }
      break;
    }
  }
  const clock_t took = clock() - began;

  design->free_queue(queue);
  g_aligned_free(timers);
  return (double)recorded->taken / ((double)MAX(took, 1) / CLOCKS_PER_SEC);
}

static int compare_doubles(const void *a, const void *b)
{
  double left = *(const double *)a;
  double right = *(const double *)b;
  return (left > right) - (left < right);
}

int main(int count, char **words)
{
  static const queue_design *const designs[] = {&queue_lazy_heap, &queue_radix_heap, &queue_row_and_slots};
  g_autofree char *folder = g_path_get_dirname(words[0]);

  printf("million events/s of CPU time, median of %d rounds (in brackets: times the lazy heap)\n", ROUNDS);
  for (size_t i = 0; i < G_N_ELEMENTS(RUNS); i++) {
    const stream recorded = record(&RUNS[i], count > 1 ? words[1] : "4000000", folder);
    double rates[G_N_ELEMENTS(designs)][ROUNDS];

    for (int round = 0; round < ROUNDS; round++) {
      for (size_t d = 0; d < G_N_ELEMENTS(designs); d++) {
        rates[d][round] = measure(&recorded, designs[d]);
      }
    }
    printf("%-30s", RUNS[i].name);
    for (size_t d = 0; d < G_N_ELEMENTS(designs); d++) {
      qsort(rates[d], ROUNDS, sizeof(double), compare_doubles);
      printf("  %s %6.2f (%.2f)", designs[d]->name, rates[d][ROUNDS / 2] / 1e6,
             rates[d][ROUNDS / 2] / rates[0][ROUNDS / 2]);
    }
    printf("\n");
    fflush(stdout);
    g_free(recorded.steps);
  }
  return EXIT_SUCCESS;
}
