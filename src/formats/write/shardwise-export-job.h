/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-export-format.h"
#include "shardwise-export.h"
#include "shardwise-key.h"
#include "sw-estimate.h"
#include "sw-rules.h"

G_BEGIN_DECLS

/* A rule by which a framework rejects a job. */
typedef struct {
  ShardwiseKeyId key; /* the key that causes it; SHARDWISE_KEY_NONE: see `section` */
  guint dimensions;   /* bits 1 << SwDimension that the rule depends on; 0: only the question */
  gboolean (*broken) (const SwProblem *problem, const SwStrategy *strategy); /* TRUE: rejected */
  const char *text;    /* N_() marked: the framework's rule, and what it supports */
  const char *section; /* (nullable): "model.moe" */
} ShardwiseFormatRule;

#define SHARDWISE_DIM(dimension) (1u << (dimension))
#define SHARDWISE_FEATURE(feature) (1u << SW_FEATURE_##feature)
/* What of Megatron-Core's speed its own options switch on, which its other formats lack. */
#define SHARDWISE_CORE_OPTIONS                                                                     \
  (SHARDWISE_FEATURE (ASYNC_TP) | SHARDWISE_FEATURE (MOE_OVERLAP)                                  \
   | SHARDWISE_FEATURE (CUDA_GRAPHS) | SHARDWISE_FEATURE (MOE_FORWARDING)                          \
   | SHARDWISE_FEATURE (MOE_FORWARDING_INSIDE))

/* The assumed mount point of drives. */
#define SHARDWISE_NVME_PATH "/local_nvme"

/* Kinds of notes; one table sets the severity of each. */
typedef enum {
  SHARDWISE_NOTE_OWN_WAY,        /* how the framework implements it */
  SHARDWISE_NOTE_SEEN_TO,        /* another of the files handles it */
  SHARDWISE_NOTE_STARTING_POINT, /* a common value that the user should choose */
  SHARDWISE_NOTE_PLACE,          /* where it runs: typical names are used */
  SHARDWISE_NOTE_IDLE,           /* unused GPUs */
  SHARDWISE_NOTE_OTHERWISE,      /* the run differs from the job */
  SHARDWISE_NOTE_COMPARE,        /* values that may differ from the model's */
  SHARDWISE_NOTE_SOFTWARE,       /* installed software that the prediction assumes */
  SHARDWISE_NOTE_MADE_UP_DATA,   /* it trains on placeholder data */
  SHARDWISE_NOTE_MISSING_FILE,   /* data, weights, a folder or a package that must exist */
  SHARDWISE_NOTE_IN_SCRIPT,      /* what the user's script must do for the job to fit */
  SHARDWISE_NOTE_ADDRESS,        /* a value that only the cluster knows */
  SHARDWISE_NOTE_NODES,          /* more nodes than there are */
  SHARDWISE_N_NOTES
} ShardwiseNoteKind;

/* The input and output of a format's writer. */
typedef struct {
  const ShardwiseFormatInfo *info, *target; /* the framework; its launcher, or the framework
                                               itself */
  SwProblem problem;                        /* with the format's software profile */
  SwEstimate estimate;                      /* of the strategy, with that profile */
  GPtrArray *files;                         /* of ShardwiseExportFile */
  GPtrArray *not_expressed;                 /* of ShardwiseExportNote */
} ShardwiseExportJob;

/* Restricts a search if the format could write none of the best strategies. */
typedef struct {
  ShardwiseKeyId key;
  const char *word; /* NULL: size 1 */
  gboolean experts; /* only for a mixture of experts */
} ShardwiseFormatPin;

typedef struct _ShardwiseLaunch ShardwiseLaunch; /* shardwise-launch.h */

typedef struct _ShardwiseFormatWriter ShardwiseFormatWriter;

/* A format: what its framework rejects, and how its files are written. */
struct _ShardwiseFormatWriter {
  const ShardwiseFormatRule *rules;
  gsize n_rules;
  const ShardwiseFormatWriter *base; /* (nullable): its rules apply as well */
  const ShardwiseFormatPin *narrow;  /* ends with SHARDWISE_KEY_NONE */
  /* (nullable): TRUE: the strategy runs, but not as predicted; used only if there is no other */
  gboolean (*avoid) (const SwProblem *problem, const SwStrategy *strategy);
  void (*adapt) (ShardwiseExportJob *job, SwStrategy *strategy); /* (nullable): removes what the
                                                                    user did not ask for */
  void (*write) (ShardwiseExportJob *job);
  /* (nullable): (transfer full): train.py, if the framework has no program of its own; its notes
   * are complete */
  char *(*program) (ShardwiseExportJob *job);
  /* NULL: this is a launcher */
  void (*launch) (const ShardwiseExportJob *job, ShardwiseLaunch *launch);
};

/* Rules only: those of all formats, and those of formats whose own rules do not include them, which
 * do not restrict the precision of states. */
extern const ShardwiseFormatWriter shardwise_common_writer, shardwise_states_writer;
extern const ShardwiseFormatWriter shardwise_deepspeed_writer;
extern const ShardwiseFormatWriter shardwise_fsdp1_writer;
extern const ShardwiseFormatWriter shardwise_fsdp2_writer;
extern const ShardwiseFormatWriter shardwise_nanotron_writer;
extern const ShardwiseFormatWriter shardwise_megatron_writer;
extern const ShardwiseFormatWriter shardwise_torchtitan_writer;
extern const ShardwiseFormatWriter shardwise_torchtitan_main_writer;
extern const ShardwiseFormatWriter shardwise_accelerate_writer;
extern const ShardwiseFormatWriter shardwise_bridge_writer;
extern const ShardwiseFormatWriter shardwise_nemo_writer;
extern const ShardwiseFormatWriter shardwise_trl_writer;
extern const ShardwiseFormatWriter shardwise_axolotl_writer;
extern const ShardwiseFormatWriter shardwise_llama_factory_writer;
extern const ShardwiseFormatWriter shardwise_torchtune_writer;
extern const ShardwiseFormatWriter shardwise_unsloth_writer;
extern const ShardwiseFormatWriter shardwise_verl_writer;
extern const ShardwiseFormatWriter shardwise_openrlhf_writer;
extern const ShardwiseFormatWriter shardwise_torchrun_writer;
extern const ShardwiseFormatWriter shardwise_slurm_writer;
extern const ShardwiseFormatWriter shardwise_kubernetes_writer;
extern const ShardwiseFormatWriter shardwise_skypilot_writer;

gboolean shardwise_export_steps_in_backward (const SwProblem *problem, const SwStrategy *s);
const ShardwiseFormatWriter *shardwise_format_writer (const ShardwiseFormatInfo *info);
void shardwise_export_add_file (ShardwiseExportJob *job, const char *name, char *content);
void shardwise_export_add_program (ShardwiseExportJob *job);
void shardwise_export_note (ShardwiseExportJob *job, ShardwiseNoteKind kind, const char *note);
void shardwise_export_take_note (ShardwiseExportJob *job, ShardwiseNoteKind kind, char *note);
void shardwise_export_note_free (gpointer data);
void shardwise_export_note_source (ShardwiseExportJob *job, const char *program);
void shardwise_export_append_prediction (const ShardwiseExportJob *job, const char *prefix,
                                         GString *text);
void shardwise_export_append_header (ShardwiseExportJob *job, GString *text);
const char *shardwise_export_rate (const SwProblem *problem);
void shardwise_export_note_common (ShardwiseExportJob *job);
void shardwise_export_note_nodes (ShardwiseExportJob *job);
gboolean
shardwise_export_wants (const ShardwiseExportJob *job, SwFeature feature, gboolean otherwise);
void shardwise_export_lack (ShardwiseExportJob *job, guint features);
void shardwise_export_note_drives (ShardwiseExportJob *job);
void shardwise_export_note_software (ShardwiseExportJob *job, guint written);
guint shardwise_export_train_steps (const SwProblem *problem);
guint shardwise_export_global_batch (const ShardwiseExportJob *job);
gboolean shardwise_export_has_adapters (const SwProblem *problem);
guint shardwise_export_rope_base (const SwModelSpec *model);
guint shardwise_export_gpus (const ShardwiseExportJob *job);
guint shardwise_export_nodes (const ShardwiseExportJob *job);
guint shardwise_export_gpus_per_node (const ShardwiseExportJob *job);
void shardwise_export_append_text (GString *text, const char *prefix, const char *sentence);

G_END_DECLS
