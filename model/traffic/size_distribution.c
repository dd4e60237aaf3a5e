/* SPDX-License-Identifier: GPL-2.0-only */
#include "traffic/size_distribution.h"

#include "base/text_columns.h"
#include "base/units.h"

typedef struct point {
  uint32_t octets;
  double share; /* of the messages that have at most so many */
} point;

struct size_distribution {
  point *points; /* neither sizes nor shares fall; the last share is 1 */
  guint count;
  bool steps;
};

/* Reads the line's size and its share, as it is written. */
static gboolean read_point(const text_columns *file, point *read, GError **error)
{
  const char *size = file->columns[0], *share = file->columns[file->count - 1];
  uint64_t octets;
  const char *rest = units_read_real(share, &read->share);

  if (!units_parse_size(size, &octets)) {
    return text_columns_error(file, error, "size '%s'; expected octets, as 4096 or 64KiB", size);
  }
  if (octets > UINT32_MAX) {
    return text_columns_error(file, error, "size '%s'; expected at most 4 GiB - 1", size);
  }
  if (rest == NULL || *rest != '\0' || read->share < 0 || read->share > 100) {
    return text_columns_error(file, error, "cumulative '%s'; expected a fraction or percent", share);
  }
  read->octets = (uint32_t)octets;
  return TRUE;
}

/* Adds the points of all lines, with shares as they are written. */
static gboolean read_points(text_columns *file, GArray *points, GError **error)
{
  point last = {0};
  unsigned columns = 0;
  GError *failed = NULL;

  while (text_columns_next(file, &failed)) {
    point read;

    columns = columns > 0 ? columns : file->count;
    if (points->len == SIZE_DISTRIBUTION_LINES_MAX) {
      return text_columns_error(file, error, "more than %d sizes; expected at most that",
                                SIZE_DISTRIBUTION_LINES_MAX);
    }
    if (file->count < 2 || file->count > 3) {
      return text_columns_error(file, error, "%u %s; expected a size and its cumulative share", file->count,
                                units_counted(file->count, "columns"));
    }
    if (file->count != columns) {
      return text_columns_error(file, error, "%u columns; expected %u as on the first line", file->count,
                                columns);
    }
    if (!read_point(file, &read, error)) {
      return FALSE;
    }
    if (read.octets < last.octets) {
      return text_columns_error(file, error, "size %s is below the one before, %u; expected ascending sizes",
                                file->columns[0], last.octets);
    }
    if (read.share < last.share) {
      return text_columns_error(file, error, "cumulative %s falls; expected at least %g as before",
                                file->columns[file->count - 1], last.share);
    }
    g_array_append_val(points, read);
    last = read;
  }
  if (failed != NULL) {
    g_propagate_error(error, failed);
    return FALSE;
  }
  if (points->len == 0) {
    file->line = MAX(file->line, 1);
    return text_columns_error(file, error, "no sizes; expected lines of a size and its cumulative share");
  }
  if (last.share != 1 && last.share != 100) {
    return text_columns_error(file, error, "cumulative ends at %g; expected 1 or 100", last.share);
  }
  return TRUE;
}

size_distribution *size_distribution_load(const char *path, bool steps, GError **error)
{
  g_autoptr(text_columns) file = text_columns_open(path, error);
  g_autoptr(GArray) points = g_array_new(FALSE, FALSE, sizeof(point));

  if (file == NULL || !read_points(file, points, error)) {
    return NULL;
  }
  const double whole = g_array_index(points, point, points->len - 1).share;
  for (guint i = 0; i < points->len; i++) {
    g_array_index(points, point, i).share /= whole;
  }
  g_autoptr(size_distribution) self = g_new(size_distribution, 1);
  self->count = points->len;
  self->points = (point *)(void *)g_array_free(g_steal_pointer(&points), FALSE);
  self->steps = steps;
  if (size_distribution_mean(self) == 0) {
    text_columns_error(file, error, "all messages would have 0 octets; expected a larger size");
    return NULL;
  }
  return g_steal_pointer(&self);
}

void size_distribution_free(size_distribution *self)
{
  if (self != NULL) {
    g_free(self->points);
    g_free(self);
  }
}

/* Returns the first point whose share is above `share`; with `or_is` one whose share is `share` will do. */
static guint point_at(const size_distribution *self, double share, bool or_is)
{
  guint from = 0, to = self->count - 1;

  while (from < to) {
    const guint middle = (from + to) / 2;
    const double at = self->points[middle].share;

    if (at > share || (or_is && at == share)) {
      to = middle;
    } else {
      from = middle + 1;
    }
  }
  return from;
}

/* Returns the size that the messages up to point `i` are above: that of the point where all have its size. */
static uint32_t lower_end(const size_distribution *self, guint i)
{
  return i == 0 || self->steps ? self->points[i].octets : self->points[i - 1].octets;
}

uint32_t size_distribution_draw(const size_distribution *self, random_stream *random)
{
  const double share = random_stream_uniform(random);
  const guint i = point_at(self, share, false);
  const point *to = &self->points[i];
  const uint32_t above = lower_end(self, i), sizes = to->octets - above;

  if (sizes == 0) {
    return to->octets;
  }
  const double part = (share - to[-1].share) / (to->share - to[-1].share);
  return above + MIN((uint32_t)(part * sizes) + 1, sizes); /* rounding may make the part 1 */
}

double size_distribution_mean(const size_distribution *self)
{
  double mean = 0;

  for (guint i = 0; i < self->count; i++) {
    const point *to = &self->points[i];
    const uint32_t above = lower_end(self, i);
    const double of_these = above == to->octets ? to->octets : (above + 1.0 + to->octets) / 2;

    mean += (to->share - (i > 0 ? to[-1].share : 0)) * of_these;
  }
  return mean;
}

double size_distribution_quantile(const size_distribution *self, double share)
{
  const guint i = point_at(self, share, true);
  const point *to = &self->points[i];
  const uint32_t above = lower_end(self, i);

  return above == to->octets
             ? to->octets
             : above + (share - to[-1].share) / (to->share - to[-1].share) * (to->octets - above);
}

uint32_t size_distribution_smallest(const size_distribution *self)
{
  const guint i = point_at(self, 0, false);
  const uint32_t above = lower_end(self, i);

  return above + (above < self->points[i].octets);
}

uint32_t size_distribution_largest(const size_distribution *self)
{
  return self->points[point_at(self, 1, true)].octets;
}
