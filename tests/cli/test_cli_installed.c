/* SPDX-License-Identifier: GPL-2.0-only */
/* The program as `meson install` leaves it, under another root than it was configured for: it finds what
 * comes with it there, and nowhere in the source tree. */
#include <glib.h>
#include <string.h>

#include "cli_shell.h"

/* "iwarpsim" is the installed program; the tests' own environment would show it where things are. */
#define INSTALLED                                                                                            \
  "unset IWARPSIM_DATA IWARPSIM_MODULES IWARPSIM_PLOTS; top=$PWD; iwarpsim() { "                             \
  "\"$top\"/root/prefix/bin/iwarpsim \"$@\"; "                                                               \
  "}; "

static void set_up(cli_shell *f, gconstpointer files)
{
  /* Whatever the prefix is, it becomes "root/PREFIX". */
  g_autofree char *line =
      g_strdup_printf("'%s' install -C '%s' --no-rebuild --quiet --destdir \"$PWD/to\" && mkdir root && "
                      "mv \"$(dirname \"$(dirname \"$(find to -name iwarpsim -type f)\")\")\" root/prefix",
                      g_getenv("MESON"), g_getenv("BUILD"));

  cli_shell_set_up(f, files);
  cli_shell_write(f, "a.cfg", "@include \"presets/siw.cfg\"\nworkload: { messages = 2; };\n");
  cli_shell_expect(f, 0, line);
}

#define SHELL_TEST(name) TEST_WITH(cli_shell, "*", set_up, cli_shell_tear_down, name)

/* The preset that is read is the installed one: it has a title here. Without it there is none, though the
 * source tree is still there. So is ns-3's module, in a program that has one. */
SHELL_TEST(test_own_files)
{
  cli_shell_expect(f, 0,
                   INSTALLED
                   "echo 'title = \"the installed one\";' >>root/prefix/share/iwarpsim/presets/siw.cfg;"
                   "iwarpsim run a.cfg");
  g_assert_true(g_str_has_prefix(f->output, "the installed one\n"));
  cli_shell_expect(
      f, 0, INSTALLED "cd /; iwarpsim check \"$OLDPWD\"/root/prefix/share/iwarpsim/four-receivers.cfg");
  cli_shell_expect(f, 2, INSTALLED "mv root/prefix/share/iwarpsim data; iwarpsim run a.cfg");
  EXPECT_PARTS(f->errors, "a.cfg:1: cannot read 'presets/siw.cfg' (No such file or directory)");
  cli_shell_expect(f, 0, INSTALLED "IWARPSIM_DATA=data iwarpsim run a.cfg");
  if (HAS_NS3) {
    cli_shell_expect(f, 0, INSTALLED "mv data root/prefix/share/iwarpsim; iwarpsim run a.cfg --engine ns3");
  }
}

/* Plots are drawn by the installed templates; a changed copy of them is used. */
SHELL_TEST(test_templates_of_plots)
{
  g_autofree char *gnuplot = g_find_program_in_path("gnuplot");
  if (gnuplot == NULL) {
    g_test_skip("gnuplot is not installed");
    return;
  }
  cli_shell_expect(f, 0,
                   INSTALLED "iwarpsim run a.cfg --out run --quiet && iwarpsim plot run --format svg"
                             " && grep -q 'The page: terminal' run/occupancy.gnuplot");
  cli_shell_expect(f, 0,
                   INSTALLED "cp -r root/prefix/share/iwarpsim/plots mine && sed -i 's/DejaVu Sans/My Font/' "
                             "mine/page.gp && IWARPSIM_PLOTS=mine iwarpsim plot run --format svg && "
                             "grep 'font-family=\"My Font\"' run/occupancy.svg");
  cli_shell_expect(f, 2, INSTALLED "IWARPSIM_PLOTS=nowhere iwarpsim plot run --format svg");
  EXPECT_PARTS(f->errors, "nowhere/page.gp");
}
