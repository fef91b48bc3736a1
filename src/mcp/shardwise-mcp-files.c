/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tools that read and write files as text, and tools that look up built-in data. They never open a
 * file name. */
#include "shardwise-mcp-files.h"

#include <string.h>

#include "shardwise-atoms.h"
#include "shardwise-catalogue.h"
#include "shardwise-diagnosis.h"
#include "shardwise-export-search.h"
#include "shardwise-format.h"
#include "shardwise-import.h"
#include "shardwise-json.h"
#include "shardwise-log.h"
#include "shardwise-manual.h"
#include "shardwise-resolve.h"
#include "shardwise-text-strategy.h"

#define MOST_FOUND 10
#define EXCERPT 600 /* characters per section of the manual */

/* ---- the catalog ---- */

const char *const shardwise_mcp_catalogues[] = { "model", "gpu", "fabric", NULL };

static const struct {
  GListModel *(*list) (const ShardwiseCatalogue *catalogue);
  void (*add) (JsonObject *object, const char *id);
} catalogues[] = {
  { shardwise_catalogue_models, shardwise_catalogue_add_model },
  { shardwise_catalogue_gpus, shardwise_catalogue_add_gpu },
  { shardwise_catalogue_networks, shardwise_catalogue_add_network },
};

static gboolean
matches (const char *words, const char *id, const char *name)
{
  g_autofree char *all = g_strconcat (id, " ", name, NULL);

  return shardwise_text_has_words (all, words);
}

/**
 * shardwise_mcp_catalogue:
 * @kind: one of shardwise_mcp_catalogues
 * @words: text that the id or the name must contain; "": anything
 *
 * Returns: (transfer full): the entries as objects
 */
JsonArray *
shardwise_mcp_catalogue (const char *kind, const char *words)
{
  const int which = sw_name_index (shardwise_mcp_catalogues, kind);
  JsonArray *array = json_array_new ();
  g_autoptr (GListModel) entries = NULL;

  g_return_val_if_fail (which >= 0, array);

  entries = catalogues[which].list (shardwise_catalogue_get ());
  for (guint i = 0; i < g_list_model_get_n_items (entries); i++)
    {
      g_autoptr (ShardwiseCatalogueEntry) entry = g_list_model_get_item (entries, i);
      g_autofree char *id = NULL, *name = NULL, *subtitle = NULL;
      JsonObject *row;

      g_object_get (entry, "id", &id, "name", &name, "subtitle", &subtitle, NULL);
      if (!matches (words, id, name))
        continue;
      row = json_object_new ();
      json_object_set_string_member (row, "id", id);
      json_object_set_string_member (row, "name", name);
      json_object_set_string_member (row, "text", subtitle != NULL ? subtitle : "");
      catalogues[which].add (row, id);
      json_array_add_object_element (array, row);
    }
  return array;
}

JsonObject *
shardwise_mcp_find (ShardwiseMcpCall *call, GError **error)
{
  JsonArray *found = shardwise_mcp_catalogue (shardwise_mcp_text (call, "kind", NULL),
                                              shardwise_mcp_text (call, "words", ""));
  JsonObject *object = json_object_new ();

  json_object_set_int_member (object, "matches", json_array_get_length (found));
  json_object_set_array_member (object, "found", found);
  return object;
}

/* ---- models ---- */

JsonObject *
shardwise_mcp_describe (ShardwiseMcpCall *call, GError **error)
{
  const char *config = shardwise_mcp_text (call, "config", NULL),
             *id = shardwise_mcp_text (call, "model", NULL);
  g_autoptr (ShardwiseImport) import = NULL;
  g_autoptr (ShardwiseScenario) scenario = NULL;
  g_autoptr (GPtrArray) notes = g_ptr_array_new_with_free_func (g_free);
  const SwParameterCount *count;
  const SwModelSpec *model;
  g_autofree char *sum = NULL, *total = NULL, *layer = NULL, *ends = NULL, *states = NULL;
  JsonObject *object;
  SwProblem problem;

  if ((config == NULL) == (id == NULL))
    {
      g_propagate_error (error, shardwise_error_new (SHARDWISE_ERROR_MISSING, "config", "%s",
                                                     "specify either “config” or “model”"));
      return NULL;
    }
  if (config != NULL)
    {
      import = shardwise_import_read (config, (gssize) strlen (config), "config.json", NULL, error);
      if (import == NULL)
        return NULL;
      scenario = g_object_ref (import->scenario);
    }
  else
    {
      scenario = shardwise_scenario_new ();
      if (!shardwise_scenario_set (scenario, SHARDWISE_KEY_MODEL_PRESET, g_variant_new_string (id),
                                   error))
        return NULL;
    }
  if (!shardwise_scenario_resolve_on (scenario, 8, &problem, error))
    return NULL;
  model = &problem.model;
  count = &problem.count;
  object = json_object_new ();
  json_object_set_string_member (object, "name", model->name);
  json_object_set_string_member (object, "kind", sw_model_kind_names[model->kind]);
  json_object_set_double_member (object, "parameters_b", count->total / 1e9);
  json_object_set_double_member (object, "active_parameters_b", count->active / 1e9);
  json_object_set_double_member (object, "embedding_b", (count->embedding + count->head) / 1e9);
  json_object_set_double_member (object, "layer_m", count->dense_layer / 1e6);
  json_object_set_double_member (object, "moe_layer_m", count->moe_layer / 1e6);
  json_object_set_double_member (object, "attention_m", count->attention / 1e6);
  json_object_set_double_member (object, "mlp_m", count->dense_mlp / 1e6);
  json_object_set_double_member (object, "expert_m", count->expert / 1e6);
  json_object_set_double_member (object, "norms_m", count->norms / 1e6);
  json_object_set_int_member (object, "layers", model->layers);
  json_object_set_int_member (object, "hidden_size", model->hidden_size);
  json_object_set_int_member (object, "intermediate_size", model->intermediate_size);
  json_object_set_int_member (object, "attention_heads", model->attention_heads);
  json_object_set_int_member (object, "kv_heads", model->kv_heads);
  json_object_set_int_member (object, "head_dim", model->head_dim);
  json_object_set_int_member (object, "vocab_size", model->vocab_size);
  json_object_set_int_member (object, "max_position_embeddings", model->max_position_embeddings);
  json_object_set_boolean_member (object, "gated_mlp", model->gated_mlp);
  json_object_set_boolean_member (object, "tied_embeddings", model->tied_embeddings);
  json_object_set_int_member (object, "experts", model->moe.experts);
  json_object_set_int_member (object, "experts_of_a_token", model->moe.top_k);
  json_object_set_boolean_member (object, "approximated", model->approximated);
  total = shardwise_format_count (count->total);
  layer = shardwise_format_count (count->dense_layer);
  ends = shardwise_format_count (count->embedding + count->head);
  if (sw_model_moe_layers (model) == 0)
    sum = g_strdup_printf ("%s parameters = %u layers × %s + %s for embedding and head", total,
                           model->layers, layer, ends);
  else
    {
      g_autofree char *moe = shardwise_format_count (count->moe_layer);

      sum = g_strdup_printf ("%s parameters = %u layers × %s + %u layers with experts × %s + %s "
                             "for embedding and head",
                             total, model->layers - sw_model_moe_layers (model), layer,
                             sw_model_moe_layers (model), moe, ends);
    }
  states = g_strdup_printf (
      "Unsharded: weights in bf16 %.4g GB; full training with AdamW at 16 bytes a parameter %.4g "
      "GB, at 18 (fp32 gradients) %.4g GB; with 8-bit Adam and no master weights, 6 bytes, %.4g GB",
      count->total * 2 / 1e9, count->total * 16 / 1e9, count->total * 18 / 1e9,
      count->total * 6 / 1e9);
  json_object_set_string_member (object, "sum", sum);
  json_object_set_string_member (object, "states", states);
  json_object_set_array_member (object, "warnings",
                                shardwise_json_strings (import != NULL ? import->warnings : notes));
  if (import == NULL && model->approximated)
    {
      g_autofree char *how = shardwise_catalogue_model_approximation (shardwise_catalogue_get (),
                                                                      model->id);

      if (how != NULL)
        json_array_add_string_element (json_object_get_array_member (object, "warnings"), how);
    }
  return object;
}

/* ---- jobs ---- */

/* Reads the files of a call; NULL with an error. */
static ShardwiseImport *
read_files (ShardwiseMcpCall *call, GError **error)
{
  JsonArray *files = json_object_get_array_member (call->arguments, "files");
  const guint n = json_array_get_length (files);
  g_autofree ShardwiseImportText *texts = g_new0 (ShardwiseImportText, n);

  for (guint i = 0; i < n; i++)
    {
      JsonObject *file = json_array_get_object_element (files, i);

      texts[i].text = json_object_get_string_member (file, "text");
      texts[i].length = strlen (texts[i].text);
      texts[i].name = json_object_get_string_member_with_default (file, "name", "");
    }
  return shardwise_import_read_job (texts, n, call->scenario, error);
}

JsonObject *
shardwise_mcp_import (ShardwiseMcpCall *call, GError **error)
{
  g_autoptr (ShardwiseImport) import = read_files (call, error);

  return import != NULL ? shardwise_json_into_object (shardwise_import_all_to_json (import, NULL))
                        : NULL;
}

/* The speed and memory in the lines of a log. */
static JsonObject *
log_object (const ShardwiseLog *log)
{
  JsonObject *object = json_object_new ();
  g_autoptr (GString) text = g_string_new (NULL);

  json_object_set_string_member (object, "kind", "log");
  if (log->framework != NULL)
    g_string_append_printf (text, "%s; ", log->framework);
  if (log->step_s > 0)
    g_string_append_printf (text, "measured step %.4g s; ", log->step_s);
  if (log->tokens_per_s_per_gpu > 0)
    g_string_append_printf (text, "measured %.4g tokens/s per GPU; ", log->tokens_per_s_per_gpu);
  if (log->global_batch > 0)
    g_string_append_printf (text, "global batch %u; ", log->global_batch);
  if (log->memory_gib > 0)
    g_string_append_printf (text, "memory %.4g GiB; ", log->memory_gib);
  g_string_append (text, "compare it with “estimate” of the same job");
  json_object_set_string_member (object, "log", text->str);
  json_object_set_array_member (object, "warnings", json_array_new ());
  json_object_set_array_member (object, "diagnosis", json_array_new ());
  return object;
}

JsonObject *
shardwise_mcp_diagnose (ShardwiseMcpCall *call, GError **error)
{
  g_autoptr (GError) unread = NULL;
  g_autoptr (ShardwiseImport) import = read_files (call, &unread);
  g_autoptr (GPtrArray) findings = NULL;
  JsonArray *files = json_object_get_array_member (call->arguments, "files");
  const char *first = json_object_get_string_member (json_array_get_object_element (files, 0),
                                                     "text");
  ShardwiseLog log;

  if (import == NULL && shardwise_log_read (first, (gssize) strlen (first), &log, NULL))
    return log_object (&log);
  if (import == NULL)
    {
      g_propagate_error (error, g_steal_pointer (&unread));
      return NULL;
    }
  if (shardwise_import_is_job (import->kind))
    findings = shardwise_diagnose (import->scenario, import->kind, call->cancellable, NULL);
  return shardwise_json_into_object (shardwise_import_all_to_json (import, findings));
}

/* ---- exports ---- */

JsonObject *
shardwise_mcp_export (ShardwiseMcpCall *call, GError **error)
{
  const ShardwiseFormatInfo *info = shardwise_format_find (shardwise_mcp_text (call, "to", NULL));
  const char *launcher = shardwise_mcp_text (call, "launcher", NULL);
  g_autoptr (ShardwiseExport) export = NULL;
  g_autofree char *text = NULL;
  JsonObject *object;
  SwEstimate estimate;

  export = shardwise_export_best (info->format, call->scenario, call->cancellable, &estimate,
                                  error);
  if (export == NULL)
    return NULL;
  if (launcher != NULL)
    shardwise_export_bundle (export, shardwise_format_find (launcher)->format);
  object = shardwise_json_into_object (shardwise_export_to_json (export));
  text = shardwise_text_strategy (&estimate.strategy);
  json_object_set_string_member (object, "strategy", text);
  json_object_set_string_member (object, "fit", sw_fit_names[estimate.fit]);
  return object;
}

/* ---- the manual ---- */

JsonObject *
shardwise_mcp_manual (ShardwiseMcpCall *call, GError **error)
{
  ShardwiseManual *manual = shardwise_manual_new ();
  g_autoptr (GPtrArray) hits = shardwise_manual_search (manual,
                                                        shardwise_mcp_text (call, "words", ""));
  JsonObject *object = json_object_new ();
  JsonArray *rows = json_array_new ();

  for (guint i = 0; i < MIN (hits->len, MOST_FOUND); i++)
    {
      const ShardwiseManualHit *hit = g_ptr_array_index (hits, i);
      const glong length = g_utf8_strlen (hit->text, -1);
      g_autofree char *text = g_utf8_substring (hit->text, 0, MIN (length, EXCERPT)),
                      *page = g_strndup (hit->topic, strcspn (hit->topic, "#")),
                      *uri = g_strdup_printf ("shardwise://manual/%s", page);
      JsonObject *row = json_object_new ();

      json_object_set_string_member (row, "title", hit->title);
      json_object_set_string_member (row, "text", text);
      json_object_set_string_member (row, "uri", uri);
      json_array_add_object_element (rows, row);
    }
  json_object_set_array_member (object, "found", rows);
  shardwise_manual_free (manual);
  return object;
}
