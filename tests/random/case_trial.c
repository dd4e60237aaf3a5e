/* SPDX-License-Identifier: GPL-2.0-only */
#include "case_trial.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "case_stream.h"

enum { READ_REQUEST = 1, READ_RESPONSE = 2, TERMINATE = 7 }; /* rdmap-00 §6.1, figure 4 */

struct case_trial {
  const random_case *c;
  uint32_t stags[CASE_REGIONS];
  GByteArray *stream; /* that the peer sends */
  GArray *fpdus;      /* in it */
  reference *in_order;
  /* of one try */
  receiving_end *end;
  GArray *answers;           /* FPDUs that came back */
  const reference *expected; /* one of the outcomes that the documents allow */
  GString *wrong;
};

static void complain(case_trial *t, const char *format, ...) G_GNUC_PRINTF(2, 3);

static void complain(case_trial *t, const char *format, ...)
{
  va_list arguments;

  va_start(arguments, format);
  if (t->wrong->len < 2000) {
    g_string_append_vprintf(t->wrong, format, arguments);
    g_string_append_c(t->wrong, '\n');
  }
  va_end(arguments);
}

/* --- What was Delivered --- */

static void check_deliveries(case_trial *t)
{
  const GArray *delivered = t->end->delivered;

  if (t->end->delivered_ahead > 0) {
    complain(t, "%u Deliveries of FPDUs that had not come whole and in order", t->end->delivered_ahead);
  }
  if (delivered->len != t->expected->fpdus) {
    complain(t, "%u FPDUs Delivered instead of %u", delivered->len, t->expected->fpdus);
  }
  for (guint i = 0; i < MIN(delivered->len, t->fpdus->len); i++) {
    uint64_t start = g_array_index(delivered, uint64_t, i);
    uint64_t expected = g_array_index(t->fpdus, plain_fpdu, i).start;
    if (start != expected) {
      complain(t, "Delivery %u is the FPDU at %" G_GUINT64_FORMAT " instead of %" G_GUINT64_FORMAT, i, start,
               expected);
      return;
    }
  }
}

static void check_completion(case_trial *t, guint index, const reference_completion *expected)
{
  const rdmap_completion *actual = &g_array_index(t->end->completions, rdmap_completion, index);
  uint64_t id = expected->number + (expected->is_receive ? RECEIVING_END_RECEIVE_ID : RECEIVING_END_READ_ID);

  if (actual->id != id || actual->is_receive != expected->is_receive || actual->in_error) {
    complain(t, "completion %u: id %" G_GUINT64_FORMAT "%s instead of %" G_GUINT64_FORMAT, index, actual->id,
             actual->in_error ? " in error" : "", id);
  } else if (actual->octets != expected->octets || actual->solicited != expected->solicited ||
             actual->invalidated != expected->invalidated ||
             actual->invalidated_stag != expected->invalidated_stag) {
    complain(t,
             "completion %u (id %" G_GUINT64_FORMAT "): %" G_GUINT64_FORMAT
             " octets, solicited %d, invalidated %d %08x instead of %u, %d, %d %08x",
             index, id, actual->octets, actual->solicited, actual->invalidated, actual->invalidated_stag,
             expected->octets, expected->solicited, expected->invalidated, expected->invalidated_stag);
  }
}

/* Checks them in the order of Delivery; after the end the Reads that are left, in error and in the order
 * posted (RDMAP-221). */
static void check_completions(case_trial *t)
{
  const GArray *actual = t->end->completions;
  const GArray *expected = t->expected->completions;
  guint left = 0;
  for (guint i = 0; i < t->c->operations; i++) {
    left += t->c->operation[i].kind == CASE_RESPONSE;
  }
  left -= t->expected->completed_reads;

  if (actual->len != expected->len + left) {
    complain(t, "%u completions instead of %u and %u in error", actual->len, expected->len, left);
    return;
  }
  for (guint i = 0; i < expected->len; i++) {
    check_completion(t, i, &g_array_index(expected, reference_completion, i));
  }
  for (guint i = 0; i < left; i++) {
    const rdmap_completion *last = &g_array_index(actual, rdmap_completion, expected->len + i);
    if (!last->in_error || last->is_receive ||
        last->id != RECEIVING_END_READ_ID + t->expected->completed_reads + i) {
      complain(t, "completion %u: id %" G_GUINT64_FORMAT ", in error %d, instead of Read %u in error",
               expected->len + i, last->id, last->in_error, t->expected->completed_reads + i);
    }
  }
}

/* --- Memory --- */

static void check_buffer(case_trial *t, unsigned buffer)
{
  const uint8_t *actual = t->end->memory[buffer] + RECEIVING_END_GUARD_OCTETS;
  const uint8_t *expected = t->expected->memory[buffer];
  uint32_t octets = reference_buffer_octets(buffer);

  if (memcmp(actual, expected, octets) == 0) {
    return;
  }
  for (uint32_t i = 0; i < octets; i++) {
    if (actual[i] != expected[i] && !reference_may_be(t->fpdus, t->end->stags, buffer, i, actual[i])) {
      complain(t, "buffer %u, octet %u is %02x instead of %02x", buffer, i, actual[i], expected[i]);
      return;
    }
  }
}

/* --- What came back --- */

/* This is a walk over the ULPDUs of the endpoint. */
typedef struct answers {
  guint next;
  uint32_t number; /* of Read Requests so far */
} answers;

static const GByteArray *ulpdu_at(const case_trial *t, guint index)
{
  return index < t->answers->len ? g_array_index(t->answers, plain_fpdu, index).ulpdu : NULL;
}

static unsigned opcode_at(const case_trial *t, guint index)
{
  const GByteArray *ulpdu = ulpdu_at(t, index);

  return ulpdu && ulpdu->len >= 14 ? ulpdu->data[1] & 0x0F : UINT8_MAX;
}

/* Checks the endpoint's own Reads, all of them at once: there are no more than its ORD. */
static void check_requests(case_trial *t, answers *a)
{
  for (guint i = 0; i < t->c->operations; i++) {
    const case_operation *operation = &t->c->operation[i];
    if (operation->kind != CASE_RESPONSE) {
      continue;
    }
    const GByteArray *ulpdu = ulpdu_at(t, a->next++);
    const uint8_t *u = ulpdu ? ulpdu->data : NULL;
    uint64_t sink = case_region_of(operation->region)->base + operation->offset;
    a->number++;
    if (!ulpdu || ulpdu->len != 46 || (u[1] & 0x0F) != READ_REQUEST || plain_number(u + 6, 4) != 1 ||
        plain_number(u + 10, 4) != a->number || plain_number(u + 18, 4) != t->end->stags[operation->region] ||
        plain_number(u + 22, 8) != sink || plain_number(u + 30, 4) != operation->length ||
        plain_number(u + 34, 4) != case_source_stag(a->number - 1) || plain_number(u + 38, 8) != 0) {
      complain(t, "no Read Request for operation %u", i);
      return;
    }
  }
}

/* Returns whether octet `index` of an answer may be `value`: what it was when the request came, or what
 * another operation wrote there (note D35). */
static bool answer_may_be(const case_trial *t, const reference_answer *answer, uint32_t index, uint8_t value)
{
  return answer->octets->data[index] == value ||
         reference_may_be(t->fpdus, t->end->stags, answer->buffer, answer->from + index, value);
}

/* Checks one Read Response; false when it ends before its last segment. */
static bool check_answer(case_trial *t, answers *a, const reference_answer *answer, guint number)
{
  /* 1460 - (6 + 4 * 3 + 0) and 1460 - (6 + 0) */
  const uint32_t mulpdu = t->c->answer_markers ? 1442 : 1454;
  uint32_t done = 0;
  bool is_last = false;

  while (!is_last && opcode_at(t, a->next) == READ_RESPONSE) {
    const GByteArray *ulpdu = ulpdu_at(t, a->next++);
    const uint8_t *u = ulpdu->data;
    uint32_t octets = ulpdu->len - 14;
    is_last = (u[0] & 0x40) != 0;
    if (plain_number(u + 2, 4) != answer->sink_stag || plain_number(u + 6, 8) != answer->sink_offset + done ||
        octets > answer->octets->len - done || (is_last && octets < answer->octets->len - done)) {
      complain(t, "Read Response %u goes to another place than its request wants", number);
      return true;
    }
    if (!is_last && ulpdu->len != mulpdu) {
      complain(t, "Read Response %u: a ULPDU has %u octets, MULPDU is %u", number, ulpdu->len, mulpdu);
      return true;
    }
    for (uint32_t i = 0; i < octets; i++) {
      if (!answer_may_be(t, answer, done + i, u[14 + i])) {
        complain(t, "Read Response %u: octet %u is %02x instead of %02x", number, done + i, u[14 + i],
                 answer->octets->data[done + i]);
        return true;
      }
    }
    done += octets;
  }
  return is_last;
}

/* The Terminate goes first, in place of what is left to answer (RDMAP-222). */
static void check_answers(case_trial *t, answers *a)
{
  const GArray *expected = t->expected->answers;
  bool may_stop = t->expected->end != REFERENCE_GOES_ON;

  for (guint i = 0; i < expected->len; i++) {
    bool is_whole = check_answer(t, a, &g_array_index(expected, reference_answer, i), i);
    if (!is_whole) {
      if (!may_stop) {
        complain(t, "Read Response %u is not whole", i);
      }
      return;
    }
  }
}

/* mpa-01 §6.1 rule 4: before it has had a valid FPDU a Responder may not even send a Terminate (note M37). */
static bool may_terminate(const case_trial *t)
{
  bool waits = !t->c->is_initiator && t->c->generation != IWARP_RDMAC;

  return !waits || rnic_endpoint_counts_of(t->end->endpoint).mpa->fpdus > 0;
}

static void check_terminate(case_trial *t, answers *a)
{
  bool wanted = t->expected->end == REFERENCE_ERROR || t->expected->end == REFERENCE_MPA_ERROR;
  const GByteArray *ulpdu = ulpdu_at(t, a->next);

  if (!wanted || !may_terminate(t)) {
    if (ulpdu) {
      complain(t, "an FPDU too much came back, with opcode %u", opcode_at(t, a->next));
    }
    return;
  }
  a->next++;
  if (!ulpdu || ulpdu->len < 22 || (ulpdu->data[1] & 0x0F) != TERMINATE ||
      plain_number(ulpdu->data + 6, 4) != 2 || plain_number(ulpdu->data + 10, 4) != 1) {
    complain(t, "no Terminate came back, but %u/%u/%02x is wrong", t->expected->terminate[0] >> 4,
             t->expected->terminate[0] & 15U, t->expected->terminate[1]);
    return;
  }
  if (ulpdu->len - 18 != t->expected->terminate_octets ||
      memcmp(ulpdu->data + 18, t->expected->terminate, t->expected->terminate_octets) != 0) {
    complain(t, "Terminate %u/%u/%02x with %u octets instead of %u/%u/%02x with %u, or their contents differ",
             ulpdu->data[18] >> 4, ulpdu->data[18] & 15U, ulpdu->data[19], ulpdu->len - 18,
             t->expected->terminate[0] >> 4, t->expected->terminate[0] & 15U, t->expected->terminate[1],
             t->expected->terminate_octets);
  }
  if (ulpdu_at(t, a->next)) {
    complain(t, "an FPDU came after the Terminate");
  }
}

static void check_what_came_back(case_trial *t)
{
  answers a = {0};
  uint64_t whole = t->answers->len > 0 ? g_array_index(t->answers, plain_fpdu, t->answers->len - 1).end : 0;

  if (whole + t->end->heard_phase != t->end->heard->len) {
    complain(t, "octets came back that are no FPDU");
  }
  for (guint i = 0; i < t->answers->len; i++) {
    const plain_fpdu *fpdu = &g_array_index(t->answers, plain_fpdu, i);
    if (t->c->crc && !fpdu->crc_is_right) {
      complain(t, "FPDU %u that came back has a wrong CRC", i);
    }
    if (!fpdu->markers_are_right) {
      complain(t, "FPDU %u that came back has a wrong marker", i);
    }
    if (fpdu->end - fpdu->start > RECEIVING_END_EMSS_OCTETS) {
      complain(t, "FPDU %u that came back does not fit a segment", i);
    }
  }
  check_requests(t, &a);
  check_answers(t, &a);
  check_terminate(t, &a);
}

/* --- How it ended --- */

static void check_end(case_trial *t)
{
  const receiving_end *end = t->end;
  bool ends = t->expected->end != REFERENCE_GOES_ON;
  rnic_occupancy held = {0};

  rnic_endpoint_held(end->endpoint, &held);
  if (end->has_failed != ends || end->heard_fin != ends) {
    complain(t, "failed: %d, FIN: %d instead of %d", end->has_failed, end->heard_fin, ends);
  }
  if (end->heard_rst) {
    complain(t, "RST came back");
  }
  if (end->finished != !ends) {
    complain(t, "%u FINs reported to the ULP", end->finished);
  }
  if (ends && end->has_failed && end->failure.by_peer != (t->expected->end == REFERENCE_TERMINATED)) {
    complain(t, "the end is put down to the wrong side");
  }
  if (held.incomplete + held.unlocated + held.order + held.processing > 0 || held.undelivered > 0) {
    complain(t, "octets or segments are still held");
  }
}

/* --- The trial --- */

static void compare(case_trial *t)
{
  check_deliveries(t);
  check_completions(t);
  for (unsigned buffer = 0; buffer < REFERENCE_BUFFERS; buffer++) {
    check_buffer(t, buffer);
  }
  if (!receiving_end_guards_are_whole(t->end)) {
    complain(t, "octets outside a buffer have changed");
  }
  check_what_came_back(t);
  check_end(t);
}

/* Compares with `outcome`. */
static bool agrees(case_trial *t, const reference *outcome)
{
  t->expected = outcome;
  g_string_truncate(t->wrong, 0);
  compare(t);
  return t->wrong->len == 0;
}

static void write_facts(const case_trial *t, guint early, case_facts *facts)
{
  const mpa_deframer_statistics *mpa = rnic_endpoint_counts_of(t->end->endpoint).mpa;

  *facts = (case_facts){.end = t->expected->end,
                        .early = early,
                        .fpdus = t->expected->fpdus,
                        .located_by_marker = mpa->located_by[MPA_LOCATED_BY_MARKER],
                        .wraps = t->c->isn + 1 + t->end->said->len < t->c->isn};
  if (t->expected->terminate_octets > 0) {
    facts->layer = t->expected->terminate[0] >> 4;
    facts->type = t->expected->terminate[0] & 0x0F;
    facts->code = t->expected->terminate[1];
  }
}

/* These are the ways in which the end of a stream may be detected. */
typedef enum way {
  WAY_IN_ORDER,
  WAY_CRC,
  WAY_MARKER,
  WAYS,
} way;

/* Can MPA have found it that way? A wrong marker may point to what is no FPDU, whose CRC is wrong then. */
static bool is_possible(const case_trial *t, way how)
{
  bool wrong_crc = false;
  bool wrong_marker = false;

  for (guint i = 0; i < t->fpdus->len; i++) {
    const plain_fpdu *fpdu = &g_array_index(t->fpdus, plain_fpdu, i);
    wrong_crc |= t->c->crc && !fpdu->crc_is_right;
    wrong_marker |= !fpdu->markers_are_right;
  }
  return how == WAY_IN_ORDER || wrong_marker || (how == WAY_CRC && wrong_crc);
}

/* Returns the outcome with `early` of the segments that name an STag already invalid placed in time (note
 * D53). What MPA finds does not wait for what comes before it, good or bad: so much of that as was Delivered
 * counts (note M33). */
static reference *outcome_of(const case_trial *t, guint early, way how)
{
  guint limit = how == WAY_IN_ORDER ? UINT_MAX : t->end->delivered->len;
  reference *outcome = reference_interpret(t->c, t->fpdus, t->stags, early, limit);

  if (how != WAY_IN_ORDER && outcome->end == REFERENCE_GOES_ON) {
    reference_end_by_mpa(outcome, how == WAY_CRC ? REFERENCE_MPA_CRC : REFERENCE_MPA_MARKER);
  }
  return outcome;
}

/* Is what happened one of the outcomes that the documents allow? Apart from the sender's order, the order of
 * arrival matters only in these ways. */
static bool is_allowed(case_trial *t, case_facts *facts)
{
  bool found = agrees(t, t->in_order);

  if (found) {
    write_facts(t, 0, facts);
  }
  for (way how = WAY_IN_ORDER; how < WAYS && !found; how++) {
    bool more = is_possible(t, how);
    for (guint early = 0; more && !found; early++) {
      g_autoptr(reference) outcome = outcome_of(t, early, how);
      found = agrees(t, outcome);
      more = outcome->late_writes > early;
      if (found) {
        write_facts(t, early, facts);
      }
    }
  }
  return found;
}

case_trial *case_trial_new(const random_case *c)
{
  case_trial *t = g_new0(case_trial, 1);
  g_autoptr(receiving_end) end = receiving_end_new(c, DEFECT_NONE);

  g_assert_true(random_case_is_decidable(c));
  t->c = c;
  t->wrong = g_string_new(NULL);
  memcpy(t->stags, end->stags, sizeof t->stags);
  t->stream = case_stream_make(c, t->stags);
  t->fpdus = plain_decode(t->stream->data, t->stream->len, c->markers, NULL);
  t->in_order = reference_interpret(c, t->fpdus, t->stags, 0, UINT_MAX);
  return t;
}

void case_trial_free(case_trial *t)
{
  g_string_free(t->wrong, TRUE);
  g_array_unref(t->fpdus);
  g_byte_array_unref(t->stream);
  reference_free(t->in_order);
  g_free(t);
}

uint32_t case_trial_octets(const case_trial *t)
{
  return t->stream->len;
}

uint32_t case_trial_fpdu_end(const case_trial *t, guint index)
{
  return index < t->fpdus->len ? (uint32_t)g_array_index(t->fpdus, plain_fpdu, index).end : t->stream->len;
}

char *case_trial_try(case_trial *t, planted_defect defect, case_facts *facts)
{
  case_facts unwanted;

  t->end = receiving_end_new(t->c, defect);
  g_assert_cmpmem(t->stags, sizeof t->stags, t->end->stags,
                  sizeof t->end->stags); /* they follow from the case */
  receiving_end_feed(t->end, t->stream);
  uint64_t phase = MIN(t->end->heard_phase, t->end->heard->len);
  t->answers =
      plain_decode(t->end->heard->data + phase, t->end->heard->len - phase, t->c->answer_markers, NULL);
  bool is_right = is_allowed(t, facts ? facts : &unwanted);
  if (!is_right) {
    agrees(t, t->in_order); /* for the words */
  }
  g_array_unref(t->answers);
  receiving_end_free(t->end);
  return is_right ? NULL : g_strdup(t->wrong->str);
}

char *case_trial_run(const random_case *c, planted_defect defect, case_facts *facts)
{
  g_autoptr(case_trial) t = case_trial_new(c);
  char *wrong = case_trial_try(t, defect, facts);

  return wrong;
}

/* Runs in the child: all that it prints, and what case_trial_run() returns, goes to `out`. */
static G_NORETURN void run_in_child(const random_case *c, planted_defect defect, int out)
{
  dup2(out, STDOUT_FILENO);
  dup2(out, STDERR_FILENO);
  char *wrong = case_trial_run(c, defect, NULL);
  if (wrong) {
    fputs(wrong, stderr);
  }
  _exit(0);
}

char *case_trial_run_apart(const random_case *c, planted_defect defect)
{
  GString *wrong = g_string_new(NULL);
  char buffer[512];
  ssize_t count;
  int pipe_ends[2];
  int status = 0;

  fflush(stdout);
  g_assert_cmpint(pipe(pipe_ends), ==, 0);
  pid_t child = fork();
  g_assert_cmpint(child, >=, 0);
  if (child == 0) {
    run_in_child(c, defect, pipe_ends[1]);
  }
  close(pipe_ends[1]);
  while ((count = read(pipe_ends[0], buffer, sizeof buffer)) > 0) {
    g_string_append_len(wrong, buffer, count);
  }
  close(pipe_ends[0]);
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) {
    g_string_append_printf(wrong, "died of signal %d\n", WTERMSIG(status));
  } else if (WEXITSTATUS(status) != 0) {
    g_string_append_printf(wrong, "exit status %d\n", WEXITSTATUS(status));
  }
  return g_string_free(wrong, wrong->len == 0);
}
