/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fits that have not seen some of the sources, on all processors. */
#include "fit-left-out.h"

#include "fit-probe.h"
#include "fit-search.h"

typedef struct {
  GPtrArray *runs;
  FitLeftOut *out;
  FitLeave leave;
  const char *probes;
} Job;

/* `data`: the index, from 1, of the family or of the half that the fit does not see. Each writes
 * the errors of what it has not seen alone. */
static void
leave_out (gpointer data, gpointer user_data)
{
  Job *job = user_data;
  guint which = GPOINTER_TO_UINT (data) - 1;
  g_autoptr (Fit) fit = fit_new (job->runs);
  g_autofree gboolean *unseen = g_new0 (gboolean, fit->families->len);

  for (guint f = 0; f < fit->families->len; f++)
    unseen[f] = job->leave == FIT_LEAVE_EACH
                    ? f == which
                    : fit_half (g_ptr_array_index (fit->families, f)) == (FitHalf) which;
  fit_weigh (fit, unseen);
  fit_run (fit);
  if (job->probes != NULL)
    fit_apply_probes (fit, job->probes);
  for (guint i = 0; i < fit->n_samples; i++)
    for (FitKind kind = 0; kind < FIT_N_SECTIONS; kind++)
      if (unseen[fit->sample[i].family] && fit_is_measured (&fit->sample[i], kind))
        job->out->error[kind][i] = fit->sample[i].error[kind];
}

/**
 * fit_left_out_new:
 * @runs: (element-type ShardwiseRun): measured runs
 * @fit: of them all
 * @leave: what a fit is not shown
 * @probes: (nullable): a folder for fit_apply_probes()
 *
 * Returns: (transfer full): the errors of every run by the constants that were fitted without its
 * source, from the priors on
 */
FitLeftOut *
fit_left_out_new (GPtrArray *runs, const Fit *fit, FitLeave leave, const char *probes)
{
  FitLeftOut *self = g_new0 (FitLeftOut, 1);
  Job job = { .runs = runs, .out = self, .leave = leave, .probes = probes };
  guint times = leave == FIT_LEAVE_EACH ? fit->families->len : FIT_N_HALVES;
  GThreadPool *pool = g_thread_pool_new (leave_out, &job, (gint) g_get_num_processors (), TRUE,
                                         NULL);

  self->n_samples = fit->n_samples;
  for (FitKind kind = 0; kind < FIT_N_SECTIONS; kind++)
    self->error[kind] = g_new0 (double, fit->n_samples);
  for (guint i = 0; i < times; i++)
    g_thread_pool_push (pool, GUINT_TO_POINTER (i + 1), NULL);
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
