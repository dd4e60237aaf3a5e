/* SPDX-License-Identifier: GPL-2.0-only */
/* This is the one reader of JSON. json-glib's parser recurses without a limit, and takes more than JSON (RFC
 * 8259): comments, octal escapes. Both end here. */
#pragma once

#include <json-glib/json-glib.h>

/* Returns the object that `text`, of `length` octets, is. NULL and `error` (IWARPSIM_ERROR), without the name
 * of a file, when it is something else, or nested more than 16 deep: nothing that we write is. Free with
 * json_object_unref(). */
JsonObject *json_text_read(const char *text, gsize length, GError **error);

/* Returns the member of `object` (NULL: it has none) that is called `name`, which `object` owns. NULL: there
 * is none, or it holds something else; no UTF-8, for instance, which half of a surrogate pair becomes. */
JsonObject *json_text_object(JsonObject *object, const char *name);
const char *json_text_string(JsonObject *object, const char *name);

/* Returns the text that `node` (NULL: none) holds, likewise. */
const char *json_text_of(JsonNode *node);
