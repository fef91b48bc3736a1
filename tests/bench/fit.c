/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fits the free constants of data/catalogue/calibration.json on the measured runs that are compiled
 * in.
 *
 *   fit CALIBRATION.json            fit and write the file
 *   fit --report CALIBRATION.json   errors by family, nothing written
 *   fit --leave-out CALIBRATION.json  fit once without each family and report the errors on what
 * was left out
 *
 * Robust loss, families weighing the same, a penalty in log space that holds every constant near
 * its prior, and a pattern search over one constant at a time. */
#include "shardwise-json.h"
#include "shardwise-measured.h"
#include "sw-estimate.h"

#include <math.h>
#include <stdio.h>

#include "fit-constants.h"

/* Errors below this count nearly quadratically, above it linearly. */
#define ROBUST 0.05
#define PENALTY 0.004

typedef struct
{
  const ShardwiseRun *run;
  SwProblem problem; /* of the run, with the constants that are being fitted */
  SwStrategy used;
  SwLayerMemory memory;
  guint family;
  double memory_error;
  gboolean has_memory;
} Sample;

typedef struct
{
  SwCalibration constants;
  double *value[FIT_MAX_CONSTANTS];
  double prior[FIT_MAX_CONSTANTS];
  guint n_constants;
  GArray *samples;     /* of Sample, with a judged time or memory */
  GPtrArray *families; /* of char *, transfer none */
  guint left_out;      /* family that the objective does not see; n_families: none */
} Fit;

static double
predict (const Sample *sample)
{
  SwLayerTime layer;
  SwScheduleTime schedule;
  SwTime time;

  sw_layer_time (&sample->problem, &sample->used, &layer);
  sw_schedule_time (&sample->problem, &sample->used, &layer, &schedule);
  sw_time (&sample->problem, &sample->used, &sample->memory, &schedule, &time);
  return time.step_s;
}

static double
time_error (const Sample *sample)
{
  return log (predict (sample) / sample->run->measured_step_s);
}

static guint
family_index (Fit *fit, char *family)
{
  guint index;

  if (!g_ptr_array_find_with_equal_func (fit->families, family, g_str_equal, &index))
    {
      index = fit->families->len;
      g_ptr_array_add (fit->families, family);
    }
  return index;
}

static void
add_sample (Fit *fit, const ShardwiseRun *run)
{
  Sample sample = { .run = run, .problem = run->problem };
  double step, bytes;
  gboolean fits;

  if (run->skip != NULL || !run->judged)
    return;
  shardwise_run_predict (run, &step, &bytes, &fits, &sample.used);
  sample.problem.calibration = &fit->constants;
  sw_layer_memory (&sample.problem, &sample.used, &sample.memory);
  sample.family = family_index (fit, run->family);
  sample.has_memory = run->measured_memory_bytes > 0;
  sample.memory_error = sample.has_memory ? log (bytes / run->measured_memory_bytes) : 0;
  g_array_append_val (fit->samples, sample);
}

static void
fit_init (Fit *fit, GPtrArray *runs)
{
  *fit = (Fit){ .constants = *shardwise_catalogue_calibration (shardwise_catalogue_get ()) };
  fit->samples = g_array_new (FALSE, TRUE, sizeof (Sample));
  fit->families = g_ptr_array_new ();
  for (guint i = 0; i < runs->len; i++)
    add_sample (fit, g_ptr_array_index (runs, i));
  fit->left_out = fit->families->len;
  fit->n_constants = G_N_ELEMENTS (fit_constants);
  for (guint i = 0; i < fit->n_constants; i++)
    {
      fit->value[i] = sw_calibration_lookup (&fit->constants, fit_constants[i].name);
      if (fit->value[i] == NULL)
        g_error ("%s: no such constant", fit_constants[i].name);
      fit->prior[i] = fit_constants[i].prior;
      *fit->value[i] = fit->prior[i];
    }
}

/* ---- the objective ---- */

/* Families weigh the same but for those of one or two rows, which say little. */
static double
objective (const Fit *fit)
{
  g_autofree double *loss = g_new0 (double, fit->families->len);
  g_autofree guint *rows = g_new0 (guint, fit->families->len);
  double sum = 0;

  for (guint i = 0; i < fit->samples->len; i++)
    {
      const Sample *sample = &g_array_index (fit->samples, Sample, i);
      double error;

      if (sample->family == fit->left_out || sample->run->measured_step_s <= 0)
        continue;
      error = time_error (sample);
      loss[sample->family] += sqrt (error * error + ROBUST * ROBUST) - ROBUST;
      rows[sample->family]++;
    }
  for (guint i = 0; i < fit->families->len; i++)
    if (rows[i] > 0)
      sum += loss[i] / rows[i] * rows[i] / (rows[i] + 2.0);
  for (guint i = 0; i < fit->n_constants; i++)
    {
      double away = log (*fit->value[i] / fit->prior[i]) / fit_constants[i].tolerance;

      sum += PENALTY * away * away;
    }
  return sum;
}

/* Tries to move some constants at once, each by its own factor in log space. Returns: the better
 * score. */
static double
try_move (Fit *fit, const guint *which, const double *move, guint n, double best)
{
  double before[2], score;

  for (guint k = 0; k < n; k++)
    {
      const FitConstant *constant = &fit_constants[which[k]];

      before[k] = *fit->value[which[k]];
      *fit->value[which[k]] = CLAMP (before[k] * exp (move[k]), constant->least, constant->most);
    }
  score = objective (fit);
  if (score < best - 1e-9)
    return score;
  for (guint k = 0; k < n; k++)
    *fit->value[which[k]] = before[k];
  return best;
}

/* One round: every constant tries a step up and one down. Steps grow where they help and shrink
 * where they do not. */
static double
single_round (Fit *fit, double *step, double best)
{
  for (guint i = 0; i < fit->n_constants; i++)
    {
      double before = best, up = step[i], down = -step[i];

      best = try_move (fit, &i, &up, 1, best);
      if (best == before)
        best = try_move (fit, &i, &down, 1, best);
      step[i] = best < before ? MIN (step[i] * 1.5, 0.5) : MAX (step[i] * 0.5, 1e-3);
    }
  return best;
}

/* Pairs at random: constants that do much the same (a generation's rate and a profile's share of
 * it) lie in valleys that no single step crosses. */
static double
pair_round (Fit *fit, GRand *rand, double best)
{
  for (guint n = 0; n < 4 * fit->n_constants; n++)
    {
      guint which[2] = { g_rand_int_range (rand, 0, fit->n_constants),
                         g_rand_int_range (rand, 0, fit->n_constants) };
      double size = g_rand_double_range (rand, 0.05, 0.8), sign = g_rand_boolean (rand) ? 1 : -1;
      double move[2] = { size * fit_constants[which[0]].tolerance,
                         sign * size * fit_constants[which[1]].tolerance };

      if (which[0] != which[1])
        best = try_move (fit, which, move, 2, best);
    }
  return best;
}

static void
search (Fit *fit, guint rounds)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  double step[FIT_MAX_CONSTANTS], best = objective (fit);

  for (guint i = 0; i < fit->n_constants; i++)
    step[i] = 0.3 * fit_constants[i].tolerance;
  for (guint round = 0; round < rounds; round++)
    {
      best = single_round (fit, step, best);
      if (round % 4 == 3)
        best = pair_round (fit, rand, best);
      if (round % 10 == 9)
        g_printerr ("round %u: %.5f\n", round + 1, best);
    }
}

/* ---- reports ---- */

static int
compare_doubles (gconstpointer a, gconstpointer b)
{
  double x = *(const double *)a, y = *(const double *)b;

  return (x > y) - (x < y);
}

static double
quantile_of (GArray *values, double share)
{
  double at;
  guint below;

  if (values->len == 0)
    return 0;
  g_array_sort (values, compare_doubles);
  at = share * (values->len - 1);
  below = MIN ((guint)at, values->len - 1);
  return g_array_index (values, double, below)
         + (at - below)
               * (g_array_index (values, double, MIN (below + 1, values->len - 1))
                  - g_array_index (values, double, below));
}

static void
family_quantiles (const Fit *fit, guint family, double out[3], guint *rows)
{
  g_autoptr (GArray) errors = g_array_new (FALSE, FALSE, sizeof (double));
  g_autoptr (GArray) sizes = g_array_new (FALSE, FALSE, sizeof (double));

  for (guint i = 0; i < fit->samples->len; i++)
    {
      const Sample *sample = &g_array_index (fit->samples, Sample, i);
      double error, size;

      if (sample->family != family || sample->run->measured_step_s <= 0)
        continue;
      error = time_error (sample);
      size = fabs (error);
      g_array_append_val (errors, error);
      g_array_append_val (sizes, size);
    }
  *rows = errors->len;
  out[0] = quantile_of (sizes, 0.5);
  out[1] = quantile_of (sizes, 0.9);
  out[2] = quantile_of (errors, 0.5);
}

static void
report (const Fit *fit)
{
  double sum[2] = { 0, 0 };
  guint families = 0;

  for (guint f = 0; f < fit->families->len; f++)
    {
      double q[3];
      guint rows;

      family_quantiles (fit, f, q, &rows);
      if (rows == 0)
        continue;
      g_print ("%-5s %4u rows  median %5.1f %%  p90 %5.1f %%  bias %+6.1f %%\n",
               (char *)g_ptr_array_index (fit->families, f), rows, 100 * q[0], 100 * q[1],
               100 * q[2]);
      sum[0] += q[0];
      sum[1] += q[1];
      families++;
    }
  g_print ("mean of %u families: median %.1f %%, p90 %.1f %%\n", families, 100 * sum[0] / families,
           100 * sum[1] / families);
}

/* Every row's error and parts, for controlled pairs. */
static void
report_rows (const Fit *fit)
{
  for (guint i = 0; i < fit->samples->len; i++)
    {
      const Sample *s = &g_array_index (fit->samples, Sample, i);
      SwEstimate e;

      if (s->run->measured_step_s <= 0)
        continue;
      sw_estimate (&s->problem, &s->used, &e);
      g_print ("%-7s %+6.1f%% meas %8.3f pred %8.3f | comp %.3f rec %.3f tp %.3f cp %.3f ep %.3f "
               "pp %.3f dp %.3f bub %.3f opt %.3f oth %.3f"
               " | %s l%u tp%u pp%u v%u cp%u ep%u dp%u mb%u z%u rc%u%s gpus %u %s\n",
               s->run->id, 100 * time_error (s), s->run->measured_step_s, e.time.step_s,
               e.time.compute_s, e.time.recompute_s, e.time.tp_exposed_s, e.time.cp_exposed_s,
               e.time.ep_exposed_s, e.time.pp_exposed_s, e.time.dp_exposed_s, e.time.bubble_s,
               e.time.optimizer_s, e.time.other_s, s->run->description, s->problem.model.layers,
               s->used.tp, s->used.pp, s->used.vpp, s->used.cp, s->used.ep, s->used.dp,
               s->used.micro_batch, s->used.zero_stage, s->used.recompute,
               s->run->recompute_unknown ? "?" : "", s->problem.cluster.gpus,
               sw_precision_names[s->problem.training.precision]);
    }
}

static void
report_constants (const Fit *fit)
{
  for (guint i = 0; i < fit->n_constants; i++)
    g_print ("%-45s %10.4g (prior %.4g)\n", fit_constants[i].name, *fit->value[i], fit->prior[i]);
}

static void
leave_out (Fit *fit, guint rounds)
{
  double median = 0, p90 = 0;

  for (guint f = 0; f < fit->families->len; f++)
    {
      double q[3];
      guint rows;

      for (guint i = 0; i < fit->n_constants; i++)
        *fit->value[i] = fit->prior[i];
      fit->left_out = f;
      search (fit, rounds);
      family_quantiles (fit, f, q, &rows);
      median += q[0] / fit->families->len;
      p90 += q[1] / fit->families->len;
      g_print ("without %-5s: median %5.1f %%  p90 %5.1f %%  bias %+6.1f %%\n",
               (char *)g_ptr_array_index (fit->families, f), 100 * q[0], 100 * q[1], 100 * q[2]);
    }
  g_print ("one source left out at a time: median %.1f %%, p90 %.1f %%\n", 100 * median, 100 * p90);
}

/* ---- the file ---- */

static void
set_constant (JsonObject *root, const char *name, double value, double prior)
{
  g_auto (GStrv) parts = g_strsplit (name, ".", -1);
  g_autofree char *source = g_strdup_printf ("fitted on measured_runs.csv, prior %.4g", prior);
  g_autofree char *rounded = g_strdup_printf ("%.5g", value);
  JsonObject *object = root;

  for (guint i = 0; parts[i] != NULL; i++)
    object = json_object_get_object_member (object, parts[i]);
  json_object_set_double_member (object, "value", g_ascii_strtod (rounded, NULL));
  json_object_set_string_member (object, "source", source);
}

/* Errors of time or memory of the runs of one kind; a negative generation means all runs. Returns
 * how many sources they come from. */
static guint
errors_of (const Fit *fit,
           int generation,
           int framework,
           gboolean is_moe,
           gboolean memory,
           GArray *out)
{
  g_autofree gboolean *seen = g_new0 (gboolean, fit->families->len);
  guint sources = 0;

  for (guint i = 0; i < fit->samples->len; i++)
    {
      const Sample *s = &g_array_index (fit->samples, Sample, i);
      gboolean measured = memory ? s->has_memory : s->run->measured_step_s > 0;
      double error;

      if (!measured)
        continue;
      if (generation >= 0
          && ((int)s->problem.cluster.gpu.generation != generation || s->used.framework != framework
              || (s->problem.model.moe.experts > 0) != is_moe))
        continue;
      error = fabs (memory ? s->memory_error : time_error (s));
      g_array_append_val (out, error);
      sources += seen[s->family] ? 0 : 1;
      seen[s->family] = TRUE;
    }
  return sources;
}

/* What one source measured on one machine says little of the next: errors of a kind count where at
 * least two sources have measured it, else those of all runs stand in. */
static GArray *
trusted_errors (const Fit *fit, int generation, int framework, gboolean is_moe, gboolean memory)
{
  g_autoptr (GArray) errors = g_array_new (FALSE, FALSE, sizeof (double));

  if (errors_of (fit, generation, framework, is_moe, memory, errors) < 2)
    {
      g_array_set_size (errors, 0);
      errors_of (fit, -1, 0, FALSE, memory, errors);
    }
  return g_steal_pointer (&errors);
}

static JsonObject *
residual_of (const Fit *fit, int generation, int framework, gboolean is_moe)
{
  g_autoptr (GArray) times = trusted_errors (fit, generation, framework, is_moe, FALSE);
  g_autoptr (GArray) memories = trusted_errors (fit, generation, framework, is_moe, TRUE);
  g_autoptr (GArray) alike = g_array_new (FALSE, FALSE, sizeof (double));
  JsonObject *object = json_object_new ();

  errors_of (fit, generation, framework, is_moe, FALSE, alike);
  json_object_set_int_member (object, "rows", alike->len);
  json_object_set_double_member (object, "time_median", quantile_of (times, 0.5));
  json_object_set_double_member (object, "time_p90", quantile_of (times, 0.9));
  json_object_set_double_member (object, "memory_median", quantile_of (memories, 0.5));
  json_object_set_double_member (object, "memory_p90", quantile_of (memories, 0.9));
  return object;
}

static void
set_residuals (const Fit *fit, JsonObject *root)
{
  JsonArray *array = json_array_new ();

  for (int g = 0; g < SW_N_GENERATIONS; g++)
    for (int f = 0; f < SW_N_FRAMEWORKS; f++)
      for (int moe = 0; moe < 2; moe++)
        {
          JsonObject *object = residual_of (fit, g, f, moe != 0);

          if (json_object_get_int_member (object, "rows") == 0)
            {
              json_object_unref (object);
              continue;
            }
          json_object_set_string_member (object, "generation", sw_generation_names[g]);
          json_object_set_string_member (object, "framework", sw_framework_names[f]);
          json_object_set_boolean_member (object, "moe", moe != 0);
          json_array_add_object_element (array, object);
        }
  json_object_set_array_member (root, "residual", array);
  json_object_set_object_member (root, "residual_all", residual_of (fit, -1, 0, FALSE));
}

static void append_node (GString *out, JsonNode *node, guint depth);

static void
append_object (GString *out, JsonObject *object, guint depth)
{
  g_autoptr (GList) names = json_object_get_members (object);

  g_string_append (out, "{\n");
  for (GList *l = names; l != NULL; l = l->next)
    {
      g_string_append_printf (out, "%*s\"%s\": ", 2 * (depth + 1), "", (char *)l->data);
      append_node (out, json_object_get_member (object, l->data), depth + 1);
      g_string_append (out, l->next != NULL ? ",\n" : "\n");
    }
  g_string_append_printf (out, "%*s}", 2 * depth, "");
}

static void
append_array (GString *out, JsonArray *array, guint depth)
{
  g_string_append (out, "[\n");
  for (guint i = 0; i < json_array_get_length (array); i++)
    {
      g_string_append_printf (out, "%*s", 2 * (depth + 1), "");
      append_node (out, json_array_get_element (array, i), depth + 1);
      g_string_append (out, i + 1 < json_array_get_length (array) ? ",\n" : "\n");
    }
  g_string_append_printf (out, "%*s]", 2 * depth, "");
}

/* As json-glib would write it, but with numbers of six digits, which a reviewer can read. */
static void
append_node (GString *out, JsonNode *node, guint depth)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  if (JSON_NODE_HOLDS_OBJECT (node))
    append_object (out, json_node_get_object (node), depth);
  else if (JSON_NODE_HOLDS_ARRAY (node))
    append_array (out, json_node_get_array (node), depth);
  else if (json_node_get_value_type (node) == G_TYPE_DOUBLE)
    g_string_append (out,
                     g_ascii_formatd (number, sizeof number, "%.6g", json_node_get_double (node)));
  else
    {
      g_autofree char *text = json_to_string (node, FALSE);

      g_string_append (out, text);
    }
}

static gboolean
write_file (const Fit *fit, const char *path, GError **error)
{
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autoptr (GString) out = g_string_new (NULL);
  JsonObject *root;

  if (!json_parser_load_from_file (parser, path, error))
    return FALSE;
  root = json_node_get_object (json_parser_get_root (parser));
  for (guint i = 0; i < fit->n_constants; i++)
    set_constant (root, fit_constants[i].name, *fit->value[i], fit->prior[i]);
  set_residuals (fit, root);
  append_node (out, json_parser_get_root (parser), 0);
  g_string_append_c (out, '\n');
  return g_file_set_contents (path, out->str, (gssize)out->len, error);
}

int
main (int argc, char **argv)
{
  gboolean report_only = FALSE, without = FALSE, rows = FALSE;
  int rounds = 60;
  GOptionEntry entries[] = {
    { "report", 0, 0, G_OPTION_ARG_NONE, &report_only, "errors of the constants as they are",
      NULL },
    { "rows", 0, 0, G_OPTION_ARG_NONE, &rows, "every row too", NULL },
    { "leave-out", 0, 0, G_OPTION_ARG_NONE, &without, "fit without each family in turn", NULL },
    { "rounds", 0, 0, G_OPTION_ARG_INT, &rounds, "of the search", "N" },
    { NULL },
  };
  g_autoptr (GOptionContext) context = g_option_context_new ("CALIBRATION.json");
  g_autoptr (GPtrArray) runs = NULL;
  g_autoptr (GError) error = NULL;
  Fit fit;

  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error) || (argc != 2 && !report_only))
    {
      g_printerr ("%s\n",
                  error != NULL ? error->message : "fit [--report|--leave-out] CALIBRATION.json");
      return 2;
    }
  runs = shardwise_runs_builtin ();
  fit_init (&fit, runs);
  if (report_only)
    fit.constants = *shardwise_catalogue_calibration (shardwise_catalogue_get ());
  else if (without)
    leave_out (&fit, rounds);
  else
    search (&fit, rounds);
  if (!without)
    {
      report (&fit);
      if (rows)
        report_rows (&fit);
      report_constants (&fit);
    }
  if (!report_only && !without && !write_file (&fit, argv[1], &error))
    {
      g_printerr ("%s\n", error->message);
      return 1;
    }
  g_ptr_array_unref (fit.families);
  g_array_unref (fit.samples);
  return 0;
}
