/* SPDX-License-Identifier: GPL-2.0-only */
#include "net/ip_header.h"
#include "test.h"

/* 192.0.2.1 (RFC 5737) in network order; the rest is 0. */
TEST(test_version_4)
{
  static const uint8_t octets[16] = {192, 0, 2, 1};
  const ip_address address = ip_address_v4(0xC0000201);
  g_assert_cmpuint(address.version, ==, 4);
  g_assert_cmpmem(address.octets, sizeof address.octets, octets, sizeof octets);
}

/* 2001:db8:1:2:3:4:5:6 (RFC 3849) */
TEST(test_version_6)
{
  static const uint8_t octets[16] = {0x20, 0x01, 0x0D, 0xB8, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6};
  const ip_address address = ip_address_v6(UINT64_C(0x20010DB800010002), UINT64_C(0x0003000400050006));
  g_assert_cmpuint(address.version, ==, 6);
  g_assert_cmpmem(address.octets, sizeof address.octets, octets, sizeof octets);
}

/* Equal is the same address of the same version: 10.0.0.1 is not a00:1::, though the octets are the same. */
TEST(test_equal)
{
  const ip_address v4 = ip_address_v4(0x0A000001);
  const ip_address same = ip_address_v4(0x0A000001);
  const ip_address other = ip_address_v4(0x0A000002);
  const ip_address v6 = ip_address_v6(UINT64_C(0x0A00000100000000), 0);
  const ip_address last = ip_address_v6(UINT64_C(0x0A00000100000000), 1);
  g_assert_true(ip_address_equal(&v4, &same));
  g_assert_false(ip_address_equal(&v4, &other));
  g_assert_false(ip_address_equal(&v4, &v6));
  g_assert_true(ip_address_equal(&v6, &v6));
  g_assert_false(ip_address_equal(&v6, &last));
}
