/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A model that TorchTitan supports. */
typedef struct {
  const char *id;       /* in the catalog */
  const char *name;     /* [model] name in 0.2.2 */
  const char *flavor;   /* [model] flavor in 0.2.2 */
  const char *function; /* (nullable): in models/NAME/config_registry.py on main */
  const char *assets;   /* download folder of its tokenizer */
  const char *in_bf16;  /* (nullable): the function with a 16-bit model, if `function` has float8 */
} ShardwiseTitanModel;

/* (nullable) */
const ShardwiseTitanModel *shardwise_titan_model_of (const char *function);

G_END_DECLS
