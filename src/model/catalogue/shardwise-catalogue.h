/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <json-glib/json-glib.h>
#include <gio/gio.h>
#include "sw-problem.h"

G_BEGIN_DECLS

/* The models, GPUs, links and constants compiled into the program. Immutable and shared by
 * threads. */
typedef struct _ShardwiseCatalogue ShardwiseCatalogue;

/* One entry as displayed in lists. */
#define SHARDWISE_TYPE_CATALOGUE_ENTRY (shardwise_catalogue_entry_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseCatalogueEntry, shardwise_catalogue_entry, SHARDWISE,
                      CATALOGUE_ENTRY, GObject)
/* Properties: "id", "name", "subtitle" (translated, e.g. "70.6 B parameters, 80 layers") */

const ShardwiseCatalogue *shardwise_catalogue_get (void); /* (transfer none): read on first use,
                                                             thread-safe */
char *shardwise_catalogue_describe_model (const SwModelSpec *spec, double parameters);
/* (transfer full) of ShardwiseCatalogueEntry */
GListModel *shardwise_catalogue_models (const ShardwiseCatalogue *self);
/* (transfer full) of ShardwiseCatalogueEntry */
GListModel *shardwise_catalogue_gpus (const ShardwiseCatalogue *self);
/* (transfer full) of ShardwiseCatalogueEntry */
GListModel *shardwise_catalogue_networks (const ShardwiseCatalogue *self);
const SwModelSpec *shardwise_catalogue_find_model (const ShardwiseCatalogue *self, const char *id);
void shardwise_catalogue_complete_routing (const ShardwiseCatalogue *self, SwModelSpec *model);
/* 0: none */
double
shardwise_catalogue_model_reported_parameters (const ShardwiseCatalogue *self, const char *id);
/* by the catalog's own sum */
double
shardwise_catalogue_model_computed_parameters (const ShardwiseCatalogue *self, const char *id);
/* Returns: (nullable): which part is approximated and how; translated */
char *shardwise_catalogue_model_approximation (const ShardwiseCatalogue *self, const char *id);
const SwGpu *shardwise_catalogue_find_gpu (const ShardwiseCatalogue *self, const char *id);
const SwGpu *shardwise_catalogue_gpu_for_memory (const ShardwiseCatalogue *self, double memory_gb);
/* The usual node of a GPU. */
typedef struct {
  const char *network; /* a word or a fabric of shardwise_catalogue_find_link() */
  guint gpus_per_node;
  double host_bytes_per_gpu;
} ShardwiseNodeClass;
void shardwise_catalogue_node_class (const ShardwiseCatalogue *self, const char *gpu_id,
                                     ShardwiseNodeClass *out);
/* word: a fabric id, a plain word (nvlink, infiniband, …), or NULL for the usual link of the
 * GPU. */
gboolean
shardwise_catalogue_find_link (const ShardwiseCatalogue *self, const char *word, const SwGpu *gpu,
                               gboolean inter_node, SwLink *out, GError **error);
gboolean shardwise_catalogue_find_rdma (const ShardwiseCatalogue *self, const SwGpu *gpu,
                                        SwLink *out, GError **error);
guint shardwise_catalogue_link_domain (const ShardwiseCatalogue *self, const SwLink *link,
                                       const SwGpu *gpu);
const SwCalibration *shardwise_catalogue_calibration (const ShardwiseCatalogue *self);
const SwCalibration *
shardwise_catalogue_keep (const ShardwiseCatalogue *self, const SwCalibration *made);

/* Add an entry's values as members of an object; names include the units. */
void shardwise_catalogue_add_model (JsonObject *object, const char *id);
void shardwise_catalogue_add_gpu (JsonObject *object, const char *id);
void shardwise_catalogue_add_network (JsonObject *object, const char *id);

/* Defaults of figures that a scenario does not set, by the path of their key or a related name
 * ("cost.power_utilisation"): data/catalogue/defaults.json, each with its source. */
gboolean shardwise_defaults_find (const char *path, double *value, const char **source);
double shardwise_defaults_get (const char *path);

G_END_DECLS
