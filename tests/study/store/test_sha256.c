/* SPDX-License-Identifier: GPL-2.0-only */
/* SHA-256 as FIPS 180-4 has it: the examples of NIST's CSRC, and GLib's checksum; in C and with the processor's instructions. */
#include "study/store/sha256.h"

#include <string.h>

static void test_examples(void)
{
  g_autofree char *nothing = sha256_of_text("");
  g_autofree char *one_block = sha256_of_text("abc");
  g_autofree char *two_blocks = sha256_of_text("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq");
  g_assert_cmpstr(nothing, ==, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  g_assert_cmpstr(one_block, ==, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  g_assert_cmpstr(two_blocks, ==, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

/* `count` octets, in pieces of `piece` at most. */
static char *hash_in_pieces(const guint8 *octets, gsize count, gsize piece, sha256_compress compress)
{
  sha256 hash;
  sha256_start(&hash);
  hash.compress = compress;
  for (gsize at = 0; at < count; at += piece) {
    sha256_add(&hash, octets + at, MIN(piece, count - at));
  }
  return sha256_end(&hash);
}

/* Every length up to four blocks and a bit: those at which padding takes a block of its own (56 to 63 octets behind a whole one) are among
 * them. */
static void expect_as_glib(sha256_compress compress)
{
  guint8 octets[4 * 64 + 10];
  for (gsize i = 0; i < sizeof octets; i++) {
    octets[i] = (guint8)(i * 37 + 11);
  }
  for (gsize count = 0; count <= sizeof octets; count++) {
    g_autofree char *expected = g_compute_checksum_for_data(G_CHECKSUM_SHA256, octets, count);
    static const gsize pieces[] = {1, 7, 63, 64, 65, 300};
    for (gsize i = 0; i < G_N_ELEMENTS(pieces); i++) {
      g_autofree char *found = hash_in_pieces(octets, count, pieces[i], compress);
      g_assert_cmpstr(found, ==, expected);
    }
  }
}

static void test_portable(void)
{
  expect_as_glib(sha256_compress_portable);
}

static void test_processor(void)
{
  sha256_compress compress = sha256_compress_of_processor();
  if (compress == NULL) {
    g_test_skip("this processor has no instructions for it");
    return;
  }
  expect_as_glib(compress);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/sha256/examples", test_examples);
  g_test_add_func("/sha256/portable", test_portable);
  g_test_add_func("/sha256/processor", test_processor);
  return g_test_run();
}
