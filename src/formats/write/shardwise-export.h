/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-advice.h"
#include "shardwise-export-format.h"

G_BEGIN_DECLS

/* What happens if the user ignores a note. */
typedef enum {
  SHARDWISE_EFFECT_NONE,
  SHARDWISE_EFFECT_CHANGES_RESULT,
  SHARDWISE_EFFECT_BREAKS_RUN,
} ShardwiseNoteEffect;

typedef struct {
  char *text; /* a translated sentence */
  ShardwiseNoteEffect effect;
} ShardwiseExportNote;

#define shardwise_export_note_text(notes, i)                                                       \
  ((const char *) ((const ShardwiseExportNote *) g_ptr_array_index (notes, i))->text)

typedef struct {
  const ShardwiseFormatInfo *info;
  GPtrArray *files;         /* of ShardwiseExportFile; the first one is the target's own */
  GPtrArray *not_expressed; /* of ShardwiseExportNote: what this format cannot express */
  SwEstimate estimate;      /* of the strategy as written, with the format's software profile */
  SwProblem problem;        /* the question, with that profile */
  guint n_own_files, n_own_notes; /* files and notes before those that a bundle adds */
} ShardwiseExport;

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
/* Fails with SHARDWISE_ERROR_UNSUPPORTED and the framework's rule if the framework would reject the
 * strategy. */
ShardwiseExport *shardwise_export_write (ShardwiseFormat format, const SwProblem *problem,
                                         const SwEstimate *estimate, GError **error);
/* Adds the file of a launcher and a README; a second call replaces them. */
void shardwise_export_bundle (ShardwiseExport *self, ShardwiseFormat launcher);
char *shardwise_export_start (const ShardwiseExport *self); /* "torchrun …" */
void shardwise_export_unbundle (ShardwiseExport *self);
void shardwise_export_free (ShardwiseExport *self);
JsonNode *shardwise_export_to_json (ShardwiseExport *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ShardwiseExport, shardwise_export_free)

G_END_DECLS
