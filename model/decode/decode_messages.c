/* SPDX-License-Identifier: GPL-2.0-only */
#include "decode/decode_messages.h"

#include "base/deque.h"

/* These are limits for hostile captures: FPDUs that wait beyond a hole; Requests without an answer, of which
 * an end may have 65,536 (rdmap.ord); and how many of those are looked through for a Response. */
enum { HELD_MAX = 1 << 18, REQUESTS_MAX = 1 << 16, LOOK_AHEAD = 1024 };

/* This is kept of an FPDU: a message of its own, until it is joined. */
typedef struct piece {
  uint64_t position; /* in TCP's stream; the first member: the key of a deque */
  bool is_readable;  /* it has a DDP header, and no wrong CRC; else `message` does not hold */
  decode_event event;
  decode_message message;
} piece;

typedef struct direction {
  const decode_connection *connection;
  enum side from;
  deque held;          /* of piece, from beyond the edge; ascending */
  deque requests;      /* of piece: this end's Read and Atomic Requests without an answer, ascending */
  uint64_t edge;       /* pieces up to this position were taken */
  uint64_t end;        /* of the highest piece */
  uint64_t lost;       /* octets since the last piece that was joined of which no piece can be read */
  bool has_hole;       /* octets below the edge were not captured: nothing is known to be in order any more */
  int64_t in_order_ns; /* when all octets below the edge had come */
  bool is_open;        /* a message that follows, to which more pieces may come */
  int64_t first_ns;    /* when the first of its pieces came */
  uint64_t base;       /* the TO or MO at which it starts … */
  uint64_t next;       /* … and to which it is known */
  piece asked;         /* of an answer: its Request */
  decode_event event;
  decode_message message;
} direction;

struct decode_messages {
  uint64_t hold_octets;
  decode_handler handler;
  void *user;
  GPtrArray *directions; /* of direction, SIDES of each connection; NULL: nothing has come */
  int64_t latest_ns;
};

/* --- Read Requests --- */

/* Takes the oldest `count` Requests of `d` away (0: `d` may be NULL), which no Response answers. */
static void give_up_requests(const decode_messages *messages, direction *d, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    const piece *p = deque_at(&d->requests, i);
    decode_event event = p->event;
    const char *name = p->message.is_request ? "Read" : "Atomic";
    g_autofree char *text =
        g_strdup_printf("no %s Response answers the %s Request with MSN %u in packet %" G_GUINT64_FORMAT,
                        name, name, p->message.ddp.msn, event.packets.last);
    event.kind = DECODE_NOTE_UNANSWERED;
    event.time_ns = messages->latest_ns;
    event.text = text;
    messages->handler(messages->user, &event);
  }
  if (count > 0) {
    deque_remove(&d->requests, 0, count);
  }
}

/* Returns whether the Response that has begun in `d` may be to the Request `asked`. */
static bool answers(const direction *d, const piece *asked)
{
  const rdmap_read_request *request = &asked->message.request;
  const uint64_t at = d->base - request->sink_offset;

  return d->message.opcode == RDMAP_READ_RESPONSE
             ? asked->message.is_request && request->sink_stag == d->message.ddp.stag &&
                   (at == 0 || at < request->length)
             : !asked->message.is_request && asked->message.extension.id == d->message.extension.id;
}

/* Finds the Request, at the other end, that the Response which has begun answers. */
static void find_request(const decode_messages *messages, direction *d)
{
  direction *peer = messages->directions->pdata[d->connection->index * SIDES + !d->from];
  size_t count = peer ? peer->requests.count : 0;

  for (size_t i = 0; i < MIN(count, (size_t)LOOK_AHEAD); i++) {
    const piece *asked = deque_at(&peer->requests, i);
    if (asked->event.packets.first < d->event.packets.last && answers(d, asked)) {
      d->asked = *asked;
      d->base = d->next = asked->message.request.sink_offset; /* of an Atomic: 0 */
      d->message.has_start = d->message.is_answer = true;
      d->message.request_msn = asked->message.ddp.msn;
      give_up_requests(messages, peer, i);
      deque_remove(&peer->requests, 0, 1);
      return;
    }
  }
  give_up_requests(messages, peer, count > LOOK_AHEAD ? LOOK_AHEAD : 0);
}

/* --- Messages --- */

/* Octets [from, to) of the open message have not come. */
static void add_gap(decode_message *message, uint64_t from, uint64_t to)
{
  message->missing_octets += to - from;
  if (message->gap_count < DECODE_GAPS_MAX) {
    message->gaps[message->gap_count++] = (range){from, to};
  }
}

/* No piece of the open message, if there is one, follows. */
static void end_message(const decode_messages *messages, direction *d)
{
  decode_message *message = &d->message;
  uint64_t length = d->next - d->base;

  if (!d->is_open) {
    return;
  }
  if (message->is_answer && length < d->asked.message.request.length) {
    add_gap(message, length, d->asked.message.request.length);
  }
  message->is_complete = message->has_start && message->ddp.last && message->missing_octets == 0;
  message->took_ns = d->event.time_ns - d->first_ns;
  message->held_ns =
      message->is_complete && !d->has_hole ? d->in_order_ns - d->event.time_ns : DECODE_TIME_NONE;
  message->round_trip_ns = message->is_answer && message->is_complete
                               ? d->event.time_ns - d->asked.event.time_ns
                               : DECODE_TIME_NONE;
  d->event.message = message;
  messages->handler(messages->user, &d->event);
  d->is_open = false;
}

/* Takes the next piece of the open message, which is not its first. */
static void continue_message(direction *d, const piece *p)
{
  decode_event *event = &d->event;

  event->octets += p->event.octets;
  event->time_ns = MAX(event->time_ns, p->event.time_ns);
  event->packets.first = MIN(event->packets.first, p->event.packets.first);
  event->packets.last = MAX(event->packets.last, p->event.packets.last);
  event->problems |= p->event.problems;
  d->first_ns = MIN(d->first_ns, p->event.time_ns);
  d->message.fpdus++;
  d->message.payload_octets += p->message.payload_octets;
  d->message.ddp.last = p->message.ddp.last;
}

static void join(const decode_messages *messages, direction *d, const piece *p)
{
  const ddp_header *ddp = &p->message.ddp, *open = &d->message.ddp;
  const uint64_t octets = p->message.payload_octets;
  uint64_t start = ddp->tagged ? ddp->tagged_offset : ddp->message_offset;
  const bool has_no_place = ddp->tagged && octets == 0; /* its STag and TO have no meaning (DDP-100) */
  const bool continues =
      ddp->tagged ? has_no_place || (open->stag == ddp->stag && start - d->next <= d->lost)
                  : open->queue_number == ddp->queue_number && open->msn == ddp->msn && start >= d->next;

  if (d->is_open && d->message.opcode == p->message.opcode && open->tagged == ddp->tagged && continues) {
    continue_message(d, p);
  } else {
    end_message(messages, d);
    d->is_open = true;
    d->event = p->event;
    d->message = p->message;
    d->first_ns = p->event.time_ns;
    d->base = d->next = ddp->tagged ? ddp->tagged_offset : 0;
    d->message.has_start = !ddp->tagged || d->lost == 0;
    if ((ddp->tagged && d->message.opcode == RDMAP_READ_RESPONSE) ||
        d->message.extension.kind == DECODE_ATOMIC_RESPONSE) {
      find_request(messages, d);
    }
  }
  start = has_no_place ? d->next : start;
  if (start != d->next) {
    add_gap(&d->message, d->next - d->base, start - d->base);
  }
  d->next = start + octets;
  d->lost = 0;
  if (ddp->last) {
    end_message(messages, d);
  }
}

/* --- The order of the stream --- */

/* Takes the pieces that follow the edge, and, as long as more than `limit` octets wait, the others too. */
static void take_held(const decode_messages *messages, direction *d, uint64_t limit)
{
  while (d->held.count > 0) {
    const piece p = *(const piece *)deque_at(&d->held, 0);

    if (p.position > d->edge) {
      if (d->end - d->edge <= limit && d->held.count <= HELD_MAX) {
        return;
      }
      d->lost += p.position - d->edge;
      d->has_hole = true;
    }
    deque_remove(&d->held, 0, 1);
    d->edge = p.position + p.event.octets;
    d->in_order_ns = MAX(d->in_order_ns, p.event.time_ns);
    if (p.is_readable) {
      join(messages, d, &p);
    } else {
      d->lost += p.event.octets;
    }
  }
}

static void insert(deque *pieces, const piece *p)
{
  piece *room = deque_insert(pieces, deque_count_to(pieces, offsetof(piece, position), p->position));

  *room = *p;
}

static direction *direction_of(decode_messages *messages, const decode_event *event)
{
  guint index = event->connection->index * SIDES;

  if (index >= messages->directions->len) {
    g_ptr_array_set_size(messages->directions, (gint)index + SIDES);
  }
  direction **d = (direction **)&messages->directions->pdata[index + event->direction];
  if (!*d) {
    const decode_direction_summary *summary = &event->connection->directions[event->direction];
    *d = g_new0(direction, 1);
    (*d)->connection = event->connection;
    (*d)->from = event->direction;
    (*d)->edge = summary->phase_start;
    (*d)->lost = summary->is_found; /* what begins there may have begun before */
    deque_init(&(*d)->held, sizeof(piece));
    deque_init(&(*d)->requests, sizeof(piece));
  }
  return *d;
}

void decode_messages_receive(void *of, const decode_event *event)
{
  decode_messages *messages = of;
  const decode_fpdu *fpdu = event->fpdu;

  messages->latest_ns = MAX(messages->latest_ns, event->time_ns);
  if (!fpdu) {
    messages->handler(messages->user, event);
    return;
  }
  direction *d = direction_of(messages, event);
  piece p = {.position = event->stream_position,
             .is_readable = fpdu->has_ddp && fpdu->crc != DECODE_CRC_WRONG,
             .event = *event,
             .message = {.ddp = fpdu->ddp,
                         .opcode = fpdu->rdmap_opcode,
                         .fpdus = 1,
                         .payload_octets = fpdu->payload_octets,
                         .is_request = fpdu->has_read_request,
                         .request = fpdu->read_request,
                         .extension = fpdu->extension}};
  p.event.kind = DECODE_MESSAGE;
  p.event.fpdu = NULL;
  if (p.position < d->edge) { /* its place was given up */
    return;
  }
  if (p.is_readable && (p.message.is_request || p.message.extension.kind == DECODE_ATOMIC_REQUEST)) {
    /* at once: its Response can come before what the capture lacks */
    insert(&d->requests, &p);
    give_up_requests(messages, d, d->requests.count > REQUESTS_MAX);
  }
  d->end = MAX(d->end, p.position + p.event.octets);
  insert(&d->held, &p);
  take_held(messages, d, messages->hold_octets);
}

void decode_messages_finish(decode_messages *messages)
{
  for (guint i = 0; i < messages->directions->len; i++) {
    direction *d = messages->directions->pdata[i];
    if (d) {
      take_held(messages, d, 0);
      end_message(messages, d);
    }
  }
  for (guint i = 0; i < messages->directions->len; i++) { /* all Responses are known */
    direction *d = messages->directions->pdata[i];
    give_up_requests(messages, d, d ? d->requests.count : 0);
  }
}

static void free_direction(void *of)
{
  direction *d = of;

  if (d) {
    deque_clear(&d->held);
    deque_clear(&d->requests);
    g_free(d);
  }
}

decode_messages *decode_messages_new(uint64_t hold_octets, decode_handler handler, void *user)
{
  decode_messages *messages = g_new0(decode_messages, 1);

  messages->hold_octets = hold_octets > 0 ? hold_octets : DECODE_HOLD_DEFAULT_OCTETS;
  messages->handler = handler;
  messages->user = user;
  messages->directions = g_ptr_array_new_with_free_func(free_direction);
  return messages;
}

void decode_messages_free(decode_messages *messages)
{
  if (messages) {
    g_ptr_array_unref(messages->directions);
    g_free(messages);
  }
}
