#include "tcp/tcp_send_queue.h"

#include <glib.h>

typedef struct sent_record {
  uint64_t from; /* stream position of its first octet */
  unsigned flags;
  octet_rope octets;
} sent_record;

enum { CAPACITY_AT_FIRST = 16 };

/* The records are numbered from 0 on as they are posted; number n lives in slot n modulo the capacity, a
 * power of 2. */
struct tcp_send_queue {
  tcp_segmentation segmentation;
  sent_record *slots;
  uint64_t capacity;
  uint64_t first;         /* number of the oldest record kept */
  uint64_t end;           /* one beyond the number of the newest */
  uint64_t unsent_record; /* number of the record that holds `unsent`; `end` when all is sent */
  uint64_t posted;
  uint64_t unsent;
};

tcp_send_queue *tcp_send_queue_new(tcp_segmentation segmentation)
{
  tcp_send_queue *queue = g_new0(tcp_send_queue, 1);
  queue->segmentation = segmentation;
  queue->capacity = CAPACITY_AT_FIRST;
  queue->slots = g_new(sent_record, queue->capacity);
  return queue;
}

static sent_record *record_at(const tcp_send_queue *queue, uint64_t number)
{
  return &queue->slots[number & (queue->capacity - 1)];
}

static uint64_t record_end(const sent_record *record)
{
  return record->from + record->octets.length;
}

void tcp_send_queue_free(tcp_send_queue *queue)
{
  if (!queue) {
    return;
  }
  for (uint64_t number = queue->first; number < queue->end; number++) {
    octet_rope_clear(&record_at(queue, number)->octets);
  }
  g_free(queue->slots);
  g_free(queue);
}

static void grow(tcp_send_queue *queue)
{
  uint64_t capacity = queue->capacity * 2;
  sent_record *slots = g_new(sent_record, capacity);
  for (uint64_t number = queue->first; number < queue->end; number++) {
    sent_record *old = record_at(queue, number);
    sent_record *new = &slots[number & (capacity - 1)];
    new->from = old->from;
    new->flags = old->flags;
    octet_rope_move(&new->octets, &old->octets);
  }
  g_free(queue->slots);
  queue->slots = slots;
  queue->capacity = capacity;
}

void tcp_send_queue_post(tcp_send_queue *queue, octet_rope *record, unsigned flags)
{
  if (record->length == 0) {
    return;
  }
  if (queue->end - queue->first == queue->capacity) {
    grow(queue);
  }
  sent_record *last = record_at(queue, queue->end++);
  last->from = queue->posted;
  last->flags = flags;
  octet_rope_move(&last->octets, record);
  queue->posted += last->octets.length;
}

uint64_t tcp_send_queue_posted(const tcp_send_queue *queue)
{
  return queue->posted;
}

uint64_t tcp_send_queue_unsent(const tcp_send_queue *queue)
{
  return queue->unsent;
}

static bool is_fpdu(const sent_record *record)
{
  return (record->flags & TCP_RECORD_FPDU) != 0;
}

/* Where a cut begins: at `from`, which `record` holds. */
typedef struct cut_start {
  uint64_t from;
  uint64_t record;
} cut_start;

/* A cut at EMSS, with `plain_only` before the first FPDU. `*all_fpdus`: nothing but FPDUs lies in it. */
static uint32_t cut_stream(const tcp_send_queue *queue, const cut_start *start, uint32_t emss_octets,
                           bool *all_fpdus, bool plain_only)
{
  uint64_t end = MIN(start->from + emss_octets, queue->posted);
  *all_fpdus = true;
  for (uint64_t number = start->record; number < queue->end; number++) {
    const sent_record *record = record_at(queue, number);
    if (record->from >= end) {
      break;
    }
    if (plain_only && is_fpdu(record)) {
      end = record->from;
      break;
    }
    *all_fpdus = *all_fpdus && is_fpdu(record);
  }
  return (uint32_t)(end - start->from);
}

static tcp_cut cut_aligned(const tcp_send_queue *queue, const cut_start *start, uint32_t emss_octets)
{
  const sent_record *record = record_at(queue, start->record);
  bool all_fpdus = false;
  if (!is_fpdu(record)) {
    return (tcp_cut){.length = cut_stream(queue, start, emss_octets, &all_fpdus, true)};
  }
  uint64_t left = record_end(record) - start->from;
  if (start->from > record->from || left > emss_octets) {
    return (tcp_cut){.length = (uint32_t)MIN(left, emss_octets)};
  }
  uint32_t length = (uint32_t)left;
  uint64_t number = start->record + 1;
  for (; number < queue->end; number++) {
    const sent_record *next = record_at(queue, number);
    if (!is_fpdu(next) || next->octets.length > emss_octets - length) {
      break;
    }
    length += next->octets.length;
  }
  bool alone = number == start->record + 1;
  return (tcp_cut){.length = length, .full_size = alone && (record->flags & TCP_RECORD_FULL_SIZE) != 0};
}

static tcp_cut cut(const tcp_send_queue *queue, const cut_start *start, uint32_t emss_octets)
{
  g_assert(emss_octets > 0);
  if (queue->segmentation == TCP_SEGMENTATION_ALIGNED) {
    return cut_aligned(queue, start, emss_octets);
  }
  bool all_fpdus = false;
  uint32_t length = cut_stream(queue, start, emss_octets, &all_fpdus, false);
  return (tcp_cut){.length = length, .full_size = length == emss_octets && all_fpdus};
}

tcp_cut tcp_send_queue_cut(const tcp_send_queue *queue, uint32_t emss_octets)
{
  if (queue->unsent == queue->posted) {
    return (tcp_cut){.length = 0};
  }
  cut_start start = {.from = queue->unsent, .record = queue->unsent_record};
  return cut(queue, &start, emss_octets);
}

void tcp_send_queue_advance(tcp_send_queue *queue, uint32_t length)
{
  g_assert(length <= queue->posted - queue->unsent);
  queue->unsent += length;
  while (queue->unsent_record < queue->end &&
         record_end(record_at(queue, queue->unsent_record)) <= queue->unsent) {
    queue->unsent_record++;
  }
}

/* The number of the record that holds `position`. New segments start at the unsent record or, with what
 * was just sent, right before it; retransmissions are searched for. */
static uint64_t find(const tcp_send_queue *queue, uint64_t position)
{
  uint64_t low = queue->first;
  uint64_t high = queue->end - 1;
  if (queue->unsent_record < queue->end && record_at(queue, queue->unsent_record)->from <= position) {
    low = queue->unsent_record;
    high = record_end(record_at(queue, low)) > position ? low : high;
  }
  while (low < high) {
    uint64_t middle = low + (high - low + 1) / 2;
    if (record_at(queue, middle)->from <= position) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

uint32_t tcp_send_queue_cut_at(const tcp_send_queue *queue, uint64_t from, uint64_t to, uint32_t emss_octets)
{
  g_assert(from < to && to <= queue->unsent);
  cut_start start = {.from = from, .record = find(queue, from)};
  return MIN(cut(queue, &start, emss_octets).length, (uint32_t)(to - from));
}

void tcp_send_queue_copy(const tcp_send_queue *queue, uint64_t from, uint64_t to, octet_rope *target)
{
  if (from == to) {
    return;
  }
  g_assert(from < to && to <= queue->posted && queue->first < queue->end &&
           record_at(queue, queue->first)->from <= from);
  for (uint64_t number = find(queue, from); from < to; number++) {
    const sent_record *record = record_at(queue, number);
    uint64_t end = MIN(record_end(record), to);
    octet_rope_append_rope(target, &record->octets, (uint32_t)(from - record->from), (uint32_t)(end - from));
    from = end;
  }
}

void tcp_send_queue_release(tcp_send_queue *queue, uint64_t position)
{
  g_assert(position <= queue->unsent);
  while (queue->first < queue->end && record_end(record_at(queue, queue->first)) <= position) {
    octet_rope_clear(&record_at(queue, queue->first)->octets);
    queue->first++;
  }
}
