/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-export-megatron.h"

#include <glib/gi18n.h>

/* Megatron-LM core 0.20.0: a launch script whose arguments are the whole job. */

#define PROGRAM "pretrain_gpt.py"

static void
launch (const ShardwiseExportJob *job, ShardwiseLaunch *out)
{
  const SwStrategy *strategy = &job->estimate.strategy;

  shardwise_launch_init (out, PROGRAM);
  if (shardwise_megatron_needs_one_connection (&job->problem, strategy))
    shardwise_launch_set (out, "CUDA_DEVICE_MAX_CONNECTIONS", "1");
  shardwise_megatron_add_model (&job->problem, shardwise_launch_add_group (out, "MODEL_ARGS"));
  shardwise_megatron_add_parallel (&job->problem, strategy,
                                   shardwise_launch_add_group (out, "PARALLEL_ARGS"));
  shardwise_megatron_add_training (job, shardwise_launch_add_group (out, "TRAIN_ARGS"));
  shardwise_megatron_add_data (&job->problem, shardwise_launch_add_group (out, "DATA_ARGS"));
}

static void
write_files (ShardwiseExportJob *job)
{
  g_auto (ShardwiseLaunch) command = { 0 };
  GString *text = g_string_new ("#!/bin/bash\n");

  shardwise_export_note_source (job, PROGRAM);
  shardwise_megatron_add_notes (job);
  shardwise_export_note (job,
                         _ ("The data and the tokenizer: the script trains on made-up tokens."));
  shardwise_export_note_common (job);

  launch (job, &command);
  shardwise_export_append_header (job, text);
  shardwise_launch_append_script (&command, job, text);
  shardwise_export_add_file (job, job->info->file_name, g_string_free (text, FALSE));
}

static const ShardwiseFormatPin narrow[] = {
  { "strategy.schedule", "1f1b", FALSE },
  { "strategy.vpp", NULL, FALSE },
  { "strategy.offload", "none", FALSE },
  { NULL, NULL, FALSE },
};

const ShardwiseFormatWriter shardwise_megatron_writer = {
  .rules = shardwise_megatron_rules,
  .n_rules = SHARDWISE_MEGATRON_N_RULES,
  .narrow = narrow,
  .write = write_files,
  .launch = launch,
};
