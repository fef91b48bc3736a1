/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the fit prints. */
#include "fit-report.h"

#include "sw-estimate.h"

#include <math.h>

/* Sorts the values. Linear between neighbours, as in shardwise_validate(); 0 of none. */
double
fit_quantile (GArray *values, double share)
{
  double at, low, high;
  guint below;

  if (values->len == 0)
    return 0;
  g_array_sort (values, sw_compare_doubles);
  at = share * (values->len - 1);
  below = MIN ((guint) at, values->len - 1);
  low = g_array_index (values, double, below);
  high = g_array_index (values, double, MIN (below + 1, values->len - 1));
  return low + (at - below) * (high - low);
}

typedef struct {
  guint rows;
  double median, p90, bias;
} Quantiles;

/* Errors of a family, by the constants as they are or by those without it. */
static void
family_quantiles (const Fit *fit, const FitLeftOut *left_out, guint family, FitKind kind,
                  Quantiles *out)
{
  g_autoptr (GArray) errors = g_array_new (FALSE, FALSE, sizeof (double));
  g_autoptr (GArray) sizes = g_array_new (FALSE, FALSE, sizeof (double));

  for (guint i = 0; i < fit->n_samples; i++)
    {
      const FitSample *sample = &fit->sample[i];
      double error = left_out != NULL ? left_out->error[kind][i] : sample->error[kind];
      double size = fabs (error);

      if (sample->family != family || !fit_is_measured (sample, kind))
        continue;
      g_array_append_val (errors, error);
      g_array_append_val (sizes, size);
    }
  *out = (Quantiles){ .rows = errors->len,
                      .median = fit_quantile (sizes, 0.5),
                      .p90 = fit_quantile (sizes, 0.9),
                      .bias = fit_quantile (errors, 0.5) };
}

static void
print_quantiles (const Quantiles *q)
{
  if (q->rows > 0)
    g_print (" %4u %6.1f %6.1f %+6.1f", q->rows, 100 * q->median, 100 * q->p90, 100 * q->bias);
  else
    g_print (" %4u %6s %6s %6s", 0u, "", "", "");
}

/* Whether a family's rows are fine-tuning for the greater part. */
static gboolean
is_fine_tuning (const Fit *fit, guint family)
{
  gint balance = 0;

  for (guint i = 0; i < fit->n_samples; i++)
    if (fit->sample[i].family == family)
      balance += fit->sample[i].run.problem.training.type == SW_TRAINING_PRETRAIN ? -1 : 1;
  return balance > 0;
}

/* Means over families. */
typedef struct {
  Quantiles sum[FIT_N_SECTIONS]; /* rows: families */
} Means;

static void
add_family (Means *means, FitKind kind, const Quantiles *q)
{
  means->sum[kind].rows += q->rows > 0 ? 1 : 0;
  means->sum[kind].median += q->median;
  means->sum[kind].p90 += q->p90;
}

static void
print_means (const char *what, const Means *means)
{
  const Quantiles *time = &means->sum[FIT_TIME], *memory = &means->sum[FIT_MEMORY];

  g_print (
      "mean of %s: %u families, time median %.2f %%, p90 %.2f %%; %u, memory median %.2f %%, p90 "
      "%.2f %%\n",
      what, time->rows, 100 * time->median / MAX (time->rows, 1),
      100 * time->p90 / MAX (time->rows, 1), memory->rows,
      100 * memory->median / MAX (memory->rows, 1), 100 * memory->p90 / MAX (memory->rows, 1));
}

/* Of the sources that train whole models, and of those that fine-tune. */
void
fit_accuracy (const Fit *fit, const FitLeftOut *left_out, SwAccuracy out[2])
{
  Means means[2] = { 0 };
  Quantiles q;

  for (guint f = 0; f < fit->families->len; f++)
    for (FitKind kind = 0; kind < FIT_N_SECTIONS; kind++)
      {
        family_quantiles (fit, left_out, f, kind, &q);
        add_family (&means[is_fine_tuning (fit, f)], kind, &q);
      }
  for (guint i = 0; i < 2; i++)
    {
      const Quantiles *time = &means[i].sum[FIT_TIME], *memory = &means[i].sum[FIT_MEMORY];

      out[i] = (SwAccuracy){ time->median / MAX (time->rows, 1), time->p90 / MAX (time->rows, 1),
                             memory->median / MAX (memory->rows, 1),
                             memory->p90 / MAX (memory->rows, 1) };
    }
}

/* Families weigh the same. `of`: what the errors are of. The last lines, of the sources that train
 * whole models and of those that fine-tune, begin with "mean". */
void
fit_report_families (const Fit *fit, const FitLeftOut *left_out, const char *of)
{
  Means training = { 0 }, tuning = { 0 }, halves[FIT_N_HALVES] = { 0 };
  Quantiles q;

  g_print ("errors of %s, per cent\n%-5s    %27s |%27s\n%-5s    %5s %6s %6s %6s |%5s %6s %6s %6s\n",
           of, "", "time", "memory", "", "rows", "median", "p90", "bias", "rows", "median", "p90",
           "bias");
  for (guint f = 0; f < fit->families->len; f++)
    {
      const char *name = g_ptr_array_index (fit->families, f);
      gboolean tunes = is_fine_tuning (fit, f);
      FitHalf half = fit_half (name);

      g_print ("%-5s %c%c ", name, half == FIT_HALF_A ? 'A' : 'B', tunes ? 't' : ' ');
      for (FitKind kind = FIT_N_SECTIONS; kind-- > 0;)
        {
          family_quantiles (fit, left_out, f, kind, &q);
          print_quantiles (&q);
          g_print ("%s", kind == FIT_TIME ? " |" : "\n");
          add_family (tunes ? &tuning : &training, kind, &q);
          if (!tunes)
            add_family (&halves[half], kind, &q);
        }
    }
  print_means ("training", &training);
  print_means ("training of half A", &halves[FIT_HALF_A]);
  print_means ("training of half B", &halves[FIT_HALF_B]);
  print_means ("fine-tuning", &tuning);
}

static void
print_row (const FitSample *s)
{
  SwEstimate e;

  sw_estimate (&s->run.problem, &s->used, &e);
  g_print ("%-7s %+6.1f%% meas %8.3f pred %8.3f | comp %.3f rec %.3f uneven %.3f tp %.3f cp %.3f "
           "ep %.3f pp %.3f dp %.3f bub %.3f opt %.3f oth %.3f"
           " | %s l%u tp%u pp%u v%u cp%u ep%u dp%u mb%u z%u rc%u%s gpus %u %s",
           s->run.id, 100 * s->error[FIT_TIME], s->run.measured_step_s, e.time.step_s,
           e.time.compute_s, e.time.recompute_s, e.time.uneven_s, e.time.tp_exposed_s,
           e.time.cp_exposed_s, e.time.ep_exposed_s, e.time.pp_exposed_s, e.time.dp_exposed_s,
           e.time.bubble_s, e.time.optimizer_s, e.time.other_s, s->run.description,
           s->run.problem.model.layers, s->used.tp, s->used.pp, s->used.vpp, s->used.cp, s->used.ep,
           s->used.dp, s->used.micro_batch, s->used.zero_stage, s->used.recompute,
           s->run.recompute_unknown ? "?" : "", s->run.problem.cluster.gpus,
           sw_precision_names[s->run.problem.training.precision]);
}

static void
print_memory (const FitSample *s)
{
  SwEstimate e;
  const SwMemoryParts *parts = &e.memory.peak;

  sw_estimate (&s->run.problem, &s->used, &e);
  g_print (" | memory %+.1f%% of %.1f GiB, %c: par %.2f grad %.2f opt %.2f act %.2f logits %.2f "
           "buf %.2f fw %.2f again %.2f",
           100 * s->error[FIT_MEMORY], s->run.measured_memory_bytes / SW_GIB,
           s->run.memory_kind != '\0' ? s->run.memory_kind : '?', parts->parameters / SW_GIB,
           parts->gradients / SW_GIB, parts->optimizer / SW_GIB, parts->activations / SW_GIB,
           parts->logits / SW_GIB, parts->buffers / SW_GIB, parts->framework / SW_GIB,
           parts->reclaimable / SW_GIB);
}

/* Every row's error and parts, for controlled pairs. */
void
fit_report_rows (const Fit *fit, const FitLeftOut *left_out)
{
  for (guint i = 0; i < fit->n_samples; i++)
    {
      const FitSample *s = &fit->sample[i];

      if (!fit_is_measured (s, FIT_TIME) && !fit_is_measured (s, FIT_MEMORY))
        continue;
      print_row (s);
      if (fit_is_measured (s, FIT_MEMORY))
        print_memory (s);
      if (left_out != NULL)
        g_print (" | left out %+.1f%% %+.1f%%", 100 * left_out->error[FIT_TIME][i],
                 100 * left_out->error[FIT_MEMORY][i]);
      g_print ("\n");
    }
}

void
fit_report_constants (const Fit *fit)
{
  for (FitKind kind = 0; kind < FIT_N_SECTIONS; kind++)
    for (guint i = 0; i < fit->n_constants[kind]; i++)
      {
        const FitParameter *p = &fit->parameter[kind][i];

        g_print ("%-45s %10.4g (prior %.4g, %+.1f widths)%s\n", p->spec->name, *p->value,
                 p->spec->prior, fit_position (p),
                 *p->value <= p->spec->least || *p->value >= p->spec->most ? " at its bound" : "");
      }
}
