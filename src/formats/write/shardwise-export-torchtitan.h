/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A model that TorchTitan has. */
typedef struct {
  const char *id;       /* of the catalogue */
  const char *name;     /* [model] name of 0.2.2 */
  const char *flavor;   /* [model] flavor of 0.2.2 */
  const char *function; /* (nullable): of models/NAME/config_registry.py on main */
  const char *assets;   /* where its tokenizer is downloaded to */
  const char *in_bf16;  /* (nullable): where the function's model is in float8, one whose is not */
} ShardwiseTitanModel;

/* (nullable) */
const ShardwiseTitanModel *shardwise_titan_model_of (const char *function);

G_END_DECLS
