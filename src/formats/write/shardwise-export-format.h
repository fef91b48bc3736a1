/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-problem.h"

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
  /* fine-tuning tools */
  SHARDWISE_FORMAT_TRL,
  SHARDWISE_FORMAT_AXOLOTL,
  SHARDWISE_FORMAT_LLAMA_FACTORY,
  SHARDWISE_FORMAT_TORCHTUNE,
  SHARDWISE_FORMAT_UNSLOTH,
  SHARDWISE_FORMAT_VERL,
  SHARDWISE_FORMAT_OPENRLHF,
  SHARDWISE_FORMAT_TORCHRUN,
  SHARDWISE_FORMAT_SLURM,
  SHARDWISE_FORMAT_KUBERNETES,
  SHARDWISE_FORMAT_SKYPILOT,
  /* other versions of the formats above */
  SHARDWISE_FORMAT_TORCHTITAN_MAIN,
  SHARDWISE_FORMAT_NEMO,
  SHARDWISE_FORMAT_PYTORCHJOB,
  SHARDWISE_N_FORMATS
} ShardwiseFormat;

/* One export target: a framework or a launcher in one version. */
typedef struct {
  ShardwiseFormat format;
  const char *id;        /* "deepspeed": --to, win.export-to */
  const char *title;     /* "FSDP 1" */
  const char *product;   /* "PyTorch": the package to install */
  const char *version;   /* "2.6": the version of the product that the file was checked against */
  const char *file_name; /* "ds_config.json" */
  SwFramework framework; /* the software profile it selects; ANY: the strategy's own */
  guint profiles;        /* bits 1 << SwFramework of all profiles it can write */
  gboolean launcher;     /* starts the file of the strategy's framework */
} ShardwiseFormatInfo;

typedef struct {
  char *name, *content;
} ShardwiseExportFile;

void shardwise_export_file_add (GPtrArray *files, const char *name, char *content);
void shardwise_export_file_free (gpointer file);

const ShardwiseFormatInfo *shardwise_format_info (ShardwiseFormat format);
const ShardwiseFormatInfo *shardwise_format_find (const char *id); /* (nullable) */
/* (nullable) */
const ShardwiseFormatInfo *shardwise_format_find_version (const char *id, const char *version);
gboolean shardwise_format_starts_itself (const ShardwiseFormatInfo *info);
gboolean shardwise_format_is_default (const ShardwiseFormatInfo *info);
const ShardwiseFormatInfo *shardwise_format_of_profile (SwFramework framework);
gboolean shardwise_format_is_of (const ShardwiseFormatInfo *info, SwFramework framework);
gboolean shardwise_format_tunes (const ShardwiseFormatInfo *info);

G_END_DECLS
