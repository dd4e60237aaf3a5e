#include "study/sweep/child_report.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "study/sweep/child_page.h"

struct child_report {
  child_page *page;
};

static void set_error(GError **error, const char *what)
{
  int reason = errno;
  g_set_error(error, G_FILE_ERROR, (int)g_file_error_from_errno(reason), "%s: %s", what, g_strerror(reason));
}

child_report *child_report_new(GError **error)
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
    set_error(error, "the memory shared with the sweep");
    return NULL;
  }
  child_report *report = g_new(child_report, 1);
  report->page = page;
  return report;
}

void child_report_free(child_report *report)
{
  if (report != NULL) {
    munmap(report->page, CHILD_PAGE_OCTETS);
    g_free(report);
  }
}

void child_report_progress(child_report *report, time_ps now, double share)
{
  atomic_store_explicit(&report->page->simulated_ps, now, memory_order_relaxed);
  atomic_store_explicit(&report->page->share_ppm, (uint64_t)(CLAMP(share, 0, 1) * 1e6), memory_order_relaxed);
}

/* The most memory that this program has held. getrusage() would tell of the sweep instead, when that was larger as it forked. */
static guint64 memory_peak_octets(void)
{
  g_autofree char *text = NULL;
  if (!g_file_get_contents("/proc/self/status", &text, NULL, NULL)) {
    return 0;
  }
  const char *line = strstr(text, "\nVmHWM:");
  return line != NULL ? g_ascii_strtoull(line + strlen("\nVmHWM:"), NULL, 10) * 1024 : 0;
}

gboolean child_report_summary(child_report *report, const char *json, gsize length, GError **error)
{
  atomic_store(&report->page->memory_peak_octets, memory_peak_octets());
  for (gsize written = 0; written < length;) {
    ssize_t count = write(CHILD_SUMMARY_FD, json + written, length - written);
    if (count < 0 && errno != EINTR) {
      set_error(error, "the summary cannot be handed to the sweep");
      return FALSE;
    }
    written += (gsize)MAX(count, 0);
  }
  return TRUE;
}
