/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>
#include "shardwise-advice.h"
#include "shardwise-container.h"

G_BEGIN_DECLS

/* Replaces a list without rows and explains why it is empty. The engine finds the reason in a
 * worker thread; call shardwise_absence_view_drop() to cancel. */
#define SHARDWISE_TYPE_ABSENCE_VIEW (shardwise_absence_view_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseAbsenceView, shardwise_absence_view, SHARDWISE, ABSENCE_VIEW,
                      ShardwiseContainer)

void shardwise_absence_view_ask (ShardwiseAbsenceView *self, ShardwiseAdvice *advice,
                                 const SwPins *degrees);
void shardwise_absence_view_drop (ShardwiseAbsenceView *self);
gboolean shardwise_absence_view_is_asking (ShardwiseAbsenceView *self);

G_END_DECLS
