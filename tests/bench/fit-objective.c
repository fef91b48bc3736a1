/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The measured runs as questions to the engine, their errors and what the fit minimises. */
#include "fit-objective.h"
#include "shardwise-prediction.h"

#include "sw-estimate.h"

#include <math.h>

static const struct {
  const FitConstant *constants;
  guint n;
  double robust;
  double spread; /* of the sources' effects: how far labs differ, in log space */
} sections[FIT_N_SECTIONS] = {
  [FIT_MEMORY] = { fit_memory_constants, G_N_ELEMENTS (fit_memory_constants), 0.02, 0.05 },
  [FIT_TIME] = { fit_constants, G_N_ELEMENTS (fit_constants), 0.05, 0.12 },
};

G_STATIC_ASSERT (G_N_ELEMENTS (fit_constants) + G_N_ELEMENTS (fit_memory_constants)
                 <= FIT_MAX_CONSTANTS);

double
fit_robust (FitKind kind)
{
  return sections[kind].robust;
}

/* ---- samples ---- */

gboolean
fit_is_measured (const FitSample *sample, FitKind kind)
{
  return kind == FIT_TIME ? sample->run.measured_step_s > 0 : sample->run.measured_memory_bytes > 0;
}

static double
predicted_step (const FitSample *sample)
{
  SwLayerTime layer;
  SwScheduleTime schedule;
  SwTime time;

  sw_layer_time (&sample->run.problem, &sample->used, &layer);
  sw_schedule_time (&sample->run.problem, &sample->used, &layer, &schedule);
  sw_estimate_time (&sample->run.problem, &sample->used, &sample->memory, &schedule, &time);
  return time.step_s;
}

static double
predicted_memory (const FitSample *sample)
{
  ShardwiseRunPrediction prediction;

  shardwise_run_predict (&sample->run, &prediction);
  return prediction.memory_bytes;
}

/* Predicts a measured sample at the present constants and effects. Returns: its error as the
 * objective sees it */
double
fit_predict (const Fit *fit, FitSample *sample, FitKind kind)
{
  double predicted = kind == FIT_TIME ? predicted_step (sample) : predicted_memory (sample);
  double measured = kind == FIT_TIME ? sample->run.measured_step_s
                                     : sample->run.measured_memory_bytes;

  sample->error[kind] = log (predicted / measured);
  sample->seen[kind] = sample->error[kind] + log (fit->effect[kind][sample->family]);
  return sample->seen[kind];
}

/**
 * fit_half:
 * @family: a source's name
 *
 * Returns: which half of the sources it is of: the parity of the first digit of its SHA-256
 */
FitHalf
fit_half (const char *family)
{
  g_autofree char *digest = g_compute_checksum_for_string (G_CHECKSUM_SHA256, family, -1);

  return g_ascii_xdigit_value (digest[0]) % 2 == 0 ? FIT_HALF_A : FIT_HALF_B;
}

static guint
family_index (Fit *fit, char *family)
{
  guint index;

  if (!g_ptr_array_find_with_equal_func (fit->families, family, g_str_equal, &index))
    {
      index = fit->families->len;
      g_assert (index < FIT_MAX_FAMILIES);
      g_ptr_array_add (fit->families, family);
    }
  return index;
}

static void
add_samples (Fit *fit, GPtrArray *runs)
{
  fit->sample = g_new0 (FitSample, runs->len);
  for (guint i = 0; i < runs->len; i++)
    {
      const ShardwiseRun *run = g_ptr_array_index (runs, i);
      FitSample *sample = &fit->sample[fit->n_samples];

      if (run->skip != NULL || !run->judged)
        continue;
      *sample = (FitSample){ .run = *run, .family = family_index (fit, run->family) };
      sample->run.problem.calibration = &fit->constants;
      fit->n_samples++;
    }
}

/* Infers the recomputation of the runs that do not state it, by the present constants of memory,
 * and with it what the time of every run is predicted from. */
void
fit_infer (Fit *fit)
{
  for (guint i = 0; i < fit->n_samples; i++)
    {
      FitSample *sample = &fit->sample[i];
      ShardwiseRunPrediction prediction;

      shardwise_run_predict (&sample->run, &prediction);
      sample->used = prediction.used;
      sw_layer_memory (&sample->run.problem, &sample->used, &sample->memory);
    }
}

/* Weighs the samples so that families count the same but for those of one or two rows, which say
 * little: a mean over its rows, times rows / (rows + 2). `unseen` (nullable): by family, whether the
 * objective does not see it. The memory of a run counts where its recomputation is stated. */
void
fit_weigh (Fit *fit, const gboolean *unseen)
{
  g_autofree guint *rows = g_new0 (guint, fit->families->len * FIT_N_SECTIONS);

  for (guint pass = 0; pass < 2; pass++)
    for (guint i = 0; i < fit->n_samples; i++)
      for (FitKind kind = 0; kind < FIT_N_SECTIONS; kind++)
        {
          FitSample *sample = &fit->sample[i];
          guint *n = &rows[sample->family * FIT_N_SECTIONS + kind];
          gboolean counts = (unseen == NULL || !unseen[sample->family])
                            && fit_is_measured (sample, kind)
                            && (kind == FIT_TIME || !sample->run.recompute_unknown);

          if (pass == 0)
            *n += counts ? 1 : 0;
          else
            sample->weight[kind] = counts ? 1 / (*n + 2.0) : 0;
        }
}

/* ---- constants ---- */

static gboolean
lies_within (const double *value, gconstpointer base, gsize size)
{
  return (const char *) value >= (const char *) base
         && (const char *) value < (const char *) base + size;
}

/* Whether a run's prediction can read a constant: those of other GPU generations and of other
 * software it cannot. */
static gboolean
can_read (const Fit *fit, const FitSample *sample, const double *value)
{
  const SwCalibration *c = &fit->constants;
  SwGeneration generation = sample->run.problem.cluster.gpu.generation;

  if (lies_within (value, c->generation, sizeof c->generation))
    return lies_within (value, &c->generation[generation], sizeof c->generation[generation]);
  if (lies_within (value, c->profile, sizeof c->profile))
    return lies_within (value,
                        sw_problem_profile (&sample->run.problem, sample->run.strategy.framework),
                        sizeof (SwProfile));
  return TRUE;
}

double
fit_position (const FitParameter *parameter)
{
  return log (*parameter->value / parameter->spec->prior) / parameter->spec->tolerance;
}

void
fit_move_to (FitParameter *parameter, double position)
{
  const FitConstant *spec = parameter->spec;

  *parameter->value = CLAMP (spec->prior * exp (spec->tolerance * position), spec->least,
                             spec->most);
}

/* The optimiser skips what a constant cannot change: say so at once where that is not true. */
static void
check_rows (Fit *fit, FitKind kind, FitParameter *parameter)
{
  double before = *parameter->value;
  guint next = 0;

  *parameter->value *= 1.01;
  for (guint i = 0; i < fit->n_samples; i++)
    {
      FitSample *sample = &fit->sample[i];

      double error = sample->error[kind];

      if (next < parameter->n_rows && parameter->rows[next] == i)
        next++;
      else if (fit_is_measured (sample, kind))
        {
          fit_predict (fit, sample, kind);
          if (sample->error[kind] != error)
            g_error ("%s changes %s, which is of other hardware or software", parameter->spec->name,
                     sample->run.id);
        }
    }
  *parameter->value = before;
}

static void
add_constant (Fit *fit, FitKind kind, const FitConstant *spec)
{
  FitParameter *parameter = &fit->parameter[kind][fit->n_parameters[kind]++];

  *parameter = (FitParameter){ .spec = spec,
                               .value = sw_calibration_lookup (&fit->constants, spec->name) };
  if (parameter->value == NULL)
    g_error ("%s: no such constant", spec->name);
  *parameter->value = spec->prior;
  parameter->rows = g_new (guint, fit->n_samples);
  for (guint i = 0; i < fit->n_samples; i++)
    if (fit_is_measured (&fit->sample[i], kind)
        && can_read (fit, &fit->sample[i], parameter->value))
      parameter->rows[parameter->n_rows++] = i;
}

/* The effect of a family: a lab's jobs are all some per cent slower or faster than an ordinary
 * run, by its hosts, its settings and how it measures. Without it the constants would bend to take
 * that in. */
static void
add_effect (Fit *fit, FitKind kind, guint family)
{
  FitParameter *parameter = &fit->parameter[kind][fit->n_parameters[kind]++];

  *parameter = (FitParameter){ .value = &fit->effect[kind][family],
                               .effect = { .name = g_ptr_array_index (fit->families, family),
                                           .prior = 1,
                                           .tolerance = sections[kind].spread,
                                           .least = 0.1,
                                           .most = 10 } };
  parameter->spec = &parameter->effect;
  parameter->rows = g_new (guint, fit->n_samples);
  for (guint i = 0; i < fit->n_samples; i++)
    if (fit->sample[i].family == family && fit_is_measured (&fit->sample[i], kind))
      parameter->rows[parameter->n_rows++] = i;
}

/* ---- the objective ---- */

/* Predicts every sample again. */
void
fit_refresh (Fit *fit, FitKind kind)
{
  for (guint i = 0; i < fit->n_samples; i++)
    if (fit_is_measured (&fit->sample[i], kind))
      fit_predict (fit, &fit->sample[i], kind);
}

static gboolean
is_effect (const Fit *fit, FitKind kind, guint parameter)
{
  return parameter >= fit->n_constants[kind];
}

/* What a parameter's distance from its prior costs: its square for a constant; of a source's effect
 * what grows linearly beyond one width, since a lab that is far from the others, for a reason that
 * no column tells, must not pull the centre, which is that of an ordinary run. */
static double
fit_penalty (const Fit *fit, FitKind kind, guint parameter)
{
  double away = fit_position (&fit->parameter[kind][parameter]);

  if (is_effect (fit, kind, parameter))
    return FIT_EFFECT_PENALTY * 2 * (sqrt (1 + away * away) - 1);
  return FIT_PENALTY * away * away;
}

/* Curvature of fit_penalty() by which a quadratic through 0 has its slope. */
double
fit_stiffness (const Fit *fit, FitKind kind, guint parameter)
{
  double away = fit_position (&fit->parameter[kind][parameter]);

  if (is_effect (fit, kind, parameter))
    return 2 * FIT_EFFECT_PENALTY / sqrt (1 + away * away);
  return 2 * FIT_PENALTY;
}

/* Of the errors as they were last computed. */
double
fit_objective (const Fit *fit, FitKind kind)
{
  double robust = fit_robust (kind), sum = 0;

  for (guint i = 0; i < fit->n_samples; i++)
    {
      double error = fit->sample[i].seen[kind];

      if (fit->sample[i].weight[kind] > 0)
        sum += fit->sample[i].weight[kind] * (sqrt (error * error + robust * robust) - robust);
    }
  for (guint i = 0; i < fit->n_parameters[kind]; i++)
    sum += fit_penalty (fit, kind, i);
  return sum;
}

/* All constants at their priors; those that are not fitted as they are compiled in. */
Fit *
fit_new (GPtrArray *runs)
{
  Fit *fit = g_new0 (Fit, 1);

  fit->constants = *shardwise_catalogue_calibration (shardwise_catalogue_get ());
  fit->families = g_ptr_array_new ();
  add_samples (fit, runs);
  for (FitKind kind = 0; kind < FIT_N_SECTIONS; kind++)
    {
      for (guint i = 0; i < sections[kind].n; i++)
        add_constant (fit, kind, &sections[kind].constants[i]);
      fit->n_constants[kind] = fit->n_parameters[kind];
      for (guint i = 0; i < fit->families->len; i++)
        {
          fit->effect[kind][i] = 1;
          add_effect (fit, kind, i);
        }
    }
  fit_weigh (fit, NULL);
  fit_infer (fit);
  for (FitKind kind = 0; kind < FIT_N_SECTIONS; kind++)
    {
      fit_refresh (fit, kind);
      for (guint i = 0; i < fit->n_parameters[kind]; i++)
        check_rows (fit, kind, &fit->parameter[kind][i]);
    }
  return fit;
}

void
fit_free (Fit *fit)
{
  for (FitKind kind = 0; kind < FIT_N_SECTIONS; kind++)
    for (guint i = 0; i < fit->n_parameters[kind]; i++)
      g_free (fit->parameter[kind][i].rows);
  g_ptr_array_unref (fit->families);
  g_free (fit->sample);
  g_free (fit);
}
