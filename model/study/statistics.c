#include "study/statistics.h"

#include <math.h>

#define MATHLIB_STANDALONE
#include <Rmath.h>

double statistics_mean(const double *values, gsize count)
{
  g_assert(count >= 1);
  double sum = 0;
  for (gsize i = 0; i < count; i++) {
    sum += values[i];
  }
  return sum / (double)count;
}

double statistics_half_width(const double *values, gsize count, double confidence)
{
  g_assert(count >= 2);
  g_assert(confidence > 0 && confidence < 1);
  double mean = statistics_mean(values, count);
  double squares = 0;
  for (gsize i = 0; i < count; i++) {
    squares += (values[i] - mean) * (values[i] - mean);
  }

  double freedom = (double)count - 1;
  double deviation = sqrt(squares / freedom);
  double quantile = qt(0.5 + confidence / 2, freedom, TRUE, FALSE);
  return quantile * deviation / sqrt((double)count);
}
