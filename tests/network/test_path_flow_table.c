/* Flows by addresses and ports, and the queue of their deadlines: path_flow_table.h. */
#include "network/path_flow_table.h"

typedef struct numbered_flow {
  path_flow flow;
  uint32_t number;
} numbered_flow;

static void free_flow(path_flow *flow)
{
  g_free(flow);
}

static datagram_flow key_of(uint32_t source, uint32_t destination, uint16_t source_port,
                            uint16_t destination_port)
{
  return (datagram_flow){.source = ip_address_v4(source),
                         .destination = ip_address_v4(destination),
                         .source_port = source_port,
                         .destination_port = destination_port};
}

static numbered_flow *add(path_flow_table *table, const datagram_flow *key, uint32_t number)
{
  numbered_flow *flow = (numbered_flow *)path_flow_table_add(table, key);

  flow->number = number;
  return flow;
}

/* Each of the five things that tell flows apart does: version, both addresses, both ports; and so does the
 * direction. */
static void test_what_tells_flows_apart(void)
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
  path_flow_table table;
  datagram_flow stranger = key_of(7, 7, 7, 7);

  path_flow_table_init(&table, sizeof(numbered_flow), free_flow);
  for (uint32_t i = 0; i < G_N_ELEMENTS(keys); i++) {
    g_assert_null(path_flow_table_find(&table, &keys[i]));
    g_assert_cmpuint(add(&table, &keys[i], i)->number, ==, i);
  }
  for (uint32_t i = 0; i < G_N_ELEMENTS(keys); i++) {
    for (int again = 0; again < 2; again++) { /* behind the first, and behind itself */
      const numbered_flow *flow = (const numbered_flow *)path_flow_table_find(&table, &keys[i]);
      g_assert_nonnull(flow);
      g_assert_cmpuint(flow->number, ==, i);
    }
    g_assert_cmpuint(((const numbered_flow *)path_flow_table_find(&table, &keys[0]))->number, ==, 0);
  }
  g_assert_null(path_flow_table_find(&table, &stranger));
  path_flow_table_clear(&table);
}

/* Flows are due in the order their deadlines were set, also of equal ones; setting again moves,
 * TIME_PS_NEVER takes out. */
static void test_due(void)
{
  path_flow_table table;
  path_flow *flows[4];

  path_flow_table_init(&table, sizeof(path_flow), free_flow);
  g_assert_null(path_flow_table_first_due(&table));
  for (uint16_t i = 0; i < 4; i++) {
    datagram_flow key = key_of(1, 2, i, 4);
    flows[i] = path_flow_table_add(&table, &key);
    path_flow_table_set_deadline(&table, flows[i], TIME_PS_NEVER, 0);
    path_flow_table_set_deadline(&table, flows[i], 10 + i / 2, i);
  }
  g_assert_true(path_flow_table_first_due(&table) == flows[0]);
  path_flow_table_set_deadline(&table, flows[0], 20, 9);
  g_assert_true(path_flow_table_first_due(&table) == flows[1]);
  path_flow_table_set_deadline(&table, flows[2], TIME_PS_NEVER, 0);
  path_flow_table_set_deadline(&table, flows[1], TIME_PS_NEVER, 0);
  g_assert_true(path_flow_table_first_due(&table) == flows[3]);
  g_assert_cmpuint(flows[3]->send_order, ==, 3);
  path_flow_table_set_deadline(&table, flows[3], TIME_PS_NEVER, 0);
  g_assert_true(path_flow_table_first_due(&table) == flows[0]);
  g_assert_cmpint(flows[0]->deadline, ==, 20);
  g_assert_cmpuint(flows[0]->send_order, ==, 9);
  path_flow_table_clear(&table);
}

/* The flow that is due last may be put off where it stands, and is then still behind none; the first one moves behind the others. */
static void test_put_off(void)
{
  path_flow_table table;
  path_flow *flows[2];

  path_flow_table_init(&table, sizeof(path_flow), free_flow);
  for (uint16_t i = 0; i < 2; i++) {
    datagram_flow key = key_of(1, 2, i, 4);
    flows[i] = path_flow_table_add(&table, &key);
  }
  path_flow_table_set_deadline(&table, flows[0], 20, 9);
  path_flow_table_set_deadline(&table, flows[0], 25, 11);
  g_assert_cmpint(flows[0]->deadline, ==, 25);
  g_assert_cmpuint(flows[0]->send_order, ==, 11);
  path_flow_table_set_deadline(&table, flows[1], 25, 12);
  g_assert_true(path_flow_table_first_due(&table) == flows[0]);
  path_flow_table_set_deadline(&table, flows[0], 25, 13);
  g_assert_true(path_flow_table_first_due(&table) == flows[1]);
  path_flow_table_set_deadline(&table, flows[1], TIME_PS_NEVER, 0);
  path_flow_table_set_deadline(&table, flows[0], TIME_PS_NEVER, 0);
  g_assert_null(path_flow_table_first_due(&table));
  path_flow_table_clear(&table);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/path_flow_table/what_tells_flows_apart", test_what_tells_flows_apart);
  g_test_add_func("/path_flow_table/due", test_due);
  g_test_add_func("/path_flow_table/put_off", test_put_off);
  return g_test_run();
}
