/* SPDX-License-Identifier: GPL-2.0-only */
/* Constraints of a sweep: what they mean, what is refused and where, and that hostile input leads to an error
 * and no further. */
#include "base/error.h"
#include "scenario/scenario_where.h"

#include "scenario_fixture.h"

#define FILE_KEYS                                                                                            \
  "title, run, workload, mpa, initiator, responder, rdmap, sender and 12 more of 'iwarpsim explain'"
#define MPA_KEYS                                                                                             \
  "crc, generation, markers, startup_timeout, startup_close, silent_drop, assumed_emss, mulpdu and 2 more "  \
  "of "                                                                                                      \
  "'iwarpsim explain mpa'"

static scenario *with(const char *const *sets)
{
  fixture_write("a.cfg", "title = \"t\";");
  return fixture_load_file("a.cfg", sets);
}

static gboolean holds(const char *text, const scenario *s)
{
  scenario_where *where = NO_ERROR(scenario_where_parse, text, "a.cfg:1");
  condition_verdict verdict = NO_ERROR(scenario_where_holds, where, s);
  scenario_where_free(where);
  return verdict == CONDITION_TRUE;
}

static void expect_truth(const scenario *s, gboolean truth, const char *const *conditions)
{
  for (; *conditions != NULL; conditions++) {
    if (holds(*conditions, s) != truth) {
      g_error("%s: expected %s", *conditions, truth ? "that it holds" : "that it does not");
    }
  }
}

/* These are every sign below, at and above equality, for each kind of number; units are those of the key. */
TEST(test_numbers)
{
  g_autoptr(scenario) s =
      with(STRINGS("path.forward.framing=-4", "path.forward.mtu=1500", "run.seed=7",
                   "path.forward.delay=25us", "path.forward.rate=10Gbit/s", "path.forward.loss=0.1%"));

  expect_truth(s, TRUE,
               STRINGS("path.forward.framing < 0", "path.forward.framing > -5", "path.forward.mtu = 1500",
                       "path.forward.mtu != 1501", "path.forward.mtu < 1501", "path.forward.mtu <= 1500",
                       "path.forward.mtu > 1499", "path.forward.mtu >= 1500", "path.forward.mtu < 2KiB",
                       "1501 > path.forward.mtu", "run.seed = 7", "run.seed < 10",
                       "path.forward.delay = 25000ns", "path.forward.delay > 0.024ms",
                       "path.forward.delay >= '25 us'", "path.forward.rate = 10000Mbit/s",
                       "path.forward.rate > 9Gbit/s", "path.forward.loss = 0.001", "path.forward.loss < 1%",
                       "path.forward.loss>=0.1%"));
  expect_truth(s, FALSE,
               STRINGS("path.forward.framing >= path.forward.mtu", "path.forward.mtu = 1501",
                       "path.forward.mtu != 1500", "path.forward.mtu < 1500", "path.forward.mtu <= 1499",
                       "path.forward.mtu > 1500", "path.forward.mtu >= 1501", "path.forward.mtu < 1.5kB",
                       "1500 > path.forward.mtu", "path.forward.delay < 25us", "path.forward.loss > 0.1%",
                       "path.forward.loss < 0.01%", "0%=path.forward.loss"));
}

TEST(test_words_and_booleans)
{
  g_autoptr(scenario) s =
      with(STRINGS("receiver.mode=in-order", "mpa.markers=false", "middlebox.mode=rechunk+coalesce",
                   "path.forward.displace_by=5 segments"));

  expect_truth(s, TRUE,
               STRINGS("receiver.mode = in-order", "'in-order' = receiver.mode", "mpa.markers = false",
                       "not mpa.markers", "mpa.crc", "not not mpa.crc", "middlebox.mode = rechunk+coalesce",
                       "path.forward.displace_by = '5 segments'", "path.forward.displace_by < '6 segments'",
                       "path.forward.displace_by != 5us"));
  expect_truth(s, FALSE,
               STRINGS("receiver.mode != in-order", "receiver.mode = out-of-order", "mpa.markers = true",
                       "mpa.markers", "middlebox.mode = rechunk", "path.forward.displace_by = 5ps",
                       "path.forward.displace_by = 5us"));
}

/* Comparisons of two keys; a key that inherits has the inherited value. */
TEST(test_keys)
{
  g_autoptr(scenario) s = with(STRINGS("path.forward.mtu=1500", "receiver.memory=1500",
                                       "middlebox.chunk=1000", "responder.markers=false"));

  expect_truth(s, TRUE,
               STRINGS("sender.host_rate > 10Tbit/s", "sender.host_segment_rate > 1000",
                       "sender.host_segment_rate = unlimited", "receiver.memory >= path.forward.mtu",
                       "middlebox.chunk < path.forward.mtu", "path.reverse.mtu = path.forward.mtu",
                       "path.reverse.mtu = 1500", "initiator.generation = responder.generation"));
  expect_truth(s, FALSE,
               STRINGS("receiver.memory > path.forward.mtu", "initiator.markers = responder.markers"));
}

/* "unlimited" is above every number and equal to itself; "auto" is only itself. */
TEST(test_words_of_sizes)
{
  g_autoptr(scenario) s = with(STRINGS("receiver.memory=unlimited", "tcp.receive_window=auto"));

  expect_truth(s, TRUE,
               STRINGS("receiver.memory = unlimited", "receiver.memory > 1024GiB",
                       "receiver.memory >= unlimited", "receiver.memory >= path.forward.mtu",
                       "path.forward.mtu < receiver.memory", "tcp.receive_window = auto",
                       "tcp.receive_window != 64KiB",
                       "tcp.receive_window = auto or tcp.receive_window > 64KiB"));
  expect_truth(s, FALSE,
               STRINGS("receiver.memory < 1024GiB", "receiver.memory < unlimited",
                       "tcp.receive_window = 64KiB",
                       "tcp.receive_window != auto and tcp.receive_window > 64KiB"));
  g_assert_true(scenario_set(s, "receiver.memory=1024GiB", NULL));
  g_assert_true(holds("receiver.memory < unlimited", s));
  g_assert_true(holds("unlimited > receiver.memory", s));
}

/* `and` before `or`, `not` before both: T or (T and F) holds, (T or T) and F does not. */
TEST(test_precedence)
{
  g_autoptr(scenario) s = with(STRINGS("mpa.crc=true", "mpa.markers=false"));

  expect_truth(s, TRUE,
               STRINGS("mpa.crc or mpa.crc and mpa.markers", "mpa.markers and mpa.markers or mpa.crc",
                       "not mpa.crc or mpa.crc", "not (mpa.markers and mpa.markers)",
                       "mpa.markers or mpa.markers or mpa.crc", " ( mpa.crc ) ", "(mpa.crc)and(mpa.crc)",
                       "mpa.crc\n\tand mpa.crc"));
  expect_truth(s, FALSE,
               STRINGS("(mpa.crc or mpa.crc) and mpa.markers", "mpa.markers and (mpa.markers or mpa.crc)",
                       "not (mpa.crc or mpa.crc)", "not mpa.markers and mpa.markers",
                       "mpa.crc and mpa.crc and mpa.markers"));
}

/* This is each error with its column. */
TEST(test_errors)
{
  static const char *const cases[][2] = {
      {"", "1: unexpected end; expected a condition, such as path.forward.mtu >= 1500"},
      {"  )", "3: unexpected ')'; expected a condition, such as path.forward.mtu >= 1500"},
      {"mpa.crc and", "12: unexpected end; expected a condition, such as path.forward.mtu >= 1500"},
      {"mpa.crc mpa.crc", "9: unexpected 'mpa.crc'; expected and, or, or the end"},
      {"(mpa.crc or mpa.crc", "20: unexpected end; expected and, or, or the ) of the ( in column 1"},
      {"mpa.crc)", "8: unexpected ')'; expected and, or, or the end"},
      {"path.forward.mtu == 1500", "18: unexpected '=='; expected one of = != < <= > >= (did you mean '='?)"},
      {"path.forward.mtu => 1500",
       "18: unexpected '=>'; expected one of = != < <= > >= (did you mean '>='?)"},
      {"path.forward.mtu 1500", "18: unexpected '1500'; expected one of = != < <= > >="},
      {"path.forward.mtu", "17: unexpected end; expected one of = != < <= > >="},
      {"path.forward.mtu =", "19: unexpected end; expected a value or a key"},
      {"path.forward.mtu = and mpa.crc", "20: unexpected 'and'; expected a value or a key"},
      {"mpa.crc && mpa.crc", "9: unexpected '&&'; expected one of = != < <= > >= (did you mean 'and'?)"},
      {"(mpa.crc) || mpa.crc", "11: unexpected '||'; expected and, or, or the end (did you mean 'or'?)"},
      {"!mpa.crc",
       "1: unexpected '!'; expected a condition, such as path.forward.mtu >= 1500 (did you mean 'not'?)"},
      {"(mpa.crc) AND mpa.crc", "11: unexpected 'AND'; expected and, or, or the end (did you mean 'and'?)"},
      {"recever.memory > 5",
       "1: unknown key 'recever.memory' (did you mean 'receiver.memory'?); expected one of " FILE_KEYS},
      {"receiver.memory > path.forward.mut",
       "19: unknown key 'path.forward.mut' (did you mean 'path.forward.mtu'?); expected one of mtu, "
       "hop_mtu, rate, delay, framing, cell_size, cell_overhead, burst and 36 more of 'iwarpsim explain "
       "path.forward'"},
      {"mtu > 5", "1: unknown key 'mtu' (did you mean 'path.forward.mtu'?); expected one of " FILE_KEYS},
      {"path = 3", "1: 'path' is a group; expected one of its keys, too_big, forward, reverse"},
      {"1 = 1", "1: unknown key '1'; expected one of " FILE_KEYS},
      {"path.forward.mtu = 99999", "20: path.forward.mtu = 99999 is out of range; expected a size in octets "
                                   "from 176 to 65535, such as 1500 or \"1KiB\""},
      {"path.forward.loss > 200%", "21: path.forward.loss = 200% is not a probability; expected a "
                                   "probability from 0 to 1, such as 0.001 or \"0.1%\""},
      {"receiver.mode = inorder",
       "17: receiver.mode = inorder is none of its words; expected \"out-of-order\", \"in-order\" or "
       "\"assume-aligned\" (did you mean 'in-order'?)"},
      {"receiver.mode < in-order", "15: receiver.mode has no order; expected = or != instead of '<'"},
      {"mpa.crc > false", "9: mpa.crc has no order; expected = or != instead of '>'"},
      {"tcp.receive_window < auto",
       "20: tcp.receive_window has no order for words; expected = or != instead of '<'"},
      {"path.forward.drop < [1]", "19: path.forward.drop has no order; expected = or != instead of '<'"},
      {"receiver.mode has in-order", "15: 'has' is for a key of several words and one of them, such as "
                                     "middlebox.mode has split; expected another sign"},
      {"path.forward.mtu = path.forward.delay", "1: path.forward.mtu and path.forward.delay are not of one "
                                                "kind; expected keys that are both sizes, both times ..."},
      {"1 < path.forward.mtu < 9000", "1: path.forward.mtu = 1 is out of range; expected a size in octets "
                                      "from 176 to 65535, such as 1500 or \"1KiB\""},
      {"500 < path.forward.mtu < 9000", "24: unexpected '<'; expected and, or, or the end"},
      {"receiver.mode = 'in-order", "17: the quote is not closed; expected 'VALUE'"},
      {"title = 'ä' and mpa.crk",
       "17: unknown key 'mpa.crk' (did you mean 'mpa.crc'?); expected one of " MPA_KEYS},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autoptr(GError) error = NULL;
    g_autofree char *expected = g_strconcat("a.cfg:7: where, column ", cases[i][1], NULL);

    if (scenario_where_parse(cases[i][0], "a.cfg:7", &error) != NULL) {
      g_error("this should be refused: %s", cases[i][0]);
    }
    g_assert_error(error, IWARPSIM_ERROR, IWARPSIM_ERROR_FAILED);
    g_assert_cmpstr(error->message, ==, expected);
  }
}

/* Errors that only the values of a point show: "auto" is neither less nor more, and segments are not a
 * time. */
TEST(test_no_verdict)
{
  static const char *const cases[][2] = {
      {"mpa.crc and tcp.receive_window >= 64KiB", "13: neither of auto and 65536 is the larger"},
      {"6us > path.forward.displace_by", "1: neither of 6us and 5 segments is the larger"},
      {"mpa.markers and (mpa.crc and not receiver.ip_reassembly_size < tcp.receive_window)",
       "34: neither of 1000 and auto is the larger"},
  };
  g_autoptr(scenario) s = with(STRINGS("tcp.receive_window=auto", "receiver.ip_reassembly_size=1000"));

  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autoptr(GError) error = NULL;
    g_autofree char *expected = g_strdup_printf("a.cfg:7: where, column %s; expected = or !=, or a condition "
                                                "with 'and' before it that leaves out what has no order",
                                                cases[i][1]);
    scenario_where *where = scenario_where_parse(cases[i][0], "a.cfg:7", NULL);

    g_assert_cmpint(scenario_where_holds(where, s, &error), ==, CONDITION_NONE);
    g_assert_cmpstr(error->message, ==, expected);
    scenario_where_free(where);
  }
}

static char *nested(guint depth, const char *opener, const char *closer)
{
  GString *text = g_string_new(NULL);

  for (guint i = 0; i < depth; i++) {
    g_string_append(text, opener);
  }
  g_string_append(text, "mpa.crc");
  for (guint i = 0; i < depth; i++) {
    g_string_append(text, closer);
  }
  return g_string_free(text, FALSE);
}

/* 50 levels are read, 51 are not, and a million do not bring the program down; a chain of any length has
 * no depth. */
TEST(test_depth)
{
  static const char *const brackets[][2] = {{"(", ")"}, {"not ", ""}, {"not (", ")"}};
  g_autoptr(scenario) s = with(NULL);

  for (gsize i = 0; i < G_N_ELEMENTS(brackets); i++) {
    guint per_level = i == 2 ? 2 : 1;
    g_autofree char *deepest = nested(50 / per_level, brackets[i][0], brackets[i][1]);
    /* an even number of nots, but 25 of "not (" */
    g_assert_cmpint(holds(deepest, s), ==, i != 2);
    static const guint depths[] = {51, 1000000};
    for (gsize k = 0; k < G_N_ELEMENTS(depths); k++) {
      g_autoptr(GError) error = NULL;
      g_autofree char *deep = nested(depths[k], brackets[i][0], brackets[i][1]);
      g_assert_null(scenario_where_parse(deep, "a.cfg:1", &error));
      g_assert_nonnull(strstr(error->message, "it is nested too deep; expected at most 50"));
    }
  }
  g_autoptr(GString) chain = g_string_new("mpa.markers");
  for (int i = 0; i < 20000; i++) {
    g_string_append(chain, i % 2 == 0 ? " or mpa.markers" : " and mpa.crc");
  }
  g_assert_true(holds(chain->str, s));
}

/* Appends a random expression in `text`, with no more parentheses than it needs unless a random draw adds
 * some; returns its truth. `level`: 0 an `or` fits, 1 an `and`, 2 only what needs no parentheses. */
static gboolean grow(GRand *random, GString *text, guint depth, guint level)
{
  static const struct {
    const char *text;
    gboolean holds;
  } atoms[] = {{"mpa.crc", TRUE},
               {"mpa.markers = false", FALSE},
               {"path.forward.mtu>=1500", TRUE},
               {"path.forward.mtu < 576", FALSE},
               {"receiver.memory > path.forward.mtu", TRUE},
               {"receiver.mode = 'in-order'", FALSE}};
  static const char *const words[] = {" or ", " and "};
  gint kind = depth == 0 ? 3 : g_rand_int_range(random, 0, 4);

  if (kind == 3) {
    gint atom = g_rand_int_range(random, 0, G_N_ELEMENTS(atoms));
    g_string_append(text, atoms[atom].text);
    return atoms[atom].holds;
  }
  if (kind == 2) {
    g_string_append(text, "not ");
    return !grow(random, text, depth - 1, 2);
  }
  gboolean enclosed = (guint)kind < level || g_rand_int_range(random, 0, 4) == 0;
  gint parts = g_rand_int_range(random, 2, 5);
  gboolean truth = kind == 1;
  g_string_append(text, enclosed ? "( " : "");
  for (gint i = 0; i < parts; i++) {
    g_string_append(text, i > 0 ? words[kind] : "");
    gboolean part = grow(random, text, depth - 1, (guint)kind + 1);
    truth = kind == 1 ? truth && part : truth || part;
  }
  g_string_append(text, enclosed ? ")" : "");
  return truth;
}

TEST(test_random)
{
  const guint32 seed = 1729;
  g_autoptr(GRand) random = g_rand_new_with_seed(seed);
  g_autoptr(scenario) s = with(NULL);

  g_test_message("seed %u", seed);
  for (int i = 0; i < 3000; i++) {
    g_autoptr(GString) text = g_string_new(NULL);
    gboolean truth = grow(random, text, 5, 0);

    if (holds(text->str, s) != truth) {
      g_error("%s: expected %d", text->str, truth);
    }
  }
}

/* Octets changed, left out and doubled: the result can be read, or is refused with a place in the file. */
TEST(test_hostile)
{
  const guint32 seed = 65537;
  static const char good[] =
      "not (receiver.memory >= 'unlimited' or path.forward.loss<0.1%) and tcp.receive_window != auto";
  g_autoptr(GRand) random = g_rand_new_with_seed(seed);
  g_autoptr(scenario) s = with(NULL);
  guint refused = 0;

  g_test_message("seed %u", seed);
  for (int i = 0; i < 3000; i++) {
    g_autoptr(GString) text = g_string_new(good);
    g_autoptr(GError) error = NULL;

    for (gint changes = g_rand_int_range(random, 1, 4); changes > 0; changes--) {
      gssize at = g_rand_int_range(random, 0, (gint)text->len);
      gint kind = g_rand_int_range(random, 0, 3);
      if (kind == 0) {
        text->str[at] = (char)g_rand_int_range(random, 1, 256);
      } else if (kind == 1) {
        gssize length = g_rand_int_range(random, 1, 9);
        g_string_erase(text, at, MIN((gssize)text->len - at, length));
        g_string_append(text, " ");
      } else {
        g_autofree char *tail = g_strdup(text->str + at);
        g_string_append(text, tail);
      }
    }
    scenario_where *where = scenario_where_parse(text->str, "a.cfg:1", &error);
    if (where == NULL) {
      g_assert_true(g_str_has_prefix(error->message, "a.cfg:1: where"));
      g_assert_nonnull(strstr(error->message, "; expected "));
      g_assert_true(g_utf8_validate(error->message, -1, NULL));
      refused++;
    } else {
      scenario_where_holds(where, s, NULL);
      scenario_where_free(where);
    }
  }
  g_assert_cmpuint(refused, >, 1500);
  g_assert_cmpuint(refused, <, 3000);
}

/* These tests are about the setting itself: a string or several, all of which must hold; replaced by an
 * including file's. */
TEST(test_setting)
{
  static const char *const cases[][2] = {
      {"where = 5;",
       "a.cfg:1: 'where' is no condition; expected where = \"KEY >= VALUE\"; or a list of such strings"},
      {"\nwhere: { a = 1; };",
       "a.cfg:2: 'where' is no condition; expected where = \"KEY >= VALUE\"; or a list of such strings"},
      {"where = (\"mpa.crc\",\n\n 7);",
       "a.cfg:3: 'where' is no condition; expected where = \"KEY >= VALUE\"; or a list of such strings"},
      {"where = [\"mpa.crc\",\n\"mpa.crk\"];", "a.cfg:2: where, column 1: unknown key 'mpa.crk' (did you "
                                               "mean 'mpa.crc'?); expected one of " MPA_KEYS},
      {"where = \"mpa.crc\";\nwhere = \"mpa.markers\";",
       "a.cfg:2: duplicate key 'where'; expected it once, it is given already in a.cfg:1"},
  };

  fixture_assert_refusals(cases, G_N_ELEMENTS(cases));
  g_autofree char *message = fixture_refusal("title = \"t\";", "where=mpa.crc");
  g_assert_cmpstr(message, ==, "--set 'where=mpa.crc': the where cannot be set; expected GROUP.KEY=VALUE");
}

static void assert_hold(const char *text, gboolean expected, const char *origin)
{
  g_autoptr(scenario) s = fixture_load(text, NULL);
  gboolean hold;

  g_assert_true(scenario_constraints_hold(s, &hold, NULL));
  g_assert_cmpint(hold, ==, expected);
  g_assert_cmpstr(scenario_constraints_origin(s), ==, origin);
  g_autoptr(scenario) copy = scenario_copy(s);
  g_clear_pointer(&s, scenario_free);
  g_assert_true(scenario_constraints_hold(copy, &hold, NULL));
  g_assert_cmpint(hold, ==, expected);
}

TEST(test_all_must_hold)
{
  assert_hold("title = \"t\";", TRUE, NULL);
  assert_hold("where = \"mpa.crc\";", TRUE, "a.cfg:1");
  assert_hold("\nwhere = ();", TRUE, NULL);
  assert_hold("where = (\"mpa.crc\", \"mpa.markers\");", TRUE, "a.cfg:1");
  assert_hold("\nwhere = [\"mpa.crc\", \"not mpa.markers\"];", FALSE, "a.cfg:2");
  assert_hold("where = [\"not mpa.markers\", \"mpa.crc\"];", FALSE, "a.cfg:1");
}

/* The constraints of an included file are meant for its sweep: one's own sweep or where replaces them. */
TEST(test_included)
{
  fixture_write("b.cfg",
                "sweep = ( { key = \"run.seed\"; from = 1; to = 2; } );\nwhere = \"not mpa.crc\";\n");
  assert_hold("@include \"b.cfg\"\n", FALSE, "b.cfg:2");
  assert_hold("@include \"b.cfg\"\nwhere = \"mpa.crc\";", TRUE, "a.cfg:2");
  assert_hold("@include \"b.cfg\"\nsweep = ();", TRUE, NULL);
  assert_hold("@include \"b.cfg\"\nwhere = \"not mpa.markers\"; sweep = ();", FALSE, "a.cfg:2");
}
