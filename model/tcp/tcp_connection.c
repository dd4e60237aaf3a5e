/* SPDX-License-Identifier: GPL-2.0-only */
#include "tcp/tcp_connection.h"

#include <glib.h>
#include <string.h>

#include "net/tcp_header.h"
#include "tcp/tcp_config.h"
#include "tcp/tcp_connection_private.h"

/* --- Explicit Congestion Notification (RFC 3168) --- */

enum { SETUP_FLAGS = TCP_ECE | TCP_CWR }; /* of an ECN-setup SYN (RFC 3168 §6.1.1) */

tcp_ecn tcp_ecn_of(const tcp_config *config)
{
  bool exact = config->congestion == TCP_CONGESTION_DCTCP;

  return (tcp_ecn){.asks = exact || config->ecn == TCP_ECN_ON,
                   .answers = exact || config->ecn != TCP_ECN_OFF,
                   .exact = exact};
}

uint8_t tcp_ecn_syn_flags(tcp_ecn *ecn, bool sent_again)
{
  if (sent_again || !ecn->asks) {
    /* RFC 3168 §6.1.1.1: whoever has sent a SYN that does not ask must not use ECN, whatever comes, also
     * when both ends open at once */
    ecn->asks = false;
    ecn->answers = false;
  }
  return ecn->asks ? SETUP_FLAGS : 0;
}

void tcp_ecn_take_syn(tcp_ecn *ecn, uint8_t flags, bool sent_again)
{
  bool asks = (flags & SETUP_FLAGS) == SETUP_FLAGS;

  ecn->agreed = ecn->answers && asks && (!sent_again || ecn->agreed);
}

void tcp_ecn_take_syn_ack(tcp_ecn *ecn, uint8_t flags)
{
  /* both flags are what a peer reflects that knows nothing of ECN (RFC 3168 §6.1.1) */
  ecn->agreed = ecn->asks && (flags & SETUP_FLAGS) == TCP_ECE;
}

bool tcp_ecn_take_payload(tcp_ecn *ecn, uint8_t flags, bool congestion_experienced)
{
  bool before = ecn->echo;

  if (!ecn->agreed) {
    return false;
  }
  if (ecn->exact) {
    ecn->echo = congestion_experienced; /* CWR is for the classic echo */
    return ecn->echo != before;
  }
  /* RFC 3168 §6.1.3: CWR ends the echo, a mark on the same packet begins it anew */
  ecn->echo = congestion_experienced || (before && !(flags & TCP_CWR));
  return false;
}

uint8_t tcp_ecn_flags(const tcp_ecn *ecn)
{
  return ecn->agreed && ecn->echo ? TCP_ECE : 0;
}

/* So many time-outs in a row of a segment that a smaller MTU would make smaller look like a black hole.
 * One alone is what any loss of a window's tail makes. The second is of a segment sent alone, after a
 * whole RTO: congestion is no likely reason. RFC 4821 §7.7 would wait for R1 of RFC 1122, three, which
 * with its back-off is as long again. A short segment waits for that: its size is a less likely reason. */
enum { BLACK_HOLE_TIMEOUTS = 2, BLACK_HOLE_TIMEOUTS_SHORT = 3 };

/* RFC 1191 §6.3, and so net.ipv4.route.mtu_expires in Linux; RFC 8899 §5.1.1, PMTU_RAISE_TIMER. */
enum { MTU_EXPIRY_S = 600 };

uint32_t tcp_connection_timestamp(const tcp_config *config, time_ps now)
{
  return (uint32_t)((uint64_t)now / (uint64_t)tcp_connection_timestamp_tick_ps(config));
}

static uint8_t timestamps_octets(const tcp_connection *connection)
{
  return connection->timestamps ? TIMESTAMPS_OPTION_OCTETS : 0;
}

void tcp_connection_find_emss(tcp_connection *connection)
{
  uint32_t own = connection->send_mtu_octets - tcp_config_header_octets(connection->sender.config);
  connection->transport.gauges.emss_octets =
      MIN(connection->peer_mss_octets, own) - timestamps_octets(connection);
}

/* Sets what we offer before anything is agreed: the smallest scale that brings the window into 16 bits (RFC
 * 7323 §2.2). */
static void offer(tcp_connection *connection)
{
  const tcp_config *config = connection->sender.config;
  uint64_t window = MIN(config->receive_window_octets, (uint64_t)WINDOW_FIELD_MAX << WINDOW_SCALE_MAX);
  uint8_t scale = 0;
  while (window >> scale > WINDOW_FIELD_MAX) {
    scale++;
  }
  connection->receive_scale = scale;
  connection->peer_mss_octets = UINT32_MAX;
  connection->timestamps = config->timestamps;
  connection->ecn = tcp_ecn_of(config);
  tcp_connection_find_emss(connection);
  tcp_receiver_init(&connection->receiver, config, 0, 0, connection->receiver.events,
                    connection->receiver.user, &connection->transport.gauges);
}

static void connection_free(tcp_transport *transport)
{
  tcp_connection *connection = tcp_connection_of(transport);
  g_rc_box_release((gpointer)connection->sender.config);
  tcp_sender_clear(&connection->sender);
  tcp_receiver_clear(&connection->receiver);
  g_free(connection);
}

static void connection_open(tcp_transport *transport, G_GNUC_UNUSED time_ps now)
{
  tcp_connection *connection = tcp_connection_of(transport);
  g_assert(connection->state == TCP_STATE_CLOSED && !connection->closed);
  connection->state = TCP_STATE_SYN_SENT;
  connection->syn_due = true;
}

static void connection_listen(tcp_transport *transport)
{
  tcp_connection *connection = tcp_connection_of(transport);
  g_assert(connection->state == TCP_STATE_CLOSED && !connection->closed);
  connection->state = TCP_STATE_LISTEN;
  connection->passive = true;
}

void tcp_connection_return_to_listen(tcp_connection *connection)
{
  tcp_retransmission_timer_stop(&connection->sender.timer);
  tcp_receiver_clear(&connection->receiver);
  connection->state = TCP_STATE_LISTEN;
  connection->syn_due = false;
  connection->syn_timeouts = 0;
  offer(connection);
}

void tcp_connection_enter_closed(tcp_connection *connection, tcp_state state, tcp_close_reason reason,
                                 time_ps now)
{
  connection->state = state;
  tcp_retransmission_timer_stop(&connection->sender.timer);
  if (connection->closed) {
    return;
  }
  connection->closed = true;
  connection->transport.gauges.is_established = false;
  if (connection->receiver.events->closed) {
    connection->receiver.events->closed(connection->receiver.user, reason, now);
  }
}

static void connection_post(tcp_transport *transport, buffer_chain *record, unsigned flags)
{
  tcp_connection *connection = tcp_connection_of(transport);
  tcp_sender_post(&connection->sender, record, flags);
}

static void connection_close(tcp_transport *transport)
{
  tcp_connection_of(transport)->sender.finishing = true;
  transport->gauges.rests = false;
}

static void connection_abort(tcp_transport *transport, time_ps now)
{
  tcp_connection *connection = tcp_connection_of(transport);
  if (connection->closed) {
    return;
  }
  connection->transport.gauges.rests = false;
  /* RFC 9293 §3.10.5: the states in which the peer must be informed */
  if (connection->state >= TCP_STATE_SYN_RECEIVED && connection->state <= TCP_STATE_CLOSE_WAIT) {
    connection->reset_due = true;
    tcp_sender_incidents(&connection->sender)->reset = (tcp_pending_reset){.is_answer = false};
  }
  tcp_connection_enter_closed(connection, TCP_STATE_CLOSED, TCP_CLOSE_ABORTED, now);
}

void tcp_connection_answer_with_reset(tcp_connection *connection, const tcp_header *header,
                                      uint32_t payload_octets)
{
  if (tcp_header_has(header, TCP_RST)) {
    return;
  }
  tcp_pending_reset *reset = &tcp_sender_incidents(&connection->sender)->reset;
  connection->reset_due = true;
  *reset = (tcp_pending_reset){.is_answer = true};
  if (tcp_header_has(header, TCP_ACK)) {
    reset->flags = TCP_RST;
    reset->sequence = header->acknowledgement;
    return;
  }
  uint32_t octets =
      payload_octets + (tcp_header_has(header, TCP_SYN) ? 1 : 0) + (tcp_header_has(header, TCP_FIN) ? 1 : 0);
  reset->flags = TCP_RST | TCP_ACK;
  reset->acknowledgement = header->sequence + octets;
}

static time_ps connection_deadline(const tcp_transport *transport)
{
  const tcp_connection *connection = (const tcp_connection *)transport;
  if (connection->state == TCP_STATE_CLOSED) {
    return TIME_PS_NEVER;
  }
  time_ps timer = time_ps_earlier(connection->sender.timer.deadline, transport->gauges.ack_deadline);
  return connection->closed ? timer : time_ps_earlier(timer, tcp_sender_deadline(&connection->sender));
}

void tcp_connection_set_path_mtu(tcp_connection *connection, uint32_t mtu_octets, uint64_t lost_from,
                                 time_ps now)
{
  uint32_t before = connection->transport.gauges.emss_octets;
  connection->send_mtu_octets = (uint16_t)mtu_octets;
  connection->mtu_lowered = mtu_octets < connection->link_mtu_octets;
  tcp_sender_statistics(&connection->sender)->path_mtu_changes++;
  connection->sender.incidents->mtu_expires_s = (uint32_t)(now / TIME_PS_PER_SECOND) + 1 + MTU_EXPIRY_S;
  TRACE(connection->sender.config->trace, MTU_CHANGED, .mtu_octets = mtu_octets);
  tcp_connection_find_emss(connection);
  if (connection->transport.gauges.emss_octets == before) {
    return; /* the peer's MSS is smaller still */
  }
  if (lost_from < UINT64_MAX) {
    tcp_sender_resend_too_big(&connection->sender, connection->transport.gauges.emss_octets, lost_from);
  } else {
    tcp_sender_set_emss(&connection->sender, connection->transport.gauges.emss_octets);
  }
}

/* A segment in flight has timed out again: perhaps for its size, which no router reports (RFC 2923 §2.1).
 * Each further time-out lowers the MTU further, as long as that makes the segment smaller. RFC 2923 speaks
 * of full-sized segments; FPDUs seldom fill EMSS quite, so here they are those that no second one fits
 * beside. Shorter ones, which are all that some connections send, are suspected later. */
static void suspect_black_hole(tcp_connection *connection, time_ps now)
{
  uint32_t payload = tcp_sender_first_octets(&connection->sender);
  bool is_full = payload > connection->transport.gauges.emss_octets / 2;
  const tcp_config *config = connection->sender.config;
  uint32_t packet = payload + tcp_config_header_octets(config) + timestamps_octets(connection);
  uint32_t lower = tcp_path_mtu_below(config->local_address.version, packet);
  if (config->black_hole_detection && lower < packet &&
      connection->sender.timeouts_in_a_row >= (is_full ? BLACK_HOLE_TIMEOUTS : BLACK_HOLE_TIMEOUTS_SHORT)) {
    /* the time-out has made everything lost already */
    tcp_connection_set_path_mtu(connection, lower, UINT64_MAX, now);
  }
}

/* The SYN, the SYN-ACK or octets of the stream were not answered in time. Returns false when they are given
 * up. */
static bool time_out(tcp_connection *connection, time_ps now)
{
  if (connection->state == TCP_STATE_SYN_SENT || connection->state == TCP_STATE_SYN_RECEIVED) {
    tcp_sender_statistics(&connection->sender)->timeouts++;
    TRACE(connection->sender.config->trace, TIME_OUT, .in_flight = 1,
          .rto_ps = (uint64_t)connection->sender.timer.rto_ps);
    connection->syn_timeouts++;
    tcp_retransmission_timer_back_off(&connection->sender.timer, connection->sender.config);
    connection->syn_due = true; /* sending it starts the timer */
    return connection->syn_timeouts < connection->sender.config->retries_max;
  }
  if (!tcp_sender_time_out(&connection->sender, now)) {
    return false;
  }
  suspect_black_hole(connection, now);
  return true;
}

static void connection_run(tcp_transport *transport, time_ps now)
{
  tcp_connection *connection = tcp_connection_of(transport);
  const tcp_config *config = connection->sender.config;
  transport->gauges.rests = false;
  if (transport->gauges.ack_deadline <= now) {
    /* the timer of saved SACKs counts no ticks (Linux: a hrtimer) */
    bool has_holes = tcp_receiver_out_of_order_runs(&connection->receiver) > 0;
    if (has_holes || tcp_tick_expired(&transport->gauges.ack_deadline, config, now)) {
      tcp_receiver_end_delay(&connection->receiver, has_holes);
    }
  }
  if (!connection->closed && tcp_sender_deadline(&connection->sender) <= now) {
    tcp_sender_run(&connection->sender, now);
  }
  if (tcp_tick_expired(&connection->sender.timer.deadline, config, now) && !time_out(connection, now)) {
    tcp_connection_enter_closed(connection, TCP_STATE_CLOSED, TCP_CLOSE_GAVE_UP, now);
  }
}

bool tcp_connection_is_closed(const tcp_transport *transport)
{
  const tcp_connection *connection = (const tcp_connection *)transport;
  return connection->closed || connection->state == TCP_STATE_CLOSED;
}

void tcp_connection_set_unread_octets(tcp_transport *transport, uint64_t octets)
{
  tcp_connection *connection = tcp_connection_of(transport);
  if (connection->receiver.window_octets > 0) { /* else the peer's SYN has not come */
    tcp_receiver_set_unread_octets(&connection->receiver, octets, UINT64_C(1) << connection->receive_scale);
  }
}

static tcp_beyond connection_beyond(const tcp_transport *transport)
{
  return tcp_receiver_beyond(&((const tcp_connection *)transport)->receiver);
}

static uint64_t connection_held_octets_below(const tcp_transport *transport, uint64_t position)
{
  return tcp_receiver_held_octets_below(&((const tcp_connection *)transport)->receiver, position);
}

static const reassembly_queue *connection_held(tcp_transport *transport)
{
  return tcp_receiver_held(&tcp_connection_of(transport)->receiver);
}

/* --- The handshake: the peer's SYN arrives, or what answers ours (RFC 9293 §3.5, §3.10.7.2, §3.10.7.3)
 * --- */

enum {
  MSS_DEFAULT_OCTETS = 536, /* RFC 9293 §3.7.1 (MUST-15) */
  MSS_DEFAULT_IPV6_OCTETS = 1220,
  MSS_MIN_OCTETS = 28, /* every link carries 68 octets (RFC 791 §3.2), so no honest MSS is smaller */
};

/* The peer's SYN has come: what both offered is agreed. */
static void take_syn(tcp_connection *connection, const tcp_header *header, time_ps now)
{
  const tcp_config *config = connection->sender.config;
  connection->peer_isn = header->sequence;
  connection->sack = config->sack && header->has_sack_permitted;
  connection->timestamps = config->timestamps && header->has_timestamps;
  connection->recent_timestamp =
      (tcp_recent_timestamp){.value = header->timestamp_value, .is_known = true, .taken = now};
  connection->window_scaling = header->has_window_scale;
  connection->send_scale = (uint8_t)MIN(header->window_scale, WINDOW_SCALE_MAX);
  if (!connection->window_scaling) {
    connection->receive_scale = 0; /* RFC 7323 §1.3: scaling only when both SYNs have the option */
  }
  /* RFC 6691 §2: MSS counts no options, the sender takes them off. */
  uint32_t mss_default = config->local_address.version == 6 ? MSS_DEFAULT_IPV6_OCTETS : MSS_DEFAULT_OCTETS;
  connection->peer_mss_octets = header->has_mss ? MAX(header->mss_octets, MSS_MIN_OCTETS) : mss_default;
  if (tcp_header_has(header, TCP_ACK)) {
    tcp_ecn_take_syn_ack(&connection->ecn, header->flags);
  } else {
    tcp_ecn_take_syn(&connection->ecn, header->flags, false);
  }
  tcp_connection_find_emss(connection);
  /* What the scale cuts off could not be announced, so it is no part of the window: the right edge moves
   * with the in-order edge and never left (RFC 9293 §3.8.6). */
  uint8_t scale = connection->receive_scale;
  uint64_t window = MIN(config->receive_window_octets, (uint64_t)WINDOW_FIELD_MAX << scale) >> scale << scale;
  tcp_receiver_init(&connection->receiver, config, window, timestamps_octets(connection),
                    connection->receiver.events, connection->receiver.user, &connection->transport.gauges);
  connection->receiver.timer = &connection->sender.timer;
  connection->receiver.saves_sacks = connection->sack && config->sack_compression_percent > 0;
}

/* The handshake is done: our SYN is acknowledged by `segment`. */
void tcp_connection_establish(tcp_connection *connection, const tcp_incoming *segment)
{
  bool syn_sent_twice = connection->syn_timeouts > 0;
  tcp_retransmission_timer_stop(&connection->sender.timer);
  if (syn_sent_twice) {
    tcp_retransmission_timer_restart_slowly(&connection->sender.timer, connection->sender.config);
  } else {
    time_ps round_trip_ps = segment->now - connection->sender.sent_at;
    tcp_retransmission_timer_sample(&connection->sender.timer, connection->sender.config, round_trip_ps,
                                    false);
    connection->sender.rack_known.least_ps = round_trip_ps; /* RFC 8985 §6.2 step 1: of the connection */
  }
  connection->sender.sent_at = -1;
  tcp_sender_start(&connection->sender, connection->transport.gauges.emss_octets, connection->sack,
                   syn_sent_twice, 0);
  /* RFC 7323 §2.2: the window of a SYN is never scaled */
  unsigned scale = tcp_header_has(segment->header, TCP_SYN) ? 0 : connection->send_scale;
  tcp_connection_take_window(connection, segment->position, segment->header->window, scale, 0);
  if (connection->ecn.agreed) {
    connection->sender.ecn = true;
  }
  connection->state = TCP_STATE_ESTABLISHED;
  connection->transport.gauges.is_established = true;
  if (connection->receiver.events->established) {
    connection->receiver.events->established(connection->receiver.user, segment->now);
  }
}

/* RFC 9293 §3.10.7.2. Payload and FIN of a SYN are not taken: they come again once the connection stands. */
void tcp_connection_arrive_in_listen(tcp_connection *connection, const tcp_header *header,
                                     uint32_t payload_octets, time_ps now)
{
  if (tcp_header_has(header, TCP_RST)) {
    return;
  }
  if (tcp_header_has(header, TCP_ACK)) {
    tcp_connection_answer_with_reset(connection, header, payload_octets);
    return;
  }
  if (tcp_header_has(header, TCP_SYN)) {
    take_syn(connection, header, now);
    connection->state = TCP_STATE_SYN_RECEIVED;
    connection->syn_due = true;
  }
}

/* Takes what comes in SYN-SENT (RFC 9293 §3.10.7.3). */
void tcp_connection_arrive_in_syn_sent(tcp_connection *connection, const tcp_header *header,
                                       uint32_t payload_octets, time_ps now)
{
  bool acknowledges = tcp_header_has(header, TCP_ACK);
  if (acknowledges && header->acknowledgement != tcp_sequence_of(0, connection->isn)) {
    tcp_connection_answer_with_reset(connection, header, payload_octets);
    return;
  }
  if (tcp_header_has(header, TCP_RST)) {
    if (acknowledges) {
      tcp_connection_enter_closed(connection, TCP_STATE_CLOSED, TCP_CLOSE_RESET, now);
    }
    return;
  }
  if (!tcp_header_has(header, TCP_SYN)) {
    return;
  }
  take_syn(connection, header, now);
  if (!acknowledges) {
    connection->state = TCP_STATE_SYN_RECEIVED; /* simultaneous open */
    connection->syn_due = true;
    return;
  }
  tcp_incoming segment = {.header = header, .position = -1, .now = now};
  tcp_receiver_owe_ack(&connection->receiver, TCP_ACK_DUE);
  tcp_connection_establish(connection, &segment);
}

void tcp_config_release(tcp_config *config)
{
  if (config) {
    g_rc_box_release(config);
  }
}

/* Returns a copy of `config` that the connection holds: the latest, if it has the same. */
static const tcp_config *share(const tcp_config *config)
{
  tcp_config copy = *config;
  copy.isn = copy.send_mtu_octets = copy.local_port = copy.remote_port = 0; /* these are the connection's */
  /* What the next send adds to a segment takes PSH away again (Linux: tcp_sendmsg_locked()). */
  copy.pushes_fpdus = config->pushes_fpdus && config->segmentation != TCP_SEGMENTATION_STREAM;
  copy.delayed_ack_ps = tcp_tick_up(config->delayed_ack_ps, config->timer_tick_ps);
  if (!config->latest) {
    return g_rc_box_dup(sizeof copy, &copy);
  }
  /* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): where padding differs there is one copy more */
  if (!*config->latest || memcmp(*config->latest, &copy, sizeof copy) != 0) {
    tcp_config_release(*config->latest);
    *config->latest = g_rc_box_dup(sizeof copy, &copy);
  }
  return g_rc_box_acquire(*config->latest);
}

tcp_transport *tcp_connection_new(const tcp_config *config, const tcp_events *events, void *user)
{
#define THAT_SENDS_BY(transmit_function)                                                                     \
  {                                                                                                          \
    .free = connection_free, .open = connection_open, .listen = connection_listen, .post = connection_post,  \
    .close = connection_close, .abort = connection_abort, .receive = tcp_connection_receive,                 \
    .transmit = (transmit_function), .deadline = connection_deadline, .run = connection_run,                 \
    .beyond = connection_beyond, .held_octets_below = connection_held_octets_below, .held = connection_held  \
  }
  static const tcp_transport_class untraced = THAT_SENDS_BY(tcp_connection_transmit);
  static const tcp_transport_class traced = THAT_SENDS_BY(tcp_connection_transmit_traced);
  uint8_t version = config->local_address.version;
  g_assert((version == 4 || version == 6) && config->remote_address.version == version);
  uint32_t mtu_min = tcp_path_mtu_min_octets(version);
  g_assert(config->send_mtu_octets >= mtu_min && config->receive_mtu_octets >= mtu_min);
  g_assert(config->send_mtu_octets <= UINT16_MAX && config->receive_mtu_octets <= UINT16_MAX);
  g_assert(config->receive_window_octets > 0 && config->duplicate_ack_threshold > 0);
  tcp_connection *connection = g_new0(tcp_connection, 1);
  connection->transport.class = config->trace ? &traced : &untraced;
  connection->isn = config->isn;
  connection->local_port = config->local_port;
  connection->remote_port = config->remote_port;
  connection->send_mtu_octets = (uint16_t)config->send_mtu_octets;
  connection->receiver.events = events;
  connection->receiver.user = user;
  connection->state = TCP_STATE_CLOSED;
  connection->link_mtu_octets = connection->send_mtu_octets;
  tcp_sender_init(&connection->sender, share(config), &connection->transport.gauges);
  offer(connection);
  return &connection->transport;
}

/* --- The path MTU (RFC 1191, 8201) --- */

enum {
  IPV4_MIN_OCTETS = 68,
  /* what every host takes in (RFC 1122 §3.3.2), and so the usual default of a path */
  IPV4_EVERY_HOST_OCTETS = 576,
  IPV6_MIN_OCTETS = 1280,
};

/* The MTUs of real links crowd at these (RFC 1191 §7.1, table 7-1). */
static const uint16_t PLATEAUS[] = {65535, 32000, 17914, 8166, 4352, 2002, 1492, 1006, 508, 296, 68};

uint32_t tcp_path_mtu_min_octets(uint8_t ip_version)
{
  return ip_version == 6 ? IPV6_MIN_OCTETS : IPV4_MIN_OCTETS;
}

static uint32_t plateau_below(uint32_t octets)
{
  for (unsigned i = 0; i < G_N_ELEMENTS(PLATEAUS); i++) {
    if (PLATEAUS[i] < octets) {
      return PLATEAUS[i];
    }
  }
  return IPV4_MIN_OCTETS;
}

uint32_t tcp_path_mtu_after_too_big(uint8_t ip_version, uint32_t present_octets, uint32_t reported_octets,
                                    uint32_t packet_octets)
{
  uint32_t mtu = reported_octets;

  if (ip_version == 6 && reported_octets < IPV6_MIN_OCTETS) {
    return present_octets; /* RFC 8201 §4: no link of IPv6 is like that */
  }
  if (reported_octets == 0) {
    /* RFC 1191 §5 goes by the length quoted: messages about packets sent before the last change then change
     * nothing. */
    mtu = plateau_below(MIN(packet_octets, present_octets + 1));
  } else if (reported_octets >= packet_octets) {
    return present_octets; /* RFC 5927 §7.2: the packet would have fitted, so no honest router reports this */
  }
  return MIN(MAX(mtu, tcp_path_mtu_min_octets(ip_version)),
             present_octets); /* RFC 1191 §3: never raised by a message */
}

uint32_t tcp_path_mtu_below(uint8_t ip_version, uint32_t present_octets)
{
  uint32_t least = ip_version == 6 ? IPV6_MIN_OCTETS : IPV4_EVERY_HOST_OCTETS;

  return MIN(MAX(plateau_below(present_octets), least), present_octets);
}

/* --- The configuration --- */

tcp_config tcp_config_default(void)
{
  return (tcp_config){
      .receive_mtu_octets = 1500,
      .send_mtu_octets = 1500,
      .receive_window_octets = 65536,
      .initial_window_segments = 10, /* RFC 6928 */
      .delayed_ack_segments = 2,
      .delayed_ack_ps = 40 * TIME_PS_PER_MILLISECOND, /* Linux: TCP_DELACK_MIN */
      .ack_by_octets = true,
      .ignores_unsent_ack = true,
      .pushes_fpdus = true,
      .sack_compression_percent = 5,
      .timestamps_in_ms = true, /* TCP_TS_HZ */
      .quick_acks = 16,         /* TCP_MAX_QUICKACKS */
      .duplicate_ack_threshold = 3,
      .rto_initial_ps = TIME_PS_PER_SECOND,        /* RFC 6298 */
      .rto_min_ps = 200 * TIME_PS_PER_MILLISECOND, /* Linux: TCP_RTO_MIN */
      .rto_max_ps = 60 * TIME_PS_PER_SECOND,       /* RFC 6298 §2.5 */
      .rto_floor = TCP_RTO_FLOOR_VARIATION,
      .variation_by_round = true,
      .timer_slack_ps = 2 * TIME_PS_PER_MILLISECOND, /* Linux: TCP_TIMEOUT_MIN_US */
      .timer_tick_ps = 4 * TIME_PS_PER_MILLISECOND,  /* HZ = 250 */
      .probe_delay = TCP_PROBE_DELAY_RTO_MIN,
      .retries_max = 15, /* Linux: tcp_retries2 */
      .sack = true,
      .dsack = true,
      .old_sack = true,
      .rack = true,
      .linux_reordering = true,
      .tail_loss_probe = true,
      .prr = true,
      .frto = true,
      .partial_undo = true,
      .limited_transmit = true,
      .ecn = TCP_ECN_PASSIVE,
      .congestion = TCP_CONGESTION_CUBIC,
      .cubic = TCP_CUBIC_LINUX,
      .slow_start = TCP_SLOW_START_AUTO,
      .restart_after_idle = true,
      .idleness_halves = true,
      .fin_beyond_window = true,
      .window_of_segments = true,
      .ecn_proportional = true,
      .threshold_of_window = true,
      .growth_by_delivered = true,
      .limited_by_round = true,
      .path_mtu_discovery = true,
      .segmentation = TCP_SEGMENTATION_ALIGNED,
      .passing = TCP_PASSING_AS_ARRIVED,
  };
}
