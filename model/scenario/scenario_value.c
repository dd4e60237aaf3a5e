/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario/scenario_value.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "scenario/scenario_problem.h"

/* A text is no value of its type for one of these reasons. */
typedef enum misfit {
  FITS,
  MISFIT_NOTATION,  /* written as something else: a string for a number, a group */
  MISFIT_FORM,      /* does not read as the type */
  MISFIT_RANGE,     /* beyond the row's limits */
  MISFIT_ASCENDING, /* a list's numbers do not ascend */
  MISFIT_COUNT,     /* a list has too many elements, or too few */
} misfit;

/* Messages describe each type so. */
static const struct {
  const char *wrong;     /* words that fit after "NAME = VALUE" */
  const char *expected;  /* the limits stand for %s, and then an example */
  scenario_type element; /* of a list; TEXT, which no list has, of other types */
} types[] = {
    [SCENARIO_TYPE_TEXT] = {.wrong = "is not text on one line", .expected = "text on one line, in quotes"},
    [SCENARIO_TYPE_FILE] = {.wrong = "is not text on one line", .expected = "the name of a file, in quotes"},
    [SCENARIO_TYPE_WORD] = {.wrong = "is none of its words", .expected = ""},
    [SCENARIO_TYPE_MIX] = {.wrong = "is none of its words, nor several joined by '+'",
                           .expected = ", or several joined by '+'"},
    [SCENARIO_TYPE_BOOLEAN] = {.wrong = "is not a boolean", .expected = "true or false"},
    [SCENARIO_TYPE_INTEGER] = {.wrong = "is not an integer", .expected = "an integer from %s to %s"},
    [SCENARIO_TYPE_SIZE] = {.wrong = "is not a size",
                            .expected = "a size in octets from %s to %s, such as %s"},
    [SCENARIO_TYPE_TIME] = {.wrong = "is not a time", .expected = "a time from \"%s\" to \"%s\", such as %s"},
    [SCENARIO_TYPE_RATE] = {.wrong = "is not a rate",
                            .expected = "a rate from \"%s\" to \"%s\", such as \"10Gbit/s\""},
    [SCENARIO_TYPE_PROBABILITY] = {.wrong = "is not a probability",
                                   .expected = "a probability from 0 to 1, such as 0.001 or \"0.1%\""},
    [SCENARIO_TYPE_LIST] = {"is not a list of integers",
                            "a list of ascending integers from %s to %s, such as [100, 101] or []",
                            SCENARIO_TYPE_INTEGER},
    [SCENARIO_TYPE_SIZES] = {"is not a list of sizes", "a list of sizes in octets from %s to %s, such as %s",
                             SCENARIO_TYPE_SIZE},
    [SCENARIO_TYPE_TIMES] = {"is not a list of times", "a list of times from \"%s\" to \"%s\", such as %s",
                             SCENARIO_TYPE_TIME},
    [SCENARIO_TYPE_RATES] =
        {"is not a list of rates",
         "a list of rates from \"%s\" to \"%s\", such as [\"10Gbit/s\", \"1Gbit/s\"] or []",
         SCENARIO_TYPE_RATE},
    [SCENARIO_TYPE_PROBABILITIES] = {"is not a list of probabilities",
                                     "a list of %s to %s probabilities, such as [\"1%\", \"30%\"] or []",
                                     SCENARIO_TYPE_PROBABILITY},
    [SCENARIO_TYPE_DISTANCE] = {.wrong = "is neither a number of segments nor a time",
                                .expected =
                                    "a number of segments or a time, such as \"5 segments\" or \"20us\""},
    [SCENARIO_TYPE_MOMENT] = {.wrong = "is neither a time nor a number of octets",
                              .expected =
                                  "a time or a number of octets Delivered, such as \"1ms\" or \"10MiB\""},
    [SCENARIO_TYPE_GROUPS] = {.expected = "a list of groups, ( { ... }, ... )"},
    [SCENARIO_TYPE_VALUE] = {.expected = "a value of that key"},
};

scenario_type scenario_value_element_type(scenario_type type)
{
  return scenario_value_is_list(type) ? types[type].element : type;
}

gboolean scenario_value_is_list(scenario_type type)
{
  return types[type].element != SCENARIO_TYPE_TEXT;
}

static gboolean notation_fits(const scenario_key_row *row, scenario_notation notation)
{
  const gboolean is_list = scenario_value_is_list(row->type);

  return notation == SCENARIO_NOTATION_LIST   ? is_list
         : notation == SCENARIO_NOTATION_REAL ? row->type == SCENARIO_TYPE_PROBABILITY
         : notation == SCENARIO_NOTATION_BOOLEAN
             ? row->type == SCENARIO_TYPE_BOOLEAN || row->type == SCENARIO_TYPE_VALUE
         : notation == SCENARIO_NOTATION_STRING
             ? !is_list && row->type != SCENARIO_TYPE_BOOLEAN &&
                   (row->type != SCENARIO_TYPE_INTEGER || row->words != NULL)
         : notation == SCENARIO_NOTATION_INTEGER
             ? !is_list && (row->type > SCENARIO_TYPE_MIX || row->type == SCENARIO_TYPE_WORD)
             : notation == SCENARIO_NOTATION_BARE;
}

/* Reads the integer at `*p`: decimal, or hexadecimal with 0x, perhaps with a sign and the L of larger
 * numbers, as a file has it. A negative one is a matter of range. */
static misfit read_integer(const char **p, guint64 *number)
{
  gboolean negative = **p == '-';
  const char *digits = *p + (negative || **p == '+');
  int base = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X') ? 16 : 10;
  char *end;

  digits += base == 16 ? 2 : 0;
  if (base == 16 ? !g_ascii_isxdigit(*digits) : !g_ascii_isdigit(*digits)) {
    return MISFIT_FORM;
  }
  errno = 0;
  *number = g_ascii_strtoull(digits, &end, base);
  end += *end == 'L';
  end += end[-1] == 'L' && *end == 'L';
  *p = end;
  return errno == ERANGE || (negative && *number != 0) ? MISFIT_RANGE : FITS;
}

static misfit read_whole_integer(const char *text, guint64 *number)
{
  misfit found = read_integer(&text, number);

  return *text == '\0' ? found : MISFIT_FORM;
}

/* Reads the real number at `*p`, as a file has it. Returns FALSE when there is none. */
static gboolean read_real(const char **p, double *number)
{
  const char *digits = *p + (**p == '-' || **p == '+');
  const char *end = digits + strspn(digits, G_CSET_DIGITS);
  char *end_of_real = NULL;

  /* What the C library takes as well, "inf" or "0x1p3", is none. */
  if (*end == '.' || (end > digits && g_ascii_tolower(*end) == 'e')) {
    *number = g_ascii_strtod(*p, &end_of_real);
  }
  if (end_of_real == NULL || end_of_real <= end) {
    return FALSE;
  }
  *p = end_of_real;
  return TRUE;
}

char *scenario_value_scan(const char **p, scenario_notation *notation, char **problem)
{
  static const char *const booleans[] = {"false", "true"};
  const char *start = *p, *end = start;
  const gsize letters = strspn(start, SCENARIO_NAME_CHARACTERS);
  guint64 number = 0;
  double real = 0;

  for (gsize i = 0; i < G_N_ELEMENTS(booleans); i++) {
    if (letters == strlen(booleans[i]) && g_ascii_strncasecmp(start, booleans[i], letters) == 0) {
      *p += letters;
      *notation = SCENARIO_NOTATION_BOOLEAN;
      return g_strdup(booleans[i]);
    }
  }
  if (read_real(p, &real) && isinf(real)) {
    *problem = g_strdup("a number is too large to be counted with; expected a smaller one");
    return NULL;
  }
  if (*p > start) {
    /* It is the shortest text of the same value, but never that of an integer: no key takes 1500.0 for 1500.
     */
    g_autofree char *shortest = units_format_real(real);

    *notation = SCENARIO_NOTATION_REAL;
    return g_strconcat(shortest, strpbrk(shortest, ".e") != NULL ? "" : ".0", NULL);
  }
  if (read_integer(&end, &number) == MISFIT_FORM) {
    return NULL;
  }
  const gboolean negative = *start == '-', is_long = end[-1] == 'L';
  gsize length = (gsize)(end - start);
  for (; start[length - 1] == 'L'; length--) {
  }
  g_autofree char *shown = g_strdup_printf("%.*s%s", (int)MIN(length, 40), start, length > 40 ? "..." : "");
  if (number > (guint64)G_MAXINT64 + negative) {
    *problem = g_strdup_printf("%s is outside 64 bits; expected a smaller number", shown);
    return NULL;
  }
  if (!is_long && number > (guint64)G_MAXINT32 + negative) {
    *problem =
        g_strdup_printf("%s is outside 32 bits; expected %sL, with the L that larger numbers end with, or "
                        "text with a unit, such as \"25Gbit/s\"",
                        shown, shown);
    return NULL;
  }
  *p = end;
  *notation = SCENARIO_NOTATION_INTEGER;
  return g_strdup_printf("%s%" G_GUINT64_FORMAT, negative && number > 0 ? "-" : "", number);
}

static misfit read_form(const scenario_key_row *row, const char *text, scenario_value *value);
static gboolean is_within_limits(const scenario_key_row *row, const scenario_value *value);

/* Reads an element of a list, perhaps in quotes, as no integer is. */
static misfit read_element(const scenario_key_row *row, char *text, scenario_value *element)
{
  gsize length = strlen(g_strstrip(text));

  if (row->type != SCENARIO_TYPE_INTEGER && length >= 2 && text[0] == '"' && text[length - 1] == '"') {
    text[length - 1] = '\0';
    text++;
  }
  misfit found = read_form(row, text, element);
  return found == FITS && !is_within_limits(row, element) ? MISFIT_RANGE : found;
}

/* Texts in lists contain no commas, so commas separate the elements. */
static misfit read_elements(const scenario_key_row *row, const char *text, scenario_value *value)
{
  scenario_key_row element_row = *row;
  gsize length = strlen(text);
  misfit found = FITS;

  if (length < 2 ||
      !((text[0] == '[' && text[length - 1] == ']') || (text[0] == '(' && text[length - 1] == ')'))) {
    return MISFIT_FORM;
  }
  g_autofree char *inner = g_strstrip(g_strndup(text + 1, length - 2));
  g_auto(GStrv) elements = g_strsplit(inner, ",", -1); /* none of "" */
  element_row.type = scenario_value_element_type(row->type);
  element_row.words = NULL;
  value->list_count = g_strv_length(elements);
  value->list = g_new0(guint64, value->list_count);
  value->probabilities = g_new0(double, value->list_count);
  for (gsize i = 0; found == FITS && i < value->list_count; i++) {
    scenario_value element = {.is_word = FALSE};

    found = read_element(&element_row, elements[i], &element);
    value->list[i] = element.number;
    value->probabilities[i] = element.probability;
    if (found == FITS && row->type == SCENARIO_TYPE_LIST && i > 0 && value->list[i] <= value->list[i - 1]) {
      found = MISFIT_ASCENDING;
    }
  }
  return found == FITS && row->type == SCENARIO_TYPE_PROBABILITIES && value->list_count > 0 &&
                 (value->list_count < row->minimum || value->list_count > row->maximum)
             ? MISFIT_COUNT
             : found;
}

static misfit read_time(const char *text, guint64 *number)
{
  time_ps time = 0;
  const gboolean is_time = units_parse_time(text, &time);

  *number = (guint64)time;
  return is_time ? FITS : MISFIT_FORM;
}

/* Reads "5 segments", "1 segment", or a time. */
static misfit read_distance(const char *text, scenario_value *value)
{
  const char *p = text;

  if (g_ascii_isdigit(*p) && read_integer(&p, &value->number) == FITS) {
    p += strspn(p, " \t\r\n");
    if (strcmp(p, "segments") == 0 || strcmp(p, "segment") == 0) {
      value->in_segments = TRUE;
      return FITS;
    }
  }
  return read_time(text, &value->number);
}

static const named_value *find_word(const scenario_key_row *row, const char *text, gsize length)
{
  for (const named_value *word = row->words; word != NULL && word->name != NULL; word++) {
    const char *any = strstr(word->name, SCENARIO_ANY_NAME);
    const gsize before = any != NULL ? (gsize)(any - word->name) : strlen(word->name);
    const char *after = any != NULL ? any + strlen(SCENARIO_ANY_NAME) : "";

    if (strncmp(word->name, text, before) == 0 &&
        (any == NULL ? length == before : length > before + strlen(after) && g_str_has_suffix(text, after))) {
      return word;
    }
  }
  return NULL;
}

/* Reads one of the row's words, or in a mix several of them, joined by '+'. */
static misfit read_words(const scenario_key_row *row, const char *text, scenario_value *value)
{
  guint64 values[CHOICE_LIST_MAX] = {0};
  gsize count = 0;

  for (const char *part = text; part != NULL;) {
    gsize length = row->type == SCENARIO_TYPE_MIX ? strcspn(part, "+") : strlen(part);
    const named_value *word = find_word(row, part, length);

    if (word == NULL || count == CHOICE_LIST_MAX) {
      return MISFIT_FORM;
    }
    values[count++] = word->value;
    part = part[length] == '+' ? part + length + 1 : NULL;
  }
  *value = (scenario_value){.is_word = TRUE,
                            .number = values[0],
                            .text = g_strdup(text),
                            .list = g_memdup2(values, count * sizeof *values),
                            .list_count = count};
  return FITS;
}

/* Titles end up in JSON, CSV comments and plots: text on one line. */
static misfit read_text(const char *text, scenario_value *value)
{
  if (!g_utf8_validate(text, -1, NULL)) {
    return MISFIT_FORM;
  }
  for (const char *p = text; *p != '\0'; p = g_utf8_next_char(p)) {
    if (g_unichar_iscntrl(g_utf8_get_char(p))) {
      return MISFIT_FORM;
    }
  }
  value->text = g_strdup(text);
  return FITS;
}

/* A negative size is kept as a gint64. */
static misfit read_size(const char *text, guint64 *octets)
{
  gboolean negative = *text == '-';
  const char *size = text + negative;
  misfit found = g_str_has_prefix(size, "0x")     ? read_whole_integer(size, octets)
                 : units_parse_size(size, octets) ? FITS
                                                  : MISFIT_FORM;

  if (found == FITS && *octets > G_MAXINT64) {
    return MISFIT_RANGE;
  }
  *octets = negative ? -*octets : *octets;
  return found;
}

/* Reads `text`, and looks at everything but the limits. */
static misfit read_form(const scenario_key_row *row, const char *text, scenario_value *value)
{
  /* The text may be a word, or one beside numbers. */
  if (read_words(row, text, value) == FITS) {
    return FITS;
  }
  switch (row->type) {
  case SCENARIO_TYPE_TEXT:
  case SCENARIO_TYPE_FILE:
    return read_text(text, value);
  case SCENARIO_TYPE_WORD:
  case SCENARIO_TYPE_MIX:
    return MISFIT_FORM;
  case SCENARIO_TYPE_BOOLEAN:
    value->number = g_ascii_strcasecmp(text, "true") == 0; /* a file may have TRUE as well */
    return value->number || g_ascii_strcasecmp(text, "false") == 0 ? FITS : MISFIT_FORM;
  case SCENARIO_TYPE_INTEGER:
    return read_whole_integer(text, &value->number);
  case SCENARIO_TYPE_SIZE:
    return read_size(text, &value->number);
  case SCENARIO_TYPE_TIME:
    return read_time(text, &value->number);
  case SCENARIO_TYPE_RATE:
    return units_parse_rate(text, &value->number) ? FITS : MISFIT_FORM;
  case SCENARIO_TYPE_PROBABILITY:
    return units_parse_probability(text, &value->probability) ? FITS : MISFIT_FORM;
  case SCENARIO_TYPE_LIST:
  case SCENARIO_TYPE_SIZES:
  case SCENARIO_TYPE_TIMES:
  case SCENARIO_TYPE_RATES:
  case SCENARIO_TYPE_PROBABILITIES:
    return read_elements(row, text, value);
  case SCENARIO_TYPE_DISTANCE:
    return read_distance(text, value);
  case SCENARIO_TYPE_GROUPS: /* as scenario_list_read() has it */
  case SCENARIO_TYPE_VALUE:
    value->text = g_strdup(text);
    return FITS;
  case SCENARIO_TYPE_MOMENT:
    value->in_octets = read_time(text, &value->number) != FITS;
    return value->in_octets ? read_size(text, &value->number) : FITS;
  }
  g_assert_not_reached();
}

/* A distance may be no more segments. */
enum { DISTANCE_SEGMENTS_MAX = 1000000 };

static gboolean is_within_limits(const scenario_key_row *row, const scenario_value *value)
{
  const gboolean is_distance = row->type == SCENARIO_TYPE_DISTANCE && value->in_segments;
  const gint64 number =
      (gint64)value->number; /* signed: a size may be negative, and nothing is as large as 2^63 */

  const gboolean has_limits = row->type >= SCENARIO_TYPE_INTEGER && row->type != SCENARIO_TYPE_PROBABILITY &&
                              !scenario_value_is_list(row->type);

  return value->is_word || !has_limits ||
         (number >= (gint64)row->minimum &&
          number <= (is_distance ? DISTANCE_SEGMENTS_MAX : (gint64)row->maximum));
}

/* Returns what is wrong, in words that fit after "NAME = VALUE". */
static const char *misfit_words(scenario_type type, scenario_notation notation, misfit found)
{
  const gboolean is_bare = (notation == SCENARIO_NOTATION_INTEGER || notation == SCENARIO_NOTATION_REAL) &&
                           (type == SCENARIO_TYPE_TIME || type == SCENARIO_TYPE_RATE);

  return found == MISFIT_RANGE                 ? "is out of range"
         : found == MISFIT_ASCENDING           ? "does not ascend"
         : found == MISFIT_COUNT               ? "has another number of elements"
         : notation == SCENARIO_NOTATION_GROUP ? "is a group, not a value"
         : is_bare                             ? "has no unit"
                                               : types[type].wrong;
}

/* Returns the word that was meant; in a mix, by the first of its words that is none. */
static char *meant(const scenario_key_row *row, const char *text)
{
  gboolean is_mix = row->type == SCENARIO_TYPE_MIX;
  g_autofree const char **words = scenario_key_words(row);
  g_auto(GStrv) parts = g_strsplit(text, "+", CHOICE_LIST_MAX + 1);
  const char *wrong = is_mix ? parts[0] : text;

  for (char **part = parts; is_mix && wrong != NULL && find_word(row, wrong, strlen(wrong)) != NULL; part++) {
    wrong = part[1];
  }
  return scenario_did_you_mean(wrong != NULL ? scenario_suggest(wrong, words) : NULL);
}

/* Returns `text` with a '%' after each number from 1 to 100; NULL when that is no probability, or none of a
 * list. */
static char *in_percent(const scenario_key_row *row, const char *text)
{
  g_autoptr(GRegex) number = g_regex_new("\"?([0-9]+(\\.[0-9]+)?)\"?(?=\\s*([],]|$))", 0, 0, NULL);
  const gboolean is_list = scenario_value_is_list(row->type);
  g_autofree char *percent = g_regex_replace(number, text, -1, 0, is_list ? "\"\\1%\"" : "\\1%", 0, NULL);
  g_auto(scenario_value) value = {.is_word = FALSE};

  return scenario_value_element_type(row->type) == SCENARIO_TYPE_PROBABILITY &&
                 read_form(row, percent, &value) == FITS
             ? g_steal_pointer(&percent)
             : NULL;
}

/* Returns `text` with a unit that others write replaced by ours; NULL when that is no value either. */
static char *with_our_unit(const scenario_key_row *row, const char *text)
{
  static const char *const units[][2] = {
      {"B/s", "bit/s"}, {"b/s", "bit/s"}, {"bps", "bit/s"}, {"bit", "bit/s"},   {"/sec", "/s"},
      {"G", "Gbit/s"},  {"g", "Gbit/s"},  {"M", "Mbit/s"},  {"gbps", "Gbit/s"}, {"gbit/s", "Gbit/s"},
      {"sec", "s"},     {"seconds", "s"}, {"k", "kB"},      {"kb", "kB"},       {"KB", "kB"},
      {"Kb", "kB"},     {"K", "KiB"},     {"mb", "MB"},     {"Mb", "MB"},       {"M", "MiB"},
      {"gb", "GB"},     {"Gb", "GB"},     {"G", "GiB"}};
  double number = 0;
  const char *end = units_read_real(text, &number);

  for (gsize i = 0; i < G_N_ELEMENTS(units) && end != NULL && isfinite(8 * number); i++) {
    const gsize length = strlen(end) - (g_str_has_suffix(end, units[i][0]) ? strlen(units[i][0]) : 0);
    g_autofree char *prefix = g_strstrip(g_strndup(end, length));
    g_autofree char *digits = units_format_real(i == 0 ? 8 * number : number); /* octets to bits */
    g_autofree char *ours = g_strconcat(digits, prefix, units[i][1], NULL);
    g_auto(scenario_value) value = {.is_word = FALSE};
    if (end[length] != '\0' && read_form(row, ours, &value) == FITS && is_within_limits(row, &value)) {
      return g_steal_pointer(&ours);
    }
  }
  return NULL;
}

/* Returns whether `text`, which was read as `value`, counts from 0 to 1 what others may take for percent: 1 %
 * or more, but not 1, which loses all. */
static gboolean may_mean_percent(const char *text, const scenario_value *value)
{
  double most = value->probability;

  for (gsize i = 0; i < value->list_count && value->probabilities != NULL; i++) {
    most = MAX(most, value->probabilities[i] < 1 ? value->probabilities[i] : 0);
  }
  return most >= 0.01 && most < 1 && strchr(text, '%') == NULL;
}

gboolean scenario_value_read(const scenario_key_row *row, scenario_notation notation, const char *text,
                             scenario_value *value, char **problem)
{
  misfit found = notation_fits(row, notation) ? read_form(row, text, value) : MISFIT_NOTATION;

  if (found == FITS && !is_within_limits(row, value)) {
    found = MISFIT_RANGE;
  }
  if (found == FITS) {
    value->as_share = may_mean_percent(text, value);
    return TRUE;
  }
  scenario_value_clear(value);
  const char *quote = notation == SCENARIO_NOTATION_STRING || *text == '\0' ? "\"" : "";
  g_autofree char *shown = scenario_shown(text);
  g_autofree char *expected = scenario_value_expected(row);
  g_autofree char *percent = found == MISFIT_FORM ? in_percent(row, text) : NULL;
  g_autofree char *unit = found != MISFIT_FORM ? NULL
                          : percent            ? g_steal_pointer(&percent)
                                               : with_our_unit(row, text);
  g_autofree char *hint = unit != NULL ? scenario_did_you_mean(unit) : meant(row, text);
  *problem = g_strdup_printf("%s = %s%s%s %s; expected %s%s%s", row->name, quote, shown, quote,
                             misfit_words(row->type, notation, found), expected,
                             found == MISFIT_NOTATION && *quote != '\0' ? ", without quotes" : "", hint);
  return FALSE;
}

void scenario_value_clear(scenario_value *value)
{
  g_free(value->text);
  g_free(value->path);
  g_free(value->list);
  g_free(value->probabilities);
  *value = (scenario_value){.is_word = FALSE};
}

void scenario_value_copy(const scenario_value *value, scenario_value *copy)
{
  *copy = *value;
  copy->text = g_strdup(value->text);
  copy->path = g_strdup(value->path);
  copy->list = g_memdup2(value->list, value->list_count * sizeof *value->list);
  copy->probabilities = g_memdup2(value->probabilities, value->list_count * sizeof *value->probabilities);
}

/* A size is written as octets alone: tables of results are read by programs, and "9kB" is no number to
 * them. */
static char *write_number(scenario_type type, guint64 number)
{
  return type == SCENARIO_TYPE_TIME   ? units_format_time((time_ps)number)
         : type == SCENARIO_TYPE_RATE ? units_format_rate(number)
                                      : g_strdup_printf("%" G_GINT64_FORMAT, (gint64)number);
}

static char *write_list(scenario_type type, const scenario_value *value)
{
  GString *text = g_string_new("[");

  for (gsize i = 0; i < value->list_count; i++) {
    g_autofree char *element = type == SCENARIO_TYPE_PROBABILITY
                                   ? units_format_probability(value->probabilities[i])
                                   : write_number(type, value->list[i]);

    g_string_append_printf(text, "%s%s", i > 0 ? "," : "", element);
  }
  g_string_append_c(text, ']');
  return g_string_free(text, FALSE);
}

char *scenario_value_write(const scenario_key_row *row, const scenario_value *value)
{
  const scenario_type type = row->type == SCENARIO_TYPE_MOMENT && value->in_octets ? SCENARIO_TYPE_SIZE
                             : row->type == SCENARIO_TYPE_MOMENT || row->type == SCENARIO_TYPE_DISTANCE
                                 ? SCENARIO_TYPE_TIME
                                 : row->type;

  return value->text != NULL                 ? g_strdup(value->text)
         : type == SCENARIO_TYPE_PROBABILITY ? units_format_probability(value->probability)
         : scenario_value_is_list(type)      ? write_list(scenario_value_element_type(type), value)
         : type == SCENARIO_TYPE_BOOLEAN     ? g_strdup(value->number ? "true" : "false")
         : value->in_segments ? g_strdup_printf("%" G_GUINT64_FORMAT " segments", value->number)
                              : write_number(type, value->number);
}

/* Returns "\"ok\", \"terminate\" or \"any\"". */
static char *word_list(const named_value *words)
{
  GString *text = g_string_new(NULL);

  for (const named_value *word = words; word->name != NULL; word++) {
    g_string_append_printf(text, "%s\"%s\"",
                           word == words          ? ""
                           : word[1].name == NULL ? " or "
                                                  : ", ",
                           word->name);
  }
  return g_string_free(text, FALSE);
}

/* Returns a value or two that the row's limits allow. */
static const char *example(const scenario_key_row *row)
{
  if (scenario_value_is_list(row->type)) {
    return row->type == SCENARIO_TYPE_SIZES ? "[1500, 576] or []" : "[\"25us\", \"10us\"] or []";
  }
  if (row->type == SCENARIO_TYPE_TIME) {
    return row->minimum <= 25 * (guint64)TIME_PS_PER_MICROSECOND ? "\"25us\"" : "\"10s\"";
  }
  return row->maximum >= 65536  ? "1500 or \"64KiB\""
         : row->maximum >= 1500 ? "1500 or \"1KiB\""
                                : "64 or \"64B\"";
}

char *scenario_value_expected(const scenario_key_row *row)
{
  gboolean only_words = row->type == SCENARIO_TYPE_WORD || row->type == SCENARIO_TYPE_MIX;
  g_autofree char *minimum = write_number(scenario_value_element_type(row->type), row->minimum);
  g_autofree char *maximum = write_number(scenario_value_element_type(row->type), row->maximum);
  g_autofree char *words = row->words != NULL ? word_list(row->words) : NULL;
  GString *text = g_string_new(words);

  g_string_append(text, words != NULL && !only_words ? " or " : "");
  g_string_append(text, types[row->type].expected);
  g_string_replace(text, "%s", minimum, 1);
  g_string_replace(text, "%s", maximum, 1);
  g_string_replace(text, "%s", example(row), 1);
  return g_string_free(text, FALSE);
}
