#include <glib.h>
#include <string.h>

#include "base/random_stream.h"
#include "tcp/datagram.h"

/* RFC 1071 §3: the sum of 00 01 F2 03 F4 F5 F6 F7 is DDF2 (with the carries in), so the checksum is ~DDF2
 * = 220D. */
static void test_internet_checksum(void)
{
  static const uint8_t octets[] = {0x00, 0x01, 0xF2, 0x03, 0xF4, 0xF5, 0xF6, 0xF7};
  g_assert_cmphex(internet_checksum(0, octets, sizeof octets), ==, 0x220D);
  /* started from the sum of the first four: 0x0001 + 0xF203 = 0xF204 */
  g_assert_cmphex(internet_checksum(0xF204, octets + 4, 4), ==, 0x220D);
  /* an odd octet is the high half of a word: 0001 + F203 + F400 = 1E604, folded E605, ~E605 = 19FA */
  g_assert_cmphex(internet_checksum(0, octets, 5), ==, 0x19FA);
  g_assert_cmphex(internet_checksum(0, octets, 0), ==, 0xFFFF);
}

static datagram *make(const char *text)
{
  tcp_header header = {.source_port = 0x1388,
                       .destination_port = 0x1389,
                       .sequence = 1,
                       .acknowledgement = 2,
                       .flags = TCP_ACK | TCP_PSH,
                       .window = 0x4000};
  octet_rope payload;
  octet_rope_init(&payload);
  octet_rope_append(&payload, (const uint8_t *)text, (uint32_t)strlen(text), NULL);
  datagram *packet = datagram_new(0xC0A80001, 0xC0A80002, &header, &payload);
  g_assert_cmpuint(payload.length, ==, 0);
  return packet;
}

/* 192.168.0.1 to 192.168.0.2, payload "abc"; 43 = 0x2B octets.
 *
 * IP: 4500 + 002B + 0000 + 4000 + 4006 + 0000 + C0A8 + 0001 + C0A8 + 0002 = 24684, folded 4686, ~ = B979.
 * TCP: pseudo header C0A8 + 0001 + C0A8 + 0002 + 0006 + 0017 (23 octets) = 18170;
 * segment 1388 + 1389 + 0000 + 0001 + 0000 + 0002 + 5018 + 4000 + 0000 + 0000 + 6162 + 6300 = 17B8E;
 * together 2FCFE, folded FD00, ~ = 02FF. */
static void test_on_the_wire(void)
{
  static const uint8_t expected[] = {0x45, 0x00, 0x00, 0x2B, 0x00, 0x00, 0x40, 0x00, 0x40, 0x06, 0xB9,
                                     0x79, 0xC0, 0xA8, 0x00, 0x01, 0xC0, 0xA8, 0x00, 0x02, 0x13, 0x88,
                                     0x13, 0x89, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x02, 0x50,
                                     0x18, 0x40, 0x00, 0x02, 0xFF, 0x00, 0x00, 'a',  'b',  'c'};
  uint8_t wire[sizeof expected];
  datagram *packet = make("abc");
  g_assert_cmpuint(datagram_octets(packet), ==, sizeof expected);
  g_assert_cmphex(datagram_source(packet), ==, 0xC0A80001);
  g_assert_cmphex(datagram_destination(packet), ==, 0xC0A80002);
  g_assert_cmphex(datagram_tcp_flags(packet), ==, TCP_ACK | TCP_PSH);
  datagram_write(packet, wire, true);
  g_assert_cmpmem(wire, sizeof wire, expected, sizeof expected);
  datagram_write(packet, wire, false);
  g_assert_cmphex(wire[10] | wire[11] | wire[36] | wire[37], ==, 0);
  datagram_unref(packet);
}

static octet_block *block_of(const uint8_t *octets, size_t length)
{
  octet_block *block = octet_block_new(length);
  memcpy(octet_block_octets(block), octets, length);
  return block;
}

static datagram *read_copy(const uint8_t *octets, size_t length)
{
  octet_block *block = block_of(octets, length);
  datagram *packet = datagram_read(block, octet_block_octets(block), length);
  octet_block_unref(block);
  return packet;
}

static void test_what_is_written_is_read(void)
{
  uint8_t wire[64] = {0};
  datagram *packet = make("payload");
  uint32_t octets = datagram_octets(packet);
  datagram_write(packet, wire, true);
  datagram *read = read_copy(wire, octets + 6); /* six octets of Ethernet padding */
  g_assert_nonnull(read);
  g_assert_cmpuint(datagram_octets(read), ==, octets);
  g_assert_true(octet_rope_equals(&read->payload, 0, 7, (const uint8_t *)"payload"));
  tcp_header header;
  datagram_tcp_header(read, &header);
  g_assert_cmpuint(header.source_port, ==, 0x1388);
  g_assert_cmpuint(header.window, ==, 0x4000);
  datagram_unref(read);
  datagram_unref(packet);
}

/* IP options are no use to the receiving host: what remains has a header of 20 octets and says so. */
static void test_ip_options_are_left_out(void)
{
  uint8_t wire[64] = {0};
  datagram *packet = make("abc");
  datagram_write(packet, wire, false);
  memmove(wire + 28, wire + 20, 23);
  memset(wire + 20, 1, 8); /* NOPs */
  wire[0] = 0x47;
  wire[3] = 43 + 8;
  datagram *read = read_copy(wire, 51);
  g_assert_nonnull(read);
  g_assert_cmpuint(datagram_octets(read), ==, 43);
  uint8_t again[43];
  uint8_t original[43];
  datagram_write(read, again, true);
  datagram_write(packet, original, true);
  g_assert_cmpmem(again, 43, original, 43);
  datagram_unref(read);
  datagram_unref(packet);
}

static void test_refused(void)
{
  static const struct {
    unsigned at;
    uint8_t value;
  } cases[] = {
      {0, 0x65},  /* version 6 */
      {0, 0x44},  /* IHL 16 octets */
      {0, 0x4F},  /* IHL 60 octets: beyond the packet */
      {3, 19},    /* total length below the header */
      {3, 39},    /* total length cuts the TCP header */
      {3, 44},    /* total length beyond what is there */
      {6, 0x20},  /* More Fragments */
      {7, 0x01},  /* fragment offset */
      {9, 17},    /* UDP */
      {32, 0x40}, /* TCP data offset 16 octets */
      {32, 0x60}, /* TCP data offset 24 octets: one beyond the payload */
  };
  uint8_t wire[43];
  datagram *packet = make("abc");
  for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_test_message("case %zu", i);
    datagram_write(packet, wire, true);
    wire[cases[i].at] = cases[i].value;
    g_assert_null(read_copy(wire, sizeof wire));
  }
  datagram_write(packet, wire, true);
  for (size_t length = 1; length < sizeof wire; length++) {
    g_assert_null(read_copy(wire, length));
  }
  datagram_unref(packet);
}

static void test_random_octets(void)
{
  random_stream *random = random_stream_new(1, "datagram");
  unsigned good = 0;
  for (unsigned i = 0; i < 50000; i++) {
    uint8_t wire[100];
    size_t length = 1 + random_stream_below(random, sizeof wire);
    for (size_t k = 0; k < length; k++) {
      wire[k] = (uint8_t)random_stream_next(random);
    }
    if (random_stream_chance(random, 0.9) && length >= 40) { /* likely enough to get somewhere */
      wire[0] = (uint8_t)(0x45 + random_stream_below(random, 3));
      wire[2] = 0;
      wire[3] = (uint8_t)random_stream_below(random, 110);
      wire[6] = wire[7] = 0;
      wire[9] = 6;
      wire[32] &= 0x9F;
    }
    datagram *packet = read_copy(wire, length);
    if (packet) {
      uint8_t *again = g_malloc(datagram_octets(packet));
      g_assert_cmpuint(datagram_octets(packet), <=, length);
      datagram_write(packet, again, true);
      g_free(again);
      good++;
    }
    datagram_unref(packet);
  }
  g_assert_cmpuint(good, >, 100);
  random_stream_free(random);
}

static void test_references(void)
{
  octet_block *block = octet_block_new(8);
  memset(octet_block_octets(block), 7, 8);
  octet_rope payload;
  octet_rope_init(&payload);
  octet_rope_append(&payload, octet_block_octets(block), 8, block);
  octet_block_unref(block);
  tcp_header header = {.flags = TCP_ACK};
  datagram *packet = datagram_new(1, 2, &header, &payload);
  g_assert_true(datagram_ref(packet) == packet);
  datagram_unref(packet);
  g_assert_cmpuint(octet_rope_at(&packet->payload, 7), ==,
                   7); /* one reference is left, and holds the octets */
  datagram_unref(packet);
  datagram_unref(NULL);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/tcp/datagram/internet_checksum", test_internet_checksum);
  g_test_add_func("/tcp/datagram/on_the_wire", test_on_the_wire);
  g_test_add_func("/tcp/datagram/what_is_written_is_read", test_what_is_written_is_read);
  g_test_add_func("/tcp/datagram/ip_options_are_left_out", test_ip_options_are_left_out);
  g_test_add_func("/tcp/datagram/refused", test_refused);
  g_test_add_func("/tcp/datagram/random_octets", test_random_octets);
  g_test_add_func("/tcp/datagram/references", test_references);
  return g_test_run();
}
