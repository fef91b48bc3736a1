/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-import.h"
#include "shardwise-node.h"

G_BEGIN_DECLS

/* A file that is being read. The first error stays; after it every call does nothing. */
typedef struct {
  ShardwiseImport *out;
  const ShardwiseNode *root;
  ShardwiseScenario *base;                /* (nullable): for what the file does not say */
  const char *(*spell) (const char *key); /* (nullable): how the file spells the keys that are
                                             read */
  const char *name;                       /* of the file, "" where it has none */
  SwModelSpec model;                      /* that was put; no layers: none */
  gboolean is_part; /* of a job of which base holds the rest: its strategy, too, stays */
  GError *error;
} ShardwiseImportJob;

typedef void (*ShardwiseImportReader) (ShardwiseImportJob *job);

void shardwise_import_deepspeed (ShardwiseImportJob *job);
void shardwise_import_nanotron (ShardwiseImportJob *job);
void shardwise_import_torchtitan (ShardwiseImportJob *job);
void shardwise_import_accelerate (ShardwiseImportJob *job);
void shardwise_import_config (ShardwiseImportJob *job);
void shardwise_import_params (ShardwiseImportJob *job);
void shardwise_import_torchtitan_main (ShardwiseImportJob *job);
void shardwise_import_bridge (ShardwiseImportJob *job);
void shardwise_import_pytorch (ShardwiseImportJob *job);
void shardwise_import_megatron (ShardwiseImportJob *job, const char *text, gsize length);

void shardwise_import_complete (ShardwiseImportJob *job); /* shardwise-import-complete.c: what the
                                                             file does not say */
/* (transfer full) (nullable) */
char *shardwise_import_kubernetes_script (const ShardwiseNode *root);

/* shardwise-import-python.c: what shardwise_node_from_python() gives */
ShardwiseImportKind shardwise_import_kind_of_python (const ShardwiseNode *root);
/* (nullable): the last of that name, without its module */
const ShardwiseNode *shardwise_python_call (const ShardwiseNode *root, const char *name);
const char *shardwise_python_callee (const ShardwiseNode *call); /* its last part */
/* (nullable), also call and keyword */
const ShardwiseNode *
shardwise_python_argument (const ShardwiseNode *call, const char *keyword, guint index);
/* whether its last part is that name */
gboolean shardwise_python_refers (const ShardwiseNode *node, const char *name);
void shardwise_python_warn_condition (ShardwiseImportJob *job, const ShardwiseNode *root);

/* ---- what was found ---- */

void shardwise_import_warn (ShardwiseImportJob *job, char *text); /* takes text */
/* takes text */
void shardwise_import_assume (ShardwiseImportJob *job, const char *path, char *text);
void shardwise_import_settle (ShardwiseImport *self);
void shardwise_import_find (ShardwiseImportJob *job, ShardwiseSeverity severity, const char *code,
                            char *text);
/* An error "line 3, column 7: parallelism.tp: …"; where: (nullable). */
void shardwise_import_fail (ShardwiseImportJob *job, const ShardwiseNode *where, const char *key,
                            const char *text);

/* ---- from a file's key ("parallelism.tp") to a scenario's ("strategy.tp") ---- */

/* The value there; NULL where there is none, or a null. */
const ShardwiseNode *shardwise_import_at (ShardwiseImportJob *job, const char *key);
gboolean shardwise_import_is_open (ShardwiseImportJob *job, const char *key);
gboolean shardwise_import_count_of (ShardwiseImportJob *job, const ShardwiseNode *node,
                                    const char *key, const char *path, guint *out);
/* within the range of path */
gboolean
shardwise_import_count (ShardwiseImportJob *job, const char *key, const char *path, guint *out);
guint shardwise_import_count_or (ShardwiseImportJob *job, const char *key, const char *path,
                                 guint fallback);
gboolean shardwise_import_truth (ShardwiseImportJob *job, const char *key, gboolean fallback);
/* (nullable); a string or an error */
const char *shardwise_import_text (ShardwiseImportJob *job, const char *key);
gboolean shardwise_import_word_index (ShardwiseImportJob *job, const char *key,
                                      const char *const *words, guint *out);

void shardwise_import_put (ShardwiseImportJob *job, const char *path, GVariant *value);
void shardwise_import_put_int (ShardwiseImportJob *job, const char *path, gint64 value);
void shardwise_import_put_word (ShardwiseImportJob *job, const char *path, const char *word);
void shardwise_import_put_bool (ShardwiseImportJob *job, const char *path, gboolean value);
/* whether it is there */
gboolean shardwise_import_copy_count (ShardwiseImportJob *job, const char *key, const char *path);

/* Of degrees, or numbers of a batch, of at most 1e9 each; not more than 2^33. */
guint64 shardwise_import_product (guint a, guint b, guint c, guint d);
/* 0: not known */
void shardwise_import_put_world (ShardwiseImportJob *job, guint gpus, guint per_node);
void shardwise_import_put_model (ShardwiseImportJob *job, SwModelSpec *model);
/* (nullable) (transfer none) */
const SwModelSpec *
shardwise_import_match_but_vocabulary (const SwModelSpec *model, gboolean largest);
/* shardwise-import-size.c; (nullable) path */
void shardwise_import_find_size (ShardwiseImportJob *job, const char *path);
/* by a checkpoint's name */
gboolean shardwise_import_put_model_named (ShardwiseImportJob *job, const char *name);

/* Refuses keys that no list has: (keys NULL-terminated) reports each as a finding. */
void
shardwise_import_check_keys (ShardwiseImportJob *job, const char *section, const char *const *keys,
                             ShardwiseSeverity severity, const char *code, const char *sentence);
char *shardwise_import_fill (const char *sentence, const char *word);

G_END_DECLS
