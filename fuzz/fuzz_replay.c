/* SPDX-License-Identifier: GPL-2.0-only */
/* Any octets as a capture file, replayed: refused in one line, or its results are a run's. Its summary can be
 * read back, all numbers are finite, and the peak of its occupancy.csv is the one of its summary.
 *
 * An input is: which keys are set (two octets, a bit each), how to replay (one octet), a hint's port (two),
 * and the capture file. */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "fuzz_files.h"

#include "fuzz_input.h"
#include "replay/replay.h"
#include "scenario/configuration.h"
#include "study/plot/study_plot.h"

enum {
  HOW_RESEND = 0x03, /* replay_resend; 3: as 0 */
  HOW_CHECKSUMS = 0x04,
  HOW_ASSUMES = 0x08,
  HOW_HINT = 0x10,
  HOW_HOLDS_LITTLE = 0x20,
};

enum { SETS_MAX = 16, RESEND_PS = 1000 * 1000 * 1000, LITTLE_OCTETS = 600 };

static const char *const keys[SETS_MAX] = {
    "receiver.mode=in-order",
    "receiver.mode=assume-aligned",
    "receiver.memory=4KiB",
    "receiver.fpdu_descriptors=3",
    "receiver.partial_fpdus=2",
    "receiver.placement_latency=1us",
    "receiver.ip_reassembly=spanning",
    "mpa.silent_drop=true",
    "rdmap.errors=on-arrival",
    "path.forward.loss=20%",
    "path.reverse.loss=20%",
    "path.forward.mtu=576",
    "middlebox.mode=split",
    "middlebox.mode=rechunk",
    "measure.side=initiator",
    "measure.series=none",
};

static void check_metrics(const metric_values *metrics)
{
  for (metric_id id = 0; id < METRIC_COUNT; id++) {
    g_assert_true(!metrics->present[id] || (isfinite(metrics->value[id]) && metrics->value[id] >= 0));
  }
}

/* What is written is read back. */
static void check_files(const scenario *s, const session_result *result)
{
  const summary page = {.status = result->status,
                        .message = result->message,
                        .terminate_code = result->terminate_code,
                        .terminate_side = result->terminate_side,
                        .results = &result->results,
                        .version = "0",
                        .engine = "native"};
  const gnuplot_target nowhere = {.format = GNUPLOT_TERM};
  GError *error = NULL;
  gsize length;
  g_autofree char *text = summary_json(&page, s, &length);
  summary_record *record = summary_parse_json(text, length, "summary", &error);

  g_assert_no_error(error);
  g_assert_cmpint(record->status, ==, result->status);
  g_assert_cmpmem(record->results.metrics.present, sizeof record->results.metrics.present,
                  result->results.metrics.present, sizeof result->results.metrics.present);
  summary_record_free(record);
  if (scenario_configuration(s)->measure.series == SERIES_OF_ALL) {
    g_free(fuzz_files_write("summary.json", text, length));
    plot_occupancy(fuzz_files_folder(), &(const plot_request){0}, &nowhere, &error);
    g_assert_no_error(error);
  }
}

static void run(replay *r, const scenario *s)
{
  g_autoptr(GPtrArray) notes = g_ptr_array_new_with_free_func(g_free);
  g_autofree char *measured = replay_describe_measured(r);
  g_autofree char *path = replay_describe_path(r);
  session_result result;
  GError *error = NULL;

  g_assert_true(g_utf8_validate(measured, -1, NULL) && g_utf8_validate(path, -1, NULL));
  if (replay_run(r, fuzz_files_folder(), &result, notes, &error)) {
    check_metrics(&result.results.metrics);
    check_files(s, &result);
  } else {
    fuzz_files_check_error(error);
  }
  for (guint i = 0; i < notes->len; i++) {
    g_assert_true(g_utf8_validate(notes->pdata[i], -1, NULL));
  }
  session_result_clear(&result);
}

int LLVMFuzzerTestOneInput(const uint8_t *octets, size_t length)
{
  fuzz_input input = {.octets = octets, .length = length};
  uint32_t chosen = fuzz_input_number_16(&input);
  uint8_t how = fuzz_input_octet(&input);
  const decode_hint hint = {.any_address = true, .end.port = (uint16_t)fuzz_input_number_16(&input)};
  const char *sets[SETS_MAX + 1] = {NULL};
  g_autofree char *path = fuzz_files_write("capture.pcap", input.octets, input.length);
  GError *error = NULL;

  for (gsize i = 0, count = 0; i < SETS_MAX; i++) {
    if (chosen & 1u << i) {
      sets[count++] = keys[i];
    }
  }
  const replay_options options = {
      .capture = {.path = path,
                  .decoding = {.hints = &hint,
                               .hint_count = how & HOW_HINT ? 1 : 0,
                               .ignore_checksums = !(how & HOW_CHECKSUMS),
                               .assume_aligned = how & HOW_ASSUMES,
                               .hold_octets = how & HOW_HOLDS_LITTLE ? LITTLE_OCTETS : 0}},
      .resend = (replay_resend)((how & HOW_RESEND) % 3),
      .resend_ps = RESEND_PS,
  };
  scenario *s = replay_scenario_new(path, sets, &error);
  replay *r = s ? replay_new(s, &options, &error) : NULL;
  if (r) {
    g_assert_no_error(error);
    run(r, s);
    replay_free(r);
  } else {
    fuzz_files_check_error(error);
  }
  scenario_free(s);
  return 0;
}
