/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-export-format.h"
#include "shardwise-export.h"
#include "shardwise-key.h"
#include "sw-estimate.h"
#include "sw-rules.h"

G_BEGIN_DECLS

/* Something that a framework refuses. */
typedef struct {
  ShardwiseKeyId key; /* that is to blame; SHARDWISE_KEY_NONE: the section */
  guint dimensions;   /* bits 1 << SwDimension that the rule looks at; 0: the question alone */
  gboolean (*broken) (const SwProblem *problem, const SwStrategy *strategy); /* TRUE: refused */
  const char *text;    /* N_() marked: the framework's rule, and what it accepts */
  const char *section; /* (nullable): "model.moe" */
} ShardwiseFormatRule;

#define SHARDWISE_DIM(dimension) (1u << (dimension))
#define SHARDWISE_FEATURE(feature) (1u << SW_FEATURE_##feature)

/* Where drives are taken to be mounted. */
#define SHARDWISE_NVME_PATH "/local_nvme"

/* Of what a note is; how bad each is says one table. */
typedef enum {
  SHARDWISE_NOTE_OWN_WAY,        /* how the framework does it */
  SHARDWISE_NOTE_SEEN_TO,        /* another of the files does it */
  SHARDWISE_NOTE_STARTING_POINT, /* a common value, the user's to choose */
  SHARDWISE_NOTE_PLACE,          /* where it runs: usual names are written */
  SHARDWISE_NOTE_IDLE,           /* GPUs that are not used */
  SHARDWISE_NOTE_OTHERWISE,      /* the run does other than the job says */
  SHARDWISE_NOTE_COMPARE,        /* values that may not be the model's */
  SHARDWISE_NOTE_SOFTWARE,       /* what is installed, which the prediction rests on */
  SHARDWISE_NOTE_MADE_UP_DATA,   /* it trains on nothing of the user's */
  SHARDWISE_NOTE_MISSING_FILE,   /* data, weights, a folder or a package that has to be there */
  SHARDWISE_NOTE_IN_SCRIPT,      /* what the user's script has to do for it to fit */
  SHARDWISE_NOTE_ADDRESS,        /* what only the cluster knows */
  SHARDWISE_NOTE_NODES,          /* more than there are */
  SHARDWISE_N_NOTES
} ShardwiseNoteKind;

/* What the writer of a format works on. */
typedef struct {
  const ShardwiseFormatInfo *info, *target; /* the framework; what starts it, or the same */
  SwProblem problem;                        /* with the software profile of the format */
  SwEstimate estimate;                      /* of the strategy, with that profile */
  GPtrArray *files;                         /* of ShardwiseExportFile */
  GPtrArray *not_expressed;                 /* of ShardwiseExportNote, of an export's */
} ShardwiseExportJob;

/* What a search is narrowed to where the format could write none of its best strategies. */
typedef struct {
  ShardwiseKeyId key;
  const char *word; /* NULL: the degree 1 */
  gboolean experts; /* for a mixture of experts only */
} ShardwiseFormatPin;

typedef struct _ShardwiseLaunch ShardwiseLaunch; /* shardwise-launch.h */

typedef struct _ShardwiseFormatWriter ShardwiseFormatWriter;

/* A format: what its framework refuses, and how its files are written. */
struct _ShardwiseFormatWriter {
  const ShardwiseFormatRule *rules;
  gsize n_rules;
  const ShardwiseFormatWriter *base; /* (nullable): whose rules hold too */
  const ShardwiseFormatPin *narrow;  /* ended by SHARDWISE_KEY_NONE */
  /* (nullable): runs, but not as predicted: taken where there is no other */
  gboolean (*avoid) (const SwProblem *problem, const SwStrategy *strategy);
  void (*adapt) (ShardwiseExportJob *job, SwStrategy *strategy); /* (nullable): drops what the user
                                                                    did not ask for */
  void (*write) (ShardwiseExportJob *job);
  /* (nullable): (transfer full): train.py, where the framework brings no program; its notes are
     complete */
  char *(*program) (ShardwiseExportJob *job);
  /* NULL: a launcher itself */
  void (*launch) (const ShardwiseExportJob *job, ShardwiseLaunch *launch);
};

/* Rules alone: of all; and of those whose own do not end with them, which say nothing of the
 * precision of states. */
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
