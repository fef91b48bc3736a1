/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>
#include "sw-estimate.h"

G_BEGIN_DECLS

/* What is alive when the fullest stage holds most, tensor by tensor: a row that unfolds. */
#define SHARDWISE_TYPE_TENSOR_LIST (shardwise_tensor_list_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseTensorList, shardwise_tensor_list, SHARDWISE, TENSOR_LIST,
                      AdwExpanderRow)

void shardwise_tensor_list_set_estimate (ShardwiseTensorList *self, const SwProblem *problem,
                                         const SwEstimate *estimate);

G_END_DECLS
