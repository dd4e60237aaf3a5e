/* SPDX-License-Identifier: GPL-2.0-only */
/* Files no one would write: each ends in one clear error, or loads; none crashes, hangs or leaks (run under
 * ASan). */
#include "scenario_fixture.h"

/* Loads a.cfg; the message, "" when it loads. Free with g_free(). */
static char *outcome(void)
{
  GError *error = NULL;
  scenario *s = scenario_load("a.cfg", NULL, &error);
  char *message = g_strdup(error != NULL ? error->message : "");

  g_assert_true((s == NULL) == (error != NULL));
  scenario_free(s);
  g_clear_error(&error);
  return message;
}

static void assert_outcome(GString *text, const char *expected)
{
  fixture_write("a.cfg", text->str, (gssize)text->len);
  char *message = outcome();
  g_assert_cmpstr(message, ==, expected);
  g_free(message);
  g_string_free(text, TRUE);
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

static void test_nul(void)
{
  GString *text = g_string_new("title = \"t\";\nrun");

  g_string_append_c(text, '\0');
  g_string_append(text, ": { seed = 1; };");
  assert_outcome(text, "a.cfg:2: octet 0x00 is no text; expected a scenario file in UTF-8");
}

/* Random octets are never text for long; random printable characters are never a scenario. */
static void test_garbage(void)
{
  static const char printable[] = "abxL09.:;=,{}[]()\"\\/*#@+-_ \n\ttrue";
  const guint32 seed = 20240229;
  GRand *random = g_rand_new_with_seed(seed);
  GString *octets = g_string_new(NULL);

  g_test_message("seed %u", seed);
  for (guint i = 0; i < 100000; i++) {
    g_string_append_c(octets, (char)g_rand_int_range(random, 0, 256));
  }
  fixture_write("a.cfg", octets->str, (gssize)octets->len);
  g_string_free(octets, TRUE);
  char *message = outcome();
  g_assert_true(g_str_has_prefix(message, "a.cfg:1: octet 0x"));
  g_free(message);

  for (guint round = 0; round < 500; round++) {
    char text[61] = "";
    gint32 length = g_rand_int_range(random, 1, 60);

    for (gint32 i = 0; i < length; i++) {
      text[i] = printable[g_rand_int_range(random, 0, (gint32)sizeof printable - 1)];
    }
    fixture_write("a.cfg", text, -1);
    message = outcome();
    if ((*message != '\0' && !g_str_has_prefix(message, "a.cfg:")) || strchr(message, '\n') != NULL) {
      g_error("seed %u, round %u: '%s' gives '%s'", seed, round, text, message);
    }
    g_free(message);
  }
  g_rand_free(random);
}

static void test_nesting(void)
{
  assert_outcome(repeated("title = ", "(", 1000000, ""),
                 "a.cfg:1: brackets are nested deeper than 32; expected groups as in docs/scenario.md");
  assert_outcome(repeated("", "run: {\n", 100000, ""),
                 "a.cfg:33: brackets are nested deeper than 32; expected groups as in docs/scenario.md");
  assert_outcome(repeated("title = ", "(", 32, "))))))))))))))))))))))))))))))));"),
                 "a.cfg:1: title = [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]... is not "
                 "text on one line; expected "
                 "text on one line, in quotes");
}

/* A value of 200 kB is cut in the message, wherever it is wrong; a title may be as long as one likes.
 * (libconfig copies a value again for each few octets that it grows: a megabyte takes seconds under ASan.) */
static void test_long_values(void)
{
  assert_outcome(repeated("title = \"", "0123456789abcdef", 16384, "\";"), "");
  assert_outcome(repeated("title = \"", "\\n", 100000, "\";"),
                 "a.cfg:1: title = "
                 "\"\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\"
                 "n...\" is not text on one line; expected text on one line, in quotes");
  assert_outcome(repeated("run: { engine = \"", "n", 200000, "\"; };"),
                 "a.cfg:1: run.engine = \"nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn...\" "
                 "is none of its words; "
                 "expected \"auto\", \"ns3\" or \"native\"");
  assert_outcome(
      repeated("run: { seed = ", "9", 200000, "; };"),
      "a.cfg:1: 9999999999999999999999999999999999999999... is outside 64 bits; expected a smaller number");
  assert_outcome(repeated("", "k", 200000, " = 1;"),
                 "a.cfg:1: unknown key 'kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk...'; "
                 "expected one of title, run, "
                 "workload, mpa, initiator, responder, rdmap, sender, receiver, tcp, path, middlebox, "
                 "topology, fault, measure, "
                 "theory, sweep, where, event");
}

static void test_long_lines(void)
{
  assert_outcome(repeated("run: { seed = 7; };", " ", 1000000, "# end"), "");
  assert_outcome(repeated("#", "comment ", 100000, "\nrun: { seed = 7; };"), "");
  assert_outcome(repeated("a = = ", "= ", 500000, ";"),
                 "a.cfg:1: syntax error at 'a = = = = = = = = = = = = = = = = = = = = = = = = = = = = = "
                 "...'; expected KEY = VALUE; or "
                 "GROUP: { ... }; with words and values with units in quotes");
}

static void test_many_keys(void)
{
  GString *text = g_string_new("run: {\n");

  for (guint i = 0; i < 100000; i++) {
    g_string_append_printf(text, "k%u = 1;\n", i);
  }
  g_string_append(text, "};");
  /* Line 1 opens the group; the 1001st key is in line 1002. */
  assert_outcome(text, "a.cfg:1002: a group has more than 1000 keys; expected those of docs/scenario.md");
}

static void test_long_list(void)
{
  GString *text = g_string_new("path: { forward: { drop = [");

  for (guint i = 1; i <= 20000; i++) {
    g_string_append_printf(text, "%s%u", i > 1 ? "," : "", i);
  }
  g_string_append(text, "]; }; };");
  assert_outcome(text, "");
}

static void test_too_large(void)
{
  assert_outcome(
      repeated("", "# sixteen octets", 262145, "\n"),
      "a.cfg: cannot read it (it is larger than 4 MiB, which no scenario is); expected a scenario file");
}

/* Each file includes the next twice: 2^20 reads if nothing stopped them. */
static void test_includes(void)
{
  for (guint i = 0; i < 20; i++) {
    char *name = i == 0 ? g_strdup("a.cfg") : g_strdup_printf("b%u.cfg", i);
    char *text = g_strdup_printf("@include \"b%u.cfg\"\n@include \"b%u.cfg\"\n", i + 1, i + 1);

    fixture_write(name, text, -1);
    g_free(name);
    g_free(text);
  }
  char *message = outcome();
  g_assert_cmpstr(message, ==, "b10.cfg:1: includes are nested deeper than 10; expected fewer");
  g_free(message);
  fixture_write("b1.cfg", "@include \"a.cfg\"", -1);
  message = outcome();
  g_assert_cmpstr(message, ==, "b1.cfg:1: 'a.cfg' includes itself; expected no circle of files");
  g_free(message);
}

/* Many names for one file do not make an endless circle. */
static void test_include_by_other_names(void)
{
  fixture_write("a.cfg", "@include \"./a.cfg\"\n", -1);
  char *message = outcome();
  g_assert_cmpstr(message, ==, "./a.cfg:1: './a.cfg' includes itself; expected no circle of files");
  g_free(message);
}

/* A file many times the limit through includes is refused, not read. */
static void test_includes_too_large_together(void)
{
  GString *text = repeated("", "@include \"half.cfg\"\n", 100, "");
  GString *half = repeated("#", "sixteen octets..", 131072, "\n");

  fixture_write("half.cfg", half->str, -1);
  g_string_free(half, TRUE);
  assert_outcome(text, "a.cfg:2: cannot read 'half.cfg' (it is larger than 4 MiB, which no scenario is); "
                       "expected a file to include");
}

static void test_hostile_sets(void)
{
  GString *value = repeated("title=\"", "(", 1000000, "");
  char *message = fixture_refusal("", value->str);

  g_assert_true(g_str_has_prefix(message, "--set 'title=\"((("));
  g_assert_cmpuint(strlen(message), <, 300);
  g_free(message);
  g_string_free(value, TRUE);
  message = fixture_refusal("", "title=\xff\xfe");
  g_assert_true(g_utf8_validate(message, -1, NULL));
  g_free(message);
}

int main(int argc, char **argv)
{
  char *folder = fixture_enter();
  int status;

  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/scenario/hostile/nul", test_nul);
  g_test_add_func("/scenario/hostile/garbage", test_garbage);
  g_test_add_func("/scenario/hostile/nesting", test_nesting);
  g_test_add_func("/scenario/hostile/long-values", test_long_values);
  g_test_add_func("/scenario/hostile/long-lines", test_long_lines);
  g_test_add_func("/scenario/hostile/many-keys", test_many_keys);
  g_test_add_func("/scenario/hostile/long-list", test_long_list);
  g_test_add_func("/scenario/hostile/too-large", test_too_large);
  g_test_add_func("/scenario/hostile/includes", test_includes);
  g_test_add_func("/scenario/hostile/include-by-other-names", test_include_by_other_names);
  g_test_add_func("/scenario/hostile/includes-too-large-together", test_includes_too_large_together);
  g_test_add_func("/scenario/hostile/hostile-sets", test_hostile_sets);
  status = g_test_run();
  fixture_leave(folder);
  return status;
}
