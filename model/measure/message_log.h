/* SPDX-License-Identifier: GPL-2.0-only */
/* The messages of a run: how long each took, by traffic class and by size, and a line for each of them or
 * for every k-th (docs/metrics.md, "Times of a message"). */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/time_ps.h"
#include "measure/run_results.h"

typedef struct message_log message_log;

/* Messages are counted by their payload: of up to 4 KiB, of more up to 64 KiB, and so on. */
typedef enum message_size_class {
  MESSAGES_TO_4KIB,
  MESSAGES_TO_64KIB,
  MESSAGES_TO_1MIB,
  MESSAGES_TO_8MIB,
  MESSAGES_ABOVE_8MIB,
  MESSAGE_SIZE_CLASSES
} message_size_class;

/* In place of a class or of a size class: of all of them. */
#define MESSAGES_ALL UINT32_MAX

/* Returns "upto_64KiB", or "all" of MESSAGES_ALL; static. */
const char *message_size_class_name(uint32_t size_class);

/* Times are since the message was posted. */
typedef enum message_quantity {
  MESSAGE_COMPLETION,
  MESSAGE_DELIVERED,
  MESSAGE_PLACED,
  MESSAGE_SLOWDOWN,
  MESSAGE_QUANTITIES
} message_quantity;

typedef enum message_statistic {
  MESSAGE_MEAN,
  MESSAGE_P50,
  MESSAGE_P95,
  MESSAGE_P99,
  MESSAGE_P999,
  MESSAGE_STATISTICS
} message_statistic;

/* So many messages have exact quantiles. */
enum { MESSAGES_EXACT = 1000000 };

/* With more messages than that each quantile is within this share of the exact one. */
#define MESSAGES_QUANTILE_ERROR 0.01

/* It is a message that is complete. Times are from the start of the traffic. */
typedef struct message_record {
  uint64_t id;
  uint32_t class, source, destination, connection; /* the hosts that its payload leaves and comes to */
  uint32_t octets;                                 /* payload */
  time_ps posted, first, placed, delivered, completed;
  time_ps ideal;     /* no network without other traffic is faster; 0: it is not known */
  uint8_t operation; /* the ULP's number of it */
  bool comes_back;   /* a Read or an exchange: its slowdown is that of `completed`, others' of `delivered` */
  bool counts; /* in statistics: it was posted in the measured window of the host that its payload comes to */
} message_record;

typedef struct message_log_config {
  uint32_t class_count; /* of traffic: message_record.class is less */
  uint32_t lines;       /* of messages.csv at most (measure.messages) */
} message_log_config;

/* Makes an empty log. It keeps 32 octets for each message that counts, until there are more than
 * MESSAGES_EXACT: from then on 66 KB for each class and size class that has any. Free with message_log_free()
 * (NULL is allowed). */
message_log *message_log_new(const message_log_config *config);
void message_log_free(message_log *log);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(message_log, message_log_free)

/* A message is complete. */
void message_log_add(message_log *log, const message_record *record);

/* At the end: a message of `octets` of payload that would count is not complete. */
void message_log_incomplete(message_log *log, uint32_t class, uint32_t octets);

/* From `now` on `messages` of all hosts together wait in their applications until they can be posted. The
 * first call and the last one, at the end, bound the time that is measured. Without any nothing is. */
void message_log_queued(message_log *log, uint64_t messages, time_ps now);

/* This is what came of the messages of a class and a size class, or of all. */
typedef struct message_statistics {
  uint64_t count;      /* complete, … */
  uint64_t incomplete; /* … and not */
  uint64_t octets;     /* payload of those complete */
  /* In seconds, and a ratio. NAN: there are too few, a quantile q needs 1 / (1 - q); or there is no slowdown,
   * since no ideal is known. */
  double values[MESSAGE_QUANTITIES][MESSAGE_STATISTICS];
} message_statistics;

/* Returns that of `class` and `size_class`; MESSAGES_ALL stands for all of either. O(their messages). */
message_statistics message_log_statistics(const message_log *log, uint32_t class, uint32_t size_class);

/* Makes `to`, which is overwritten, the distribution of the completion times of `class` in seconds, like that
 * of all messages in a run's results. Free with distribution_clear(). */
void message_log_completion(const message_log *log, uint32_t class, distribution *to);

/* Sets the metrics message.* and the distributions of `results`: of all messages; nothing without any. */
void message_log_set_results(const message_log *log, run_results *results);

/* They are the words of messages.csv for the numbers of classes, hosts and operations. */
typedef struct message_log_names {
  const char *const *classes, *const *hosts, *const *operations;
} message_log_names;

/* Writes messages.csv to `file`: a line for each message in the order in which they were complete, those that
 * do not count too, or for every k-th, the first included, k being the smallest power of two with which there
 * are no more than `lines`; a comment before has k. Whether that went well, ferror() tells. */
void message_log_write(const message_log *log, const message_log_names *names, FILE *file);
