/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Minimises the objective. Levenberg–Marquardt steps with weights that make the robust loss
 * quadratic at the present errors (iteratively reweighted least squares) go most of the way; the
 * engine's maxima and stairs have kinks that no gradient crosses, so that single constants and
 * pairs of them are then tried one by one, and both take turns until neither finds anything.
 *
 * Nothing depends on time, threads or the order of memory, random moves have a fixed seed, and the
 * project is compiled without fused or reassociated arithmetic: other optimisation levels give the
 * same bits, other mathematical libraries the same constants within the tolerance of fit --check.
 */
#include "fit-search.h"

#include <math.h>

#define MOST_STEPS 60
#define MOST_TURNS 8
#define ENOUGH 1e-7 /* gain of a whole turn below which the search is over */

/* ---- Levenberg–Marquardt ---- */

typedef struct {
  guint n;
  double *jacobian; /* d error / d position of parameter i, sample r at i × n_samples + r */
  double *matrix;   /* n × n */
  double *gradient, *step, *before;
} Work;

static void
work_init (Work *work, const Fit *fit, FitKind kind)
{
  guint n = fit->n_parameters[kind];

  *work = (Work){ .n = n,
                  .jacobian = g_new0 (double, (gsize) n * fit->n_samples + 1),
                  .matrix = g_new0 (double, (gsize) n *n + 1),
                  .gradient = g_new0 (double, n + 1),
                  .step = g_new0 (double, n + 1),
                  .before = g_new0 (double, n + 1) };
}

static void
work_clear (Work *work)
{
  g_free (work->jacobian);
  g_free (work->matrix);
  g_free (work->gradient);
  g_free (work->step);
  g_free (work->before);
}

/* Forward differences; backward at an upper bound. */
static void
differentiate (Fit *fit, FitKind kind, Work *work)
{
  for (guint i = 0; i < work->n; i++)
    {
      FitParameter *parameter = &fit->parameter[kind][i];
      double value = *parameter->value, at = fit_position (parameter), moved;

      fit_move_to (parameter, at + 1e-3);
      if (*parameter->value == value)
        fit_move_to (parameter, at - 1e-3);
      moved = fit_position (parameter) - at;
      for (guint k = 0; k < parameter->n_rows; k++)
        {
          guint r = parameter->rows[k];
          FitSample *sample = &fit->sample[r];
          double error = sample->error[kind], seen = sample->seen[kind];

          if (sample->weight[kind] <= 0)
            continue;
          work->jacobian[(gsize) i * fit->n_samples + r] = (fit_predict (fit, sample, kind) - seen)
                                                           / moved;
          sample->error[kind] = error;
          sample->seen[kind] = seen;
        }
      *parameter->value = value;
    }
}

/* Gradient and approximate second derivatives of the objective. */
static void
linearise (const Fit *fit, FitKind kind, Work *work)
{
  double robust = fit_robust (kind);
  g_autofree double *curvature = g_new0 (double, fit->n_samples);

  for (guint r = 0; r < fit->n_samples; r++)
    curvature[r] = fit->sample[r].weight[kind] / hypot (fit->sample[r].seen[kind], robust);
  for (guint i = 0; i < work->n; i++)
    {
      const double *a = work->jacobian + (gsize) i * fit->n_samples;

      double stiffness = fit_stiffness (fit, kind, i);

      work->gradient[i] = stiffness * fit_position (&fit->parameter[kind][i]);
      for (guint r = 0; r < fit->n_samples; r++)
        work->gradient[i] += curvature[r] * fit->sample[r].seen[kind] * a[r];
      for (guint j = 0; j <= i; j++)
        {
          const double *b = work->jacobian + (gsize) j * fit->n_samples;
          double sum = i == j ? stiffness : 0;

          for (guint r = 0; r < fit->n_samples; r++)
            sum += curvature[r] * a[r] * b[r];
          work->matrix[i * work->n + j] = work->matrix[j * work->n + i] = sum;
        }
    }
}

/* Constants at a bound that the objective pushes outwards do not move. */
static gboolean
is_held (const FitParameter *parameter, double gradient)
{
  return (*parameter->value <= parameter->spec->least && gradient > 0)
         || (*parameter->value >= parameter->spec->most && gradient < 0);
}

/* Solves (matrix + damping × its diagonal) step = -gradient by Cholesky's factors; rows of what is
 * held are those of the identity. */
static void
solve (const Fit *fit, FitKind kind, const Work *work, double damping)
{
  guint n = work->n;
  g_autofree double *l = g_new0 (double, (gsize) n *n + 1);
  g_autofree gboolean *held = g_new0 (gboolean, n + 1);

  for (guint i = 0; i < n; i++)
    {
      held[i] = is_held (&fit->parameter[kind][i], work->gradient[i]);
      for (guint j = 0; j <= i; j++)
        {
          double sum = held[i] || held[j] ? (i == j ? 1 : 0)
                                          : work->matrix[i * n + j] * (i == j ? 1 + damping : 1);

          for (guint k = 0; k < j; k++)
            sum -= l[i * n + k] * l[j * n + k];
          l[i * n + j] = i == j ? sqrt (MAX (sum, 1e-12)) : sum / l[j * n + j];
        }
    }
  for (guint i = 0; i < n; i++)
    {
      work->step[i] = held[i] ? 0 : -work->gradient[i];
      for (guint k = 0; k < i; k++)
        work->step[i] -= l[i * n + k] * work->step[k];
      work->step[i] /= l[i * n + i];
    }
  for (guint i = n; i-- > 0;)
    {
      for (guint k = i + 1; k < n; k++)
        work->step[i] -= l[k * n + i] * work->step[k];
      work->step[i] /= l[i * n + i];
    }
}

/* Takes the step where it helps. Returns: the better score. */
static double
try_step (Fit *fit, FitKind kind, const Work *work, double best)
{
  double score;

  for (guint i = 0; i < work->n; i++)
    {
      FitParameter *parameter = &fit->parameter[kind][i];

      work->before[i] = *parameter->value;
      fit_move_to (parameter, fit_position (parameter) + CLAMP (work->step[i], -2, 2));
    }
  fit_refresh (fit, kind);
  score = fit_objective (fit, kind);
  if (score < best)
    return score;
  for (guint i = 0; i < work->n; i++)
    *fit->parameter[kind][i].value = work->before[i];
  fit_refresh (fit, kind);
  return best;
}

static double
descend (Fit *fit, FitKind kind, double best)
{
  double damping = 1e-2;
  Work work;

  work_init (&work, fit, kind);
  for (guint n = 0; n < MOST_STEPS && damping < 1e4; n++)
    {
      double before = best;

      differentiate (fit, kind, &work);
      linearise (fit, kind, &work);
      for (; best == before && damping < 1e4; damping *= best == before ? 4 : 0.2)
        {
          solve (fit, kind, &work, damping);
          best = try_step (fit, kind, &work, best);
        }
      if (before - best < ENOUGH)
        break;
    }
  work_clear (&work);
  return best;
}

/* ---- single constants and pairs ---- */

static void
predict_rows (Fit *fit, FitKind kind, const FitParameter *parameter)
{
  for (guint k = 0; k < parameter->n_rows; k++)
    {
      FitSample *sample = &fit->sample[parameter->rows[k]];

      fit_predict (fit, sample, kind);
    }
}

/* Moves some constants at once. Returns: the better score. */
static double
try_move (Fit *fit, FitKind kind, const guint *which, const double *move, guint n, double best)
{
  double before[2], score;

  for (guint k = 0; k < n; k++)
    {
      FitParameter *parameter = &fit->parameter[kind][which[k]];

      before[k] = *parameter->value;
      fit_move_to (parameter, fit_position (parameter) + move[k]);
    }
  for (guint k = 0; k < n; k++)
    predict_rows (fit, kind, &fit->parameter[kind][which[k]]);
  score = fit_objective (fit, kind);
  if (score < best - 1e-9)
    return score;
  for (guint k = 0; k < n; k++)
    *fit->parameter[kind][which[k]].value = before[k];
  for (guint k = 0; k < n; k++)
    predict_rows (fit, kind, &fit->parameter[kind][which[k]]);
  return best;
}

/* Every constant tries a step up and one down. */
static double
single_round (Fit *fit, FitKind kind, double size, double best)
{
  for (guint i = 0; i < fit->n_parameters[kind]; i++)
    {
      double before = best, up = size, down = -size;

      best = try_move (fit, kind, &i, &up, 1, best);
      if (best == before)
        best = try_move (fit, kind, &i, &down, 1, best);
    }
  return best;
}

/* Pairs at random: constants that do much the same (a generation's rate and a profile's share of
 * it) lie in valleys that no single step crosses. */
static double
pair_round (Fit *fit, FitKind kind, GRand *rand, double best)
{
  gint32 n = (gint32) fit->n_parameters[kind];

  for (gint32 k = 0; k < 4 * n; k++)
    {
      guint which[2] = { (guint) g_rand_int_range (rand, 0, n),
                         (guint) g_rand_int_range (rand, 0, n) };
      double size = g_rand_double_range (rand, 0.05, 0.8);
      double move[2] = { size, g_rand_boolean (rand) ? size : -size };

      if (which[0] != which[1])
        best = try_move (fit, kind, which, move, 2, best);
    }
  return best;
}

/**
 * fit_search:
 * @fit: the constants are where the search begins
 * @kind: whose constants move
 *
 * Returns: the objective that was reached
 */
double
fit_search (Fit *fit, FitKind kind)
{
  static const double sizes[] = { 1, 0.3, 0.1, 0.03 };
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  double best, before;

  fit_refresh (fit, kind);
  best = fit_objective (fit, kind);
  if (fit->n_parameters[kind] == 0)
    return best;
  for (guint turn = 0; turn < MOST_TURNS; turn++)
    {
      before = best;
      best = descend (fit, kind, best);
      for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
        best = single_round (fit, kind, sizes[i], best);
      best = pair_round (fit, kind, rand, best);
      g_debug ("turn %u: %.6f", turn, best);
      if (before - best < ENOUGH)
        break;
    }
  return descend (fit, kind, best);
}

/* Rounds to the digits that are written, so that everything else is computed with what is read
 * back. */
static void
round_constants (Fit *fit, FitKind kind)
{
  char digits[G_ASCII_DTOSTR_BUF_SIZE];

  for (guint i = 0; i < fit->n_constants[kind]; i++)
    {
      double *value = fit->parameter[kind][i].value;

      *value = g_ascii_strtod (g_ascii_formatd (digits, sizeof digits, "%.4g", *value), NULL);
    }
}

/**
 * fit_run:
 * @fit: with all constants at their priors
 *
 * Fits the constants of memory, then, on what they say of recomputation, those of time.
 */
void
fit_run (Fit *fit)
{
  fit_search (fit, FIT_MEMORY);
  round_constants (fit, FIT_MEMORY);
  fit_infer (fit);
  fit_search (fit, FIT_TIME);
  round_constants (fit, FIT_TIME);
  for (FitKind kind = 0; kind < FIT_N_SECTIONS; kind++)
    fit_refresh (fit, kind);
}
