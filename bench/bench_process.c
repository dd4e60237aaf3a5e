/* SPDX-License-Identifier: GPL-2.0-only */
/* Runs a program and writes what it cost as one line of JSON: what a benchmark knows of a process from
 * outside.
 *
 *   bench_process [--watch] FILE PROGRAM [ARGUMENT...]
 *
 * It is a process between the benchmark and the program because a program that is started by a larger one
 * inherits that one's peak memory in getrusage(): this one is small. --watch looks every few milliseconds how
 * many runs of a sweep are at work: its children stay from the first run to the last, and each has one child
 * at a time, the run. That takes processor time which the program lacks on a small machine, so its wall time
 * is to be taken without. Exit status: the program's. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LOOK_EVERY_NS = 5000000, PATH_OCTETS = 64, TEXT_OCTETS = 4096, CHILDREN_MAX = 64, AT_ONCE = 2 };

/* This is how often two runs were seen at work. What follows the last such look is the end, when work for one
 * is left. */
typedef struct run_watch {
  uint64_t looks, looks_at_two;
  uint64_t looks_before_end; /* up to the last look that saw two */
  double last_two_s;
} run_watch;

static double now_s(void)
{
  struct timespec now;

  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static double seconds_of(const struct timeval *time)
{
  return (double)time->tv_sec + (double)time->tv_usec / 1e6;
}

/* Returns the file as text; false when it cannot be read. */
static bool read_text(const char *path, char text[TEXT_OCTETS])
{
  int file = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t length = file < 0 ? -1 : read(file, text, TEXT_OCTETS - 1);

  if (file >= 0) {
    close(file);
  }
  text[length > 0 ? length : 0] = '\0';
  return length > 0;
}

/* Returns whether the process is there and has not ended. Its state follows its name, which may hold
 * anything. */
static bool is_at_work(pid_t process)
{
  char path[PATH_OCTETS], text[TEXT_OCTETS];

  snprintf(path, sizeof path, "/proc/%ld/stat", (long)process);
  const char *name_end = read_text(path, text) ? strrchr(text, ')') : NULL;
  return name_end && name_end[1] == ' ' && name_end[2] != 'Z';
}

/* Puts the children of the process's first thread into `children`, as many as there is room for, and gives
 * their number. */
static unsigned children_of(pid_t process, pid_t children[CHILDREN_MAX])
{
  char path[PATH_OCTETS], text[TEXT_OCTETS];
  unsigned count = 0;

  snprintf(path, sizeof path, "/proc/%ld/task/%ld/children", (long)process, (long)process);
  if (!read_text(path, text)) {
    return 0;
  }
  char *rest = NULL;
  for (char *child = strtok_r(text, " ", &rest); child && count < CHILDREN_MAX;
       child = strtok_r(NULL, " ", &rest)) {
    children[count++] = (pid_t)strtol(child, NULL, 10);
  }
  return count;
}

/* The children of the sweep's children that have not ended. */
static unsigned runs_at_work(pid_t sweep)
{
  pid_t hosts[CHILDREN_MAX], runs[CHILDREN_MAX];
  unsigned host_count = children_of(sweep, hosts), count = 0;

  for (unsigned host = 0; host < host_count; host++) {
    unsigned run_count = children_of(hosts[host], runs);
    for (unsigned run = 0; run < run_count; run++) {
      count += is_at_work(runs[run]);
    }
  }
  return count;
}

static void look(run_watch *watch, pid_t sweep, double start_s)
{
  watch->looks++;
  if (runs_at_work(sweep) >= AT_ONCE) {
    watch->looks_at_two++;
    watch->looks_before_end = watch->looks;
    watch->last_two_s = now_s() - start_s;
  }
}

/* Waits until `process` has ended; it stays there, so that /proc can be read for it. */
static void await(pid_t process, run_watch *watch, double start_s)
{
  const struct timespec pause = {.tv_nsec = LOOK_EVERY_NS};
  siginfo_t ended = {.si_pid = 0};
  sigset_t child_ended;

  sigemptyset(&child_ended);
  sigaddset(&child_ended, SIGCHLD);
  while (watch && ended.si_pid == 0) {
    look(watch, process, start_s);
    sigtimedwait(&child_ended, NULL, &pause);
    waitid(P_PID, (id_t)process, &ended, WEXITED | WNOWAIT | WNOHANG);
  }
  while (ended.si_pid == 0 && waitid(P_PID, (id_t)process, &ended, WEXITED | WNOWAIT) < 0 && errno == EINTR) {
  }
}

/* Reads the processor time of the ended process alone, without its children, as exact as getrusage() has that
 * of all. */
static bool own_cpu_s(pid_t process, double *own_s)
{
  clockid_t clock;
  struct timespec time;

  errno = clock_getcpuclockid(process, &clock);
  if (errno != 0 || clock_gettime(clock, &time) != 0) {
    return false;
  }
  *own_s = (double)time.tv_sec + (double)time.tv_nsec / 1e9;
  return true;
}

static bool write_report(const char *path, double wall_s, double own_s, const struct rusage *usage,
                         const run_watch *watch)
{
  FILE *file = fopen(path, "w");
  double cpu_s = seconds_of(&usage->ru_utime) + seconds_of(&usage->ru_stime);

  if (!file) {
    return false;
  }
  fprintf(file, "{\"wall_s\": %.6f, \"cpu_s\": %.6f, \"own_cpu_s\": %.6f, \"memory_peak_octets\": %" PRIu64,
          wall_s, cpu_s, own_s, (uint64_t)usage->ru_maxrss * 1024);
  if (watch) {
    fprintf(file, ", \"looks_before_end\": %" PRIu64 ", \"looks_at_two\": %" PRIu64 ", \"last_two_s\": %.3f",
            watch->looks_before_end, watch->looks_at_two, watch->last_two_s);
  }
  fputs("}\n", file);
  return fclose(file) == 0;
}

int main(int argc, char **argv)
{
  run_watch watch = {0};
  bool watches = argc > 1 && strcmp(argv[1], "--watch") == 0;
  char **arguments = argv + 1 + watches;
  sigset_t child_ended;
  struct rusage usage;
  double own_s = 0;
  int status = 0;

  if (argc < 3 + watches) {
    fputs("usage: bench_process [--watch] FILE PROGRAM [ARGUMENT...]\n", stderr);
    return 2;
  }
  sigemptyset(&child_ended);
  sigaddset(&child_ended, SIGCHLD);
  sigprocmask(SIG_BLOCK, &child_ended, NULL);
  double start_s = now_s();
  pid_t process = fork();
  if (process == 0) {
    sigprocmask(SIG_UNBLOCK, &child_ended, NULL);
    execvp(arguments[1], arguments + 1);
    perror(arguments[1]);
    _exit(127);
  }
  await(process, watches ? &watch : NULL, start_s);
  double wall_s = now_s() - start_s;
  if (process < 0 || !own_cpu_s(process, &own_s) || wait4(process, &status, 0, &usage) < 0 ||
      !write_report(arguments[0], wall_s, own_s, &usage, watches ? &watch : NULL)) {
    perror("bench_process");
    return 1;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
