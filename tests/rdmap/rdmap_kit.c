/* SPDX-License-Identifier: GPL-2.0-only */
#include "rdmap_kit.h"
#include "rdmap/rdmap_stream_private.h"
#include "stack_cleanup.h"

/* Memory between guards. */
typedef struct guarded {
  size_t octets;
  uint8_t *all;
} guarded;

/* What a stream gets as its user. */
typedef struct kit_user {
  rdmap_kit *kit;
  unsigned side;
} kit_user;

/* The kit with what its streams point to. */
typedef struct kit_whole {
  rdmap_kit kit;
  kit_user users[KIT_SIDES];
  bool owns_stags[KIT_SIDES];
  ddp_stream_identity identities[KIT_SIDES];
} kit_whole;

G_GNUC_PRINTF(2, 3) static void write_log(kit_user *user, const char *format, ...)
{
  kit_host *host = &user->kit->hosts[user->side];
  va_list arguments;
  va_start(arguments, format);
  if (host->log->len > 0) {
    g_string_append(host->log, "; ");
  }
  g_string_append_vprintf(host->log, format, arguments);
  va_end(arguments);
}

static void told(kit_user *user)
{
  kit_host *host = &user->kit->hosts[user->side];
  if (host->at_event) {
    host->at_event(user->kit, user->side);
  }
}

static void on_placed(void *user, ddp_segment *segment, const mpa_ulpdu *ulpdu, time_ps now)
{
  kit_user *u = user;
  g_assert_cmpint(now, ==, u->kit->now);
  g_assert_cmpuint(segment->fpdu_start, ==, ulpdu->fpdu_start);
  segment->observer = ~segment->fpdu_start;
  u->kit->hosts[u->side].placed++;
}

static void on_delivered(void *user, const ddp_segment *segment, time_ps now)
{
  kit_user *u = user;
  g_assert_cmpint(now, ==, u->kit->now);
  g_assert_cmpuint(segment->observer, ==, ~segment->fpdu_start);
  g_array_append_val(u->kit->hosts[u->side].delivered, *segment);
}

static void on_received(void *user, const rdmap_received *received, time_ps now)
{
  kit_user *u = user;
  g_assert_cmpint(now, ==, u->kit->now);
  write_log(u, "received %" G_GUINT64_FORMAT " (%" G_GUINT64_FORMAT " octets)%s", received->buffer_id,
            received->length, received->solicited ? ", solicited" : "");
  if (received->invalidated) {
    g_string_append_printf(u->kit->hosts[u->side].log, ", invalidated 0x%x", received->invalidated_stag);
  }
  told(u);
}

static void on_completed(void *user, uint64_t id, rdmap_operation operation, bool in_error, time_ps now)
{
  kit_user *u = user;
  g_assert_cmpint(now, ==, u->kit->now);
  g_assert_cmpint(operation, <, RDMAP_OPERATIONS);
  write_log(u, "completed %" G_GUINT64_FORMAT "%s", id, in_error ? " in error" : "");
  told(u);
}

static void on_terminated(void *user, const rdmap_terminate *terminate, bool by_peer, time_ps now)
{
  kit_user *u = user;
  kit_host *host = &u->kit->hosts[u->side];
  g_assert_cmpint(now, ==, u->kit->now);
  write_log(u, "%s Terminate %u/%u/%02X", by_peer ? "got" : "sends", terminate->error.layer,
            terminate->error.type, terminate->error.code);
  *(by_peer ? &host->received_terminate : &host->sent_terminate) = *terminate;
  told(u);
}

static void on_half_closed(void *user, time_ps now)
{
  kit_user *u = user;
  g_assert_cmpint(now, ==, u->kit->now);
  write_log(u, "half-closed");
  told(u);
}

rdmap_config rdmap_kit_config(unsigned side)
{
  return (rdmap_config){.generation = IWARP_IETF,
                        .identity = {.stream_id = 1 + side, .protection_domain = 7},
                        .ird = 2,
                        .ord = 2,
                        .strict_responses = true,
                        .first_offset = KIT_FIRST_OFFSET};
}

static void host_init(kit_whole *whole, unsigned side, const rdmap_config *given)
{
  static const rdmap_stream_events events = {
      .received = on_received, .completed = on_completed, .terminated = on_terminated};
  static const ddp_probe probe = {
      .placed = on_placed, .delivered = on_delivered, .half_closed = on_half_closed};
  kit_host *host = &whole->kit.hosts[side];
  rdmap_config config = given ? *given : rdmap_kit_config(side);
  if (!config.stags) {
    config.stags = ddp_stag_table_new(side);
    whole->owns_stags[side] = true;
  }
  whole->users[side] = (kit_user){.kit = &whole->kit, .side = side};
  config.probe = &probe;
  config.probe_user = &whole->users[side];
  whole->identities[side] = config.identity;
  host->stags = config.stags;
  host->sent = g_array_new(FALSE, TRUE, sizeof(kit_ulpdu));
  host->delivered = g_array_new(FALSE, TRUE, sizeof(ddp_segment));
  host->memories = g_ptr_array_new();
  host->log = g_string_new(NULL);
  host->stream = rdmap_stream_new(&config, &events, &whole->users[side]);
}

rdmap_kit *rdmap_kit_new(const rdmap_config *a, const rdmap_config *b)
{
  kit_whole *whole = g_new0(kit_whole, 1);
  whole->kit.mulpdu_octets = KIT_DEFAULT_MULPDU;
  whole->kit.now = 10 * TIME_PS_PER_SECOND;
  host_init(whole, KIT_A, a);
  host_init(whole, KIT_B, b);
  return &whole->kit;
}

static void free_guarded(guarded *memory)
{
  rdmap_kit_assert_untouched(memory->all, KIT_GUARD_OCTETS);
  rdmap_kit_assert_untouched(memory->all + KIT_GUARD_OCTETS + memory->octets, KIT_GUARD_OCTETS);
  g_free(memory->all);
  g_free(memory);
}

void rdmap_kit_free(rdmap_kit *kit)
{
  g_autofree kit_whole *whole = (kit_whole *)kit;
  for (unsigned side = 0; side < KIT_SIDES; side++) {
    kit_host *host = &kit->hosts[side];
    rdmap_stream_free(host->stream);
    if (whole->owns_stags[side]) {
      ddp_stag_table_free(host->stags);
    }
    for (size_t i = 0; i < host->sent->len; i++) {
      g_free(g_array_index(host->sent, kit_ulpdu, i).octets);
    }
    for (size_t i = 0; i < host->memories->len; i++) {
      free_guarded(g_ptr_array_index(host->memories, i));
    }
    g_ptr_array_unref(host->memories);
    g_array_unref(host->sent);
    g_array_unref(host->delivered);
    g_string_free(host->log, TRUE);
  }
}

uint8_t *rdmap_kit_memory(rdmap_kit *kit, unsigned side, size_t octets)
{
  guarded *memory = g_new0(guarded, 1);
  size_t all = KIT_GUARD_OCTETS + octets + KIT_GUARD_OCTETS;
  memory->octets = octets;
  memory->all = g_malloc(all);
  memset(memory->all, KIT_UNTOUCHED, all);
  g_ptr_array_add(kit->hosts[side].memories, memory);
  return memory->all + KIT_GUARD_OCTETS;
}

uint8_t *rdmap_kit_pattern(rdmap_kit *kit, unsigned side, size_t octets, unsigned seed)
{
  uint8_t *memory = rdmap_kit_memory(kit, side, octets);
  for (size_t i = 0; i < octets; i++) {
    memory[i] = (uint8_t)((i * 31 + i / 230 + seed * 101) % KIT_UNTOUCHED);
  }
  return memory;
}

uint32_t rdmap_kit_register(rdmap_kit *kit, unsigned side, uint8_t *memory, uint64_t base, uint64_t length,
                            unsigned access)
{
  kit_whole *whole = (kit_whole *)kit;
  uint32_t stag = 0;
  ddp_registration registration = {.memory = memory,
                                   .base = base,
                                   .length = length,
                                   .access = access,
                                   .association = DDP_ASSOCIATED_BY_PROTECTION_DOMAIN,
                                   .owner = whole->identities[side],
                                   .is_remotely_invalidatable = true};
  g_assert_true(ddp_stag_table_register(kit->hosts[side].stags, &registration, &stag));
  return stag;
}

uint8_t *rdmap_kit_post_receive(rdmap_kit *kit, unsigned side, size_t octets)
{
  uint8_t *memory = rdmap_kit_memory(kit, side, octets);
  kit_host *host = &kit->hosts[side];
  ddp_untagged_queue_post(rdmap_stream_queue_of(host->stream, RDMAP_QUEUE_SEND), memory, octets,
                          ++host->next_buffer_id);
  return memory;
}

static void memory_source(void *user, uint64_t from, uint32_t length, buffer_chain *chain)
{
  buffer_chain_append(chain, (const uint8_t *)user + from, length, NULL);
}

bool rdmap_kit_post_work(rdmap_kit *kit, unsigned side, rdmap_work work)
{
  if (!work.source && work.source_user) {
    work.source = memory_source;
  }
  return rdmap_stream_post(kit->hosts[side].stream, &work);
}

/* Appends `ulpdu`, taken over, behind what the side has sent; an FPDU has a length field, PAD and CRC
 * around it. */
static void append_sent(kit_host *host, uint8_t *octets, uint32_t length)
{
  uint64_t start = KIT_FIRST_OFFSET;
  if (host->sent->len > 0) {
    start = g_array_index(host->sent, kit_ulpdu, host->sent->len - 1).fpdu_end;
  }
  kit_ulpdu ulpdu = {.octets = octets,
                     .length = length,
                     .fpdu_start = start,
                     .fpdu_end = start + (2 + (uint64_t)length + 3) / 4 * 4 + 4};
  g_array_append_val(host->sent, ulpdu);
}

bool rdmap_kit_pull(rdmap_kit *kit, unsigned side)
{
  kit_host *host = &kit->hosts[side];
  g_auto(buffer_chain) chain;
  buffer_chain_init(&chain);
  bool has_nothing = rdmap_stream_has_nothing(host->stream);
  g_assert_true(has_nothing || host->stream->is_terminated || !rdmap_stream_is_drained(host->stream));
  bool pulled = rdmap_stream_next_ulpdu(host->stream, kit->mulpdu_octets, &chain, kit->now);
  g_assert_false(has_nothing && pulled);
  if (pulled) {
    g_assert_cmpuint(chain.length, <=, kit->mulpdu_octets);
    uint8_t *octets = g_malloc(chain.length);
    buffer_chain_copy_out(&chain, 0, chain.length, octets);
    append_sent(host, octets, chain.length);
    rdmap_stream_framed(host->stream, rdmap_kit_sent(kit, side, host->sent->len - 1)->fpdu_end);
  }
  return pulled;
}

size_t rdmap_kit_pull_all(rdmap_kit *kit, unsigned side)
{
  size_t count = 0;
  while (rdmap_kit_pull(kit, side)) {
    count++;
  }
  return count;
}

const kit_ulpdu *rdmap_kit_sent(const rdmap_kit *kit, unsigned side, size_t index)
{
  const kit_host *host = &kit->hosts[side];
  g_assert_cmpuint(index, <, host->sent->len);
  return &g_array_index(host->sent, kit_ulpdu, index);
}

void rdmap_kit_forge(rdmap_kit *kit, unsigned side, const ddp_header *header, const void *payload,
                     uint32_t length)
{
  uint8_t *octets = g_malloc0(DDP_MAX_HEADER_OCTETS + (size_t)length);
  uint32_t header_octets = (uint32_t)ddp_header_encode(header, octets);
  if (payload && length > 0) {
    memcpy(octets + header_octets, payload, length);
  }
  append_sent(&kit->hosts[side], octets, header_octets + length);
}

void rdmap_kit_forge_hex(rdmap_kit *kit, unsigned side, const char *hex)
{
  uint8_t *octets = g_malloc0(strlen(hex) / 2 + 1);
  uint32_t digits = 0;
  for (const char *digit = hex; *digit; digit++) {
    if (*digit != ' ') {
      g_assert_true(g_ascii_isxdigit(*digit));
      octets[digits / 2] = (uint8_t)(octets[digits / 2] << 4 | g_ascii_xdigit_value(*digit));
      digits++;
    }
  }
  g_assert_cmpuint(digits % 2, ==, 0);
  append_sent(&kit->hosts[side], octets, digits / 2);
}

void rdmap_kit_pass(rdmap_kit *kit, unsigned side, size_t index)
{
  const kit_ulpdu *sent = rdmap_kit_sent(kit, side, index);
  g_auto(buffer_chain) chain;
  buffer_chain_init(&chain);
  /* Two slices, cut within the header, from memory that is gone when the ULPDU was taken. */
  octet_buffer *buffer = octet_buffer_new(MAX(sent->length, 1));
  memcpy(octet_buffer_octets(buffer), sent->octets, sent->length);
  buffer_chain_append(&chain, sent->octets, MIN(sent->length, 9), NULL);
  buffer_chain_append(&chain, octet_buffer_octets(buffer) + chain.length, sent->length - chain.length,
                      buffer);
  octet_buffer_unref(buffer);
  mpa_ulpdu_part part = {.from = 0, .length = sent->length, .arrival = ++kit->now};
  mpa_ulpdu ulpdu = {.fpdu_start = sent->fpdu_start,
                     .fpdu_end = sent->fpdu_end,
                     .octets = &chain,
                     .parts = &part,
                     .part_count = 1};
  rdmap_stream_receive(kit->hosts[!side].stream, &ulpdu, kit->now);
}

void rdmap_kit_pass_rest(rdmap_kit *kit, unsigned side)
{
  kit_host *host = &kit->hosts[side];
  while (host->passed < host->sent->len) {
    rdmap_kit_pass(kit, side, host->passed++);
  }
}

size_t rdmap_kit_send(rdmap_kit *kit, unsigned side)
{
  size_t pulled = rdmap_kit_pull_all(kit, side);
  rdmap_kit_pass_rest(kit, side);
  return pulled;
}

void rdmap_kit_acknowledge(rdmap_kit *kit, unsigned side)
{
  kit_host *host = &kit->hosts[side];
  if (host->sent->len > 0) {
    rdmap_stream_acknowledged(host->stream, rdmap_kit_sent(kit, side, host->sent->len - 1)->fpdu_end,
                              ++kit->now);
  }
}

void rdmap_kit_run(rdmap_kit *kit)
{
  size_t moved = 1;
  while (moved > 0) {
    moved = 0;
    for (unsigned side = 0; side < KIT_SIDES; side++) {
      kit_host *host = &kit->hosts[side];
      rdmap_kit_pull_all(kit, side);
      moved += host->sent->len - host->passed;
      rdmap_kit_pass_rest(kit, side);
      rdmap_kit_acknowledge(kit, side);
    }
  }
}

static bool is_of(const kit_ulpdu *ulpdu, rdmap_opcode opcode)
{
  return ulpdu->length > 1 && rdmap_control_opcode(ulpdu->octets[1]) == opcode;
}

size_t rdmap_kit_count(const rdmap_kit *kit, unsigned side, rdmap_opcode opcode)
{
  size_t count = 0;
  for (size_t i = 0; i < kit->hosts[side].sent->len; i++) {
    count += is_of(rdmap_kit_sent(kit, side, i), opcode);
  }
  return count;
}

size_t rdmap_kit_find(const rdmap_kit *kit, unsigned side, rdmap_opcode opcode)
{
  size_t index = 0;
  while (!is_of(rdmap_kit_sent(kit, side, index), opcode)) {
    index++;
  }
  return index;
}

void rdmap_kit_assert_octets(const uint8_t *octets, uint32_t length, const char *hex)
{
  g_autoptr(GString) expected = g_string_new(NULL);
  g_autoptr(GString) actual = g_string_new(NULL);
  for (const char *digit = hex; *digit; digit++) {
    if (*digit != ' ') {
      g_string_append_c(expected, g_ascii_toupper(*digit));
    }
  }
  for (uint32_t i = 0; i < length; i++) {
    g_string_append_printf(actual, "%02X", octets[i]);
  }
  g_assert_cmpstr(actual->str, ==, expected->str);
}

void rdmap_kit_assert_sent(const rdmap_kit *kit, unsigned side, size_t index, const char *hex)
{
  const kit_ulpdu *sent = rdmap_kit_sent(kit, side, index);
  rdmap_kit_assert_octets(sent->octets, sent->length, hex);
}

void rdmap_kit_assert_log(const rdmap_kit *kit, unsigned side, const char *expected)
{
  g_assert_cmpstr(kit->hosts[side].log->str, ==, expected);
}

void rdmap_kit_assert_untouched(const uint8_t *memory, size_t octets)
{
  for (size_t i = 0; i < octets; i++) {
    g_assert_cmphex(memory[i], ==, KIT_UNTOUCHED);
  }
}
