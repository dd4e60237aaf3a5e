/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario/scenario_guess.h"

#include <string.h>

#include "scenario/scenario_problem.h"

/* Of a group with at most so many members a message has all; of a larger one so few. */
enum { SHORT_LIST_MAX = 8, HANDFUL = 5 };

/* `words`: with a blank on either side, as normal() makes them; "GROUP.WORD" counts there only. A key of
 * path.forward stands for that of path.reverse as well. */
static const struct {
  const char *words;
  scenario_key key;
  const char *hint;
} guesses[] = {
    {" rtt roundtrip roundtriptime basertt ping ", SCENARIO_PATH_FORWARD_DELAY,
     "Half the round trip, since path.reverse.delay is the same unless set"},
    {" latency owd onewaydelay propagation propagationdelay linkdelay ", SCENARIO_PATH_FORWARD_DELAY, NULL},
    {" bandwidth bw bitrate capacity speed linkspeed linkrate linerate datarate throughput link wire network "
     "net ",
     SCENARIO_PATH_FORWARD_RATE, NULL},
    {" mss emss maxseg segmentsize segsize maxsegmentsize packetsize ", SCENARIO_PATH_FORWARD_MTU,
     "An MSS of 1460 octets is an MTU of 1500 (IPv6: 1520)"},
    {" overhead encapsulation preamble ifg ", SCENARIO_PATH_FORWARD_FRAMING, NULL},
    {" packetloss losses lossrate lossprobability dropprobability droprate errorrate per plr ",
     SCENARIO_PATH_FORWARD_LOSS, NULL},
    {" burst bursts burstloss lossburst burstsize burstlength gilbert gilbertelliott ge ",
     SCENARIO_PATH_FORWARD_GEMODEL, "[p, r]: r = 1 / mean burst, p = r x loss / (1 - loss)"},
    {" ber biterrorrate biterrors ", SCENARIO_PATH_FORWARD_CORRUPT,
     "For each packet: 1 - (1 - BER)^(8 x its octets)"},
    {" corruption corruptrate damage ", SCENARIO_PATH_FORWARD_CORRUPT, NULL},
    {" duplication dup duplicates ", SCENARIO_PATH_FORWARD_DUPLICATE, NULL},
    {" reordering reorderrate outoforder ", SCENARIO_PATH_FORWARD_REORDER,
     "netem's, which needs a jitter; path.forward.displace makes chosen segments late"},
    {" delayvariation pdv ", SCENARIO_PATH_FORWARD_JITTER, NULL},
    {" queuelength queuelen qlen limit txqueuelen maxpackets queuepackets ", SCENARIO_PATH_FORWARD_QUEUE,
     NULL},
    {" buffer buffersize queuebytes maxbytes maxsize bottleneckbuffer tor torbuffer torqueue ",
     SCENARIO_PATH_FORWARD_QUEUE_SIZE, "@include \"presets/tor-queue.cfg\" has a top-of-rack switch's"},
    {" qdisc aqm queuediscipline red codel fqcodel ", SCENARIO_PATH_FORWARD_DISCIPLINE, NULL},
    {" forward.ecn reverse.ecn ecnk markthreshold markingthreshold dctcpk ",
     SCENARIO_PATH_FORWARD_ECN_THRESHOLD, NULL},
    {" hops bottleneck links routers ", SCENARIO_PATH_FORWARD_HOP_RATE, NULL},
    {" gro lro rsc receiveoffload offload offloads coalescing aggregation ", SCENARIO_MIDDLEBOX_MODE,
     "\"coalesce\" joins segments; @include \"presets/linux-gro.cfg\" does it with Linux's sizes"},
    {" tso gso lso ufo segmentationoffload ", SCENARIO_SENDER_SEGMENTATION,
     "\"stream\" cuts wherever a segment is full; @include \"presets/linux-tso.cfg\" is Linux's sender"},
    {" grosize gromaxsize lrosize ", SCENARIO_MIDDLEBOX_COALESCE_SIZE, NULL},
    {" box middleboxes firewall nat loadbalancer ", SCENARIO_MIDDLEBOX_MODE, NULL},
    {" alignment aligned fpdualignment ", SCENARIO_SENDER_SEGMENTATION, NULL},
    {" sender.size sndbuf sosndbuf wmem sendbuffer sendbuf sendwindow sndwnd ", SCENARIO_SENDER_BUFFER, NULL},
    {" receiver.size receiver.buffer receiver.window reassembly reassemblymemory reassemblybuffer memorysize "
     "rnicmemory ",
     SCENARIO_RECEIVER_MEMORY, NULL},
    {" rcvbuf sorcvbuf rmem recvbuf receivebuffer window rwnd rwin recvwindow rcvwindow windowsize ",
     SCENARIO_TCP_RECEIVE_WINDOW, NULL},
    {" cwnd initcwnd initialcwnd initwnd iw ", SCENARIO_TCP_INITIAL_WINDOW,
     "The first one; what follows is decided by tcp.congestion"},
    {" cc cca ca congestioncontrol congestionalgorithm cubic reno newreno bbr dctcp ",
     SCENARIO_TCP_CONGESTION, NULL},
    {" nodelay tcpnodelay ", SCENARIO_TCP_NAGLE, "false, the default, is TCP_NODELAY"},
    {" rto minrto ", SCENARIO_TCP_RTO_MIN, NULL},
    {" delack delayedacks ackdelay ackevery ", SCENARIO_TCP_DELAYED_ACK, NULL},
    {" dupthresh dupacks reorderingthreshold ", SCENARIO_TCP_DUPLICATE_ACKS, NULL},
    {" size len length msgsize blocksize bs iosize payload payloadsize bytes octets ",
     SCENARIO_WORKLOAD_MESSAGE_SIZE, NULL},
    {" count num number nummessages messagecount iterations requests packets ", SCENARIO_WORKLOAD_MESSAGES,
     NULL},
    {" flows streams parallel nconnections numconnections clients qps queuepairs sockets numjobs ",
     SCENARIO_WORKLOAD_CONNECTIONS, NULL},
    {" depth queuedepth iodepth inflight pipeline txdepth credits ", SCENARIO_WORKLOAD_OUTSTANDING, NULL},
    {" verb verbs opcode op rw ", SCENARIO_WORKLOAD_OPERATION, NULL},
    {" bidirectional bidir duplex ", SCENARIO_WORKLOAD_DIRECTIONS, "\"both\""},
    {" duration runtime simtime simulationtime stoptime endtime ", SCENARIO_RUN_STOP, NULL},
    {" rng rngseed rngrun randomseed ", SCENARIO_RUN_SEED, NULL},
    {" repetitions replications repeat seeds runs ", SCENARIO_RUN_SEED,
     "Repetitions are an axis: sweep = ( { key = \"run.seed\"; from = 1; to = 30; } )"},
    {" marker markerinterval ", SCENARIO_MPA_MARKERS, NULL},
    {" crc32 crc32c checksum digest ", SCENARIO_MPA_CRC, NULL},
    {" version revision rev rfc ", SCENARIO_MPA_GENERATION, NULL},
    {" inorder ordering placement ", SCENARIO_RECEIVER_MODE, NULL},
    {" processing processingdelay dma dmalatency pcielatency ", SCENARIO_RECEIVER_PLACEMENT_LATENCY, NULL},
    {" percentiles percentile quantile p99 ", SCENARIO_MEASURE_QUANTILES, NULL},
    {" errormodel ", SCENARIO_TOPOLOGY_ERRORS,
     "ns-3's error models; path.forward.loss is this program's own"},
};

/* Longer ones are no guesses of anybody. */
enum { LENGTH_MAX = 64 };

/* `name` in lower case, without '_' and '-', and with a blank on either side. Free with g_free(). */
static char *normal(const char *name)
{
  g_autofree char *lower = g_ascii_strdown(name, -1);
  g_auto(GStrv) parts = g_strsplit_set(lower, "_-", -1);
  g_autofree char *joined = g_strjoinv("", parts);

  return g_strconcat(" ", joined, " ", NULL);
}

const char *scenario_guess(const char *name, const char **hint)
{
  const gboolean reverse = g_str_has_prefix(name, "path.reverse.");
  const char *part = strlen(name) <= LENGTH_MAX && strchr(name, ' ') == NULL ? name : NULL;

  while (part != NULL) {
    g_autofree char *word = normal(part);

    for (gsize i = 0; i < G_N_ELEMENTS(guesses); i++) {
      if (strstr(guesses[i].words, word) != NULL) {
        const scenario_key key = guesses[i].key;
        const gboolean has_reverse = key >= SCENARIO_PATH_FORWARD_RATE && key < SCENARIO_PATH_REVERSE_RATE;

        *hint = guesses[i].hint;
        return scenario_key_row_of(reverse && has_reverse ? scenario_key_of_direction(key, SIDE_RESPONDER)
                                                          : key)
            ->name;
      }
    }
    part = strchr(part, '.') != NULL ? strchr(part, '.') + 1 : NULL;
  }
  return NULL;
}

/* --- Near ones --- */

static const char *last_part(const char *name)
{
  const char *dot = strrchr(name, '.');

  return dot != NULL ? dot + 1 : name;
}

char *scenario_group_members(const char *group, const char *name)
{
  g_autoptr(GPtrArray) left = g_ptr_array_new();
  GString *members = g_string_new(NULL);

  for (const char *const *full = scenario_names(); *full != NULL; full++) {
    if (scenario_group_member(group, *full) != NULL) {
      g_ptr_array_add(left, (char *)scenario_group_member(group, *full));
    }
  }
  gboolean all = left->len <= SHORT_LIST_MAX;
  guint count = all ? left->len : HANDFUL;
  g_ptr_array_add(left, NULL);
  for (guint i = 0; i < count; i++) {
    const char *near = all ? NULL : scenario_suggest(last_part(name), (const char *const *)left->pdata);

    near = near != NULL ? near : left->pdata[0];
    g_string_append_printf(members, "%s%s", i > 0 ? ", " : "", near);
    g_ptr_array_remove(left, (gpointer)near);
  }
  if (!all) {
    g_string_append_printf(members, " and %u more of 'iwarpsim explain%s%s'", left->len - 1,
                           *group != '\0' ? " " : "", group);
  }
  return g_string_free(members, FALSE);
}

const char *scenario_key_nearest(const char *name, const char **hint)
{
  const char *found = scenario_guess(name, hint);
  const char *last = last_part(name);
  g_autofree char *ending = g_strconcat(".", last, NULL);
  g_autofree char *group = g_strndup(name, last > name ? (gsize)(last - name) - 1 : 0);
  gboolean in_group = scenario_group_exists(group);
  enum { SAME_LAST_PART, IN_GROUP, ANYWHERE };

  for (int step = SAME_LAST_PART; found == NULL && step <= ANYWHERE; step++) {
    g_autoptr(GPtrArray) known = g_ptr_array_new();

    for (const char *const *full = scenario_names(); *full != NULL; full++) {
      if (step == SAME_LAST_PART
              ? g_str_has_suffix(*full, ending)
              : step == ANYWHERE || (in_group && scenario_group_member(group, *full) != NULL)) {
        g_ptr_array_add(known, (char *)*full);
      }
    }
    g_ptr_array_add(known, NULL);
    found =
        scenario_suggest(in_group && step != SAME_LAST_PART ? last : name, (const char *const *)known->pdata);
  }
  return found;
}

char *scenario_key_hint(const char *name)
{
  const char *hint = NULL;
  const char *nearest = scenario_key_nearest(name, &hint);

  return hint != NULL ? g_strdup_printf(" (did you mean '%s'? %s)", nearest, hint)
                      : scenario_did_you_mean(nearest);
}

char *scenario_key_problem(const char *text)
{
  if (scenario_group_exists(text)) {
    g_autofree char *keys = scenario_group_members(text, "");
    return g_strdup_printf("'%s' is a group; expected one of its keys, %s", text, keys);
  }
  g_autofree char *shown = scenario_shown(text);
  g_autofree char *hint = scenario_key_hint(text);
  return g_strdup_printf("unknown key '%s'; expected one that 'iwarpsim explain keys' lists%s", shown, hint);
}
