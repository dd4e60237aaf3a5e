/* What a set of runs varies, and which part each varying key plays in a plot: on x, as panels, as lines,
 * or averaged over. */
#ifndef STUDY_PLOT_AXES_H
#define STUDY_PLOT_AXES_H

#include <glib.h>

#include "scenario/scenario_keys.h"

#define PLOT_AXES_NONE (-1)

typedef struct plot_axes {
  /* A scenario_key: path.forward.loss when it varies, else the first axis; run.seed when nothing else
   * does. */
  int x;
  int panel;     /* receiver.mode when it varies and is not on x; else PLOT_AXES_NONE */
  GArray *lines; /* scenario_key: the other varying keys; every combination of their values is a line */
} plot_axes;

/* The parts for `runs`, each a `char *const *` of SCENARIO_KEY_COUNT texts (NULL: not known). `axes_text`
 * names the swept keys in their order, one a line; keys that vary without being named come after, in table
 * order. Left aside: run.seed (averaged over), the title, what only says what is recorded, and keys whose
 * value follows from that of another varying key, such as path.reverse.mtu, which is that of path.forward
 * unless given. Free with plot_axes_clear(). */
plot_axes plot_axes_of(const GPtrArray *runs, const char *axes_text);
void plot_axes_clear(plot_axes *axes);

/* The distinct texts of `key` in `runs`: numbers ascending, others in the order they come. Texts stay the
 * runs'. Free with g_ptr_array_unref(). */
GPtrArray *plot_axes_values(const GPtrArray *runs, scenario_key key);

/* `text` as a plot shows it: sizes that are whole KiB in binary units, "256 KiB"; all else as it is. Free
 * with g_free(). */
char *plot_axes_label(scenario_key key, const char *text);

/* `text` as the number its key's type makes of it; FALSE when it is none ("auto", a word). */
gboolean plot_axes_number(scenario_key key, const char *text, double *number);

#endif
