/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Predictions against measured runs: errors per family, ranks within groups of strategies, and
 * out-of-memory rows. */
#include "shardwise-measured.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

/* One run that could be predicted. */
typedef struct
{
  const ShardwiseRun *run;
  double step_s, memory_bytes;
  gboolean fits;
  SwStrategy used;
} Prediction;

static gboolean
time_is_judged (const Prediction *p)
{
  return p->run->judged && p->run->measured_step_s > 0;
}

static gboolean
memory_is_judged (const Prediction *p)
{
  return p->run->judged && p->run->measured_memory_bytes > 0;
}

/* ---- statistics ---- */

static int
compare_doubles (gconstpointer a, gconstpointer b)
{
  double x = *(const double *)a, y = *(const double *)b;

  return (x > y) - (x < y);
}

/* Linear interpolation between the two nearest of sorted values. */
static double
quantile (GArray *sorted, double share)
{
  double at = share * (sorted->len - 1);
  guint below = (guint)floor (at), above = MIN (below + 1, sorted->len - 1);
  double low = g_array_index (sorted, double, below), high = g_array_index (sorted, double, above);

  return low + (at - below) * (high - low);
}

typedef struct
{
  guint rows;
  double median, p90, bias;
} Statistics;

/* `errors`: ln (predicted / measured); the bias is their median with its sign. */
static void
statistics_of (GArray *errors, Statistics *out)
{
  *out = (Statistics){ .rows = errors->len };
  if (errors->len == 0)
    return;
  g_array_sort (errors, compare_doubles);
  out->bias = quantile (errors, 0.5);
  for (guint i = 0; i < errors->len; i++)
    g_array_index (errors, double, i) = fabs (g_array_index (errors, double, i));
  g_array_sort (errors, compare_doubles);
  out->median = quantile (errors, 0.5);
  out->p90 = quantile (errors, 0.9);
}

static void
family_errors (GArray *predictions, const char *family, gboolean memory, Statistics *out)
{
  g_autoptr (GArray) errors = g_array_new (FALSE, FALSE, sizeof (double));

  for (guint i = 0; i < predictions->len; i++)
    {
      const Prediction *p = &g_array_index (predictions, Prediction, i);
      double error;

      if (!g_str_equal (p->run->family, family)
          || !(memory ? memory_is_judged (p) : time_is_judged (p)))
        continue;
      error = memory ? log (p->memory_bytes / p->run->measured_memory_bytes)
                     : log (p->step_s / p->run->measured_step_s);
      g_array_append_val (errors, error);
    }
  statistics_of (errors, out);
}

/* ---- ranks ---- */

/* Runs that differ in strategy alone: one model, cluster, training and release. */
static gboolean
same_group (const Prediction *a, const Prediction *b)
{
  const SwProblem *p = &a->run->problem, *q = &b->run->problem;

  return g_str_equal (a->run->family, b->run->family) && g_str_equal (p->model.name, q->model.name)
         && p->model.layers == q->model.layers && p->model.hidden_size == q->model.hidden_size
         && g_str_equal (p->cluster.gpu.id, q->cluster.gpu.id) && p->cluster.gpus == q->cluster.gpus
         && p->training.sequence_length == q->training.sequence_length
         && p->training.global_batch == q->training.global_batch
         && p->training.precision == q->training.precision && p->training.type == q->training.type
         && p->training.software_year == q->training.software_year;
}

typedef struct
{
  double agreements, disagreements, pairs, regret; /* pairs: those predicted alike are neither */
  guint groups;
} Ranks;

/* How much slower than the measured best of its group the run is that is predicted best. */
static void
add_regret (GArray *predictions, guint first, const char *done, Ranks *out)
{
  const Prediction *chosen = NULL, *best = NULL;
  guint members = 0;

  for (guint i = first; i < predictions->len; i++)
    {
      const Prediction *p = &g_array_index (predictions, Prediction, i);

      if (done[i] != 2)
        continue;
      members++;
      if (chosen == NULL || p->step_s < chosen->step_s)
        chosen = p;
      if (best == NULL || p->run->measured_step_s < best->run->measured_step_s)
        best = p;
    }
  if (members < 2)
    return;
  out->groups++;
  out->regret += chosen->run->measured_step_s / best->run->measured_step_s - 1;
}

static void
add_pairs (const Prediction *a, const Prediction *b, Ranks *out)
{
  double measured = log (a->run->measured_step_s / b->run->measured_step_s);
  double predicted = log (a->step_s / b->step_s);

  if (fabs (measured) <= log (1.05))
    return;
  out->pairs++;
  if (measured * predicted > 0)
    out->agreements++;
  else if (measured * predicted < 0)
    out->disagreements++;
}

/* Walks the groups of a family. `done`: 0 not yet seen, 1 in an earlier group, 2 in this one. */
static void
family_ranks (GArray *predictions, const char *family, Ranks *out)
{
  g_autofree char *done = g_new0 (char, predictions->len + 1);

  *out = (Ranks){ 0 };
  for (guint i = 0; i < predictions->len; i++)
    {
      const Prediction *head = &g_array_index (predictions, Prediction, i);

      if (done[i] != 0 || !time_is_judged (head) || !g_str_equal (head->run->family, family))
        continue;
      for (guint j = i; j < predictions->len; j++)
        {
          const Prediction *p = &g_array_index (predictions, Prediction, j);

          if (done[j] != 0 || !time_is_judged (p) || !same_group (head, p))
            continue;
          for (guint k = i; k < j; k++)
            if (done[k] == 2)
              add_pairs (&g_array_index (predictions, Prediction, k), p, out);
          done[j] = 2;
        }
      add_regret (predictions, i, done, out);
      for (guint j = i; j < predictions->len; j++)
        done[j] = done[j] == 2 ? 1 : done[j];
    }
}

/* ---- JSON ---- */

static void
add_number (JsonBuilder *builder, const char *name, double value)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_double_value (builder, value);
}

/* A value that does not exist is null, not 0. */
static void
add_optional (JsonBuilder *builder, const char *name, gboolean known, double value)
{
  json_builder_set_member_name (builder, name);
  if (known)
    json_builder_add_double_value (builder, value);
  else
    json_builder_add_null_value (builder);
}

static void
add_text (JsonBuilder *builder, const char *name, const char *value)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_string_value (builder, value);
}

static void
add_statistics (JsonBuilder *builder, const char *name, const Statistics *s)
{
  json_builder_set_member_name (builder, name);
  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "rows");
  json_builder_add_int_value (builder, s->rows);
  add_optional (builder, "median", s->rows > 0, s->median);
  add_optional (builder, "p90", s->rows > 0, s->p90);
  add_optional (builder, "bias", s->rows > 0, s->bias);
  json_builder_end_object (builder);
}

static char *
note_of (const Prediction *p)
{
  GString *note = g_string_new (NULL);

  if (p->run->recompute_unknown)
    /* Translators: %s is none, selective or full */
    g_string_append_printf (note, _ ("recomputation not stated, inferred from memory: %s"),
                            sw_recompute_names[p->used.recompute]);
  if (p->run->oom)
    g_string_append_printf (note, "%s%s", note->len > 0 ? "; " : "", _ ("measured not to fit"));
  else if (!p->run->judged)
    g_string_append_printf (note, "%s%s", note->len > 0 ? "; " : "", _ ("not judged"));
  return g_string_free (note, FALSE);
}

static void
add_row (JsonBuilder *builder, const Prediction *p)
{
  g_autofree char *note = note_of (p);

  json_builder_begin_object (builder);
  add_text (builder, "id", p->run->id);
  add_text (builder, "family", p->run->family);
  add_optional (builder, "measured_step_s", p->run->measured_step_s > 0, p->run->measured_step_s);
  add_number (builder, "predicted_step_s", p->step_s);
  add_optional (builder, "measured_memory_gib", p->run->measured_memory_bytes > 0,
                p->run->measured_memory_bytes / SW_GIB);
  add_number (builder, "predicted_memory_gib", p->memory_bytes / SW_GIB);
  json_builder_set_member_name (builder, "fits");
  json_builder_add_boolean_value (builder, p->fits);
  add_text (builder, "note", note);
  json_builder_end_object (builder);
}

static void
add_rows (JsonBuilder *builder, GPtrArray *runs, GArray *predictions)
{
  json_builder_set_member_name (builder, "rows");
  json_builder_begin_array (builder);
  for (guint i = 0; i < predictions->len; i++)
    add_row (builder, &g_array_index (predictions, Prediction, i));
  json_builder_end_array (builder);
  json_builder_set_member_name (builder, "skipped");
  json_builder_begin_array (builder);
  for (guint i = 0; i < runs->len; i++)
    {
      const ShardwiseRun *run = g_ptr_array_index (runs, i);

      if (run->skip == NULL)
        continue;
      json_builder_begin_object (builder);
      add_text (builder, "id", run->id);
      add_text (builder, "why", run->skip);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
}

/* Sums that become means over families: each weighs the same. */
static void
add_to_macro (const Statistics *s, Statistics *macro)
{
  if (s->rows == 0)
    return;
  macro->rows++;
  macro->median += s->median;
  macro->p90 += s->p90;
  macro->bias += s->bias;
}

static void
finish_macro (Statistics *macro)
{
  double n = MAX (macro->rows, 1);

  macro->median /= n;
  macro->p90 /= n;
  macro->bias /= n;
}

static void
add_family (JsonBuilder *builder, GArray *predictions, const char *family, Statistics macro[2])
{
  Statistics time, memory;
  Ranks ranks;

  family_errors (predictions, family, FALSE, &time);
  family_errors (predictions, family, TRUE, &memory);
  family_ranks (predictions, family, &ranks);
  json_builder_begin_object (builder);
  add_text (builder, "family", family);
  add_statistics (builder, "time", &time);
  add_statistics (builder, "memory", &memory);
  add_optional (builder, "kendall_tau", ranks.pairs > 0,
                (ranks.agreements - ranks.disagreements) / MAX (ranks.pairs, 1));
  add_optional (builder, "regret", ranks.groups > 0, ranks.regret / MAX (ranks.groups, 1));
  json_builder_end_object (builder);
  add_to_macro (&time, &macro[0]);
  add_to_macro (&memory, &macro[1]);
}

static GPtrArray *
families_of (GArray *predictions)
{
  GPtrArray *families = g_ptr_array_new ();

  for (guint i = 0; i < predictions->len; i++)
    {
      char *family = g_array_index (predictions, Prediction, i).run->family;

      if (!g_ptr_array_find_with_equal_func (families, family, g_str_equal, NULL))
        g_ptr_array_add (families, family);
    }
  return families;
}

static void
add_families (JsonBuilder *builder, GArray *predictions)
{
  g_autoptr (GPtrArray) families = families_of (predictions);
  Statistics macro[2] = { 0 };

  json_builder_set_member_name (builder, "families");
  json_builder_begin_array (builder);
  for (guint i = 0; i < families->len; i++)
    add_family (builder, predictions, g_ptr_array_index (families, i), macro);
  json_builder_end_array (builder);
  finish_macro (&macro[0]);
  finish_macro (&macro[1]);
  json_builder_set_member_name (builder, "macro");
  json_builder_begin_object (builder);
  add_statistics (builder, "time", &macro[0]);
  add_statistics (builder, "memory", &macro[1]);
  json_builder_end_object (builder);
}

static void
add_out_of_memory (JsonBuilder *builder, GArray *predictions)
{
  guint rows = 0, found = 0, false_alarms = 0;

  for (guint i = 0; i < predictions->len; i++)
    {
      const Prediction *p = &g_array_index (predictions, Prediction, i);

      rows += p->run->oom ? 1 : 0;
      found += p->run->oom && !p->fits ? 1 : 0;
      /* A run whose recomputation was chosen so that it fits says nothing. */
      false_alarms += memory_is_judged (p) && !p->run->recompute_unknown && !p->fits ? 1 : 0;
    }
  json_builder_set_member_name (builder, "oom");
  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "rows");
  json_builder_add_int_value (builder, rows);
  json_builder_set_member_name (builder, "found");
  json_builder_add_int_value (builder, found);
  json_builder_set_member_name (builder, "false_alarms");
  json_builder_add_int_value (builder, false_alarms);
  json_builder_end_object (builder);
}

/**
 * shardwise_validate:
 * @runs: (element-type ShardwiseRun): measured runs
 *
 * Predicts every run and compares: per family the median and 90th percentile of |ln (predicted /
 * measured)|, the bias (median of ln, with its sign), Kendall's tau over pairs measured more than 5
 * % apart within groups of strategies of one model, cluster and training, and the regret (how much
 * slower than the group's best the one predicted best is); families weigh the same in "macro",
 * whose "rows" counts families.
 *
 * Returns: (transfer full): the object that `validate --json` prints
 */
JsonNode *
shardwise_validate (GPtrArray *runs)
{
  g_autoptr (GArray) predictions = g_array_new (FALSE, TRUE, sizeof (Prediction));
  g_autoptr (JsonBuilder) builder = json_builder_new ();

  g_return_val_if_fail (runs != NULL, NULL);

  for (guint i = 0; i < runs->len; i++)
    {
      Prediction p = { .run = g_ptr_array_index (runs, i) };

      if (p.run->skip != NULL)
        continue;
      shardwise_run_predict (p.run, &p.step_s, &p.memory_bytes, &p.fits, &p.used);
      g_array_append_val (predictions, p);
    }
  json_builder_begin_object (builder);
  add_rows (builder, runs, predictions);
  add_families (builder, predictions);
  add_out_of_memory (builder, predictions);
  json_builder_end_object (builder);
  return json_builder_get_root (builder);
}

/* ---- text ---- */

static void
append_cell (GString *out, JsonObject *object, const char *name, double scale)
{
  if (json_object_get_null_member (object, name))
    g_string_append_printf (out, " %7s", "–");
  else
    g_string_append_printf (out, " %7.1f", scale * json_object_get_double_member (object, name));
}

static void
append_statistics (GString *out, JsonObject *object)
{
  g_string_append_printf (out, " %5" G_GINT64_FORMAT, json_object_get_int_member (object, "rows"));
  append_cell (out, object, "median", 100);
  append_cell (out, object, "p90", 100);
  append_cell (out, object, "bias", 100);
}

static void
append_line (GString *out, const char *name, JsonObject *object)
{
  g_string_append_printf (out, "%-8s", name);
  append_statistics (out, json_object_get_object_member (object, "time"));
  g_string_append (out, "  |");
  append_statistics (out, json_object_get_object_member (object, "memory"));
}

/**
 * shardwise_validate_to_text:
 * @validation: by shardwise_validate()
 *
 * Returns: (transfer full): the families as a table; errors in per cent
 */
char *
shardwise_validate_to_text (JsonNode *validation)
{
  JsonObject *root = json_node_get_object (validation), *oom;
  JsonArray *families = json_object_get_array_member (root, "families");
  GString *out = g_string_new (NULL);

  g_return_val_if_fail (JSON_NODE_HOLDS_OBJECT (validation), g_string_free (out, FALSE));

  g_string_append (out, _ ("Errors |ln (predicted / measured)|, per cent; bias with its sign"));
  g_string_append_printf (out, "\n%-8s %5s %7s %7s %7s  | %5s %7s %7s %7s  | %7s %7s\n",
                          _ ("family"), _ ("time"), _ ("median"), _ ("p90"), _ ("bias"),
                          _ ("memory"), _ ("median"), _ ("p90"), _ ("bias"), _ ("tau"),
                          _ ("regret"));
  for (guint i = 0; i < json_array_get_length (families); i++)
    {
      JsonObject *family = json_array_get_object_element (families, i);

      append_line (out, json_object_get_string_member (family, "family"), family);
      g_string_append (out, "  |");
      append_cell (out, family, "kendall_tau", 1);
      append_cell (out, family, "regret", 100);
      g_string_append_c (out, '\n');
    }
  append_line (out, _ ("mean"), json_object_get_object_member (root, "macro"));
  oom = json_object_get_object_member (root, "oom");
  g_string_append_c (out, '\n');
  /* Translators: out-of-memory rows: how many of how many were predicted, and how many runs that
   * did fit were predicted not to */
  g_string_append_printf (out, _ ("Out of memory: %d of %d found, %d false alarms"),
                          (int)json_object_get_int_member (oom, "found"),
                          (int)json_object_get_int_member (oom, "rows"),
                          (int)json_object_get_int_member (oom, "false_alarms"));
  g_string_append_c (out, '\n');
  return g_string_free (out, FALSE);
}
