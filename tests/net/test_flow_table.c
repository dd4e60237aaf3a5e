/* SPDX-License-Identifier: GPL-2.0-only */
/* Flows by addresses and ports: flow_table.h. */
#include "net/flow_table.h"
#include "test.h"

typedef struct numbered_flow {
  datagram_flow flow;
  uint32_t number;
} numbered_flow;

static datagram_flow key_of(uint32_t source, uint32_t destination, uint16_t source_port,
                            uint16_t destination_port)
{
  return (datagram_flow){.source = ip_address_v4(source),
                         .destination = ip_address_v4(destination),
                         .source_port = source_port,
                         .destination_port = destination_port};
}

static numbered_flow *add(flow_table *table, const datagram_flow *key, uint32_t number)
{
  numbered_flow *flow = flow_table_add(table, key);

  flow->number = number;
  return flow;
}

/* Each of the five things that distinguish flows does: version, both addresses, both ports; and so does the
 * direction. */
TEST(test_what_distinguishes_flows)
{
  datagram_flow keys[] = {
      key_of(1, 2, 3, 4),
      key_of(9, 2, 3, 4),
      key_of(1, 9, 3, 4),
      key_of(1, 2, 9, 4),
      key_of(1, 2, 3, 9),
      key_of(2, 1, 4, 3),
      {.source = ip_address_v6(0, 0), .source_port = 1},
  };
  flow_table table;
  datagram_flow stranger = key_of(7, 7, 7, 7);

  flow_table_init(&table, sizeof(numbered_flow), g_free);
  for (uint32_t i = 0; i < G_N_ELEMENTS(keys); i++) {
    g_assert_null(flow_table_find(&table, &keys[i]));
    g_assert_cmpuint(add(&table, &keys[i], i)->number, ==, i);
  }
  for (uint32_t i = 0; i < G_N_ELEMENTS(keys); i++) {
    for (int again = 0; again < 2; again++) { /* after the first, and after itself */
      const numbered_flow *flow = flow_table_find(&table, &keys[i]);
      g_assert_nonnull(flow);
      g_assert_cmpuint(flow->number, ==, i);
    }
    g_assert_cmpuint(((const numbered_flow *)flow_table_find(&table, &keys[0]))->number, ==, 0);
  }
  g_assert_null(flow_table_find(&table, &stranger));
  flow_table_clear(&table);
}

/* A packet after one of a flow is of the same flow only if all of its addresses and ports are: the table
 * compares it with the flow found last first. Port 0 is a port like any other. */
TEST(test_packet_after_another)
{
  const datagram_flow key = key_of(1, 2, 3, 4);
  const uint16_t ports[][2] = {{3, 4}, {3, 0}, {0, 4}, {3, 4}};
  flow_table table;

  flow_table_init(&table, sizeof(numbered_flow), g_free);
  const numbered_flow *flow = add(&table, &key, 0);
  for (size_t i = 0; i < G_N_ELEMENTS(ports); i++) {
    const tcp_header header = {.source_port = ports[i][0], .destination_port = ports[i][1]};
    datagram *packet = datagram_new_in(NULL, &key.source, &key.destination, &header, NULL);
    g_assert_true(flow_table_find_of(&table, packet) == (ports[i][0] == 3 && ports[i][1] == 4 ? flow : NULL));
    datagram_unref(packet);
  }
  flow_table_clear(&table);
}

/* Both directions have one key, the lower end first: by address, then by port. */
static const struct {
  uint32_t source, destination;
  uint16_t source_port, destination_port;
  bool is_reversed;
} order_rows[] = {
    {1, 2, 9, 4, false}, {2, 1, 3, 4, true}, {1, 1, 3, 4, false}, {1, 1, 4, 3, true}, {1, 1, 3, 3, false}};

ROW_TEST(test_order, order_rows)
{
  const datagram_flow one = key_of(c->source, c->destination, c->source_port, c->destination_port);
  datagram_flow ordered = one;
  datagram_flow other = flow_table_reversed(&one);
  g_assert_true(flow_table_order(&ordered) == c->is_reversed);
  flow_table_order(&other);
  g_assert_cmpmem(&ordered, sizeof ordered, &other, sizeof other);
  g_assert_false(flow_table_order(&ordered));
}

static datagram_flow current_key(const void *entry)
{
  return ((const numbered_flow *)entry)->flow;
}

/* An entry whose key has changed, and which is added again, is found by its new key alone: also right after
 * it was found by the old one, and when the table has grown. */
TEST(test_entry_with_another_key)
{
  enum { FLOWS = 50 };
  numbered_flow flows[FLOWS];
  flow_table table;

  flow_table_init_of(&table, current_key);
  for (uint32_t i = 0; i < FLOWS; i++) {
    const datagram_flow before = key_of(1, 2, (uint16_t)(100 + i), 3);

    flows[i] = (numbered_flow){.flow = before, .number = i};
    flow_table_insert(&table, &flows[i]);
    g_assert_true(flow_table_find(&table, &before) == &flows[i]);
    flows[i].flow.source_port = (uint16_t)(1000 + i);
    flow_table_insert(&table, &flows[i]);
    g_assert_null(flow_table_find(&table, &before));
  }
  for (uint32_t i = 0; i < FLOWS; i++) {
    const datagram_flow before = key_of(1, 2, (uint16_t)(100 + i), 3);

    g_assert_null(flow_table_find(&table, &before));
    g_assert_true(flow_table_find(&table, &flows[i].flow) == &flows[i]);
  }
  flow_table_clear(&table);
}
