/* SPDX-License-Identifier: GPL-2.0-only */
/* Where results come from: libraries, machine, time, and the origin that a sweep's runs share. */
#include "study/store/provenance.h"
#include "test.h"

#include <sqlite3.h>
#include <string.h>
#include <unistd.h>

/* Names and versions in a row; ns-3 only where it ran. */
TEST(test_libraries)
{
  g_autofree char *with = provenance_libraries("3.37");
  g_autofree char *without = provenance_libraries(NULL);
  g_assert_true(g_regex_match_simple("^ns-3 3\\.37, GLib [0-9]+\\.[0-9]+\\.[0-9]+, libconfig [0-9.]+, "
                                     "SQLite [0-9.]+, glibc [0-9.]+$",
                                     with, 0, 0));
  g_assert_nonnull(strstr(with, SQLITE_VERSION)); /* built and run on one machine */
  g_assert_cmpstr(without, ==, with + strlen("ns-3 3.37, "));
}

TEST(test_host)
{
  char name[256] = "";
  g_assert_cmpint(gethostname(name, sizeof name), ==, 0);
  g_autofree char *host = provenance_host();
  g_assert_cmpstr(host, ==, name);
}

/* 1,000,000,000 s after 1970 it was 9 September 2001, 01:46:40; 2^31 - 1 s after it will be 19 January 2038, 03:14:07. */
TEST(test_time)
{
  static const struct {
    long long unix_s;
    const char *text;
  } rows[] = {{0, "1970-01-01T00:00:00Z"},
              {1000000000, "2001-09-09T01:46:40Z"},
              {2147483647, "2038-01-19T03:14:07Z"},
              {G_MAXINT64, ""}};
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *text = provenance_time_text(rows[i].unix_s);
    g_assert_cmpstr(text, ==, rows[i].text);
  }
}

static provenance example(void)
{
  return (provenance){.name = (char *)"n",
                      .title = (char *)"t",
                      .text = (char *)"x",
                      .axes = (char *)"a",
                      .sets = (char *)"s",
                      .version = (char *)"v",
                      .git = (char *)"g",
                      .libraries = (char *)"l"};
}

/* A copy outlives what it was made of, and is the same; a hash that is not known stays so. */
TEST(test_copy)
{
  provenance origin = example();
  provenance *copy = provenance_copy(&origin);
  g_assert_true(provenance_equal(copy, &origin));
  g_assert_true(copy->text != origin.text);
  g_assert_cmpstr(copy->libraries, ==, "l");
  g_assert_null(copy->hash);
  provenance_free(copy);
  provenance_free(NULL);
}

/* Each text alone makes another origin. */
TEST(test_every_text_counts)
{
  static const gsize texts[] = {G_STRUCT_OFFSET(provenance, name),     G_STRUCT_OFFSET(provenance, title),
                                G_STRUCT_OFFSET(provenance, text),     G_STRUCT_OFFSET(provenance, hash),
                                G_STRUCT_OFFSET(provenance, axes),     G_STRUCT_OFFSET(provenance, sets),
                                G_STRUCT_OFFSET(provenance, version),  G_STRUCT_OFFSET(provenance, git),
                                G_STRUCT_OFFSET(provenance, libraries)};
  for (gsize i = 0; i < G_N_ELEMENTS(texts); i++) {
    provenance one = example(), other = example();
    G_STRUCT_MEMBER(char *, &other, texts[i]) = (char *)"other";
    g_assert_false(provenance_equal(&one, &other));
  }
}
