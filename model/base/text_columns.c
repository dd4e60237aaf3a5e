/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/text_columns.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/files.h"
#include "base/plain_text.h"

/* Twice the longest line, so that little is moved; and an octet for the last line's end. */
enum { BUFFER_OCTETS = 2 * TEXT_COLUMNS_LINE_OCTETS };

#define BETWEEN " \t\r,"

text_columns *text_columns_open(const char *path, GError **error)
{
  FILE *file = file_open(path, FALSE, error);
  text_columns *self = file != NULL ? g_new0(text_columns, 1) : NULL;

  if (self != NULL) {
    self->file = file;
    self->path = g_strdup(path);
    self->buffer = g_malloc(BUFFER_OCTETS + 1);
  }
  return self;
}

void text_columns_free(text_columns *self)
{
  if (self != NULL) {
    fclose(self->file);
    g_free(self->path);
    g_free(self->buffer);
    g_free(self);
  }
}

void text_columns_rewind(text_columns *self)
{
  rewind(self->file);
  self->line = 0;
  self->begin = self->end = 0;
  self->is_at_end = FALSE;
}

gboolean text_columns_error(const text_columns *self, GError **error, const char *format, ...)
{
  va_list arguments;

  va_start(arguments, format);
  g_autofree char *text = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  g_autofree char *plain = plain_text(text, -1, "");
  return error_set(error, "%s:%" G_GUINT64_FORMAT ": %s", self->path, self->line, plain);
}

/* Returns the next line, which ends in a NUL in place of its LF, and how long it is; NULL at the end, or with
 * `error`. */
static char *next_line(text_columns *self, size_t *length, GError **error)
{
  for (;;) {
    char *line = self->buffer + self->begin;
    const size_t here = self->end - self->begin;
    char *line_end = memchr(line, '\n', here);

    if (line_end == NULL && self->is_at_end && here > 0) {
      line_end = line + here;
    }
    *length = line_end != NULL ? (size_t)(line_end - line) : here;
    self->line += line_end != NULL || *length > TEXT_COLUMNS_LINE_OCTETS;
    if (*length > TEXT_COLUMNS_LINE_OCTETS) {
      text_columns_error(self, error, "a line of more than %d octets; expected at most that",
                         TEXT_COLUMNS_LINE_OCTETS);
      return NULL;
    }
    if (line_end != NULL) {
      self->begin = MIN(self->begin + *length + 1, self->end);
      *line_end = '\0';
      return line;
    }
    if (self->is_at_end) {
      return NULL;
    }
    memmove(self->buffer, line, here);
    self->begin = 0;
    self->end = here + fread(self->buffer + here, 1, BUFFER_OCTETS - here, self->file);
    self->is_at_end = self->end < BUFFER_OCTETS;
    if (ferror(self->file)) {
      error_set(error, "%s: %s", self->path, g_strerror(errno));
      return NULL;
    }
  }
}

gboolean text_columns_next(text_columns *self, GError **error)
{
  size_t length;
  char *at;

  while ((at = next_line(self, &length, error)) != NULL) {
    if (memchr(at, '\0', length) != NULL) {
      return text_columns_error(self, error, "a NUL; expected text");
    }
    at[strcspn(at, "#")] = '\0';
    for (self->count = 0; *(at += strspn(at, BETWEEN)) != '\0'; self->count++) {
      const size_t word = strcspn(at, BETWEEN);
      if (self->count == TEXT_COLUMNS_MAX) {
        return text_columns_error(self, error, "more than %d columns; expected at most that",
                                  TEXT_COLUMNS_MAX);
      }
      self->columns[self->count] = at;
      at += word;
      at += *at != '\0' ? (*at = '\0', 1) : 0;
    }
    if (self->count > 0) {
      return TRUE;
    }
  }
  return FALSE;
}
