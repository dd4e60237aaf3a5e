/* SPDX-License-Identifier: GPL-2.0-only */
#include "network/path_link.h"

#include <glib.h>

/* Returns the octets of `packets` packets that have `ip_octets` together, with `framing_octets` more each; in
 * cells, with more in each of them. tc-netem(8), rate: 50 octets in ATM's cells of 48 and 5 are 106. */
static inline uint64_t octets_with(const path_link_config *config, int32_t framing_octets, uint64_t packets,
                                   uint64_t ip_octets)
{
  const uint64_t octets = ip_octets + packets * (uint64_t)(int64_t)framing_octets;
  const uint64_t cell = config->cell_octets;

  return cell == 0 ? octets
                   : (octets + cell - 1) / cell * (cell + (uint64_t)(int64_t)config->cell_overhead_octets);
}

/* Without the gap. */
static inline uint64_t sent_octets(const path_link_config *config, uint64_t packets, uint64_t ip_octets)
{
  const int32_t framing = config->framing_octets;

  return octets_with(config, config->cell_octets > 0 ? framing : MIN(framing, PATH_LINK_PPP_OCTETS), packets,
                     ip_octets);
}

uint32_t path_link_octets(const path_link_config *config, uint32_t ip_octets)
{
  return (uint32_t)octets_with(config, config->framing_octets, 1, ip_octets);
}

uint32_t path_link_sent_octets(const path_link_config *config, uint32_t ip_octets)
{
  return (uint32_t)sent_octets(config, 1, ip_octets);
}

/* Rounded on its own because ns-3's device has it as a time of its own (docs/facts.md, "A link's times"). */
time_ps path_link_gap_ps(const path_link_config *config)
{
  bool has_gap = config->cell_octets == 0 && config->framing_octets > PATH_LINK_PPP_OCTETS;

  return has_gap ? time_ps_to_send((uint64_t)(config->framing_octets - PATH_LINK_PPP_OCTETS),
                                   config->rate_bit_per_s)
                 : 0;
}

time_ps path_link_arrival_at(const path_link_config *config, time_ps start, uint32_t ip_octets)
{
  const uint32_t sent = path_link_sent_octets(config, ip_octets);

  return start + time_ps_to_send(sent, config->rate_bit_per_s) + config->delay_ps;
}

/* Each packet has its framing, and a gap is after each but the last. Several packets fill no fewer cells than
 * their octets need, and each packet's time may have been rounded down by half a picosecond. */
time_ps path_link_least_ps(const path_link_config *config, uint64_t packets, uint64_t ip_octets)
{
  const uint64_t sent = sent_octets(config, packets, ip_octets);
  const time_ps sending_ps = time_ps_to_send(sent, config->rate_bit_per_s);

  return packets == 1 ? sending_ps
                      : sending_ps + (time_ps)(packets - 1) * path_link_gap_ps(config) - (time_ps)packets;
}

path_link_pace path_link_pace_of(const path_link_config *config)
{
  const bool is_whole =
      config->cell_octets == 0 && (uint64_t)TIME_PS_PER_SECOND * 8 % config->rate_bit_per_s == 0;
  const time_ps octet_ps = is_whole ? time_ps_to_send(1, config->rate_bit_per_s) : 0;

  return (path_link_pace){.gap_ps = path_link_gap_ps(config),
                          .octet_ps = octet_ps,
                          .framing_ps = octet_ps * MIN(config->framing_octets, PATH_LINK_PPP_OCTETS)};
}

/* --- Packets on the way --- */

/* A packet is on the way. */
typedef struct transit {
  datagram *packet;
  time_ps start; /* of its transmission */
  time_ps arrival;
} transit;

void path_link_schedule_init(path_link_schedule *schedule, const path_link_config *config)
{
  schedule->config = *config;
  schedule->pace = path_link_pace_of(config);
  schedule->free_at = 0;
  deque_init(&schedule->transits, sizeof(transit));
}

void path_link_schedule_clear(path_link_schedule *schedule)
{
  for (size_t i = 0; i < schedule->transits.count; i++) {
    datagram_unref(((transit *)deque_at(&schedule->transits, i))->packet);
  }
  deque_clear(&schedule->transits);
}

/* The transmitter takes the packet as soon as it is free. */
inline bool path_link_schedule_send(path_link_schedule *schedule, datagram *packet, time_ps now)
{
  const uint32_t octets = datagram_octets(packet);
  const time_ps start = MAX(schedule->free_at, now);
  const time_ps sent = start + path_link_pace_sending_ps(&schedule->pace, &schedule->config, octets);
  const time_ps arrival = sent + schedule->config.delay_ps;
  deque *transits = &schedule->transits;
  size_t place = transits->count;

  g_assert(octets <= schedule->config.mtu_octets);
  schedule->free_at = sent + schedule->pace.gap_ps;
  while (place > 0 &&
         ((const transit *)deque_slot(transits, place - 1, sizeof(transit)))->arrival > arrival) {
    place--;
  }
  *(transit *)deque_insert(transits, place) = (transit){.packet = packet, .start = start, .arrival = arrival};
  return place == 0;
}

time_ps path_link_schedule_next(const path_link_schedule *schedule)
{
  return schedule->transits.count == 0
             ? TIME_PS_NEVER
             : ((const transit *)deque_slot(&schedule->transits, 0, sizeof(transit)))->arrival;
}

datagram *path_link_schedule_at(const path_link_schedule *schedule, size_t index)
{
  return ((const transit *)deque_at(&schedule->transits, index))->packet;
}

datagram *path_link_schedule_take(path_link_schedule *schedule)
{
  g_assert(schedule->transits.count > 0);
  datagram *packet = ((transit *)deque_slot(&schedule->transits, 0, sizeof(transit)))->packet;
  deque_remove(&schedule->transits, 0, 1);
  return packet;
}

/* Packets whose transmission has not begun are sent anew, in their order: for all of them the delay is that
 * of the last change, so they arrive in that order too. */
void path_link_schedule_change(path_link_schedule *schedule, const path_link_config *config, time_ps now)
{
  g_assert(config->mtu_octets == schedule->config.mtu_octets &&
           config->framing_octets == schedule->config.framing_octets &&
           config->cell_octets == schedule->config.cell_octets &&
           config->cell_overhead_octets == schedule->config.cell_overhead_octets &&
           config->id == schedule->config.id);
  g_autoptr(GArray) waiting = g_array_new(FALSE, FALSE, sizeof(transit));

  for (size_t i = 0; i < schedule->transits.count;) {
    const transit *candidate = deque_at(&schedule->transits, i);
    if (candidate->start > now) {
      g_array_append_vals(waiting, candidate, 1);
      deque_remove(&schedule->transits, i, 1);
    } else {
      i++;
    }
  }
  schedule->config = *config;
  schedule->pace = path_link_pace_of(config);
  if (waiting->len > 0) {
    schedule->free_at = g_array_index(waiting, transit, 0).start; /* the one in transmission leaves it free */
  }
  for (guint i = 0; i < waiting->len; i++) {
    path_link_schedule_send(schedule, g_array_index(waiting, transit, i).packet, schedule->free_at);
  }
}

/* --- A link --- */

inline void path_link_send(path_link *link, datagram *packet, time_ps now)
{
  link->class->sent(link, packet, path_link_schedule_send(&link->schedule, packet, now));
}

void path_link_set_receiver(path_link *link, path_link_receiver receiver, void *user)
{
  link->receiver = receiver;
  link->receiver_user = user;
}

void path_link_set_config(path_link *link, const path_link_config *config, time_ps now)
{
  path_link_schedule_change(&link->schedule, config, now);
  link->class->changed(link);
}

void path_link_free(path_link *link)
{
  if (link) {
    path_link_schedule_clear(&link->schedule);
    link->class->free(link);
  }
}

/* --- The link over a native clock --- */

static void set_arrival_timer(path_link *link)
{
  engine_timer_set(link->arrival, path_link_schedule_next(&link->schedule));
}

/* With many packets on the way what the receiver reads first of each is in no cache, and nothing can be done
 * before it is: so it is fetched some packets ahead, and what a packet refers to when the packet itself has
 * been. In a function of its own gcc 12 takes it for nothing. */
static void arrive(void *user, time_ps now)
{
  enum { TRANSIT_LEAD = 8, PACKET_LEAD = 3, OCTETS_LEAD = 1 };
  path_link *link = user;
  datagram *packet = path_link_schedule_take(&link->schedule);
  const deque *transits = &link->schedule.transits;

  if (transits->count > TRANSIT_LEAD) {
    __builtin_prefetch(deque_slot(transits, TRANSIT_LEAD, sizeof(transit)));
    const datagram *later = ((const transit *)deque_slot(transits, PACKET_LEAD, sizeof(transit)))->packet;
    const datagram *next = ((const transit *)deque_slot(transits, OCTETS_LEAD, sizeof(transit)))->packet;
    __builtin_prefetch(later);
    __builtin_prefetch(&later->payload);
    if (next->payload.heap_capacity > 0) {
      __builtin_prefetch(next->payload.heap);
      __builtin_prefetch((const uint8_t *)next->payload.heap + 64);
    }
  }
  set_arrival_timer(link); /* before the receiver runs: it may send here */
  link->receiver(link->receiver_user, packet, now);
}

static void look_at_first(path_link *link, G_GNUC_UNUSED datagram *packet, bool is_first)
{
  if (is_first) {
    set_arrival_timer(link);
  }
}

static void free_link(path_link *link)
{
  engine_timer_free(link->arrival);
  g_aligned_free(link);
}

path_link *path_link_native_new(const path_link_config *config, engine *clock)
{
  static const path_link_class native = {
      .sent = look_at_first, .changed = set_arrival_timer, .free = free_link};
  path_link *link = g_aligned_alloc0(1, sizeof *link, 64); /* struct path_link says why */

  link->class = &native;
  path_link_schedule_init(&link->schedule, config);
  link->arrival = engine_timer_new(clock, ENGINE_ARRIVAL, config->id, 0, arrive, link);
  return link;
}
