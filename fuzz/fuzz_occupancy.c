/* SPDX-License-Identifier: GPL-2.0-only */
/* Any octets as the occupancy.csv of a run: refused in one line, or drawn.
 *
 * An input is: the peak that summary.json has (four octets; the largest: none), and the file; its length
 * chooses the format. */
#include <glib.h>
#include <string.h>

#include "fuzz_files.h"
#include "fuzz_input.h"
#include "study/plot/study_plot.h"

enum { FORMATS = GNUPLOT_TERM + 1 };

int LLVMFuzzerTestOneInput(const uint8_t *octets, size_t length)
{
  fuzz_input input = {.octets = octets, .length = length};
  uint32_t peak = fuzz_input_number_32(&input);
  g_autofree char *metric =
      peak < UINT32_MAX ? g_strdup_printf("\"buffer.reassembly_peak_octets\": %u", peak) : g_strdup("");
  g_autofree char *text = g_strdup_printf("{\"scenario\": {\"name\": \"fuzz\", \"title\": \"fuzz\", "
                                          "\"keys\": {}}, \"provenance\": {\"version\": \"0\"},"
                                          " \"status\": \"ok\", \"message\": \"\", \"metrics\": {%s}}",
                                          metric);
  g_free(fuzz_files_write("summary.json", text, strlen(text)));
  g_free(fuzz_files_write("occupancy.csv", input.octets, input.length));
  g_autoptr(GPtrArray) files = g_ptr_array_new_with_free_func(g_free);
  const gnuplot_target target = {
      .folder = fuzz_files_folder(), .format = (gnuplot_format)(length % FORMATS), .written = files};
  GError *error = NULL;

  if (!plot_occupancy(fuzz_files_folder(), &(const plot_request){0}, &target, &error)) {
    fuzz_files_check_error(error);
  }
  return 0;
}
