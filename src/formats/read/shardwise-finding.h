/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-advice.h"

G_BEGIN_DECLS

/* One finding about a job. */
typedef struct {
  ShardwiseSeverity severity;
  char *code;        /* "world-size" */
  char *text;        /* what was found; translated */
  char *effect;      /* (nullable): its effect in figures; translated */
  GVariant *changes; /* (nullable): a{sv} for win.apply */
} ShardwiseFinding;

ShardwiseFinding *
shardwise_finding_new (ShardwiseSeverity severity, const char *code, char *text, char *effect);
void shardwise_finding_free (gpointer finding);
/* Returns: whether `first`, the findings of the file itself (nullable), already includes the
 * finding */
gboolean shardwise_finding_is_said (const ShardwiseFinding *finding, GPtrArray *first);
JsonNode *shardwise_findings_to_json (GPtrArray *first, GPtrArray *then); /* first: (nullable) */

G_END_DECLS
