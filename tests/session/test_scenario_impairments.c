/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests show what impairs packets after the links: which elements, in which order, and that each draws
 * for itself. */
#include "network/path_config.h"

#include "session_fixture.h"
#include <string.h>

/* --- What one element does to packets --- */

typedef struct impairments {
  GPtrArray *elements;
  GPtrArray *randoms;
} impairments;

static impairments make_impairments(const scenario *s, enum side direction, uint32_t index)
{
  const configuration *c = scenario_configuration(s);
  impairments all = {g_ptr_array_new_with_free_func((GDestroyNotify)path_element_free),
                     g_ptr_array_new_with_free_func(g_free)};

  g_autofree char *name = path_direction_name(direction, index);

  path_impairments_add(all.elements, all.randoms, &c->path.directions[direction], name, c->run.seed);
  return all;
}

static void impairments_clear(impairments *all)
{
  g_ptr_array_unref(all->elements);
  g_ptr_array_unref(all->randoms);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(impairments, impairments_clear)

/* Returns the element of `class` among `all`; NULL: there is none. */
static path_element *find(const impairments *all, const char *class)
{
  for (guint i = 0; i < all->elements->len; i++) {
    path_element *element = all->elements->pdata[i];

    if (g_str_equal(element->class->name, class)) {
      return element;
    }
  }
  return NULL;
}

/* Describes what became of a packet: "x" lost, "2" twice, "!" damaged and found out, "?" damaged and not, "m"
 * marked, "~" late by the nanoseconds after it, "." nothing. */
static void describe(GString *text, const path_element_counts *before, const path_element_counts *after,
                     const GArray *out, time_ps sent)
{
  const arrival *first = out->len > 0 ? arrival_at(out, 0) : NULL;

  if (after->lost_by[LOSSES_RANDOM] > before->lost_by[LOSSES_RANDOM]) {
    g_string_append_c(text, 'x');
  } else if (after->duplicated > before->duplicated) {
    g_string_append_c(text, '2');
  } else if (after->damaged > before->damaged) {
    g_string_append_c(text, datagram_checksum_is_right(first->packet) ? '?' : '!');
  } else if (after->marked > before->marked) {
    g_string_append_c(text, 'm');
  } else if (first->at > sent) {
    g_string_append_printf(text, "~%" G_GINT64_FORMAT, (first->at - sent) / TIME_PS_PER_NANOSECOND);
  } else {
    g_string_append_c(text, '.');
  }
}

/* `count` ECN-capable segments through `element`, a millisecond and more apart, so that each has gone
 * before the next comes; what became of each. Free with g_free(). */
static char *fate_of(path_element *element, guint count)
{
  GString *text = g_string_new("");

  for (guint i = 0; i < count; i++) {
    g_autoptr(GArray) out = arrivals_new();
    const path_element_counts before = element->counts;
    time_ps now = i * 10 * TIME_PS_PER_MILLISECOND;
    const time_ps sent = now;
    datagram *packet = segment_of(0, SIDE_INITIATOR, i * 100, 100, TCP_ACK);

    path_element_set_output(element, arrive, out);
    datagram_set_ecn(packet, DATAGRAM_ECN_ECT_0);
    path_element_receive(element, packet, now);
    while ((now = path_element_deadline(element)) != TIME_PS_NEVER) {
      path_element_run(element, now);
    }
    describe(text, &before, &element->counts, out, sent);
  }
  return g_string_free(text, FALSE);
}

/* Returns the fate of packets in the element of `class` that a scenario of `sets` has in `direction` of path
 * `index`. */
static char *fate_in(const char *const *sets, enum side direction, uint32_t index, const char *class,
                     guint count)
{
  g_autoptr(scenario) s = temporary_scenario("", sets);
  g_auto(impairments) all = make_impairments(s, direction, index);
  path_element *element = find(&all, class);

  g_assert_nonnull(element);
  return fate_of(element, count);
}

/* Returns the same of the first path's forward direction. */
static char *forward_fate(const char *const *sets, const char *class, guint count)
{
  return fate_in(sets, SIDE_INITIATOR, 0, class, count);
}

/* --- Which, in which order --- */

/* This is one key of `path` for each element. */
#define ALL_OF(path)                                                                                         \
  path ".loss=10%", path ".gemodel=[10%,50%,1,0]", path ".state=[10%,50%,10%,10%,1%]", path ".corrupt=10%",  \
      path ".duplicate=10%", path ".ecn_mark=10%", path ".displace=10%", path ".jitter=20us",                \
      path ".distribution=normal"
#define ALL ALL_OF("path.forward")

static const struct {
  const char *sets[12], *elements;
} orders[] = {
    {{NULL}, ""},
    {{"path.forward.order=jitter+loss", NULL}, ""},
    {{ALL, NULL}, "loss, gilbert-elliott, four-state loss, corrupt, duplicate, ecn mark, displace, jitter"},
    /* Those that `order` leaves out come after those, as always. */
    {{ALL, "path.forward.order=jitter+duplicate", NULL},
     "jitter, duplicate, loss, gilbert-elliott, four-state loss, corrupt, ecn mark, displace"},
    {{ALL, "path.forward.order=displace+ecn+jitter+corrupt+loss+duplicate", NULL},
     "displace, ecn mark, jitter, corrupt, loss, gilbert-elliott, four-state loss, duplicate"},
    {{ALL, "path.forward.distribution=constant", "path.reverse.order=jitter", NULL},
     "loss, gilbert-elliott, four-state loss, corrupt, duplicate, ecn mark, displace, jitter"},
    /* An element that would do nothing is not there. */
    {{"path.forward.loss_every=5", "path.forward.ecn_every=7", NULL}, "loss, ecn mark"},
    {{"path.forward.drop=[3]", "path.forward.reorder=10%", NULL}, "loss"},
};

ROW_TEST(test_order, orders)
{
  g_autoptr(scenario) s = temporary_scenario("", c->sets);
  g_auto(impairments) forward = make_impairments(s, SIDE_INITIATOR, 0);
  g_auto(impairments) reverse = make_impairments(s, SIDE_RESPONDER, 0);
  g_autoptr(GString) names = g_string_new("");

  for (guint j = 0; j < forward.elements->len; j++) {
    const path_element *element = forward.elements->pdata[j];
    g_string_append_printf(names, "%s%s", j > 0 ? ", " : "", element->class->name);
  }
  g_assert_cmpstr(names->str, ==, c->elements);
  g_assert_cmpuint(reverse.elements->len, ==, 0);
}

/* --- What their random streams are called --- */

/* Each element draws from the stream of its name and direction, of paths after the first with their number: a
 * run is repeated by these names. In the order in which the elements are made; jitter has two. */
TEST(test_names_of_streams)
{
  static const char *const names[] = {"loss", "gemodel",  "state",  "corrupt", "duplicate",
                                      "ecn",  "displace", "jitter", "reorder"};
  static const struct {
    enum side direction;
    uint32_t path;
    const char *ending;
  } paths[] = {{SIDE_INITIATOR, 0, ".forward"},
               {SIDE_RESPONDER, 0, ".reverse"},
               {SIDE_INITIATOR, 3, ".forward.3"},
               {SIDE_RESPONDER, 3, ".reverse.3"}};

  for (gsize i = 0; i < G_N_ELEMENTS(paths); i++) {
    const gboolean is_forward = paths[i].direction == SIDE_INITIATOR;
    g_autoptr(scenario) s = temporary_scenario(
        "", is_forward ? STRINGS("run.seed=7", ALL_OF("path.forward"), "path.forward.reorder=10%")
                       : STRINGS("run.seed=7", ALL_OF("path.reverse"), "path.reverse.reorder=10%"));
    g_auto(impairments) all = make_impairments(s, paths[i].direction, paths[i].path);
    g_assert_cmpuint(all.randoms->len, ==, G_N_ELEMENTS(names));
    for (gsize j = 0; j < G_N_ELEMENTS(names); j++) {
      g_autofree char *name = g_strconcat(names[j], paths[i].ending, NULL);
      g_autofree random_stream *named = random_stream_new(7, name);
      g_assert_cmphex(random_stream_next(all.randoms->pdata[j]), ==, random_stream_next(named));
    }
  }
}

/* --- Every key reaches its element --- */

static const struct {
  const char *sets[3]; /* of path.forward */
  const char *class;
  const char *fate; /* of the first packets */
} keys[] = {
    {{"loss=100%"}, "loss", "xxx"},
    {{"drop=[2,4]"}, "loss", ".x.x."},
    {{"loss_every=3"}, "loss", "..x..x."},
    /* p = 1: bad after the first packet, as netem has it, where all are lost; r = 0: for ever. */
    {{"gemodel=[1, 0, 1, 0]"}, "gilbert-elliott", ".xxxx"},
    {{"gemodel=[0, 1, 0, 1]"}, "gilbert-elliott", "xxxx"}, /* good for ever, where all are lost */
    {{"gemodel=[1, 0, 0, 1]"}, "gilbert-elliott", "x...."},
    {{"gemodel=[100%]"}, "gilbert-elliott", ".xxxx"}, /* r = 100% - p = 0; 1-h = 100% */
    {{"gemodel=[100%, 100%]"}, "gilbert-elliott", ".x.x."},
    {{"gemodel=[0]"}, "gilbert-elliott", "....."},  /* 1-k = 0 */
    {{"state=[100%]"}, "four-state loss", "xxxxx"}, /* p31 = 100% - p13 = 0, p32 = 0 */
    {{"state=[100%, 100%]"}, "four-state loss", "x.x.x"},
    {{"state=[100%, 0, 100%]"}, "four-state loss", "x.x.x"}, /* 3 2 3 2: p23 = 100% */
    {{"state=[100%, 0, 100%, 0]"}, "four-state loss", "x...."},
    {{"state=[0]"}, "four-state loss", "....."}, /* p14 = 0 */
    /* The four-state chain leaves the good state at once (p13 = 1) and never comes back to it: in the bad
     * burst all are lost (p31 = 0, p32 = 0); with p32 = 1 and p23 = 0 it goes on to the good state within the
     * burst and stays there. p14: one alone, and back. */
    {{"state=[1, 0, 0, 0, 0]"}, "four-state loss", "xxxxxxxxxxxxxxxxxxxx"},
    {{"state=[1, 0, 1, 0, 0]"}, "four-state loss", "x..................."},
    {{"state=[0, 0, 0, 0, 1]"}, "four-state loss", "x.x.x.x.x.x.x.x.x.x."},
    {{"corrupt=100%"}, "corrupt", "!!!"},
    {{"corrupt=100%", "corrupt_checksum=misses"}, "corrupt", "???"},
    {{"duplicate=100%"}, "duplicate", "222"},
    {{"ecn_mark=100%"}, "ecn mark", "mmm"},
    {{"ecn_every=2"}, "ecn mark", ".m.m."},
    /* No later segment comes in time: a millisecond is the most. */
    {{"displace=100%", "displace_by=3 segments"}, "displace", "~1000000~1000000"},
    {{"displace=100%", "displace_by=7us"}, "displace", "~7000~7000"},
    {{"jitter=20us"}, "jitter", "~20000~20000"},
    {{"jitter=20us", "reorder=100%"}, "jitter", "...."},
    {{"jitter=20us", "reorder=100%", "gap=3"}, "jitter", "~20000~20000.~20000~20000."},
    {{"jitter=20us", "reorder=100%", "distribution=normal"}, "jitter", "....."},
};

ROW_TEST(test_keys_reach_their_element, keys)
{
  for (enum side direction = 0; direction < SIDES; direction++) {
    g_auto(GStrv) sets = g_new0(char *, G_N_ELEMENTS(c->sets) + 1);

    for (gsize j = 0; j < G_N_ELEMENTS(c->sets) && c->sets[j]; j++) {
      sets[j] =
          g_strconcat(direction == SIDE_INITIATOR ? "path.forward." : "path.reverse.", c->sets[j], NULL);
    }
    g_autofree char *fate = fate_in((const char *const *)sets, direction, 0, c->class, 60);
    if (!g_str_has_prefix(fate, c->fate)) {
      g_error("%s: %s, not %s", sets[0], fate, c->fate);
    }
  }
}

/* Wholly correlated (netem's formula with rho = 1: the last draw is the next), all packets meet the first
 * one's fate, chosen or not, with some seeds this and with others that; by half correlated draws not. */
static const struct {
  const char *sets[3], *correlation, *class;
  const char *chosen; /* the fate of 60 packets */
  const char *others;
} correlation_rows[] = {
    {{"path.forward.loss=50%"}, "path.forward.loss_correlation", "loss", "x", "."},
    {{"path.forward.corrupt=50%"}, "path.forward.corrupt_correlation", "corrupt", "!", "."},
    {{"path.forward.duplicate=50%"}, "path.forward.duplicate_correlation", "duplicate", "2", "."},
    {{"path.forward.jitter=1us", "path.forward.reorder=50%"},
     "path.forward.reorder_correlation",
     "jitter",
     ".",
     "~10"},
    {{"path.forward.jitter=1us", "path.forward.reorder=50%", "path.forward.distribution=uniform"},
     "path.forward.reorder_correlation",
     "jitter",
     ".",
     NULL},
};

ROW_TEST(test_correlation, correlation_rows)
{
  g_autofree char *whole = g_strconcat(c->correlation, "=100%", NULL);
  g_autofree char *half = g_strconcat(c->correlation, "=50%", NULL);
  gsize all_chosen = 0;
  enum { SEEDS = 20, PACKETS = 60 };

  for (guint seed = 1; seed <= SEEDS; seed++) {
    g_autofree char *seeded = g_strdup_printf("run.seed=%u", seed);
    const char *sets[6] = {seeded, whole, c->sets[0], c->sets[1], c->sets[2]};
    g_autofree char *fate = forward_fate(sets, c->class, PACKETS);
    gsize chosen = strspn(fate, c->chosen);
    g_assert_true(chosen == PACKETS || chosen == 0);
    all_chosen += chosen == PACKETS;
    if (chosen == 0 && c->others) {
      g_assert_cmpuint(strspn(fate, c->others), ==, strlen(fate));
    }
    sets[1] = half;
    g_autofree char *changing = forward_fate(sets, c->class, PACKETS);
    chosen = strspn(changing, c->chosen);
    g_assert_cmpuint(chosen, <, strlen(changing));
    g_assert_nonnull(strpbrk(changing, c->chosen));
  }
  g_assert_cmpuint(all_chosen, >, 0);
  g_assert_cmpuint(all_chosen, <, SEEDS);
}

/* Distributions differ from each other; `normal` and `uniform` lie around the jitter, none is earlier than
 * the packet. In order, a packet does not leave before the one in front of it (test_scenario_path.c). */
TEST(test_distributions)
{
  static const char *const words[] = {"uniform", "normal", "pareto", "paretonormal"};
  g_auto(GStrv) fates = g_new0(char *, G_N_ELEMENTS(words) + 1);

  for (gsize i = 0; i < G_N_ELEMENTS(words); i++) {
    g_autofree char *word = g_strconcat("path.forward.distribution=", words[i], NULL);

    fates[i] = forward_fate(STRINGS("path.forward.jitter=20us", word), "jitter", 50);
    for (gsize j = 0; j < i; j++) {
      g_assert_cmpstr(fates[i], !=, fates[j]);
    }
  }
  /* Uniform: 20 us ± 20 us. */
  g_auto(GStrv) delays = g_strsplit_set(fates[0], "~.", -1);
  for (char **delay = delays; *delay; delay++) {
    g_assert_cmpuint(g_ascii_strtoull(*delay, NULL, 10), <=, 40000);
  }
}

/* --- Each draws for itself (docs/architecture.md, "Rules of the core") --- */

static const struct {
  const char *class;
  const char *set; /* "" and "path.forward.distribution=normal" make it */
} drawing[] = {
    {"loss", "path.forward.loss=30%"},
    {"gilbert-elliott", "path.forward.gemodel=[20%,50%,1,0]"},
    {"four-state loss", "path.forward.state=[20%,30%,30%,30%,10%]"},
    {"corrupt", "path.forward.corrupt=30%"},
    {"duplicate", "path.forward.duplicate=30%"},
    {"ecn mark", "path.forward.ecn_mark=30%"},
    {"displace", "path.forward.displace=30%"},
    {"jitter", "path.forward.jitter=20us"},
};

enum { DRAWS = 200 };

/* What an element does to its n-th packet is the same alone, with any other element, with all of them in
 * any order. Of 200 packets with probability 0.3, another stream would do the same with 0.58^200 = 1e-47. */
TEST(test_adding_an_element_changes_no_draw)
{
  static const char normal[] = "path.forward.distribution=normal";
  const char *const all[] = {ALL, NULL};

  for (gsize i = 0; i < G_N_ELEMENTS(drawing); i++) {
    g_autofree char *fate = forward_fate(STRINGS(drawing[i].set, normal), drawing[i].class, DRAWS);

    for (gsize j = 0; j < G_N_ELEMENTS(drawing); j++) {
      g_autofree char *beside =
          forward_fate(STRINGS(drawing[j].set, drawing[i].set, normal), drawing[i].class, DRAWS);

      g_assert_cmpstr(beside, ==, fate);
    }
    const char *sets[16] = {NULL};
    memcpy(sets, all, sizeof all);
    sets[G_N_ELEMENTS(all) - 1] = drawing[i].set;
    sets[G_N_ELEMENTS(all)] = "path.forward.order=jitter+displace+ecn+duplicate+corrupt";
    g_autofree char *among = forward_fate(sets, drawing[i].class, DRAWS);
    g_assert_cmpstr(among, ==, fate);
  }
}

/* Two elements of one kind of scenario, direction, path and seed never share a stream. */
ROW_TEST(test_streams_are_apart, drawing)
{
  g_autofree char *reverse_set = g_strconcat("path.reverse.", c->set + strlen("path.forward."), NULL);
  const char *const sets[] = {c->set, reverse_set, "path.forward.distribution=normal",
                              "path.reverse.distribution=normal", NULL};
  g_autofree char *fate = forward_fate(sets, c->class, DRAWS);
  g_autofree char *again = forward_fate(sets, c->class, DRAWS);
  char *others[] = {
      fate_in(sets, SIDE_RESPONDER, 0, c->class, DRAWS), fate_in(sets, SIDE_INITIATOR, 1, c->class, DRAWS),
      fate_in(sets, SIDE_INITIATOR, 2, c->class, DRAWS),
      forward_fate(STRINGS(c->set, "path.forward.distribution=normal", "run.seed=2"), c->class, DRAWS)};

  g_assert_cmpstr(again, ==, fate);
  for (gsize j = 0; j < G_N_ELEMENTS(others); j++) {
    g_assert_cmpstr(others[j], !=, fate);
    for (gsize k = 0; k < j; k++) {
      g_assert_cmpstr(others[j], !=, others[k]);
    }
  }
  for (gsize j = 0; j < G_N_ELEMENTS(others); j++) {
    g_free(others[j]);
  }
}

/* Loss and duplication with one probability: two streams, so they do not choose the same packets. */
TEST(test_elements_do_not_share_a_stream)
{
  static const char *const classes[] = {"loss", "duplicate", "corrupt", "ecn mark"};
  g_auto(GStrv) fates = g_new0(char *, G_N_ELEMENTS(classes) + 1);

  for (gsize i = 0; i < G_N_ELEMENTS(classes); i++) {
    fates[i] = fate_in(STRINGS("path.forward.loss=30%", "path.forward.duplicate=30%",
                               "path.forward.corrupt=30%", "path.forward.ecn_mark=30%"),
                       SIDE_INITIATOR, 0, classes[i], DRAWS);
    for (char *c = fates[i]; *c; c++) {
      *c = *c == '.' ? '.' : 'c'; /* chosen */
    }
    for (gsize j = 0; j < i; j++) {
      g_assert_cmpstr(fates[i], !=, fates[j]);
    }
  }
}
