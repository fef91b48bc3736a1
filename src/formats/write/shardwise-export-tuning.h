/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-export-job.h"
#include "shardwise-yaml.h"

G_BEGIN_DECLS

/* Shared by the fine-tuning tools, most of which use Hugging Face's Trainer. */

/* The rule of tools without a teacher. */
#define SHARDWISE_TUNING_NO_TEACHER                                                                \
  {                                                                                                \
    SHARDWISE_KEY_TRAINING_TYPE, 0, shardwise_tuning_is_distilled,                                 \
        N_ ("This tool does not keep a teacher beside the model; torchtune and TRL distill")       \
  }

/* The data set that the exported files read, beside them. */
#define SHARDWISE_TUNING_DATA "data.jsonl"
#define SHARDWISE_TUNING_OUTPUT "output"
#define SHARDWISE_TUNING_DEEPSPEED "ds_config.json"
#define SHARDWISE_TUNING_ACCELERATE "accelerate.yaml"

/* What shards the states. */
typedef enum {
  SHARDWISE_ROUTE_PLAIN, /* nothing: one GPU, or replicas */
  SHARDWISE_ROUTE_FSDP1,
  SHARDWISE_ROUTE_FSDP2,
  SHARDWISE_ROUTE_DEEPSPEED
} ShardwiseRoute;

/* The training method in the words of each tool; NULL: the tool has no trainer for it. */
typedef struct {
  SwMethod method;
  SwAlgorithm algorithm;
  const char *trainer, *module, *loss; /* TRL: names and module */
  const char *rl;                      /* Axolotl */
  const char *stage, *preference;      /* LLaMA-Factory */
  const char *command;                 /* OpenRLHF */
} ShardwiseTuningMethod;

const ShardwiseTuningMethod *shardwise_tuning_method (const SwProblem *problem);
gboolean shardwise_tuning_learns_otherwise (const SwProblem *problem, const SwStrategy *s);
gboolean shardwise_tuning_is_distilled (const SwProblem *problem, const SwStrategy *s);
const SwModelSpec *
shardwise_tuning_teacher (const SwProblem *problem, gboolean (*knows) (const SwModelSpec *model));
gboolean shardwise_tuning_has_dora (const SwProblem *problem, const SwStrategy *s);
guint shardwise_tuning_micro (const ShardwiseExportJob *job);
char *
shardwise_tuning_data_note (const ShardwiseExportJob *job, const char *names, const char *tokens);
ShardwiseRoute shardwise_tuning_route (const SwStrategy *strategy);
gboolean shardwise_tuning_wraps (const SwStrategy *strategy);
gboolean shardwise_tuning_is_pure (const SwProblem *problem);
gboolean shardwise_tuning_has_plain_pure (const SwProblem *problem, const SwStrategy *s);
gboolean shardwise_tuning_keeps_masters (const SwProblem *problem, const SwStrategy *s);
void shardwise_tuning_set_pure (SwProblem *problem);
const char *shardwise_tuning_model (const ShardwiseExportJob *job);
const char *shardwise_tuning_optimizer (const ShardwiseExportJob *job);
const char *shardwise_tuning_rate (const SwProblem *problem);
const char *shardwise_tuning_attention (const ShardwiseExportJob *job);
char *shardwise_tuning_dropout (const SwProblem *problem);
guint shardwise_tuning_alpha (const SwProblem *problem);
guint shardwise_tuning_warmup (const SwProblem *problem);
guint shardwise_tuning_accumulation (const ShardwiseExportJob *job);
guint shardwise_tuning_group (const SwProblem *problem);
gboolean shardwise_tuning_other_precision (const SwProblem *problem, const SwStrategy *s);
gboolean shardwise_tuning_other_group (const SwProblem *problem, const SwStrategy *s);
gboolean shardwise_tuning_is_not_grpo (const SwProblem *problem, const SwStrategy *s);
gboolean shardwise_tuning_trains_policy (const SwProblem *problem, const SwStrategy *s);
void shardwise_tuning_add_deepspeed (ShardwiseExportJob *job);
void shardwise_tuning_add_accelerate (ShardwiseExportJob *job);
void shardwise_tuning_add_notes (ShardwiseExportJob *job, const char *data, guint features);
void shardwise_tuning_append_head (ShardwiseExportJob *job, GString *text);
void shardwise_tuning_add_yaml (ShardwiseExportJob *job, const char *start, ShardwiseYaml *yaml);

/* Returns: (transfer full): Accelerate's YAML for the job (shardwise-export-accelerate.c). */
char *shardwise_accelerate_text (const ShardwiseExportJob *job);

/* Returns: (nullable): the model of a torchtune component (shardwise-export-torchtune.c). */
const char *shardwise_torchtune_model (const char *component);

/* Rules of all fine-tuning tools, which their own extend, and their common restriction of the
 * search. */
extern const ShardwiseFormatWriter shardwise_tuning_writer, shardwise_trainer_writer;
extern const ShardwiseFormatPin shardwise_tuning_narrow[];

G_END_DECLS
