/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Predictions against measured runs: errors per family, and out-of-memory rows. */
#include "shardwise-validation.h"
#include "shardwise-prediction.h"
#include "shardwise-format.h"

#include <glib/gi18n.h>
#include <math.h>

/* ---- statistics ---- */

/* Linear interpolation between the two nearest of sorted values. */
static double
quantile (GArray *sorted, double share)
{
  double at = share * (sorted->len - 1);
  guint below = (guint) floor (at), above = MIN (below + 1, sorted->len - 1);
  double low = g_array_index (sorted, double, below), high = g_array_index (sorted, double, above);

  return low + (at - below) * (high - low);
}

static gboolean
is_judged (const ShardwiseRunPrediction *p, gboolean memory)
{
  return p->run->judged && (memory ? p->run->measured_memory_bytes : p->run->measured_step_s) > 0;
}

static gboolean
is_inside (const ShardwiseRunPrediction *p, gboolean memory)
{
  const ShardwiseRun *run = p->run;

  return memory ? run->measured_memory_bytes >= p->memory_low_bytes
                      && run->measured_memory_bytes <= p->memory_high_bytes
                : run->measured_step_s >= p->step_low_s && run->measured_step_s <= p->step_high_s;
}

static void
family_coverage (GArray *predictions, const char *family, gboolean memory, ShardwiseCoverage *out)
{
  for (guint i = 0; i < predictions->len; i++)
    {
      const ShardwiseRunPrediction *p = &g_array_index (predictions, ShardwiseRunPrediction, i);

      if (!g_str_equal (p->run->family, family) || !is_judged (p, memory))
        continue;
      out->rows++;
      out->inside += is_inside (p, memory);
    }
}

static double
share_inside (const ShardwiseCoverage *coverage)
{
  return (double) coverage->inside / coverage->rows;
}

static void
family_errors (GArray *predictions, const char *family, gboolean memory, ShardwiseErrors *out)
{
  g_autoptr (GArray) errors = g_array_new (FALSE, FALSE, sizeof (double));

  for (guint i = 0; i < predictions->len; i++)
    {
      const ShardwiseRunPrediction *p = &g_array_index (predictions, ShardwiseRunPrediction, i);
      double error;

      if (!g_str_equal (p->run->family, family) || !is_judged (p, memory))
        continue;
      error = memory ? log (p->memory_bytes / p->run->measured_memory_bytes)
                     : log (p->step_s / p->run->measured_step_s);
      g_array_append_val (errors, error);
    }
  /* `errors`: ln (predicted / measured). */
  *out = (ShardwiseErrors){ .rows = errors->len };
  if (errors->len == 0)
    return;
  g_array_sort (errors, sw_compare_doubles);
  out->bias = quantile (errors, 0.5);
  for (guint i = 0; i < errors->len; i++)
    g_array_index (errors, double, i) = fabs (g_array_index (errors, double, i));
  g_array_sort (errors, sw_compare_doubles);
  out->median = quantile (errors, 0.5);
  out->p90 = quantile (errors, 0.9);
}

/* Whether the predictions rank the strategies of a job in the measured order. */

/* Pairs closer than this are ties, because repeated measurements differ by as much. */
#define APART 1.05

/* One strategy of a group: the mean of its repeated measurements. */
typedef struct {
  SwStrategy strategy;
  double predicted_s, measured_s;
  guint times;
} Candidate;

/* Runs that differ in strategy alone: of one source, with the same model, GPUs (type, number, nodes
 * and links), task, sequence length, global batch (so that steps are of the same tokens),
 * precision, framework and date of the software. */
static gboolean
same_group (const ShardwiseRunPrediction *a, const ShardwiseRunPrediction *b)
{
  const SwProblem *p = &a->run->problem, *q = &b->run->problem;

  return g_str_equal (a->run->family, b->run->family)
         && (g_str_equal (p->model.name, q->model.name) && p->model.layers == q->model.layers
             && p->model.hidden_size == q->model.hidden_size
             && p->model.intermediate_size == q->model.intermediate_size
             && p->model.attention_heads == q->model.attention_heads
             && p->model.vocab_size == q->model.vocab_size
             && p->model.moe.experts == q->model.moe.experts
             && p->model.moe.top_k == q->model.moe.top_k)
         && (g_str_equal (p->cluster.gpu.id, q->cluster.gpu.id)
             && p->cluster.gpus == q->cluster.gpus
             && p->cluster.gpus_per_node == q->cluster.gpus_per_node
             && p->cluster.nvlink_domain == q->cluster.nvlink_domain
             && p->cluster.intra.bytes_per_s == q->cluster.intra.bytes_per_s
             && p->cluster.inter.bytes_per_s == q->cluster.inter.bytes_per_s)
         && (p->training.type == q->training.type
             && p->training.sequence_length == q->training.sequence_length
             && p->training.global_batch == q->training.global_batch
             && p->training.precision == q->training.precision
             && p->training.attention == q->training.attention
             && p->training.overlap == q->training.overlap
             && p->training.framework == q->training.framework
             && p->training.software_year == q->training.software_year
             && p->training.software.stated == q->training.software.stated
             && p->training.software.on == q->training.software.on);
}

static void
add_candidate (GArray *group, const ShardwiseRunPrediction *p)
{
  Candidate new = {
    .strategy = p->used, .predicted_s = p->step_s, .measured_s = p->run->measured_step_s, .times = 1
  };

  for (guint i = 0; i < group->len; i++)
    {
      Candidate *c = &g_array_index (group, Candidate, i);

      if (!sw_strategy_equal (&c->strategy, &p->used))
        continue;
      c->measured_s = (c->measured_s * c->times + p->run->measured_step_s) / (c->times + 1);
      c->times++;
      return;
    }
  g_array_append_val (group, new);
}

/* The measured time of the strategy predicted fastest / the shortest measured time, minus 1. If
 * several strategies are predicted equal, their mean. */
static double
regret_of (GArray *group)
{
  double predicted = INFINITY, least = INFINITY, sum = 0;
  guint chosen = 0;

  for (guint i = 0; i < group->len; i++)
    {
      const Candidate *c = &g_array_index (group, Candidate, i);

      predicted = MIN (predicted, c->predicted_s);
      least = MIN (least, c->measured_s);
    }
  for (guint i = 0; i < group->len; i++)
    {
      const Candidate *c = &g_array_index (group, Candidate, i);

      if (c->predicted_s > predicted * (1 + 1e-9))
        continue;
      sum += c->measured_s;
      chosen++;
    }
  return sum / chosen / least - 1;
}

/* Pairs in the measured order minus pairs in the opposite order; pairs predicted equal count as
 * neither. */
static double
concordance (GArray *group, guint *pairs)
{
  double sum = 0;

  for (guint i = 0; i < group->len; i++)
    for (guint j = 0; j < i; j++)
      {
        const Candidate *a = &g_array_index (group, Candidate, i),
                        *b = &g_array_index (group, Candidate, j);
        double measured = log (a->measured_s / b->measured_s);
        double predicted = log (a->predicted_s / b->predicted_s);

        if (fabs (measured) <= log (APART))
          continue;
        (*pairs)++;
        sum += measured * predicted > 0 ? 1 : measured * predicted < 0 ? -1 : 0;
      }
  return sum;
}

/* Kendall's tau and regret of a family's groups of strategies. */
static void
rank (GArray *predictions, ShardwiseFamilyErrors *family)
{
  g_autofree gboolean *done = g_new0 (gboolean, predictions->len + 1);
  g_autoptr (GArray) group = g_array_new (FALSE, FALSE, sizeof (Candidate));
  double sum = 0, regret = 0;

  for (guint i = 0; i < predictions->len; i++)
    {
      const ShardwiseRunPrediction *head = &g_array_index (predictions, ShardwiseRunPrediction, i);

      if (done[i] || !is_judged (head, FALSE) || !g_str_equal (head->run->family, family->family))
        continue;
      g_array_set_size (group, 0);
      for (guint j = i; j < predictions->len; j++)
        {
          const ShardwiseRunPrediction *p = &g_array_index (predictions, ShardwiseRunPrediction, j);

          if (done[j] || !is_judged (p, FALSE) || !same_group (head, p))
            continue;
          add_candidate (group, p);
          done[j] = TRUE;
        }
      if (group->len < 2)
        continue;
      family->groups++;
      regret += regret_of (group);
      sum += concordance (group, &family->pairs);
    }
  family->kendall_tau = family->pairs > 0 ? sum / family->pairs : 0;
  family->regret = family->groups > 0 ? regret / family->groups : 0;
}

/* ---- families ---- */

static void
add_to_means (const ShardwiseErrors *errors, ShardwiseErrors *means)
{
  if (errors->rows == 0)
    return;
  means->rows++;
  means->median += (errors->median - means->median) / means->rows;
  means->p90 += (errors->p90 - means->p90) / means->rows;
  means->bias += (errors->bias - means->bias) / means->rows;
}

/* ---- out of memory ---- */

/* A run that ran, with any inferred recomputation, must be predicted to fit. */
static gboolean
is_false_alarm (const ShardwiseRunPrediction *prediction)
{
  return prediction->run->judged && !prediction->fits;
}

/**
 * shardwise_validate:
 * @runs: (element-type ShardwiseRun): measured runs
 *
 * Predicts every run and compares: per family the median and 90th percentile of |ln (predicted /
 * measured)|, the bias (median of ln, with its sign), Kendall's tau over pairs of strategies
 * measured more than 5 % apart within groups of one model, cluster and batch, and the regret (how
 * much slower than the group's best the one predicted best is). Families weigh the same in means.
 * Rows of doubtful quality and rows without measured values are predicted but not judged.
 *
 * Returns: (transfer full): the comparison
 */
ShardwiseValidation *
shardwise_validate (GPtrArray *runs)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  ShardwiseValidation *self;

  g_return_val_if_fail (runs != NULL, NULL);

  self = g_new0 (ShardwiseValidation, 1);
  self->runs = g_ptr_array_ref (runs);
  self->predictions = g_array_new (FALSE, TRUE, sizeof (ShardwiseRunPrediction));
  self->families = g_array_new (FALSE, TRUE, sizeof (ShardwiseFamilyErrors));
  for (guint i = 0; i < runs->len; i++)
    {
      const ShardwiseRun *run = g_ptr_array_index (runs, i);
      ShardwiseRunPrediction p;

      if (run->skip != NULL)
        continue;
      shardwise_run_predict (run, &p);
      g_array_append_val (self->predictions, p);
    }
  for (guint i = 0; i < self->predictions->len; i++)
    {
      char *name = g_array_index (self->predictions, ShardwiseRunPrediction, i).run->family;

      if (g_hash_table_add (seen, name))
        {
          ShardwiseFamilyErrors family = { .family = name };

          family_errors (self->predictions, name, FALSE, &family.time);
          family_errors (self->predictions, name, TRUE, &family.memory);
          family_coverage (self->predictions, name, FALSE, &family.time_coverage);
          family_coverage (self->predictions, name, TRUE, &family.memory_coverage);
          rank (self->predictions, &family);
          add_to_means (&family.time, &self->time);
          add_to_means (&family.memory, &self->memory);
          if (family.time.rows > 0)
            self->time_coverage += (share_inside (&family.time_coverage) - self->time_coverage)
                                   / self->time.rows;
          if (family.memory.rows > 0)
            self->memory_coverage +=
                (share_inside (&family.memory_coverage) - self->memory_coverage)
                / self->memory.rows;
          if (family.pairs > 0)
            self->kendall_tau += (family.kendall_tau - self->kendall_tau) / ++self->ranked;
          if (family.groups > 0)
            self->regret += (family.regret - self->regret) / ++self->compared;
          g_array_append_val (self->families, family);
        }
    }
  for (guint i = 0; i < self->predictions->len; i++)
    {
      const ShardwiseRunPrediction *p = &g_array_index (self->predictions, ShardwiseRunPrediction,
                                                        i);

      self->oom_rows += p->run->oom ? 1 : 0;
      self->oom_found += p->run->oom && !p->fits ? 1 : 0;
      self->false_alarms += is_false_alarm (p) ? 1 : 0;
    }
  return self;
}

/**
 * shardwise_validation_free:
 * @self: a validation
 */
void
shardwise_validation_free (ShardwiseValidation *self)
{
  g_ptr_array_unref (self->runs);
  g_array_unref (self->predictions);
  g_array_unref (self->families);
  g_free (self);
}

/* What `validate` prints. */

/* ---- JSON ---- */

static void
add_count (JsonBuilder *builder, const char *name, guint value)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_int_value (builder, value);
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
add_inside (JsonBuilder *builder, const char *name, const ShardwiseRunPrediction *p,
            gboolean memory)
{
  const ShardwiseRun *run = p->run;

  json_builder_set_member_name (builder, name);
  if ((memory ? run->measured_memory_bytes : run->measured_step_s) > 0)
    json_builder_add_boolean_value (builder, is_inside (p, memory));
  else
    json_builder_add_null_value (builder);
}

/* Shares of time and memory; null if nothing was measured. */
static void
add_coverage (JsonBuilder *builder, gboolean timed, double time, gboolean weighed, double memory)
{
  json_builder_set_member_name (builder, "coverage");
  json_builder_begin_object (builder);
  add_optional (builder, "time", timed, time);
  add_optional (builder, "memory", weighed, memory);
  json_builder_end_object (builder);
}

static void
add_text (JsonBuilder *builder, const char *name, const char *value)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_string_value (builder, value);
}

static void
add_errors (JsonBuilder *builder, const char *name, const ShardwiseErrors *errors)
{
  json_builder_set_member_name (builder, name);
  json_builder_begin_object (builder);
  add_count (builder, "rows", errors->rows);
  add_optional (builder, "median", errors->rows > 0, errors->median);
  add_optional (builder, "p90", errors->rows > 0, errors->p90);
  add_optional (builder, "bias", errors->rows > 0, errors->bias);
  json_builder_end_object (builder);
}

static char *
note_of (const ShardwiseRunPrediction *p)
{
  GString *note = g_string_new (NULL);

  if (p->run->recompute_unknown)
    /* Translators: %s is none, selective or full */
    g_string_append_printf (note, _ ("recomputation unknown, inferred from memory: %s"),
                            sw_recompute_names[p->used.recompute]);
  if (p->run->oom)
    shardwise_text_list (note, "%s", _ ("measured: out of memory"));
  else if (!p->run->judged)
    shardwise_text_list (note, "%s", _ ("not evaluated"));
  return g_string_free (note, FALSE);
}

/**
 * shardwise_validation_to_json:
 * @self: a comparison
 *
 * Returns: (transfer full): the object that `validate --json` prints; the "rows" of "macro" count
 * families
 */
JsonNode *
shardwise_validation_to_json (const ShardwiseValidation *self)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();

  g_return_val_if_fail (self != NULL, NULL);

  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "rows");
  json_builder_begin_array (builder);
  for (guint i = 0; i < self->predictions->len; i++)
    {
      const ShardwiseRunPrediction *p = &g_array_index (self->predictions, ShardwiseRunPrediction,
                                                        i);
      const ShardwiseRun *run = p->run;
      g_autofree char *note = note_of (p);

      json_builder_begin_object (builder);
      add_text (builder, "id", run->id);
      add_text (builder, "family", run->family);
      add_optional (builder, "measured_step_s", run->measured_step_s > 0, run->measured_step_s);
      add_optional (builder, "predicted_step_s", TRUE, p->step_s);
      add_optional (builder, "step_low_s", TRUE, p->step_low_s);
      add_optional (builder, "step_high_s", TRUE, p->step_high_s);
      add_inside (builder, "step_inside", p, FALSE);
      add_optional (builder, "measured_memory_gib", run->measured_memory_bytes > 0,
                    run->measured_memory_bytes / SW_GIB);
      add_optional (builder, "predicted_memory_gib", TRUE, p->memory_bytes / SW_GIB);
      add_optional (builder, "memory_low_gib", TRUE, p->memory_low_bytes / SW_GIB);
      add_optional (builder, "memory_high_gib", TRUE, p->memory_high_bytes / SW_GIB);
      add_inside (builder, "memory_inside", p, TRUE);
      json_builder_set_member_name (builder, "fits");
      json_builder_add_boolean_value (builder, p->fits);
      add_text (builder, "note", note);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
  json_builder_set_member_name (builder, "skipped");
  json_builder_begin_array (builder);
  for (guint i = 0; i < self->runs->len; i++)
    {
      const ShardwiseRun *run = g_ptr_array_index (self->runs, i);

      if (run->skip == NULL)
        continue;
      json_builder_begin_object (builder);
      add_text (builder, "id", run->id);
      add_text (builder, "why", run->skip);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
  json_builder_set_member_name (builder, "families");
  json_builder_begin_array (builder);
  for (guint i = 0; i < self->families->len; i++)
    {
      const ShardwiseFamilyErrors *family = &g_array_index (self->families, ShardwiseFamilyErrors,
                                                            i);

      json_builder_begin_object (builder);
      add_text (builder, "family", family->family);
      add_errors (builder, "time", &family->time);
      add_errors (builder, "memory", &family->memory);
      add_coverage (builder, family->time.rows > 0, share_inside (&family->time_coverage),
                    family->memory.rows > 0, share_inside (&family->memory_coverage));
      add_optional (builder, "kendall_tau", family->pairs > 0, family->kendall_tau);
      add_optional (builder, "regret", family->groups > 0, family->regret);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
  json_builder_set_member_name (builder, "macro");
  json_builder_begin_object (builder);
  add_errors (builder, "time", &self->time);
  add_errors (builder, "memory", &self->memory);
  add_coverage (builder, self->time.rows > 0, self->time_coverage, self->memory.rows > 0,
                self->memory_coverage);
  json_builder_end_object (builder);
  json_builder_set_member_name (builder, "oom");
  json_builder_begin_object (builder);
  add_count (builder, "rows", self->oom_rows);
  add_count (builder, "found", self->oom_found);
  add_count (builder, "false_alarms", self->false_alarms);
  json_builder_end_object (builder);
  json_builder_end_object (builder);
  return json_builder_get_root (builder);
}

/* ---- text ---- */

/* For a column of a table. */
typedef struct {
  int width;
  const char *title;
} Title;

/* `width` columns; a dash if there is no value. */
static void
append_cell (GString *out, int width, gboolean known, double value)
{
  if (known)
    g_string_append_printf (out, " %*.1f", width, value);
  else
    shardwise_text_append_cell (out, width + 1, "–");
}

static void
append_titles (GString *out, const Title *titles, guint n)
{
  for (guint i = 0; i < n; i++)
    shardwise_text_append_cell (out, titles[i].width, titles[i].title);
  g_string_append_c (out, '\n');
}

static void
append_rows (GString *out, const ShardwiseValidation *self)
{
  const Title titles[] = {
    { -8, _ ("run") },  { 11, _ ("step, s") }, { 11, _ ("predicted") }, { 11, _ ("low") },
    { 11, _ ("high") }, { 8, _ ("error") },    { 11, _ ("GiB") },       { 11, _ ("predicted") },
    { 8, _ ("low") },   { 8, _ ("high") },     { 8, _ ("error") },
  };

  append_titles (out, titles, G_N_ELEMENTS (titles));
  for (guint i = 0; i < self->predictions->len; i++)
    {
      const ShardwiseRunPrediction *p = &g_array_index (self->predictions, ShardwiseRunPrediction,
                                                        i);
      const ShardwiseRun *run = p->run;
      g_autofree char *note = note_of (p);
      gboolean timed = run->measured_step_s > 0, weighed = run->measured_memory_bytes > 0;

      g_string_append_printf (out, "%-8s", run->id);
      if (timed)
        g_string_append_printf (out, " %10.3f", run->measured_step_s);
      else
        append_cell (out, 10, FALSE, 0);
      g_string_append_printf (out, " %10.3f %10.3f %10.3f", p->step_s, p->step_low_s,
                              p->step_high_s);
      append_cell (out, 7, timed, timed ? 100 * log (p->step_s / run->measured_step_s) : 0);
      append_cell (out, 10, weighed, run->measured_memory_bytes / SW_GIB);
      append_cell (out, 10, TRUE, p->memory_bytes / SW_GIB);
      append_cell (out, 7, TRUE, p->memory_low_bytes / SW_GIB);
      append_cell (out, 7, TRUE, p->memory_high_bytes / SW_GIB);
      append_cell (out, 7, weighed,
                   weighed ? 100 * log (p->memory_bytes / run->measured_memory_bytes) : 0);
      if (!p->fits)
        g_string_append_printf (out, "  %s%s", _ ("does not fit"), *note != '\0' ? ";" : "");
      g_string_append_printf (out, "%s%s\n", *note != '\0' ? (p->fits ? "  " : " ") : "", note);
    }
  g_string_append_c (out, '\n');
}

static void
append_errors (GString *out, const ShardwiseErrors *errors, double inside)
{
  g_string_append_printf (out, " %5u", errors->rows);
  append_cell (out, 7, errors->rows > 0, 100 * errors->median);
  append_cell (out, 7, errors->rows > 0, 100 * errors->p90);
  append_cell (out, 7, errors->rows > 0, 100 * errors->bias);
  append_cell (out, 7, errors->rows > 0, 100 * inside);
  g_string_append (out, "  |");
}

static void
append_ranks (GString *out, guint pairs, double tau, guint groups, double regret)
{
  g_string_append_printf (out, " %5u", pairs);
  if (pairs > 0)
    g_string_append_printf (out, " %7.2f", tau);
  else
    append_cell (out, 7, FALSE, 0);
  append_cell (out, 7, groups > 0, 100 * regret);
  g_string_append_c (out, '\n');
}

static void
append_families (GString *out, const ShardwiseValidation *self)
{
  const Title titles[] = {
    { -8, _ ("family") }, { 6, _ ("time") },   { 8, _ ("median") }, { 8, _ ("p90") },
    { 8, _ ("bias") },    { 8, _ ("inside") }, { 3, "|" },          { 6, _ ("memory") },
    { 8, _ ("median") },  { 8, _ ("p90") },    { 8, _ ("bias") },   { 8, _ ("inside") },
    { 3, "|" },           { 6, _ ("pairs") },  { 8, _ ("tau") },    { 8, _ ("regret") },
  };

  g_string_append (out, _ ("Errors |ln (predicted / measured)|, in percent; bias is signed; "
                           "inside: percent of the runs within the interval"));
  g_string_append_c (out, '\n');
  append_titles (out, titles, G_N_ELEMENTS (titles));
  for (guint i = 0; i < self->families->len; i++)
    {
      const ShardwiseFamilyErrors *f = &g_array_index (self->families, ShardwiseFamilyErrors, i);

      g_string_append_printf (out, "%-8s", f->family);
      append_errors (out, &f->time, share_inside (&f->time_coverage));
      append_errors (out, &f->memory, share_inside (&f->memory_coverage));
      append_ranks (out, f->pairs, f->kendall_tau, f->groups, f->regret);
    }
  shardwise_text_append_cell (out, -8, _ ("mean"));
  append_errors (out, &self->time, self->time_coverage);
  append_errors (out, &self->memory, self->memory_coverage);
  append_ranks (out, self->ranked, self->kendall_tau, self->compared, self->regret);
}

/* Ids, separated by spaces. */
static char *
ids_of (const ShardwiseValidation *self, gboolean alarms)
{
  g_autoptr (GString) ids = g_string_new (NULL);

  for (guint i = 0; i < self->predictions->len; i++)
    {
      const ShardwiseRunPrediction *p = &g_array_index (self->predictions, ShardwiseRunPrediction,
                                                        i);

      if (alarms ? is_false_alarm (p) : p->run->oom && p->fits)
        g_string_append_printf (ids, " %s%s", p->run->id, p->run->recompute_unknown ? "?" : "");
    }
  return g_string_free (g_steal_pointer (&ids), FALSE);
}

static void
append_out_of_memory (GString *out, const ShardwiseValidation *self)
{
  g_autofree char *missed = ids_of (self, FALSE), *alarms = ids_of (self, TRUE);

  if (*missed != '\0')
    /* Translators: as the next one, then the ids of the rows that were missed */
    g_string_append_printf (out, _ ("Out-of-memory runs: %u of %u predicted; missed:%s"),
                            self->oom_found, self->oom_rows, missed);
  else
    /* Translators: rows that were measured to run out of memory: how many were predicted to, of how
     * many */
    g_string_append_printf (out, _ ("Out-of-memory runs: %u of %u predicted"), self->oom_found,
                            self->oom_rows);
  g_string_append_c (out, '\n');
  if (*alarms != '\0')
    g_string_append_printf (
        out,
        /* Translators: a number, then ids of rows, some with a question mark */
        ngettext ("%u successful run is predicted not to fit (?: recomputation unknown):%s",
                  "%u successful runs are predicted not to fit (?: recomputation unknown):%s",
                  self->false_alarms),
        self->false_alarms, alarms);
  else
    g_string_append_printf (out,
                            ngettext ("%u successful run is predicted not to fit",
                                      "%u successful runs are predicted not to fit",
                                      self->false_alarms),
                            self->false_alarms);
  g_string_append_c (out, '\n');
}

/**
 * shardwise_validation_to_text:
 * @self: a comparison
 * @rows: whether every row is printed above the families
 *
 * Returns: (transfer full): the families as a table, errors in per cent; then what did not fit and
 * what was skipped
 */
char *
shardwise_validation_to_text (const ShardwiseValidation *self, gboolean rows)
{
  GString *out = g_string_new (NULL);

  g_return_val_if_fail (self != NULL, g_string_free (out, FALSE));

  if (rows)
    append_rows (out, self);
  append_families (out, self);
  append_out_of_memory (out, self);
  for (guint i = 0; i < self->runs->len; i++)
    {
      const ShardwiseRun *run = g_ptr_array_index (self->runs, i);

      if (run->skip == NULL)
        continue;
      /* Translators: the id of a row that was skipped, and why */
      g_string_append_printf (out, _ ("Skipped: %s, %s"), run->id, run->skip);
      g_string_append_c (out, '\n');
    }
  return g_string_free (out, FALSE);
}
