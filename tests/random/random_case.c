/* SPDX-License-Identifier: GPL-2.0-only */
#include "random_case.h"

/* Different in everything that the checks look at. Two end where 64 bits nearly do, so that a Tagged Offset
 * can wrap. */
static const case_region regions[CASE_REGIONS] = {
    {.base = 0, .peer_may_read = true, .peer_may_write = true},
    {.base = 0x1000, .peer_may_write = true, .is_invalidatable = true},
    {.base = 5, .peer_may_read = true},
    {.base = UINT64_MAX - 4195, .peer_may_read = true, .peer_may_write = true},
    {.base = 0, .peer_may_read = true, .peer_may_write = true, .is_foreign = true, .is_invalidatable = true},
    {.base = 7, .peer_may_read = true, .peer_may_write = true, .is_invalidatable = true},
};

const case_region *case_region_of(unsigned region)
{
  g_assert(region < CASE_REGIONS);
  return &regions[region];
}

static bool invalidates(const case_operation *operation)
{
  return operation->kind == CASE_SEND_INVALIDATE || operation->kind == CASE_SEND_SE_INVALIDATE;
}

bool random_case_is_decidable(const random_case *c)
{
  bool waits = !c->is_initiator && c->generation != IWARP_RDMAC;
  bool is_read[CASE_REGIONS] = {false};
  bool number_is_taken = false;
  guint bad = 0;

  for (guint i = 0; i < c->operations; i++) {
    const case_operation *operation = &c->operation[i];
    if (operation->kind == CASE_RESPONSE &&
        (waits || operation->offset + operation->length > CASE_REGION_OCTETS)) {
      return false;
    }
    if (operation->kind == CASE_READ && number_is_taken) {
      return false;
    }
    if (invalidates(operation) && is_read[operation->region]) {
      return false;
    }
    is_read[operation->region] |= operation->kind == CASE_READ;
    if (operation->kind == CASE_BAD && operation->bad == BAD_MARKER && !c->crc) {
      return false;
    }
    bad += operation->kind == CASE_BAD;
    number_is_taken |= operation->kind == CASE_BAD && operation->bad >= BAD_REQUEST_SHORT &&
                       operation->bad <= BAD_SOURCE_BOUNDS;
  }
  return bad <= 1;
}

uint8_t random_case_payload(guint operation, uint32_t index)
{
  return (uint8_t)(1 + operation * 37 + index * 11 + index / 256);
}

static const char *const generation_words[IWARP_GENERATIONS] = {"IWARP_RDMAC", "IWARP_IETF", "IWARP_RFC",
                                                                "IWARP_RFC6581"};

#define WORD(name) #name,

static const char *const kind_words[] = {CASE_KINDS_(WORD)};
static const char *const bad_words[] = {CASE_BADS_(WORD)};

static void print_operations(GString *text, const random_case *c)
{
  for (guint i = 0; i < c->operations; i++) {
    const case_operation *operation = &c->operation[i];
    g_string_append_printf(text, "%s{.kind = %s", i == 0 ? " .operation = {" : ",\n               ",
                           kind_words[operation->kind]);
    if (operation->kind == CASE_BAD) {
      g_string_append_printf(text, ", .bad = %s", bad_words[operation->bad]);
    }
    g_string_append_printf(text, ", .region = %u, .offset = %u, .length = %u}", operation->region,
                           operation->offset, operation->length);
  }
  g_string_append(text, c->operations > 0 ? "},\n" : "");
}

static const char *word(bool flag)
{
  return flag ? "true" : "false";
}

char *random_case_print(const random_case *c)
{
  GString *text = g_string_new(NULL);

  g_string_append_printf(
      text, "{.generation = %s, .is_initiator = %s, .markers = %s, .answer_markers = %s,\n",
      generation_words[c->generation], word(c->is_initiator), word(c->markers), word(c->answer_markers));
  g_string_append_printf(
      text, " .crc = %s, .in_order = %s, .isn = %uU, .mulpdu_octets = %u, .private_data_octets = %u,\n",
      word(c->crc), word(c->in_order), c->isn, c->mulpdu_octets, c->private_data_octets);
  g_string_append_printf(text, " .operations = %u,\n", c->operations);
  print_operations(text, c);
  g_string_append_printf(text, " .arrivals = %u%s", c->arrivals, c->arrivals > 0 ? ",\n" : "");
  for (guint i = 0; i < c->arrivals; i++) {
    const char *before = i == 0 ? " .arrival = {" : i % 8 == 0 ? ",\n             " : ", ";
    g_string_append_printf(text, "%s{%u, %u}", before, c->arrival[i].from, c->arrival[i].to);
  }
  g_string_append(text, c->arrivals > 0 ? "}" : "");
  g_string_append(text, "},\n");
  return g_string_free(text, FALSE);
}
