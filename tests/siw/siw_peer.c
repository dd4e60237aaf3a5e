/* SPDX-License-Identifier: GPL-2.0-only */
/* One RDMA connection over siw between two processes of one host, by librdmacm: what each end asks for and
 * what it was told of its peer's IRD and ORD is printed, one line an end.
 *
 *     siw_peer ADDRESS CLIENT_IRD CLIENT_ORD SERVER_IRD SERVER_ORD
 *
 * The client then sends one message and reads one buffer, so that the capture has both. */
#include <arpa/inet.h>
#include <rdma/rdma_cma.h>
#include <rdma/rdma_verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PORT = 7174, OCTETS = 64 };

typedef struct region {
  uint64_t address;
  uint32_t key;
} region;

static void fail(const char *what)
{
  perror(what);
  exit(1);
}

static struct rdma_cm_event *wait_for(struct rdma_event_channel *channel, enum rdma_cm_event_type type)
{
  struct rdma_cm_event *event;

  if (rdma_get_cm_event(channel, &event)) {
    fail("rdma_get_cm_event");
  }
  if (event->event != type) {
    printf("event %s, status %d, for %s\n", rdma_event_str(event->event), event->status,
           rdma_event_str(type));
    fflush(stdout);
    exit(1);
  }
  return event;
}

static void make_queue_pair(struct rdma_cm_id *id)
{
  struct ibv_qp_init_attr attributes = {
      .qp_type = IBV_QPT_RC,
      .cap = {.max_send_wr = 8, .max_recv_wr = 8, .max_send_sge = 1, .max_recv_sge = 1},
      .sq_sig_all = 1};

  if (rdma_create_qp(id, NULL, &attributes)) {
    fail("rdma_create_qp");
  }
}

static void print_attributes(const char *end, struct rdma_cm_id *id)
{
  struct ibv_qp_attr attributes;
  struct ibv_qp_init_attr init;

  if (ibv_query_qp(id->qp, &attributes, IBV_QP_MAX_QP_RD_ATOMIC | IBV_QP_MAX_DEST_RD_ATOMIC, &init) == 0) {
    printf("%s works with ird %u ord %u\n", end, attributes.max_dest_rd_atomic, attributes.max_rd_atomic);
    fflush(stdout);
  }
}

static void serve(struct sockaddr *address, int ird, int ord, int ready)
{
  struct rdma_event_channel *channel = rdma_create_event_channel();
  struct rdma_cm_id *listener;
  struct ibv_wc completion;
  static char buffer[OCTETS];

  if (!channel || rdma_create_id(channel, &listener, NULL, RDMA_PS_TCP) ||
      rdma_bind_addr(listener, address) || rdma_listen(listener, 1)) {
    fail("listen");
  }
  if (write(ready, "r", 1) != 1) {
    fail("write");
  }
  struct rdma_cm_event *event = wait_for(channel, RDMA_CM_EVENT_CONNECT_REQUEST);
  struct rdma_cm_id *id = event->id;
  printf("server is told ird %u ord %u\n", event->param.conn.initiator_depth,
         event->param.conn.responder_resources);
  fflush(stdout);
  make_queue_pair(id);
  struct ibv_mr *memory = rdma_reg_read(id, buffer, sizeof(buffer));
  struct ibv_mr *receive = rdma_reg_msgs(id, buffer, sizeof(buffer));
  if (!memory || !receive || rdma_post_recv(id, NULL, buffer, OCTETS, receive)) {
    fail("register");
  }
  const region lent = {.address = (uintptr_t)buffer, .key = memory->rkey};
  struct rdma_conn_param own = {.responder_resources = (uint8_t)ird,
                                .initiator_depth = (uint8_t)ord,
                                .private_data = &lent,
                                .private_data_len = sizeof(lent)};
  rdma_ack_cm_event(event);
  if (rdma_accept(id, &own)) {
    fail("rdma_accept");
  }
  rdma_ack_cm_event(wait_for(channel, RDMA_CM_EVENT_ESTABLISHED));
  print_attributes("server", id);
  while (ibv_poll_cq(id->recv_cq, 1, &completion) == 0) {
  }
  rdma_ack_cm_event(wait_for(channel, RDMA_CM_EVENT_DISCONNECTED));
  rdma_disconnect(id);
  exit(0);
}

int main(int argc, char **argv)
{
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(PORT)};
  struct rdma_event_channel *channel;
  struct rdma_cm_id *id;
  struct ibv_wc completion;
  static char buffer[OCTETS];
  int ready[2];
  char octet;

  if (argc != 6 || inet_pton(AF_INET, argv[1], &address.sin_addr) != 1 || pipe(ready)) {
    fprintf(stderr, "usage: siw_peer ADDRESS CLIENT_IRD CLIENT_ORD SERVER_IRD SERVER_ORD\n");
    return 2;
  }
  pid_t server = fork();
  if (server == 0) {
    serve((struct sockaddr *)&address, atoi(argv[4]), atoi(argv[5]), ready[1]);
  }
  if (read(ready[0], &octet, 1) != 1) {
    fail("read");
  }
  channel = rdma_create_event_channel();
  if (!channel || rdma_create_id(channel, &id, NULL, RDMA_PS_TCP) ||
      rdma_resolve_addr(id, NULL, (struct sockaddr *)&address, 2000)) {
    fail("rdma_resolve_addr");
  }
  rdma_ack_cm_event(wait_for(channel, RDMA_CM_EVENT_ADDR_RESOLVED));
  if (rdma_resolve_route(id, 2000)) {
    fail("rdma_resolve_route");
  }
  rdma_ack_cm_event(wait_for(channel, RDMA_CM_EVENT_ROUTE_RESOLVED));
  make_queue_pair(id);
  struct ibv_mr *memory = rdma_reg_msgs(id, buffer, sizeof(buffer));
  struct rdma_conn_param own = {.responder_resources = (uint8_t)atoi(argv[2]),
                                .initiator_depth = (uint8_t)atoi(argv[3])};
  if (!memory || rdma_connect(id, &own)) {
    fail("rdma_connect");
  }
  struct rdma_cm_event *event = wait_for(channel, RDMA_CM_EVENT_ESTABLISHED);
  region lent;
  printf("client is told ird %u ord %u\n", event->param.conn.initiator_depth,
         event->param.conn.responder_resources);
  memcpy(&lent, event->param.conn.private_data, sizeof(lent));
  rdma_ack_cm_event(event);
  print_attributes("client", id);
  if (rdma_post_read(id, NULL, buffer, OCTETS, memory, 0, lent.address, lent.key)) {
    fail("rdma_post_read");
  }
  while (ibv_poll_cq(id->send_cq, 1, &completion) == 0) {
  }
  printf("client's read: %s\n", ibv_wc_status_str(completion.status));
  if (rdma_post_send(id, NULL, buffer, OCTETS, memory, 0)) {
    fail("rdma_post_send");
  }
  while (ibv_poll_cq(id->send_cq, 1, &completion) == 0) {
  }
  printf("client's send: %s\n", ibv_wc_status_str(completion.status));
  fflush(stdout);
  rdma_disconnect(id);
  int status;
  waitpid(server, &status, 0);
  return status == 0 ? 0 : 1;
}
