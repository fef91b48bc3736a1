/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The one table of tools, and the structure of their results. Its texts are for programs and are
 * not translated. */
#include "shardwise-mcp-tools.h"

#include <json-glib/json-glib.h>
#include <math.h>
#include <string.h>

#include "shardwise-export-format.h"
#include "shardwise-json.h"
#include "shardwise-mcp-files.h"
#include "shardwise-mcp-job.h"
#include "shardwise-mcp-plans.h"
#include "shardwise-mcp-resources.h"
#include "sw-strategy.h"

/* ---- the shape of an answer ---- */

/* The members of an object, one after another and apart by spaces, of which both its JSON schema and
 * what is taken from a larger object follow:
 *
 *   name:s  name:i  name:n  name:b  name:o    text, whole number, number, truth, any object
 *   name=a|b                                  one of these words
 *   name{…}                                   an object
 *   name[9]{…}  name[9]:s                     an array of at most 9 objects, or of texts; 0: of any
 *
 * A ? behind the name: the member may be absent. A ? behind the kind: it may be null. */

/* Significant digits of numbers: more than any figure is accurate to. */
#define DIGITS 4

static void walk (const char **at, JsonObject *schema, JsonObject *from, JsonObject *to);

static JsonObject *
schema_new (const char *type, gboolean nullable)
{
  JsonObject *schema = json_object_new ();

  if (nullable)
    {
      JsonArray *types = json_array_new ();

      json_array_add_string_element (types, type);
      json_array_add_string_element (types, "null");
      json_object_set_array_member (schema, "type", types);
    }
  else
    json_object_set_string_member (schema, "type", type);
  return schema;
}

static const char *
type_name (char letter)
{
  switch (letter)
    {
    case 's': return "string";
    case 'i': return "integer";
    case 'n': return "number";
    case 'b': return "boolean";
    case 'o': return "object";
    default: g_return_val_if_reached ("string");
    }
}

static double
rounded (double value)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE], format[8];

  g_snprintf (format, sizeof format, "%%.%dg", DIGITS);
  g_ascii_formatd (buffer, sizeof buffer, format, value);
  return g_ascii_strtod (buffer, NULL);
}

/* The value of a member of a kind; NULL if it is of another kind. */
static JsonNode *
value_of (char letter, gboolean nullable, JsonNode *node)
{
  JsonNode *out;

  if (JSON_NODE_HOLDS_NULL (node))
    return nullable ? json_node_new (JSON_NODE_NULL) : NULL;
  if (letter == 'o')
    return JSON_NODE_HOLDS_OBJECT (node) ? json_node_copy (node) : NULL;
  if (!JSON_NODE_HOLDS_VALUE (node))
    return NULL;
  if (json_node_get_value_type (node) != G_TYPE_DOUBLE)
    return json_node_copy (node);
  out = json_node_new (JSON_NODE_VALUE);
  if (letter == 'i')
    json_node_set_int (out, (gint64) round (json_node_get_double (node)));
  else
    json_node_set_double (out, rounded (json_node_get_double (node)));
  return out;
}

static gboolean
take (const char **at, char c)
{
  if (**at != c)
    return FALSE;
  (*at)++;
  return TRUE;
}

/* Parses the part after a name or its brackets; @schema (out) (nullable): for one value. @node:
 * (nullable): the value. Returns (nullable): the selected part. */
static JsonNode *
kind (const char **at, JsonObject **schema, JsonNode *node)
{
  if (take (at, ':'))
    {
      const char letter = *(*at)++;
      const gboolean nullable = take (at, '?');

      if (schema != NULL)
        *schema = schema_new (type_name (letter), nullable);
      return node != NULL ? value_of (letter, nullable, node) : NULL;
    }
  if (take (at, '='))
    {
      const gsize length = strcspn (*at, " }");
      g_autofree char *text = g_strndup (*at, length);
      g_auto (GStrv) words = g_strsplit (text, "|", -1);

      *at += length;
      if (schema != NULL)
        {
          JsonArray *all = json_array_new ();

          for (guint i = 0; words[i] != NULL; i++)
            json_array_add_string_element (all, words[i]);
          *schema = schema_new ("string", FALSE);
          json_object_set_array_member (*schema, "enum", all);
        }
      return node != NULL ? value_of ('s', FALSE, node) : NULL;
    }
  if (take (at, '{'))
    {
      JsonObject *from = node != NULL && JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node)
                                                                       : NULL,
                 *to = from != NULL ? json_object_new () : NULL;
      JsonNode *out = NULL;
      gboolean nullable;

      if (schema != NULL)
        *schema = json_object_new ();
      walk (at, schema != NULL ? *schema : NULL, from, to);
      take (at, '}');
      nullable = take (at, '?');
      if (schema != NULL && nullable)
        {
          JsonObject *held = schema_new ("object", TRUE);

          json_object_set_member (*schema, "type",
                                  json_node_copy (json_object_get_member (held, "type")));
          json_object_unref (held);
        }
      if (to != NULL)
        return shardwise_json_take_object (to);
      if (node != NULL && JSON_NODE_HOLDS_NULL (node) && nullable)
        out = json_node_new (JSON_NODE_NULL);
      return out;
    }
  g_return_val_if_reached (NULL);
}

/* The same for an array, after its bracket. */
static JsonNode *
array (const char **at, JsonObject **schema, JsonNode *node)
{
  const guint64 most = g_ascii_strtoull (*at, (char **) at, 10);
  JsonArray *from = node != NULL && JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node)
                                                                 : NULL,
            *to = from != NULL ? json_array_new () : NULL;
  JsonObject *items = NULL;
  JsonNode *out;
  const char *start;

  take (at, ']');
  start = *at;
  kind (at, schema != NULL ? &items : NULL, NULL);
  if (schema != NULL)
    {
      *schema = schema_new ("array", FALSE);
      json_object_set_object_member (*schema, "items", items);
      if (most > 0)
        json_object_set_int_member (*schema, "maxItems", (gint64) most);
    }
  if (from == NULL)
    return NULL;
  for (guint i = 0; i < json_array_get_length (from) && (most == 0 || i < most); i++)
    {
      const char *again = start;
      JsonNode *one = kind (&again, NULL, json_array_get_element (from, i));

      if (one != NULL)
        json_array_add_element (to, one);
    }
  out = json_node_new (JSON_NODE_ARRAY);
  json_node_take_array (out, to);
  return out;
}

/* Parses members up to the closing brace or the end. @schema: (nullable): receives their schemas.
 * @from: (nullable): the object from which they are copied to @to. */
static void
walk (const char **at, JsonObject *schema, JsonObject *from, JsonObject *to)
{
  JsonObject *properties = schema != NULL ? json_object_new () : NULL;
  JsonArray *required = schema != NULL ? json_array_new () : NULL;

  while (take (at, ' '))
    ;
  while (**at != '\0' && **at != '}')
    {
      const gsize length = strspn (*at, "abcdefghijklmnopqrstuvwxyz_0123456789");
      g_autofree char *name = g_strndup (*at, length);
      JsonNode *node, *taken;
      JsonObject *own = NULL;
      gboolean optional;

      *at += length;
      optional = take (at, '?');
      node = from != NULL ? json_object_get_member (from, name) : NULL;
      taken = take (at, '[') ? array (at, schema != NULL ? &own : NULL, node)
                             : kind (at, schema != NULL ? &own : NULL, node);
      if (schema != NULL)
        {
          json_object_set_object_member (properties, name, own);
          if (!optional)
            json_array_add_string_element (required, name);
        }
      if (taken != NULL)
        json_object_set_member (to, name, taken);
      else if (from != NULL && !optional)
        g_critical ("an answer lacks “%s”", name);
      while (take (at, ' '))
        ;
    }
  if (schema == NULL)
    return;
  json_object_set_string_member (schema, "type", "object");
  json_object_set_object_member (schema, "properties", properties);
  json_object_set_array_member (schema, "required", required);
  json_object_set_boolean_member (schema, "additionalProperties", FALSE);
}

/* ---- tools ---- */

#define SCENARIO(wanted)                                                                           \
  {                                                                                                \
    .name = "scenario", .kind = SHARDWISE_MCP_SCENARIO, .required = wanted,                        \
    .description = "The job as a scenario: model, cluster, training, strategy. Missing values "    \
                   "use their defaults and are listed as assumed."                                 \
  }
/* Only two tools list the accepted values of every key; see scenario_schema(). */
#define SCENARIO_IN_FULL                                                                           \
  {                                                                                                \
    .name = "scenario", .kind = SHARDWISE_MCP_SCENARIO, .required = TRUE, .minimum = 1,            \
    .description = "The job as a scenario. Only model and cluster.gpus have no default."           \
  }
#define CHANGES                                                                                    \
  {                                                                                                \
    .name = "changes", .kind = SHARDWISE_MCP_CHANGES, .required = TRUE,                            \
    .description = "Key path to value, e.g. {\"strategy.tp\": 4}; null resets to the default"      \
  }
#define FILES                                                                                      \
  {                                                                                                \
    .name = "files", .kind = SHARDWISE_MCP_FILES, .required = TRUE,                                \
    .description = "Content of the files of one job, with their names"                             \
  }
#define OF "of=stated|searched "
#define FOUND "found[10]{id:s name:s text:s "

/* The ids of exports, from the table of formats. */
static const char *launchers[SHARDWISE_N_FORMATS + 1], *targets[SHARDWISE_N_FORMATS + 1];

static void
read_formats (void)
{
  static gsize once = 0;
  guint n_targets = 0, n_launchers = 0;

  if (!g_once_init_enter (&once))
    return;
  for (guint i = 0; i < SHARDWISE_N_FORMATS; i++)
    {
      const ShardwiseFormatInfo *info = shardwise_format_info ((ShardwiseFormat) i);

      if (!shardwise_format_is_default (info))
        continue;
      targets[n_targets++] = info->id;
      if (info->launcher)
        launchers[n_launchers++] = info->id;
    }
  g_once_init_leave (&once, 1);
}

static const ShardwiseMcpTool tools[] = {
  { "find",
    "Find a model, GPU or network",
    "IDs of the catalog, for use in scenarios. Matches words of the ID or name.",
    "matches:i " FOUND
    "parameters_b?:n active_parameters_b?:n layers?:i experts?:i memory_gb?:n usable_gib?:n "
    "hbm_gb_s?:n peak_bf16_tflops?:n peak_fp8_tflops?:n gb_per_s_per_gpu?:n}",
    shardwise_mcp_find,
    { { .name = "kind",
        .kind = SHARDWISE_MCP_WORD,
        .required = TRUE,
        .words = shardwise_mcp_catalogues },
      { .name = "words",
        .kind = SHARDWISE_MCP_TEXT,
        .maximum = 200,
        .description = "e.g. \"llama 70b\"; none: all" } } },
  { "describe_model",
    "Describe an architecture",
    "Describes a Hugging Face config.json or a model of the catalog: parameters with their sum, "
    "dimensions, approximations, bytes of its states.",
    "name:s kind:s parameters_b:n active_parameters_b:n embedding_b:n layer_m:n moe_layer_m:n "
    "attention_m:n mlp_m:n expert_m:n norms_m:n layers:i hidden_size:i intermediate_size:i "
    "attention_heads:i kv_heads:i head_dim:i vocab_size:i max_position_embeddings:i gated_mlp:b "
    "tied_embeddings:b experts:i experts_of_a_token:i approximated:b sum:s states:s warnings[8]:s",
    shardwise_mcp_describe,
    { { .name = "config",
        .kind = SHARDWISE_MCP_TEXT,
        .maximum = 1e6,
        .description = "Content of config.json" },
      { .name = "model",
        .kind = SHARDWISE_MCP_TEXT,
        .maximum = 100,
        .description = "Or an ID of the catalog" } } },
  { "advise",
    "Best strategy",
    "Searches all strategies and keeps the values that the scenario sets. Returns the recommended "
    "strategy, the best of each framework, alternatives; if nothing fits, the missing memory and "
    "what would fit.",
    "fits:b verdict:s recommended{" SHARDWISE_MCP_ESTIMATE "nearest_run{id:s measured_step_s:n "
    "predicted_step_s:n}?} fastest{strategy{text:s framework:s} tokens_per_s:n level:s}? "
    "frameworks[8]{framework:s fit:s level?:s strategy{text:s}? tokens_per_s?:n total_gib?:n "
    "exports[8]:s} alternatives[5]{strategy{text:s framework:s} fit:s level:s tokens_per_s:n "
    "memory{total_gib:n}} would_fit[8]:s insufficient[6]{text:s} least_gpus_by[6]{gpus:i means:s "
    "host_gib:n} sensible_gpus:i? recommendations[4]{severity:s text:s} notes[6]:s",
    shardwise_mcp_advise,
    { SCENARIO_IN_FULL,
      { .name = "alternatives", .kind = SHARDWISE_MCP_WHOLE, .minimum = 0, .maximum = 5 } } },
  { "estimate",
    "Estimate a given run",
    "Memory and step time of exactly the strategy that the scenario sets, without a search.",
    SHARDWISE_MCP_ESTIMATE "nearest_run{id:s source:s measured_step_s:n predicted_step_s:n}? "
                           "assumed[20]:s notes[8]:s",
    shardwise_mcp_estimate,
    { SCENARIO_IN_FULL } },
  { "memory",
    "Where memory goes",
    "Memory of the fullest GPU by kind and by tensor, with the sum of its states; of every stage; "
    "over a step; before the first optimizer step; bytes per parameter in each framework (kept by "
    "each GPU, or sharded); host memory.",
    OF SHARDWISE_MCP_FIT
    "strategy{text:s framework:s} " SHARDWISE_MCP_MEMORY
    "sums[2]:s tensors[24]{name:s part:s gib:n count:n tensor_parallel:i sharded_over:i} "
    "peak_stage:i stages[16]{stage:i layers:i in_flight:n total_gib:n activations_gib:n} "
    "over_time[8]{time_s:n total_gib:n micro_batches_alive:n phase:s} figures[48]:s "
    "bytes_per_parameter[12]{framework:s weights_kept:n weights_shared:n "
    "gradients_kept:n gradients_shared:n optimizer_kept:n optimizer_shared:n together:n} "
    "notes[6]:s",
    shardwise_mcp_memory,
    { SCENARIO (TRUE) } },
  { "fits",
    "What fits",
    "The fewest GPUs by training method, the largest model, the longest sequence, or the largest "
    "micro-batch that fits.",
    "rows[16]{name:s fit?:s level?:s gpus?:i by?[4]{gpus:i means:s host_gib_per_node:n} "
    "strategy?:s framework?:s total_gib?:n high_gib?:n usable_gib?:n missing_gib?:n "
    "tokens_per_s?:n longest_sequence?:i states?:s why?:s}",
    shardwise_mcp_fits,
    { SCENARIO (TRUE),
      { .name = "what",
        .kind = SHARDWISE_MCP_WORD,
        .required = TRUE,
        .words = shardwise_mcp_fits_words } } },
  { "compare",
    "Compare variants",
    "Compares the scenario with its variants: each exactly as set, or with the best strategy for "
    "the values that it sets. slower_by: time per token relative to the scenario (0.1 = 10 % "
    "slower).",
    "runs[9]{" OF SHARDWISE_MCP_ROW "global_batch_size:i}",
    shardwise_mcp_compare,
    { SCENARIO (TRUE),
      { .name = "variants",
        .kind = SHARDWISE_MCP_VARIANTS,
        .required = TRUE,
        .description = "Each with its changes: key path to value, null resets" } } },
  { "what_if",
    "What if",
    "Evaluates the job before and after changes.",
    "before{" OF SHARDWISE_MCP_ROW "} after{" OF SHARDWISE_MCP_ROW "}",
    shardwise_mcp_what_if,
    { SCENARIO (TRUE), CHANGES } },
  { "explain",
    "Why this value",
    "Why a dimension of the best strategy has its value: evaluates every neighboring value, with "
    "all other dimensions optimized again. change: time per token relative to the chosen value.",
    "dimension:s value:s text:s verdict:s recommended{strategy{text:s} tokens_per_s:n} "
    "neighbours[12]{value:s chosen:b fits:b rule:s reason:s missing_gib:n total_gib:n "
    "tokens_per_s_per_gpu:n change:n}",
    shardwise_mcp_explain,
    { SCENARIO (TRUE),
      { .name = "dimension",
        .kind = SHARDWISE_MCP_WORD,
        .required = TRUE,
        .words = sw_dimension_names } } },
  { "term",
    "Explain a term",
    "Explains a technical term or an observation (lazily created optimizer states, load peaks, "
    "micro-batches in flight, buckets, overlap, schedules …) with the figures of this job. An "
    "unknown term returns the list of terms.",
    OF "strategy{text:s framework:s} text:s",
    shardwise_mcp_term,
    { SCENARIO (TRUE),
      { .name = "term",
        .kind = SHARDWISE_MCP_TEXT,
        .required = TRUE,
        .description = "bubble, bytes, in-flight, lazy-states, load-peak, host, buckets, …" } } },
  { "pipeline",
    "Pipeline",
    "Bubble (ideal, modeled and simulated), micro-batches in flight and memory of each stage, "
    "other schedules and micro-batch sizes of the same strategy, published schedules in theory.",
    OF SHARDWISE_MCP_FIT
    "strategy{text:s framework:s pp:i vpp:i micro_batch_size:i schedule:s} micro_batches:i "
    "figures[16]:s bubble_fraction:n simulated_bubble?:n uneven_s?:n "
    "step_s:n step_low_s:n step_high_s:n tokens_per_s:n stages[32]{stage:i layers:i in_flight:n "
    "total_gib:n activations_gib:n} schedules[10]{name:s rule:s micro_batch_size:i micro_batches:i "
    "vpp:i ideal_bubble:n bubble_fraction:n step_s:n total_gib:n} ideal[4]{name:s formula:s "
    "idle_forward_passes:n of_step:n} notes[6]:s",
    shardwise_mcp_pipeline,
    { SCENARIO (TRUE) } },
  { "communication",
    "Communication",
    "Communication of a step by group: collective, bytes sent per GPU, link, time, and exposed "
    "time.",
    OF SHARDWISE_MCP_FIT
    "strategy{text:s framework:s tp:i pp:i dp:i cp:i ep:i zero_stage:i} step_s:n "
    "communication_overhead:n compute_to_communication:n communication[24]{group:s use:s experts:b "
    "collective:s? gpus:i links[2]:s calls:n sent_gib:n network_gib:n time_s:n exposed_s:n} "
    "sums[0]:s",
    shardwise_mcp_communication,
    { SCENARIO (TRUE) } },
  { "rules",
    "Check the rules",
    "Whether each framework supports the strategy, and which rule rejects it.",
    OF "strategy{text:s framework:s} fit:s rule:s why?:s frameworks[12]{framework:s legal:b rule:s "
       "why?:s}",
    shardwise_mcp_rules,
    { SCENARIO (TRUE) } },
  { "diagnose",
    "Diagnose a job",
    "Finds problems in a job's files, a log, or an error message (out of memory, timeout), each "
    "with the effect of a fix.",
    "kind:s log?:s warnings[8]:s diagnosis[12]{severity:s code:s text:s effect:s?} scenario?:o",
    shardwise_mcp_diagnose,
    { FILES, SCENARIO (FALSE) } },
  { "scale",
    "Other cluster sizes",
    "The best strategy for each number of GPUs: throughput, share of ideal scaling, days and cost.",
    "points[8]{gpus:i fit:s level:s strategy:s total_gib:n step_s:n tokens_per_s:n "
    "tokens_per_s_low:n tokens_per_s_high:n tokens_per_s_per_gpu:n mfu:n share_of_ideal:n? days:n? "
    "cost:n?} currency:s notes[6]:s",
    shardwise_mcp_scale,
    { SCENARIO (TRUE),
      { .name = "gpus",
        .kind = SHARDWISE_MCP_WHOLES,
        .required = TRUE,
        .minimum = 1,
        .maximum = 131072 } } },
  { "cost",
    "Cost",
    "Days, cost and energy to train training.tokens, including failures and checkpoints.",
    "gpus:i fit:s strategy:s tokens_per_s:n days:n? gpu_hours:n? goodput:n items[8]{name:s "
    "amount:n unit:s} total:n? currency:s energy_kwh:n? kg_co2:n? checkpoint_interval_s:n "
    "failures?:s included:s? not_included:s? notes[6]:s",
    shardwise_mcp_cost,
    { SCENARIO (TRUE) } },
  { "deadline",
    "Meet a deadline",
    "The smallest, the cheapest and the fastest cluster that trains training.tokens by "
    "training.deadline.",
    "start:s deadline:s days:n verdict:s currency:s smallest{gpus:i days:n cost:n?}? "
    "cheapest{gpus:i days:n cost:n?}? fastest{gpus:i days:n cost:n?}?",
    shardwise_mcp_deadline,
    { SCENARIO (TRUE),
      { .name = "start",
        .kind = SHARDWISE_MCP_TEXT,
        .maximum = 10,
        .description = "YYYY-MM-DD; none: today" } } },
  { "export",
    "Write a configuration",
    "Writes the files of a framework for the best strategy, or the one set; with a launcher, the "
    "whole bundle. Lists what the files cannot express.",
    "framework:s version:s strategy:s fit:s files[8]{name:s content:s} not_expressed[0]:s",
    shardwise_mcp_export,
    { SCENARIO (TRUE),
      { .name = "to", .kind = SHARDWISE_MCP_WORD, .required = TRUE, .words = targets },
      { .name = "launcher", .kind = SHARDWISE_MCP_WORD, .words = launchers } } },
  { "import",
    "Read a job",
    "Converts a job's files to a scenario: config.json, DeepSpeed, Accelerate, Nanotron, "
    "TorchTitan, Megatron-LM launch scripts, Kubernetes, Python.",
    "kind:s warnings[12]:s scenario:o",
    shardwise_mcp_import,
    { FILES, SCENARIO (FALSE) } },
  { "measured",
    "Measured runs and recipes",
    "The measured run that is nearest to the job with its prediction, the strategy that users of "
    "the framework usually start with, and published recipes of the model.",
    "verdict:s nearest{description:s id:s source:s distance:n measured_step_s:n "
    "predicted_step_s:n}? conventional{title:s text:s fit:s level:s tokens_per_s:n} "
    "recipes[3]{title:s by:s source:s gpus:i text:s fit:s tokens_per_s:n strategy{text:s}}",
    shardwise_mcp_measured,
    { SCENARIO (TRUE) } },
  { "playbook",
    "Rules of thumb",
    "Checks the playbook's rules against the job: violated, satisfied or applicable, with the "
    "deciding figure.",
    OF "strategy{text:s framework:s} findings[20]{state=applies|satisfied|violated rule:s figure:s "
       "source:s}",
    shardwise_mcp_playbook,
    { SCENARIO (TRUE) } },
  { "manual",
    "Search the manual",
    "Finds sections of the manual that contain the words: formulas, terms, frameworks' rules.",
    "found[10]{title:s text:s uri:s}",
    shardwise_mcp_manual,
    { { .name = "words",
        .kind = SHARDWISE_MCP_TEXT,
        .required = TRUE,
        .maximum = 200,
        .description = "All words must match; use few" } } },
  { "apply",
    "Propose a change",
    "Shows changes to the open scenario in the user's window, with the reason. The scenario "
    "changes only if the user accepts.",
    "window:i state=accepted|dismissed|waiting|refused text:s",
    shardwise_mcp_apply,
    { CHANGES,
      { .name = "reason",
        .kind = SHARDWISE_MCP_TEXT,
        .required = TRUE,
        .maximum = 500,
        .description = "One sentence for the user" },
      { .name = "window",
        .kind = SHARDWISE_MCP_WHOLE,
        .minimum = 1,
        .maximum = 1e6,
        .description = "Window number, if several are open" },
      { .name = "wait_s",
        .kind = SHARDWISE_MCP_WHOLE,
        .minimum = 0,
        .maximum = 600,
        .description = "Time to wait for the user's answer (default: 60)" } },
    TRUE },
};

/**
 * shardwise_mcp_tool_find:
 * @name: of the tool in a call
 *
 * Returns: (transfer none) (nullable): the tool
 */
const ShardwiseMcpTool *
shardwise_mcp_tool_find (const char *name)
{
  read_formats ();
  for (guint i = 0; i < G_N_ELEMENTS (tools); i++)
    if (g_str_equal (tools[i].name, name))
      return &tools[i];
  return NULL;
}

/**
 * shardwise_mcp_tools_list:
 *
 * Returns: (transfer full): the result of tools/list
 */
JsonNode *
shardwise_mcp_tools_list (void)
{
  JsonObject *result = json_object_new ();
  JsonArray *array = json_array_new ();

  read_formats ();
  for (guint i = 0; i < G_N_ELEMENTS (tools); i++)
    {
      const ShardwiseMcpTool *tool = &tools[i];
      JsonObject *object = json_object_new (), *hints = json_object_new ();
      JsonObject *schema = json_object_new ();
      const char *shape = tool->shape;

      walk (&shape, schema, NULL, NULL);
      json_object_set_string_member (object, "name", tool->name);
      json_object_set_string_member (object, "title", tool->title);
      json_object_set_string_member (object, "description", tool->description);
      json_object_set_member (object, "inputSchema",
                              shardwise_mcp_arguments_schema (tool->arguments));
      json_object_set_object_member (object, "outputSchema", schema);
      json_object_set_boolean_member (hints, "readOnlyHint", !tool->changes);
      if (tool->changes)
        json_object_set_boolean_member (hints, "destructiveHint", FALSE);
      json_object_set_boolean_member (hints, "idempotentHint", !tool->changes);
      json_object_set_boolean_member (hints, "openWorldHint", FALSE);
      json_object_set_object_member (object, "annotations", hints);
      json_array_add_object_element (array, object);
    }
  json_object_set_array_member (result, "tools", array);
  return shardwise_json_take_object (result);
}

/**
 * shardwise_mcp_tool_call:
 * @tool: a tool
 * @call: with its arguments, unchecked
 *
 * Returns: (transfer full): its result; %NULL with @error, which has the argument or key and what
 *   is accepted
 */
JsonNode *
shardwise_mcp_tool_call (const ShardwiseMcpTool *tool, ShardwiseMcpCall *call, GError **error)
{
  const char *shape = tool->shape;
  JsonObject *object, *picked;
  JsonNode *scenario;

  if (!shardwise_mcp_arguments_check (tool->arguments, call->arguments, error))
    return NULL;
  scenario = json_object_get_member (call->arguments, "scenario");
  if (scenario != NULL)
    {
      call->scenario = shardwise_mcp_scenario_read (scenario, error);
      if (call->scenario == NULL)
        return NULL;
    }
  object = tool->run (call, error);
  g_clear_object (&call->scenario);
  if (object == NULL)
    return NULL;
  picked = json_object_new ();
  walk (&shape, NULL, object, picked);
  json_object_unref (object);
  return shardwise_json_take_object (picked);
}
