/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-advice.h"

G_BEGIN_DECLS

typedef enum {
  SHARDWISE_FORMAT_DEEPSPEED,
  SHARDWISE_FORMAT_FSDP1,
  SHARDWISE_FORMAT_FSDP2,
  SHARDWISE_FORMAT_NANOTRON,
  SHARDWISE_FORMAT_MEGATRON,
  SHARDWISE_FORMAT_TORCHTITAN,
  SHARDWISE_FORMAT_ACCELERATE,
  SHARDWISE_FORMAT_MEGATRON_BRIDGE,
  SHARDWISE_FORMAT_TORCHRUN,
  SHARDWISE_FORMAT_SLURM,
  SHARDWISE_FORMAT_KUBERNETES,
  /* other versions of the above */
  SHARDWISE_FORMAT_TORCHTITAN_MAIN,
  SHARDWISE_FORMAT_NEMO,
  SHARDWISE_FORMAT_PYTORCHJOB,
  SHARDWISE_N_FORMATS
} ShardwiseFormat;

/* One export target: a framework or a launcher, in one version. */
typedef struct {
  ShardwiseFormat format;
  const char *id;        /* "deepspeed": --to, win.export-to */
  const char *title;     /* "FSDP 1" */
  const char *product;   /* "PyTorch": what is installed */
  const char *version;   /* "2.6": of the product that the file was checked against */
  const char *file_name; /* "ds_config.json" */
  SwFramework framework; /* software profile it selects; ANY: that of the strategy */
  guint profiles;        /* bits 1 << SwFramework of all that it can write */
  gboolean launcher;     /* starts the file of the strategy's own framework */
} ShardwiseFormatInfo;

/* What it refuses and how its files are written: shardwise-export-job.h. */
typedef struct _ShardwiseFormatWriter ShardwiseFormatWriter;

typedef struct {
  char *name, *content;
} ShardwiseExportFile;

typedef struct {
  const ShardwiseFormatInfo *info;
  GPtrArray *files;         /* of ShardwiseExportFile; the first one is the target's own */
  GPtrArray *not_expressed; /* of char*: translated sentences on what this format cannot say */
  SwEstimate estimate;      /* of the strategy as written, with the format's software profile */
  SwProblem problem;        /* the question, with that profile */
  guint n_own_files, n_own_notes; /* what a bundle adds comes after them */
} ShardwiseExport;

const ShardwiseFormatInfo *shardwise_format_info (ShardwiseFormat format);
const ShardwiseFormatInfo *shardwise_format_find (const char *id); /* (nullable) */
/* (nullable) */
const ShardwiseFormatInfo *shardwise_format_find_version (const char *id, const char *version);
gboolean shardwise_format_is_default (const ShardwiseFormatInfo *info);
const ShardwiseFormatInfo *shardwise_format_of_profile (SwFramework framework);
const ShardwiseFormatWriter *shardwise_format_writer (const ShardwiseFormatInfo *info);
gboolean shardwise_format_avoids (const ShardwiseFormatInfo *info, const SwProblem *problem,
                                  const SwStrategy *strategy);
GError *shardwise_export_engine_refusal (const ShardwiseFormatInfo *info, const SwProblem *problem,
                                         const SwStrategy *strategy, SwRule rule,
                                         double missing_bytes); /* (transfer full) */
gboolean
shardwise_export_check_rules (const ShardwiseFormatInfo *info, const SwProblem *problem,
                              const SwStrategy *strategy, guint dimensions, GError **error);
gboolean shardwise_export_runs (const ShardwiseFormatInfo *info, const SwProblem *problem,
                                const SwStrategy *strategy, GError **error);
void shardwise_export_drop_sharding (SwFramework profile, SwStrategy *strategy);
/* Fails with SHARDWISE_ERROR_UNSUPPORTED and the framework's rule where the framework would refuse
 * the strategy. */
ShardwiseExport *shardwise_export_write (ShardwiseFormat format, const SwProblem *problem,
                                         const SwEstimate *estimate, GError **error);
/* Adds the file of a launcher and a README to the files; again: replaces them. */
void shardwise_export_bundle (ShardwiseExport *self, ShardwiseFormat launcher);
char *shardwise_export_start (const ShardwiseExport *self); /* "torchrun …" */
void shardwise_export_unbundle (ShardwiseExport *self);
void shardwise_export_free (ShardwiseExport *self);
JsonNode *shardwise_export_to_json (ShardwiseExport *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ShardwiseExport, shardwise_export_free)

G_END_DECLS
