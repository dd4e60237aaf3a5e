/* SPDX-License-Identifier: GPL-2.0-only */
/* Files no one would write: each ends in one clear error, or loads; none crashes, hangs or leaks (run under
 * ASan). */
#include "scenario_fixture.h"

/* Loads a.cfg; the message, "" when it loads. Free with g_free(). */
static char *outcome(void)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(scenario) s = scenario_load("a.cfg", NULL, &error);

  g_assert_true((s == NULL) == (error != NULL));
  return g_strdup(error != NULL ? error->message : "");
}

static void assert_outcome(const char *expected)
{
  g_autofree char *message = outcome();

  g_assert_cmpstr(message, ==, expected);
}

static void assert_outcome_of(GString *text, const char *expected)
{
  fixture_write_octets("a.cfg", text->str, text->len);
  g_string_free(text, TRUE);
  assert_outcome(expected);
}

static GString *repeated(const char *before, const char *text, guint count, const char *after)
{
  GString *whole = g_string_new(before);

  for (guint i = 0; i < count; i++) {
    g_string_append(whole, text);
  }
  g_string_append(whole, after);
  return whole;
}

TEST(test_nul)
{
  GString *text = g_string_new("title = \"t\";\nrun");

  g_string_append_c(text, '\0');
  g_string_append(text, ": { seed = 1; };");
  assert_outcome_of(text, "a.cfg:2: octet 0x00 is no text; expected a scenario file in UTF-8");
}

/* This is what the C library reads as a number, and no key with a number takes; 8 times the last is
 * infinite. */
TEST(test_no_numbers)
{
  static const char *const texts[] = {"inf",     "-inf",      "infinity", "nan",      "nan(7)", "1e400",
                                      "-1e400s", "infGbit/s", "0x1p3",    "1e308B/s", NULL};
  static const struct {
    const char *key, *expected;
  } keys[] = {
      {"receiver.memory", "a size"},       {"run.stop", "a time"},
      {"path.forward.rate", "a rate"},     {"path.forward.loss", "a probability"},
      {"workload.messages", "an integer"}, {"path.forward.displace_by", "a number of segments or a time"},
      {"path.forward.drop", "a list"},     {"fault.at", "an integer"}};

  for (gsize i = 0; i < G_N_ELEMENTS(keys); i++) {
    for (const char *const *text = texts; *text != NULL; text++) {
      const char *dot = strrchr(keys[i].key, '.');
      g_autoptr(GString) file = g_string_new_len(keys[i].key, dot - keys[i].key);
      const gboolean nested = g_string_replace(file, ".", ": { ", 0) > 0;
      g_string_append_printf(file, ": { %s = \"%s\"; };%s", dot + 1, *text, nested ? " };" : "");
      fixture_write("a.cfg", file->str);
      g_autofree char *message = outcome();
      g_assert_true(g_str_has_prefix(message, "a.cfg:1: "));
      g_test_message("%s gives %s", file->str, message);
      g_assert_nonnull(strstr(message, keys[i].expected));
    }
  }
}

/* Random octets are never text for long; random printable characters are never a scenario. */
TEST(test_garbage)
{
  static const char printable[] = "abxL09.:;=,{}[]()\"\\/*#@+-_ \n\ttrue";
  const guint32 seed = 20240229;
  g_autoptr(GRand) random = g_rand_new_with_seed(seed);
  GString *octets = g_string_new(NULL);

  g_test_message("seed %u", seed);
  for (guint i = 0; i < 100000; i++) {
    g_string_append_c(octets, (char)g_rand_int_range(random, 0, 256));
  }
  fixture_write_octets("a.cfg", octets->str, octets->len);
  g_string_free(octets, TRUE);
  g_autofree char *refusal = outcome();
  g_assert_true(g_str_has_prefix(refusal, "a.cfg:1: octet 0x"));
  for (guint round = 0; round < 500; round++) {
    char text[61] = "";
    gint32 length = g_rand_int_range(random, 1, 60);

    for (gint32 i = 0; i < length; i++) {
      text[i] = printable[g_rand_int_range(random, 0, (gint32)sizeof printable - 1)];
    }
    fixture_write("a.cfg", text);
    g_autofree char *message = outcome();
    if ((*message != '\0' && !g_str_has_prefix(message, "a.cfg:")) || strchr(message, '\n') != NULL) {
      g_error("seed %u, round %u: '%s' gives '%s'", seed, round, text, message);
    }
  }
}

TEST(test_nesting)
{
  assert_outcome_of(repeated("title = ", "(", 1000000, ""),
                    "a.cfg:1: brackets are nested deeper than 32; expected groups as in docs/scenario.md");
  assert_outcome_of(repeated("", "run: {\n", 100000, ""),
                    "a.cfg:33: brackets are nested deeper than 32; expected groups as in docs/scenario.md");
  assert_outcome_of(repeated("title = ", "(", 32, "))))))))))))))))))))))))))))))));"),
                    "a.cfg:1: title = [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]... is not "
                    "text on one line; expected text on one line, in quotes");
}

/* A value of 200 kB is cut in the message, wherever it is wrong; a title may be as long as a file may. */
TEST(test_long_values)
{
  assert_outcome_of(repeated("title = \"", "0123456789abcdef", 262000, "\";"), "");
  assert_outcome_of(repeated("title = \"", "0123456789abcde\"\"", 240000, "\";"), "");
  assert_outcome_of(
      repeated("title = \"", "\\n", 100000, "\";"),
      "a.cfg:1: title = "
      "\"\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\"
      "n...\" is not text on one line; expected text on one line, in quotes");
  assert_outcome_of(
      repeated("run: { engine = \"", "n", 200000, "\"; };"),
      "a.cfg:1: run.engine = \"nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn...\" "
      "is none of its words; expected \"auto\", \"ns3\" or \"native\"");
  assert_outcome_of(
      repeated("run: { seed = ", "9", 200000, "; };"),
      "a.cfg:1: 9999999999999999999999999999999999999999... is outside 64 bits; expected a smaller number");
  assert_outcome_of(repeated("", "k", 200000, " = 1;"),
                    "a.cfg:1: unknown key 'kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk...'; "
                    "expected one of title, run, workload, mpa, initiator, responder, rdmap, sender and 12 "
                    "more of 'iwarpsim explain'");
}

TEST(test_long_lines)
{
  assert_outcome_of(repeated("run: { seed = 7; };", " ", 1000000, "# end"), "");
  assert_outcome_of(repeated("#", "comment ", 100000, "\nrun: { seed = 7; };"), "");
  assert_outcome_of(
      repeated("a = = ", "= ", 500000, ";"),
      "a.cfg:1: syntax error at 'a = = = = = = = = = = = = = = = = = = = = = = = = = = = = = "
      "...'; expected KEY = VALUE; or GROUP: { ... }; with words and values with units in quotes");
}

TEST(test_many_keys)
{
  GString *text = g_string_new("run: {\n");

  for (guint i = 0; i < 100000; i++) {
    g_string_append_printf(text, "k%u = 1;\n", i);
  }
  g_string_append(text, "};");
  /* Line 1 opens the group; the 251st key is in line 252. */
  assert_outcome_of(text, "a.cfg:252: a group has more than 250 keys; expected those of docs/scenario.md");
}

/* Keys of one name among as many as a group may have, in as many groups as a file may: each is looked up. */
TEST(test_many_groups)
{
  GString *text = g_string_new("sweep = (\n");

  for (guint i = 0; i < 2000; i++) {
    g_string_append(text, "{");
    for (guint k = 0; k < 249; k++) {
      g_string_append_printf(text, "%x=1,", k + 0xa000);
    }
    g_string_append_printf(text, "%s=1},\n", i < 1999 ? "k" : "a000");
  }
  g_string_append(text, "1);");
  assert_outcome_of(
      text, "a.cfg:2001: duplicate key 'sweep.a000'; expected it once, it is given already in a.cfg:2001");
}

TEST(test_long_list)
{
  GString *text = g_string_new("path: { forward: { drop = [");

  for (guint i = 1; i <= 20000; i++) {
    g_string_append_printf(text, "%s%u", i > 1 ? "," : "", i);
  }
  g_string_append(text, "]; }; };");
  assert_outcome_of(text, "");
}

TEST(test_too_large)
{
  assert_outcome_of(
      repeated("", "# sixteen octets", 262145, "\n"),
      "a.cfg: cannot read it (it is larger than 4 MiB, which no scenario is); expected a scenario file");
}

/* Each file includes the next twice: 2^20 reads if nothing stopped them. */
TEST(test_includes)
{
  for (guint i = 0; i < 20; i++) {
    g_autofree char *name = i == 0 ? g_strdup("a.cfg") : g_strdup_printf("b%u.cfg", i);
    g_autofree char *text = g_strdup_printf("@include \"b%u.cfg\"\n@include \"b%u.cfg\"\n", i + 1, i + 1);

    fixture_write(name, text);
  }
  assert_outcome("b10.cfg:1: includes are nested deeper than 10; expected fewer");
  fixture_write("b1.cfg", "@include \"a.cfg\"");
  assert_outcome("b1.cfg:1: 'a.cfg' includes itself; expected no circle of files");
}

/* Many names for one file do not make an endless circle. */
TEST(test_include_by_other_names)
{
  fixture_write("a.cfg", "@include \"./a.cfg\"\n");
  assert_outcome("./a.cfg:1: './a.cfg' includes itself; expected no circle of files");
}

/* A file many times the limit through includes is refused, not read. */
TEST(test_includes_too_large_together)
{
  GString *text = repeated("", "@include \"half.cfg\"\n", 100, "");
  GString *half = repeated("#", "sixteen octets..", 131072, "\n");

  fixture_write("half.cfg", half->str);
  g_string_free(half, TRUE);
  assert_outcome_of(text, "a.cfg:2: cannot read 'half.cfg' (it is larger than 4 MiB, which no scenario is); "
                          "expected a file to include");
}

TEST(test_hostile_sets)
{
  g_autoptr(GString) value = repeated("title=\"", "(", 1000000, "");
  g_autofree char *long_one = fixture_refusal("", value->str);
  g_autofree char *no_text = fixture_refusal("", "title=\xff\xfe");

  g_assert_true(g_str_has_prefix(long_one, "--set 'title=\"((("));
  g_assert_cmpuint(strlen(long_one), <, 300);
  g_assert_true(g_utf8_validate(no_text, -1, NULL));
}
