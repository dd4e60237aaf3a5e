/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/plot/gnuplot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "base/error.h"
#include "base/files.h"
#include "base/new_files.h"
#include "study/table/study_table.h"

/* This stands in a script, before the SHA-256 of all below the line. */
static const char checksum_mark[] = "# SHA-256 of the rest: ";

const char *const gnuplot_format_names[] = {
    [GNUPLOT_PNG] = "png", [GNUPLOT_SVG] = "svg", [GNUPLOT_PDF] = "pdf", [GNUPLOT_TERM] = "term", NULL};

/* --- Texts --- */

/* Returns `text` as valid UTF-8 without what does not show and without the quote that ends a string: doubling
 * it is gnuplot's documented escape, but its scanner (5.4) takes the two for an empty string when they come
 * first, and runs what follows. */
static char *printable(const char *text)
{
  g_autofree char *valid = g_utf8_make_valid(text, -1);
  GString *result = g_string_new(NULL);
  for (const char *c = valid; *c != '\0'; c = g_utf8_next_char(c)) {
    gunichar character = g_utf8_get_char(c);
    if (character == '\'') {
      g_string_append(result, "\u2019");
    } else {
      g_string_append_unichar(result, plain_text_shows(character) ? character : ' ');
    }
  }
  return g_string_free(result, FALSE);
}

char *gnuplot_quote(const char *text)
{
  g_autofree char *clean = printable(text);
  return g_strdup_printf("'%s'", clean);
}

char *gnuplot_comment(const char *text)
{
  g_autofree char *clean = g_strstrip(printable(text));
  /* a backslash at its end would make the next line part of the comment */
  return g_str_has_suffix(clean, "\\") ? g_strconcat(clean, " .", NULL) : g_steal_pointer(&clean);
}

char *gnuplot_file_stem(const char *text)
{
  char *stem =
      g_strcanon(g_strdup(*text != '\0' ? text : "plot"), G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_.-", '_');
  *stem = *stem == '.' || *stem == '-' ? '_' : *stem;
  return stem;
}

/* --- Variables --- */

void gnuplot_set_text(GString *variables, const char *name, const char *text)
{
  g_autofree char *quoted = gnuplot_quote(text);
  g_string_append_printf(variables, "%s = %s\n", name, quoted);
}

void gnuplot_set_number(GString *variables, const char *name, double number)
{
  g_string_append_printf(variables, isnan(number) ? "%s = NaN\n" : "%s = %.10g\n", name, number);
}

/* An array without elements is none in gnuplot: it has one that nothing asks for. */
static void set_array(GString *variables, const char *name, const GPtrArray *texts)
{
  g_autofree char *list = study_table_join(texts);
  g_string_append_printf(variables, "%ss = %u\narray %s[%u]", name, texts->len, name, MAX(texts->len, 1));
  g_string_append_printf(variables, texts->len > 0 ? " = [%s]\n" : "%s\n", list);
}

void gnuplot_set_texts(GString *variables, const char *name, const GPtrArray *texts)
{
  g_autoptr(GPtrArray) quoted = g_ptr_array_new_with_free_func(g_free);
  for (guint i = 0; i < texts->len; i++) {
    g_ptr_array_add(quoted, gnuplot_quote(g_ptr_array_index(texts, i)));
  }
  set_array(variables, name, quoted);
}

void gnuplot_set_numbers(GString *variables, const char *name, const GArray *numbers)
{
  g_autoptr(GPtrArray) texts = g_ptr_array_new_with_free_func(g_free);
  for (guint i = 0; i < numbers->len; i++) {
    g_ptr_array_add(texts, g_strdup_printf("%.10g", g_array_index(numbers, double, i)));
  }
  set_array(variables, name, texts);
}

/* --- Running it --- */

char *gnuplot_template(const char *file, GError **error)
{
  g_autofree char *path = program_files_path(NULL, PROGRAM_PLOTS, file, error);
  g_autofree char *text = NULL;
  if (path == NULL || !g_file_get_contents(path, &text, NULL, error)) {
    return NULL;
  }
  const char *body = strstr(text, "\n\n");
  return g_strdup(body != NULL ? body + 2 : text);
}

/* Makes a script. Free with g_string_free(); NULL and `error` when a template cannot be read. */
static GString *make_script(const char *name, const GString *variables, const char *stem,
                            gnuplot_format format, GError **error)
{
  const char *const templates[] = {"page", name, "legend"};
  g_autoptr(GString) script = g_string_new(NULL);
  gnuplot_set_text(script, "stem", stem);
  gnuplot_set_text(script, "format", gnuplot_format_names[format]);
  g_string_append_len(script, variables->str, (gssize)variables->len);
  for (gsize i = 0; i < G_N_ELEMENTS(templates); i++) {
    g_autofree char *file = g_strconcat(templates[i], ".gp", NULL);
    g_autofree char *text = gnuplot_template(file, error);
    if (text == NULL) {
      return NULL;
    }
    g_string_append_printf(script, "\n%s", text);
  }
  g_autofree char *sum = g_compute_checksum_for_string(G_CHECKSUM_SHA256, script->str, (gssize)script->len);
  g_autofree char *head = g_strconcat(
      "# Draws the picture of the same name beside it: gnuplot FILE, in its folder.\n"
      "# What was measured comes first, then the templates that draw it. Changed, it is not drawn over.\n",
      checksum_mark, sum, "\n", NULL);
  g_string_prepend(script, head);
  return g_steal_pointer(&script);
}

/* Returns FALSE and `error` when the script `name` in `folder` is there, and not as this program wrote it. */
static gboolean check_unchanged(const char *name, const char *folder, GError **error)
{
  g_autofree char *path = g_build_filename(folder, name, NULL);
  g_autofree char *text = NULL;
  if (!g_file_get_contents(path, &text, NULL, NULL)) {
    return TRUE;
  }
  const char *sum = strstr(text, checksum_mark);
  const char *rest = sum != NULL ? strchr(sum, '\n') : NULL;
  g_autofree char *expected =
      rest != NULL ? g_compute_checksum_for_string(G_CHECKSUM_SHA256, rest + 1, -1) : NULL;
  if (expected != NULL && g_str_has_prefix(sum + strlen(checksum_mark), expected)) {
    return TRUE;
  }
  g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_EXIST,
              "%s was changed since it was written: 'gnuplot %s' in its folder draws it as it is; --force "
              "replaces it, --out DIR leaves it",
              path, name);
  return FALSE;
}

static gboolean write_file(const GString *text, const char *name, const char *folder, GError **error)
{
  g_autofree char *path = g_build_filename(folder, name, NULL);
  return new_files_write(path, text->str, text->len, error);
}

/* page.gp exits with this, after a line on what is needed, where the panels have no room. */
enum { NO_ROOM = 3 };

/* Runs gnuplot on the script `name` in `folder`. What it prints is `*printed` (g_free()). */
static gboolean run_gnuplot(const char *name, const char *folder, gboolean colours, char **printed,
                            GError **error)
{
  /* -d: what is in the user's ~/.gnuplot does not change the plot */
  char *argv[] = {(char *)"gnuplot", (char *)"-d",
                  (char *)"-e",      (char *)(colours ? "colours = 1" : "colours = 0"),
                  (char *)name,      NULL};
  g_autofree char *message = NULL;
  g_autoptr(GError) problem = NULL;
  int wait_status = 0;
  gboolean started = g_spawn_sync(folder, argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, printed, &message,
                                  &wait_status, &problem);
  if (started && g_spawn_check_wait_status(wait_status, &problem)) {
    return TRUE;
  }
  if (started && WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == NO_ROOM) {
    const char *last = strrchr(g_strstrip(message), '\n'); /* after what gnuplot warns of */
    return error_set(error, "%s", last != NULL ? last + 1 : message);
  }
  g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_FAILED, "gnuplot could not draw %s/%s: %s%s%s", folder, name,
              problem->message, message != NULL && *message != '\0' ? ": " : "",
              message != NULL ? g_strstrip(message) : "");
  return FALSE;
}

/* A picture ends with one of these: gnuplot does not notice when a write fails. */
static const char *const picture_ends[] = {
    [GNUPLOT_PNG] = "IEND\xae\x42`\x82", [GNUPLOT_SVG] = "</svg>\n\n", [GNUPLOT_PDF] = "%%EOF\n"};

/* Keeps the plot's files, made in `files`, as the user gets them: the picture last. */
static gboolean keep_files(const new_files *files, const char *const *names, const gnuplot_target *target,
                           GError **error)
{
  gsize count = g_strv_length((char **)names), length = 0;
  g_autofree char *path = g_build_filename(new_files_folder(files), names[count - 1], NULL);
  g_autofree char *octets = NULL;
  if (!g_file_get_contents(path, &octets, &length, error)) {
    return FALSE;
  }
  const char *end = picture_ends[target->format];
  if (length < strlen(end) || memcmp(octets + length - strlen(end), end, strlen(end)) != 0) {
    g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_NOSPC,
                "%s: gnuplot wrote only a part of it; is the disk full?", path);
    return FALSE;
  }
  if (target->picture != NULL) {
    *target->picture = g_steal_pointer(&octets);
    return TRUE;
  }
  if (!new_files_take_places(files, names, error)) {
    return FALSE;
  }
  for (gsize i = 0; i < count; i++) {
    g_ptr_array_add(target->written, g_build_filename(target->folder, names[i], NULL));
  }
  return TRUE;
}

gboolean gnuplot_draw(const char *name, const GString *variables, const GString *data, const char *stem,
                      const gnuplot_target *target, GError **error)
{
  gboolean letters = target->format == GNUPLOT_TERM;
  g_autoptr(GString) script = make_script(name, variables, stem, target->format, error);
  gboolean leaves_files = !letters && target->picture == NULL;
  g_autofree char *data_name = g_strconcat(stem, ".dat", NULL);
  g_autofree char *script_name = g_strconcat(stem, ".gnuplot", NULL);
  g_autofree char *picture_name = g_strconcat(stem, ".", gnuplot_format_names[target->format], NULL);
  gboolean may = script != NULL &&
                 (!leaves_files || target->force || check_unchanged(script_name, target->folder, error));
  new_files *files = may ? new_files_begin(leaves_files ? target->folder : g_get_tmp_dir(), error) : NULL;
  if (files == NULL) {
    return FALSE;
  }
  const char *const names[] = {data_name, script_name, picture_name, NULL};
  const char *folder = new_files_folder(files);
  g_autofree char *printed = NULL;
  GError *problem = NULL;
  gboolean good = write_file(data, data_name, folder, &problem) &&
                  write_file(script, script_name, folder, &problem) &&
                  run_gnuplot(script_name, folder, letters && target->screen.colours, &printed, &problem) &&
                  (letters || keep_files(files, names, target, &problem));
  /* The picture without the form feed it starts with and blanks at the ends of lines. */
  g_auto(GStrv) lines = g_strsplit(good && letters ? g_strchomp(printed) : "", "\n", -1);
  for (char **line = lines; *line != NULL; line++) {
    printf("%s\n", g_strchomp(**line == '\f' ? *line + 1 : *line));
  }
  if (!good) {
    new_files_name_places(files, problem);
    g_propagate_error(error, problem);
  }
  new_files_end(files);
  return good;
}
