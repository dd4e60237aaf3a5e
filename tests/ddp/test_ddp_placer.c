#include <glib.h>
#include <string.h>

#include "ddp_sink.h"

/* The next permutation in lexical order; false after the last. */
static bool next_permutation(size_t *order, size_t count)
{
  size_t i = count - 1;
  while (i > 0 && order[i - 1] > order[i]) {
    i--;
  }
  if (i == 0) {
    return false;
  }
  size_t j = count - 1;
  while (order[j] < order[i - 1]) {
    j--;
  }
  size_t swapped = order[i - 1];
  order[i - 1] = order[j];
  order[j] = swapped;
  for (j = count - 1; i < j; i++, j--) {
    swapped = order[i];
    order[i] = order[j];
    order[j] = swapped;
  }
  return true;
}

/* A Write of 25 octets to TO 1003 in three segments, a Send of 12 in two, a zero-length Send that tells
 * that all is there. `targets[i]`: which memory the payload of segment i belongs in (-1: tagged), and at
 * which offset. */
enum { SIX = 6, ORDERS_OF_SIX = 720 };
static const sent_segment six[SIX] = {
    {{.tagged = true, .version = 1, .ulp_control = WRITE_CONTROL, .stag = STAG, .tagged_offset = 1003},
     10,
     0},
    {{.tagged = true, .version = 1, .ulp_control = WRITE_CONTROL, .stag = STAG, .tagged_offset = 1013},
     10,
     0},
    {{.tagged = true,
      .last = true,
      .version = 1,
      .ulp_control = WRITE_CONTROL,
      .stag = STAG,
      .tagged_offset = 1023},
     5,
     0},
    {{.version = 1, .ulp_control = SEND_CONTROL, .msn = 1, .message_offset = 0}, 8, 0},
    {{.last = true, .version = 1, .ulp_control = SEND_CONTROL, .msn = 1, .message_offset = 8}, 4, 0},
    {{.last = true, .version = 1, .ulp_control = SEND_CONTROL, .msn = 2}, 0, 0},
};
static const struct {
  int buffer;
  uint32_t offset;
} targets[SIX] = {{-1, 3}, {-1, 13}, {-1, 23}, {0, 0}, {0, 8}, {1, 0}};

static uint8_t *memory_of(ddp_sink *s, int buffer)
{
  return (buffer < 0 ? s->tagged_memory : s->untagged_memory[buffer]) + GUARD_OCTETS;
}

/* The payload of segment `index` of the six lies where it belongs, or that place is as at the start. */
static void assert_place_of(ddp_sink *s, size_t index, bool placed)
{
  const uint8_t *place = memory_of(s, targets[index].buffer) + targets[index].offset;
  for (uint32_t i = 0; i < six[index].payload; i++) {
    g_assert_cmphex(place[i], ==, placed ? sent_payload_octet(sent_start_of(six, index), i) : UNTOUCHED);
  }
}

/* The octets of all buffers that no segment of the six belongs in: 64 - 25 tagged, 16 - 12 and 16
 * untagged. */
static void assert_rest_untouched(ddp_sink *s)
{
  const uint8_t *tagged = memory_of(s, -1);
  for (size_t i = 0; i < TAGGED_OCTETS; i++) {
    if (i < 3 || i >= 28) {
      g_assert_cmphex(tagged[i], ==, UNTOUCHED);
    }
  }
  for (size_t i = 12; i < UNTAGGED_OCTETS; i++) {
    g_assert_cmphex(memory_of(s, 0)[i], ==, UNTOUCHED);
  }
  for (size_t i = 0; i < UNTAGGED_OCTETS; i++) {
    g_assert_cmphex(memory_of(s, 1)[i], ==, UNTOUCHED);
  }
}

static void assert_deliveries_of_six(const ddp_sink *s, const sent_segment *segments, size_t count)
{
  static const uint64_t buffer_ids[SIX] = {0, 0, 0, 0, 101, 102};
  static const uint64_t message_octets[SIX] = {0, 0, 0, 0, 12, 0};
  g_assert_cmpuint(s->delivered, ==, count);
  for (size_t i = 0; i < count; i++) {
    g_assert_cmpuint(s->deliveries[i].fpdu_start, ==, sent_start_of(segments, i));
    g_assert_cmpuint(s->deliveries[i].buffer_id, ==, buffer_ids[i]);
    g_assert_cmpuint(s->deliveries[i].message_octets, ==, message_octets[i]);
  }
}

/* Every order of arrival: each segment is Placed as it comes; Delivered are, in the order sent and once,
 * all up to the first hole, so the zero-length Send, too, only when all Writes before it are there
 * (DDP-111 … DDP-115). */
static void test_every_order(void)
{
  size_t order[SIX] = {0, 1, 2, 3, 4, 5};
  size_t orders = 0;
  do {
    ddp_sink *s = ddp_sink_new();
    bool arrived[SIX + 1] = {false};
    size_t prefix = 0;
    for (size_t i = 0; i < SIX; i++) {
      ddp_sink_receive(s, six, order[i]);
      arrived[order[i]] = true;
      while (arrived[prefix]) {
        prefix++;
      }
      g_assert_cmpuint(s->placed, ==, i + 1);
      assert_deliveries_of_six(s, six, prefix);
      g_assert_cmpuint(ddp_placer_undelivered(s->placer), ==, i + 1 - prefix);
      for (size_t j = 0; j < SIX; j++) {
        assert_place_of(s, j, arrived[j]);
      }
    }
    g_assert_cmpuint(s->errors + s->refusals, ==, 0);
    assert_rest_untouched(s);
    ddp_sink_free(s);
    orders++;
  } while (next_permutation(order, SIX));
  g_assert_cmpuint(orders, ==, ORDERS_OF_SIX);
}

/* Passes `segments`, the six with a fault in segment `bad`, in `order`: the error surfaces with the
 * arrival of the last of segments 0 … bad, what is Delivered is the segments before it, and nothing is
 * placed for it (notes-ddp-rdmap 39). */
static void check_fault_in_order(const sent_segment *segments, size_t bad, const size_t *order,
                                 ddp_error error, bool refused)
{
  ddp_sink *s = ddp_sink_new();
  bool arrived[SIX + 1] = {false};
  size_t prefix = 0;
  for (size_t i = 0; i < SIX; i++) {
    ddp_sink_receive(s, segments, order[i]);
    arrived[order[i]] = true;
    while (arrived[prefix]) {
      prefix++;
    }
    assert_deliveries_of_six(s, segments, MIN(prefix, bad));
    g_assert_cmpuint(s->errors, ==, !refused && prefix > bad ? 1 : 0);
    g_assert_cmpuint(s->refusals, ==, refused && prefix > bad ? 1 : 0);
  }
  if (!refused) {
    g_assert_cmpint(s->error.type, ==, error.type);
    g_assert_cmphex(s->error.code, ==, error.code);
  }
  g_assert_cmpuint(s->fault_start, ==, sent_start_of(segments, bad));
  g_assert_cmpuint(ddp_placer_undelivered(s->placer), ==, 0);
  assert_place_of(s, bad, false);
  ddp_sink_free(s);
}

static void check_fault(const sent_segment *segments, size_t bad, ddp_error error, bool refused)
{
  size_t order[SIX] = {0, 1, 2, 3, 4, 5};
  do {
    check_fault_in_order(segments, bad, order, error, refused);
  } while (next_permutation(order, SIX));
}

static void test_fault_in_every_segment_and_order(void)
{
  for (size_t bad = 0; bad < SIX; bad++) {
    bool tagged = six[bad].header.tagged;
    sent_segment segments[SIX];

    memcpy(segments, six, sizeof six);
    segments[bad].header.version = 0;
    check_fault(segments, bad, tagged ? (ddp_error){1, 0x04} : (ddp_error){2, 0x06}, false);

    memcpy(segments, six, sizeof six);
    segments[bad].header.stag = STAG + 1;
    segments[bad].header.queue_number = 2;
    check_fault(segments, bad, tagged ? (ddp_error){1, 0x00} : (ddp_error){2, 0x01}, false);

    memcpy(segments, six, sizeof six);
    segments[bad].header.ulp_control = REFUSED_CONTROL;
    check_fault(segments, bad, (ddp_error){0, 0}, true);
  }
}

/* Two faults: the one that was sent first ends the stream, whichever arrives first. */
static void test_the_first_fault_in_the_senders_order(void)
{
  sent_segment segments[SIX];
  memcpy(segments, six, sizeof six);
  segments[1].header.tagged_offset = 2000;
  segments[4].header.version = 0;
  check_fault(segments, 1, (ddp_error){1, 0x01}, false);
}

typedef struct single_case {
  const char *what;
  sent_segment segment;
  int type; /* -1: delivered; -2: refused by the ULP */
  int code;
} single_case;

/* Each is the first segment of a stream of its own. */
static const single_case singles[] = {
    {"tagged, whole buffer", {TAGGED(.stag = STAG, .tagged_offset = 1000), 64, 0}, -1, 0},
    {"tagged, one beyond", {TAGGED(.stag = STAG, .tagged_offset = 1000), 65, 0}, 1, 0x01},
    {"tagged, before base", {TAGGED(.stag = STAG, .tagged_offset = 999), 1, 0}, 1, 0x01},
    {"tagged, wrap", {TAGGED(.stag = STAG, .tagged_offset = UINT64_MAX), 1, 0}, 1, 0x03},
    {"tagged, unknown STag", {TAGGED(.stag = 1, .tagged_offset = 1000), 1, 0}, 1, 0x00},
    {"tagged, DV 2", {{.tagged = true, .version = 2, .stag = STAG, .tagged_offset = 1000}, 1, 0}, 1, 0x04},
    {"tagged, all wrong: DV first",
     {{.tagged = true, .ulp_control = REFUSED_CONTROL, .stag = 1, .tagged_offset = UINT64_MAX}, 9, 0},
     1,
     0x04},
    {"tagged, all wrong but DV: STag first", {TAGGED(.stag = 1, .tagged_offset = UINT64_MAX), 9, 0}, 1, 0x00},
    {"tagged, bounds and ULP's field: bounds first",
     {REFUSED_TAGGED(.stag = STAG, .tagged_offset = 1), 9, 0},
     1,
     0x01},
    {"tagged, ULP's field", {REFUSED_TAGGED(.stag = STAG, .tagged_offset = 1000), 9, 0}, -2, 0},
    {"tagged, empty: STag and TO are not looked at",
     {TAGGED(.stag = 1, .tagged_offset = UINT64_MAX), 0, 0},
     -1,
     0},
    {"tagged, empty, DV 0", {{.tagged = true, .last = true}, 0, 0}, 1, 0x04},
    {"tagged, empty, ULP's field", {REFUSED_TAGGED(.stag = 1), 0, 0}, -2, 0},
    {"tagged, 13 octets", {TAGGED(.stag = STAG, .tagged_offset = 1000), 0, 1}, 0, 0x00},
    {"tagged, no octet", {TAGGED(.stag = STAG, .tagged_offset = 1000), 0, 14}, 0, 0x00},
    {"untagged, whole buffer", {UNTAGGED(.msn = 1), 16, 0}, -1, 0},
    {"untagged, one beyond", {UNTAGGED(.msn = 1), 17, 0}, 2, 0x05},
    {"untagged, MO at the end", {UNTAGGED(.msn = 1, .message_offset = 16), 1, 0}, 2, 0x04},
    {"untagged, no buffer", {UNTAGGED(.msn = 4), 1, 0}, 2, 0x02},
    {"untagged, used MSN", {UNTAGGED(.msn = 0), 1, 0}, 2, 0x03},
    {"untagged, a message skipped", {UNTAGGED(.msn = 2), 1, 0}, 2, 0x03},
    {"untagged, QN 1", {UNTAGGED(.queue_number = 1, .msn = 1), 16, 0}, -1, 0},
    {"untagged, QN 2, not enabled", {UNTAGGED(.queue_number = 2, .msn = 1), 1, 0}, 2, 0x01},
    {"untagged, QN 2^32 - 1", {UNTAGGED(.queue_number = UINT32_MAX, .msn = 1), 1, 0}, 2, 0x01},
    {"untagged, all wrong: DV first", {{.queue_number = 9, .ulp_control = REFUSED_CONTROL}, 1, 0}, 2, 0x06},
    {"untagged, all wrong but DV: QN first",
     {UNTAGGED(.queue_number = 9, .message_offset = 99), 1, 0},
     2,
     0x01},
    {"untagged, MSN before MO", {UNTAGGED(.msn = 4, .message_offset = 99), 1, 0}, 2, 0x02},
    {"untagged, MO before the ULP's field",
     {REFUSED_UNTAGGED(.msn = 1, .message_offset = 99), 1, 0},
     2,
     0x04},
    {"untagged, ULP's field", {REFUSED_UNTAGGED(.msn = 1), 1, 0}, -2, 0},
    {"untagged, empty", {UNTAGGED(.msn = 1), 0, 0}, -1, 0},
    {"untagged, empty: MO is not looked at", {UNTAGGED(.msn = 1, .message_offset = UINT32_MAX), 0, 0}, -1, 0},
    {"untagged, empty, no buffer", {UNTAGGED(.msn = 4), 0, 0}, 2, 0x02},
    {"untagged, empty, QN 9", {UNTAGGED(.queue_number = 9, .msn = 1), 0, 0}, 2, 0x01},
    {"untagged, empty, DV 3", {{.last = true, .version = 3, .msn = 1}, 0, 0}, 2, 0x06},
    {"untagged, 17 octets", {UNTAGGED(.msn = 1), 0, 1}, 0, 0x00},
};

static void test_checks_of_one_segment(void)
{
  for (size_t i = 0; i < G_N_ELEMENTS(singles); i++) {
    const single_case *c = &singles[i];
    g_test_message("%s", c->what);
    ddp_sink *s = ddp_sink_new();
    ddp_sink_receive(s, &c->segment, 0);
    g_assert_cmpuint(s->delivered, ==, c->type == -1 ? 1 : 0);
    g_assert_cmpuint(s->refusals, ==, c->type == -2 ? 1 : 0);
    g_assert_cmpuint(s->errors, ==, c->type >= 0 ? 1 : 0);
    if (c->type >= 0) {
      g_assert_cmpint(s->error.type, ==, c->type);
      g_assert_cmphex(s->error.code, ==, c->code);
    }
    ddp_sink_free(s);
  }
}

/* Two segments in both orders of arrival; the second has the fault, and gets the same code. */
static void check_second_is_wrong(const sent_segment *segments, ddp_error error)
{
  for (size_t first = 0; first < 2; first++) {
    ddp_sink *s = ddp_sink_new();
    ddp_sink_receive(s, segments, first);
    g_assert_cmpuint(s->errors, ==, 0);
    ddp_sink_receive(s, segments, 1 - first);
    g_assert_cmpuint(s->delivered, ==, 1);
    g_assert_cmpuint(s->deliveries[0].buffer_id, ==, FIRST_BUFFER_ID);
    g_assert_cmpuint(s->errors, ==, 1);
    g_assert_cmpint(s->error.type, ==, error.type);
    g_assert_cmphex(s->error.code, ==, error.code);
    ddp_sink_free(s);
  }
}

/* The MSN range moves with each Delivery (DDP-145); what counts is where the sender put the segment. */
static void test_msn_judged_in_the_senders_order(void)
{
  /* an MSN is used twice: free when it arrives early, a past one in order */
  const sent_segment twice[2] = {{UNTAGGED(.msn = 1), 4, 0}, {UNTAGGED(.msn = 1), 4, 0}};
  check_second_is_wrong(twice, (ddp_error){2, 0x03});
  /* twice, and with an MO that its buffer does not have: MSN comes first */
  const sent_segment beyond[2] = {{UNTAGGED(.msn = 1), 4, 0},
                                  {UNTAGGED(.msn = 1, .message_offset = 99), 4, 0}};
  check_second_is_wrong(beyond, (ddp_error){2, 0x03});
  /* 0x80000001 - 1 = 2^31 is past; once message 1 is Delivered, 0x80000001 - 2 = 2^31 - 1 is to come */
  const sent_segment far[2] = {{UNTAGGED(.msn = 1), 4, 0}, {UNTAGGED(.msn = UINT32_C(0x80000001)), 4, 0}};
  check_second_is_wrong(far, (ddp_error){2, 0x02});
  /* message 3 before message 2 */
  const sent_segment skipped[2] = {{UNTAGGED(.msn = 1), 4, 0}, {UNTAGGED(.msn = 3), 4, 0}};
  check_second_is_wrong(skipped, (ddp_error){2, 0x03});
}

/* A buffer posted between the arrival of a segment that found none and its turn does not bring its octets
 * back. */
static void test_a_buffer_posted_too_late(void)
{
  const sent_segment segments[5] = {{UNTAGGED(.msn = 1), 1, 0},
                                    {UNTAGGED(.msn = 2), 1, 0},
                                    {UNTAGGED(.msn = 3), 1, 0},
                                    {UNTAGGED(.msn = 4), 1, 0},
                                    {UNTAGGED(.msn = 4), 1, 0}};
  uint8_t late[1] = {UNTOUCHED};
  ddp_sink *s = ddp_sink_new();
  ddp_sink_receive(s, segments, 3);
  ddp_untagged_queue_post(s->queues[0], late, 1, 999);
  for (size_t i = 0; i < 3; i++) {
    ddp_sink_receive(s, segments, i);
  }
  ddp_sink_receive(s, segments, 4); /* the buffer would be there for it, but the stream has ended */
  g_assert_cmpuint(s->placed, ==, 3);
  g_assert_cmpuint(s->delivered, ==, 3);
  g_assert_cmpuint(s->errors, ==, 1);
  g_assert_cmphex(s->error.code, ==, DDP_UNTAGGED_NO_BUFFER);
  g_assert_cmphex(late[0], ==, UNTOUCHED);
  ddp_sink_free(s);
}

/* Segments of a message in any MO order (notes-ddp-rdmap 18); its length is the end of the octets placed,
 * and an empty L segment with any MO does not stretch it beyond its buffer. */
static void test_length_of_a_message(void)
{
  const sent_segment segments[4] = {
      {{.version = 1, .ulp_control = SEND_CONTROL, .msn = 1, .message_offset = 6}, 5, 0},
      {{.version = 1, .ulp_control = SEND_CONTROL, .msn = 1, .message_offset = 0}, 6, 0},
      {UNTAGGED(.msn = 1, .message_offset = UINT32_MAX), 0, 0},
      {UNTAGGED(.msn = 2), 3, 0},
  };
  ddp_sink *s = ddp_sink_new();
  for (size_t i = 0; i < 4; i++) {
    ddp_sink_receive(s, segments, i);
  }
  g_assert_cmpuint(s->delivered, ==, 4);
  g_assert_cmpuint(s->deliveries[1].message_octets, ==, 0);
  g_assert_cmpuint(s->deliveries[2].message_octets, ==, 11);
  g_assert_cmpuint(s->deliveries[3].message_octets, ==, 3);
  ddp_sink_free(s);
}

/* What arrives behind a known fault is dropped, not Placed; so is everything once it has surfaced
 * (DDP-160). */
static void test_nothing_is_placed_behind_a_fault(void)
{
  sent_segment segments[SIX];
  memcpy(segments, six, sizeof six);
  segments[1].header.version = 0;
  ddp_sink *s = ddp_sink_new();
  ddp_sink_receive(s, segments, 1);
  ddp_sink_receive(s, segments, 3);
  assert_place_of(s, 3, false);
  g_assert_cmpuint(s->placed, ==, 0);
  ddp_sink_receive(s, segments, 0);
  ddp_sink_receive(s, segments, 2);
  g_assert_cmpuint(s->placed, ==, 1);
  g_assert_cmpuint(s->errors, ==, 1);
  assert_place_of(s, 2, false);
  ddp_sink_free(s);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/ddp_placer/every_order", test_every_order);
  g_test_add_func("/ddp_placer/fault_in_every_segment_and_order", test_fault_in_every_segment_and_order);
  g_test_add_func("/ddp_placer/first_fault_in_the_senders_order", test_the_first_fault_in_the_senders_order);
  g_test_add_func("/ddp_placer/checks_of_one_segment", test_checks_of_one_segment);
  g_test_add_func("/ddp_placer/msn_judged_in_the_senders_order", test_msn_judged_in_the_senders_order);
  g_test_add_func("/ddp_placer/buffer_posted_too_late", test_a_buffer_posted_too_late);
  g_test_add_func("/ddp_placer/length_of_a_message", test_length_of_a_message);
  g_test_add_func("/ddp_placer/nothing_is_placed_behind_a_fault", test_nothing_is_placed_behind_a_fault);
  return g_test_run();
}
