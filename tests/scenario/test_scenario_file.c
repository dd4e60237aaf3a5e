/* SPDX-License-Identifier: GPL-2.0-only */
/* Values that name files: where those are looked for, and how a value shows what is in them. */
#include "scenario/scenario_file.h"
#include "scenario_fixture.h"

#define ARRIVALS "workload: { arrivals = \"interval\"; messages = 9; };\n"

static const char small[] = "100 1\n", large[] = "200 1\n";

/* Returns the value's text in `s`, which is freed. Free with g_free(). */
static char *text_of(scenario *s)
{
  char *text = g_strdup(scenario_value_text(s, SCENARIO_WORKLOAD_SIZES));

  scenario_free(s);
  return text;
}

/* Returns the size of all messages of `s`, which is freed. */
static guint32 octets_of(scenario *s)
{
  const guint32 octets = scenario_configuration(s)->classes->workload.message_octets;

  scenario_free(s);
  return octets;
}

/* A name in a file is relative to its folder, in an included file too; one of --set to the current folder. */
TEST(test_folders)
{
  fixture_write("s.txt", small);
  fixture_write("sub/s.txt", large);
  fixture_write("sub/b.cfg", ARRIVALS "workload: { sizes = \"s.txt\"; };");
  fixture_write("sub/c.cfg", "workload: { arrivals = \"interval\"; messages = 9; sizes = \"s.txt\"; };");

  g_assert_cmpuint(octets_of(fixture_load(
                       "workload: { arrivals = \"interval\"; messages = 9; sizes = \"s.txt\"; };", NULL)),
                   ==, 100);
  g_assert_cmpuint(octets_of(fixture_load_file("sub/c.cfg", NULL)), ==, 200);
  g_assert_cmpuint(octets_of(fixture_load_file("sub/c.cfg", STRINGS("workload.sizes=s.txt"))), ==, 100);
  g_assert_cmpuint(octets_of(fixture_load_file("sub/c.cfg", STRINGS("workload.sizes=\"s.txt\""))), ==, 100);
  g_assert_cmpuint(octets_of(fixture_load("@include \"sub/c.cfg\"\n", NULL)), ==, 200);
  g_assert_cmpuint(
      octets_of(fixture_load(ARRIVALS "traffic = ( { name = \"a\"; sizes = \"sub/s.txt\"; } );", NULL)), ==,
      200);
  g_assert_cmpuint(
      octets_of(fixture_load(ARRIVALS "traffic = ( { name = \"a\"; } );", "traffic.a.sizes=sub/s.txt")), ==,
      200);
}

/* The text has the digest of the contents: SHA-256, by another implementation. It is the same value again. */
TEST(test_digest)
{
  fixture_write("s.txt", small);
  g_autofree char *digest = g_compute_checksum_for_string(G_CHECKSUM_SHA256, small, -1);
  g_autofree char *expected = g_strdup_printf("s.txt@sha256:%.16s", digest);
  g_autofree char *set = g_strconcat("workload.sizes=", expected, NULL);
  g_autofree char *text = text_of(fixture_load("workload: { sizes = \"s.txt\"; };", NULL));
  g_autofree char *again = text_of(fixture_load("", set));

  g_assert_cmpstr(text, ==, expected);
  g_assert_cmpstr(again, ==, expected);

  fixture_write("s.txt", large);
  g_autofree char *changed = text_of(fixture_load("workload: { sizes = \"s.txt\"; };", NULL));
  g_autofree char *refusal = fixture_refusal("", set);
  g_assert_cmpstr(changed, !=, expected);
  g_assert_true(g_str_has_prefix(refusal, "--set 'workload.sizes=s.txt@sha256:"));
  g_assert_nonnull(strstr(refusal, ": workload.sizes: s.txt has other contents, of digest "));
}

/* Files that come with the program have names, and are found by their paths as well. */
TEST(test_shipped)
{
  g_autofree char *by_name = text_of(fixture_load("workload: { sizes = \"cache-fb\"; };", NULL));
  g_autofree char *by_path = text_of(fixture_load("workload: { sizes = \"sizes/cache-fb.txt\"; };", NULL));

  g_assert_true(g_str_has_prefix(by_name, "cache-fb@sha256:"));
  g_assert_true(g_str_has_prefix(by_path, "sizes/cache-fb.txt@sha256:"));
  g_assert_cmpstr(strchr(by_name, '@'), ==, strchr(by_path, '@'));
}

/* An axis has values of each file; `where` compares by name, or with the digest as well. */
TEST(test_axes_and_conditions)
{
  fixture_write("s.txt", small);
  g_autoptr(scenario) s =
      fixture_load(ARRIVALS "sweep = ( { key = \"workload.sizes\"; values = [\"s.txt\", \"cache-fb\"]; } );\n"
                            "where = \"workload.sizes != cache-fb\";",
                   NULL);
  const scenario_axis *axes;
  gboolean hold;

  g_assert_cmpuint(scenario_axes(s, &axes), ==, 1);
  g_assert_true(g_str_has_prefix(axes[0].values[1], "cache-fb@sha256:"));
  for (guint i = 0; i < 2; i++) {
    g_assert_true(NO_ERROR(scenario_axis_set, s, &axes[0], axes[0].values[i]));
    g_assert_true(NO_ERROR(scenario_constraints_hold, s, &hold));
    g_assert_cmpint(hold, ==, i == 0);
  }
  g_assert_true(scenario_file_is_same("a@sha256:0123456789abcdef", "a"));
  g_assert_true(scenario_file_is_same("a", "a@sha256:0123456789abcdef"));
  g_assert_true(scenario_file_is_same("a@sha256:0123456789abcdef", "a@sha256:0123456789abcdef"));
  g_assert_false(scenario_file_is_same("a@sha256:0123456789abcdef", "a@sha256:0123456789abcdee"));
  g_assert_false(scenario_file_is_same("a@sha256:0123456789abcdef", "ab"));
}

static const char *const refused[][2] = {
    {"workload: {\nsizes = \"websearch-hpc\"; };",
     "a.cfg:2: workload.sizes = \"websearch-hpc\" is not there; expected the path of a file, or one that "
     "comes with the "
     "program: cache-fb, datamining-pfabric, datamining-vl2, hadoop-hpcc, storage-ali2019, "
     "storage-solar2022, "
     "websearch-hpcc, websearch-pfabric (did you mean 'websearch-hpcc'?)"},
    {"traffic = ( { name = \"a\";\nsizes = \"/none\"; } );",
     "a.cfg:2: workload.sizes = \"/none\" is not there; expected the path of a file, or one that comes with "
     "the "
     "program: cache-fb, datamining-pfabric, datamining-vl2, hadoop-hpcc, storage-ali2019, "
     "storage-solar2022, "
     "websearch-hpcc, websearch-pfabric"},
    {"workload: { sizes = \"sub\"; };", "a.cfg:1: workload.sizes: sub: Is a directory"},
    {"workload: { sizes = 5; };",
     "a.cfg:1: workload.sizes = 5 is not text on one line; expected the name of a file, in quotes"},
};

TEST(test_refused)
{
  fixture_assert_refusals(refused, G_N_ELEMENTS(refused));
}
