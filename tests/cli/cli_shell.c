/* SPDX-License-Identifier: GPL-2.0-only */
#include "cli_shell.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/wait.h>

void cli_shell_open(cli_shell *shell)
{
  const char *program = g_getenv("IWARPSIM");

  shell->program =
      g_canonicalize_filename(program != NULL ? program : "iwarpsim", NULL); /* it runs in another folder */
  shell->folder = g_dir_make_tmp("test-cli-XXXXXX", NULL);
  shell->output = NULL;
  shell->errors = NULL;
}

void cli_shell_close(cli_shell *shell, const char *files)
{
  g_autofree char *line = g_strconcat("rm -rf ", files, NULL);

  g_assert_cmpint(cli_shell_run(shell, line), ==, 0);
  g_assert_cmpint(g_rmdir(shell->folder), ==, 0); /* nothing else was left behind */
  g_free(shell->program);
  g_free(shell->folder);
  g_free(shell->output);
  g_free(shell->errors);
}

void cli_shell_set_up(cli_shell *shell, G_GNUC_UNUSED gconstpointer files)
{
  cli_shell_open(shell);
}

void cli_shell_tear_down(cli_shell *shell, gconstpointer files)
{
  cli_shell_close(shell, files);
}

int cli_shell_run(cli_shell *shell, const char *line)
{
  g_autofree char *script = g_strdup_printf("iwarpsim() { \"$0\" \"$@\"; }; %s", line);
  char *arguments[] = {(char *)"sh", (char *)"-c", script, shell->program, NULL};
  int wait_status;

  g_clear_pointer(&shell->output, g_free);
  g_clear_pointer(&shell->errors, g_free);
  g_assert_true(g_spawn_sync(shell->folder, arguments, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, &shell->output,
                             &shell->errors, &wait_status, NULL));
  g_assert_true(WIFEXITED(wait_status));
  g_test_message("%s: %d\n%.500s%s", line, WEXITSTATUS(wait_status), shell->output, shell->errors);
  return WEXITSTATUS(wait_status);
}

void cli_shell_expect(cli_shell *shell, int status, const char *line)
{
  int ended = cli_shell_run(shell, line);

  if (ended != status) {
    g_error("%s: status %d, not %d; %s%s", line, ended, status, shell->output, shell->errors);
  }
}

void cli_shell_expect_all(cli_shell *shell, int status, const char *line, const char *output,
                          const char *errors)
{
  cli_shell_expect(shell, status, line);
  g_assert_cmpstr(shell->errors, ==, errors);
  g_assert_cmpstr(shell->output, ==, output);
}

void cli_shell_expect_output(const cli_shell *shell, const char *part)
{
  EXPECT_PARTS(shell->output, part);
}

void cli_shell_expect_errors(const cli_shell *shell, const char *part)
{
  EXPECT_PARTS(shell->errors, part);
}

void cli_shell_write(const cli_shell *shell, const char *name, const char *text)
{
  g_autofree char *path = g_build_filename(shell->folder, name, NULL);

  g_assert_true(g_file_set_contents(path, text, -1, NULL));
}

char *cli_shell_read(const cli_shell *shell, const char *name)
{
  g_autofree char *path = g_build_filename(shell->folder, name, NULL);
  char *text = NULL;

  g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
  return text;
}
