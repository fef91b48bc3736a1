/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-page.h"
#include "shardwise-dimension.h"

G_BEGIN_DECLS

/* The evidence behind an answer, one section at a time: "figures" (more figures, and the steps to a
 * good strategy), "reasons" (why each dimension has its value, the next best strategies),
 * "assumptions" (with what to watch and how to verify it), "search", "opinions" (rules of thumb)
 * and "frameworks" (with published recipes).
 *
 * Keeps its widgets and updates their values, so that the scroll position, the focus and expanded
 * rows survive an edit. */
#define SHARDWISE_TYPE_EVIDENCE (shardwise_evidence_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseEvidence, shardwise_evidence, SHARDWISE, EVIDENCE, ShardwisePage)

void shardwise_evidence_show (ShardwiseEvidence *self, const char *section);
GtkWidget *shardwise_evidence_unfold (ShardwiseEvidence *self, SwDimension dimension);

G_END_DECLS
