/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measured training runs as questions to the engine. The columns are those of
 * data/catalogue/measured_runs.csv; what a source does not state is filled in the same way for all
 * rows, and what was measured is never read for it. */
#include "shardwise-measured.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "shardwise-csv.h"
#include "shardwise-measured-check.h"
#include "shardwise-measured-private.h"

#define BUILTIN_PATH "/io/github/shardwise/Shardwise/catalogue/measured_runs.csv"

/* One row while it is read: the first wrong number stops it. */
typedef struct {
  const ShardwiseCsv *csv;
  guint row;
  GError *error;
} Row;

static const char *
text (const Row *row, const char *column)
{
  return shardwise_csv_text (row->csv, row->row, column);
}

static double
number (Row *row, const char *column, double fallback)
{
  double value = fallback;

  if (row->error == NULL)
    shardwise_csv_number (row->csv, row->row, column, &value, &row->error);
  return value;
}

static guint
count (Row *row, const char *column, guint fallback)
{
  double value = number (row, column, fallback);

  if (row->error == NULL && (value != floor (value) || value > G_MAXINT))
    row->error = shardwise_error_new (SHARDWISE_ERROR_TYPE, column,
                                      _ ("line %u: %g, accepted: a whole number"),
                                      shardwise_csv_line (row->csv, row->row), value);
  return row->error == NULL ? (guint) value : fallback;
}

/* ---- the model ---- */

/* The table has no columns for latent attention: its models that have it are of the DeepSeek
 * family, of which the small ones do not compress queries (DeepSeek-V3, section 4.2; Moonlight's
 * configuration). */
static void
read_latent (SwModelSpec *model)
{
  model->mla = (SwMla){ .kv_lora_rank = 512,
                        .q_lora_rank = model->hidden_size >= 4096 ? 1536 : 0,
                        .qk_nope_head_dim = 128,
                        .qk_rope_head_dim = 64,
                        .v_head_dim = 128 };
}

static void
read_experts (Row *row, SwModelSpec *model)
{
  SwMoe *moe = &model->moe;
  guint dense = count (row, "moe_dense_layers", 0);

  moe->experts = count (row, "moe_experts", 0);
  if (moe->experts == 0)
    return;
  moe->top_k = MAX (count (row, "moe_topk", 1), 1);
  moe->intermediate_size = count (row, "moe_ffn_hidden", model->intermediate_size);
  moe->shared_intermediate_size = count (row, "moe_shared_ffn", 0);
  moe->layer_frequency = 1;
  if (dense * 2 == model->layers) /* every second layer, as in Llama 4 Maverick */
    moe->layer_frequency = 2;
  else
    moe->first_dense_layers = dense;
}

/* Old models (plain MLP) have biases, layer norms with them, learned positions and tied embeddings;
 * those with a gated MLP follow Llama. The table has no column for biases: mixtures of experts with
 * alternating windows are of the GPT-OSS family, which has them everywhere. */
static void
read_style (SwModelSpec *model)
{
  gboolean old = !model->gated_mlp;
  gboolean biased = model->moe.experts > 0 && model->window_pattern == SW_WINDOW_EVERY_SECOND;

  model->qkv_bias = model->attn_out_bias = model->mlp_bias = old || biased;
  model->norm = old ? SW_NORM_LAYERNORM : SW_NORM_RMSNORM;
  model->position = old ? SW_POSITION_LEARNED : SW_POSITION_ROPE;
  model->tied_embeddings = old;
  model->norms_per_layer = 2;
}

static void
read_model (Row *row, SwModelSpec *model)
{
  const char *attention = text (row, "attention");

  g_strlcpy (model->name, text (row, "model_name"), sizeof model->name);
  model->kind = SW_MODEL_DECODER;
  model->layers = count (row, "layers", 0);
  model->hidden_size = count (row, "hidden", 0);
  model->intermediate_size = count (row, "ffn_hidden", 4 * model->hidden_size);
  model->attention_heads = count (row, "heads", 0);
  model->kv_heads = count (row, "kv_heads", model->attention_heads);
  model->head_dim = count (row, "head_dim",
                           model->attention_heads > 0 ? model->hidden_size / model->attention_heads
                                                      : 0);
  model->vocab_size = count (row, "vocab", 50304);
  model->gated_mlp = count (row, "gated_mlp", 1) != 0;
  model->max_position_embeddings = count (row, "seq_len", 0);
  read_experts (row, model);
  shardwise_catalogue_complete_routing (shardwise_catalogue_get (), model);
  if (g_str_equal (attention, "mla"))
    read_latent (model);
  if (g_str_has_prefix (attention, "swa"))
    {
      model->sliding_window = (guint) g_ascii_strtoull (attention + 3, NULL, 10);
      model->window_pattern = strstr (attention, "alternating") != NULL ? SW_WINDOW_EVERY_SECOND
                                                                        : SW_WINDOW_ALL;
    }
  read_style (model);
}

/* ---- the cluster ---- */

static const char *
gpu_id (const char *name)
{
  static const char *const ids[][2] = {
    { "A100-40", "a100-40-sxm" },
    { "A100-80", "a100-80-sxm" },
    { "A800-80", "a800-80-sxm" },
    { "H100-80", "h100-80-sxm" },
    { "H100-96(HBM2e,500W)", "h100-96-500w" },
    { "H200", "h200-141-sxm" },
    { "H800", "h800-80-sxm" },
    { "B200", "b200-180-sxm" },
    { "B300", "b300-288-sxm" },
    { "GB200", "gb200-nvl72" },
    { "GB300", "gb300-nvl72" },
    { "V100-32", "v100-32-sxm" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (ids); i++)
    if (g_str_equal (ids[i][0], name))
      return ids[i][1];
  return name;
}

/* Returns: (transfer full) (nullable): why the row cannot be predicted. */
static char *
read_cluster (Row *row, SwCluster *cluster)
{
  const SwGpu *gpu = shardwise_catalogue_find_gpu (shardwise_catalogue_get (),
                                                   gpu_id (text (row, "gpu")));

  if (gpu == NULL)
    return g_strdup_printf (_ ("the GPU “%s” is not in the catalogue"), text (row, "gpu"));
  cluster->gpu = *gpu;
  cluster->gpus = count (row, "gpus", 0);
  cluster->gpus_per_node = MAX (count (row, "gpus_per_node", 8), 1);
  cluster->nvlink_domain = MAX (count (row, "nvlink_domain", cluster->gpus_per_node), 1);
  cluster->oversubscription = 1;
  cluster->host_ram_bytes = 2e12;
  cluster->usable_bytes = gpu->usable_bytes;

  const ShardwiseCatalogue *catalogue = shardwise_catalogue_get ();
  g_autoptr (GError) error = NULL;

  if (!shardwise_catalogue_find_link (catalogue, NULL, &cluster->gpu, FALSE, &cluster->intra,
                                      &error)
      || !shardwise_catalogue_find_link (catalogue, NULL, &cluster->gpu, TRUE, &cluster->inter,
                                         &error))
    return g_strdup (error->message);
  /* "NVLink3 (4 links)" is what joins two GPUs: one of four GPUs has as many links to each of the
   * others, and collectives use them all, which is the GPU's own nominal rate. */
  if (!g_str_has_suffix (text (row, "intra_node"), " links)"))
    cluster->intra.bytes_per_s = number (row, "intra_gb_s", cluster->intra.bytes_per_s / SW_GB)
                                 * SW_GB;
  if (*text (row, "inter_gb_s_per_gpu") != '\0')
    {
      cluster->inter.bytes_per_s = number (row, "inter_gb_s_per_gpu", 0) * SW_GB;
      cluster->inter.shared_by_node = FALSE;
    }
  return NULL;
}

/* ---- the job ---- */

static SwTrainingType
training_type (const char *task)
{
  if (g_str_equal (task, "sft"))
    return SW_TRAINING_FINETUNE;
  return MAX (sw_name_index (sw_training_type_names, task), (int) SW_TRAINING_PRETRAIN);
}

static char *
read_training (Row *row, SwTraining *training)
{
  int precision = sw_name_index (sw_precision_names, text (row, "precision"));

  if (precision < 0)
    return g_strdup_printf (_ ("the precision “%s” is not known"), text (row, "precision"));
  training->type = training_type (text (row, "task"));
  training->precision = precision;
  training->sequence_length = count (row, "seq_len", 0);
  training->global_batch = count (row, "global_batch", 0);
  training->optimizer = SW_OPTIMIZER_ADAMW;
  training->attention = g_str_equal (text (row, "kernel"), "unfused") ? SW_ATTENTION_UNFUSED
                                                                      : SW_ATTENTION_FLASH;
  training->framework = shardwise_run_framework (text (row, "framework"));
  training->overlap = g_str_equal (text (row, "overlap"), "none") ? SW_OVERLAP_NONE
                                                                  : SW_OVERLAP_AUTO;
  training->memory_target = 1.0;

  /* "cpu activation offload 20 layers": 20; 0 where no number of layers is named. */
  const char *offload = text (row, "offload");
  const char *end = strstr (offload, " layers"), *start = end;

  while (start > offload && g_ascii_isdigit (start[-1]))
    start--;
  training->offload_layers = end != NULL && start < end ? (guint) g_ascii_strtoull (start, NULL, 10)
                                                        : 0;
  training->software_year = shardwise_run_software_year (text (row, "framework"),
                                                         text (row, "software_date"));
  return NULL;
}

/* Returns: whether it is known what is recomputed. */
static gboolean
read_recompute (Row *row, SwStrategy *s)
{
  const char *name = text (row, "recompute");
  g_auto (GStrv) modules = g_strsplit (text (row, "recompute_modules"), "+", -1);
  int recompute = sw_name_index (sw_recompute_names, name);

  for (guint i = 0; modules[i] != NULL; i++)
    {
      int module = sw_name_index (sw_recompute_module_names, modules[i]);

      if (module >= 0)
        s->recompute_modules |= 1u << module;
    }
  s->recompute = recompute >= 0 ? (SwRecompute) recompute
                                : shardwise_run_unstated_recompute (text (row, "framework"));
  return recompute >= 0 || s->recompute != SW_RECOMPUTE_NONE;
}

/* Expert parallelism that is not stated: the experts are spread over the GPUs of a node, without
 * which none of the runs that leave it out could gather them in the time that it took. */
static guint
usual_experts (Row *row, const SwCluster *cluster)
{
  guint experts = count (row, "moe_experts", 0), domain = cluster->gpus_per_node;

  return experts > 0 && cluster->gpus % domain == 0 && experts % domain == 0 ? domain : 1;
}

static void
read_strategy (Row *row, const SwProblem *problem, ShardwiseRun *run)
{
  SwStrategy *s = &run->strategy;

  sw_strategy_init_default (s);
  s->framework = problem->training.framework;

  guint model_ranks;

  s->tp = MAX (count (row, "tp", 1), 1);
  s->pp = MAX (count (row, "pp", 1), 1);
  s->vpp = MAX (count (row, "vpp", 1), 1);
  s->cp = MAX (count (row, "cp", 1), 1);
  s->ep = MAX (count (row, "ep", usual_experts (row, &problem->cluster)), 1);
  s->etp = MAX (count (row, "etp", s->tp), 1);
  model_ranks = s->tp * s->pp * s->cp;
  s->dp = MAX (count (row, "dp", problem->cluster.gpus / model_ranks), 1);
  s->sequence_parallel = s->tp > 1
                         && count (row, "sp",
                                   s->framework == SW_FRAMEWORK_MEGATRON_CORE
                                       || s->framework == SW_FRAMEWORK_FSDP2)
                                != 0;
  s->cp_method = s->framework == SW_FRAMEWORK_FSDP2 ? SW_CP_ALLGATHER : SW_CP_RING;
  s->offload = strstr (text (row, "offload"), "activation") != NULL ? SW_OFFLOAD_ACTIVATIONS
                                                                    : SW_OFFLOAD_NONE;

  /* InternEvo's recipes share the optimizer's states within a node (parallel.zero1.size = 8). */
  const char *zero = text (row, "zero");

  s->shard_group = s->dp;
  if (g_str_equal (zero, "fsdp") || g_str_equal (zero, "hsdp"))
    s->zero_stage = 3;
  else
    s->zero_stage = count (
        row, "zero",
        s->framework == SW_FRAMEWORK_MEGATRON_2021 || s->framework == SW_FRAMEWORK_DEEPSPEED ? 0
                                                                                             : 1);
  if (g_str_equal (zero, "hsdp")
      || (s->zero_stage == 1 && g_str_equal (text (row, "framework"), "InternEvo")))
    s->shard_group = MAX (MIN (problem->cluster.gpus_per_node / MAX (s->tp * s->cp, 1), s->dp), 1);
  /* Megatron-FSDP's guide has gradients reduced in 16 bits (--grad-reduce-in-bf16). */
  if (s->framework == SW_FRAMEWORK_MEGATRON_CORE && s->zero_stage >= 3)
    run->problem.training.gradient_bytes = 2;
  run->recompute_unknown = !read_recompute (row, s);
  run->modules_unknown = s->recompute == SW_RECOMPUTE_SELECTIVE && s->recompute_modules == 0;
  s->recompute_modules = shardwise_run_usual_modules (problem, s);
  s->micro_batch = count (row, "micro_batch", 0);
  if (s->micro_batch == 0)
    s->micro_batch = shardwise_run_usual_micro_batch (&problem->training, s);
  if (*text (row, "vpp") == '\0')
    s->vpp = shardwise_run_usual_chunks (problem, s);
  s->schedule = s->vpp > 1 ? SW_SCHEDULE_INTERLEAVED : SW_SCHEDULE_1F1B;
}

/* ---- what was measured ---- */

/* A rate next to nothing makes a time without end: as good as not measured. */
static double
finite_or_zero (double value)
{
  return isfinite (value) ? value : 0;
}

/* Step time: as measured, else from the token rate, else from the published FLOP rate. */
static double
measured_step (Row *row, const SwProblem *problem)
{
  double seconds = number (row, "iter_time_s", 0), rate = number (row, "tokens_per_s_per_gpu", 0);
  double tokens = (double) problem->training.global_batch * problem->training.sequence_length;

  if (seconds > 0)
    return seconds;
  if (rate > 0)
    return tokens / rate / MAX (problem->cluster.gpus, 1);
  return number (row, "iter_time_derived_s", 0);
}

/* ---- rows ---- */

static char *
check_complete (const SwProblem *problem, const SwStrategy *s)
{
  const SwModelSpec *model = &problem->model;

  if (model->layers == 0 || model->hidden_size == 0 || model->attention_heads == 0
      || model->head_dim == 0)
    return g_strdup (_ ("the model’s dimensions are missing"));
  if (problem->cluster.gpus == 0)
    return g_strdup (_ ("the number of GPUs is missing"));
  if (problem->training.global_batch == 0 || problem->training.sequence_length == 0)
    return g_strdup (_ ("the batch or the sequence length is missing"));
  if (s->pp > model->layers || s->micro_batch == 0)
    return g_strdup (_ ("the split does not fit the model"));
  return NULL;
}

static char *
family_of (const Row *row)
{
  const char *family = text (row, "family"), *id = text (row, "id");
  gsize letters = 0;

  if (*family != '\0')
    return g_strdup (family);
  while (g_ascii_isalpha (id[letters]))
    letters++;
  return g_strndup (id, letters);
}

static void
run_free (gpointer data)
{
  ShardwiseRun *run = data;

  g_free (run->id);
  g_free (run->family);
  g_free (run->source);
  g_free (run->description);
  g_free (run->skip);
  g_free (run);
}

static void
read_problem (Row *row, ShardwiseRun *run)
{
  SwProblem *problem = &run->problem;

  run->skip = shardwise_measured_check_row (row->csv, row->row);
  if (run->skip != NULL)
    return;
  read_model (row, &problem->model);
  run->skip = read_cluster (row, &problem->cluster);
  if (run->skip == NULL)
    run->skip = read_training (row, &problem->training);
  if (run->skip != NULL)
    return;
  problem->calibration = shardwise_catalogue_calibration (shardwise_catalogue_get ());
  shardwise_run_read_recipe (text (row, "framework"), problem);
  read_strategy (row, problem, run);
  run->skip = check_complete (problem, &run->strategy);
  if (run->skip == NULL)
    sw_problem_prepare (problem);
}

static ShardwiseRun *
read_run (Row *row)
{
  ShardwiseRun *run = g_new0 (ShardwiseRun, 1);

  run->id = g_strdup (text (row, "id"));
  run->family = family_of (row);
  run->source = g_strdup (text (row, "source"));
  read_problem (row, run);
  run->description = g_strdup_printf (
      "%s, %s × %s", text (row, "model_name"), text (row, "gpus"),
      *run->problem.cluster.gpu.name != '\0' ? run->problem.cluster.gpu.name : text (row, "gpu"));

  const char *quality = text (row, "quality");

  run->measured_step_s = finite_or_zero (measured_step (row, &run->problem));
  /* The column's unit holds for every row: Megatron-Bridge's rows were printed as GB, which may be
   * 1e9 bytes or GiB, 7 % apart. What InternEvo's documentation gives as "GPU memory" goes within a
   * gigabyte of what a process can have, and is taken for that of the process. */
  run->measured_memory_bytes = number (row, "mem_gib_per_gpu", 0) * SW_GIB;
  run->memory_kind = text (row, "mem_kind")[0];
  if (g_str_has_prefix (text (row, "framework"), "InternEvo"))
    run->memory_kind = 'p';
  run->measured_memory_bytes = finite_or_zero (run->measured_memory_bytes);
  run->quality = quality[0];
  run->oom = g_str_has_suffix (quality, "-oom");
  run->judged = (quality[0] == 'A' || quality[0] == 'B') && !run->oom
                && (run->measured_step_s > 0 || run->measured_memory_bytes > 0);
  return run;
}

static gboolean
check_columns (const ShardwiseCsv *csv, GError **error)
{
  static const char *const required[] = { "id",        "layers",   "hidden",  "heads",
                                          "gpu",       "gpus",     "seq_len", "global_batch",
                                          "precision", "framework" };

  for (guint i = 0; i < G_N_ELEMENTS (required); i++)
    if (!shardwise_csv_has_column (csv, required[i]))
      {
        g_propagate_error (error, shardwise_error_new (SHARDWISE_ERROR_MISSING, required[i], "%s",
                                                       _ ("the table has no such column")));
        return FALSE;
      }
  return TRUE;
}

/**
 * shardwise_runs_parse:
 * @csv: a table with the columns of data/catalogue/measured_runs.csv; columns that it lacks count
 * as empty but for those without which nothing can be predicted
 * @length: its bytes, or -1
 * @error: what is wrong, with the line
 *
 * Returns: (transfer full) (element-type ShardwiseRun): every row, in order; NULL with @error set
 */
GPtrArray *
shardwise_runs_parse (const char *csv, gssize length, GError **error)
{
  g_autoptr (ShardwiseCsv) table = shardwise_csv_parse (csv, length, error);
  g_autoptr (GPtrArray) runs = g_ptr_array_new_with_free_func (run_free);

  if (table == NULL || !check_columns (table, error))
    return NULL;
  for (guint i = 0; i < shardwise_csv_n_rows (table); i++)
    {
      Row row = { table, i, NULL };

      g_ptr_array_add (runs, read_run (&row));
      if (row.error != NULL)
        {
          g_propagate_error (error, row.error);
          return NULL;
        }
    }
  return g_steal_pointer (&runs);
}

/**
 * shardwise_runs_builtin:
 *
 * Returns: (transfer full) (element-type ShardwiseRun): the measured runs compiled into the program
 */
GPtrArray *
shardwise_runs_builtin (void)
{
  g_autoptr (GBytes) bytes = g_resources_lookup_data (BUILTIN_PATH, G_RESOURCE_LOOKUP_FLAGS_NONE,
                                                      NULL);
  g_autoptr (GError) error = NULL;
  GPtrArray *runs;
  gsize length;
  const char *csv;

  g_assert (bytes != NULL);
  csv = g_bytes_get_data (bytes, &length);
  runs = shardwise_runs_parse (csv, (gssize) length, &error);
  if (runs == NULL)
    g_error ("measured_runs.csv: %s", error->message);
  return runs;
}
