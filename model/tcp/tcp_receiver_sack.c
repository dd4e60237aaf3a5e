/* What an ACK tells of segments that came out of order, or twice: SACK blocks (RFC 2018 §4) and D-SACKs (RFC 2883 §4). */
#include <string.h>

#include <glib.h>

#include "tcp/tcp_receiver_private.h"

void tcp_receiver_name_run(tcp_receiver *receiver, uint64_t position)
{
  tcp_late_arrivals *late = receiver->late;
  range run = range_set_get(late->beyond, range_set_find(late->beyond, position));
  uint32_t kept = 0;
  uint64_t recent[TCP_SACK_BLOCKS_MAX];
  recent[kept++] = position;
  for (uint32_t i = 0; i < late->recent_count && kept < TCP_SACK_BLOCKS_MAX; i++) {
    uint64_t other = late->recent[i];
    if (other >= receiver->next && (other < run.from || other >= run.to)) {
      recent[kept++] = other;
    }
  }
  memcpy(late->recent, recent, sizeof recent);
  late->recent_count = kept;
}

void tcp_receiver_note_duplicate(tcp_receiver *receiver, uint64_t from, uint64_t to)
{
  range known = {0, receiver->next};
  if (from >= receiver->next) {
    size_t index = receiver->late ? range_set_find(receiver->late->beyond, from) : 0;
    if (index == tcp_receiver_runs_beyond(receiver)) {
      return;
    }
    known = range_set_get(receiver->late->beyond, index);
  }
  range duplicate = {MAX(from, known.from), MIN(to, known.to)};
  if (receiver->config->dsack && duplicate.from < duplicate.to) {
    tcp_receiver_late_of(receiver)->duplicate = duplicate;
    tcp_receiver_owe_ack(receiver, TCP_ACK_ALONE);
  }
}

static bool is_among(const range *blocks, uint32_t count, uint64_t from)
{
  for (uint32_t i = 0; i < count; i++) {
    if (blocks[i].from == from) {
      return true;
    }
  }
  return false;
}

/* RFC 2018 §4: as many blocks as there is room for, those reported last first. Runs that were named longer
 * ago than this receiver remembers follow, the lowest first: they are the ones a sender fills first. */
static uint32_t write_runs(const tcp_receiver *receiver, range *blocks, uint32_t count)
{
  uint32_t written = 0;
  for (uint32_t i = 0; i < receiver->late->recent_count && written < count; i++) {
    if (receiver->late->recent[i] >= receiver->next) {
      blocks[written++] = range_set_get(receiver->late->beyond,
                                        range_set_find(receiver->late->beyond, receiver->late->recent[i]));
    }
  }
  for (size_t i = 0; i < tcp_receiver_runs_beyond(receiver) && written < count; i++) {
    range run = range_set_get(receiver->late->beyond, i);
    if (!is_among(blocks, written, run.from)) {
      blocks[written++] = run;
    }
  }
  return written;
}

bool tcp_receiver_has_sack_blocks(const tcp_receiver *receiver)
{
  const tcp_late_arrivals *late = receiver->late;
  return late && (range_set_count(late->beyond) > 0 || late->duplicate.from < late->duplicate.to);
}

uint32_t tcp_receiver_take_sack_blocks(tcp_receiver *receiver, range *blocks, uint32_t count)
{
  uint32_t written = 0;
  if (!receiver->late) {
    return 0;
  }
  if (count > 0 && receiver->late->duplicate.from < receiver->late->duplicate.to) {
    blocks[written++] = receiver->late->duplicate;
    receiver->late->duplicate = (range){0, 0};
  }
  /* A run that holds the duplicate was named with the segment, so it follows at once (RFC 2883 §4 (3)). */
  return written + write_runs(receiver, blocks + written, count - written);
}
