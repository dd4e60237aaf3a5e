/* SPDX-License-Identifier: GPL-2.0-only */
/* iwarpsim size finds the least value of a key that keeps a condition. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/files.h"
#include "base/interruption.h"
#include "base/new_files.h"
#include "base/plain_text.h"
#include "base/units.h"
#include "cli/cli.h"
#include "cli/cli_runs.h"
#include "scenario/scenario.h"
#include "scenario/scenario_axes.h"
#include "scenario/scenario_guess.h"
#include "scenario/scenario_lists.h"
#include "study/plot/study_plot.h"
#include "study/size/size_study.h"
#include "study/table/result_table.h"
#include "study/table/study_keys.h"

#define PRECISION_DEFAULT 0.01
#define PRECISION_MAX 0.5
enum { SEEDS_MAX = 100000, LOSSES_MAX = 1000000 };

static struct {
  cli_runs_options runs;
  char *store, *csv;
  char *key, *keep, *from, *to, *precision;
  int seeds, until_losses; /* G_MININT: not given */
  gboolean every_seed, force;
} chosen = {.runs = CLI_RUNS_DEFAULT, .seeds = G_MININT, .until_losses = G_MININT};

/* --- What is asked --- */

static gboolean read_key(size_question *question, GError **error)
{
  scenario_key *key = &question->key;
  if (chosen.key == NULL || chosen.keep == NULL) {
    return error_set(error, "--key and --keep are needed; expected --key receiver.memory --keep "
                            "'goodput_bit_per_s >= 99 %% of unlimited'");
  }
  *key = scenario_key_find(chosen.key);
  question->axis = (scenario_axis){.key = *key, .with = -1, .where = (char *)"--key"};
  if (*key == SCENARIO_KEY_COUNT &&
      (question->axis.key = scenario_list_of(chosen.key)) < SCENARIO_KEY_COUNT) {
    g_auto(GStrv) parts = g_strsplit(chosen.key, ".", 3); /* hosts, sink, receiver.memory */
    g_autofree char *problem = NULL;
    *key = scenario_entry_key(question->axis.key, parts[2] != NULL ? parts[2] : "", &problem);
    question->axis.name = chosen.key;
  }
  if (*key >= SCENARIO_KEY_COUNT) {
    g_autofree char *hint = scenario_key_hint(chosen.key);
    return error_set(error, "--key %s: unknown key; expected one that 'iwarpsim explain keys' lists%s",
                     chosen.key, hint);
  }
  const scenario_type type = scenario_key_row_of(*key)->type;
  return (scenario_axis_range_fits(type) && type != SCENARIO_TYPE_PROBABILITY && *key != SCENARIO_RUN_SEED) ||
         error_set(error, "--key %s: this is no size, count, time or rate; expected a key that is one",
                   chosen.key);
}

/* Reads `text`, given with `option`, as a number of the key. */
static gboolean read_end(const scenario_key_row *row, const char *option, const char *text, guint64 *number,
                         GError **error)
{
  g_auto(scenario_value) value = {.text = NULL};
  g_autofree char *problem = NULL;
  if (!scenario_value_read(row, SCENARIO_NOTATION_BARE, text, &value, &problem)) {
    return error_set(error, "%s: %s", option, problem);
  }
  return (scenario_axis_range_number(row, &value, number) && (gint64)*number >= 0) ||
         error_set(error, "%s %s: expected a number, 0 or more", option, text);
}

/* Finds where to search: what is legal, but for a 0 that stands for "unlimited", unless the options narrow
 * it. */
static gboolean read_scope(const scenario_key_row *row, size_scope *scope, GError **error)
{
  *scope = (size_scope){.from = (guint64)MAX((gint64)row->minimum, 0),
                        .to = row->maximum,
                        .precision = PRECISION_DEFAULT,
                        .binary = row->type == SCENARIO_TYPE_SIZE};
  for (const named_value *word = row->words; word != NULL && word->name != NULL; word++) {
    scope->from += scope->from == 0 && word->value == 0;
  }
  if ((chosen.from != NULL && !read_end(row, "--from", chosen.from, &scope->from, error)) ||
      (chosen.to != NULL && !read_end(row, "--to", chosen.to, &scope->to, error))) {
    return FALSE;
  }
  if (scope->from >= scope->to) {
    g_autofree char *from = scenario_axis_range_text(row, scope->from);
    g_autofree char *to = scenario_axis_range_text(row, scope->to);
    return error_set(error, "--from %s is not below --to %s; expected the least value first", from, to);
  }
  return chosen.precision == NULL ||
         (units_parse_probability(chosen.precision, &scope->precision) && scope->precision > 0 &&
          scope->precision <= PRECISION_MAX) ||
         error_set(error, "--precision %s: expected a share above 0 and up to 50%%, such as 1%%",
                   chosen.precision);
}

static gboolean is_legal(const scenario *s, const size_question *question, guint64 number)
{
  g_autofree char *text = scenario_axis_range_text(scenario_key_row_of(question->key), number);
  g_autoptr(scenario) copy = scenario_copy(s);
  return scenario_axis_set(copy, &question->axis, text, NULL) && scenario_check(copy, NULL, NULL);
}

/* Lets the search begin with the least number that goes with the other values of `s`, as that of a buffer
 * which must hold a packet. FALSE: there is none larger. */
static gboolean raise_from(const scenario *s, size_question *question)
{
  guint64 wrong = question->scope.from, legal = wrong;
  do {
    if (legal >= question->scope.to / 2) {
      return FALSE;
    }
    wrong = legal;
    legal = MAX(2 * legal, 1);
  } while (!is_legal(s, question, legal));
  while (legal - wrong > 1) {
    const guint64 middle = wrong + (legal - wrong) / 2;
    *(is_legal(s, question, middle) ? &legal : &wrong) = middle;
  }
  question->scope.from = legal;
  return TRUE;
}

/* Free the condition with size_condition_clear() also after FALSE. */
static gboolean read_question(size_question *question, GError **error)
{
  *question = (size_question){.every_seed = chosen.every_seed,
                              .seeds = (guint)MAX(chosen.seeds, 0),
                              .until_losses = (guint)MAX(chosen.until_losses, 0)};
  if (chosen.seeds != G_MININT && (chosen.seeds < 1 || chosen.seeds > SEEDS_MAX)) {
    return error_set(error, "--seeds %d: expected 1 to %d", chosen.seeds, SEEDS_MAX);
  }
  if (chosen.until_losses != G_MININT &&
      (chosen.until_losses < SIZE_LOSSES_MIN || chosen.until_losses > LOSSES_MAX)) {
    return error_set(error, "--until-losses %d: expected %d to %d", chosen.until_losses, SIZE_LOSSES_MIN,
                     LOSSES_MAX);
  }
  if (!read_key(question, error) ||
      !size_condition_read(chosen.keep, question->key, &question->condition, error)) {
    return FALSE;
  }
  return read_scope(scenario_key_row_of(question->key), &question->scope, error);
}

/* --- The search --- */

/* Makes the runs that `study` asks for, those that the store at `path` lacks, until it has the answer. FALSE
 * when they are not all there: then there is an `error`, or the signal that interrupted it. */
static gboolean search(size_study *study, const char *path, sweep_options *options, int *interrupted,
                       GError **error)
{
  const sweep_grid *grid;
  while ((grid = size_study_next(study, error)) != NULL) {
    g_autoptr(sweep_plan) plan = sweep_plan_new(grid, NULL, 0);
    g_autoptr(result_store) store = NULL;
    sweep_result result;
    if (!cli_runs_make(plan, &chosen.runs, path, options, &result, &store, error)) {
      return FALSE;
    }
    if (result.interrupted) {
      plain_text_print(stderr, "interrupted: %zu of at least %zu runs done; rerun the command to resume\n",
                       options->before + result.points - result.to_go - result.failed,
                       options->before + result.points);
      *interrupted = result.interrupted;
      return FALSE;
    }
    g_autoptr(GString) progress = g_string_new(NULL);
    if (!size_study_take(study, store, progress, error)) {
      return FALSE;
    }
    if (options->style != SWEEP_PROGRESS_NONE) {
      plain_text_print_page(stderr, progress->str);
    }
    options->before += result.points;
  }
  return *error == NULL;
}

/* --- The answer --- */

/* Draws `plot` of `table` beside the store at `path`, and prints the names of its files. */
static gboolean draw(const study_table *table, const study_plot *plot, const plot_request *request,
                     const char *path, GError **error)
{
  g_autofree char *folder = g_path_get_dirname(path), *stem = file_stem(path, ".sqlite");
  g_autoptr(GPtrArray) written = g_ptr_array_new_with_free_func(g_free);
  const gnuplot_target target = {
      .folder = folder, .format = GNUPLOT_PNG, .force = chosen.force, .written = written};
  const gboolean good = study_plot_draw(table, plot, request, stem, &target, error);
  for (guint i = 0; i < written->len; i++) {
    plain_text_print(stdout, "%s\n", (const char *)g_ptr_array_index(written, i));
  }
  return good;
}

/* Writes the answers to `csv` (NULL: nowhere). Those of several points are printed as a table, and
 * drawn: over two keys or more as a heat map. */
static gboolean show_answers(const size_study *study, const size_question *question, const char *path,
                             FILE *csv, gboolean shows, GError **error)
{
  g_autoptr(study_table) table = cli_read_table(path, 0, error);
  if (table == NULL) {
    return FALSE;
  }
  g_autoptr(size_found) found = size_study_found(study, table);
  const result_quantity all[] = {{.whole = METRIC_COUNT, .given = &found->least},
                                 question->condition.quantity,
                                 {.whole = METRIC_COUNT, .given = &found->losses}};
  g_autoptr(GArray) quantities = g_array_new(FALSE, FALSE, sizeof(result_quantity));
  g_array_append_vals(quantities, all, G_N_ELEMENTS(all));
  const result_request tabulated = {.table = table, .quantities = quantities};
  g_autofree char *lines = result_table_csv(&tabulated), *text = result_table_text(&tabulated);
  g_autofree char *title = g_strdup_printf("Least %s that keeps %s", scenario_axis_name(&question->axis),
                                           question->condition.text);
  if (csv != NULL) {
    fputs(lines, csv); /* whose end shows errors */
  }
  const plot_request request = {.quantity = &all[0], .title = title};
  const study_plot *plot = study_plot_fits(table, &plot_heat_map, NULL) ? &plot_heat_map : &plot_metric;
  plain_text_print(stdout, shows ? "\n" : "");
  plain_text_print_page(stdout, shows ? text : "");
  return !shows || g_hash_table_size(found->least.of) == 0 || !study_plot_fits(table, plot, NULL) ||
         draw(table, plot, &request, path, error);
}

/* Prints the quantity at each value that the store at `path` has, and draws it against the key if there are
 * several. */
static gboolean show_curve(const size_question *question, const char *path, GError **error)
{
  const size_condition *condition = &question->condition;
  g_autoptr(study_table) table = cli_read_table(path, 0, error);
  if (table == NULL) {
    return FALSE;
  }
  g_autoptr(GArray) quantities = g_array_new(FALSE, FALSE, sizeof(result_quantity));
  g_array_append_val(quantities, condition->quantity);
  g_autofree char *text =
      result_table_text(&(result_request){.table = table, .quantities = quantities, .is_brief = TRUE});
  plain_text_print(stdout, "\n");
  plain_text_print_page(stdout, text);
  const plot_bound bound = {condition->text, condition->baseline, condition->number};
  const scenario_key x = study_keys_find(scenario_axis_name(&question->axis), table->axes);
  const plot_request request = {.quantity = &condition->quantity, .x = &x, .x_log = TRUE, .bound = &bound};
  return !study_plot_fits(table, &plot_metric, NULL) || draw(table, &plot_metric, &request, path, error);
}

static int run_search(const scenario *s, size_question *question, sweep_options *options,
                      const cli_arguments *arguments, GError **error)
{
  g_autofree char *path = cli_runs_store(chosen.store, s, "-size");
  const char *const *sets = (const char *const *)chosen.runs.sets;
  g_autoptr(size_study) study = size_study_new(s, sets, question, error);
  if (study == NULL && chosen.from == NULL && raise_from(s, question)) {
    g_clear_error(error);
    study = size_study_new(s, sets, question, error);
  }
  output *csv = study != NULL && chosen.csv != NULL ? output_begin(chosen.csv, 0, error) : NULL;
  int interrupted = 0;
  if (*error != NULL || !search(study, path, options, &interrupted, error)) {
    output_end(csv, FALSE, NULL);
    return *error != NULL ? CLI_USAGE : INTERRUPTION_EXIT_CODE(interrupted);
  }
  gboolean met;
  g_autofree char *answers = size_study_answers(study, &met);
  plain_text_print_page(stdout, answers);
  const gboolean shows = !arguments->quiet && strchr(answers, '\n')[1] != '\0'; /* several */
  const gboolean shown =
      !(shows || csv != NULL) || show_answers(study, question, path, output_file(csv), shows, error);
  if (!output_end(csv, shown, shown ? error : NULL) || !shown ||
      (!arguments->quiet && !show_curve(question, path, error))) {
    return CLI_USAGE;
  }
  return met ? CLI_OK : CLI_FAILED;
}

static int size(const cli_arguments *arguments, GError **error)
{
  const char *const *sets = (const char *const *)chosen.runs.sets;
  sweep_options options = {.keep_going = TRUE, .goes_on = TRUE};
  size_question question = {0};
  int status = CLI_USAGE;
  if (cli_runs_read(&chosen.runs, arguments, &options, error) && read_question(&question, error)) {
    g_autoptr(scenario) s = scenario_load(arguments->rest[0], sets, error);
    status = s != NULL ? run_search(s, &question, &options, arguments, error) : CLI_USAGE;
  } else {
    cli_usage_of(error, "");
  }
  size_condition_clear(&question.condition);
  return status;
}

static const GOptionEntry entries[] = {
    CLI_TEXT("key", 0, &chosen.key, "the key: a size, count, time or rate", "GROUP.KEY"),
    CLI_TEXT("keep", 0, &chosen.keep,
             "the condition, with >=, <=, > or <: a metric (or A/B) against a number, or against P % of what "
             "it is with the key at VALUE",
             "'METRIC >= P % of VALUE'"),
    CLI_SWITCH("every-seed", 0, &chosen.every_seed,
               "each seed must meet it (default: the bound of the mean's 95 % interval)"),
    CLI_TEXT("from", 0, &chosen.from, "least value to look at (default: the least that is legal)", "VALUE"),
    CLI_TEXT("to", 0, &chosen.to, "largest value to look at (default: the largest that is legal)", "VALUE"),
    CLI_TEXT("precision", 0, &chosen.precision, "by how much the answer may be too large (default: 1%)",
             "SHARE"),
    CLI_NUMBER(
        "seeds", 0, &chosen.seeds,
        "so many seeds at each value, from the scenario's first on (default: those that it sweeps, or 8)"),
    CLI_NUMBER("until-losses", 0, &chosen.until_losses,
               "lengthen the runs of a point until all seeds together lost so many packets (30 or more)"),
    CLI_TEXT("csv", 0, &chosen.csv, "write the answers to FILE as CSV, values as measured", "FILE"),
    CLI_TEXT("store", 'o', &chosen.store, "file for the runs (default: results/<scenario name>-size.sqlite)",
             "FILE"),
    CLI_SWITCH("force", 'f', &chosen.force, "replace a script that was changed since it was written"),
    CLI_RUNS_ENTRIES(chosen.runs),
    G_OPTION_ENTRY_NULL,
};

const cli_command cli_size = {
    .name = "size",
    .sentence = "find the least value of a key that keeps a condition",
    .arguments = "SCENARIO",
    .takes = FILE_SCENARIO,
    .summary =
        "Finds the least value of a key that keeps a condition, at each point of the scenario's sweep: first "
        "on a coarse grid, then by halving, with the same seeds at every value. Prints the answer in a "
        "sentence for each point, with the packets that were lost in the runs that it is from: fewer than 30 "
        "cannot tell. Without --quiet it also prints and draws, beside the store, the answers of several "
        "points, and the curve. The search replaces an axis of the key. If it was interrupted, rerun the "
        "command to resume. Exit status 1: at some point there is no such value, or no telling.",
    .example =
        "  iwarpsim size my.cfg --key receiver.memory --keep 'goodput_bit_per_s >= 99 % of unlimited'\n"
        "  iwarpsim size my.cfg --key tcp.receive_window --keep 'goodput_bit_per_s >= 9Gbit/s' --to 1MiB\n",
    .entries = entries,
    .run = size,
};
