/* SPDX-License-Identifier: GPL-2.0-only */
/* This is a search and what it has found: size_study.c makes it, size_answer.c prints it. */
#pragma once

#include "scenario/scenario_axes.h"
#include "study/size/size_study.h"

/* This is what is known of one value of the key at one point. */
typedef struct size_value {
  size_verdict verdict; /* first: size_search_next() takes values as they are */
  const struct size_point *point;
  char *text;          /* canonical */
  double *measured;    /* the quantity in each seed; NAN: it has none. NULL: the runs are still to be made */
  statistics compared; /* the quantity, or its ratio to the baseline's in the same seed */
  double low, high;    /* the ends of its interval, or of the seeds */
  statistics lost;     /* packets that the path lost, in each seed */
  metric_values all;   /* of all seeds together */
  guint not_ok;        /* runs that did not end ok: the value does not keep the condition */
} size_value;

/* These are the runs of a sweep that agree in all but the key and the seed. */
typedef struct size_point {
  const char *texts[SCENARIO_KEY_COUNT]; /* canonical, of all keys; the study's */
  GPtrArray *values;                     /* size_value *, ascending */
  size_value *baseline;                  /* NULL: the condition has none */
  double messages;                       /* workload.messages of its runs … */
  char *messages_text;                   /* … among `texts`; NULL: the scenario's */
  double first_messages;                 /* the scenario's */
  scenario_losses losses;                /* of a run with these */
  guint32 asked;                         /* run_events_asked() */
  gboolean is_given_up;                  /* no run that may be asked for would have the losses */
} size_point;

struct size_study {
  const size_question *question;
  GPtrArray *points;  /* size_point * */
  GArray *axes;       /* scenario_axis: the scenario's but for those of the key and the seed */
  char **tried;       /* the values of the key that are looked at first */
  sweep_grid *places; /* the points, each with these values */
  GPtrArray *seeds;   /* const char *: texts, the scenario's or those of `places` */
  GPtrArray *due;     /* size_value *, the points': what is run next … */
  GArray *asked;      /* … as axes … */
  sweep_grid *grid;   /* … and as a grid */
};

static inline const size_value *size_value_at(const size_point *point, guint index)
{
  return g_ptr_array_index(point->values, index);
}

/* A value is held to one of these. The answer is that of the first; the others show what it hangs on. */
typedef enum size_bar {
  SIZE_BAR_BOUND,  /* the bound of the interval, or each seed */
  SIZE_BAR_MEAN,   /* the mean alone */
  SIZE_BAR_NEARLY, /* the bound against size_nearly() */
  SIZE_BAR_FAR     /* the other bound, or one seed: with less the condition is certainly not kept */
} size_bar;

/* Returns what SIZE_BAR_NEARLY makes of the number of the condition: of 99 % 98.5 %. */
static inline double size_nearly(const size_condition *condition)
{
  return condition->number * (condition->at_most ? 1.005 : 0.995);
}

/* Returns the place, among the values of `point`, from which on all meet `bar`; how many there are: the last
 * does not. */
guint size_least_by(const size_study *study, const size_point *point, size_bar bar);

/* This is what the answer at a point rests on. */
typedef struct size_evidence {
  const size_value
      *shown;      /* the answer, or the largest value, or the baseline of a search that was given up */
  double own;      /* losses with `shown` in all seeds, those that `drop` lists once */
  double losses;   /* these, or more with the next smaller value, where `shown` is a queue that loses none */
  double messages; /* that a run needs for enough; not finite: not known */
  double listed;   /* losses of a run, of those that `drop` lists: all, or not yet all */
  metric_id lacking; /* what is asked for besides losses, and happened `events` times; METRIC_COUNT: enough of
                        all */
  double events;
  gboolean is_exact; /* nothing is lost by chance: what `drop` lists, or nothing */
  gboolean is_enough;
} size_evidence;

/* Returns how often what the metric `id` counts happened in all seeds with `value`. */
static inline double size_events(const size_value *value, metric_id id)
{
  return value->all.value[id];
}

size_evidence size_evidence_of(const size_study *study, const size_point *point);

/* Returns "1 loss in 8 seeds": what there is too little of. Free with g_free(). */
char *size_evidence_lacking(const size_study *study, const size_point *point, const size_evidence *evidence);

/* Returns "in-order receiver, loss 1%: ", what `point` has on the axes; "" without any. Free with
 * g_free(). */
char *size_point_label(const size_study *study, const size_point *point);
