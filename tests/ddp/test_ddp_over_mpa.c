/* SPDX-License-Identifier: GPL-2.0-only */
/* DDP over MPA, as its LLP: messages become segments, FPDUs, one stream of octets; that arrives in pieces
 * of any size, in any order and several times, and becomes messages again. */
#include <string.h>

#include "base/random_stream.h"
#include "ddp/ddp_placer.h"
#include "ddp/ddp_segmenter.h"
#include "fields.h"
#include "mpa/mpa_deframer.h"
#include "mpa/mpa_framer.h"
#include "stack_cleanup.h"
#include "test.h"

enum {
  MESSAGES = 12,
  MAX_MESSAGE_OCTETS = 3000,
  TAGGED_OCTETS = MESSAGES * MAX_MESSAGE_OCTETS,
  QUEUES = 2,
  STAG = 0x5EED,
  CONTROL = 0x43,
  UNTOUCHED = 0xEE,
};

/* A message as it was given to DDP. */
typedef struct sent_message {
  bool tagged;
  uint32_t queue_number;
  uint32_t ulp_word;
  uint32_t length;
  uint8_t octets[MAX_MESSAGE_OCTETS];
  uint8_t *sink; /* where the Data Sink has it */
} sent_message;

/* A segment as it was given to the LLP. */
typedef struct sent_ulpdu {
  uint64_t fpdu_start;
  uint32_t length;
  size_t passed; /* how often the LLP has passed it to DDP */
  uint8_t octets[1500];
} sent_ulpdu;

typedef struct wire_link {
  random_stream *random;
  iwarp_generation generation;
  bool markers;

  sent_message messages[MESSAGES];
  GArray *ulpdus; /* of sent_ulpdu */
  GByteArray *stream;

  uint8_t tagged[TAGGED_OCTETS];
  uint8_t untagged[MESSAGES][MAX_MESSAGE_OCTETS];
  ddp_stag_table *stags;
  ddp_untagged_queue *queues[QUEUES];
  mpa_deframer *deframer;
  ddp_placer *placer;
  size_t passed;
  size_t passed_early;
  size_t delivered; /* whole messages */
  mpa_error llp_error;
  size_t errors;
} wire_link;

static void append_octets(void *user, uint64_t from, uint32_t length, buffer_chain *chain)
{
  buffer_chain_append(chain, (const uint8_t *)user + from, length, NULL);
}

/* The segment that the sender put at `fpdu_start`; NULL when it put none there. */
static sent_ulpdu *ulpdu_at(wire_link *l, uint64_t fpdu_start)
{
  for (guint i = 0; i < l->ulpdus->len; i++) {
    sent_ulpdu *sent = &g_array_index(l->ulpdus, sent_ulpdu, i);
    if (sent->fpdu_start == fpdu_start) {
      return sent;
    }
  }
  return NULL;
}

/* The LLP hands up a segment: it is the one that the sender has put there, with its length and its octets. */
static void on_ulpdu(void *user, const mpa_ulpdu *ulpdu, time_ps now)
{
  wire_link *l = user;
  sent_ulpdu *sent = ulpdu_at(l, ulpdu->fpdu_start);
  g_assert_nonnull(sent);
  g_assert_cmpuint(ulpdu->octets->length, ==, sent->length);
  g_assert_true(buffer_chain_equals(ulpdu->octets, 0, sent->length, sent->octets));
  mpa_held held;
  mpa_deframer_held(l->deframer, &held);
  sent->passed++;
  l->passed++;
  l->passed_early += held.edge < ulpdu->fpdu_start;
  ddp_placer_receive(l->placer, ulpdu, now);
}

static void on_llp_error(void *user, mpa_error error, G_GNUC_UNUSED uint64_t offset,
                         G_GNUC_UNUSED time_ps now)
{
  ((wire_link *)user)->llp_error = error;
}

/* A message is whole: it is the next of those sent, and all its octets are there. */
static void on_delivered(void *user, const ddp_segment *segment, uint64_t buffer_id,
                         G_GNUC_UNUSED time_ps now)
{
  wire_link *l = user;
  g_assert_cmpuint(l->delivered, <, MESSAGES);
  const sent_message *message = &l->messages[l->delivered];
  g_assert_cmpint(segment->header.tagged, ==, message->tagged);
  g_assert_cmphex(segment->header.ulp_control, ==, CONTROL);
  if (!segment->header.last) {
    return;
  }
  if (!message->tagged) {
    EXPECT_FIELDS(segment, (header.ulp_word, message->ulp_word), (header.queue_number, message->queue_number),
                  (message_octets, message->length));
    g_assert_cmpuint(buffer_id, ==, l->delivered);
    g_assert_true(segment->message_memory == message->sink);
  }
  g_assert_cmpmem(message->sink, message->length, message->octets, message->length);
  for (size_t i = message->length; i < MAX_MESSAGE_OCTETS; i++) {
    g_assert_cmphex(message->sink[i], ==, UNTOUCHED);
  }
  l->delivered++;
}

static void on_error(void *user, G_GNUC_UNUSED ddp_error error, G_GNUC_UNUSED const ddp_segment *segment,
                     G_GNUC_UNUSED time_ps now)
{
  ((wire_link *)user)->errors++;
}

static void on_refused(G_GNUC_UNUSED void *user, G_GNUC_UNUSED const ddp_segment *segment,
                       G_GNUC_UNUSED time_ps now)
{
  g_assert_not_reached();
}

/* All messages as one stream; each segment under a MULPDU of its own. */
static void send(wire_link *l)
{
  ddp_segmenter *segmenter =
      ddp_segmenter_new(iwarp_generation_rules_of(l->generation)->ddp_version, QUEUES, DDP_FIRST_MSN);
  g_autoptr(mpa_framer) framer = mpa_framer_new(l->markers, true);
  for (size_t i = 0; i < MESSAGES; i++) {
    sent_message *message = &l->messages[i];
    ddp_segmenter_start(segmenter, &(ddp_message){.tagged = message->tagged,
                                                  .ulp_control = CONTROL,
                                                  .ulp_word = message->ulp_word,
                                                  .stag = STAG,
                                                  .tagged_offset = i * MAX_MESSAGE_OCTETS,
                                                  .queue_number = message->queue_number,
                                                  .length = message->length,
                                                  .source = append_octets,
                                                  .source_user = message->octets});
    while (!ddp_segmenter_is_idle(segmenter)) {
      g_auto(buffer_chain) ulpdu;
      g_auto(buffer_chain) fpdu;
      buffer_chain_init(&ulpdu);
      buffer_chain_init(&fpdu);
      ddp_segmenter_next(segmenter, 128 + (uint32_t)random_stream_below(l->random, 1300), &ulpdu);
      sent_ulpdu sent = {.fpdu_start = mpa_framer_offset(framer), .length = ulpdu.length};
      buffer_chain_copy_out(&ulpdu, 0, ulpdu.length, sent.octets);
      g_array_append_val(l->ulpdus, sent);
      mpa_framer_frame(framer, &ulpdu, &fpdu);
      guint end = l->stream->len;
      g_byte_array_set_size(l->stream, end + fpdu.length);
      buffer_chain_copy_out(&fpdu, 0, fpdu.length, l->stream->data + end);
    }
  }
  ddp_segmenter_free(segmenter);
}

static void make_messages(wire_link *l)
{
  for (size_t i = 0; i < MESSAGES; i++) {
    sent_message *message = &l->messages[i];
    message->tagged = random_stream_chance(l->random, 0.5);
    message->queue_number = (uint32_t)random_stream_below(l->random, QUEUES);
    message->ulp_word = (uint32_t)random_stream_next(l->random);
    if (random_stream_chance(l->random, 0.8)) {
      message->length = (uint32_t)random_stream_below(l->random, MAX_MESSAGE_OCTETS + 1);
    }
    for (uint32_t j = 0; j < message->length; j++) {
      message->octets[j] = (uint8_t)(random_stream_next(l->random) % UNTOUCHED);
    }
    message->sink = message->tagged ? l->tagged + i * MAX_MESSAGE_OCTETS : l->untagged[i];
    if (!message->tagged) {
      ddp_untagged_queue_post(l->queues[message->queue_number], message->sink, MAX_MESSAGE_OCTETS, i);
    }
  }
}

static wire_link *wire_link_new(uint64_t seed, const char *name, iwarp_generation generation, bool markers)
{
  static const mpa_deframer_events llp_events = {.ulpdu = on_ulpdu, .error = on_llp_error};
  static const ddp_placer_events events = {
      .delivered = on_delivered, .error = on_error, .refused = on_refused};
  wire_link *l = g_new0(wire_link, 1);
  l->random = random_stream_new(seed, name);
  l->generation = generation;
  l->markers = markers;
  l->ulpdus = g_array_new(FALSE, FALSE, sizeof(sent_ulpdu));
  l->stream = g_byte_array_new();
  memset(l->tagged, UNTOUCHED, sizeof l->tagged);
  memset(l->untagged, UNTOUCHED, sizeof l->untagged);
  l->stags = ddp_stag_table_new(1);
  ddp_stag_table_register_as(
      l->stags, STAG,
      &(ddp_registration){.memory = l->tagged, .length = TAGGED_OCTETS, .access = DDP_ACCESS_REMOTE_WRITE});
  for (size_t i = 0; i < QUEUES; i++) {
    l->queues[i] = ddp_untagged_queue_new(DDP_FIRST_MSN);
  }
  ddp_placer_config config = {
      .generation = generation, .stags = l->stags, .queues = l->queues, .queue_count = QUEUES};
  l->placer = ddp_placer_new(&config, &events, l);
  l->deframer = mpa_deframer_new(markers, true, &llp_events, l);
  make_messages(l);
  send(l);
  return l;
}

static void wire_link_free(wire_link *l)
{
  mpa_deframer_free(l->deframer);
  ddp_placer_free(l->placer);
  for (size_t i = 0; i < QUEUES; i++) {
    ddp_untagged_queue_free(l->queues[i]);
  }
  ddp_stag_table_free(l->stags);
  g_array_free(l->ulpdus, TRUE);
  g_byte_array_free(l->stream, TRUE);
  random_stream_free(l->random);
  g_free(l);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC(wire_link, wire_link_free)

/* The octets [from, from + length) of the stream arrive. */
static void arrive(wire_link *l, uint64_t from, uint32_t length)
{
  octet_buffer *buffer = octet_buffer_new(length);
  g_auto(buffer_chain) chain;
  buffer_chain_init(&chain);
  memcpy(octet_buffer_octets(buffer), l->stream->data + from, length);
  buffer_chain_append(&chain, octet_buffer_octets(buffer), length, buffer);
  octet_buffer_unref(buffer);
  mpa_deframer_receive(l->deframer, from, &chain, 0, 0);
}

/* The whole stream arrives in pieces that have nothing to do with those it was sent in, in a random order;
 * in between, random stretches of it arrive again. */
static void arrive_in_pieces(wire_link *l)
{
  typedef struct piece {
    uint64_t from;
    uint32_t length;
  } piece;
  g_autoptr(GArray) pieces = g_array_new(FALSE, FALSE, sizeof(piece));
  uint64_t cut = 0;
  while (cut < l->stream->len) {
    uint32_t length = 1 + (uint32_t)random_stream_below(l->random, 1600);
    piece made = {cut, (uint32_t)MIN(length, l->stream->len - cut)};
    g_array_append_val(pieces, made);
    cut += made.length;
  }
  while (pieces->len > 0) {
    guint chosen = (guint)random_stream_below(l->random, MIN(pieces->len, 6));
    piece next = g_array_index(pieces, piece, chosen);
    g_array_remove_index(pieces, chosen);
    arrive(l, next.from, next.length);
    uint64_t seen = next.from + next.length; /* again: what comes with it is not before its time */
    uint64_t again = random_stream_below(l->random, seen);
    arrive(l, again, (uint32_t)MIN(seen - again, 3000));
  }
}

/* DDP-020: the segments handed up are those that were sent, whatever cuts the stream; DDP-024: each with
 * its length; DDP-022: those that come early, with the place that sorts them into the sender's order.
 * DDP-032: none twice, though octets keep coming again. DDP-017: segments of many MULPDUs are under way
 * together. DDP-087: what is Placed is what was sent. DDP-042, DDP-107, DDP-108, DDP-111: every message is
 * Delivered, once, in the order sent across both queues and the tagged ones. DDP-116, DDP-118, DDP-068:
 * with its length and its RsvdULP. */
TEST(test_any_cut_and_any_order)
{
  enum { ROUNDS = 60 };
  size_t early = 0;
  for (uint64_t round = 0; round < ROUNDS; round++) {
    iwarp_generation generation = (iwarp_generation)(round % IWARP_GENERATIONS);
    bool markers = generation == IWARP_RDMAC || round % 2 == 0;
    g_test_message("seed %u generation %d markers %d", (unsigned)round, generation, markers);
    g_autoptr(wire_link) l = wire_link_new(round, "test_ddp_over_mpa.cuts", generation, markers);
    arrive_in_pieces(l);
    EXPECT_FIELDS(l, (llp_error, MPA_ERROR_NONE), (errors, 0), (passed, l->ulpdus->len));
    for (guint i = 0; i < l->ulpdus->len; i++) {
      g_assert_cmpuint(g_array_index(l->ulpdus, sent_ulpdu, i).passed, ==, 1);
    }
    g_assert_cmpuint(l->delivered, ==, MESSAGES);
    g_assert_cmpuint(ddp_placer_undelivered(l->placer), ==, 0);
    early += l->passed_early;
  }
  g_assert_cmpuint(early, >, ROUNDS); /* the orders were bad ones */
}

/* DDP-023: one wrong bit anywhere in the stream, and the segment that has it never reaches DDP: on_ulpdu()
 * compares every one that does. Nothing of it is Placed; those before it are all Delivered. */
TEST(test_a_wrong_bit)
{
  enum { FLIPS = 400 };
  for (uint64_t round = 0; round < FLIPS; round++) {
    g_autoptr(wire_link) l = wire_link_new(round % 8, "test_ddp_over_mpa.bits", IWARP_IETF, round % 2 == 0);
    g_autoptr(random_stream) random = random_stream_new(round, "test_ddp_over_mpa.flip");
    uint64_t octet = random_stream_below(random, l->stream->len);
    l->stream->data[octet] ^= (uint8_t)(1 << random_stream_below(random, 8));
    guint before = 0; /* segments whose FPDU ends before the octet */
    while (before + 1 < l->ulpdus->len &&
           g_array_index(l->ulpdus, sent_ulpdu, before + 1).fpdu_start <= octet) {
      before++;
    }
    arrive(l, 0, l->stream->len);
    g_assert_cmpuint(l->passed, <=, before);
    g_assert_cmpuint(l->errors, ==, 0);
    for (size_t i = l->delivered; i < MESSAGES; i++) { /* an octet that is there is one that was sent */
      for (uint32_t j = 0; j < MAX_MESSAGE_OCTETS; j++) {
        uint8_t octet_there = l->messages[i].sink[j];
        g_assert_true(octet_there == UNTOUCHED || octet_there == l->messages[i].octets[j]);
      }
    }
  }
}

/* DDP-120: both ends begin at the same octet, and all messages come; a receiver that begins 4 to 400 octets
 * late takes none of what comes for a segment that is not one. */
TEST(test_both_ends_begin_together)
{
  guint begun_elsewhere = 0;
  for (uint32_t late = 0; late <= 400; late += 4) {
    g_autoptr(wire_link) l = wire_link_new(3, "test_ddp_over_mpa.late", IWARP_IETF, false);
    g_byte_array_remove_range(l->stream, 0, late);
    for (guint i = 0; late > 0 && i < l->ulpdus->len; i++) {
      g_array_index(l->ulpdus, sent_ulpdu, i).fpdu_start -= late; /* below 0: nowhere */
    }
    if (late == 0 || !ulpdu_at(l, 0)) { /* a later segment's start is as good a beginning, for DDP */
      arrive(l, 0, l->stream->len);
      EXPECT_FIELDS(l, (delivered, late == 0 ? MESSAGES : 0), (passed, late == 0 ? l->ulpdus->len : 0));
      begun_elsewhere += late == 0 ? 0 : 1;
    }
  }
  g_assert_cmpuint(begun_elsewhere, >, 90);
}
