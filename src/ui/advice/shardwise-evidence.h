/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-page.h"
#include "shardwise-dimension.h"

G_BEGIN_DECLS

/* What stands behind an answer, a section at a time: "figures" (more of them, the steps to a good
 * one), "reasons" (why each dimension has its value, the next best strategies), "assumptions" (with
 * what to watch and how to verify it), "search", "opinions" (rules of thumb) and "frameworks" (with
 * published recipes).
 *
 * Its widgets stay and get new values, so that the scroll position, the focus and unfolded rows
 * survive an edit. */
#define SHARDWISE_TYPE_EVIDENCE (shardwise_evidence_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseEvidence, shardwise_evidence, SHARDWISE, EVIDENCE, ShardwisePage)

void shardwise_evidence_show (ShardwiseEvidence *self, const char *section);
GtkWidget *shardwise_evidence_unfold (ShardwiseEvidence *self, SwDimension dimension);

G_END_DECLS
