/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/plain_text.h"

#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/units.h"

gboolean plain_text_shows(gunichar character)
{
  gboolean separates = character == 0x2028 || character == 0x2029;
  gboolean reorders = character == 0x061C || character == 0x200E || character == 0x200F ||
                      (character >= 0x202A && character <= 0x202E) ||
                      (character >= 0x2066 && character <= 0x2069);
  gboolean is_noncharacter = (character & 0xFFFE) == 0xFFFE || (character >= 0xFDD0 && character <= 0xFDEF);

  return !g_unichar_iscntrl(character) && !separates && !reorders && !is_noncharacter;
}

/* Appends what stands for itself everywhere, nearly all that programs print; `*text` is then what comes after
 * it. FALSE: nothing does. */
static gboolean append_usual(GString *to, const char **text, const char *end)
{
  const char *from = *text;

  while (*text < end && **text >= ' ' && **text <= '~' && **text != '"' && **text != '\\') {
    ++*text;
  }
  g_string_append_len(to, from, *text - from);
  return *text < end;
}

/* Appends the character as C and JSON write it with a letter; FALSE: it has none. */
static gboolean append_letter(GString *to, gunichar character)
{
  static const char characters[] = "\b\f\n\r\t", letters[] = "bfnrt";
  const char *found = character - 1 < 0x7F ? strchr(characters, (int)character) : NULL;

  if (found != NULL) {
    g_string_append_printf(to, "\\%c", letters[found - characters]);
  }
  return found != NULL;
}

char *plain_text(const char *text, gssize length, const char *kept)
{
  const char *end = text + (length < 0 ? strlen(text) : (gsize)length);
  GString *plain = g_string_sized_new((gsize)(end - text) + 1);

  for (const char *next; append_usual(plain, &text, end); text = next) {
    gunichar character = g_utf8_get_char_validated(text, end - text);
    gboolean is_utf8 = *text != '\0' && character < (gunichar)-2;

    next = is_utf8 ? g_utf8_next_char(text) : text + 1;
    if (!is_utf8) {
      g_string_append_printf(plain, "\\x%02x", (guchar)*text);
    } else if (plain_text_shows(character) || (character < 0x80 && strchr(kept, (int)character) != NULL)) {
      g_string_append_len(plain, text, next - text);
    } else if (!append_letter(plain, character)) {
      g_string_append_printf(plain, character < 0x80 ? "\\x%02x" : "\\u%04x", character);
    }
  }
  return g_string_free(plain, FALSE);
}

void plain_text_print(FILE *file, const char *format, ...)
{
  va_list arguments;

  va_start(arguments, format);
  gboolean ends_line = g_str_has_suffix(format, "\n");
  g_autofree char *line = g_strndup(format, strlen(format) - (ends_line ? 1 : 0));
  g_autofree char *text = g_strdup_vprintf(line, arguments);
  va_end(arguments);
  g_autofree char *plain = plain_text(text, -1, strchr(line, '\n') != NULL ? "\n" : "");
  fputs(plain, file);
  if (ends_line) {
    fputc('\n', file);
  }
}

void plain_text_print_page(FILE *file, const char *page)
{
  g_autofree char *plain = plain_text(page, -1, "\n");
  fputs(plain, file);
}

void plain_text_append_json(GString *json, const char *text)
{
  g_string_append_c(json, '"');
  gboolean goes_on = append_usual(json, &text, text + strlen(text));
  g_autofree char *valid = goes_on ? g_utf8_make_valid(text, -1) : NULL;
  const char *end = goes_on ? valid + strlen(valid) : NULL;
  for (const char *c = valid; c != NULL && append_usual(json, &c, end); c = g_utf8_next_char(c)) {
    gunichar character = g_utf8_get_char(c);

    if (character == '"' || character == '\\') {
      g_string_append_c(json, '\\');
      g_string_append_c(json, *c);
    } else if (plain_text_shows(character)) {
      g_string_append_unichar(json, character);
    } else if (append_letter(json, character)) {
      continue;
    } else if (character < 0x10000) {
      g_string_append_printf(json, "\\u%04x", character);
    } else { /* a noncharacter, as two surrogates */
      g_string_append_printf(json, "\\u%04x\\u%04x", 0xD7C0 + (character >> 10),
                             0xDC00 + (character & 0x3FF));
    }
  }
  g_string_append_c(json, '"');
}

/* --- The terminal --- */

/* Less is no room for a plot. */
enum { COLUMNS_MIN = 40, COLUMNS_MAX = 10000, ROWS_MIN = 15 };

terminal terminal_of(FILE *file)
{
  struct winsize size;
  terminal t = {.shows = isatty(fileno(file)), .columns = TERMINAL_COLUMNS, .rows = TERMINAL_ROWS};
  const char *no_color = g_getenv("NO_COLOR"); /* https://no-color.org */
  t.colours = t.shows && (no_color == NULL || *no_color == '\0') && g_strcmp0(g_getenv("TERM"), "dumb") != 0;
  if (t.shows && ioctl(fileno(file), TIOCGWINSZ, &size) == 0 && size.ws_col >= COLUMNS_MIN &&
      size.ws_row >= ROWS_MIN) {
    t.columns = size.ws_col;
    t.rows = size.ws_row - 1U;
  }
  const char *given = g_getenv("COLUMNS");
  guint64 columns = 0;
  if (given != NULL && g_ascii_string_to_unsigned(given, 10, COLUMNS_MIN, COLUMNS_MAX, &columns, NULL)) {
    t.columns = (guint)columns;
  }
  return t;
}

void terminal_print_coloured(FILE *file, terminal_colour colour, const char *page)
{
  const gboolean colours = terminal_of(file).colours;
  if (colours) {
    fprintf(file, "\033[%dm", (int)colour);
  }
  plain_text_print_page(file, page);
  fputs(colours ? "\033[m" : "", file);
}

/* Returns where `line` goes on: 0, or in one that begins with a blank below the text after its first word and
 * two blanks, or else below that word. */
static gsize hanging_indent(const char *line)
{
  const gsize start = strspn(line, " ");
  const gsize letters = start > 0 ? strcspn(line + start, "\n") : 0;
  const char *gap = g_strstr_len(line + start, (gssize)letters, "  ");
  return gap != NULL ? (gsize)(gap - line) + strspn(gap, " ") : start;
}

char *plain_text_wrap(const char *text, guint columns)
{
  GString *lines = g_string_new(NULL);
  gsize column = 0, indent = hanging_indent(text);

  while (*text != '\0') {
    const gsize blanks = strspn(text, " "), letters = strcspn(text + blanks, " \n");
    const gsize width = (gsize)g_utf8_strlen(text + blanks, (gssize)letters);
    if (letters > 0 && column > indent && column + blanks + width > columns) {
      g_string_append_printf(lines, "\n%*s%.*s", (int)indent, "", (int)letters, text + blanks);
      column = indent + width;
    } else {
      g_string_append_len(lines, text, (gssize)(blanks + letters));
      column += blanks + width;
    }
    text += blanks + letters;
    if (*text == '\n') {
      g_string_append_c(lines, *text++);
      column = 0;
      indent = hanging_indent(text);
    }
  }
  return g_string_free(lines, FALSE);
}

void terminal_redraw_line(FILE *file, const char *text)
{
  g_autofree char *line = g_strconcat("\r\033[K", text, NULL);
  fputs(line, file);
  fflush(file);
}

/* --- Sentences with numbers --- */

enum { CHUNK_OCTETS = 256, PS_OF_A_TENTH = 100000 };

prose prose_new(void)
{
  return (prose){.text = g_string_new(NULL), .numbers = g_string_chunk_new(CHUNK_OCTETS)};
}

char *prose_end(prose *of)
{
  g_string_chunk_free(of->numbers);
  return g_string_free(of->text, FALSE);
}

void prose_add(prose *to, const char *format, ...)
{
  va_list arguments;

  va_start(arguments, format);
  g_string_append_vprintf(to->text, format, arguments);
  va_end(arguments);
}

const char *prose_count(prose *of, guint64 count)
{
  g_autoptr(GString) digits = g_string_new(NULL);

  g_string_printf(digits, "%" G_GUINT64_FORMAT, count);
  for (gssize at = (gssize)digits->len - 3; at > 0; at -= 3) {
    g_string_insert_c(digits, at, ',');
  }
  return g_string_chunk_insert(of->numbers, digits->str);
}

const char *prose_time(prose *of, time_ps time)
{
  const guint64 tenths = ((guint64)time + PS_OF_A_TENTH / 2) / PS_OF_A_TENTH;
  g_autofree char *text =
      time < TIME_PS_PER_SECOND
          ? g_strdup_printf("%s.%u us", prose_count(of, tenths / 10), (guint)(tenths % 10))
          : g_strdup_printf("%.6f s", time_ps_in_seconds(time));

  return g_string_chunk_insert(of->numbers, text);
}

const char *prose_plural(prose *of, guint64 count, const char *nouns)
{
  g_autofree char *text =
      g_strdup_printf("%s %s", prose_count(of, count), units_counted((double)count, nouns));

  return g_string_chunk_insert(of->numbers, text);
}
