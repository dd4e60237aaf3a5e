/* SPDX-License-Identifier: GPL-2.0-only */
#include "trace/trace.h"

char *trace_schema(void)
{
  static const char number[] = "\"type\": \"integer\", \"minimum\": 0";
  GString *schema = g_string_new("{\"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n");
  g_string_append_printf(schema, "\"title\": \"A line of 'iwarpsim trace', version %d\",\n\"oneOf\": [",
                         TRACE_VERSION);
  for (trace_event_id id = 0; id < TRACE_EVENTS; id++) {
    const trace_row *row = &trace_rows[id];
    g_autoptr(GString) required = g_string_new("\"time_ps\", \"event\", \"connection\", \"side\", \"node\"");
    g_string_append_printf(
        schema,
        "%s\n{\"type\": \"object\", \"additionalProperties\": false, \"description\": \"%s\",\n "
        "\"properties\": {\"time_ps\": {%s}, \"event\": {\"const\": \"%s\"}, \"connection\": {%s}, \"side\": "
        "{\"enum\": [\"initiator\", \"responder\"]}, \"node\": {\"type\": \"string\"}, "
        "\"port\": {\"type\": \"integer\", \"minimum\": 1}, "
        "\"packet\": {\"type\": \"integer\", \"minimum\": 1}",
        id > 0 ? "," : "", row->sentence, number, row->name, number);
    for (guint i = 0; i < row->field_count; i++) {
      const trace_field *field = &row->fields[i];
      const char *type = field->type == TRACE_NAME_ID ? "\"type\": \"string\""
                         : field->type == TRACE_FLAG  ? "\"enum\": [0, 1]"
                                                      : number;
      g_string_append_printf(schema, ",\n  \"%s\": {%s, \"description\": \"%s\"}", field->name, type,
                             field->sentence);
      g_string_append_printf(required, ", \"%s\"", field->name);
    }
    g_string_append_printf(schema, "},\n \"required\": [%s]}", required->str);
  }
  return g_string_free(g_string_append(schema, "]}\n"), FALSE);
}
