/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-ask-question.h"
#include "shardwise-import-result.h"

G_BEGIN_DECLS

/* A job as written or pasted by the user: words, framework files, the end of a failed run, or
 * several of these. */
typedef struct {
  ShardwiseImport *import;     /* (nullable): from files or from a failed run */
  ShardwiseScenario *scenario; /* (nullable): the job that the words describe, with its model */
  ShardwiseQuestion *question; /* (nullable): parsed from the words */
  gboolean asks;               /* the words ask for something that the plain answer does not show */
  GPtrArray *parts;            /* of char*: what was understood, translated: "64 × H100" */
  GPtrArray *others;           /* of char*: ids of GPUs to compare with the job's */
  char *lacks;                 /* (nullable): why the job cannot be opened; one line, translated */
} ShardwiseDescription;

ShardwiseDescription *
shardwise_description_read (const char *text, gsize length, ShardwiseScenario *fresh);
void shardwise_description_free (ShardwiseDescription *self);
gboolean shardwise_description_can_open (const ShardwiseDescription *self);
char *shardwise_description_refusal (const char *text, gsize length, const char *message);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ShardwiseDescription, shardwise_description_free)

G_END_DECLS
