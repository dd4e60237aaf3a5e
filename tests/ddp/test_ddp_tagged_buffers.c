#include <glib.h>

#include "ddp/ddp_tagged_buffers.h"

enum { LENGTH = 100 };

static const uint32_t stag = 0xCAFE0001;
static const uint64_t base = 0x100000000; /* beyond 32 bits */

typedef struct case_of_find {
  uint32_t stag;
  uint64_t offset;
  uint32_t length;
  int code; /* -1: found */
  int64_t offset_in_memory;
} case_of_find;

static void check_cases(const ddp_tagged_buffers *buffers, uint8_t *memory, const case_of_find *cases,
                        size_t count)
{
  for (size_t i = 0; i < count; i++) {
    const case_of_find *c = &cases[i];
    g_test_message("case %zu: STag %08x TO %016" G_GINT64_MODIFIER "x length %u", i, c->stag, c->offset,
                   c->length);
    ddp_error error = {DDP_ERROR_LOCAL_CATASTROPHIC, 0xEE};
    uint8_t *found = ddp_tagged_buffers_find(buffers, c->stag, c->offset, c->length, &error);
    if (c->code < 0) {
      g_assert_true(found == memory + c->offset_in_memory);
    } else {
      g_assert_null(found);
      g_assert_cmpint(error.type, ==, DDP_ERROR_TAGGED);
      g_assert_cmphex(error.code, ==, c->code);
    }
  }
}

static void test_base_and_bounds(void)
{
  static const case_of_find cases[] = {
      {0xCAFE0001, 0x100000000, 1, -1, 0},                         /* the first octet */
      {0xCAFE0001, 0x100000000, LENGTH, -1, 0},                    /* all: ends exactly at the bound */
      {0xCAFE0001, 0x100000000 + 40, 60, -1, 40},                  /* the end of it */
      {0xCAFE0001, 0x100000000 + 99, 1, -1, 99},                   /* the last octet */
      {0xCAFE0001, 0x100000000, LENGTH + 1, DDP_TAGGED_BOUNDS, 0}, /* one beyond */
      {0xCAFE0001, 0x100000000 + 40, 61, DDP_TAGGED_BOUNDS, 0},    /* one beyond */
      {0xCAFE0001, 0x100000000 + 100, 1, DDP_TAGGED_BOUNDS, 0},    /* starts behind */
      {0xCAFE0001, 0x100000000 - 1, 1, DDP_TAGGED_BOUNDS, 0},      /* starts before */
      {0xCAFE0001, 0x100000000 - 1, 50, DDP_TAGGED_BOUNDS, 0},     /* reaches in from before */
      {0xCAFE0001, 0, 1, DDP_TAGGED_BOUNDS, 0},                    /* the low 32 bits alone would fit */
      {0xCAFE0001, 0x100000000, UINT32_MAX, DDP_TAGGED_BOUNDS, 0}, /* a huge length */
      {0xCAFE0002, 0x100000000, 1, DDP_TAGGED_INVALID_STAG, 0},    /* another STag */
      {0, 0x100000000, 1, DDP_TAGGED_INVALID_STAG, 0},             /* no STag is special */
      {0xCAFE0001, UINT64_MAX, 1, DDP_TAGGED_TO_WRAP, 0},          /* a sum of exactly 2^64 is a wrap */
      {0xCAFE0001, UINT64_MAX - 15, 32, DDP_TAGGED_TO_WRAP, 0},    /* wrap before bounds (notes 11) */
      {0xCAFE0001, UINT64_MAX - 15, 15, DDP_TAGGED_BOUNDS, 0},     /* a sum of 2^64 - 1 is none */
      {0xCAFE0002, UINT64_MAX, 1, DDP_TAGGED_INVALID_STAG, 0},     /* STag before wrap (notes 12) */
  };
  uint8_t memory[LENGTH];
  ddp_tagged_buffers *buffers = ddp_tagged_buffers_new();
  g_assert_true(ddp_tagged_buffers_register(buffers, stag, base, LENGTH, memory));
  check_cases(buffers, memory, cases, G_N_ELEMENTS(cases));
  ddp_tagged_buffers_free(buffers);
}

/* base + length == 2^64 registers, but its last octet can never be written: that sum wraps. */
static void test_buffer_at_the_end_of_the_offsets(void)
{
  static const case_of_find cases[] = {
      {0xCAFE0001, UINT64_MAX - 99, 99, -1, 0},
      {0xCAFE0001, UINT64_MAX - 1, 1, -1, 98},
      {0xCAFE0001, UINT64_MAX - 99, 100, DDP_TAGGED_TO_WRAP, 0},
      {0xCAFE0001, UINT64_MAX, 1, DDP_TAGGED_TO_WRAP, 0},
  };
  uint8_t memory[LENGTH];
  ddp_tagged_buffers *buffers = ddp_tagged_buffers_new();
  g_assert_false(ddp_tagged_buffers_register(buffers, stag, UINT64_MAX - 98, LENGTH, memory));
  g_assert_false(ddp_tagged_buffers_register(buffers, stag, 2, UINT64_MAX, memory));
  g_assert_true(ddp_tagged_buffers_register(buffers, stag, UINT64_MAX - 99, LENGTH, memory));
  check_cases(buffers, memory, cases, G_N_ELEMENTS(cases));
  ddp_tagged_buffers_free(buffers);
}

static void test_registering_and_taking_back(void)
{
  uint8_t first[LENGTH];
  uint8_t second[LENGTH];
  ddp_error error;
  ddp_tagged_buffers *buffers = ddp_tagged_buffers_new();
  g_assert_true(ddp_tagged_buffers_register(buffers, stag, 0, LENGTH, first));
  g_assert_false(ddp_tagged_buffers_register(buffers, stag, base, LENGTH, second)); /* in use */
  g_assert_true(ddp_tagged_buffers_register(buffers, 0, 0, LENGTH, second)); /* 0 is an STag as any other */
  g_assert_true(ddp_tagged_buffers_find(buffers, stag, 10, 1, &error) == first + 10);
  g_assert_true(ddp_tagged_buffers_find(buffers, 0, 10, 1, &error) == second + 10);

  g_assert_true(ddp_tagged_buffers_deregister(buffers, stag));
  g_assert_false(ddp_tagged_buffers_deregister(buffers, stag));
  g_assert_null(ddp_tagged_buffers_find(buffers, stag, 10, 1, &error));
  g_assert_cmphex(error.code, ==, DDP_TAGGED_INVALID_STAG);
  g_assert_true(ddp_tagged_buffers_register(buffers, stag, 0, LENGTH, second));
  g_assert_true(ddp_tagged_buffers_find(buffers, stag, 10, 1, &error) == second + 10);
  ddp_tagged_buffers_free(buffers);
}

static void test_an_empty_buffer_holds_nothing(void)
{
  ddp_error error;
  ddp_tagged_buffers *buffers = ddp_tagged_buffers_new();
  g_assert_true(ddp_tagged_buffers_register(buffers, stag, base, 0, NULL));
  g_assert_null(ddp_tagged_buffers_find(buffers, stag, base, 1, &error));
  g_assert_cmphex(error.code, ==, DDP_TAGGED_BOUNDS);
  ddp_tagged_buffers_free(buffers);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/ddp_tagged_buffers/base_and_bounds", test_base_and_bounds);
  g_test_add_func("/ddp_tagged_buffers/end_of_the_offsets", test_buffer_at_the_end_of_the_offsets);
  g_test_add_func("/ddp_tagged_buffers/registering_and_taking_back", test_registering_and_taking_back);
  g_test_add_func("/ddp_tagged_buffers/empty_buffer", test_an_empty_buffer_holds_nothing);
  return g_test_run();
}
