/* SPDX-License-Identifier: GPL-2.0-only */
/* This runs this machine's TCP, between two network namespaces of this process with a TUN device in each:
 *
 *     live FOLDER NAME=VALUE...
 *
 * MPA peers send over kernel sockets, live_path.c carries the packets. FOLDER gets sender.pcap, receiver.pcap
 * and sent.tsv, the sender's own log: position and octets of each FPDU, of every connection. Prints what was
 * counted, a line `name value` each. Exits with 77 and a reason where the kernel lets no namespace or device
 * be made, with 4 when it took longer than a minute. The namespaces have no other device, so that no packet
 * leaves them, and end with the process. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "live_path.h"
#include "live_stream.h"

enum { PORT = 5044, SKIPPED = 77, TIMED_OUT = 4, LONGEST_S = 60 };
static const char *const ADDRESSES[2] = {"10.0.0.1", "10.0.0.2"};

typedef struct live_peer {
  int sockets[2]; /* the Initiator's and the Responder's */
  const live_stream *stream;
  bool in_stream;              /* one stream of octets; else a send for each FPDU */
  int64_t host_rate_bit_per_s; /* 0: no limit */
  pthread_t threads[2];
  int *left; /* connections that have not received all */
  bool *done;
} live_peer;

static void skip(const char *what)
{
  printf("skipped: %s: %s\n", what, g_strerror(errno));
  exit(SKIPPED);
}

static void check(long result, const char *what)
{
  if (result < 0) {
    fprintf(stderr, "live: %s: %s\n", what, g_strerror(errno));
    exit(1);
  }
}

static void write_text(const char *path, const char *text)
{
  int file = open(path, O_WRONLY | O_CLOEXEC);
  check(file, path);
  check(write(file, text, strlen(text)), path);
  close(file);
}

/* --- The namespaces --- */

/* Makes a user namespace in which this process may make the others, when it is not root's. */
static void become_root(void)
{
  char *user = g_strdup_printf("0 %u 1", geteuid());
  char *group = g_strdup_printf("0 %u 1", getegid());

  if (geteuid() != 0) {
    if (unshare(CLONE_NEWUSER) < 0) {
      skip("no user namespace");
    }
    write_text("/proc/self/setgroups", "deny");
    write_text("/proc/self/uid_map", user);
    write_text("/proc/self/gid_map", group);
  }
  g_free(user);
  g_free(group);
}

/* Moves to a new network namespace; its TUN device. */
static int new_namespace(const char *address, int mtu)
{
  struct ifreq device = {.ifr_name = "live", .ifr_flags = IFF_TUN | IFF_NO_PI};
  struct sockaddr_in *set = (struct sockaddr_in *)(void *)&device.ifr_addr;

  if (unshare(CLONE_NEWNET) < 0) {
    skip("no network namespace");
  }
  int tun = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (tun < 0 || ioctl(tun, TUNSETIFF, &device) < 0) {
    skip("no TUN device");
  }
  int control = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  device.ifr_qlen = 20000; /* packets that wait for live_path.c: more than a window */
  check(ioctl(control, SIOCSIFTXQLEN, &device), "SIOCSIFTXQLEN");
  device.ifr_mtu = mtu;
  check(ioctl(control, SIOCSIFMTU, &device), "SIOCSIFMTU");
  *set = (struct sockaddr_in){.sin_family = AF_INET};
  inet_pton(AF_INET, address, &set->sin_addr);
  check(ioctl(control, SIOCSIFADDR, &device), "SIOCSIFADDR");
  inet_pton(AF_INET, "255.255.255.0", &set->sin_addr);
  check(ioctl(control, SIOCSIFNETMASK, &device), "SIOCSIFNETMASK");
  device.ifr_flags = IFF_UP | IFF_RUNNING;
  check(ioctl(control, SIOCSIFFLAGS, &device), "SIOCSIFFLAGS");
  close(control);
  return tun;
}

static void set_sysctl(const char *name, const char *value)
{
  char *path = g_strdup_printf("/proc/sys/net/ipv4/%s", name);
  write_text(path, value);
  g_free(path);
}

/* Returns a counter of this namespace (snmp_counter.rst), of all since it was made. */
static int64_t counter(const char *group, const char *name)
{
  char *text = NULL;
  int64_t value = 0;

  if (!g_file_get_contents("/proc/thread-self/net/netstat", &text, NULL, NULL)) {
    return -1;
  }
  char **lines = g_strsplit(text, "\n", -1);
  for (char **line = lines; line[0] && line[1]; line += 2) {
    char **names = g_strsplit(line[0], " ", -1);
    char **values = g_strsplit(line[1], " ", -1);
    for (guint i = 1; g_str_equal(names[0], group) && names[i] && values[i]; i++) {
      value = g_str_equal(names[i], name) ? g_ascii_strtoll(values[i], NULL, 10) : value;
    }
    g_strfreev(names);
    g_strfreev(values);
  }
  g_strfreev(lines);
  g_free(text);
  return value;
}

/* --- The peers --- */

static void receive_all(int from, uint8_t *octets, size_t length)
{
  for (size_t at = 0; at < length;) {
    ssize_t got = recv(from, octets + at, length - at, 0);
    check(got > 0 ? got : -1, "recv");
    at += (size_t)got;
  }
}

static void send_all(int to, const uint8_t *octets, size_t length, int flags)
{
  for (size_t at = 0; at < length;) {
    ssize_t sent = send(to, octets + at, length - at, flags | MSG_NOSIGNAL);
    check(sent, "send");
    at += (size_t)sent;
  }
}

static void *run_initiator(void *data)
{
  const live_peer *peer = data;
  uint8_t frame[LIVE_FRAME_OCTETS];
  const live_stream *stream = peer->stream;

  live_stream_frame(frame, "Req");
  send_all(peer->sockets[0], frame, sizeof frame, 0);
  receive_all(peer->sockets[0], frame, sizeof frame);
  if (peer->in_stream) {
    send_all(peer->sockets[0], stream->octets->data, stream->octets->len, 0);
    return NULL;
  }
  int64_t next_ns = live_now_ns();
  for (uint32_t i = 0, from = 0; i < stream->ends->len; i++) {
    uint32_t to = g_array_index(stream->ends, uint32_t, i);
    if (peer->host_rate_bit_per_s > 0) {
      struct timespec at = {.tv_sec = next_ns / 1000000000, .tv_nsec = next_ns % 1000000000};
      clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
      next_ns += (to - from) * 8 * INT64_C(1000000000) / peer->host_rate_bit_per_s;
    }
    send_all(peer->sockets[0], stream->octets->data + from, to - from, MSG_EOR);
    from = to;
  }
  return NULL;
}

static void *run_responder(void *data)
{
  const live_peer *peer = data;
  uint8_t frame[LIVE_FRAME_OCTETS];
  uint8_t *octets = g_malloc(1 << 20);

  receive_all(peer->sockets[1], frame, sizeof frame);
  live_stream_frame(frame, "Rep");
  send_all(peer->sockets[1], frame, sizeof frame, 0);
  for (size_t left = peer->stream->octets->len; left > 0;) {
    ssize_t got = recv(peer->sockets[1], octets, 1 << 20, 0);
    check(got > 0 ? got : -1, "recv");
    left -= (size_t)got;
  }
  g_free(octets);
  if (__atomic_sub_fetch(peer->left, 1, __ATOMIC_ACQ_REL) == 0) {
    struct timespec rest = {.tv_nsec = 50000000}; /* for the last ACKs, and what was sent needlessly */
    nanosleep(&rest, NULL);
    __atomic_store_n(peer->done, true, __ATOMIC_RELEASE);
  }
  return NULL;
}

static void set_option(int socket, int level, int name, int64_t value, const char *what)
{
  int word = (int)value;
  check(setsockopt(socket, level, name, &word, sizeof word), what);
}

static struct sockaddr_in address_of(int end)
{
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(end == 1 ? PORT : 0)};
  inet_pton(AF_INET, ADDRESSES[end], &address.sin_addr);
  return address;
}

static int listen_at(int64_t window)
{
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  struct sockaddr_in address = address_of(1);

  set_option(listener, SOL_SOCKET, SO_RCVBUFFORCE, MAX(2 * window, 1 << 20), "SO_RCVBUFFORCE");
  set_option(listener, IPPROTO_TCP, TCP_WINDOW_CLAMP, window, "TCP_WINDOW_CLAMP");
  check(bind(listener, (struct sockaddr *)&address, sizeof address), "bind");
  check(listen(listener, 64), "listen");
  return listener;
}

/* Connects, while live_path.c carries the packets, and starts both threads of each connection. */
typedef struct live_starter {
  int listener;
  int connections;
  int initiators; /* the namespace of these */
  const char *congestion;
  live_peer *peers;
  pthread_t thread;
} live_starter;

static void *start_peers(void *data)
{
  const live_starter *starter = data;
  struct sockaddr_in address = address_of(1);

  check(setns(starter->initiators, CLONE_NEWNET), "setns");
  for (int i = 0; i < starter->connections; i++) {
    live_peer *peer = &starter->peers[i];
    peer->sockets[0] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    set_option(peer->sockets[0], SOL_SOCKET, SO_SNDBUFFORCE, 128 << 20, "SO_SNDBUFFORCE");
    set_option(peer->sockets[0], IPPROTO_TCP, TCP_NODELAY, 1, "TCP_NODELAY");
    check(setsockopt(peer->sockets[0], IPPROTO_TCP, TCP_CONGESTION, starter->congestion,
                     (socklen_t)strlen(starter->congestion)),
          starter->congestion);
  }
  for (int i = 0; i < starter->connections; i++) {
    live_peer *peer = &starter->peers[i];
    check(connect(peer->sockets[0], (struct sockaddr *)&address, sizeof address), "connect");
    peer->sockets[1] = accept(starter->listener, NULL, NULL);
    check(peer->sockets[1], "accept");
  }
  for (int i = 0; i < starter->connections; i++) {
    pthread_create(&starter->peers[i].threads[1], NULL, run_responder, &starter->peers[i]);
    pthread_create(&starter->peers[i].threads[0], NULL, run_initiator, &starter->peers[i]);
  }
  return NULL;
}

/* --- Options --- */

static const char *option(char **options, const char *name, const char *otherwise)
{
  size_t length = strlen(name);
  for (; *options; options++) {
    if (strncmp(*options, name, length) == 0 && (*options)[length] == '=') {
      return *options + length + 1;
    }
  }
  return otherwise;
}

static int64_t number(char **options, const char *name, int64_t otherwise)
{
  const char *text = option(options, name, NULL);
  return text ? g_ascii_strtoll(text, NULL, 10) : otherwise;
}

static live_path_config path_config(char **options)
{
  live_path_config config = {.rate_bit_per_s = number(options, "rate", 100000000),
                             .delay_ns = number(options, "delay_ns", 5000000),
                             .framing_octets = number(options, "framing", 38),
                             .queue_packets = number(options, "queue", 0),
                             .again = number(options, "again", 0),
                             .displace = g_ascii_strtod(option(options, "displace", "0"), NULL),
                             .displace_ns = number(options, "displace_ns", 0),
                             .duplicate = g_ascii_strtod(option(options, "duplicate", "0"), NULL),
                             .ecn_every = number(options, "ecn_every", 0),
                             .split_octets = number(options, "split", 0),
                             .chunk_octets = number(options, "chunk", 0),
                             .join_octets = number(options, "join", 0),
                             .flush_at_psh = number(options, "flush_at_psh", 1) != 0,
                             .flush_ns = number(options, "flush_ns", 10000),
                             .seed = (uint32_t)number(options, "seed", 1)};
  char **drops = g_strsplit(option(options, "drop", ""), ",", -1);

  config.drop = g_array_new(FALSE, FALSE, sizeof(int64_t));
  for (char **drop = drops; *drop && **drop; drop++) {
    int64_t value = g_ascii_strtoll(*drop, NULL, 10);
    g_array_append_val(config.drop, value);
  }
  g_strfreev(drops);
  return config;
}

static void write_log(const char *folder, const live_stream *stream)
{
  char *name = g_build_filename(folder, "sent.tsv", NULL);
  FILE *file = fopen(name, "we");

  check(file ? 0 : -1, name);
  for (uint32_t i = 0, from = 0; i < stream->ends->len; i++) {
    uint32_t to = g_array_index(stream->ends, uint32_t, i);
    fprintf(file, "%u\t%u\n", LIVE_FRAME_OCTETS + from, to - from);
    from = to;
  }
  fclose(file);
  g_free(name);
}

int main(int argc, char **argv)
{
  if (argc < 2) {
    fprintf(stderr, "usage: live FOLDER NAME=VALUE...\n");
    return 2;
  }
  char **options = argv + 2;
  live_path_config config = path_config(options);
  int mtu = (int)number(options, "mtu", 1500);
  int connections = (int)number(options, "connections", 1);
  bool timestamps = number(options, "timestamps", 0) != 0;
  live_stream stream;
  live_stream_init(&stream, (uint32_t)number(options, "messages", 64),
                   (uint32_t)(mtu - 40 - (timestamps ? 12 : 0)));
  write_log(argv[1], &stream);

  become_root();
  int tuns[2];
  int spaces[2];
  for (int end = 0; end < 2; end++) {
    tuns[end] = new_namespace(ADDRESSES[end], mtu);
    set_sysctl("tcp_sack", option(options, "sack", "1"));
    set_sysctl("tcp_timestamps", timestamps ? "1" : "0");
    set_sysctl("tcp_ecn", option(options, "ecn", "2"));
    spaces[end] = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
  }
  bool done = false;
  int left = connections;
  live_peer *peers = g_new0(live_peer, connections);
  for (int i = 0; i < connections; i++) {
    peers[i] = (live_peer){.stream = &stream,
                           .in_stream = number(options, "stream", 0) != 0,
                           .host_rate_bit_per_s = number(options, "host_rate", 0),
                           .left = &left,
                           .done = &done};
  }
  live_starter starter = {.listener = listen_at(number(options, "window", 8 << 20)),
                          .connections = connections,
                          .initiators = spaces[0],
                          .congestion = option(options, "congestion", "cubic"),
                          .peers = peers};
  pthread_create(&starter.thread, NULL, start_peers, &starter);

  /* In time: before all others, and never waiting for memory. Where that is not allowed, lateness shows it.
   */
  mlockall(MCL_CURRENT);
  prctl(PR_SET_TIMERSLACK, 1);
  sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){.sched_priority = 50});
  live_path_result result =
      live_path_run(&config, tuns, &done, live_now_ns() + LONGEST_S * INT64_C(1000000000), argv[1]);

  check(setns(spaces[0], CLONE_NEWNET), "setns");
  printf("lateness_us %" G_GINT64_FORMAT "\nlate %" G_GINT64_FORMAT "\ndropped %" G_GINT64_FORMAT
         "\nqueue_dropped %" G_GINT64_FORMAT "\ntimeouts %" G_GINT64_FORMAT "\n",
         result.lateness_ns / 1000, result.late, result.dropped, result.queue_dropped,
         counter("TcpExt:", "TCPTimeouts"));
  fflush(stdout);
  /* What is still connected ends with the namespaces. */
  _exit(done ? 0 : TIMED_OUT);
}
