/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is to be said of a job: whether it is valid, whether it fits, where its time goes. */
#include "shardwise-diagnosis-private.h"

#include <glib/gi18n.h>
#include <string.h>

#include "shardwise-estimate.h"
#include "shardwise-resolve.h"
#include "shardwise-text-advice.h"
#include "shardwise-format.h"
#include "shardwise-text-search.h"

#define WORTH_NAMING 0.01

static ShardwiseFinding *
add (ShardwiseDiagnosis *self, ShardwiseSeverity severity, const char *code, char *text,
     char *effect)
{
  ShardwiseFinding *finding = shardwise_finding_new (severity, code, text, effect);

  g_ptr_array_add (self->findings, finding);
  return finding;
}

/* ---- validity ---- */

/**
 * shardwise_import_format:
 * @kind: of a file
 * @scenario: what was read from it
 *
 * Returns: (transfer none) (nullable): the export that writes such a job, whose rules are those of
 * its framework
 */
const ShardwiseFormatInfo *
shardwise_import_format (ShardwiseImportKind kind, ShardwiseScenario *scenario)
{
  g_autofree char *framework = shardwise_scenario_get_string (scenario, "training.framework");

  switch (kind)
    {
    case SHARDWISE_IMPORT_DEEPSPEED: return shardwise_format_info (SHARDWISE_FORMAT_DEEPSPEED);
    case SHARDWISE_IMPORT_NANOTRON: return shardwise_format_info (SHARDWISE_FORMAT_NANOTRON);
    case SHARDWISE_IMPORT_MEGATRON:
    case SHARDWISE_IMPORT_BRIDGE: /* whose own rules are on models, which a job is beyond */
      return shardwise_format_info (SHARDWISE_FORMAT_MEGATRON);
    case SHARDWISE_IMPORT_TORCHTITAN: return shardwise_format_info (SHARDWISE_FORMAT_TORCHTITAN);
    case SHARDWISE_IMPORT_TORCHTITAN_MAIN:
      return shardwise_format_info (SHARDWISE_FORMAT_TORCHTITAN_MAIN);
    case SHARDWISE_IMPORT_ACCELERATE: return shardwise_format_info (SHARDWISE_FORMAT_ACCELERATE);
    case SHARDWISE_IMPORT_PYTORCH:
      return shardwise_format_info (g_strcmp0 (framework, "fsdp") == 0 ? SHARDWISE_FORMAT_FSDP1
                                                                       : SHARDWISE_FORMAT_FSDP2);
    case SHARDWISE_IMPORT_SCENARIO:
    case SHARDWISE_IMPORT_CONFIG:
    case SHARDWISE_IMPORT_PARAMS:
    case SHARDWISE_IMPORT_UNKNOWN:
    default: return NULL;
    }
}

/* Rules on the strategy are the framework's; those on the model or the training may be of what we
 * write for it, and a job that exists is beyond them. */
gboolean
shardwise_diagnosis_allows (const ShardwiseDiagnosis *self, const SwProblem *problem,
                            const SwStrategy *strategy, GError **error)
{
  g_autoptr (GError) refusal = NULL;
  const char *path;

  if (self->format == NULL || (self->format->profiles & (1u << problem->training.framework)) == 0)
    return TRUE;
  if (shardwise_export_runs (self->format, problem, strategy, &refusal))
    return TRUE;
  path = shardwise_error_path (refusal);
  if (path == NULL || !g_str_has_prefix (path, "strategy."))
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&refusal));
  return FALSE;
}

/**
 * shardwise_describe_error:
 * @path: (nullable): the key path of an error
 * @message: its message, which begins with the path
 *
 * Returns: (transfer full): the message as a person reads it, with the title of the input instead
 */
char *
shardwise_describe_error (const char *path, const char *message)
{
  const ShardwiseKey *key = path != NULL ? shardwise_key_find (path) : NULL;
  gsize length = path != NULL ? strlen (path) : 0;

  g_return_val_if_fail (message != NULL, NULL);

  if (key == NULL || strncmp (message, path, length) != 0 || message[length] != ':')
    return g_strdup (message);
  /* Translators: the title of an input, and what is wrong with it */
  return g_strdup_printf (_ ("%s: %s"), _ (key->title), message + length + 2);
}

static char *
readable (const GError *error)
{
  return shardwise_describe_error (shardwise_error_path (error), error->message);
}

static gboolean
is_memory_rule (SwRule rule)
{
  return rule == SW_RULE_OK || rule == SW_RULE_GPU_MEMORY || rule == SW_RULE_HOST_MEMORY;
}

static void
check_rules (ShardwiseDiagnosis *self)
{
  const SwEstimate *now = &self->now;
  g_autoptr (GError) refusal = NULL;

  if (!is_memory_rule (now->rule))
    add (self, SHARDWISE_SEVERITY_ERROR, sw_rule_names[now->rule],
         shardwise_text_rule (&self->problem, &now->strategy, now->rule, now->missing_bytes), NULL);
  else if (!shardwise_diagnosis_allows (self, &self->problem, &now->strategy, &refusal))
    add (self, SHARDWISE_SEVERITY_ERROR, "framework-rule", readable (refusal), NULL);
}

/* ---- memory ---- */

static char *
memory_text (const SwEstimate *now)
{
  g_autofree char *total = shardwise_format_bytes (now->memory.peak.total),
                  *usable = shardwise_format_bytes (now->usable_bytes),
                  *share = shardwise_format_percent (now->memory_utilisation);

  /* Translators: memory, the memory there is, a share in percent */
  return g_strdup_printf (_ ("%s of %s on the fullest GPU, %s"), total, usable, share);
}

/* Why it does not fit: what holds the memory. */
static char *
overflow_text (const SwEstimate *now)
{
  const SwMemoryParts *peak = &now->memory.peak;
  g_autofree char *states =
      shardwise_format_bytes (peak->parameters + peak->gradients + peak->optimizer);
  g_autofree char *activations = shardwise_format_bytes (peak->activations + peak->logits);

  /* Translators: two amounts of memory */
  return g_strdup_printf (_ ("The job runs out of memory: %s of weights, gradients and optimizer "
                             "states, %s of activations."),
                          states, activations);
}

static void
check_memory (ShardwiseDiagnosis *self)
{
  const SwEstimate *now = &self->now;

  if (!is_memory_rule (now->rule))
    return;
  if (now->rule == SW_RULE_HOST_MEMORY)
    add (self, SHARDWISE_SEVERITY_ERROR, "host-memory",
         shardwise_text_rule (&self->problem, &now->strategy, now->rule, now->missing_bytes),
         memory_text (now));
  if (now->memory.peak.total > now->usable_bytes)
    add (self, SHARDWISE_SEVERITY_ERROR, "does-not-fit", overflow_text (now), memory_text (now));
  else if (now->rule == SW_RULE_GPU_MEMORY)
    add (self, SHARDWISE_SEVERITY_WARNING, "memory-target",
         g_strdup (_ ("The job fits, but takes more than the memory target leaves it.")),
         memory_text (now));
  else if (now->rule == SW_RULE_OK)
    add (self, SHARDWISE_SEVERITY_INFO, "fits", g_strdup (_ ("The job fits in memory.")),
         memory_text (now));
}

/* ---- time ---- */

typedef struct {
  const char *name;
  double seconds;
} Part;

static int
by_time (gconstpointer a, gconstpointer b)
{
  const Part *x = a, *y = b;

  return x->seconds < y->seconds ? 1 : x->seconds > y->seconds ? -1 : 0;
}

/* "compute 71 %, tensor-parallel communication 12 %, …": the four greatest. */
static char *
shares_of (const SwTime *time)
{
  Part parts[] = {
    { _ ("compute"), time->compute_s - time->recompute_s },
    { _ ("recomputation"), time->recompute_s },
    { _ ("tensor-parallel communication"), time->tp_exposed_s },
    { _ ("context-parallel communication"), time->cp_exposed_s },
    { _ ("expert-parallel communication"), time->ep_exposed_s },
    { _ ("communication between stages"), time->pp_exposed_s },
    { _ ("data-parallel communication"), time->dp_exposed_s },
    { _ ("pipeline bubble"), time->bubble_s },
    { _ ("optimizer"), time->optimizer_s },
    { _ ("offload"), time->offload_exposed_s },
    { _ ("other"), time->other_s },
  };
  GString *text = g_string_new (NULL);

  qsort (parts, G_N_ELEMENTS (parts), sizeof parts[0], by_time);
  for (guint i = 0; i < 4 && parts[i].seconds > WORTH_NAMING * time->step_s; i++)
    {
      g_autofree char *share = shardwise_format_percent (parts[i].seconds / time->step_s);

      /* Translators: a part of the step and its share */
      g_string_append_printf (text, i > 0 ? ", %s %s" : "%s %s", parts[i].name, share);
    }
  return g_string_free (text, FALSE);
}

static void
check_time (ShardwiseDiagnosis *self)
{
  const SwEstimate *now = &self->now;
  g_autofree char *step = NULL, *shares = NULL, *rate = NULL, *mfu = NULL;
  guint set;

  if (!is_memory_rule (now->rule) || now->time.step_s <= 0)
    return;
  step = shardwise_format_seconds (now->time.step_s);
  shares = shares_of (&now->time);
  rate = shardwise_format_count (now->tokens_per_s);
  mfu = shardwise_format_percent (now->mfu);
  add (self, SHARDWISE_SEVERITY_INFO, "time",
       now->memory.peak.total > now->usable_bytes
           /* Translators: duration of a step, then its parts with their shares */
           ? g_strdup_printf (_ ("With enough memory a step would take %s: %s."), step, shares)
           /* Translators: duration of a step, then its parts with their shares */
           : g_strdup_printf (_ ("A step takes %s: %s."), step, shares),
       /* Translators: a rate, a share */
       g_strdup_printf (_ ("%s tokens/s, MFU %s"), rate, mfu));
  set = now->fits ? sw_estimate_advice (&self->problem, now) & ~(1u << SW_ADVICE_MEMORY_HIGH) : 0;
  for (SwAdviceCode code = 0; code < SW_N_ADVICE; code++)
    if ((set & (1u << code)) != 0
        && (shardwise_advice_severity (code) == SHARDWISE_SEVERITY_WARNING
            || code == SW_ADVICE_GPUS_IDLE))
      {
        ShardwiseEffect effect;

        shardwise_what_if_advised (&self->problem, now, code, &effect);
        add (self, SHARDWISE_SEVERITY_WARNING, sw_advice_names[code],
             shardwise_text_advice (&self->problem, now, code, &effect), NULL);
      }
}

/* ---- the job as it is ---- */

/* What the job leaves open is chosen for it, as its framework runs it; where every choice breaks a
 * rule, what it pins. */
static void
find_now (ShardwiseDiagnosis *self)
{
  const SwSearchOptions options = { .top = 1 };
  g_autoptr (GPtrArray) notes = NULL;
  SwSearchResult result;
  SwProblem problem;

  if (shardwise_estimate_scenario (self->scenario, &problem, &self->now, &notes, NULL)
      && self->now.fits)
    return;
  if (shardwise_diagnosis_search (self, &self->problem, &self->now))
    return;
  sw_search (&self->problem, &options, &result);
  if (result.n_best > 0)
    sw_estimate (&self->problem, &result.best[0].strategy, &self->now);
  else if (result.n_nearest > 0)
    sw_estimate (&self->problem, &result.nearest[0].strategy, &self->now);
  else if (self->now.strategy.tp == 0)
    {
      SwStrategy strategy = self->problem.pins.value;

      strategy.framework = (guint8) self->problem.training.framework;
      strategy.micro_batch = MAX (1, strategy.micro_batch);
      sw_estimate (&self->problem, &strategy, &self->now);
    }
  sw_search_result_clear (&result);
}

static void
run (ShardwiseDiagnosis *self)
{
  shardwise_diagnosis_use_all_gpus (self);
  find_now (self);
  check_rules (self);
  check_memory (self);
  check_time (self);
  shardwise_diagnosis_add_changes (self);
}

/* A job whose degrees contradict each other, or its GPUs, has no figures; without its pins it has.
 */
static void
run_without_pins (ShardwiseDiagnosis *self)
{
  g_autoptr (ShardwiseScenario) copy = shardwise_scenario_copy (self->scenario);
  guint n_keys;
  const ShardwiseKey *keys = shardwise_keys (&n_keys);

  for (guint i = 0; i < n_keys; i++)
    if (g_str_has_prefix (keys[i].path, "strategy."))
      shardwise_scenario_reset (copy, keys[i].path);
  if (!shardwise_scenario_resolve (copy, &self->problem, NULL, NULL))
    return;
  self->now.rule = SW_RULE_WORLD_SIZE;
  shardwise_diagnosis_add_changes (self);
}

/**
 * shardwise_diagnose:
 * @scenario: of a job; not changed. Another thread must not change it meanwhile: hand in a copy
 * @kind: what the job was read from, for the rules of its framework
 * @cancellable: (nullable): stops it between two searches
 *
 * Says what is wrong with the job, whether it fits, where its time goes, and which changes gain the
 * most, each with the effect that the engine computes for it.
 *
 * Returns: (transfer full): of ShardwiseFinding, in that order; %NULL with @error where the work
 * was cancelled
 */
GPtrArray *
shardwise_diagnose (ShardwiseScenario *scenario, ShardwiseImportKind kind,
                    GCancellable *cancellable, GError **error)
{
  g_autoptr (GPtrArray) findings = g_ptr_array_new_with_free_func (shardwise_finding_free);
  g_autofree ShardwiseDiagnosis *self = g_new0 (ShardwiseDiagnosis, 1);
  g_autoptr (GError) unresolved = NULL;

  g_return_val_if_fail (SHARDWISE_IS_SCENARIO (scenario), NULL);

  *self = (ShardwiseDiagnosis){ .scenario = scenario,
                                .format = shardwise_import_format (kind, scenario),
                                .cancellable = cancellable,
                                .findings = findings };
  if (shardwise_diagnosis_check_world (self))
    run_without_pins (self);
  else if (shardwise_scenario_resolve (scenario, &self->problem, NULL, &unresolved))
    run (self);
  else
    {
      add (self, SHARDWISE_SEVERITY_ERROR, "inconsistent", readable (unresolved), NULL);
      run_without_pins (self);
    }
  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    return NULL;
  return g_steal_pointer (&findings);
}

/* ---- on a thread ---- */

typedef struct {
  ShardwiseScenario *scenario;
  ShardwiseImportKind kind;
} Request;

static void
request_free (gpointer data)
{
  g_object_unref (((Request *) data)->scenario);
  g_free (data);
}

static void
diagnose_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Request *request = data;
  GError *error = NULL;
  GPtrArray *findings = shardwise_diagnose (request->scenario, request->kind, cancellable, &error);

  if (findings == NULL)
    g_task_return_error (task, error);
  else
    g_task_return_pointer (task, findings, (GDestroyNotify) g_ptr_array_unref);
}

/**
 * shardwise_diagnose_async:
 * @scenario: of a job; a copy is worked on
 * @callback: finishes with shardwise_diagnose_finish()
 *
 * shardwise_diagnose() on a worker thread.
 */
void
shardwise_diagnose_async (ShardwiseScenario *scenario, ShardwiseImportKind kind,
                          GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data)
{
  g_autoptr (GTask) task = g_task_new (NULL, cancellable, callback, data);
  Request *request = g_new (Request, 1);

  *request = (Request){ shardwise_scenario_copy (scenario), kind };
  g_task_set_source_tag (task, shardwise_diagnose_async);
  g_task_set_task_data (task, request, request_free);
  g_task_run_in_thread (task, diagnose_thread);
}

/**
 * shardwise_diagnose_finish:
 *
 * Returns: (transfer full): as shardwise_diagnose()
 */
GPtrArray *
shardwise_diagnose_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}

/* ---- output ---- */

static void
append_json (JsonArray *array, GPtrArray *findings, GPtrArray *said)
{
  for (guint i = 0; findings != NULL && i < findings->len; i++)
    {
      const ShardwiseFinding *finding = g_ptr_array_index (findings, i);
      JsonObject *object;

      if (shardwise_finding_is_said (finding, said))
        continue;
      object = json_object_new ();
      json_object_set_string_member (object, "severity",
                                     shardwise_severity_names[finding->severity]);
      json_object_set_string_member (object, "code", finding->code);
      json_object_set_string_member (object, "text", finding->text);
      json_object_set_string_member (object, "effect",
                                     finding->effect != NULL ? finding->effect : "");
      json_array_add_object_element (array, object);
    }
}

/**
 * shardwise_findings_to_json:
 * @first: (nullable): of ShardwiseFinding
 * @then: of ShardwiseFinding
 *
 * Returns: (transfer full): the "diagnosis" of `import --json`
 */
JsonNode *
shardwise_findings_to_json (GPtrArray *first, GPtrArray *then)
{
  JsonArray *array = json_array_new ();
  JsonNode *node = json_node_init_array (json_node_alloc (), array);

  append_json (array, first, NULL);
  append_json (array, then, first);
  json_array_unref (array);
  return node;
}
