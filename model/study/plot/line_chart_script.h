/* A line chart as gnuplot's commands. */
#ifndef STUDY_LINE_CHART_SCRIPT_H
#define STUDY_LINE_CHART_SCRIPT_H

#include "study/plot/line_chart.h"

/* The script that draws `chart` with the data in "STEM.dat", line i of the chart being index i there. Free with g_string_free(). */
GString *line_chart_script(const line_chart *chart, const value_axis *y, const char *quantity,
                           const char *subtitle, const char *stem, const gnuplot_target *target);

#endif
