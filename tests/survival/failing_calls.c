/* SPDX-License-Identifier: GPL-2.0-only */
/* It is preloaded into iwarpsim (LD_PRELOAD): counts the calls of one kind in all of its processes, and lets
 * one of them fail.
 *
 * FAIL_CALLS=KIND:K:HOW:FILE, KIND being open, write, fsync, rename or malloc, K the call that fails, from 1
 * (0: none does), HOW an error's number or "kill": the process is killed there. FILE, which exists, receives
 * the count, 8 octets, and the path of what failed. */
#undef _FILE_OFFSET_BITS /* open() is to be open(), and open64() another */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* FILE holds this. */
typedef struct call_record {
  _Atomic uint64_t calls;
  char path[4088];
} call_record;

static struct {
  call_record *record; /* NULL: nothing fails, since this is another program, or not set up yet */
  const char *kind;
  uint64_t failing;
  int error; /* 0: kill */
} plan;

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

__attribute__((constructor)) static void read_plan(void)
{
  static char text[PATH_MAX + 64];
  const char *given = getenv("FAIL_CALLS");
  if (given == NULL || strcmp(program_invocation_short_name, "gnuplot") == 0) {
    return;
  }
  strncpy(text, given, sizeof text - 1);
  char *rest = text;
  plan.kind = strsep(&rest, ":");
  plan.failing = strtoull(strsep(&rest, ":"), NULL, 10);
  plan.error = atoi(strsep(&rest, ":"));
  int file = REAL(open)(rest, O_RDWR | O_CLOEXEC);
  if (file < 0 || ftruncate(file, sizeof(call_record)) != 0) {
    abort();
  }
  call_record *record = mmap(NULL, sizeof *record, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  plan.record = record != MAP_FAILED ? record : NULL;
}

/* Returns whether this call, of `path`, is to fail; sets errno. */
static bool fails(const char *kind, const char *path)
{
  call_record *record = plan.record;
  if (record == NULL || strcmp(kind, plan.kind) != 0 ||
      atomic_fetch_add(&record->calls, 1) + 1 != plan.failing) {
    return false;
  }
  memccpy(record->path, path, 0, sizeof record->path - 1); /* the rest is 0 */
  if (plan.error == 0) {
    kill(getpid(), SIGKILL);
  }
  errno = plan.error;
  return true;
}

/* Returns the same for the file of a descriptor. What goes to a pipe or the terminal, and into memory, is no
 * matter here. */
static bool fails_at(const char *kind, int descriptor)
{
  char link[64], path[PATH_MAX] = "";
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  int saved = errno;
  ssize_t count = plan.record != NULL ? readlink(link, path, sizeof path - 1) : -1;
  errno = saved;
  return count > 0 && path[0] == '/' && strncmp(path, "/dev/", 5) != 0 && strncmp(path, "/memfd:", 7) != 0 &&
         fails(kind, path);
}

/* --- Opening --- */

static mode_t mode_of(int flags, va_list arguments)
{
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
}

#define OPEN(name)                                                                                           \
  int name(const char *path, int flags, ...)                                                                 \
  {                                                                                                          \
    va_list arguments;                                                                                       \
    va_start(arguments, flags);                                                                              \
    mode_t mode = mode_of(flags, arguments);                                                                 \
    va_end(arguments);                                                                                       \
    return fails("open", path) ? -1 : REAL(name)(path, flags, mode);                                         \
  }

OPEN(open)
OPEN(open64)

/* A stream's octets pass through write() below, which the C library's own streams do not call. */
static ssize_t write_cookie(void *cookie, const char *octets, size_t count)
{
  ssize_t written = write((int)(intptr_t)cookie, octets, count);
  return written < 0 ? 0 : written; /* as fopencookie() wants it */
}

static int close_cookie(void *cookie)
{
  return close((int)(intptr_t)cookie);
}

static FILE *open_stream(const char *path, const char *mode, FILE *(*real)(const char *, const char *))
{
  static const cookie_io_functions_t functions = {.write = write_cookie, .close = close_cookie};
  if (fails("open", path)) {
    return NULL;
  }
  if (plan.record == NULL || *mode != 'w') {
    return real(path, mode);
  }
  int file = REAL(open)(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  return file >= 0 ? fopencookie((void *)(intptr_t)file, "w", functions) : NULL;
}

FILE *fopen(const char *path, const char *mode)
{
  return open_stream(path, mode, REAL(fopen));
}

FILE *fopen64(const char *path, const char *mode)
{
  return open_stream(path, mode, REAL(fopen64));
}

/* --- Writing --- */

ssize_t write(int file, const void *octets, size_t count)
{
  return fails_at("write", file) ? -1 : REAL(write)(file, octets, count);
}

ssize_t pwrite(int file, const void *octets, size_t count, off_t at)
{
  return fails_at("write", file) ? -1 : REAL(pwrite)(file, octets, count, at);
}

ssize_t pwrite64(int file, const void *octets, size_t count, off64_t at)
{
  return fails_at("write", file) ? -1 : REAL(pwrite64)(file, octets, count, at);
}

int fsync(int file)
{
  return fails_at("fsync", file) ? -1 : REAL(fsync)(file);
}

int fdatasync(int file)
{
  return fails_at("fsync", file) ? -1 : REAL(fdatasync)(file);
}

int rename(const char *from, const char *to)
{
  return fails("rename", to) ? -1 : REAL(rename)(from, to);
}

/* These are calls for memory. dlsym() takes some itself: the C library's own names are called. */

extern void *__libc_malloc(size_t octets);
extern void *__libc_calloc(size_t count, size_t octets);
extern void *__libc_realloc(void *block, size_t octets);

void *malloc(size_t octets)
{
  return fails("malloc", "") ? NULL : __libc_malloc(octets);
}

void *calloc(size_t count, size_t octets)
{
  return fails("malloc", "") ? NULL : __libc_calloc(count, octets);
}

void *realloc(void *block, size_t octets)
{
  return fails("malloc", "") ? NULL : __libc_realloc(block, octets);
}
