/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who goes out comes back: every model of the catalogue through every export that accepts it. What
 * is read back is that model, or one of its dimensions; a file that cannot name a model asks for
 * one, and never stands for another. */
#include <string.h>

#include "export-fixture.h"
#include "import-fixture.h"
#include "shardwise-resolve.h"

#define GPUS 64
#define TRIES 400 /* of strategies, until the framework accepts one */

typedef struct {
  ShardwiseFormat format;
  guint least; /* models that it must accept, so that the test is one */
} Target;

static const Target targets[] = {
  { SHARDWISE_FORMAT_DEEPSPEED, 1 },
  { SHARDWISE_FORMAT_FSDP1, 1 },
  { SHARDWISE_FORMAT_FSDP2, 1 },
  { SHARDWISE_FORMAT_NANOTRON, 1 },
  { SHARDWISE_FORMAT_MEGATRON, 1 },
  { SHARDWISE_FORMAT_MEGATRON_BRIDGE, 1 },
  { SHARDWISE_FORMAT_NEMO, 1 },
  { SHARDWISE_FORMAT_TORCHTITAN, 1 },
  { SHARDWISE_FORMAT_TORCHTITAN_MAIN, 1 },
  { SHARDWISE_FORMAT_ACCELERATE, 1 },
  { SHARDWISE_FORMAT_TORCHRUN, 1 },
  { SHARDWISE_FORMAT_SLURM, 1 },
  { SHARDWISE_FORMAT_KUBERNETES, 1 },
  { SHARDWISE_FORMAT_PYTORCHJOB, 1 },
};

/* Any strategy that the framework takes for this model; NULL: it takes none. */
static ShardwiseExport *
written (ShardwiseFormat format, const char *model)
{
  const ShardwiseFormatInfo *info = shardwise_format_info (format);

  for (guint i = 0; i < TRIES; i++)
    {
      g_autofree SwProblem *problem = g_new0 (SwProblem, 1);
      SwStrategy strategy;
      SwFramework framework = i % SW_N_FRAMEWORKS;
      ShardwiseExport *out;

      /* The files of launchers hold the model with Megatron-LM's arguments alone; with others they
       * start a script that does. */
      if ((info->profiles & (1u << framework)) == 0
          || (info->launcher && framework != SW_FRAMEWORK_MEGATRON_CORE))
        continue;
      fixture_problem (model, GPUS, problem);
      problem->training.framework = framework;
      fixture_random_strategy (problem, &strategy);
      strategy.framework = (guint8) framework;
      out = fixture_write (format, problem, &strategy, NULL);
      if (out != NULL)
        return out;
    }
  return NULL;
}

#define SAME(field)                                                                                \
  if (a->field != b->field)                                                                        \
  g_string_append_printf (text, " " #field " %u is read as %u;", (guint) a->field, (guint) b->field)

/* What of the dimensions differs; "" where nothing does. */
static char *
differences (const SwModelSpec *a, const SwModelSpec *b)
{
  GString *text = g_string_new (NULL);

  SAME (kind);
  SAME (layers);
  SAME (hidden_size);
  SAME (attention_heads);
  SAME (vocab_size);
  SAME (gated_mlp);
  SAME (tied_embeddings);
  SAME (parallel_block);
  SAME (mlp_bias);
  SAME (norm);
  SAME (norms_per_layer);
  SAME (position);
  SAME (sliding_window);
  SAME (mtp_layers);
  SAME (moe.experts);
  SAME (mla.kv_lora_rank);
  if (sw_model_moe_layers (a) < a->layers)
    SAME (intermediate_size);
  if (a->sliding_window > 0)
    SAME (window_pattern);
  if (a->moe.experts > 0)
    {
      SAME (moe.top_k);
      SAME (moe.intermediate_size);
      SAME (moe.shared_intermediate_size);
      SAME (moe.first_dense_layers);
      SAME (moe.layer_frequency);
    }
  if (a->mla.kv_lora_rank > 0)
    {
      SAME (mla.q_lora_rank);
      SAME (mla.qk_nope_head_dim);
      SAME (mla.qk_rope_head_dim);
      SAME (mla.v_head_dim);
    }
  else
    {
      SAME (kv_heads);
      SAME (head_dim);
      SAME (qkv_bias);
      SAME (attn_out_bias);
      SAME (qk_norm);
    }
  return g_string_free (text, FALSE);
}

static ShardwiseImport *
read_back (const ShardwiseExport *out)
{
  const ShardwiseExportFile *file = g_ptr_array_index (out->files, 0);

  return fixture_import (file->content, file->name);
}

static void
test_target (gconstpointer data)
{
  const Target *target = data;
  g_autoptr (GListModel) entries = shardwise_catalogue_models (shardwise_catalogue_get ());
  guint accepted = 0, named = 0, wrong = 0;

  for (guint i = 0; i < g_list_model_get_n_items (entries); i++)
    {
      g_autoptr (GObject) entry = g_list_model_get_item (entries, i);
      g_autofree char *id = NULL, *what = NULL;
      g_autoptr (ShardwiseExport) out = NULL;
      g_autoptr (ShardwiseImport) import = NULL;
      g_autofree SwProblem *read = g_new0 (SwProblem, 1);

      g_object_get (entry, "id", &id, NULL);
      out = written (target->format, id);
      if (out == NULL)
        continue;
      accepted++;
      import = read_back (out);
      if (fixture_finds (import, "model-unknown", ""))
        continue;
      named++;
      g_assert_true (shardwise_scenario_resolve (import->scenario, read, NULL, NULL));
      what = g_str_equal (read->model.id, id) ? g_strdup ("")
                                              : differences (&out->problem.model, &read->model);
      if (*what == '\0')
        continue;
      wrong++;
      g_test_message ("%s comes back as %s:%s", id,
                      *read->model.id != '\0' ? read->model.id : "another", what);
    }
  g_test_message ("%u models are accepted, %u of them named in the file, %u come back as another",
                  accepted, named, wrong);
  if (wrong > 0)
    g_test_fail (); /* after all targets have said theirs */
  g_assert_cmpuint (accepted, >=, target->least);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (targets); i++)
    {
      const ShardwiseFormatInfo *info = shardwise_format_info (targets[i].format);
      g_autofree char *path = g_strdup_printf ("/identity/%s/%s", info->id, info->version);

      g_test_add_data_func (path, &targets[i], test_target);
    }
  return g_test_run ();
}
