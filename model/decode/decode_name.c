/* SPDX-License-Identifier: GPL-2.0-only */
#include "decode/decode_name.h"

#include <arpa/inet.h>
#include <glib.h>
#include <string.h>

typedef struct name_texts {
  char *ends[SIDES];
  char *directions[SIDES];
} name_texts;

struct decode_names {
  GPtrArray *texts; /* name_texts by connection; NULL: nobody has asked yet */
  size_t width;
};

static void free_texts(gpointer data)
{
  name_texts *texts = data;

  for (enum side direction = 0; texts && direction < SIDES; direction++) {
    g_free(texts->ends[direction]);
    g_free(texts->directions[direction]);
  }
  g_free(texts);
}

decode_names *decode_names_new(void)
{
  decode_names *names = g_new0(decode_names, 1);

  names->texts = g_ptr_array_new_with_free_func(free_texts);
  return names;
}

void decode_names_free(decode_names *names)
{
  if (names) {
    g_ptr_array_unref(names->texts);
    g_free(names);
  }
}

char *decode_name_end(const capture_end *end)
{
  char address[INET6_ADDRSTRLEN] = "?";
  bool is_v6 = end->address.version == 6;

  inet_ntop(is_v6 ? AF_INET6 : AF_INET, end->address.octets, address, sizeof address);
  return g_strdup_printf(is_v6 ? "[%s]:%u" : "%s:%u", address, end->port);
}

char *decode_opcode_name(unsigned int opcode)
{
  const rdmap_opcode_rules *rules = rdmap_opcode_rules_of((uint8_t)opcode);

  return rules ? g_strdup(rules->name) : g_strdup_printf("reserved 0x%X", opcode);
}

static name_texts *make_texts(const decode_connection *connection, const capture_flow *flow)
{
  name_texts *texts = g_new0(name_texts, 1);

  texts->ends[SIDE_INITIATOR] = decode_name_end(&flow->ends[connection->initiator]);
  texts->ends[SIDE_RESPONDER] = decode_name_end(&flow->ends[!connection->initiator]);
  for (enum side direction = 0; direction < SIDES; direction++) {
    texts->directions[direction] = g_strconcat(texts->ends[direction], " > ", texts->ends[!direction], NULL);
  }
  return texts;
}

decode_name decode_names_of(decode_names *names, const decode_connection *connection,
                            const capture_flow *flow)
{
  decode_name name = {.has_startup_frames = connection->has_request || connection->has_reply};

  if (connection->index >= names->texts->len) {
    g_ptr_array_set_size(names->texts, (int)connection->index + 1);
  }
  name_texts *texts = names->texts->pdata[connection->index];
  if (!texts) {
    texts = make_texts(connection, flow);
    names->texts->pdata[connection->index] = texts;
    names->width = MAX(names->width, strlen(texts->directions[SIDE_INITIATOR]));
  }
  for (enum side direction = 0; direction < SIDES; direction++) {
    name.ends[direction] = texts->ends[direction];
    name.directions[direction] = texts->directions[direction];
  }
  name.width = names->width;
  if (name.has_startup_frames) {
    name.revision = MIN(connection->has_request ? connection->request.revision : UINT8_MAX,
                        connection->has_reply ? connection->reply.revision : UINT8_MAX);
  }
  return name;
}

iwarp_generation decode_name_generation(const decode_name *name, uint8_t rdmap_version)
{
  if (name->has_startup_frames) {
    return name->revision == 0 ? IWARP_IETF : IWARP_RFC;
  }
  return rdmap_version == 0 ? IWARP_RDMAC : IWARP_RFC;
}
