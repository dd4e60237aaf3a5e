/* SPDX-License-Identifier: GPL-2.0-only */
/* `iwarpsim decode` as a user meets it: lines, objects, sums; what it is given, and what is wrong with
 * that. */
#include <glib.h>
#include <json-glib/json-glib.h>
#include <string.h>

#include "cli_shell.h"

/* a.pcap: 10 Writes of 20,000 octets and a Send; rdmac.pcap: the same without startup frames. */
static void set_up(cli_shell *f, gconstpointer files)
{
  cli_shell_set_up(f, files);
  cli_shell_expect(f, 0,
                   "echo 'workload: { messages = 10; message_size = 20000; };' > a.cfg &&"
                   "iwarpsim run a.cfg --engine native --pcap --quiet --out a && mv a/receiver.pcap a.pcap &&"
                   "iwarpsim run a.cfg --engine native --pcap --quiet --out a --set mpa.generation=rdmac &&"
                   "mv a/receiver.pcap rdmac.pcap && rm -r a");
}

#define SHELL_TEST(name) TEST_WITH(cli_shell, "*", set_up, cli_shell_tear_down, name)

static guint count(const char *text, const char *what)
{
  guint found = 0;

  for (const char *at = text; (at = strstr(at, what)); at += strlen(what)) {
    found++;
  }
  return found;
}

static JsonObject *parse(const char *text)
{
  g_autoptr(JsonParser) parser = json_parser_new();

  g_assert_true(NO_ERROR(json_parser_load_from_data, parser, text, -1));
  return json_object_ref(json_node_get_object(json_parser_get_root(parser)));
}

/* 1428 octets of a Write fit an FPDU of a segment with markers: 20,000 = 14 * 1428 + 8, 15 FPDUs each, and
 * the Send. */
enum { WRITES = 10 * 15, FPDUS = WRITES + 1 };

SHELL_TEST(test_lines)
{
  cli_shell_expect(f, 0, "iwarpsim decode a.pcap");
  g_assert_cmpstr(f->errors, ==, "");
  g_assert_true(g_str_has_prefix(f->output, "# iwarpsim "));
  EXPECT_PARTS(f->output, ", decode a.pcap\n# time_s, ");
  g_assert_cmpuint(count(f->output, "CRC right  RDMA Write L="), ==, WRITES);
  g_assert_cmpuint(count(f->output, "CRC right  Send L=1 QN=0 MSN=1 MO=0 payload=0"), ==, 1);
  g_assert_cmpuint(count(f->output, "MPA Request Frame: Rev="), ==, 1);
  g_assert_cmpuint(count(f->output, "MPA Reply Frame: Rev="), ==, 1);
  g_assert_cmpuint(count(f->output, " 10.0.0.1:49152 > 10.0.0.2:5044 "), >=, FPDUS + 1);
}

/* Every line is an object of its own, of a known type; the first describes the capture. */
SHELL_TEST(test_json)
{
  guint fpdus = 0;

  cli_shell_expect(f, 0, "iwarpsim decode --json a.pcap");
  g_auto(GStrv) lines = g_strsplit(f->output, "\n", -1);
  for (char **line = lines; **line != '\0'; line++) {
    g_autoptr(JsonObject) object = parse(*line);
    const char *type = json_object_get_string_member(object, "type");
    g_assert_cmpint(line == lines, ==, strcmp(type, "capture") == 0);
    fpdus += strcmp(type, "fpdu") == 0;
  }
  g_assert_cmpuint(fpdus, ==, FPDUS);
  g_autoptr(JsonObject) first = parse(lines[0]);
  g_assert_cmpstr(json_object_get_string_member(first, "file"), ==, "a.pcap");
}

static JsonObject *direction_of(JsonObject *object, guint direction)
{
  JsonObject *connection =
      json_array_get_object_element(json_object_get_array_member(object, "connections"), 0);

  return json_array_get_object_element(json_object_get_array_member(connection, "directions"), direction);
}

/* The line printed the sums of a connection; the Initiator sent FPDUS. */
static void expect_all_fpdus(const cli_shell *f)
{
  g_autoptr(JsonObject) object = parse(f->output);

  g_assert_cmpint(json_object_get_int_member(direction_of(object, 0), "fpdus"), ==, FPDUS);
}

SHELL_TEST(test_summary)
{
  cli_shell_expect(f, 0, "iwarpsim decode -s -j a.pcap");
  g_assert_cmpuint(count(f->output, "\n"), ==, 1);
  g_assert_cmpuint(count(f->output, "\"fpdus\""), ==, 2);
  g_autoptr(JsonObject) object = parse(f->output);
  g_assert_cmpint(json_object_get_int_member(direction_of(object, 0), "fpdus"), ==, FPDUS);
  g_assert_cmpint(json_object_get_int_member(direction_of(object, 0), "unaccounted_octets"), ==, 0);
  g_assert_cmpint(json_object_get_int_member(direction_of(object, 1), "fpdus"), ==, 0);
  JsonObject *opcodes = json_object_get_object_member(direction_of(object, 0), "opcodes");
  g_assert_cmpint(json_object_get_int_member(opcodes, "RDMA Write"), ==, WRITES);
  g_assert_cmpint(json_object_get_int_member(opcodes, "Send"), ==, 1);
  cli_shell_expect(f, 0, "iwarpsim decode --summary a.pcap");
  EXPECT_PARTS(f->output, "1 TCP connection, 1 speaks MPA\n",
               "connection 0: Initiator 10.0.0.1:49152, Responder 10.0.0.2:5044\n");
}

/* A pipe gives what the file gives. */
SHELL_TEST(test_standard_input)
{
  cli_shell_expect(f, 0,
                   "iwarpsim decode a.pcap | tail -n +3 > file.txt;"
                   "iwarpsim decode - < a.pcap | tail -n +3 > input.txt; cmp file.txt input.txt &&"
                   "cat a.pcap | iwarpsim decode --quiet - | tail -n +3 | cmp - file.txt");
}

/* Who has seen enough closes the pipe; that is no mistake of anybody. A full disk is. */
SHELL_TEST(test_reader_goes)
{
  cli_shell_expect(f, 0,
                   "(iwarpsim decode --json a.pcap 2> errors.txt; echo $? > status.txt) | head -1 &&"
                   "cat errors.txt status.txt");
  g_assert_true(g_str_has_suffix(f->output, "}\n0\n"));
  cli_shell_expect(f, 1, "iwarpsim decode a.pcap > /dev/full");
  g_assert_true(g_str_has_prefix(f->errors, "iwarpsim decode: standard output cannot be written: "));
  g_assert_cmpuint(count(f->errors, "\n"), ==, 1);
}

/* Packets that the filter leaves out are not there. */
SHELL_TEST(test_filter)
{
  cli_shell_expect(f, 0, "iwarpsim decode -s -j a.pcap --filter 'src port 49152 or tcp[13] & 2 != 0'");
  g_autoptr(JsonObject) object = parse(f->output);
  expect_all_fpdus(f);
  g_assert_cmpint(json_object_get_int_member(direction_of(object, 1), "startup_octets"), ==, 0);
  cli_shell_expect(f, 2, "iwarpsim decode a.pcap --filter 'port 1'");
  g_assert_cmpstr(f->errors, ==, "a.pcap: no packet matches --filter port 1\n");
  cli_shell_expect(f, 2, "iwarpsim decode a.pcap --filter 'prot 1'");
  g_assert_cmpstr(f->output, ==, "");
  EXPECT_PARTS(f->errors, "prot 1");
}

/* Without startup frames the connection is not found, unless an option names it. */
SHELL_TEST(test_hints)
{
  cli_shell_expect(f, 2, "iwarpsim decode rdmac.pcap --summary --json");
  g_autoptr(JsonObject) object = parse(f->output);
  g_assert_cmpuint(json_array_get_length(json_object_get_array_member(object, "connections")), ==, 0);
  g_assert_cmpuint(count(f->errors, "\n"), ==, 1);
  g_assert_true(g_str_has_prefix(f->errors, "rdmac.pcap: no connection speaks MPA: "));
  EXPECT_PARTS(f->errors, "between 10.0.0.1:49152 and 10.0.0.2:5044; expected an MPA Request and "
                          "Reply Frame, or --mpa HOST:PORT");
  static const char *const hints[] = {"'*:5044'", "10.0.0.2:5044", "10.0.0.1:49152",
                                      "'*:5044,markers=on,crc=on,start=first,start-reverse=find'",
                                      "10.9.9.9:1 --mpa '*:5044'"};
  for (gsize i = 0; i < G_N_ELEMENTS(hints); i++) {
    g_autofree char *line = g_strdup_printf("iwarpsim decode rdmac.pcap -s -j --mpa %s", hints[i]);
    cli_shell_expect(f, 0, line);
    expect_all_fpdus(f);
  }
  cli_shell_expect(f, 2, "iwarpsim decode rdmac.pcap --mpa '[fd00::1]:5044'");
  EXPECT_PARTS(f->errors, "expected an MPA Request and Reply Frame or an end that --mpa names");
}

/* A capture that starts in the middle of an FPDU: packets 40 and on, each of a whole segment. Its end's name
 * is enough. */
SHELL_TEST(test_middle)
{
  static const char *const captures[] = {"rdmac.pcap", "a.pcap"};
  enum { FILE_HEADER_OCTETS = 24, RECORD_HEADER_OCTETS = 16, PASSED_OVER = 40 };

  for (gsize i = 0; i < G_N_ELEMENTS(captures); i++) {
    g_autofree char *path = g_build_filename(f->folder, captures[i], NULL);
    g_autofree char *file = NULL;
    gsize at = FILE_HEADER_OCTETS;

    g_assert_true(g_file_get_contents(path, &file, NULL, NULL));
    for (guint packet = 0; packet < PASSED_OVER; packet++) {
      guint32 octets;
      memcpy(&octets, file + at + 8, sizeof octets);
      at += RECORD_HEADER_OCTETS + octets;
    }
    g_autofree char *line = g_strdup_printf("(head -c 24 %s; tail -c +%" G_GSIZE_FORMAT " %s) > middle.pcap; "
                                            "iwarpsim decode middle.pcap -s -j --mpa 10.0.0.2:5044",
                                            captures[i], at + 1, captures[i]);
    cli_shell_expect(f, 0, line);
    g_autoptr(JsonObject) object = parse(f->output);
    JsonObject *forward = direction_of(object, 0);
    g_assert_cmpint(json_object_get_int_member(forward, "fpdus"), >=, FPDUS - PASSED_OVER);
    g_assert_cmpint(json_object_get_int_member(forward, "fpdus"), <, FPDUS);
    g_assert_cmpint(json_object_get_int_member(forward, "crc_bad"), ==, 0);
    g_assert_cmpint(json_object_get_int_member(forward, "unaccounted_octets"), <, 1460);
    cli_shell_expect(f, 2, "iwarpsim decode middle.pcap");
    g_assert_true(g_str_has_suffix(f->errors, "or --mpa HOST:PORT\n"));
  }
}

/* The first octet after the SYN has the SYN's number plus 1: decimal or hexadecimal. */
SHELL_TEST(test_sequence)
{
  g_autofree char *path = g_build_filename(f->folder, "rdmac.pcap", NULL);
  g_autofree char *file = NULL;
  guint32 isn;

  g_assert_true(g_file_get_contents(path, &file, NULL, NULL));
  memcpy(&isn, file + 24 + 16 + 20 + 4, 4);
  guint32 first = GUINT32_FROM_BE(isn) + 1;
  g_autofree char *line = g_strdup_printf("iwarpsim decode rdmac.pcap -s -j --mpa '*:5044,start=%u' > "
                                          "decimal && iwarpsim decode rdmac.pcap -s -j "
                                          "--mpa '*:5044,start=0x%x' | cmp - decimal && cat decimal",
                                          first, first);
  cli_shell_expect(f, 0, line);
  expect_all_fpdus(f);
}

/* A mistake on the command line, and what is answered. */
static const struct {
  const char *line;
  const char *expected[3];
} mistakes[] = {
    {"decode", {"one CAPTURE is needed, 0 were given"}},
    {"decode a.pcap b.pcap", {"one CAPTURE is needed, 2 were given"}},
    {"decode a.pcap --sumary", {"--sumary", "did you mean --summary?"}},
    {"decod a.pcap", {"unknown command 'decod'", "did you mean 'decode'?"}},
    {"decode a.pcap --hold much", {"--hold much: no size; expected octets above 0, such as 64MiB"}},
    {"decode a.pcap --hold 0", {"--hold 0: no size"}},
    {"decode a.pcap --mpa 5044", {"--mpa 5044: '5044' has no port; expected HOST:PORT"}},
    {"decode a.pcap --mpa ''", {"it is empty; expected HOST:PORT"}},
    {"decode a.pcap --mpa 1.2.3.4:0", {"'0' is no port"}},
    {"decode a.pcap --mpa 1.2.3.4:65536", {"'65536' is no port", "from 1 to 65535"}},
    {"decode a.pcap --mpa host:5044", {"'host' is no IPv4 address", "an IPv6 address in brackets, or *"}},
    {"decode a.pcap --mpa fd00::1:5044", {"several colons; expected brackets around an IPv6 address"}},
    {"decode a.pcap --mpa [fd00::x]:5044", {"'fd00::x' is no IPv6 address"}},
    {"decode a.pcap --mpa [fd00::1]", {"has no port"}},
    {"decode a.pcap --mpa [fd00::1:5044", {"has no port"}},
    {"decode a.pcap --mpa '*:5044,marker=off'", {"'marker' is unknown", "did you mean 'markers'?"}},
    {"decode a.pcap --mpa '*:5044,markers=of'", {"markers=of; expected markers=on or markers=off"}},
    {"decode a.pcap --mpa '*:5044,crc'", {"crc=; expected crc=on or crc=off"}},
    {"decode a.pcap --mpa '*:5044,'", {"'' is unknown; expected markers="}},
    {"decode a.pcap --mpa '*:5044,start=fnd'",
     {"start=fnd; expected first, find or a TCP", "did you mean 'find'?"}},
    {"decode a.pcap --mpa '*:5044,start=-1'", {"start=-1; expected first, find"}},
    {"decode a.pcap --mpa '*:5044,start=0x'", {"start=0x; expected first, find"}},
    {"decode a.pcap --mpa '*:5044,start-reverse=4294967296'", {"start-reverse=4294967296; expected"}},
};

SHELL_TEST(test_mistakes)
{
  for (gsize i = 0; i < G_N_ELEMENTS(mistakes); i++) {
    g_autofree char *line = g_strconcat("iwarpsim ", mistakes[i].line, NULL);

    cli_shell_expect(f, 2, line);
    g_assert_cmpstr(f->output, ==, "");
    g_assert_cmpuint(count(f->errors, "\n"), ==, 1);
    expect_parts(f->errors, mistakes[i].expected);
  }
}

/* One clear line, which names the file; nothing on standard output. */
SHELL_TEST(test_no_capture)
{
  static const char *const rows[][2] = {
      {"iwarpsim decode none.pcap", "none.pcap: "},
      {"iwarpsim decode .", ".: "},
      {"iwarpsim decode a.cfg", "a.cfg: "},
      {": > empty.pcap; iwarpsim decode empty.pcap", "empty.pcap: "},
      {"head -c 10 a.pcap > short.pcap; iwarpsim decode short.pcap", "short.pcap: "},
      {"gzip -c a.pcap > a.pcap.gz; iwarpsim decode a.pcap.gz", "a.pcap.gz: "}};

  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    cli_shell_expect(f, 2, rows[i][0]);
    g_assert_cmpstr(f->output, ==, "");
    g_assert_true(g_str_has_prefix(f->errors, rows[i][1]));
    g_assert_cmpuint(count(f->errors, "\n"), ==, 1);
  }
}

/* What came before the place where the file breaks off is printed; then the place is named. */
SHELL_TEST(test_broken_off)
{
  cli_shell_expect(f, 2, "head -c 100000 a.pcap > half.pcap; iwarpsim decode half.pcap");
  g_assert_cmpuint(count(f->output, "CRC right  RDMA Write"), >, 50);
  g_assert_true(g_regex_match_simple("^half\\.pcap: packet \\d+: [^\\n]+\\n$", f->errors, 0, 0));
  cli_shell_expect(f, 2, "iwarpsim decode half.pcap -s -j");
  g_autoptr(JsonObject) object = parse(f->output);
  g_assert_cmpint(json_object_get_int_member(direction_of(object, 0), "fpdus"), >, 50);
  g_assert_cmpuint(count(f->errors, "\n"), ==, 1);
}

/* The header of a capture without packets: read well, and no connection speaks MPA. */
SHELL_TEST(test_no_packets)
{
  cli_shell_expect(
      f, 2, "head -c 24 a.pcap > none.pcap; iwarpsim decode none.pcap --json; e=$?; rm none.pcap; exit $e");
  g_assert_cmpuint(count(f->output, "\n"), ==, 1);
  g_assert_true(g_str_has_prefix(
      f->errors, "none.pcap: no connection speaks MPA: 0 packets, 0 TCP connections; expected "));
}

/* --help alone is enough to begin. */
SHELL_TEST(test_help)
{
  cli_shell_expect(f, 0, "iwarpsim decode --help");
  EXPECT_PARTS(f->output, "--filter", "--json", "--summary", "--mpa", "--ignore-checksums",
               "--assume-aligned", "--hold", "standard input", "docs/captures.md",
               "iwarpsim decode receiver.pcap");
  cli_shell_expect(f, 0, "iwarpsim --help");
  EXPECT_PARTS(f->output, "  decode  CAPTURE ");
}
