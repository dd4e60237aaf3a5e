/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/json_text.h"

#include <string.h>

#include "base/error.h"

enum { DEPTH_MAX = 16 };

/* These may stand outside strings (RFC 8259 §2): blanks, signs, numbers, true, false and null. */
#define OUTSIDE " \t\r\n{}[]:,+-.0123456789Etruefalsn"
#define ESCAPES "\"\\/bfnrtu" /* what may follow a backslash (§7) */

/* Returns why json-glib's parser must not see `text`; NULL: it may. */
static const char *problem_of(const char *text)
{
  guint depth = 0;
  gboolean in_string = FALSE;
  for (const char *c = text; *c != '\0'; c++) {
    if (*c == '"') {
      in_string = !in_string;
    } else if (in_string && *c == '\\' && (c[1] == '\0' || strchr(ESCAPES, *++c) == NULL)) {
      return "a string has a backslash before something else than JSON has it";
    } else if (!in_string && strchr(OUTSIDE, *c) == NULL) {
      return "it has something that is not JSON between its values";
    } else if (!in_string && (*c == '{' || *c == '[') && ++depth > DEPTH_MAX) {
      return "it is nested too deep";
    } else if (!in_string && (*c == '}' || *c == ']') && depth > 0) {
      depth--;
    }
  }
  return NULL;
}

JsonObject *json_text_read(const char *text, gsize length, GError **error)
{
  g_autoptr(JsonParser) parser = json_parser_new_immutable();
  const gboolean is_text = memchr(text, '\0', length) == NULL && g_utf8_validate(text, (gssize)length, NULL);
  g_autofree char *copy = is_text ? g_strndup(text, length) : NULL;
  const char *problem = is_text ? problem_of(copy) : "it is not UTF-8 text";
  g_autoptr(GError) found = NULL;
  JsonNode *root = NULL;
  if (problem == NULL && !json_parser_load_from_data(parser, text, (gssize)length, &found)) {
    problem = found->message;
  } else if (problem == NULL &&
             ((root = json_parser_get_root(parser)) == NULL || !JSON_NODE_HOLDS_OBJECT(root))) {
    problem = "its root is not an object";
  }
  if (problem != NULL) {
    error_set(error, "%s", problem);
    return NULL;
  }
  return json_node_dup_object(root);
}

JsonObject *json_text_object(JsonObject *object, const char *name)
{
  JsonNode *node = object != NULL ? json_object_get_member(object, name) : NULL;
  return node != NULL && JSON_NODE_HOLDS_OBJECT(node) ? json_node_get_object(node) : NULL;
}

const char *json_text_of(JsonNode *node)
{
  const char *text = node != NULL && JSON_NODE_HOLDS_VALUE(node) ? json_node_get_string(node) : NULL;
  return text != NULL && g_utf8_validate(text, -1, NULL) ? text : NULL;
}

const char *json_text_string(JsonObject *object, const char *name)
{
  return json_text_of(object != NULL ? json_object_get_member(object, name) : NULL);
}
