/* SPDX-License-Identifier: GPL-2.0-only */
/* The fields that decode's two formats print alike: what each is called, where its value is, and what it is written as. */
#ifndef DECODE_DECODE_FIELDS_H
#define DECODE_DECODE_FIELDS_H

#include <stddef.h>

#include "decode/decode_events.h"

typedef enum decode_field_kind {
  DECODE_FIELD_NUMBER,
  DECODE_FIELD_FLAG,     /* 1 or 0 for people, true or false as JSON */
  DECODE_FIELD_HEX,      /* with all digits of its width */
  DECODE_FIELD_HEX_TEXT, /* the same for people; a number as JSON */
} decode_field_kind;

typedef struct decode_field {
  const char *text;   /* for people; NULL: not printed */
  const char *member; /* of JSON; NULL: not printed */
  decode_field_kind kind;
  uint8_t octets;  /* 1, 2, 4 or 8: of the value, … */
  uint16_t offset; /* … which is here in its struct */
  bool is_always;  /* of sums: for people, printed also when no direction has any */
} decode_field;

/* Fields of one struct, in the order in which they are printed. */
typedef struct decode_fields {
  const decode_field *fields;
  size_t count;
} decode_fields;

extern const decode_fields decode_fields_tagged, decode_fields_untagged; /* of ddp_header */
extern const decode_fields decode_fields_read_request;                   /* of rdmap_read_request */
extern const decode_fields decode_fields_startup;                        /* of decode_startup_frame */
extern const decode_fields decode_fields_fpdu_sums,
    decode_fields_segment_sums;                  /* of decode_direction_summary */
extern const decode_fields decode_fields_counts; /* of capture_counts */

/* The fields of the header's own buffer model. */
static inline const decode_fields *decode_fields_of(const ddp_header *ddp)
{
  return ddp->tagged ? &decode_fields_tagged : &decode_fields_untagged;
}

/* The value of `field` in the struct `of`. */
static inline uint64_t decode_field_value(const decode_field *field, const void *of)
{
  const void *value = (const uint8_t *)of + field->offset;

  switch (field->octets) {
  case sizeof(uint8_t):
    return *(const uint8_t *)value;
  case sizeof(uint16_t):
    return *(const uint16_t *)value;
  case sizeof(uint32_t):
    return *(const uint32_t *)value;
  default:
    return *(const uint64_t *)value;
  }
}

#endif
