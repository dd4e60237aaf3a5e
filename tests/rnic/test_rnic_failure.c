/* What a user reads when a connection fails: layer, code, and what it means. */
#include "rnic/rnic_failure.h"

#include <glib.h>
#include <string.h>

#include "ddp/ddp_error.h"

static void assert_says(const rnic_failure *failure, const char *what)
{
  const char *text = rnic_failure_text(failure);

  if (!strstr(text, what)) {
    g_error("'%s' does not say '%s'", text, what);
  }
}

static void test_texts(void)
{
  const rnic_failure crc = {RNIC_FAILURE_MPA, {.mpa = MPA_ERROR_CRC}};
  const rnic_failure marker = {RNIC_FAILURE_MPA, {.mpa = MPA_ERROR_MARKER}};
  const rnic_failure startup = {RNIC_FAILURE_MPA, {.mpa = MPA_ERROR_STARTUP}};
  const rnic_failure stag = {RNIC_FAILURE_RDMAP,
                             {.rdmap = {RDMAP_LAYER_DDP, DDP_ERROR_TAGGED, DDP_TAGGED_INVALID_STAG}}};
  const rnic_failure gave_up = {RNIC_FAILURE_TCP, {.tcp = TCP_CLOSE_GAVE_UP}};
  const rnic_failure reset = {RNIC_FAILURE_TCP, {.tcp = TCP_CLOSE_RESET}};

  assert_says(&crc, "MPA error 2");
  assert_says(&marker, "MPA error 3");
  assert_says(&startup, "MPA error 4");
  assert_says(&stag, "STag");
  assert_says(&gave_up, "tcp.retries");
  assert_says(&reset, "reset");
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/rnic-failure/texts", test_texts);
  return g_test_run();
}
