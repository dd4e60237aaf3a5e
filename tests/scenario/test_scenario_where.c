/* SPDX-License-Identifier: GPL-2.0-only */
/* Constraints of a sweep: what they mean, what is refused and where, and that nothing hostile gets further
 * than an error. */
#include "scenario/scenario_where.h"

#include "scenario_fixture.h"

static scenario *with(const char *const *sets)
{
  scenario *s = fixture_load("title = \"t\";", NULL);

  for (; *sets != NULL; sets++) {
    g_assert_true(scenario_set(s, *sets, NULL));
  }
  return s;
}

static gboolean holds(const char *text, const scenario *s)
{
  g_autoptr(GError) error = NULL;
  scenario_where *where = scenario_where_parse(text, "a.cfg:1", &error);

  g_assert_no_error(error);
  scenario_verdict verdict = scenario_where_holds(where, s, &error);
  g_assert_no_error(error);
  scenario_where_free(where);
  return verdict == SCENARIO_VERDICT_TRUE;
}

typedef struct example {
  const char *text;
  gboolean holds;
} example;

static void check_examples(const example *examples, gsize count, const scenario *s)
{
  for (gsize i = 0; i < count; i++) {
    if (holds(examples[i].text, s) != examples[i].holds) {
      g_error("%s: expected %s", examples[i].text, examples[i].holds ? "that it holds" : "that it does not");
    }
  }
}

/* Every sign below, at and above equality, for each kind of number; units are those of the key. */
static void test_numbers(void)
{
  const char *const sets[] = {
      "path.forward.framing=-4",    "path.forward.mtu=1500",  "run.seed=7", "path.forward.delay=25us",
      "path.forward.rate=10Gbit/s", "path.forward.loss=0.1%", NULL};
  static const example examples[] = {
      {"path.forward.framing < 0", TRUE},
      {"path.forward.framing > -5", TRUE},
      {"path.forward.framing >= path.forward.mtu", FALSE},
      {"path.forward.mtu = 1500", TRUE},
      {"path.forward.mtu = 1501", FALSE},
      {"path.forward.mtu != 1500", FALSE},
      {"path.forward.mtu != 1501", TRUE},
      {"path.forward.mtu < 1500", FALSE},
      {"path.forward.mtu < 1501", TRUE},
      {"path.forward.mtu <= 1499", FALSE},
      {"path.forward.mtu <= 1500", TRUE},
      {"path.forward.mtu > 1500", FALSE},
      {"path.forward.mtu > 1499", TRUE},
      {"path.forward.mtu >= 1501", FALSE},
      {"path.forward.mtu >= 1500", TRUE},
      {"path.forward.mtu < 2KiB", TRUE},
      {"path.forward.mtu < 1.5kB", FALSE},
      {"1501 > path.forward.mtu", TRUE},
      {"1500 > path.forward.mtu", FALSE},
      {"run.seed = 7", TRUE},
      {"run.seed < 10", TRUE},
      {"path.forward.delay = 25000ns", TRUE},
      {"path.forward.delay > 0.024ms", TRUE},
      {"path.forward.delay >= '25 us'", TRUE},
      {"path.forward.delay < 25us", FALSE},
      {"path.forward.rate = 10000Mbit/s", TRUE},
      {"path.forward.rate > 9Gbit/s", TRUE},
      {"path.forward.loss = 0.001", TRUE},
      {"path.forward.loss < 1%", TRUE},
      {"path.forward.loss > 0.1%", FALSE},
      {"path.forward.loss>=0.1%", TRUE},
      {"path.forward.loss < 0.01%", FALSE},
      {"0%=path.forward.loss", FALSE},
  };
  scenario *s = with(sets);

  check_examples(examples, G_N_ELEMENTS(examples), s);
  scenario_free(s);
}

static void test_words_and_booleans(void)
{
  const char *const sets[] = {"receiver.mode=in-order", "mpa.markers=false",
                              "middlebox.mode=rechunk+coalesce", "path.forward.displace_by=5 segments", NULL};
  static const example examples[] = {
      {"receiver.mode = in-order", TRUE},
      {"receiver.mode != in-order", FALSE},
      {"receiver.mode = out-of-order", FALSE},
      {"'in-order' = receiver.mode", TRUE},
      {"mpa.markers = false", TRUE},
      {"mpa.markers = true", FALSE},
      {"mpa.markers", FALSE},
      {"not mpa.markers", TRUE},
      {"mpa.crc", TRUE},
      {"not not mpa.crc", TRUE},
      {"middlebox.mode = rechunk+coalesce", TRUE},
      {"middlebox.mode = rechunk", FALSE},
      {"path.forward.displace_by = '5 segments'", TRUE},
      {"path.forward.displace_by < '6 segments'", TRUE},
      {"path.forward.displace_by = 5ps", FALSE},
      {"path.forward.displace_by = 5us", FALSE},
      {"path.forward.displace_by != 5us", TRUE},
  };
  scenario *s = with(sets);

  check_examples(examples, G_N_ELEMENTS(examples), s);
  scenario_free(s);
}

/* Of two keys; one that inherits has what it inherits. */
static void test_keys(void)
{
  const char *const sets[] = {"path.forward.mtu=1500", "receiver.memory=1500", "middlebox.chunk=1000",
                              "responder.markers=false", NULL};
  static const example examples[] = {
      {"sender.host_rate > 10Tbit/s", TRUE},
      {"sender.host_segment_rate > 1000", TRUE},
      {"sender.host_segment_rate = unlimited", TRUE},
      {"receiver.memory >= path.forward.mtu", TRUE},
      {"receiver.memory > path.forward.mtu", FALSE},
      {"middlebox.chunk < path.forward.mtu", TRUE},
      {"path.reverse.mtu = path.forward.mtu", TRUE},
      {"path.reverse.mtu = 1500", TRUE},
      {"initiator.markers = responder.markers", FALSE},
      {"initiator.generation = responder.generation", TRUE},
  };
  scenario *s = with(sets);

  check_examples(examples, G_N_ELEMENTS(examples), s);
  scenario_free(s);
}

/* "unlimited" is above every number and equal to itself; "auto" is only itself. */
static void test_words_of_sizes(void)
{
  const char *const sets[] = {"receiver.memory=unlimited", "tcp.receive_window=auto", NULL};
  static const example examples[] = {
      {"receiver.memory = unlimited", TRUE},
      {"receiver.memory > 1024GiB", TRUE},
      {"receiver.memory < 1024GiB", FALSE},
      {"receiver.memory >= unlimited", TRUE},
      {"receiver.memory < unlimited", FALSE},
      {"receiver.memory >= path.forward.mtu", TRUE},
      {"path.forward.mtu < receiver.memory", TRUE},
      {"tcp.receive_window = auto", TRUE},
      {"tcp.receive_window = 64KiB", FALSE},
      {"tcp.receive_window != 64KiB", TRUE},
      {"tcp.receive_window = auto or tcp.receive_window > 64KiB", TRUE},
      {"tcp.receive_window != auto and tcp.receive_window > 64KiB", FALSE},
  };
  scenario *s = with(sets);

  check_examples(examples, G_N_ELEMENTS(examples), s);
  g_assert_true(scenario_set(s, "receiver.memory=1024GiB", NULL));
  g_assert_true(holds("receiver.memory < unlimited", s));
  g_assert_true(holds("unlimited > receiver.memory", s));
  scenario_free(s);
}

/* `and` before `or`, `not` before both: T or (T and F) holds, (T or T) and F does not. */
static void test_precedence(void)
{
  const char *const sets[] = {"mpa.crc=true", "mpa.markers=false", NULL};
  static const example examples[] = {
      {"mpa.crc or mpa.crc and mpa.markers", TRUE},
      {"(mpa.crc or mpa.crc) and mpa.markers", FALSE},
      {"mpa.markers and mpa.markers or mpa.crc", TRUE},
      {"mpa.markers and (mpa.markers or mpa.crc)", FALSE},
      {"not mpa.crc or mpa.crc", TRUE},
      {"not (mpa.crc or mpa.crc)", FALSE},
      {"not mpa.markers and mpa.markers", FALSE},
      {"not (mpa.markers and mpa.markers)", TRUE},
      {"mpa.markers or mpa.markers or mpa.crc", TRUE},
      {"mpa.crc and mpa.crc and mpa.markers", FALSE},
      {" ( mpa.crc ) ", TRUE},
      {"(mpa.crc)and(mpa.crc)", TRUE},
      {"mpa.crc\n\tand mpa.crc", TRUE},
  };
  scenario *s = with(sets);

  check_examples(examples, G_N_ELEMENTS(examples), s);
  scenario_free(s);
}

/* Each error with its column. */
static void test_errors(void)
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
       "1: unknown key 'recever.memory'; expected one that 'iwarpsim explain keys' lists (did you mean "
       "'receiver.memory'?)"},
      {"receiver.memory > path.forward.mut",
       "19: unknown key 'path.forward.mut'; expected one that 'iwarpsim explain keys' lists (did you mean "
       "'path.forward.mtu'?)"},
      {"mtu > 5", "1: unknown key 'mtu'; expected one that 'iwarpsim explain keys' lists (did you mean "
                  "'path.forward.mtu'?)"},
      {"path = 3", "1: 'path' is a group; expected one of its keys, too_big, forward, reverse"},
      {"1 = 1", "1: unknown key '1'; expected one that 'iwarpsim explain keys' lists"},
      {"path.forward.mtu = 99999", "20: path.forward.mtu = 99999 is out of range; expected a size in octets "
                                   "from 176 to 65535, such as 1500 or "
                                   "\"1KiB\""},
      {"path.forward.loss > 200%",
       "21: path.forward.loss = 200% is not a probability; expected a probability "
       "from 0 to 1, such as 0.001 or "
       "\"0.1%\""},
      {"receiver.mode = inorder",
       "17: receiver.mode = inorder is none of its words; expected \"out-of-order\", \"in-order\" or "
       "\"assume-aligned\" (did you mean 'in-order'?)"},
      {"receiver.mode < in-order", "15: receiver.mode has no order; expected = or != instead of '<'"},
      {"mpa.crc > false", "9: mpa.crc has no order; expected = or != instead of '>'"},
      {"tcp.receive_window < auto",
       "20: tcp.receive_window has no order for words; expected = or != instead of '<'"},
      {"path.forward.drop = [1]", "1: path.forward.drop is a list; expected a key with a single value"},
      {"path.forward.mtu = path.forward.delay", "1: path.forward.mtu and path.forward.delay are not of one "
                                                "kind; expected keys that are both sizes, both times "
                                                "..."},
      {"1 < path.forward.mtu < 9000",
       "1: path.forward.mtu = 1 is out of range; expected a size in octets from 176 to "
       "65535, such as 1500 or \"1KiB\""},
      {"500 < path.forward.mtu < 9000", "24: unexpected '<'; expected and, or, or the end"},
      {"receiver.mode = 'in-order", "17: the quote is not closed; expected 'VALUE'"},
      {"title = 'ä' and mpa.crk", "17: unknown key 'mpa.crk'; expected one that 'iwarpsim explain keys' "
                                  "lists (did you mean 'mpa.crc'?)"},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autoptr(GError) error = NULL;
    g_autofree char *expected = g_strconcat("a.cfg:7: where, column ", cases[i][1], NULL);

    if (scenario_where_parse(cases[i][0], "a.cfg:7", &error) != NULL) {
      g_error("this should be refused: %s", cases[i][0]);
    }
    g_assert_error(error, SCENARIO_ERROR, SCENARIO_ERROR_INVALID);
    g_assert_cmpstr(error->message, ==, expected);
  }
}

/* What only the values of a point show: "auto" is neither less nor more, and segments are no time. */
static void test_no_verdict(void)
{
  static const char *const cases[][2] = {
      {"mpa.crc and tcp.receive_window >= 64KiB", "13: neither of auto and 65536 is the larger"},
      {"6us > path.forward.displace_by", "1: neither of 6us and 5 segments is the larger"},
      {"mpa.markers and (mpa.crc and not receiver.ip_reassembly_size < tcp.receive_window)",
       "34: neither of 1000 and auto is the larger"},
  };
  const char *const sets[] = {"tcp.receive_window=auto", "receiver.ip_reassembly_size=1000", NULL};
  scenario *s = with(sets);

  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autoptr(GError) error = NULL;
    g_autofree char *expected = g_strdup_printf(
        "a.cfg:7: where, column %s; expected = or !=, or a condition with 'and' before it that "
        "leaves out what has no order",
        cases[i][1]);
    scenario_where *where = scenario_where_parse(cases[i][0], "a.cfg:7", NULL);

    g_assert_cmpint(scenario_where_holds(where, s, &error), ==, SCENARIO_VERDICT_NONE);
    g_assert_cmpstr(error->message, ==, expected);
    scenario_where_free(where);
  }
  scenario_free(s);
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
static void test_depth(void)
{
  static const char *const brackets[][2] = {{"(", ")"}, {"not ", ""}, {"not (", ")"}};
  const char *const sets[] = {NULL};
  scenario *s = with(sets);

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
  scenario_free(s);
}

/* A random expression in `text`, with no more parentheses than it needs unless the dice say so; returns
 * its truth. `level`: 0 an `or` fits, 1 an `and`, 2 only what needs no parentheses. */
static gboolean grow(GRand *random, GString *text, guint depth, guint level)
{
  static const example atoms[] = {{"mpa.crc", TRUE},
                                  {"mpa.markers = false", FALSE},
                                  {"path.forward.mtu>=1500", TRUE},
                                  {"path.forward.mtu < 576", FALSE},
                                  {"receiver.memory > path.forward.mtu", TRUE},
                                  {"receiver.mode = 'in-order'", FALSE}};
  static const char *const words[] = {" or ", " and "};
  gint kind = depth == 0 ? 3 : g_rand_int_range(random, 0, 4);

  if (kind == 3) {
    const example *atom = &atoms[g_rand_int_range(random, 0, G_N_ELEMENTS(atoms))];
    g_string_append(text, atom->text);
    return atom->holds;
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

static void test_random(void)
{
  const guint32 seed = 1729;
  g_autoptr(GRand) random = g_rand_new_with_seed(seed);
  const char *const sets[] = {NULL};
  scenario *s = with(sets);

  g_test_message("seed %u", seed);
  for (int i = 0; i < 3000; i++) {
    g_autoptr(GString) text = g_string_new(NULL);
    gboolean truth = grow(random, text, 5, 0);

    if (holds(text->str, s) != truth) {
      g_error("%s: expected %d", text->str, truth);
    }
  }
  scenario_free(s);
}

/* Octets turned, left out and doubled: what comes of it reads, or is refused with a place in the file. */
static void test_hostile(void)
{
  const guint32 seed = 65537;
  static const char good[] =
      "not (receiver.memory >= 'unlimited' or path.forward.loss<0.1%) and tcp.receive_window != auto";
  g_autoptr(GRand) random = g_rand_new_with_seed(seed);
  const char *const sets[] = {NULL};
  scenario *s = with(sets);
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
  scenario_free(s);
}

/* The setting itself: a string or several, all of which must hold; replaced by an including file's. */
static void test_setting(void)
{
  static const char *const cases[][2] = {
      {"where = 5;",
       "a.cfg:1: 'where' is no condition; expected where = \"KEY >= VALUE\"; or a list of such strings"},
      {"\nwhere: { a = 1; };",
       "a.cfg:2: 'where' is no condition; expected where = \"KEY >= VALUE\"; or a list of such strings"},
      {"where = (\"mpa.crc\",\n\n 7);",
       "a.cfg:3: 'where' is no condition; expected where = \"KEY >= VALUE\"; or a list of such strings"},
      {"where = [\"mpa.crc\",\n\"mpa.crk\"];", "a.cfg:2: where, column 1: unknown key 'mpa.crk'; expected "
                                               "one that 'iwarpsim explain keys' lists (did you "
                                               "mean 'mpa.crc'?)"},
      {"where = \"mpa.crc\";\nwhere = \"mpa.markers\";", NULL},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *message = fixture_refusal(cases[i][0], NULL);
    if (cases[i][1] != NULL) {
      g_assert_cmpstr(message, ==, cases[i][1]);
    }
  }
  g_autofree char *message = fixture_refusal("title = \"t\";", "where=mpa.crc");
  g_assert_cmpstr(message, ==, "--set 'where=mpa.crc': the where cannot be set; expected GROUP.KEY=VALUE");
}

static void assert_hold(const char *text, gboolean expected, const char *origin)
{
  scenario *s = fixture_load(text, NULL);
  gboolean hold;

  g_assert_true(scenario_constraints_hold(s, &hold, NULL));
  g_assert_cmpint(hold, ==, expected);
  g_assert_cmpstr(scenario_constraints_origin(s), ==, origin);
  scenario *copy = scenario_copy(s);
  scenario_free(s);
  g_assert_true(scenario_constraints_hold(copy, &hold, NULL));
  g_assert_cmpint(hold, ==, expected);
  scenario_free(copy);
}

static void test_all_must_hold(void)
{
  assert_hold("title = \"t\";", TRUE, NULL);
  assert_hold("where = \"mpa.crc\";", TRUE, "a.cfg:1");
  assert_hold("\nwhere = ();", TRUE, NULL);
  assert_hold("where = (\"mpa.crc\", \"mpa.markers\");", TRUE, "a.cfg:1");
  assert_hold("\nwhere = [\"mpa.crc\", \"not mpa.markers\"];", FALSE, "a.cfg:2");
  assert_hold("where = [\"not mpa.markers\", \"mpa.crc\"];", FALSE, "a.cfg:1");
}

/* The constraints of an included file are meant for its sweep: one's own sweep or where replaces them. */
static void test_included(void)
{
  fixture_write("b.cfg", "sweep = ( { key = \"run.seed\"; from = 1; to = 2; } );\nwhere = \"not mpa.crc\";\n",
                -1);
  assert_hold("@include \"b.cfg\"\n", FALSE, "b.cfg:2");
  assert_hold("@include \"b.cfg\"\nwhere = \"mpa.crc\";", TRUE, "a.cfg:2");
  assert_hold("@include \"b.cfg\"\nsweep = ();", TRUE, NULL);
  assert_hold("@include \"b.cfg\"\nwhere = \"not mpa.markers\"; sweep = ();", FALSE, "a.cfg:2");
}

int main(int argc, char **argv)
{
  char *folder = fixture_enter();
  int status;

  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/scenario/where/numbers", test_numbers);
  g_test_add_func("/scenario/where/words-and-booleans", test_words_and_booleans);
  g_test_add_func("/scenario/where/keys", test_keys);
  g_test_add_func("/scenario/where/words-of-sizes", test_words_of_sizes);
  g_test_add_func("/scenario/where/precedence", test_precedence);
  g_test_add_func("/scenario/where/errors", test_errors);
  g_test_add_func("/scenario/where/no-verdict", test_no_verdict);
  g_test_add_func("/scenario/where/depth", test_depth);
  g_test_add_func("/scenario/where/random", test_random);
  g_test_add_func("/scenario/where/hostile", test_hostile);
  g_test_add_func("/scenario/where/setting", test_setting);
  g_test_add_func("/scenario/where/all-must-hold", test_all_must_hold);
  g_test_add_func("/scenario/where/included", test_included);
  status = g_test_run();
  fixture_leave(folder);
  return status;
}
