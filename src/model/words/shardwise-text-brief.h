/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-advice.h"

G_BEGIN_DECLS

/* (transfer full): a job, its advice and its reasons as one text for an assistant; translated */
char *shardwise_text_brief (ShardwiseScenario *scenario, ShardwiseAdvice *advice);

G_END_DECLS
