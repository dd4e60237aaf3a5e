/* SPDX-License-Identifier: GPL-2.0-only */
#include "wire_responses.h"

enum {
  REQUESTS = 1 << WIRE_READ_REQUEST | 1 << WIRE_ATOMIC_REQUEST,
  RESPONSES = 1 << WIRE_READ_RESPONSE | 1 << WIRE_ATOMIC_RESPONSE,
};

const wire_message *wire_next(const GArray *messages, guint *at, guint opcodes)
{
  while (*at < messages->len) {
    const wire_message *message = &g_array_index(messages, wire_message, (*at)++);
    if (opcodes & 1u << message->opcode) {
      return message;
    }
  }
  return NULL;
}

gboolean wire_is_terminated(const wire_decoded *decoded)
{
  guint at[WIRE_SIDES] = {0};

  return wire_next(decoded->messages[WIRE_INITIATOR], &at[0], 1 << WIRE_TERMINATE) ||
         wire_next(decoded->messages[WIRE_RESPONDER], &at[1], 1 << WIRE_TERMINATE);
}

/* RFC 7306 §5.1.1, the loop as it is printed. */
static guint64 fetch_add(guint64 original, guint64 add_data, guint64 add_mask)
{
  guint64 bit_location = 1, carry = 0, result = 0;

  for (int bit = 0; bit <= 63; bit++) {
    if (bit != 0) {
      bit_location = bit_location << 1;
    }
    guint64 val1 = (original & bit_location) >> bit;
    guint64 val2 = (add_data & bit_location) >> bit;
    guint64 sum = carry + val1 + val2;
    carry = (sum & 2) >> 1;
    sum = sum & 1;
    if (sum) {
      result |= bit_location;
    }
    carry = carry && !(add_mask & bit_location);
  }
  return result;
}

guint64 wire_atomic_result(const wire_atomic *atomic, guint64 original)
{
  if (atomic->operation == WIRE_FETCH_ADD) {
    return fetch_add(original, atomic->data, atomic->mask);
  }
  /* §5.1.2, as it is printed. */
  if (!((atomic->compare ^ original) & atomic->compare_mask)) {
    return (original & ~atomic->mask) | (atomic->data & atomic->mask);
  }
  return original;
}

/* This is a word of the responding side's memory, from the first Atomic Operation on it on. */
typedef struct word {
  guint32 stag;
  guint64 offset;
  guint64 value;
} word;

/* Checks the original value against the memory, whose words are what their first Responses say they were,
 * and does the operation there. */
static void replay(GArray *memory, const wire_atomic *atomic, guint64 original, int asking, guint k,
                   GPtrArray *complaints)
{
  guint at = 0;

  while (at < memory->len && (g_array_index(memory, word, at).stag != atomic->stag ||
                              g_array_index(memory, word, at).offset != atomic->offset)) {
    at++;
  }
  if (at == memory->len) {
    const word found = {.stag = atomic->stag, .offset = atomic->offset, .value = original};
    g_array_append_val(memory, found);
  }
  word *place = &g_array_index(memory, word, at);
  if (original != place->value) {
    wire_complain(complaints,
                  "side %d: Atomic Request %u finds %016" G_GINT64_MODIFIER
                  "X instead of %016" G_GINT64_MODIFIER "X",
                  asking, k, original, place->value);
  }
  place->value = wire_atomic_result(atomic, original);
}

/* rdmap-00 §6.4: the STag, the TO and the length asked for; RFC 7306 §5.2.2: the identifier. */
static gboolean fits(const wire_message *request, const wire_message *response)
{
  if (request->opcode == WIRE_ATOMIC_REQUEST) {
    return response->opcode == WIRE_ATOMIC_RESPONSE &&
           response->atomic.identifier == request->atomic.identifier;
  }
  return response->opcode == WIRE_READ_RESPONSE && response->stag == request->read.sink_stag &&
         response->offset == request->read.sink_offset &&
         (response->is_whole ? response->octets == request->read.octets
                             : response->octets <= request->read.octets);
}

void wire_responses_check(const wire_decoded *decoded, int asking, gboolean shares_word,
                          GPtrArray *complaints)
{
  g_autoptr(GArray) memory = shares_word ? NULL : g_array_new(FALSE, FALSE, sizeof(word));
  guint at_request = 0;
  guint at_response = 0;

  /* rdmap-00 §7.2 and RFC 7306 §7: responses to Reads and Atomic Operations keep the order of the requests,
   * which share a queue. */
  for (guint k = 1;; k++) {
    const wire_message *request = wire_next(decoded->messages[asking], &at_request, REQUESTS);
    const wire_message *response = wire_next(decoded->messages[1 - asking], &at_response, RESPONSES);
    if (!request && !response) {
      return;
    }
    const char *operation =
        (request ? request->opcode == WIRE_ATOMIC_REQUEST : response->opcode == WIRE_ATOMIC_RESPONSE)
            ? "Atomic"
            : "Read";
    if (!request || !response) {
      if (!request || !wire_is_terminated(decoded)) {
        wire_complain(complaints, "side %d: %s %u lacks its %s", asking, operation, k,
                      request ? "Response" : "Request");
      }
      return;
    }
    if (!fits(request, response)) {
      wire_complain(complaints, "side %d: the Response is not what %s Request %u asks for", asking, operation,
                    k);
    } else if (request->opcode == WIRE_ATOMIC_REQUEST && memory) {
      replay(memory, &request->atomic, response->value, asking, k, complaints);
    }
  }
}

/* How far the Atomic Operations of one connection have been put in order. */
typedef struct progress {
  const wire_decoded *decoded;
  guint at_request, at_response;
  const wire_message *request, *response; /* the next; NULL: none is left */
} progress;

static void go_on(progress *p, int asking)
{
  p->request = wire_next(p->decoded->messages[asking], &p->at_request, 1 << WIRE_ATOMIC_REQUEST);
  p->response = wire_next(p->decoded->messages[1 - asking], &p->at_response, 1 << WIRE_ATOMIC_RESPONSE);
}

/* Returns the connection whose next operation finds `value`: one that changes nothing before one that does,
 * since the word never has a value twice. NULL: there is none. */
static progress *next_of(GArray *all, guint64 value)
{
  progress *found = NULL;

  for (guint i = 0; i < all->len; i++) {
    progress *p = &g_array_index(all, progress, i);
    if (p->response && p->response->value == value) {
      if (wire_atomic_result(&p->request->atomic, value) == value) {
        return p;
      }
      found = p;
    }
  }
  return found;
}

void wire_shared_word_check(const wire_decoding *decoding, int asking, GPtrArray *complaints)
{
  g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(progress));
  guint64 value = G_MAXUINT64;
  guint left = 0;

  for (guint i = 0; i < decoding->decoded->len; i++) {
    progress p = {.decoded = &g_array_index(decoding->decoded, wire_decoded, i)};
    go_on(&p, asking);
    value = p.response ? MIN(value, p.response->value) : value;
    g_array_append_val(all, p);
  }
  for (progress *p; (p = next_of(all, value));) {
    value = wire_atomic_result(&p->request->atomic, value);
    go_on(p, asking);
  }
  for (guint i = 0; i < all->len; i++) {
    left += g_array_index(all, progress, i).response != NULL;
  }
  if (left > 0) {
    wire_complain(
        complaints,
        "side %d: no Atomic Operation of %u connections can be the next to find %016" G_GINT64_MODIFIER "X",
        asking, left, value);
  }
}
