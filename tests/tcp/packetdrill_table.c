/* SPDX-License-Identifier: GPL-2.0-only */
#include "packetdrill_table.h"

#include <string.h>

#include "linux_keys.h"

/* This is what has left, as a table has it, and when. */
typedef struct departure {
  time_ps at;
  packetdrill_row row;
} departure;

typedef struct stage {
  const packetdrill_script *script;
  tcp_fixture *fixture;
  time_ps origin; /* of the table's time */
  time_ps when;   /* of the row at hand */
  size_t row;
  GQueue departed; /* of departure, not looked for yet */
  uint32_t sent;   /* the highest sequence number, by either side … */
  uint32_t received;
  uint8_t window_scale; /* of the connection's own window */
  char *failure;
} stage;

tcp_config packetdrill_config(void)
{
  tcp_config config = tcp_config_default();
  take_linux_keys(&config, 0);
  config.isn = 1000;
  config.receive_window_octets = 1 << 20;
  config.slow_start = TCP_SLOW_START_STANDARD;
  config.segmentation = TCP_SEGMENTATION_STREAM;
  return config;
}

tcp_header packetdrill_syn(void)
{
  return (tcp_header){.window = 32792,
                      .has_mss = true,
                      .mss_octets = 1000,
                      .has_sack_permitted = true,
                      .has_window_scale = true,
                      .window_scale = 7};
}

packetdrill_script packetdrill_script_of(const char *source, const packetdrill_row *rows, size_t row_count)
{
  return (packetdrill_script){.source = source,
                              .config = packetdrill_config(),
                              .syn = packetdrill_syn(),
                              .window_octets = 65536,
                              .round_trip_us = 100000,
                              .rows = rows,
                              .row_count = row_count};
}

static const tcp_config *own(const stage *s)
{
  return &s->fixture->end[0].config;
}

static uint32_t peer_isn(const stage *s)
{
  return s->fixture->end[1].config.isn;
}

static void describe_flags(GString *text, uint8_t flags)
{
  static const struct {
    uint8_t flag;
    char letter;
  } letters[] = {{TCP_SYN, 'S'}, {TCP_FIN, 'F'}, {TCP_RST, 'R'}, {TCP_PSH, 'P'},
                 {TCP_ECE, 'E'}, {TCP_CWR, 'W'}, {TCP_ACK, '.'}};
  for (size_t i = 0; i < G_N_ELEMENTS(letters); i++) {
    if (flags & letters[i].flag) {
      g_string_append_c(text, letters[i].letter);
    }
  }
}

/* Prints all that has been seen and, of what was expected, what the table has. */
static void describe_row(GString *text, const stage *s, const packetdrill_row *row, time_ps at)
{
  describe_flags(text, row->flags ? row->flags : TCP_ACK);
  g_string_append_printf(text, " %u:%u ack %u", row->from, row->to, row->ack);
  if (row->window > 0) {
    g_string_append_printf(text, " win %u", row->window == WINDOW_SHUT ? 0 : row->window);
  }
  for (unsigned i = 0; i < TCP_SACK_BLOCKS_MAX && row->sack[i][1] > 0; i++) {
    g_string_append_printf(text, "%s %u:%u", i == 0 ? " sack" : "", row->sack[i][0], row->sack[i][1]);
  }
  if (row->timestamp_value > 0) {
    g_string_append_printf(text, " val %u ecr %u", row->timestamp_value, row->timestamp_echo);
  }
  g_string_append_printf(text, " ecn %d at %" G_GINT64_FORMAT " us", row->ecn,
                         (at - s->origin) / TIME_PS_PER_MICROSECOND);
}

/* The first thing that is not as in the table; `seen` NULL: nothing was. */
static void fail(stage *s, const packetdrill_row *expected, const departure *seen, const char *what)
{
  if (s->failure) {
    return;
  }
  GString *text = g_string_new(NULL);
  g_string_printf(text, "%s, row %zu: %s: expected ", s->script->source, s->row, what);
  if (expected) {
    describe_row(text, s, expected, s->when);
  } else {
    g_string_append(text, "nothing");
  }
  g_string_append(text, ", seen ");
  if (seen) {
    describe_row(text, s, &seen->row, seen->at);
  } else {
    g_string_append_printf(text, "nothing at %" G_GINT64_FORMAT " us",
                           (s->fixture->now - s->origin) / TIME_PS_PER_MICROSECOND);
  }
  s->failure = g_string_free(text, FALSE);
}

static void fail_number(stage *s, const char *what, uint64_t expected, uint64_t seen)
{
  if (!s->failure && expected != seen) {
    s->failure = g_strdup_printf("%s, row %zu: %s: expected %" G_GUINT64_FORMAT ", seen %" G_GUINT64_FORMAT
                                 " at %" G_GINT64_FORMAT " us",
                                 s->script->source, s->row, what, expected, seen,
                                 (s->fixture->now - s->origin) / TIME_PS_PER_MICROSECOND);
  }
}

static uint64_t reordering_of(const tcp_fixture *f)
{
  const tcp_sender *sender = &tcp_connection_of(f->end[0].connection)->sender;
  return sender->flight->rack.known.distance_segments;
}

/* Notes what has left just now. */
static void note_departures(stage *s)
{
  for (; on_wire(s->fixture, 0) > 0; drop_segment(s->fixture, 0)) {
    tcp_header header = wire_header(s->fixture, 0, 0);
    uint32_t from = header.sequence - own(s)->isn;
    uint32_t window = (uint32_t)header.window << s->window_scale;
    departure *seen = g_new(departure, 1);
    *seen = (departure){.at = s->fixture->now,
                        .row = {.from = from,
                                .to = from + wire_length(s->fixture, 0, 0),
                                .ack = header.flags & TCP_ACK ? header.acknowledgement - peer_isn(s) : 0,
                                .flags = header.flags,
                                .window = window > 0 ? window : WINDOW_SHUT,
                                .timestamp_value = header.timestamp_value,
                                .timestamp_echo = header.timestamp_echo,
                                .ecn = datagram_ecn_of(wire_packet(s->fixture, 0, 0))}};
    for (unsigned i = 0; i < header.sack_count; i++) {
      seen->row.sack[i][0] = header.sack[i].from - peer_isn(s);
      seen->row.sack[i][1] = header.sack[i].to - peer_isn(s);
    }
    g_queue_push_tail(&s->departed, seen);
  }
}

/* Moves the clock, from timer to timer, up to `when`; with `until_departure` no further than something
 * leaves. */
static void wait_until(stage *s, time_ps when, bool until_departure)
{
  while (s->fixture->now < when && !(until_departure && s->departed.length > 0)) {
    time_ps timer = s->fixture->end[0].connection->class->deadline(s->fixture->end[0].connection);
    advance_to(s->fixture, MAX(time_ps_earlier(timer, when), s->fixture->now));
    note_departures(s);
  }
}

static void expect_no_more(stage *s)
{
  const departure *left = g_queue_peek_head(&s->departed);
  if (left) {
    fail(s, NULL, left, "a segment that is not in the table");
  }
}

static void play_in(stage *s, const packetdrill_row *row)
{
  bool has_octets = row->to > row->from || row->from > 0;
  uint32_t from = has_octets ? row->from : s->received;
  uint32_t end = from + (row->to - row->from) + (row->flags & TCP_FIN ? 1 : 0);
  bool timestamps = s->script->syn.has_timestamps && s->script->config.timestamps;
  uint32_t window = row->window == 0             ? s->script->window_octets
                    : row->window == WINDOW_SHUT ? 0
                                                 : row->window;
  tcp_header header = {.sequence = peer_isn(s) + from,
                       .acknowledgement = own(s)->isn + row->ack,
                       .flags = row->flags ? row->flags : TCP_ACK,
                       .window = (uint16_t)(window >> s->script->syn.window_scale),
                       .has_timestamps = timestamps,
                       .timestamp_value = row->timestamp_value,
                       .timestamp_echo = row->timestamp_echo};
  for (; header.sack_count < TCP_SACK_BLOCKS_MAX && row->sack[header.sack_count][1] > 0;
       header.sack_count++) {
    header.sack[header.sack_count].from = own(s)->isn + row->sack[header.sack_count][0];
    header.sack[header.sack_count].to = own(s)->isn + row->sack[header.sack_count][1];
  }
  s->received = MAX(s->received, end);
  s->fixture->script_ecn = row->ecn;
  script_segment(s->fixture, header, from - 1, row->to - row->from);
  note_departures(s);
}

/* The flags of the piece of `row` from `from` to `to`: CWR stands on the first, PSH and FIN on the last. */
static uint8_t flags_of_piece(const packetdrill_row *row, uint32_t from, uint32_t to)
{
  uint8_t flags = row->flags ? row->flags : TCP_ACK;
  if (row->from < row->to && from != row->from) {
    flags &= (uint8_t)~TCP_CWR;
  }
  return to < row->to ? flags & (uint8_t) ~(TCP_PSH | TCP_FIN) : flags;
}

static bool time_is(const stage *s, const packetdrill_row *row, const departure *seen)
{
  return seen->at >= s->when && seen->at <= s->when + (time_ps)row->within_us * TIME_PS_PER_MICROSECOND;
}

/* Returns what is wrong with `departed`, which should be the piece of `row` that starts at `from`; NULL:
 * nothing. */
static const char *find_fault(const stage *s, const packetdrill_row *row, uint32_t from,
                              const departure *departed)
{
  const packetdrill_row *seen = &departed->row;
  bool too_long = row->from == row->to ? seen->to > seen->from : seen->to > row->to || seen->to == seen->from;
  return seen->from != from                                                          ? "sequence number"
         : too_long                                                                  ? "length"
         : seen->flags != flags_of_piece(row, from, seen->to)                        ? "flags"
         : seen->ack != row->ack                                                     ? "acknowledgement"
         : memcmp(seen->sack, row->sack, sizeof row->sack) != 0                      ? "SACK blocks"
         : row->window > 0 && seen->window != row->window                            ? "window"
         : seen->ecn != row->ecn                                                     ? "ECN field"
         : row->timestamp_value > 0 && seen->timestamp_value != row->timestamp_value ? "timestamp"
         : row->timestamp_echo > 0 && seen->timestamp_echo != row->timestamp_echo    ? "timestamp echo"
         : !time_is(s, row, departed)                                                ? "time"
                                                                                     : NULL;
}

/* One segment of the row; where the next one starts. */
static uint32_t play_out_piece(stage *s, const packetdrill_row *row, uint32_t from)
{
  departure *seen = g_queue_pop_head(&s->departed);
  if (!seen) {
    fail(s, row, NULL, "no segment");
    return row->to;
  }
  const char *fault = find_fault(s, row, from, seen);
  if (fault) {
    fail(s, row, seen, fault);
  }
  uint32_t end = seen->row.to;
  s->sent = MAX(s->sent, end + (seen->row.flags & TCP_FIN ? 1 : 0));
  g_free(seen);
  return end;
}

static void play_row(stage *s, const packetdrill_row *row)
{
  s->when += (time_ps)row->after_us * TIME_PS_PER_MICROSECOND;
  if (row->kind == PACKETDRILL_OUT) {
    wait_until(s, s->when, false);
    wait_until(s, s->when + (time_ps)row->within_us * TIME_PS_PER_MICROSECOND, true);
    bool has_octets = row->to > row->from || row->from > 0;
    uint32_t from = play_out_piece(s, row, has_octets ? row->from : s->sent);
    while (from < row->to && !s->failure) {
      from = play_out_piece(s, row, from);
    }
    return;
  }
  wait_until(s, s->when, false);
  if (row->kind != PACKETDRILL_WINDOW_IS && row->kind != PACKETDRILL_REORDERING_IS) {
    expect_no_more(s);
  }
  switch (row->kind) {
  case PACKETDRILL_IN:
    play_in(s, row);
    break;
  case PACKETDRILL_POSTED:
    post(s->fixture, 0, row->octets, 0);
    break;
  case PACKETDRILL_CLOSED:
    finish(s->fixture, 0);
    break;
  case PACKETDRILL_WINDOW_IS:
    fail_number(s, "congestion window", row->octets, window_of(s->fixture));
    break;
  case PACKETDRILL_REORDERING_IS:
    fail_number(s, "reordering", row->octets, reordering_of(s->fixture));
    break;
  case PACKETDRILL_UNREAD_IS:
    tcp_connection_set_unread_octets(s->fixture->end[0].connection, row->octets);
    collect(s->fixture, 0);
    break;
  case PACKETDRILL_OUT:
    g_assert_not_reached();
  }
  note_departures(s);
}

/* The peer opens; the SYN-ACK has what was offered and what we have, and nothing else. */
static void play_handshake(stage *s)
{
  const tcp_config *config = &s->script->config;
  tcp_header syn = s->script->syn;
  s->fixture->end[0].connection->class->listen(s->fixture->end[0].connection);
  syn.flags |= TCP_SYN;
  syn.sequence = peer_isn(s);
  script_segment(s->fixture, syn, 0, 0);
  g_assert_cmpuint(on_wire(s->fixture, 0), ==, 1);
  tcp_header answer = wire_header(s->fixture, 0, 0);
  drop_segment(s->fixture, 0);
  g_assert_cmpuint(answer.sequence, ==, own(s)->isn);
  g_assert_cmpuint(answer.acknowledgement, ==, peer_isn(s) + 1);
  g_assert_cmpuint(answer.mss_octets, ==, config->receive_mtu_octets - 40);
  g_assert_true(answer.has_sack_permitted == (config->sack && syn.has_sack_permitted));
  g_assert_true(answer.has_timestamps == (config->timestamps && syn.has_timestamps));
  g_assert_true(answer.has_window_scale == syn.has_window_scale);
  bool ecn = config->ecn != TCP_ECN_OFF && (syn.flags & TCP_ECE);
  g_assert_cmphex(answer.flags, ==, TCP_SYN | TCP_ACK | (ecn ? TCP_ECE : 0));
  s->window_scale = answer.has_window_scale ? answer.window_scale : 0;
  s->sent = s->received = 1;
  advance_by(s->fixture, (time_ps)s->script->round_trip_us * TIME_PS_PER_MICROSECOND);
  packetdrill_row ack = {.kind = PACKETDRILL_IN,
                         .ack = 1,
                         .timestamp_value = syn.timestamp_value,
                         .timestamp_echo = answer.timestamp_value,
                         .ecn = s->script->ack_ecn};
  play_in(s, &ack);
  g_assert_true(s->fixture->end[0].established);
  s->origin = s->when = s->fixture->now;
}

char *packetdrill_play(const packetdrill_script *script)
{
  stage s = {.script = script, .fixture = tcp_fixture_new(&script->config, NULL)};
  g_queue_init(&s.departed);
  play_handshake(&s);
  for (s.row = 0; s.row < script->row_count && !s.failure; s.row++) {
    const packetdrill_row *row = &script->rows[s.row];
    if (row->keys == PACKETDRILL_BOTH || row->keys == script->keys) {
      play_row(&s, row);
    }
  }
  expect_no_more(&s);
  const tcp_statistics *statistics = statistics_of(s.fixture);
  fail_number(&s, "retransmissions", script->retransmissions, statistics->retransmissions);
  fail_number(&s, "timeouts", script->timeouts, statistics->timeouts);
  fail_number(&s, "recoveries", script->recoveries, statistics->recoveries);
  g_queue_clear_full(&s.departed, g_free);
  tcp_fixture_free(s.fixture);
  return s.failure;
}

/* Plays `script` with the keys of either. */
static void play_with_keys(const packetdrill_script *script)
{
  static const char *const names[] = {[PACKETDRILL_RFC] = "the RFCs'", [PACKETDRILL_LINUX] = "Linux's"};
  for (packetdrill_keys keys = PACKETDRILL_RFC; keys <= PACKETDRILL_LINUX; keys++) {
    packetdrill_script played = *script;
    played.keys = keys;
    take_linux_keys(&played.config, keys == PACKETDRILL_LINUX ? UINT64_MAX : 0);
    played.config.timestamps_in_ms = false; /* the tables' are in microseconds */
    g_autofree char *failure = packetdrill_play(&played);
    if (failure) {
      g_error("with %s keys: %s", names[keys], failure);
    }
  }
}

void packetdrill_run(const packetdrill_script *script)
{
  play_with_keys(script);
  if (script->without_sack) {
    g_autofree packetdrill_row *rows = g_memdup2(script->rows, script->row_count * sizeof *rows);
    packetdrill_script plain = *script;
    for (size_t i = 0; i < script->row_count; i++) {
      memset(rows[i].sack, 0, sizeof rows[i].sack);
    }
    plain.source = script->without_sack;
    plain.rows = rows;
    plain.syn.has_sack_permitted = false;
    play_with_keys(&plain);
  }
}
