/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/sweep/child_report.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "study/sweep/child_record.h"

child_page *child_report_map(GError **error)
{
  struct stat status;
  /* Beyond the end of a file memory is there to be mapped, but not to be touched. */
  if (fstat(CHILD_PAGE_FD, &status) != 0 || status.st_size < CHILD_PAGE_OCTETS) {
    g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_BADF,
                "--as-child is for runs that a sweep starts; expected its memory as file descriptor %d",
                CHILD_PAGE_FD);
    return NULL;
  }
  void *page = mmap(NULL, CHILD_PAGE_OCTETS, PROT_READ | PROT_WRITE, MAP_SHARED, CHILD_PAGE_FD, 0);
  if (page == MAP_FAILED) {
    int reason = errno;
    g_set_error(error, G_FILE_ERROR, (int)g_file_error_from_errno(reason),
                "the memory shared with the sweep: %s", g_strerror(reason));
    return NULL;
  }
  return page;
}

void child_report_unmap(child_page *page)
{
  if (page != NULL) {
    munmap(page, CHILD_PAGE_OCTETS);
  }
}

void child_report_progress(child_page *page, time_ps now, double share)
{
  atomic_store_explicit(&page->simulated_ps, now, memory_order_relaxed);
  atomic_store_explicit(&page->share_ppm, (uint64_t)(CLAMP(share, 0, 1) * 1e6), memory_order_relaxed);
}

/* The most memory that this process has held; 0: the kernel does not say. */
static guint64 memory_peak_octets(void)
{
  char text[4096];
  int file = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
  ssize_t count = file >= 0 ? read(file, text, sizeof text - 1) : 0;
  if (file >= 0) {
    close(file);
  }
  text[MAX(count, 0)] = '\0';
  const char *line = strstr(text, "\nVmHWM:");
  return line != NULL ? g_ascii_strtoull(line + strlen("\nVmHWM:"), NULL, 10) * 1024 : 0;
}

gboolean child_report_summary(child_page *page, const summary *left, GError **error)
{
  gsize octets = child_record_write(left, page->record, CHILD_RECORD_OCTETS_MAX);
  if (octets == 0) {
    g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_NOSPC,
                "the summary cannot be handed to the sweep; expected one of %d octets at most",
                CHILD_RECORD_OCTETS_MAX);
    return FALSE;
  }
  atomic_store(&page->memory_peak_octets, memory_peak_octets());
  atomic_store(&page->record_octets, octets);
  return TRUE;
}
