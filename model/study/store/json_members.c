/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/store/json_members.h"

#include <string.h>

/* This is "NAME":VALUE within an object's text. */
typedef struct member {
  const char *name;
  gsize name_octets;   /* with its quotation marks */
  gsize octets;        /* in all */
  gboolean is_matched; /* the other object has one of this name */
} member;

static const char *end_of_text(const char *at)
{
  for (at++; *at != '\0' && *at != '"'; at++) {
    at += *at == '\\' && at[1] != '\0';
  }
  return *at == '"' ? at + 1 : at;
}

static const char *end_of_value(const char *at)
{
  int depth = 0;
  while (*at != '\0' && (depth > 0 || (*at != ',' && *at != '}'))) {
    depth += (*at == '[' || *at == '{') - (*at == ']' || *at == '}');
    at = *at == '"' ? end_of_text(at) : at + 1;
  }
  return at;
}

/* Returns the members of an object; NULL: it is none. Free with g_array_unref(). */
static GArray *members_of(const char *text)
{
  GArray *members = g_array_new(FALSE, FALSE, sizeof(member));
  while (*text == (members->len == 0 ? '{' : ',') && text[1] == '"') {
    member found = {.name = text + 1};
    const char *end = end_of_text(found.name);
    found.name_octets = (gsize)(end - found.name);
    text = *end == ':' ? end_of_value(end + 1) : "";
    found.octets = (gsize)(text - found.name);
    g_array_append_val(members, found);
  }
  text += members->len == 0 && *text == '{';
  if (strcmp(text, "}") != 0) {
    g_clear_pointer(&members, g_array_unref);
  }
  return members;
}

/* Returns the member of this name; NULL: there is none. It is looked for from `*from` on, as two objects have
 * theirs in one order, and `*from` is then after it. */
static member *find(const GArray *members, const member *wanted, guint *from)
{
  for (guint i = 0; i < members->len; i++) {
    member *known = &g_array_index(members, member, (*from + i) % members->len);
    if (known->name_octets == wanted->name_octets &&
        memcmp(known->name, wanted->name, known->name_octets) == 0) {
      *from += i + 1;
      known->is_matched = TRUE;
      return known;
    }
  }
  return NULL;
}

static void append(GString *json, const char *text, gsize octets)
{
  g_string_append(json, json->len == 0 ? "{" : ",");
  g_string_append_len(json, text, (gssize)octets);
}

static char *end_object(GString *json)
{
  g_string_append(json, json->len == 0 ? "{}" : "}");
  return g_string_free(json, FALSE);
}

char *json_members_without(const char *text, const char *base)
{
  g_autoptr(GArray) wanted = members_of(text);
  g_autoptr(GArray) known = members_of(base);
  if (wanted == NULL || known == NULL) {
    return NULL;
  }
  GString *json = g_string_new(NULL);
  guint from = 0;
  for (guint i = 0; i < wanted->len; i++) {
    const member *own = &g_array_index(wanted, member, i), *its = find(known, own, &from);
    if (its == NULL || its->octets != own->octets || memcmp(its->name, own->name, own->octets) != 0) {
      append(json, own->name, own->octets);
    }
  }
  for (guint i = 0; i < known->len; i++) {
    const member *its = &g_array_index(known, member, i);
    if (!its->is_matched) {
      append(json, its->name, its->name_octets);
      g_string_append(json, ":null");
    }
  }
  return end_object(json);
}

/* Appends a member, but not one that is null. */
static void append_value(GString *json, const member *shown)
{
  static const char null[] = ":null";
  if (shown->octets != shown->name_octets + strlen(null) ||
      memcmp(shown->name + shown->name_octets, null, strlen(null)) != 0) {
    append(json, shown->name, shown->octets);
  }
}

/* Each member of the base is looked for in the other: nothing that we write has more. */
enum { MEMBERS_MAX = 4096 };

char *json_members_with(const char *own, const char *base)
{
  g_autoptr(GArray) differing = members_of(own);
  g_autoptr(GArray) known = members_of(base);
  if (differing == NULL || known == NULL || known->len > MEMBERS_MAX) {
    return NULL;
  }
  GString *json = g_string_new(NULL);
  guint from = 0;
  for (guint i = 0; i < known->len; i++) {
    const member *its = &g_array_index(known, member, i), *instead = find(differing, its, &from);
    append_value(json, instead != NULL ? instead : its);
  }
  for (guint i = 0; i < differing->len; i++) {
    const member *added = &g_array_index(differing, member, i);
    if (!added->is_matched) {
      append_value(json, added);
    }
  }
  return end_object(json);
}
