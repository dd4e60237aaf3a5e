/* SPDX-License-Identifier: GPL-2.0-only */
#include "rdmap_fixture.h"

#include "bare_ulpdu.h"
#include "base/big_endian.h"

const rdmap_opcode rdmap_fixture_operations[RDMAP_FIXTURE_EXTENDED] = {
    RDMAP_WRITE,           RDMAP_READ_REQUEST, RDMAP_SEND,
    RDMAP_SEND_INVALIDATE, RDMAP_SEND_SE,      RDMAP_SEND_SE_INVALIDATE,
    RDMAP_IMMEDIATE,       RDMAP_IMMEDIATE_SE, RDMAP_ATOMIC_REQUEST};

/* Memory between guards. */
typedef struct guarded {
  size_t octets;
  uint8_t *all;
} guarded;

/* The user `u` of a callback is a host, whose clock shows `now`. */
static rdmap_host *host_at(void *u, time_ps now)
{
  rdmap_host *host = u;
  g_assert_cmpint(now, ==, host->f->now);
  return host;
}

G_GNUC_PRINTF(2, 3) static void write_log(rdmap_host *host, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  if (host->log->len > 0) {
    g_string_append(host->log, "; ");
  }
  g_string_append_vprintf(host->log, format, arguments);
  va_end(arguments);
  if (host->at_event) {
    host->at_event(host);
  }
}

static void on_placed(void *user, ddp_segment *segment, const mpa_ulpdu *ulpdu, time_ps now)
{
  g_assert_cmpuint(segment->fpdu_start, ==, ulpdu->fpdu.start);
  segment->observer = ~segment->fpdu_start;
  host_at(user, now)->placed++;
}

static void on_delivered(void *user, const ddp_segment *segment, time_ps now)
{
  g_assert_cmpuint(segment->observer, ==, ~segment->fpdu_start);
  g_array_append_val(host_at(user, now)->delivered, *segment);
}

static void on_completed(void *user, const rdmap_completion *completion, time_ps now)
{
  g_autofree char *invalidated =
      completion->invalidated ? g_strdup_printf(", invalidated 0x%x", completion->invalidated_stag) : NULL;
  if (completion->is_receive) {
    g_autofree char *immediate =
        completion->is_immediate
            ? g_strdup_printf(", immediate %" G_GINT64_MODIFIER "x", completion->immediate)
            : NULL;
    write_log(host_at(user, now), "received %" G_GUINT64_FORMAT " (%" G_GUINT64_FORMAT " octets)%s%s%s",
              completion->id, completion->octets, completion->solicited ? ", solicited" : "",
              invalidated ? invalidated : "", immediate ? immediate : "");
    return;
  }
  bool is_atomic = completion->operation == RDMAP_ATOMIC_REQUEST;
  g_assert_true(rdmap_opcode_rules_of((uint8_t)completion->operation)->queue_number == RDMAP_QUEUE_SEND ||
                completion->operation == RDMAP_READ_REQUEST || is_atomic);
  g_autofree char *original =
      is_atomic && !completion->in_error
          ? g_strdup_printf(", original %" G_GINT64_MODIFIER "x", completion->original)
          : NULL;
  write_log(host_at(user, now), "completed %" G_GUINT64_FORMAT "%s%s", completion->id,
            completion->in_error ? " in error" : "", original ? original : "");
}

static void on_terminated(void *user, const rdmap_terminate *terminate, bool by_peer, time_ps now)
{
  rdmap_host *host = host_at(user, now);
  *(by_peer ? &host->received_terminate : &host->sent_terminate) = *terminate;
  write_log(host, "%s Terminate %u/%u/%02X", by_peer ? "got" : "sends", terminate->error.layer,
            terminate->error.type, terminate->error.code);
}

static void on_half_closed(void *user, time_ps now)
{
  write_log(host_at(user, now), "half-closed");
}

rdmap_config rdmap_fixture_config(uint32_t stream_id)
{
  static const rdmap_beginning beginning = {.offset = FIRST_OFFSET};
  return (rdmap_config){.generation = IWARP_IETF,
                        .identity = {.stream_id = stream_id, .protection_domain = PD},
                        .ird = 2,
                        .ord = 2,
                        .strict_responses = true,
                        .beginning = &beginning};
}

static void free_ulpdu(gpointer ulpdu)
{
  g_free(((sent_ulpdu *)ulpdu)->octets);
}

static void free_guarded(gpointer data)
{
  guarded *memory = data;
  assert_untouched(memory->all, GUARD_OCTETS);
  assert_untouched(memory->all + GUARD_OCTETS + memory->octets, GUARD_OCTETS);
  g_free(memory->all);
  g_free(memory);
}

static void host_init(rdmap_host *host, rdmap_config config)
{
  static const rdmap_stream_events events = {.completed = on_completed, .terminated = on_terminated};
  static const ddp_probe probe = {
      .placed = on_placed, .delivered = on_delivered, .half_closed = on_half_closed};
  host->owns_stags = !config.stags;
  if (host->owns_stags) {
    config.stags = ddp_stag_table_new(config.identity.stream_id - 1);
  }
  config.probe = &probe;
  config.probe_user = host;
  host->identity = config.identity;
  host->stags = config.stags;
  host->sent = g_array_new(FALSE, TRUE, sizeof(sent_ulpdu));
  g_array_set_clear_func(host->sent, free_ulpdu);
  host->delivered = g_array_new(FALSE, TRUE, sizeof(ddp_segment));
  host->memories = g_ptr_array_new_with_free_func(free_guarded);
  host->log = g_string_new(NULL);
  host->stream = rdmap_stream_new(&config, &events, host);
}

rdmap_fixture *rdmap_fixture_new(const rdmap_config *a, const rdmap_config *b)
{
  rdmap_fixture *f = g_new0(rdmap_fixture, 1);
  f->mulpdu_octets = DEFAULT_MULPDU;
  f->now = 10 * TIME_PS_PER_SECOND;
  f->a = &f->hosts[0];
  f->b = &f->hosts[1];
  *f->a = (rdmap_host){.f = f, .peer = f->b};
  *f->b = (rdmap_host){.f = f, .peer = f->a};
  host_init(f->a, a ? *a : rdmap_fixture_config(1));
  host_init(f->b, b ? *b : rdmap_fixture_config(2));
  return f;
}

static const uint32_t targets[TARGETS] = {TARGET_WRITE,        TARGET_READ, TARGET_FOREIGN, TARGET_KEPT,
                                          TARGET_OTHER_STREAM, TARGET_TOP,  TARGET_NONE};

rdmap_fixture *rdmap_fixture_with_targets(const rdmap_config *b)
{
  rdmap_fixture *f = rdmap_fixture_new(NULL, b);
  for (unsigned i = 0; i < TARGETS; i++) {
    uint32_t stag = targets[i];
    unsigned access = stag == TARGET_WRITE  ? DDP_ACCESS_REMOTE_WRITE
                      : stag == TARGET_READ ? DDP_ACCESS_REMOTE_READ
                      : stag == TARGET_NONE ? DDP_ACCESS_NONE
                                            : DDP_ACCESS_REMOTE_READ | DDP_ACCESS_REMOTE_WRITE;
    bool is_readable = access & DDP_ACCESS_REMOTE_READ;
    f->targets[i] = is_readable ? new_pattern(f->b, TARGET_OCTETS, i) : new_memory(f->b, TARGET_OCTETS);
    memcpy(f->before[i], f->targets[i], TARGET_OCTETS);
    register_as(f->b, stag,
                (ddp_registration){.memory = f->targets[i],
                                   .base = stag == TARGET_TOP ? UINT64_MAX - TARGET_OCTETS : stag / 16,
                                   .length = TARGET_OCTETS,
                                   .access = access,
                                   .association = stag == TARGET_OTHER_STREAM
                                                      ? DDP_ASSOCIATED_BY_STREAM
                                                      : DDP_ASSOCIATED_BY_PROTECTION_DOMAIN,
                                   .owner = {.stream_id = stag == TARGET_OTHER_STREAM ? 99 : B_STREAM,
                                             .protection_domain = stag == TARGET_FOREIGN ? OTHER_PD : PD},
                                   .is_remotely_invalidatable = stag != TARGET_KEPT});
  }
  f->receive = post_receive(f->b, TARGET_RECEIVE_OCTETS);
  return f;
}

const ddp_registration good_registration = {.base = BASE,
                                            .length = OCTETS,
                                            .access = DDP_ACCESS_REMOTE_READ | DDP_ACCESS_REMOTE_WRITE,
                                            .association = DDP_ASSOCIATED_BY_PROTECTION_DOMAIN,
                                            .owner = {.stream_id = 77, .protection_domain = PD},
                                            .is_remotely_invalidatable = true};

const stag_association associations[ASSOCIATIONS] = {
    {"of the same Protection Domain, whatever its stream",
     DDP_ASSOCIATED_BY_PROTECTION_DOMAIN,
     {99, PD},
     true},
    {"of another Protection Domain, though it names the stream",
     DDP_ASSOCIATED_BY_PROTECTION_DOMAIN,
     {B_STREAM, OTHER_PD},
     false},
    {"of the stream, whatever the Protection Domain", DDP_ASSOCIATED_BY_STREAM, {B_STREAM, OTHER_PD}, true},
    {"of another stream of the Protection Domain", DDP_ASSOCIATED_BY_STREAM, {99, PD}, false},
};

ddp_registration registration_for(const stag_association *association)
{
  return WITH(ddp_registration, good_registration, .association = association->association,
              .owner = association->owner);
}

rdmap_fixture *rdmap_fixture_with_stag(const rdmap_config *a, const rdmap_config *b,
                                       ddp_registration registration)
{
  rdmap_fixture *f = rdmap_fixture_new(a, b);
  f->remote = new_pattern(f->b, OCTETS, 5);
  f->local = new_memory(f->a, OCTETS + 1);
  register_as(f->b, STAG, WITH(ddp_registration, registration, .memory = f->remote));
  register_as(f->a, SINK,
              WITH(ddp_registration, good_registration, .base = 0, .length = OCTETS + 1, .memory = f->local));
  return f;
}

void rdmap_fixture_free(rdmap_fixture *f)
{
  for (unsigned i = 0; i < HOSTS; i++) {
    rdmap_host *host = &f->hosts[i];
    rdmap_stream_free(host->stream);
    if (host->owns_stags) {
      ddp_stag_table_free(host->stags);
    }
    g_ptr_array_unref(host->memories);
    g_array_unref(host->sent);
    g_array_unref(host->delivered);
    g_string_free(host->log, TRUE);
  }
  g_free(f);
}

uint8_t *new_memory(rdmap_host *host, size_t octets)
{
  guarded *memory = g_new0(guarded, 1);
  size_t all = GUARD_OCTETS + octets + GUARD_OCTETS;
  memory->octets = octets;
  memory->all = g_malloc(all);
  memset(memory->all, UNTOUCHED, all);
  g_ptr_array_add(host->memories, memory);
  return memory->all + GUARD_OCTETS;
}

uint8_t *new_pattern(rdmap_host *host, size_t octets, unsigned seed)
{
  uint8_t *memory = new_memory(host, octets);
  for (size_t i = 0; i < octets; i++) {
    memory[i] = (uint8_t)((i * 31 + i / 230 + seed * 101) % UNTOUCHED);
  }
  return memory;
}

uint32_t register_memory(rdmap_host *host, uint8_t *memory, uint64_t base, uint64_t length, unsigned access)
{
  uint32_t stag = 0;
  ddp_registration registration = {.memory = memory,
                                   .base = base,
                                   .length = length,
                                   .access = access,
                                   .association = DDP_ASSOCIATED_BY_PROTECTION_DOMAIN,
                                   .owner = host->identity,
                                   .is_remotely_invalidatable = true};
  g_assert_true(ddp_stag_table_register(host->stags, &registration, &stag));
  return stag;
}

void register_as(rdmap_host *host, uint32_t stag, ddp_registration registration)
{
  g_assert_true(ddp_stag_table_register_as(host->stags, stag, &registration));
}

uint8_t *post_receive(rdmap_host *host, size_t octets)
{
  uint8_t *memory = new_memory(host, octets);
  ddp_untagged_queue_post(rdmap_stream_queue_of(host->stream, RDMAP_QUEUE_SEND), memory, octets,
                          ++host->next_buffer_id);
  return memory;
}

static octet_slice memory_source(void *user, uint64_t from, uint32_t length)
{
  return (octet_slice){.octets = (const uint8_t *)user + from, .length = length};
}

bool try_post(rdmap_host *host, rdmap_work work)
{
  if (!work.source && work.source_user) {
    work.source = memory_source;
  }
  return rdmap_stream_post(host->stream, &work);
}

/* Appends a ULPDU of `octets`, taken over, to what the host has sent; an FPDU has a length field, PAD and CRC
 * around it. */
static void append_sent(rdmap_host *host, uint8_t *octets, uint32_t length)
{
  uint64_t start = host->sent->len > 0 ? last_sent(host)->fpdu_end : FIRST_OFFSET;
  sent_ulpdu ulpdu = {.octets = octets,
                      .length = length,
                      .fpdu_start = start,
                      .fpdu_end = start + (2 + (uint64_t)length + 3) / 4 * 4 + 4};
  g_array_append_val(host->sent, ulpdu);
}

bool next_ulpdu(rdmap_host *host, uint32_t mulpdu_octets, buffer_chain *chain)
{
  ddp_ulpdu ulpdu;
  if (!rdmap_stream_next_ulpdu(host->stream, mulpdu_octets, &ulpdu, host->f->now)) {
    return false;
  }
  gather_list octets = ddp_ulpdu_octets(&ulpdu);
  buffer_chain_append_gathered(chain, &octets);
  return true;
}

bool pull(rdmap_host *host)
{
  g_auto(buffer_chain) chain;
  buffer_chain_init(&chain);
  bool has_nothing = rdmap_stream_has_nothing(host->stream);
  g_assert_true(has_nothing || host->stream->is_terminated || !rdmap_stream_is_drained(host->stream));
  bool pulled = next_ulpdu(host, host->f->mulpdu_octets, &chain);
  g_assert_false(has_nothing && pulled);
  if (pulled) {
    g_assert_cmpuint(chain.length, <=, host->f->mulpdu_octets);
    uint8_t *octets = g_malloc(chain.length);
    buffer_chain_copy_out(&chain, 0, chain.length, octets);
    append_sent(host, octets, chain.length);
    rdmap_stream_framed(host->stream, last_sent(host)->fpdu_end);
  }
  return pulled;
}

size_t pull_all(rdmap_host *host)
{
  size_t count = 0;
  while (pull(host)) {
    count++;
  }
  return count;
}

const sent_ulpdu *nth_sent(const rdmap_host *host, size_t index)
{
  g_assert_cmpuint(index, <, host->sent->len);
  return &g_array_index(host->sent, sent_ulpdu, index);
}

const sent_ulpdu *last_sent(const rdmap_host *host)
{
  return nth_sent(host, host->sent->len - 1);
}

uint32_t word_of(const rdmap_host *host, size_t index, size_t at)
{
  return big_endian_read_32(nth_sent(host, index)->octets + at);
}

void forge(rdmap_host *host, const ddp_header *header, const void *payload, uint32_t length)
{
  uint8_t *octets = g_malloc0(DDP_MAX_HEADER_OCTETS + (size_t)length);
  uint32_t header_octets = (uint32_t)ddp_header_encode(header, octets);
  octets[0] |= 0x3C; /* the Rsvd bits: nothing looks at them (DDP-045) */
  if (payload && length > 0) {
    memcpy(octets + header_octets, payload, length);
  }
  append_sent(host, octets, header_octets + length);
}

void forge_hex(rdmap_host *host, const char *hex)
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
  append_sent(host, octets, digits / 2);
}

void pass(rdmap_host *host, size_t index)
{
  const sent_ulpdu *sent = nth_sent(host, index);
  rdmap_fixture *f = host->f;
  g_auto(buffer_chain) chain;
  buffer_chain_init(&chain);
  /* Two slices, cut within the header, from memory that is gone when the ULPDU was taken. */
  octet_buffer *buffer = octet_buffer_new(MAX(sent->length, 1));
  memcpy(octet_buffer_octets(buffer), sent->octets, sent->length);
  buffer_chain_append(&chain, sent->octets, MIN(sent->length, 9), NULL);
  buffer_chain_append(&chain, octet_buffer_octets(buffer) + chain.length, sent->length - chain.length,
                      buffer);
  octet_buffer_unref(buffer);
  mpa_ulpdu_part part = {.from = 0, .length = sent->length, .arrival = ++f->now};
  mpa_ulpdu ulpdu = bare_ulpdu(sent->fpdu_start, sent->fpdu_end, &chain);
  ulpdu.parts = &part;
  ulpdu.part_count = 1;
  rdmap_stream_receive(host->peer->stream, &ulpdu, f->now);
}

void pass_rest(rdmap_host *host)
{
  while (host->passed < host->sent->len) {
    pass(host, host->passed++);
  }
}

void receive_hex(rdmap_fixture *f, const char *hex)
{
  forge_hex(f->a, hex);
  pass(f->a, f->a->sent->len - 1);
}

size_t send_all(rdmap_host *host)
{
  size_t pulled = pull_all(host);
  pass_rest(host);
  return pulled;
}

void acknowledge(rdmap_host *host)
{
  if (host->sent->len > 0) {
    rdmap_stream_acknowledged(host->stream, last_sent(host)->fpdu_end, ++host->f->now);
  }
}

void exchange(rdmap_fixture *f)
{
  size_t moved = 1;
  while (moved > 0) {
    moved = 0;
    for (unsigned i = 0; i < HOSTS; i++) {
      rdmap_host *host = &f->hosts[i];
      pull_all(host);
      moved += host->sent->len - host->passed;
      pass_rest(host);
      acknowledge(host);
    }
  }
}

size_t count_sent(const rdmap_host *host, rdmap_opcode opcode)
{
  size_t count = 0;
  for (size_t i = 0; i < host->sent->len; i++) {
    const sent_ulpdu *sent = nth_sent(host, i);
    count += sent->length > 1 && rdmap_control_opcode(sent->octets[1]) == opcode;
  }
  return count;
}

char *octets_to_hex(const uint8_t *octets, uint32_t length)
{
  GString *hex = g_string_new(NULL);
  for (uint32_t i = 0; i < length; i++) {
    g_string_append_printf(hex, "%02X", octets[i]);
  }
  return g_string_free(hex, FALSE);
}

void assert_octets(const uint8_t *octets, uint32_t length, const char *hex)
{
  g_autoptr(GString) expected = g_string_new(hex);
  g_autofree char *actual = octets_to_hex(octets, length);
  g_string_replace(expected, " ", "", 0);
  g_string_ascii_up(expected);
  g_assert_cmpstr(actual, ==, expected->str);
}

void assert_sent(const rdmap_host *host, size_t index, const char *hex)
{
  const sent_ulpdu *sent = nth_sent(host, index);
  assert_octets(sent->octets, sent->length, hex);
}

void assert_untouched(const uint8_t *memory, size_t octets)
{
  for (size_t i = 0; i < octets; i++) {
    g_assert_cmphex(memory[i], ==, UNTOUCHED);
  }
}

void assert_targets_unchanged(const rdmap_fixture *f)
{
  for (size_t i = 0; i < TARGETS; i++) {
    g_assert_cmpmem(f->targets[i], TARGET_OCTETS, f->before[i], TARGET_OCTETS);
  }
}

void assert_targets_registered(const rdmap_fixture *f, uint32_t except)
{
  for (size_t i = 0; i < TARGETS; i++) {
    g_assert_cmpint(ddp_stag_table_find(f->b->stags, targets[i]) != NULL, ==, targets[i] != except);
  }
}
