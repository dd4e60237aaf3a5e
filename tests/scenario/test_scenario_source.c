/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about the syntax of scenario files, setting by setting, and where each setting stands. */
#include "scenario_fixture.h"

#include "scenario/scenario_source.h"

/* "LINE NAME = VALUE;", the values of strings in single quotes, integers, reals and booleans with an i, r or
 * b before them. */
static void append_settings(GString *text, const source_setting *parent)
{
  for (const source_setting *setting = parent->first; setting != NULL; setting = setting->next) {
    const scenario_notation notation = setting->notation;
    const char *brackets = notation == SCENARIO_NOTATION_GROUP ? "{}" : setting->is_array ? "[]" : "()";

    g_string_append_printf(text, "%u ", setting->line);
    if (setting->name != NULL) {
      g_string_append_printf(text, "%s = ", setting->name);
    }
    if (setting->text == NULL) {
      g_string_append_printf(text, "%c ", brackets[0]);
      append_settings(text, setting);
      g_string_append_printf(text, "%c; ", brackets[1]);
    } else if (notation == SCENARIO_NOTATION_STRING) {
      g_autofree char *escaped = g_strescape(setting->text, NULL);
      g_string_append_printf(text, "'%s'; ", escaped);
    } else {
      g_string_append_printf(text, "%c%s; ",
                             notation == SCENARIO_NOTATION_INTEGER ? 'i'
                             : notation == SCENARIO_NOTATION_REAL  ? 'r'
                                                                   : 'b',
                             setting->text);
    }
  }
}

static void expect_settings(const char *text, const char *expected)
{
  g_autoptr(GString) found = g_string_new(NULL);

  fixture_write("a.cfg", text);
  scenario_source *source = NO_ERROR(scenario_source_read, "a.cfg");
  const GPtrArray *texts = scenario_source_texts(source);
  g_assert_cmpuint(texts->len, ==, 1);
  append_settings(found, texts->pdata[0]);
  scenario_source_free(source);
  g_assert_cmpstr(g_strchomp(found->str), ==, expected);
}

TEST(test_settings)
{
  expect_settings("", "");
  expect_settings("a = 1; b : 2, c\n=\n3 d=4", "1 a = i1; 1 b = i2; 1 c = i3; 3 d = i4;");
  expect_settings("*x-1_Y = { }; g: { a = {\n b = 1 c = 2 } }",
                  "1 *x-1_Y = { }; 1 g = { 1 a = { 2 b = i1; 2 c = i2; }; };");
  expect_settings("true1 = TRUE; b = fAlSe;", "1 true1 = btrue; 1 b = bfalse;");
}

/* An array holds values of one kind; a list holds any. The line of an element is its own. */
TEST(test_lists)
{
  expect_settings("a = []; b = (); c = [ 1,\n2L ]; d = [ \"x\"\n, \"y\" \"z\" ];",
                  "1 a = [ ]; 1 b = ( ); 1 c = [ 1 i1; 2 i2; ]; 2 d = [ 2 'x'; 3 'yz'; ];");
  expect_settings("a = ( 1, \"x\", 0.5, false, [ 1 ],\n{ b = 1; }, ( ( ) ) );",
                  "1 a = ( 1 i1; 1 'x'; 1 r0.5; 1 bfalse; 1 [ 1 i1; ]; 2 { 2 b = i1; }; 2 ( 2 ( ); ); );");
}

TEST(test_numbers)
{
  expect_settings("a = (0, -0, +7, 010, 2147483647, -2147483648, 2147483648L, 5LL, -9223372036854775808L, "
                  "0x1f, 0XFFL, -0x10)",
                  "1 a = ( 1 i0; 1 i0; 1 i7; 1 i10; 1 i2147483647; 1 i-2147483648; 1 i2147483648; 1 i5; 1 "
                  "i-9223372036854775808; 1 i31; 1 i255; "
                  "1 i-16; );");
  expect_settings(
      "a = (1., .5, -.5e3, 1e5, 1.5E-3, +2.5e+10, 1500.0, -0.0)",
      "1 a = ( 1 r1.0; 1 r0.5; 1 r-500.0; 1 r100000.0; 1 r0.0015; 1 r25000000000.0; 1 r1500.0; 1 r-0.0; );");
}

/* Escapes, of which unknown ones are left as they are; texts one after the other are one. */
TEST(test_strings)
{
  expect_settings(
      "a = \"\\n\\r\\t\\f\\\\\\\"\\x41\\X7a\"; b = \"\\q\\x4g\\x00\\\";\"; c = \"\" /* and */ \"# x\"\n\"// "
      "y\nz\"\"\"; d = 1;",
      "1 a = '\\n\\r\\t\\f\\\\\\\"Az'; 1 b = '\\\\q\\\\x4g\\\\x00\\\";'; 1 c = '# x// y\\nz'; 3 d = i1;");
}

/* There is a comment of each kind, with what would begin or end another or a string. */
TEST(test_comments)
{
  expect_settings("# \" /* {\na = 1; // \" } */\n/* \" // ] \n # @include \"b.cfg\"\n * /*/ b = /**/ 2; /* "
                  "** */ c\f=\r\n3#",
                  "2 a = i1; 5 b = i2; 5 c = i3;");
}

/* This is what --set takes in quotes: one string, and nothing else. */
TEST(test_string_alone)
{
  static const char *const rows[][2] = {{"\"a\\tb\"", "a\tb"},
                                        {"\"a\" /* c */\n\"b\" ", "ab"},
                                        {"\"a\" b", NULL},
                                        {"\"a\";", NULL},
                                        {"\"a", NULL},
                                        {"\"\"", ""},
                                        {"\"a\"\n@include \"a.cfg\"", NULL}};

  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *string = scenario_source_string(rows[i][0]);
    g_assert_cmpstr(string, ==, rows[i][1]);
  }
}
