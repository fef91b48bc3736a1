/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-ask-question.h"
#include "shardwise-import-result.h"

G_BEGIN_DECLS

/* What somebody writes or pastes of a job: words, files of frameworks, what a run ended with, and
 * several of these together. */
typedef struct {
  ShardwiseImport *import;     /* (nullable): of files, or what a run ended with */
  ShardwiseScenario *scenario; /* (nullable): the job that the words name, with its model */
  ShardwiseQuestion *question; /* (nullable): the words */
  gboolean asks;               /* the words ask what the answer to the job does not say by itself */
  GPtrArray *parts;            /* of char*: what was understood, translated: "64 × H100" */
  GPtrArray *others;           /* of char*: ids of GPUs that are weighed against that of the job */
  char *lacks;                 /* (nullable): why it cannot be opened, translated, one line */
} ShardwiseDescription;

ShardwiseDescription *
shardwise_description_read (const char *text, gsize length, ShardwiseScenario *fresh);
void shardwise_description_free (ShardwiseDescription *self);
gboolean shardwise_description_can_open (const ShardwiseDescription *self);
char *shardwise_description_refusal (const char *text, gsize length, const char *message);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ShardwiseDescription, shardwise_description_free)

G_END_DECLS
