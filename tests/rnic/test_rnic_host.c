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

/* One pool for all connections, of each length that is needed; what is on its way outlives the host. */
static void test_pools(void)
{
  rnic_host *host = rnic_host_new(1);
  const mpa_fpdu_memory *fpdus = rnic_host_fpdu_memory(host, 1460);

  g_assert_true(rnic_host_datagrams(host) == rnic_host_datagrams(host));
  g_assert_true(rnic_host_fpdu_memory(host, 1460) == fpdus);
  g_assert_true(rnic_host_fpdu_memory(host, 8960) != fpdus);
  g_assert_true(rnic_host_fpdu_memory(host, 65536 + 1460) != fpdus);
  g_assert_true(rnic_host_fpdu_memory(host, 65536 + 1460) == rnic_host_fpdu_memory(host, 65536 + 1460));
  g_assert_false(mpa_fpdu_memory_is_full(fpdus));
  g_assert_cmpuint(rnic_buffer_pool_octets(rnic_host_buffers(host, 100)), ==, 100);
  g_assert_true(rnic_host_buffers(host, 100) == rnic_host_buffers(host, 100));
  g_assert_true(rnic_host_buffers(host, 101) != rnic_host_buffers(host, 100));
  octet_block *block = octet_block_new_in(mpa_fpdu_memory_flat(fpdus, 1460), 1460);
  rnic_host_free(host);
  octet_block_octets(block)[1459] = 1;
  octet_block_unref(block);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/rnic-host/numbers", test_numbers);
  g_test_add_func("/rnic-host/stags", test_stags);
  g_test_add_func("/rnic-host/pools", test_pools);
  return g_test_run();
}
