/* SPDX-License-Identifier: GPL-2.0-only */
#include "decoder_fixture.h"

#include <stdlib.h>

static GByteArray *octets_of(const char *hex)
{
  GByteArray *octets = g_byte_array_new();

  for (; *hex; hex++) {
    if (*hex != ' ') {
      const char digits[] = {hex[0], hex[1], 0};
      const guint8 octet = (guint8)strtoul(digits, NULL, 16);
      g_byte_array_append(octets, &octet, 1);
      hex++;
    }
  }
  return octets;
}

void decoder_fixture_put_hex(mpa_stream *sent, const char *hex)
{
  g_autoptr(GByteArray) ulpdu = octets_of(hex);

  mpa_stream_append(sent, ulpdu->data, ulpdu->len);
}

decoder_fixture decoder_fixture_new(bool markers)
{
  decoder_fixture f = {.connections = wire_connections_new()};

  f.connection = wire_connection_new(f.connections);
  for (int side = 0; side < WIRE_SIDES; side++) {
    wire_stream *stream = &f.connection->stream[side];
    stream->has_syn = stream->has_fin = TRUE;
    f.sent[side] = mpa_stream_begin(markers, true);
  }
  return f;
}

void decoder_fixture_put_frame(decoder_fixture *f, int side, guint8 flags, guint8 revision,
                               const char *private_data)
{
  static const char *const keys[] = {"MPA ID Req Frame", "MPA ID Rep Frame"};
  g_autoptr(GByteArray) data = octets_of(private_data);
  const guint8 rest[4] = {flags, revision, (guint8)(data->len >> 8), (guint8)data->len};
  GByteArray *octets = f->connection->stream[side].octets;

  g_byte_array_append(octets, (const guint8 *)keys[side], 16);
  g_byte_array_append(octets, rest, 4);
  g_byte_array_append(octets, data->data, data->len);
}

wire_decoding *decoder_fixture_decode(decoder_fixture *f, const char *generation)
{
  for (int side = 0; side < WIRE_SIDES; side++) {
    wire_stream *stream = &f->connection->stream[side];
    g_byte_array_append(stream->octets, f->sent[side]->octets->data, f->sent[side]->octets->len);
    stream->end = stream->octets->len;
    mpa_stream_free(f->sent[side]);
  }
  return wire_decode_connections(f->connections, g_ptr_array_new_with_free_func(g_free),
                                 wire_agreement_of(generation));
}

void decoder_fixture_expect(decoder_fixture *f, const char *generation, const char *complaint)
{
  g_autoptr(wire_decoding) decoding = decoder_fixture_decode(f, generation);

  if (complaint) {
    g_assert_cmpuint(decoding->complaints->len, >, 0);
    g_assert_cmpstr(decoding->complaints->pdata[0], ==, complaint);
  } else {
    wire_assert_no_complaints(decoding);
  }
}
