/* Runs a program and writes what it cost as one line of JSON: what a benchmark knows of a process from outside.
 *
 *   bench_process [--watch] FILE PROGRAM [ARGUMENT...]
 *
 * It is a process between the benchmark and the program because a program that is started by a larger one inherits that one's peak
 * memory in getrusage(): this one is small. --watch looks every few milliseconds how many children of the program are at work (a
 * sweep's runs). Exit status: the program's. */
#include <dirent.h>
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

enum { LOOK_EVERY_NS = 5000000, TEXT_OCTETS = 4096, AT_ONCE = 2 };

/* How often two children were seen at work. What comes behind the last such look is the end, when work for one is left. */
typedef struct child_watch {
  uint64_t looks, looks_at_two;
  uint64_t looks_before_end; /* up to the last look that saw two */
  double last_two_s;
} child_watch;

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

/* The file as text; false when it cannot be read. */
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

/* The fields of /proc/PID/stat from the process's state on: behind its name, which may hold anything. NULL: there is no such
 * process. */
static const char *process_state(long process, char text[TEXT_OCTETS])
{
  char path[64];

  snprintf(path, sizeof path, "/proc/%ld/stat", process);
  const char *name_end = read_text(path, text) ? strrchr(text, ')') : NULL;
  return name_end ? name_end + 2 : NULL;
}

/* Children that have not ended. */
static unsigned children_at_work(pid_t parent)
{
  char path[64], children[TEXT_OCTETS], state_text[TEXT_OCTETS];
  unsigned count = 0;

  snprintf(path, sizeof path, "/proc/%ld/task/%ld/children", (long)parent, (long)parent);
  if (!read_text(path, children)) {
    return 0;
  }
  char *rest = NULL;
  for (char *child = strtok_r(children, " ", &rest); child; child = strtok_r(NULL, " ", &rest)) {
    const char *state = process_state(strtol(child, NULL, 10), state_text);
    count += state && *state != 'Z';
  }
  return count;
}

static void look(child_watch *watch, pid_t parent, double start_s)
{
  watch->looks++;
  if (children_at_work(parent) >= AT_ONCE) {
    watch->looks_at_two++;
    watch->looks_before_end = watch->looks;
    watch->last_two_s = now_s() - start_s;
  }
}

/* Waits until `process` has ended; it stays there, for what /proc tells of it. */
static void await(pid_t process, child_watch *watch, double start_s)
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

/* The processor time of the ended process alone, without its children: user and system time are the 12th and 13th field from its
 * state on, in clock ticks. */
static double own_cpu_s(pid_t process)
{
  char text[TEXT_OCTETS];
  const char *field = process_state(process, text);
  unsigned long user = 0, system = 0;

  for (unsigned skipped = 0; field && skipped < 11; skipped++) {
    field = strchr(field, ' ');
    field = field ? field + 1 : NULL;
  }
  if (!field || sscanf(field, "%lu %lu", &user, &system) != 2) {
    return 0;
  }
  return (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
}

static bool write_report(const char *path, double wall_s, double own_s, const struct rusage *usage,
                         const child_watch *watch)
{
  FILE *file = fopen(path, "w");
  double cpu_s = seconds_of(&usage->ru_utime) + seconds_of(&usage->ru_stime);

  if (!file) {
    return false;
  }
  fprintf(file, "{\"wall_s\": %.6f, \"cpu_s\": %.6f, \"own_cpu_s\": %.2f, \"memory_peak_octets\": %" PRIu64,
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
  child_watch watch = {0};
  bool watches = argc > 1 && strcmp(argv[1], "--watch") == 0;
  char **arguments = argv + 1 + watches;
  sigset_t child_ended;
  struct rusage usage;
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
  double own_s = own_cpu_s(process);
  if (process < 0 || wait4(process, &status, 0, &usage) < 0 ||
      !write_report(arguments[0], wall_s, own_s, &usage, watches ? &watch : NULL)) {
    perror("bench_process");
    return 1;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
