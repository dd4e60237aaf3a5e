/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/report/scenario_question.h"

#include <string.h>

/* The text of `line` when it is a comment; NULL. `line` is changed. */
static const char *comment_of(char *line)
{
  const char *text = g_strstrip(line);
  if (*text == '#') {
    return text + strspn(text, "# \t");
  }
  return g_str_has_prefix(text, "//") ? text + strspn(text, "/ \t") : NULL;
}

/* What follows `label` at the start of `text`, whatever its case; NULL when that does not start so. */
static const char *after_label(const char *text, const char *label)
{
  gsize length = strlen(label);
  if (g_ascii_strncasecmp(text, label, length) != 0) {
    return NULL;
  }
  return text + length + strspn(text + length, " \t");
}

scenario_question scenario_question_of(const char *text)
{
  GString *question = g_string_new(NULL), *expected = g_string_new(NULL), *open = NULL;
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  for (gsize i = 0; lines[i] != NULL; i++) {
    const char *comment = comment_of(lines[i]);
    if (comment == NULL && (*lines[i] != '\0' || open != NULL)) {
      break;
    }
    const char *asked = comment != NULL ? after_label(comment, "Question:") : NULL;
    const char *awaited = comment != NULL ? after_label(comment, "Expected:") : NULL;
    if (asked != NULL || awaited != NULL) {
      open = asked != NULL ? question : expected;
      comment = asked != NULL ? asked : awaited;
    }
    gboolean is_command =
        asked == NULL && awaited == NULL && comment != NULL && g_str_has_prefix(comment, "iwarpsim ");
    if (comment != NULL && open != NULL && !is_command) {
      g_string_append_printf(open, "%s%s", open->len > 0 && *comment != '\0' ? " " : "", comment);
    }
  }
  return (scenario_question){.question = g_string_free(question, FALSE),
                             .expected = g_string_free(expected, FALSE)};
}

void scenario_question_clear(scenario_question *question)
{
  g_clear_pointer(&question->question, g_free);
  g_clear_pointer(&question->expected, g_free);
}
