/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fits without each source in turn, on all processors. */
#include "fit-left-out.h"

#include "fit-search.h"

typedef struct {
  GPtrArray *runs;
  FitLeftOut *out;
} Job;

/* `data`: the family's index + 1. Each writes the errors of its own family alone. */
static void
leave_one_out (gpointer data, gpointer user_data)
{
  Job *job = user_data;
  guint family = GPOINTER_TO_UINT (data) - 1;
  g_autoptr (Fit) fit = fit_new (job->runs);

  fit_leave_out (fit, family);
  fit_run (fit);
  for (guint i = 0; i < fit->n_samples; i++)
    for (FitKind kind = 0; kind < FIT_N_SECTIONS; kind++)
      if (fit->sample[i].family == family && fit_is_measured (&fit->sample[i], kind))
        job->out->error[kind][i] = fit->sample[i].error[kind];
}

/**
 * fit_left_out_new:
 * @runs: (element-type ShardwiseRun): measured runs
 * @fit: of them all
 *
 * Returns: (transfer full): the errors of every run by the constants that were fitted without its
 * source, from the priors on
 */
FitLeftOut *
fit_left_out_new (GPtrArray *runs, const Fit *fit)
{
  FitLeftOut *self = g_new0 (FitLeftOut, 1);
  Job job = { .runs = runs, .out = self };
  GThreadPool *pool = g_thread_pool_new (leave_one_out, &job, (gint) g_get_num_processors (), TRUE,
                                         NULL);

  self->n_samples = fit->n_samples;
  for (FitKind kind = 0; kind < FIT_N_SECTIONS; kind++)
    self->error[kind] = g_new0 (double, fit->n_samples);
  for (guint f = 0; f < fit->families->len; f++)
    g_thread_pool_push (pool, GUINT_TO_POINTER (f + 1), NULL);
  g_thread_pool_free (pool, FALSE, TRUE);
  return self;
}

void
fit_left_out_free (FitLeftOut *self)
{
  for (FitKind kind = 0; kind < FIT_N_SECTIONS; kind++)
    g_free (self->error[kind]);
  g_free (self);
}
