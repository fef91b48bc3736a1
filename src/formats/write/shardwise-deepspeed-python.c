/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-export-deepspeed.h"

#include "sw-split.h"

/* The Python beside ds_config.json: what JSON cannot say. Only values computed here enter the text,
 * never a string of the user outside the comments. */

static void
append_optimizer (const ShardwiseExportJob *job, GString *text)
{
  gboolean eight = job->problem.training.optimizer == SW_OPTIMIZER_ADAM8BIT;
  const char *import = eight ? "from bitsandbytes.optim import AdamW8bit"
                             : "from torch.optim import Adafactor";
  const char *make = eight ? "AdamW8bit(parameters, lr=1.5e-4, betas=(0.9, 0.95), weight_decay=0.1)"
                           : "Adafactor(parameters, lr=1e-3)";

  if (shardwise_deepspeed_has_optimizer (job->problem.training.optimizer))
    return;

  g_string_append_printf (text, "\n\ndef make_optimizer(parameters):\n    %s\n\n    return %s\n",
                          import, make);
}

static void
append_adapters (const ShardwiseExportJob *job, GString *text)
{
  const SwTraining *training = &job->problem.training;

  if (!shardwise_export_has_adapters (&job->problem))
    return;

  g_string_append (text, "\n\ndef add_adapters(model):\n"
                         "    from peft import LoraConfig, get_peft_model\n\n");
  g_string_append_printf (
      text, "    return get_peft_model(model, LoraConfig(r=%u, target_modules=%s))\n",
      training->lora_rank,
      training->lora_all_linear ? "\"all-linear\""
                                : "[\"q_proj\", \"k_proj\", \"v_proj\", \"o_proj\"]");
}

static void
append_initialize (const ShardwiseExportJob *job, GString *text)
{
  g_string_append (text, "    parameters = [p for p in model.parameters() if p.requires_grad]\n"
                         "    engine, _, loader, _ = deepspeed.initialize(\n"
                         "        model=model,\n"
                         "        model_parameters=parameters,\n");
  if (!shardwise_deepspeed_has_optimizer (job->problem.training.optimizer))
    g_string_append (text, "        optimizer=make_optimizer(parameters),\n");
  g_string_append_printf (text,
                          "        training_data=training_data,\n"
                          "        config=\"%s\",\n"
                          "    )\n"
                          "    return engine, loader\n",
                          job->info->file_name);
}

static void
append_pipeline (const ShardwiseExportJob *job, GString *text)
{
  const SwStrategy *strategy = &job->estimate.strategy;
  gboolean ends_count;
  SwSplit split;

  sw_split (&job->problem, strategy, &split);
  ends_count = split.first < split.between;
  g_string_append (text,
                   "import deepspeed\n"
                   "from deepspeed.pipe import PipelineModule\n"
                   "from deepspeed.runtime.pipe.topology import PipeModelDataParallelTopology\n");
  append_optimizer (job, text);
  g_string_append_printf (
      text,
      "\n\ndef build_engine(layers, loss_fn, layer_class, %straining_data=None):\n"
      "    \"\"\"layers: the model as a list of modules or LayerSpecs, embedding first, head "
      "last.\n\n"
      "    layer_class: the class name of a transformer layer: the stages get equal numbers of "
      "these.\n"
      "%s"
      "    engine.train_batch() then runs one step of the 1F1B schedule.\n"
      "    \"\"\"\n"
      "    deepspeed.init_distributed()\n",
      ends_count ? "end_classes, " : "",
      ends_count
          ? "    end_classes: those of embedding and head, \"Embedding|Head\": each counts as "
            "a layer.\n"
          : "");
  g_string_append_printf (
      text, "    topology = PipeModelDataParallelTopology(num_pp=%u, num_mp=%u, num_dp=%u)\n",
      strategy->pp, strategy->tp, strategy->dp);
  g_string_append_printf (text,
                          "    model = PipelineModule(\n"
                          "        layers=layers,\n"
                          "        topology=topology,\n"
                          "        loss_fn=loss_fn,\n"
                          "        partition_method=f\"type:{layer_class}%s\",\n"
                          "    )\n",
                          ends_count ? "|{end_classes}" : "");
  append_initialize (job, text);
}

static void
append_model (const ShardwiseExportJob *job, GString *text)
{
  const SwStrategy *strategy = &job->estimate.strategy;

  g_string_append (text, "import deepspeed\n");
  append_optimizer (job, text);
  append_adapters (job, text);
  g_string_append (text, "\n\ndef build_engine(model, training_data=None):\n"
                         "    \"\"\"model: a Hugging Face causal language model; ds_config.json "
                         "holds everything else.");
  if (strategy->cp > 1)
    g_string_append_printf (
        text,
        "\n\n    Ulysses: wrap its attention in deepspeed.sequence.layer.DistributedAttention and "
        "give each of\n"
        "    the %u ranks of a sequence group its own part of the tokens.\n    ",
        strategy->cp);
  if (strategy->shard_group < strategy->dp && strategy->zero_stage == 3)
    g_string_append (text,
                     "\n\n    MiCS: create the model inside "
                     "deepspeed.zero.MiCS_Init(config_dict_or_path=\"ds_config.json\").\n    ");
  g_string_append (text, "\"\"\"\n");
  if (strategy->recompute == SW_RECOMPUTE_FULL)
    g_string_append (text, "    model.gradient_checkpointing_enable()\n");
  if (shardwise_export_has_adapters (&job->problem))
    g_string_append (text, "    model = add_adapters(model)\n");
  append_initialize (job, text);
}

/**
 * shardwise_deepspeed_python:
 * @job: the job; its notes must be complete
 *
 * Returns: (transfer full): the text of ds_setup.py
 */
char *
shardwise_deepspeed_python (ShardwiseExportJob *job)
{
  GString *text = g_string_new (NULL);
  guint nodes = shardwise_export_nodes (job);

  shardwise_export_append_header (job, text);
  g_string_append_printf (text, "#\n# deepspeed --num_nodes %u --num_gpus %u your_script.py\n",
                          nodes, shardwise_export_gpus_per_node (job));
  if (job->estimate.strategy.pp > 1)
    append_pipeline (job, text);
  else
    append_model (job, text);

  return g_string_free (text, FALSE);
}
