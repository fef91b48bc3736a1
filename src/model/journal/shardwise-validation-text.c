/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `validate` prints. */
#include "shardwise-validation.h"

#include "shardwise-format.h"

#include <glib/gi18n.h>
#include <math.h>

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
add_errors (JsonBuilder *builder, const char *name, const ShardwiseErrors *errors)
{
  json_builder_set_member_name (builder, name);
  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "rows");
  json_builder_add_int_value (builder, errors->rows);
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
    g_string_append_printf (note, _ ("recomputation not stated, inferred from memory: %s"),
                            sw_recompute_names[p->used.recompute]);
  if (p->run->oom)
    g_string_append_printf (note, "%s%s", note->len > 0 ? "; " : "", _ ("measured not to fit"));
  else if (!p->run->judged)
    g_string_append_printf (note, "%s%s", note->len > 0 ? "; " : "", _ ("not judged"));
  return g_string_free (note, FALSE);
}

static void
add_row (JsonBuilder *builder, const ShardwiseRunPrediction *p)
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
add_family (JsonBuilder *builder, const ShardwiseFamilyErrors *family)
{
  json_builder_begin_object (builder);
  add_text (builder, "family", family->family);
  add_errors (builder, "time", &family->time);
  add_errors (builder, "memory", &family->memory);
  add_optional (builder, "kendall_tau", family->pairs > 0, family->kendall_tau);
  add_optional (builder, "regret", family->groups > 0, family->regret);
  json_builder_end_object (builder);
}

static void
add_summary (JsonBuilder *builder, const ShardwiseValidation *self)
{
  json_builder_set_member_name (builder, "families");
  json_builder_begin_array (builder);
  for (guint i = 0; i < self->families->len; i++)
    add_family (builder, &g_array_index (self->families, ShardwiseFamilyErrors, i));
  json_builder_end_array (builder);
  json_builder_set_member_name (builder, "macro");
  json_builder_begin_object (builder);
  add_errors (builder, "time", &self->time);
  add_errors (builder, "memory", &self->memory);
  json_builder_end_object (builder);
  json_builder_set_member_name (builder, "oom");
  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "rows");
  json_builder_add_int_value (builder, self->oom_rows);
  json_builder_set_member_name (builder, "found");
  json_builder_add_int_value (builder, self->oom_found);
  json_builder_set_member_name (builder, "false_alarms");
  json_builder_add_int_value (builder, self->false_alarms);
  json_builder_end_object (builder);
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
    add_row (builder, &g_array_index (self->predictions, ShardwiseRunPrediction, i));
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
  add_summary (builder, self);
  json_builder_end_object (builder);
  return json_builder_get_root (builder);
}

/* ---- text ---- */

/* `width` columns; a dash where there is nothing to say. */
static void
append_cell (GString *out, int width, gboolean known, double value)
{
  if (known)
    g_string_append_printf (out, " %*.1f", width, value);
  else
    shardwise_text_append_cell (out, width + 1, "–");
}

static void
append_row (GString *out, const ShardwiseRunPrediction *p)
{
  const ShardwiseRun *run = p->run;
  g_autofree char *note = note_of (p);
  gboolean timed = run->measured_step_s > 0, weighed = run->measured_memory_bytes > 0;

  g_string_append_printf (out, "%-8s", run->id);
  if (timed)
    g_string_append_printf (out, " %10.3f", run->measured_step_s);
  else
    append_cell (out, 10, FALSE, 0);
  g_string_append_printf (out, " %10.3f", p->step_s);
  append_cell (out, 7, timed, timed ? 100 * log (p->step_s / run->measured_step_s) : 0);
  append_cell (out, 10, weighed, run->measured_memory_bytes / SW_GIB);
  append_cell (out, 10, TRUE, p->memory_bytes / SW_GIB);
  append_cell (out, 7, weighed,
               weighed ? 100 * log (p->memory_bytes / run->measured_memory_bytes) : 0);
  if (!p->fits)
    g_string_append_printf (out, "  %s%s", _ ("does not fit"), *note != '\0' ? ";" : "");
  g_string_append_printf (out, "%s%s\n", *note != '\0' ? (p->fits ? "  " : " ") : "", note);
}

static void
append_rows (GString *out, const ShardwiseValidation *self)
{
  const struct {
    int width;
    const char *title;
  } columns[] = {
    { -8, _ ("run") }, { 11, _ ("step, s") },   { 11, _ ("predicted") }, { 8, _ ("error") },
    { 11, _ ("GiB") }, { 11, _ ("predicted") }, { 8, _ ("error") },
  };

  for (guint i = 0; i < G_N_ELEMENTS (columns); i++)
    shardwise_text_append_cell (out, columns[i].width, columns[i].title);
  g_string_append_c (out, '\n');
  for (guint i = 0; i < self->predictions->len; i++)
    append_row (out, &g_array_index (self->predictions, ShardwiseRunPrediction, i));
  g_string_append_c (out, '\n');
}

static void
append_errors (GString *out, const ShardwiseErrors *errors)
{
  g_string_append_printf (out, " %5u", errors->rows);
  append_cell (out, 7, errors->rows > 0, 100 * errors->median);
  append_cell (out, 7, errors->rows > 0, 100 * errors->p90);
  append_cell (out, 7, errors->rows > 0, 100 * errors->bias);
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
append_family_titles (GString *out)
{
  const struct {
    int width;
    const char *title;
  } columns[] = {
    { -8, _ ("family") }, { 6, _ ("time") },   { 8, _ ("median") }, { 8, _ ("p90") },
    { 8, _ ("bias") },    { 3, "|" },          { 6, _ ("memory") }, { 8, _ ("median") },
    { 8, _ ("p90") },     { 8, _ ("bias") },   { 3, "|" },          { 6, _ ("pairs") },
    { 8, _ ("tau") },     { 8, _ ("regret") },
  };

  g_string_append_c (out, '\n');
  for (guint i = 0; i < G_N_ELEMENTS (columns); i++)
    shardwise_text_append_cell (out, columns[i].width, columns[i].title);
  g_string_append_c (out, '\n');
}

static void
append_families (GString *out, const ShardwiseValidation *self)
{
  g_string_append (out, _ ("Errors |ln (predicted / measured)|, per cent; bias with its sign"));
  append_family_titles (out);
  for (guint i = 0; i < self->families->len; i++)
    {
      const ShardwiseFamilyErrors *f = &g_array_index (self->families, ShardwiseFamilyErrors, i);

      g_string_append_printf (out, "%-8s", f->family);
      append_errors (out, &f->time);
      append_errors (out, &f->memory);
      append_ranks (out, f->pairs, f->kendall_tau, f->groups, f->regret);
    }
  shardwise_text_append_cell (out, -8, _ ("mean"));
  append_errors (out, &self->time);
  append_errors (out, &self->memory);
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

      if (alarms ? shardwise_validation_is_false_alarm (p) : p->run->oom && p->fits)
        g_string_append_printf (ids, " %s%s", p->run->id, p->run->recompute_unknown ? "?" : "");
    }
  return g_string_free (g_steal_pointer (&ids), FALSE);
}

static void
append_out_of_memory (GString *out, const ShardwiseValidation *self)
{
  g_autofree char *missed = ids_of (self, FALSE), *alarms = ids_of (self, TRUE);

  /* Translators: rows that were measured to run out of memory: how many were predicted to, of how
   * many */
  g_string_append_printf (out, _ ("Out of memory: %u of %u found"), self->oom_found,
                          self->oom_rows);
  if (*missed != '\0')
    /* Translators: ids of rows */
    g_string_append_printf (out, _ ("; not found:%s"), missed);
  g_string_append_c (out, '\n');
  g_string_append_printf (out,
                          ngettext ("%u run that ran is predicted not to fit",
                                    "%u runs that ran are predicted not to fit",
                                    self->false_alarms),
                          self->false_alarms);
  if (*alarms != '\0')
    /* Translators: ids of rows, some with a question mark */
    g_string_append_printf (out, _ (" (?: recomputation not stated):%s"), alarms);
  g_string_append_c (out, '\n');
}

static void
append_skipped (GString *out, const ShardwiseValidation *self)
{
  for (guint i = 0; i < self->runs->len; i++)
    {
      const ShardwiseRun *run = g_ptr_array_index (self->runs, i);

      if (run->skip == NULL)
        continue;
      /* Translators: the id of a row that was skipped, and why */
      g_string_append_printf (out, _ ("Skipped: %s, %s"), run->id, run->skip);
      g_string_append_c (out, '\n');
    }
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
  append_skipped (out, self);
  return g_string_free (out, FALSE);
}
