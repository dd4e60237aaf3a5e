/* What the connections of one RNIC share. */
#include "rnic/rnic_host.h"

#include <glib.h>

/* Each number is given once. */
static void test_numbers(void)
{
  rnic_host *host = rnic_host_new(1);
  uint32_t domain = rnic_host_protection_domain_new(host);
  uint32_t stream = rnic_host_stream_id_new(host);

  g_assert_cmpuint(rnic_host_protection_domain_new(host), !=, domain);
  g_assert_cmpuint(rnic_host_stream_id_new(host), !=, stream);
  rnic_host_free(host);
}

static uint32_t first_stag(uint64_t seed)
{
  static uint8_t octet;
  const ddp_registration registration = {.memory = &octet, .length = 1};
  rnic_host *host = rnic_host_new(seed);
  uint32_t stag;

  g_assert_true(ddp_stag_table_register(rnic_host_stags(host), &registration, &stag));
  rnic_host_free(host);
  return stag;
}

/* One table for all its connections; what STags it chooses follows from the seed alone. */
static void test_stags(void)
{
  g_assert_cmphex(first_stag(7), ==, first_stag(7));
  g_assert_cmphex(first_stag(7), !=, first_stag(8));
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/rnic-host/numbers", test_numbers);
  g_test_add_func("/rnic-host/stags", test_stags);
  return g_test_run();
}
