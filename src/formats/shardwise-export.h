/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-advice.h"

G_BEGIN_DECLS

typedef enum {
  SHARDWISE_FORMAT_DEEPSPEED,
  SHARDWISE_FORMAT_FSDP1,
  SHARDWISE_FORMAT_FSDP2,
  SHARDWISE_FORMAT_NANOTRON,
  SHARDWISE_N_FORMATS
} ShardwiseFormat;

/* One export target. */
typedef struct {
  ShardwiseFormat format;
  const char *id;        /* "deepspeed": --to, win.export-to */
  const char *title;     /* "FSDP 1" */
  const char *product;   /* "PyTorch": what is installed */
  const char *version;   /* "2.6": of the product that the file was checked against */
  const char *language;  /* GtkSourceView language id: "json", "python3", "yaml" */
  const char *file_name; /* "ds_config.json" */
  SwFramework framework; /* software profile it selects */
} ShardwiseFormatInfo;

typedef struct {
  char *name, *content;
} ShardwiseExportFile;

typedef struct {
  const ShardwiseFormatInfo *info;
  GPtrArray *files;         /* of ShardwiseExportFile; the first one is the framework's own */
  GPtrArray *not_expressed; /* of char*: translated sentences on what this format cannot say */
  SwEstimate estimate;      /* of the strategy as written, with the format's software profile */
} ShardwiseExport;

const ShardwiseFormatInfo *shardwise_format_info (ShardwiseFormat format);
const ShardwiseFormatInfo *shardwise_format_find (const char *id); /* (nullable) */
/* Fails with SHARDWISE_ERROR_UNSUPPORTED and the framework's rule where the framework would refuse the strategy. */
ShardwiseExport *shardwise_export_write (ShardwiseFormat format, const SwProblem *problem, const SwEstimate *estimate, GError **error);
/* The best strategy that the format's framework can run, and its export: what `export` and the page use when the
 * scenario pins nothing. `estimate` (out): the strategy written. */
ShardwiseExport *shardwise_export_best (ShardwiseFormat format, ShardwiseScenario *scenario, GCancellable *cancellable,
                                        SwEstimate *estimate, GError **error);
/* The same, letting go of what is pinned against the framework's rules. */
ShardwiseExport *shardwise_export_nearest (ShardwiseFormat format, ShardwiseScenario *scenario, GCancellable *cancellable,
                                           SwEstimate *estimate, GError **error);
void shardwise_export_free (ShardwiseExport *self);
JsonNode *shardwise_export_to_json (ShardwiseExport *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ShardwiseExport, shardwise_export_free)

G_END_DECLS
