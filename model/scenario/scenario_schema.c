/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario/scenario_schema.h"

#include <string.h>

#include "base/plain_text.h"
#include "scenario/scenario_value.h"

#define NUMBER "[0-9]+([.][0-9]+)?"
#define TIME_FORM "0|" NUMBER " ?(ps|ns|us|ms|s|min)"
#define SIZE_FORM "-?(0x[0-9a-fA-F]+|" NUMBER " ?(B|kB|KiB|MB|MiB|GB|GiB)?)"
#define TEXT(form) "{\"type\": \"string\", \"pattern\": \"^(" form ")$\"}"
#define EITHER(json, form) "{\"anyOf\": [{" json "}, " TEXT(form) "]}"

/* Of single values, and of the elements of lists. */
static const char *const forms[] = {
    [SCENARIO_TYPE_TEXT] = TEXT("[^\\\\u0000-\\\\u001f\\\\u007f-\\\\u009f]*"),
    [SCENARIO_TYPE_BOOLEAN] = "{\"type\": \"boolean\"}",
    [SCENARIO_TYPE_INTEGER] = "{\"type\": \"integer\"}",
    [SCENARIO_TYPE_SIZE] = EITHER("\"type\": \"integer\"", SIZE_FORM),
    [SCENARIO_TYPE_TIME] = EITHER("\"const\": 0", TIME_FORM),
    [SCENARIO_TYPE_RATE] = TEXT(NUMBER " ?(bit|kbit|Mbit|Gbit|Tbit)/s"),
    [SCENARIO_TYPE_PROBABILITY] =
        EITHER("\"type\": \"number\", \"minimum\": 0, \"maximum\": 1", NUMBER "([eE][-+]?[0-9]+)? ?%?"),
    [SCENARIO_TYPE_DISTANCE] = TEXT("[0-9]+ ?segments?|" TIME_FORM),
    [SCENARIO_TYPE_MOMENT] = EITHER("\"type\": \"integer\", \"minimum\": 0", TIME_FORM "|" SIZE_FORM),
};

static const char lists[] =
    ",\n\"sweep\": {\"type\": \"array\", \"description\": \"Axes of a sweep: iwarpsim explain sweep.\","
    " \"items\": {\"type\": \"object\", \"additionalProperties\": false, \"required\": [\"key\"], "
    "\"properties\":"
    " {\"key\": {\"$ref\": \"#/$defs/key\"}, \"with\": {\"$ref\": \"#/$defs/key\"}, \"values\": {\"type\": "
    "\"array\"},"
    " \"from\": {}, \"to\": {}, \"step\": {}, \"points\": {\"type\": \"integer\", \"minimum\": 2}},"
    " \"oneOf\": [{\"required\": [\"values\"]}, {\"required\": [\"from\", \"to\"]}]}},\n"
    "\"where\": {\"description\": \"Conditions on the points of a sweep: iwarpsim explain where.\", \"type\":"
    " [\"string\", \"array\"], \"items\": {\"type\": \"string\"}},\n"
    "\"event\": {\"type\": \"array\", \"description\": \"Changes in mid-flow: iwarpsim explain event.\", "
    "\"items\":"
    " {\"type\": \"object\", \"additionalProperties\": false, \"required\": [\"at\", \"key\", \"value\"],"
    " \"properties\": {\"at\": " TEXT(TIME_FORM) ", \"key\": " TEXT(
        "path[.](forward|reverse)[.](rate|delay|mtu)") ", \"value\": {}}}}";

/* `text` as --set takes it, in JSON. */
static void append_value(GString *json, scenario_type type, const char *text)
{
  scenario_type element = scenario_value_element_type(type);

  if (element != type) {
    g_autofree char *inner = g_strndup(text + 1, strlen(text) - 2);
    g_auto(GStrv) elements = g_strsplit(inner, ",", -1);
    g_string_append_c(json, '[');
    for (char **e = elements; *e != NULL; e++) {
      g_string_append(json, e > elements ? ", " : "");
      append_value(json, element, *e);
    }
    g_string_append_c(json, ']');
  } else if (type == SCENARIO_TYPE_BOOLEAN ||
             ((type == SCENARIO_TYPE_INTEGER || type == SCENARIO_TYPE_SIZE) && g_ascii_isdigit(*text) &&
              text[strspn(text, G_CSET_DIGITS)] == '\0')) {
    g_string_append(json, text);
  } else {
    plain_text_append_json(json, text);
  }
}

/* What the value of `row` may be, as members of a JSON object. */
static void append_form(GString *json, const scenario_key_row *row)
{
  scenario_type element = scenario_value_element_type(row->type);
  g_autofree const char **words = scenario_key_words(row);
  g_autofree char *joined = g_strjoinv(row->type == SCENARIO_TYPE_MIX ? "|" : "\", \"", (char **)words);
  g_autoptr(GString) form = g_string_new(forms[element]);

  if (row->type == SCENARIO_TYPE_MIX) {
    g_string_append_printf(json, "\"type\": \"string\", \"pattern\": \"^(%s)([+](%s))*$\"", joined, joined);
    return;
  }
  if (row->type == SCENARIO_TYPE_WORD) {
    g_string_append_printf(json, "\"enum\": [\"%s\"]", joined);
    return;
  }
  if (element == SCENARIO_TYPE_INTEGER || element == SCENARIO_TYPE_SIZE) {
    g_string_truncate(form, form->len - 1);
    g_string_append_printf(form, ", \"minimum\": %" G_GINT64_FORMAT ", \"maximum\": %" G_GINT64_FORMAT "}",
                           (gint64)row->minimum, (gint64)row->maximum);
  }
  if (element != row->type) {
    g_string_append_printf(json, "\"type\": \"array\", \"items\": %s", form->str);
  } else {
    g_string_append_printf(json, "\"anyOf\": [%s%s%s%s]", form->str, *words != NULL ? ", {\"enum\": [\"" : "",
                           joined, *words != NULL ? "\"]}" : "");
  }
}

static void append_key(GString *json, const scenario_key_row *row)
{
  g_autofree char *expected = scenario_value_expected(row);
  g_autofree char *sentence = g_strdup_printf("%s Value: %s.", row->sentence, expected);

  g_string_append(json, "{\"description\": ");
  plain_text_append_json(json, sentence);
  g_string_append(json, ", ");
  append_form(json, row);
  if (row->fallback != NULL) {
    g_string_append(json, ", \"default\": ");
    append_value(json, row->type, row->fallback);
  }
  g_string_append(json, ", \"examples\": [");
  append_value(json, row->type, row->example);
  g_string_append(json, "]}");
}

/* "\"properties\": …" of `group` and all that is in it. */
static void append_group(GString *json, const char *group)
{
  const char *separator = "\n";

  g_string_append(json, "\"type\": \"object\", \"additionalProperties\": false, \"properties\": {");
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    const scenario_key_row *row = scenario_key_row_of(key);
    if (scenario_group_has(group, key)) {
      g_string_append_printf(json, "%s\"%s\": ", separator, scenario_group_member(group, row->name));
      append_key(json, row);
      separator = ",\n";
    }
  }
  for (const scenario_group_row *row = scenario_groups(); row->name != NULL; row++) {
    if (scenario_group_member(group, row->name) != NULL) {
      g_string_append_printf(json, "%s\"%s\": {\"description\": ", separator,
                             scenario_group_member(group, row->name));
      plain_text_append_json(json, row->sentence);
      g_string_append(json, ", ");
      append_group(json, row->name);
      g_string_append_c(json, '}');
      separator = ",\n";
    }
  }
  g_string_append_printf(json, "%s}", *group == '\0' ? lists : "");
}

char *scenario_schema(void)
{
  GString *json = g_string_new("{\"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n"
                               "\"title\": \"A scenario of iwarpsim\",\n\"$defs\": {\"key\": {\"enum\": [");

  for (scenario_key key = SCENARIO_TITLE + 1; key < SCENARIO_KEY_COUNT; key++) {
    g_string_append_printf(json, "%s\"%s\"", key > SCENARIO_TITLE + 1 ? ", " : "",
                           scenario_key_row_of(key)->name);
  }
  g_string_append(json, "]}},\n");
  append_group(json, "");
  g_string_append(json, "}\n");
  return g_string_free(json, FALSE);
}
