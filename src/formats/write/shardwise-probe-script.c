/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The scripts that measure a cluster, and a layer (data/probe): tutorials that anybody may read, in
 * which only the shapes of the open scenario are filled in. */
#include "shardwise-probe-script.h"

#include <gio/gio.h>
#include <string.h>

#include "shardwise-step.h"

#define RESOURCE "/io/github/shardwise/Shardwise/probe/"
#define SCRIPT "shardwise-probe.py"
#define STEP_SCRIPT "shardwise-step-probe.py"

/* More nodes add no information. */
#define MOST_NODES 16

/* Replaces what is in @text from @start up to @end. */
static void
replace (GString *text, const char *start, const char *end, const char *by)
{
  const char *from = strstr (text->str, start), *to = from != NULL ? strstr (from, end) : NULL;
  gssize at;

  g_assert (to != NULL); /* compiled in: a defect of the build */
  at = from - text->str;
  g_string_erase (text, at, to - from);
  g_string_insert (text, at, by);
}

/* Replaces the one line of @text that begins with @start. */
static void
replace_line (GString *text, const char *start, const char *line)
{
  replace (text, start, "\n", line);
}

static GString *
load (const char *name)
{
  g_autofree char *path = g_strconcat (RESOURCE, name, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = g_resources_lookup_data (path, G_RESOURCE_LOOKUP_FLAGS_NONE, &error);

  if (bytes == NULL)
    g_error ("%s", error->message); /* compiled in: a defect of the build */
  return g_string_new_len (g_bytes_get_data (bytes, NULL), (gssize) g_bytes_get_size (bytes));
}

#define INDENT 23 /* of the text after `SCENARIO = {"gemms": [` */

static void
append_case (GString *out, const double *sizes, guint n)
{
  const char *last = strrchr (out->str, '\n');
  const gsize width = last != NULL ? out->len - (gsize) (last - out->str) : out->len + INDENT;

  if (out->len > 0)
    g_string_append_printf (out, width > 70 ? ",\n%*s" : ", %*s", width > 70 ? INDENT : 0, "");
  g_string_append_c (out, '(');
  for (guint i = 0; i < n; i++)
    g_string_append_printf (out, i > 0 ? ", %.0f" : "%.0f", MAX (sizes[i], 1));
  g_string_append_c (out, ')');
}

#define APPEND(out, ...)                                                                           \
  append_case (out, (const double[]){ __VA_ARGS__ },                                               \
               sizeof ((const double[]){ __VA_ARGS__ }) / sizeof (double))

/* The linear layers of one rank: rows, columns, inner dimension. */
static void
append_gemms (const SwProblem *problem, const SwStrategy *s, GString *out)
{
  const SwModelSpec *model = &problem->model;
  const double h = model->hidden_size, heads = (double) model->attention_heads / s->tp,
               tokens = (double) s->micro_batch * problem->training.sequence_length / s->cp,
               gates = model->gated_mlp ? 2 : 1;

  if (model->mla.kv_lora_rank == 0)
    APPEND (out, tokens, (heads + 2 * MAX ((double) model->kv_heads / s->tp, 1)) * model->head_dim,
            h);
  APPEND (out, tokens, h, heads * sw_model_value_head_dim (model));
  APPEND (out, tokens, gates * model->intermediate_size / s->tp, h);
  APPEND (out, tokens, h, (double) model->intermediate_size / s->tp);
  if (model->moe.experts > 0)
    APPEND (out, tokens * model->moe.top_k * s->ep / model->moe.experts,
            gates * model->moe.intermediate_size / MAX (s->etp, 1), h);
  APPEND (out, tokens, (double) model->vocab_size / s->tp, h);
}

/* The communicators, neighboring ranks innermost first. */
static void
append_groups (const SwStrategy *s, GString *out)
{
  const struct {
    double size, stride;
  } groups[] = { { s->tp, 1 },
                 { s->cp, s->tp },
                 { s->ep, s->etp },
                 { s->dp, s->tp * s->cp },
                 { s->pp > 1 ? 2 : 1, (double) s->tp * s->cp * s->dp } };

  for (guint i = 0; i < G_N_ELEMENTS (groups); i++)
    if (groups[i].size > 1)
      APPEND (out, groups[i].size, groups[i].stride);
}

static char *
shapes_line (ShardwiseAdvice *advice)
{
  const SwProblem *problem = shardwise_advice_get_problem (advice);
  const SwStrategy *s = &shardwise_advice_get_recommended (advice)->strategy;
  g_autoptr (GString) gemms = g_string_new (NULL);
  g_autoptr (GString) attentions = g_string_new (NULL);
  g_autoptr (GString) groups = g_string_new (NULL);

  append_gemms (problem, s, gemms);
  APPEND (attentions, s->micro_batch, (double) problem->model.attention_heads / s->tp,
          problem->training.sequence_length, sw_model_value_head_dim (&problem->model));
  append_groups (s, groups);
  return g_strdup_printf ("SCENARIO = {\"gemms\": [%s],\n            \"attentions\": [%s],\n"
                          "            \"groups\": [%s]}",
                          gemms->str, attentions->str, groups->str);
}

static const SwCluster *
cluster_of (const ShardwiseProbeOptions *options)
{
  return options->advice != NULL ? &shardwise_advice_get_problem (options->advice)->cluster : NULL;
}

static guint
gpus_of_node (const ShardwiseProbeOptions *options)
{
  const SwCluster *cluster = cluster_of (options);

  return cluster != NULL ? MIN (cluster->gpus_per_node, cluster->gpus) : 8;
}

static guint
nodes_of (const ShardwiseProbeOptions *options)
{
  const SwCluster *cluster = cluster_of (options);

  return cluster != NULL ? CLAMP (sw_cluster_nodes (cluster), 1, MOST_NODES) : 2;
}

static char *
torchrun_line (guint gpus, const char *script)
{
  return g_strdup_printf ("torchrun --standalone --nproc-per-node %u %s", gpus, script);
}

static char *
srun_line (const ShardwiseProbeOptions *options)
{
  const guint gpus = gpus_of_node (options);

  return g_strdup_printf ("srun --nodes %u --ntasks-per-node %u --gpus-per-node %u python3 " SCRIPT,
                          nodes_of (options), gpus, gpus);
}

static char *
slurm_text (const ShardwiseProbeOptions *options)
{
  return g_strdup_printf (
      "#!/bin/bash\n"
      "#SBATCH --job-name=shardwise-probe\n"
      "#SBATCH --nodes=%u\n"
      "#SBATCH --ntasks-per-node=%u\n"
      "#SBATCH --gpus-per-node=%u\n"
      "#SBATCH --exclusive\n"
      "#SBATCH --time=00:15:00\n"
      "#SBATCH --output=%%x-%%j.out\n"
      "# Add what your site asks for: a partition, an account, a container.\n"
      "set -euo pipefail\n"
      "MASTER_ADDR=$(scontrol show hostnames \"$SLURM_JOB_NODELIST\" | head -n 1)\n"
      "export MASTER_ADDR MASTER_PORT=29501\n"
      "srun python3 " SCRIPT "\n",
      nodes_of (options), gpus_of_node (options), gpus_of_node (options));
}

/* How many ranks share a layer. */
static guint
ranks_of (const ShardwiseMeasuredStep *step)
{
  return step->layer[SHARDWISE_LAYER_TP] * step->layer[SHARDWISE_LAYER_CP];
}

/* The script of a layer shares what it says of the machine and of timing with that of a cluster. */
static char *
step_text (const ShardwiseMeasuredStep *step)
{
  static const char *const shared[] = { "the machine", "timing" };
  GString *text = load (STEP_SCRIPT);
  g_autoptr (GString) other = load (SCRIPT), layer = g_string_new ("LAYER = {");
  g_autofree char *framework = g_strdup_printf ("FRAMEWORK = \"%s\"",
                                                sw_framework_names[step->framework]);
  g_autofree char *start = torchrun_line (ranks_of (step), STEP_SCRIPT),
                  *head = g_strdup_printf ("%s  # of tp x cp = %u", start, ranks_of (step));
  gsize line = 0;

  replace (text, "torchrun --standalone", " GPUs", head);
  for (guint i = 0; i < G_N_ELEMENTS (shared); i++)
    {
      g_autofree char *title = g_strdup_printf ("# ---- %s -", shared[i]),
                      *mark = g_strdup_printf ("# @shared: %s", shared[i]), *section = NULL;
      const char *from = strstr (other->str, title), *to = strstr (from + 1, "\n\n\n# ----");

      section = g_strndup (from, (gsize) (to - from));
      replace (text, mark, "\n", section);
    }
  for (guint i = 0; i < SHARDWISE_N_LAYER_FIELDS; i++)
    {
      g_autofree char *item =
          g_strdup_printf ("\"%s\": %u%s", shardwise_step_layer_name ((ShardwiseLayerField) i),
                           step->layer[i], i + 1 < SHARDWISE_N_LAYER_FIELDS ? "," : "}");

      if (layer->len - line + strlen (item) > 98)
        {
          line = layer->len;
          g_string_append (layer, "\n        ");
        }
      g_string_append_printf (layer, i > 0 ? " %s" : "%s", item);
    }
  replace (text, "LAYER = {", "\nFRAMEWORK", layer->str);
  replace_line (text, "FRAMEWORK = ", framework);
  return g_string_free (text, FALSE);
}

/**
 * shardwise_probe_files:
 * @options: what is measured
 *
 * Returns: (transfer full): #ShardwiseExportFile, the script first
 */
GPtrArray *
shardwise_probe_files (const ShardwiseProbeOptions *options)
{
  GPtrArray *files = g_ptr_array_new_with_free_func (shardwise_export_file_free);
  g_autofree char *torchrun = torchrun_line (gpus_of_node (options), SCRIPT),
                  *srun = srun_line (options);
  GString *text;

  if (options->strategy != NULL)
    {
      ShardwiseMeasuredStep step;

      shardwise_step_from_strategy (shardwise_advice_get_problem (options->advice),
                                    options->strategy, &step);
      shardwise_export_file_add (files, STEP_SCRIPT, step_text (&step));
      return files;
    }
  text = load (SCRIPT);
  /* How it is started stands in its head, too. */
  replace (text, "torchrun --standalone", "  # all", torchrun);
  replace (text, "srun --nodes", "  # by", srun);
  if (options->advice != NULL && shardwise_advice_get_recommended (options->advice) != NULL)
    {
      g_autofree char *line = shapes_line (options->advice);

      replace_line (text, "SCENARIO = {", line);
    }
  if (options->quick)
    replace_line (text, "QUICK = ", "QUICK = True");
  shardwise_export_file_add (files, SCRIPT, g_string_free (text, FALSE));
  if (options->slurm)
    shardwise_export_file_add (files, "shardwise-probe.sbatch", slurm_text (options));
  return files;
}

/**
 * shardwise_probe_start:
 * @options: what is measured
 *
 * Returns: (transfer full): the commands that start the script, each on its line: on one GPU, on those
 *   of a node, on all nodes; of a layer there is one
 */
char *
shardwise_probe_start (const ShardwiseProbeOptions *options)
{
  GString *out = g_string_new ("python3 " SCRIPT);
  const guint gpus = gpus_of_node (options);
  g_autofree char *torchrun = torchrun_line (gpus, SCRIPT), *srun = srun_line (options);

  if (options->strategy != NULL)
    {
      ShardwiseMeasuredStep step;

      g_string_free (out, TRUE);
      shardwise_step_from_strategy (shardwise_advice_get_problem (options->advice),
                                    options->strategy, &step);
      return ranks_of (&step) == 1 ? g_strdup ("python3 " STEP_SCRIPT)
                                   : torchrun_line (ranks_of (&step), STEP_SCRIPT);
    }
  if (gpus > 1)
    g_string_append_printf (out, "\n%s", torchrun);
  if (options->slurm || nodes_of (options) > 1)
    g_string_append_printf (out, "\n%s", options->slurm ? "sbatch shardwise-probe.sbatch" : srun);
  return g_string_free (out, FALSE);
}
