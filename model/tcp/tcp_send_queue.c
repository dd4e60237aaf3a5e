/* SPDX-License-Identifier: GPL-2.0-only */
#include "tcp/tcp_send_queue.h"

#include <glib.h>

/* Nearly every record lies in one piece of memory, as FPDUs do: then that piece's slice is here. One that
 * is deferred has the reference on its buffer here. Else it is a chain, and here is where it is. */
typedef struct sent_record {
  uint64_t from; /* stream position of its first octet */
  uint32_t length;
  uint32_t flags; /* TCP_RECORD_…, IN_PIECES and DEFERRED */
  union {
    struct {
      const uint8_t *octets; /* not of one that is deferred */
      octet_buffer *buffer;  /* may be NULL */
    } piece;
    buffer_chain *pieces;
  } at;
} sent_record;

enum { IN_PIECES = 1 << 16, DEFERRED = 1 << 17 };
enum { CAPACITY_AT_FIRST = 16 };

/* The records are numbered from 0 on as they are posted; number n lives in slot n modulo the capacity, a
 * power of 2. */
struct tcp_kept_records {
  uint32_t capacity;
  uint64_t posted;        /* octets so far, released or not */
  uint64_t first;         /* number of the oldest record kept */
  uint64_t end;           /* one beyond the number of the newest */
  uint64_t unsent_record; /* number of the record that holds `unsent`; `end` when all is sent */
  sent_record slots[];
};

static sent_record *record_at(tcp_kept_records *kept, uint64_t number)
{
  return &kept->slots[number & (kept->capacity - 1)];
}

static uint64_t record_end(const sent_record *record)
{
  return record->from + record->length;
}

static G_GNUC_NO_INLINE void take_pieces(sent_record *record, buffer_chain *octets)
{
  if (buffer_chain_is_deferred(octets)) {
    record->flags |= DEFERRED;
    record->at.piece.buffer = buffer_chain_deferred_buffer(octets); /* with its reference */
    buffer_chain_init(octets);
    return;
  }
  record->flags |= IN_PIECES;
  record->at.pieces = g_new(buffer_chain, 1);
  buffer_chain_move(record->at.pieces, octets);
}

static G_GNUC_NO_INLINE void append_pieces(buffer_chain *target, const sent_record *record, uint32_t from,
                                           uint32_t length)
{
  if (record->flags & IN_PIECES) {
    buffer_chain_append_chain(target, record->at.pieces, from, length);
  } else {
    buffer_chain deferred;
    buffer_chain_init_deferred(&deferred, record->at.piece.buffer);
    buffer_chain_append_chain(target, &deferred, from, length);
  }
}

static inline void append_octets(buffer_chain *target, const sent_record *record, uint32_t from,
                                 uint32_t length)
{
  if ((record->flags & (IN_PIECES | DEFERRED)) == 0) {
    buffer_chain_append(target, record->at.piece.octets + from, length, record->at.piece.buffer);
  } else {
    append_pieces(target, record, from, length);
  }
}

static G_GNUC_NO_INLINE void drop_pieces(sent_record *record)
{
  buffer_chain_clear(record->at.pieces);
  g_free(record->at.pieces);
}

static inline void drop_octets(sent_record *record)
{
  if (record->flags & IN_PIECES) {
    drop_pieces(record);
  } else {
    octet_buffer_unref(record->at.piece.buffer);
  }
}

void tcp_send_queue_clear(tcp_send_queue *queue)
{
  tcp_kept_records *kept = queue->kept;
  for (uint64_t number = kept ? kept->first : 0; kept && number < kept->end; number++) {
    drop_octets(record_at(kept, number));
  }
  g_free(kept);
  queue->kept = NULL;
}

/* Makes room for twice as many records, or for the first ones. */
static G_GNUC_NO_INLINE tcp_kept_records *grown(tcp_kept_records *kept, uint64_t posted)
{
  const tcp_kept_records none = {.capacity = CAPACITY_AT_FIRST / 2, .posted = posted};
  const tcp_kept_records *before = kept ? kept : &none;
  tcp_kept_records *larger = g_malloc(sizeof *larger + 2 * before->capacity * sizeof(sent_record));
  *larger = *before;
  larger->capacity = 2 * before->capacity;
  for (uint64_t number = larger->first; number < larger->end; number++) {
    *record_at(larger, number) = *record_at(kept, number);
  }
  g_free(kept);
  return larger;
}

uint64_t tcp_send_queue_posted(const tcp_send_queue *queue)
{
  return queue->kept ? queue->kept->posted : queue->unsent;
}

void tcp_send_queue_post(tcp_send_queue *queue, buffer_chain *record, unsigned flags)
{
  if (record->length == 0) {
    return;
  }
  if (!queue->kept || queue->kept->end - queue->kept->first == queue->kept->capacity) {
    queue->kept = grown(queue->kept, tcp_send_queue_posted(queue));
  }
  sent_record *last = record_at(queue->kept, queue->kept->end++);
  last->from = queue->kept->posted;
  last->length = record->length;
  last->flags = flags;
  queue->kept->posted += record->length;
  if (record->slice_count == 1 && record->heap_capacity == 0) {
    const octet_slice *slice = buffer_chain_slices(record);
    last->at.piece.octets = slice->octets;
    last->at.piece.buffer = slice->buffer; /* with its reference */
    buffer_chain_init(record);
  } else {
    take_pieces(last, record);
  }
}

static bool is_fpdu(const sent_record *record)
{
  return (record->flags & TCP_RECORD_FPDU) != 0;
}

/* A cut from `from`, which record `number` holds, at EMSS, with `plain_only` before the first FPDU. */
static G_GNUC_NO_INLINE tcp_cut cut_stream(const tcp_send_queue *queue, uint64_t from, uint64_t number,
                                           uint32_t emss_octets, bool plain_only)
{
  uint64_t end = MIN(from + emss_octets, queue->kept->posted);
  bool all_fpdus = true;
  for (; number < queue->kept->end; number++) {
    const sent_record *record = record_at(queue->kept, number);
    if (record->from >= end) {
      break;
    }
    if (plain_only && is_fpdu(record)) {
      end = record->from;
      break;
    }
    all_fpdus = all_fpdus && is_fpdu(record);
  }
  uint32_t length = (uint32_t)(end - from);
  return (tcp_cut){.length = length, .full_size = length == emss_octets && all_fpdus};
}

/* Cuts with ALIGNED and RECORD. */
static inline tcp_cut cut_fpdus(const tcp_send_queue *queue, uint64_t from, uint64_t number,
                                uint32_t emss_octets)
{
  const sent_record *record = record_at(queue->kept, number);
  if (!is_fpdu(record)) {
    return (tcp_cut){.length = cut_stream(queue, from, number, emss_octets, true).length};
  }
  uint32_t full_size = (record->flags & TCP_RECORD_FULL_SIZE) != 0 ? 1 : 0;
  if (queue->segmentation == TCP_SEGMENTATION_RECORD) {
    return (tcp_cut){.length = (uint32_t)MIN(record_end(record) - from, emss_octets), .full_size = full_size};
  }
  if (from > record->from || record->length > emss_octets) {
    return (tcp_cut){.length = (uint32_t)MIN(record_end(record) - from, emss_octets)};
  }
  uint32_t length = record->length;
  while (length < emss_octets && ++number < queue->kept->end) {
    const sent_record *next = record_at(queue->kept, number);
    if (next->length > emss_octets - length || !is_fpdu(next)) {
      break;
    }
    length += next->length;
    full_size = 0; /* it is not alone */
  }
  return (tcp_cut){.length = length, .full_size = full_size};
}

/* Returns what goes together from `from` on, which record `number` holds. */
static inline tcp_cut cut(const tcp_send_queue *queue, uint64_t from, uint64_t number, uint32_t emss_octets)
{
  if (queue->segmentation == TCP_SEGMENTATION_STREAM) {
    return cut_stream(queue, from, number, emss_octets, false);
  }
  return cut_fpdus(queue, from, number, emss_octets);
}

static inline bool is_all_sent(const tcp_send_queue *queue)
{
  return !queue->kept || queue->unsent == queue->kept->posted;
}

uint32_t tcp_send_queue_next_octets(const tcp_send_queue *queue)
{
  return is_all_sent(queue)
             ? 0
             : (uint32_t)(record_end(record_at(queue->kept, queue->kept->unsent_record)) - queue->unsent);
}

inline tcp_cut tcp_send_queue_cut(const tcp_send_queue *queue, uint32_t emss_octets)
{
  if (is_all_sent(queue)) {
    return (tcp_cut){.length = 0};
  }
  return cut(queue, queue->unsent, queue->kept->unsent_record, emss_octets);
}

/* Sends up to `end`, at most to the end of the record that is next. */
static inline void send_of_record(tcp_send_queue *queue, uint64_t end, buffer_chain *target)
{
  const sent_record *record = record_at(queue->kept, queue->kept->unsent_record);
  uint64_t from = queue->unsent;
  queue->unsent = MIN(end, record_end(record));
  queue->kept->unsent_record += queue->unsent == record_end(record);
  append_octets(target, record, (uint32_t)(from - record->from), (uint32_t)(queue->unsent - from));
}

inline void tcp_send_queue_send(tcp_send_queue *queue, uint32_t length, buffer_chain *target)
{
  const uint64_t end = queue->unsent + length;
  g_assert(length == 0 || end <= queue->kept->posted);
  if (length > 0) {
    send_of_record(queue, end, target);
  }
  while (queue->unsent < end) { /* seldom: several go together */
    send_of_record(queue, end, target);
  }
}

bool tcp_send_queue_sent_fpdu(const tcp_send_queue *queue)
{
  const sent_record *last = record_at(queue->kept, queue->kept->unsent_record - 1);
  return queue->kept->unsent_record > queue->kept->first && record_end(last) == queue->unsent &&
         is_fpdu(last);
}

/* Returns the number of the record that holds `position`, which must have been posted and not be released. */
static uint64_t find(const tcp_send_queue *queue, uint64_t position)
{
  uint64_t low = queue->kept->first;
  uint64_t high = queue->kept->end - 1;
  while (low < high) {
    uint64_t middle = low + (high - low + 1) / 2;
    if (record_at(queue->kept, middle)->from <= position) {
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
  g_assert(emss_octets > 0);
  return MIN(cut(queue, from, find(queue, from), emss_octets).length, (uint32_t)(to - from));
}

bool tcp_send_queue_copy(const tcp_send_queue *queue, uint64_t from, uint64_t to, buffer_chain *target)
{
  bool ends_fpdu = false;
  if (from == to) {
    return ends_fpdu;
  }
  g_assert(from < to && queue->kept && to <= queue->kept->posted &&
           record_at(queue->kept, queue->kept->first)->from <= from);
  for (uint64_t number = find(queue, from); from < to; number++) {
    const sent_record *record = record_at(queue->kept, number);
    uint64_t end = MIN(record_end(record), to);
    append_octets(target, record, (uint32_t)(from - record->from), (uint32_t)(end - from));
    ends_fpdu = end == record_end(record) && is_fpdu(record);
    from = end;
  }
  return ends_fpdu;
}

inline void tcp_send_queue_release(tcp_send_queue *queue, uint64_t position)
{
  tcp_kept_records *kept = queue->kept;
  g_assert(position <= queue->unsent);
  if (!kept) {
    return;
  }
  while (kept->first < kept->end && record_end(record_at(kept, kept->first)) <= position) {
    drop_octets(record_at(kept, kept->first));
    kept->first++;
  }
  if (kept->first == kept->end) {
    g_free(kept);
    queue->kept = NULL;
  }
}
