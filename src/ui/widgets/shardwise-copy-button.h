/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "shardwise-advice.h"

G_BEGIN_DECLS

void shardwise_copy_button_wrap (AdwSplitButton *button);
void shardwise_copy_button_name (AdwSplitButton *button, GSettings *settings,
                                 ShardwiseAdvice *advice, const SwEstimate *selected);

G_END_DECLS
