/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/store/stored_origin.h"

stored_origin *stored_origin_copy(const stored_origin *from)
{
  stored_origin *copy = g_new(stored_origin, 1);
  *copy = (stored_origin){.name = g_strdup(from->name),
                          .title = g_strdup(from->title),
                          .text = g_strdup(from->text),
                          .hash = g_strdup(from->hash),
                          .axes = g_strdup(from->axes),
                          .sets = g_strdup(from->sets),
                          .version = g_strdup(from->version),
                          .git = g_strdup(from->git),
                          .libraries = g_strdup(from->libraries)};
  return copy;
}

void stored_origin_free(stored_origin *origin)
{
  if (origin == NULL) {
    return;
  }
  g_free(origin->name);
  g_free(origin->title);
  g_free(origin->text);
  g_free(origin->hash);
  g_free(origin->axes);
  g_free(origin->sets);
  g_free(origin->version);
  g_free(origin->git);
  g_free(origin->libraries);
  g_free(origin);
}

/* The hash first: texts are long. */
gboolean stored_origin_equal(const stored_origin *a, const stored_origin *b)
{
  return g_strcmp0(a->hash, b->hash) == 0 && g_strcmp0(a->name, b->name) == 0 &&
         g_strcmp0(a->title, b->title) == 0 && g_strcmp0(a->axes, b->axes) == 0 &&
         g_strcmp0(a->sets, b->sets) == 0 && g_strcmp0(a->version, b->version) == 0 &&
         g_strcmp0(a->git, b->git) == 0 && g_strcmp0(a->libraries, b->libraries) == 0 &&
         g_strcmp0(a->text, b->text) == 0;
}
