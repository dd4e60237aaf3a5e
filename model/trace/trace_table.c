/* SPDX-License-Identifier: GPL-2.0-only */
#include "trace/trace_table.h"

#define OCTETS TRACE_OCTETS
#define COUNT TRACE_COUNT
#define NUMBER TRACE_NUMBER
#define POSITION TRACE_POSITION
#define PS TRACE_PS
#define FLAG TRACE_FLAG
#define NAME TRACE_NAME_ID

static const trace_row rows[] = {
#define EVENT(id, event_name, event_sentence)                                                                \
  [TRACE_##id] = {.name = (event_name),                                                                      \
                  .sentence = (event_sentence),                                                              \
                  .field_count = sizeof(struct trace_##id) / sizeof(uint64_t),                               \
                  .fields = {
#define FIELD(field_type, member, field_sentence) {#member, field_type, field_sentence},
#define EVENT_END(id)                                                                                        \
  }                                                                                                          \
  }                                                                                                          \
  ,
#include "trace/trace_events.def"
};

const trace_row *trace_row_of(trace_event_id id)
{
  return &rows[id];
}
