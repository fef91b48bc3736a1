/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>
#include "shardwise-import.h"

G_BEGIN_DECLS

/* Messages about an opened job: findings with their effects and buttons that apply them, and what
 * the file left open. Hidden unless the document was imported. */
#define SHARDWISE_TYPE_DIAGNOSIS_VIEW (shardwise_diagnosis_view_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseDiagnosisView, shardwise_diagnosis_view, SHARDWISE, DIAGNOSIS_VIEW,
                      GtkWidget)

GtkWidget *shardwise_diagnosis_view_new (void);
/* (nullable) */
void
shardwise_diagnosis_view_set_import (ShardwiseDiagnosisView *self, const ShardwiseImport *import);
/* Updates the messages for the current scenario. */
void shardwise_diagnosis_view_update (ShardwiseDiagnosisView *self, ShardwiseScenario *scenario);

gboolean shardwise_diagnosis_view_is_of_job (ShardwiseDiagnosisView *self);
gboolean shardwise_diagnosis_view_has_ways (ShardwiseDiagnosisView *self);

G_END_DECLS
