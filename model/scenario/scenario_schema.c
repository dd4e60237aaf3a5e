/* SPDX-License-Identifier: GPL-2.0-only */
#include <string.h>

#include "scenario/scenario_keys.h"

#include "base/plain_text.h"
#include "scenario/scenario_lists.h"

/* JSON is written with single quotes here: append() makes double ones of them. */
#define NUMBER "[0-9]+([.][0-9]+)?"
#define TIME_FORM "0|" NUMBER " ?(ps|ns|us|ms|s|min)"
#define SIZE_FORM "-?(0x[0-9a-fA-F]+|" NUMBER " ?(B|kB|KiB|MB|MiB|GB|GiB)?)"
#define LINE "[^\\\\u0000-\\\\u001f\\\\u007f-\\\\u009f]*"
#define TEXT(form) "'type': 'string', 'pattern': '^(" form ")$'"
#define EITHER(json, form) "'anyOf': [{" json "}, {" TEXT(form) "}]"

/* Single values, and the elements of lists, have these forms. */
static const char *const forms[] = {
    [SCENARIO_TYPE_TEXT] = TEXT(LINE),
    [SCENARIO_TYPE_FILE] = TEXT(LINE),
    [SCENARIO_TYPE_BOOLEAN] = "'type': 'boolean'",
    [SCENARIO_TYPE_INTEGER] = "'type': 'integer'",
    [SCENARIO_TYPE_SIZE] = EITHER("'type': 'integer'", SIZE_FORM),
    [SCENARIO_TYPE_TIME] = EITHER("'const': 0", TIME_FORM),
    [SCENARIO_TYPE_RATE] = TEXT(NUMBER " ?(bit|kbit|Mbit|Gbit|Tbit)/s"),
    [SCENARIO_TYPE_PROBABILITY] =
        EITHER("'type': 'number', 'minimum': 0, 'maximum': 1", NUMBER "([eE][-+]?[0-9]+)? ?%?"),
    [SCENARIO_TYPE_DISTANCE] = TEXT("[0-9]+ ?segments?|" TIME_FORM),
    [SCENARIO_TYPE_VALUE] = "'not': {'type': 'object'}",
    [SCENARIO_TYPE_MOMENT] = EITHER("'type': 'integer', 'minimum': 0", TIME_FORM "|" SIZE_FORM),
};

#define AXIS "{'anyOf': [{'$ref': '#/$defs/key'}, {" TEXT("[a-z]+[.][^.]+[.][a-z_.]+") "}]}"
static const char lists[] =
    ",\n'sweep': {'type': 'array', 'description': 'Axes of a sweep: iwarpsim explain sweep.', 'items':"
    " {'type': 'object', 'additionalProperties': false, 'required': ['key'], 'properties':"
    " {'key': " AXIS ", 'with': " AXIS ", 'values': {'type': 'array'},"
    " 'from': {}, 'to': {}, 'step': {}, 'points': {'type': 'integer', 'minimum': 2},"
    " 'axis_title': {'type': 'string'}, 'names': {'type': 'array', 'items': {'type': 'string'}}},"
    " 'oneOf': [{'required': ['values']}, {'required': ['from', 'to']}]}},\n"
    "'where': {'description': 'Conditions on the points of a sweep: iwarpsim explain where.',"
    " 'type': ['string', 'array'], 'items': {'type': 'string'}}";

static void append(GString *json, const char *text)
{
  g_autofree char *quoted = g_strdelimit(g_strdup(text), "'", '"');

  g_string_append(json, quoted);
}

static void append_key(GString *json, scenario_key key);
static void append_group(GString *json, const char *group, const char *more);

/* Appends members of a JSON object: what each group of the key `list` has. */
static void append_list(GString *json, scenario_key list)
{
  const scenario_key_row *of = scenario_key_row_of(list);
  g_autoptr(GString) required = g_string_new(NULL);
  const char *separator = "";

  append(json, "'type': 'array', 'items': {'type': 'object', 'additionalProperties': false, 'properties': {");
  for (scenario_key key = 0; key < SCENARIO_ROW_COUNT; key++) {
    const char *name = key != SCENARIO_KEY_COUNT ? scenario_entry_name(list, key) : NULL;

    if (name != NULL && strchr(name, '.') == NULL) {
      g_string_append_printf(json, "%s\"%s\": {", separator, name);
      append_key(json, key);
      append(json, "}");
      separator = ",\n";
      if (key > SCENARIO_KEY_COUNT && scenario_key_row_of(key)->fallback == NULL) {
        g_string_append_printf(required, "%s\"%s\"", required->len > 0 ? ", " : "", name);
      }
    }
  }
  for (const char *const *group = of->holds; !of->holds_keys_of && group != NULL && *group != NULL; group++) {
    g_string_append_printf(json, ",\n\"%s\": {", *group);
    append_group(json, *group, "");
    append(json, "}");
  }
  append(json, "}, 'required': [");
  append(json, required->str);
  append(json, "]}");
}

/* Appends members of a JSON object: what a value of `key` means and may be, and its default. */
static void append_key(GString *json, scenario_key key)
{
  const scenario_key_row *row = scenario_key_row_of(key);
  scenario_type element = scenario_value_element_type(row->type);
  gboolean counts = element == SCENARIO_TYPE_INTEGER || element == SCENARIO_TYPE_SIZE;
  gboolean is_list = element != row->type;
  g_autofree const char **words = scenario_key_words(row);
  g_autofree char *joined = g_strjoinv(row->type == SCENARIO_TYPE_MIX ? "|" : "', '", (char **)words);
  g_autofree char *expected = scenario_value_expected(row);
  g_autofree char *sentence = g_strdup_printf("%s Value: %s.", row->sentence, expected);
  g_autofree char *limits = g_strdup_printf(", 'minimum': %" G_GINT64_FORMAT ", 'maximum': %" G_GINT64_FORMAT,
                                            (gint64)row->minimum, (gint64)row->maximum);
  g_autofree char *form = g_strconcat(forms[element], counts ? limits : NULL, NULL);
  g_autofree char *whole =
      row->type == SCENARIO_TYPE_MIX ? g_strdup_printf(TEXT("(%s)([+](%s))*"), joined, joined)
      : strstr(joined, SCENARIO_ANY_NAME) != NULL
          ? g_strdup_printf("'anyOf': [{'enum': ['%s']}, {" TEXT("[a-z]+[.][^.]+[.]up") "}]", joined)
      : row->type == SCENARIO_TYPE_WORD ? g_strdup_printf("'enum': ['%s']", joined)
      : is_list                         ? g_strdup_printf("'type': 'array', 'items': {%s}", form)
      : *words != NULL                  ? g_strdup_printf("'anyOf': [{%s}, {'enum': ['%s']}]", form, joined)
                                        : g_strdup(form);

  append(json, "'description': ");
  plain_text_append_json(json, sentence);
  append(json, ", ");
  if (row->type == SCENARIO_TYPE_GROUPS) {
    append_list(json, key);
    return;
  }
  append(json, whole);
  if (row->fallback != NULL && (!is_list || strcmp(row->fallback, "[]") == 0)) {
    append(json, ", 'default': ");
    if (is_list || row->type == SCENARIO_TYPE_BOOLEAN ||
        (counts && strspn(row->fallback, G_CSET_DIGITS) == strlen(row->fallback))) {
      append(json, row->fallback);
    } else {
      plain_text_append_json(json, row->fallback);
    }
  }
}

/* Appends members of a JSON object: what `group` is, and what is in it; `more` ends it. */
static void append_group(GString *json, const char *group, const char *more)
{
  const char *separator = "\n";

  append(json, "'type': 'object', 'additionalProperties': false, 'properties': {");
  for (const char *const *full = scenario_names; *full != NULL; full++) {
    const char *member = scenario_group_member(group, *full);
    scenario_key key = scenario_key_find(*full);

    if (member == NULL) {
      continue;
    }
    g_string_append_printf(json, "%s\"%s\": {", separator, member);
    separator = ",\n";
    if (key < SCENARIO_KEY_COUNT) {
      append_key(json, key);
    } else {
      append_group(json, *full, "");
    }
    append(json, "}");
  }
  append(json, more);
  append(json, "}");
}

char *scenario_schema(void)
{
  GString *json = g_string_new(NULL);

  append(json, "{'$schema': 'https://json-schema.org/draft/2020-12/schema',\n"
               "'title': 'A scenario of iwarpsim',\n'$defs': {'key': {'enum': [");
  for (scenario_key key = SCENARIO_TITLE + 1; key < SCENARIO_KEY_COUNT; key++) {
    g_string_append_printf(json, "%s\"%s\"", key > SCENARIO_TITLE + 1 ? ", " : "",
                           scenario_key_row_of(key)->name);
  }
  append(json, "]}},\n");
  append_group(json, "", lists);
  append(json, "}\n");
  return g_string_free(json, FALSE);
}
