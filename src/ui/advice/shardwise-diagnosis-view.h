/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>
#include "shardwise-import.h"

G_BEGIN_DECLS

/* What is to be said of a job that was opened: findings, each with its effect and a button that
 * applies it, and what the file left open. Hidden while the document is no import. */
#define SHARDWISE_TYPE_DIAGNOSIS_VIEW (shardwise_diagnosis_view_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseDiagnosisView, shardwise_diagnosis_view, SHARDWISE, DIAGNOSIS_VIEW,
                      GtkWidget)

GtkWidget *shardwise_diagnosis_view_new (void);
/* (nullable) */
void
shardwise_diagnosis_view_set_import (ShardwiseDiagnosisView *self, const ShardwiseImport *import);
/* of now */
void shardwise_diagnosis_view_update (ShardwiseDiagnosisView *self, ShardwiseScenario *scenario);

gboolean shardwise_diagnosis_view_is_of_job (ShardwiseDiagnosisView *self);

G_END_DECLS
