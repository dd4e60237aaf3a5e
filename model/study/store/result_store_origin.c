/* SPDX-License-Identifier: GPL-2.0-only */
#include <string.h>

#include "study/store/result_store_private.h"
#include "study/store/text_difference.h"

enum { DIFFERENCE_LINES_MAX = 20 };

/* Outside a checkout nobody knows. */
static gboolean same_git(const char *a, const char *b)
{
  return strcmp(a, b) == 0 || strcmp(a, "unknown") == 0 || strcmp(b, "unknown") == 0;
}

char *store_origin_difference(const stored_origin *a, const char *a_name, const stored_origin *b,
                              const char *b_name)
{
  g_autofree char *a_text = g_utf8_make_valid(a->text, -1);
  g_autofree char *b_text = g_utf8_make_valid(b->text, -1);
  if (strcmp(a_text, b_text) != 0) {
    g_autofree char *lines = text_difference(a_text, b_text, DIFFERENCE_LINES_MAX);
    return g_strdup_printf("another text of the scenario '%s' (- %s, + %s):\n%s", a->name, a_name, b_name,
                           lines);
  }
  if (strcmp(a->version, b->version) != 0 || !same_git(a->git, b->git)) {
    return g_strdup_printf("another iwarpsim (- %s, + %s):\n  - version %s, git %s\n  + version %s, git %s\n",
                           a_name, b_name, a->version, a->git, b->version, b->git);
  }
  return NULL;
}

typedef struct comparison {
  const result_store *store;
  const stored_origin *from;
} comparison;

static gboolean compare(const stored_origin *stored, gsize runs, gpointer data, GError **error)
{
  const comparison *c = data;
  g_autofree char *difference = store_origin_difference(stored, "stored", c->from, "now");
  if (difference != NULL) {
    g_set_error(
        error, RESULT_STORE_ERROR, RESULT_STORE_ERROR_DIFFERENT,
        "%s: holds %zu run%s of %sexpected the same for all its runs; --mix lets both into one store, "
        "--store FILE puts the new runs into another one",
        c->store->path, runs, runs == 1 ? "" : "s", difference);
  }
  return difference == NULL;
}

gboolean result_store_check_origin(result_store *store, const stored_origin *from, GError **error)
{
  comparison c = {store, from};
  return result_store_each_origin(store, compare, &c, error);
}
