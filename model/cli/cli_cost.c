/* SPDX-License-Identifier: GPL-2.0-only */
#include "cli/cli_cost.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/plain_text.h"
#include "base/units.h"
#include "session/simulation.h"
#include "study/sweep/sweep.h"

double cli_cost_pace(void)
{
  const char *const sets[] = {"run.engine=native", "workload.messages=300", NULL};
  g_autoptr(scenario) s = scenario_new_without_file("pace", sets, NULL);
  session_result result;
  clock_t before = clock();
  if (simulation_run(s, &(const simulation_options){0}, &result, NULL)) {
    session_result_clear(&result);
  }
  return (double)(clock() - before) / CLOCKS_PER_SEC / run_cost_of(s).seconds;
}

char *cli_cost_text(const run_cost *cost)
{
  g_autofree char *payload = units_format_rounded(cost->payload_octets, "octets");
  g_autofree char *exact =
      g_strdup_printf("%.0f %s", cost->payload_octets, units_counted(cost->payload_octets, "octets"));
  g_autofree char *messages = sweep_estimate_rough(cost->messages);
  g_autofree char *segments = sweep_estimate_rough(fmax(cost->segments, 1));
  g_autofree char *memory = units_format_rounded(cost->memory_octets, "octets");
  g_autofree char *time = cost->seconds < 1 ? NULL : sweep_estimate_duration(cost->seconds * cli_cost_pace());

  return g_strdup_printf(
      "%s in all, %s %s, about %s %s; %s%s, %s of buffers", *payload != '\0' ? payload : exact, messages,
      units_counted(cost->messages, "messages"), segments,
      units_counted(strcmp(segments, "1") == 0, "segments"), time != NULL ? "about " : "less than a second",
      time != NULL ? time : "", *memory != '\0' ? memory : "less than 1 KiB");
}

void cli_cost_announce(const scenario *s, double times, const char *what)
{
  run_cost cost = run_cost_of(s);
  cost.seconds *= times;
  g_autofree char *text = cost.seconds >= 1 ? cli_cost_text(&cost) : NULL;

  if (text != NULL) {
    plain_text_print(stderr, "note: %s: %s\n", what, text);
  }
}
